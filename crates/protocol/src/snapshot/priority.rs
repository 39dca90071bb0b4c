//! In which order entities go into a SNAPSHOT (rulings S6 and S11): what is on the screen first, then what matters most to
//! survival, then what was shown before, and among equals what is nearest to a player. What does not fit is the end of
//! this order.

use game::{Class, Entity, EntityId, FIELD_HEIGHT_PX, FIELD_WIDTH_PX, Frame, Kind, SEATS, Vec2, px};

/// SNAPSHOTs for which an entity that was left out does not return, unless room is free (ruling S11).
const AWAY_SNAPSHOTS: u32 = 10;

/// Where enemies rank.
const ENEMY: u8 = 3;
/// A block this near to a ship ranks with enemies: half a second of flight.
const NEAR_BLOCK_PX: i64 = 64;

/// The order of one Frame's entities, and what the SNAPSHOTs before showed. Its memory is used again.
#[derive(Clone, Debug, Default)]
pub struct Priority {
    /// Sorted by id: what was in the last SNAPSHOT, and what was left out not long ago.
    known: Vec<KnownEntity>,
    /// Memory for the next `known`.
    spare: Vec<KnownEntity>,
    order: Vec<(EntityPriority, usize)>,
    /// Class and index of each entity, where all have room.
    by_class: Vec<(u8, u32)>,
    /// Counts SNAPSHOTs.
    snapshots: u32,
}

#[derive(Clone, Copy, Debug)]
struct KnownEntity {
    id: EntityId,
    /// When it was left out. None: it is shown.
    left_out: Option<u32>,
}

/// The lower, the sooner. The index in the Frame makes ties stable.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct EntityPriority {
    turn: ScreenClass,
    class: u8,
    is_new: bool,
    nearness: i64,
    index: usize,
}

/// What is off the screen never takes the room of what is on it; what was left out waits for room that is free.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum ScreenClass {
    OnScreen,
    LeftOut,
    OffScreen,
}

impl Priority {
    /// The entities class by class, for a SNAPSHOT that has room for all of them: nothing needs to be chosen, which is
    /// so in most Frames of most lobbies.
    pub fn all<'f>(&mut self, frame: &'f Frame) -> impl Iterator<Item = &'f Entity> + use<'_, 'f> {
        self.snapshots = self.snapshots.wrapping_add(1);
        // A Frame is sorted by id already.
        self.known.clear();
        self.known.extend(frame.entities.iter().map(|entity| KnownEntity { id: entity.id, left_out: None }));
        self.by_class.clear();
        self.by_class.extend(frame.entities.iter().zip(0..).map(|(entity, index)| (class(entity), index)));
        self.by_class.sort_unstable();
        self.by_class.iter().map(|&(_, index)| &frame.entities[index as usize])
    }

    /// The entities, the most important first. To be followed by [`Priority::note_shown`].
    pub fn of<'f>(&mut self, frame: &'f Frame) -> impl Iterator<Item = &'f Entity> + use<'_, 'f> {
        self.snapshots = self.snapshots.wrapping_add(1);
        let mut ships = [Vec2::ZERO; SEATS];
        let mut count = 0;
        let players = frame.entities.iter().filter(|entity| entity.kind.class() == Class::Player);
        for (place, ship) in ships.iter_mut().zip(players) {
            *place = ship.position;
            count += 1;
        }
        let mut order = std::mem::take(&mut self.order);
        order.clear();
        order.extend(frame.entities.iter().enumerate().map(|(index, entity)| {
            let (known, nearness) = (self.known(entity.id), nearness(entity, &ships[..count]));
            let is_new = known.is_none_or(|known| known.left_out.is_some());
            let class = if is_near_block(entity, nearness) { ENEMY } else { class(entity) };
            (EntityPriority { turn: self.turn(entity, known), class, is_new, nearness, index }, index)
        }));
        order.sort_unstable();
        self.order = order;
        self.order.iter().map(|&(_, index)| &frame.entities[index])
    }

    /// The first of the order were shown, up to this; the rest was left out.
    pub fn note_shown(&mut self, frame: &Frame, count: usize) {
        let mut known = std::mem::take(&mut self.spare);
        known.clear();
        for (position, &(rank, index)) in self.order.iter().enumerate() {
            let id = frame.entities[index].id;
            let left_out = match self.known(id) {
                _ if position < count => None,
                // Off the screen it is not missed.
                _ if rank.turn == ScreenClass::OffScreen => continue,
                Some(KnownEntity { left_out: None, .. }) => Some(self.snapshots),
                Some(known) => known.left_out,
                None => continue,
            };
            known.push(KnownEntity { id, left_out });
        }
        known.sort_unstable_by_key(|known| known.id);
        self.spare = std::mem::replace(&mut self.known, known);
    }

    fn known(&self, id: EntityId) -> Option<&KnownEntity> {
        find(&self.known, id)
    }

    fn turn(&self, entity: &Entity, known: Option<&KnownEntity>) -> ScreenClass {
        let waits = |since: u32| self.snapshots.wrapping_sub(since) <= AWAY_SNAPSHOTS;
        if !is_on_screen(entity) {
            ScreenClass::OffScreen
        } else if known.and_then(|known| known.left_out).is_some_and(waits) {
            ScreenClass::LeftOut
        } else {
            ScreenClass::OnScreen
        }
    }
}

