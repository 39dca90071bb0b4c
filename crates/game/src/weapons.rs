//! The fire button: a tap is a shot (or the laser of a docked Force) with missiles, holding charges the beam, letting
//! go fires it.

use crate::{
    Buttons, EntityId, Event, Input, Kind, Mutator, Seat, Side, Vec2, World,
    player_state::{Crystal, Force, Ship},
    shot::{Flight, Shot},
    tuning,
};

/// Charges and fires for one step.
pub(crate) fn fire(world: &mut World, seat: Seat, input: Input) {
    let charge = if world.state.rules.has(Mutator::Overcharge) { tuning::mutators::OVERCHARGE } else { 1 };
    let Some(player) = &mut world.state.players[seat.index()] else { return };
    let before = player.held;
    let Some(ship) = player.ship_mut() else { return };

    let trigger = Buttons::FIRE | Buttons::CHARGE;
    let pressed = input.pressed.contains(Buttons::FIRE)
        || (input.held.contains(Buttons::FIRE) && !before.contains(Buttons::FIRE));
    // Pressed though it was down: it was let go in between.
    let again = before.contains(Buttons::CHARGE) && input.pressed.contains(Buttons::CHARGE);
    let released = before.intersects(trigger) && (!input.held.intersects(trigger) || pressed || again);
    let tapped = input.pressed.contains(Buttons::CHARGE) && !input.held.contains(Buttons::CHARGE);
    let gauge = ship.gauge();
    if released {
        ship.charging = 0;
    }
    if input.held.intersects(trigger) {
        // A client that says "charge" has already decided: no delay that tells a tap from a hold.
        let begins_at = if input.held.contains(Buttons::CHARGE) { tuning::CHARGE_DELAY } else { 0 };
        ship.charging = ship.charging.saturating_add(charge).max(begins_at);
    }
    let ship = ship.clone();
    let fired = released && fire_beam(world, seat, &ship, gauge);
    // FIRE gave a shot when it went down; CHARGE has none to show yet.
    let owed = !fired && (tapped || released && before.contains(Buttons::CHARGE));
    if pressed || owed {
        fire_volley(world, seat, &ship);
    }
}

/// Fires the beam that the gauge is good for, if it is good for one.
fn fire_beam(world: &mut World, seat: Seat, ship: &Ship, gauge: u8) -> bool {
    let Some(size) = tuning::BEAMS.iter().rposition(|beam| gauge >= beam.charge_min) else { return false };
    let muzzle = ship.position + Vec2::new(tuning::BEAM_MUZZLE, 0);
    let power = world.state.rules.damage(tuning::BEAMS[size].power * ship.model.numbers().beam / 16);
    let Some(beam) = world.spawn_shot(Kind::Beam, seat, muzzle, Flight::Beam { size: size as u8 }) else {
        return false;
    };
    beam.power = power;
    beam.velocity = Vec2::new(tuning::BEAM_SPEED, 0);
    let shot = beam.id;
    world.emit(Event::Fired { seat, shot });
    true
}

/// A shot or laser, and missiles; the first of them names the volley.
fn fire_volley(world: &mut World, seat: Seat, ship: &Ship) {
    if ship.cooldown > 0 {
        return;
    }
    let docked = ship.force.and_then(|force| Some((force, force.docked()?)));
    let (main, cooldown) = match docked {
        Some((force, Side::Front)) if force.level >= tuning::LASER_LEVEL_MIN => {
            (fire_laser(world, seat, &force, Side::Front), tuning::LASER_COOLDOWN)
        }
        Some((force, Side::Back)) if force.level >= tuning::LASER_LEVEL_MIN => {
            fire_laser_behind(world, seat, &force);
            (fire_shot(world, seat, ship.position, Vec2::new(tuning::SHOT_SPEED, 0)), tuning::SHOT_COOLDOWN)
        }
        _ => {
            let shot = fire_shot(world, seat, ship.position, Vec2::new(tuning::SHOT_SPEED, 0));
            if let Some((force, side)) = docked {
                fire_shot(world, seat, force.position, Vec2::new(side.sign() * tuning::SHOT_SPEED, 0));
            }
            (shot, tuning::SHOT_COOLDOWN)
        }
    };
    let missile = if ship.missiles { fire_missiles(world, seat, ship.position) } else { None };
    let Some(shot) = main.or(missile) else { return };
    world.emit(Event::Fired { seat, shot });
    if let Some(ship) = world.state.ship_mut(seat) {
        ship.cooldown = cooldown;
    }
}

/// A Force at the back leaves the ship its own gun ahead, which fires more often than the laser.
fn fire_laser_behind(world: &mut World, seat: Seat, force: &Force) {
    let is_ready = world.state.ship_mut(seat).is_some_and(|ship| ship.laser_cooldown == 0);
    if is_ready
        && fire_laser(world, seat, force, Side::Back).is_some()
        && let Some(ship) = world.state.ship_mut(seat)
    {
        ship.laser_cooldown = tuning::LASER_COOLDOWN;
    }
}

