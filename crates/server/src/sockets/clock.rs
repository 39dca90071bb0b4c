//! The clock of a node.

use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use protocol::Time;

/// Wall-clock time that never goes back. All shards share one.
#[derive(Clone, Copy)]
pub(super) struct Clock {
    started: Instant,
    wall: Duration,
}

impl Clock {
    pub fn start() -> Clock {
        let wall = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        Clock { started: Instant::now(), wall }
    }

    /// A clock that goes on after a time, though the system's may have been set back (ruling C16).
    pub fn start_after(time: Time) -> Clock {
        let clock = Clock::start();
        let after = Duration::from_micros(time.micros().saturating_add(1));
        Clock { wall: clock.wall.max(after), ..clock }
    }

    pub fn now(&self) -> Time {
        Time::from_micros((self.wall + self.started.elapsed()).as_micros() as u64)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn c16_a_clock_that_was_set_back_goes_on_where_the_last_one_was() {
        let now = Clock::start().now();
        assert!(Clock::start_after(Time::from_micros(0)).now() >= now);
        let ahead = now + Duration::from_secs(3600);
        assert!(Clock::start_after(ahead).now() > ahead);
    }
}
