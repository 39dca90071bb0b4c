//! The Force: arrives from behind, docks where it touches, is launched, holds its distance, comes when called.

use crate::{
    Buttons, Event, Input, Seat, Side, Vec2, World,
    player_state::{Crystal, Force, ForceMode, Ship},
    tuning,
    units::{FIELD_HEIGHT_PX, FIELD_WIDTH_PX, px},
    weapons,
};

/// Carries out the Force button: launch it when docked, call it back when away.
pub(crate) fn command(world: &mut World, seat: Seat, input: Input) {
    let Some(player) = &mut world.state.players[seat.index()] else { return };
    let pressed = input.pressed.contains(Buttons::FORCE)
        || (input.held.contains(Buttons::FORCE) && !player.held.contains(Buttons::FORCE));
    let Some(ship) = player.ship_mut() else { return };
    let ship_id = ship.id;
    let Some(force) = &mut ship.force else { return };
    if !pressed {
        return;
    }
    match force.mode {
        ForceMode::Docked(side) => {
            force.mode = ForceMode::Launched(side);
            force.fire_in = tuning::FORCE_FIRE_EVERY;
            let dropped = Event::Dropped { ship: ship_id, force: force.id };
            world.emit(dropped);
        }
        ForceMode::Launched(_) | ForceMode::Holding => force.mode = ForceMode::Homing,
        ForceMode::Homing => {}
    }
}

/// Moves the Force of a seat by one step, and fires it while it is away.
pub(crate) fn fly(world: &mut World, seat: Seat) {
    let Some(ship) = world.state.ship_mut(seat) else { return };
    let Some(mut force) = ship.force else { return };
    let from = force.position;
    let docked_before = force.docked().is_some();
    match force.mode {
        ForceMode::Homing => home(&mut force, ship),
        ForceMode::Docked(side) => force.position = dock(ship.position, side),
        ForceMode::Launched(side) => fly_out(&mut force, ship.position, side),
        ForceMode::Holding => hold(&mut force, ship),
    }
    force.velocity = force.position - from;
    force.touch_in = force.touch_in.saturating_sub(1);
    ship.force = Some(force);
    let ship_id = ship.id;
    match force.docked() {
        Some(side) if !docked_before => {
            world.emit(Event::Grabbed { ship: ship_id, object: force.id, side: Some(side) });
        }
        Some(_) => {}
        None => fire_on_its_own(world, seat, force),
    }
}

/// A crystal was taken: the first brings the Force in from behind, each further one raises it by a level.
pub(crate) fn strengthen(world: &mut World, seat: Seat, crystal: Crystal) {
    let Some(height) = world.ships().find(|(own, _)| *own == seat).map(|(_, ship)| ship.position.y) else { return };
    let has_force = world.ships().any(|(own, ship)| own == seat && ship.force.is_some());
    let id = if has_force { None } else { world.new_id() };
    let Some(ship) = world.state.ship_mut(seat) else { return };
    match (&mut ship.force, id) {
        (Some(force), _) => {
            force.crystal = crystal;
            force.level = (force.level + 1).min(tuning::FORCE_LEVEL_MAX);
        }
        (slot @ None, Some(id)) => *slot = Some(arriving(id, crystal, height)),
        (None, None) => {}
    }
}

/// Docks the Force of a seat at the front at once, if there is one: where whoever practises wants it.
pub(crate) fn dock_in_front(world: &mut World, seat: Seat) {
    let Some(ship) = world.state.ship_mut(seat) else { return };
    let (ship_id, ship_position) = (ship.id, ship.position);
    let Some(force) = &mut ship.force else { return };
    force.mode = ForceMode::Docked(Side::Front);
    force.position = dock(ship_position, Side::Front);
    let grabbed = Event::Grabbed { ship: ship_id, object: force.id, side: Some(Side::Front) };
    world.emit(grabbed);
}

fn arriving(id: crate::EntityId, crystal: Crystal, height: i32) -> Force {
    Force {
        id,
        position: Vec2::new(tuning::FORCE_ENTRY_X, height),
        velocity: Vec2::ZERO,
        level: 1,
        crystal,
        mode: ForceMode::Homing,
        fire_in: tuning::FORCE_FIRE_EVERY,
        touch_in: 0,
    }
}

fn dock(ship: Vec2, side: Side) -> Vec2 {
    ship + Vec2::new(side.sign() * tuning::FORCE_DOCK_OFFSET, 0)
}

/// Flies to the ship and docks at the side that it touches.
fn home(force: &mut Force, ship: &Ship) {
    let way = ship.position - force.position;
    force.position += way.with_length(tuning::FORCE_HOMING_SPEED);
    dock_if_touching(force, ship);
}

fn dock_if_touching(force: &mut Force, ship: &Ship) {
    if force.hitbox().touches(&ship.hitbox()) {
        let side = if force.position.x >= ship.position.x { Side::Front } else { Side::Back };
        force.mode = ForceMode::Docked(side);
        force.position = dock(ship.position, side);
    }
}

/// Flies away from the ship until it is at its distance, or at the edge of the field.
fn fly_out(force: &mut Force, ship: Vec2, side: Side) {
    force.position.x += side.sign() * tuning::FORCE_LAUNCH_SPEED;
    let distance = (force.position.x - ship.x) * side.sign();
    let clamped = inside(force.position);
    if distance >= tuning::FORCE_HOLD_DISTANCE || clamped != force.position {
        force.mode = ForceMode::Holding;
        force.position = clamped;
    }
}

/// Follows the ship's height, and the ship when it flies away. It does not flee from a ship that comes near: one that
/// flies into it picks it up, and one that flies round it has it at the other side.
fn hold(force: &mut Force, ship: &Ship) {
    let distance = force.position.x - ship.position.x;
    let held = distance.clamp(-tuning::FORCE_HOLD_DISTANCE, tuning::FORCE_HOLD_DISTANCE);
    let way = inside(ship.position + Vec2::new(held, 0)) - force.position;
    let (speed, rise) = (tuning::FORCE_FOLLOW_SPEED, tuning::FORCE_RISE_SPEED);
    force.position += Vec2::new(way.x.clamp(-speed, speed), way.y.clamp(-rise, rise));
    dock_if_touching(force, ship);
}

/// The nearest point that is wholly inside the field.
fn inside(point: Vec2) -> Vec2 {
    const MARGIN: i32 = tuning::FORCE_MARGIN;
    Vec2::new(point.x.clamp(MARGIN, px(FIELD_WIDTH_PX) - MARGIN), point.y.clamp(MARGIN, px(FIELD_HEIGHT_PX) - MARGIN))
}

/// Away from the ship, the Force fires by itself: ahead, from level 2 in a V, at level 3 also up and down.
fn fire_on_its_own(world: &mut World, seat: Seat, force: Force) {
    let Some(ship) = world.state.ship_mut(seat) else { return };
    let Some(own) = &mut ship.force else { return };
    if own.fire_in > 0 {
        own.fire_in -= 1;
        return;
    }
    own.fire_in = tuning::FORCE_FIRE_EVERY;
    let speed = tuning::SHOT_SPEED;
    let ahead = Vec2::new(speed, 0);
    let (v_up, v_down) = (Vec2::new(speed, -speed / 3), Vec2::new(speed, speed / 3));
    let (up, down) = (Vec2::new(0, -speed), Vec2::new(0, speed));
    let volley: &[Vec2] = match force.level {
        0 | 1 => &[ahead],
        2 => &[v_up, v_down],
        _ => &[v_up, v_down, up, down],
    };
    for &velocity in volley {
        weapons::fire_shot(world, seat, force.position, velocity);
    }
}