fn find(known: &[KnownEntity], id: EntityId) -> Option<&KnownEntity> {
    known.binary_search_by_key(&id, |known| known.id).ok().map(|index| &known[index])
}

/// Walls kill a ship that flies into them, so they rank with enemies. So do the blocks near a ship; a barrier has more of them
/// than a SNAPSHOT has room for, so those that are far yield to enemy shots, which come nearer by themselves. Of a ship's gear S6
/// names the Force; a Bit hurts no ship, and four players may have eight of them, so they rank with items.
fn class(entity: &Entity) -> u8 {
    match entity.kind.class() {
        Class::Gear if entity.kind == Kind::Bit => 7,
        Class::Player => 0,
        Class::Gear => 1,
        Class::Boss => 2,
        Class::Enemy | Class::Wall => ENEMY,
        Class::EnemyShot => 4,
        Class::Block => 5,
        Class::PlayerShot => 6,
        Class::Item => 7,
        Class::Effect => 8,
    }
}

fn is_near_block(entity: &Entity, nearness: i64) -> bool {
    entity.kind.class() == Class::Block && nearness <= NEAR_BLOCK_PX * NEAR_BLOCK_PX
}

/// Whether any part of it is on the screen.
fn is_on_screen(entity: &Entity) -> bool {
    let (half_x, half_y) = half_size(entity);
    let Vec2 { x, y } = entity.position;
    x + half_x > 0 && x - half_x < px(FIELD_WIDTH_PX) && y + half_y > 0 && y - half_y < px(FIELD_HEIGHT_PX)
}

fn half_size(entity: &Entity) -> (i32, i32) {
    let (width, height) = entity.size_px.map_or(entity.kind.size_px(), |(width, height)| (width.into(), height.into()));
    (px(width) / 2, px(height) / 2)
}

/// The square of the distance to the nearest ship; without ships all are as near. A wall's distance is that of its
/// nearest edge (ruling C12).
fn nearness(entity: &Entity, ships: &[Vec2]) -> i64 {
    let point = |ship: Vec2| match entity.size_px {
        None => entity.position,
        Some(_) => nearest_point(entity, ship),
    };
    ships.iter().map(|&ship| (point(ship) - ship).length_squared_px()).min().unwrap_or(0)
}

fn nearest_point(entity: &Entity, to: Vec2) -> Vec2 {
    let (half_x, half_y) = half_size(entity);
    let Vec2 { x, y } = entity.position;
    Vec2::new(to.x.clamp(x - half_x, x + half_x), to.y.clamp(y - half_y, y + half_y))
}

