//! The ghost of the player's best run, and the recording of a game that was played alone: shown, saved, and kept if it is the best.

mod kept_picture;
mod read_text;
#[expect(dead_code, reason = "each test needs a part of it")]
mod simulation;

use client::{
    Key, Options, Task,
    draw::{Colour, Picture},
};
use game::{Buttons, GameState, Input, Kind, Rules, Stage, World};
use protocol::{RecordingKey, Token};
use read_text::has_text;
use replay::{Header, Recorder, RecordingWriter};
use simulation::{Conditions, GAME, SEAT, Simulation, at_once};

const GOOD: Conditions = Conditions::PERFECT.delay_ms(10);
const TABLE: &str = "mode=endless&stage=endless&difficulty=normal&players=1";
const SKETCH_TABLE: &str = "mode=campaign&stage=sketch&difficulty=normal&players=1";

/// A run of some ticks that flies up and stays at the top.
fn run(ticks: u32) -> Vec<u8> {
    let mut world = World::new(Stage::endless(), Rules { lives: 9, ..Rules::default() }, 1);
    world.join(SEAT);
    world.start();
    let mut recorder = Recorder::new(&world);
    let mut inputs = [Input::IDLE; game::SEATS];
    inputs[SEAT.index()].held = Buttons::UP;
    for _ in 0..ticks {
        world.tick(&inputs);
        recorder.tick(&inputs, &world);
    }
    let (mut writer, mut file) = RecordingWriter::begin(&Header::of(&world));
    file.extend(writer.block(&recorder.finish(&world)));
    file
}

fn kept(points: u32, file: &[u8]) -> Vec<u8> {
    [&points.to_le_bytes(), file].concat()
}

/// A game that somebody plays alone, or not, and what the shell keeps for its table.
fn playing(settings: &str, company: bool, kept: &[u8]) -> Simulation {
    let options = Options { settings: settings.into(), ..at_once() };
    let mut sim = Simulation::new("endless", 1, GOOD, company, options);
    sim.restarts = false;
    let is_asked = |sim: &Simulation| sim.tasks.iter().any(|(task, _)| *task == Task::LoadGhost);
    assert_eq!(sim.run_until(3_000, is_asked), !company, "only a table of one player has a ghost");
    sim.client.ghost(sim.now, TABLE, kept);
    sim
}

fn task(sim: &Simulation, wanted: Task) -> Option<&[u8]> {
    sim.tasks.iter().rev().find(|(task, _)| *task == wanted).map(|(_, bytes)| &bytes[..])
}

fn picture(sim: &mut Simulation) -> Picture {
    let mut picture = Picture::new();
    sim.client.draw(sim.now, &mut picture);
    picture
}

/// How far the ghost is ahead of the game, in ticks: in Endless the stage moves a pixel a tick.
fn lead(sim: &Simulation) -> Option<i64> {
    let (_, ghost) = sim.client.ghost_frame()?;
    Some(i64::from(ghost.scroll_px) - i64::from(sim.client.shown()?.scroll_px))
}

#[test]
fn the_best_run_flies_beside_the_game_in_step_with_it() {
    let mut sim = playing("ghost = yes\n", false, &kept(100, &run(1200)));
    sim.run_ms(1_000);
    let ghost = sim.client.ghost_frame().and_then(|(_, frame)| frame.ship(SEAT)).expect("it flies").position;
    let own = sim.client.shown().and_then(|frame| frame.ship(SEAT)).expect("so does the player").position;
    assert!(ghost.y < own.y - 50 * 256, "up there, not at the player's place");
    let mut shown = picture(&mut sim);
    kept_picture::keep("ghosts", "beside", &mut shown);
    let (x, y) = (ghost.x / 256, ghost.y / 256);
    let around = (-10..10).flat_map(|dy| (-16..16).map(move |dx| (x + dx, y + dy)));
    let grey = around.filter(|&(x, y)| shown.at(x, y) == Some(Colour::GREY)).count();
    assert!((40..200).contains(&grey), "a grey shadow, and every second pixel is what lies behind it: {grey}");
    for _ in 0..8 {
        sim.run_ms(700);
        assert!(lead(&sim).is_some_and(|lead| lead.abs() <= 2), "{:?}", lead(&sim));
    }
}

#[test]
fn the_ghost_stands_still_while_the_game_is_paused_and_ends_with_its_run() {
    let mut sim = playing("ghost = yes\n", false, &kept(100, &run(300)));
    sim.run_ms(1_000);
    sim.client.key(sim.now, Key::ESCAPE, true);
    sim.client.key(sim.now, Key::ESCAPE, false);
    sim.run_ms(500);
    let at = sim.client.ghost_frame().map(|(tick, _)| tick);
    sim.run_ms(1_500);
    assert_eq!(sim.client.ghost_frame().map(|(tick, _)| tick), at);
    sim.client.key(sim.now, Key::ESCAPE, true);
    sim.client.key(sim.now, Key::ESCAPE, false);
    sim.run_ms(1_000);
    assert!(lead(&sim).is_some_and(|lead| lead.abs() <= 2), "{:?}", lead(&sim));
    sim.run_ms(4_000);
    assert!(sim.client.ghost_frame().is_none(), "its run is over");
}

