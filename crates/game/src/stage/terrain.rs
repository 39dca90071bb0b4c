//! The solid part of a stage: a grid of tiles, and gates that move before it.

use super::Gate;
use crate::{
    Vec2,
    units::{FIELD_HEIGHT_PX, SUBPIXELS, TILE_PX},
};

/// Rows of tiles: the last one reaches two pixels below the field.
pub const ROWS: usize = (FIELD_HEIGHT_PX as usize).div_ceil(TILE_PX as usize);

/// How many gates overlap from left to right at most: those further left are passed.
pub(super) const GATES_ABREAST_MAX: usize = 8;

/// A grid of tiles, 17 rows high, and gates.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Terrain {
    /// Column after column: what is drawn in the tile, 0 for open space.
    tiles: Vec<u8>,
    /// From left to right.
    gates: Vec<Gate>,
}

impl Terrain {
    /// Open space of that many columns.
    pub fn open(columns: usize) -> Terrain {
        Terrain { tiles: vec![0; columns * ROWS], gates: Vec::new() }
    }

    /// Makes a tile solid with that picture, or open with 0; outside the grid nothing happens.
    pub fn place(&mut self, column: usize, row: usize, picture: u8) {
        if row < ROWS
            && let Some(tile) = self.tiles.get_mut(column * ROWS + row)
        {
            *tile = picture;
        }
    }

    /// Replaces the gates; they may come in any order.
    pub fn set_gates(&mut self, mut gates: Vec<Gate>) {
        gates.sort_by_key(|gate| gate.x_px);
        self.gates = gates;
    }

    /// The gates from left to right.
    pub fn gates(&self) -> &[Gate] {
        &self.gates
    }

    /// Whether a point of the field is inside a solid tile or a gate, when the stage has scrolled so far. In sub-pixels.
    pub fn is_solid(&self, scroll: i64, point: Vec2) -> bool {
        let x = scroll + i64::from(point.x);
        self.solid_at(x, point.y) || self.is_gate(scroll, x, point.y)
    }

    fn is_gate(&self, scroll: i64, x: i64, y: i32) -> bool {
        // Most stages have few gates, and most of the way none is near.
        let passed = self.gates.partition_point(|gate| i64::from(gate.x_px) * i64::from(SUBPIXELS) <= x);
        let near = self.gates[..passed].iter().rev();
        near.take(GATES_ABREAST_MAX).any(|gate| gate.covers(scroll, x, y))
    }

    /// Columns of tiles.
    pub fn columns(&self) -> usize {
        self.tiles.len() / ROWS
    }

    /// What is drawn in a tile; 0 for open space and outside the grid.
    pub fn picture(&self, column: usize, row: usize) -> u8 {
        if row < ROWS { self.tiles.get(column * ROWS + row).copied().unwrap_or(0) } else { 0 }
    }

    /// Whether the point is inside a solid tile, whatever gates do. `x` is in sub-pixels of the stage, `y` in sub-pixels of the field.
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
