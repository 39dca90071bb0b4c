//! A player that needs no person: it sees Frames and says what it holds down.
//!
//! [`Bot::decide`] is pure: the same seed and Frames give the same inputs. It uses nothing but the Frame, so it plays over any
//! dialect. Where a dialect says no velocities, it takes them from two Frames; without the beam's charge it counts by itself;
//! without the stage it keeps off the walls that the Frame shows. Bots of three skills play by the same code with other
//! `skillset.rs`. Start reading at `decide`; `steering.rs` is where it stays alive. A bot that has seen a few Frames allocates
//! nothing more, so that a node can run it within a tick.
//!
//! ```
//! use bot::{Bot, Ground};
//! use game::{Input, Rules, Seat, Stage, World};
//!
//! let stage = Stage::built_in("endless").expect("it is built in");
//! let mut world = World::new(stage.clone(), Rules::default(), 42);
//! let seat = Seat::ALL[0];
//! world.join(seat);
//! world.start();
//! let mut bot = Bot::new(7);
//! for _ in 0..600 {
//!     let input = bot.decide(&world.frame(), seat, Ground::Stage(&stage));
//!     world.tick(&[input, Input::IDLE, Input::IDLE, Input::IDLE]);
//! }
//! ```

mod bot_game;
mod fire_button;
mod force_button;
mod perception;
mod skillset;
mod steering;

use game::{Buttons, Dice, Frame, Input, Seat, Skill};

pub use self::{bot_game::BotGame, perception::Ground};
use self::{
    fire_button::FireButton, force_button::ForceButton, perception::Perception, skillset::Skillset, steering::Steering,
};

/// A player that needs no person.
#[derive(Clone, Debug)]
pub struct Bot {
    skill: Skill,
    dice: Dice,
    perception: Perception,
    steering: Steering,
    fire_button: FireButton,
    force_button: ForceButton,
}

impl Bot {
    /// A good bot whose choices come from the seed.
    pub fn new(seed: u64) -> Bot {
        Bot::with_skill(Skill::Good, seed)
    }

    /// A bot of that skill whose choices come from the seed.
    pub fn with_skill(skill: Skill, seed: u64) -> Bot {
        Bot {
            skill,
            dice: Dice::new(seed),
            perception: Perception::new(seed, Skillset::of(skill).attention),
            steering: Steering::default(),
            fire_button: FireButton::default(),
            force_button: ForceButton::default(),
        }
    }

    pub fn skill(&self) -> Skill {
        self.skill
    }

    /// What the bot does in answer to a Frame, when it sits in that seat.
    ///
    /// Call it once for each Frame, in order. Without a ship it does nothing.
    pub fn decide(&mut self, frame: &Frame, seat: Seat, ground: Ground<'_>) -> Input {
        let skillset = Skillset::of(self.skill);
        let Some(view) = self.perception.look(frame, seat, ground) else {
            self.fire_button = FireButton::default();
            return Input::IDLE;
        };
        let held = self.steering.steer(&view, &skillset.flying, &mut self.dice);
        let fire = self.fire_button.pull(&view, &skillset.firing, &mut self.dice);
        let presses = skillset.launches_force && self.force_button.wants(&view, &mut self.dice);
        Input { held: held | fire.held, pressed: fire.pressed.with(Buttons::FORCE, presses) }
    }
}

#[cfg(test)]
mod tests;
