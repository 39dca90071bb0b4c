//! What touches what, and what comes of it. Pairs are looked at in the order of their ids, so the outcome is the same
//! everywhere.

use crate::{
    EntityId, Event, Seat, World,
    hitbox::Hitbox,
    pilot::Ship,
    things::{Flight, Foe, Shot},
    tuning,
};

/// Forces and Bits swallow enemy shots.
pub(crate) fn gear_with_bullets(world: &mut World) {
    let gear: Vec<Hitbox> = world.ships().flat_map(|(_, ship)| gear_of(ship)).map(|(_, hitbox)| hitbox).collect();
    if gear.is_empty() {
        return;
    }
    for bullet in &mut world.state.bullets {
        let hitbox = bullet.hitbox();
        bullet.spent |= gear.iter().any(|orb| orb.touches(&hitbox));
    }
}

fn gear_of(ship: &Ship) -> impl Iterator<Item = (EntityId, Hitbox)> {
    let force = ship.force.iter().map(|force| (force.id, force.hitbox()));
    force.chain(ship.bits.iter().flatten().map(|bit| (bit.id, bit.hitbox())))
}

/// Players' shots hurt what they reach.
pub(crate) fn shots_with_foes(world: &mut World) {
    if world.state.shots.is_empty() || world.state.foes.is_empty() {
        return;
    }
    let mut shots = std::mem::take(&mut world.state.shots);
    let mut foes = std::mem::take(&mut world.state.foes);
    let boxes: Vec<Hitbox> = foes.iter().map(Foe::hitbox).collect();
    for shot in &mut shots {
        let reach = shot.hitbox();
        for (foe, hitbox) in foes.iter_mut().zip(&boxes) {
            if hitbox.touches(&reach) && shot.power > 0 && !foe.is_dead() {
                strike(shot, foe);
                world.emit(Event::Hit { by: shot.id, target: foe.id });
            }
        }
    }
    world.state.shots = shots;
    world.state.foes = foes;
}

/// A beam goes on through what it destroys with the power that is left; everything else is used up.
fn strike(shot: &mut Shot, foe: &mut Foe) {
    let dealt = foe.hurt(shot.power, shot.seat);
    let pierces = matches!(shot.flight, Flight::Beam { .. }) && foe.is_dead();
    shot.power = if pierces { shot.power - dealt } else { 0 };
}

/// Forces and Bits hurt what they touch, at intervals.
pub(crate) fn gear_with_foes(world: &mut World) {
    let mut foes = std::mem::take(&mut world.state.foes);
    for seat in Seat::ALL {
        let mut touched = Vec::new();
        let Some(ship) = world.state.ship_mut(seat) else { continue };
        if let Some(force) = &mut ship.force {
            rub(&mut foes, seat, force.hitbox(), tuning::FORCE_DAMAGE, &mut force.touch_in, |target| {
                touched.push((force.id, target));
            });
        }
        for bit in ship.bits.iter_mut().flatten() {
            rub(&mut foes, seat, bit.hitbox(), tuning::BIT_DAMAGE, &mut bit.touch_in, |target| {
                touched.push((bit.id, target));
            });
        }
        for (by, target) in touched {
            world.emit(Event::Hit { by, target });
        }
    }
    world.state.foes = foes;
}

/// One orb's touch: hurts every foe that it overlaps, then rests a little.
fn rub(foes: &mut [Foe], seat: Seat, orb: Hitbox, damage: u16, touch_in: &mut u16, mut touched: impl FnMut(EntityId)) {
    if *touch_in > 0 {
        return;
    }
    for foe in foes.iter_mut().filter(|foe| !foe.is_dead()) {
        if foe.hitbox().touches(&orb) && foe.hurt(damage, seat) > 0 {
            *touch_in = tuning::TOUCH_EVERY;
            touched(foe.id);
        }
    }
}

/// Terrain, enemies, their shots and, if the rules say so, other players' shots destroy ships.
pub(crate) fn ships_with_all_that_kills(world: &mut World) {
    for seat in Seat::ALL {
        let Some(ship) = world.state.ship_mut(seat) else { continue };
        if ship.invulnerable > 0 {
            continue;
        }
        let hitbox = ship.hitbox();
        let killed = hitbox.corners().iter().any(|&corner| world.is_terrain(corner))
            || swallow_bullet(world, &hitbox)
            || world.state.foes.iter().any(|foe| !foe.is_dead() && foe.hitbox().touches(&hitbox))
            || (world.state.rules.friendly_fire && swallow_friendly_shot(world, seat, &hitbox));
        if killed {
            world.kill(seat);
        }
    }
}

fn swallow_bullet(world: &mut World, hitbox: &Hitbox) -> bool {
    let hit = |bullet: &&mut crate::things::Bullet| !bullet.spent && bullet.hitbox().touches(hitbox);
    let bullet = world.state.bullets.iter_mut().find(hit);
    bullet.map(|bullet| bullet.spent = true).is_some()
}

fn swallow_friendly_shot(world: &mut World, seat: Seat, hitbox: &Hitbox) -> bool {
    let hit = |shot: &&mut Shot| shot.seat != seat && shot.power > 0 && shot.hitbox().touches(hitbox);
    let shot = world.state.shots.iter_mut().find(hit);
    shot.map(|shot| shot.power = 0).is_some()
}
