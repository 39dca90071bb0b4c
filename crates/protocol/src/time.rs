//! Time as sessions see it: passed in, never read.

use std::{
    ops::{Add, Sub},
    time::Duration,
};

/// A moment: microseconds since 1970. The caller sees to it that it never goes back.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Time(u64);

/// When a node says something to somebody who has no session.
#[derive(Clone, Copy, Debug)]
pub struct Moment {
    /// Now.
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
