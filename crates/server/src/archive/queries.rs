//! What readers ask of the archive. Each statement follows an index and stops at its limit, so an answer costs the same
//! however many games there are; a test looks at the plan of every one.

use rusqlite::{Connection, OptionalExtension, Params, Row, named_params};
use serde::Serialize;

/// Games in one answer, however many stages there are.
const GAMES_MAX: u32 = 1000;

/// The columns that [`read_match`] reads.
macro_rules! columns {
    () => {
        "id, iif(private, NULL, lobby), strftime('%Y-%m-%dT%H:%M:%SZ', ended / 1000, 'unixepoch'), stage, outcome, ticks, score, assisted,
         pauses, paused_seconds, lives"
    };
}

/// The best games of a stage.
const BEST: &str = concat!(
    "SELECT ",
    columns!(),
    " FROM matches WHERE assisted = 0 AND stage = :stage ORDER BY score DESC, ended, id LIMIT :limit"
);
/// Those that follow a game and have the same score.
const BEST_EQUAL: &str = concat!(
    "SELECT ",
    columns!(),
    " FROM matches WHERE assisted = 0 AND stage = :stage AND score = :score AND (ended, id) > (:ended, :id)
     ORDER BY ended, id LIMIT :limit"
);
/// Those that follow a game and have a lower score.
const BEST_BELOW: &str = concat!(
    "SELECT ",
    columns!(),
    " FROM matches WHERE assisted = 0 AND stage = :stage AND score < :score ORDER BY score DESC, ended, id LIMIT :limit"
);
const BEST_IDS: &str = "SELECT id FROM matches WHERE assisted = 0 AND stage = ? ORDER BY score DESC, ended, id LIMIT ?";
/// Where a game stands among those of its stage.
const STANDING: &str = "SELECT score, ended FROM matches WHERE id = ?";
const NEXT_STAGE: &str = "SELECT stage FROM matches WHERE assisted = 0 AND stage > ? ORDER BY stage LIMIT 1";
const NEWEST: &str = concat!("SELECT ", columns!(), " FROM matches WHERE id < :before ORDER BY id DESC LIMIT :limit");
const NEWEST_OF_STAGE: &str =
    concat!("SELECT ", columns!(), " FROM matches WHERE stage = :stage AND id < :before ORDER BY id DESC LIMIT :limit");
const PLAYERS: &str = "SELECT seat, name, dialect, score FROM players WHERE match = ? ORDER BY place";

/// Every statement of this file.
#[cfg(test)]
pub(super) const ALL: [&str; 9] =
    [BEST, BEST_EQUAL, BEST_BELOW, BEST_IDS, STANDING, NEXT_STAGE, NEWEST, NEWEST_OF_STAGE, PLAYERS];

/// A game, as the API shows it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Match {
    /// Rises from game to game.
    pub id: i64,
    /// The id that its lobby had; none if it was private, because the same people may still be in it.
    pub lobby: Option<String>,
    /// When it ended, in UTC.
    pub ended: String,
    /// The name of its stage.
    pub stage: String,
    /// `won`, `lost` or `abandoned`.
    pub outcome: String,
    /// How long it took, 60 a second.
    pub ticks: u32,
    /// The score of all players together.
    pub score: u32,
    /// Whether it was slowed down or made easier. Such a game is no high score.
    pub assisted: bool,
    /// How often it was paused.
    pub pauses: u32,
    /// For how long in all, in whole seconds.
    pub paused_seconds: u32,
    /// The lives that each player began with; none in old records.
    pub lives: Option<u8>,
    /// Those who were there at the end by seat, then those who had left.
    pub players: Vec<MatchPlayer>,
}

/// A player of a recorded game.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct MatchPlayer {
    /// 0 to 3.
    pub seat: u8,
    /// Empty if the dialect has no names.
    pub name: String,
    /// The name of their dialect.
    pub dialect: String,
    /// Their own share of the score.
    pub score: u32,
}

/// Which games to return.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Query {
    /// Only games of this stage.
    pub stage: Option<String>,
    /// Only games that come after this one in the list: the next page. High scores have pages for one stage only.
    pub after: Option<i64>,
    /// At most this many; for high scores, of each stage.
    pub limit: u32,
}

