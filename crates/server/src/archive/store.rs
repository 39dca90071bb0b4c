//! Writing to the archive: records in, and the oldest games out when there are too many.

use anyhow::Context;
use rusqlite::{Connection, named_params};

use super::{queries, storage::Storage};
use crate::core::{Record, RecordedPlayer};

/// The name of the file in the data directory.
pub const FILE: &str = "volley.sqlite";
/// Games that are kept. Beyond that the oldest are deleted, except high scores.
const KEPT_ON_DISK: u32 = 1_000_000;
const KEPT_IN_MEMORY: u32 = 10_000;
/// High scores of each stage that are never deleted.
const BEST_KEPT: u32 = 100;
/// Old games are deleted once every so many new ones.
const DELETE_OLD_EVERY: u32 = 500;

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
                                    paused_seconds, lives)
               VALUES (:lobby, :private, :began, :ended, :stage, :outcome, :ticks, :score, :assisted, :pauses,
                       :paused_seconds, :lives)
               ON CONFLICT (lobby, began) DO UPDATE SET
                   ended = excluded.ended, outcome = excluded.outcome, ticks = excluded.ticks, score = excluded.score,
                   assisted = excluded.assisted, pauses = excluded.pauses, paused_seconds = excluded.paused_seconds
               RETURNING id";
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

/// Looks only at the games that are too old and at the best ones, not at all that are kept.
fn delete_old(connection: &Connection, kept: u32) -> rusqlite::Result<()> {
    let best = queries::best_ids(connection, BEST_KEPT)?;
    let best = serde_json::to_string(&best).unwrap_or_default();
    connection.execute(DELETE_OLD, named_params! {":kept": kept, ":best": best}).map(drop)
}

pub(super) const DELETE_OLD: &str = "DELETE FROM matches WHERE id <= (SELECT MAX(id) FROM matches) - :kept
                                     AND id NOT IN (SELECT value FROM json_each(:best))";
