//! What follows a game that is over: the next stage or another try, once its result has been shown.

use std::{sync::Arc, time::Duration};

use game::{GameState, Stage};
use protocol::Time;

use super::Lobby;

/// How long the result of a game is shown, before the next stage or the next try.
const RESULT_SHOWN_FOR: Duration = Duration::from_secs(6);

/// Which stage is played next, and when.
pub(super) struct NextGame {
    /// The stages that follow each other.
    stages: Arc<[Arc<Stage>]>,
    /// When the game was won or lost.
    over_since: Option<Time>,
}

impl NextGame {
    pub fn new(stages: Arc<[Arc<Stage>]>) -> NextGame {
        NextGame { stages, over_since: None }
    }

    pub fn over_since(&self) -> Option<Time> {
        self.over_since
    }

    /// The game was over when its lobby was saved: its result is shown from now on.
    pub fn show_result_again(&mut self, now: Time) {
        self.over_since = Some(now);
    }

    /// Whether the result of a game that is over has been shown long enough.
    fn is_due(&mut self, now: Time, is_over: bool) -> bool {
        if !is_over {
            self.over_since = None;
            return false;
        }
        now.since(*self.over_since.get_or_insert(now)) >= RESULT_SHOWN_FOR
    }

    pub fn stage_after(&self, stage: &Arc<Stage>) -> Arc<Stage> {
        Stage::following(stage, &self.stages)
    }
}

impl Lobby {
    /// A game that is over is followed by the next one once its result has been shown.
    pub(super) fn follow_up(&mut self, now: Time) {
        let is_over = self.is_over();
        if self.next_game.is_due(now, is_over) {
            self.begin_next();
        }
    }

    pub(super) fn is_over(&self) -> bool {
        matches!(self.world.game_state(), GameState::Won | GameState::Lost)
    }

    /// A player wants the game to start, or after a lost one the next try, without waiting for the result to have been shown.
    pub(super) fn start(&mut self, now: Time) {
        if self.start_remotely(now) {
            return;
        }
        if self.world.game_state() == GameState::Lost {
            self.begin_next();
        } else {
            self.world.start();
        }
    }

    /// After a stage the next one, after the last the first again; after a lost game another try, and in practice always.
    pub(super) fn begin_next(&mut self) {
        self.next_game.over_since = None;
        if self.world.game_state() == GameState::Lost || !self.world.rules().is_scored() {
            return self.world.restart();
        }
        let next = self.next_game.stage_after(self.world.stage());
        self.scene.stage_name.clone_from(&next.name);
        self.world.enter(next);
    }
}
