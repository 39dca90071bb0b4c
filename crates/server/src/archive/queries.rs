//! What readers ask of the archive. Each statement follows an index and stops at its limit, so an answer costs the same
//! however many games there are; a test looks at the plan of every one.

use std::cmp::Reverse;

use game::SEATS;
use rusqlite::{Connection, OptionalExtension, Params, Row, named_params};
use serde::Serialize;

/// The columns that [`read_match`] reads.
macro_rules! columns {
    () => {
        "id, iif(private, NULL, lobby), strftime('%Y-%m-%dT%H:%M:%SZ', ended / 1000, 'unixepoch'), stage, outcome, ticks, score, assisted,
         pauses, paused_seconds, lives, game, mode, difficulty, day, mutator, ended"
    };
}

/// Games that are compared with each other: those of a table, or of every day with this many players.
macro_rules! of_board {
    () => {
        " FROM matches WHERE assisted = 0 AND board = :list"
    };
}
macro_rules! of_days {
    () => {
        " FROM matches WHERE assisted = 0 AND mode = 'daily' AND substr(board, -1) = :list"
    };
}
/// Those that follow a game and have the same score.
macro_rules! equal {
    () => {
        " AND score = :score AND (ended, id) > (:ended, :id) ORDER BY ended, id LIMIT :limit"
    };
}
/// The best of those that have a lower score, but at least the other one.
macro_rules! below {
    () => {
        " AND score < :below AND score >= :floor ORDER BY score DESC, ended, id LIMIT :limit"
    };
}
const BOARD_EQUAL: &str = concat!("SELECT ", columns!(), of_board!(), equal!());
const BOARD_BELOW: &str = concat!("SELECT ", columns!(), of_board!(), below!());
const DAYS_EQUAL: &str = concat!("SELECT ", columns!(), of_days!(), equal!());
const DAYS_BELOW: &str = concat!("SELECT ", columns!(), of_days!(), below!());
const BEST_IDS: &str =
    "SELECT id FROM matches WHERE assisted = 0 AND board = ? AND score >= ? ORDER BY score DESC, ended, id LIMIT ?";
/// Where a game stands among those of its table.
const STANDING: &str = "SELECT score, ended FROM matches WHERE id = ?";
const NEXT_BOARD: &str = "SELECT board FROM matches WHERE assisted = 0 AND board > ? ORDER BY board LIMIT 1";
const NEWEST: &str = concat!("SELECT ", columns!(), " FROM matches WHERE id < :before ORDER BY id DESC LIMIT :limit");
const NEWEST_OF_STAGE: &str =
    concat!("SELECT ", columns!(), " FROM matches WHERE stage = :stage AND id < :before ORDER BY id DESC LIMIT :limit");
const PLAYERS: &str = "SELECT seat, name, dialect, score, ship, rank, kills, chain, deaths, bot
                       FROM players WHERE match = ? ORDER BY place";

/// A game with less is in no table: nobody scores nothing.
const SCORE_MIN: u32 = 1;

/// Every statement of this file.
#[cfg(test)]
pub(super) const ALL: [&str; 10] = [
    BOARD_EQUAL,
    BOARD_BELOW,
    DAYS_EQUAL,
    DAYS_BELOW,
    BEST_IDS,
    STANDING,
    NEXT_BOARD,
    NEWEST,
    NEWEST_OF_STAGE,
    PLAYERS,
];

