//! A replay shows the game that was played, from any moment on.

mod games;

use std::{fs, path::Path, time::Duration};

use game::{Event, Seat, Stage};
use games::{RECORDINGS, RecordedGame};
use replay::{EXTENSION, MomentIndex, MomentKind, Playback, Reel, Replay, Speed, verify};

#[allow(clippy::disallowed_methods, reason = "a test may read files")]
fn recording(name: &str) -> Replay {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("recordings").join(format!("{name}.{EXTENSION}"));
    let bytes = fs::read(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    Replay::read(bytes).unwrap_or_else(|error| panic!("{name}: {error}; if the rules changed, see CONTRIBUTING.md"))
}

#[test]
fn the_recordings_in_the_repository_are_the_same_games_today() {
    for (name, _) in RECORDINGS {
        let replay = recording(name);
        let verified = verify(&replay).unwrap_or_else(|error| panic!("{name}: {error}; see CONTRIBUTING.md"));
        assert!(replay.is_finished() && verified.ticks == replay.ticks() && verified.hashes >= replay.ticks() / 60);
    }
}

#[test]
fn a_seek_leads_to_the_same_world_as_watching() {
    let replay = recording("four-in-endless");
    let mut watched = Reel::new(&replay).expect("it plays");
    let mut hashes = vec![watched.world().hash()];
    while watched.tick().expect("it is the same game") {
        hashes.push(watched.world().hash());
    }
    assert_eq!(hashes.len() as u32, replay.ticks() + 1);
    let mut reel = Reel::new(&replay).expect("it plays");
    for tick in [3000, 17, 1800, 1799, 1801, 0, replay.ticks(), 5, 6, 1800] {
        reel.seek(tick).expect("there is such a moment");
        assert_eq!((reel.now(), reel.world().hash()), (tick, hashes[tick as usize]), "tick {tick}");
    }
    reel.seek(u32::MAX).expect("the end is as far as it goes");
    assert_eq!(reel.now(), replay.ticks());
}

#[test]
fn moments_are_those_that_were_seen() {
    let mut game = RecordedGame::new(Stage::endless(), 4, 3).with_fidgets();
    let mut deaths = Vec::new();
    for tick in 1..=5400 {
        game.play(1);
        let lost = game.world.events().iter().filter_map(|event| match event {
            Event::Killed { seat, .. } => Some((tick, *seat)),
            _ => None,
        });
        deaths.extend(lost);
    }
    let replay = Replay::read(game.file()).expect("it is whole");
    let moments = MomentIndex::all(&replay).expect("it plays");
    let found: Vec<(u32, Seat)> = moments
        .iter()
        .filter_map(|moment| match moment.kind {
            MomentKind::Death(seat) => Some((moment.tick, seat)),
            MomentKind::Boss(_) => None,
        })
        .collect();
    assert!(!deaths.is_empty());
    assert_eq!(found, deaths);
    let mut playback = Playback::new(&replay).expect("it plays");
    assert!(playback.next_moment().expect("it plays"));
    let first = moments.iter().map(|moment| moment.tick).find(|&tick| tick > 90).expect("a moment");
    assert_eq!(playback.now(), first - 90, "a second and a half before it happens");
    let last_known = playback.moments().last().map_or(0, |moment| moment.tick);
    assert!(
        last_known < first + 240 && playback.moments().len() < moments.len(),
        "no more is looked at than is needed"
    );
    assert!(playback.next_moment().expect("it plays") && playback.now() > first - 90);
    playback.seek(replay.ticks()).expect("there is an end");
    // It is looked for a little at a time.
    let mut is_found = playback.previous_moment().expect("it plays");
    while !is_found && playback.is_searching() {
        is_found = playback.search_on().expect("it plays");
    }
    assert!(is_found && playback.now() < replay.ticks());
}

#[test]
fn time_passes_at_the_chosen_speed() {
    let replay = recording("alone-in-stage1");
    let mut playback = Playback::new(&replay).expect("it plays");
    let quarter = Duration::from_millis(250);
    assert_eq!(playback.ticks_due(quarter), 15);
    playback.set_speed(Speed::NORMAL.slower().slower());
    assert_eq!((playback.speed().to_string().as_str(), playback.ticks_due(quarter * 2)), ("1/4", 7));
    playback.set_speed(Speed::NORMAL.faster());
    assert_eq!((playback.speed().to_string().as_str(), playback.ticks_due(quarter)), ("2", 30));
    playback.set_paused(true);
    assert_eq!(playback.ticks_due(quarter), 0);
    playback.set_paused(false);
    for _ in 0..replay.ticks() {
        assert!(playback.tick().expect("it is the same game"));
    }
    assert!(!playback.tick().expect("it is the same game") && playback.is_paused(), "it stays at the end");
    playback.seek_by(-600).expect("it plays");
    assert_eq!((playback.now(), playback.take_jump(), playback.take_jump()), (replay.ticks() - 600, true, false));
}

#[test]
fn a_moment_is_searched_for_a_little_at_a_time() {
    let replay = recording("four-in-endless");
    let moments = MomentIndex::all(&replay).expect("it plays");
    let last = moments.last().expect("a boss comes").tick;
    let mut playback = Playback::new(&replay).expect("it plays");
    playback.seek(playback.end()).expect("there is such a moment");
    assert_eq!((playback.previous_moment(), playback.is_searching()), (Ok(false), true), "most of the game is unknown");
    assert_eq!((playback.search_on(), playback.is_searching()), (Ok(true), false));
    assert_eq!(playback.now(), last - 90);
    let mut playback = Playback::new(&replay).expect("it plays");
    playback.seek(last).expect("there is such a moment");
    assert_eq!((playback.next_moment(), playback.is_searching()), (Ok(false), true));
    playback.seek(100).expect("there is such a moment");
    assert!(!playback.is_searching(), "whoever goes elsewhere has given it up");
    playback.seek(last).expect("there is such a moment");
    assert_eq!((playback.next_moment(), playback.is_searching()), (Ok(false), false), "there is none");
}
