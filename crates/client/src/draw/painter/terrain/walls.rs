//! Terrain from the walls of a Frame, for dialects that do not send the stage's.
//!
//! Walls come without the number of their column, so it is counted while they go by: then each keeps its looks.

use game::{Entity, Frame, Kind, stage::Terrain, units::TILE_PX};

use super::{super::pixel, site::ROWS};
use crate::draw::picture::Picture;

/// Columns of the terrain that is rebuilt from walls: the picture, and one more at each side.
const WALL_COLUMNS: usize = (Picture::WIDTH / TILE_PX) as usize + 2;

/// The terrain that the walls of a Frame make up.
pub(super) struct WallTerrain {
    pub(super) terrain: Terrain,
    /// How far it has scrolled.
    pub(super) scroll_px: i64,
    /// The number of its first column.
    pub(super) first: i64,
    /// Walls that do not lie on the grid: gates that move up and down.
    pub(super) gates: Vec<WallPx>,
}

/// Follows walls as they scroll.
#[derive(Clone, Debug, Default)]
pub(super) struct WallTracker {
    /// Where the grid of tiles began in the last picture.
    origin: Option<i32>,
    /// Columns that have left the picture.
    passed: i64,
}

impl WallTracker {
    /// The terrain of a Frame, if there are walls. All walls of a stage lie on one grid of tiles, except gates, which move up
    /// and down.
    pub(super) fn terrain(&mut self, frame: &Frame) -> Option<WallTerrain> {
        let (walls, gates): (Vec<WallPx>, Vec<WallPx>) =
            frame.entities.iter().filter_map(WallPx::of).partition(|wall| wall.top.rem_euclid(TILE_PX) == 0);
        let first = walls.first().or(gates.first())?;
        let origin = first.left.rem_euclid(TILE_PX) - TILE_PX;
        // Walls go to the left, by a few pixels a picture: a grid that jumps to the right has lost a column.
        if self.origin.is_some_and(|before| origin > before + TILE_PX / 2) {
            self.passed += 1;
        }
        self.origin = Some(origin);
        let mut terrain = Terrain::open(WALL_COLUMNS);
        walls.iter().for_each(|wall| wall.place(origin, &mut terrain));
        Some(WallTerrain { terrain, scroll_px: i64::from(-origin), first: self.passed, gates })
    }
}

/// A wall in whole pixels of the field.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct WallPx {
    pub(super) left: i32,
    pub(super) top: i32,
    pub(super) width: i32,
    pub(super) height: i32,
}

impl WallPx {
    fn of(entity: &Entity) -> Option<WallPx> {
        let (width, height) = entity.size_px.filter(|_| entity.kind == Kind::Wall)?;
        let (width, height) = (i32::from(width), i32::from(height));
        let (x, y) = pixel(entity.position);
        Some(WallPx { left: x - width / 2, top: y - height / 2, width, height })
    }

    fn place(&self, origin: i32, terrain: &mut Terrain) {
        let first = (self.left - origin).div_euclid(TILE_PX);
        let last = (self.left + self.width - 1 - origin).div_euclid(TILE_PX);
        let rows = self.top.div_euclid(TILE_PX)..=(self.top + self.height - 1).div_euclid(TILE_PX);
        for column in first.max(0)..=last.min(WALL_COLUMNS as i32 - 1) {
            for row in rows.clone().filter(|row| (0..ROWS as i32).contains(row)) {
                terrain.place(column as usize, row as usize, 1);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use game::{EntityId, Vec2, px};

    use super::*;

    fn wall(left: i32, top: i32, width: u16, height: u16) -> Entity {
        let centre = Vec2::new(px(left) + px(width.into()) / 2, px(top) + px(height.into()) / 2);
        Entity { size_px: Some((width, height)), ..Entity::new(EntityId(7), Kind::Wall, centre) }
    }

    fn frame(walls: &[Entity]) -> Frame {
        Frame { entities: walls.to_vec(), ..Frame::default() }
    }

    /// The tiles that are drawn, as the left and upper edges of each.
    fn tiles(walls: &[Entity]) -> Vec<(i32, i32)> {
        let rebuilt = WallTracker::default().terrain(&frame(walls)).expect("there are walls");
        let left = |column: usize| column as i32 * TILE_PX - rebuilt.scroll_px as i32;
        (0..rebuilt.terrain.columns())
            .flat_map(|column| (0..ROWS).map(move |row| (column, row)))
            .filter(|&(column, row)| rebuilt.terrain.picture(column, row) != 0)
            .map(|(column, row)| (left(column), row as i32 * TILE_PX))
            .collect()
    }

    #[test]
    fn walls_are_drawn_where_they_are_at_every_pixel_of_scrolling() {
        for left in -40..40_i32 {
            let expected: Vec<_> =
                [left, left + 16].into_iter().filter(|&x| x >= left.rem_euclid(16) - 16).map(|x| (x, 32)).collect();
            assert_eq!(tiles(&[wall(left, 32, 32, 16)]), expected, "{left}");
        }
    }

    #[test]
    fn what_does_not_lie_on_the_grid_is_a_gate() {
        let rebuilt = WallTracker::default().terrain(&frame(&[wall(100, 32, 16, 16), wall(132, 41, 32, 48)]));
        let gate = WallPx { left: 132, top: 41, width: 32, height: 48 };
        assert_eq!(rebuilt.expect("there are walls").gates, [gate]);
    }

    #[test]
    fn a_frame_without_walls_has_no_terrain() {
        assert!(WallTracker::default().terrain(&Frame::default()).is_none());
    }

    #[test]
    fn a_wall_keeps_the_number_of_its_column_while_it_goes_by() {
        let mut tracker = WallTracker::default();
        let mut number = |left: i32| {
            let rebuilt = tracker.terrain(&frame(&[wall(left, 32, 16, 16)])).expect("a wall");
            let column = (0..WALL_COLUMNS).find(|&column| rebuilt.terrain.picture(column, 2) != 0);
            rebuilt.first + column.expect("it is in view") as i64
        };
        let first = number(300);
        for left in (0..300).rev() {
            assert_eq!(number(left), first, "{left}");
        }
    }
}
