//! Enemy shots: straight, but for bombs, which fall. Terrain stops them.

use borsh::{BorshDeserialize, BorshSerialize};

use crate::{EntityId, Kind, Vec2, World, hitbox::Hitbox, tuning, units::px};

/// Something deadly that an enemy fired.
#[derive(Clone, Debug, PartialEq, Eq, BorshSerialize, BorshDeserialize)]
pub(crate) struct Bullet {
    pub id: EntityId,
    pub kind: Kind,
    pub position: Vec2,
    pub velocity: Vec2,
    /// Hit something that stops it.
    pub spent: bool,
}

impl Bullet {
    pub(crate) fn hitbox(&self) -> Hitbox {
        Hitbox::of(self.kind, self.position)
    }
}

/// Moves enemy shots by one step.
pub(crate) fn fly(world: &mut World) {
    let mut bullets = std::mem::take(&mut world.state.bullets);
    for bullet in &mut bullets {
        if bullet.kind == Kind::Bomb {
            bullet.velocity.y = (bullet.velocity.y + tuning::GRAVITY).min(tuning::FALL_SPEED_MAX);
        }
        bullet.position += bullet.velocity;
        bullet.spent |= world.is_terrain(bullet.position);
    }
    world.state.bullets = bullets;
}

/// Fires at the nearest ship, unless it is at point-blank range or there is none.
pub(crate) fn aim(world: &mut World, kind: Kind, from: Vec2, speed: i32) {
    let Some(target) = world.nearest_target(from) else { return };
    let way = target - from;
    let point_blank = i64::from(tuning::POINT_BLANK / px(1));
    if way.length_squared_px() > point_blank * point_blank {
        world.spawn_bullet(kind, from, way.with_length(speed));
    }
}
