//! What a node keeps in mind of peers for a little while: which have just gone, which were kicked, and whose stream still waits
//! for its first datagram. Bounded, whatever comes.

use std::{
    collections::{HashMap, VecDeque},
    hash::{DefaultHasher, Hash, Hasher},
    net::{IpAddr, SocketAddr},
    time::Duration,
};

use protocol::{Dialect, Numbers, Time};

use super::recent_map::RecentMap;
use crate::{
    address_group::address_group,
    peer::{Endpoint, PeerKey},
};

/// Ruling A2: before this, only the address of the stream may claim its session.
const CLAIM_AFTER: Duration = Duration::from_secs(1);
/// How long a repeated goodbye of a player who has gone is answered.
const DEPARTURE_LASTS: Duration = Duration::from_secs(5);
/// How long an address gets no seat in that dialect after a kick.
const KEPT_OUT: Duration = Duration::from_secs(10);
/// How long the peer itself, at the same port, has to be silent before it gets one: where every datagram asks for a seat, a
/// client that just goes on would be back otherwise.
const KEPT_OUT_UNTIL_SILENT: Duration = Duration::from_secs(60);
/// Ruling C14: a peer that asks again after this much time, and before that much, is there.
const ASKS_AGAIN: (Duration, Duration) = (Duration::from_millis(100), Duration::from_secs(10));
/// Addresses with a recent departure that are kept in mind.
const ADDRESSES_MAX: usize = 65_536;

/// What is kept in mind of peers.
pub(crate) struct RecentPeers {
    /// Players who have just gone, and whose hello or goodbye may come again.
    departed: RecentMap<PeerKey, Departed>,
    /// Where the numbers ended that were sent to peers that have gone or were refused.
    numbers: RecentMap<PeerKey, Numbers>,
    /// Players whom the host has just kicked. A dialect in which every datagram asks for a seat would have them back at
    /// once.
    kept_out: RecentMap<(Dialect, IpAddr), Time>,
    /// When they last said something.
    kicked: RecentMap<PeerKey, Time>,
    /// When peers asked for a seat and were not answered (ruling C14).
    asks: RecentMap<PeerKey, Time>,
    /// Streams whose peer has sent no datagram yet, the oldest first.
    unclaimed: HashMap<(Endpoint, IpAddr), VecDeque<Unclaimed>>,
}

/// The hash of a datagram, by which it is known again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct DatagramHash(u64);

/// How a session ended, as far as it matters to a peer that comes again.
#[derive(Clone, Copy)]
pub(crate) struct RecentDeparture {
    /// The datagram that opened the session; none where a stream did.
    pub first_datagram: Option<DatagramHash>,
    /// Ruling S4: where the numbers that the peer compares ended.
    pub numbers: Numbers,
}

struct Departed {
    since: Time,
    first_datagram: Option<DatagramHash>,
}

struct Unclaimed {
    address: SocketAddr,
    since: Time,
}

impl DatagramHash {
    pub fn of(bytes: &[u8]) -> DatagramHash {
        let mut hasher = DefaultHasher::new();
        bytes.hash(&mut hasher);
        DatagramHash(hasher.finish())
    }
}

impl Default for RecentPeers {
    fn default() -> RecentPeers {
        RecentPeers {
            departed: RecentMap::new(ADDRESSES_MAX),
            numbers: RecentMap::new(ADDRESSES_MAX),
            kept_out: RecentMap::new(ADDRESSES_MAX),
            kicked: RecentMap::new(ADDRESSES_MAX),
            asks: RecentMap::new(ADDRESSES_MAX),
            unclaimed: HashMap::new(),
        }
    }
}

impl RecentPeers {
    /// A player has gone.
    pub fn note_departure(&mut self, now: Time, peer: PeerKey, departure: RecentDeparture) {
        self.departed.insert(peer, Departed { since: now, first_datagram: departure.first_datagram });
        self.note_numbers(peer, departure.numbers);
    }

    /// Ruling S4: where the numbers that a peer knows ended, however long ago, if that is still known.
    pub fn numbers(&self, peer: PeerKey) -> Numbers {
        self.numbers.get(&peer).copied().unwrap_or_default()
    }

    /// That is where they are now.
    pub fn note_numbers(&mut self, peer: PeerKey, numbers: Numbers) {
        if numbers != self.numbers(peer) {
            self.numbers.insert(peer, numbers);
        }
    }

    /// Whether a player has only just gone.
    pub fn has_just_left(&self, now: Time, peer: PeerKey) -> bool {
        self.departed(now, peer).is_some()
    }

