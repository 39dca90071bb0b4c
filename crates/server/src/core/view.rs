//! What the host and its pages may know about a shard.

use std::net::SocketAddr;

use game::Seat;
use protocol::{Dialect, LinkSession, Time};

use super::Core;
use crate::{
    lobby::{Lobby, LobbyView, MemberKey},
    peer::PeerKey,
    router::{Location, Route},
    session::Session,
};

/// One session, as only the host may see it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SessionView {
    /// The address of the peer.
    pub address: SocketAddr,
    /// The dialect that it speaks.
    pub dialect: Dialect,
    /// The lobby that it is in, if any.
    pub lobby: Option<String>,
    /// The seat, if it has one.
    pub seat: Option<Seat>,
    /// The player's name; empty if the dialect has none.
    pub name: String,
    /// Since when.
    pub opened: Time,
    /// Bytes of datagrams that came from there.
    pub bytes_in: u64,
    /// Bytes of datagrams that were sent there.
    pub bytes_out: u64,
    /// Whether the address is proved.
    pub is_proved: bool,
}

/// The sessions of one dialect that are open now.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SessionCounts {
    /// Those that have a seat in a lobby. Others choose one, or watch.
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
        let mut lobbies: Vec<LobbyView> = self.lobbies.iter().map(Lobby::view).collect();
        lobbies.sort_by_key(|lobby| lobby.number);
        lobbies
    }

    /// Every session of this shard.
    pub fn sessions(&self) -> Vec<SessionView> {
        let members = self.lobbies.iter().flat_map(|lobby| lobby.sessions().map(move |member| (lobby, member)));
        let inside = members.map(|(lobby, (member, session))| {
            let name = lobby.player_name(member).unwrap_or(session.link_name()).to_owned();
            SessionView { lobby: Some(lobby.id().to_string()), seat: seat_of(member), name, ..view(session) }
        });
        inside.chain(self.router.outside_sessions().map(view)).collect()
    }

    /// The open sessions of each dialect.
    pub fn session_counts(&self) -> [SessionCounts; Dialect::ALL.len()] {
        let mut counts = [SessionCounts::default(); Dialect::ALL.len()];
        for session in self.all_sessions() {
            let of = &mut counts[session.peer.dialect() as usize];
            let is_proved = session.is_proved();
            of.proved += u64::from(is_proved);
            of.unproved += u64::from(!is_proved);
            of.retransmissions += session.retransmissions();
        }
        for (member, session) in self.lobbies.iter().flat_map(Lobby::sessions) {
            counts[session.peer.dialect() as usize].players += u64::from(seat_of(member).is_some());
        }
        counts
    }

    /// How many bots play in lobbies.
    pub fn bot_count(&self) -> usize {
        self.lobbies.bot_budget.in_use()
    }

    /// How many sessions are in lobbies.
    pub fn session_count(&self) -> usize {
        self.lobbies.session_count
    }

    /// How many ways to players this shard has in mind, its own and others'.
    pub fn routes(&self) -> usize {
        self.router.route_count()
    }

    /// The sizes of all tables that this shard and the directory have, by name. For tests, which look for leaks.
    #[doc(hidden)]
    pub fn table_sizes(&self) -> Vec<(&'static str, usize)> {
        let mut sizes = Vec::from(self.router.table_sizes());
        sizes.push(("sessions", self.all_sessions().count()));
        sizes
    }

    /// Puts another conversation in the place of a peer's. For tests, which have no other way to one that panics.
    #[doc(hidden)]
    pub fn substitute(&mut self, peer: PeerKey, protocol: Box<dyn LinkSession>) -> bool {
        match self.router.route(peer) {
            Some(Route::Lobby(Location { lobby, member })) => {
                self.lobbies.get_mut(lobby).is_some_and(|lobby| lobby.substitute(member, protocol))
            }
            Some(Route::Outside(key)) => self.router.substitute(key, protocol),
            Some(Route::Shard(_)) | None => false,
        }
    }

    pub(super) fn all_sessions(&self) -> impl Iterator<Item = &Session> {
        let inside = self.lobbies.iter().flat_map(Lobby::sessions).map(|(_, session)| session);
        inside.chain(self.router.outside_sessions())
    }
}

fn seat_of(member: MemberKey) -> Option<Seat> {
    match member {
        MemberKey::Seat(seat) => Some(seat),
        MemberKey::Watcher(_) => None,
    }
}

/// A session in no lobby.
fn view(session: &Session) -> SessionView {
    SessionView {
        address: session.peer.address,
        dialect: session.peer.dialect(),
        lobby: None,
        seat: None,
        name: session.link_name().to_owned(),
        opened: session.opened,
        bytes_in: session.allowance.received_bytes(),
        bytes_out: session.allowance.sent_bytes(),
        is_proved: session.is_proved(),
    }
}
