//! A phone that is held upright, and turned: how large the letters are, and where the thumbs press.

mod kept_picture;
mod read_text;
#[expect(dead_code, reason = "each test needs a part of it")]
mod simulation;

use client::{
    Key, Options, Phase, Task, Touch,
    draw::{Colour, Font, Picture},
};
use game::GameState;
use protocol::Dialect;
use read_text::has_text_in;
use simulation::{Conditions, Simulation};

const GOOD: Conditions = Conditions::PERFECT.delay_ms(10);

fn phone(settings: &str, small_screen: bool) -> Simulation {
    let options = Options { touch: true, small_screen, settings: settings.into(), ..Options::new(Dialect::Volley) };
    let mut sim = Simulation::new("endless", 1, GOOD, false, options);
    sim.run_ms(800);
    sim
}

fn picture(sim: &mut Simulation) -> Picture {
    let mut picture = Picture::new();
    sim.client.draw(sim.now, &mut picture);
    picture
}

fn has_large_title(sim: &mut Simulation) -> bool {
    has_text_in(&picture(sim), Font::Large, "Options")
}

fn tap(sim: &mut Simulation, key: Key) {
    sim.client.key(sim.now, key, true);
    sim.client.key(sim.now, key, false);
    sim.run_ms(100);
}

#[test]
fn letters_follow_the_phone_as_it_is_turned() {
    let mut sim = phone("", false);
    assert!(!has_large_title(&mut sim));
    sim.client.small_screen(true);
    assert!(has_large_title(&mut sim));
    // Other settings are stored, and the phone is turned back.
    for key in [Key::ARROW_UP, Key::ARROW_UP, Key::ARROW_UP, Key::ENTER, Key::ARROW_DOWN, Key::ARROW_RIGHT] {
        tap(&mut sim, key);
    }
    let stored = sim.tasks.iter().rev().find(|(task, _)| *task == Task::StoreSettings).expect("they are stored");
    let stored = String::from_utf8_lossy(&stored.1).into_owned();
    assert!(!stored.contains("text = "), "{stored}");
    assert!(!has_large_title(&mut phone(&stored, false)), "on a wide screen they are small again");
}

#[test]
fn letters_that_the_player_chose_stay() {
    let mut sim = phone("text = normal\n", true);
    assert!(!has_large_title(&mut sim));
    sim.client.small_screen(false);
    sim.client.small_screen(true);
    assert!(!has_large_title(&mut sim));
    let mut sim = phone("text = large\n", false);
    assert!(has_large_title(&mut sim));
}

#[test]
fn the_buttons_are_in_the_picture_only_where_the_page_shows_none() {
    let is_ringed = |small_screen: bool| {
        let options = Options { touch: true, small_screen, quick: true, ..Options::new(Dialect::Volley) };
        let mut sim = Simulation::new("endless", 1, GOOD, false, options);
        let runs = |sim: &Simulation| sim.client.shown().is_some_and(|frame| frame.state == GameState::Running);
        assert!(sim.run_until(1_000, runs));
        for phase in [Phase::Down, Phase::Up] {
            sim.client.touch(sim.now, Touch { finger: 1, phase, x: 80, y: 150 });
        }
        sim.run_ms(100);
        let mut shown = picture(&mut sim);
        kept_picture::keep("phones", if small_screen { "upright" } else { "wide" }, &mut shown);
        let menu = shown.at(466, 30) == Some(Colour::PALE);
        assert!(menu, "the menu is always in its corner");
        // The lowest point of the ring of the Force.
        shown.at(388, 232 + 18) == Some(Colour::GOLD)
    };
    assert!(is_ringed(false) && !is_ringed(true));
}

#[test]
fn an_upright_phone_shows_no_rings_where_thumbs_do_nothing() {
    let mut sim = phone("", true);
    assert!(!sim.client.wants_thumbs(), "the title is a menu");
    tap(&mut sim, Key::ENTER);
    assert!(sim.run_until(2_000, |sim| sim.client.shown().is_some_and(|frame| frame.state == GameState::Running)));
    assert!(sim.client.wants_thumbs());
    tap(&mut sim, Key::ESCAPE);
    assert!(!sim.client.wants_thumbs(), "the menu lies over the game");
}
