//! The archive with real files: written, read again, full, broken, locked and repaired.

use std::{
    fs,
    path::{Path, PathBuf},
    time::{Duration, Instant},
};

use game::{Counts, Difficulty, Mode, Rank, Rules, Seat, ShipModel};
use protocol::{Dialect, GameId, Time};
use rusqlite::Connection;
use tempfile::TempDir;

use super::{
    Archive, FILE, Forgotten, Match, Query,
    store::{MIGRATIONS, Storage, Store, unchanging},
};
use crate::core::{Outcome, Record, RecordedPlayer};

/// Far more than anything takes.
const WAIT_MAX: Duration = Duration::from_secs(30);

/// A temporary directory, removed when it is dropped.
struct Folder(TempDir);

impl Folder {
    fn new() -> Folder {
        Folder(TempDir::new().expect("a new folder"))
    }

    fn path(&self) -> &Path {
        self.0.path()
    }

    fn file(&self) -> PathBuf {
        self.path().join(FILE)
    }

    fn store(&self) -> anyhow::Result<Store> {
        Store::open(&Storage::File(self.file()))
    }
}

fn record(lobby: &str, stage: &str, score: u32) -> Record {
    let seat = Seat::ALL[1];
    let counts = Counts { score, kills: 12, chain_max: 7, deaths: 3, steps: 7200 };
    let (ship, rank) = (ShipModel::Wasp, Some(Rank::B));
    let player = RecordedPlayer { seat, name: "Ann".into(), dialect: Dialect::Snapshot, score, ship, rank, counts };
    Record {
        game: GameId(0xabc),
        rules: rules_of(stage),
        lobby: lobby.into(),
        stage: stage.into(),
        outcome: Outcome::Lost,
        began: Time::from_micros(1_700_000_000_000_000),
        ended: Time::from_micros(1_700_000_060_000_000),
        ticks: 3600,
        score,
        is_assisted: false,
        players: vec![player],
    }
}

fn rules_of(stage: &str) -> Rules {
    Rules { mode: if stage == "endless" { Mode::Endless } else { Mode::Campaign }, ..Rules::default() }
}

fn all(limit: u32) -> Query {
    Query { limit, ..Query::default() }
}

fn scores(archive: &Archive) -> Option<Vec<u32>> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().expect("a runtime");
    let found = runtime.block_on(archive.scores(all(10))).ok()?;
    Some(found.into_iter().map(|game| game.score).collect())
}

fn until(what: &str, holds: impl Fn() -> bool) {
    let began = Instant::now();
    while !holds() {
        assert!(began.elapsed() < WAIT_MAX, "{what}");
        std::thread::sleep(Duration::from_millis(20));
    }
}

#[test]
fn a_game_is_read_back_complete() {
    let folder = Folder::new();
    folder.store().expect("a new file").write(&[record("AAAAAA", "endless", 700)]).expect("it is written");
    let found = folder.store().expect("the same file").scores(&all(10)).expect("it can be read");
    assert_eq!(found.len(), 1);
    let game = &found[0];
    assert_eq!((game.lobby.as_str(), game.stage.as_str(), game.outcome.as_str()), ("AAAAAA", "endless", "lost"));
    assert_eq!((game.ticks, game.score, game.ended.as_str()), (3600, 700, "2023-11-14T22:14:20Z"));
    let player = &game.players[0];
    assert_eq!((player.seat, player.name.as_str(), player.dialect.as_str(), player.score), (1, "Ann", "snapshot", 700));
    assert_eq!((player.ship.as_deref(), player.rank.as_deref()), (Some("wasp"), Some("B")));
    assert_eq!((player.kills, player.chain, player.deaths), (12, 7, 3));
    assert_eq!(
        (game.game.as_deref(), game.mode.as_str(), game.difficulty.as_str()),
        (Some("0000000000000abc"), "endless", "normal")
    );
    assert_eq!((&game.day, &game.mutator), (&None, &None));
}

