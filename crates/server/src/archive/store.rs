//! The tables of the archive, their migrations, and the queries.

use std::{
    path::{Path, PathBuf},
    time::Duration,
};

use anyhow::{Context, ensure};
use game::Mode;
use rusqlite::{Connection, MAIN_DB, OpenFlags, Row, Statement, ToSql, named_params};
use serde::Serialize;

use crate::{
    core::{Record, RecordedPlayer},
    utc_day::date_of,
};

/// The name of the file in the data directory.
pub const FILE: &str = "volley.sqlite";
/// How long to wait for a file that another program has locked.
const LOCK_WAIT_MAX: Duration = Duration::from_secs(1);
/// Games that are kept. Beyond that the oldest are deleted, except high scores.
const KEPT_ON_DISK: u32 = 1_000_000;
const KEPT_IN_MEMORY: u32 = 10_000;
/// High scores of each table that are never deleted.
const BEST_KEPT: u32 = 100;
/// Old games are deleted once every so many new ones.
const DELETE_OLD_EVERY: u32 = 500;

/// The steps from each version of the tables to the next. `user_version` counts the steps taken. A released step never
/// changes.
pub(super) const MIGRATIONS: [&str; 3] = [
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
    "
    ALTER TABLE matches ADD COLUMN game TEXT;        -- 16 hexadecimal digits
    ALTER TABLE matches ADD COLUMN mode TEXT NOT NULL DEFAULT 'campaign';
    ALTER TABLE matches ADD COLUMN difficulty TEXT NOT NULL DEFAULT 'normal';
    ALTER TABLE matches ADD COLUMN seats INTEGER NOT NULL DEFAULT 1;  -- how many played, 1 to 4
    ALTER TABLE matches ADD COLUMN day TEXT;         -- whose daily game it was, such as 2026-11-16
    ALTER TABLE matches ADD COLUMN mutator TEXT;
    ALTER TABLE players ADD COLUMN ship TEXT;
    ALTER TABLE players ADD COLUMN rank TEXT;        -- S, A, B, C or D
    ALTER TABLE players ADD COLUMN kills INTEGER NOT NULL DEFAULT 0;
    ALTER TABLE players ADD COLUMN chain INTEGER NOT NULL DEFAULT 0;  -- the longest one
    ALTER TABLE players ADD COLUMN deaths INTEGER NOT NULL DEFAULT 0;
    UPDATE matches SET mode = 'endless' WHERE stage = 'endless';
    UPDATE matches SET seats = MAX(1, MIN(4, (SELECT COUNT(*) FROM players WHERE match = matches.id)));
    DROP INDEX matches_by_score;
    CREATE INDEX matches_by_score ON matches (score DESC, ended, id) WHERE assisted = 0;
    CREATE INDEX matches_by_table ON matches (mode, stage, difficulty, seats, day, score DESC, ended, id)
        WHERE assisted = 0;
    CREATE INDEX matches_by_end ON matches (ended);
    CREATE INDEX players_by_name ON players (name) WHERE name <> '';
",
];

const COLUMNS: &str = "id, lobby, strftime('%Y-%m-%dT%H:%M:%SZ', ended / 1000, 'unixepoch'), stage, outcome, ticks, score, \
     assisted, game, mode, difficulty, day, mutator";
/// How many games one answer has at most.
const ANSWER_MAX: u32 = 1000;

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
    /// The id that was told with the tally; none in records of earlier versions.
    pub game: Option<String>,
    /// `campaign`, `endless` or `daily`.
    pub mode: String,
    /// `easy`, `normal` or `hard`.
    pub difficulty: String,
    /// Whose daily game it was.
    pub day: Option<String>,
    /// What was different on that day.
    pub mutator: Option<String>,
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
    /// The ship that they flew last; none in records of earlier versions.
    pub ship: Option<String>,
    /// `S`, `A`, `B`, `C` or `D`; none for those who left earlier.
    pub rank: Option<String>,
    pub kills: u32,
    /// Links of the longest chain.
    pub chain: u32,
    pub deaths: u32,
}

