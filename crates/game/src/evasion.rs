//! Out of the way of terrain: where something that flies level or weaves must rise or sink to stay in the open.
//!
//! It looks at a few points about a thing and a little ahead of it, and at other heights only if one of them is solid.
//! Start reading at [`offset`].

use crate::{
    Kind, Vec2, World,
    foe::Foe,
    hitbox::Hitbox,
    units::{FIELD_HEIGHT_PX, TILE_PX, px},
};

/// From one height that is looked at to the next, in pixels.
const STEP_PX: i32 = 4;
/// From one point that is looked at to the next, in pixels: less than a tile, so that none is missed.
const POINTS_APART_PX: i32 = TILE_PX - 4;

/// What must stay clear of terrain.
#[derive(Clone, Copy)]
pub(crate) struct Flier {
    pub centre: Vec2,
    pub size_px: (i32, i32),
    /// How far it looks beyond its box: to the left if negative, to the right if positive.
    pub ahead: i32,
    /// Whether blocks are in its way too.
    pub minds_blocks: bool,
}

/// How far to rise or sink to the nearer height that is free: nothing if its own is free, or none is.
pub(crate) fn offset(world: &World, flier: &Flier) -> i32 {
    if flier.is_free(world) {
        return 0;
    }
    let is_inside = world.is_terrain(flier.centre);
    let side = |sign: i32| flier.free_towards(world, sign, is_inside);
    match (side(-1), side(1)) {
        (Some(up), Some(down)) if down < up => down,
        (Some(up), _) => -up,
        (None, Some(down)) => down,
        (None, None) => 0,
    }
}

impl Flier {
    /// How far away the nearest free height above or below is. Through terrain there is no way, except out of it.
    fn free_towards(&self, world: &World, sign: i32, is_inside: bool) -> Option<i32> {
        let half = px(self.size_px.1) / 2;
        for away in (STEP_PX..FIELD_HEIGHT_PX).step_by(STEP_PX as usize).map(px) {
            let there = Flier { centre: self.centre + Vec2::new(0, sign * away), ..*self };
            let is_in_field = (half..=px(FIELD_HEIGHT_PX) - half).contains(&there.centre.y);
            if !is_in_field || !is_inside && world.is_terrain(there.centre) {
                return None;
            }
            if there.is_free(world) {
                return Some(away);
            }
        }
        None
    }

    fn is_free(&self, world: &World) -> bool {
        let (half_width, half_height) = (px(self.size_px.0) / 2, px(self.size_px.1) / 2);
        let (left, right) = (self.ahead.min(0) - half_width, self.ahead.max(0) + half_width);
        let across = (left..right).step_by(px(POINTS_APART_PX) as usize).chain([right]);
        let mut points = across.flat_map(|x| [-half_height, 0, half_height].map(|y| self.centre + Vec2::new(x, y)));
        let is_blocked = self.minds_blocks && self.meets_block(world, left, right);
        !is_blocked && !points.any(|point| world.is_terrain(point))
    }

    fn meets_block(&self, world: &World, left: i32, right: i32) -> bool {
        let middle = self.centre + Vec2::new((left + right) / 2, 0);
        let room = Hitbox::sized(((right - left) / px(1), self.size_px.1), middle);
        let is_block = |foe: &Foe| foe.kind == Kind::Block && foe.hitbox().touches(&room);
        world.state.foes.iter().any(is_block)
    }
}
