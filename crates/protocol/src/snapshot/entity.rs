//! How an entity is drawn in a SNAPSHOT, and read back: the Sprite Path is its kind's name, and the rectangle says the
//! rest as a cell of a sheet. The column is its animation; the row is its seat, and for a Force how it is docked.

use game::{Class, Entity, Kind, SEATS, Seat, Side, Vec2, px, tuning};

use crate::{Scale, snapshot::wire};

/// The entity as a SNAPSHOT shows it.
pub fn write(entity: &Entity, entity_id: u8, scale: Scale) -> wire::Entity<'static> {
    let (position_x, position_y) = scale.position(entity.position);
    let (width, height) = size_px(entity);
    let (rect_size_x, rect_size_y) = scale.position(Vec2::new(px(width), px(height)));
    wire::Entity {
        entity_id,
        position_x,
        position_y,
        sprite_path: sprite_path(entity),
        rect_pos_x: f32::from(entity.animation) * rect_size_x,
        rect_pos_y: f32::from(row(entity)) * rect_size_y,
        rect_size_x,
        rect_size_y,
    }
}

/// Where its sheet is.
pub fn sprite_path(entity: &Entity) -> &'static str {
    entity.kind.name()
}

/// Walls have sizes of their own (ruling C12), beams grow, other kinds have one size. The cells of a beam's sheet do not overlap, because each is larger than those
/// before it.
fn size_px(entity: &Entity) -> (i32, i32) {
    if let Some((width, height)) = entity.size_px {
        return (width.into(), height.into());
    }
    match tuning::BEAMS.get(usize::from(entity.animation)) {
        Some(beam) if entity.kind == Kind::Beam => beam.size_px,
        _ => entity.kind.size_px(),
    }
}

fn row(entity: &Entity) -> u8 {
    let dock = match entity.attached.map(|attached| attached.side) {
        None => 0,
        Some(Side::Front) => 1,
        Some(Side::Back) => 2,
    };
    entity.seat.map_or(0, Seat::number) + SEATS as u8 * dock
}

/// What can be told of an entity from its picture.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Appearance {
    /// What it is.
    pub kind: Kind,
    /// The column of its cell.
    pub animation: u8,
    /// Whose it is.
    pub seat: Option<Seat>,
    /// Where a Force is docked.
    pub dock: Option<Side>,
    /// How large a wall is.
    pub size_px: Option<(u16, u16)>,
}

/// Reads an entity's picture. Foreign servers have sheets of their own: whatever has a ship's id is a ship (ruling S9),
/// anything else that is unknown is in the way.
pub fn read(entity: &wire::Entity, scale: Scale) -> Appearance {
    let ship = Seat::new(entity.entity_id);
    let Some(kind) = kind_of(entity.sprite_path) else {
        let kind = if ship.is_some() { Kind::Player } else { Kind::Debris };
        return Appearance { kind, animation: 0, seat: ship, dock: None, size_px: None };
    };
    let row = cells(entity.rect_pos_y, entity.rect_size_y);
    let owner = Seat::new(row % SEATS as u8);
    let seat = match kind.class() {
        Class::Player => ship.or(owner),
        Class::Gear | Class::PlayerShot => owner,
        _ => None,
    };
    let dock = match row / SEATS as u8 {
        1 if kind == Kind::Force => Some(Side::Front),
        2 if kind == Kind::Force => Some(Side::Back),
        _ => None,
    };
    let size_px = (kind == Kind::Wall).then(|| scale.read_size(entity.rect_size_x, entity.rect_size_y));
    Appearance { kind, animation: cells(entity.rect_pos_x, entity.rect_size_x), seat, dock, size_px }
}

/// `drone`, `drone.png` and `art/drone.png` are all drones.
fn kind_of(sprite_path: &str) -> Option<Kind> {
    let file = sprite_path.rsplit('/').next()?;
    Kind::from_name(file.split('.').next()?)
}

/// How many cells of a size lie before a position. A peer may write any float: what makes no sense is no cell.
fn cells(position: f32, size: f32) -> u8 {
    if size > 0.0 { (position / size).round() as u8 } else { 0 }
}

