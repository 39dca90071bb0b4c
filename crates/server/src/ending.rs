//! How a node ends: at once, or when all players have left, but no later than a deadline. It begins with a signal or an
//! order, from another thread.

use std::{
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicBool, AtomicU8, Ordering},
    },
    time::{Duration, Instant},
};

/// A handle to it. Clones share it.
#[derive(Clone, Default)]
pub struct Ending(Arc<Shared>);

#[derive(Default)]
struct Shared {
    stage: AtomicU8,
    deadline: Mutex<Option<Instant>>,
    is_known: AtomicBool,
}

const SERVING: u8 = 0;
const DRAINING: u8 = 1;
const STOPPED: u8 = 2;

impl Ending {
    /// From now on no lobby is opened, and the node ends when all players have left, or after `patience`. None: however
    /// long it takes.
    pub fn drain(&self, patience: Option<Duration>) {
        let wanted = patience.map(|patience| Instant::now() + patience);
        let mut deadline = self.0.deadline.lock().unwrap_or_else(PoisonError::into_inner);
        *deadline = match (*deadline, wanted) {
            (Some(before), Some(wanted)) => Some(before.min(wanted)),
            (before, wanted) => before.or(wanted),
        };
        self.0.stage.fetch_max(DRAINING, Ordering::Release);
    }

    /// The node ends now.
    pub fn stop(&self) {
        self.0.stage.fetch_max(STOPPED, Ordering::Release);
    }

    /// Whether it is to end.
    pub fn has_begun(&self) -> bool {
        self.0.stage.load(Ordering::Acquire) > SERVING
    }

    /// Every shard has been told.
    pub fn note_known(&self) {
        self.0.is_known.store(true, Ordering::Release);
    }

    /// Whether every shard has been told: who asks for a lobby after this was true gets none.
    pub fn is_known(&self) -> bool {
        self.0.is_known.load(Ordering::Acquire)
    }

    /// Whether a node with so many players ends now.
    pub fn is_due(&self, players: usize) -> bool {
        match self.0.stage.load(Ordering::Acquire) {
            SERVING => false,
            DRAINING => players == 0 || self.is_late(),
            _ => true,
        }
    }

    fn is_late(&self) -> bool {
        let deadline = self.0.deadline.lock().unwrap_or_else(PoisonError::into_inner);
        deadline.is_some_and(|deadline| Instant::now() >= deadline)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LONG: Duration = Duration::from_secs(3600);

    #[test]
    fn a_drain_ends_when_nobody_plays_any_more() {
        let ending = Ending::default();
        assert!(!ending.has_begun() && !ending.is_due(0));
        ending.drain(None);
        assert!(ending.has_begun() && !ending.is_due(1) && ending.is_due(0));
    }

    #[test]
    fn the_earlier_of_two_deadlines_holds() {
        let ending = Ending::default();
        ending.drain(None);
        ending.drain(Some(LONG));
        assert!(!ending.is_due(1));
        ending.drain(Some(Duration::ZERO));
        ending.drain(Some(LONG));
        ending.drain(None);
        assert!(ending.is_due(1));
    }

    #[test]
    fn a_stop_waits_for_nobody_and_is_not_taken_back() {
        let ending = Ending::default();
        ending.stop();
        ending.drain(Some(LONG));
        assert!(ending.is_due(1));
    }
}
