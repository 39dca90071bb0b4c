//! `SharedStates`: what the sessions of a lobby have in common, one slot for each type that a dialect keeps there.
//!
//! The first session that needs a slot fills it. Nothing here knows a dialect, and finding a slot allocates nothing.

use std::{any::Any, cell::RefCell, fmt};

use crate::Scale;

/// A slot for each type and scale that somebody asked for. A lobby has as many as dialects are spoken in it.
#[derive(Default)]
pub(crate) struct SharedStates {
    slots: RefCell<Vec<SharedSlot>>,
}

struct SharedSlot {
    /// That of the dialect's door; none where it makes no difference.
    scale: Option<Scale>,
    state: Box<dyn Any + Send>,
}

impl SharedStates {
    /// Works with the state of that type and scale, made now if there is none.
    pub fn open<T: Any + Send, R>(
        &self,
        scale: Option<Scale>,
        make: impl FnOnce() -> T,
        work: impl FnOnce(&mut T) -> R,
    ) -> R {
        let mut slots = self.slots.borrow_mut();
        let found = slots.iter().position(|slot| slot.scale == scale && slot.state.is::<T>());
        let index = found.unwrap_or_else(|| {
            slots.push(SharedSlot { scale, state: Box::new(make()) });
            slots.len() - 1
        });
        // tidy: allow(panics) the slot was found by its type, or made of it just now
        work(slots[index].state.downcast_mut().expect("a slot of that type"))
    }
}

impl fmt::Debug for SharedStates {
    fn fmt(&self, formatter: &mut fmt::Formatter) -> fmt::Result {
        formatter.debug_struct("SharedStates").finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_state_is_made_once_for_each_type_and_scale() {
        let states = SharedStates::default();
        let [small, large] = [1, 4].map(|units| Some(Scale::new(units)));
        assert_eq!(states.open(small, || 7, |number| std::mem::replace(number, 8)), 7);
        assert_eq!(states.open(large, || 9, |number: &mut i32| *number), 9);
        assert_eq!(states.open(None, || "text", |text| *text), "text");
        assert_eq!(states.open(small, || "other", |text| *text), "other", "another type");
        assert_eq!(states.open(small, || unreachable!("it is made"), |number: &mut i32| *number), 8);
    }
}
