//! The habits of what flies.

use super::{may_fire, swing};
use crate::{
    Kind, Vec2, World,
    bullets::{self, Ring},
    foe::{Foe, Habit},
    tuning::{self, Swing},
    units::px,
};

/// Drones, leeches and spores: left, on a sine; drones fire now and then.
pub(super) fn weave(world: &mut World, foe: &mut Foe) {
    let Habit::Weave { base_y, angle } = foe.habit else { return };
    let (speed, course) = weaving(foe.kind);
    let angle = angle.wrapping_add(course.winding);
    foe.velocity = Vec2::new(-world.state.rules.pace(speed), swing(foe, base_y, angle, course));
    foe.habit = Habit::Weave { base_y, angle };
    if foe.kind == Kind::Drone && may_fire(world, foe, tuning::DRONE_FIRE_EVERY) {
        bullets::aim(world, Kind::Pellet, foe.position, tuning::PELLET_SPEED);
    }
}

/// The speed and the swing of what weaves. A foe that does not stands still.
pub(crate) fn weaving(kind: Kind) -> (i32, Swing) {
    let weaver = tuning::WEAVERS.iter().find(|(weaver, _)| *weaver == kind);
    weaver.map_or((0, Swing { reach_px: 0, winding: 0 }), |(_, weaving)| *weaving)
}

/// Darts: cruise in, aim once at the nearest ship, dive and never turn again.
pub(super) fn dive(world: &World, foe: &mut Foe) {
    let Habit::Dive { aimed: false } = foe.habit else { return };
    foe.velocity = Vec2::new(-world.state.rules.pace(tuning::DART_CRUISE), 0);
    if foe.age >= tuning::DART_AIM {
        let way = world.nearest_target(foe.position).map_or(Vec2::ZERO, |ship| ship - foe.position);
        foe.velocity = way.with_length(world.state.rules.pace(tuning::DART_DIVE));
        foe.habit = Habit::Dive { aimed: true };
    }
}

/// Seekers and larvae: turn to the nearest ship every so often, until they lose patience.
pub(super) fn home(world: &World, foe: &mut Foe) {
    let speed = if foe.kind == Kind::Larva { tuning::LARVA_SPEED } else { tuning::SEEKER_SPEED };
    if foe.age >= tuning::SEEKER_PATIENCE || !foe.age.is_multiple_of(tuning::SEEKER_TURN_EVERY) && foe.age > 1 {
        return;
    }
    let way = world.nearest_target(foe.position).map_or(Vec2::ZERO, |ship| ship - foe.position);
    foe.velocity = way.with_length(world.state.rules.pace(speed));
}

/// Chasers: from behind past the ships, then back at their height.
pub(super) fn chase(world: &World, foe: &mut Foe) {
    let Habit::Chase { turned } = foe.habit else { return };
    if !turned && foe.position.x > tuning::CHASER_TURN_X {
        let height = world.nearest_target(foe.position).map_or(foe.position.y, |ship| ship.y);
        let way = Vec2::new(-tuning::CHASER_AIM, height - foe.position.y);
        foe.velocity = way.with_length(world.state.rules.pace(tuning::CHASER_SPEED));
        foe.habit = Habit::Chase { turned: true };
    } else if !turned {
        foe.velocity = Vec2::new(world.state.rules.pace(tuning::CHASER_SPEED), 0);
    }
}

/// Carriers: leisurely, with an item on board.
pub(super) fn carry(world: &World, foe: &mut Foe) {
    let Habit::Carry { item, base_y, angle } = foe.habit else { return };
    let angle = angle.wrapping_add(tuning::CARRIER_SWING.winding);
    foe.velocity =
        Vec2::new(-world.state.rules.pace(tuning::CARRIER_SPEED), swing(foe, base_y, angle, tuning::CARRIER_SWING));
    foe.habit = Habit::Carry { item, base_y, angle };
}

/// Gunships: to their place, hover and fire fans, then leave.
pub(super) fn hover(world: &mut World, foe: &mut Foe) {
    let Habit::Hover { base_y, angle } = foe.habit else { return };
    let angle = angle.wrapping_add(tuning::GUNSHIP_SWING.winding);
    let leaving = foe.age > tuning::GUNSHIP_STAY;
    let arriving = foe.position.x > tuning::GUNSHIP_HOVER_X;
    let x = if leaving || arriving { -tuning::GUNSHIP_SPEED } else { 0 };
    foe.velocity = Vec2::new(x, swing(foe, base_y, angle, tuning::GUNSHIP_SWING));
    foe.habit = Habit::Hover { base_y, angle };
    if !leaving && may_fire(world, foe, tuning::GUNSHIP_FIRE_EVERY) {
        fan(world, foe.position);
    }
}

/// Sentries: straight on, firing along their own height without a pause.
pub(super) fn guard(world: &mut World, foe: &mut Foe) {
    if may_fire(world, foe, tuning::SENTRY_FIRE_EVERY) {
        world.spawn_bullet(Kind::Lance, foe.position, Vec2::new(-tuning::LANCE_SPEED, 0));
    }
}

/// Pellets to the left, some degrees apart.
fn fan(world: &mut World, from: Vec2) {
    for angle in tuning::GUNSHIP_FAN {
        world.spawn_bullet(Kind::Pellet, from, bullets::radial(angle, tuning::PELLET_SPEED));
    }
}

