//! The terrain: plates from `art/tiles.txt`, recoloured by stage, or living rock, which is painted by which of its sides are
//! open. Light falls from the upper left.

use std::sync::LazyLock;

use game::{SUBPIXELS, stage::Terrain, units::TILE_PX};

use super::scenery::scatter;
use crate::draw::{
    View,
    art::{ART, dye},
    palette::{COLOURS, Colour},
    picture::{Ink, Picture},
    sprite::{CLEAR, Sprite},
};

/// Rows of tiles in the picture.
const ROWS: usize = 17;
/// Images of living rock for each set of open sides.
const VARIANTS: usize = 4;

/// Draws terrain; paints the living rock when it is first needed.
#[derive(Clone, Debug, Default)]
pub(super) struct TerrainPainter {
    /// By open sides (up 1, right 2, down 4, left 8), then by variant.
    rock: Vec<Sprite>,
}

impl TerrainPainter {
    /// Draws the columns that are in view.
    pub(super) fn draw(&mut self, terrain: &Terrain, view: &View, picture: &mut Picture) {
        let scroll_px = view.scroll.div_euclid(i64::from(SUBPIXELS));
        let tile = i64::from(TILE_PX);
        let first = scroll_px.div_euclid(tile);
        for column in 0..=i64::from(Picture::WIDTH) / tile {
            let Ok(index) = usize::try_from(first + column) else { continue };
            if index >= terrain.columns() {
                break;
            }
            let x = (column * tile - scroll_px.rem_euclid(tile)) as i32;
            for row in 0..ROWS {
                if let Some((sprite, ink)) = self.tile(terrain, view.frame.stage, (index, row)) {
                    picture.stamp(x, row as i32 * TILE_PX, sprite, ink);
                }
            }
        }
    }

    /// What to draw at a tile of the stage; none where it is open.
    fn tile(&mut self, terrain: &Terrain, stage: u8, (column, row): (usize, usize)) -> Option<(&Sprite, Ink<'static>)> {
        let number = terrain.picture(column, row);
        let is_rock = stage != 0 && stage % 3 == 2;
        if number == 0 {
            None
        } else if is_rock {
            let variant = scatter((column * ROWS + row) as u32) as usize % VARIANTS;
            Some((self.rock(open_sides(terrain, column, row), variant), Ink::Plain))
        } else {
            let is_warship = stage != 0 && stage.is_multiple_of(3);
            let ink = if is_warship { Ink::Through(&WARSHIP) } else { Ink::Plain };
            plate(number).map(|sprite| (sprite, ink))
        }
    }

    fn rock(&mut self, sides: usize, variant: usize) -> &Sprite {
        if self.rock.is_empty() {
            self.rock = (0..16 * VARIANTS).map(paint_rock).collect();
        }
        &self.rock[sides * VARIANTS + variant]
    }
}

/// The plate of that number, counted from 1; after the last one comes the first.
fn plate(number: u8) -> Option<&'static Sprite> {
    ART.tiles.get(usize::from(number.checked_sub(1)?) % ART.tiles.len().max(1))
}

/// The plates of the warship are of another metal.
static WARSHIP: LazyLock<[u8; COLOURS]> = LazyLock::new(|| dye("CDEFGHI", "1CwDxyy"));

fn open_sides(terrain: &Terrain, column: usize, row: usize) -> usize {
    let is_open = |column: Option<usize>, row: Option<usize>| match (column, row) {
        (Some(column), Some(row)) if row < ROWS && column < terrain.columns() => terrain.picture(column, row) == 0,
        // Beyond the picture the rock goes on.
        _ => false,
    };
    let sides = [
        is_open(Some(column), row.checked_sub(1)),
        is_open(column.checked_add(1), Some(row)),
        is_open(Some(column), Some(row + 1)),
        is_open(column.checked_sub(1), Some(row)),
    ];
    sides.into_iter().enumerate().fold(0, |bits, (side, open)| bits | usize::from(open) << side)
}

/// One tile of living rock.
fn paint_rock(number: usize) -> Sprite {
    let sides = number / VARIANTS;
    let pixels = (0..TILE_PX).flat_map(|y| (0..TILE_PX).map(move |x| rock_pixel(sides, number, x, y))).collect();
    Sprite::from_pixels(TILE_PX as usize, pixels)
}

fn rock_pixel(sides: usize, number: usize, x: i32, y: i32) -> u8 {
    let grain = |cell: i32, salt: i32| {
        (scatter((number as i32 * 977 + salt + x / cell * 31 + y / cell * 577) as u32) % 5) as i32
    };
    let last = TILE_PX - 1;
    let depths = [y, last - x, last - y, x];
    let nearest = (0..4).filter(|side| sides >> side & 1 == 1).map(|side| (depths[side], side)).min();
    let wobble = (scatter((number as i32 * 31 + x / 2 * 7 + y / 2 * 13) as u32) & 1) as i32;
    let letter = match nearest {
        Some((depth, _)) if depth + wobble < 1 => return CLEAR,
        Some((depth, side)) => {
            let is_lit = side == 0 || side == 3;
            match depth - wobble + grain(3, 5) / 3 {
                ..=1 if is_lit => b'v',
                ..=1 => b't',
                2..=3 if is_lit => b'u',
                2..=3 => b't',
                4..=7 => b't',
                _ => b'6',
            }
        }
        None => [b'5', b'5', b'5', b'6', b'5'][grain(4, 9) as usize],
    };
    Colour::of(letter).number()
}
