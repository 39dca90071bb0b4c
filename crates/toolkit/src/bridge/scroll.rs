//! How far a stage has scrolled, finer than the server says: it sends whole pixels, and walls that jump from pixel to pixel
//! would seem to change their speed all the time.

use std::collections::VecDeque;

use game::{SUBPIXELS, Tick};

/// Ticks over which the speed is found.
const WINDOW_TICKS: u32 = 32;
/// How much what was sent and what was expected may differ before the speed is found again.
const TOLERANCE: i64 = 2 * SUBPIXELS as i64;

/// How far a stage has scrolled, and how fast it does.
#[derive(Clone, Debug, Default)]
pub(super) struct Scroll {
    told: VecDeque<(Tick, i64)>,
    /// Where it was when the speed was last found.
    anchor: (Tick, i64),
    /// In sub-pixels per tick.
    speed: i32,
}

impl Scroll {
    /// How far it is now, and how far it goes in a tick, in sub-pixels.
    pub fn tell(&mut self, tick: Tick, scroll_px: u32) -> (i64, i32) {
        let here = i64::from(scroll_px) * i64::from(SUBPIXELS);
        // A stage that started again.
        if self.told.back().is_some_and(|(last, at)| tick < *last || here < *at) {
            *self = Scroll::default();
        }
        self.told.push_back((tick, here));
        while self.told.front().is_some_and(|(first, _)| tick.0.saturating_sub(first.0) > WINDOW_TICKS) {
            self.told.pop_front();
        }
        let expected = self.expected(tick);
        // The whole pixels that are sent are rounded down.
        if (expected - here - i64::from(SUBPIXELS) / 2).abs() <= TOLERANCE {
            return (expected, self.speed);
        }
        self.speed = self.found_speed();
        self.anchor = (tick, here + i64::from(SUBPIXELS) / 2);
        (self.anchor.1, self.speed)
    }

    fn expected(&self, tick: Tick) -> i64 {
        self.anchor.1 + i64::from(self.speed) * i64::from(tick.0.saturating_sub(self.anchor.0.0))
    }

    fn found_speed(&self) -> i32 {
        let (Some((first, from)), Some((last, to))) = (self.told.front(), self.told.back()) else { return 0 };
        let ticks = i64::from(last.0.saturating_sub(first.0));
        if ticks == 0 { 0 } else { ((to - from) / ticks) as i32 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The largest difference to the truth, and how often the speed changed, once it has settled.
    fn follow(speed: i64, ticks: std::ops::Range<u32>, scroll: &mut Scroll, from: i64) -> (i64, usize) {
        let (mut worst, mut changes, mut last) = (0, 0, None);
        for tick in ticks.clone() {
            let truth = from + speed * i64::from(tick - ticks.start);
            let (at, rate) = scroll.tell(Tick(tick), (truth / i64::from(SUBPIXELS)) as u32);
            if tick - ticks.start > 2 * WINDOW_TICKS {
                worst = worst.max((at - truth).abs());
                changes += usize::from(last.is_some_and(|last| last != rate));
                last = Some(rate);
            }
        }
        (worst, changes)
    }

    #[test]
    fn a_steady_stage_is_followed_closely_and_its_speed_hardly_ever_changes() {
        for speed in [0, 64, 100, 128, 171, 256, 400] {
            let mut scroll = Scroll::default();
            let (worst, changes) = follow(speed, 0..1200, &mut scroll, 5_000);
            assert!(worst <= TOLERANCE + i64::from(SUBPIXELS), "{speed}: {worst}");
            assert!(changes <= 20, "{speed}: {changes}");
        }
    }

    #[test]
    fn a_stage_that_stops_or_begins_again_is_noticed() {
        let mut scroll = Scroll::default();
        follow(128, 0..300, &mut scroll, 0);
        let (worst, _) = follow(0, 300..500, &mut scroll, 300 * 128);
        assert!(worst <= TOLERANCE + i64::from(SUBPIXELS), "{worst}");
        assert_eq!(scroll.tell(Tick(501), 0), (0, 0), "from the beginning");
    }
}
