//! A line that carries a limited amount, with a queue before it that drops what comes last.

use std::time::Duration;

use crate::Rate;

/// When the line will have carried what was sent so far.
#[derive(Clone, Copy, Debug, Default)]
pub struct Queue {
    free_at: Duration,
}

impl Queue {
    /// When a datagram has passed the line; nothing if it found no room.
    pub fn pass(&mut self, now: Duration, bytes: usize, rate: Option<Rate>) -> Option<Duration> {
        let Some(rate) = rate else { return Some(now) };
        let waiting = rate.bytes_in(self.free_at.saturating_sub(now));
        let has_room = waiting.saturating_add(bytes as u64) <= u64::from(rate.queue_bytes);
        has_room.then(|| self.wait(now, bytes, rate))
    }

    /// When a piece of a stream has passed the line.
    pub fn pass_patiently(&mut self, now: Duration, bytes: usize, rate: Option<Rate>) -> Duration {
        rate.map_or(now, |rate| self.wait(now, bytes, rate))
    }

    fn wait(&mut self, now: Duration, bytes: usize, rate: Rate) -> Duration {
        self.free_at = self.free_at.max(now).saturating_add(rate.time_for(bytes));
        self.free_at
    }
}

impl Rate {
    fn per_second(self) -> u64 {
        u64::from(self.bytes_per_second.max(1))
    }

    fn time_for(self, bytes: usize) -> Duration {
        Duration::from_micros((bytes as u64).saturating_mul(1_000_000) / self.per_second())
    }

    fn bytes_in(self, time: Duration) -> u64 {
        (time.as_micros() * u128::from(self.per_second()) / 1_000_000).try_into().unwrap_or(u64::MAX / 2)
    }
}
