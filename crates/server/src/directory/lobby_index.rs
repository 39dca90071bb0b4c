//! Lobbies by what they are good for: a seat for a stranger, a seat that yields, room for another lobby. Each is made of the
//! entries of the directory, and follows them.

use std::{collections::BTreeMap, net::IpAddr};

use protocol::LobbyId;

use super::DirectoryEntry;
use crate::{address_group::AddressCounts, held_by_address::HeldByAddress, limits::Shares, peer::PeerKey};

/// Lobbies by what they are good for.
#[derive(Default)]
pub(super) struct LobbyIndex {
    /// Those that anybody may be seated in, by age.
    pub open: BTreeMap<u64, LobbyId>,
    /// Those with a seat whose player is out of lives and only watches, by age.
    pub unused: BTreeMap<u64, LobbyId>,
    /// Those that nobody plays in, by the address group of their maker. They go first when the node is full.
    pub idle: HeldByAddress<LobbyId>,
    /// Those of them that have a port.
    pub idle_at_ports: HeldByAddress<LobbyId>,
}

impl LobbyIndex {
    /// Whether anybody plays in a lobby may have changed.
    pub fn note_idleness(&mut self, entry: &DirectoryEntry) {
        let (maker, number) = (entry.maker, entry.plan.identity.number);
        if entry.present > 0 {
            self.idle.remove(maker, number);
            self.idle_at_ports.remove(maker, number);
        } else {
            self.idle.insert(maker, number, entry.plan.identity.id);
            if entry.port.is_some() {
                self.idle_at_ports.insert(maker, number, entry.plan.identity.id);
            }
        }
    }

    /// Whether anybody may be seated in a lobby may have changed.
    pub fn note_openness(&mut self, entry: &DirectoryEntry) {
        let identity = &entry.plan.identity;
        let is_open = !identity.is_private && !entry.is_full() && !entry.is_over() && !entry.is_awaiting;
        set(&mut self.open, entry, is_open);
    }

    /// Whether a lobby has an unused seat may have changed.
    pub fn note_unused_seats(&mut self, entry: &DirectoryEntry) {
        set(&mut self.unused, entry, entry.watching.iter().any(Option::is_some));
    }

    pub fn remove(&mut self, entry: &DirectoryEntry) {
        let (maker, number) = (entry.maker, entry.plan.identity.number);
        self.open.remove(&number);
        self.unused.remove(&number);
        self.idle.remove(maker, number);
        self.idle_at_ports.remove(maker, number);
    }
}

fn set(lobbies: &mut BTreeMap<u64, LobbyId>, entry: &DirectoryEntry, is_in: bool) {
    let identity = &entry.plan.identity;
    if is_in {
        lobbies.insert(identity.number, identity.id);
    } else {
        lobbies.remove(&identity.number);
    }
}

/// How many lobbies there are that somebody asked for, by address and by network.
pub(super) struct MadeLobbies {
    by_address: AddressCounts,
    by_network: AddressCounts,
}

impl MadeLobbies {
    pub fn none() -> MadeLobbies {
        MadeLobbies { by_address: AddressCounts::default(), by_network: AddressCounts::by_network() }
    }

    pub fn add(&mut self, maker: IpAddr) {
        self.by_address.add(maker);
        self.by_network.add(maker);
    }

    pub fn remove(&mut self, maker: IpAddr) {
        self.by_address.remove(maker);
        self.by_network.remove(maker);
    }

    /// Whether this peer may make one more.
    pub fn allow(&self, maker: PeerKey, shares: &Shares) -> bool {
        let (of_address, of_network) = shares.made_lobbies(maker);
        self.by_address.count(maker.ip()) < of_address && self.by_network.count(maker.ip()) < of_network
    }
}
