//! A lobby: a game, and who plays it.

use std::{sync::Arc, time::Duration};

use game::{GameState, Rules, SEATS, Seat, Stage, World};
use protocol::{Scene, Time, rfc2020::LobbyId};

use super::{SessionKey, directory::Birth};

/// A lobby that is empty for so long is closed.
pub(super) const EMPTY_MAX: Duration = Duration::from_secs(30);
/// How long the end of a game stays, before the next stage or the next try.
const CURTAIN: Duration = Duration::from_secs(6);

/// A game and who plays it.
pub(super) struct Lobby {
    pub id: LobbyId,
    /// Its place among all lobbies of the node, by age.
    pub number: u64,
    pub world: World,
    pub scene: Scene,
    pub seats: [Option<SessionKey>; SEATS],
    /// Its own UDP port, once somebody asked for it.
    pub port: Option<u16>,
    pub empty_since: Option<Time>,
    /// When the game was won or lost.
    over_since: Option<Time>,
}

impl Lobby {
    /// A waiting lobby.
    pub fn new(now: Time, birth: Birth, rules: Rules) -> Lobby {
        let Birth { id, number, stage, seed } = birth;
        let scene = Scene::new(&stage.name);
        Lobby {
            id,
            number,
            world: World::new(stage, rules, seed),
            scene,
            seats: [None; SEATS],
            port: None,
            empty_since: Some(now),
            over_since: None,
        }
    }

    /// Somebody sits down. Ruling C11: a player of a dialect without lobbies starts a waiting one.
    pub fn take_seat(&mut self, seat: Seat, key: SessionKey, name: &str, has_lobbies: bool) {
        self.seats[seat.index()] = Some(key);
        self.empty_since = None;
        self.world.join(seat);
        self.scene.seat_taken(seat, name);
        if !has_lobbies {
            self.world.start();
        }
    }

    pub fn is_empty(&self) -> bool {
        self.seats.iter().all(Option::is_none)
    }

    /// After a stage the next one, after the last the first again; after a lost game another try.
    pub fn go_on(&mut self, now: Time, stages: &[Arc<Stage>]) {
        let state = self.world.game_state();
        if !matches!(state, GameState::Won | GameState::Lost) {
            self.over_since = None;
            return;
        }
        let since = *self.over_since.get_or_insert(now);
        if now.since(since) < CURTAIN {
            return;
        }
        self.over_since = None;
        match state {
            GameState::Lost => self.world.restart(),
            _ => {
                let next = following(self.world.stage(), stages);
                self.scene.stage_name.clone_from(&next.name);
                self.world.enter(next);
            }
        }
    }
}

fn following(stage: &Arc<Stage>, stages: &[Arc<Stage>]) -> Arc<Stage> {
    let numbered = |number: u8| stages.iter().find(|other| other.number == number).cloned();
    numbered(stage.number.saturating_add(1)).or_else(|| numbered(1)).unwrap_or_else(|| stage.clone())
}
