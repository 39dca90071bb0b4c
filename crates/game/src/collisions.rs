//! What touches what, and what comes of it. Pairs are looked at in the order of their ids, so the outcome is the same
//! everywhere.

use crate::{
    EntityId, Event, GameState, Killer, Kind, SEATS, Seat, World,
    foe::Foe,
    hitbox::Hitbox,
    player_state::{PlayerState, Ship},
    shot::{Flight, Shot},
    tuning,
};

/// The Forces and Bits of all ships, at most.
const GEAR_MAX: usize = SEATS * (1 + tuning::BITS_MAX);

/// Forces and Bits swallow enemy shots.
pub(crate) fn gear_with_bullets(world: &mut World) {
    let mut gear = [None; GEAR_MAX];
    let orbs = world.ships().flat_map(|(_, ship)| gear_of(ship));
    let count = gear.iter_mut().zip(orbs).map(|(slot, orb)| *slot = Some(orb)).count();
    if count == 0 {
        return;
    }
    let mut bullets = std::mem::take(&mut world.state.bullets);
    for bullet in bullets.iter_mut().filter(|bullet| !bullet.spent) {
        let hitbox = bullet.hitbox();
        if let Some(&(target, _)) = gear[..count].iter().flatten().find(|(_, orb)| orb.touches(&hitbox)) {
            bullet.spent = true;
            world.emit(Event::Hit { by: bullet.id, target });
        }
    }
    world.state.bullets = bullets;
}

fn gear_of(ship: &Ship) -> impl Iterator<Item = (EntityId, Hitbox)> {
    let force = ship.force.iter().map(|force| (force.id, force.hitbox()));
    force.chain(ship.bits.iter().flatten().map(|bit| (bit.id, bit.hitbox())))
}

/// Everything that foes are part of: they stand still while it is settled, so their boxes are measured once.
pub(crate) fn with_foes(world: &mut World) {
    let mut boxes = std::mem::take(&mut world.scratch.boxes);
    boxes.clear();
    boxes.extend(world.state.foes.iter().map(Foe::hitbox));
    shots_with_foes(world, &boxes);
    gear_with_foes(world, &boxes);
    if world.state.game == GameState::Running && world.state.victory_in.is_none() {
        ships_with_deadly_things(world, &boxes);
    }
    world.scratch.boxes = boxes;
}

/// Players' shots hurt what they reach.
fn shots_with_foes(world: &mut World, boxes: &[Hitbox]) {
    let armour = world.state.rules.numbers().armour;
    let mut shots = std::mem::take(&mut world.state.shots);
    let mut foes = std::mem::take(&mut world.state.foes);
    for shot in &mut shots {
        let reach = shot.hitbox();
        if !reach.touches_any(boxes) {
            continue;
        }
        for (foe, hitbox) in foes.iter_mut().zip(boxes) {
            if hitbox.touches(&reach) && shot.power > 0 && !foe.is_dead() {
                strike(shot, foe, armour);
                world.keep_chain(shot.seat, foe.kind);
                world.emit(Event::Hit { by: shot.id, target: foe.id });
            }
        }
    }
    world.state.shots = shots;
    world.state.foes = foes;
}

/// A beam goes on through what it destroys with the power that is left; everything else is used up.
fn strike(shot: &mut Shot, foe: &mut Foe, armour: u16) {
    let dealt = foe.hurt_by_shot(shot, armour);
    let pierces = matches!(shot.flight, Flight::Beam { .. }) && foe.is_dead();
    shot.power = if pierces { shot.power - dealt } else { 0 };
}

