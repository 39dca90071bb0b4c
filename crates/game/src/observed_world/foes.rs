//! What an observed world makes of enemies, bosses and blocks: their habits are not seen, but can be told from how they move.

use super::{is_foe, is_imagined, is_near, pace, place};
use crate::{
    Entity, EntityId, Frame, Kind, Vec2, World,
    stage::Stage,
    things::{Foe, Habit},
    tuning::{self, Swing, limits},
    units::{FIELD_WIDTH_PX, px, sine},
};

/// Enemies come this far outside the field.
const ENTRY_X: i32 = px(FIELD_WIDTH_PX + 16);
/// When an enemy fires next is not known: it is not imagined.
const NEVER: u16 = u16::MAX;

/// Takes over every foe.
pub(super) fn adopt(world: &mut World, frame: &Frame) {
    let old = std::mem::take(&mut world.state.foes);
    let hull = frame.entities.iter().find(|entity| tuning::boss(entity.kind).is_some());
    let seen = frame.entities.iter().filter(|entity| is_foe(entity.kind.class())).take(limits::FOES);
    world.state.foes = seen.map(|seen| foe(&world.stage, seen, hull, &old)).collect();
    world.state.foe_count = world.state.foes.len() as u32;
}

fn foe(stage: &Stage, seen: &Entity, hull: Option<&Entity>, old: &[Foe]) -> Foe {
    let mut foe = Foe {
        id: seen.id,
        kind: seen.kind,
        position: place(seen.position),
        velocity: pace(seen.velocity),
        health: seen.health,
        health_max: seen.health_max,
        age: 0,
        fire_in: NEVER,
        hurt: if seen.animation == 1 { 8 } else { 0 },
        shielded: seen.animation == 2,
        killer: None,
        habit: Habit::Drift,
    };
    match known(&foe, old) {
        Some(known) => carry(&mut foe, known, stage),
        None => guess(&mut foe, stage, hull),
    }
    foe
}

/// The same foe as it was carried on: by its id, or one that was rightly imagined.
fn known<'a>(foe: &Foe, old: &'a [Foe]) -> Option<&'a Foe> {
    let by_id = old.binary_search_by_key(&foe.id, |old| old.id).ok().map(|index| &old[index]);
    let is_it = |old: &&Foe| is_imagined(old.id) && old.kind == foe.kind && is_near(old.position, foe.position);
    by_id.filter(|old| old.kind == foe.kind).or_else(|| old.iter().find(is_it))
}

/// Keeps what is known of a foe, mended where what is seen disagrees.
fn carry(foe: &mut Foe, known: &Foe, stage: &Stage) {
    foe.age = known.age;
    foe.fire_in = known.fire_in;
    foe.habit = known.habit;
    let turned = foe.velocity != known.velocity;
    let off = foe.position - known.position;
    let is_off = off.x.abs().max(off.y.abs()) > px(1) / 8;
    match foe.habit {
        Habit::Weave { .. } | Habit::Carry { .. } | Habit::Hover { .. } | Habit::Command { .. } if is_off => {
            swing(foe, known, stage)
        }
        Habit::Home if turned => retime(foe, known),
        Habit::Dive { .. } => foe.habit = dive(foe),
        Habit::Cling { .. } => foe.habit = Habit::Cling { fallen: foe.velocity.y > 0 },
        Habit::Chase { .. } => foe.habit = Habit::Chase { turned: foe.velocity.x < 0 },
        _ => {}
    }
}

/// A seeker that turned when it was not expected to: it turned just now. One that turned as expected but to another
/// side has only seen the ship elsewhere.
fn retime(foe: &mut Foe, known: &Foe) {
    let every = tuning::SEEKER_TURN_EVERY;
    let since_turn = known.age % every;
    if known.age < tuning::SEEKER_PATIENCE && since_turn > 2 {
        foe.age = known.age - since_turn + if since_turn * 2 > every { every } else { 0 };
    }
}

/// The habit of a foe that was not seen before.
fn guess(foe: &mut Foe, stage: &Stage, hull: Option<&Entity>) {
    let base_y = foe.position.y;
    foe.age = steps_since_entry(foe);
    foe.habit = match foe.kind {
        Kind::Drone => Habit::Weave { base_y, angle: 0 },
        Kind::Carrier => Habit::Carry { item: Kind::SpeedUp, base_y, angle: 0 },
        Kind::Gunship => Habit::Hover { base_y, angle: 0 },
        Kind::Salvager | Kind::Keeper => Habit::Command { base_y, angle: 0, leaving: foe.velocity.x > 0 },
        Kind::Dart => dive(foe),
        Kind::Walker => Habit::Walk { rightwards: foe.velocity.x > 0 },
        Kind::Clinger => Habit::Cling { fallen: foe.velocity.y > 0 },
        Kind::Turret => Habit::Sit,
        Kind::Seeker | Kind::Larva => Habit::Home,
        Kind::Chaser => Habit::Chase { turned: foe.velocity.x < 0 },
        Kind::Hive => Habit::Brood { left: tuning::HIVE_BROOD },
        Kind::Mine => Habit::Lurk,
        Kind::Bomber => Habit::Bomb,
        Kind::Block => Habit::Rest,
        _ => part(foe, hull),
    };
    let first = foe.clone();
    swing(foe, &first, stage);
}

