//! The end of a step: what was destroyed, used up or left the field is removed, and leaves behind what it must.

use crate::{
    Class, EntityId, Event, GameState, Gone, Kind, Mutator, Vec2, World, bosses,
    bullets::{self, Ring},
    effects::Effect,
    foe::{Foe, Habit},
    tuning,
    world::is_outside,
};

/// Removes what is gone from every table.
pub(crate) fn remove_the_gone(world: &mut World) {
    remove_foes(world);
    remove(world, |world| &mut world.state.shots, |shot| removal_of(shot.id, shot.power == 0, shot.position));
    remove(world, |world| &mut world.state.bullets, |bullet| removal_of(bullet.id, bullet.spent, bullet.position));
    remove(world, |world| &mut world.state.items, |item| removal_of(item.id, item.taken, item.position));
    let is_over = |effect: &Effect| effect.life == 0 || is_outside(effect.position);
    remove(world, |world| &mut world.state.effects, |effect| (effect.id, is_over(effect).then_some(Gone::Departed)));
}

fn removal_of(id: EntityId, used_up: bool, position: Vec2) -> (EntityId, Option<Gone>) {
    let departed = is_outside(position).then_some(Gone::Departed);
    (id, if used_up { Some(Gone::Destroyed) } else { departed })
}

/// Removes from one table what `removal` says is gone, and emits the event.
fn remove<T>(
    world: &mut World,
    table: impl Fn(&mut World) -> &mut Vec<T>,
    removal: impl Fn(&T) -> (EntityId, Option<Gone>),
) {
    let mut entries = std::mem::take(table(world));
    entries.retain(|entry| match removal(entry) {
        (entity, Some(gone)) => {
            world.emit(Event::Destroyed { entity, gone });
            false
        }
        (_, None) => true,
    });
    *table(world) = entries;
}

fn remove_foes(world: &mut World) {
    let is_gone = |foe: &Foe| foe.is_dead() || is_outside(foe.position);
    if !world.state.foes.iter().any(is_gone) {
        return;
    }
    let mut foes = std::mem::take(&mut world.state.foes);
    destroy_beaten_bosses(world, &mut foes);
    let mut boss_gone = false;
    let mut dead = Vec::new();
    foes.retain(|foe| {
        let gone = if foe.is_dead() { Gone::Destroyed } else { Gone::Departed };
        let stays = !is_gone(foe);
        if !stays {
            world.emit(Event::Destroyed { entity: foe.id, gone });
            boss_gone |= tuning::boss(foe.kind).is_some();
            if gone == Gone::Destroyed {
                dead.push(foe.clone());
            }
        }
        stays
    });
    world.state.foe_count = foes.len() as u32;
    for foe in &dead {
        leave_behind(world, foe);
    }
    // What was left behind has the highest ids.
    foes.append(&mut world.state.foes);
    world.state.foes = foes;
    if boss_gone {
        win_if_that_was_all(world);
    }
}

/// A boss whose weak point is destroyed goes with all its parts, and whoever destroyed it gets the points.
fn destroy_beaten_bosses(world: &mut World, foes: &mut [Foe]) {
    let beaten: Vec<(EntityId, Option<crate::Seat>)> = foes
        .iter()
        .filter(|foe| foe.is_dead())
        .filter_map(|foe| Some((bosses::beaten_hull(foe)?, foe.killer)))
        .collect();
    for (hull, killer) in beaten {
        for foe in foes.iter_mut() {
            let is_part = matches!(foe.habit, Habit::Part { hull: own, .. } if own == hull);
            if foe.id == hull {
                // A hull has no health to lose: give it some, and take it.
                (foe.health_max, foe.health, foe.killer) = (1, 0, killer);
            } else if is_part && !foe.is_dead() {
                (foe.health, foe.killer) = (0, killer);
            }
        }
        world.state.bullets.iter_mut().for_each(|bullet| bullet.spent = true);
    }
}

/// Puts something into the world where an enemy was destroyed.
type Release = fn(&mut World, Vec2);

/// What enemies release when they are destroyed. The others release nothing.
const RELEASES: [(Kind, Release); 2] = [(Kind::Splitter, split), (Kind::Spore, burst)];

/// An explosion, the points, the item of a carrier, the shards of a splitter, the pellets of a spore.
fn leave_behind(world: &mut World, foe: &Foe) {
    let body = tuning::body(foe.kind);
    let big = body.size_px.0 >= tuning::BIG_EXPLOSION_FROM_PX;
    world.spawn_effect(if big { Kind::BigExplosion } else { Kind::Explosion }, foe.position);
    if let Some(seat) = foe.killer {
        world.award_kill(seat, foe.kind, body.score);
        if world.state.rules.has(Mutator::Revenge) && foe.kind.class() == Class::Enemy {
            bullets::aim(world, Kind::Pellet, foe.position, tuning::PELLET_SPEED);
        }
    }
    if let Habit::Carry { item, .. } = foe.habit {
        world.spawn_item(item, foe.position);
    }
    if let Some((_, release)) = RELEASES.iter().find(|(kind, _)| *kind == foe.kind) {
        release(world, foe.position);
    }
}

/// Shards in a fan to the left.
fn split(world: &mut World, from: Vec2) {
    for shard in 0..tuning::SHARDS {
        let rise = (i32::from(shard) - i32::from(tuning::SHARDS) / 2) * tuning::SHARD_SPREAD;
        if let Some(foe) = world.spawn_foe(Kind::Shard, from, Habit::Drift) {
            foe.velocity = Vec2::new(tuning::SHARD_FAN, rise).with_length(tuning::SHARD_SPEED);
        }
    }
}

/// Pellets in all directions.
fn burst(world: &mut World, from: Vec2) {
    let (pellets, speed) = (tuning::SPORE_PELLETS, tuning::SPORE_PELLET_SPEED);
    bullets::ring(world, from, Ring { pellets, turned: 0, speed });
}

/// The stage is won when its last boss is gone, beaten or not. That is announced a little later, so that its end is seen.
fn win_if_that_was_all(world: &mut World) {
    let all_came = world.state.next_spawn as usize >= world.stage.spawns.len();
    let over = !world.stage.endless && all_came && !world.boss_is_here();
    if over && world.state.game == GameState::Running && world.state.victory_in.is_none() {
        world.state.victory_in = Some(tuning::VICTORY_SHOWN);
        clear_enemies(world);
    }
}

/// Nothing is left to spoil a victory.
fn clear_enemies(world: &mut World) {
    let enemies = world.state.foes.iter_mut().filter(|foe| foe.kind.class() == Class::Enemy);
    enemies.for_each(|enemy| (enemy.health, enemy.health_max) = (0, enemy.health_max.max(1)));
    world.state.bullets.iter_mut().for_each(|bullet| bullet.spent = true);
}
