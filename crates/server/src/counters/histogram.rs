//! How often something took how long, in fixed buckets.

use std::{ops::AddAssign, time::Duration};

/// Upper bounds of the buckets, in microseconds.
const BOUNDS_US: [u64; 10] = [10, 50, 100, 250, 500, 1_000, 2_000, 5_000, 10_000, 50_000];

/// Counts of durations.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Histogram {
    buckets: [u64; BOUNDS_US.len()],
    count: u64,
    sum_us: u64,
}

impl Histogram {
    /// Adds a duration.
    pub fn note(&mut self, duration: Duration) {
        let us = duration.as_micros() as u64;
        self.count += 1;
        self.sum_us += us;
        if let Some(bucket) = BOUNDS_US.iter().position(|bound| us <= *bound) {
            self.buckets[bucket] += 1;
        }
    }

    /// How many there were.
    pub fn count(&self) -> u64 {
        self.count
    }

    /// All of them together.
    pub fn sum(&self) -> Duration {
        Duration::from_micros(self.sum_us)
    }

    /// How many took no longer than each bound: rising.
    pub fn up_to(&self) -> impl Iterator<Item = (Duration, u64)> {
        let rising = self.buckets.iter().scan(0, |total, count| {
            *total += count;
            Some(*total)
        });
        BOUNDS_US.into_iter().map(Duration::from_micros).zip(rising)
    }
}

impl AddAssign<&Histogram> for Histogram {
    fn add_assign(&mut self, other: &Histogram) {
        for (mine, theirs) in self.buckets.iter_mut().zip(other.buckets) {
            *mine += theirs;
        }
        self.count += other.count;
        self.sum_us += other.sum_us;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_bound_counts_all_that_is_not_longer() {
        let mut histogram = Histogram::default();
        for us in [0, 10, 11, 1_000, 1_001, 60_000] {
            histogram.note(Duration::from_micros(us));
        }
        let counts: Vec<u64> = histogram.up_to().map(|(_, count)| count).collect();
        assert_eq!(counts, [2, 3, 3, 3, 3, 4, 5, 5, 5, 5]);
        assert_eq!((histogram.count(), histogram.sum()), (6, Duration::from_micros(62_022)));
    }
}
