//! A player that needs no person: it sees Frames and says what it holds down.
//!
//! [`Bot::decide`] is pure: the same seed and Frames give the same inputs. It uses nothing but the Frame, so it plays
//! over any dialect: without velocities it takes them from two Frames, without the beam's charge it counts for itself,
//! without terrain it sees only what flies. Start reading at `decide`; `steer.rs` is where it stays alive.

mod force;
mod sight;
mod steer;
mod trigger;

use game::{Buttons, Dice, Frame, Input, Seat, Stage};

use self::{force::ForceHand, sight::Sight, steer::Helm, trigger::Trigger};

/// A player that needs no person.
#[derive(Clone, Debug)]
pub struct Bot {
    dice: Dice,
    sight: Sight,
    helm: Helm,
    trigger: Trigger,
    force: ForceHand,
}

impl Bot {
    /// A bot whose whims come from the seed.
    pub fn new(seed: u64) -> Bot {
        Bot {
            dice: Dice::new(seed),
            sight: Sight::default(),
            helm: Helm::default(),
            trigger: Trigger::default(),
            force: ForceHand::default(),
        }
    }

    /// What the bot does in answer to a Frame, when it sits in that seat. `terrain` is the stage, if it is known.
    ///
    /// Call it once for each Frame, in order. Without a ship it does nothing.
    pub fn decide(&mut self, frame: &Frame, seat: Seat, terrain: Option<&Stage>) -> Input {
        let Some(view) = self.sight.look(frame, seat, terrain) else {
            self.trigger = Trigger::default();
            return Input::IDLE;
        };
        let held = self.helm.steer(&view, &mut self.dice);
        let fire = self.trigger.pull(&view, &mut self.dice);
        let force = if self.force.wants(&view, &mut self.dice) { Buttons::FORCE } else { Buttons::NONE };
        Input { held: held | fire.held, pressed: fire.pressed | force }
    }
}

#[cfg(test)]
mod tests;
