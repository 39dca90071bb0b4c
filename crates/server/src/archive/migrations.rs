//! The tables of the archive, and the steps from each version of them to the next.

use anyhow::{Context, ensure};
use rusqlite::Connection;

/// `user_version` counts the steps taken. A released step never changes.
pub(super) const MIGRATIONS: [&str; 8] = [
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
    // Every query finds its rows, and their order, in one of these: none costs more the more games there are.
    "
    DROP INDEX matches_by_score;
    CREATE INDEX matches_by_score ON matches (stage, score DESC, ended, id) WHERE assisted = 0;
    CREATE INDEX matches_by_stage ON matches (stage, id);
",
    "
    ALTER TABLE matches ADD COLUMN private INTEGER NOT NULL DEFAULT 0;  -- 1: nobody may read the lobby's code
",
    "
    ALTER TABLE matches ADD COLUMN pauses INTEGER NOT NULL DEFAULT 0;
    ALTER TABLE matches ADD COLUMN paused_seconds INTEGER NOT NULL DEFAULT 0;
    ALTER TABLE matches ADD COLUMN lives INTEGER;  -- that each player began with; NULL: not recorded
",
    // A board is a table of high scores: mode, day, stage, difficulty and number of players.
    "
    ALTER TABLE matches ADD COLUMN game TEXT;        -- 16 hexadecimal digits; NULL: not recorded
    ALTER TABLE matches ADD COLUMN mode TEXT NOT NULL DEFAULT 'campaign';
    ALTER TABLE matches ADD COLUMN difficulty TEXT NOT NULL DEFAULT 'normal';
    ALTER TABLE matches ADD COLUMN day TEXT;         -- whose daily game it was, such as 2026-11-16
    ALTER TABLE matches ADD COLUMN mutator TEXT;
    ALTER TABLE matches ADD COLUMN board TEXT NOT NULL DEFAULT '';
    ALTER TABLE players ADD COLUMN ship TEXT;        -- NULL: not recorded
    ALTER TABLE players ADD COLUMN rank TEXT;        -- S, A, B, C or D
    ALTER TABLE players ADD COLUMN kills INTEGER NOT NULL DEFAULT 0;
    ALTER TABLE players ADD COLUMN chain INTEGER NOT NULL DEFAULT 0;  -- the longest one
    ALTER TABLE players ADD COLUMN deaths INTEGER NOT NULL DEFAULT 0;
    UPDATE matches SET mode = 'endless' WHERE stage = 'endless';
    UPDATE matches SET board = mode || '//' || stage || '/normal/'
        || MAX(1, MIN(4, (SELECT COUNT(*) FROM players WHERE match = matches.id)));
    DROP INDEX matches_by_score;
    CREATE INDEX matches_by_board ON matches (board, score DESC, ended, id) WHERE assisted = 0;
    CREATE INDEX matches_by_end ON matches (ended);
    CREATE INDEX players_by_name ON players (name);
",
    "
    ALTER TABLE players ADD COLUMN bot TEXT;  -- easy, normal or good; NULL: a person
",
    // The best games of every day are found without a look at each day's table: a board ends with the number of players.
    "
    CREATE INDEX matches_by_day ON matches (substr(board, -1), score DESC, ended, id) WHERE assisted = 0 AND mode = 'daily';
",
];

/// Creates the tables, or updates those of an older version.
pub fn migrate(connection: &mut Connection) -> anyhow::Result<()> {
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

/// Fails unless the tables are those that this program knows.
pub fn check(connection: &Connection) -> anyhow::Result<()> {
    let version: u32 = connection.pragma_query_value(None, "user_version", |row| row.get(0))?;
    ensure!(version == MIGRATIONS.len() as u32, "its tables have version {version}, which cannot be read");
    Ok(())
}