/// Mines: drift until a ship is near, which lights their fuse; then they burst into a ring, wherever the ship is by then.
pub(super) fn lurk(world: &mut World, foe: &mut Foe) {
    if !foe.is_lit() {
        light_if_near(world, foe);
    } else if foe.fire_in == 0 {
        foe.health = 0;
        let ring = Ring { pellets: tuning::MINE_PELLETS, turned: 0, speed: tuning::PELLET_SPEED };
        bullets::ring(world, foe.position, ring);
    }
}

fn light_if_near(world: &World, foe: &mut Foe) {
    let sight = i64::from(tuning::MINE_SIGHT / px(1));
    let near = world.nearest_target(foe.position).map(|ship| (ship - foe.position).length_squared_px());
    let is_near = near.is_some_and(|distance| distance < sight * sight);
    foe.fire_in = if is_near { tuning::MINE_FUSE } else { tuning::MINE_UNLIT };
}

/// Mites: drawn to the nearest ship without looking where they fly, until they lose patience.
pub(super) fn swarm(world: &World, foe: &mut Foe) {
    if foe.age >= tuning::MITE_PATIENCE {
        return;
    }
    let Some(target) = world.nearest_target(foe.position) else { return };
    let velocity = foe.velocity + (target - foe.position).with_length(tuning::MITE_PULL);
    let speed_max = world.state.rules.pace(tuning::MITE_SPEED);
    foe.velocity = if velocity.is_longer_than(speed_max) { velocity.with_length(speed_max) } else { velocity };
}

/// Lancers: to their place, then again and again: take a ship's height, glow, fire along it; then leave.
pub(super) fn joust(world: &mut World, foe: &mut Foe) {
    let leaving = foe.age > tuning::LANCER_STAY;
    let x = match foe.position.x > tuning::LANCER_X {
        _ if leaving => tuning::LANCER_SPEED,
        true => -tuning::LANCER_SPEED,
        false => 0,
    };
    let looks = world.fire_interval(foe.kind, tuning::LANCER_LOOKS);
    let since = foe.age % (looks + tuning::LANCER_GLOWS + tuning::LANCER_FIRES);
    let rise = match world.nearest_target(foe.position) {
        Some(ship) if since < looks && !leaving => {
            (ship.y - foe.position.y).clamp(-tuning::LANCER_RISE_SPEED, tuning::LANCER_RISE_SPEED)
        }
        _ => 0,
    };
    foe.velocity = Vec2::new(x, rise);
    foe.habit = Habit::Joust { glowing: since >= looks && !leaving };
    let fires = since.checked_sub(looks + tuning::LANCER_GLOWS);
    if !leaving && fires.is_some_and(|fires| fires.is_multiple_of(tuning::LANCER_FIRE_EVERY)) {
        world.spawn_bullet(Kind::Lance, foe.position, Vec2::new(-tuning::LANCE_SPEED, 0));
    }
}

/// Grinders: show themselves at the left edge, close in, and fall back when their time is over.
pub(super) fn pursue(world: &World, foe: &mut Foe) {
    let x = match foe.age {
        age if age < tuning::GRINDER_WARNING => {
            (tuning::GRINDER_WAITS_X - foe.position.x).clamp(0, tuning::GRINDER_SHOWS_SPEED)
        }
        age if age < tuning::GRINDER_STAY => {
            (tuning::GRINDER_REACH - foe.position.x).clamp(0, world.state.rules.pace(tuning::GRINDER_SPEED))
        }
        _ => -tuning::GRINDER_BACK_SPEED,
    };
    foe.velocity = Vec2::new(x, 0);
}

/// Bombers: level, dropping bombs.
pub(super) fn bomb(world: &mut World, foe: &mut Foe) {
    if may_fire(world, foe, tuning::BOMBER_FIRE_EVERY) {
        let below = foe.position + Vec2::new(0, tuning::BOMB_BELOW);
        world.spawn_bullet(Kind::Bomb, below, Vec2::new(foe.velocity.x / tuning::BOMB_SPEED_SHARE, 0));
    }
}

/// Whatever follows a path of the stage: from way point to way point, then straight on to the left.
pub(super) fn follow(world: &World, foe: &mut Foe) {
    let Habit::Follow { path, next, origin } = foe.habit else { return };
    let speed = world.state.rules.pace(tuning::PATH_SPEED);
    let points = world.stage.paths.get(usize::from(path)).map_or(&[][..], |path| &path.points);
    let Some(&point) = points.get(usize::from(next)) else {
        foe.velocity = Vec2::new(-speed, 0);
        return;
    };
    let way = origin + point - foe.position;
    let reached = way.length_squared_px() <= i64::from(speed / px(1) + 1);
    foe.velocity = if reached { way } else { way.with_length(speed) };
    let next = if reached { next.saturating_add(1) } else { next };
    foe.habit = Habit::Follow { path, next, origin };
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::foes::first_habit;

    #[test]
    fn everything_that_weaves_has_a_speed_and_a_swing() {
        for &kind in Kind::ALL {
            let weaves = matches!(first_habit(kind, Vec2::ZERO, None), Some((Habit::Weave { .. }, _)));
            assert_eq!(weaves, tuning::WEAVERS.iter().any(|(weaver, _)| *weaver == kind), "{}", kind.name());
        }
    }
}
