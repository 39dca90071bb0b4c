//! The first game: what a new player is shown at the ship, on which device, and for how long.

mod kept_picture;
#[expect(dead_code, reason = "each test needs a part of it")]
mod simulation;

use client::{
    Key, Options, Pad, Phase, Task, Touch,
    draw::{Font, Picture, announcements::BossBar},
};
use game::{GameState, Kind, Rules, Stage, Vec2, World, px};
use protocol::Dialect;
use simulation::{Conditions, SEAT, Simulation, drawn_ship};

const GOOD: Conditions = Conditions::PERFECT.delay_ms(10);
const ALL: &str = "learned = fly fire charge force take dock\n";
/// The least pixels of a picture of a control and its word.
const HINT_PIXELS: usize = 60;

fn is_running(sim: &Simulation) -> bool {
    sim.client.shown().is_some_and(|frame| frame.state == GameState::Running && frame.ship(SEAT).is_some())
}

fn playing(settings: &str, touch: bool) -> Simulation {
    let settings = settings.into();
    let options = Options { quick: true, settings, touch, ..Options::new(Dialect::Volley) };
    let mut sim = Simulation::new("endless", 1, GOOD, false, options);
    assert!(sim.run_until(1_000, is_running), "no game");
    sim.run_ms(200);
    sim
}

fn picture(sim: &mut Simulation) -> Picture {
    let mut picture = Picture::new();
    sim.client.draw(sim.now, &mut picture);
    picture
}

/// Where two pictures differ.
fn differences(one: &Picture, other: &Picture) -> Vec<(i32, i32)> {
    let all = (0..Picture::HEIGHT).flat_map(|y| (0..Picture::WIDTH).map(move |x| (x, y)));
    all.filter(|&(x, y)| one.at(x, y) != other.at(x, y)).collect()
}

/// What a player sees who does the same in two games, one of them with these settings and one who knows it all.
fn shown(settings: &str, act: impl Fn(&mut Simulation)) -> Vec<(i32, i32)> {
    let drawn = |settings: &str| {
        let mut sim = playing(settings, false);
        act(&mut sim);
        picture(&mut sim)
    };
    differences(&drawn(settings), &drawn(&format!("{settings}{ALL}")))
}

fn stored(sim: &Simulation) -> String {
    let last = sim.tasks.iter().rev().find(|(task, _)| *task == Task::StoreSettings);
    last.map_or(String::new(), |(_, text)| String::from_utf8_lossy(text).into_owned())
}

fn keep(name: &str, picture: &mut Picture) {
    kept_picture::keep("lessons", name, picture);
}

#[test]
fn a_new_player_is_shown_what_to_press_beside_the_ship_and_not_in_its_way() {
    let pixels = shown("", |_| {});
    assert!(pixels.len() > 2 * HINT_PIXELS, "{} pixels", pixels.len());
    let mut sim = playing("", false);
    let ship = sim.client.shown().and_then(drawn_ship).expect("it flies").position;
    let (ship_x, ship_y) = (ship.x / px(1), ship.y / px(1));
    for (x, y) in pixels {
        let (dx, dy) = (x - ship_x, y - ship_y);
        assert!(dy.abs() >= 12, "{dx} {dy}: over the ship, or ahead of it");
        assert!(dx.abs() < 160 && dy.abs() < 90, "{dx} {dy}: far from it");
    }
    keep("keyboard-english", &mut picture(&mut sim));
}

#[test]
fn hints_keep_below_the_bar_of_a_boss() {
    let at_the_top = |sim: &mut Simulation| {
        sim.world.spawn(Kind::Salvager, Vec2::new(px(400), px(135)));
        sim.client.key(sim.now, Key::ARROW_UP, true);
        sim.run_ms(4_500);
    };
    let pixels = shown("", at_the_top);
    assert!(pixels.len() > HINT_PIXELS, "{} pixels", pixels.len());
    let highest = pixels.iter().map(|(_, y)| *y).min();
    assert!(highest > Some(BossBar::bottom(Font::Small)), "{highest:?}");
}