/// Which games to return. Every filter that is there must hold.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Query {
    pub mode: Option<String>,
    pub stage: Option<String>,
    pub difficulty: Option<String>,
    /// How many played.
    pub players: Option<u8>,
    /// Whose daily game.
    pub day: Option<String>,
    /// Only games with a smaller id: the next page.
    pub before: Option<i64>,
    /// At most this many.
    pub limit: u32,
}

impl Query {
    /// The conditions in SQL, each with its parameter. Only those that are asked for, so that an index serves them.
    fn conditions(&self) -> String {
        let given = [
            (self.mode.is_some(), " AND mode = :mode"),
            (self.stage.is_some(), " AND stage = :stage"),
            (self.difficulty.is_some(), " AND difficulty = :difficulty"),
            (self.players.is_some(), " AND seats = :players"),
            (self.day.is_some(), " AND day = :day"),
            (self.before.is_some(), " AND id < :before"),
        ];
        given.iter().filter(|(is_given, _)| *is_given).map(|(_, condition)| *condition).collect()
    }

    /// The values of the parameters that occur in a statement.
    fn bind(&self, statement: &mut Statement) -> rusqlite::Result<()> {
        let values: [(&str, &dyn ToSql); 7] = [
            (":mode", &self.mode),
            (":stage", &self.stage),
            (":difficulty", &self.difficulty),
            (":players", &self.players),
            (":day", &self.day),
            (":before", &self.before),
            (":limit", &self.limit),
        ];
        for (name, value) in values {
            if let Some(index) = statement.parameter_index(name)? {
                statement.raw_bind_parameter(index, value)?;
            }
        }
        Ok(())
    }
}

