//! The time that the directory's own limits are counted in. Time that the node itself lost did not pass in it (ruling C15).

use std::time::Duration;

use protocol::Time;

use super::Directory;

/// A moment, without the time that was lost before it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct OwnTime(Time);

impl OwnTime {
    pub fn since(self, earlier: OwnTime) -> Duration {
        self.0.since(earlier.0)
    }
}

/// How much time was lost.
#[derive(Default)]
pub(super) struct DirectoryClock {
    lost: Duration,
    /// What was lost before this is counted: every shard reports it.
    counted: Time,
}

impl DirectoryClock {
    pub fn at(&self, now: Time) -> OwnTime {
        OwnTime(now - self.lost)
    }

    /// The time that is `duration` after a moment.
    pub fn after(&self, moment: OwnTime, duration: Duration) -> Time {
        moment.0 + duration + self.lost
    }

    fn lose(&mut self, now: Time, lost: Duration) {
        let since = (now - lost).max(self.counted);
        self.lost += now.since(since);
        self.counted = self.counted.max(now);
    }
}

impl Directory {
    /// A shard lost this much time until now: it is nobody's silence (ruling C15).
    pub fn lose_time(&mut self, now: Time, lost: Duration) {
        self.clock.lose(now, lost);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn c15_time_that_several_shards_lost_is_counted_once() {
        let at = |seconds: u64| Time::from_micros(seconds * 1_000_000);
        let (mut clock, seconds) = (DirectoryClock::default(), Duration::from_secs);
        let before = clock.at(at(100));
        clock.lose(at(120), seconds(10));
        clock.lose(at(121), seconds(11));
        clock.lose(at(119), seconds(5));
        assert_eq!(clock.at(at(121)).since(before), seconds(10), "from 110 to 121 it stood still");
        assert_eq!(clock.after(before, seconds(10)), at(121));
    }
}
