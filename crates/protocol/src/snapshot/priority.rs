//! In which order entities go into a SNAPSHOT (ruling S6): what matters most to survival first, and within a class what
//! is nearest to a player. What does not fit is the end of this order.

use game::{Class, Entity, Frame, SEATS, Vec2};

/// The order of one Frame's entities. Kept to be used again.
#[derive(Clone, Debug, Default)]
pub struct Priority {
    /// Rank, nearness and index in the Frame: entities are sorted by id there, so that ties are stable too.
    keys: Vec<(u8, i64, usize)>,
}

impl Priority {
    /// The entities, the most important first.
    pub fn of<'f>(&mut self, frame: &'f Frame) -> impl Iterator<Item = &'f Entity> + use<'_, 'f> {
        let mut ships = [Vec2::ZERO; SEATS];
        let mut count = 0;
        let players = frame.entities.iter().filter(|entity| entity.kind.class() == Class::Player);
        for (place, ship) in ships.iter_mut().zip(players) {
            *place = ship.position;
            count += 1;
        }
        let key = |(index, entity): (usize, &Entity)| (rank(entity), nearness(entity, &ships[..count]), index);
        self.keys.clear();
        self.keys.extend(frame.entities.iter().enumerate().map(key));
        self.keys.sort_unstable();
        self.keys.iter().map(|&(.., index)| &frame.entities[index])
    }
}

/// A block kills a ship that flies into it, so it ranks with enemies.
fn rank(entity: &Entity) -> u8 {
    match entity.kind.class() {
        Class::Player => 0,
        Class::Gear => 1,
        Class::Boss => 2,
        Class::Enemy | Class::Block => 3,
        Class::EnemyShot => 4,
        Class::PlayerShot => 5,
        Class::Item => 6,
        Class::Effect => 7,
    }
}

/// The square of the distance to the nearest ship; without ships all are as near.
fn nearness(entity: &Entity, ships: &[Vec2]) -> i64 {
    ships.iter().map(|&ship| (entity.position - ship).length_squared_px()).min().unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use game::{EntityId, Kind, px};

    fn frame(entities: &[(Kind, i32)]) -> Frame {
        let place = |(index, &(kind, x)): (usize, &(Kind, i32))| {
            Entity::new(EntityId(index as u32 + 1), kind, Vec2::new(px(x), px(100)))
        };
        Frame { entities: entities.iter().enumerate().map(place).collect(), ..Frame::default() }
    }

    fn order(frame: &Frame) -> Vec<u32> {
        Priority::default().of(frame).map(|entity| entity.id.0).collect()
    }

    #[test]
    fn s6_the_classes_come_in_the_order_of_the_ruling() {
        let kinds = [
            Kind::Explosion,
            Kind::SpeedUp,
            Kind::Shot,
            Kind::Pellet,
            Kind::Drone,
            Kind::KeeperCore,
            Kind::Force,
            Kind::Player,
        ];
        let frame = frame(&kinds.map(|kind| (kind, 0)));
        assert_eq!(order(&frame), [8, 7, 6, 5, 4, 3, 2, 1]);
    }

    #[test]
    fn s6_within_a_class_the_nearest_to_any_player_comes_first_and_ties_go_by_id() {
        let frame = frame(&[
            (Kind::Drone, 200),
            (Kind::Player, 50),
            (Kind::Player, 400),
            (Kind::Dart, 390),
            (Kind::Block, 60),
            (Kind::Drone, 60),
        ]);
        assert_eq!(order(&frame), [2, 3, 4, 5, 6, 1]);
    }

    #[test]
    fn s6_without_ships_the_order_is_by_id() {
        assert_eq!(order(&frame(&[(Kind::Drone, 9), (Kind::Drone, 1), (Kind::Lance, 0)])), [1, 2, 3]);
    }
}
