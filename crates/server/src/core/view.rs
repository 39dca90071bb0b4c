//! What anybody may know about a node's lobbies.

use game::{GameState, SUBPIXELS, Seat};
use protocol::Dialect;

use super::Core;

/// One lobby.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LobbyView {
    /// Its id, as players type it.
    pub id: String,
    /// The name of its stage.
    pub stage: String,
    /// The state of its game.
    pub state: GameState,
    /// Ticks since it began.
    pub tick: u32,
    /// The score of all players together.
    pub score: u32,
    /// Who plays, by seat.
    pub players: Vec<PlayerView>,
    /// How many things can be seen.
    pub entities: usize,
}

/// One player.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlayerView {
    /// 0 to 3.
    pub seat: u8,
    /// Their name; empty if the dialect has none.
    pub name: String,
    /// The dialect that they speak.
    pub dialect: Dialect,
    /// Their ship, while there is one.
    pub entity: Option<u32>,
    /// How far right in the field the middle of their ship is, in whole pixels.
    pub x: Option<i32>,
    /// How far down.
    pub y: Option<i32>,
}

impl Core {
    /// Every lobby, the oldest first.
    pub fn lobbies(&self) -> Vec<LobbyView> {
        self.by_age.iter().filter_map(|id| Some(self.view(id.to_string(), self.lobbies.get(id)?))).collect()
    }

    fn view(&self, id: String, lobby: &super::Lobby) -> LobbyView {
        let frame = &lobby.scene.frame;
        let players = Seat::ALL.into_iter().zip(lobby.seats).filter_map(|(seat, key)| {
            let session = self.sessions.get(&key?)?;
            let ship = frame.ship(seat);
            Some(PlayerView {
                seat: seat.number(),
                name: lobby.scene.name(seat).into(),
                dialect: session.dialect,
                entity: ship.map(|ship| ship.id.0),
                x: ship.map(|ship| ship.position.x.div_euclid(SUBPIXELS)),
                y: ship.map(|ship| ship.position.y.div_euclid(SUBPIXELS)),
            })
        });
        LobbyView {
            id,
            stage: lobby.world.stage().name.clone(),
            state: lobby.world.game_state(),
            tick: lobby.world.now().0,
            score: frame.score,
            players: players.collect(),
            entities: frame.entities.len(),
        }
    }
}
