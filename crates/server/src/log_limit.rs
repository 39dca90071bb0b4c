//! One limit for all log lines that a peer can cause, so that no peer can flood the log.
//!
//! Lines with the target `host` are not limited: they report what the host did, or have a limit of their own, such as
//! [`OncePerMinute`]. The log's writer asks [`LogLimit`] about all others; suppressed lines are counted, and reported now
//! and then. Errors have a separate limit, so a flood of lesser lines hides none of them.

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

/// The limit of this process.
pub static LOG_LIMIT: LogLimit = LogLimit::new();

/// Two token buckets, and a count of the lines that did not fit.
pub struct LogLimit {
    lines: Mutex<Option<Bucket>>,
    errors: Mutex<Option<Bucket>>,
    suppressed: AtomicU64,
    reported: AtomicU64,
}

struct Bucket {
    level: f64,
    filled: Instant,
}

impl LogLimit {
    /// A limit whose buckets are full.
    pub const fn new() -> LogLimit {
        let (lines, errors) = (Mutex::new(None), Mutex::new(None));
        LogLimit { lines, errors, suppressed: AtomicU64::new(0), reported: AtomicU64::new(0) }
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
            self.suppressed.fetch_add(1, Ordering::Relaxed);
        }
        admits
    }

    /// How many lines were suppressed so far.
    pub fn suppressed(&self) -> u64 {
        self.suppressed.load(Ordering::Relaxed)
    }

    /// Logs how many lines were suppressed since the last call, if any were.
    pub fn report_suppressed(&self) {
        let all = self.suppressed();
        let new = all - self.reported.swap(all, Ordering::Relaxed);
        if new > 0 {
            tracing::warn!(target: "host", lines = new, "too many log lines; some were suppressed");
        }
    }
}

impl Default for LogLimit {
    fn default() -> LogLimit {
        LogLimit::new()
    }
}

/// Lets something be logged at most once a minute, however often it happens.
#[derive(Debug, Default)]
pub struct OncePerMinute(Mutex<Option<Instant>>);

impl OncePerMinute {
    const INTERVAL: Duration = Duration::from_secs(60);

    /// Nothing was logged yet.
    pub const fn new() -> OncePerMinute {
        OncePerMinute(Mutex::new(None))
    }

    /// Whether it may be logged now; if so, it counts as logged.
    pub fn is_due(&self, now: Instant) -> bool {
        let mut logged = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let is_due = logged.is_none_or(|logged| now.saturating_duration_since(logged) >= Self::INTERVAL);
        if is_due {
            *logged = Some(now);
        }
        is_due
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_flood_is_cut_to_a_burst_and_a_trickle_and_every_suppressed_line_is_counted() {
        let limit = LogLimit::new();
        let start = Instant::now();
        let admitted = (0..100_000).filter(|line| limit.admits(start + Duration::from_micros(line * 100))).count();
        assert!((395..=405).contains(&admitted), "{admitted} lines in ten seconds");
        assert_eq!(limit.suppressed(), 100_000 - admitted as u64);
        assert!(limit.admits(start + Duration::from_secs(20)), "afterwards there is room again");
    }

    #[test]
    fn a_flood_of_lines_hides_no_error() {
        let limit = LogLimit::new();
        let now = Instant::now();
        (0..10_000).for_each(|_| _ = limit.admits(now));
        assert!(!limit.admits(now) && limit.admits_error(now));
        let admitted = (0..10_000).filter(|_| limit.admits_error(now)).count();
        assert!(admitted < 250, "{admitted} errors at once");
    }

    #[test]
    fn a_lasting_problem_is_logged_once_a_minute() {
        let (limit, start) = (OncePerMinute::new(), Instant::now());
        let logged = (0..600).filter(|second| limit.is_due(start + Duration::from_secs(*second))).count();
        assert_eq!(logged, 10);
    }
}
