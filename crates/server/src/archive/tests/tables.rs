//! A table of scores for each mode, stage, difficulty, number of players and day; and players who are taken out of them.

use std::{
    thread,
    time::{Duration, Instant},
};

use game::Difficulty;

use super::*;
use crate::archive::{
    Forgotten,
    store::{FORGOTTEN_AT_ONCE, ForgottenNames},
};

/// Games of two tables of the campaign, one of a day, and one of two players.
fn tables() -> Vec<Record> {
    let hard = Rules { mode: Mode::Campaign, ..Rules::of(Difficulty::Hard) };
    let normal = record("NORMAL", "stage1", 100);
    let hard = Record { rules: hard, ..record("HARD", "stage1", 300) };
    let day = Record { rules: Rules::of_day(20_773), ..record("DAY", "endless", 200) };
    let mut two = record("TWO", "stage1", 400);
    let bob = RecordedPlayer { name: "Bob".into(), ..two.players[0].clone() };
    two.players.push(bob);
    vec![normal, hard, day, two]
}

#[test]
fn there_is_a_table_for_each_mode_difficulty_number_of_players_and_day() {
    let mut store = Store::open(&Storage::memory()).expect("a store");
    store.write(&tables()).expect("they are written");
    let lobbies = |query: Query| -> Vec<String> {
        store.scores(&query).expect("read").iter().map(|game| code(game).to_owned()).collect()
    };
    let some = |text: &str| Some(text.to_owned());
    assert_eq!(lobbies(all(10)), ["TWO", "HARD", "NORMAL"], "all but those of a day, by score");
    assert_eq!(lobbies(table("campaign", "stage1", "hard", 1)), ["HARD"]);
    assert_eq!(lobbies(Query { mode: some("campaign"), ..all(10) }), ["TWO", "HARD", "NORMAL"]);
    assert_eq!(lobbies(Query { difficulty: some("hard"), ..all(10) }), ["HARD"]);
    assert_eq!(lobbies(Query { mode: some("campaign"), players: Some(1), ..all(10) }), ["HARD", "NORMAL"]);
    assert_eq!(lobbies(Query { players: Some(2), ..all(10) }), ["TWO"]);
    assert_eq!(lobbies(Query { mode: some("daily"), day: some("2026-11-16"), ..all(10) }), ["DAY"]);
    assert!(lobbies(Query { mode: some("daily"), day: some("2026-11-15"), ..all(10) }).is_empty());
    let day = store.scores(&Query { mode: some("daily"), ..all(1) }).expect("read").remove(0);
    assert_eq!((day.day.as_deref(), day.mutator.is_some()), (Some("2026-11-16"), true));
}

#[test]
fn a_game_with_no_points_is_in_no_table_but_in_the_history() {
    let mut store = Store::open(&Storage::memory()).expect("a store");
    let nothing = |lobby: &str| record(lobby, "stage1", 0);
    store.write(&[nothing("A"), record("POINTS", "stage1", 100), nothing("B")]).expect("they are written");
    store.write(&[record("IDLE", "endless", 0)]).expect("it is written");
    let history = store.matches(&all(10)).expect("read");
    assert_eq!(history.len(), 4);
    let first = history.iter().find(|game| code(game) == "A").map(|game| game.id);
    for query in [all(10), table("campaign", "stage1", "normal", 1), Query { mode: Some("campaign".into()), ..all(1) }]
    {
        let found = store.scores(&query).expect("read");
        assert_eq!(found.iter().map(code).collect::<Vec<_>>(), ["POINTS"], "{query:?}");
        assert!(store.scores(&Query { after: first, ..query }).expect("read").is_empty(), "the next page");
    }
    assert!(store.scores(&table("endless", "endless", "normal", 1)).expect("read").is_empty());
}

#[test]
fn every_table_keeps_its_own_best() {
    let mut store = Store::open(&Storage::memory()).expect("a store");
    store.keep_at_most(0);
    store.write(&tables()).expect("they are written");
    let many: Vec<Record> = (0..600).map(|number| record(&number.to_string(), "endless", 1000 + number)).collect();
    store.write(&many).expect("they are written");
    let campaign = Query { mode: Some("campaign".into()), ..all(10) };
    assert_eq!(store.scores(&campaign).expect("read").len(), 3, "the endless games did not displace them");
}

