//! The part of a difference that is about a new thing: its id, its kind, and how it is other than the newest of its kind.
//!
//! Where it is, is written relative to where it may have come from: a shot from its ship or Force, a number of half ticks ago.

use game::{
    Class, Entity, EntityId, FIELD_HEIGHT_PX, FIELD_WIDTH_PX, Kind, Seat, Vec2, px, tuning, units::STEPS_PER_TICK,
};

use super::{
    bits::{BitReader, BitWriter, Sizes},
    entity_delta::{read_own_motion, read_qualities, write_own_motion, write_qualities},
    fields::MOTION,
    game_delta::{read_fields, write_fields},
    motion::Motion,
    view::{ViewedEntity, WorldView},
};
use crate::Malformed;

/// What most new things are; others have seven bits more.
const USUAL: [Kind; 7] =
    [Kind::Shot, Kind::Explosion, Kind::Pellet, Kind::RedLaser, Kind::BlueLaser, Kind::Beam, Kind::Drone];
/// The sizes of how far a new thing is from the middle of the field, in sub-pixels.
const PLACE_SIZES: Sizes = [12, 16, 18, 32];
/// The sizes of how far a shot is from where it should be by now.
const MISS_SIZES: Sizes = [9, 11, 13, 32];
/// The sizes of the half ticks since a shot was fired.
const FLIGHT_SIZES: Sizes = [2, 4, 6, 32];
/// The most half ticks that a shot is traced back; a reader refuses more.
const FLIGHT_MAX: u32 = 63;

/// Appends a new thing. `last` is the id that its own is counted from.
pub fn write(writer: &mut BitWriter, view: &WorldView, last: EntityId, viewed: &ViewedEntity) {
    let entity = &viewed.entity;
    write_id(writer, last, entity.id);
    write_kind(writer, entity.kind);
    let owner = is_shot(entity.kind).then(|| entity.seat.unwrap_or(Seat::ALL[0]));
    if let Some(owner) = owner {
        writer.bits(owner.number().into(), 2);
    }
    let model = model(view, entity.id, entity.kind, owner);
    write_qualities(writer, &model.entity, entity);
    write_fields(writer, &MOTION[..2], &model.entity, entity);
    match owner {
        Some(owner) => write_flight(writer, view, owner, entity),
        None => write_place(writer, MIDDLE, entity.position, PLACE_SIZES),
    }
    write_swing(writer, model.motion, viewed.motion);
    if entity.kind.class() == Class::Effect {
        writer.gamma(viewed.age.into());
    }
}

/// Reads a new thing.
pub fn read(reader: &mut BitReader, view: &WorldView, last: EntityId) -> Result<ViewedEntity, Malformed> {
    let id = read_id(reader, last)?;
    let kind = read_kind(reader)?;
    let owner = match is_shot(kind) {
        true => Some(Seat::new(reader.bits(2)? as u8).ok_or(Malformed::BadValue)?),
        false => None,
    };
    let model = model(view, id, kind, owner);
    let mut entity = model.entity;
    read_qualities(reader, &mut entity)?;
    read_fields(reader, &MOTION[..2], &mut entity)?;
    entity.position = match owner {
        Some(owner) => read_flight(reader, view, owner, &entity)?,
        None => read_place(reader, MIDDLE, PLACE_SIZES)?,
    };
    let motion = read_swing(reader, model.motion)?;
    let age = if kind.class() == Class::Effect { reader.gamma()?.min(255) as u8 } else { 0 };
    Ok(ViewedEntity { entity, motion, age })
}

fn is_shot(kind: Kind) -> bool {
    kind.class() == Class::PlayerShot
}

/// What a new thing is probably like: the newest other of its kind and owner.
fn model(view: &WorldView, id: EntityId, kind: Kind, owner: Option<Seat>) -> ViewedEntity {
    let is_alike =
        |viewed: &&ViewedEntity| viewed.entity.kind == kind && (owner.is_none() || viewed.entity.seat == owner);
    let bare = || ViewedEntity { entity: usual(id, kind), motion: Motion::Straight, age: 0 };
    let mut model = view.entities.iter().rev().find(is_alike).copied().unwrap_or_else(bare);
    model.entity.id = id;
    model.entity.seat = owner;
    model
}

