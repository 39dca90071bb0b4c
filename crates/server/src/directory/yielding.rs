//! Seats that yield on a full node: those of players who are out of lives (ruling S10), and those that were taken by a single
//! datagram, perhaps by nobody (ruling C14).

use std::time::Duration;

use game::{SEATS, Seat};
use protocol::{LobbyId, Time};

use super::{Asker, Directory, SeatKey, clock::OwnTime, peers::Peer};
use crate::peer::PeerKey;

/// How long a provisional seat is safe.
const SAFE_FOR: Duration = Duration::from_secs(3);
/// Provisional seats that are looked at for one peer that asks: those in games that are over do not yield.
const LOOKED_AT_MAX: usize = 64;

impl Directory {
    /// A peer whose seat was provisional has given a second sign of life.
    pub fn confirm(&mut self, peer: PeerKey) {
        if let Some(known) = self.peers.get_mut(&peer)
            && let Some(since) = known.provisional_since.take()
        {
            self.provisional.remove(since, known.seat.lobby, peer);
        }
    }

    /// Ruling S10: these seats of a lobby are unused, though somebody still watches from them.
    pub fn note_unused_seats(&mut self, id: LobbyId, watching: [Option<PeerKey>; SEATS]) {
        let Some(entry) = self.lobbies.get_mut(&id) else { return };
        let has_seat = |peer: &PeerKey| self.peers.get(peer).is_some_and(|known| !known.has_lost_seat);
        entry.watching = watching.map(|peer| peer.filter(has_seat));
        self.index.note_unused_seats(entry);
    }

    /// On a full node, a seat that yields to this peer. The session of the player whose it was is still to be ended.
    pub(super) fn take_yielded_seat(&mut self, asker: Asker) -> Option<SeatKey> {
        let lobby = self.index.unused.values().next().copied();
        // Those who cannot prove their address take no more than their share from those who can.
        let may_take = asker.is_proved || self.peers.have_room_for_unproved(&self.settings.shares);
        let watching = lobby.and_then(|lobby| self.first_watching_in(lobby));
        let watching = watching.filter(|earlier| may_take || earlier.is_unproved());
        let earlier = watching.or_else(|| self.provisional_for(asker, None))?;
        self.yield_seat(earlier, asker)
    }

    /// The same for a peer that has asked for that lobby, and can have no other.
    pub(super) fn take_yielded_seat_in(&mut self, asker: Asker, lobby: LobbyId) -> Option<SeatKey> {
        if !self.is_full(asker.now) {
            return None;
        }
        let earlier = self.first_watching_in(lobby).or_else(|| self.provisional_for(asker, Some(lobby)))?;
        self.yield_seat(earlier, asker)
    }

    /// Whether nobody more could be seated, but for seats that yield.
    fn is_full(&self, now: Time) -> bool {
        let now = self.clock.at(now);
        let has_room = |id: &LobbyId| self.lobbies.get(id).is_some_and(|entry| entry.has_room_for_anybody(now));
        self.lobbies.len() >= self.settings.lobbies_max && !self.index.open.values().any(has_room)
    }

    fn yield_seat(&mut self, earlier: PeerKey, asker: Asker) -> Option<SeatKey> {
        self.confirm(earlier);
        let known = self.peers.get_mut(&earlier)?;
        known.has_lost_seat = true;
        let seat = known.seat;
        let watching = self.lobbies.get(&seat.lobby)?.watching;
        self.note_unused_seats(seat.lobby, watching);
        let provisional_since = (!self.is_there(asker)).then(|| self.clock.at(asker.now));
        if let Some(since) = provisional_since {
            self.provisional.insert(since, seat.lobby, asker.peer);
        }
        self.peers.insert(asker.peer, Peer { provisional_since, ..Peer::new(seat, asker.shard) });
        Some(seat)
    }

    /// Whether a peer that got no seat will get one if it asks again. That it has asked is kept in mind.
    pub(super) fn may_ask_again(&mut self, asker: Asker) -> bool {
        let may_ask = !asker.is_proved && self.oldest_provisional(asker.now, None).is_some();
        if may_ask {
            self.recent_peers.lock().asks_again(asker.now, asker.peer);
        }
        may_ask
    }

    /// When the first seat yields to a stranger who asks twice.
    pub(super) fn yields_from(&self) -> Option<Time> {
        if !self.index.unused.is_empty() {
            return Some(Time::default());
        }
        self.provisional.by_age().next().map(|(since, _)| self.clock.after(since, SAFE_FOR))
    }

    fn first_watching_in(&self, lobby: LobbyId) -> Option<PeerKey> {
        let watching = self.lobbies.get(&lobby)?.watching;
        Seat::ALL.into_iter().find_map(|seat| watching[seat.index()])
    }

    fn provisional_for(&self, asker: Asker, lobby: Option<LobbyId>) -> Option<PeerKey> {
        self.oldest_provisional(asker.now, lobby).filter(|_| self.is_there(asker))
    }

    /// Whether a peer is certainly there: it is proved, or has asked twice.
    fn is_there(&self, asker: Asker) -> bool {
        asker.is_proved || self.recent_peers.lock().has_asked(asker.now, asker.peer)
    }

    /// The oldest seat that yields, in any lobby or in that one.
    fn oldest_provisional(&self, now: Time, lobby: Option<LobbyId>) -> Option<PeerKey> {
        let now = self.clock.at(now);
        let yields = |(since, peer): &(OwnTime, PeerKey)| now.since(*since) > SAFE_FOR && self.is_in_open_game(peer);
        let oldest = match lobby {
            Some(lobby) => self.provisional.in_lobby(lobby).filter(yields).min(),
            None => self.provisional.by_age().take(LOOKED_AT_MAX).find(yields),
        };
        oldest.map(|(_, peer)| peer)
    }

    /// Ruling C17: nobody is seated in a game that is over.
    fn is_in_open_game(&self, peer: &PeerKey) -> bool {
        let lobby = self.peers.get(peer).and_then(|known| self.lobbies.get(&known.seat.lobby));
        lobby.is_some_and(|entry| !entry.is_over())
    }
}
