//! Whether a state read from bytes is one that the rules could have led to, as far as their arithmetic and the promises of
//! a Frame rely on it. Start reading at [`is_possible`].

use crate::{
    Class, EntityId, GameState, Kind, Stage, Vec2,
    foe::{Foe, Habit},
    player_state::{Life, PlayerState, Ship},
    tuning::{self, limits},
    units::px,
    walls,
    world::State,
};

/// Whether the rules could have led to this state.
pub(crate) fn is_possible(state: &State, stage: &Stage) -> bool {
    tables_are_possible(state)
        && ids_are_possible(state)
        && kinds_are_possible(state)
        && positions_are_possible(state)
        && game_is_possible(state)
        && rules_are_possible(state, stage)
        && progress_is_possible(state, stage)
        && state.players.iter().flatten().all(player_is_possible)
}

fn tables_are_possible(state: &State) -> bool {
    state.foes.len() <= limits::FOES
        && state.shots.len() <= limits::SHOTS
        && state.bullets.len() <= limits::BULLETS
        && state.items.len() <= limits::ITEMS
        && state.effects.len() <= limits::EFFECTS
        && state.events.len() <= limits::EVENTS
        && state.events_shown as usize <= state.events.len()
        && state.foe_count as usize == state.foes.len()
        && state.waves.pending.len() <= limits::WAVE
}

/// Tables are sorted by id, no id is there twice, none is still to be given.
fn ids_are_possible(state: &State) -> bool {
    let tables = [
        state.foes.iter().map(|foe| foe.id).collect::<Vec<_>>(),
        state.shots.iter().map(|shot| shot.id).collect(),
        state.bullets.iter().map(|bullet| bullet.id).collect(),
        state.items.iter().map(|item| item.id).collect(),
        state.effects.iter().map(|effect| effect.id).collect(),
        state.walls.iter().map(|wall| wall.id).collect(),
    ];
    let rising = |ids: &Vec<EntityId>| ids.is_sorted_by(|earlier, later| earlier < later);
    let mut all: Vec<EntityId> = tables.concat();
    all.extend(ships(state).flat_map(Ship::ids));
    all.sort_unstable();
    tables.iter().all(rising)
        && rising(&all)
        && all.first().is_none_or(|id| id.0 > 0)
        && all.last().is_none_or(|id| id.0 < state.next_id)
}

fn kinds_are_possible(state: &State) -> bool {
    let is_foe = |kind: Kind| matches!(kind.class(), Class::Enemy | Class::Boss | Class::Block);
    let is_item = |kind: Kind| kind.class() == Class::Item;
    let carries = |foe: &Foe| match foe.habit {
        Habit::Carry { item, .. } => is_item(item),
        _ => true,
    };
    state.foes.iter().all(|foe| is_foe(foe.kind) && carries(foe) && foe.health <= foe.health_max)
        && state.shots.iter().all(|shot| shot.kind.class() == Class::PlayerShot)
        && state.bullets.iter().all(|bullet| bullet.kind.class() == Class::EnemyShot)
        && state.items.iter().all(|item| is_item(item.kind))
        && state.effects.iter().all(|effect| effect.kind.class() == Class::Effect)
        && state.waves.pending.iter().all(|next| next.item.is_none_or(is_item))
}

/// No position or velocity is far enough out for a rule to overflow on it.
fn positions_are_possible(state: &State) -> bool {
    is_near(Vec2::new(state.scrolled, 0))
        && state.foes.iter().all(|foe| is_near(foe.position) && is_near(foe.velocity) && foe.is_within_bounds())
        && state.shots.iter().all(|shot| is_near(shot.position) && is_near(shot.velocity) && shot.is_within_bounds())
        && state.bullets.iter().all(|bullet| is_near(bullet.position) && is_near(bullet.velocity))
        && state.items.iter().all(|item| is_near(item.position) && is_near(item.velocity))
        && state.effects.iter().all(|effect| is_near(effect.position))
}

fn is_near(point: Vec2) -> bool {
    const FAR: i32 = px(4096);
    (-FAR..FAR).contains(&point.x) && (-FAR..FAR).contains(&point.y)
}

fn game_is_possible(state: &State) -> bool {
    state.game != GameState::TimedOut
        && state.loops <= tuning::LOOPS_MAX
        && (1..=tuning::LIVES_MAX).contains(&state.rules.lives)
}

/// The rules are those that a world in this stage plays by.
fn rules_are_possible(state: &State, stage: &Stage) -> bool {
    state.rules == state.rules.in_stage(stage)
}

/// The scroll is within the stage; without end, it is at least far from any overflow.
fn progress_is_possible(state: &State, stage: &Stage) -> bool {
    const FOREVER: i64 = 1 << 56;
    let end = if stage.endless { FOREVER } else { i64::from(px(1)) * i64::from(stage.length_px) };
    (0..=end).contains(&state.scroll)
        && state.step < FOREVER as u64
        && state.next_spawn as usize <= stage.spawns.len()
        && walls::are_possible(&state.walls, state.next_wall, stage)
        && (state.checkpoint as usize) < stage.checkpoints_px.len().max(1)
}

fn player_is_possible(player: &PlayerState) -> bool {
    let lives_left = (1..=tuning::LIVES_MAX).contains(&player.lives);
    match &player.life {
        Life::Flying(ship) => lives_left && ship_is_possible(ship),
        Life::Lost { .. } => lives_left,
        Life::Out => player.lives == 0,
    }
}

fn ship_is_possible(ship: &Ship) -> bool {
    is_near(ship.position)
        && is_near(ship.velocity)
        && is_near(ship.stays_at)
        && ship.speed <= tuning::SPEED_UPS_MAX
        && ship.bits.iter().flatten().all(|bit| is_near(bit.position) && is_near(bit.velocity))
        && ship.force.is_none_or(|force| {
            is_near(force.position) && is_near(force.velocity) && (1..=tuning::FORCE_LEVEL_MAX).contains(&force.level)
        })
}

fn ships(state: &State) -> impl Iterator<Item = &Ship> {
    state.players.iter().flatten().filter_map(PlayerState::ship)
}
