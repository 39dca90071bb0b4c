//! How a stage moves on: scrolling, what comes into view, checkpoints.

use crate::{
    Class, FIELD_WIDTH_PX, GameState, Gone, Kind, Vec2, World, bosses,
    foes::Arrival,
    stage::{Entrance, Spawn},
    tuning,
    units::px,
    walls, waves,
};

/// Things come into being this far outside the field.
const MARGIN_PX: u32 = 16;

/// Scrolls by one step, unless a boss holds the stage or its end is reached.
pub(crate) fn scroll(world: &mut World) {
    move_on(world);
    walls::advance(world);
}

fn move_on(world: &mut World) {
    world.state.scrolled = 0;
    if world.state.game != GameState::Running || world.boss_is_here() || world.state.victory_in.is_some() {
        return;
    }
    let end_px = world.stage.length_px.saturating_sub(FIELD_WIDTH_PX as u32);
    if !world.stage.endless && world.scroll_px() >= end_px {
        return;
    }
    world.state.scrolled = world.stage.scroll;
    world.state.scroll += i64::from(world.stage.scroll);
    if world.state.setback_in.is_some() {
        // What scrolls by while everyone waits to go back was not reached by anyone.
        return;
    }
    let passed = world.stage.checkpoints_px.partition_point(|&checkpoint| checkpoint <= world.scroll_px());
    world.state.checkpoint = world.state.checkpoint.max(passed.saturating_sub(1) as u32);
}

/// Brings what has scrolled into view, or the next of the endless stage's waves.
pub(crate) fn spawn(world: &mut World) {
    if world.state.game != GameState::Running {
        return;
    }
    if world.stage.endless {
        waves::advance(world);
        return;
    }
    let edge_px = world.scroll_px() + FIELD_WIDTH_PX as u32 + MARGIN_PX;
    while let Some(&spawn) = world.stage.spawns.get(world.state.next_spawn as usize) {
        if spawn.x_px > edge_px {
            break;
        }
        let index = world.state.next_spawn;
        world.state.next_spawn += 1;
        if !stays_away(world, index, spawn.kind) {
            bring(world, spawn);
            world.count_arrival(spawn.kind);
        }
    }
}

/// An easier game has fewer enemies, but no fewer items, and its chase.
fn stays_away(world: &World, index: u32, kind: Kind) -> bool {
    let one_of = world.state.rules.numbers().leaves_out;
    one_of > 0
        && index % one_of == one_of - 1
        && kind.class() == Class::Enemy
        && !tuning::NEVER_LEFT_OUT.contains(&kind)
}

fn bring(world: &mut World, spawn: Spawn) {
    let x = match spawn.entrance {
        Entrance::Right => (i64::from(spawn.x_px) * i64::from(px(1)) - world.state.scroll) as i32,
        Entrance::Left => left_entrance_x(spawn.kind),
    };
    // A boss is wider than the margin: let it come in whole from outside.
    let x = if tuning::boss(spawn.kind).is_some() { bosses::entrance_x(spawn.kind) } else { x };
    let position = Vec2::new(x, px(spawn.y_px));
    let came = world.spawn_foe_of(Arrival { kind: spawn.kind, position, item: spawn.item, path: spawn.path });
    if let (Entrance::Left, Some(_), Some(foe)) = (spawn.entrance, came, world.state.foes.last_mut()) {
        // What has no way of its own flies on to the right.
        foe.velocity.x = -foe.velocity.x;
    }
}

/// Where something comes in from behind: outside the field with all its width, and further if it is fast.
fn left_entrance_x(kind: Kind) -> i32 {
    match kind {
        Kind::Grinder => -px((MARGIN_PX as i32).max(tuning::body(kind).size_px.0 / 2 + tuning::GRINDER_GAP_PX)),
        _ => -px(tuning::FROM_BEHIND_PX),
    }
}

impl World {
    /// Takes everything but ships out of the field, goes back to the checkpoint, and lets every ship begin there.
    pub(crate) fn return_to_checkpoint(&mut self) {
        self.clear_field();
        self.place_at_checkpoint();
        self.restart_ships();
    }

    /// Sets scroll and spawns to the checkpoint. Of what would stand in view already, only blocks are there: an enemy
    /// must be seen coming.
    pub(crate) fn place_at_checkpoint(&mut self) {
        let checkpoint_px = self.stage.checkpoints_px.get(self.state.checkpoint as usize).copied().unwrap_or(0);
        if !self.stage.endless {
            self.state.scroll = i64::from(px(1)) * i64::from(checkpoint_px);
        }
        self.state.setback_in = None;
        self.state.victory_in = None;
        self.restart_walls();
        self.state.waves.restart();
        let stage = self.stage.clone();
        let edge_px = checkpoint_px + FIELD_WIDTH_PX as u32 + MARGIN_PX;
        // What stands exactly at the edge is still to come: it may be the boss that came as the checkpoint was passed.
        let coming = stage.spawns.partition_point(|spawn| spawn.x_px < edge_px);
        for spawn in &stage.spawns[..coming] {
            let in_view = spawn.x_px + MARGIN_PX >= checkpoint_px;
            if in_view && spawn.kind.class() == Class::Block {
                bring(self, *spawn);
            }
        }
        self.state.next_spawn = coming as u32;
    }

    fn clear_field(&mut self) {
        let state = &mut self.state;
        let mut ids: Vec<_> = state.foes.drain(..).map(|foe| foe.id).collect();
        ids.extend(state.shots.drain(..).map(|shot| shot.id));
        ids.extend(state.bullets.drain(..).map(|bullet| bullet.id));
        ids.extend(state.items.drain(..).map(|item| item.id));
        ids.extend(state.effects.drain(..).map(|effect| effect.id));
        state.foe_count = 0;
        ids.sort_unstable();
        for entity in ids {
            self.emit(crate::Event::Destroyed { entity, gone: Gone::Departed });
        }
    }
}
