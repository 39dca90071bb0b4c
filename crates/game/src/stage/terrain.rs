//! The solid part of a stage: a grid of tiles.

use crate::units::{FIELD_HEIGHT_PX, SUBPIXELS, TILE_PX};

/// Rows of tiles: the last one reaches two pixels below the field.
pub const ROWS: usize = (FIELD_HEIGHT_PX as usize).div_ceil(TILE_PX as usize);

/// A grid of tiles, 17 rows high.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Terrain {
    /// Column after column: what is drawn in the tile, 0 for open space.
    tiles: Vec<u8>,
}

impl Terrain {
    /// Open space of that many columns.
    pub fn open(columns: usize) -> Terrain {
        Terrain { tiles: vec![0; columns * ROWS] }
    }

    /// Makes a tile solid with that picture, or open with 0; outside the grid nothing happens.
    pub fn place(&mut self, column: usize, row: usize, picture: u8) {
        if row < ROWS
            && let Some(tile) = self.tiles.get_mut(column * ROWS + row)
        {
            *tile = picture;
        }
    }

    /// Columns of tiles.
    pub fn columns(&self) -> usize {
        self.tiles.len() / ROWS
    }

    /// What is drawn in a tile; 0 for open space and outside the grid.
    pub fn picture(&self, column: usize, row: usize) -> u8 {
        if row < ROWS { self.tiles.get(column * ROWS + row).copied().unwrap_or(0) } else { 0 }
    }

    /// Whether the point is inside a solid tile. `x` is in sub-pixels of the stage, `y` in sub-pixels of the field.
    pub fn solid_at(&self, x: i64, y: i32) -> bool {
        const TILE: i64 = (TILE_PX * SUBPIXELS) as i64;
        if x < 0 || y < 0 {
            return false;
        }
        self.picture((x / TILE) as usize, (i64::from(y) / TILE) as usize) != 0
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::px;

    #[test]
    fn a_tile_is_solid_from_its_left_top_to_before_its_right_bottom() {
        let mut terrain = Terrain::open(3);
        terrain.place(1, 2, 7);
        assert!(terrain.solid_at(i64::from(px(16)), px(32)));
        assert!(terrain.solid_at(i64::from(px(32)) - 1, px(48) - 1));
        assert!(!terrain.solid_at(i64::from(px(32)), px(32)));
        assert!(!terrain.solid_at(i64::from(px(16)) - 1, px(32)));
        assert!(!terrain.solid_at(-1, -1));
        assert!(!terrain.solid_at(i64::MAX, px(270)));
    }
}