/// What became of a player's records.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Forgotten {
    /// Games that nobody else with a name played: they are deleted.
    pub games: usize,
    /// Games of others, in which the player has no name any more.
    pub names: usize,
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

    /// High scores, the best first, without assisted games.
    pub fn scores(&self, query: &Query) -> anyhow::Result<Vec<Match>> {
        let conditions = query.conditions();
        let sql = format!(
            "SELECT {COLUMNS} FROM matches WHERE assisted = 0{conditions}
             ORDER BY score DESC, ended, id LIMIT MIN(:limit, {ANSWER_MAX})"
        );
        self.select(&sql, query)
    }

    /// Takes a player out of all records: games that nobody else with a name played are deleted.
    pub fn forget_player(&mut self, name: &str) -> anyhow::Result<Forgotten> {
        let transaction = self.connection.transaction().context("cannot write")?;
        let alone = "DELETE FROM matches WHERE id IN (SELECT match FROM players WHERE name = :name)
                     AND NOT EXISTS (SELECT 1 FROM players WHERE match = matches.id AND name NOT IN (:name, ''))";
        let games = transaction.execute(alone, named_params! {":name": name}).context("cannot write")?;
        let blank = "UPDATE players SET name = '' WHERE name = :name";
        let names = transaction.execute(blank, named_params! {":name": name}).context("cannot write")?;
        transaction.commit().context("cannot write")?;
        Ok(Forgotten { games, names })
    }

    /// Removes the names of all players of games that ended before a time, in milliseconds since 1970. How many.
    pub fn forget_names_before(&mut self, ended: i64) -> anyhow::Result<usize> {
        let sql = "UPDATE players SET name = ''
                   WHERE name <> '' AND match IN (SELECT id FROM matches WHERE ended < :ended)";
        self.connection.execute(sql, named_params! {":ended": ended}).context("cannot write")
    }

    /// Games, the newest first.
    pub fn matches(&self, query: &Query) -> anyhow::Result<Vec<Match>> {
        let conditions = query.conditions();
        let sql = format!("SELECT {COLUMNS} FROM matches WHERE TRUE{conditions} ORDER BY id DESC LIMIT :limit");
        self.select(&sql, query)
    }

    fn select(&self, sql: &str, query: &Query) -> anyhow::Result<Vec<Match>> {
        let mut statement = self.connection.prepare_cached(sql).context("cannot read")?;
        query.bind(&mut statement).context("cannot read")?;
        let rows = statement.raw_query().mapped(read_match);
        let mut matches = rows.collect::<rusqlite::Result<Vec<Match>>>().context("cannot read")?;
        for found in &mut matches {
            found.players = self.players(found.id).context("cannot read")?;
        }
        Ok(matches)
    }

    fn players(&self, id: i64) -> rusqlite::Result<Vec<MatchPlayer>> {
        let sql = "SELECT seat, name, dialect, score, ship, rank, kills, chain, deaths
                   FROM players WHERE match = ? ORDER BY place";
        let mut statement = self.connection.prepare_cached(sql)?;
        let rows = statement.query_map([id], |row| {
            Ok(MatchPlayer {
                seat: row.get(0)?,
                name: row.get(1)?,
                dialect: row.get(2)?,
                score: row.get(3)?,
                ship: row.get(4)?,
                rank: row.get(5)?,
                kills: row.get(6)?,
                chain: row.get(7)?,
                deaths: row.get(8)?,
            })
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
    let sql =
        "INSERT INTO matches (lobby, began, ended, stage, outcome, ticks, score, assisted, game, mode, difficulty,
                                    seats, day, mutator)
               VALUES (:lobby, :began, :ended, :stage, :outcome, :ticks, :score, :assisted, :game, :mode, :difficulty,
                       :seats, :day, :mutator)
               ON CONFLICT (lobby, began) DO UPDATE SET
                   ended = excluded.ended, outcome = excluded.outcome, ticks = excluded.ticks, score = excluded.score,
                   assisted = excluded.assisted, seats = excluded.seats
               RETURNING id";
    let rules = &record.rules;
    let day = if let Mode::Daily(daily) = rules.mode { Some(date_of(daily.day)) } else { None };
    let values = named_params! {
        ":lobby": record.lobby,
        ":began": record.began.micros() as i64 / 1000,
        ":ended": record.ended.micros() as i64 / 1000,
        ":stage": record.stage,
        ":outcome": record.outcome.name(),
        ":ticks": record.ticks,
        ":score": record.score,
        ":assisted": record.is_assisted,
        ":game": record.game.to_string(),
        ":mode": rules.mode.name(),
        ":difficulty": rules.difficulty.name(),
        ":seats": record.players.len().clamp(1, game::SEATS) as u8,
        ":day": day,
        ":mutator": rules.mutator().map(game::Mutator::name),
    };
    let id: i64 = connection.prepare_cached(sql)?.query_row(values, |row| row.get(0))?;
    connection.prepare_cached("DELETE FROM players WHERE match = ?")?.execute([id])?;
    for (place, player) in record.players.iter().enumerate() {
        insert_player(connection, id, place, player)?;
    }
    Ok(())
}

fn insert_player(connection: &Connection, id: i64, place: usize, player: &RecordedPlayer) -> rusqlite::Result<()> {
    let sql = "INSERT INTO players (match, place, seat, name, dialect, score, ship, rank, kills, chain, deaths)
               VALUES (:match, :place, :seat, :name, :dialect, :score, :ship, :rank, :kills, :chain, :deaths)";
    let values = named_params! {
        ":match": id,
        ":place": place as i64,
        ":seat": player.seat.number(),
        ":name": player.name,
        ":dialect": player.dialect.name(),
        ":score": player.score,
        ":ship": player.ship.name(),
        ":rank": player.rank.map(game::Rank::letter),
        ":kills": player.counts.kills,
        ":chain": player.counts.chain_max,
        ":deaths": player.counts.deaths,
    };
    connection.prepare_cached(sql)?.execute(values).map(drop)
}

fn delete_old(connection: &Connection, kept: u32) -> rusqlite::Result<()> {
    let sql = "DELETE FROM matches WHERE id <= (SELECT MAX(id) FROM matches) - :kept AND id NOT IN (
                   SELECT id FROM (
                       SELECT id, ROW_NUMBER() OVER (
                           PARTITION BY mode, stage, difficulty, seats, day ORDER BY score DESC, ended, id
                       ) AS place
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
        game: row.get(8)?,
        mode: row.get(9)?,
        difficulty: row.get(10)?,
        day: row.get(11)?,
        mutator: row.get(12)?,
        players: Vec::new(),
    })
}
