//! What goes wrong with the archive: counted always, told at most once a minute.

use std::{
    sync::{
        Mutex, PoisonError,
        atomic::{AtomicU64, Ordering},
    },
    time::{Duration, Instant},
};

const TOLD_EVERY: Duration = Duration::from_secs(60);

#[derive(Debug, Default)]
pub struct Faults {
    count: AtomicU64,
    told: Mutex<Option<Instant>>,
}

impl Faults {
    pub fn count(&self) -> u64 {
        self.count.load(Ordering::Relaxed)
    }

    /// Counts a fault, and tells of it unless another was told of less than a minute ago.
    pub fn tell(&self, what: &str) {
        self.count.fetch_add(1, Ordering::Relaxed);
        let mut told = self.told.lock().unwrap_or_else(PoisonError::into_inner);
        if told.is_none_or(|told| told.elapsed() >= TOLD_EVERY) {
            *told = Some(Instant::now());
            tracing::error!(target: "host", "the archive of scores: {what}; the game goes on");
        }
    }
}
