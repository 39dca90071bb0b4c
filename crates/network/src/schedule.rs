//! What happens once in each period, at a moment that the seed decides: outages and rebindings.
//!
//! Nothing is remembered: the moment within a period follows from the seed and the period's number, so any time can be
//! asked about at the same cost.

use std::time::Duration;

use crate::{Outages, Rebinding, dice::mix};

/// The periods of one peer.
#[derive(Clone, Copy, Debug)]
pub struct Schedule {
    seed: u64,
}

impl Schedule {
    pub fn new(seed: u64, purpose: u64) -> Schedule {
        Schedule { seed: mix(seed, purpose) }
    }

    /// The end of the outage that there is at a time since the peer's first message, if there is one.
    pub fn outage_end(self, since_start: Duration, outages: Outages) -> Option<Duration> {
        let (period, within) = split(since_start, outages.every);
        let begin = self.moment(period, outages.every.saturating_sub(outages.lasting));
        let end = begin.saturating_add(outages.lasting);
        (begin <= within && within < end).then(|| since_start.saturating_add(end.saturating_sub(within)))
    }

    /// How many rebindings there were by a time since the peer's first message.
    pub fn rebindings(self, since_start: Duration, rebinding: Rebinding) -> u64 {
        let (period, within) = split(since_start, rebinding.every);
        period.wrapping_add(u64::from(within >= self.moment(period, rebinding.every)))
    }

    /// The moment of a period's event, before `at_most`.
    fn moment(self, period: u64, at_most: Duration) -> Duration {
        let share = u128::from(mix(self.seed, period));
        Duration::from_micros(((share * at_most.as_micros().min(u128::from(u64::MAX))) >> 64) as u64)
    }
}

/// The number of the period that a time lies in, and the time within it.
fn split(since_start: Duration, every: Duration) -> (u64, Duration) {
    let every = every.as_micros().max(1);
    let micros = since_start.as_micros();
    ((micros / every) as u64, Duration::from_micros((micros % every) as u64))
}
