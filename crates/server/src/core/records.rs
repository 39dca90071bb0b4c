//! What is kept of a game: how it ended, who played, and with which score.
//!
//! A game counts when it is won or lost, or when everybody leaves one that has a score. If somebody then takes a seat in
//! the lobby that they left and plays on, the same game is recorded again, and the later record takes the place of the
//! earlier one: `lobby` and `began` name a game.

use game::{GameState, Seat};
use protocol::{Dialect, Time};

use super::{Core, LobbyKey, Outbox, lobby::Lobby};

/// Players who left during a game and are still named in its record, at most.
const GONE_MAX: usize = 12;

/// A game that is over.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Record {
    /// The id of its lobby.
    pub lobby: String,
    /// The name of its stage.
    pub stage: String,
    /// How it ended.
    pub outcome: Outcome,
    /// When it began.
    pub began: Time,
    /// When it ended.
    pub ended: Time,
    /// How long it took, 60 a second.
    pub ticks: u32,
    /// The score of all players together.
    pub score: u32,
    /// Who played: those who were there at the end by seat, then those who had left with a score.
    pub players: Vec<RecordedPlayer>,
}

/// How a game ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// The boss is gone.
    Won,
    /// Everybody is out of lives.
    Lost,
    /// Everybody left.
    Abandoned,
}

impl Outcome {
    /// Its name, in the archive and in the API.
    pub fn name(self) -> &'static str {
        match self {
            Outcome::Won => "won",
            Outcome::Lost => "lost",
            Outcome::Abandoned => "abandoned",
        }
    }
}

/// Somebody who played.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RecordedPlayer {
    /// Where they sat.
    pub seat: Seat,
    /// Their name; empty if the dialect has none.
    pub name: String,
    /// The dialect that they spoke.
    pub dialect: Dialect,
    /// Their own share of the score.
    pub score: u32,
}

/// What a lobby keeps in mind of the game that it plays.
#[derive(Debug, Default)]
pub(super) struct Scorebook(Option<Game>);

#[derive(Debug)]
struct Game {
    began: Time,
    first_tick: u32,
    is_over: bool,
    gone: Vec<RecordedPlayer>,
}

impl Core {
    /// Follows a lobby's game from tick to tick, and records its end.
    pub(super) fn keep_score(&mut self, now: Time, key: LobbyKey, out: &mut dyn Outbox) {
        let Some(lobby) = self.lobbies.get_mut(key.0) else { return };
        let outcome = match (lobby.world.game_state(), &lobby.scorebook.0) {
            (GameState::Running, None | Some(Game { is_over: true, .. })) => return lobby.open_book(now),
            (GameState::Won, Some(Game { is_over: false, .. })) => Outcome::Won,
            (GameState::Lost, Some(Game { is_over: false, .. })) => Outcome::Lost,
            _ => return,
        };
        self.record(now, key, outcome, out);
        if let Some(game) = self.lobbies.get_mut(key.0).and_then(|lobby| lobby.scorebook.0.as_mut()) {
            game.is_over = true;
        }
    }

    /// Records the game of a lobby that everybody has left, if it has a score.
    pub(super) fn record_abandoned(&mut self, now: Time, key: LobbyKey, out: &mut dyn Outbox) {
        let Some(lobby) = self.lobbies.get(key.0) else { return };
        let goes_on = lobby.scorebook.0.as_ref().is_some_and(|game| !game.is_over);
        if goes_on && lobby.scene.frame.score > 0 {
            self.record(now, key, Outcome::Abandoned, out);
        }
    }

    fn record(&mut self, now: Time, key: LobbyKey, outcome: Outcome, out: &mut dyn Outbox) {
        let Some(lobby) = self.lobbies.get(key.0) else { return };
        let Some(game) = &lobby.scorebook.0 else { return };
        let present = Seat::ALL.into_iter().filter_map(|seat| {
            let (dialect, _) = self.who_sits(lobby, seat)?;
            Some(lobby.player(seat, dialect))
        });
        let players = present.chain(game.gone.iter().cloned()).collect();
        out.record(Record {
            lobby: lobby.id.to_string(),
            stage: lobby.world.stage().name.clone(),
            outcome,
            began: game.began,
            ended: now,
            ticks: lobby.world.now().0.saturating_sub(game.first_tick),
            score: lobby.scene.frame.score,
            players,
        });
    }
}

impl Lobby {
    fn open_book(&mut self, now: Time) {
        let first_tick = self.world.now().0;
        self.scorebook.0 = Some(Game { began: now, first_tick, is_over: false, gone: Vec::new() });
    }

    /// Keeps a player who is about to leave in mind, if they have a score. Who comes and goes again is named once.
    pub(super) fn remember(&mut self, seat: Seat, dialect: Dialect) {
        let player = self.player(seat, dialect);
        let Some(game) = self.scorebook.0.as_mut().filter(|game| !game.is_over && player.score > 0) else { return };
        let is_known = |other: &RecordedPlayer| other.name == player.name && other.dialect == player.dialect;
        match game.gone.iter().position(is_known) {
            Some(known) => game.gone[known].score = game.gone[known].score.max(player.score),
            None if game.gone.len() < GONE_MAX => game.gone.push(player),
            None => {}
        }
    }

    fn player(&self, seat: Seat, dialect: Dialect) -> RecordedPlayer {
        let score = self.scene.frame.players[seat.index()].map_or(0, |player| player.score);
        RecordedPlayer { seat, name: self.scene.name(seat).into(), dialect, score }
    }
}
