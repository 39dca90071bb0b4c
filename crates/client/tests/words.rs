//! What is said stays where it can be read: chat, the feed, panels, and the words of a menu. The pictures are left in
//! `target/tmp/words`, to be looked at.

mod kept_picture;
mod read_text;
#[expect(dead_code, reason = "each test needs a part of it")]
mod simulation;

use client::{
    Key, Options, Phase, Touch,
    draw::{Font, Picture},
};
use game::{GameState, Rules, Seat, Stage, World};
use protocol::{Dialect, LinkSession, LobbyId, LobbyNotice};
use read_text::{has_text, has_text_in};
use simulation::{Conditions, Simulation, at_once};

const GOOD: Conditions = Conditions::PERFECT.delay_ms(10);
const FRIEND: Seat = Seat::ALL[1];

fn tap(sim: &mut Simulation, keys: &[Key]) {
    for key in keys {
        sim.client.key(sim.now, *key, true);
        sim.client.key(sim.now, *key, false);
        sim.run_ms(150);
    }
}

fn picture(sim: &mut Simulation, name: &str) -> Picture {
    let mut picture = Picture::new();
    sim.client.draw(sim.now, &mut picture);
    kept_picture::keep("words", name, &mut picture);
    picture
}

/// A client in a lobby that waits, with somebody else in it.
fn in_a_lobby(settings: &str) -> Simulation {
    let options = Options { create: Some("stage1".into()), settings: settings.into(), ..Options::new(Dialect::Volley) };
    let mut sim = Simulation::new("stage1", 3, GOOD, true, options);
    sim.run_ms(500);
    assert_eq!(sim.world.game_state(), GameState::Waiting);
    sim
}

fn say(sim: &mut Simulation, name: &str, text: &str) {
    let seat = Some(FRIEND);
    sim.server.notify(sim.now, &LobbyNotice::Said { seat, name, text });
    sim.run_ms(100);
}

#[test]
fn chat_is_read_in_a_lobby_that_waits_also_while_somebody_writes() {
    for (text, letters) in [("normal", Font::Small), ("large", Font::Large)] {
        let mut sim = in_a_lobby(&format!("text = {text}\n"));
        say(&mut sim, "Bob", "shall we start?");
        let shown = picture(&mut sim, &format!("lobby-{text}"));
        assert!(has_text_in(&shown, letters, "Bob: shall we start?"), "{text}");
        // The chat is the line above the last one.
        tap(&mut sim, &[Key::ARROW_UP, Key::ARROW_UP, Key::ENTER]);
        assert!(sim.client.is_writing());
        let writing = picture(&mut sim, &format!("lobby-writing-{text}"));
        for words in ["Bob: shall we start?", "Chat", "Leave"] {
            assert!(has_text_in(&writing, letters, words), "{text}: {words}");
        }
    }
}

#[test]
fn whoever_has_no_name_is_called_by_the_seat_in_each_language() {
    for (language, words) in [("english", "P2: hello"), ("french", "J2: hello")] {
        let mut sim = in_a_lobby(&format!("language = {language}\n"));
        say(&mut sim, "", "hello");
        assert!(has_text(&picture(&mut sim, &format!("no-name-{language}")), words));
    }
}

#[test]
fn what_was_said_in_one_lobby_is_not_read_in_another() {
    let mut sim = in_a_lobby("");
    say(&mut sim, "Bob", "hello");
    assert!(has_text(&picture(&mut sim, "said"), "Bob: hello"));
    let code = LobbyId::new("WXYZ29").expect("a code");
    sim.server.notify(sim.now, &LobbyNotice::Watching { code });
    sim.run_ms(200);
    assert!(!has_text(&picture(&mut sim, "another-lobby"), "Bob: hello"));
}

#[test]
fn an_invitation_leads_back_to_the_menu_that_it_was_opened_from() {
    let options = Options { page: Some("http://192.168.1.20/".into()), ..at_once() };
    let mut sim = Simulation::new("endless", 1, GOOD, false, options);
    sim.run_ms(1_000);
    tap(&mut sim, &[Key::ESCAPE, Key::ARROW_DOWN, Key::ARROW_DOWN, Key::ENTER]);
    assert!(has_text(&picture(&mut sim, "invitation"), "close"));
    tap(&mut sim, &[Key::ESCAPE]);
    let menu = picture(&mut sim, "after-the-invitation");
    assert!(has_text(&menu, "Resume") && !has_text(&menu, "close"));
}

#[test]
fn how_to_play_is_in_the_menu_and_tells_all_of_it_in_both_sizes() {
    for text in ["normal", "large"] {
        let options = Options { settings: format!("text = {text}\n"), ..at_once() };
        let mut sim = Simulation::new("endless", 1, GOOD, false, options);
        sim.run_ms(1_000);
        tap(&mut sim, &[Key::ESCAPE, Key::ARROW_UP, Key::ARROW_UP, Key::ENTER]);
        let mut told = [("Walls, enemies", false), ("Keep shooting", false), ("Speed-ups", false), ("Bits", false)];
        for page in 0..4 {
            let now = picture(&mut sim, &format!("how-to-play-{text}-{page}"));
            told.iter_mut().for_each(|(words, is_told)| *is_told |= has_text(&now, words));
            tap(&mut sim, &[Key::ARROW_RIGHT]);
        }
        assert!(told.iter().all(|(_, is_told)| *is_told), "{text}: {told:?}");
        tap(&mut sim, &[Key::ESCAPE]);
        assert!(has_text(&picture(&mut sim, "after-how-to-play"), "Resume"));
    }
}

#[test]
fn the_menu_after_a_lost_game_does_not_say_that_the_game_waits() {
    let mut sim = Simulation::new("endless", 1, GOOD, false, at_once());
    let wall = "#".repeat(30);
    sim.world = World::new(Stage::sketch(&[wall.as_str(); 17]), Rules { lives: 1, ..Rules::default() }, 1);
    sim.restarts = false;
    assert!(sim.run_until(10_000, |sim| sim.client.shown().is_some_and(|frame| frame.state == GameState::Lost)));
    sim.run_ms(1_500);
    assert!(has_text(&picture(&mut sim, "lost"), "Esc: menu"), "the way out is named");
    tap(&mut sim, &[Key::ESCAPE]);
    let menu = picture(&mut sim, "menu-after-a-lost-game");
    assert!(has_text(&menu, "Game over") && !has_text(&menu, "The game waits for you."));
}

#[test]
fn while_any_key_is_bound_no_key_confirms_and_a_finger_is_offered_no_keys() {
    let mut sim = Simulation::new("endless", 1, GOOD, false, Options::new(Dialect::Volley));
    sim.run_ms(300);
    let up = Key::ARROW_UP;
    tap(&mut sim, &[up, up, up, Key::ENTER, up, up]);
    assert!(has_text(&picture(&mut sim, "options"), "Key bindings"));
    sim.client.touch(sim.now, Touch { finger: 9, phase: Phase::Move, x: 1, y: 1 });
    sim.run_ms(50);
    assert!(!has_text(&picture(&mut sim, "options-touch"), "Key bindings"));
    tap(&mut sim, &[Key::ENTER, Key::ENTER]);
    let listening = picture(&mut sim, "listening");
    assert!(has_text(&listening, "Press the new key") && !has_text(&listening, "confirm"));
}
