//! The terrain of a stage as few large rectangles, for those who see entities but have no map (ruling C12).
//!
//! They cover exactly the solid tiles, and are found once when a stage is made. They may overlap: an L is two walls that
//! share its corner, and so larger than two that do not.

use std::ops::Range;

use super::{Gate, ROWS, Terrain};
use crate::units::{TILE_PX, px};

/// The longest side of a wall, in tiles: as long as the field.
const LENGTH_MAX_TILES: usize = (crate::units::FIELD_WIDTH_PX / TILE_PX) as usize;

/// A rectangle of solid tiles, in pixels of the stage.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Wall {
    /// Its left edge.
    pub x_px: u32,
    /// Its upper edge; of a gate, before it has moved.
    pub y_px: u16,
    /// From left to right.
    pub width_px: u16,
    /// From top to bottom.
    pub height_px: u16,
    /// The gate that it is, if it moves.
    pub gate: Option<Gate>,
}

impl Wall {
    fn of_gate(gate: &Gate) -> Wall {
        let Gate { x_px, y_px, width_px, height_px, .. } = *gate;
        Wall { x_px, y_px: y_px.max(0) as u16, width_px, height_px, gate: Some(*gate) }
    }

    /// Its upper edge in the field when the stage has scrolled so far, both in sub-pixels.
    pub fn top(&self, scroll: i64) -> i32 {
        self.gate.map_or(px(self.y_px.into()), |gate| gate.top(scroll))
    }

    /// Its right edge.
    pub const fn end_px(&self) -> u32 {
        self.x_px + self.width_px as u32
    }
}

/// The walls of a terrain, sorted by their left edges.
pub(crate) fn walls(terrain: &Terrain) -> Vec<Wall> {
    let mut grid = Grid { terrain, covered: vec![false; terrain.columns() * ROWS] };
    let mut walls = Vec::new();
    for column in 0..terrain.columns() {
        for row in 0..ROWS {
            if grid.is_free(column, row) {
                walls.push(grid.take_largest(column, row));
            }
        }
    }
    walls.extend(terrain.gates().iter().map(Wall::of_gate));
    walls.sort_by_key(|wall| wall.x_px);
    walls
}

struct Grid<'a> {
    terrain: &'a Terrain,
    /// Whether a wall covers the tile already.
    covered: Vec<bool>,
}

impl Grid<'_> {
    fn is_solid(&self, column: usize, row: usize) -> bool {
        self.terrain.picture(column, row) != 0
    }

    fn is_free(&self, column: usize, row: usize) -> bool {
        self.is_solid(column, row) && !self.covered[column * ROWS + row]
    }

    /// Of the rectangles that begin in this column and hold this tile, the one with most tiles that no wall covers yet.
    /// Nothing to its left is free, so walls come out sorted.
    fn take_largest(&mut self, column: usize, row: usize) -> Wall {
        let run = self.solid_run(column, row);
        let rows =
            run.clone().take_while(|&top| top <= row).flat_map(|top| (row + 1..=run.end).map(move |end| top..end));
        let rectangle = rows.map(|rows| self.widest(column, rows)).max_by_key(|rectangle| self.worth(rectangle));
        let rectangle = rectangle.unwrap_or(Rectangle { columns: column..column + 1, rows: row..row + 1 });
        for covered in rectangle.columns.clone() {
            self.covered[covered * ROWS..][rectangle.rows.clone()].fill(true);
        }
        rectangle.wall()
    }

    /// The rows of solid tiles above and below that one, and its own.
    fn solid_run(&self, column: usize, row: usize) -> Range<usize> {
        let above = (0..row).rev().take_while(|&row| self.is_solid(column, row)).count();
        let below = (row..ROWS).take_while(|&row| self.is_solid(column, row)).count();
        row - above..row + below
    }

    fn widest(&self, column: usize, rows: Range<usize>) -> Rectangle {
        let is_solid = |&column: &usize| rows.clone().all(|row| self.is_solid(column, row));
        let width = (column..self.terrain.columns()).take(LENGTH_MAX_TILES).take_while(is_solid).count();
        Rectangle { columns: column..column + width, rows }
    }

    /// Tiles that no wall covers yet, then all tiles.
    fn worth(&self, rectangle: &Rectangle) -> (usize, usize) {
        let free = |column: usize| rectangle.rows.clone().filter(|&row| self.is_free(column, row)).count();
        (rectangle.columns.clone().map(free).sum(), rectangle.columns.len() * rectangle.rows.len())
    }
}

/// Some tiles.
struct Rectangle {
    columns: Range<usize>,
    rows: Range<usize>,
}

impl Rectangle {
    fn wall(&self) -> Wall {
        let side = |tiles: usize| tiles as u32 * TILE_PX as u32;
        Wall {
            x_px: side(self.columns.start),
            y_px: side(self.rows.start) as u16,
            width_px: side(self.columns.len()) as u16,
            height_px: side(self.rows.len()) as u16,
            gate: None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Stage;

    fn of(rows: &[&str]) -> Vec<(u32, u16, u16, u16)> {
        let walls = &Stage::sketch(rows).walls;
        walls.iter().map(|wall| (wall.x_px / 16, wall.y_px / 16, wall.width_px / 16, wall.height_px / 16)).collect()
    }

    #[test]
    fn solid_tiles_are_merged_into_few_rectangles() {
        assert_eq!(of(&["###", "###"]), [(0, 0, 3, 2)]);
        assert_eq!(of(&["####", "#..#", "####"]), [(0, 0, 4, 1), (0, 0, 1, 3), (1, 2, 3, 1), (3, 0, 1, 3)]);
        assert_eq!(of(&["...", "..."]), []);
        assert_eq!(of(&["%%"]), [], "blocks are entities of their own");
    }

    #[test]
    fn a_wall_is_at_most_as_long_as_the_field() {
        let row = "#".repeat(70);
        assert_eq!(of(&[&row]), [(0, 0, 30, 1), (30, 0, 30, 1), (60, 0, 10, 1)]);
    }

    #[test]
    fn walls_that_share_tiles_are_fewer() {
        assert_eq!(of(&[".#.", "###", ".#."]), [(0, 1, 3, 1), (1, 0, 1, 3)]);
        assert_eq!(of(&["..##", "####", "####", "..##"]), [(0, 1, 4, 2), (2, 0, 2, 4)]);
    }

    #[test]
    fn the_walls_of_every_built_in_stage_cover_its_solid_tiles_and_nothing_else() {
        for (name, _) in crate::stage::BUILT_IN {
            let stage = Stage::built_in(name).expect("built in");
            let mut covered = Terrain::open(stage.terrain.columns());
            for wall in stage.walls.iter().filter(|wall| wall.gate.is_none()) {
                for x in (wall.x_px..wall.end_px()).step_by(TILE_PX as usize) {
                    for y in (wall.y_px..wall.y_px + wall.height_px).step_by(TILE_PX as usize) {
                        let (column, row) = (x as usize / TILE_PX as usize, usize::from(y) / TILE_PX as usize);
                        covered.place(column, row, stage.terrain.picture(column, row));
                    }
                }
            }
            covered.set_gates(stage.terrain.gates().to_vec());
            assert!(covered == stage.terrain, "{name}");
            assert!(stage.walls.is_sorted_by_key(|wall| wall.x_px));
        }
    }
}