#[test]
fn a_player_can_be_taken_out_of_all_records() {
    let mut store = Store::open(&Storage::memory()).expect("a store");
    store.write(&tables()).expect("they are written");
    let forgotten = store.forget_player("Ann").expect("it is written");
    assert_eq!((forgotten.games, forgotten.names), (3, 1));
    let left = store.matches(&all(10)).expect("read");
    assert_eq!(left.iter().map(code).collect::<Vec<_>>(), ["TWO"], "Bob's game stays");
    assert_eq!(left[0].players.iter().map(|player| player.name.as_str()).collect::<Vec<_>>(), ["", "Bob"]);
    assert_eq!(store.forget_player("Ann").expect("it is written"), Forgotten::default());
    let forgotten = store.forget_player("Bob").expect("it is written");
    assert_eq!((forgotten.games, forgotten.names), (1, 0), "nobody else in it has a name");
}

#[test]
fn names_in_old_records_are_forgotten_and_their_scores_stay() {
    let folder = Folder::new();
    folder.store().expect("a file").write(&tables()).expect("they are written");
    let names = |store: &Store| -> usize {
        let games = store.matches(&all(10)).expect("read");
        games.iter().flat_map(|game| &game.players).filter(|player| !player.name.is_empty()).count()
    };
    let mut store = folder.store().expect("the file");
    let forgotten = store.forget_some_names(0, 1_700_000_060_000).expect("it is written");
    assert_eq!((forgotten.names, forgotten.are_all), (0, true), "none is so old");
    assert_eq!(names(&store), 5);
    drop(store);
    // All of them ended in 2023.
    let archive = Archive::in_directory(folder.path(), Some(Duration::from_secs(24 * 60 * 60))).expect("an archive");
    assert!(archive.flush(WAIT_MAX));
    let store = folder.store().expect("the file");
    assert_eq!((names(&store), store.matches(&all(10)).expect("read").len()), (0, 4));
}

/// Results wait while names are removed, so it is never done for all at once.
#[test]
fn old_names_are_forgotten_some_at_a_time_from_the_oldest_on() {
    let games: i64 = 2 * FORGOTTEN_AT_ONCE + 1;
    let ended = |number: i64| 1_700_000_060_000 + number;
    let old = |number: i64| {
        let ended = Time::from_micros(ended(number) as u64 * 1000);
        Record { ended, ..record(&format!("OLD{number}"), "stage1", 100) }
    };
    let mut store = Store::open(&Storage::memory()).expect("a store");
    store.keep_at_most(games as u32);
    store.write(&(0..games).map(old).collect::<Vec<_>>()).expect("they are written");
    let mut after = 0;
    for (names, until, are_all) in [
        (FORGOTTEN_AT_ONCE, ended(FORGOTTEN_AT_ONCE - 1), false),
        (FORGOTTEN_AT_ONCE, ended(2 * FORGOTTEN_AT_ONCE - 1), false),
        (1, ended(games), true),
    ] {
        let forgotten = store.forget_some_names(after, ended(games) + 1).expect("it is written");
        assert_eq!(forgotten, ForgottenNames { names: names as usize, until, are_all });
        after = until;
    }
}

#[test]
fn an_archive_forgets_all_old_names_by_and_by() {
    let folder = Folder::new();
    let games: Vec<Record> = (0..2500).map(|number| record(&format!("OLD{number}"), "stage1", 100)).collect();
    let spread = |(number, record): (u64, Record)| Record {
        ended: Time::from_micros(1_700_000_000_000_000 + number * 1000),
        ..record
    };
    folder.store().expect("a file").write(&(0..).zip(games).map(spread).collect::<Vec<_>>()).expect("they are written");
    let _archive = Archive::in_directory(folder.path(), Some(Duration::from_secs(60))).expect("an archive");
    let count = "SELECT count(*) FROM players WHERE name <> ''";
    let named = || folder.store().ok()?.connection().query_row(count, (), |row| row.get::<_, i64>(0)).ok();
    let deadline = Instant::now() + WAIT_MAX;
    while named() != Some(0) {
        assert!(Instant::now() < deadline, "{:?} names are left", named());
        thread::sleep(Duration::from_millis(20));
    }
}
