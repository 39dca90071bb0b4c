//! Whether a peer is still there, as far as its system tells with ICMP "port unreachable" (ruling C6).
//!
//! Anybody can forge such a message, so it is a hint: it counts if it comes from the peer's own address and quotes what we
//! have just sent there, and even then the peer may prove it wrong by saying anything within a second.

use std::{net::IpAddr, time::Duration};

use protocol::Time;

use crate::peer::PeerKey;

/// So much of a datagram is looked at: more than the header of any dialect, with what nobody else can know.
const QUOTED_BYTES: usize = 32;
/// A hint quotes a datagram that is no older.
const QUOTE_LASTS: Duration = Duration::from_secs(2);
/// So many hints without a quote, over at least so long, count as one.
const UNQUOTED_HINTS: u32 = 3;
const UNQUOTED_SPAN: Duration = Duration::from_secs(2);
/// A session ends if nothing is heard for so long after a hint that counts.
const SILENCE: Duration = Duration::from_secs(1);
/// Datagrams that are kept in mind. Where more leave in two seconds, the newer ones overwrite the older.
const SENT_KEPT: usize = 256;

/// A message "port unreachable" about what was sent to a peer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct UnreachableHint {
    /// Where it comes from, if the system says so.
    from: Option<IpAddr>,
    /// What it quotes of the datagram; none if it quotes nothing.
    quote: Option<Quote>,
}

impl UnreachableHint {
    /// A hint that comes from there and quotes these bytes of the datagram.
    pub fn new(from: Option<IpAddr>, quote: &[u8]) -> UnreachableHint {
        UnreachableHint { from, quote: (!quote.is_empty()).then(|| Quote::of(quote)) }
    }
}

/// The hash of the first bytes of a datagram.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Quote(u64);

impl Quote {
    /// FNV-1a. Made for every datagram that leaves.
    fn of(bytes: &[u8]) -> Quote {
        let first = &bytes[..bytes.len().min(QUOTED_BYTES)];
        let step = |hash: u64, byte: &u8| (hash ^ u64::from(*byte)).wrapping_mul(0x0000_0100_0000_01b3);
        Quote(first.iter().fold(0xcbf2_9ce4_8422_2325, step))
    }

    fn place(self) -> usize {
        (self.0 % SENT_KEPT as u64) as usize
    }
}

/// What is known of a peer's being there.
#[derive(Default)]
pub(super) struct Reachability {
    /// What was sent, and when; empty before the first datagram.
    sent: Vec<(Quote, Time)>,
    /// Hints without a quote since the peer was last heard: when the first came, and how many there were.
    unquoted: Option<(Time, u32)>,
    /// When a hint counted, if nothing has been heard since.
    doubted_since: Option<Time>,
}

impl Reachability {
    /// A datagram leaves.
    pub fn sent(&mut self, now: Time, bytes: &[u8]) {
        if self.sent.is_empty() {
            self.sent = vec![(Quote(0), Time::default()); SENT_KEPT];
        }
        let quote = Quote::of(bytes);
        self.sent[quote.place()] = (quote, now);
    }

    /// The peer says something.
    pub fn heard(&mut self) {
        self.unquoted = None;
        self.doubted_since = None;
    }

    /// Somebody says that nobody listens where the peer is.
    pub fn hint(&mut self, now: Time, peer: PeerKey, hint: UnreachableHint) {
        if hint.from.map(|from| from.to_canonical()) != Some(peer.ip().to_canonical()) {
            return;
        }
        let counts = match hint.quote {
            Some(quote) => self.has_just_sent(now, quote),
            None => self.count_unquoted(now),
        };
        if counts {
            self.doubted_since.get_or_insert(now);
        }
    }

    /// Whether the peer is gone: a hint counted, and nothing was heard since.
    pub fn is_gone(&self, now: Time) -> bool {
        self.doubted_since.is_some_and(|since| now.since(since) >= SILENCE)
    }