/// Parts keep their place at the hull; anything else goes straight on.
fn part(foe: &Foe, hull: Option<&Entity>) -> Habit {
    let is_part = |hull: &&Entity| {
        tuning::boss(hull.kind).is_some_and(|boss| boss.parts.iter().any(|(part, _)| *part == foe.kind))
    };
    match hull.filter(is_part) {
        Some(hull) => {
            Habit::Part { hull: EntityId(hull.id.0), offset: foe.position - place(hull.position), open: true }
        }
        None => Habit::Drift,
    }
}

/// A dart has aimed if it no longer cruises.
fn dive(foe: &Foe) -> Habit {
    Habit::Dive { aimed: foe.velocity != Vec2::new(-tuning::DART_CRUISE, 0) }
}

/// For how long a foe has been there, from how far it has come.
fn steps_since_entry(foe: &Foe) -> u16 {
    let speed = match foe.kind {
        Kind::Drone => tuning::DRONE_SPEED,
        Kind::Carrier => tuning::CARRIER_SPEED,
        Kind::Gunship => tuning::GUNSHIP_SPEED,
        Kind::Dart => tuning::DART_CRUISE,
        Kind::Salvager | Kind::Keeper => return entry_of_boss(foe),
        _ => foe.velocity.x.abs(),
    };
    match speed {
        0 => 1,
        speed => ((ENTRY_X - foe.position.x) / speed).clamp(1, i32::from(u16::MAX)) as u16,
    }
}

fn entry_of_boss(foe: &Foe) -> u16 {
    let speed = tuning::boss(foe.kind).map_or(1, |boss| boss.speed);
    ((px(FIELD_WIDTH_PX) + tuning::OUTSIDE - foe.position.x) / speed).clamp(1, i32::from(u16::MAX)) as u16
}

/// Finds how far a foe is on its sine, from where it is and how it moves; for other habits there is nothing to find.
fn swing(foe: &mut Foe, known: &Foe, stage: &Stage) {
    match (foe.habit, known.habit) {
        (Habit::Weave { .. }, Habit::Weave { angle, .. }) => {
            let (base_y, angle) = fit(tuning::DRONE_SWING, foe, known, angle);
            foe.habit = Habit::Weave { base_y, angle };
        }
        (Habit::Carry { item, .. }, Habit::Carry { angle, .. }) => {
            let (base_y, angle) = fit(tuning::CARRIER_SWING, foe, known, angle);
            foe.habit = Habit::Carry { item, base_y, angle };
        }
        (Habit::Hover { .. }, Habit::Hover { angle, .. }) => {
            let (base_y, angle) = fit(tuning::GUNSHIP_SWING, foe, known, angle);
            foe.habit = Habit::Hover { base_y, angle };
        }
        (Habit::Command { .. }, Habit::Command { angle, .. }) => {
            foe.habit = command(foe, known, angle, stage);
        }
        _ => {}
    }
}

/// Where on its sine a foe is thought to be: by its age at first sight, later as it was carried on.
fn expected(foe: &Foe, known: &Foe, angle: u8, winding: u8) -> u8 {
    let first = known.position == foe.position && angle == 0;
    if first { (foe.age as u8).wrapping_mul(winding) } else { angle }
}

/// The height and the angle that explain a foe's position and movement best, near where it is expected.
fn fit(swing: Swing, foe: &Foe, known: &Foe, angle: u8) -> (i32, u8) {
    let expected = expected(foe, known, angle, swing.winding);
    let unlikelihood = |angle: &u8| {
        let movement = swing.height(*angle) - swing.height(angle.wrapping_sub(swing.winding));
        let away = i32::from(angle.wrapping_sub(expected).cast_signed()).abs();
        (movement - foe.velocity.y).abs() * 4 + away
    };
    let angle = (0..=255).min_by_key(unlikelihood).unwrap_or(expected);
    (foe.position.y - swing.height(angle), angle)
}

/// A hull sways slowly: which height it is at tells the angle, and which way it went tells which of the two.
fn command(foe: &Foe, known: &Foe, angle: u8, stage: &Stage) -> Habit {
    let leaving = foe.velocity.x > 0;
    let spawned = stage.spawns.iter().find(|spawn| spawn.kind == foe.kind).map(|spawn| spawn.y_px);
    let base_y = px(spawned.unwrap_or(crate::FIELD_HEIGHT_PX / 2));
    let amplitude = tuning::boss(foe.kind).map_or(0, |boss| px(boss.sway_px));
    // It winds in every third step only.
    let first = known.position == foe.position && angle == 0;
    let expected = if first { (foe.age / 3) as u8 } else { angle };
    let unlikelihood = |angle: &u8| {
        let off = (base_y + amplitude * sine(*angle) / 256 - foe.position.y).abs();
        off + i32::from(angle.wrapping_sub(expected).cast_signed()).abs() * 16
    };
    let angle = (0..=255).min_by_key(unlikelihood).unwrap_or(expected);
    Habit::Command { base_y, angle, leaving }
}
