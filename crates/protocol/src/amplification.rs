//! Whom we send how much (ruling C5): a forged address must not aim our stream at a stranger.
//!
//! A door says what its dialect can prove. [`may_serve`] decides at the door, [`Allowance`] holds one peer to three
//! times what it sent until it is proved, [`Budget`] is what all unproved public peers share. Datagrams that are not
//! allowed are dropped and counted: every dialect survives loss.

use core::net::IpAddr;
use std::time::Duration;

use crate::Time;

/// What a dialect can tell about a peer's address.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Proof {
    /// A TCP exchange came first: nobody forges those.
    Stream,
    /// The peer echoes something, but it can be guessed: it holds amplification down, and proves nothing.
    Guessable,
    /// Nothing is echoed.
    Nothing,
}

/// Whether a door may serve a peer. Unproved doors serve neighbours only, who are on this machine or in one of the host's own
/// networks, unless the host opened them.
pub fn may_serve(proof: Proof, is_neighbour: bool, open_unproved: bool) -> bool {
    proof == Proof::Stream || open_unproved || is_neighbour
}

/// Whether an address is a loopback, private or link-local one.
pub fn is_local(address: IpAddr) -> bool {
    match address.to_canonical() {
        IpAddr::V4(v4) => v4.is_loopback() || v4.is_private() || v4.is_link_local(),
        IpAddr::V6(v6) => v6.is_loopback() || v6.is_unique_local() || v6.is_unicast_link_local(),
    }
}

/// No more than this many times what a peer sent, until it is proved.
pub const FACTOR: u64 = 3;
/// Of what a peer may be sent that a stream speaks for, this much is kept for the last word: GAME_STATE 4 (ruling R7).
const LAST_WORD_BYTES: u64 = 18;
/// A public unproved peer that is silent for this long …
pub const SILENCE: Duration = Duration::from_secs(10);
/// … gets one datagram in this time.
pub const TRICKLE: Duration = Duration::from_secs(1);

/// What one peer sent and was sent.
#[derive(Clone, Copy, Debug)]
pub struct Allowance {
    proof: Proof,
    is_public: bool,
    /// Whether it gets no more than three times what it sent as long as it is not proved.
    is_held: bool,
    /// Kept for the last word.
    reserved_bytes: u64,
    received_bytes: u64,
    sent_bytes: u64,
    heard: Time,
    trickled: Time,
}

impl Allowance {
    /// A new peer of a door with that proof.
    pub fn new(now: Time, proof: Proof, is_neighbour: bool) -> Allowance {
        let (is_public, is_held) = (!is_neighbour, proof == Proof::Guessable);
        Allowance {
            proof,
            is_public,
            is_held,
            reserved_bytes: 0,
            received_bytes: 0,
            sent_bytes: 0,
            heard: now,
            trickled: now,
        }
    }

    /// Holds a peer down until it is proved, though its address is: it speaks from a port that a stream has said nothing about.
    /// What it sent over the stream counts.
    pub fn hold(&mut self, stream_bytes: u64) {
        self.is_held = true;
        self.reserved_bytes = if stream_bytes > 0 { LAST_WORD_BYTES } else { 0 };
        self.received_bytes = self.received_bytes.saturating_add(stream_bytes);
    }

    /// Its session is over: what is sent from now on is the last word.
    pub fn end(&mut self) {
        self.reserved_bytes = 0;
    }

    /// Bytes of datagrams that the peer sent.
    pub fn received_bytes(&self) -> u64 {
        self.received_bytes
    }

    /// Bytes of datagrams that the peer was sent.
    pub fn sent_bytes(&self) -> u64 {
        self.sent_bytes
    }

    /// Whether it takes part in the [`Budget`] of unproved public peers.
    pub fn is_budgeted(&self) -> bool {
        self.is_public && self.proof != Proof::Stream
    }

    /// The peer sent a datagram.
    pub fn received(&mut self, now: Time, bytes: usize) {
        self.received_bytes = self.received_bytes.saturating_add(bytes as u64);
        self.heard = now;
    }

    /// The node itself stood still for this long: that is nobody's silence (ruling C15).
    pub fn forgive(&mut self, lost: Duration) {
        self.heard = self.heard + lost;
    }

    /// Whether a datagram may go out now; if so it counts as sent. `is_proved` is what its session says.
    pub fn spend(&mut self, now: Time, bytes: usize, is_proved: bool) -> bool {
        let sent_then = self.sent_bytes + bytes as u64 + self.reserved_bytes;
        let too_much = self.is_held && !is_proved && sent_then > FACTOR * self.received_bytes;
        if too_much || !self.trickles(now) {
            return false;
        }
        self.sent_bytes = self.sent_bytes.saturating_add(bytes as u64);
        true
    }

    /// Public peers that fell silent get one datagram a second until they speak.
    fn trickles(&mut self, now: Time) -> bool {
        if !self.is_budgeted() || now.since(self.heard) < SILENCE {
            return true;
        }
        let due = now.since(self.trickled) >= TRICKLE;
        if due {
            self.trickled = now;
        }
        due
    }
}

