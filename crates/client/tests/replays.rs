//! A replay as a player watches it: opened over whatever is shown, paused, moved through, and closed again.

mod kept_picture;
mod read_text;
#[expect(dead_code, reason = "each test needs a part of it")]
mod simulation;

use std::{fs, path::Path};

use client::{Key, Options, Pad, Phase, Touch, draw::Picture};
use protocol::Dialect;
use read_text::has_text;
use replay::{EXTENSION, Playback};
use simulation::{Conditions, Simulation};

const GOOD: Conditions = Conditions::PERFECT.delay_ms(10);
const WIDTH: i32 = Picture::WIDTH;

#[allow(clippy::disallowed_methods, reason = "a test may read files")]
fn recording() -> Vec<u8> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../replay/recordings");
    fs::read(folder.join(format!("four-in-endless.{EXTENSION}"))).expect("it is in the repository")
}

/// The title, and a replay over it.
fn opened(settings: &str) -> Simulation {
    let options = Options { settings: settings.into(), ..Options::new(Dialect::Volley) };
    let mut sim = Simulation::new("endless", 1, GOOD, false, options);
    sim.run_ms(300);
    sim.client.open_replay(sim.now, &recording()).expect("it can be shown");
    sim
}

fn playback(sim: &Simulation) -> &Playback {
    sim.client.replay().expect("it is shown").playback()
}

fn now(sim: &Simulation) -> u32 {
    playback(sim).now()
}

fn press(sim: &mut Simulation, key: Key) {
    sim.client.key(sim.now, key, true);
    sim.client.key(sim.now, key, false);
}

fn touch(sim: &mut Simulation, (x, y): (i32, i32)) {
    for phase in [Phase::Down, Phase::Up] {
        sim.client.touch(sim.now, Touch { finger: 1, phase, x, y });
    }
}

fn picture(sim: &mut Simulation) -> Picture {
    let mut picture = Picture::new();
    sim.client.draw(sim.now, &mut picture);
    picture
}

#[test]
fn a_replay_plays_pauses_and_closes() {
    let mut sim = opened("");
    sim.run_ms(1_000);
    assert!((58..=62).contains(&now(&sim)), "{}", now(&sim));
    press(&mut sim, Key::SPACE);
    let paused = now(&sim);
    sim.run_ms(500);
    assert_eq!((now(&sim), playback(&sim).is_paused()), (paused, true));
    press(&mut sim, Key::SPACE);
    sim.run_ms(500);
    assert!(now(&sim) > paused + 25);
    let created = sim.created.clone();
    press(&mut sim, Key::ENTER);
    sim.run_ms(300);
    assert_eq!(sim.created, created, "nothing reaches the menu behind it");
    press(&mut sim, Key::ESCAPE);
    assert!(sim.client.replay().is_none());
    assert!(has_text(&picture(&mut sim), "Play"), "the title is back");
}

#[test]
fn keys_seek_and_jump_from_moment_to_moment() {
    let mut sim = opened("");
    press(&mut sim, Key::P);
    press(&mut sim, Key::ARROW_RIGHT);
    assert_eq!(now(&sim), 300);
    press(&mut sim, Key::ARROW_LEFT);
    assert_eq!(now(&sim), 0);
    press(&mut sim, Key::N);
    let boss = playback(&sim).moments()[0].tick;
    assert_eq!(now(&sim), boss - 90, "a second and a half before a boss comes");
    press(&mut sim, Key::N);
    assert_eq!(now(&sim), boss - 90, "there is no other moment");
    press(&mut sim, Key::END);
    assert_eq!(now(&sim), playback(&sim).end());
    press(&mut sim, Key::B);
    assert_eq!(now(&sim), boss - 90, "back to the moment before");
    press(&mut sim, Key::HOME);
    assert_eq!(now(&sim), 0);
    press(&mut sim, Key::ARROW_UP);
    press(&mut sim, Key::P);
    sim.run_ms(1_000);
    assert!((115..=125).contains(&now(&sim)), "twice as fast, not {}", now(&sim));
    press(&mut sim, Key::F);
    assert!(playback(&sim).follows().is_some());
}

