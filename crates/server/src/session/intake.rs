//! How many datagrams a session takes from its peer: some a second, and one for each that the peer was sent, because in some
//! dialects everything is confirmed. A client has no reason to send more, and what is more is not looked at. A datagram that no usual
//! network carries in one piece counts more than once, so that bytes are limited as well.

use std::time::Duration;

use protocol::Time;

/// Seconds' worth that may come at once, as after a pause of the network.
const SECONDS_AT_ONCE: u32 = 2;
/// Answers that may be outstanding.
const ANSWERS_MAX: u32 = 4_096;

/// A datagram counts once for every this many bytes, and at least once.
const BYTES_OF_ONE: usize = 1_500;

/// How many more a session takes.
#[derive(Clone, Copy)]
pub(super) struct Intake {
    per_second: u32,
    left: u32,
    renewed: Time,
}

impl Intake {
    pub fn new(now: Time, per_second: u32) -> Intake {
        Intake { per_second, left: per_second * SECONDS_AT_ONCE, renewed: now }
    }

    /// The peer is sent a datagram, which it may answer.
    pub fn sent(&mut self) {
        self.left = (self.left + 1).min(self.per_second * SECONDS_AT_ONCE + ANSWERS_MAX);
    }

    /// Whether one more datagram of this size is taken; if so it is counted.
    pub fn admit(&mut self, now: Time, bytes: usize) -> bool {
        let cost = bytes.div_ceil(BYTES_OF_ONE).max(1) as u32;
        if self.left < cost {
            self.renew(now);
        }
        let is_admitted = self.left >= cost;
        if is_admitted {
            self.left -= cost;
        }
        is_admitted
    }

    fn renew(&mut self, now: Time) {
        let seconds = now.since(self.renewed).min(Duration::from_secs(SECONDS_AT_ONCE.into())).as_secs_f64();
        let earned = (seconds * f64::from(self.per_second)) as u32;
        // What is less than one keeps adding up.
        if earned > 0 {
            self.left = (self.left + earned).min(self.per_second * SECONDS_AT_ONCE);
            self.renewed = now;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(ms: u64) -> Time {
        Time::from_micros(1_000_000_000 + ms * 1000)
    }

    #[test]
    fn c13_a_flood_of_one_player_is_cut_and_what_a_client_sends_is_not() {
        let mut intake = Intake::new(at(0), 240);
        let taken = (0..20_000).filter(|number| intake.admit(at(number * 120 / 20_000), 20)).count();
        assert!((480..=510).contains(&taken), "{taken}");
        let mut intake = Intake::new(at(0), 240);
        assert!((0..60_000).step_by(5).all(|ms| intake.admit(at(ms), 1_200)), "200 a second for a minute");
        let taken = (60_000..70_000).filter(|ms| intake.admit(at(*ms), 0) | intake.admit(at(*ms), 0)).count();
        assert!(taken < 3_100, "{taken}");
    }

    #[test]
    fn c13_bytes_of_one_player_are_limited_with_the_datagrams() {
        let mut intake = Intake::new(at(0), 240);
        let taken = (0..10_000).filter(|ms| intake.admit(at(*ms), 60_000)).count();
        assert!((60..=62 + 6).contains(&taken), "{taken} of 60,000 bytes in ten seconds");
    }

    #[test]
    fn c13_everything_that_was_sent_may_be_answered() {
        let mut intake = Intake::new(at(0), 240);
        for ms in (0..10_000).step_by(10) {
            (0..30).for_each(|_| intake.sent());
            assert!((0..30).all(|_| intake.admit(at(ms), 40)));
        }
    }
}
