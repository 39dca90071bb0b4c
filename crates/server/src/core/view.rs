//! What anybody may know about a node's lobbies.

use std::{collections::BTreeMap, net::SocketAddr};

use game::{GameState, SUBPIXELS, Seat};
use protocol::{Dialect, Time};

use super::Core;

/// One lobby.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LobbyView {
    /// Its id, as players type it.
    pub id: String,
    /// The name of its stage.
    pub stage: String,
    /// When it was opened.
    pub opened: Time,
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

/// One player, as only the host may see them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SessionView {
    /// Where they are.
    pub address: SocketAddr,
    /// The dialect that they speak.
    pub dialect: Dialect,
    /// The lobby that they are in.
    pub lobby: String,
    /// Where they sit.
    pub seat: Seat,
    /// Their name; empty if the dialect has none.
    pub name: String,
    /// Since when.
    pub opened: Time,
    /// Bytes of datagrams that came from them.
    pub bytes_in: u64,
    /// Bytes of datagrams that they were sent.
    pub bytes_out: u64,
    /// Whether their address is proved.
    pub is_proved: bool,
}

impl Core {
    /// Every player, in order of coming.
    pub fn sessions(&self) -> Vec<SessionView> {
        let view = |session: &super::Session| SessionView {
            address: session.address,
            dialect: session.dialect,
            lobby: session.lobby.to_string(),
            seat: session.seat,
            name: self
                .lobbies
                .get(&session.lobby)
                .map_or_else(String::new, |lobby| lobby.scene.name(session.seat).into()),
            opened: session.opened,
            bytes_in: session.allowance.received_bytes(),
            bytes_out: session.allowance.sent_bytes(),
            is_proved: session.half.is_proved(),
        };
        self.sessions.values().map(view).collect()
    }

    /// How many players' addresses are proved, and how many are not, by dialect.
    pub fn proofs(&self) -> BTreeMap<Dialect, [usize; 2]> {
        let mut proofs = BTreeMap::new();
        for session in self.sessions.values() {
            let [proved, unproved] = proofs.entry(session.dialect).or_default();
            *(if session.half.is_proved() { proved } else { unproved }) += 1;
        }
        proofs
    }

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
            opened: lobby.opened,
            state: lobby.world.game_state(),
            tick: lobby.world.now().0,
            score: frame.score,
            players: players.collect(),
            entities: frame.entities.len(),
        }
    }
}