    fn has_just_sent(&self, now: Time, quote: Quote) -> bool {
        self.sent.get(quote.place()).is_some_and(|(sent, at)| *sent == quote && now.since(*at) <= QUOTE_LASTS)
    }

    fn count_unquoted(&mut self, now: Time) -> bool {
        let (first, count) = self.unquoted.get_or_insert((now, 0));
        *count += 1;
        *count >= UNQUOTED_HINTS && now.since(*first) >= UNQUOTED_SPAN
    }
}

#[cfg(test)]
mod tests {
    use std::net::SocketAddr;

    use protocol::Dialect;

    use super::*;

    const DATAGRAM: &[u8] = b"a datagram of more than thirty-two bytes, as most are";

    fn at(ms: u64) -> Time {
        Time::from_micros(1_000_000_000 + ms * 1000)
    }

    fn peer() -> PeerKey {
        PeerKey::at_door(Dialect::Typeuh, SocketAddr::from(([192, 0, 2, 7], 5000)))
    }

    fn hint(quote: &[u8]) -> UnreachableHint {
        UnreachableHint::new(Some(peer().ip()), quote)
    }

    /// Whether the peer is taken for gone, a second after the last of these hints.
    fn ends(hints: &[(u64, UnreachableHint)]) -> bool {
        let mut peers = Reachability::default();
        peers.sent(at(0), DATAGRAM);
        hints.iter().for_each(|(ms, hint)| peers.hint(at(*ms), peer(), *hint));
        let last = hints.last().map_or(0, |(ms, _)| *ms);
        assert!(!peers.is_gone(at(last)), "nobody is gone at once");
        peers.is_gone(at(last + 1_000))
    }

    #[test]
    fn c6_a_hint_counts_if_the_peers_address_quotes_what_was_sent_there_in_the_last_two_seconds() {
        assert!(ends(&[(10, hint(DATAGRAM))]));
        assert!(ends(&[(2_000, hint(&DATAGRAM[..32]))]), "its first bytes are enough");
        assert!(!ends(&[(2_001, hint(DATAGRAM))]), "too old");
        assert!(!ends(&[(10, hint(b"another datagram of more than thirty-two bytes"))]), "never sent");
        let third = Some(IpAddr::from([198, 51, 100, 1]));
        assert!(!ends(&[(10, UnreachableHint::new(third, DATAGRAM))]), "from a third address");
        assert!(!ends(&[(10, UnreachableHint::new(None, DATAGRAM))]), "from nowhere");
        let mapped = Some("::ffff:192.0.2.7".parse().expect("an address"));
        assert!(ends(&[(10, UnreachableHint::new(mapped, DATAGRAM))]), "the same address, as IPv6 sockets write it");
    }

    #[test]
    fn c6_three_hints_without_a_quote_over_two_seconds_count_as_one() {
        let hints = |times: &[u64]| times.iter().map(|ms| (*ms, hint(b""))).collect::<Vec<_>>();
        assert!(ends(&hints(&[0, 1_000, 2_000])));
        assert!(!ends(&hints(&[0, 2_000])), "two");
        assert!(!ends(&hints(&[0, 500, 1_000, 1_900])), "within less");
    }

    #[test]
    fn c6_a_peer_that_is_heard_within_a_second_stays() {
        let mut peers = Reachability::default();
        peers.sent(at(0), DATAGRAM);
        peers.hint(at(10), peer(), hint(DATAGRAM));
        assert!(!peers.is_gone(at(1_009)) && peers.is_gone(at(1_010)));
        peers.heard();
        assert!(!peers.is_gone(at(60_000)));
        [100, 1_200].into_iter().for_each(|ms| peers.hint(at(ms), peer(), hint(b"")));
        peers.heard();
        peers.hint(at(2_200), peer(), hint(b""));
        assert!(!peers.is_gone(at(60_000)), "hints from before it was heard are forgotten");
    }
}
