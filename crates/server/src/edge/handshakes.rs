//! Handshakes in progress, of QUIC or of TLS. A few may come from anywhere. When there are more, an address has to be proved first, which
//! costs the node nothing, and gets only its share, which shrinks as they become more, and so does its network's. So forged addresses and handshakes that never finish fill no memory
//! and keep nobody out.

use std::{
    net::IpAddr,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use protocol::amplification::is_local;

use crate::address_group::AddressCounts;

/// Handshakes at once with addresses that may be forged.
const UNPROVED_MAX: usize = 64;
/// Handshakes at once, in all, and of a local address, where a proxy may run.
const ALL_MAX: usize = 1024;
const PER_LOCAL_ADDRESS_MAX: usize = ALL_MAX / 4 * 3;
/// What one address and one network may have: a part of what is left, between `least` and `most`. So however many of them
/// come, there is room for another.
const OF_ADDRESS: Share = Share { part: 16, least: 4, most: 64 };
const OF_NETWORK: Share = Share { part: 8, least: 8, most: 128 };

/// A share of what is left.
struct Share {
    part: usize,
    least: usize,
    most: usize,
}

impl Share {
    fn of(&self, left: usize) -> usize {
        (left / self.part).clamp(self.least, self.most)
    }
}

/// The handshakes in progress. Clones share them.
#[derive(Clone, Default)]
pub(crate) struct Handshakes(Arc<Mutex<InProgress>>);

struct InProgress {
    by_address: AddressCounts,
    by_network: AddressCounts,
}

impl Default for InProgress {
    fn default() -> InProgress {
        InProgress { by_address: AddressCounts::default(), by_network: AddressCounts::by_network() }
    }
}

impl InProgress {
    /// Whether one more may begin there.
    fn have_room_for(&self, from: IpAddr) -> bool {
        let left = ALL_MAX.saturating_sub(self.by_address.total());
        let (of_address, of_network) = if is_local(from) {
            (PER_LOCAL_ADDRESS_MAX, PER_LOCAL_ADDRESS_MAX)
        } else {
            (OF_ADDRESS.of(left), OF_NETWORK.of(left))
        };
        left > 0 && self.by_address.count(from) < of_address && self.by_network.count(from) < of_network
    }
}

/// A handshake, over when it is dropped.
pub(crate) struct Handshake {
    all: Handshakes,
    from: IpAddr,
}

/// What to do with a peer that wants to begin a handshake.
pub(crate) enum Decision {
    Accept(Handshake),
    /// The address has to be proved first.
    ProveAddress,
    /// There are too many.
    Refuse,
}

impl Handshakes {
    pub fn decide(&self, from: IpAddr, is_proved: bool) -> Decision {
        let mut in_progress = self.lock();
        if !is_proved && in_progress.by_address.total() >= UNPROVED_MAX {
            return Decision::ProveAddress;
        }
        if !in_progress.have_room_for(from) {
            return Decision::Refuse;
        }
        in_progress.by_address.add(from);
        in_progress.by_network.add(from);
        Decision::Accept(Handshake { all: self.clone(), from })
    }

    /// How many there are.
    #[cfg(test)]
    pub fn in_progress(&self) -> usize {
        self.lock().by_address.total()
    }

    fn lock(&self) -> MutexGuard<'_, InProgress> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Handshake {
    fn drop(&mut self) {
        let mut in_progress = self.all.lock();
        in_progress.by_address.remove(self.from);
        in_progress.by_network.remove(self.from);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn begun(handshakes: &Handshakes, from: [u8; 4], is_proved: bool, count: usize) -> Vec<Handshake> {
        let decide = |_| match handshakes.decide(from.into(), is_proved) {
            Decision::Accept(handshake) => Some(handshake),
            Decision::ProveAddress | Decision::Refuse => None,
        };
        (0..count).filter_map(decide).collect()
    }

    #[test]
    fn beyond_a_few_an_address_has_to_be_proved_and_gets_its_share() {
        let handshakes = Handshakes::default();
        let forged: Vec<_> = (0..200).flat_map(|number| begun(&handshakes, [192, 0, 2, number], false, 1)).collect();
        assert_eq!(forged.len(), UNPROVED_MAX);
        assert!(matches!(handshakes.decide([203, 0, 113, 1].into(), false), Decision::ProveAddress));
        let hostile = begun(&handshakes, [203, 0, 113, 1], true, 1000);
        assert!((32..=OF_ADDRESS.most).contains(&hostile.len()), "{}", hostile.len());
        assert!(matches!(handshakes.decide([203, 0, 113, 2].into(), true), Decision::Accept(_)));
        drop((forged, hostile));
        assert_eq!(handshakes.in_progress(), 0);
    }

    #[test]
    fn all_together_are_limited() {
        let handshakes = Handshakes::default();
        let local = begun(&handshakes, [127, 0, 0, 1], true, 2000);
        assert_eq!(local.len(), PER_LOCAL_ADDRESS_MAX, "it leaves room for others");
        let others: Vec<_> = (0..255).flat_map(|number| begun(&handshakes, [198, 51, number, 2], true, 20)).collect();
        assert_eq!(local.len() + others.len(), ALL_MAX);
        assert!(matches!(handshakes.decide([203, 0, 113, 2].into(), true), Decision::Refuse));
    }

    #[test]
    fn neither_one_network_nor_a_few_dozen_addresses_fill_them() {
        let handshakes = Handshakes::default();
        let network: Vec<_> = (0..255).flat_map(|number| begun(&handshakes, [203, 0, 113, number], true, 64)).collect();
        assert!(network.len() <= OF_NETWORK.most, "{}", network.len());
        drop(network);
        let few: Vec<_> = (0..32).flat_map(|number| begun(&handshakes, [198, 51, number, 1], true, 64)).collect();
        assert!(few.len() <= ALL_MAX - 64, "{}", few.len());
        assert!(matches!(handshakes.decide([192, 0, 2, 1].into(), true), Decision::Accept(_)));
    }
}
