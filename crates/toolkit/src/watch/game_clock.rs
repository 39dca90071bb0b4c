//! How many ticks of the game are due: the only place that turns time into ticks. Time is passed in.

use std::time::Duration;

use game::units::TICKS_PER_SECOND;

/// After a longer pause of the whole process, or of a terminal that would not take a picture, no more is caught up.
const CATCH_UP_MAX: Duration = Duration::from_millis(500);

/// How fast the game goes, in percent of real time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Speed(u32);

impl Speed {
    /// As it is meant to be.
    pub const NORMAL: Speed = Speed(100);
    /// A tenth.
    pub const MIN: Speed = Speed(10);
    /// Sixteenfold.
    pub const MAX: Speed = Speed(1600);

    /// The speed of that many percent, if it is between [`Speed::MIN`] and [`Speed::MAX`].
    pub fn from_percent(percent: u32) -> Option<Speed> {
        (Speed::MIN.0..=Speed::MAX.0).contains(&percent).then_some(Speed(percent))
    }

    /// Percent of real time.
    pub fn percent(self) -> u32 {
        self.0
    }

    /// Twice as fast, up to the fastest.
    pub fn faster(self) -> Speed {
        Speed((self.0 * 2).min(Speed::MAX.0))
    }

    /// Half as fast, down to the slowest.
    pub fn slower(self) -> Speed {
        Speed((self.0 / 2).max(Speed::MIN.0))
    }
}

/// A clock for the game, which can be paused and run at other speeds.
#[derive(Debug)]
pub(super) struct GameClock {
    pub(super) speed: Speed,
    pub(super) paused: bool,
    last: Duration,
    /// Time of the game that is due but makes no whole tick yet.
    owed: Duration,
}

impl GameClock {
    pub(super) fn new(speed: Speed, now: Duration) -> GameClock {
        GameClock { speed, paused: false, last: now, owed: Duration::ZERO }
    }

    /// The ticks that are due since the last call.
    pub(super) fn ticks_due(&mut self, now: Duration) -> u32 {
        let passed = now.saturating_sub(self.last).min(CATCH_UP_MAX);
        self.last = now;
        if self.paused {
            return 0;
        }
        self.owed += passed * self.speed.0 / 100;
        let tick = Duration::from_secs(1) / TICKS_PER_SECOND as u32;
        let due = (self.owed.as_nanos() / tick.as_nanos()) as u32;
        self.owed -= tick * due;
        due
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ms(ms: u64) -> Duration {
        Duration::from_millis(ms)
    }

    /// Ticks in ten seconds of calls every 7 ms.
    fn ticks_in_ten_seconds(clock: &mut GameClock) -> u32 {
        (1..=1428).map(|call| clock.ticks_due(ms(call * 7))).sum()
    }

    #[test]
    fn sixty_ticks_make_a_second_at_any_rhythm_of_asking() {
        assert!((598..=600).contains(&ticks_in_ten_seconds(&mut GameClock::new(Speed::NORMAL, ms(0)))));
        let double = Speed::NORMAL.faster();
        assert!((1196..=1200).contains(&ticks_in_ten_seconds(&mut GameClock::new(double, ms(0)))));
    }

    #[test]
    fn a_pause_takes_no_time_of_the_game() {
        let mut clock = GameClock::new(Speed::NORMAL, ms(0));
        clock.paused = true;
        assert_eq!(clock.ticks_due(ms(400)), 0);
        clock.paused = false;
        assert_eq!(clock.ticks_due(ms(417)), 1);
    }

    #[test]
    fn a_late_picture_costs_no_time_of_the_game_but_a_long_sleep_does() {
        let mut clock = GameClock::new(Speed::NORMAL, ms(0));
        assert_eq!(clock.ticks_due(ms(300)), 18);
        assert_eq!(clock.ticks_due(ms(60_000)), 30);
        assert_eq!(clock.ticks_due(ms(10)), 0);
    }

    #[test]
    fn speeds_have_ends() {
        assert_eq!(Speed::from_percent(9), None);
        assert_eq!(Speed::from_percent(1601), None);
        assert_eq!(Speed::MAX.faster(), Speed::MAX);
        assert_eq!(Speed::MIN.slower(), Speed::MIN);
    }
}
