//! What goes wrong with the archive: counted always, told at most once a minute.

use std::{
    sync::atomic::{AtomicU64, Ordering},
    time::Instant,
};

use crate::quiet::Seldom;

#[derive(Debug, Default)]
pub struct Faults {
    count: AtomicU64,
    telling: Seldom,
}

impl Faults {
    pub fn count(&self) -> u64 {
        self.count.load(Ordering::Relaxed)
    }

    /// Counts a fault, and tells of it unless another was told of less than a minute ago.
    pub fn tell(&self, what: &str) {
        self.count.fetch_add(1, Ordering::Relaxed);
        if self.telling.is_due(Instant::now()) {
            say(what);
        }
    }

    /// Counts a fault that only a host can cause and none can repeat often, and tells of it.
    pub fn tell_at_once(&self, what: &str) {
        self.count.fetch_add(1, Ordering::Relaxed);
        say(what);
    }
}

fn say(what: &str) {
    tracing::error!(target: "host", "the archive of scores: {what}; the game goes on");
}
