//! The part of a difference that is about one thing: how it is other than predicted, or what a new one is like.

use game::{Class, Entity, EntityId, Kind, Vec2, px};

use super::{
    bits::{BitReader, BitWriter, Sizes},
    course::Course,
    fields::{MOTION, QUALITIES},
    overview::{read_fields, write_fields},
    picture::{Picture, Thing},
};
use crate::Malformed;

/// What most new things are; others have seven bits.
const USUAL: [Kind; 7] =
    [Kind::Shot, Kind::Explosion, Kind::Pellet, Kind::RedLaser, Kind::BlueLaser, Kind::YellowLaser, Kind::Drone];
/// The sizes of how far a new thing is from where one might look for it.
const PLACE_SIZES: Sizes = [8, 12, 15, 32];
/// The first fields of [`QUALITIES`]: those that change often.
const LIVELY: usize = 3;

/// What is predicted of a thing that rides on a ship, once it is known where the ship is.
///
/// A docked Force and a Bit in its place keep their distance to their ship.
pub fn ride(base: &Picture, picture: &Picture, predicted: &Thing) -> Thing {
    let mut thing = *predicted;
    let Entity { kind: Kind::Force | Kind::Bit, seat: Some(seat), .. } = predicted.entity else { return thing };
    let own = |thing: &&Thing| thing.entity.kind == Kind::Player && thing.entity.seat == Some(seat);
    let (Some(was), Some(before), Some(ship)) =
        (base.thing(predicted.entity.id), base.things.iter().find(own), picture.things.iter().find(own))
    else {
        return thing;
    };
    let is_fixed = was.entity.attached.is_some_and(|attached| attached.to == ship.entity.id)
        || was.entity.kind == Kind::Bit && was.entity.position.x == before.entity.position.x;
    if is_fixed && before.entity.id == ship.entity.id {
        thing.entity.position = Vec2::new(
            was.entity.position.x.wrapping_sub(before.entity.position.x).wrapping_add(ship.entity.position.x),
            was.entity.position.y.wrapping_sub(before.entity.position.y).wrapping_add(ship.entity.position.y),
        );
        thing.entity.velocity = ship.entity.velocity;
    }
    thing
}

/// Appends how a thing is other than predicted.
pub fn write(writer: &mut BitWriter, old: &Thing, now: &Thing) {
    let moves = MOTION.iter().any(|field| (field.get)(&old.entity) != (field.get)(&now.entity));
    writer.flag(moves);
    let mut entity = old.entity;
    if moves {
        write_motion(writer, &old.entity, &now.entity);
        (entity.position, entity.velocity) = (now.entity.position, now.entity.velocity);
        lean(&old.entity, &mut entity);
        write_course(writer, old.course, now.course);
    }
    write_qualities(writer, &entity, &now.entity);
}

/// Reads how a thing is other than predicted.
pub fn read(reader: &mut BitReader, old: &Thing) -> Result<Thing, Malformed> {
    let mut thing = *old;
    if reader.flag()? {
        read_motion(reader, &mut thing.entity)?;
        lean(&old.entity, &mut thing.entity);
        thing.course = read_course(reader, old.course)?;
    }
    read_qualities(reader, &mut thing.entity)?;
    Ok(thing)
}

/// A ship that begins to rise or sink shows it.
fn lean(before: &Entity, entity: &mut Entity) {
    let tilt = |entity: &Entity| match entity.velocity.y.signum() {
        -1 => 1,
        1 => 2,
        _ => 0,
    };
    if entity.kind == Kind::Player && before.animation % 3 == tilt(before) {
        entity.animation = before.animation / 3 * 3 + tilt(entity);
    }
}

// ---- Motion ----

/// The velocity, and the place: mostly what half ticks at another velocity explain.
fn write_motion(writer: &mut BitWriter, old: &Entity, now: &Entity) {
    let turns = old.velocity != now.velocity;
    writer.flag(turns);
    let mut place = *old;
    if turns {
        write_fields(writer, &MOTION[..2], old, now);
        let since = half_ticks_since_turn(old, now);
        writer.flag(since.is_some());
        if let Some(since) = since {
            return writer.gamma(since);
        }
        place.velocity = now.velocity;
    }
    write_fields(writer, &MOTION[2..], &place, now);
}

fn read_motion(reader: &mut BitReader, entity: &mut Entity) -> Result<(), Malformed> {
    if reader.flag()? {
        let old = *entity;
        read_fields(reader, &MOTION[..2], entity)?;
        if reader.flag()? {
            entity.position = turned(&old, entity.velocity, reader.gamma()?);
            return Ok(());
        }
    }
    read_fields(reader, &MOTION[2..], entity)
}

/// The most half ticks since a turn that are tried: half a second.
const TURN_MAX: u32 = 60;

fn half_ticks_since_turn(old: &Entity, now: &Entity) -> Option<u32> {
    (0..=TURN_MAX).find(|&since| turned(old, now.velocity, since) == now.position)
}

/// Where a thing is that took another velocity so many half ticks ago.
fn turned(old: &Entity, velocity: Vec2, half_ticks: u32) -> Vec2 {
    let further = |place: i32, before: i32, now: i32| {
        let gained = (i64::from(now) - i64::from(before)) * i64::from(half_ticks) / 2;
        place.wrapping_add(gained as i32)
    };
    Vec2::new(further(old.position.x, old.velocity.x, velocity.x), further(old.position.y, old.velocity.y, velocity.y))
}

// ---- Course ----

