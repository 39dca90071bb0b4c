//! What the player does with keys, gamepads and fingers. A shell passes in the types below; `key_state.rs` turns them into one
//! [`Input`](game::Input) a tick, and into moves through menus.

mod bindings;
mod key;
mod key_labels;
mod key_state;
mod touch_controls;

pub use bindings::{Action, Bindings};
pub use key::Key;
pub use key_labels::KeyLabels;
pub use key_state::{KeyState, MenuInput};
pub use touch_controls::TouchControls;

/// What the player plays with.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Device {
    #[default]
    Keyboard,
    Pad,
    /// Fingers on the picture.
    Touch,
}

/// The state of a gamepad, in the browser's standard mapping.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Pad {
    /// The left stick, −1 left to 1 right. Any other value, even NaN, does no harm.
    pub x: f32,
    /// The left stick, −1 up to 1 down.
    pub y: f32,
    /// Bit n is button n of the standard mapping: 0 to 3 the face, 9 start, 12 to 15 the cross up, down, left, right.
    pub buttons: u32,
}

/// A touch of a finger.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Touch {
    /// Which finger; the same from down to up.
    pub finger: u32,
    /// Whether it came down, moved or was lifted.
    pub phase: Phase,
    /// Pixels from the left of the picture.
    pub x: i32,
    /// Pixels from the top of the picture.
    pub y: i32,
}

/// What a finger does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Phase {
    /// It comes down.
    Down,
    Move,
    /// It is lifted, or the system takes the touch away.
    Up,
}
