//! The part of a difference that is about one thing: how it is other than predicted. `new_entity.rs` is about new ones.

use game::{Buttons, Entity, Kind, SEATS, Vec2, ship::steer, units::STEPS_PER_TICK};

use super::{
    bits::{BitReader, BitWriter},
    fields::{MOTION, QUALITIES},
    game_delta::{read_fields, write_fields},
    motion::Motion,
    view::{ViewedEntity, WorldView},
};
use crate::Malformed;

/// The first fields of [`QUALITIES`]: those that change often.
const LIVELY: usize = 3;

/// What is predicted of a thing that rides on a ship, once it is known where the ship is.
///
/// A docked Force and a Bit in its place keep their distance to their ship.
pub fn ride(base: &WorldView, view: &WorldView, predicted: &ViewedEntity) -> ViewedEntity {
    let mut viewed = *predicted;
    let Entity { kind: Kind::Force | Kind::Bit, seat: Some(seat), .. } = predicted.entity else { return viewed };
    let own = |viewed: &&ViewedEntity| viewed.entity.kind == Kind::Player && viewed.entity.seat == Some(seat);
    let (Some(was), Some(before), Some(ship)) =
        (base.viewed(predicted.entity.id), base.entities.iter().find(own), view.entities.iter().find(own))
    else {
        return viewed;
    };
    let is_fixed = was.entity.attached.is_some_and(|attached| attached.to == ship.entity.id)
        || was.entity.kind == Kind::Bit && was.entity.position.x == before.entity.position.x;
    if is_fixed && before.entity.id == ship.entity.id {
        viewed.entity.position = Vec2::new(
            was.entity.position.x.wrapping_sub(before.entity.position.x).wrapping_add(ship.entity.position.x),
            was.entity.position.y.wrapping_sub(before.entity.position.y).wrapping_add(ship.entity.position.y),
        );
        viewed.entity.velocity = ship.entity.velocity;
    }
    viewed
}

/// What a reader has of a thing once it has read how that is other than predicted. Its age is never told: it goes on as
/// predicted, also while time stands still.
pub fn known(old: &ViewedEntity, now: &ViewedEntity) -> ViewedEntity {
    let motion = if moves(&old.entity, &now.entity) { now.motion } else { old.motion };
    ViewedEntity { entity: now.entity, motion, age: old.age }
}

fn moves(old: &Entity, now: &Entity) -> bool {
    MOTION.iter().any(|field| (field.get)(old) != (field.get)(now))
}

/// Appends how a thing is other than predicted.
pub fn write(writer: &mut BitWriter, view: &WorldView, old: &ViewedEntity, now: &ViewedEntity) {
    let moves = moves(&old.entity, &now.entity);
    writer.flag(moves);
    let mut entity = old.entity;
    if moves {
        write_motion(writer, view, &old.entity, &now.entity);
        (entity.position, entity.velocity) = (now.entity.position, now.entity.velocity);
        lean(&old.entity, &mut entity);
        write_own_motion(writer, old.motion, now.motion);
    }
    write_qualities(writer, &entity, &now.entity);
}

