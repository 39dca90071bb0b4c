//! One limit for every line of the log that a peer can cause, so that nothing a peer sends floods it.
//!
//! Lines with the target `host` are not limited: they tell of what the host did, or have a limit of their own, such as
//! [`Seldom`]. Who writes the log asks [`Quiet::admits`] for all others; what is left out is counted, and told now and
//! then. Errors have a limit for themselves: who floods the log with lesser lines hides none.

use std::{
    sync::{
        Mutex, PoisonError,
        atomic::{AtomicU64, Ordering},
    },
    time::{Duration, Instant},
};

/// Lines that may come at once.
const BURST: f64 = 200.0;
/// Lines a second, in the long run.
const RATE: f64 = 20.0;

/// What goes on going wrong is told so often.
const TOLD_EVERY: Duration = Duration::from_secs(60);

/// The limit of this process.
pub static QUIET: Quiet = Quiet::new();

/// A limit.
pub struct Quiet {
    lines: Mutex<Option<Bucket>>,
    errors: Mutex<Option<Bucket>>,
    left_out: AtomicU64,
    told: AtomicU64,
}

struct Bucket {
    level: f64,
    filled: Instant,
}

impl Quiet {
    /// Full buckets.
    pub const fn new() -> Quiet {
        let (lines, errors) = (Mutex::new(None), Mutex::new(None));
        Quiet { lines, errors, left_out: AtomicU64::new(0), told: AtomicU64::new(0) }
    }

    /// Whether one more line may be written now. If not, it is counted.
    pub fn admits(&self, now: Instant) -> bool {
        self.admits_from(&self.lines, now)
    }

    /// Whether one more line about an error may be written now. If not, it is counted.
    pub fn admits_error(&self, now: Instant) -> bool {
        self.admits_from(&self.errors, now)
    }

    fn admits_from(&self, bucket: &Mutex<Option<Bucket>>, now: Instant) -> bool {
        let mut bucket = bucket.lock().unwrap_or_else(PoisonError::into_inner);
        let bucket = bucket.get_or_insert(Bucket { level: BURST, filled: now });
        let passed = now.saturating_duration_since(bucket.filled).as_secs_f64();
        bucket.level = (bucket.level + passed * RATE).min(BURST);
        bucket.filled = bucket.filled.max(now);
        let admits = bucket.level >= 1.0;
        if admits {
            bucket.level -= 1.0;
        } else {
            self.left_out.fetch_add(1, Ordering::Relaxed);
        }
        admits
    }

    /// How many lines were left out so far.
    pub fn left_out(&self) -> u64 {
        self.left_out.load(Ordering::Relaxed)
    }

    /// Tells how many lines were left out since this was last called, if any were.
    pub fn sum_up(&self) {
        let all = self.left_out();
        let new = all - self.told.swap(all, Ordering::Relaxed);
        if new > 0 {
            tracing::warn!(target: "host", lines = new, "the log was too busy: lines were left out");
        }
    }
}

/// Something that is told at most once a minute, however often it happens.
#[derive(Debug, Default)]
pub struct Seldom(Mutex<Option<Instant>>);

impl Seldom {
    /// Nothing was told yet.
    pub const fn new() -> Seldom {
        Seldom(Mutex::new(None))
    }

    /// Whether it is to be told now; if so, it counts as told.
    pub fn is_due(&self, now: Instant) -> bool {
        let mut told = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let is_due = told.is_none_or(|told| now.saturating_duration_since(told) >= TOLD_EVERY);
        if is_due {
            *told = Some(now);
        }
        is_due
    }
}

impl Default for Quiet {
    fn default() -> Quiet {
        Quiet::new()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_flood_is_cut_to_a_burst_and_a_trickle_and_all_of_it_is_counted() {
        let quiet = Quiet::new();
        let start = Instant::now();
        let admitted = (0..100_000).filter(|line| quiet.admits(start + Duration::from_micros(line * 100))).count();
        assert!((395..=405).contains(&admitted), "{admitted} lines in ten seconds");
        assert_eq!(quiet.left_out(), 100_000 - admitted as u64);
        assert!(quiet.admits(start + Duration::from_secs(20)), "afterwards there is room again");
    }

    #[test]
    fn a_flood_of_lines_hides_no_error() {
        let quiet = Quiet::new();
        let now = Instant::now();
        (0..10_000).for_each(|_| _ = quiet.admits(now));
        assert!(!quiet.admits(now) && quiet.admits_error(now));
        let admitted = (0..10_000).filter(|_| quiet.admits_error(now)).count();
        assert!(admitted < 250, "{admitted} errors at once");
    }

    #[test]
    fn what_goes_on_going_wrong_is_told_once_a_minute() {
        let (seldom, start) = (Seldom::new(), Instant::now());
        let told = (0..600).filter(|second| seldom.is_due(start + Duration::from_secs(*second))).count();
        assert_eq!(told, 10);
    }
}
