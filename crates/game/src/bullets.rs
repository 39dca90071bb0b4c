//! Enemy shots: straight, but for bombs, which fall. Terrain and blocks stop them.

use borsh::{BorshDeserialize, BorshSerialize};

use crate::{
    EntityId, Kind, Vec2, World,
    blocks::Blocks,
    hitbox::Hitbox,
    tuning,
    units::{cosine, px, sine},
};

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
    let blocks = Blocks::of(world);
    let mut bullets = std::mem::take(&mut world.state.bullets);
    for bullet in &mut bullets {
        if bullet.kind == Kind::Bomb {
            bullet.velocity.y = (bullet.velocity.y + tuning::GRAVITY).min(tuning::FALL_SPEED_MAX);
        }
        bullet.position += bullet.velocity;
        bullet.spent |= world.is_terrain(bullet.position) || blocks.has(bullet.position);
    }
    world.state.bullets = bullets;
}

/// The velocity in a direction of 1/256 turns clockwise from straight right.
pub(crate) fn radial(angle: u8, speed: i32) -> Vec2 {
    Vec2::new(speed * cosine(angle) / 256, speed * sine(angle) / 256)
}

/// Pellets to all sides.
pub(crate) struct Ring {
    pub pellets: u8,
    /// How far it is turned, in 1/256 turns.
    pub turned: u8,
    pub speed: i32,
}

pub(crate) fn ring(world: &mut World, from: Vec2, ring: Ring) {
    for pellet in 0..u16::from(ring.pellets) {
        let angle = ring.turned.wrapping_add((pellet * 256 / u16::from(ring.pellets)) as u8);
        world.spawn_bullet(Kind::Pellet, from, radial(angle, ring.speed));
    }
}

/// Pellets about one direction.
#[derive(Clone, Copy)]
pub(crate) struct Fan {
    pub pellets: u8,
    /// From one to the next, in 1/256 turns.
    pub apart: u8,
}

/// Fires a fan about a velocity.
pub(crate) fn fan(world: &mut World, from: Vec2, middle: Vec2, fan: Fan) {
    for pellet in 0..i32::from(fan.pellets) {
        let aside = (2 * pellet + 1 - i32::from(fan.pellets)) * i32::from(fan.apart) / 2;
        let (cos, sin) = (cosine(aside as u8), sine(aside as u8));
        let velocity = Vec2::new((middle.x * cos - middle.y * sin) / 256, (middle.x * sin + middle.y * cos) / 256);
        world.spawn_bullet(Kind::Pellet, from, velocity);
    }
}

/// Fires a fan at the nearest ship, unless it is at point-blank range or there is none.
pub(crate) fn aim_fan(world: &mut World, from: Vec2, pellets: Fan) {
    if let Some(velocity) = aimed(world, from, tuning::PELLET_SPEED) {
        fan(world, from, velocity, pellets);
    }
}

/// Lobs a bomb so that it comes down where the nearest ship is, if that is near enough.
pub(crate) fn lob(world: &mut World, from: Vec2) {
    let Some(target) = world.nearest_target(from) else { return };
    let flight = 2 * tuning::LOB_SPEED / tuning::GRAVITY;
    let across = ((target.x - from.x) / flight).clamp(-tuning::LOB_ACROSS_MAX, tuning::LOB_ACROSS_MAX);
    world.spawn_bullet(Kind::Bomb, from, Vec2::new(across, -tuning::LOB_SPEED));
}

/// Throws a bomb so high that it comes down on a place from above.
pub(crate) fn drop_on(world: &mut World, from: Vec2, target: Vec2) {
    let ceiling =
        world.ceiling_at(target.x).max(world.ceiling_at(from.x)).max(world.ceiling_at((from.x + target.x) / 2));
    let top = ceiling + px(tuning::MORTAR_BELOW_CEILING_PX);
    let rise = (from.y - top).max(px(tuning::MORTAR_RISES_PX));
    let upward = (2 * tuning::GRAVITY * rise).isqrt();
    let across = (target.x - from.x) / steps_down(from.y, target.y, -upward);
    // As fast in every game: slower it would come down elsewhere.
    world.push_bullet(Kind::Bomb, from, Vec2::new(across, -upward));
}

/// How many steps a bomb flies until it has come down to a height.
fn steps_down(mut y: i32, target_y: i32, mut velocity_y: i32) -> i32 {
    let mut steps = 0;
    while velocity_y < 0 || y < target_y {
        velocity_y = (velocity_y + tuning::GRAVITY).min(tuning::FALL_SPEED_MAX);
        y += velocity_y;
        steps += 1;
    }
    steps.max(1)
}

/// Fires at the nearest ship, unless it is at point-blank range or there is none.
pub(crate) fn aim(world: &mut World, kind: Kind, from: Vec2, speed: i32) {
    if let Some(velocity) = aimed(world, from, speed) {
        world.spawn_bullet(kind, from, velocity);
    }
}

/// The velocity towards the nearest ship that is not at point-blank range.
fn aimed(world: &World, from: Vec2, speed: i32) -> Option<Vec2> {
    let way = world.nearest_target(from)? - from;
    (!is_point_blank(way)).then(|| way.with_length(speed))
}

/// Whether something on its way is too near to be dodged.
pub(crate) fn is_point_blank(way: Vec2) -> bool {
    let point_blank = i64::from(tuning::POINT_BLANK / px(1));
    way.length_squared_px() <= point_blank * point_blank
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Rules, Stage};

    #[test]
    fn a_bomb_that_is_thrown_at_a_place_comes_down_on_it() {
        let from = Vec2::new(px(400), px(135));
        for target in [(64, 20), (64, 135), (120, 250), (300, 100), (440, 200)] {
            let target = Vec2::new(px(target.0), px(target.1));
            let mut world = World::new(Stage::sketch(&[]), Rules::default(), 1);
            drop_on(&mut world, from, target);
            let bomb = |world: &World| world.state.bullets[0].clone();
            while bomb(&world).velocity.y < 0 || bomb(&world).position.y < target.y {
                fly(&mut world);
                assert!(bomb(&world).position.y >= 0, "it stays in the field");
            }
            let off = bomb(&world).position - target;
            assert!(off.x.abs() < px(2) && off.y < px(4), "{target:?}: {off:?}");
        }
    }
}
