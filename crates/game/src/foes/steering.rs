//! How what flies level, weaves or hovers keeps out of terrain: it rises or sinks in time, and goes on from there.

use crate::{
    Kind, Vec2, World,
    evasion::{self, Flier},
    foe::{Foe, Habit},
    tuning,
};

/// Bends the course of a flier that would meet terrain. A swing goes on about another height.
pub(super) fn keep_clear(world: &World, foe: &mut Foe) {
    // In a stage without terrain nothing is in the way.
    if !steers(foe) || world.stage.terrain.columns() == 0 {
        return;
    }
    if is_level(foe) {
        foe.velocity.y = 0;
    }
    let next = foe.position + foe.velocity;
    let relative = foe.velocity.x + world.state.scrolled;
    let ahead = relative.signum() * tuning::FLIER_LOOKS_AHEAD;
    let flier = Flier { centre: next, size_px: tuning::body(foe.kind).hit_px, ahead, minds_blocks: false };
    let offset = evasion::offset(world, &flier);
    if offset == 0 {
        return;
    }
    // From where it is, not from where it was going.
    let wanted = (foe.velocity.y + offset).clamp(-tuning::FLIER_EVADES_SPEED, tuning::FLIER_EVADES_SPEED);
    let bent = wanted - foe.velocity.y;
    foe.velocity = Vec2::new(foe.velocity.x, wanted);
    if let Habit::Weave { base_y, .. } | Habit::Carry { base_y, .. } | Habit::Hover { base_y, .. } = &mut foe.habit {
        *base_y += bent;
    }
}

/// Whether it looks where it flies. What aims, swarms or tumbles does not, and bursts on terrain instead.
fn steers(foe: &Foe) -> bool {
    let swings = matches!(foe.habit, Habit::Weave { .. } | Habit::Carry { .. } | Habit::Hover { .. });
    swings || is_level(foe) || matches!(foe.habit, Habit::Joust { .. })
}

/// Whether it flies straight on at its height.
fn is_level(foe: &Foe) -> bool {
    let drifts = foe.habit == Habit::Drift && matches!(foe.kind, Kind::Splitter | Kind::Warden);
    drifts || matches!(foe.habit, Habit::Lurk | Habit::Bomb | Habit::Guard)
}
