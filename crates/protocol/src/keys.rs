//! What a player holds, kept between the messages that change it: a press within a tick is never lost (ruling C10).

use game::{Buttons, Input};

/// The buttons of one player as its messages tell them.
#[derive(Clone, Copy, Debug, Default)]
pub struct Keys {
    held: Buttons,
    pressed: Buttons,
}

impl Keys {
    /// A button went down or up. Down again while it is down is not a new press.
    pub fn set(&mut self, button: Buttons, is_down: bool) {
        if is_down && !self.held.contains(button) {
            self.pressed = self.pressed | button;
        }
        self.held = self.held.with(button, is_down);
    }

    /// Exactly these buttons are down now.
    pub fn replace(&mut self, held: Buttons) {
        let new = Buttons::from_bits(held.bits() & !self.held.bits());
        self.pressed = self.pressed | new;
        self.held = held;
    }

    /// A button was pressed and let go at once.
    pub fn tap(&mut self, button: Buttons) {
        self.pressed = self.pressed | button;
    }

    /// What is held now.
    pub fn held(&self) -> Buttons {
        self.held
    }

    /// What is held, and what was pressed since this was last called.
    pub fn take(&mut self) -> Input {
        Input { held: self.held, pressed: std::mem::take(&mut self.pressed) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn c10_a_key_pressed_and_released_within_a_tick_is_still_a_press() {
        let mut keys = Keys::default();
        keys.set(Buttons::FIRE, true);
        keys.set(Buttons::FIRE, false);
        assert_eq!(keys.take(), Input::tapping(Buttons::FIRE));
        assert_eq!(keys.take(), Input::IDLE);
    }

    #[test]
    fn a_key_said_again_is_not_pressed_again() {
        let mut keys = Keys::default();
        keys.set(Buttons::FIRE, true);
        keys.take();
        keys.set(Buttons::FIRE, true);
        keys.replace(Buttons::FIRE | Buttons::UP);
        assert_eq!(keys.take(), Input { held: Buttons::FIRE | Buttons::UP, pressed: Buttons::UP });
    }
}
