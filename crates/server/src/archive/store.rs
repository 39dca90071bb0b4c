//! The tables of the archive, their migrations, and the queries.

use std::{
    path::{Path, PathBuf},
    time::Duration,
};

use anyhow::{Context, ensure};
use rusqlite::{Connection, MAIN_DB, OpenFlags, Row, named_params};
use serde::Serialize;

use crate::core::{Record, RecordedPlayer};

/// The name of the file in the data directory.
pub const FILE: &str = "volley.sqlite";
/// How long to wait for a file that another program has locked.
const LOCK_WAIT_MAX: Duration = Duration::from_secs(1);
/// Games that are kept. Beyond that the oldest are deleted, except high scores.
const KEPT_ON_DISK: u32 = 1_000_000;
const KEPT_IN_MEMORY: u32 = 10_000;
/// High scores of each stage that are never deleted.
const BEST_KEPT: u32 = 100;
/// Old games are deleted once every so many new ones.
const DELETE_OLD_EVERY: u32 = 500;

/// The steps from each version of the tables to the next. `user_version` counts the steps taken. A released step never
/// changes.
pub(super) const MIGRATIONS: [&str; 2] = [
    "
    CREATE TABLE matches (
        id INTEGER PRIMARY KEY,
        lobby TEXT NOT NULL,
        began INTEGER NOT NULL,  -- milliseconds since 1970, UTC
        ended INTEGER NOT NULL,
        stage TEXT NOT NULL,
        outcome TEXT NOT NULL,   -- won, lost or abandoned
        ticks INTEGER NOT NULL,  -- 60 a second
        score INTEGER NOT NULL,
        UNIQUE (lobby, began)
    ) STRICT;
    CREATE INDEX matches_by_score ON matches (stage, score DESC, ended);
    CREATE TABLE players (
        match INTEGER NOT NULL REFERENCES matches (id) ON DELETE CASCADE,
        place INTEGER NOT NULL,
        seat INTEGER NOT NULL,
        name TEXT NOT NULL,
        dialect TEXT NOT NULL,
        score INTEGER NOT NULL,
        PRIMARY KEY (match, place)
    ) STRICT, WITHOUT ROWID;
",
    "
    ALTER TABLE matches ADD COLUMN assisted INTEGER NOT NULL DEFAULT 0;  -- 1: time passed slowly for a while
    DROP INDEX matches_by_score;
    CREATE INDEX matches_by_score ON matches (stage, score DESC, ended) WHERE assisted = 0;
",
];

const COLUMNS: &str = "id, lobby, strftime('%Y-%m-%dT%H:%M:%SZ', ended / 1000, 'unixepoch'), stage, outcome, ticks, score, \
     assisted";

/// Where an archive is.
#[derive(Clone, Debug)]
pub enum Storage {
    File(PathBuf),
    Memory,
}

impl Storage {
    pub fn file(&self) -> Option<&Path> {
        match self {
            Storage::File(path) => Some(path),
            Storage::Memory => None,
        }
    }
}

/// A game, as the API shows it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Match {
    /// Rises from game to game.
    pub id: i64,
    /// The id that its lobby had.
    pub lobby: String,
    /// When it ended, in UTC.
    pub ended: String,
    pub stage: String,
    /// `won`, `lost` or `abandoned`.
    pub outcome: String,
    /// How long it took, 60 a second.
    pub ticks: u32,
    /// The score of all players together.
    pub score: u32,
    /// Whether time was slowed down for a while. Such a game is no high score.
    pub assisted: bool,
    pub players: Vec<MatchPlayer>,
}

/// A player of a recorded game.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct MatchPlayer {
    /// 0 to 3.
    pub seat: u8,
    /// Empty if the dialect has no names.
    pub name: String,
    pub dialect: String,
    /// Their own share of the score.
    pub score: u32,
}

/// Which games to return.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Query {
    /// Only games of this stage.
    pub stage: Option<String>,
    /// Only games with a smaller id: the next page.
    pub before: Option<i64>,
    /// At most this many; for high scores, of each stage.
    pub limit: u32,
}

/// An open archive.
pub struct Store {
    connection: Connection,
    kept: u32,
    since_deletion: u32,
}