fn write_course(writer: &mut BitWriter, old: Course, now: Course) {
    writer.flag(old != now);
    if old == now {
        return;
    }
    match now {
        Course::Straight => writer.bits(0, 2),
        Course::Fall => writer.bits(1, 2),
        Course::Swing { reach_px, winding, angle } => {
            writer.bits(2, 2);
            writer.bits(reach_px.into(), 8);
            writer.bits(winding.into(), 4);
            writer.bits(angle.into(), 8);
        }
    }
}

fn read_course(reader: &mut BitReader, old: Course) -> Result<Course, Malformed> {
    if !reader.flag()? {
        return Ok(old);
    }
    Ok(match reader.bits(2)? {
        0 => Course::Straight,
        1 => Course::Fall,
        2 => Course::Swing {
            reach_px: reader.bits(8)? as u8,
            winding: reader.bits(4)? as u8,
            angle: reader.bits(8)? as u8,
        },
        _ => return Err(Malformed::BadValue),
    })
}

// ---- What it is like ----

/// A bit if nothing differs; else one for each lively field, and one for all others together.
fn write_qualities(writer: &mut BitWriter, old: &Entity, now: &Entity) {
    let differ = |fields: &[super::fields::Field<Entity>]| fields.iter().any(|it| (it.get)(old) != (it.get)(now));
    let is_other = differ(&QUALITIES);
    writer.flag(is_other);
    if is_other {
        write_fields(writer, &QUALITIES[..LIVELY], old, now);
        let (mut settled, rest) = (*old, &QUALITIES[LIVELY..]);
        (settled.health, settled.animation, settled.charge) = (now.health, now.animation, now.charge);
        writer.flag(differ(rest));
        if differ(rest) {
            write_fields(writer, rest, &settled, now);
        }
    }
}

fn read_qualities(reader: &mut BitReader, entity: &mut Entity) -> Result<(), Malformed> {
    if reader.flag()? {
        read_fields(reader, &QUALITIES[..LIVELY], entity)?;
        if reader.flag()? {
            read_fields(reader, &QUALITIES[LIVELY..], entity)?;
        }
    }
    Ok(())
}

// ---- New things ----

/// Appends a new thing. `last` is the id that its own is counted from.
pub fn write_new(writer: &mut BitWriter, picture: &Picture, last: EntityId, thing: &Thing) {
    let entity = &thing.entity;
    write_id(writer, last, entity.id);
    write_kind(writer, entity.kind);
    let model = model(picture, entity.id, entity.kind);
    write_qualities(writer, &model.entity, entity);
    let (place, velocity) = expected_motion(picture, &model, entity);
    let mut expected = *entity;
    expected.velocity = velocity;
    write_fields(writer, &MOTION[..2], &expected, entity);
    writer.signed(entity.position.x.wrapping_sub(place.x), PLACE_SIZES);
    writer.signed(entity.position.y.wrapping_sub(place.y), PLACE_SIZES);
    write_course(writer, Course::Straight, thing.course);
    if entity.kind.class() == Class::Effect {
        writer.gamma(thing.age.into());
    }
}

/// Reads a new thing.
pub fn read_new(reader: &mut BitReader, picture: &Picture, last: EntityId) -> Result<Thing, Malformed> {
    let id = read_id(reader, last)?;
    let kind = read_kind(reader)?;
    let model = model(picture, id, kind);
    let mut entity = model.entity;
    read_qualities(reader, &mut entity)?;
    let (place, velocity) = expected_motion(picture, &model, &entity);
    entity.velocity = velocity;
    read_fields(reader, &MOTION[..2], &mut entity)?;
    entity.position.x = place.x.wrapping_add(reader.signed(PLACE_SIZES)?);
    entity.position.y = place.y.wrapping_add(reader.signed(PLACE_SIZES)?);
    let course = read_course(reader, Course::Straight)?;
    let age = if kind.class() == Class::Effect { reader.gamma()?.min(255) as u8 } else { 0 };
    Ok(Thing { entity, course, age })
}

/// Ids rise: mostly by one. What was thought gone and is not has an older one.
fn write_id(writer: &mut BitWriter, last: EntityId, id: EntityId) {
    let is_newer = id > last;
    writer.flag(is_newer);
    match is_newer {
        true => writer.gamma(id.0 - last.0 - 1),
        false => writer.bits(id.0, 32),
    }
}

fn read_id(reader: &mut BitReader, last: EntityId) -> Result<EntityId, Malformed> {
    match reader.flag()? {
        true => reader.gamma()?.checked_add(last.0).and_then(|id| id.checked_add(1)).map(EntityId),
        false => Some(EntityId(reader.bits(32)?)),
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

/// What a new thing is probably like: the newest other of its kind.
fn model(picture: &Picture, id: EntityId, kind: Kind) -> Thing {
    let alike = picture.things.iter().rev().find(|thing| thing.entity.kind == kind);
    let mut model = alike.copied().unwrap_or(Thing {
        entity: Entity { velocity: Vec2::ZERO, ..Entity::new(id, kind, Vec2::ZERO) },
        course: Course::Straight,
        age: 0,
    });
    model.entity.id = id;
    model
}

/// Where a new thing is looked for, and how it probably moves.
fn expected_motion(picture: &Picture, model: &Thing, entity: &Entity) -> (Vec2, Vec2) {
    let ship = |thing: &&Thing| thing.entity.kind == Kind::Player && thing.entity.seat == entity.seat;
    let ship = picture.things.iter().find(ship).filter(|_| entity.kind.class() == Class::PlayerShot);
    let middle = Vec2::new(px(game::FIELD_WIDTH_PX / 2), px(game::FIELD_HEIGHT_PX / 2));
    (ship.map_or(middle, |ship| ship.entity.position), model.entity.velocity)
}
