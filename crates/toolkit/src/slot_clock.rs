//! The clock by which one thread drives many players: a tick has some slots, and each player has its turn in one of them.

use std::{
    thread,
    time::{Duration, Instant},
};

use game::units::TICKS_PER_SECOND;

/// A clock that gives out slots of ticks, one after the other.
#[derive(Clone, Copy, Debug)]
pub struct SlotClock {
    started: Instant,
    per_tick: u64,
    /// Slots that have passed.
    passed: u64,
}

/// A slot whose time has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Slot {
    /// Which one of its tick.
    pub index: usize,
    /// How late it began.
    pub late: Duration,
    /// Whole ticks that were left out before it, because they were past.
    pub ticks_skipped: u64,
}

impl SlotClock {
    /// A clock with some slots a tick, which starts now.
    pub fn start(per_tick: usize) -> SlotClock {
        SlotClock { started: Instant::now(), per_tick: per_tick as u64, passed: 0 }
    }

    /// How long it has gone on.
    pub fn elapsed(&self) -> Duration {
        self.started.elapsed()
    }

    /// Waits for the next slot.
    pub fn next_slot(&mut self) -> Slot {
        let due = self.started + Duration::from_nanos(self.passed * 1_000_000_000 / self.per_second());
        if let Some(early) = due.checked_duration_since(Instant::now()) {
            thread::sleep(early);
        }
        self.begin(due.elapsed())
    }

    fn begin(&mut self, late: Duration) -> Slot {
        let ticks_skipped = late.as_micros() as u64 * TICKS_PER_SECOND as u64 / 1_000_000;
        self.passed += ticks_skipped * self.per_tick + 1;
        Slot { index: ((self.passed - 1) % self.per_tick) as usize, late, ticks_skipped }
    }

    fn per_second(&self) -> u64 {
        TICKS_PER_SECOND as u64 * self.per_tick
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slots_come_in_turn_and_past_ticks_are_left_out() {
        let mut clock = SlotClock::start(4);
        let on_time: Vec<usize> = (0..5).map(|_| clock.begin(Duration::from_millis(1)).index).collect();
        assert_eq!(on_time, [0, 1, 2, 3, 0]);
        let late = clock.begin(Duration::from_millis(40));
        assert_eq!((late.index, late.ticks_skipped), (1, 2));
        assert_eq!(clock.passed, 5 + 2 * 4 + 1);
    }

    #[test]
    fn slots_are_as_long_as_they_should_be() {
        let mut clock = SlotClock::start(8);
        (0..9).for_each(|_| assert!(clock.next_slot().index < 8));
        assert!(clock.elapsed() >= Duration::from_millis(16));
    }
}
