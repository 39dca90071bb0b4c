//! In Firefox: what may differ between browsers. The rest is played in Chromium only, because starting one takes seconds.

use crate::{browser::Browser, firefox::Firefox, scenes};

#[test]
fn a_person_opens_the_page_presses_enter_and_flies_over_webtransport() {
    assert_eq!(scenes::open_the_page_press_enter_and_fly(&Firefox::start()), "WebTransport");
}

#[test]
fn a_finger_taps_the_title_and_flies() {
    scenes::play_with_a_finger(&Firefox::start());
}

#[test]
fn two_tabs_meet_in_one_lobby_by_its_link() {
    scenes::meet_in_one_lobby_by_its_link(&Firefox::start());
}

#[test]
fn without_webtransport_it_plays_over_a_websocket_and_comes_back_after_a_restart_of_the_node() {
    let firefox = Firefox::start();
    firefox.before_each_page("delete window.WebTransport");
    assert_eq!(scenes::play_over_what_gets_through(&firefox), "WebSocket");
    scenes::come_back_after_the_node_was_restarted(&firefox);
}
