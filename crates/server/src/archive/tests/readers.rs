//! Who reads, and what it costs: nobody makes a record wait, and an answer costs the same however many games there are.

use std::{
    future::{Future, poll_fn},
    ops::Range,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
        mpsc::{SyncSender, sync_channel},
    },
    task::Poll,
    thread::JoinHandle,
};

use rusqlite::{StatementStatus, ToSql};

use super::*;
use crate::archive::{
    queries,
    store::{DELETE_ALONE, DELETE_OLD, LAST_OF_BATCH, REMOVE_NAME, REMOVE_OLD_NAMES},
};

/// What a reader is stuck with in these tests, until they say so.
fn block_reader(archive: &Archive) -> (SyncSender<()>, JoinHandle<Option<usize>>) {
    let (go_on, is_free) = sync_channel(0);
    let (begun, has_begun) = sync_channel(0);
    let readers = archive.readers.clone();
    let stuck = std::thread::spawn(move || {
        let read = readers.ask(move |connection| {
            let mut statement = connection.prepare("SELECT id FROM matches")?;
            let mut rows = statement.query(())?;
            let mut count = usize::from(rows.next()?.is_some());
            let _ = (begun.send(()), is_free.recv());
            while rows.next()?.is_some() {
                count += 1;
            }
            Ok(count)
        });
        runtime().block_on(read).ok()
    });
    has_begun.recv().expect("it reads");
    (go_on, stuck)
}

#[test]
fn a_record_waits_for_no_reader_and_a_flush_does_not_either() {
    let folder = Folder::new();
    for archive in [folder.archive(), Archive::in_memory().expect("an archive")] {
        archive.offer(record("AAAAAA", "endless", 100));
        archive.offer(record("BBBBBB", "endless", 200));
        assert!(archive.flush(WAIT_MAX));
        let (go_on, stuck) = block_reader(&archive);
        for number in 0..300 {
            archive.offer(record(&format!("{number:06}"), "endless", number));
        }
        assert!(archive.flush(WAIT_MAX), "in the middle of a read");
        drop(go_on);
        stuck.join().expect("no panic");
        let all = runtime().block_on(archive.matches(all(1000))).expect("they can be read");
        assert_eq!((all.len(), archive.errors()), (302, 0));
    }
}

#[test]
fn a_reader_sees_the_archive_as_it_was_when_it_began() {
    let folder = Folder::new();
    let archive = folder.archive();
    archive.offer(record("AAAAAA", "endless", 100));
    assert!(archive.flush(WAIT_MAX));
    let (go_on, stuck) = block_reader(&archive);
    archive.offer(record("BBBBBB", "endless", 200));
    assert!(archive.flush(WAIT_MAX));
    drop(go_on);
    assert_eq!(stuck.join().expect("no panic"), Some(1));
    assert_eq!(scores(&archive), Some(vec![200, 100]));
}

#[test]
fn what_nobody_waits_for_any_more_is_not_read() {
    let archive = Archive::in_memory().expect("an archive");
    archive.offer(record("AAAAAA", "endless", 100));
    assert!(archive.flush(WAIT_MAX));
    let (go_on, stuck) = block_reader(&archive);
    let done = Arc::new(AtomicUsize::new(0));
    let read = || {
        let done = Arc::clone(&done);
        archive.readers.ask(move |_| Ok(done.fetch_add(1, Ordering::Relaxed)))
    };
    runtime().block_on(async {
        let mut impatient: Vec<_> = (0..100).map(|_| Box::pin(read())).collect();
        for read in &mut impatient {
            let is_waiting = poll_fn(|context| Poll::Ready(read.as_mut().poll(context).is_pending()));
            assert!(is_waiting.await);
        }
        drop(impatient);
        let patient = read();
        drop(go_on);
        assert_eq!(patient.await, Ok(0), "the first that was read");
    });
    stuck.join().expect("no panic");
}

