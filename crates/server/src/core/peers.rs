//! Who plays, by address: where they sit, and how many of one household do, so that nobody alone takes all seats.

use std::{
    collections::HashMap,
    net::{IpAddr, SocketAddr},
};

use protocol::{LobbyId, Token};

use super::{Endpoint, directory::Place};
use crate::household::Households;

/// Players at once from one address: a school or an office behind one router. Local addresses, where a proxy may sit, are free of
/// it.
pub(super) const PLAYERS_PER_ADDRESS_MAX: usize = 256;

/// A player.
#[derive(Clone, Copy)]
pub(super) struct Peer {
    pub place: Place,
    /// The shards that know the way to them, a bit each.
    pub routes: u64,
    /// Whether their datagrams come from another address than the stream that opened their session (ruling A2).
    pub has_moved: bool,
    /// What brings them back to their seat, if they may come back.
    pub token: Option<Token>,
}

/// Where somebody is reached.
pub(super) type Whence = (Endpoint, SocketAddr);

/// All players.
#[derive(Default)]
pub(super) struct Peers {
    all: HashMap<Whence, Peer>,
    by_household: Households,
}

impl Peers {
    pub fn len(&self) -> usize {
        self.all.len()
    }

    pub fn get(&self, whence: &Whence) -> Option<&Peer> {
        self.all.get(whence)
    }

    pub fn get_mut(&mut self, whence: &Whence) -> Option<&mut Peer> {
        self.all.get_mut(whence)
    }

    /// Whether one more may come from there.
    pub fn have_room_for(&self, address: IpAddr) -> bool {
        self.by_household.has_fewer(address, PLAYERS_PER_ADDRESS_MAX)
    }

    pub fn insert(&mut self, whence: Whence, peer: Peer) {
        if self.all.insert(whence, peer).is_none() {
            self.by_household.add(whence.1.ip());
        }
    }

    pub fn remove(&mut self, whence: &Whence) -> Option<Peer> {
        let peer = self.all.remove(whence)?;
        self.by_household.remove(whence.1.ip());
        Some(peer)
    }

    /// Takes out everybody who sits in a lobby.
    pub fn clear(&mut self, lobby: LobbyId) {
        let inside = self.all.iter().filter(|(_, peer)| peer.place.lobby == lobby);
        let inside: Vec<Whence> = inside.map(|(whence, _)| *whence).collect();
        for whence in inside {
            self.remove(&whence);
        }
    }
}

#[cfg(test)]
mod tests {
    use game::Seat;
    use protocol::Dialect;

    use super::*;
    use crate::core::ShardId;

    fn whence(ip: &str, port: u16) -> Whence {
        (Endpoint::Door(Dialect::Aecs), SocketAddr::new(ip.parse().expect("an address"), port))
    }

    fn peer(lobby: u32) -> Peer {
        let place = Place { shard: ShardId(0), lobby: LobbyId::from_number(lobby), seat: Seat::ALL[0] };
        Peer { place, routes: 0, has_moved: false, token: None }
    }

    #[test]
    fn an_address_has_its_share_and_gives_it_back_however_players_go() {
        let mut peers = Peers::default();
        let ip = "2001:db8::1".parse().expect("an address");
        for port in 0..PLAYERS_PER_ADDRESS_MAX as u16 {
            assert!(peers.have_room_for(ip), "{port}");
            peers.insert(whence(&format!("2001:db8::{port:x}"), port), peer(u32::from(port) / 4));
        }
        assert!(!peers.have_room_for(ip));
        assert!(peers.have_room_for("2001:db8:0:1::1".parse().expect("another network")));
        peers.insert(whence("2001:db8::0", 0), peer(0));
        peers.remove(&whence("2001:db8::1", 1));
        assert!(peers.have_room_for(ip), "who comes back counts once");
        (0..64).for_each(|lobby| peers.clear(LobbyId::from_number(lobby)));
        assert_eq!((peers.len(), peers.by_household.total()), (0, 0));
    }
}
