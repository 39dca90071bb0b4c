//! Bosses: a hull that nothing hurts, parts that can be shot off, and one weak point that opens and closes. A boss that
//! is not beaten in time leaves.

use crate::{
    EntityId, Kind, Vec2, World, bullets,
    foe::{Foe, Habit},
    foes::may_fire,
    tuning::{self, Boss},
    units::px,
};

/// Where a hull is and what its parts need to know of it.
struct Command {
    hull: EntityId,
    position: Vec2,
    velocity: Vec2,
    boss: &'static Boss,
    open: bool,
    leaving: bool,
}

/// Adds the parts of a boss to its hull; for any other kind there are none.
pub(crate) fn spawn_parts(world: &mut World, kind: Kind, hull: EntityId, position: Vec2) {
    let Some(boss) = tuning::boss(kind) else { return };
    for &(part, (x, y)) in boss.parts {
        let offset = Vec2::new(px(x), px(y));
        // Only the weak point is ever closed.
        let open = part != boss.parts[0].0;
        world.spawn_foe(part, position + offset, Habit::Part { hull, offset, open });
    }
}

/// Moves hulls, then their parts with them, and fires their guns.
pub(crate) fn fly(world: &mut World) {
    if !world.boss_is_here() {
        return;
    }
    let mut foes = std::mem::take(&mut world.state.foes);
    let commands: Vec<Command> = foes.iter_mut().filter_map(steer_hull).collect();
    for foe in &mut foes {
        let Habit::Part { hull, offset, .. } = foe.habit else { continue };
        // Parts whose hull has just left the field drift after it.
        if let Some(command) = commands.iter().find(|command| command.hull == hull) {
            follow_hull(world, foe, command, offset);
        }
    }
    foes.append(&mut world.state.foes);
    world.state.foes = foes;
}

/// Decides a hull's velocity: in from the right, sway, and out again when its time is over.
fn steer_hull(foe: &mut Foe) -> Option<Command> {
    let boss = tuning::boss(foe.kind)?;
    let Habit::Command { base_y, angle, leaving } = foe.habit else { return None };
    let leaving = leaving || foe.age >= boss.patience;
    let angle =
        if foe.age.is_multiple_of(tuning::BOSS_SWAYS_EVERY) { angle.wrapping_add(boss.sway.winding) } else { angle };
    let x = match foe.position.x > boss.rest_x {
        _ if leaving => boss.speed,
        true => -boss.speed,
        false => 0,
    };
    let sway = base_y + boss.sway.height(angle);
    foe.velocity = Vec2::new(x, sway - foe.position.y);
    foe.habit = Habit::Command { base_y, angle, leaving };
    let resting = !leaving && x == 0;
    let open = resting && foe.age % (boss.closed + boss.open) >= boss.closed;
    Some(Command { hull: foe.id, position: foe.position, velocity: foe.velocity, boss, open, leaving })
}

fn follow_hull(world: &mut World, part: &mut Foe, command: &Command, offset: Vec2) {
    let is_weak_point = part.kind == command.boss.parts[0].0;
    let open = !is_weak_point || command.open;
    part.habit = Habit::Part { hull: command.hull, offset, open };
    part.position = command.position + offset;
    part.velocity = command.velocity;
    if command.leaving || !may_fire(world, part, command.boss.fire_every) {
        return;
    }
    if !is_weak_point {
        bullets::aim(world, Kind::Pellet, part.position, tuning::PELLET_SPEED);
    } else if open {
        world.spawn_bullet(Kind::Lance, part.position, Vec2::new(-tuning::LANCE_SPEED, 0));
    }
}

/// Whether the death of this part is the death of the boss; if so, the hull.
pub(crate) fn beaten_hull(part: &Foe) -> Option<EntityId> {
    let Habit::Part { hull, .. } = part.habit else { return None };
    tuning::is_weak_point(part.kind).then_some(hull)
}