#[test]
fn there_is_no_ghost_unless_it_is_wanted_nor_in_company_nor_of_what_cannot_be_played() {
    let file = run(600);
    let mut other_rules = file.clone();
    other_rules[8] ^= 1;
    let cases: [(&str, bool, &[u8]); 5] = [
        ("", false, &file),
        ("ghost = yes\n", true, &file),
        ("ghost = yes\n", false, &other_rules),
        ("ghost = yes\n", false, b"nonsense"),
        ("ghost = yes\n", false, &file[..file.len() / 2]),
    ];
    for (settings, company, file) in cases {
        let mut sim = playing(settings, company, &kept(100, file));
        sim.run_ms(1_500);
        assert!(sim.client.ghost_frame().is_none(), "{settings:?} {company} {}", file.len());
    }
    let mut sim = playing("ghost = yes\n", false, &[]);
    sim.run_ms(1_500);
    assert!(sim.client.ghost_frame().is_none(), "nothing is kept");
}

/// A game that was just lost, and whose recording has come. The shell kept something for its table before.
fn lost(before: &[u8]) -> Simulation {
    let mut sim = Simulation::new("endless", 1, GOOD, false, Options { settings: "name = Ann\n".into(), ..at_once() });
    let wall = "#".repeat(30);
    sim.world = World::new(Stage::sketch(&[wall.as_str(); 17]), Rules { lives: 1, ..Rules::default() }, 1);
    sim.restarts = false;
    let state = |sim: &Simulation| sim.client.shown().map(|frame| frame.state);
    assert!(sim.run_until(1_000, |sim| state(sim) == Some(GameState::Running)));
    let ship = sim.world.frame().ship(SEAT).expect("it flies").position;
    sim.world.spawn(Kind::RedCrystal, ship);
    assert!(sim.run_until(10_000, |sim| state(sim) == Some(GameState::Lost)), "the game is not lost");
    sim.run_ms(100);
    assert_eq!(task(&sim, Task::LoadGhost), Some(SKETCH_TABLE.as_bytes()));
    sim.client.ghost(sim.now, SKETCH_TABLE, before);
    sim.run_ms(3_500);
    let key = RecordingKey::new(Token([7; 16]), GAME).to_string();
    assert_eq!(task(&sim, Task::FetchRecording), Some(key.as_bytes()), "by the key that only this player has");
    sim.client.recorded(sim.now, &key, run(300));
    sim.run_ms(100);
    sim
}

#[test]
fn a_run_is_kept_if_it_is_the_best_of_its_table() {
    let points = lost(&[]).client.tally().expect("it was told").score;
    assert!(points > 0);
    let stored = |before: &[u8]| task(&lost(before), Task::StoreGhost).map(<[u8]>::to_vec);
    let expected = [format!("{SKETCH_TABLE}\n").as_bytes(), &kept(points, &run(300))].concat();
    assert_eq!(stored(&[]).as_ref(), Some(&expected), "the first of all");
    assert_eq!(stored(&kept(points - 1, &run(60))).as_ref(), Some(&expected), "a better one");
    assert_eq!(stored(b"of other rules").as_ref(), Some(&expected), "in place of one that cannot be played");
    assert_eq!(stored(&kept(points, &run(60))), None, "no better");
}

#[test]
fn the_result_offers_to_watch_and_to_save_the_game() {
    let mut sim = lost(&[]);
    let mut shown = picture(&mut sim);
    kept_picture::keep("ghosts", "result", &mut shown);
    assert!(has_text(&shown, "R replay") && has_text(&shown, "S save"));
    sim.client.key(sim.now, Key::S, true);
    sim.client.key(sim.now, Key::S, false);
    sim.run_ms(100);
    let expected = [format!("{GAME}.vreplay\n").as_bytes(), &run(300)].concat();
    assert_eq!(task(&sim, Task::SaveReplay), Some(&expected[..]));
    sim.client.replay_saved(sim.now, true);
    sim.client.key(sim.now, Key::R, true);
    assert!(sim.client.replay().is_some_and(|view| view.playback().end() == 300));
}

#[test]
fn a_recording_that_nobody_asked_for_changes_nothing() {
    let mut sim = playing("ghost = yes\n", false, &[]);
    sim.client.recorded(sim.now, "00000000000000000000000000000000", run(300));
    sim.client.ghost(sim.now, "another table", &kept(9, &run(300)));
    sim.run_ms(500);
    assert!(task(&sim, Task::StoreGhost).is_none() && sim.client.ghost_frame().is_none());
}
