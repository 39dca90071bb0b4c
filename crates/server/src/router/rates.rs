//! How much may come from one address in a second (ruling C13). What is beyond that is dropped unanswered.
//!
//! All shards count together, without a lock, in a table of fixed size: an address finds its place by a hash that nobody
//! outside can guess, and asking costs the same whatever comes. Addresses that share a place share what it allows.

use std::{
    hash::{BuildHasher, RandomState},
    net::IpAddr,
    sync::atomic::{AtomicU64, Ordering},
};

use protocol::Time;

use crate::{address_group::address_group, limits::Limits};

/// Places of the table, for each kind of sender: what can be forged crowds nothing out that cannot.
const PLACES: usize = 16_384;

/// What is counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Rate {
    /// Datagrams of peers that are not known.
    FirstDatagrams,
    /// Requests for a seat.
    Joins,
    /// Connections that open a session or ask for a lobby.
    Sessions,
    /// Lobbies made.
    Lobbies,
    /// Bytes of datagrams, and of TCP.
    Bytes,
}

impl Rate {
    const COUNT: usize = 5;

    /// How many a second.
    fn per_second(self, limits: &Limits) -> u64 {
        match self {
            // A client repeats its request, and each may come with other datagrams.
            Rate::FirstDatagrams => u64::from(limits.joins_per_address) * 4,
            Rate::Joins => limits.joins_per_address.into(),
            Rate::Sessions => limits.sessions_per_address.into(),
            Rate::Lobbies => limits.lobbies_per_address.into(),
            Rate::Bytes => limits.bytes_per_address.into(),
        }
    }

    /// How many seconds' worth at once: enough for a class that comes back after a power cut, since clients ask again.
    fn seconds_at_once(self) -> u64 {
        match self {
            Rate::FirstDatagrams | Rate::Sessions => 4,
            Rate::Lobbies => 8,
            Rate::Joins | Rate::Bytes => 2,
        }
    }
}

/// Where something came from, and how sure that is. Each is counted by itself: what anybody can send in the name of an address takes
/// nothing from what only that address can send.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum RatedSender {
    /// The other end of a stream or a link.
    Connected(IpAddr),
    /// An address that was at the desk lately, at a lobby's port.
    AtLobbyPort(IpAddr),
    /// An address that a datagram names.
    Named(IpAddr),
}

impl RatedSender {
    const KINDS: usize = 3;

    /// Which table it is counted in.
    fn kind(self) -> usize {
        match self {
            RatedSender::Connected(_) => 0,
            RatedSender::AtLobbyPort(_) => 1,
            RatedSender::Named(_) => 2,
        }
    }

    /// The same for its whole address group.
    fn group(self) -> RatedSender {
        match self {
            RatedSender::Connected(ip) => RatedSender::Connected(address_group(ip)),
            RatedSender::AtLobbyPort(ip) => RatedSender::AtLobbyPort(address_group(ip)),
            RatedSender::Named(ip) => RatedSender::Named(address_group(ip)),
        }
    }

    fn is_loopback(self) -> bool {
        let (RatedSender::Connected(ip) | RatedSender::AtLobbyPort(ip) | RatedSender::Named(ip)) = self;
        ip.is_loopback()
    }
}

/// What has come from every address lately.
pub(crate) struct Rates {
    hasher: RandomState,
    limits: Limits,
    places: Box<[RateCells]>,
    /// Whether loopback is limited as well.
    limits_loopback: bool,
}

/// For each rate, until when what has come takes to be made up for, in nanoseconds since 1970.
type RateCells = [AtomicU64; Rate::COUNT];

impl Rates {
    pub fn new(limits: Limits, limits_loopback: bool) -> Rates {
        let places = (0..PLACES * RatedSender::KINDS).map(|_| RateCells::default()).collect();
        Rates { hasher: RandomState::new(), limits, places, limits_loopback }
    }

