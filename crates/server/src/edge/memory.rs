//! One budget of bytes for everything that links may keep in memory: what their transports hold back, and what waits in their
//! mailboxes. A link takes its fixed part when it is admitted, and a mailbox takes more as it fills; both give it back.

use std::sync::atomic::{AtomicUsize, Ordering};

/// What a node's links may keep in memory unless the host says otherwise.
pub const MEMORY_DEFAULT_BYTES: usize = 512 << 20;

/// How much is used of what there is.
#[derive(Debug)]
pub(super) struct LinkMemory {
    limit_bytes: usize,
    used_bytes: AtomicUsize,
}

impl Default for LinkMemory {
    fn default() -> LinkMemory {
        LinkMemory::new(MEMORY_DEFAULT_BYTES)
    }
}

impl LinkMemory {
    pub fn new(limit_bytes: usize) -> LinkMemory {
        LinkMemory { limit_bytes, used_bytes: AtomicUsize::new(0) }
    }

    pub fn used_bytes(&self) -> usize {
        self.used_bytes.load(Ordering::Relaxed)
    }

    /// Takes so many bytes, if they are left.
    pub fn take(&self, bytes: usize) -> bool {
        let fits = |used: usize| used.checked_add(bytes).filter(|used| *used <= self.limit_bytes);
        self.used_bytes.fetch_update(Ordering::Relaxed, Ordering::Relaxed, fits).is_ok()
    }

    /// Gives back what was taken.
    pub fn give_back(&self, bytes: usize) {
        self.used_bytes.fetch_sub(bytes, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_given_back_can_be_taken_again_and_never_more_than_there_is() {
        let memory = LinkMemory::new(100);
        assert!(memory.take(60) && !memory.take(41) && memory.take(40) && !memory.take(1));
        memory.give_back(60);
        assert!(memory.take(59) && !memory.take(usize::MAX));
        assert_eq!(memory.used_bytes(), 99);
    }
}
