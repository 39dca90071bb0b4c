//! How a node ends: at once, or when all players have left, but no later than a deadline. A signal or an order starts it,
//! from another thread.

use std::{
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicBool, AtomicU8, Ordering},
    },
    time::{Duration, Instant},
};

/// Tells a node to end. Clones share it.
#[derive(Clone, Default)]
pub struct Shutdown(Arc<Shared>);

#[derive(Default)]
struct Shared {
    stage: AtomicU8,
    deadline: Mutex<Option<Instant>>,
    is_announced: AtomicBool,
    is_for_good: AtomicBool,
}

const SERVING: u8 = 0;
const DRAINING: u8 = 1;
const STOPPED: u8 = 2;

impl Shutdown {
    /// From now on no lobby opens, and the node ends when all players have left, or after `grace` at the latest. None: it
    /// waits for as long as it takes.
    pub fn drain(&self, grace: Option<Duration>) {
        let wanted = grace.map(|grace| Instant::now() + grace);
        let mut deadline = self.0.deadline.lock().unwrap_or_else(PoisonError::into_inner);
        *deadline = match (*deadline, wanted) {
            (Some(before), Some(wanted)) => Some(before.min(wanted)),
            (before, wanted) => before.or(wanted),
        };
        self.0.stage.fetch_max(DRAINING, Ordering::Release);
    }

    /// The host wants the node to be empty: it drains for as long as it takes, and what it plays is not saved for a next process.
    pub fn retire(&self) {
        self.0.is_for_good.store(true, Ordering::Release);
        self.drain(None);
    }

    /// Whether no next process goes on with the games.
    pub fn is_for_good(&self) -> bool {
        self.0.is_for_good.load(Ordering::Acquire)
    }

    /// The node ends now.
    pub fn stop(&self) {
        self.0.stage.fetch_max(STOPPED, Ordering::Release);
    }

    /// Whether the node is draining or stopped.
    pub fn has_begun(&self) -> bool {
        self.0.stage.load(Ordering::Acquire) > SERVING
    }

    /// Notes that every shard has been told.
    pub fn mark_announced(&self) {
        self.0.is_announced.store(true, Ordering::Release);
    }

    /// Whether every shard has been told. Once it is true, no new lobby opens.
    pub fn is_announced(&self) -> bool {
        self.0.is_announced.load(Ordering::Acquire)
    }

    /// Whether a node with this many players ends now.
    pub fn is_due(&self, players: usize) -> bool {
        match self.0.stage.load(Ordering::Acquire) {
            SERVING => false,
            DRAINING => players == 0 || self.is_overdue(),
            _ => true,
        }
    }

    fn is_overdue(&self) -> bool {
        let deadline = self.0.deadline.lock().unwrap_or_else(PoisonError::into_inner);
        deadline.is_some_and(|deadline| Instant::now() >= deadline)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LONG: Duration = Duration::from_secs(3600);

    #[test]
    fn a_drain_ends_when_the_last_player_has_left() {
        let shutdown = Shutdown::default();
        assert!(!shutdown.has_begun() && !shutdown.is_due(0));
        shutdown.drain(None);
        assert!(shutdown.has_begun() && !shutdown.is_due(1) && shutdown.is_due(0));
    }

    #[test]
    fn only_a_host_ends_games_for_good() {
        let shutdown = Shutdown::default();
        shutdown.drain(Some(LONG));
        assert!(!shutdown.is_for_good());
        shutdown.retire();
        assert!(shutdown.is_for_good() && shutdown.has_begun());
    }

    #[test]
    fn the_earlier_of_two_deadlines_counts() {
        let shutdown = Shutdown::default();
        shutdown.drain(None);
        shutdown.drain(Some(LONG));
        assert!(!shutdown.is_due(1));
        shutdown.drain(Some(Duration::ZERO));
        shutdown.drain(Some(LONG));
        shutdown.drain(None);
        assert!(shutdown.is_due(1));
    }

    #[test]
    fn a_stop_is_immediate_and_final() {
        let shutdown = Shutdown::default();
        shutdown.stop();
        shutdown.drain(Some(LONG));
        assert!(shutdown.is_due(1));
    }
}