/// A game, as the API shows it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Match {
    /// Rises from game to game.
    pub id: i64,
    /// The id that its lobby had; none if it was private, because the same people may still be in it.
    pub lobby: Option<String>,
    /// When it ended, in UTC.
    pub ended: String,
    /// The same in milliseconds since 1970: who had a score first comes first.
    #[serde(skip)]
    pub ended_ms: i64,
    /// The name of its stage.
    pub stage: String,
    /// `won`, `lost` or `abandoned`.
    pub outcome: String,
    /// How long it took, 60 a second.
    pub ticks: u32,
    /// The score of all players together.
    pub score: u32,
    /// Whether it was slowed down or made easier. Such a game is not a high score.
    pub assisted: bool,
    /// How often it was paused.
    pub pauses: u32,
    /// For how long in all, in whole seconds.
    pub paused_seconds: u32,
    /// The lives that each player began with; none in old records.
    pub lives: Option<u8>,
    /// The id that was sent with the tally; none in old records.
    pub game: Option<String>,
    /// Where its recording is, if there is one. The archive does not know that: whoever answers adds it.
    pub replay: Option<String>,
    /// `campaign`, `endless` or `daily`.
    pub mode: String,
    /// `easy`, `normal` or `hard`.
    pub difficulty: String,
    /// Whose daily game it was.
    pub day: Option<String>,
    /// What was different on that day.
    pub mutator: Option<String>,
    /// Those who were there at the end by seat, then those who had left.
    pub players: Vec<MatchPlayer>,
}

/// A player of a recorded game.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct MatchPlayer {
    /// 0 to 3.
    pub seat: u8,
    /// Empty if the dialect has no names, and for a bot.
    pub name: String,
    /// The name of their dialect; `bot` for a bot of the node.
    pub dialect: String,
    /// How well a bot played: `easy`, `normal` or `good`; none for a person.
    pub bot: Option<String>,
    /// Their own share of the score.
    pub score: u32,
    /// The ship that they flew last; none in old records.
    pub ship: Option<String>,
    /// `S`, `A`, `B`, `C` or `D`; none for those who left earlier.
    pub rank: Option<String>,
    /// Enemies that they shot down.
    pub kills: u32,
    /// Links of their longest chain.
    pub chain: u32,
    /// Ships that they lost.
    pub deaths: u32,
}

/// A table of high scores: what its games have in common. Games of different tables are not compared.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Board<'a> {
    /// `campaign`, `endless` or `daily`.
    pub mode: &'a str,
    /// Whose daily game; empty for any other.
    pub day: &'a str,
    /// The name of the stage.
    pub stage: &'a str,
    /// `easy`, `normal` or `hard`.
    pub difficulty: &'a str,
    /// How many played.
    pub players: u8,
}

impl Board<'_> {
    /// Of any day.
    fn of_day(players: u8) -> Board<'static> {
        Board { mode: "daily", day: "", stage: "endless", difficulty: "normal", players }
    }

    /// As it is in the archive. A stage's name has no slash.
    pub fn key(&self) -> String {
        let Board { mode, day, stage, difficulty, players } = self;
        format!("{mode}/{day}/{stage}/{difficulty}/{players}")
    }

    fn read(key: &str) -> Option<Board<'_>> {
        let mut parts = key.split('/');
        let board = Board {
            mode: parts.next()?,
            day: parts.next()?,
            stage: parts.next()?,
            difficulty: parts.next()?,
            players: parts.next()?.parse().ok()?,
        };
        parts.next().is_none().then_some(board)
    }
}

/// Which games to return. Everything that is given must hold.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Query {
    /// Only games of this mode.
    pub mode: Option<String>,
    /// Only games of this stage.
    pub stage: Option<String>,
    /// Only games of this difficulty.
    pub difficulty: Option<String>,
    /// Only games with this many players.
    pub players: Option<u8>,
    /// Only the daily game of this day.
    pub day: Option<String>,
    /// Only games that come after this one in the list: the next page.
    pub after: Option<i64>,
    /// At most this many.
    pub limit: u32,
}