#[test]
fn every_statement_follows_an_index_in_its_order() {
    let store = Store::open(&Storage::memory()).expect("a store");
    for sql in queries::ALL.into_iter().chain([DELETE_OLD, DELETE_ALONE, REMOVE_NAME, LAST_OF_BATCH, REMOVE_OLD_NAMES])
    {
        let mut statement = store.connection().prepare(&format!("EXPLAIN QUERY PLAN {sql}")).expect("it is right");
        let nothing = vec![None::<u8>; statement.parameter_count()];
        let steps = statement.query_map(rusqlite::params_from_iter(nothing), |row| row.get(3)).expect("a plan");
        for step in steps.map(|step: rusqlite::Result<String>| step.expect("a step")) {
            let is_bounded = !step.contains("SCAN matches") && !step.contains("SCAN players");
            assert!(is_bounded && !step.contains("TEMP B-TREE"), "{step} in {sql}");
        }
    }
}

/// How many steps SQLite takes for each statement about a stage.
fn steps(store: &Store, stage: &str) -> Vec<i32> {
    let steps = |sql: &&str| {
        let mut statement = store.connection().prepare(sql).expect("it is right");
        let is_of_days = sql.contains("substr");
        let list = if is_of_days { "1".into() } else { format!("{stage}//{stage}/normal/1") };
        for (name, value) in
            [(":stage", stage.to_sql()), (":limit", 10.to_sql()), (":score", 7.to_sql()), (":floor", 0.to_sql())]
                .into_iter()
                .chain([(":list", list.to_sql()), (":below", 8.to_sql())])
                .chain([(":ended", 0.to_sql()), (":id", 0.to_sql()), (":before", i64::MAX.to_sql())])
        {
            if let Some(index) = statement.parameter_index(name).expect("a name") {
                statement.raw_bind_parameter(index, value.expect("a value")).expect("it is bound");
            }
        }
        let mut rows = statement.raw_query();
        while rows.next().expect("a row").is_some() {}
        drop(rows);
        statement.get_status(StatementStatus::VmStep)
    };
    queries::ALL.iter().filter(|sql| sql.contains(":limit")).map(steps).collect()
}

/// A table for each day: what is not among the best is not read, and players only of what is shown.
#[test]
fn the_best_of_many_days_are_found_without_reading_all_of_them() {
    let mut store = Store::open(&Storage::memory()).expect("a store");
    store.keep_at_most(u32::MAX);
    let game = |day: u32, number: u32| {
        let score = 1_000_000 - day * 100 - number;
        Record { rules: Rules::of_day(20_000 + day), ..record(&format!("{day:03}{number:03}"), "endless", score) }
    };
    let games: Vec<Record> = (0..100).flat_map(|day| (0..20).map(move |number| game(day, number))).collect();
    store.write(&games).expect("they are written");
    let before = queries::rows_read();
    let best = store.scores(&Query { mode: Some("daily".into()), ..all(20) }).expect("read");
    let read = queries::rows_read() - before;
    assert_eq!(best.iter().map(|game| game.score).collect::<Vec<_>>(), (999_981..=1_000_000).rev().collect::<Vec<_>>());
    assert!(best.iter().all(|game| !game.players.is_empty()));
    assert!(read <= 20 + 20 + 1, "{read}");
}

#[test]
fn an_answer_costs_the_same_however_many_games_there_are() {
    let mut store = Store::open(&Storage::memory()).expect("a store");
    store.keep_at_most(u32::MAX);
    let games = |range: Range<u32>| -> Vec<Record> {
        // Many have the same score, and ended at the same time.
        let game = |number: u32| {
            let game = record(&format!("{number:06}"), "endless", number / 2 % 10);
            if number.is_multiple_of(2) { game } else { Record { rules: Rules::of_day(20_000 + number), ..game } }
        };
        range.map(game).collect()
    };
    store.write(&games(0..1000)).expect("they are written");
    let few = steps(&store, "endless");
    let none = steps(&store, "nowhere");
    store.write(&games(1000..20_000)).expect("they are written");
    let many = steps(&store, "endless");
    assert!(few.len() == 6 && few.iter().all(|steps| *steps > 50), "{few:?}");
    assert_eq!(few, many);
    assert_eq!(none, steps(&store, "nowhere"), "of a stage that nobody played");
}

