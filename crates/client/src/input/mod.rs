//! What a player does: keys, a gamepad, fingers. Here are the nouns that a shell speaks in; `controls.rs` makes one
//! [`Input`](game::Input) a tick of them, and steps through menus.

mod bindings;
mod controls;
mod key;
mod thumbs;

pub use bindings::{Bindings, Command};
pub use controls::{Controls, Step};
pub use key::Key;
pub use thumbs::Thumbs;

/// A gamepad as it stands, in the browser's standard mapping.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Pad {
    /// The left stick, −1 left to 1 right. Anything else, even not a number, is taken for its nearest.
    pub x: f32,
    /// The left stick, −1 up to 1 down.
    pub y: f32,
    /// Bit n is button n of the standard mapping: 0 to 3 the face, 9 start, 12 to 15 the cross up, down, left, right.
    pub buttons: u32,
}

/// What a finger did.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Touch {
    /// Which finger; the same from down to up.
    pub finger: u32,
    /// What it did.
    pub phase: Phase,
    /// Where, in pixels of the picture from its left.
    pub x: i32,
    /// Where, in pixels of the picture from its top.
    pub y: i32,
}

/// The life of a touch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Phase {
    /// It came down.
    Down,
    /// It moved.
    Move,
    /// It was lifted, or taken away.
    Up,
}
