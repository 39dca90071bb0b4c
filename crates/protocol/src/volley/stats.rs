//! What a client measures of its connection.

use std::time::Duration;

use crate::Time;

/// How a connection does.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Stats {
    /// From a press to the Frame that shows that the server had it, smoothed; zero while it is not known.
    pub round_trip: Duration,
    /// Frames of the last second or so that did not come, or came too late to be of use.
    pub loss_percent: u8,
    /// Bytes received in the last second.
    pub bytes_in_per_second: u32,
    /// Bytes sent in the last second.
    pub bytes_out_per_second: u32,
    /// Bytes of the last Frame.
    pub frame_bytes: u32,
}

/// Bytes of the last whole second.
#[derive(Clone, Copy, Debug, Default)]
pub struct Meter {
    since: Option<Time>,
    bytes: u32,
    last: u32,
}

impl Meter {
    /// Some bytes passed.
    pub fn add(&mut self, now: Time, bytes: usize) {
        self.advance(now);
        self.bytes = self.bytes.saturating_add(bytes as u32);
    }

    /// Lets time pass.
    pub fn advance(&mut self, now: Time) {
        let since = *self.since.get_or_insert(now);
        if now.since(since) >= Duration::from_secs(1) {
            self.last = if now.since(since) < Duration::from_secs(2) { self.bytes } else { 0 };
            self.bytes = 0;
            self.since = Some(now);
        }
    }

    /// Bytes of the last whole second.
    pub fn per_second(&self) -> u32 {
        self.last
    }
}

/// Moves an average an eighth of the way to a new sample.
pub fn smooth(average: Duration, sample: Duration) -> Duration {
    if average.is_zero() { sample } else { (average * 7 + sample) / 8 }
}