    /// Ruling R2: at a lobby's port a request is named by its timestamp, so the same bytes are the same request, late.
    pub fn is_late_repeat(&self, now: Time, peer: PeerKey, bytes: &[u8]) -> bool {
        let has_lobby = matches!(peer.endpoint, Endpoint::Lobby(..));
        let is_same = |departed: &Departed| departed.first_datagram == Some(DatagramHash::of(bytes));
        has_lobby && self.departed(now, peer).is_some_and(is_same)
    }

    fn departed(&self, now: Time, peer: PeerKey) -> Option<&Departed> {
        self.departed.get(&peer).filter(|departed| now.since(departed.since) < DEPARTURE_LASTS)
    }

    /// Gives no seat to that address in that dialect for a while. Others who play from there go on.
    pub fn keep_out(&mut self, now: Time, peer: PeerKey) {
        self.kept_out.insert((peer.dialect(), address_group(peer.ip())), now);
        self.kicked.insert(peer, now);
    }

    /// Whether a peer that asks for a seat gets none.
    pub fn is_kept_out(&mut self, now: Time, peer: PeerKey) -> bool {
        if let Some(heard) = self.kicked.get_mut(&peer) {
            if now.since(std::mem::replace(heard, now)) < KEPT_OUT_UNTIL_SILENT {
                return true;
            }
            self.kicked.remove(&peer);
        }
        let group = address_group(peer.ip());
        self.kept_out.get(&(peer.dialect(), group)).is_some_and(|since| now.since(*since) < KEPT_OUT)
    }

    /// A peer that is not answered asks for a seat: whether it has asked before, long enough ago. If not, that it asks is kept in mind.
    pub fn asks_again(&mut self, now: Time, peer: PeerKey) -> bool {
        if self.since_ask(now, peer).is_none() {
            self.asks.insert(peer, now);
        }
        self.has_asked(now, peer)
    }

    /// Whether a peer asked for a seat, long enough ago, and was not answered.
    pub fn has_asked(&self, now: Time, peer: PeerKey) -> bool {
        self.since_ask(now, peer).is_some_and(|since| since >= ASKS_AGAIN.0)
    }

    fn since_ask(&self, now: Time, peer: PeerKey) -> Option<Duration> {
        self.asks.get(&peer).map(|first| now.since(*first)).filter(|since| *since < ASKS_AGAIN.1)
    }

    /// A stream opened a session that awaits its first datagram.
    pub fn await_claim(&mut self, now: Time, peer: PeerKey) {
        let unclaimed = Unclaimed { address: peer.address, since: now };
        self.unclaimed.entry((peer.endpoint, peer.ip())).or_default().push_back(unclaimed);
    }

    /// That session has its datagram, or is over.
    pub fn forget_claim(&mut self, peer: PeerKey) {
        let key = (peer.endpoint, peer.ip());
        let Some(waiting) = self.unclaimed.get_mut(&key) else { return };
        waiting.retain(|unclaimed| unclaimed.address != peer.address);
        if waiting.is_empty() {
            self.unclaimed.remove(&key);
        }
    }

    /// Whether an unknown address of a host can claim a session now.
    pub fn may_claim(&self, now: Time, from: PeerKey) -> bool {
        let oldest = self.unclaimed.get(&(from.endpoint, from.ip())).and_then(VecDeque::front);
        oldest.is_some_and(|oldest| now.since(oldest.since) >= CLAIM_AFTER)
    }

    /// Ruling A2: the peer whose session an unknown address of the same host claims: its oldest unclaimed one. It waits no
    /// longer.
    pub fn claim(&mut self, now: Time, from: PeerKey) -> Option<PeerKey> {
        if !self.may_claim(now, from) {
            return None;
        }
        let oldest = self.unclaimed.get(&(from.endpoint, from.ip()))?.front()?;
        let claimed = PeerKey { address: oldest.address, ..from };
        self.forget_claim(claimed);
        Some(claimed)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn c13_a_kick_keeps_out_the_whole_network_of_an_ipv6_address() {
        let now = Time::from_micros(1_000_000_000);
        let peer =
            |ip: &str, port| PeerKey::at_door(Dialect::Typeuh, SocketAddr::new(ip.parse().expect("an address"), port));
        let mut recent_peers = RecentPeers::default();
        recent_peers.keep_out(now, peer("2001:db8::1", 1));
        assert!(recent_peers.is_kept_out(now, peer("2001:db8::2", 2)));
        assert!(!recent_peers.is_kept_out(now, peer("2001:db8:0:1::1", 1)));
        assert!(!recent_peers.is_kept_out(now + KEPT_OUT, peer("2001:db8::2", 2)));
    }
}
