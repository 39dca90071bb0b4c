//! The terrain: plates from `art/tiles.txt`, recoloured by stage, or living rock, which is painted by which of its sides are
//! open. Light falls from the upper left.

use std::sync::LazyLock;

use game::{Entity, Frame, Kind, SUBPIXELS, stage::Terrain, units::TILE_PX};

use super::{pixel, scenery::scatter};
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

/// What is to be drawn of a terrain.
struct Tiles<'a> {
    terrain: &'a Terrain,
    stage: u8,
    /// In sub-pixels.
    scroll: i64,
    /// Whether it was rebuilt from the walls of a Frame.
    is_rebuilt: bool,
}

impl TerrainPainter {
    /// Draws the terrain that is in view: that of the stage, if it is known, or else the walls of the Frame.
    pub(super) fn draw(&mut self, view: &View, picture: &mut Picture) {
        let stage = view.frame.stage;
        if let Some(terrain) = view.terrain {
            self.draw_tiles(&Tiles { terrain, stage, scroll: view.scroll, is_rebuilt: false }, picture);
        } else if let Some((terrain, scroll)) = terrain_of_walls(view.frame) {
            self.draw_tiles(&Tiles { terrain: &terrain, stage, scroll, is_rebuilt: true }, picture);
        }
    }

    fn draw_tiles(&mut self, tiles: &Tiles, picture: &mut Picture) {
        let scroll_px = tiles.scroll.div_euclid(i64::from(SUBPIXELS));
        let tile = i64::from(TILE_PX);
        let first = scroll_px.div_euclid(tile);
        for column in 0..=i64::from(Picture::WIDTH) / tile {
            let Ok(index) = usize::try_from(first + column) else { continue };
            if index >= tiles.terrain.columns() {
                break;
            }
            let x = (column * tile - scroll_px.rem_euclid(tile)) as i32;
            for row in 0..ROWS {
                if let Some((sprite, ink)) = self.tile(tiles, index, row) {
                    picture.stamp(x, row as i32 * TILE_PX, sprite, ink);
                }
            }
        }
    }

    /// What to draw at a tile of the stage; none where it is open.
    fn tile(&mut self, tiles: &Tiles, column: usize, row: usize) -> Option<(&Sprite, Ink<'static>)> {
        let &Tiles { terrain, stage, is_rebuilt, .. } = tiles;
        let number = terrain.picture(column, row);
        let is_rock = stage != 0 && stage % 3 == 2;
        if number == 0 {
            None
        } else if is_rock {
            // The columns of walls go by with them: only their numbers stay.
            let seed = if is_rebuilt { usize::from(number) * ROWS + row } else { column * ROWS + row };
            let variant = scatter(seed as u32) as usize % VARIANTS;
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

/// Columns of the terrain that is rebuilt from walls: the picture, and one more at each side.
const WALL_COLUMNS: usize = (Picture::WIDTH / TILE_PX) as usize + 2;

/// The plate for each set of open sides (up 1, right 2, down 4, left 8).
pub(super) const PLATES_BY_SIDES: [u8; 16] = [4, 9, 12, 14, 10, 17, 16, 20, 11, 13, 18, 21, 15, 19, 22, 23];

/// The terrain that the walls of a Frame make up, and how far it has scrolled, in sub-pixels. All walls of a stage lie on
/// one grid of tiles; one that does not is drawn with all tiles that it touches, so that what kills is never invisible.
fn terrain_of_walls(frame: &Frame) -> Option<(Terrain, i64)> {
    let mut walls = frame.entities.iter().filter_map(WallPx::of).peekable();
    let phase = walls.peek()?.left.rem_euclid(TILE_PX);
    let origin = phase - TILE_PX;
    let mut solid = Terrain::open(WALL_COLUMNS);
    walls.for_each(|wall| wall.place(origin, &mut solid));
    Some((with_edges(&solid), -i64::from(origin) * i64::from(SUBPIXELS)))
}

/// The same terrain with plates that show where it ends.
fn with_edges(solid: &Terrain) -> Terrain {
    let mut terrain = Terrain::open(solid.columns());
    for column in 0..solid.columns() {
        for row in (0..ROWS).filter(|&row| solid.picture(column, row) != 0) {
            terrain.place(column, row, PLATES_BY_SIDES[open_sides(solid, column, row)]);
        }
    }
    terrain
}

/// A wall in whole pixels of the field.
struct WallPx {
    left: i32,
    top: i32,
    width: i32,
    height: i32,
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

/// The plate of that number, counted from 1; after the last one comes the first.
pub(super) fn plate(number: u8) -> Option<&'static Sprite> {
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

#[cfg(test)]
mod tests {
    use game::{EntityId, Vec2, px};

    use super::*;

    fn wall(left: i32, top: i32, width: u16, height: u16) -> Entity {
        let centre = Vec2::new(px(left) + px(width.into()) / 2, px(top) + px(height.into()) / 2);
        Entity { size_px: Some((width, height)), ..Entity::new(EntityId(7), Kind::Wall, centre) }
    }

    /// The tiles that are drawn, as the left and upper edges of each.
    fn tiles(walls: &[Entity]) -> Vec<(i32, i32)> {
        let frame = Frame { entities: walls.to_vec(), ..Frame::default() };
        let (terrain, scroll) = terrain_of_walls(&frame).expect("there are walls");
        let left = |column: usize| column as i32 * TILE_PX - (scroll / i64::from(SUBPIXELS)) as i32;
        (0..terrain.columns())
            .flat_map(|column| (0..ROWS).map(move |row| (column, row)))
            .filter(|&(column, row)| terrain.picture(column, row) != 0)
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
    fn a_frame_without_walls_has_no_terrain() {
        assert!(terrain_of_walls(&Frame::default()).is_none());
    }
}
