//! How full the node is, as everybody can see it without a lock: so that whoever can only be refused, or has to ask twice, costs no
//! tick anything.

use std::sync::atomic::{AtomicU8, AtomicU64, Ordering};

use protocol::{Dialect, Time};

use super::Directory;

/// What there is for a stranger who asks for a seat at a door that proves no address.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Vacancy {
    /// Perhaps a seat.
    Perhaps,
    /// At best a seat that yields to whoever asks twice (ruling C14).
    OnlyYielding,
    None,
}

/// What there is at each door, since the directory was last given back.
pub(crate) struct Fullness {
    /// A bit for each dialect: whether there may be a seat at its door.
    doors_with_room: AtomicU8,
    /// When the first seat yields, in microseconds; never if none does.
    yields_from: AtomicU64,
}

impl Fullness {
    pub fn of(directory: &Directory) -> Fullness {
        let fullness = Fullness { doors_with_room: AtomicU8::new(0), yields_from: AtomicU64::new(u64::MAX) };
        fullness.note(directory);
        fullness
    }

    pub fn note(&self, directory: &Directory) {
        let doors = Dialect::ALL.into_iter().filter(|door| directory.may_have_room_at(*door));
        let bits = doors.fold(0, |bits, door| bits | bit(door));
        self.doors_with_room.store(bits, Ordering::Relaxed);
        let yields_from = directory.yields_from().map_or(u64::MAX, Time::micros);
        self.yields_from.store(yields_from, Ordering::Relaxed);
    }

    pub fn room_at(&self, now: Time, door: Dialect) -> Vacancy {
        if self.doors_with_room.load(Ordering::Relaxed) & bit(door) != 0 {
            Vacancy::Perhaps
        } else if now.micros() > self.yields_from.load(Ordering::Relaxed) {
            Vacancy::OnlyYielding
        } else {
            Vacancy::None
        }
    }
}

fn bit(door: Dialect) -> u8 {
    1 << door as u8
}