/// Forces and Bits hurt what they touch, at intervals.
fn gear_with_foes(world: &mut World, boxes: &[Hitbox]) {
    for seat in Seat::ALL {
        let state = &mut world.state;
        let (of_force, of_bit) = (state.rules.damage(tuning::FORCE_DAMAGE), state.rules.damage(tuning::BIT_DAMAGE));
        let Some(ship) = state.players[seat.index()].as_mut().and_then(PlayerState::ship_mut) else { continue };
        let mut touched = Vec::new();
        if let Some(force) = ship.force.as_mut().filter(|force| force.touch_in == 0) {
            let orb = Orb { id: force.id, seat, hitbox: force.hitbox(), damage: of_force };
            let hits = orb.hurt(&mut state.foes, boxes);
            force.touch_in = if hits.is_empty() { 0 } else { tuning::TOUCH_EVERY };
            touched.extend(hits);
        }
        for bit in ship.bits.iter_mut().flatten().filter(|bit| bit.touch_in == 0) {
            let orb = Orb { id: bit.id, seat, hitbox: bit.hitbox(), damage: of_bit };
            let hits = orb.hurt(&mut state.foes, boxes);
            bit.touch_in = if hits.is_empty() { 0 } else { tuning::TOUCH_EVERY };
            touched.extend(hits);
        }
        touched.into_iter().for_each(|hit| world.emit(hit));
    }
}

/// A Force or a Bit.
struct Orb {
    id: EntityId,
    seat: Seat,
    hitbox: Hitbox,
    damage: u16,
}

impl Orb {
    /// Hurts every foe that it overlaps, and returns the hits.
    fn hurt(&self, foes: &mut [Foe], boxes: &[Hitbox]) -> Vec<Event> {
        if !self.hitbox.touches_any(boxes) {
            return Vec::new();
        }
        let touching = foes.iter_mut().zip(boxes).filter(|(_, hitbox)| hitbox.touches(&self.hitbox));
        let hurt = touching.filter_map(|(foe, _)| (foe.hurt(self.damage, self.seat) > 0).then_some(foe.id));
        hurt.map(|target| Event::Hit { by: self.id, target }).collect()
    }
}

/// Terrain, enemies, their shots and, if the rules say so, other players' shots destroy ships.
fn ships_with_deadly_things(world: &mut World, boxes: &[Hitbox]) {
    for seat in Seat::ALL {
        let Some(ship) = world.state.ship_mut(seat) else { continue };
        if ship.invulnerable > 0 {
            continue;
        }
        let (id, hitbox) = (ship.id, ship.hitbox());
        let killer = rams_terrain(world, &hitbox)
            .or_else(|| swallow_bullet(world, id, &hitbox))
            .or_else(|| rams_foe(world, boxes, &hitbox))
            .or_else(|| swallow_friendly_shot(world, seat, id, &hitbox));
        if let Some(killer) = killer {
            world.kill(seat, killer);
        }
    }
}

fn rams_terrain(world: &World, hitbox: &Hitbox) -> Option<Killer> {
    let is_inside = hitbox.corners().iter().any(|&corner| world.is_terrain(corner));
    is_inside.then_some(Killer { kind: Kind::Wall, seat: None })
}

fn rams_foe(world: &World, boxes: &[Hitbox], hitbox: &Hitbox) -> Option<Killer> {
    if !hitbox.touches_any(boxes) {
        return None;
    }
    let mut foes = world.state.foes.iter().zip(boxes);
    let (foe, _) = foes.find(|(foe, own)| !foe.is_dead() && own.touches(hitbox))?;
    Some(Killer { kind: foe.kind, seat: None })
}

fn swallow_bullet(world: &mut World, ship: EntityId, hitbox: &Hitbox) -> Option<Killer> {
    let hit = |bullet: &&mut crate::bullets::Bullet| !bullet.spent && bullet.hitbox().touches(hitbox);
    let bullet = world.state.bullets.iter_mut().find(hit)?;
    bullet.spent = true;
    let (by, kind) = (bullet.id, bullet.kind);
    world.emit(Event::Hit { by, target: ship });
    Some(Killer { kind, seat: None })
}

/// Another player's shot, if the rules let it hurt.
fn swallow_friendly_shot(world: &mut World, seat: Seat, ship: EntityId, hitbox: &Hitbox) -> Option<Killer> {
    if !world.state.rules.friendly_fire {
        return None;
    }
    let hit = |shot: &&mut Shot| shot.seat != seat && shot.power > 0 && shot.hitbox().touches(hitbox);
    let shot = world.state.shots.iter_mut().find(hit)?;
    shot.power = 0;
    let (by, killer) = (shot.id, Killer { kind: shot.kind, seat: Some(shot.seat) });
    world.emit(Event::Hit { by, target: ship });
    Some(killer)
}