/// The ids of one page of high scores.
fn page(store: &Store, query: Query) -> Vec<i64> {
    store.scores(&query).expect("they can be read").into_iter().map(|game| game.id).collect()
}

#[test]
fn high_scores_have_pages_without_gaps_or_repetitions() {
    let mut store = Store::open(&Storage::memory()).expect("a store");
    let game = |number: u32| {
        let stage = if number.is_multiple_of(3) { "stage1" } else { "endless" };
        // Within a second, what ended first was not recorded first.
        let ended = Time::from_micros(1_700_000_060_000_000 + u64::from(number * 37 % 50) * 1000);
        let game = Record { ended, ..record(&format!("{number:06}"), stage, 1 + number / 7) };
        if number < 60 { game } else { Record { rules: Rules::of_day(20_000 + number), ..game } }
    };
    store.write(&(0..120).map(game).collect::<Vec<_>>()).expect("they are written");
    let daily = |players| Query { mode: Some("daily".into()), players, ..Query::default() };
    let lists = [
        (table("endless", "endless", "normal", 1), 40),
        (Query::default(), 60),
        (daily(None), 60),
        (daily(Some(1)), 60),
        (daily(Some(2)), 0),
    ];
    for (list, count) in lists {
        let whole = page(&store, Query { limit: 1000, ..list.clone() });
        assert_eq!(whole.len(), count, "{list:?}");
        for limit in [1, 3, 7, 49] {
            let mut pages = page(&store, Query { limit, ..list.clone() });
            while let next @ [_, ..] = &page(&store, Query { after: pages.last().copied(), limit, ..list.clone() })[..]
            {
                pages.extend(next);
            }
            assert_eq!(pages, whole, "{limit} of {list:?}");
        }
        assert_eq!(
            page(&store, Query { after: Some(1_000_000), limit: 10, ..list }),
            [0; 0],
            "of a game that is not there"
        );
    }
}

/// However many days there were, the newest is not forgotten.
#[test]
fn the_best_game_of_the_last_day_is_found_after_thousands_of_days() {
    let mut store = Store::open(&Storage::memory()).expect("a store");
    store.keep_at_most(u32::MAX);
    let game = |day: u32| Record { rules: Rules::of_day(20_000 + day), ..record(&day.to_string(), "endless", day) };
    store.write(&(0..5000).map(game).collect::<Vec<_>>()).expect("they are written");
    let best = store.scores(&Query { mode: Some("daily".into()), ..all(3) }).expect("read");
    assert_eq!(best.iter().map(|game| game.score).collect::<Vec<_>>(), [4999, 4998, 4997]);
    let other =
        |query: Query| store.scores(&Query { mode: Some("daily".into()), limit: 3, ..query }).expect("read").len();
    assert_eq!(other(Query { players: Some(1), ..Query::default() }), 3);
    assert_eq!(other(Query { players: Some(2), ..Query::default() }), 0);
    assert_eq!(other(Query { stage: Some("stage1".into()), ..Query::default() }), 0);
    assert_eq!(other(Query { difficulty: Some("hard".into()), ..Query::default() }), 0);
}

#[test]
fn with_many_stages_an_answer_stays_short_and_none_is_left_out() {
    let mut store = Store::open(&Storage::memory()).expect("a store");
    let games: Vec<Record> =
        (0..3000).map(|number| record(&number.to_string(), &format!("stage {number:04}"), number)).collect();
    store.write(&games).expect("they are written");
    let best = store.scores(&all(100)).expect("they can be read");
    assert_eq!((best.len(), best[0].score), (100, 2999));
}
