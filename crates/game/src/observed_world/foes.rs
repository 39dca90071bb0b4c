//! What an observed world makes of enemies, bosses and blocks: their habits are not seen, but can be told from how they move.

use super::{bounded, is_foe, is_near, is_predicted, per_step, showing};
use crate::{
    Entity, Frame, Rules, Vec2, World, bosses,
    foe::{Foe, Habit},
    foes,
    stage::Stage,
    tuning::{self, Swing, limits},
    units::{FIELD_WIDTH_PX, px},
};

/// Enemies come this far outside the field.
const ENTRY_X: i32 = px(FIELD_WIDTH_PX + 16);
/// When an enemy fires next is not known: it is not predicted.
const NEVER: u16 = u16::MAX;

/// Takes over every foe.
pub(super) fn adopt(world: &mut World, frame: &Frame) {
    let old = std::mem::take(&mut world.state.foes);
    let seen = frame.entities.iter().filter(|entity| is_foe(entity.kind.class())).take(limits::FOES);
    let mut foes: Vec<Foe> = seen.map(|seen| foe(world, seen, &old)).collect();
    showing::join_boss(&mut foes, frame);
    world.state.foes = foes;
    world.state.foe_count = world.state.foes.len() as u32;
}

fn foe(world: &World, seen: &Entity, old: &[Foe]) -> Foe {
    let mut foe = Foe {
        id: seen.id,
        kind: seen.kind,
        position: bounded(seen.position),
        velocity: per_step(seen.velocity),
        health: seen.health,
        health_max: seen.health_max,
        age: 0,
        fire_in: NEVER,
        hurt: if seen.animation == 1 { tuning::HURT_SHOWN } else { 0 },
        shielded: seen.animation == 2,
        killer: None,
        habit: Habit::Drift,
    };
    match known(&foe, old) {
        Some(known) => carry(&mut foe, known, world),
        None => guess(&mut foe, world),
    }
    showing::follow(&mut foe, seen.animation, world);
    foe
}

/// The same foe as it was carried on: by its id, or one that was rightly predicted.
fn known<'a>(foe: &Foe, old: &'a [Foe]) -> Option<&'a Foe> {
    let by_id = old.binary_search_by_key(&foe.id, |old| old.id).ok().map(|index| &old[index]);
    let is_it = |old: &&Foe| is_predicted(old.id) && old.kind == foe.kind && is_near(old.position, foe.position);
    by_id.filter(|old| old.kind == foe.kind).or_else(|| old.iter().find(is_it))
}

