//! Which walls are near the field: they are shown from shortly before they come into view until they are gone.
//!
//! They are shown, not simulated: what kills is the terrain itself. They have no events, because nothing happens to them.

use borsh::{BorshDeserialize, BorshSerialize};

use crate::{
    Entity, EntityId, FIELD_WIDTH_PX, Kind, Stage, Vec2, World,
    stage::{self, Terrain, Wall},
    tuning::{self, limits},
    units::{STEPS_PER_TICK, SUBPIXELS, px},
};

/// A wall that is near the field.
#[derive(Clone, Debug, PartialEq, Eq, BorshSerialize, BorshDeserialize)]
pub(crate) struct NearWall {
    pub id: EntityId,
    /// Its index in the stage's list.
    pub index: u32,
}

/// Adds the walls that have come near, and removes those that are gone.
pub(crate) fn advance(world: &mut World) {
    let scroll_px = world.scroll_px();
    let stage = world.stage.clone();
    let is_here = |wall: &NearWall| stage.walls.get(wall.index as usize).is_some_and(|wall| wall.end_px() > scroll_px);
    world.state.walls.retain(is_here);
    let edge_px = scroll_px.saturating_add(FIELD_WIDTH_PX as u32 + tuning::WALL_AHEAD_PX);
    while let Some(wall) = stage.walls.get(world.state.next_wall as usize)
        && wall.x_px <= edge_px
        // A wall that finds no room waits: what kills must be told sooner or later.
        && world.state.walls.len() < limits::WALLS
    {
        let index = world.state.next_wall;
        world.state.next_wall += 1;
        if wall.end_px() > scroll_px
            && let Some(id) = world.next_id()
        {
            world.state.walls.push(NearWall { id, index });
        }
    }
}

impl World {
    /// Starts again at another place of the stage. The same walls come back under new ids.
    pub(crate) fn restart_walls(&mut self) {
        self.state.walls.clear();
        self.state.next_wall = 0;
        advance(self);
    }
}

/// The wall as others see it.
pub(crate) fn show(world: &World, near: &NearWall) -> Option<Entity> {
    let wall = world.stage.walls.get(near.index as usize)?;
    Some(entity(near.id, wall, world.state.scroll, world.state.scrolled * STEPS_PER_TICK))
}

/// A wall of a stage: how far that has scrolled in all, and in the last tick, in sub-pixels.
fn entity(id: EntityId, wall: &Wall, scroll: i64, scrolled: i32) -> Entity {
    let left = i64::from(wall.x_px) * i64::from(SUBPIXELS) - scroll;
    let (width, height) = (px(wall.width_px.into()), px(wall.height_px.into()));
    let top = wall.top(scroll);
    let centre = Vec2::new(left as i32 + width / 2, top + height / 2);
    let risen = top - wall.top(scroll - i64::from(scrolled));
    Entity {
        velocity: Vec2::new(-scrolled, risen),
        size_px: Some((wall.width_px, wall.height_px)),
        ..Entity::new(id, Kind::Wall, centre)
    }
}

/// The walls of a terrain that is known where there is no world: a client that was sent the terrain at once shows them to others.
#[derive(Clone, Debug)]
pub struct TerrainWalls {
    walls: Vec<Wall>,
}

impl TerrainWalls {
    /// All walls of that terrain.
    pub fn of(terrain: &Terrain) -> TerrainWalls {
        TerrainWalls { walls: stage::walls_of(terrain) }
    }

    /// Those near the field, by how far the stage has scrolled in all, and in the last tick, in sub-pixels. Each has its number
    /// among all as an id; there are at most as many as a world shows.
    pub fn near(&self, scroll: i64, scrolled: i32) -> impl Iterator<Item = Entity> {
        let edge = scroll + i64::from(px(FIELD_WIDTH_PX)) + i64::from(tuning::WALL_AHEAD_PX) * i64::from(SUBPIXELS);
        let sub_pixels = |x_px: u32| i64::from(x_px) * i64::from(SUBPIXELS);
        let ahead = self.walls.iter().enumerate().take_while(move |(_, wall)| sub_pixels(wall.x_px) <= edge);
        let near = ahead.filter(move |(_, wall)| sub_pixels(wall.end_px()) > scroll).take(limits::WALLS);
        near.map(move |(index, wall)| entity(EntityId(index as u32), wall, scroll, scrolled))
    }
}

/// Whether walls read from bytes are some of the stage's.
pub(crate) fn are_possible(walls: &[NearWall], next: u32, stage: &Stage) -> bool {
    walls.len() <= limits::WALLS
        && next as usize <= stage.walls.len()
        && walls.is_sorted_by(|earlier, later| earlier.index < later.index)
        && walls.iter().all(|wall| wall.index < next)
}
