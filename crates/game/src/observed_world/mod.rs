//! A world rebuilt from Frames alone, some of which come late and some of which never come.
//!
//! An [`ObservedWorld`] keeps a world beside the true one. Each Frame corrects what can be seen; what cannot be seen (how far
//! a drone is on its sine, what a Force is about to do) is carried on by the rules themselves, and guessed where it is
//! not known yet. A client predicts by ticking a copy of it: by the rules, not by an imitation of them. Of ships only the
//! own one can be lost in it, and no wave comes out of nowhere: that is for the true world to say.

mod foes;
mod ships;
mod shots;
mod showing;

use std::sync::Arc;

use crate::{
    Class, EntityId, Frame, Input, Inputs, Rules, Seat, Stage, Vec2, World,
    units::{STEPS_PER_TICK, SUBPIXELS, px},
};

/// Frames further apart than this have nothing to do with each other.
const GAP_MAX_TICKS: u32 = 60;
/// What is only predicted has ids from here on. A true world does not reach them in a year of play.
const PREDICTED_IDS: u32 = 1 << 31;
/// Something predicted and something seen of the same kind are the same if they are this near.
const SAME_WITHIN: i32 = px(6);

/// A world beside the true one, corrected by its Frames.
#[derive(Clone, Debug)]
pub struct ObservedWorld {
    world: World,
    /// Whether a Frame has been seen.
    begun: bool,
}

impl ObservedWorld {
    /// Knows the stage, and has seen nothing yet.
    pub fn new(stage: Arc<Stage>) -> ObservedWorld {
        ObservedWorld { world: World::new(stage, Rules::default(), 0), begun: false }
    }

    /// The lobby plays by these rules: enemies fly as fast as they say.
    pub fn play_by(&mut self, rules: Rules) {
        self.world.state.rules = rules.in_stage(&self.world.stage);
    }

    /// The world as of the newest Frame. Tick a copy of it to look ahead.
    pub fn world(&self) -> &World {
        &self.world
    }

    /// Takes over a Frame. `own` is a seat and what its player did in the ticks since the last Frame, as far as known.
    pub fn correct(&mut self, frame: &Frame, own: Option<(Seat, &[Input])>) {
        let passed = frame.tick.0.wrapping_sub(self.world.now().0);
        if self.begun && passed <= GAP_MAX_TICKS {
            self.carry_on(passed, own);
        } else {
            self.world = World::new(self.world.stage.clone(), self.world.state.rules, 0);
            self.begun = true;
        }
        adopt(&mut self.world, frame, own.map(|(seat, _)| seat));
    }

    /// What everybody but the player is taken to do next: to fly on as they do.
    pub fn inputs(&self) -> Inputs {
        let mut inputs = [Input::IDLE; crate::SEATS];
        for (seat, ship) in self.world.ships() {
            inputs[seat.index()] = Input::holding(ships::buttons_of(ship.velocity));
        }
        inputs
    }

    fn carry_on(&mut self, ticks: u32, own: Option<(Seat, &[Input])>) {
        let mut inputs = self.inputs();
        for tick in 0..ticks as usize {
            if let Some((seat, own)) = own {
                let before = self.world.state.players[seat.index()].as_ref().map(|player| Input::holding(player.held));
                let share = own.len() * tick / ticks as usize..own.len() * (tick + 1) / ticks as usize;
                inputs[seat.index()] = merge(before.unwrap_or_default(), &own[share]);
            }
            self.world.tick(&inputs);
        }
    }
}

impl World {
    /// How far the stage has scrolled, in sub-pixels.
    pub fn scroll(&self) -> i64 {
        self.state.scroll
    }
}

/// Several inputs in one tick, none of their presses lost; with none, what was held is held on.
fn merge(before: Input, inputs: &[Input]) -> Input {
    let start = before.without_presses();
    inputs.iter().fold(start, |merged, next| Input {
        held: next.held,
        pressed: merged.pressed | next.pressed | crate::Buttons::from_bits(next.held.bits() & !merged.held.bits()),
    })
}

/// Makes a world what the Frame shows, and keeps of the rest what agrees with it.
fn adopt(world: &mut World, frame: &Frame, own: Option<Seat>) {
    adopt_progress(world, frame);
    ships::adopt(world, frame, own);
    foes::adopt(world, frame);
    shots::adopt(world, frame);
    let highest = frame.entities.last().map_or(0, |entity| entity.id.0);
    world.state.next_id = PREDICTED_IDS.max(highest.saturating_add(1));
    world.state.events.clear();
    world.state.events_shown = 0;
}

fn adopt_progress(world: &mut World, frame: &Frame) {
    let state = &mut world.state;
    state.step = u64::from(frame.tick.0) * STEPS_PER_TICK as u64;
    state.game = frame.state;
    state.score = frame.score;
    state.next_extra_life = u32::MAX;
    state.setback_in = None;
    state.victory_in = None;
    // A Frame tells whole pixels: take the nearest scroll that agrees. As pixels pass, the rest becomes known.
    let low = i64::from(frame.scroll_px) * i64::from(SUBPIXELS);
    state.scroll = state.scroll.clamp(low, low + i64::from(SUBPIXELS) - 1);
    // Waves come from a seed that is not known: none is predicted. What a stage brings is known.
    state.waves.number = frame.wave;
    state.waves.pending.clear();
    state.waves.pause = u16::MAX;
    // Whoever predicts has the terrain itself.
    state.walls.clear();
    state.next_wall = world.stage.walls.len() as u32;
    let edge_px = frame.scroll_px.saturating_add((crate::FIELD_WIDTH_PX + 16) as u32);
    state.next_spawn = world.stage.spawns.partition_point(|spawn| spawn.x_px <= edge_px) as u32;
}

/// A position from a Frame, within the bounds in which the rules calculate.
fn bounded(seen: Vec2) -> Vec2 {
    const FAR: i32 = px(2048);
    Vec2::new(seen.x.clamp(-FAR, FAR), seen.y.clamp(-FAR, FAR))
}

/// A velocity per step from one per tick, within the same bounds.
fn per_step(seen: Vec2) -> Vec2 {
    const FAST: i32 = px(64);
    Vec2::new((seen.x / STEPS_PER_TICK).clamp(-FAST, FAST), (seen.y / STEPS_PER_TICK).clamp(-FAST, FAST))
}

/// Whether a predicted position may be the one that is seen.
fn is_near(predicted: Vec2, seen: Vec2) -> bool {
    (predicted.x - seen.x).abs() <= SAME_WITHIN && (predicted.y - seen.y).abs() <= SAME_WITHIN
}

fn is_predicted(id: EntityId) -> bool {
    id.0 >= PREDICTED_IDS
}

/// Whether a class is a foe's.
fn is_foe(class: Class) -> bool {
    matches!(class, Class::Enemy | Class::Boss | Class::Block)
}
