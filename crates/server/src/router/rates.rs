//! How much may come from one address in a second (ruling C13). What is beyond that is dropped unanswered.
//!
//! Each shard counts for itself, without a lock, in a table of fixed size: an address finds its place by a hash that nobody
//! outside can guess, and asking costs the same whatever comes. Addresses that share a place share what it allows.

use std::{
    hash::{BuildHasher, RandomState},
    net::IpAddr,
};

use protocol::Time;

use crate::address_group::address_group;

/// Places of the table.
const PLACES: usize = 16_384;

/// What is counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Rate {
    /// Datagrams of peers that are not known.
    FirstDatagrams,
    /// Requests for a seat.
    Joins,
    /// Lobbies made.
    Lobbies,
    /// Bytes of all datagrams.
    Bytes,
}

impl Rate {
    const COUNT: usize = 4;

    /// How many a second.
    fn per_second(self) -> u32 {
        match self {
            Rate::FirstDatagrams => 256,
            Rate::Joins => 64,
            Rate::Lobbies => 4,
            Rate::Bytes => 2_000_000,
        }
    }

    /// How many at once: enough for a school that comes back after a power cut.
    fn at_once(self) -> u32 {
        match self {
            Rate::FirstDatagrams => 1_024,
            Rate::Joins => 512,
            Rate::Lobbies => 32,
            Rate::Bytes => 4_000_000,
        }
    }
}

/// What has come from every address lately.
pub(super) struct Rates {
    hasher: RandomState,
    places: Box<[Place]>,
    /// Whether loopback is limited as well.
    limits_loopback: bool,
}

/// How much of each has come and is not yet made up for by time.
#[derive(Clone, Copy, Default)]
struct Place {
    since: Time,
    levels: [f32; Rate::COUNT],
}

impl Rates {
    pub fn new(limits_loopback: bool) -> Rates {
        let places = vec![Place::default(); PLACES].into_boxed_slice();
        Rates { hasher: RandomState::new(), places, limits_loopback }
    }

    /// Whether so much more may come from there now; if so it is counted.
    pub fn admit(&mut self, now: Time, from: IpAddr, rate: Rate, amount: usize) -> bool {
        let group = address_group(from);
        if group.is_loopback() && !self.limits_loopback {
            return true;
        }
        let index = (self.hasher.hash_one(group) % PLACES as u64) as usize;
        self.places[index].admit(now, rate, amount as f32)
    }
}

impl Place {
    fn admit(&mut self, now: Time, rate: Rate, amount: f32) -> bool {
        let seconds = now.since(std::mem::replace(&mut self.since, now)).as_secs_f32();
        for rate in [Rate::FirstDatagrams, Rate::Joins, Rate::Lobbies, Rate::Bytes] {
            let level = &mut self.levels[rate as usize];
            *level = (*level - seconds * rate.per_second() as f32).max(0.0);
        }
        let level = &mut self.levels[rate as usize];
        let is_admitted = *level + amount <= rate.at_once() as f32;
        if is_admitted {
            *level += amount;
        }
        is_admitted
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    const START: Time = Time::from_micros(1_000_000_000);

    fn admitted(rates: &mut Rates, now: Time, from: &str, count: usize) -> usize {
        let from = from.parse().expect("an address");
        (0..count).filter(|_| rates.admit(now, from, Rate::Joins, 1)).count()
    }

    #[test]
    fn c13_an_address_has_a_burst_and_then_so_many_a_second_and_an_ipv6_network_is_one_address() {
        let mut rates = Rates::new(false);
        assert_eq!(admitted(&mut rates, START, "203.0.113.5", 10_000), 512);
        assert_eq!(admitted(&mut rates, START + Duration::from_secs(1), "203.0.113.5", 10_000), 64);
        assert_eq!(admitted(&mut rates, START + Duration::from_secs(60), "::ffff:203.0.113.5", 10_000), 512);
        assert_eq!(
            admitted(&mut rates, START, "2001:db8::1", 400) + admitted(&mut rates, START, "2001:db8::2", 400),
            512
        );
        let from = "203.0.113.5".parse().expect("an address");
        assert!(rates.admit(START + Duration::from_secs(60), from, Rate::Bytes, 1_200), "each is counted on its own");
        assert!(!rates.admit(START + Duration::from_secs(60), from, Rate::Bytes, 4_000_000));
    }

    #[test]
    fn c13_loopback_is_limited_only_if_the_host_asks() {
        for address in ["127.0.0.1", "::1", "::ffff:127.0.0.1"] {
            assert_eq!(admitted(&mut Rates::new(false), START, address, 10_000), 10_000);
            assert_eq!(admitted(&mut Rates::new(true), START, address, 10_000), 512);
        }
        assert_eq!(admitted(&mut Rates::new(false), START, "192.168.1.7", 10_000), 512, "a private address is another");
    }
}