/// What is known of a kind when there is no other.
fn usual(id: EntityId, kind: Kind) -> Entity {
    let health = tuning::body(kind).health;
    let speed = match (kind, kind.class()) {
        (Kind::Shot, _) => tuning::SHOT_SPEED,
        (Kind::Beam, _) => tuning::BEAM_SPEED,
        (Kind::RedLaser, _) => tuning::RED_SPEED,
        (Kind::BlueLaser, _) => tuning::BLUE_SPEED,
        // A guess that is wrong costs a few bits, nothing else: these fly at angles, or wind along terrain.
        (_, Class::PlayerShot | Class::EnemyShot | Class::Enemy | Class::Boss) => 0,
        (_, Class::Player | Class::Gear | Class::Item | Class::Block | Class::Wall | Class::Effect) => 0,
    };
    let velocity = Vec2::new(speed * STEPS_PER_TICK, 0);
    Entity { health, health_max: health, velocity, ..Entity::new(id, kind, Vec2::ZERO) }
}

// ---- Id and kind ----

/// Ids rise: mostly by one. What was thought gone and is not has an older one.
fn write_id(writer: &mut BitWriter, last: EntityId, id: EntityId) {
    let is_newer = id > last;
    writer.flag(!is_newer);
    match is_newer {
        true => writer.gamma(id.0 - last.0 - 1),
        false => writer.bits(id.0, 32),
    }
}

fn read_id(reader: &mut BitReader, last: EntityId) -> Result<EntityId, Malformed> {
    match reader.flag()? {
        false => reader.gamma()?.checked_add(last.0).and_then(|id| id.checked_add(1)).map(EntityId),
        true => Some(EntityId(reader.bits(32)?)),
    }
    .ok_or(Malformed::BadValue)
}

fn write_kind(writer: &mut BitWriter, kind: Kind) {
    match USUAL.iter().position(|usual| *usual == kind) {
        Some(index) => writer.bits(index as u32, 3),
        None => writer.bits(7 << 7 | u32::from(kind.number()), 10),
    }
}

fn read_kind(reader: &mut BitReader) -> Result<Kind, Malformed> {
    match USUAL.get(reader.bits(3)? as usize) {
        Some(kind) => Ok(*kind),
        None => Kind::from_number(reader.bits(7)? as u16).ok_or(Malformed::BadValue),
    }
}

// ---- Place ----

const MIDDLE: Vec2 = Vec2::new(px(FIELD_WIDTH_PX / 2), px(FIELD_HEIGHT_PX / 2));

fn write_place(writer: &mut BitWriter, from: Vec2, place: Vec2, sizes: Sizes) {
    writer.signed(place.x.wrapping_sub(from.x), sizes);
    writer.signed(place.y.wrapping_sub(from.y), sizes);
}

fn read_place(reader: &mut BitReader, from: Vec2, sizes: Sizes) -> Result<Vec2, Malformed> {
    let (x, y) = (reader.signed(sizes)?, reader.signed(sizes)?);
    Ok(Vec2::new(from.x.wrapping_add(x), from.y.wrapping_add(y)))
}

/// Where a shot was fired: from the ship or from the Force, whichever takes fewer bits, and how many half ticks ago; then by how
/// much it misses the place where that leads, if it does.
fn write_flight(writer: &mut BitWriter, view: &WorldView, owner: Seat, shot: &Entity) {
    let mut best = (u32::MAX, 0, 0, Vec2::ZERO);
    for muzzle in 0..2 {
        let from = fired_from(view, owner, muzzle);
        for half_ticks in 0..=FLIGHT_MAX {
            let place = flown(&from, shot.velocity, half_ticks);
            let miss = |a: i32, b: i32| 32 - a.abs_diff(b).leading_zeros();
            let bits = miss(place.x, shot.position.x) + miss(place.y, shot.position.y);
            if bits < best.0 {
                best = (bits, muzzle, half_ticks, place);
            }
        }
    }
    let (_, muzzle, half_ticks, place) = best;
    writer.bits(muzzle, 1);
    writer.sized(half_ticks, FLIGHT_SIZES);
    write_miss(writer, place.x, shot.position.x);
    write_miss(writer, place.y, shot.position.y);
}

