//! `Input`: what one player holds down and presses in one tick. Every dialect's client messages become this.

use borsh::{BorshDeserialize, BorshSerialize};

/// A set of buttons.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, BorshSerialize, BorshDeserialize)]
pub struct Buttons(u8);

impl Buttons {
    pub const NONE: Buttons = Buttons(0);
    /// Fly left.
    pub const LEFT: Buttons = Buttons(1);
    /// Fly right.
    pub const RIGHT: Buttons = Buttons(1 << 1);
    /// Fly up.
    pub const UP: Buttons = Buttons(1 << 2);
    /// Fly down.
    pub const DOWN: Buttons = Buttons(1 << 3);
    /// The four that fly.
    pub const DIRECTIONS: Buttons = Buttons(0b1111);
    /// Fire: tapped a shot, held it charges the beam, which leaves on release.
    pub const FIRE: Buttons = Buttons(1 << 4);
    /// Force: launch it, or call it back.
    pub const FORCE: Buttons = Buttons(1 << 5);
    /// Charge the beam without the first shot that [`Buttons::FIRE`] gives; releasing it fires the beam. For dialects
    /// whose clients say "charge" and "shoot" rather than "pressed" and "released".
    pub const CHARGE: Buttons = Buttons(1 << 6);
    /// Every button there is.
    pub const ALL: Buttons = Buttons(0x7f);

    /// The set with these bits; bits without a button are dropped.
    pub const fn from_bits(bits: u8) -> Self {
        Buttons(bits & Buttons::ALL.0)
    }

    /// The bits of the set, stable across versions.
    pub const fn bits(self) -> u8 {
        self.0
    }

    /// Whether every button of `other` is in the set.
    pub const fn contains(self, other: Buttons) -> bool {
        self.0 & other.0 == other.0
    }

    /// Whether any button of `other` is in the set.
    pub const fn intersects(self, other: Buttons) -> bool {
        self.0 & other.0 != 0
    }

    /// The set with the buttons of `other` put in or taken out.
    pub const fn with(self, other: Buttons, held: bool) -> Self {
        if held { Buttons(self.0 | other.0) } else { Buttons(self.0 & !other.0) }
    }
}

impl std::ops::BitOr for Buttons {
    type Output = Buttons;
    fn bitor(self, other: Buttons) -> Buttons {
        Buttons(self.0 | other.0)
    }
}

/// What one player holds down at the end of a tick, and what was pressed within it.
///
/// A key pressed and released within one tick is in `pressed` though not in `held`, so a tap is never lost. A button
/// that starts to be held counts as pressed whether or not `pressed` says so.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, BorshSerialize, BorshDeserialize)]
pub struct Input {
    /// Down now.
    pub held: Buttons,
    /// Went down since the last tick, even if it is up again.
    pub pressed: Buttons,
}

impl Input {
    /// Nothing held, nothing pressed.
    pub const IDLE: Input = Input { held: Buttons::NONE, pressed: Buttons::NONE };

    /// These buttons held down.
    pub const fn holding(held: Buttons) -> Self {
        Input { held, pressed: Buttons::NONE }
    }

    /// These buttons pressed and released within the tick.
    pub const fn tapping(pressed: Buttons) -> Self {
        Input { held: Buttons::NONE, pressed }
    }

    /// The same with nothing pressed: what a player goes on doing.
    pub const fn without_presses(self) -> Self {
        Input { held: self.held, pressed: Buttons::NONE }
    }

    /// What is left of the input for the later steps of its tick: a press happens once, but a direction that was tapped
    /// is flown in for the whole tick.
    pub const fn later_in_tick(self) -> Self {
        Input { held: self.held, pressed: Buttons(self.pressed.0 & Buttons::DIRECTIONS.0) }
    }
}

/// One input a seat; those of empty seats are ignored.
pub type Inputs = [Input; crate::SEATS];
