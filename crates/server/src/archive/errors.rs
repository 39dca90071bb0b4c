//! Errors of the archive: always counted, logged at most once a minute.

use std::{
    sync::atomic::{AtomicU64, Ordering},
    time::Instant,
};

use crate::log_limit::OncePerMinute;

#[derive(Debug, Default)]
pub struct ErrorLog {
    count: AtomicU64,
    log: OncePerMinute,
}

impl ErrorLog {
    pub fn count(&self) -> u64 {
        self.count.load(Ordering::Relaxed)
    }

    /// Counts an error, and logs it unless another was logged less than a minute ago.
    pub fn report(&self, what: &str) {
        self.count.fetch_add(1, Ordering::Relaxed);
        if self.log.is_due(Instant::now()) {
            log(what);
        }
    }

    /// Counts and logs an error that only the host can cause, and not often.
    pub fn report_now(&self, what: &str) {
        self.count.fetch_add(1, Ordering::Relaxed);
        log(what);
    }
}

fn log(what: &str) {
    tracing::error!(target: "host", "archive: {what}; the game goes on");
}
