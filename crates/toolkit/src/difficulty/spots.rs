//! Spots: screens of a stage that kill far more often than the screens beside them.
//!
//! A screen is 480 pixels of scrolling; what happens while a boss is there is not counted. How often a screen kills is its deaths for
//! the time that ships flew in it, so that a screen after a checkpoint, which is seen more often, does not seem worse. It is a spot if
//! it kills more than three times as often as the screens on both sides together, and if chance explains that in less than one
//! case of twenty: a handful of deaths says nothing.

use std::{cmp::Reverse, collections::BTreeMap};

use game::{FIELD_WIDTH_PX, Kind, Stage};

use super::StageRun;

/// A spot kills more than this many times as often as its neighbours.
const TIMES: f64 = 3.0;
/// The share of screens that may be taken for spots although they kill just as often.
const CHANCE: f64 = 0.05;
/// Killers that are named for a spot.
const KILLERS: usize = 3;

/// One screen of a stage, over all games.
#[derive(Clone, Debug, Default)]
pub(super) struct Screen {
    pub(super) deaths: usize,
    /// Ticks for which ships flew in it.
    pub(super) ticks: u64,
    killers: BTreeMap<&'static str, usize>,
}

/// Which screen of a stage that is.
pub(super) fn screen_at(scroll_px: u32) -> usize {
    scroll_px as usize / FIELD_WIDTH_PX as usize
}

/// All screens of a stage.
pub(super) fn screens(stage: &Stage, runs: &[&StageRun]) -> Vec<Screen> {
    let mut screens = vec![Screen::default(); screen_at(stage.length_px) + 1];
    for run in runs {
        for (screen, ticks) in screens.iter_mut().zip(&run.ticks_by_screen) {
            screen.ticks += u64::from(*ticks);
        }
        for death in run.deaths.iter().filter(|death| !death.with_boss) {
            if let Some(screen) = screens.get_mut(screen_at(death.scroll_px)) {
                screen.deaths += 1;
                *screen.killers.entry(death.by.map_or("unknown", Kind::name)).or_default() += 1;
            }
        }
    }
    screens
}

/// Where each spot begins, in pixels of scrolling, and what kills there.
pub(super) fn spots(screens: &[Screen]) -> Vec<String> {
    let is_spot = |&index: &usize| is_spot(screens, index);
    (0..screens.len()).filter(is_spot).map(|index| describe(index, &screens[index])).collect()
}

fn is_spot(screens: &[Screen], index: usize) -> bool {
    let beside = [index.checked_sub(1), Some(index + 1)].into_iter().flatten().filter_map(|at| screens.get(at));
    let (deaths, ticks) = beside.fold((0, 0), |(deaths, ticks), it| (deaths + it.deaths, ticks + it.ticks));
    let here = &screens[index];
    if here.deaths == 0 || ticks == 0 {
        return false;
    }
    // Of all these deaths, the share that would be here if it killed just three times as often.
    let weight = TIMES * here.ticks as f64;
    let share = weight / (weight + ticks as f64);
    at_least(here.deaths, here.deaths + deaths, share) < CHANCE
}

/// The chance that at least `hits` of `tries` hit, each with a chance of `share`.
fn at_least(hits: usize, tries: usize, share: f64) -> f64 {
    let (hit, miss) = (share.ln(), (1.0 - share).ln());
    let mut ln_ways = 0.0;
    let mut sum = 0.0;
    // From all hits down, so that the smallest terms are added first.
    for count in (hits..=tries).rev() {
        sum += (ln_ways + count as f64 * hit + (tries - count) as f64 * miss).exp();
        ln_ways += (count as f64 / (tries - count + 1) as f64).ln();
    }
    sum
}

fn describe(index: usize, screen: &Screen) -> String {
    let mut killers: Vec<(&str, usize)> = screen.killers.iter().map(|(name, count)| (*name, *count)).collect();
    killers.sort_by_key(|&(name, count)| (Reverse(count), name));
    let named: Vec<String> = killers.iter().take(KILLERS).map(|(name, count)| format!("{name} {count}")).collect();
    format!("x {} ({} deaths: {})", index * FIELD_WIDTH_PX as usize, screen.deaths, named.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(deaths: &[usize]) -> Vec<Screen> {
        deaths.iter().map(|&deaths| Screen { deaths, ticks: 6000, ..Screen::default() }).collect()
    }

    fn spots_of(deaths: &[usize]) -> Vec<usize> {
        let screens = of(deaths);
        (0..screens.len()).filter(|&index| is_spot(&screens, index)).collect()
    }

    #[test]
    fn a_spot_kills_three_times_as_often_as_the_screens_beside_it() {
        assert_eq!(spots_of(&[2, 30, 3, 9, 8, 4]), [1]);
        assert_eq!(spots_of(&[20, 50, 20]), [] as [usize; 0], "two and a half times as often");
        assert_eq!(spots_of(&[0, 0, 0]), [] as [usize; 0]);
    }

    #[test]
    fn a_few_deaths_say_nothing() {
        assert_eq!(spots_of(&[0, 5, 0]), [] as [usize; 0]);
        assert_eq!(spots_of(&[0, 6, 0]), [1]);
        assert_eq!(spots_of(&[1, 8, 1]), [] as [usize; 0]);
    }

    #[test]
    fn a_screen_that_is_flown_through_more_often_may_kill_more() {
        let mut screens = of(&[2, 30, 3]);
        screens[1].ticks *= 5;
        assert!(!is_spot(&screens, 1));
    }

    #[test]
    fn chances_are_those_of_coins() {
        assert!((at_least(2, 2, 0.5) - 0.25).abs() < 1e-9);
        assert!((at_least(1, 2, 0.5) - 0.75).abs() < 1e-9);
        assert!((at_least(0, 9, 0.3) - 1.0).abs() < 1e-9);
    }

    #[test]
    fn what_kills_at_a_spot_is_named() {
        let killers = BTreeMap::from([("dart", 1), ("pellet", 9), ("turret", 2), ("wall", 2)]);
        let screen = Screen { deaths: 14, ticks: 1, killers };
        assert_eq!(describe(4, &screen), "x 1920 (14 deaths: pellet 9, turret 2, wall 2)");
    }
}