#[test]
fn what_was_done_once_is_stored_and_not_shown_again() {
    let mut sim = playing("", false);
    sim.client.key(sim.now, Key::ARROW_UP, true);
    sim.run_ms(100);
    assert_eq!(stored(&sim), "", "a touch of a key is not flying");
    sim.run_ms(300);
    sim.client.key(sim.now, Key::ARROW_UP, false);
    assert!(stored(&sim).contains("learned = fly\n"), "{}", stored(&sim));
    sim.client.key(sim.now, Key::SPACE, true);
    sim.run_ms(1_500);
    assert!(stored(&sim).contains("learned = fly fire\n"));
    sim.client.key(sim.now, Key::SPACE, false);
    sim.run_ms(100);
    assert!(stored(&sim).contains("learned = fly fire charge\n"));
    assert!(shown(&stored(&sim), |_| {}).is_empty(), "the next game shows nothing of it");
}

#[test]
fn the_force_is_taught_when_there_is_one() {
    let known = "learned = fly fire charge\n";
    assert!(shown(known, |_| {}).is_empty());
    let with_force = |sim: &mut Simulation| {
        let ship = sim.world.frame().ship(SEAT).expect("it flies").position;
        sim.world.spawn(Kind::RedCrystal, ship + Vec2::new(px(4), 0));
        assert!(sim.run_until(5_000, |sim| {
            let force = |entity: &game::Entity| entity.kind == Kind::Force;
            sim.client.shown().is_some_and(|frame| frame.entities.iter().any(force))
        }));
        sim.run_ms(200);
    };
    assert!(shown(known, with_force).len() > HINT_PIXELS);
    let launched = "learned = fly fire charge force take\n";
    assert!(shown(launched, with_force).is_empty(), "there is no room to fly round it");
    let ahead_with_force = |sim: &mut Simulation| {
        sim.client.key(sim.now, Key::ARROW_RIGHT, true);
        sim.run_ms(1_800);
        sim.client.key(sim.now, Key::ARROW_RIGHT, false);
        with_force(sim);
    };
    let shown = shown(launched, ahead_with_force).len();
    assert!(shown > HINT_PIXELS, "it came from behind: how to dock it at the front");
    let mut sim = playing(known, false);
    with_force(&mut sim);
    keep("force", &mut picture(&mut sim));
    sim.client.key(sim.now, Key::X, true);
    sim.run_ms(200);
    assert!(stored(&sim).contains("learned = fly fire charge force take\n"));
}

#[test]
fn docking_is_explained_for_a_while_and_then_never_again() {
    let mut sim = playing("learned = fly fire charge force take\n", false);
    // Nothing comes that could take the ship.
    sim.world = World::new(Stage::sketch(&["                              "; 17]), Rules::default(), 1);
    sim.world.join(SEAT);
    sim.world.start();
    sim.client.key(sim.now, Key::ARROW_RIGHT, true);
    sim.run_ms(1_800);
    sim.client.key(sim.now, Key::ARROW_RIGHT, false);
    let ship = sim.world.frame().ship(SEAT).expect("it flies").position;
    sim.world.spawn(Kind::RedCrystal, ship + Vec2::new(px(4), 0));
    sim.run_ms(9_000);
    assert_eq!(stored(&sim), "", "it is still explained");
    sim.run_ms(6_000);
    assert!(stored(&sim).contains(ALL), "whoever leaves the Force behind is not told for ever");
}