fn read_flight(reader: &mut BitReader, view: &WorldView, owner: Seat, shot: &Entity) -> Result<Vec2, Malformed> {
    let muzzle = reader.bits(1)?;
    let half_ticks = reader.sized(FLIGHT_SIZES)?;
    if half_ticks > FLIGHT_MAX {
        return Err(Malformed::BadValue);
    }
    let place = flown(&fired_from(view, owner, muzzle), shot.velocity, half_ticks);
    Ok(Vec2::new(read_miss(reader, place.x)?, read_miss(reader, place.y)?))
}

fn write_miss(writer: &mut BitWriter, expected: i32, is: i32) {
    writer.flag(is != expected);
    if is != expected {
        writer.signed(is.wrapping_sub(expected), MISS_SIZES);
    }
}

fn read_miss(reader: &mut BitReader, expected: i32) -> Result<i32, Malformed> {
    Ok(if reader.flag()? { expected.wrapping_add(reader.signed(MISS_SIZES)?) } else { expected })
}

/// The ship (0) or Force (1) of a player.
fn fired_from(view: &WorldView, owner: Seat, muzzle: u32) -> Entity {
    let kind = if muzzle == 0 { Kind::Player } else { Kind::Force };
    let is_from = |viewed: &&ViewedEntity| viewed.entity.kind == kind && viewed.entity.seat == Some(owner);
    let from = view.entities.iter().find(is_from).map(|viewed| viewed.entity);
    from.unwrap_or(Entity::new(EntityId(0), kind, MIDDLE))
}

/// Where a shot is that was fired from there some half ticks ago, if that has kept its motion since.
fn flown(from: &Entity, velocity: Vec2, half_ticks: u32) -> Vec2 {
    let along = |place: i32, own: i32, speed: i32, ahead: i32| {
        let way = (i64::from(speed) - i64::from(own)) * i64::from(half_ticks) / 2;
        place.wrapping_add(way as i32).wrapping_add(speed.signum() * ahead)
    };
    Vec2::new(
        along(from.position.x, from.velocity.x, velocity.x, px(14)),
        along(from.position.y, from.velocity.y, velocity.y, px(6)),
    )
}

// ---- Motion ----

/// A motion like the model's, but for where in its swing it is.
fn write_swing(writer: &mut BitWriter, model: Motion, motion: Motion) {
    let alike = phase(model, motion);
    writer.flag(alike.is_some());
    match alike {
        Some(angle) => {
            if let Some(angle) = angle {
                writer.bits(angle.into(), 8);
            }
        }
        None => write_own_motion(writer, Motion::Straight, motion),
    }
}

fn read_swing(reader: &mut BitReader, model: Motion) -> Result<Motion, Malformed> {
    match (reader.flag()?, model) {
        (true, Motion::Swing { reach_px, winding, .. }) => {
            Ok(Motion::Swing { reach_px, winding, angle: reader.bits(8)? as u8 })
        }
        (true, motion) => Ok(motion),
        (false, _) => read_own_motion(reader, Motion::Straight),
    }
}

/// Whether two courses are alike, and the angle of the second if it swings.
fn phase(model: Motion, motion: Motion) -> Option<Option<u8>> {
    match (model, motion) {
        (Motion::Swing { reach_px, winding, .. }, Motion::Swing { reach_px: reach, winding: speed, angle }) => {
            (reach_px == reach && winding == speed).then_some(Some(angle))
        }
        _ => (model == motion).then_some(None),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What a reader makes of a shot that flew for some time, faster than anything can.
    fn flight(half_ticks: u32) -> Result<Vec2, Malformed> {
        let mut bytes = Vec::new();
        let mut writer = BitWriter::new(&mut bytes);
        writer.bits(0, 1);
        writer.sized(half_ticks, FLIGHT_SIZES);
        writer.bits(0, 2);
        let mut shot = Entity::new(EntityId(1), Kind::Shot, MIDDLE);
        shot.velocity = Vec2::new(i32::MAX, i32::MIN);
        read_flight(&mut BitReader::new(&bytes), &WorldView::default(), Seat::ALL[0], &shot)
    }

    #[test]
    fn a_shot_is_traced_back_so_far_and_no_further() {
        assert!(flight(FLIGHT_MAX).is_ok());
        assert_eq!(flight(FLIGHT_MAX + 1), Err(Malformed::BadValue));
        assert_eq!(flight(u32::MAX), Err(Malformed::BadValue));
    }
}
