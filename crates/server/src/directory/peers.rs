//! All players, by peer: where they sit, and how many come from one address and one network, so that nobody alone takes all
//! seats.

use std::{collections::HashMap, sync::Arc};

use protocol::{LobbyId, Token};

use super::{SeatKey, clock::OwnTime, locks::PeerFilter};
use crate::{
    address_group::AddressCounts,
    limits::Shares,
    peer::{PeerKey, ShardId, ShardSet},
};

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
    /// Whether their link is lost, and the seat is kept.
    pub is_away: bool,
    /// Since when the seat is theirs though a single datagram asked for it (ruling C14).
    pub provisional_since: Option<OwnTime>,
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
            is_away: false,
            provisional_since: None,
        }
    }
}

/// All players.
pub(super) struct Peers {
    all: HashMap<PeerKey, Peer>,
    by_address: AddressCounts,
    by_network: AddressCounts,
    /// How many of them cannot prove their address.
    unproved: usize,
    filter: Arc<PeerFilter>,
}

impl Default for Peers {
    fn default() -> Peers {
        let (by_address, by_network) = (AddressCounts::default(), AddressCounts::by_network());
        Peers { all: HashMap::new(), by_address, by_network, unproved: 0, filter: Arc::default() }
    }
}

impl Peers {
    pub fn len(&self) -> usize {
        self.all.len()
    }

    /// Tells others without a lock who may be among them.
    pub fn filter(&self) -> Arc<PeerFilter> {
        Arc::clone(&self.filter)
    }

    pub fn get(&self, key: &PeerKey) -> Option<&Peer> {
        self.all.get(key)
    }

    pub fn get_mut(&mut self, key: &PeerKey) -> Option<&mut Peer> {
        self.all.get_mut(key)
    }

    /// Whether the address and the network of a peer may have one more.
    pub fn have_room_for(&self, peer: PeerKey, shares: &Shares) -> bool {
        self.by_address.count(peer.ip()) < shares.seats_per_address(peer)
            && self.by_network.count(peer.ip()) < shares.seats_per_network(peer)
    }

    /// Whether one more may have a seat without proving its address.
    pub fn have_room_for_unproved(&self, shares: &Shares) -> bool {
        self.unproved < shares.unproved
    }

    pub fn insert(&mut self, key: PeerKey, peer: Peer) {
        if self.all.insert(key, peer).is_none() {
            self.by_address.add(key.ip());
            self.by_network.add(key.ip());
            self.unproved += usize::from(key.is_unproved());
            self.filter.add(key);
        }
    }

    pub fn remove(&mut self, key: &PeerKey) -> Option<Peer> {
        let peer = self.all.remove(key)?;
        self.by_address.remove(key.ip());
        self.by_network.remove(key.ip());
        self.unproved -= usize::from(key.is_unproved());
        self.filter.remove(*key);
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
    use crate::limits::Limits;

    fn key(ip: &str, port: u16) -> PeerKey {
        PeerKey::at_door(Dialect::Aecs, SocketAddr::new(ip.parse().expect("an address"), port))
    }

    fn peer(lobby: u32) -> Peer {
        let seat = SeatKey { shard: ShardId(0), lobby: LobbyId::from_number(lobby), seat: Seat::ALL[0] };
        Peer::new(seat, ShardId(0))
    }

    #[test]
    fn an_address_has_its_share_and_gives_it_back_however_players_go() {
        let (mut peers, shares) = (Peers::default(), Limits::default().shares(1_000));
        let one = key("2001:db8::1", 9_999);
        for port in 0..256 {
            assert!(peers.have_room_for(one, &shares), "{port}");
            peers.insert(key(&format!("2001:db8::{port:x}"), port), peer(u32::from(port) / 4));
        }
        assert!(!peers.have_room_for(one, &shares));
        assert!(peers.have_room_for(key("2001:db8:0:1::1", 1), &shares), "another network");
        peers.insert(key("2001:db8::0", 0), peer(0));
        peers.remove(&key("2001:db8::1", 1));
        assert!(peers.filter.may_contain(key("2001:db8::0", 0)));
        assert!(peers.have_room_for(one, &shares), "a player who comes back counts once");
        (0..64).for_each(|lobby| peers.clear(LobbyId::from_number(lobby)));
        assert_eq!((peers.len(), peers.by_address.total(), peers.by_network.total()), (0, 0, 0));
        assert!((0..256).all(|port| !peers.filter.may_contain(key(&format!("2001:db8::{port:x}"), port))));
    }

    #[test]
    fn c13_a_network_of_many_addresses_has_its_share_and_so_has_a_private_address() {
        let (mut peers, shares) = (Peers::default(), Limits::default().shares(1_000));
        for number in 0..1_024 {
            peers.insert(key(&format!("192.0.2.{}", number % 256), number), peer(u32::from(number)));
        }
        assert!(
            !peers.have_room_for(key("192.0.2.7", 9_999), &shares) && peers.have_room_for(key("192.0.3.7", 1), &shares)
        );
        for number in 0..3_000 {
            assert!(peers.have_room_for(key("127.0.0.1", number), &shares), "{number}");
            peers.insert(key("127.0.0.1", number), peer(u32::from(number)));
        }
        assert!(!peers.have_room_for(key("127.0.0.1", 9_999), &shares), "loopback is exempt from rates only");
    }
}