#[cfg(test)]
mod tests {
    use super::*;
    use game::{Attached, EntityId};

    fn entity(kind: Kind) -> Entity {
        Entity::new(EntityId(9), kind, Vec2::new(px(100), px(50) + 16))
    }

    #[test]
    fn s6_sprite_paths_are_short_and_name_the_kind() {
        for &kind in Kind::ALL {
            let written = write(&entity(kind), 7, Scale::default());
            assert_eq!(written.sprite_path, kind.name());
            assert!(written.sprite_path.len() <= 16);
            assert_eq!(read(&written, Scale::default()).kind, kind);
        }
    }

    #[test]
    fn kind_animation_and_seat_come_back() {
        for &kind in Kind::ALL {
            let is_owned = matches!(kind.class(), Class::Player | Class::Gear | Class::PlayerShot);
            for animation in 0..=u8::MAX {
                let seat = is_owned.then(|| Seat::ALL[usize::from(animation) % SEATS]);
                let entity = Entity { animation, seat, ..entity(kind) };
                let id = if kind == Kind::Player { animation % 4 } else { 200 };
                let size_px = (kind == Kind::Wall).then_some((16, 16));
                let expected = Appearance { kind, animation, seat, dock: None, size_px };
                assert_eq!(read(&write(&entity, id, Scale::default()), Scale::default()), expected);
            }
        }
    }

    #[test]
    fn a_forces_dock_comes_back() {
        for side in [Side::Front, Side::Back] {
            let attached = Some(Attached { to: EntityId(1), side });
            let force = Entity { seat: Some(Seat::ALL[2]), attached, animation: 11, ..entity(Kind::Force) };
            let expected = Appearance {
                kind: Kind::Force,
                animation: 11,
                seat: Some(Seat::ALL[2]),
                dock: Some(side),
                size_px: None,
            };
            assert_eq!(read(&write(&force, 4, Scale::default()), Scale::default()), expected);
        }
    }

    #[test]
    fn c3_rectangles_are_in_the_units_of_positions() {
        let beam = Entity { animation: 3, seat: Some(Seat::ALL[1]), ..entity(Kind::Beam) };
        let written = write(&beam, 4, Scale::default());
        assert_eq!((written.position_x, written.position_y), (400.0, 200.25));
        assert_eq!((written.rect_size_x, written.rect_size_y), (224.0, 104.0));
        assert_eq!((written.rect_pos_x, written.rect_pos_y), (672.0, 104.0));
    }

    #[test]
    fn c12_a_walls_size_is_that_of_its_rectangle_and_comes_back() {
        let wall = Entity { size_px: Some((480, 32)), ..entity(Kind::Wall) };
        let written = write(&wall, 9, Scale::default());
        assert_eq!((written.rect_size_x, written.rect_size_y), (1920.0, 128.0));
        assert_eq!(read(&written, Scale::default()).size_px, Some((480, 32)));
    }

    #[test]
    fn foreign_pictures_are_ships_by_their_id_or_in_the_way() {
        let mut foreign = write(&entity(Kind::Drone), 2, Scale::default());
        foreign.sprite_path = "assets/sheet42.gif";
        let ship = Appearance { kind: Kind::Player, animation: 0, seat: Some(Seat::ALL[2]), dock: None, size_px: None };
        assert_eq!(read(&foreign, Scale::default()), ship);
        foreign.entity_id = 99;
        assert_eq!(read(&foreign, Scale::default()).kind, Kind::Debris);
        foreign.sprite_path = "art/drone.v2.png";
        assert_eq!(read(&foreign, Scale::default()).kind, Kind::Drone);
    }

    #[test]
    fn hostile_rectangles_are_some_cell() {
        let floats = [f32::NAN, f32::INFINITY, f32::NEG_INFINITY, 0.0, -0.0, f32::MIN_POSITIVE, f32::MAX, -1.0];
        for position in floats {
            for size in floats {
                cells(position, size);
            }
        }
        assert_eq!(cells(5.0, 0.0), 0);
        assert_eq!(cells(f32::NAN, 1.0), 0);
        assert_eq!(cells(f32::INFINITY, 1.0), u8::MAX);
    }
}
