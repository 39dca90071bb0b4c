//! Time as sessions see it: passed in, never read.

use std::{
    ops::{Add, Sub},
    time::Duration,
};

use game::units::TICKS_PER_SECOND;

/// A moment: microseconds since 1970. The caller sees to it that it never goes back.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Time(u64);

/// When a node says something to somebody who has no session.
#[derive(Clone, Copy, Debug)]
pub struct NodeTime {
    pub now: Time,
    /// When the node started.
    pub started: Time,
}

impl Time {
    /// The moment that many microseconds after the beginning of 1970.
    pub const fn from_micros(micros: u64) -> Time {
        Time(micros)
    }

    /// Microseconds since 1970.
    pub const fn micros(self) -> u64 {
        self.0
    }

    /// Whole seconds since 1970.
    pub const fn seconds(self) -> u64 {
        self.0 / 1_000_000
    }

    /// Ticks of the game since an earlier moment, rounded.
    pub const fn ticks_since(self, earlier: Time) -> i32 {
        let micros = self.0.saturating_sub(earlier.0);
        let ticks = (micros.saturating_mul(TICKS_PER_SECOND as u64) + 500_000) / 1_000_000;
        if ticks > i32::MAX as u64 { i32::MAX } else { ticks as i32 }
    }

    /// The time since an earlier moment; none if it is not earlier.
    pub const fn since(self, earlier: Time) -> Duration {
        Duration::from_micros(self.0.saturating_sub(earlier.0))
    }
}

impl Add<Duration> for Time {
    type Output = Time;
    fn add(self, duration: Duration) -> Time {
        Time(self.0.saturating_add(duration.as_micros() as u64))
    }
}

impl Sub<Duration> for Time {
    type Output = Time;
    fn sub(self, duration: Duration) -> Time {
        Time(self.0.saturating_sub(duration.as_micros() as u64))
    }
}