/// Reads how a thing is other than predicted.
pub fn read(reader: &mut BitReader, view: &WorldView, old: &ViewedEntity) -> Result<ViewedEntity, Malformed> {
    let mut viewed = *old;
    if reader.flag()? {
        read_motion(reader, view, &mut viewed.entity)?;
        lean(&old.entity, &mut viewed.entity);
        viewed.motion = read_own_motion(reader, old.motion)?;
    }
    read_qualities(reader, &mut viewed.entity)?;
    Ok(viewed)
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
fn write_motion(writer: &mut BitWriter, view: &WorldView, old: &Entity, now: &Entity) {
    let turns = old.velocity != now.velocity;
    writer.flag(turns);
    let mut place = *old;
    if turns {
        write_velocity(writer, view, old, now);
        let since = half_ticks_since_turn(old, now);
        writer.flag(since.is_some());
        if let Some(since) = since {
            return writer.gamma(since);
        }
        place.velocity = now.velocity;
    }
    write_fields(writer, &MOTION[2..], &place, now);
}

fn read_motion(reader: &mut BitReader, view: &WorldView, entity: &mut Entity) -> Result<(), Malformed> {
    if reader.flag()? {
        let old = *entity;
        read_velocity(reader, view, entity)?;
        if reader.flag()? {
            let half_ticks = reader.gamma()?;
            if half_ticks > TURN_MAX {
                return Err(Malformed::BadValue);
            }
            entity.position = turned(&old, entity.velocity, half_ticks);
            return Ok(());
        }
    }
    read_fields(reader, &MOTION[2..], entity)
}

/// A ship flies in one of eight directions, or not at all, with the speed of its player: four bits. At the edge of the
/// field, and for everything else, it is two numbers.
fn write_velocity(writer: &mut BitWriter, view: &WorldView, old: &Entity, now: &Entity) {
    if now.kind == Kind::Player {
        let directions = directions(view, now);
        let direction = directions.iter().position(|velocity| *velocity == now.velocity);
        writer.bits(direction.unwrap_or(directions.len()) as u32, 4);
        if direction.is_some() {
            return;
        }
    }
    write_fields(writer, &MOTION[..2], old, now);
}

fn read_velocity(reader: &mut BitReader, view: &WorldView, entity: &mut Entity) -> Result<(), Malformed> {
    if entity.kind == Kind::Player {
        let directions = directions(view, entity);
        let number = reader.bits(4)? as usize;
        if let Some(velocity) = directions.get(number) {
            entity.velocity = *velocity;
            return Ok(());
        }
        if number > directions.len() {
            return Err(Malformed::BadValue);
        }
    }
    read_fields(reader, &MOTION[..2], entity)
}

/// The velocities that a ship may have, as the game has them: by the row, from the upper left.
fn directions(view: &WorldView, ship: &Entity) -> [Vec2; 9] {
    let seat = ship.seat.map_or(SEATS, |seat| seat.index());
    let player = view.head.players.get(seat).copied().flatten();
    let (model, speed) = player.map_or_else(Default::default, |player| (player.model, player.speed));
    let rows = [Buttons::UP, Buttons::NONE, Buttons::DOWN];
    let columns = [Buttons::LEFT, Buttons::NONE, Buttons::RIGHT];
    std::array::from_fn(|index| {
        let step = steer(model, rows[index / 3] | columns[index % 3], speed);
        Vec2::new(step.x * STEPS_PER_TICK, step.y * STEPS_PER_TICK)
    })
}

/// The most half ticks since a turn that are tried: half a second. A reader refuses more.
const TURN_MAX: u32 = 60;

fn half_ticks_since_turn(old: &Entity, now: &Entity) -> Option<u32> {
    (0..=TURN_MAX).find(|&since| turned(old, now.velocity, since) == now.position)
}

/// Where a thing is that took another velocity some half ticks ago.
fn turned(old: &Entity, velocity: Vec2, half_ticks: u32) -> Vec2 {
    let further = |place: i32, before: i32, now: i32| {
        let gained = (i64::from(now) - i64::from(before)) * i64::from(half_ticks) / 2;
        place.wrapping_add(gained as i32)
    };
    Vec2::new(further(old.position.x, old.velocity.x, velocity.x), further(old.position.y, old.velocity.y, velocity.y))
}

// ---- Motion ----

/// Appends a motion if it is another.
pub fn write_own_motion(writer: &mut BitWriter, old: Motion, now: Motion) {
    writer.flag(old != now);
    if old == now {
        return;
    }
    match now {
        Motion::Straight => writer.bits(0, 2),
        Motion::Fall => writer.bits(1, 2),
        Motion::Swing { reach_px, winding, angle } => {
            writer.bits(2, 2);
            writer.bits(reach_px.into(), 8);
            writer.bits(winding.into(), 4);
            writer.bits(angle.into(), 8);
        }
    }
}

/// Reads what [`write_own_motion`] wrote.
pub fn read_own_motion(reader: &mut BitReader, old: Motion) -> Result<Motion, Malformed> {
    if !reader.flag()? {
        return Ok(old);
    }
    Ok(match reader.bits(2)? {
        0 => Motion::Straight,
        1 => Motion::Fall,
        2 => Motion::Swing {
            reach_px: reader.bits(8)? as u8,
            winding: reader.bits(4)? as u8,
            angle: reader.bits(8)? as u8,
        },
        _ => return Err(Malformed::BadValue),
    })
}

// ---- What it is like ----

/// A bit if nothing differs; else one for each lively field, and one for all others together.
pub fn write_qualities(writer: &mut BitWriter, old: &Entity, now: &Entity) {
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

/// Reads what [`write_qualities`] wrote.
pub fn read_qualities(reader: &mut BitReader, entity: &mut Entity) -> Result<(), Malformed> {
    if reader.flag()? {
        read_fields(reader, &QUALITIES[..LIVELY], entity)?;
        if reader.flag()? {
            read_fields(reader, &QUALITIES[LIVELY..], entity)?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use game::EntityId;

    use super::*;

    /// What a reader makes of a thing that turned some time ago, from the one extreme to the other.
    fn turn(half_ticks: u32) -> Result<(), Malformed> {
        let mut old = Entity::new(EntityId(1), Kind::Drone, Vec2::ZERO);
        old.velocity = Vec2::new(i32::MIN, i32::MIN);
        let now = Entity { velocity: Vec2::new(i32::MAX, i32::MAX), ..old };
        let mut bytes = Vec::new();
        let mut writer = BitWriter::new(&mut bytes);
        writer.flag(true);
        write_velocity(&mut writer, &WorldView::default(), &old, &now);
        writer.flag(true);
        writer.gamma(half_ticks);
        read_motion(&mut BitReader::new(&bytes), &WorldView::default(), &mut old)
    }

    #[test]
    fn a_turn_is_traced_back_so_far_and_no_further() {
        assert_eq!(turn(TURN_MAX), Ok(()));
        assert_eq!(turn(TURN_MAX + 1), Err(Malformed::BadValue));
        assert_eq!(turn(u32::MAX - 1), Err(Malformed::BadValue));
    }
}