/// Keeps what is known of a foe, mended where what is seen disagrees.
fn carry(foe: &mut Foe, known: &Foe, world: &World) {
    foe.age = known.age;
    foe.fire_in = known.fire_in;
    foe.habit = known.habit;
    let turned = foe.velocity != known.velocity;
    let off = foe.position - known.position;
    let is_off = off.x.abs().max(off.y.abs()) > px(1) / 8;
    match foe.habit {
        Habit::Weave { .. } | Habit::Carry { .. } | Habit::Hover { .. } | Habit::Command { .. } => {
            if is_off {
                swing(foe, known, &world.stage);
            }
        }
        Habit::Home => {
            if turned {
                retime(foe, known);
            }
        }
        Habit::Dive { .. } | Habit::Cling { .. } | Habit::Chase { .. } | Habit::Ride { .. } => {
            foe.habit = shown_by_movement(foe, &world.state.rules);
        }
        // One that falls back has its time behind it.
        Habit::Pursue if foe.velocity.x < 0 => foe.age = foe.age.max(tuning::GRINDER_STAY),
        Habit::Pursue => {}
        // What a walker does next depends on the terrain, which is known; the others remember nothing that could be seen.
        Habit::Walk { .. } => {}
        Habit::Sit | Habit::Drift | Habit::Brood { .. } | Habit::Lurk | Habit::Bomb | Habit::Guard => {}
        Habit::Follow { .. } | Habit::Part { .. } | Habit::Rest => {}
        Habit::Spit | Habit::Swarm | Habit::Joust { .. } | Habit::Release { .. } => {}
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

/// The habit of a foe that was not seen before: that with which its kind comes, as far along as its movement shows.
fn guess(foe: &mut Foe, world: &World) {
    // What comes with nothing of its own is a part of a boss, which its hull will hold, or goes straight on.
    foe.habit = foes::first_habit(foe.kind, foe.position, None).map_or(Habit::Drift, |(habit, _)| habit);
    foe.habit = shown_by_movement(foe, &world.state.rules);
    foe.age = steps_since_entry(foe, &world.state.rules);
    let first = foe.clone();
    swing(foe, &first, &world.stage);
}

/// A foe's habit, with what its velocity shows of what it remembers.
fn shown_by_movement(foe: &Foe, rules: &Rules) -> Habit {
    let Vec2 { x, y } = foe.velocity;
    match foe.habit {
        // A dart has aimed if it no longer cruises.
        Habit::Dive { .. } => Habit::Dive { aimed: foe.velocity != Vec2::new(-rules.pace(tuning::DART_CRUISE), 0) },
        Habit::Walk { .. } => Habit::Walk { rightwards: x > 0 },
        // At an edge it stands still for a step, so that the sum of both may be nothing.
        Habit::Ride { rightwards } if x == 0 => Habit::Ride { rightwards },
        Habit::Ride { .. } => Habit::Ride { rightwards: x > 0 },
        Habit::Cling { .. } => Habit::Cling { fallen: y > 0 },
        Habit::Chase { .. } => Habit::Chase { turned: x < 0 },
        // From one phase to the next a hull may also step back.
        Habit::Command { base_y, angle, phase, turn, leaving } => {
            Habit::Command { base_y, angle, leaving: leaving && x > 0, phase, turn }
        }
        Habit::Weave { .. } | Habit::Carry { .. } | Habit::Hover { .. } | Habit::Home => foe.habit,
        Habit::Sit | Habit::Drift | Habit::Brood { .. } | Habit::Lurk | Habit::Bomb | Habit::Guard => foe.habit,
        Habit::Follow { .. } | Habit::Part { .. } | Habit::Rest => foe.habit,
        Habit::Spit | Habit::Swarm | Habit::Joust { .. } | Habit::Release { .. } | Habit::Pursue => foe.habit,
    }
}

/// For how long a foe has been there, from how far it has come at the speed with which its habit brings it in.
fn steps_since_entry(foe: &Foe, rules: &Rules) -> u16 {
    let speed = match foe.habit {
        Habit::Weave { .. } => rules.pace(foes::weaving(foe.kind).0),
        Habit::Carry { .. } => rules.pace(tuning::CARRIER_SPEED),
        Habit::Hover { .. } => tuning::GUNSHIP_SPEED,
        Habit::Dive { .. } => rules.pace(tuning::DART_CRUISE),
        Habit::Command { .. } => return entry_of_boss(foe),
        Habit::Pursue => return entry_of_grinder(foe, rules),
        Habit::Walk { .. } | Habit::Cling { .. } | Habit::Sit | Habit::Brood { .. } | Habit::Rest => {
            foe.velocity.x.abs()
        }
        Habit::Home | Habit::Chase { .. } | Habit::Drift | Habit::Lurk | Habit::Bomb => foe.velocity.x.abs(),
        Habit::Follow { .. } | Habit::Part { .. } | Habit::Guard => foe.velocity.x.abs(),
        Habit::Joust { .. } => tuning::LANCER_SPEED,
        Habit::Spit | Habit::Swarm | Habit::Release { .. } | Habit::Ride { .. } => foe.velocity.x.abs(),
    };
    match speed {
        0 => 1,
        speed => ((ENTRY_X - foe.position.x) / speed).clamp(1, i32::from(u16::MAX)) as u16,
    }
}

fn entry_of_grinder(foe: &Foe, rules: &Rules) -> u16 {
    let closed_in = (foe.position.x - tuning::GRINDER_WAITS_X) / rules.pace(tuning::GRINDER_SPEED);
    match foe.velocity.x {
        ..0 => tuning::GRINDER_STAY,
        _ if closed_in <= 0 => 1,
        _ => tuning::GRINDER_WARNING.saturating_add(closed_in as u16).min(tuning::GRINDER_STAY - 1),
    }
}

fn entry_of_boss(foe: &Foe) -> u16 {
    let speed = tuning::boss(foe.kind).map_or(1, |boss| boss.speed);
    let way = bosses::entrance_x(foe.kind) - foe.position.x;
    let waited = if way > 0 { i32::from(tuning::BOSS_WARNING) } else { 0 };
    (waited + way / speed).clamp(1, i32::from(u16::MAX)) as u16
}

/// Finds how far a foe is on its swing, from where it is and how it moves; for other habits there is nothing to find.
fn swing(foe: &mut Foe, known: &Foe, stage: &Stage) {
    match foe.habit {
        Habit::Weave { .. } => {
            let Habit::Weave { angle, .. } = known.habit else { return };
            let (base_y, angle) = fit(foes::weaving(foe.kind).1, foe, known, angle);
            foe.habit = Habit::Weave { base_y, angle };
        }
        Habit::Carry { item, .. } => {
            let Habit::Carry { angle, .. } = known.habit else { return };
            let (base_y, angle) = fit(tuning::CARRIER_SWING, foe, known, angle);
            foe.habit = Habit::Carry { item, base_y, angle };
        }
        Habit::Hover { .. } => {
            let Habit::Hover { angle, .. } = known.habit else { return };
            let (base_y, angle) = fit(tuning::GUNSHIP_SWING, foe, known, angle);
            foe.habit = Habit::Hover { base_y, angle };
        }
        Habit::Command { .. } => foe.habit = command(foe, known, stage),
        // There is no swing in these.
        Habit::Dive { .. } | Habit::Walk { .. } | Habit::Cling { .. } | Habit::Sit | Habit::Home => {}
        Habit::Chase { .. } | Habit::Drift | Habit::Brood { .. } | Habit::Lurk | Habit::Bomb => {}
        Habit::Follow { .. } | Habit::Part { .. } | Habit::Rest | Habit::Guard | Habit::Spit => {}
        Habit::Swarm | Habit::Joust { .. } | Habit::Release { .. } | Habit::Ride { .. } | Habit::Pursue => {}
    }
}

/// How far a foe is thought to be on its swing: by its age at first sight, later as it was carried on.
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
fn command(foe: &Foe, known: &Foe, stage: &Stage) -> Habit {
    let Habit::Command { angle, leaving, phase, turn, .. } = known.habit else { return foe.habit };
    let spawned = stage.spawns.iter().find(|spawn| spawn.kind == foe.kind).map(|spawn| spawn.y_px);
    let base_y = px(spawned.unwrap_or(crate::FIELD_HEIGHT_PX / 2));
    let Some(boss) = tuning::boss(foe.kind) else { return foe.habit };
    let first = known.position == foe.position && angle == 0;
    let expected = if first { (foe.age / boss.phases[0].sways_every) as u8 } else { angle };
    let unlikelihood = |angle: &u8| {
        let off = (base_y + boss.sway.height(*angle) - foe.position.y).abs();
        off + i32::from(angle.wrapping_sub(expected).cast_signed()).abs() * 16
    };
    let angle = (0..=255).min_by_key(unlikelihood).unwrap_or(expected);
    Habit::Command { base_y, angle, leaving, phase, turn }
}