#[cfg(test)]
mod tests {
    use super::*;

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
    fn s6_the_force_goes_before_what_kills_and_bits_after_it() {
        let kinds = [Kind::Bit, Kind::Shot, Kind::Wall, Kind::Force, Kind::Pellet];
        assert_eq!(order(&frame(&kinds.map(|kind| (kind, 0)))), [4, 3, 5, 2, 1]);
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
    fn s6_blocks_near_a_ship_rank_with_enemies_and_others_yield_to_shots() {
        let (near, far) = (100 + NEAR_BLOCK_PX as i32, 101 + NEAR_BLOCK_PX as i32);
        let kinds =
            [(Kind::Shot, 100), (Kind::Block, far), (Kind::Pellet, 400), (Kind::Block, near), (Kind::Player, 100)];
        assert_eq!(order(&frame(&kinds)), [5, 4, 3, 2, 1]);
    }

    #[test]
    fn s6_without_ships_the_order_is_by_id() {
        assert_eq!(order(&frame(&[(Kind::Drone, 9), (Kind::Drone, 1), (Kind::Lance, 0)])), [1, 2, 3]);
    }

    #[test]
    fn s11_what_is_off_the_screen_comes_after_what_is_on_it() {
        let frame = frame(&[(Kind::Drone, 600), (Kind::Explosion, 100), (Kind::Player, 50)]);
        assert_eq!(order(&frame), [3, 2, 1]);
    }

    #[test]
    fn s11_within_a_class_what_was_shown_stays_before_what_is_nearer() {
        let mut priority = Priority::default();
        let ids = |priority: &mut Priority, frame: &Frame| -> Vec<u32> {
            priority.of(frame).map(|entity| entity.id.0).collect()
        };
        let mut scene = frame(&[(Kind::Player, 50), (Kind::Drone, 300)]);
        assert_eq!(ids(&mut priority, &scene), [1, 2]);
        priority.note_shown(&scene, 2);
        scene.entities.push(Entity::new(EntityId(3), Kind::Drone, Vec2::new(px(60), px(100))));
        assert_eq!(ids(&mut priority, &scene), [1, 2, 3], "the nearer one is new");
    }

    #[test]
    fn s11_what_was_left_out_returns_after_ten_snapshots_or_where_room_is_free() {
        let mut priority = Priority::default();
        let scene = frame(&[(Kind::Player, 50), (Kind::Drone, 100), (Kind::Drone, 200)]);
        priority.of(&scene).count();
        priority.note_shown(&scene, 3);
        // Room for two only: the third is left out, and waits behind an explosion that is new.
        priority.of(&scene).count();
        priority.note_shown(&scene, 2);
        let mut scene = scene;
        scene.entities.push(Entity::new(EntityId(4), Kind::Explosion, Vec2::new(px(60), px(100))));
        for snapshot in 0..10 {
            let order: Vec<u32> = priority.of(&scene).map(|entity| entity.id.0).collect();
            assert_eq!(order, [1, 2, 4, 3], "{snapshot}");
            priority.note_shown(&scene, 2);
        }
        let order: Vec<u32> = priority.of(&scene).map(|entity| entity.id.0).collect();
        assert_eq!(order, [1, 2, 3, 4]);
    }

    #[test]
    fn s11_what_had_room_with_all_others_stays_when_room_becomes_short() {
        let mut priority = Priority::default();
        let mut scene = frame(&[(Kind::Drone, 300), (Kind::Player, 50)]);
        let all: Vec<u32> = priority.all(&scene).map(|entity| entity.id.0).collect();
        assert_eq!(all, [2, 1], "class by class");
        scene.entities.push(Entity::new(EntityId(3), Kind::Drone, Vec2::new(px(60), px(100))));
        let order: Vec<u32> = priority.of(&scene).map(|entity| entity.id.0).collect();
        assert_eq!(order, [2, 1, 3], "the nearer one is new");
    }

    #[test]
    fn c12_the_nearness_of_a_wall_is_that_of_its_nearest_edge() {
        let ship = Vec2::new(px(100), px(100));
        let wall =
            Entity { size_px: Some((480, 16)), ..Entity::new(EntityId(1), Kind::Wall, Vec2::new(px(240), px(128))) };
        assert_eq!(nearness(&wall, &[ship]), 20 * 20);
    }
}
