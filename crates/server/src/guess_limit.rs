//! How often a secret may be guessed wrong, from one address group and in all: lobby codes and the admin token.
//!
//! Only wrong guesses count. Whoever has made too many has to wait, even with the right one: otherwise the limit would tell
//! which it is. The table has a fixed size and a place is found by a hash that nobody outside can guess, so asking costs the
//! same whatever comes; addresses that share a place share what it allows.

use std::{
    hash::{BuildHasher, RandomState},
    net::IpAddr,
};

use protocol::Time;

use crate::address_group::address_group;

/// Places of the table.
const PLACES: usize = 4_096;
/// The place behind them, which loopback has to itself: nobody else's guesses count against the host's own machine.
const LOOPBACK: usize = PLACES;
/// Wrong guesses from one address group: at once, and a second after that.
const PER_ADDRESS: GuessRate = GuessRate { at_once: 20.0, per_second: 0.2 };
/// Wrong guesses in all.
const IN_ALL: GuessRate = GuessRate { at_once: 200.0, per_second: 20.0 };

struct GuessRate {
    at_once: f32,
    per_second: f32,
}

/// Counts wrong guesses of one kind of secret.
pub(crate) struct GuessLimit {
    hasher: RandomState,
    places: Box<[WrongGuesses]>,
    /// None: there is no limit for all addresses together.
    all: Option<WrongGuesses>,
    /// Whether loopback has the limit of one address. A proxy may run there, which speaks for many.
    limits_loopback: bool,
}

/// How many wrong guesses are not yet made up for by time.
#[derive(Clone, Copy, Default)]
struct WrongGuesses {
    since: Time,
    count: f32,
}

impl GuessLimit {
    /// For codes that players type.
    pub fn of_codes(limits_loopback: bool) -> GuessLimit {
        let places = vec![WrongGuesses::default(); PLACES + 1].into_boxed_slice();
        GuessLimit { hasher: RandomState::new(), places, all: Some(WrongGuesses::default()), limits_loopback }
    }

    /// For the host's token. It is too long to be found from many addresses either, and those must not shut out the host.
    pub fn of_tokens() -> GuessLimit {
        GuessLimit { all: None, ..GuessLimit::of_codes(true) }
    }

    /// Whether a guess from there is looked at.
    pub fn allows(&self, now: Time, from: IpAddr) -> bool {
        let place = self.place(from).map(|index| &self.places[index]);
        place.is_none_or(|place| place.has_room(now, &PER_ADDRESS))
            && self.all.is_none_or(|all| all.has_room(now, &IN_ALL))
    }

    /// A guess from there was wrong.
    pub fn note_wrong(&mut self, now: Time, from: IpAddr) {
        if let Some(index) = self.place(from) {
            self.places[index].add(now, &PER_ADDRESS);
        }
        if let Some(all) = &mut self.all {
            all.add(now, &IN_ALL);
        }
    }

    fn place(&self, from: IpAddr) -> Option<usize> {
        let group = address_group(from);
        match group.is_loopback() {
            true => self.limits_loopback.then_some(LOOPBACK),
            false => Some((self.hasher.hash_one(group) % PLACES as u64) as usize),
        }
    }
}

impl WrongGuesses {
    fn at(&self, now: Time, limit: &GuessRate) -> f32 {
        (self.count - now.since(self.since).as_secs_f32() * limit.per_second).max(0.0)
    }

    fn has_room(&self, now: Time, limit: &GuessRate) -> bool {
        self.at(now, limit) + 1.0 <= limit.at_once
    }

    fn add(&mut self, now: Time, limit: &GuessRate) {
        *self = WrongGuesses { count: self.at(now, limit) + 1.0, since: now };
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    const START: Time = Time::from_micros(1_000_000_000);

    /// How many of these wrong guesses are looked at.
    fn guesses(limit: &mut GuessLimit, now: Time, from: &str, count: usize) -> usize {
        let from = from.parse().expect("an address");
        let guess = |_: &usize| {
            let is_allowed = limit.allows(now, from);
            if is_allowed {
                limit.note_wrong(now, from);
            }
            is_allowed
        };
        (0..count).filter(guess).count()
    }

    #[test]
    fn an_address_has_a_few_guesses_and_then_one_every_five_seconds() {
        let mut limit = GuessLimit::of_codes(false);
        assert_eq!(guesses(&mut limit, START, "203.0.113.5", 1000), 20);
        assert_eq!(guesses(&mut limit, START + Duration::from_secs(60), "::ffff:203.0.113.5", 1000), 12);
        assert_eq!(guesses(&mut limit, START, "203.0.113.6", 1000), 20, "another address has its own");
        let network = ["2001:db8::1", "2001:db8::2", "2001:db8::ffff:3"];
        assert_eq!(network.map(|address| guesses(&mut limit, START, address, 15)), [15, 5, 0]);
    }

    #[test]
    fn many_addresses_have_a_limit_together_and_loopback_only_that() {
        let mut limit = GuessLimit::of_codes(false);
        let from = |number: usize| format!("203.0.{}.{}", number / 250, number % 250);
        let all: usize = (0..2000).map(|number| guesses(&mut limit, START, &from(number), 1)).sum();
        assert_eq!(all, 200);
        assert_eq!(guesses(&mut limit, START + Duration::from_secs(1), "127.0.0.1", 1000), 20);
        assert_eq!(guesses(&mut GuessLimit::of_codes(false), START, "::1", 1000), 200);
        assert_eq!(guesses(&mut GuessLimit::of_codes(true), START, "127.0.0.1", 1000), 20);
    }

    #[test]
    fn wrong_tokens_from_elsewhere_do_not_shut_out_the_host() {
        let mut limit = GuessLimit::of_tokens();
        let from = |number: usize| format!("203.0.{}.{}", number / 250, number % 250);
        let all: usize = (0..2000).map(|number| guesses(&mut limit, START, &from(number), 20)).sum();
        assert!(all > 20_000, "{all}");
        assert_eq!(guesses(&mut limit, START, "127.0.0.1", 1000), 20);
    }

    #[test]
    fn right_guesses_cost_nothing() {
        let limit = GuessLimit::of_codes(true);
        let from = "203.0.113.5".parse().expect("an address");
        assert!((0..1000).all(|_| limit.allows(START, from)));
    }
}