/// One plain shot from a place.
pub(crate) fn fire_shot(world: &mut World, seat: Seat, from: Vec2, velocity: Vec2) -> Option<EntityId> {
    let muzzle =
        from + Vec2::new(velocity.x.signum() * tuning::SHOT_MUZZLE.0, velocity.y.signum() * tuning::SHOT_MUZZLE.1);
    let weak = if world.state.rules.has(Mutator::Overcharge) { 2 } else { 1 };
    let power = world.state.rules.damage(tuning::SHOT_DAMAGE) / weak;
    let shot = world.spawn_shot(Kind::Shot, seat, muzzle, Flight::Straight)?;
    shot.power = power;
    shot.velocity = velocity;
    Some(shot.id)
}

fn fire_laser(world: &mut World, seat: Seat, force: &Force, side: Side) -> Option<EntityId> {
    match force.crystal {
        Crystal::Red => fire_red(world, seat, force, side),
        Crystal::Blue => fire_blue(world, seat, force, side),
        Crystal::Yellow => fire_yellow(world, seat, force, side),
    }
}

/// Two strands that wind about each other; at level 3 a second pair follows.
fn fire_red(world: &mut World, seat: Seat, force: &Force, side: Side) -> Option<EntityId> {
    let velocity = Vec2::new(side.sign() * tuning::RED_SPEED, 0);
    let pairs = i32::from(force.level) - 1;
    let mut first = None;
    for pair in 0..pairs {
        for angle in [0, 128] {
            let from = force.position + Vec2::new(side.sign() * (tuning::RED_MUZZLE - pair * tuning::RED_PAIR_GAP), 0);
            let flight = Flight::Strand { base_y: from.y, angle };
            let strand =
                Ray { kind: Kind::RedLaser, from, velocity, flight, damage: by_level(tuning::RED_DAMAGE, force) };
            first = first.or(strand.fire(world, seat));
        }
    }
    first
}

/// Three rays: ahead, and at 45° up and down.
fn fire_blue(world: &mut World, seat: Seat, force: &Force, side: Side) -> Option<EntityId> {
    let speed = tuning::BLUE_SPEED;
    let mut first = None;
    for rise in [0, -speed, speed] {
        let ray = Ray {
            kind: Kind::BlueLaser,
            from: force.position,
            velocity: Vec2::new(side.sign() * speed, rise),
            flight: Flight::Bounce { left: tuning::BLUE_BOUNCES_MAX },
            damage: by_level(tuning::BLUE_DAMAGE, force),
        };
        first = first.or(ray.fire(world, seat));
    }
    first
}

/// One flame to the ceiling and one to the floor.
fn fire_yellow(world: &mut World, seat: Seat, force: &Force, side: Side) -> Option<EntityId> {
    let mut first = None;
    for fall in [-tuning::YELLOW_SPEED, tuning::YELLOW_SPEED] {
        let flame = Ray {
            kind: Kind::YellowLaser,
            from: force.position,
            velocity: Vec2::new(0, fall),
            flight: Flight::Fall { forward: side, life: tuning::YELLOW_LIFE },
            damage: by_level(tuning::YELLOW_DAMAGE, force),
        };
        first = first.or(flame.fire(world, seat));
    }
    first
}

/// One strand, ray or flame of a laser.
struct Ray {
    kind: Kind,
    from: Vec2,
    velocity: Vec2,
    flight: Flight,
    damage: u16,
}

impl Ray {
    fn fire(self, world: &mut World, seat: Seat) -> Option<EntityId> {
        let power = world.state.rules.damage(self.damage);
        let shot = world.spawn_shot(self.kind, seat, self.from, self.flight)?;
        shot.power = power;
        shot.velocity = self.velocity;
        Some(shot.id)
    }
}

/// The damage at level 2 or 3.
fn by_level(damages: [u16; 2], force: &Force) -> u16 {
    damages[usize::from(force.level >= tuning::FORCE_LEVEL_MAX)]
}

/// One missile up and one down, as far as the ship may have more.
fn fire_missiles(world: &mut World, seat: Seat, from: Vec2) -> Option<EntityId> {
    let is_own = |shot: &&Shot| shot.seat == seat && shot.kind == Kind::Missile;
    let under_way = world.state.shots.iter().filter(is_own).count();
    let power = world.state.rules.damage(tuning::MISSILE_DAMAGE);
    let mut first = None;
    for angle in tuning::MISSILE_ANGLES.into_iter().take(tuning::MISSILES_MAX.saturating_sub(under_way)) {
        let flight = Flight::Seek { angle, turn: None, life: tuning::MISSILE_LIFE };
        if let Some(missile) = world.spawn_shot(Kind::Missile, seat, from, flight) {
            missile.power = power;
            first = first.or(Some(missile.id));
        }
    }
    first
}
