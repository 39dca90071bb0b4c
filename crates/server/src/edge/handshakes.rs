//! Handshakes in progress, of QUIC or of TLS. A few may come from anywhere. When there are more, an address has to be proved first, which
//! costs the node nothing, and gets only its share. So forged addresses and handshakes that never finish fill no memory
//! and keep nobody out.

use std::{
    net::IpAddr,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use protocol::amplification::is_local;

use crate::address_group::AddressCounts;

/// Handshakes at once with addresses that may be forged.
const UNPROVED_MAX: usize = 64;
/// Handshakes at once, in all, of one address, and of a local address, where a proxy may run.
const ALL_MAX: usize = 1024;
const PER_ADDRESS_MAX: usize = 64;
const PER_LOCAL_ADDRESS_MAX: usize = ALL_MAX / 4 * 3;

/// The handshakes in progress. Clones share them.
#[derive(Clone, Default)]
pub(crate) struct Handshakes(Arc<Mutex<AddressCounts>>);

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
        if !is_proved && in_progress.total() >= UNPROVED_MAX {
            return Decision::ProveAddress;
        }
        let share = if is_local(from) { PER_LOCAL_ADDRESS_MAX } else { PER_ADDRESS_MAX };
        if in_progress.total() >= ALL_MAX || in_progress.count(from) >= share {
            return Decision::Refuse;
        }
        in_progress.add(from);
        Decision::Accept(Handshake { all: self.clone(), from })
    }

    fn lock(&self) -> MutexGuard<'_, AddressCounts> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Handshake {
    fn drop(&mut self) {
        self.all.lock().remove(self.from);
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
        assert_eq!(hostile.len(), PER_ADDRESS_MAX);
        assert!(matches!(handshakes.decide([203, 0, 113, 2].into(), true), Decision::Accept(_)));
        drop((forged, hostile));
        assert_eq!(handshakes.lock().total(), 0);
    }

    #[test]
    fn all_together_are_limited() {
        let handshakes = Handshakes::default();
        let local = begun(&handshakes, [127, 0, 0, 1], true, 2000);
        assert_eq!(local.len(), PER_LOCAL_ADDRESS_MAX, "it leaves room for others");
        let others: Vec<_> = (0..255).flat_map(|number| begun(&handshakes, [192, 0, 2, number], true, 20)).collect();
        assert_eq!(local.len() + others.len(), ALL_MAX);
        assert!(matches!(handshakes.decide([203, 0, 113, 2].into(), true), Decision::Refuse));
    }
}
