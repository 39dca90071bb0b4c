//! How long a seek takes, how fast a game is verified, and how long the search for a moment holds up a picture. The game is the one
//! of ten minutes whose size `tests/format.rs` measures, and one of four good bots.
//!
//! `cargo bench -p replay` prints a table; with `--test` it only checks that the limits hold.

#[path = "../tests/games/mod.rs"]
mod games;

use std::time::{Duration, Instant};

use game::Stage;
use games::RecordedGame;
use replay::{Playback, Reel, Replay, verify};

/// Ten minutes.
const TICKS: u32 = 10 * 60 * 60;
/// Moments that are gone to, spread over the game.
const SEEKS: u32 = 200;
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
    let moment = moment_time(replay);
    let began = Instant::now();
    verify(replay).expect("it is the same game");
    let factor = f64::from(replay.ticks()) / 60.0 / began.elapsed().as_secs_f64();
    let ms = |time: Duration| format!("{:.1} ms", time.as_secs_f64() * 1000.0);
    println!(
        "{name:<28}{:>8}{:>14}{:>14}{:>14}{:>16}",
        replay.bytes().len(),
        ms(mean),
        ms(worst),
        ms(moment),
        format!("{factor:.0} × real time")
    );
    assert!(worst < SEEK_MAX, "a seek took {worst:?}");
    assert!(factor >= FACTOR_MIN, "it was verified at {factor:.0} × real time");
}

/// How long seeks to moments all over the game take, back and forth.
fn seek_times(replay: &Replay) -> (Duration, Duration) {
    let mut reel = Reel::new(replay).expect("it plays");
    let times: Vec<Duration> = (0..SEEKS)
        .map(|index| {
            let target = index.wrapping_mul(7919) * 97 % replay.ticks();
            let began = Instant::now();
            reel.seek(target).expect("it plays");
            began.elapsed()
        })
        .collect();
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