#[test]
fn no_hint_hides_a_shot() {
    let shot = |sim: &mut Simulation| {
        let ship = sim.world.frame().ship(SEAT).expect("it flies").position;
        sim.world.spawn(Kind::Pellet, ship + Vec2::new(0, px(30)));
        sim.run_ms(50);
        let frame = sim.client.shown().expect("a game");
        let pellet = frame.entities.iter().find(|entity| entity.kind == Kind::Pellet).expect("it is shown").position;
        (pellet.x / px(1), pellet.y / px(1))
    };
    let mut sim = playing("", false);
    let without = picture(&mut sim);
    let (x, y) = shot(&mut sim);
    let near = |&(hint_x, hint_y): &(i32, i32)| (hint_x - x).abs() + (hint_y - y).abs() <= 2;
    let hints = shown("", |_| {});
    assert!(hints.iter().any(near), "the shot is not where a hint is");
    let over = picture(&mut sim);
    let hidden = shown("", |sim| _ = shot(sim)).into_iter().filter(near).count();
    assert!(hidden == 0 && over.at(x, y) != without.at(x, y), "{hidden} pixels of the shot are behind a hint");
}

#[test]
fn the_pictures_are_those_of_the_device_in_use_and_of_the_keys_as_bound() {
    let mut seen: Vec<(String, Picture)> = Vec::new();
    let look = |name: &str, settings: &str, act: &dyn Fn(&mut Simulation)| {
        let mut sim = playing(settings, name.starts_with("touch"));
        act(&mut sim);
        sim.run_ms(100);
        let mut picture = picture(&mut sim);
        keep(name, &mut picture);
        (name.to_string(), picture)
    };
    seen.push(look("keyboard", "", &|_| {}));
    seen.push(look("keys_bound", "key.up = KeyI\nkey.left = KeyJ\nkey.down = KeyK\nkey.right = KeyL\n", &|_| {}));
    seen.push(look("french", "language = french\n", &|_| {}));
    seen.push(look("french-large", "language = french\ntext = large\n", &|_| {}));
    seen.push(look("pad", "", &|sim| {
        sim.client.pad(sim.now, Pad { x: 0.0, y: 0.0, buttons: 1 << 6 });
        sim.client.pad(sim.now, Pad { x: 0.0, y: 0.0, buttons: 0 });
    }));
    seen.push(look("touch_before_the_first_touch", "", &|_| {}));
    seen.push(look("touch", "", &|sim| {
        for phase in [Phase::Down, Phase::Up] {
            sim.client.touch(sim.now, Touch { finger: 1, phase, x: 80, y: 150 });
        }
    }));
    seen.push(look("charge", "learned = fly fire\n", &|_| {}));
    for (index, (name, picture)) in seen.iter().enumerate() {
        for (other_name, other) in &seen[..index] {
            assert!(differences(picture, other).len() > 20, "{name} looks like {other_name}");
        }
    }
}

#[test]
fn an_item_says_that_it_is_to_be_taken_until_one_was() {
    let item = |sim: &mut Simulation| {
        let ship = sim.world.frame().ship(SEAT).expect("it flies").position;
        sim.world.spawn(Kind::SpeedUp, ship + Vec2::new(px(120), px(40)));
        sim.run_ms(300);
    };
    let known = "learned = fly fire charge force dock\n";
    let pixels = shown(known, item);
    assert!(pixels.len() > HINT_PIXELS, "{} pixels", pixels.len());
    let mut sim = playing(known, false);
    item(&mut sim);
    keep("item", &mut picture(&mut sim));
    let ship = sim.world.frame().ship(SEAT).expect("it flies").position;
    sim.world.spawn(Kind::SpeedUp, ship + Vec2::new(px(4), 0));
    sim.run_ms(500);
    assert!(stored(&sim).contains(ALL), "{}", stored(&sim));
}

