//! Guesses of secrets over HTTP: too many wrong ones are answered with 429, right or wrong.

use std::{
    net::IpAddr,
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicU64, Ordering},
    },
    time::Instant,
};

use axum::http::StatusCode;
use protocol::Time;

use super::Problem;
use crate::guess_limit::GuessLimit;

/// Guesses of one kind of secret. Clones count together.
#[derive(Clone)]
pub struct Guesses(Arc<Shared>);

struct Shared {
    started: Instant,
    limit: Mutex<GuessLimit>,
    refused: AtomicU64,
}

impl Guesses {
    pub fn new(limit: GuessLimit) -> Guesses {
        let limit = Mutex::new(limit);
        Guesses(Arc::new(Shared { started: Instant::now(), limit, refused: AtomicU64::new(0) }))
    }

    /// How many guesses were not looked at, because there had been too many wrong ones.
    pub fn refused(&self) -> u64 {
        self.0.refused.load(Ordering::Relaxed)
    }

    /// Whether a guess from there would be looked at.
    pub fn allow(&self, from: IpAddr) -> bool {
        self.0.limit.lock().unwrap_or_else(PoisonError::into_inner).allows(self.now(), from)
    }

    /// What a guess leads to; none if it is wrong.
    pub fn guess<T>(&self, from: IpAddr, look: impl FnOnce() -> Option<T>) -> Result<Option<T>, Problem> {
        let now = self.now();
        let mut limit = self.0.limit.lock().unwrap_or_else(PoisonError::into_inner);
        if !limit.allows(now, from) {
            self.0.refused.fetch_add(1, Ordering::Relaxed);
            return Err(Problem::new(StatusCode::TOO_MANY_REQUESTS, "too many wrong guesses; try again in a minute"));
        }
        let found = look();
        if found.is_none() {
            limit.note_wrong(now, from);
        }
        Ok(found)
    }

    fn now(&self) -> Time {
        Time::from_micros(self.0.started.elapsed().as_micros() as u64)
    }
}
