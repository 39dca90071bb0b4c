//! Every screen as a player reaches it, in both languages and both sizes of letters. The pictures are left in
//! `target/tmp/screens`, to be looked at.

#[expect(dead_code, reason = "each test needs a part of it")]
mod simulation;

use std::{collections::BTreeMap, fs, path::PathBuf};

use client::{Client, Key, Options, Score, draw::Picture};
use game::GameState;
use protocol::Dialect;
use simulation::{Conditions, Simulation};

const GOOD: Conditions = Conditions::PERFECT.delay_ms(10);
const ENTER: Key = Key::ENTER;
const DOWN: Key = Key::ARROW_DOWN;
const UP: Key = Key::ARROW_UP;

/// The keys that lead from the title to a screen.
const WAYS: &[(&str, &[Key])] = &[
    ("title", &[]),
    ("options", &[UP, UP, ENTER]),
    ("options_end", &[UP, UP, ENTER, UP]),
    ("keys", &[UP, UP, ENTER, UP, UP, ENTER]),
    ("lobbies", &[DOWN, ENTER]),
    ("create", &[DOWN, DOWN, ENTER]),
    ("code", &[DOWN, DOWN, DOWN, ENTER]),
    ("name", &[UP, UP, UP, ENTER]),
    ("scores", &[UP, ENTER]),
    ("lobby", &[DOWN, ENTER, DOWN, DOWN, ENTER]),
    ("game", &[ENTER]),
    ("pause", &[ENTER, Key::ESCAPE]),
    ("pause_options", &[ENTER, Key::ESCAPE, DOWN, ENTER]),
    ("chat", &[ENTER, Key::T]),
    ("watch", &[DOWN, ENTER, DOWN, DOWN, DOWN, ENTER]),
];

fn settings(language: &str, text: &str) -> String {
    format!("name = Aurélie\nlanguage = {language}\ntext = {text}\ncaptions = yes\n")
}

fn tap(sim: &mut Simulation, key: Key) {
    sim.client.key(sim.now, key, true);
    sim.client.key(sim.now, key, false);
    sim.run_ms(150);
}

fn scores() -> Vec<Score> {
    let score = |name: &str, points| Score { name: name.into(), points, stage: "endless".into() };
    vec![score("Maximilien-Jean", 1_234_567), score("Aurélie", 98_000), score("Bob & Zoë", 4_200)]
}

/// What a player sees who presses these keys.
fn walk(keys: &[Key], settings: String, company: bool) -> (Simulation, Picture) {
    let options = Options { settings, ..Options::new(Dialect::Volley) };
    let mut sim = Simulation::new("endless", 1, GOOD, company, options);
    sim.run_ms(300);
    sim.client.scores(sim.now, scores());
    keys.iter().for_each(|&key| tap(&mut sim, key));
    sim.run_ms(1_500);
    let picture = shot(&mut sim.client, sim.now);
    (sim, picture)
}

fn shot(client: &mut Client, now: protocol::Time) -> Picture {
    let mut picture = Picture::new();
    client.draw(now, &mut picture);
    picture
}

fn keep(name: &str, picture: &mut Picture) -> Vec<u8> {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("screens");
    fs::create_dir_all(&folder).expect("a folder to write to");
    let file = fs::File::create(folder.join(format!("{name}.png"))).expect("a file to write to");
    let mut encoder = png::Encoder::new(file, Picture::WIDTH as u32, Picture::HEIGHT as u32);
    encoder.set_color(png::ColorType::Rgba);
    encoder.write_header().expect("a header").write_image_data(picture.rgba()).expect("a picture");
    picture.rgba().to_vec()
}

#[test]
fn every_screen_can_be_reached_and_looks_different_in_every_language_and_size() {
    let mut seen: BTreeMap<Vec<u8>, String> = BTreeMap::new();
    for (screen, keys) in WAYS {
        for (language, text) in [("english", "normal"), ("french", "normal"), ("english", "large"), ("french", "large")]
        {
            let name = format!("{screen}-{language}-{text}");
            let (_, mut picture) = walk(keys, settings(language, text), false);
            let pixels = keep(&name, &mut picture);
            // A game without words looks the same in both languages.
            if *screen != "game"
                && let Some(same) = seen.insert(pixels, name.clone())
            {
                panic!("{name} looks like {same}");
            }
        }
    }
}

#[test]
fn the_menu_in_company_and_the_end_of_a_game_can_be_drawn() {
    for (language, text) in [("english", "normal"), ("french", "normal"), ("english", "large"), ("french", "large")] {
        let (mut sim, _) = walk(&[ENTER], settings(language, text), true);
        tap(&mut sim, Key::ESCAPE);
        assert!(!sim.client.is_paused());
        keep(&format!("menu-{language}-{text}"), &mut shot(&mut sim.client, sim.now));
        tap(&mut sim, Key::ESCAPE);
        sim.restarts = false;
        let is_lost = |sim: &Simulation| sim.client.shown().is_some_and(|frame| frame.state == GameState::Lost);
        assert!(sim.run_until(600_000, is_lost), "the game is never lost");
        sim.client.scores(sim.now, scores());
        sim.run_ms(300);
        keep(&format!("over-{language}-{text}"), &mut shot(&mut sim.client, sim.now));
    }
}
