//! The ports of lobbies: which are free, and which lobby is found at which.

use std::{
    collections::{BTreeSet, HashMap},
    ops::RangeInclusive,
};

use protocol::LobbyId;

use super::Directory;

/// Ports that are kept free: one in `RESERVE_SHARE`, and `RESERVE_MAX` at most.
const RESERVE_MAX: usize = 16;
const RESERVE_SHARE: usize = 8;

/// The ports of a node's lobbies.
pub(super) struct Ports {
    free: BTreeSet<u16>,
    /// How many are to be free, so that whoever asks for one need not wait until another lobby has closed its own.
    reserve: usize,
    lobbies: HashMap<u16, LobbyId>,
}

impl Ports {
    pub fn new(all: RangeInclusive<u16>) -> Ports {
        let free: BTreeSet<u16> = all.collect();
        let reserve = (free.len() / RESERVE_SHARE).clamp(1, RESERVE_MAX);
        Ports { free, reserve, lobbies: HashMap::new() }
    }

    /// Whether lobbies that nobody plays in have to give theirs back.
    pub fn are_scarce(&self) -> bool {
        self.free.len() < self.reserve
    }

    /// The lowest free port above another one, which is then taken.
    pub fn take(&mut self, above: Option<u16>) -> Option<u16> {
        let first = above.map_or(Some(0), |above| above.checked_add(1))?;
        let port = self.free.range(first..).next().copied()?;
        self.free.remove(&port);
        Some(port)
    }

    /// Takes a port, if it is free.
    pub fn take_again(&mut self, port: u16) -> bool {
        self.free.remove(&port)
    }

    pub fn give_back(&mut self, port: u16) {
        self.free.insert(port);
    }

    pub fn lobby(&self, port: u16) -> Option<LobbyId> {
        self.lobbies.get(&port).copied()
    }

    pub fn note_lobby(&mut self, port: u16, id: LobbyId) {
        self.lobbies.insert(port, id);
    }

    pub fn forget_lobby(&mut self, port: u16) {
        self.lobbies.remove(&port);
    }
}

impl Directory {
    /// The lowest free port above another one, which is then taken for a lobby. If few are left, a lobby that nobody plays in is
    /// closed, so that there is one for the next that asks.
    pub fn take_port(&mut self, lobby: LobbyId, above: Option<u16>) -> Option<u16> {
        let port = self.ports.take(above);
        if self.ports.are_scarce() {
            let maker = self.lobbies.get(&lobby).map(|entry| entry.maker);
            self.evict(maker.and_then(|maker| self.index.idle_at_ports.yields_to(maker)));
        }
        port
    }

    pub fn give_port_back(&mut self, port: u16) {
        self.ports.give_back(port);
    }

    /// A lobby listens at a port that was taken. False: there is no such lobby any more.
    pub fn note_port(&mut self, id: LobbyId, port: u16) -> bool {
        let Some(entry) = self.lobbies.get_mut(&id) else { return false };
        entry.port = Some(port);
        self.ports.note_lobby(port, id);
        self.note_idleness(id);
        true
    }
}