    /// Whether this much more may come from there now; if so it is counted.
    pub fn admit(&self, now: Time, from: RatedSender, rate: Rate, amount: usize) -> bool {
        let group = from.group();
        if group.is_loopback() && !self.limits_loopback {
            return true;
        }
        let index = group.kind() * PLACES + (self.hasher.hash_one(group) % PLACES as u64) as usize;
        let per_second = rate.per_second(&self.limits).max(1);
        let cost = (amount as u64).saturating_mul(1_000_000_000) / per_second;
        let now = now.micros().saturating_mul(1_000);
        let latest = now.saturating_add(rate.seconds_at_once() * 1_000_000_000);
        let taken = |until: u64| Some(until.max(now).saturating_add(cost)).filter(|until| *until <= latest);
        self.places[index][rate as usize].fetch_update(Ordering::Relaxed, Ordering::Relaxed, taken).is_ok()
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    const START: Time = Time::from_micros(1_000_000_000);

    fn rates(limit_loopback: bool) -> Rates {
        Rates::new(Limits::default(), limit_loopback)
    }

    fn admitted(rates: &Rates, now: Time, from: &str, count: usize) -> usize {
        let from = RatedSender::Named(from.parse().expect("an address"));
        (0..count).filter(|_| rates.admit(now, from, Rate::Joins, 1)).count()
    }

    #[test]
    fn c13_an_address_has_a_burst_and_then_its_rate_and_an_ipv6_network_is_one_address() {
        let rates = rates(false);
        assert_eq!(admitted(&rates, START, "203.0.113.5", 10_000), 32);
        assert_eq!(admitted(&rates, START + Duration::from_secs(1), "203.0.113.5", 10_000), 16);
        assert_eq!(admitted(&rates, START + Duration::from_secs(60), "::ffff:203.0.113.5", 10_000), 32);
        assert_eq!(admitted(&rates, START, "2001:db8::1", 20) + admitted(&rates, START, "2001:db8::2", 20), 32);
        let from = RatedSender::Named("203.0.113.5".parse().expect("an address"));
        assert!(rates.admit(START + Duration::from_secs(60), from, Rate::Bytes, 1_200), "each is counted on its own");
        assert!(!rates.admit(START + Duration::from_secs(60), from, Rate::Bytes, 4_000_000));
    }

    #[test]
    fn c13_loopback_is_limited_only_if_the_host_asks() {
        for address in ["127.0.0.1", "::1", "::ffff:127.0.0.1"] {
            assert_eq!(admitted(&rates(false), START, address, 10_000), 10_000);
            assert_eq!(admitted(&rates(true), START, address, 10_000), 32);
        }
        assert_eq!(admitted(&rates(false), START, "192.168.1.7", 10_000), 32, "a private address is another");
    }

    #[test]
    fn c13_shards_count_together() {
        let rates = rates(false);
        let admitted: usize = std::thread::scope(|scope| {
            let shards: Vec<_> =
                (0..4).map(|_| scope.spawn(|| admitted(&rates, START, "203.0.113.5", 1_000))).collect();
            shards.into_iter().map(|shard| shard.join().expect("no panic")).sum()
        });
        assert_eq!(admitted, 32);
    }

    #[test]
    fn c13_what_anybody_can_send_in_the_name_of_an_address_takes_nothing_from_what_it_proves() {
        let rates = rates(false);
        let ip = "203.0.113.5".parse().expect("an address");
        assert_eq!(admitted(&rates, START, "203.0.113.5", 10_000), 32);
        for sender in [RatedSender::AtLobbyPort(ip), RatedSender::Connected(ip)] {
            let admitted = (0..100).filter(|_| rates.admit(START, sender, Rate::Joins, 1)).count();
            assert_eq!(admitted, 32, "{sender:?}");
        }
    }
    #[test]
    fn c13_however_many_addresses_are_forged_whoever_is_connected_has_what_is_theirs() {
        let rates = rates(false);
        for number in 0..400_000u32 {
            let forged = RatedSender::Named(IpAddr::from((0x0b00_0000 + number).to_be_bytes()));
            (0..4).for_each(|_| _ = rates.admit(START, forged, Rate::Joins, 1));
        }
        let ip = "203.0.113.5".parse().expect("an address");
        assert!(rates.admit(START, RatedSender::Connected(ip), Rate::Joins, 1));
        assert!(rates.admit(START, RatedSender::AtLobbyPort(ip), Rate::Joins, 1));
    }
}
