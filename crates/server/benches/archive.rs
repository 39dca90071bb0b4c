//! How long an archive of a million games takes to answer, and to write a result while 24 readers ask all the time.
//!
//! `cargo bench -p server --bench archive`, or with another number of games behind `--`. It prints a table.

use std::{
    sync::atomic::{AtomicBool, Ordering},
    thread,
    time::{Duration, Instant},
};

use game::{Counts, Rules, Seat, ShipModel};
use protocol::{Dialect, GameId, PlayerKind, Time};
use server::{
    archive::{Archive, Query},
    core::{Outcome, Record, RecordedPlayer},
};

const GAMES: u32 = 1_000_000;
const STAGES: [&str; 4] = ["endless", "stage1", "stage2", "stage3"];
/// One game of this many is a daily one, of one of that many days.
const DAILY_EVERY: u32 = 5;
const DAYS: u32 = 5_000;
const READERS: usize = 24;
const RUNS: usize = 50;
/// Far more than writing takes.
const PATIENCE: Duration = Duration::from_secs(600);

fn main() {
    let games = std::env::args().filter_map(|argument| argument.parse().ok()).next().unwrap_or(GAMES);
    let folder = tempfile::tempdir().expect("a folder");
    let archive = Archive::in_directory(folder.path(), None).expect("an archive");
    let began = Instant::now();
    fill(&archive, games);
    println!("{games} games written in {:.1} s", began.elapsed().as_secs_f64());
    println!("{:<44} {:>10} {:>10}", "", "median", "worst");
    let newest = Query { limit: 100, ..Query::default() };
    let one = |stage: &str, after| Query { stage: Some(stage.into()), after, limit: 100, ..Query::default() };
    let runtime = runtime();
    let scores = |query: Query| runtime.block_on(archive.scores(query)).expect("an answer").len();
    let matches = |query: Query| runtime.block_on(archive.matches(query)).expect("an answer").len();
    row("scores of every stage", || scores(newest.clone()));
    row("scores of one stage", || scores(one("endless", None)));
    row("scores of one stage, a page in the middle", || scores(one("endless", Some(i64::from(games / 2)))));
    let daily = Query { mode: Some("daily".into()), limit: 100, ..Query::default() };
    row("scores of every daily game", || scores(daily.clone()));
    let middle = Query { after: Some(i64::from(games / 2)), ..daily };
    row("scores of every daily game, in the middle", || scores(middle.clone()));
    row("matches", || matches(newest.clone()));
    row("matches of one stage, a page in the middle", || matches(one("stage2", Some(i64::from(games / 2)))));
    row("matches of a stage that nobody played", || matches(one("nowhere", None)));
    under_readers(&archive, games);
}

/// A result on disk, while readers ask for as much as they may.
fn under_readers(archive: &Archive, games: u32) {
    let is_over = AtomicBool::new(false);
    thread::scope(|scope| {
        for _ in 0..READERS {
            scope.spawn(|| {
                let runtime = runtime();
                while !is_over.load(Ordering::Relaxed) {
                    let _ = runtime.block_on(archive.scores(Query { limit: 100, ..Query::default() }));
                }
            });
        }
        let mut number = games;
        row("a result on disk, under 24 readers", || {
            number += 1;
            archive.offer(record(number));
            assert!(archive.flush(PATIENCE), "it is written");
        });
        is_over.store(true, Ordering::Relaxed);
    });
}

fn fill(archive: &Archive, games: u32) {
    for number in 0..games {
        archive.offer(record(number));
        // The queue is for far fewer games than this.
        if number % 900 == 0 {
            assert!(archive.flush(PATIENCE), "they are written");
        }
    }
    assert!(archive.flush(PATIENCE), "they are written");
    assert_eq!(archive.errors(), 0);
}

fn row<T>(what: &str, run: impl FnMut() -> T) {
    let mut run = run;
    let mut times: Vec<Duration> = (0..RUNS)
        .map(|_| {
            let began = Instant::now();
            run();
            began.elapsed()
        })
        .collect();
    times.sort();
    let ms = |time: Duration| format!("{:.2} ms", time.as_secs_f64() * 1000.0);
    println!("{what:<44} {:>10} {:>10}", ms(times[RUNS / 2]), ms(times[RUNS - 1]));
}

fn runtime() -> tokio::runtime::Runtime {
    tokio::runtime::Builder::new_current_thread().enable_time().build().expect("a runtime")
}

fn record(number: u32) -> Record {
    let score = number.wrapping_mul(2_654_435_761) % 100_000;
    let player = |seat: usize| RecordedPlayer {
        seat: Seat::ALL[seat],
        name: format!("Player {}", number % 5000),
        kind: PlayerKind::Person(Dialect::Snapshot),
        score: score / 2,
        ship: ShipModel::default(),
        rank: None,
        counts: Counts::default(),
    };
    let is_daily = number.is_multiple_of(DAILY_EVERY);
    let stage = if is_daily { STAGES[0] } else { STAGES[number as usize % STAGES.len()] };
    let rules = if is_daily { Rules::of_day(20_000 + number / DAILY_EVERY % DAYS) } else { Rules::default() };
    Record {
        game: GameId(number.into()),
        rules,
        lobby: format!("{number:06}"),
        is_private: false,
        stage: stage.into(),
        outcome: Outcome::Lost,
        began: Time::from_micros(1_700_000_000_000_000 + u64::from(number)),
        ended: Time::from_micros(1_700_000_060_000_000 + u64::from(number)),
        ticks: 3600,
        score,
        is_assisted: number.is_multiple_of(50),
        pauses: 0,
        paused_seconds: 0,
        lives: 3,
        players: vec![player(0), player(1)],
    }
}