impl Query {
    /// What an answer is put together from. Daily tables only count if they are asked for.
    fn lists(&self, connection: &Connection) -> rusqlite::Result<Vec<List>> {
        if let Some(board) = self.board() {
            return Ok(vec![List::Board(board)]);
        }
        match (self.mode.as_deref(), self.day.as_deref()) {
            (_, Some(day)) => self.boards(connection, &format!("daily/{day}/")),
            (Some("daily"), None) => Ok(self.days()),
            (Some(mode), None) => self.boards(connection, &format!("{mode}/")),
            (None, None) => {
                let mut lists = self.boards(connection, "campaign/")?;
                lists.extend(self.boards(connection, "endless/")?);
                Ok(lists)
            }
        }
    }

    /// The key of the table, if it can only be one.
    fn board(&self) -> Option<String> {
        let (mode, players) = (self.mode.as_deref()?, self.players?);
        let board = match self.day.as_deref() {
            Some(day) => Board { day, ..Board::of_day(players) },
            None if mode == "daily" => return None,
            None => {
                let (stage, difficulty) = (self.stage.as_deref()?, self.difficulty.as_deref()?);
                Board { mode, day: "", stage, difficulty, players }
            }
        };
        Some(board.key())
    }

    /// The games of every day. Their tables are not gone through one by one: each day adds some.
    fn days(&self) -> Vec<List> {
        let players = (1..=SEATS as u8).filter(|&players| self.holds(&Board::of_day(players)));
        players.map(List::Days).collect()
    }

    /// The tables whose keys begin so and that hold. There are as many as a host has stages, for each difficulty and number of players.
    fn boards(&self, connection: &Connection, prefix: &str) -> rusqlite::Result<Vec<List>> {
        let mut found = Vec::new();
        let mut board = prefix.to_owned();
        while let Some(next) = next_board(connection, &board)?
            && next.starts_with(prefix)
        {
            if Board::read(&next).is_some_and(|it| self.holds(&it)) {
                found.push(List::Board(next.clone()));
            }
            board = next;
        }
        Ok(found)
    }

    fn holds(&self, board: &Board) -> bool {
        let is = |given: &Option<String>, own: &str| given.as_deref().is_none_or(|given| given == own);
        is(&self.mode, board.mode)
            && (board.day.is_empty() || is(&self.day, board.day))
            && is(&self.stage, board.stage)
            && is(&self.difficulty, board.difficulty)
            && self.players.is_none_or(|players| players == board.players)
    }
}

/// Games of which the best are found through one index.
enum List {
    /// A table, by its key.
    Board(String),
    /// The games of every day with this many players.
    Days(u8),
}

/// Where a game stands: what comes after it is worse, or later.
struct Standing {
    score: u32,
    ended_ms: i64,
    id: i64,
}

impl List {
    fn name(&self) -> String {
        match self {
            List::Board(key) => key.clone(),
            List::Days(players) => players.to_string(),
        }
    }

    fn equal(&self) -> &'static str {
        match self {
            List::Board(_) => BOARD_EQUAL,
            List::Days(_) => DAYS_EQUAL,
        }
    }

    fn below(&self) -> &'static str {
        match self {
            List::Board(_) => BOARD_BELOW,
            List::Days(_) => DAYS_BELOW,
        }
    }

    /// Its best games after that one whose score is not below the floor. Two statements, because one that compares all three columns would
    /// walk through every game of an equal score.
    fn best(
        &self,
        connection: &Connection,
        after: Option<&Standing>,
        floor: u32,
        limit: u32,
    ) -> rusqlite::Result<Vec<Match>> {
        let list = self.name();
        let mut games = Vec::new();
        if let Some(Standing { score: score @ SCORE_MIN.., ended_ms, id }) = after {
            let equal = named_params! {":list": list, ":score": score, ":ended": ended_ms, ":id": id, ":limit": limit};
            games = rows(connection, self.equal(), equal)?;
        }
        let room = limit.saturating_sub(games.len() as u32);
        let below = after.map_or(i64::MAX, |standing| standing.score.into());
        let below = named_params! {":list": list, ":below": below, ":floor": floor.max(SCORE_MIN), ":limit": room};
        games.extend(rows(connection, self.below(), below)?);
        Ok(games)
    }
}