impl Store {
    /// Opens the archive, creates it if there is none, and updates the tables of an old one.
    pub fn open(storage: &Storage) -> anyhow::Result<Store> {
        let (mut connection, kept) = match storage {
            Storage::File(path) => {
                let opened = Connection::open(path);
                (opened.with_context(|| format!("cannot open {}", path.display()))?, KEPT_ON_DISK)
            }
            Storage::Memory => (Connection::open_in_memory()?, KEPT_IN_MEMORY),
        };
        connection.busy_timeout(LOCK_WAIT_MAX)?;
        // With a write-ahead log, a program that reads a backup and the writer do not block each other.
        connection.pragma_update(None, "journal_mode", "wal").context("cannot use the file")?;
        connection.pragma_update(None, "synchronous", "normal")?;
        connection.pragma_update(None, "foreign_keys", true)?;
        migrate(&mut connection)?;
        ensure!(!connection.is_readonly(MAIN_DB)?, "the file is read-only");
        Ok(Store { connection, kept, since_deletion: DELETE_OLD_EVERY })
    }

    /// Opens an archive for reading only. If no file can be created beside it either, this shows the archive as it was
    /// last closed.
    pub fn open_to_read(path: &Path) -> anyhow::Result<Store> {
        let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        let with_log = || check(Connection::open_with_flags(path, flags)?);
        let without_log = || check(Connection::open_with_flags(unchanging(path), flags | OpenFlags::SQLITE_OPEN_URI)?);
        let connection = with_log().or_else(|_: anyhow::Error| without_log())?;
        Ok(Store { connection, kept: KEPT_ON_DISK, since_deletion: 0 })
    }

    /// Writes all of these records, or none.
    pub fn write(&mut self, records: &[Record]) -> anyhow::Result<()> {
        if records.is_empty() {
            return Ok(());
        }
        self.since_deletion += records.len() as u32;
        let deletes_old = self.since_deletion >= DELETE_OLD_EVERY;
        let transaction = self.connection.transaction().context("cannot write")?;
        for record in records {
            insert(&transaction, record).context("cannot write")?;
        }
        if deletes_old {
            delete_old(&transaction, self.kept).context("cannot write")?;
        }
        transaction.commit().context("cannot write")?;
        if deletes_old {
            self.since_deletion = 0;
        }
        Ok(())
    }

    /// High scores, without assisted games: of one stage, or of each, stage by stage.
    pub fn scores(&self, query: &Query) -> anyhow::Result<Vec<Match>> {
        let sql = format!(
            "SELECT {COLUMNS} FROM (
                 SELECT *, ROW_NUMBER() OVER (PARTITION BY stage ORDER BY score DESC, ended, id) AS place
                 FROM matches
                 WHERE assisted = 0 AND (:stage IS NULL OR stage = :stage) AND (:before IS NULL OR id < :before)
             ) WHERE place <= :limit ORDER BY stage, place LIMIT 1000"
        );
        self.select(&sql, query)
    }

    /// Games, the newest first.
    pub fn matches(&self, query: &Query) -> anyhow::Result<Vec<Match>> {
        let sql = format!(
            "SELECT {COLUMNS} FROM matches
             WHERE (:stage IS NULL OR stage = :stage) AND (:before IS NULL OR id < :before)
             ORDER BY id DESC LIMIT :limit"
        );
        self.select(&sql, query)
    }

    fn select(&self, sql: &str, query: &Query) -> anyhow::Result<Vec<Match>> {
        let mut statement = self.connection.prepare_cached(sql).context("cannot read")?;
        let values = named_params! {":stage": query.stage, ":before": query.before, ":limit": query.limit};
        let rows = statement.query_map(values, read_match).context("cannot read")?;
        let mut matches = rows.collect::<rusqlite::Result<Vec<Match>>>().context("cannot read")?;
        for found in &mut matches {
            found.players = self.players(found.id).context("cannot read")?;
        }
        Ok(matches)
    }

    fn players(&self, id: i64) -> rusqlite::Result<Vec<MatchPlayer>> {
        let sql = "SELECT seat, name, dialect, score FROM players WHERE match = ? ORDER BY place";
        let mut statement = self.connection.prepare_cached(sql)?;
        let rows = statement.query_map([id], |row| {
            Ok(MatchPlayer { seat: row.get(0)?, name: row.get(1)?, dialect: row.get(2)?, score: row.get(3)? })
        })?;
        rows.collect()
    }
}

