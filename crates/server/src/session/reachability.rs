//! Whether a peer is still there, as far as its system says with ICMP "port unreachable" (ruling C6).
//!
//! Anybody can forge such a message, so it is only a hint. It counts if it comes from the peer's own address and quotes what we
//! have just sent there. Even then the peer can prove it wrong by saying anything within a second.

use std::{net::IpAddr, time::Duration};

use protocol::Time;
use xxhash_rust::xxh3::xxh3_64;

use crate::peer::PeerKey;

/// How much of a datagram is looked at: more than the header of any dialect, with what nobody else can know.
const QUOTED_BYTES: usize = 32;
/// How much of it is kept as it was, for hints that quote less of it. Where a calm player may be silent (`typeuh`,
/// `snapshot`), nobody else can know these either.
const HEAD_BYTES: usize = 8;
/// How old a datagram may be that a hint quotes.
const QUOTE_LASTS: Duration = Duration::from_secs(2);
/// How many hints without a quote that proves anything, over at least how long, count as one.
const UNQUOTED_HINTS: u32 = 3;
const UNQUOTED_SPAN: Duration = Duration::from_secs(2);
/// How long nothing may be heard after a hint that counts before the session ends.
const SILENCE: Duration = Duration::from_secs(1);
/// Datagrams that are kept in mind: at first, and at most. Where more leave in two seconds, the newest are kept.
const SENT_KEPT: usize = 32;
const SENT_KEPT_MAX: usize = 2_048;

/// Hints that are compared with what was sent, in one second: each costs a look at all of it. Whoever sends more forges them.
const HINTS_PER_SECOND: u32 = 16;

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

/// The first bytes of a datagram.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Quote {
    /// Of all that is looked at.
    hash: u64,
    /// The very first, followed by zeros where there are no more.
    head: u64,
    /// How many there are of those that are looked at.
    bytes: usize,
}

impl Quote {
    /// Made for every datagram that leaves, so by a hash that is quick for few bytes.
    fn of(bytes: &[u8]) -> Quote {
        let bytes = &bytes[..bytes.len().min(QUOTED_BYTES)];
        let mut head = [0; HEAD_BYTES];
        head.iter_mut().zip(bytes).for_each(|(kept, byte)| *kept = *byte);
        Quote { hash: xxh3_64(bytes), head: u64::from_be_bytes(head), bytes: bytes.len() }
    }
}

/// How well a quote fits a datagram.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Fit {
    Not,
    /// It fits, but anybody could have guessed so little.
    TooShort,
    Fits,
}

/// A datagram that left, in sixteen bytes because there are a hundred of them for each player.
#[derive(Clone, Copy)]
struct Sent {
    /// As much of its hash as there is room for, and when it left in milliseconds.
    stamp: u64,
    /// As in its quote; of a datagram that is shorter than that, something that no quote begins with.
    head: u64,
}

impl Sent {
    /// Seventeen minutes, after which its time seems new again. A quote of the same bytes would do no harm then either.
    const TIME_BITS: u32 = 20;
    const TIME_MASK: u64 = (1 << Self::TIME_BITS) - 1;

    fn new(now: Time, quote: Quote) -> Sent {
        let stamp = (quote.hash << Self::TIME_BITS) | ((now.micros() / 1000) & Self::TIME_MASK);
        Sent { stamp, head: if quote.bytes < HEAD_BYTES { quote.hash } else { quote.head } }
    }

    fn fit(self, quote: Quote) -> Fit {
        let is_whole = self.stamp >> Self::TIME_BITS == (quote.hash << Self::TIME_BITS) >> Self::TIME_BITS;
        let missing_bits = 8 * HEAD_BYTES.saturating_sub(quote.bytes);
        match quote.bytes {
            _ if is_whole => Fit::Fits,
            QUOTED_BYTES.. => Fit::Not,
            _ if self.head >> missing_bits != quote.head >> missing_bits => Fit::Not,
            HEAD_BYTES.. => Fit::Fits,
            _ => Fit::TooShort,
        }
    }

    fn age(self, now: Time) -> Duration {
        Duration::from_millis((now.micros() / 1000).wrapping_sub(self.stamp) & Self::TIME_MASK)
    }
}

/// What is known of a peer's being there.
#[derive(Default)]
pub(super) struct Reachability {
    /// The newest datagrams, in a ring.
    sent: Vec<Sent>,
    /// Where the oldest of them is, once there is no room for more.
    oldest: usize,
    /// Hints without a quote, or with too short a one, since the peer was last heard: when the first came, and how many
    /// there were.
    unquoted: Option<(Time, u32)>,
    /// When a hint counted, if nothing has been heard since.
    doubted_since: Option<Time>,
    /// Hints that were looked at, and since when.
    looked_at: Option<(Time, u32)>,
}

impl Reachability {
    /// A datagram leaves.
    pub fn sent(&mut self, now: Time, bytes: &[u8]) {
        let sent = Sent::new(now, Quote::of(bytes));
        let is_needed = |oldest: &Sent| oldest.age(now) <= QUOTE_LASTS;
        if self.sent.len() < SENT_KEPT_MAX && self.sent.get(self.oldest).is_none_or(is_needed) {
            return self.keep_one_more(sent);
        }
        self.sent[self.oldest] = sent;
        self.oldest = (self.oldest + 1) % self.sent.len();
    }

