//! What the client says of its player's keys: all that are held, in one GAME_INPUT a tick (step 2, ruling A5).
//!
//! A key lost on the way is said again in the next tick. A tap shorter than that is drawn out over [`TAP_TICKS`], so
//! that losing one datagram does not lose it, and a key pressed again before it was said to be up is said up first.

use game::{Buttons, Input};

use super::wire::key_code;

/// For how many ticks a tap is said. Far less than what makes a charge of it.
pub const TAP_TICKS: u8 = 3;

/// The buttons of the dialect and the codes that we send for them.
const KEYS: [(Buttons, u8); 6] = [
    (Buttons::LEFT, key_code::LEFT),
    (Buttons::RIGHT, key_code::RIGHT),
    (Buttons::UP, key_code::UP),
    (Buttons::DOWN, key_code::DOWN),
    (Buttons::FIRE, key_code::FIRE),
    (Buttons::FORCE, key_code::FORCE),
];

/// The keys as they are said.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct ClientKeys {
    keys: [Key; KEYS.len()],
}

#[derive(Clone, Copy, Debug, Default)]
struct Key {
    is_said: bool,
    /// It was pressed again while it was said to be down.
    waits: bool,
    /// For how many more ticks a tap is said.
    left: u8,
}

impl ClientKeys {
    /// One tick of the player's. Whether any key is, or was just now, down.
    pub(super) fn press(&mut self, input: Input) -> bool {
        // The dialect has one fire button: to charge is to hold it.
        let fire = |buttons: Buttons| buttons.with(Buttons::FIRE, buttons.intersects(Buttons::FIRE | Buttons::CHARGE));
        let (held, pressed) = (fire(input.held), fire(input.pressed));
        let mut is_active = false;
        for (key, (button, _)) in self.keys.iter_mut().zip(KEYS) {
            let was_said = key.is_said;
            key.press(held.contains(button), pressed.contains(button));
            is_active |= was_said || key.is_said;
        }
        is_active
    }

    /// The codes of all keys that are said to be down. Returns how many there are at the beginning of the array.
    pub(super) fn inputs(&self) -> ([u8; KEYS.len()], usize) {
        let mut inputs = [0; KEYS.len()];
        let said = self.keys.iter().zip(KEYS).filter(|(key, _)| key.is_said);
        let count = said.zip(&mut inputs).map(|((_, (_, code)), input)| *input = code).count();
        (inputs, count)
    }
}

impl Key {
    fn press(&mut self, is_held: bool, is_pressed: bool) {
        self.left = self.left.saturating_sub(1);
        if is_pressed && self.is_said {
            *self = Key { is_said: false, waits: true, left: 0 };
            return;
        }
        if is_pressed || self.waits {
            self.left = TAP_TICKS;
        }
        self.waits = false;
        self.is_said = is_held || self.left > 0;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn said(keys: &mut ClientKeys, input: Input) -> Vec<u8> {
        keys.press(input);
        let (inputs, count) = keys.inputs();
        inputs[..count].to_vec()
    }

    #[test]
    fn a5_all_keys_held_are_said_each_tick() {
        let mut keys = ClientKeys::default();
        let held = Input::holding(Buttons::from_bits(0x3f));
        assert_eq!(said(&mut keys, held), [16, 3, 25, 18, 57, 38]);
        assert_eq!(said(&mut keys, held), [16, 3, 25, 18, 57, 38]);
        assert_eq!(said(&mut keys, Input::holding(Buttons::RIGHT)), [3]);
        assert!(said(&mut keys, Input::IDLE).is_empty());
        assert_eq!(said(&mut keys, Input::holding(Buttons::CHARGE)), [57]);
    }

    #[test]
    fn c10_a_tap_is_said_for_three_ticks() {
        let mut keys = ClientKeys::default();
        assert_eq!(said(&mut keys, Input::tapping(Buttons::FORCE)), [38]);
        assert_eq!(said(&mut keys, Input::IDLE), [38]);
        assert_eq!(said(&mut keys, Input::IDLE), [38]);
        assert!(said(&mut keys, Input::IDLE).is_empty());
    }

    #[test]
    fn c10_a_key_pressed_again_is_said_up_first() {
        let mut keys = ClientKeys::default();
        let again = Input { held: Buttons::FIRE, pressed: Buttons::FIRE };
        assert_eq!(said(&mut keys, again), [57]);
        assert!(said(&mut keys, again).is_empty());
        assert_eq!(said(&mut keys, Input::holding(Buttons::FIRE)), [57]);
        assert!(said(&mut keys, Input::tapping(Buttons::FIRE)).is_empty());
        assert_eq!(said(&mut keys, Input::IDLE), [57]);
    }
}
