//! What becomes of a game: how far the player has come, the tally at its end, and the table in which it has a row.

use game::{GameState, Mode, Rules};
use protocol::{Tally, utc_day};

use super::{Client, Task};
use crate::{draw::scoreboard, tables::Board};

/// How often it is looked at which table the game belongs to: players come and go.
const LOOKS_EVERY_TICKS: u32 = 60;

impl Client {
    /// Days since the first of January 1970, UTC.
    pub(super) fn today(&self) -> u32 {
        utc_day::day_of(self.now)
    }

    pub(super) fn fetch_table(&mut self, board: &Board) {
        self.request(Task::FetchScores, &board.query());
    }

    /// What everybody did.
    pub(super) fn on_tally(&mut self, tally: Tally) {
        self.last_game = Some(tally.game);
        self.tally = Some(tally.clone());
        self.update_board();
        self.expect_recording(&tally);
    }

    /// Once a second, looks which table the game belongs to, and fetches one that is new.
    pub(super) fn follow_board(&mut self) {
        let is_on = self.state_seen == Some(GameState::Running);
        if is_on && self.clock.ticks().is_multiple_of(LOOKS_EVERY_TICKS) {
            self.update_board();
        }
    }

    fn update_board(&mut self) {
        let board = self.current_board();
        if board == self.board {
            return;
        }
        self.board = board;
        if let Some(board) = self.board.clone() {
            self.scores.turn_to(&board, self.today());
            self.fetch_table(&board);
        }
    }

    /// The table of the game that is played or was just played.
    fn current_board(&self) -> Option<Board> {
        let view = self.game_view.as_ref()?;
        let present = scoreboard::player_count(view.newest());
        let players = self.tally.as_ref().map_or(present, |tally| tally.players.len()).clamp(1, game::SEATS) as u8;
        let mode = if view.newest().stage == 0 { Mode::Endless } else { Mode::Campaign };
        // What a dialect does not report is as usual.
        let rules = self.rules.unwrap_or(Rules { mode, ..Rules::default() });
        Board::of(&rules, view.stage_name(), players)
    }

    /// Remembers how far the player has come, for practice.
    pub(super) fn note_checkpoint(&mut self) {
        let Some(view) = self.game_view.as_ref().filter(|view| view.own().is_some()) else { return };
        let Some(checkpoint) = view.checkpoint().filter(|_| view.newest().state == GameState::Running) else { return };
        if self.settings.reached.note(view.stage_name(), checkpoint) {
            let text = self.settings.write();
            self.request(Task::StoreSettings, &text);
        }
    }
}
