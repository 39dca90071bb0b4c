//! After a lost game: the next try begins as soon as the player wants it, and waits for one who is alone.

use game::GameState;

use super::Client;
use crate::{game_view::GameView, screens::Screen};

/// Ticks after the end in which a press was meant for the ship.
const UNMEANT_TICKS: u32 = 30;
/// Presses that follow each other within this many ticks are those of somebody who has not stopped firing yet…
const FIRING_TICKS: u32 = 24;
/// …who is given this many ticks to see that the game is over.
const SEEN_TICKS: u32 = 120;
/// Ticks until a player without a name is asked for one: the tally has been seen by then.
const ASKS_NAME_AFTER_TICKS: u32 = 150;
/// Ticks until the lobby waits for a player who is alone: the explosion is over by then.
const WAITS_AFTER_TICKS: u32 = 150;

/// How many ticks, or how much scrolling, a game counts as new.
const FRESH_TICKS: u32 = 120;
const FRESH_SCROLL_PX: u32 = 30;

/// Ticks after the end of a game, or after a name was given, until the server has recorded it.
const RECORDED_TICKS: u32 = 45;

/// Ticks after the end of a game until its recording is finished too.
const REPLAY_TICKS: u32 = 180;

/// A lost game.
#[derive(Clone, Copy, Debug)]
pub(super) struct GameOver {
    /// The tick in which it was lost.
    since: u32,
    /// The tick of the last press that may have been meant for the ship.
    pressed_at: u32,
    /// Whether the player wants the next try.
    is_retried: bool,
    /// When the table is fetched: with this game in it, or again because the player has another name.
    fetches_at: u32,
}

impl GameOver {
    /// Whether a press in this tick is for the next try.
    fn is_meant(&self, tick: u32) -> bool {
        let (seen, paused) = (tick.wrapping_sub(self.since), tick.wrapping_sub(self.pressed_at));
        seen >= SEEN_TICKS || seen >= UNMEANT_TICKS && paused >= FIRING_TICKS
    }
}

impl Client {
    /// The newest Frame shows this state of the game, and the one before it another; it may also be the first one.
    pub(super) fn on_game_state(&mut self, before: Option<GameState>, now: GameState) {
        let began = matches!(before, None | Some(GameState::Waiting | GameState::Lost)) && now == GameState::Running;
        if began {
            self.key_state.begin_game();
            self.begin_teaching(before.is_none() && !self.is_fresh());
        }
        if now == GameState::Running {
            self.tally = None;
            self.begin_ghost(self.is_fresh());
            if let Screen::Game(game) = &mut self.screen {
                game.begin();
            }
        }
        self.ended_at = match now {
            GameState::Won | GameState::Lost => Some(self.clock.ticks()),
            GameState::Waiting | GameState::Running | GameState::TimedOut => None,
        };
        self.game_over = match (now, self.game_over) {
            (GameState::Lost, None) => {
                let since = self.clock.ticks();
                let fetches_at = since.wrapping_add(RECORDED_TICKS);
                Some(GameOver { since, pressed_at: since, is_retried: false, fetches_at })
            }
            (GameState::Lost, over) => over,
            (GameState::Waiting | GameState::Running | GameState::Won | GameState::TimedOut, _) => None,
        };
    }

    /// Whether the game has only just begun: its first Frame may come from a moment later.
    fn is_fresh(&self) -> bool {
        let newest = self.game_view.as_ref().map(GameView::newest);
        // In a lobby that waited for long, ticks have passed already.
        newest.is_none_or(|frame| frame.tick.0 <= FRESH_TICKS || frame.scroll_px <= FRESH_SCROLL_PX)
    }

    /// Asks a player without a name for one, once, after a game that has a place in the table.
    pub(super) fn ask_name(&mut self) {
        let is_time = self.ticks_since_loss() == Some(ASKS_NAME_AFTER_TICKS);
        let has_score = self.game_view.as_ref().is_some_and(|view| view.newest().score > 0 && view.own().is_some());
        let is_unknown = self.settings.name.is_empty() && !self.settings.name_asked && self.connection.has_lobbies();
        if let Screen::Game(game) = &mut self.screen
            && is_time
            && has_score
            && is_unknown
        {
            game.ask_name();
        }
    }

    /// The player has another name: the table will soon have it.
    pub(super) fn fetch_renamed(&mut self) {
        if let Some(over) = &mut self.game_over {
            over.fetches_at = self.clock.ticks().wrapping_add(RECORDED_TICKS);
        }
    }

    /// Fetches the table of the game that was lost, if it is time: when the game is in it, and when there is a recording of it.
    pub(super) fn fetch_result(&mut self) {
        let has_row = self.game_over.is_some_and(|over| over.fetches_at == self.clock.ticks());
        let is_time = has_row || self.ticks_since_loss() == Some(REPLAY_TICKS);
        if let Some(board) = self.board.clone().filter(|_| is_time) {
            self.fetch_table(&board);
        }
    }

    /// Ticks since the game was lost.
    pub(super) fn ticks_since_loss(&self) -> Option<u32> {
        self.game_over.map(|over| self.clock.ticks().wrapping_sub(over.since))
    }

    /// The player wants to play again, or has not noticed yet that the game is over.
    pub(super) fn retry(&mut self) {
        let now = self.clock.ticks();
        let has_seat = self.game_view.as_ref().and_then(GameView::own).is_some();
        let Some(over) = self.game_over.as_mut().filter(|over| has_seat && !over.is_retried) else { return };
        if over.is_meant(now) {
            over.is_retried = true;
            self.connection.start(self.now);
        }
        over.pressed_at = now;
    }

    /// Whether the next try waits for the player.
    pub(super) fn awaits_retry(&self) -> bool {
        let is_over = self.ticks_since_loss().is_some_and(|ticks| ticks >= WAITS_AFTER_TICKS);
        is_over && self.is_alone() && self.game_over.is_some_and(|over| !over.is_retried)
    }
}
