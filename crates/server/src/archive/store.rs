//! Writing to the archive: records in, and the oldest games out when there are too many.

use anyhow::Context;
use game::{Mode, Mutator, Rank, SEATS, Skill};
use protocol::utc_day::date_of;
use rusqlite::{Connection, OptionalExtension, named_params};

use super::{
    queries::{self, Board},
    storage::Storage,
};
use crate::core::{Record, RecordedPlayer};

/// The name of the file in the data directory.
pub const FILE: &str = "volley.sqlite";
/// Games that are kept. Beyond that the oldest are deleted, except high scores.
const KEPT_ON_DISK: u32 = 1_000_000;
const KEPT_IN_MEMORY: u32 = 10_000;
/// High scores of each table that are never deleted.
const BEST_KEPT: u32 = 100;
/// New games until old ones are deleted again.
const DELETE_OLD_EVERY: u32 = 500;
/// Games whose names are removed in one go: some milliseconds of work.
pub(super) const FORGOTTEN_AT_ONCE: i64 = 1000;

/// What became of the names in old records.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ForgottenNames {
    pub names: usize,
    /// No game that ended up to then has any more.
    pub until: i64,
    /// Whether that was the rest of them.
    pub are_all: bool,
}

/// What became of a player's records.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Forgotten {
    /// Games that nobody else with a name played: they are deleted.
    pub games: usize,
    /// Games of others, in which the player has no name any more.
    pub names: usize,
}

/// An open archive that can be written.
pub struct Store {
    connection: Connection,
    kept: u32,
    since_deletion: u32,
}

