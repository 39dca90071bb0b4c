//! All players, by peer: where they sit, and how many come from one address, so that nobody alone takes all seats.

use std::{collections::HashMap, net::IpAddr};

use protocol::{LobbyId, Time, Token};

use super::SeatKey;
use crate::{
    address_group::AddressCounts,
    peer::{PeerKey, ShardId, ShardSet},
};

/// Players at once from one address: a school or an office behind one router. Local addresses, where a proxy may be, are
/// exempt.
pub(super) const PLAYERS_PER_ADDRESS_MAX: usize = 256;

/// A player.
#[derive(Clone, Copy)]
pub(super) struct Peer {
    pub seat: SeatKey,
    /// The shards that know the way to them.
    pub routes: ShardSet,
    /// Whether their datagrams come from another address than the stream that opened their session (ruling A2).
    pub has_moved: bool,
    /// What brings them back to their seat, if they may come back.
    pub token: Option<Token>,
    /// Whether the seat is somebody else's by now, though their session has not ended yet.
    pub has_lost_seat: bool,
    /// Since when the seat is theirs though a single datagram asked for it (ruling C14).
    pub provisional_since: Option<Time>,
}

impl Peer {
    /// A player who has just been given a seat, through a shard that knows the way to them.
    pub fn new(seat: SeatKey, via: ShardId) -> Peer {
        Peer {
            seat,
            routes: ShardSet::of(via),
            has_moved: false,
            token: None,
            has_lost_seat: false,
            provisional_since: None,
        }
    }
}

/// All players.
#[derive(Default)]
pub(super) struct Peers {
    all: HashMap<PeerKey, Peer>,
    by_address: AddressCounts,
}

impl Peers {
    pub fn len(&self) -> usize {
        self.all.len()
    }

    pub fn get(&self, key: &PeerKey) -> Option<&Peer> {
        self.all.get(key)
    }

    pub fn get_mut(&mut self, key: &PeerKey) -> Option<&mut Peer> {
        self.all.get_mut(key)
    }

    /// Whether one more may come from there.
    pub fn have_room_for(&self, address: IpAddr) -> bool {
        self.by_address.is_below(address, PLAYERS_PER_ADDRESS_MAX)
    }

    pub fn insert(&mut self, key: PeerKey, peer: Peer) {
        if self.all.insert(key, peer).is_none() {
            self.by_address.add(key.ip());
        }
    }

    pub fn remove(&mut self, key: &PeerKey) -> Option<Peer> {
        let peer = self.all.remove(key)?;
        self.by_address.remove(key.ip());
        Some(peer)
    }

    /// Takes out everybody who has a seat in a lobby.
    pub fn clear(&mut self, lobby: LobbyId) {
        let inside = self.all.iter().filter(|(_, peer)| peer.seat.lobby == lobby);
        let inside: Vec<PeerKey> = inside.map(|(key, _)| *key).collect();
        for key in inside {
            self.remove(&key);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::net::SocketAddr;

    use game::Seat;
    use protocol::Dialect;

    use super::*;

    fn key(ip: &str, port: u16) -> PeerKey {
        PeerKey::at_door(Dialect::Aecs, SocketAddr::new(ip.parse().expect("an address"), port))
    }

    fn peer(lobby: u32) -> Peer {
        let seat = SeatKey { shard: ShardId(0), lobby: LobbyId::from_number(lobby), seat: Seat::ALL[0] };
        Peer::new(seat, ShardId(0))
    }

    #[test]
    fn an_address_has_its_share_and_gives_it_back_however_players_go() {
        let mut peers = Peers::default();
        let ip = "2001:db8::1".parse().expect("an address");
        for port in 0..PLAYERS_PER_ADDRESS_MAX as u16 {
            assert!(peers.have_room_for(ip), "{port}");
            peers.insert(key(&format!("2001:db8::{port:x}"), port), peer(u32::from(port) / 4));
        }
        assert!(!peers.have_room_for(ip));
        assert!(peers.have_room_for("2001:db8:0:1::1".parse().expect("another network")));
        peers.insert(key("2001:db8::0", 0), peer(0));
        peers.remove(&key("2001:db8::1", 1));
        assert!(peers.have_room_for(ip), "a player who comes back counts once");
        (0..64).for_each(|lobby| peers.clear(LobbyId::from_number(lobby)));
        assert_eq!((peers.len(), peers.by_address.total()), (0, 0));
    }
}
