//! Seats that were taken by a single datagram, perhaps by nobody (ruling C14): by age, by lobby, and how many there are at each door.

use std::collections::{BTreeSet, HashMap};

use protocol::{Dialect, LobbyId};

use super::clock::OwnTime;
use crate::peer::PeerKey;

/// Players whose seats are provisional, and since when.
#[derive(Default)]
pub(super) struct ProvisionalSeats {
    by_age: BTreeSet<(OwnTime, PeerKey)>,
    /// Of each lobby as many as it has seats, at most.
    by_lobby: HashMap<LobbyId, Vec<(OwnTime, PeerKey)>>,
    at_door: [usize; Dialect::ALL.len()],
}

impl ProvisionalSeats {
    pub fn insert(&mut self, since: OwnTime, lobby: LobbyId, peer: PeerKey) {
        if self.by_age.insert((since, peer)) {
            self.by_lobby.entry(lobby).or_default().push((since, peer));
            self.at_door[peer.dialect() as usize] += 1;
        }
    }

    pub fn remove(&mut self, since: OwnTime, lobby: LobbyId, peer: PeerKey) {
        if !self.by_age.remove(&(since, peer)) {
            return;
        }
        self.at_door[peer.dialect() as usize] -= 1;
        if let Some(own) = self.by_lobby.get_mut(&lobby) {
            own.retain(|(_, other)| *other != peer);
            if own.is_empty() {
                self.by_lobby.remove(&lobby);
            }
        }
    }

    /// A lobby is closed.
    pub fn remove_lobby(&mut self, lobby: LobbyId) {
        for (since, peer) in self.by_lobby.remove(&lobby).unwrap_or_default() {
            self.by_age.remove(&(since, peer));
            self.at_door[peer.dialect() as usize] -= 1;
        }
    }

    /// How many there are at a door.
    pub fn count_at(&self, door: Dialect) -> usize {
        self.at_door[door as usize]
    }

    /// All of them, the oldest first.
    pub fn by_age(&self) -> impl Iterator<Item = (OwnTime, PeerKey)> {
        self.by_age.iter().copied()
    }

    /// Those of one lobby.
    pub fn in_lobby(&self, lobby: LobbyId) -> impl Iterator<Item = (OwnTime, PeerKey)> {
        self.by_lobby.get(&lobby).into_iter().flatten().copied()
    }
}

#[cfg(test)]
mod tests {
    use std::net::SocketAddr;

    use protocol::Time;

    use super::{super::clock::DirectoryClock, *};

    #[test]
    fn seats_are_found_by_age_and_by_lobby_and_nothing_is_left_when_they_go() {
        let at = |seconds: u64| DirectoryClock::default().at(Time::from_micros(seconds * 1_000_000));
        let peer = |last: u8| PeerKey::at_door(Dialect::Typeuh, SocketAddr::from(([10, 0, 0, last], 1)));
        let [one, other] = [1, 2].map(LobbyId::from_number);
        let mut seats = ProvisionalSeats::default();
        seats.insert(at(2), one, peer(2));
        seats.insert(at(1), other, peer(1));
        seats.insert(at(3), one, peer(3));
        assert_eq!(seats.by_age().next(), Some((at(1), peer(1))));
        assert_eq!((seats.in_lobby(one).count(), seats.count_at(Dialect::Typeuh)), (2, 3));
        seats.remove(at(1), other, peer(1));
        seats.remove(at(1), other, peer(1));
        seats.remove_lobby(one);
        assert_eq!((seats.by_age().count(), seats.by_lobby.len(), seats.count_at(Dialect::Typeuh)), (0, 0, 0));
    }
}
