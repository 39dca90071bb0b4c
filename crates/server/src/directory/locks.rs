//! What shards share besides the directory itself, so that most of what comes from strangers never takes the lock that a tick may need.
//!
//! Whoever holds the directory may take one of these locks; whoever holds one of these takes no other.

use std::{
    hash::{BuildHasher, RandomState},
    ops::{Deref, DerefMut},
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicU32, Ordering},
    },
};

use super::{Directory, fullness::Fullness};
use crate::peer::PeerKey;

/// Places of the filter: sixteen for each player of a thousand full lobbies.
const PLACES: usize = 65_536;

/// Something with a lock of its own. Clones share it.
pub(crate) struct Shared<T>(Arc<Mutex<T>>);

impl<T> Clone for Shared<T> {
    fn clone(&self) -> Shared<T> {
        Shared(Arc::clone(&self.0))
    }
}

impl<T: Default> Default for Shared<T> {
    fn default() -> Shared<T> {
        Shared(Arc::default())
    }
}

impl<T> Shared<T> {
    pub fn lock(&self) -> MutexGuard<'_, T> {
        // Nothing panics between two changes that belong together.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The directory, locked. When it is given back, everybody can see how full the node is.
pub(crate) struct LockedDirectory<'a> {
    directory: MutexGuard<'a, Directory>,
    fullness: &'a Fullness,
}

impl<'a> LockedDirectory<'a> {
    pub(super) fn new(directory: MutexGuard<'a, Directory>, fullness: &'a Fullness) -> LockedDirectory<'a> {
        LockedDirectory { directory, fullness }
    }
}

impl Deref for LockedDirectory<'_> {
    type Target = Directory;

    fn deref(&self) -> &Directory {
        &self.directory
    }
}

impl DerefMut for LockedDirectory<'_> {
    fn deref_mut(&mut self) -> &mut Directory {
        &mut self.directory
    }
}

impl Drop for LockedDirectory<'_> {
    fn drop(&mut self) {
        self.fullness.note(&self.directory);
    }
}

/// Which peers may have a seat, without a lock: how many have one, by a hash that nobody outside can guess. None: surely not; some:
/// perhaps.
pub(crate) struct PeerFilter {
    hasher: RandomState,
    counts: Box<[AtomicU32]>,
}

impl Default for PeerFilter {
    fn default() -> PeerFilter {
        PeerFilter { hasher: RandomState::new(), counts: (0..PLACES).map(|_| AtomicU32::new(0)).collect() }
    }
}

impl PeerFilter {
    pub fn may_contain(&self, peer: PeerKey) -> bool {
        self.place(peer).load(Ordering::Relaxed) > 0
    }

    pub fn add(&self, peer: PeerKey) {
        self.place(peer).fetch_add(1, Ordering::Relaxed);
    }

    /// Takes away one that was added.
    pub fn remove(&self, peer: PeerKey) {
        self.place(peer).fetch_sub(1, Ordering::Relaxed);
    }

    fn place(&self, peer: PeerKey) -> &AtomicU32 {
        &self.counts[(self.hasher.hash_one(peer) % PLACES as u64) as usize]
    }
}
