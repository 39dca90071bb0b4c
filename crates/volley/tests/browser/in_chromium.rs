//! All that is played, in Chromium.

use std::time::{Duration, Instant};

use crate::{browser::Browser, chromium::Chromium, scenes};

/// How long the node keeps the seat of somebody who did not say goodbye.
const SEAT_KEPT: Duration = Duration::from_secs(60);

#[test]
fn a_person_opens_the_page_presses_enter_and_flies_over_webtransport() {
    assert_eq!(scenes::open_the_page_press_enter_and_fly(&Chromium::start()), "WebTransport");
}

#[test]
fn the_first_key_is_followed_by_sound() {
    scenes::hear_something_after_the_first_key(&Chromium::start());
}

#[test]
fn two_tabs_meet_in_one_lobby_by_its_link_and_who_closes_one_leaves_it() {
    let chromium = Chromium::start();
    let host = scenes::meet_in_one_lobby_by_its_link(&chromium);
    let began = Instant::now();
    chromium.close_tab();
    host.wait("one of the two has left", || host.players().len() == 1);
    assert!(began.elapsed() < SEAT_KEPT, "the seat was kept, as for somebody who is lost");
}

#[test]
fn a_browser_without_webtransport_plays_over_a_websocket() {
    let chromium = Chromium::start();
    chromium.before_each_page("delete window.WebTransport");
    assert_eq!(scenes::play_over_what_gets_through(&chromium), "WebSocket");
}

/// As behind a firewall that lets no UDP through: nothing ever comes back, so that only patience ends the try.
#[test]
fn where_quic_is_blocked_the_page_falls_back_to_a_websocket() {
    let chromium = Chromium::start();
    chromium.before_each_page(SWALLOWED_QUIC);
    assert_eq!(scenes::play_over_what_gets_through(&chromium), "WebSocket");
    assert_eq!(chromium.run("return window.triedQuic"), true);
}

const SWALLOWED_QUIC: &str = "
    window.WebTransport = class {
        ready = new Promise(() => {});
        closed = new Promise(() => {});
        constructor() { window.triedQuic = true; }
        close() {}
    };";

#[test]
fn a_page_comes_back_by_itself_after_the_node_was_restarted() {
    scenes::come_back_after_the_node_was_restarted(&Chromium::start());
}

#[test]
fn a_game_is_lost_tried_again_named_and_in_the_table() {
    scenes::play_lose_retry_and_enter_the_table(&Chromium::start());
}

#[test]
fn a_click_on_the_title_begins_a_game() {
    scenes::click_on_the_title(&Chromium::start());
}

#[test]
fn a_host_fills_a_lobby_with_bots_and_plays_with_them() {
    scenes::fill_a_lobby_with_bots_and_play(&Chromium::start());
}

#[test]
fn a_kicked_guest_is_back_at_the_title_over_either_transport() {
    let (host, guest) = (Chromium::start(), Chromium::start());
    assert_eq!(scenes::kick_a_guest(&host, &guest), "WebTransport");
    guest.before_each_page("delete window.WebTransport");
    assert_eq!(scenes::kick_a_guest(&host, &guest), "WebSocket");
}
