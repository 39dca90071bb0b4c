//! What anybody may know about a lobby.

use game::{GameState, Rules, SUBPIXELS, Seat, ShipModel};
use protocol::{Pace, PlayerKind};

use super::{Lobby, LogName, MemberKey};

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LobbyView {
    /// Its place among all lobbies of the node, by age.
    pub number: u64,
    /// Its id, as players type it.
    pub id: String,
    /// The name of its stage.
    pub stage: String,
    /// The rules that it plays by.
    pub rules: Rules,
    pub state: GameState,
    /// The wave of the endless stage, from 1; 0 elsewhere.
    pub wave: u32,
    /// Ticks since it began.
    pub tick: u32,
    /// The score of all players together.
    pub score: u32,
    /// The seat of its host, if it has one.
    pub host: Option<Seat>,
    /// The players, by seat.
    pub players: Vec<PlayerView>,
    /// How many things can be seen.
    pub entities: usize,
    /// Whether it is left out of lists, so that its id must be known to find it.
    pub is_private: bool,
    /// Whether its only player has stopped its time.
    pub is_paused: bool,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlayerView {
    /// 0 to 3.
    pub seat: u8,
    /// Their name; empty if the dialect has none.
    pub name: String,
    /// What they speak, or how well a bot plays.
    pub kind: PlayerKind,
    /// Which ship they fly.
    pub ship: ShipModel,
    /// Their own share of the score.
    pub score: u32,
    /// Their ship, while there is one.
    pub entity: Option<u32>,
    /// How far right in the field the middle of their ship is, in whole pixels.
    pub x: Option<i32>,
    /// How far down.
    pub y: Option<i32>,
}

impl Lobby {
    pub fn log_name(&self) -> LogName {
        self.identity.log_name()
    }

    pub fn view(&self) -> LobbyView {
        let frame = &self.scene.frame;
        let (state, tick) = match self.remote {
            Some(_) => (frame.state, frame.tick),
            None => (self.world.game_state(), self.world.now()),
        };
        LobbyView {
            number: self.identity.number,
            id: self.id().to_string(),
            stage: self.shown_stage().name.clone(),
            rules: self.world.rules(),
            state,
            wave: self.scene.frame.wave,
            tick: tick.0,
            score: self.scene.frame.score,
            host: self.host(),
            players: Seat::ALL.into_iter().filter_map(|seat| self.player_view(seat)).collect(),
            entities: self.scene.frame.entities.len(),
            is_private: self.identity.is_private,
            is_paused: self.pacing.in_force() == Pace::Paused,
        }
    }

    /// The name of a player; none for a watcher.
    pub fn player_name(&self, member: MemberKey) -> Option<&str> {
        match member {
            MemberKey::Seat(seat) => Some(self.scene.name(seat)),
            MemberKey::Watcher(_) => None,
        }
    }

    fn player_view(&self, seat: Seat) -> Option<PlayerView> {
        let kind = self.player_kind(seat)?;
        let ship = self.scene.frame.ship(seat);
        let player = self.scene.frame.players[seat.index()];
        Some(PlayerView {
            seat: seat.number(),
            name: self.scene.name(seat).into(),
            kind,
            ship: player.map_or(ShipModel::of_seat(seat), |player| player.model),
            score: player.map_or(0, |player| player.score),
            entity: ship.map(|ship| ship.id.0),
            x: ship.map(|ship| ship.position.x.div_euclid(SUBPIXELS)),
            y: ship.map(|ship| ship.position.y.div_euclid(SUBPIXELS)),
        })
    }
}