/// High scores, the best first, without assisted games and those with no points: of one table, or of all that the query leaves.
pub fn scores(connection: &Connection, query: &Query) -> rusqlite::Result<Vec<Match>> {
    let after = match query.after {
        None => None,
        Some(id) => match standing(connection, id)? {
            None => return Ok(Vec::new()),
            standing => standing,
        },
    };
    let mut games: Vec<Match> = Vec::new();
    for list in query.lists(connection)? {
        // Once there are enough, only what is as good as the last is read.
        let floor = if games.len() < query.limit as usize { 0 } else { games.last().map_or(0, |last| last.score) };
        let best = list.best(connection, after.as_ref(), floor, query.limit)?;
        if !best.is_empty() {
            games.extend(best);
            games.sort_by_key(|game| (Reverse(game.score), game.ended_ms, game.id));
            games.truncate(query.limit as usize);
        }
    }
    with_players(connection, games)
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

/// The ids of the best games of every table: this many of each, and a tenth of that of each day.
pub fn best_ids(connection: &Connection, limit: u32) -> rusqlite::Result<Vec<i64>> {
    let mut ids = Vec::new();
    let mut board = String::new();
    while let Some(next) = next_board(connection, &board)? {
        let limit = if next.starts_with("daily/") { limit / 10 } else { limit };
        let mut statement = connection.prepare_cached(BEST_IDS)?;
        for id in statement.query_map((&next, SCORE_MIN, limit), |row| row.get(0))? {
            ids.push(id?);
        }
        board = next;
    }
    Ok(ids)
}

fn standing(connection: &Connection, id: i64) -> rusqlite::Result<Option<Standing>> {
    let mut statement = connection.prepare_cached(STANDING)?;
    statement.query_row([id], |row| Ok(Standing { score: row.get(0)?, ended_ms: row.get(1)?, id })).optional()
}

/// The first table after this one, by key, that has a high score.
fn next_board(connection: &Connection, after: &str) -> rusqlite::Result<Option<String>> {
    connection.prepare_cached(NEXT_BOARD)?.query_row([after], |row| row.get(0)).optional()
}

fn select(connection: &Connection, sql: &str, values: impl Params) -> rusqlite::Result<Vec<Match>> {
    with_players(connection, rows(connection, sql, values)?)
}

/// Games, without their players.
fn rows(connection: &Connection, sql: &str, values: impl Params) -> rusqlite::Result<Vec<Match>> {
    let mut statement = connection.prepare_cached(sql)?;
    statement.query_map(values, read_match)?.collect()
}

fn with_players(connection: &Connection, mut games: Vec<Match>) -> rusqlite::Result<Vec<Match>> {
    for game in &mut games {
        game.players = players(connection, game.id)?;
    }
    Ok(games)
}

fn players(connection: &Connection, id: i64) -> rusqlite::Result<Vec<MatchPlayer>> {
    note_read();
    let mut statement = connection.prepare_cached(PLAYERS)?;
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
            bot: row.get(9)?,
        })
    })?;
    rows.collect()
}

/// Games and lists of players that were read on this thread. For tests, which look at what an answer costs.
#[cfg(test)]
pub(super) fn rows_read() -> usize {
    ROWS_READ.get()
}

#[cfg(test)]
thread_local!(static ROWS_READ: std::cell::Cell<usize> = const { std::cell::Cell::new(0) });

fn note_read() {
    #[cfg(test)]
    ROWS_READ.set(ROWS_READ.get() + 1);
}

fn read_match(row: &Row) -> rusqlite::Result<Match> {
    note_read();
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
        game: row.get(11)?,
        mode: row.get(12)?,
        difficulty: row.get(13)?,
        day: row.get(14)?,
        replay: None,
        mutator: row.get(15)?,
        ended_ms: row.get(16)?,
        players: Vec::new(),
    })
}