#[test]
fn in_one_button_mode_one_button_is_taught() {
    let one = "one_button = yes\n";
    assert!(shown(one, |_| {}).len() > HINT_PIXELS, "how to fly");
    let known = format!("{one}learned = fly fire\n");
    assert!(shown(&known, |_| {}).len() > HINT_PIXELS, "and what holding the button does");
    let mut sim = playing(&known, false);
    keep("one_button", &mut picture(&mut sim));
    sim.client.key(sim.now, Key::SPACE, true);
    sim.run_ms(1_500);
    sim.client.key(sim.now, Key::SPACE, false);
    sim.run_ms(100);
    assert!(stored(&sim).contains("learned = fly fire charge\n"), "{}", stored(&sim));
    let ship = sim.world.frame().ship(SEAT).expect("it flies").position;
    sim.world.spawn(Kind::RedCrystal, ship + Vec2::new(px(4), 0));
    sim.run_ms(2_000);
    sim.client.key(sim.now, Key::SPACE, true);
    sim.run_ms(50);
    sim.client.key(sim.now, Key::SPACE, false);
    sim.run_ms(100);
    assert!(stored(&sim).contains("learned = fly fire charge force take\n"), "{}", stored(&sim));
}

#[test]
fn a_ship_that_fires_by_itself_teaches_nobody_to_fire() {
    let mut sim = playing("one_button = yes\nlearned = fly\n", false);
    sim.run_ms(2_000);
    assert!(!stored(&sim).contains("learned = fly fire"), "{}", stored(&sim));
    assert!(shown("one_button = yes\nlearned = fly\n", |_| {}).len() > HINT_PIXELS, "what the button does is shown");
}

#[test]
fn a_player_who_joins_a_running_game_is_taught_at_the_edge() {
    let join = |settings: &str| {
        let options = Options { quick: true, settings: settings.into(), ..Options::new(Dialect::Volley) };
        let mut sim = Simulation::new("endless", 1, GOOD, true, options);
        sim.world.join(game::Seat::ALL[1]);
        sim.world.start();
        (0..300).for_each(|_| sim.world.tick(&[game::Input::IDLE; game::SEATS]));
        assert!(sim.run_until(4_000, is_running), "no game");
        sim.run_ms(200);
        let mut picture = picture(&mut sim);
        keep("joined", &mut picture);
        picture
    };
    let pixels = differences(&join(""), &join(ALL));
    assert!(pixels.len() > 2 * HINT_PIXELS);
    assert!(pixels.iter().all(|(x, y)| *x < 120 && (36..110).contains(y)), "they are at the left edge");
}

#[test]
fn a_fresh_game_whose_first_frame_runs_already_is_taught_at_the_ship() {
    let begin = |settings: &str| {
        let options = Options { quick: true, settings: settings.into(), ..Options::new(Dialect::Volley) };
        let mut sim = Simulation::new("endless", 1, GOOD, false, options);
        // A node starts the game before it has shown that the lobby waits.
        sim.world.join(SEAT);
        sim.world.start();
        assert!(sim.run_until(1_000, is_running), "no game");
        assert!(sim.client.shown().is_some_and(|frame| frame.tick.0 < 60));
        sim.run_ms(200);
        let ship = sim.client.shown().and_then(drawn_ship).expect("it flies").position;
        ((ship.x / px(1), ship.y / px(1)), picture(&mut sim))
    };
    let ((ship, taught), (_, knowing)) = (begin(""), begin(ALL));
    let pixels = differences(&taught, &knowing);
    assert!(pixels.len() > 2 * HINT_PIXELS);
    let is_near = |(x, y): &(i32, i32)| (x - ship.0).abs() < 160 && (y - ship.1).abs() < 90;
    assert!(pixels.iter().all(is_near), "far from the ship");
}

#[test]
fn the_options_show_the_hints_again() {
    let mut sim = playing(ALL, false);
    // Options are the second line of the menu, and the hints come after eleven other options.
    let keys = [Key::ESCAPE, Key::ARROW_DOWN, Key::ENTER];
    for key in keys.into_iter().chain([Key::ARROW_DOWN; 11]).chain([Key::ENTER]) {
        sim.client.key(sim.now, key, true);
        sim.client.key(sim.now, key, false);
        sim.run_ms(100);
    }
    assert!(stored(&sim).contains("learned = \n"), "{}", stored(&sim));
}