/// High scores, without assisted games: of one stage, or of each, stage by stage.
pub fn scores(connection: &Connection, query: &Query) -> rusqlite::Result<Vec<Match>> {
    if let Some(stage) = &query.stage {
        return match query.after {
            Some(id) => best_after(connection, stage, id, query.limit),
            None => best(connection, stage, query.limit),
        };
    }
    let mut games: Vec<Match> = Vec::new();
    let mut stage = String::new();
    while let room @ 1.. = GAMES_MAX.saturating_sub(games.len() as u32)
        && let Some(next) = next_stage(connection, &stage)?
    {
        games.extend(best(connection, &next, query.limit.min(room))?);
        stage = next;
    }
    Ok(games)
}

/// Games, the newest first.
pub fn matches(connection: &Connection, query: &Query) -> rusqlite::Result<Vec<Match>> {
    let before = query.after.unwrap_or(i64::MAX);
    match &query.stage {
        Some(stage) => {
            let values = named_params! {":stage": stage, ":before": before, ":limit": query.limit};
            select(connection, NEWEST_OF_STAGE, values)
        }
        None => select(connection, NEWEST, named_params! {":before": before, ":limit": query.limit}),
    }
}

/// The ids of the best games of every stage, so many of each.
pub fn best_ids(connection: &Connection, limit: u32) -> rusqlite::Result<Vec<i64>> {
    let mut ids = Vec::new();
    let mut stage = String::new();
    while let Some(next) = next_stage(connection, &stage)? {
        let mut statement = connection.prepare_cached(BEST_IDS)?;
        for id in statement.query_map((&next, limit), |row| row.get(0))? {
            ids.push(id?);
        }
        stage = next;
    }
    Ok(ids)
}

fn best(connection: &Connection, stage: &str, limit: u32) -> rusqlite::Result<Vec<Match>> {
    select(connection, BEST, named_params! {":stage": stage, ":limit": limit})
}

/// Two statements, because one that compares all three columns would walk through every game of an equal score.
fn best_after(connection: &Connection, stage: &str, id: i64, limit: u32) -> rusqlite::Result<Vec<Match>> {
    let mut statement = connection.prepare_cached(STANDING)?;
    let standing = statement.query_row([id], |row| Ok((row.get(0)?, row.get(1)?))).optional()?;
    let Some((score, ended)): Option<(u32, i64)> = standing else { return Ok(Vec::new()) };
    let equal = named_params! {":stage": stage, ":score": score, ":ended": ended, ":id": id, ":limit": limit};
    let mut games = select(connection, BEST_EQUAL, equal)?;
    let room = limit.saturating_sub(games.len() as u32);
    games.extend(select(connection, BEST_BELOW, named_params! {":stage": stage, ":score": score, ":limit": room})?);
    Ok(games)
}

/// The first stage after this one, by name, that has a high score.
fn next_stage(connection: &Connection, after: &str) -> rusqlite::Result<Option<String>> {
    connection.prepare_cached(NEXT_STAGE)?.query_row([after], |row| row.get(0)).optional()
}

fn select(connection: &Connection, sql: &str, values: impl Params) -> rusqlite::Result<Vec<Match>> {
    let mut statement = connection.prepare_cached(sql)?;
    let mut games = statement.query_map(values, read_match)?.collect::<rusqlite::Result<Vec<Match>>>()?;
    for game in &mut games {
        game.players = players(connection, game.id)?;
    }
    Ok(games)
}

fn players(connection: &Connection, id: i64) -> rusqlite::Result<Vec<MatchPlayer>> {
    let mut statement = connection.prepare_cached(PLAYERS)?;
    let rows = statement.query_map([id], |row| {
        Ok(MatchPlayer { seat: row.get(0)?, name: row.get(1)?, dialect: row.get(2)?, score: row.get(3)? })
    })?;
    rows.collect()
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
        pauses: row.get(8)?,
        paused_seconds: row.get(9)?,
        lives: row.get(10)?,
        players: Vec::new(),
    })
}
