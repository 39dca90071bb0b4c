//! How long a seek takes, how fast a game is verified, and how long the search for a moment holds up a picture. The game is the one
//! of ten minutes whose size `tests/format.rs` measures, and two of good bots.
//!
//! `cargo bench -p replay` prints a table, and fails if a promise is not kept. Everything is done several times and the shortest time
//! counts, so that other programs on the machine matter little.
#![allow(clippy::disallowed_methods, clippy::disallowed_types, reason = "a benchmark reads the clock")]

#[path = "../tests/games/mod.rs"]
mod games;

use std::time::{Duration, Instant};

use game::Stage;
use games::RecordedGame;
use replay::{Playback, Reel, Replay, verify};

/// Ten minutes.
const TICKS: u32 = 10 * 60 * 60;
/// Moments that are gone to, spread over the game.
const SEEKS: u32 = 100;
/// How often everything is done.
const TRIES: u32 = 5;
/// What is promised: a seek, and how many times faster than real time a game is verified.
const SEEK_MAX: Duration = Duration::from_millis(100);
const FACTOR_MIN: f64 = 500.0;

fn main() {
    let fidgets = RecordedGame::new(Stage::endless(), 4, 1).with_fidgets();
    let bots = RecordedGame::new(Stage::endless(), 4, 1);
    let alone = RecordedGame::new(Stage::endless(), 1, 1);
    println!(
        "{:<28}{:>8}{:>14}{:>14}{:>14}{:>16}",
        "ten minutes of", "bytes", "seek, mean", "seek, worst", "moment, worst", "verified"
    );
    for (name, mut game) in [("four who press at random", fidgets), ("four good bots", bots), ("one good bot", alone)] {
        game.play(TICKS);
        let replay = Replay::read(game.file()).expect("it is whole");
        measure(name, &replay);
    }
}

fn measure(name: &str, replay: &Replay) {
    let (mean, worst) = seek_times(replay);
    let moment = (0..TRIES).map(|_| moment_time(replay)).min().unwrap_or_default();
    let verified = shortest(|| _ = verify(replay).expect("it is the same game"));
    let factor = f64::from(replay.ticks()) / 60.0 / verified.as_secs_f64();
    let ms = |time: Duration| format!("{:.1} ms", time.as_secs_f64() * 1000.0);
    let (bytes, factor_text) = (replay.bytes().len(), format!("{factor:.0} × real time"));
    println!("{name:<28}{bytes:>8}{:>14}{:>14}{:>15}{factor_text:>20}", ms(mean), ms(worst), ms(moment));
    assert!(worst < SEEK_MAX, "a seek took {worst:?}");
    assert!(factor >= FACTOR_MIN, "it was verified at {factor:.0} × real time");
}

fn shortest(mut work: impl FnMut()) -> Duration {
    let once = |_| {
        let began = Instant::now();
        work();
        began.elapsed()
    };
    (0..TRIES).map(once).min().unwrap_or_default()
}

/// How long seeks to moments all over the game take, from another block each.
fn seek_times(replay: &Replay) -> (Duration, Duration) {
    let mut reel = Reel::new(replay).expect("it plays");
    let mut seek = |index: u32| {
        let target = index.wrapping_mul(7919) * 97 % replay.ticks();
        shortest(|| {
            // Whoever is there already has not sought it.
            reel.seek(0).expect("it plays");
            reel.seek(target).expect("it plays");
        })
    };
    let times: Vec<Duration> = (0..SEEKS).map(&mut seek).collect();
    let worst = times.iter().max().copied().unwrap_or_default();
    (times.iter().sum::<Duration>() / SEEKS, worst)
}

/// The longest that a picture waits while somebody goes from moment to moment, from the first to the last.
fn moment_time(replay: &Replay) -> Duration {
    let mut playback = Playback::new(replay).expect("it plays");
    let mut worst = Duration::ZERO;
    loop {
        let began = Instant::now();
        let mut is_found = playback.next_moment().expect("it plays");
        worst = worst.max(began.elapsed());
        while playback.is_searching() {
            let began = Instant::now();
            is_found = playback.search_on().expect("it plays");
            worst = worst.max(began.elapsed());
        }
        if !is_found {
            return worst;
        }
    }
}
