//! When the client ticks: 60 times a second by its own clock, a few percent faster or slower so that the server always
//! has an input waiting, but never a queue of them.

use std::{collections::VecDeque, time::Duration};

use protocol::{Pace, Time};

/// The clock is never more than this much faster or slower than its nominal rate.
const BEND_MAX: f64 = 0.03;
/// How much the rate changes for each input that the server has too few or too many.
const BEND_PER_INPUT: f64 = 0.01;
/// How many reports of the server count: two seconds of them, so that the worst moments of an uneven network are among
/// them.
const REPORTS: usize = 120;
/// How many inputs should be waiting at the server even at the worst moment.
const SPARE: f64 = 1.0;
/// The most ticks that are caught up with: after a longer sleep the client goes on from now.
const CATCH_UP_MAX: u32 = 6;

/// When the client ticks.
#[derive(Clone, Debug)]
pub struct Clock {
    next: Option<Time>,
    /// Ticks that have begun, for animations.
    ticks: u32,
    reports: VecDeque<i8>,
    bend: f64,
    pace: Pace,
}

impl Default for Clock {
    fn default() -> Self {
        Clock { next: None, ticks: 0, reports: VecDeque::with_capacity(REPORTS), bend: 0.0, pace: Pace::Full }
    }
}

impl Clock {
    /// How many ticks are due. After a long sleep these are few: the rest is skipped.
    pub fn due(&mut self, now: Time) -> u32 {
        let mut due = 0;
        let mut next = self.next.unwrap_or(now);
        while next <= now && due < CATCH_UP_MAX {
            due += 1;
            next = next + self.period();
        }
        if next <= now {
            next = now + self.period();
        }
        self.next = Some(next);
        due
    }

    /// One of the ticks that were due begins. Each counts by itself, so that whatever waits for a certain tick meets it,
    /// however slow the display is.
    pub fn begin_tick(&mut self) {
        self.ticks = self.ticks.wrapping_add(1);
    }

    /// Ticks that have begun since the beginning.
    pub fn ticks(&self) -> u32 {
        self.ticks
    }

    /// How many inputs were waiting at the server; below zero, there was none and it repeated the last.
    pub fn report(&mut self, inputs_waiting: i8) {
        if self.reports.len() == REPORTS {
            self.reports.pop_front();
        }
        self.reports.push_back(inputs_waiting);
        let worst = self.worst();
        self.bend = ((SPARE - worst) * BEND_PER_INPUT).clamp(-BEND_MAX, BEND_MAX);
    }

    /// There is a new connection: reports about the old one no longer count.
    pub fn reconnect(&mut self) {
        self.reports.clear();
        (self.bend, self.pace) = (0.0, Pace::Full);
    }

    /// Time passes at this pace at the server from now on. During a pause the clock goes on, for the menus.
    pub fn set_pace(&mut self, pace: Pace) {
        self.pace = if pace == Pace::Paused { Pace::Full } else { pace };
    }

    /// How much faster than nominal it runs, in 1/1,000.
    pub fn bend_per_mille(&self) -> i32 {
        (self.bend * 1000.0).round() as i32
    }

    /// How many inputs were waiting in the second-worst report: a single bad one may be an accident.
    fn worst(&self) -> f64 {
        let mut lowest = [i8::MAX; 2];
        for &report in &self.reports {
            if report < lowest[0] {
                lowest = [report, lowest[0]];
            } else if report < lowest[1] {
                lowest[1] = report;
            }
        }
        let lowest = if self.reports.len() < 2 { lowest[0] } else { lowest[1] };
        f64::from(lowest)
    }

    fn period(&self) -> Duration {
        let nominal = f64::from(self.pace.ticks_per_second());
        Duration::from_secs_f64(1.0 / (nominal * (1.0 + self.bend)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(ms: u64) -> Time {
        Time::from_micros(1_000_000 + ms * 1000)
    }

    #[test]
    fn it_ticks_sixty_times_a_second() {
        let mut clock = Clock::default();
        let ticks: u32 = (0..1000).map(|ms| clock.due(at(ms))).sum();
        assert!((60..=61).contains(&ticks), "{ticks}");
    }

    #[test]
    fn after_a_long_sleep_it_goes_on_from_now() {
        let mut clock = Clock::default();
        clock.due(at(0));
        assert_eq!(clock.due(at(60_000)), CATCH_UP_MAX);
        assert_eq!(clock.due(at(60_001)), 0);
    }

    #[test]
    fn it_runs_faster_when_the_server_starves_and_slower_when_inputs_queue_up() {
        let rate = |waiting: i8| {
            let mut clock = Clock::default();
            (0..10).for_each(|_| clock.report(waiting));
            clock.bend_per_mille()
        };
        assert_eq!([rate(-5), rate(0), rate(1), rate(2), rate(9)], [30, 10, 0, -10, -30]);
    }

    #[test]
    fn one_bad_report_does_not_change_the_rate() {
        let mut clock = Clock::default();
        (0..100).for_each(|_| clock.report(1));
        clock.report(-1);
        assert_eq!(clock.bend_per_mille(), 0);
    }
}
