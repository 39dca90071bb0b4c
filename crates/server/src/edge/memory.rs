//! One budget of bytes for everything that links may keep in memory: what their transports hold back, and what waits in their
//! mailboxes. A link takes its fixed part when it is admitted, and a mailbox takes more as it fills; both give it back. No
//! address and no network has more than its share. Handshakes take from it too.

use std::{
    net::IpAddr,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use protocol::amplification::is_local;

use crate::address_group::AddressCounts;

/// What a node's links may keep in memory unless the host says otherwise.
pub const MEMORY_DEFAULT_BYTES: usize = 512 << 20;
/// Of all of it, handshakes have no more than this part.
const HANDSHAKES_PART: usize = 4;

/// How much is used of what there is.
pub(super) struct LinkMemory {
    limit_bytes: usize,
    used: Mutex<Used>,
}

struct Used {
    total: usize,
    handshakes: usize,
    by_address: AddressCounts,
    by_network: AddressCounts,
}

impl Default for LinkMemory {
    fn default() -> LinkMemory {
        LinkMemory::new(MEMORY_DEFAULT_BYTES)
    }
}

impl LinkMemory {
    pub fn new(limit_bytes: usize) -> LinkMemory {
        let (by_address, by_network) = (AddressCounts::default(), AddressCounts::by_network());
        LinkMemory { limit_bytes, used: Mutex::new(Used { total: 0, handshakes: 0, by_address, by_network }) }
    }

    pub fn used_bytes(&self) -> usize {
        self.lock().total
    }

    /// Takes bytes for a link of this address, if they are left to it.
    pub fn take(&self, ip: IpAddr, bytes: usize) -> bool {
        let mut used = self.lock();
        let fits = |used: usize, limit: usize| used.checked_add(bytes).is_some_and(|sum| sum <= limit);
        let is_there = fits(used.total, self.limit_bytes)
            && fits(used.by_address.count(ip), self.address_share(ip))
            && fits(used.by_network.count(ip), self.network_share(ip));
        if is_there {
            used.total += bytes;
            used.by_address.add_many(ip, bytes);
            used.by_network.add_many(ip, bytes);
        }
        is_there
    }

    /// Gives back what was taken.
    pub fn give_back(&self, ip: IpAddr, bytes: usize) {
        let mut used = self.lock();
        used.total -= bytes;
        used.by_address.remove_many(ip, bytes);
        used.by_network.remove_many(ip, bytes);
    }

    /// Takes bytes for a handshake, if they are left. Its address may be forged, so it costs no address its share.
    pub fn take_for_handshake(self: &Arc<LinkMemory>, bytes: usize) -> Option<HandshakeMemory> {
        let mut used = self.lock();
        let is_there =
            used.total + bytes <= self.limit_bytes && used.handshakes + bytes <= self.limit_bytes / HANDSHAKES_PART;
        if !is_there {
            return None;
        }
        used.total += bytes;
        used.handshakes += bytes;
        Some(HandshakeMemory { memory: Arc::clone(self), bytes })
    }

    fn address_share(&self, ip: IpAddr) -> usize {
        if is_local(ip) { self.limit_bytes / 4 * 3 } else { self.limit_bytes / 4 }
    }

    fn network_share(&self, ip: IpAddr) -> usize {
        if is_local(ip) { self.limit_bytes } else { self.limit_bytes / 2 }
    }

    fn lock(&self) -> MutexGuard<'_, Used> {
        // Nothing panics between two changes that belong together.
        self.used.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// What a handshake has taken, given back when it is dropped.
pub(super) struct HandshakeMemory {
    memory: Arc<LinkMemory>,
    bytes: usize,
}

impl Drop for HandshakeMemory {
    fn drop(&mut self) {
        let mut used = self.memory.lock();
        used.total -= self.bytes;
        used.handshakes -= self.bytes;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ip(text: &str) -> IpAddr {
        text.parse().expect("an address")
    }

    #[test]
    fn what_is_given_back_can_be_taken_again_and_never_more_than_there_is() {
        let (memory, local) = (LinkMemory::new(100), ip("127.0.0.1"));
        assert!(memory.take(local, 60) && !memory.take(local, 16) && memory.take(local, 15));
        assert!(memory.take(ip("10.0.0.1"), 25) && !memory.take(ip("10.0.0.1"), 1));
        memory.give_back(local, 60);
        assert!(memory.take(local, 59) && !memory.take(local, usize::MAX));
        assert_eq!(memory.used_bytes(), 99);
    }

    #[test]
    fn an_address_has_a_quarter_and_its_network_half() {
        let memory = LinkMemory::new(1000);
        let taken = |address: &str| (0..1000).filter(|_| memory.take(ip(address), 1)).count();
        let counts = ["192.0.2.1", "192.0.2.2", "192.0.2.3", "198.51.100.1", "203.0.113.1"].map(taken);
        assert_eq!(counts, [250, 250, 0, 250, 250]);
    }

    #[test]
    fn handshakes_take_a_quarter_at_most_and_no_address_its_share() {
        let memory = Arc::new(LinkMemory::new(1000));
        let handshakes: Vec<_> = (0..100).map_while(|_| memory.take_for_handshake(10)).collect();
        assert_eq!((handshakes.len(), memory.used_bytes()), (25, 250));
        assert!(memory.take(ip("192.0.2.1"), 250) && memory.take_for_handshake(10).is_none());
        drop(handshakes);
        assert_eq!(memory.used_bytes(), 250);
    }
}