#[test]
fn scores_come_best_first_and_matches_newest_first_page_by_page() {
    let mut store = Store::open(&Storage::Memory).expect("a store");
    let games = [("A", "endless", 5), ("B", "endless", 9), ("C", "endless", 7), ("D", "stage1", 8)];
    store.write(&games.map(|(lobby, stage, score)| record(lobby, stage, score))).expect("they are written");
    let lobbies = |query: Query| -> String {
        store.scores(&query).expect("read").iter().map(|game| game.lobby.as_str()).collect()
    };
    assert_eq!(lobbies(all(3)), "BDC");
    assert_eq!(lobbies(Query { stage: Some("endless".into()), ..all(9) }), "BCA");
    assert_eq!(lobbies(Query { stage: Some("' OR 1=1".into()), ..all(9) }), "");
    let page = store.matches(&all(3)).expect("read");
    assert_eq!(page.iter().map(|game| game.lobby.as_str()).collect::<String>(), "DCB");
    let next = store.matches(&Query { before: Some(page[2].id), ..all(3) }).expect("read");
    assert_eq!(next.iter().map(|game| game.lobby.as_str()).collect::<String>(), "A");
}

#[test]
fn a_game_that_goes_on_after_it_was_abandoned_is_one_game() {
    let mut store = Store::open(&Storage::Memory).expect("a store");
    let abandoned = Record { outcome: Outcome::Abandoned, ..record("AAAAAA", "endless", 100) };
    store.write(&[abandoned, record("AAAAAA", "endless", 900)]).expect("they are written");
    let found = store.matches(&all(10)).expect("read");
    assert_eq!(found.len(), 1);
    assert_eq!((found[0].score, found[0].outcome.as_str(), found[0].players.len()), (900, "lost", 1));
}

#[test]
fn an_assisted_game_is_in_the_history_but_no_high_score() {
    let mut store = Store::open(&Storage::Memory).expect("a store");
    store.keep_at_most(0);
    let assisted = Record { is_assisted: true, ..record("SLOW", "endless", 900) };
    store.write(&[assisted, record("PLAIN", "endless", 100)]).expect("they are written");
    let told = |games: Vec<Match>| -> Vec<(String, bool)> {
        games.into_iter().map(|game| (game.lobby, game.assisted)).collect()
    };
    assert_eq!(told(store.scores(&all(10)).expect("read")), [("PLAIN".into(), false)]);
    let history = told(store.matches(&all(10)).expect("read"));
    assert_eq!(history, [("PLAIN".into(), false)], "an old game that is no high score is deleted");
    let assisted = Record { is_assisted: true, ..record("AGAIN", "endless", 900) };
    store.write(&[assisted]).expect("it is written");
    let history = told(store.matches(&all(10)).expect("read"));
    assert_eq!(history, [("AGAIN".into(), true), ("PLAIN".into(), false)]);
}

#[test]
fn a_file_of_the_first_version_is_updated_and_keeps_its_games() {
    let folder = Folder::new();
    let connection = Connection::open(folder.file()).expect("a file");
    connection.execute_batch(MIGRATIONS[0]).expect("the old tables");
    connection
        .execute_batch(
            "INSERT INTO matches VALUES (1, 'OLD', 1, 2, 'endless', 'lost', 60, 50);
             INSERT INTO players VALUES (1, 0, 0, 'Ann', 'snapshot', 50);
             PRAGMA user_version = 1",
        )
        .expect("an old game");
    drop(connection);
    let mut store = folder.store().expect("it is updated");
    store.write(&[record("NEW", "endless", 40)]).expect("it is written");
    let best = folder.store().expect("once more").scores(&all(10)).expect("read");
    let told: Vec<_> = best.iter().map(|game| (game.lobby.as_str(), game.assisted, game.players.len())).collect();
    assert_eq!(told, [("OLD", false, 1), ("NEW", false, 1)]);
    let (old, player) = (&best[0], &best[0].players[0]);
    assert_eq!((old.mode.as_str(), old.difficulty.as_str(), &old.game, &old.day), ("endless", "normal", &None, &None));
    assert_eq!((&player.ship, &player.rank, player.kills), (&None, &None, 0));
    let table = Query { mode: Some("endless".into()), players: Some(1), ..all(10) };
    assert_eq!(
        folder.store().expect("once more").scores(&table).expect("read").len(),
        2,
        "old games are in their table"
    );
}

