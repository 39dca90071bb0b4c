//! A player that needs no person: it sees Frames and says what it holds down.
//!
//! [`Bot::decide`] is pure: the same seed and Frames give the same inputs. It uses nothing but the Frame, so it plays
//! over any dialect: without velocities it takes them from two Frames, without the beam's charge it counts for itself,
//! without the stage it keeps off the walls that it is told of. Start reading at `decide`; `steering.rs` is where it stays alive.

mod fire_button;
mod force_button;
mod perception;
mod steering;

use game::{Buttons, Dice, Frame, Input, Seat};

pub use self::perception::Ground;
use self::{fire_button::FireButton, force_button::ForceButton, perception::Perception, steering::Steering};

/// A player that needs no person.
#[derive(Clone, Debug)]
pub struct Bot {
    dice: Dice,
    perception: Perception,
    steering: Steering,
    fire_button: FireButton,
    force_button: ForceButton,
}

impl Bot {
    /// A bot whose choices come from the seed.
    pub fn new(seed: u64) -> Bot {
        Bot {
            dice: Dice::new(seed),
            perception: Perception::default(),
            steering: Steering::default(),
            fire_button: FireButton::default(),
            force_button: ForceButton::default(),
        }
    }

    /// What the bot does in answer to a Frame, when it sits in that seat.
    ///
    /// Call it once for each Frame, in order. Without a ship it does nothing.
    pub fn decide(&mut self, frame: &Frame, seat: Seat, ground: Ground<'_>) -> Input {
        let Some(view) = self.perception.look(frame, seat, ground) else {
            self.fire_button = FireButton::default();
            return Input::IDLE;
        };
        let held = self.steering.steer(&view, &mut self.dice);
        let fire = self.fire_button.pull(&view, &mut self.dice);
        let force = if self.force_button.wants(&view, &mut self.dice) { Buttons::FORCE } else { Buttons::NONE };
        Input { held: held | fire.held, pressed: fire.pressed | force }
    }
}

#[cfg(test)]
mod tests;