impl Store {
    /// Opens the archive, creates it if there is none, and updates the tables of an old one.
    pub fn open(storage: &Storage) -> anyhow::Result<Store> {
        let kept = if storage.file().is_some() { KEPT_ON_DISK } else { KEPT_IN_MEMORY };
        Ok(Store { connection: storage.open()?, kept, since_deletion: DELETE_OLD_EVERY })
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

    /// Takes a player out of all records: games that nobody else with a name played are deleted.
    pub fn forget_player(&mut self, name: &str) -> anyhow::Result<Forgotten> {
        let transaction = self.connection.transaction().context("cannot write")?;
        let games = transaction.execute(DELETE_ALONE, named_params! {":name": name}).context("cannot write")?;
        let names = transaction.execute(REMOVE_NAME, named_params! {":name": name}).context("cannot write")?;
        transaction.commit().context("cannot write")?;
        Ok(Forgotten { games, names })
    }

    /// Removes the names of the players of games that ended after one time and before another, in milliseconds since 1970, from the oldest
    /// on. Not of all at once: results wait meanwhile.
    pub fn forget_some_names(&mut self, after: i64, before: i64) -> anyhow::Result<ForgottenNames> {
        let batch = named_params! {":after": after, ":before": before, ":last": FORGOTTEN_AT_ONCE - 1};
        let last =
            self.connection.query_row(LAST_OF_BATCH, batch, |row| row.get(0)).optional().context("cannot read")?;
        let until = last.unwrap_or(before - 1);
        let games = named_params! {":after": after, ":until": until};
        let names = self.connection.execute(REMOVE_OLD_NAMES, games).context("cannot write")?;
        Ok(ForgottenNames { names, until, are_all: last.is_none() })
    }

    /// Moves the log into the file. What is written is safe either way, and a reader that is still at work may prevent it.
    pub fn empty_log(&self) {
        let _ = self.connection.query_row("PRAGMA wal_checkpoint(TRUNCATE)", (), |_| Ok(()));
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

    pub fn connection(&self) -> &Connection {
        &self.connection
    }

    pub fn scores(&self, query: &queries::Query) -> rusqlite::Result<Vec<queries::Match>> {
        queries::scores(&self.connection, query)
    }

    pub fn matches(&self, query: &queries::Query) -> rusqlite::Result<Vec<queries::Match>> {
        queries::matches(&self.connection, query)
    }
}

/// A game that is recorded again replaces its earlier record.
fn insert(connection: &Connection, record: &Record) -> rusqlite::Result<()> {
    let sql = "INSERT INTO matches (lobby, private, began, ended, stage, outcome, ticks, score, assisted, pauses,
                                    paused_seconds, lives, game, mode, difficulty, day, mutator, board)
               VALUES (:lobby, :private, :began, :ended, :stage, :outcome, :ticks, :score, :assisted, :pauses,
                       :paused_seconds, :lives, :game, :mode, :difficulty, :day, :mutator, :board)
               ON CONFLICT (lobby, began) DO UPDATE SET
                   ended = excluded.ended, outcome = excluded.outcome, ticks = excluded.ticks, score = excluded.score,
                   assisted = excluded.assisted, pauses = excluded.pauses, paused_seconds = excluded.paused_seconds,
                   board = excluded.board
               RETURNING id";
    let rules = &record.rules;
    let day = if let Mode::Daily(daily) = rules.mode { Some(date_of(daily.day)) } else { None };
    let board = Board {
        mode: rules.mode.name(),
        day: day.as_deref().unwrap_or_default(),
        stage: &record.stage,
        difficulty: rules.difficulty.name(),
        players: record.players.len().clamp(1, SEATS) as u8,
    };
    let values = named_params! {
        ":lobby": record.lobby,
        ":private": record.is_private,
        ":began": record.began.micros() as i64 / 1000,
        ":ended": record.ended.micros() as i64 / 1000,
        ":stage": record.stage,
        ":outcome": record.outcome.name(),
        ":ticks": record.ticks,
        ":score": record.score,
        ":assisted": record.is_assisted,
        ":pauses": record.pauses,
        ":paused_seconds": record.paused_seconds,
        ":lives": record.lives,
        ":game": record.game.to_string(),
        ":mode": board.mode,
        ":difficulty": board.difficulty,
        ":day": day,
        ":mutator": rules.mutator().map(Mutator::name),
        ":board": board.key(),
    };
    let id: i64 = connection.prepare_cached(sql)?.query_row(values, |row| row.get(0))?;
    connection.prepare_cached("DELETE FROM players WHERE match = ?")?.execute([id])?;
    for (place, player) in record.players.iter().enumerate() {
        insert_player(connection, id, place, player)?;
    }
    Ok(())
}

fn insert_player(connection: &Connection, id: i64, place: usize, player: &RecordedPlayer) -> rusqlite::Result<()> {
    let sql = "INSERT INTO players (match, place, seat, name, dialect, score, ship, rank, kills, chain, deaths, bot)
               VALUES (:match, :place, :seat, :name, :dialect, :score, :ship, :rank, :kills, :chain, :deaths, :bot)";
    let values = named_params! {
        ":match": id,
        ":place": place as i64,
        ":seat": player.seat.number(),
        ":name": player.name,
        ":dialect": player.kind.name(),
        ":score": player.score,
        ":ship": player.ship.name(),
        ":rank": player.rank.map(Rank::letter),
        ":kills": player.counts.kills,
        ":chain": player.counts.chain_max,
        ":deaths": player.counts.deaths,
        ":bot": player.kind.bot().map(Skill::name),
    };
    connection.prepare_cached(sql)?.execute(values).map(drop)
}

/// Looks only at the games that are too old and at the best ones, not at all that are kept.
fn delete_old(connection: &Connection, kept: u32) -> rusqlite::Result<()> {
    let best = queries::best_ids(connection, BEST_KEPT)?;
    let best = serde_json::to_string(&best).unwrap_or_default();
    connection.execute(DELETE_OLD, named_params! {":kept": kept, ":best": best}).map(drop)
}

pub(super) const DELETE_OLD: &str = "DELETE FROM matches WHERE id <= (SELECT MAX(id) FROM matches) - :kept
                                     AND id NOT IN (SELECT value FROM json_each(:best))";
pub(super) const DELETE_ALONE: &str = "DELETE FROM matches WHERE id IN (SELECT match FROM players WHERE name = :name)
     AND NOT EXISTS (SELECT 1 FROM players WHERE match = matches.id AND name NOT IN (:name, ''))";
pub(super) const REMOVE_NAME: &str = "UPDATE players SET name = '' WHERE name = :name";
pub(super) const LAST_OF_BATCH: &str =
    "SELECT ended FROM matches WHERE ended > :after AND ended < :before ORDER BY ended LIMIT 1 OFFSET :last";
pub(super) const REMOVE_OLD_NAMES: &str = "UPDATE players SET name = ''
     WHERE match IN (SELECT id FROM matches WHERE ended > :after AND ended <= :until) AND name <> ''";