/// What all unproved public peers together may be sent: a bucket that fills at a rate, and from which the newest
/// sessions are the first to get nothing.
#[derive(Clone, Debug)]
pub struct Budget {
    bytes_per_second: u64,
    /// Bytes times a million, so that nothing is lost to rounding.
    level: u64,
    filled: Time,
}

impl Budget {
    /// 2 Mbit/s.
    pub const DEFAULT_BYTES_PER_SECOND: u64 = 250_000;

    /// A full bucket: one second's worth.
    pub fn new(now: Time, bytes_per_second: u64) -> Budget {
        Budget { bytes_per_second, level: bytes_per_second * 1_000_000, filled: now }
    }

    /// Changes the rate from now on. What was saved up beyond one second of the new one is lost.
    pub fn set_rate(&mut self, bytes_per_second: u64) {
        self.bytes_per_second = bytes_per_second;
    }

    /// Whether a peer may be sent a datagram now; if so it counts as sent. `rank` is its place among `count` budgeted
    /// sessions, the oldest first: the newer a session, the fuller the bucket must be for it.
    pub fn spend(&mut self, now: Time, bytes: usize, rank: usize, count: usize) -> bool {
        let elapsed = now.since(self.filled).as_micros() as u64;
        self.filled = now;
        let full = self.bytes_per_second * 1_000_000;
        self.level = self.level.saturating_add(elapsed.saturating_mul(self.bytes_per_second)).min(full);
        // Half of the bucket is graded by age, so that the newest is slowed while the oldest is not.
        let reserved = full / 2 / count.max(1) as u64 * rank.min(count) as u64;
        let cost = bytes as u64 * 1_000_000;
        let allowed = self.level >= reserved + cost;
        if allowed {
            self.level -= cost;
        }
        allowed
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(ms: u64) -> Time {
        Time::from_micros(ms * 1000)
    }

    #[test]
    fn c5_unproved_doors_serve_only_neighbours_unless_opened() {
        for proof in [Proof::Nothing, Proof::Guessable] {
            assert!(may_serve(proof, true, false) && may_serve(proof, false, true));
            assert!(!may_serve(proof, false, false));
        }
        assert!(may_serve(Proof::Stream, false, false));
    }

    #[test]
    fn local_addresses_are_those_of_this_machine_and_private_ones() {
        let is_local = |address: &str| is_local(address.parse().unwrap());
        for address in ["127.0.0.1", "10.1.2.3", "192.168.1.1", "172.31.0.1", "::1", "fd00::1", "::ffff:127.0.0.1"] {
            assert!(is_local(address), "{address}");
        }
        for address in ["203.0.113.9", "172.32.0.1", "2001:db8::1", "::ffff:203.0.113.9"] {
            assert!(!is_local(address), "{address}");
        }
    }

    #[test]
    fn c5_a_peer_at_another_port_of_a_proved_address_is_held_until_it_confirms_something() {
        let mut allowance = Allowance::new(at(0), Proof::Stream, true);
        allowance.hold(20);
        allowance.received(at(0), 17);
        assert!(
            allowance.spend(at(0), 93, false) && !allowance.spend(at(0), 1, false),
            "the rest is for the last word"
        );
        let mut ended = allowance;
        ended.end();
        assert!(ended.spend(at(0), 18, false) && !ended.spend(at(0), 1, false));
        assert!(allowance.spend(at(0), 10_000, true));
    }

    #[test]
    fn c5_a_guessable_peer_gets_three_times_what_it_sent_until_it_is_proved_wherever_it_is() {
        let mut allowance = Allowance::new(at(0), Proof::Guessable, true);
        assert!(!allowance.spend(at(0), 1, false));
        allowance.received(at(0), 15);
        assert!(allowance.spend(at(0), 30, false));
        assert!(allowance.spend(at(0), 15, false));
        assert!(!allowance.spend(at(0), 1, false));
        assert!(allowance.spend(at(0), 1000, true));
    }

    #[test]
    fn c5_a_silent_public_peer_gets_one_datagram_a_second_until_it_speaks() {
        let mut allowance = Allowance::new(at(0), Proof::Nothing, false);
        allowance.received(at(0), 1);
        assert!(allowance.spend(at(9_999), 100, false));
        let sent = (10_000..20_000).step_by(16).filter(|&ms| allowance.spend(at(ms), 100, false)).count();
        assert!((10..=11).contains(&sent), "{sent}");
        allowance.received(at(20_000), 1);
        assert!(allowance.spend(at(20_001), 100, false) && allowance.spend(at(20_002), 100, false));
    }

    #[test]
    fn c5_public_peers_share_a_budget_and_the_newest_are_slowed_first() {
        let mut budget = Budget::new(at(0), 10_000);
        let mut sent = [0; 4];
        for ms in 0..5_000 {
            for (rank, sent) in sent.iter_mut().enumerate() {
                *sent += usize::from(budget.spend(at(ms), 10, rank, 4));
            }
        }
        let total: usize = sent.iter().sum::<usize>() * 10;
        assert!((50_000..=60_100).contains(&total), "five seconds and the first bucket: {total}");
        assert!(sent[0] == 5_000 && sent[3] < 1_000, "{sent:?}");
    }
}