#[cfg(test)]
impl Store {
    /// Behaves like a disk with room for this many pages.
    pub fn limit_pages(&self, pages: u32) {
        self.connection.pragma_update(None, "max_page_count", pages).expect("a limit");
    }

    pub fn keep_at_most(&mut self, kept: u32) {
        self.kept = kept;
    }
}

/// Checks that this program knows the tables.
fn check(connection: Connection) -> anyhow::Result<Connection> {
    let version: u32 = connection.pragma_query_value(None, "user_version", |row| row.get(0))?;
    ensure!(version == MIGRATIONS.len() as u32, "its tables have version {version}, which cannot be read");
    Ok(connection)
}

/// SQLite's URI for a file that nobody changes while it is open.
pub(super) fn unchanging(path: &Path) -> String {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"/._-".contains(&byte);
    let letter = |byte: &u8| if plain(*byte) { char::from(*byte).into() } else { format!("%{byte:02x}") };
    let path: String = path.as_os_str().as_encoded_bytes().iter().map(letter).collect();
    format!("file:{path}?immutable=1")
}

fn migrate(connection: &mut Connection) -> anyhow::Result<()> {
    let transaction = connection.transaction()?;
    let version: u32 = transaction.pragma_query_value(None, "user_version", |row| row.get(0)).context("cannot read")?;
    let known = MIGRATIONS.len() as u32;
    ensure!(version <= known, "its tables have version {version}, from a later Volley; this one knows {known}");
    for step in MIGRATIONS.iter().skip(version as usize) {
        transaction.execute_batch(step).context("cannot create the tables")?;
    }
    if version < known {
        transaction.pragma_update(None, "user_version", known)?;
    }
    Ok(transaction.commit()?)
}

/// A game that is recorded again replaces its earlier record.
fn insert(connection: &Connection, record: &Record) -> rusqlite::Result<()> {
    let sql = "INSERT INTO matches (lobby, began, ended, stage, outcome, ticks, score, assisted)
               VALUES (:lobby, :began, :ended, :stage, :outcome, :ticks, :score, :assisted)
               ON CONFLICT (lobby, began) DO UPDATE SET
                   ended = excluded.ended, outcome = excluded.outcome, ticks = excluded.ticks, score = excluded.score,
                   assisted = excluded.assisted
               RETURNING id";
    let values = named_params! {
        ":lobby": record.lobby,
        ":began": record.began.micros() as i64 / 1000,
        ":ended": record.ended.micros() as i64 / 1000,
        ":stage": record.stage,
        ":outcome": record.outcome.name(),
        ":ticks": record.ticks,
        ":score": record.score,
        ":assisted": record.is_assisted,
    };
    let id: i64 = connection.prepare_cached(sql)?.query_row(values, |row| row.get(0))?;
    connection.prepare_cached("DELETE FROM players WHERE match = ?")?.execute([id])?;
    for (place, player) in record.players.iter().enumerate() {
        insert_player(connection, id, place, player)?;
    }
    Ok(())
}

fn insert_player(connection: &Connection, id: i64, place: usize, player: &RecordedPlayer) -> rusqlite::Result<()> {
    let sql = "INSERT INTO players (match, place, seat, name, dialect, score) VALUES (?, ?, ?, ?, ?, ?)";
    let values = (id, place as i64, player.seat.number(), &player.name, player.dialect.name(), player.score);
    connection.prepare_cached(sql)?.execute(values).map(drop)
}

fn delete_old(connection: &Connection, kept: u32) -> rusqlite::Result<()> {
    let sql = "DELETE FROM matches WHERE id <= (SELECT MAX(id) FROM matches) - :kept AND id NOT IN (
                   SELECT id FROM (
                       SELECT id, ROW_NUMBER() OVER (PARTITION BY stage ORDER BY score DESC, ended, id) AS place
                       FROM matches WHERE assisted = 0
                   ) WHERE place <= :best
               )";
    connection.execute(sql, named_params! {":kept": kept, ":best": BEST_KEPT}).map(drop)
}

fn read_match(row: &Row) -> rusqlite::Result<Match> {
    Ok(Match {
        id: row.get(0)?,
        lobby: row.get(1)?,
        ended: row.get(2)?,
        stage: row.get(3)?,
        outcome: row.get(4)?,
        ticks: row.get(5)?,
        score: row.get(6)?,
        assisted: row.get(7)?,
        players: Vec::new(),
    })
}