#[test]
fn a_file_of_a_later_version_is_left_alone() {
    let folder = Folder::new();
    let connection = Connection::open(folder.file()).expect("a file");
    connection.pragma_update(None, "user_version", 99).expect("it can be set");
    let error = folder.store().err().expect("it is refused").to_string();
    assert!(error.contains("99") && error.contains("later Volley"), "{error}");
}

#[test]
fn results_wait_for_a_file_that_another_program_has_locked() {
    let folder = Folder::new();
    let archive = Archive::in_directory(folder.path(), None).expect("an archive");
    until("it is there", || scores(&archive) == Some(vec![]));
    let other = Connection::open(folder.file()).expect("the same file");
    other.execute_batch("BEGIN EXCLUSIVE").expect("a lock");
    archive.offer(record("AAAAAA", "endless", 700));
    until("the error is counted", || archive.errors() > 0);
    assert!(!archive.flush(WAIT_MAX), "it cannot have been written");
    other.execute_batch("ROLLBACK").expect("no lock");
    until("it is written at last", || scores(&archive) == Some(vec![700]));
}

#[test]
fn a_broken_file_stops_the_archive_until_it_is_moved_away() {
    let folder = Folder::new();
    fs::write(folder.file(), "this is no database ".repeat(500)).expect("a file");
    let archive = Archive::in_directory(folder.path(), None).expect("an archive all the same");
    archive.offer(record("AAAAAA", "endless", 700));
    until("the error is counted", || archive.errors() > 0);
    assert_eq!(scores(&archive), None);
    fs::rename(folder.file(), folder.path().join("broken")).expect("it can be moved");
    until("it is written at last", || scores(&archive) == Some(vec![700]));
}

#[test]
fn a_full_disk_loses_new_games_only() {
    let folder = Folder::new();
    let mut store = folder.store().expect("a store");
    store.write(&[record("AAAAAA", "endless", 700)]).expect("it is written");
    store.limit_pages(1);
    let many: Vec<Record> = (0..2000).map(|number| record(&format!("{number:06}"), "endless", number)).collect();
    let error = format!("{:#}", store.write(&many).expect_err("there is no room"));
    assert!(error.contains("full"), "{error}");
    assert_eq!(store.matches(&all(10)).expect("it can still be read").len(), 1);
    store.limit_pages(1_000_000);
    store.write(&many).expect("there is room again");
    assert_eq!(store.scores(&all(10)).expect("read")[0].score, 1999);
}

#[test]
fn old_games_are_deleted_but_high_scores_stay() {
    let mut store = Store::open(&Storage::Memory).expect("a store");
    store.keep_at_most(10);
    let mut games = vec![record("BEST", "endless", 1_000_000)];
    games.extend((0..600).map(|number| record(&number.to_string(), "endless", number)));
    store.write(&games).expect("they are written");
    let found = store.matches(&all(1000)).expect("read");
    assert!(found.iter().any(|game| game.lobby == "BEST"));
    assert!(found.len() <= 110, "{}", found.len());
}

#[test]
fn a_file_that_is_removed_while_open_is_replaced_by_a_new_one() {
    let folder = Folder::new();
    let archive = Archive::in_directory(folder.path(), None).expect("an archive");
    archive.offer(record("AAAAAA", "endless", 700));
    until("it is written", || scores(&archive) == Some(vec![700]));
    for name in fs::read_dir(folder.path()).expect("the directory") {
        fs::remove_file(name.expect("a name").path()).expect("it can be removed");
    }
    assert_eq!((scores(&archive), archive.errors()), (Some(vec![]), 1));
    archive.offer(record("BBBBBB", "endless", 900));
    assert!(archive.flush(WAIT_MAX));
    let kept = folder.store().expect("a new file").matches(&all(10)).expect("read");
    assert_eq!(kept.iter().map(|game| game.lobby.as_str()).collect::<Vec<_>>(), ["BBBBBB"]);
    fs::remove_dir_all(folder.path()).expect("all of it can be removed");
    archive.offer(record("CCCCCC", "endless", 500));
    assert!(archive.flush(WAIT_MAX));
    assert_eq!(folder.store().expect("a new directory").matches(&all(10)).expect("read").len(), 1);
}

