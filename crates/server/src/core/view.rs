//! What anybody may know about a shard's lobbies and sessions.

use std::net::SocketAddr;

use game::{GameState, SUBPIXELS, Seat};
use protocol::{Dialect, Pace, Time};

use super::{Core, lobby::Lobby, session::Session};

/// One lobby.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LobbyView {
    /// Its place among all lobbies of the node, by age.
    pub number: u64,
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
    /// Whether only those know of it who know its id.
    pub is_private: bool,
    /// Whether its only player has it stand still.
    pub is_paused: bool,
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
    /// The lobby that they are in, if any.
    pub lobby: Option<String>,
    /// Where they sit; who only watches does not.
    pub seat: Option<Seat>,
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

/// The sessions of one dialect that are open now.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Census {
    /// Those who have a seat in a lobby. Others choose one, or watch.
    pub players: u64,
    /// Those whose address is proved.
    pub proved: u64,
    /// The others.
    pub unproved: u64,
    /// What was sent again in them because nobody confirmed it.
    pub retransmissions: u64,
}

impl Core {
    /// Every lobby of this shard, the oldest first.
    pub fn lobbies(&self) -> Vec<LobbyView> {
        let mut lobbies: Vec<LobbyView> = self.lobbies.iter().map(|(_, lobby)| self.view(lobby)).collect();
        lobbies.sort_by_key(|lobby| lobby.number);
        lobbies
    }

    /// Every player of this shard.
    pub fn sessions(&self) -> Vec<SessionView> {
        let view = |session: &Session| {
            let lobby = session.place.lobby().and_then(|key| self.lobbies.get(key.0));
            let seat = session.place.seat();
            let seated_name = lobby.zip(seat).map(|(lobby, seat)| lobby.scene.name(seat).to_owned());
            let linked_name = session.linked.as_ref().map(|linked| linked.name.clone());
            SessionView {
                address: session.address,
                dialect: session.dialect,
                lobby: lobby.map(|lobby| lobby.id.to_string()),
                seat,
                name: seated_name.or(linked_name).unwrap_or_default(),
                opened: session.opened,
                bytes_in: session.allowance.received_bytes(),
                bytes_out: session.allowance.sent_bytes(),
                is_proved: session.half.is_proved(),
            }
        };
        self.sessions.iter().map(|(_, session)| view(session)).collect()
    }

    /// The open sessions of each dialect.
    pub fn census(&self) -> [Census; Dialect::ALL.len()] {
        let mut census = [Census::default(); Dialect::ALL.len()];
        for (_, session) in &self.sessions {
            let of = &mut census[session.dialect as usize];
            let is_proved = session.half.is_proved();
            of.players += u64::from(session.place.seat().is_some());
            of.proved += u64::from(is_proved);
            of.unproved += u64::from(!is_proved);
            of.retransmissions += session.half.retransmissions();
        }
        census
    }

    /// How many ways to players this shard has in mind, its own and others'.
    pub fn routes(&self) -> usize {
        self.routes.len()
    }

    /// All that this shard and the directory keep of players, by what it is. For tests, which look for leaks.
    #[doc(hidden)]
    pub fn keepings(&self) -> [(&'static str, usize); 8] {
        let (peers, tokens) = self.directory.lock().keepings();
        [
            ("routes", self.routes.len()),
            ("streams", self.streams.len()),
            ("sessions", self.sessions.len()),
            ("links", self.links.len()),
            ("lounge", self.lounge.len()),
            ("desks", self.desks.len()),
            ("peers", peers),
            ("tokens", tokens),
        ]
    }

    fn view(&self, lobby: &Lobby) -> LobbyView {
        let frame = &lobby.scene.frame;
        let players = Seat::ALL.into_iter().filter_map(|seat| {
            let dialect = self.who_sits(lobby, seat)?.dialect;
            let ship = frame.ship(seat);
            Some(PlayerView {
                seat: seat.number(),
                name: lobby.scene.name(seat).into(),
                dialect,
                entity: ship.map(|ship| ship.id.0),
                x: ship.map(|ship| ship.position.x.div_euclid(SUBPIXELS)),
                y: ship.map(|ship| ship.position.y.div_euclid(SUBPIXELS)),
            })
        });
        LobbyView {
            number: lobby.number,
            id: lobby.id.to_string(),
            stage: lobby.world.stage().name.clone(),
            state: lobby.world.game_state(),
            tick: lobby.world.now().0,
            score: frame.score,
            players: players.collect(),
            entities: frame.entities.len(),
            is_private: lobby.is_private,
            is_paused: lobby.pacing.in_force() == Pace::Paused,
        }
    }
}