    fn keep_one_more(&mut self, sent: Sent) {
        // Only in the first seconds, and when more is sent than ever before.
        self.sent.rotate_left(self.oldest);
        self.oldest = 0;
        if self.sent.len() == self.sent.capacity() {
            self.sent.reserve_exact(self.sent.len().max(SENT_KEPT));
        }
        self.sent.push(sent);
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
        if self.doubted_since.is_some() || !self.may_look(now) {
            return;
        }
        let counts = match hint.quote.map_or(Fit::TooShort, |quote| self.fit(now, quote)) {
            Fit::Fits => true,
            Fit::TooShort => self.count_unquoted(now),
            Fit::Not => false,
        };
        if counts {
            self.doubted_since = Some(now);
        }
    }

    /// Whether one more hint is looked at in this second.
    fn may_look(&mut self, now: Time) -> bool {
        let (since, count) = self.looked_at.get_or_insert((now, 0));
        if now.since(*since) >= Duration::from_secs(1) {
            (*since, *count) = (now, 0);
        }
        *count += 1;
        *count <= HINTS_PER_SECOND
    }

    /// The node itself stood still for this long: the peer may have spoken meanwhile (ruling C15).
    pub fn forgive(&mut self, lost: Duration) {
        self.doubted_since = self.doubted_since.map(|since| since + lost);
        self.unquoted = self.unquoted.map(|(first, count)| (first + lost, count));
    }

    /// Whether the peer is gone: a hint counted, and nothing was heard since.
    pub fn is_gone(&self, now: Time) -> bool {
        self.doubted_since.is_some_and(|since| now.since(since) >= SILENCE)
    }

    /// How well it fits what was just sent.
    fn fit(&self, now: Time, quote: Quote) -> Fit {
        let just_sent = self.sent.iter().filter(|sent| sent.age(now) <= QUOTE_LASTS);
        just_sent.map(|sent| sent.fit(quote)).max().unwrap_or(Fit::Not)
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
    fn hints_that_are_forged_by_the_hundred_are_not_all_looked_at() {
        let forged = (10, hint(b"another datagram of more than thirty-two bytes"));
        let mut hints = vec![forged; 100];
        hints.push((11, hint(DATAGRAM)));
        assert!(!ends(&hints), "that was too many");
        hints.push((1_010, hint(DATAGRAM)));
        assert!(ends(&hints), "a second later they count again");
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
    fn c6_all_datagrams_of_the_last_two_seconds_can_be_quoted_however_many_they_are_and_memory_is_bounded() {
        let datagram = |number: u32| [&number.to_be_bytes(), DATAGRAM].concat();
        let mut peers = Reachability::default();
        // Sixty a second for a minute, then ten times as many.
        (0..3_600).for_each(|number| peers.sent(at(u64::from(number) * 1000 / 60), &datagram(number)));
        assert!(peers.sent.len() <= 122, "{}", peers.sent.len());
        (3_600..5_000)
            .for_each(|number| peers.sent(at(60_000 + u64::from(number - 3_600) * 10 / 6), &datagram(number)));
        let now = at(62_331);
        let counts = |number| peers.fit(now, Quote::of(&datagram(number))) == Fit::Fits;
        assert!((3_802..5_000).all(counts) && !(0..3_790).any(counts));
        (0..100_000).for_each(|number| peers.sent(now, &datagram(number)));
        assert_eq!(peers.sent.len(), SENT_KEPT_MAX);
    }

    #[test]
    fn c6_three_hints_without_a_quote_over_two_seconds_count_as_one() {
        let hints = |times: &[u64]| times.iter().map(|ms| (*ms, hint(b""))).collect::<Vec<_>>();
        assert!(ends(&hints(&[0, 1_000, 2_000])));
        assert!(!ends(&hints(&[0, 2_000])), "two");
        assert!(!ends(&hints(&[0, 500, 1_000, 1_900])), "within less");
    }

    #[test]
    fn c6_a_short_quote_counts_if_it_is_the_beginning_of_what_was_sent() {
        for bytes in 8..32 {
            assert!(ends(&[(10, hint(&DATAGRAM[..bytes]))]), "{bytes}");
            assert!(!ends(&[(2_001, hint(&DATAGRAM[..bytes]))]), "too old: {bytes}");
        }
        let wrong = |bytes: usize| hint(&b"a dAtagram of another size, as some are"[..bytes]);
        assert!((8..32).all(|bytes| !ends(&[(10, wrong(bytes)), (1_000, wrong(bytes)), (2_000, wrong(bytes))])));
    }

    #[test]
    fn c6_a_quote_that_anybody_could_guess_counts_as_none_and_only_if_it_fits() {
        for bytes in 1..8 {
            let times =
                |quote: &[u8], times: &[u64]| ends(&times.iter().map(|ms| (*ms, hint(quote))).collect::<Vec<_>>());
            assert!(!times(&DATAGRAM[..bytes], &[10]), "{bytes}");
            assert!(times(&DATAGRAM[..bytes], &[0, 1_000, 2_000]), "{bytes}");
            assert!(!times(&b"guessed"[..bytes], &[0, 1_000, 2_000]), "{bytes}");
        }
    }

    #[test]
    fn c6_a_short_datagram_is_quoted_by_all_of_it() {
        let mut peers = Reachability::default();
        peers.sent(at(0), b"\x01\0\x82");
        let fit = |quote: &[u8]| peers.fit(at(10), Quote::of(quote));
        assert_eq!(fit(b"\x01\0\x82"), Fit::Fits);
        assert_eq!(fit(b"\x01\0\x82\0\0\0\0\0"), Fit::Not, "longer than what was sent");
        assert_eq!(fit(b"\x01\0\x81"), Fit::Not);
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
