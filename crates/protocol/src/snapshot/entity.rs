//! How an entity is drawn in a SNAPSHOT, and read back: the Sprite Path is its kind's name, and the rectangle is a cell of that
//! kind's sheet (`sheet.rs`), which shows its animation, its seat and where a Force is docked.

use game::{Class, Entity, Kind, Seat, Side};

use crate::{
    Scale,
    sheet::{Cell, Sheet},
    snapshot::wire,
};

/// The entity as a SNAPSHOT shows it, in a cell of its sheet.
pub fn write(entity: &Entity, cell: Cell, entity_id: u8, scale: Scale) -> wire::Entity<'static> {
    let (position_x, position_y) = scale.position(entity.position);
    let sheet = Sheet(entity.kind);
    // Walls have sizes of their own (ruling C12).
    let size_px = entity.size_px.unwrap_or_else(|| sheet.cell_px(entity.animation));
    let (rect_size_x, rect_size_y) = scale.size(size_px);
    wire::Entity {
        entity_id,
        position_x,
        position_y,
        sprite_path: sprite_path(entity),
        rect_pos_x: f32::from(cell.column(sheet)) * rect_size_x,
        rect_pos_y: f32::from(cell.row(sheet)) * rect_size_y,
        rect_size_x,
        rect_size_y,
    }
}

/// Where its sheet is.
pub fn sprite_path(entity: &Entity) -> &'static str {
    entity.kind.name()
}

/// What an entity's picture shows of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Appearance {
    pub kind: Kind,
    /// Which picture of its kind it shows.
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
    let column = cells(entity.rect_pos_x, entity.rect_size_x);
    let cell = Sheet(kind).cell(column, cells(entity.rect_pos_y, entity.rect_size_y));
    let owner = Seat::new(cell.seat);
    let seat = match kind.class() {
        Class::Player => ship.or(owner),
        Class::Gear | Class::PlayerShot => owner,
        Class::Boss | Class::Enemy | Class::EnemyShot | Class::Item | Class::Block | Class::Wall | Class::Effect => {
            None
        }
    };
    let size_px = (kind == Kind::Wall).then(|| scale.read_size(entity.rect_size_x, entity.rect_size_y));
    Appearance { kind, animation: cell.animation, seat, dock: cell.dock, size_px }
}

/// `drone`, `drone.png` and `art/drone.png` are all drones.
fn kind_of(sprite_path: &str) -> Option<Kind> {
    let file = sprite_path.rsplit('/').next()?;
    Kind::from_name(file.split('.').next()?)
}

/// How many cells of a size lie before a position. A peer may write any float: what makes no sense is not a cell.
fn cells(position: f32, size: f32) -> u8 {
    if size > 0.0 { (position / size).round() as u8 } else { 0 }
}

#[cfg(test)]
mod tests {
    use super::*;
    use game::{Attached, EntityId, SEATS, Vec2, px};

    fn entity(kind: Kind) -> Entity {
        Entity::new(EntityId(9), kind, Vec2::new(px(100), px(50) + 16))
    }

    /// As it is shown at the first tick.
    fn written(entity: &Entity, entity_id: u8) -> wire::Entity<'static> {
        write(entity, Sheet(entity.kind).cell_of(entity, 0, 0), entity_id, Scale::default())
    }

    #[test]
    fn s6_sprite_paths_are_short_and_name_the_kind() {
        for &kind in Kind::ALL {
            let shown = written(&entity(kind), 7);
            assert_eq!(shown.sprite_path, kind.name());
            assert!(shown.sprite_path.len() <= 16);
            assert_eq!(read(&shown, Scale::default()).kind, kind);
        }
    }

    #[test]
    fn kind_animation_and_seat_come_back() {
        for &kind in Kind::ALL {
            let is_owned = matches!(kind.class(), Class::Player | Class::Gear | Class::PlayerShot);
            for animation in 0..Sheet(kind).animations() {
                let seat = is_owned.then(|| Seat::ALL[usize::from(animation) % SEATS]);
                let entity = Entity { animation, seat, ..entity(kind) };
                let id = if kind == Kind::Player { animation % 4 } else { 200 };
                let size_px = (kind == Kind::Wall).then_some((16, 16));
                let expected = Appearance { kind, animation, seat, dock: None, size_px };
                assert_eq!(read(&written(&entity, id), Scale::default()), expected);
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
            assert_eq!(read(&written(&force, 4), Scale::default()), expected);
        }
    }

    #[test]
    fn c3_rectangles_are_in_the_units_of_positions() {
        let beam = Entity { animation: 3, seat: Some(Seat::ALL[1]), ..entity(Kind::Beam) };
        let shown = written(&beam, 4);
        assert_eq!((shown.position_x, shown.position_y), (400.0, 200.25));
        assert_eq!((shown.rect_size_x, shown.rect_size_y), (224.0, 104.0));
        assert_eq!((shown.rect_pos_x, shown.rect_pos_y), (672.0, 104.0));
    }

    #[test]
    fn c12_a_walls_size_is_that_of_its_rectangle_and_comes_back() {
        let wall = Entity { size_px: Some((480, 32)), ..entity(Kind::Wall) };
        let shown = written(&wall, 9);
        assert_eq!((shown.rect_size_x, shown.rect_size_y), (1920.0, 128.0));
        assert_eq!(read(&shown, Scale::default()).size_px, Some((480, 32)));
    }

    #[test]
    fn foreign_pictures_are_ships_by_their_id_or_in_the_way() {
        let mut foreign = written(&entity(Kind::Drone), 2);
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