#[test]
fn a_finger_pauses_seeks_and_closes_and_is_shown_no_keys() {
    let mut sim = opened("");
    sim.run_ms(100);
    assert!(has_text(&picture(&mut sim), "Space") && has_text(&picture(&mut sim), "Esc"));
    touch(&mut sim, (WIDTH / 2, 100));
    assert!(playback(&sim).is_paused());
    let mut shown = picture(&mut sim);
    kept_picture::keep("replays", "touch", &mut shown);
    assert!(!has_text(&shown, "Space") && !has_text(&shown, "Esc"));
    touch(&mut sim, (WIDTH / 2, 265));
    assert!(now(&sim).abs_diff(playback(&sim).end() / 2) < 20);
    touch(&mut sim, (466, 30));
    assert!(sim.client.replay().is_none(), "the corner closes it");
}

#[test]
fn a_pad_pauses_seeks_and_closes() {
    let mut sim = opened("");
    let press = |sim: &mut Simulation, button: u32| {
        for buttons in [1 << button, 0] {
            sim.client.pad(sim.now, Pad { x: 0.0, y: 0.0, buttons });
        }
    };
    press(&mut sim, 0);
    assert!(playback(&sim).is_paused());
    press(&mut sim, 15);
    assert_eq!(now(&sim), 300);
    assert!(!has_text(&picture(&mut sim), "Esc"));
    press(&mut sim, 1);
    assert!(sim.client.replay().is_none());
}

#[test]
fn the_bar_makes_way_for_the_game_until_it_is_wanted() {
    let mut sim = opened("");
    let has_bar = |sim: &mut Simulation| has_text(&picture(sim), "pause");
    press(&mut sim, Key::ARROW_UP);
    assert!(has_bar(&mut sim));
    sim.run_ms(6_000);
    assert!(!has_bar(&mut sim), "a ship that flies low is seen");
    kept_picture::keep("replays", "clear", &mut picture(&mut sim));
    let before = now(&sim);
    touch(&mut sim, (WIDTH / 2, 265));
    assert!(now(&sim).abs_diff(before) < 20, "nobody taps on a bar that is not there");
    sim.run_ms(6_000);
    assert!(has_text(&picture(&mut sim), "||"), "paused");
    press(&mut sim, Key::SPACE);
    assert!(has_bar(&mut sim));
}

#[test]
fn a_french_player_reads_french_keys() {
    let mut sim = opened("language = french\n");
    let shown = picture(&mut sim);
    assert!(has_text(&shown, "Espace") && !has_text(&shown, "Space"));
}

#[test]
fn what_is_not_a_replay_is_not_shown() {
    let mut sim = opened("");
    press(&mut sim, Key::ESCAPE);
    assert!(sim.client.open_replay(sim.now, b"no replay at all").is_err());
    assert!(sim.client.replay().is_none());
}

#[test]
fn the_bar_says_what_each_key_does_and_nothing_shows_through_it() {
    for (language, words) in [
        ("english", ["Space pause", "speed", "B N moment", "F player", "Esc close"]),
        ("french", ["Espace pause", "vitesse", "B N moment", "F joueur", "Échap fermer"]),
    ] {
        let mut sim = opened(&format!("language = {language}\n"));
        // A key says that there is a keyboard.
        press(&mut sim, Key::SPACE);
        let shown = picture(&mut sim);
        kept_picture::keep("replays", &format!("bar_{language}"), &mut shown.clone());
        words.iter().for_each(|word| assert!(has_text(&shown, word), "{word}"));
        assert!(!has_text(&shown, "SCORE"), "that is the HUD's");
    }
}

#[test]
fn the_bar_calls_its_keys_what_is_printed_on_them() {
    let mut sim = opened("");
    press(&mut sim, Key::SPACE);
    sim.client.key_labels("KeyB\tx\nKeyN\tb\nKeyF\tu");
    let shown = picture(&mut sim);
    ["X B moment", "U player"].iter().for_each(|word| assert!(has_text(&shown, word), "{word}"));
}
