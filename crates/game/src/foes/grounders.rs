//! The habits of what stands on terrain, or on the field's own floor and ceiling.

use super::may_fire;
use crate::{
    Kind, Vec2, World, bullets,
    foe::{Foe, Habit},
    tuning,
    units::px,
};

/// Walkers: along the floor, turning at walls and edges, firing at ships.
pub(super) fn walk(world: &mut World, foe: &mut Foe) {
    let Habit::Walk { rightwards } = foe.habit else { return };
    let (half_width, half_height) = half_size(foe.kind);
    let direction = if rightwards { 1 } else { -1 };
    let toe = foe.position + Vec2::new(direction * (half_width + px(1)), 0);
    let standing = world.is_ground(foe.position + Vec2::new(0, half_height + px(1)));
    if !standing {
        foe.velocity = Vec2::new(-world.state.scrolled, fall(foe.velocity.y));
        return;
    }
    let blocked = world.is_ground(toe);
    let edge = !world.is_ground(toe + Vec2::new(0, half_height + px(2)));
    if blocked || edge {
        foe.habit = Habit::Walk { rightwards: !rightwards };
    }
    let pace = if blocked || edge { 0 } else { direction * world.state.rules.pace(tuning::WALKER_SPEED) };
    foe.velocity = Vec2::new(pace - world.state.scrolled, 0);
    if may_fire(world, foe, tuning::WALKER_FIRE_EVERY) {
        bullets::aim(world, Kind::Pellet, foe.position, tuning::PELLET_SPEED);
    }
}

/// Clingers: hang until a ship is below, then drop, and burst on the ground.
pub(super) fn cling(world: &World, foe: &mut Foe) {
    let Habit::Cling { fallen } = foe.habit else { return };
    if fallen {
        foe.velocity = Vec2::new(-world.state.scrolled, fall(foe.velocity.y));
        let (_, half_height) = half_size(foe.kind);
        if world.is_ground(foe.position + Vec2::new(0, half_height)) {
            foe.health = 0;
        }
        return;
    }
    foe.velocity = Vec2::new(-world.state.scrolled, 0);
    let below = |ship: Vec2| ship.y > foe.position.y && (ship.x - foe.position.x).abs() < tuning::CLINGER_SIGHT;
    if world.targets().any(below) {
        foe.habit = Habit::Cling { fallen: true };
    }
}

/// Turrets: stay where they are and aim.
pub(super) fn sit(world: &mut World, foe: &mut Foe) {
    foe.velocity = Vec2::new(-world.state.scrolled, 0);
    if may_fire(world, foe, tuning::TURRET_FIRE_EVERY) {
        bullets::aim(world, Kind::Pellet, foe.position, tuning::PELLET_SPEED);
    }
}

/// Hives: stay where they are and spawn larvae until they have no more.
pub(super) fn brood(world: &mut World, foe: &mut Foe) {
    let Habit::Brood { left } = foe.habit else { return };
    foe.velocity = Vec2::new(-world.state.scrolled.max(tuning::HIVE_SPEED_MIN), 0);
    if left > 0 && may_fire(world, foe, tuning::HIVE_SPAWN_EVERY) {
        world.spawn_foe(Kind::Larva, foe.position, Habit::Home);
        foe.habit = Habit::Brood { left: left - 1 };
    }
}

/// Polyps: lob arcs from the floor, and let them drop from the ceiling.
pub(super) fn spit(world: &mut World, foe: &mut Foe) {
    foe.velocity = Vec2::new(-world.state.scrolled, 0);
    if !may_fire(world, foe, tuning::POLYP_FIRE_EVERY) {
        return;
    }
    let (_, half_height) = half_size(foe.kind);
    if is_on_floor(world, foe) {
        bullets::lob(world, foe.position - Vec2::new(0, half_height));
    } else {
        world.spawn_bullet(Kind::Bomb, foe.position + Vec2::new(0, half_height), Vec2::new(-world.state.scrolled, 0));
    }
}

/// Hatches: open and close, and release darts while they are open, as long as they have any.
pub(super) fn release(world: &mut World, foe: &mut Foe) {
    let Habit::Release { left, .. } = foe.habit else { return };
    foe.velocity = Vec2::new(-world.state.scrolled, 0);
    let open = foe.age % (tuning::HATCH_OPEN + tuning::HATCH_CLOSED) < tuning::HATCH_OPEN;
    let releases = open && left > 0 && may_fire(world, foe, tuning::HATCH_RELEASE_EVERY);
    if releases {
        world.spawn_foe(Kind::Dart, foe.position, Habit::Dive { aimed: false });
    }
    foe.habit = Habit::Release { left: left - u8::from(releases), open };
}

/// Rovers: along floor or ceiling, turning at walls and edges, firing at ships.
pub(super) fn ride(world: &mut World, foe: &mut Foe) {
    let Habit::Ride { rightwards } = foe.habit else { return };
    let (half_width, half_height) = half_size(foe.kind);
    let direction = if rightwards { 1 } else { -1 };
    let toe = foe.position + Vec2::new(direction * (half_width + px(1)), 0);
    let rail = if is_on_floor(world, foe) { half_height + px(2) } else { -half_height - px(2) };
    let turns = world.is_ground(toe) || !world.is_ground(toe + Vec2::new(0, rail));
    if turns {
        foe.habit = Habit::Ride { rightwards: !rightwards };
    }
    let pace = if turns { 0 } else { direction * world.state.rules.pace(tuning::ROVER_SPEED) };
    foe.velocity = Vec2::new(pace - world.state.scrolled, 0);
    if may_fire(world, foe, tuning::ROVER_FIRE_EVERY) {
        bullets::aim(world, Kind::Pellet, foe.position, tuning::PELLET_SPEED);
    }
}

fn is_on_floor(world: &World, foe: &Foe) -> bool {
    let (_, half_height) = half_size(foe.kind);
    world.is_ground(foe.position + Vec2::new(0, half_height + px(2)))
}

/// The next speed of something that falls.
fn fall(speed: i32) -> i32 {
    (speed + tuning::GRAVITY).min(tuning::FALL_SPEED_MAX)
}

fn half_size(kind: Kind) -> (i32, i32) {
    let (width, height) = tuning::body(kind).size_px;
    (px(width) / 2, px(height) / 2)
}
