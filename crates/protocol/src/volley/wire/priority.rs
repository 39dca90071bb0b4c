//! What is sent first when not everything has room: what a player must see to live.

use game::{Class, Entity};

/// The lower, the sooner it is sent.
pub fn urgency(entity: &Entity) -> u8 {
    match entity.kind.class() {
        Class::Player => 0,
        Class::Gear => 1,
        Class::EnemyShot => 2,
        Class::Boss => 3,
        Class::Enemy => 4,
        Class::Item => 5,
        Class::PlayerShot => 6,
        Class::Block => 7,
        Class::Effect => 8,
        // The client has the terrain: it is sent no walls.
        Class::Wall => 9,
    }
}
