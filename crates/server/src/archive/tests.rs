//! The archive with real files: written, read again, full, broken, locked and repaired.

mod readers;
mod tables;

use std::{
    fs,
    path::{Path, PathBuf},
    time::{Duration, Instant},
};

use game::{Counts, Mode, Rank, Rules, Seat, ShipModel};
use protocol::{Dialect, GameId, PlayerKind, Time};
use rusqlite::Connection;
use tempfile::TempDir;

use super::{
    Archive, FILE, Match, Query,
    migrations::MIGRATIONS,
    storage::{Storage, unchanging},
    store::Store,
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

    fn archive(&self) -> Archive {
        Archive::in_directory(self.path(), None).expect("an archive")
    }

    fn store(&self) -> anyhow::Result<Store> {
        Store::open(&Storage::File(self.file()))
    }
}

fn record(lobby: &str, stage: &str, score: u32) -> Record {
    let seat = Seat::ALL[1];
    let counts = Counts { score, kills: 12, chain_max: 7, deaths: 3, steps: 7200 };
    let (ship, rank) = (ShipModel::Wasp, Some(Rank::B));
    let player = RecordedPlayer {
        seat,
        name: "Ann".into(),
        kind: PlayerKind::Person(Dialect::Snapshot),
        score,
        ship,
        rank,
        counts,
    };
    let mode = if stage == "endless" { Mode::Endless } else { Mode::Campaign };
    Record {
        game: GameId(0xabc),
        rules: Rules { mode, ..Rules::default() },
        lobby: lobby.into(),
        is_private: false,
        stage: stage.into(),
        outcome: Outcome::Lost,
        began: Time::from_micros(1_700_000_000_000_000),
        ended: Time::from_micros(1_700_000_060_000_000),
        ticks: 3600,
        score,
        is_assisted: false,
        pauses: 1,
        paused_seconds: 9,
        lives: 3,
        players: vec![player],
    }
}

fn table(mode: &str, stage: &str, difficulty: &str, players: u8) -> Query {
    Query {
        mode: Some(mode.into()),
        stage: Some(stage.into()),
        difficulty: Some(difficulty.into()),
        players: Some(players),
        ..all(10)
    }
}

/// The code of its lobby, if it is shown.
fn code(game: &Match) -> &str {
    game.lobby.as_deref().unwrap_or("a secret")
}

fn all(limit: u32) -> Query {
    Query { limit, ..Query::default() }
}

fn scores(archive: &Archive) -> Option<Vec<u32>> {
    let found = runtime().block_on(archive.scores(all(10))).ok()?;
    Some(found.into_iter().map(|game| game.score).collect())
}

fn runtime() -> tokio::runtime::Runtime {
    tokio::runtime::Builder::new_current_thread().enable_time().build().expect("a runtime")
}

fn until(what: &str, holds: impl Fn() -> bool) {
    let began = Instant::now();
    while !holds() {
        assert!(began.elapsed() < WAIT_MAX, "{what}");
        std::thread::sleep(Duration::from_millis(20));
    }
}

#[test]
fn a_bot_is_marked_as_one() {
    let folder = Folder::new();
    let mut game = record("AAAAAA", "endless", 700);
    game.players.push(RecordedPlayer {
        name: String::new(),
        kind: PlayerKind::Bot(game::Skill::Good),
        ..game.players[0].clone()
    });
    folder.store().expect("a new file").write(&[game]).expect("it is written");
    let found = folder.store().expect("the same file").matches(&all(10)).expect("it can be read");
    let bots: Vec<_> = found[0].players.iter().map(|player| (player.dialect.as_str(), player.bot.as_deref())).collect();
    assert_eq!(bots, [("snapshot", None), ("bot", Some("good"))]);
}

#[test]
fn a_game_is_read_back_complete() {
    let folder = Folder::new();
    folder.store().expect("a new file").write(&[record("AAAAAA", "endless", 700)]).expect("it is written");
    let found = folder.store().expect("the same file").scores(&all(10)).expect("it can be read");
    assert_eq!(found.len(), 1);
    let game = &found[0];
    assert_eq!((code(game), game.stage.as_str(), game.outcome.as_str()), ("AAAAAA", "endless", "lost"));
    assert_eq!((game.ticks, game.score, game.ended.as_str()), (3600, 700, "2023-11-14T22:14:20Z"));
    let player = &game.players[0];
    assert_eq!((player.seat, player.name.as_str(), player.dialect.as_str(), player.score), (1, "Ann", "snapshot", 700));
    assert_eq!((player.ship.as_deref(), player.rank.as_deref()), (Some("wasp"), Some("B")));
    assert_eq!((player.kills, player.chain, player.deaths), (12, 7, 3));
    assert_eq!((game.game.as_deref(), game.mode.as_str()), (Some("0000000000000abc"), "endless"));
    assert_eq!((game.difficulty.as_str(), &game.day, &game.mutator), ("normal", &None, &None));
}

