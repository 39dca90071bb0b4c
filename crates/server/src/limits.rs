//! How much one address, one network, one door or one player may have at once or send in a second (ruling C13). Every figure
//! is an option of the host's or follows from one.
//!
//! What can be held is limited for everybody, on this machine too; what comes in a second is not limited for loopback unless
//! the host asks, so that loads and tests work.

use game::SEATS;

use crate::peer::PeerKey;

/// Seats of one public address, at least and at most: a family, and a school or an office behind one router.
const SEATS_PER_ADDRESS: (usize, usize) = (16, 256);
/// Seats of one neighbour, at least: a proxy may run there, and the host may be testing how much the node can take.
const SEATS_PER_NEIGHBOUR_MIN: usize = 64;
/// How many times what an address may have a network may have.
const NETWORK_FACTOR: usize = 4;
/// Seats of peers that cannot prove their address, at least, and of all: others find one whatever forged addresses do.
const UNPROVED_SEATS_MIN: usize = 16;
const UNPROVED_SHARE: (usize, usize) = (3, 4);
/// Provisional seats of one door, at least.
const PROVISIONAL_PER_DOOR_MIN: usize = 16;
/// Lobbies that nobody plays in and one address made, at least.
const IDLE_LOBBIES_MIN: usize = 16;

/// What a host chooses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Seats of one address. None: a quarter of all, from 16 to 256; for a neighbour three quarters of all, from 64.
    pub seats_per_address: Option<usize>,
    /// Requests for a seat from one address in a second.
    pub joins_per_address: u32,
    /// Connections from one address in a second that open a session or ask for a lobby.
    pub sessions_per_address: u32,
    /// Lobbies made from one address in a second.
    pub lobbies_per_address: u32,
    /// Bytes of datagrams and TCP from one address in a second.
    pub bytes_per_address: u32,
    /// Datagrams of one player in a second, plus one for each datagram sent to that player.
    pub datagrams_per_player: u32,
}

impl Default for Limits {
    fn default() -> Limits {
        Limits {
            seats_per_address: None,
            joins_per_address: 16,
            sessions_per_address: 16,
            lobbies_per_address: 4,
            bytes_per_address: 2_000_000,
            datagrams_per_player: 240,
        }
    }
}

impl Limits {
    /// What may be held on a node with this many lobbies.
    pub(crate) fn shares(&self, lobbies_max: usize) -> Shares {
        let seats = lobbies_max.saturating_mul(SEATS);
        let (least, most) = SEATS_PER_ADDRESS;
        Shares {
            public: self.seats_per_address.unwrap_or((seats / 4).clamp(least, most)),
            neighbour: self.seats_per_address.unwrap_or((seats / 4 * 3).max(SEATS_PER_NEIGHBOUR_MIN)),
            unproved: (seats / UNPROVED_SHARE.1 * UNPROVED_SHARE.0).max(UNPROVED_SEATS_MIN),
            provisional_per_door: (seats / 2).max(PROVISIONAL_PER_DOOR_MIN),
            idle_lobbies: (lobbies_max / 4).max(IDLE_LOBBIES_MIN),
        }
    }
}

/// What may be held at once.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Shares {
    public: usize,
    neighbour: usize,
    /// Seats of all peers together that cannot prove their address, whether they are known to be there or not.
    pub unproved: usize,
    /// Seats that peers of one door took with a single datagram (ruling C14).
    pub provisional_per_door: usize,
    /// Lobbies that nobody plays in and that one address made.
    pub idle_lobbies: usize,
}

impl Shares {
    /// Seats that the address of a peer may have.
    pub fn seats_per_address(&self, peer: PeerKey) -> usize {
        if peer.is_neighbour { self.neighbour } else { self.public }
    }

    /// Seats that the network of a peer may have.
    pub fn seats_per_network(&self, peer: PeerKey) -> usize {
        self.seats_per_address(peer).saturating_mul(NETWORK_FACTOR)
    }

    /// Lobbies that the address and the network of a peer may have asked for: nobody else may want to sit in one, or be able to, so
    /// each counts as all its seats.
    pub fn made_lobbies(&self, peer: PeerKey) -> (usize, usize) {
        (self.seats_per_address(peer).div_ceil(SEATS), self.seats_per_network(peer).div_ceil(SEATS))
    }
}

#[cfg(test)]
mod tests {
    use std::net::SocketAddr;

    use protocol::Dialect;

    use super::*;

    fn seats(limits: Limits, lobbies: usize) -> [usize; 2] {
        let shares = limits.shares(lobbies);
        [[203, 0, 113, 1], [127, 0, 0, 1]]
            .map(|ip| shares.seats_per_address(PeerKey::at_door(Dialect::Aecs, SocketAddr::from((ip, 1)))))
    }

    #[test]
    fn an_address_has_its_share_of_a_large_node_and_enough_of_a_small_one() {
        let limits = Limits::default();
        assert_eq!(
            [1, 10, 100, 1_000].map(|lobbies| seats(limits, lobbies)),
            [[16, 64], [16, 64], [100, 300], [256, 3_000]]
        );
        assert_eq!(seats(Limits { seats_per_address: Some(7), ..limits }, 1_000), [7, 7]);
        let stranger = PeerKey::at_door(Dialect::Aecs, SocketAddr::from(([203, 0, 113, 1], 1)));
        assert_eq!(
            [1, 100, 1_000].map(|lobbies| limits.shares(lobbies).made_lobbies(stranger)),
            [(4, 16), (25, 100), (64, 256)]
        );
    }
}
