//! How long a packet and its validation take, by Pings: the one packet that is never repeated and has a second for itself.

use std::time::Duration;

use crate::Time;

/// If times vary by more than this, they mean nothing.
const VARIES_MAX: Duration = Duration::from_millis(60);

/// What Pings showed.
#[derive(Debug, Default)]
pub struct RoundTrip {
    ping: Option<Ping>,
    /// The fastest and the slowest of late; what was long ago counts ever less.
    range: Option<(Duration, Duration)>,
}

#[derive(Clone, Copy, Debug)]
struct Ping {
    sent_at: Time,
    is_validated: bool,
}

impl RoundTrip {
    /// A Ping leaves now. Of two in one second nobody could say which was validated.
    pub fn pinged(&mut self, now: Time) {
        let is_alone = self.ping.is_none_or(|ping| ping.sent_at.seconds() != now.seconds());
        self.ping = is_alone.then_some(Ping { sent_at: now, is_validated: false });
    }

    /// A Ping of that second was validated. False: it was before, so the network doubled something.
    pub fn validated(&mut self, now: Time, timestamp: u64) -> bool {
        let Some(ping) = self.ping.as_mut().filter(|ping| ping.sent_at.seconds() == timestamp) else { return true };
        if std::mem::replace(&mut ping.is_validated, true) {
            return false;
        }
        let took = now.since(ping.sent_at);
        let (fastest, slowest) = self.range.unwrap_or((took, took));
        self.range = Some((towards(fastest, took).min(took), towards(slowest, took).max(took)));
        true
    }

    /// How long it takes, if it always takes about as long.
    pub fn steady(&self) -> Option<Duration> {
        self.range.filter(|(fastest, slowest)| *slowest - *fastest <= VARIES_MAX).map(|(fastest, _)| fastest)
    }
}

/// A step of an eighth from one duration to another.
fn towards(from: Duration, to: Duration) -> Duration {
    (from * 7 + to) / 8
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(second: u64, ms: u64) -> Time {
        Time::from_micros((second * 1000 + ms) * 1000)
    }

    fn ping(trip: &mut RoundTrip, second: u64, took_ms: u64) {
        trip.pinged(at(second, 0));
        assert!(trip.validated(at(second, took_ms), second));
    }

    #[test]
    fn what_always_takes_about_as_long_is_known_and_what_varies_is_not() {
        let mut trip = RoundTrip::default();
        assert_eq!(trip.steady(), None);
        (0..5).for_each(|second| ping(&mut trip, second, 300 + second % 2 * 30));
        assert_eq!(trip.steady().map(|it| it.as_millis()), Some(300));
        ping(&mut trip, 5, 500);
        assert_eq!(trip.steady(), None);
        (6..40).for_each(|second| ping(&mut trip, second, 500));
        assert!(trip.steady().is_some_and(|it| it > Duration::from_millis(440)), "{trip:?}");
    }

    #[test]
    fn a_ping_validated_twice_shows_a_network_that_doubles() {
        let mut trip = RoundTrip::default();
        ping(&mut trip, 1, 30);
        assert!(!trip.validated(at(1, 40), 1));
        assert!(trip.validated(at(2, 40), 2), "nobody pinged in that second");
        trip.pinged(at(3, 0));
        trip.pinged(at(3, 500));
        assert!(trip.validated(at(3, 510), 3) && trip.validated(at(3, 520), 3), "there were two");
    }
}