#[test]
fn an_idle_archive_notices_that_its_file_was_removed() {
    let folder = Folder::new();
    let archive = Archive::in_directory(folder.path(), None).expect("an archive");
    until("it is there", || scores(&archive) == Some(vec![]));
    fs::remove_file(folder.file()).expect("it can be removed");
    until("it is there again", || folder.file().exists());
    assert_eq!(archive.errors(), 1);
}

#[test]
fn a_file_that_cannot_be_written_can_be_read_and_reading_creates_none() {
    let folder = Folder::new();
    let odd = folder.path().join("a #1? 100%\u{fc}");
    let mut store = Store::open(&Storage::File(odd.clone())).expect("a store");
    store.write(&[record("AAAAAA", "endless", 700)]).expect("it is written");
    drop(store);
    let read = |connection: &Connection| connection.query_row("SELECT score FROM matches", (), |row| row.get(0));
    let alone = Connection::open(unchanging(&odd)).expect("it can be opened");
    assert_eq!(read(&alone), Ok(700));
    let beside = Store::open_to_read(&odd).expect("it can be opened");
    assert_eq!(beside.scores(&all(10)).expect("it can be read")[0].score, 700);
    assert!(Store::open_to_read(&folder.file()).is_err() && !folder.file().exists());
}

#[test]
fn after_a_flush_one_file_has_everything() {
    let folder = Folder::new();
    let archive = Archive::in_directory(folder.path(), None).expect("an archive");
    archive.offer(record("AAAAAA", "endless", 700));
    assert!(archive.flush(WAIT_MAX));
    let copy = folder.path().join("copy");
    fs::copy(folder.file(), &copy).expect("a copy of the file alone");
    let copied = Store::open(&Storage::File(copy)).expect("it can be opened").matches(&all(10)).expect("read");
    assert_eq!(copied.len(), 1);
    assert_eq!(scores(&archive), Some(vec![700]), "and the archive goes on");
}

#[test]
fn without_a_directory_scores_last_as_long_as_the_process() {
    let archive = Archive::in_memory().expect("an archive");
    archive.offer(record("AAAAAA", "endless", 700));
    assert!(archive.flush(WAIT_MAX));
    assert_eq!(scores(&archive), Some(vec![700]));
    assert_eq!(archive.errors(), 0);
}

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
    let mut store = Store::open(&Storage::Memory).expect("a store");
    store.write(&tables()).expect("they are written");
    let lobbies = |query: Query| -> Vec<String> {
        store.scores(&query).expect("read").into_iter().map(|game| game.lobby).collect()
    };
    let some = |text: &str| Some(text.to_owned());
    assert_eq!(lobbies(all(10)), ["TWO", "HARD", "DAY", "NORMAL"], "all, by score");
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
fn every_table_keeps_its_own_best() {
    let mut store = Store::open(&Storage::Memory).expect("a store");
    store.keep_at_most(0);
    store.write(&tables()).expect("they are written");
    let many: Vec<Record> = (0..600).map(|number| record(&number.to_string(), "endless", 1000 + number)).collect();
    store.write(&many).expect("they are written");
    let campaign = Query { mode: Some("campaign".into()), ..all(10) };
    assert_eq!(store.scores(&campaign).expect("read").len(), 3, "the endless games did not displace them");
}

#[test]
fn a_player_can_be_taken_out_of_all_records() {
    let mut store = Store::open(&Storage::Memory).expect("a store");
    store.write(&tables()).expect("they are written");
    let forgotten = store.forget_player("Ann").expect("it is written");
    assert_eq!((forgotten.games, forgotten.names), (3, 1));
    let left = store.matches(&all(10)).expect("read");
    assert_eq!(left.iter().map(|game| game.lobby.as_str()).collect::<Vec<_>>(), ["TWO"], "Bob's game stays");
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
    assert_eq!(store.forget_names_before(1_700_000_060_000).expect("it is written"), 0, "none is so old");
    assert_eq!(names(&store), 5);
    drop(store);
    // All of them ended in 2023.
    let archive = Archive::in_directory(folder.path(), Some(Duration::from_secs(24 * 60 * 60))).expect("an archive");
    assert!(archive.flush(WAIT_MAX));
    let store = folder.store().expect("the file");
    assert_eq!((names(&store), store.matches(&all(10)).expect("read").len()), (0, 4));
}
