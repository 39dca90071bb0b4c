//! What a node keeps in mind of peers for a little while: who was answered over a stream, who has just gone, and whose
//! stream still waits for its first datagram. Bounded, whatever comes.

use std::{
    collections::{HashMap, VecDeque},
    hash::{DefaultHasher, Hash, Hasher},
    net::{IpAddr, SocketAddr},
    time::Duration,
};

use protocol::{Dialect, Numbers, Time};

use super::Endpoint;

/// Ruling A2: before this, only the address of the stream may claim its session.
const CLAIM_AFTER: Duration = Duration::from_secs(1);
/// Ruling C5: how long a stream's exchange proves an address to lobby ports.
const EXCHANGE_LASTS: Duration = Duration::from_secs(60);
/// How long the goodbye of who has gone is answered again.
const FAREWELL_LASTS: Duration = Duration::from_secs(5);
/// Who was thrown out is not listened to for so long.
const KEPT_OUT: Duration = Duration::from_secs(10);
/// Addresses with a recent exchange or departure that are kept in mind.
const ADDRESSES_MAX: usize = 65_536;

/// What is kept in mind of peers.
#[derive(Default)]
pub(super) struct Recollection {
    /// When each address last had an answer over a stream: what proves it to lobby ports.
    exchanges: HashMap<IpAddr, Time>,
    /// Players who have just gone, and whose hello or goodbye may come again.
    departed: HashMap<(Endpoint, SocketAddr), Departed>,
    /// Where the numbers ended that were sent to those who have gone or were refused, and when.
    numbers: HashMap<(Endpoint, SocketAddr), (Time, Numbers)>,
    /// Players whom the host has just thrown out. A dialect in which every datagram asks for a seat would have them back
    /// at once.
    kept_out: HashMap<(Dialect, IpAddr), Time>,
    /// Streams whose peer has sent no datagram yet, the oldest first.
    unclaimed: HashMap<(Endpoint, IpAddr), VecDeque<Unclaimed>>,
}

/// What a datagram said, as far as it takes to know it again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Fingerprint(u64);

struct Departed {
    since: Time,
    /// The datagram that opened the session; none where a stream did.
    knock: Option<Fingerprint>,
}

struct Unclaimed {
    address: SocketAddr,
    since: Time,
}

impl Fingerprint {
    pub fn of(bytes: &[u8]) -> Fingerprint {
        let mut hasher = DefaultHasher::new();
        bytes.hash(&mut hasher);
        Fingerprint(hasher.finish())
    }
}

impl Recollection {
    /// An address was answered over a stream.
    pub fn note_exchange(&mut self, now: Time, from: SocketAddr) {
        make_room(&mut self.exchanges, |since| now.since(*since) < EXCHANGE_LASTS);
        if self.exchanges.len() < ADDRESSES_MAX {
            self.exchanges.insert(from.ip(), now);
        }
    }

    /// Whether an address is proved to lobby ports.
    pub fn has_exchanged(&self, now: Time, from: SocketAddr) -> bool {
        self.exchanges.get(&from.ip()).is_some_and(|since| now.since(*since) < EXCHANGE_LASTS)
    }

    /// A player has gone.
    pub fn note_departure(
        &mut self,
        now: Time,
        at: Endpoint,
        from: SocketAddr,
        knock: Option<Fingerprint>,
        numbers: Numbers,
    ) {
        make_room(&mut self.departed, |departed| now.since(departed.since) < FAREWELL_LASTS);
        if self.departed.len() < ADDRESSES_MAX {
            self.departed.insert((at, from), Departed { since: now, knock });
        }
        self.note_numbers(now, at, from, numbers);
    }

    /// Ruling S4: where the numbers that an address knows ended, however long ago, if that is still known.
    pub fn numbers(&self, at: Endpoint, from: SocketAddr) -> Numbers {
        self.numbers.get(&(at, from)).map_or_else(Numbers::default, |(_, numbers)| *numbers)
    }

    /// That is where it is now.
    pub fn note_numbers(&mut self, now: Time, at: Endpoint, from: SocketAddr, numbers: Numbers) {
        make_room(&mut self.numbers, |(since, _)| now.since(*since) < FAREWELL_LASTS);
        let is_known = self.numbers.contains_key(&(at, from));
        if is_known || (numbers != Numbers::default() && self.numbers.len() < ADDRESSES_MAX) {
            self.numbers.insert((at, from), (now, numbers));
        }
    }

    /// Whether somebody has only just gone.
    pub fn has_just_left(&self, now: Time, at: Endpoint, from: SocketAddr) -> bool {
        self.departed(now, at, from).is_some()
    }

    /// Ruling R2: at a lobby's port a request is named by its timestamp, so the same bytes are the same request, late.
    pub fn is_late_repeat(&self, now: Time, at: Endpoint, from: SocketAddr, bytes: &[u8]) -> bool {
        let has_lobby = matches!(at, Endpoint::Lobby(..));
        has_lobby && self.departed(now, at, from).is_some_and(|departed| departed.knock == Some(Fingerprint::of(bytes)))
    }

    fn departed(&self, now: Time, at: Endpoint, from: SocketAddr) -> Option<&Departed> {
        self.departed.get(&(at, from)).filter(|departed| now.since(departed.since) < FAREWELL_LASTS)
    }

    /// Gives no seat to that host in that dialect for a while. Who plays from there goes on.
    pub fn keep_out(&mut self, now: Time, at: Endpoint, from: SocketAddr) {
        make_room(&mut self.kept_out, |since| now.since(*since) < KEPT_OUT);
        if self.kept_out.len() < ADDRESSES_MAX {
            self.kept_out.insert((at.dialect(), from.ip()), now);
        }
    }

    /// Whether a host gets no seat.
    pub fn is_kept_out(&self, now: Time, at: Endpoint, from: SocketAddr) -> bool {
        self.kept_out.get(&(at.dialect(), from.ip())).is_some_and(|since| now.since(*since) < KEPT_OUT)
    }

    /// A stream opened a session that awaits its first datagram.
    pub fn await_claim(&mut self, now: Time, at: Endpoint, address: SocketAddr) {
        self.unclaimed.entry((at, address.ip())).or_default().push_back(Unclaimed { address, since: now });
    }

    /// That session has its datagram, or is over.
    pub fn forget_claim(&mut self, at: Endpoint, address: SocketAddr) {
        let key = (at, address.ip());
        let Some(waiting) = self.unclaimed.get_mut(&key) else { return };
        waiting.retain(|unclaimed| unclaimed.address != address);
        if waiting.is_empty() {
            self.unclaimed.remove(&key);
        }
    }

    /// Ruling A2: the stream whose session an unknown address of the same host claims: its oldest unclaimed one. It waits
    /// no longer.
    pub fn claim(&mut self, now: Time, at: Endpoint, from: SocketAddr) -> Option<SocketAddr> {
        let oldest = self.unclaimed.get(&(at, from.ip()))?.front()?;
        if now.since(oldest.since) < CLAIM_AFTER {
            return None;
        }
        let address = oldest.address;
        self.forget_claim(at, address);
        Some(address)
    }
}

/// Forgets what is long ago, once there is too much to keep in mind.
fn make_room<K, V>(kept: &mut HashMap<K, V>, is_recent: impl Fn(&V) -> bool) {
    if kept.len() >= ADDRESSES_MAX {
        kept.retain(|_, value| is_recent(value));
    }
}
