//! A solid tile and its eight neighbours, and a pixel of it: how deep it lies, and below which edge.

use game::{stage::Terrain, units::TILE_PX};

/// Rows of tiles in the picture.
pub(super) const ROWS: usize = game::stage::ROWS;

/// An edge of terrain, by where it faces.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum TileEdge {
    Up,
    Right,
    Down,
    Left,
}

impl TileEdge {
    /// Whether light falls on it: light comes from the upper left.
    pub(super) fn is_lit(self) -> bool {
        matches!(self, TileEdge::Up | TileEdge::Left)
    }
}

/// A solid tile.
#[derive(Clone, Copy, Debug)]
pub(super) struct Site {
    column: i32,
    row: i32,
    /// Which neighbours are open, row by row; the tile itself is in the middle.
    open: [[bool; 3]; 3],
}

/// A pixel of a solid tile.
#[derive(Clone, Copy, Debug)]
pub(super) struct Spot {
    /// In pixels of the stage.
    pub(super) x: i32,
    pub(super) y: i32,
    /// Pixels to the nearest edge, 0 at the edge itself, and which edge that is; none inside.
    pub(super) edge: Option<(i32, TileEdge)>,
    /// At an outer corner: pixels from it, along both edges together.
    pub(super) corner: Option<i32>,
}

impl Spot {
    /// A pixel of a rectangle that stands free.
    pub(super) fn of_rectangle((width, height): (i32, i32), x: i32, y: i32) -> Spot {
        let (right, down) = (width - 1 - x, height - 1 - y);
        let edges = [(y, TileEdge::Up), (x, TileEdge::Left), (right, TileEdge::Right), (down, TileEdge::Down)];
        let corner = (x + y).min(right + y).min(x + down).min(right + down);
        Spot { x, y, edge: edges.into_iter().min_by_key(|(depth, _)| *depth), corner: Some(corner) }
    }
}

/// Bits of the solid tiles in the column before, the column itself and the one after it. Beyond the stage terrain goes on.
pub(super) fn solid_around(terrain: &Terrain, column: usize) -> [u32; 3] {
    let solid = |column: usize| {
        let bits = (0..ROWS).filter(|&row| terrain.picture(column, row) != 0);
        bits.fold(0, |solid, row| solid | 1 << row)
    };
    let own = solid(column);
    let before = column.checked_sub(1).map_or(own, solid);
    let after = if column + 1 < terrain.columns() { solid(column + 1) } else { own };
    [before, own, after]
}

impl Site {
    /// The tile of a row; none if it is open.
    pub(super) fn new(column: i32, row: i32, solid: [u32; 3]) -> Option<Site> {
        let is_solid = |side: usize, row: i32| {
            // Above and below the picture terrain goes on.
            let row = row.clamp(0, ROWS as i32 - 1);
            solid[side] >> row & 1 == 1
        };
        let open = [-1, 0, 1].map(|down| [0, 1, 2].map(|side| !is_solid(side, row + down)));
        is_solid(1, row).then_some(Site { column, row, open })
    }

    pub(super) fn at(&self, x: i32, y: i32) -> Spot {
        Spot {
            x: self.column * TILE_PX + x,
            y: self.row * TILE_PX + y,
            edge: self.edge(x, y),
            corner: self.corner(x, y),
        }
    }

    fn edge(&self, x: i32, y: i32) -> Option<(i32, TileEdge)> {
        let (last, [above, beside, below]) = (TILE_PX - 1, self.open);
        let (right, down) = (last - x, last - y);
        // At an inner corner only the neighbour across is open.
        let edges = [
            (above[1], y, TileEdge::Up),
            (beside[0], x, TileEdge::Left),
            (beside[2], right, TileEdge::Right),
            (below[1], down, TileEdge::Down),
            (above[0], x.max(y), if x > y { TileEdge::Left } else { TileEdge::Up }),
            (above[2], right.max(y), if right > y { TileEdge::Right } else { TileEdge::Up }),
            (below[0], x.max(down), if x > down { TileEdge::Left } else { TileEdge::Down }),
            (below[2], right.max(down), if right > down { TileEdge::Right } else { TileEdge::Down }),
        ];
        let open = edges.into_iter().filter(|(is_open, ..)| *is_open);
        open.map(|(_, depth, edge)| (depth, edge)).min_by_key(|(depth, _)| *depth)
    }

    fn corner(&self, x: i32, y: i32) -> Option<i32> {
        let (last, [above, beside, below]) = (TILE_PX - 1, self.open);
        let corners = [
            (above[1] && beside[0], x + y),
            (above[1] && beside[2], last - x + y),
            (below[1] && beside[0], x + last - y),
            (below[1] && beside[2], last - x + last - y),
        ];
        corners.into_iter().filter(|(is_outer, _)| *is_outer).map(|(_, away)| away).min()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn site(rows: [&str; 3]) -> Site {
        let mut terrain = Terrain::open(3);
        for (row, line) in rows.iter().enumerate() {
            for (column, _) in line.bytes().enumerate().filter(|(_, tile)| *tile == b'#') {
                terrain.place(column, row + 4, 1);
            }
        }
        Site::new(1, 5, solid_around(&terrain, 1)).expect("the middle is solid")
    }

    #[test]
    fn depth_counts_from_the_nearest_edge() {
        let floor = site(["...", "###", "###"]);
        assert_eq!(floor.at(3, 5).edge, Some((5, TileEdge::Up)));
        let inside = site(["###", "###", "###"]);
        assert_eq!(inside.at(3, 5).edge, None);
        let inner = site([".##", "###", "###"]);
        assert_eq!(inner.at(2, 6).edge, Some((6, TileEdge::Up)));
        assert_eq!(inner.at(0, 0).edge, Some((0, TileEdge::Up)));
    }

    #[test]
    fn only_an_outer_corner_is_a_corner() {
        let step = site(["..#", ".##", "###"]);
        assert_eq!(step.at(1, 2).corner, Some(3));
        assert_eq!(site(["...", "###", "###"]).at(0, 0).corner, None);
    }

    #[test]
    fn the_first_and_the_last_row_have_no_edge_beyond_the_picture() {
        let mut terrain = Terrain::open(3);
        (0..3).for_each(|column| terrain.place(column, 0, 1));
        let ceiling = Site::new(1, 0, solid_around(&terrain, 1)).expect("solid");
        assert_eq!(ceiling.at(4, 3).edge, Some((12, TileEdge::Down)));
    }
}
