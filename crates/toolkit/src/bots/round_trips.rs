//! Round trips of many bots, counted by tenths of a millisecond, so that a run without end takes no more memory than a
//! short one.

use serde::Serialize;

use super::probe::PressResult;

const TENTHS_PER_SECOND: usize = 10_000;

/// Counted round trips.
#[derive(Clone, Debug, Default)]
pub(super) struct RoundTrips {
    /// How many took how many tenths of a millisecond; the last also counts those that took longer.
    tenths: Vec<u32>,
    seen: u64,
    unseen: u64,
}

/// How long round trips took.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct RoundTrip {
    /// The shortest, in milliseconds.
    pub min: f64,
    /// Half took no longer, in milliseconds.
    pub p50: f64,
    /// Ninety-nine of a hundred took no longer, in milliseconds.
    pub p99: f64,
    /// How many were measured.
    pub samples: u64,
    /// Presses whose effect was not seen within a second.
    pub unseen: u64,
}

impl RoundTrips {
    pub(super) fn add(&mut self, result: PressResult) {
        match result {
            PressResult::Seen(after) => {
                self.tenths.resize(TENTHS_PER_SECOND + 1, 0);
                self.tenths[((after.as_micros() / 100) as usize).min(TENTHS_PER_SECOND)] += 1;
                self.seen += 1;
            }
            PressResult::Unseen => self.unseen += 1,
        }
    }

    /// All of them together.
    pub(super) fn merged<'a>(all: impl Iterator<Item = &'a RoundTrips>) -> RoundTrips {
        let mut sum = RoundTrips::default();
        for one in all {
            sum.tenths.resize(sum.tenths.len().max(one.tenths.len()), 0);
            sum.tenths.iter_mut().zip(&one.tenths).for_each(|(sum, count)| *sum += count);
            sum.seen += one.seen;
            sum.unseen += one.unseen;
        }
        sum
    }

    /// None if none was measured.
    pub(super) fn summary(&self) -> Option<RoundTrip> {
        let at = |percent: u64| self.rank((self.seen * percent).div_ceil(100).max(1));
        Some(RoundTrip { min: at(0)?, p50: at(50)?, p99: at(99)?, samples: self.seen, unseen: self.unseen })
    }

    /// The one of that rank, the shortest being the first, in milliseconds.
    fn rank(&self, rank: u64) -> Option<f64> {
        let mut passed = 0;
        let tenth = self.tenths.iter().position(|&count| {
            passed += u64::from(count);
            passed >= rank
        })?;
        Some(tenth as f64 / 10.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    #[test]
    fn ranks_are_exact_to_a_tenth_of_a_millisecond_and_nothing_has_none() {
        assert_eq!(RoundTrips::default().summary(), None);
        let (mut low, mut high) = (RoundTrips::default(), RoundTrips::default());
        for ms in 1..=100 {
            low.add(PressResult::Seen(Duration::from_millis(ms)));
            high.add(PressResult::Seen(Duration::from_millis(100 + ms)));
        }
        high.add(PressResult::Unseen);
        let told = RoundTrips::merged([&low, &high].into_iter()).summary();
        assert_eq!(told, Some(RoundTrip { min: 1.0, p50: 100.0, p99: 198.0, samples: 200, unseen: 1 }));
        low.add(PressResult::Seen(Duration::from_secs(9)));
        assert_eq!(low.summary().map(|told| told.samples), Some(101));
    }
}
