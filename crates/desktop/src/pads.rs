//! The gamepads, merged into one.

use client::Pad;
use gilrs::{Axis, Button, Gamepad, Gilrs};

/// The buttons in the order of the browser's standard mapping, as the client numbers them.
const BUTTONS: [Button; 17] = [
    Button::South,
    Button::East,
    Button::West,
    Button::North,
    Button::LeftTrigger,
    Button::RightTrigger,
    Button::LeftTrigger2,
    Button::RightTrigger2,
    Button::Select,
    Button::Start,
    Button::LeftThumb,
    Button::RightThumb,
    Button::DPadUp,
    Button::DPadDown,
    Button::DPadLeft,
    Button::DPadRight,
    Button::Mode,
];

/// All gamepads of the machine.
pub struct Pads {
    gilrs: Gilrs,
    last: Pad,
}

impl Pads {
    /// Looks for gamepads. If the system has no service for them, a line says so.
    pub fn open() -> Option<Pads> {
        match Gilrs::new() {
            Ok(gilrs) => Some(Pads { gilrs, last: Pad::default() }),
            Err(error) => {
                eprintln!("volley-desktop: gamepads will not work: {error}");
                None
            }
        }
    }

    /// Their state, if it has changed.
    pub fn changed(&mut self) -> Option<Pad> {
        while self.gilrs.next_event().is_some() {}
        let now = self.gilrs.gamepads().map(|(_, gamepad)| read(&gamepad)).fold(Pad::default(), merged);
        (now != self.last).then(|| {
            self.last = now;
            now
        })
    }
}

fn read(gamepad: &Gamepad) -> Pad {
    let pressed = |(bit, button): (usize, &Button)| u32::from(gamepad.is_pressed(*button)) << bit;
    Pad {
        x: gamepad.value(Axis::LeftStickX),
        // In gilrs, up is positive.
        y: -gamepad.value(Axis::LeftStickY),
        buttons: BUTTONS.iter().enumerate().map(pressed).sum(),
    }
}

/// Every button of either, and for each axis the stick that is further out.
fn merged(a: Pad, b: Pad) -> Pad {
    let further = |a: f32, b: f32| if b.abs() > a.abs() { b } else { a };
    Pad { x: further(a.x, b.x), y: further(a.y, b.y), buttons: a.buttons | b.buttons }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_cross_and_start_are_where_browsers_have_them() {
        let at = |button| BUTTONS.iter().position(|known| *known == button);
        assert_eq!(at(Button::South), Some(0));
        assert_eq!(at(Button::Start), Some(9));
        assert_eq!(at(Button::DPadUp), Some(12));
        assert_eq!(at(Button::DPadRight), Some(15));
    }

    #[test]
    fn two_pads_are_one() {
        let one = Pad { x: 0.1, y: -0.9, buttons: 0b01 };
        let other = Pad { x: -0.5, y: 0.2, buttons: 0b10 };
        assert_eq!(merged(one, other), Pad { x: -0.5, y: -0.9, buttons: 0b11 });
    }
}
