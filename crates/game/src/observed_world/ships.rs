//! What an observed world makes of ships, Forces and Bits.

use super::{pace, place};
use crate::{
    Buttons, Entity, Frame, Kind, Player, SEATS, Seat, Side, Vec2, World,
    pilot::{Bit, Crystal, Force, ForceMode, Life, Pilot, Ship},
    tuning,
    units::px,
};

/// Other players' ships are not hurt in the imagination: where they really fly is not known.
const NEVER: u16 = u16::MAX;

/// Takes over every seat.
pub(super) fn adopt(world: &mut World, frame: &Frame, own: Option<Seat>) {
    for seat in Seat::ALL {
        let before = world.state.pilots[seat.index()].take();
        let mut pilot = frame.players[seat.index()].as_ref().map(|player| pilot(frame, seat, player, before));
        if let Some(ship) = pilot.as_mut().and_then(Pilot::ship_mut).filter(|_| own != Some(seat)) {
            ship.invulnerable = NEVER;
        }
        world.state.pilots[seat.index()] = pilot;
    }
}

/// The directions that explain a velocity.
pub(super) fn buttons_of(velocity: Vec2) -> Buttons {
    Buttons::NONE
        .with(Buttons::LEFT, velocity.x < 0)
        .with(Buttons::RIGHT, velocity.x > 0)
        .with(Buttons::UP, velocity.y < 0)
        .with(Buttons::DOWN, velocity.y > 0)
}

fn pilot(frame: &Frame, seat: Seat, player: &Player, before: Option<Pilot>) -> Pilot {
    let held = before.as_ref().map_or(Buttons::NONE, |pilot| pilot.held);
    let old = before.and_then(|pilot| match pilot.life {
        Life::Flying(ship) => Some(ship),
        Life::Lost { .. } | Life::Out => None,
    });
    let life = match frame.ship(seat) {
        Some(seen) => Life::Flying(ship(frame, seat, player, seen, old.filter(|old| old.id == seen.id))),
        None if player.lives == 0 => Life::Out,
        None => Life::Lost { returns_in: NEVER },
    };
    Pilot { lives: player.lives, score: player.score, held, life }
}

fn ship(frame: &Frame, seat: Seat, player: &Player, seen: &Entity, old: Option<Ship>) -> Ship {
    let position = place(seen.position);
    let known = old.unwrap_or_else(|| Ship::new(seen.id, position));
    Ship {
        position,
        velocity: pace(seen.velocity),
        // An animation of 3 and more says that nothing hurts it, but not for how long.
        invulnerable: if seen.animation >= 3 { known.invulnerable.max(1) } else { 0 },
        charging: charging(&known, seen.charge),
        speed: player.speed,
        missiles: player.missiles,
        force: force(frame, seat, position, known.force),
        bits: bits(frame, seat, position, &known.bits),
        ..known
    }
}

/// For how long fire has been held: as carried on, unless the gauge says otherwise.
fn charging(known: &Ship, gauge: u8) -> u16 {
    if known.gauge() == gauge {
        return known.charging;
    }
    match gauge {
        0 => 0,
        _ => tuning::CHARGE_DELAY + (u32::from(gauge) * u32::from(tuning::CHARGE_FULL)).div_ceil(255) as u16,
    }
}

fn force(frame: &Frame, seat: Seat, ship: Vec2, old: Option<Force>) -> Option<Force> {
    let seen = frame.entities.iter().find(|entity| entity.kind == Kind::Force && entity.seat == Some(seat))?;
    let position = place(seen.position);
    let old = old.filter(|old| old.id == seen.id);
    let known = old.unwrap_or(Force {
        id: seen.id,
        position,
        velocity: Vec2::ZERO,
        level: 1,
        crystal: Crystal::Red,
        mode: ForceMode::Homing,
        fire_in: tuning::FORCE_FIRE_EVERY,
        touch_in: 0,
    });
    let crystal = match seen.animation >> 2 {
        0 => Crystal::Red,
        1 => Crystal::Blue,
        _ => Crystal::Yellow,
    };
    let mode = mode(seen, ship, &known, old.is_some());
    let level = (seen.animation & 3).clamp(1, tuning::FORCE_LEVEL_MAX);
    Some(Force { position, velocity: pace(seen.velocity), level, crystal, mode, ..known })
}

/// What a Force is doing: as carried on if that led it where it is seen, else what its pace speaks for.
fn mode(seen: &Entity, ship: Vec2, known: &Force, carried: bool) -> ForceMode {
    if let Some(attached) = seen.attached {
        return ForceMode::Docked(attached.side);
    }
    let off = known.position - place(seen.position);
    if carried && known.docked().is_none() && off.x.abs().max(off.y.abs()) <= px(1) {
        return known.mode;
    }
    let velocity = pace(seen.velocity);
    let speed = velocity.x.abs().max(velocity.y.abs());
    let side = if seen.position.x >= ship.x { Side::Front } else { Side::Back };
    match speed {
        _ if velocity.y == 0 && velocity.x == side.sign() * tuning::FORCE_LAUNCH_SPEED => ForceMode::Launched(side),
        speed if speed > tuning::FORCE_FOLLOW_SPEED + tuning::FORCE_RISE_SPEED => ForceMode::Homing,
        _ => ForceMode::Holding,
    }
}

fn bits(frame: &Frame, seat: Seat, ship: Vec2, old: &[Option<Bit>; 2]) -> [Option<Bit>; tuning::BITS_MAX] {
    let mut bits = [None; tuning::BITS_MAX];
    let seen = frame.entities.iter().filter(|entity| entity.kind == Kind::Bit && entity.seat == Some(seat));
    for seen in seen.take(SEATS) {
        let slot = old.iter().position(|bit| bit.is_some_and(|bit| bit.id == seen.id));
        let slot = slot.unwrap_or(usize::from(seen.position.y > ship.y));
        let touch_in = old[slot].map_or(0, |bit| bit.touch_in);
        let bit = Bit { id: seen.id, position: place(seen.position), velocity: pace(seen.velocity), touch_in };
        bits[slot] = Some(bit);
    }
    bits
}
