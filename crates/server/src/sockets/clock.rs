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

    pub fn now(&self) -> Time {
        Time::from_micros((self.wall + self.started.elapsed()).as_micros() as u64)
    }
}
