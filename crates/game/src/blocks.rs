//! Where blocks are. They lie on the grid of tiles, so that a point is looked up at once, however many there are.

use crate::{
    Kind, Vec2, World,
    foe::Foe,
    stage::ROWS,
    units::{FIELD_WIDTH_PX, TILE_PX, px},
};

/// Columns of the field, and some beyond its edges.
const COLUMNS: usize = (FIELD_WIDTH_PX / TILE_PX) as usize + 2 * MARGIN;
const MARGIN: usize = 4;

/// The blocks of one step, by columns: a bit for each row.
pub(crate) struct Blocks {
    scroll: i64,
    columns: [u32; COLUMNS],
}

impl Blocks {
    pub(crate) fn of(world: &World) -> Blocks {
        let mut blocks = Blocks { scroll: world.state.scroll, columns: [0; COLUMNS] };
        let is_block = |foe: &&Foe| foe.kind == Kind::Block && foe.health > 0;
        for block in world.state.foes.iter().filter(is_block) {
            if let Some((column, row)) = blocks.place(block.position) {
                blocks.columns[column] |= 1 << row;
            }
        }
        blocks
    }

    /// Whether a point is inside a block.
    pub(crate) fn has(&self, point: Vec2) -> bool {
        self.place(point).is_some_and(|(column, row)| self.columns[column] >> row & 1 == 1)
    }

    fn place(&self, point: Vec2) -> Option<(usize, usize)> {
        let tile = i64::from(px(TILE_PX));
        let first = self.scroll.div_euclid(tile) - MARGIN as i64;
        let column = (self.scroll + i64::from(point.x)).div_euclid(tile) - first;
        let row = point.y.div_euclid(px(TILE_PX));
        let column = usize::try_from(column).ok().filter(|column| *column < COLUMNS)?;
        Some((column, usize::try_from(row).ok().filter(|row| *row < ROWS)?))
    }
}
