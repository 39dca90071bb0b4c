//! Handshakes of QUIC that are under way. A few may come from anywhere. When there are more, an address has to prove
//! itself first, which costs the node nothing, and has its share: who forges addresses, or never finishes, fills no memory
//! and keeps nobody out.

use std::{
    net::IpAddr,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use crate::household::Households;

/// Handshakes at once with addresses that may be forged.
const UNPROVED_MAX: usize = 64;
/// Handshakes at once, in all and of one address. Local addresses, where a proxy may sit, are free of the second.
const ALL_MAX: usize = 1024;
const PER_ADDRESS_MAX: usize = 64;

/// All that are under way. Clones share them.
#[derive(Clone, Default)]
pub(super) struct Handshakes(Arc<Mutex<Households>>);

/// One of them, over when it is dropped.
pub(super) struct Handshake {
    all: Handshakes,
    from: IpAddr,
}

/// What is to become of who wants to begin one.
pub(super) enum Reception {
    Begin(Handshake),
    /// The address has to be proved first.
    Prove,
    TooMany,
}

impl Handshakes {
    pub fn receive(&self, from: IpAddr, is_proved: bool) -> Reception {
        let mut under_way = self.lock();
        if !is_proved && under_way.total() >= UNPROVED_MAX {
            return Reception::Prove;
        }
        if under_way.total() >= ALL_MAX || !under_way.has_fewer(from, PER_ADDRESS_MAX) {
            return Reception::TooMany;
        }
        under_way.add(from);
        Reception::Begin(Handshake { all: self.clone(), from })
    }

    fn lock(&self) -> MutexGuard<'_, Households> {
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
        let receive = |_| match handshakes.receive(from.into(), is_proved) {
            Reception::Begin(handshake) => Some(handshake),
            Reception::Prove | Reception::TooMany => None,
        };
        (0..count).filter_map(receive).collect()
    }

    #[test]
    fn beyond_a_few_an_address_has_to_be_proved_and_has_its_share() {
        let handshakes = Handshakes::default();
        let forged: Vec<_> = (0..200).flat_map(|number| begun(&handshakes, [192, 0, 2, number], false, 1)).collect();
        assert_eq!(forged.len(), UNPROVED_MAX);
        assert!(matches!(handshakes.receive([203, 0, 113, 1].into(), false), Reception::Prove));
        let hostile = begun(&handshakes, [203, 0, 113, 1], true, 1000);
        assert_eq!(hostile.len(), PER_ADDRESS_MAX);
        assert!(matches!(handshakes.receive([203, 0, 113, 2].into(), true), Reception::Begin(_)));
        drop((forged, hostile));
        assert_eq!(handshakes.lock().total(), 0);
    }

    #[test]
    fn all_together_are_bounded() {
        let handshakes = Handshakes::default();
        let local = begun(&handshakes, [127, 0, 0, 1], true, 2000);
        assert_eq!(local.len(), ALL_MAX);
        assert!(matches!(handshakes.receive([203, 0, 113, 2].into(), true), Reception::TooMany));
    }
}