#[test]
fn scores_come_best_first_and_matches_newest_first_page_by_page() {
    let mut store = Store::open(&Storage::memory()).expect("a store");
    let games = [("A", "endless", 5), ("B", "endless", 9), ("C", "endless", 7), ("D", "stage1", 8)];
    store.write(&games.map(|(lobby, stage, score)| record(lobby, stage, score))).expect("they are written");
    let lobbies = |query: Query| -> String { store.scores(&query).expect("read").iter().map(code).collect() };
    assert_eq!(lobbies(all(3)), "BDC");
    assert_eq!(lobbies(Query { stage: Some("endless".into()), ..all(9) }), "BCA");
    assert_eq!(lobbies(Query { stage: Some("' OR 1=1".into()), ..all(9) }), "");
    let page = store.matches(&all(3)).expect("read");
    assert_eq!(page.iter().map(code).collect::<String>(), "DCB");
    let next = store.matches(&Query { after: Some(page[2].id), ..all(3) }).expect("read");
    assert_eq!(next.iter().map(code).collect::<String>(), "A");
}

#[test]
fn a_game_that_goes_on_after_it_was_abandoned_is_one_game() {
    let mut store = Store::open(&Storage::memory()).expect("a store");
    let abandoned = Record { outcome: Outcome::Abandoned, ..record("AAAAAA", "endless", 100) };
    store.write(&[abandoned, record("AAAAAA", "endless", 900)]).expect("they are written");
    let found = store.matches(&all(10)).expect("read");
    assert_eq!(found.len(), 1);
    assert_eq!((found[0].score, found[0].outcome.as_str(), found[0].players.len()), (900, "lost", 1));
}

#[test]
fn an_assisted_game_is_in_the_history_but_no_high_score() {
    let mut store = Store::open(&Storage::memory()).expect("a store");
    store.keep_at_most(0);
    let assisted = Record { is_assisted: true, ..record("SLOW", "endless", 900) };
    store.write(&[assisted, record("PLAIN", "endless", 100)]).expect("they are written");
    let told = |games: Vec<Match>| -> Vec<(String, bool)> {
        games.into_iter().map(|game| (code(&game).to_owned(), game.assisted)).collect()
    };
    assert_eq!(told(store.scores(&all(10)).expect("read")), [("PLAIN".into(), false)]);
    let history = told(store.matches(&all(10)).expect("read"));
    assert_eq!(history, [("PLAIN".into(), false)], "an old game that is not a high score is deleted");
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
    let told: Vec<_> = best.iter().map(|game| (code(game), game.assisted, game.players.len())).collect();
    assert_eq!(told, [("OLD", false, 1), ("NEW", false, 1)]);
    let (old, player) = (&best[0], &best[0].players[0]);
    assert_eq!((old.mode.as_str(), old.difficulty.as_str(), &old.game, &old.day), ("endless", "normal", &None, &None));
    assert_eq!((&player.ship, &player.rank, player.kills), (&None, &None, 0));
    let table = table("endless", "endless", "normal", 1);
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
    assert_eq!(scores(&archive), Some(vec![]));
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
    let mut store = Store::open(&Storage::memory()).expect("a store");
    store.keep_at_most(10);
    let mut games = vec![record("BEST", "endless", 1_000_000)];
    games.extend((0..600).map(|number| record(&number.to_string(), "endless", number)));
    store.write(&games).expect("they are written");
    let found = store.matches(&all(1000)).expect("read");
    assert!(found.iter().any(|game| code(game) == "BEST"));
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
    until("there is a new one", || scores(&archive) == Some(vec![]));
    assert_eq!(archive.errors(), 1);
    archive.offer(record("BBBBBB", "endless", 900));
    assert!(archive.flush(WAIT_MAX));
    let kept = folder.store().expect("a new file").matches(&all(10)).expect("read");
    assert_eq!(kept.iter().map(code).collect::<Vec<_>>(), ["BBBBBB"]);
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
    let beside = Storage::File(odd).open_to_read().expect("it can be opened");
    assert_eq!(read(&beside), Ok(700));
    assert!(beside.execute("DELETE FROM matches", ()).is_err());
    assert!(Storage::File(folder.file()).open_to_read().is_err() && !folder.file().exists());
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

#[test]
fn the_code_of_a_private_lobby_is_not_told() {
    let mut store = Store::open(&Storage::memory()).expect("a store");
    let private = Record { is_private: true, ..record("SECRET", "endless", 900) };
    store.write(&[private.clone(), record("PUBLIC", "endless", 100)]).expect("they are written");
    store.write(&[private]).expect("the same game once more");
    for games in [store.scores(&all(10)).expect("read"), store.matches(&all(10)).expect("read")] {
        assert_eq!(games.len(), 2);
        assert!(!serde_json::to_string(&games).expect("JSON").contains("SECRET"), "{games:?}");
        assert!(games.iter().any(|game| code(game) == "PUBLIC"));
    }
}
