//! Tables of high scores: which one a game belongs to, and those that were fetched. Games of different tables are not compared.

use std::collections::VecDeque;

use game::{Difficulty, Mode, Rules};
use protocol::utc_day;

/// The most tables that are kept.
const KEPT_MAX: usize = 32;

/// A table of high scores: what its games have in common.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Board {
    pub contest: Contest,
    /// How many played, 1 to 4.
    pub players: u8,
}

/// What was played for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Contest {
    /// A stage of the campaign.
    Stage {
        name: String,
        difficulty: Difficulty,
    },
    Endless(Difficulty),
    /// The game of a day, counted from the first of January 1970.
    Daily(u32),
}

/// A line of a table of high scores.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Score {
    /// The players of the game; the shell joins their names.
    pub name: String,
    /// The score of the game.
    pub points: u32,
    /// The letters of the ranks that the players earned, as far as they are known.
    pub ranks: String,
    /// The id of the game, if the server says it.
    pub game: Option<String>,
    /// Whether the server has a recording of it.
    pub is_recorded: bool,
}

/// What came when a table was fetched.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Table {
    /// The best games, the best first.
    Scores(Vec<Score>),
    /// The server did not give it.
    Unavailable,
}

/// The tables that were fetched, the newest last.
#[derive(Clone, Debug, Default)]
pub struct Tables(VecDeque<(String, Table)>);

impl Board {
    /// The table of a game; none in practice.
    pub fn of(rules: &Rules, stage: &str, players: u8) -> Option<Board> {
        let difficulty = rules.difficulty;
        let contest = match rules.mode {
            Mode::Campaign => Contest::Stage { name: stage.into(), difficulty },
            Mode::Endless => Contest::Endless(difficulty),
            Mode::Daily(daily) => Contest::Daily(daily.day),
            Mode::Practice(_) => return None,
        };
        Some(Board { contest, players })
    }

    /// The query of `/api/scores` for it.
    pub fn query(&self) -> String {
        let players = self.players;
        let stage = |mode: &str, stage: &str, difficulty: Difficulty| {
            format!("mode={mode}&stage={}&difficulty={}&players={players}", escaped(stage), difficulty.name())
        };
        match &self.contest {
            Contest::Stage { name, difficulty } => stage("campaign", name, *difficulty),
            Contest::Endless(difficulty) => stage("endless", "endless", *difficulty),
            Contest::Daily(day) => format!("mode=daily&day={}&players={players}", utc_day::date_of(*day)),
        }
    }
}

impl Table {
    /// The best game in it.
    pub fn best(&self) -> Option<&Score> {
        match self {
            Table::Scores(scores) => scores.first(),
            Table::Unavailable => None,
        }
    }
}

impl Tables {
    /// A table came, or the server did not give it.
    pub fn receive(&mut self, query: &str, table: Table) {
        self.0.retain(|(known, _)| known != query);
        if self.0.len() == KEPT_MAX {
            self.0.pop_front();
        }
        self.0.push_back((query.into(), table));
    }

    /// A table, if it was fetched.
    pub fn of(&self, board: &Board) -> Option<&Table> {
        let query = board.query();
        self.0.iter().find(|(known, _)| *known == query).map(|(_, table)| table)
    }

    /// The game of that id if there is a recording of it, or the best one of a table of which there is.
    pub fn recorded(&self, board: &Board, game: Option<&str>) -> Option<String> {
        let Some(Table::Scores(scores)) = self.of(board) else { return None };
        let is_wanted = |score: &&Score| score.is_recorded && (game.is_none() || score.game.as_deref() == game);
        scores.iter().find(is_wanted)?.game.clone()
    }

    /// The best score of a table, if it is known.
    pub fn best(&self, board: &Board) -> Option<u32> {
        self.of(board)?.best().map(|score| score.points)
    }
}

/// A text as a part of a query.
fn escaped(text: &str) -> String {
    text.bytes().fold(String::new(), |mut escaped, byte| {
        if byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.') {
            escaped.push(char::from(byte));
        } else {
            escaped.push_str(&format!("%{byte:02X}"));
        }
        escaped
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_table_has_its_query() {
        let hard = Rules::of(Difficulty::Hard);
        let query = |rules: Rules, stage: &str| Board::of(&rules, stage, 2).map(|board| board.query());
        assert_eq!(query(hard, "stage1").as_deref(), Some("mode=campaign&stage=stage1&difficulty=hard&players=2"));
        let endless = Rules { mode: Mode::Endless, ..hard };
        assert_eq!(query(endless, "endless").as_deref(), Some("mode=endless&stage=endless&difficulty=hard&players=2"));
        let daily = Rules::of_day(20_773);
        assert_eq!(query(daily, "endless").as_deref(), Some("mode=daily&day=2026-11-16&players=2"));
        assert_eq!(query(Rules { mode: Mode::Practice(game::Practice::default()), ..hard }, "stage1"), None);
        let odd = query(hard, "a b&c=é").expect("a table");
        assert!(odd.contains("stage=a%20b%26c%3D%C3%A9&"), "{odd}");
    }

    #[test]
    fn a_table_is_found_until_there_are_too_many_newer_ones() {
        let board = |players| Board { contest: Contest::Endless(Difficulty::Easy), players };
        let table = |points| {
            Table::Scores(vec![Score { name: "Ann".into(), points, ranks: "A".into(), game: None, is_recorded: false }])
        };
        let mut tables = Tables::default();
        tables.receive(&board(1).query(), table(10));
        tables.receive(&board(1).query(), table(20));
        assert_eq!((tables.best(&board(1)), tables.best(&board(2)), tables.0.len()), (Some(20), None, 1));
        (0..KEPT_MAX).for_each(|number| tables.receive(&number.to_string(), Table::Unavailable));
        assert_eq!((tables.of(&board(1)), tables.0.len()), (None, KEPT_MAX));
    }
}
