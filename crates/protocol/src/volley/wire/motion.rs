//! How a thing moves on its own: straight, swinging about a height, or falling. What the game's entities do not tell
//! (the phase of a swing) is found by trying, told once, and then costs nothing while it holds.

use game::{
    Entity,
    tuning::{FALL_SPEED_MAX, GRAVITY},
    units::{STEPS_PER_TICK, sine},
};

/// How a thing moves.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Motion {
    /// By its velocity.
    #[default]
    Straight,
    /// Straight from left to right or back, and up and down on a sine.
    Swing {
        /// How far it swings to either side, in pixels.
        reach_px: u8,
        /// How fast, in 1/256 turns a step.
        winding: u8,
        /// Where in the swing it is, in 1/256 turns.
        angle: u8,
    },
    /// Faster and faster downwards.
    Fall,
}

impl Motion {
    /// Lets an entity move for some ticks.
    pub fn advance(&mut self, entity: &mut Entity, ticks: u32) {
        entity.position.x = entity.position.x.wrapping_add(entity.velocity.x.wrapping_mul(ticks as i32));
        match self {
            Motion::Straight => {
                entity.position.y = entity.position.y.wrapping_add(entity.velocity.y.wrapping_mul(ticks as i32));
            }
            Motion::Swing { reach_px, winding, angle } => {
                let from = *angle;
                let steps = (ticks as u8).wrapping_mul(STEPS_PER_TICK as u8);
                *angle = angle.wrapping_add(winding.wrapping_mul(steps));
                let reach = i32::from(*reach_px);
                entity.position.y = entity.position.y.wrapping_add(reach * (sine(*angle) - sine(from)));
                let last_step = sine(*angle) - sine(angle.wrapping_sub(*winding));
                entity.velocity.y = if ticks > 0 { reach * last_step * STEPS_PER_TICK } else { entity.velocity.y };
            }
            Motion::Fall => fall(entity, ticks),
        }
    }

    /// The motion by which an entity came from the one place to the other in a tick, if one is found.
    pub fn find(before: &Entity, after: &Entity, swings: &[(u8, u8)]) -> Option<Motion> {
        let leads_there = |motion: &Motion| {
            let (mut motion, mut entity) = (*motion, *before);
            motion.advance(&mut entity, 1);
            (entity.position, entity.velocity) == (after.position, after.velocity)
        };
        let swings = swings
            .iter()
            .flat_map(|&(reach_px, winding)| (0..=255).map(move |angle| Motion::Swing { reach_px, winding, angle }));
        let mut found = [Motion::Straight, Motion::Fall].into_iter().chain(swings).find(leads_there)?;
        found.advance(&mut before.clone(), 1);
        Some(found)
    }
}

fn fall(entity: &mut Entity, ticks: u32) {
    let mut speed = entity.velocity.y / STEPS_PER_TICK;
    for _ in 0..ticks.min(64) * STEPS_PER_TICK as u32 {
        speed = speed.saturating_add(GRAVITY).min(FALL_SPEED_MAX);
        entity.position.y = entity.position.y.wrapping_add(speed);
    }
    entity.velocity.y = speed.wrapping_mul(STEPS_PER_TICK);
}
