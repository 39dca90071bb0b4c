//! The terrain, painted by what surrounds each tile. [`walls`] rebuilds it from a Frame where the stage is not known,
//! [`tile_set`] paints a tile in the way of its zone.
//!
//! A column of tiles is painted when it first comes into view, and kept for as long as it may be seen.

mod armour;
mod flesh;
mod site;
mod tile_set;
mod walls;
mod wreck;

use game::{SUBPIXELS, stage::Terrain, units::TILE_PX};

pub use self::tile_set::TileSet;
use self::{
    site::{ROWS, Site, Spot},
    walls::{WallPx, WallTracker},
};
use crate::draw::{
    View,
    palette::Colour,
    picture::{Ink, Picture},
    sprite::{CLEAR, Sprite},
    zone::Zones,
};

/// Columns that are kept: those in the picture, and a few that have just left it.
const COLUMNS_KEPT: usize = (Picture::WIDTH / TILE_PX) as usize + 4;

/// Images of gates that are kept.
const GATES_KEPT: usize = 8;

/// Draws terrain.
#[derive(Clone, Debug, Default)]
pub(super) struct TerrainPainter {
    columns: Vec<PaintedColumn>,
    gates: Vec<PaintedGate>,
    wall_tracker: WallTracker,
}

/// A gate, and what it was painted from.
#[derive(Clone, Debug)]
struct PaintedGate {
    set: TileSet,
    size_px: (i32, i32),
    image: Sprite,
}

/// A column of tiles, and what it was painted from.
#[derive(Clone, Debug)]
struct PaintedColumn {
    /// Counted from the left edge of the stage.
    number: i64,
    set: TileSet,
    /// Which tiles are solid, in this column and its neighbours.
    solid: [u32; 3],
    image: Sprite,
}

/// What is to be drawn of a terrain.
struct Stretch<'a> {
    terrain: &'a Terrain,
    zones: Zones<'a>,
    /// How far it has scrolled.
    scroll_px: i64,
    /// The number that its first column has in the stage.
    first: i64,
}

impl TerrainPainter {
    /// Draws the terrain that is in view: that of the stage, if it is known, or else the walls of the Frame.
    pub(super) fn draw(&mut self, view: &View, picture: &mut Picture) {
        let zones = Zones { starts: view.zones, stage: view.frame.stage };
        let scroll_px = view.scroll.div_euclid(i64::from(SUBPIXELS));
        if let Some(terrain) = view.terrain {
            // The end of a gate that is inside terrain is hidden by it.
            for gate in terrain.gates() {
                let left = i64::from(gate.x_px) - scroll_px;
                if (-i64::from(gate.width_px)..i64::from(Picture::WIDTH)).contains(&left) {
                    let top = gate.top(view.scroll).div_euclid(SUBPIXELS);
                    let (width, height) = (gate.width_px.into(), gate.height_px.into());
                    let set = TileSet::of(zones.at(gate.x_px.into()));
                    self.draw_gate(&WallPx { left: left as i32, top, width, height }, set, picture);
                }
            }
            self.draw_stretch(&Stretch { terrain, zones, scroll_px, first: 0 }, picture);
        } else if let Some(walls) = self.wall_tracker.terrain(view.frame) {
            let stretch = Stretch { terrain: &walls.terrain, zones, scroll_px: walls.scroll_px, first: walls.first };
            let set = TileSet::of(zones.at(scroll_px));
            walls.gates.iter().for_each(|gate| self.draw_gate(gate, set, picture));
            self.draw_stretch(&stretch, picture);
        }
    }

    /// Draws a rectangle that moves on its own.
    fn draw_gate(&mut self, gate: &WallPx, set: TileSet, picture: &mut Picture) {
        let size_px = (gate.width.clamp(1, Picture::WIDTH), gate.height.clamp(1, Picture::HEIGHT));
        let is_it = |kept: &PaintedGate| kept.set == set && kept.size_px == size_px;
        if !self.gates.iter().any(is_it) {
            if self.gates.len() >= GATES_KEPT {
                self.gates.remove(0);
            }
            self.gates.push(PaintedGate { set, size_px, image: paint_gate(set, size_px) });
        }
        if let Some(kept) = self.gates.iter().find(|kept| is_it(kept)) {
            picture.stamp((gate.left, gate.top), &kept.image, Ink::Plain);
        }
    }

    fn draw_stretch(&mut self, stretch: &Stretch, picture: &mut Picture) {
        let tile = i64::from(TILE_PX);
        let first = stretch.scroll_px.div_euclid(tile);
        for place in 0..=i64::from(Picture::WIDTH) / tile {
            let Ok(index) = usize::try_from(first + place) else { continue };
            if index >= stretch.terrain.columns() {
                break;
            }
            if let Some(column) = self.column(stretch, index) {
                let x = (place * tile - stretch.scroll_px.rem_euclid(tile)) as i32;
                // Most of a column is open: nothing is drawn there.
                for row in (0..ROWS).filter(|row| column.solid[1] >> row & 1 == 1) {
                    let side = TILE_PX as usize;
                    picture.stamp_rows((x, 0), &column.image, row * side..(row + 1) * side);
                }
            }
        }
    }

    /// A column; none if all of it is open.
    fn column(&mut self, stretch: &Stretch, index: usize) -> Option<&PaintedColumn> {
        let solid = site::solid_around(stretch.terrain, index);
        if solid[1] == 0 {
            return None;
        }
        let number = stretch.first.saturating_add(index as i64);
        let set = TileSet::of(stretch.zones.at(number.saturating_mul(i64::from(TILE_PX))));
        let is_it = |kept: &PaintedColumn| kept.number == number && kept.set == set && kept.solid == solid;
        if let Some(kept) = self.columns.iter().position(is_it) {
            return Some(&self.columns[kept]);
        }
        if self.columns.len() >= COLUMNS_KEPT {
            self.columns.remove(0);
        }
        self.columns.push(PaintedColumn { number, set, solid, image: paint_column(number, set, solid) });
        self.columns.last()
    }
}

/// A tile set as a picture of tiles: every row of `plan` is a row of tiles, `#` is solid. For sheets and contact sheets.
pub fn tile_sample(set: TileSet, plan: &[&str]) -> Sprite {
    let columns = plan.iter().map(|row| row.len()).max().unwrap_or(0);
    let mut terrain = Terrain::open(columns);
    for (row, line) in plan.iter().enumerate() {
        for (column, _) in line.bytes().enumerate().filter(|(_, tile)| *tile == b'#') {
            terrain.place(column, row, 1);
        }
    }
    let images: Vec<Sprite> =
        (0..columns).map(|column| paint_column(column as i64, set, site::solid_around(&terrain, column))).collect();
    let height = plan.len() * TILE_PX as usize;
    let rows: Vec<Vec<&[u8]>> = images.iter().map(|image| image.rows().collect()).collect();
    let pixels = (0..height).flat_map(|y| rows.iter().flat_map(move |rows| rows[y].iter().copied())).collect();
    Sprite::from_pixels((columns * TILE_PX as usize).max(1), pixels)
}

fn paint_gate(set: TileSet, size_px: (i32, i32)) -> Sprite {
    let pixels = (0..size_px.1).flat_map(|y| (0..size_px.0).map(move |x| (x, y)));
    let painted = pixels.map(|(x, y)| match set.pixel(&Spot::of_rectangle(size_px, x, y)) {
        CLEAR => CLEAR,
        plain => gate_stripe(set, size_px, (x, y)).map_or(plain, |letter| Colour::of(letter).number()),
    });
    Sprite::from_pixels(size_px.0 as usize, painted.collect())
}

/// What moves looks different from what does not: a band of stripes near both ends of a gate, painted on metal, of bone in flesh.
fn gate_stripe(set: TileSet, (width, height): (i32, i32), (x, y): (i32, i32)) -> Option<u8> {
    const BAND: std::ops::Range<i32> = 4..10;
    const SIDE: i32 = 3;
    let depth = y.min(height - 1 - y);
    if !BAND.contains(&depth) || x < SIDE || x >= width - SIDE {
        return None;
    }
    let [bright, dark] = if set.is_flesh() { *b"sq" } else { *b"mk" };
    Some(if (x + depth).div_euclid(4) % 2 == 0 { bright } else { dark })
}

fn paint_column(number: i64, set: TileSet, solid: [u32; 3]) -> Sprite {
    // Textures repeat after a million pixels.
    let column = (number.rem_euclid(1 << 16)) as i32;
    let pixels = (0..ROWS as i32 * TILE_PX).flat_map(|y| {
        let site = Site::new(column, y / TILE_PX, solid);
        (0..TILE_PX).map(move |x| site.map_or(CLEAR, |site| set.pixel(&site.at(x, y % TILE_PX))))
    });
    Sprite::from_pixels(TILE_PX as usize, pixels.collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    const ISLAND: [&str; 5] = ["......", ".####.", ".####.", ".####.", "......"];

    #[test]
    fn every_tile_set_fills_what_is_solid_and_nothing_else() {
        for set in TileSet::ALL {
            let sample = tile_sample(set, &ISLAND);
            let solid = |x: i32, y: i32| (16..80).contains(&x) && (16..64).contains(&y);
            for (x, y) in (0..80).flat_map(|y| (0..96).map(move |x| (x, y))) {
                let is_painted = sample.at(x, y).is_some();
                assert!(solid(x, y) || !is_painted, "{set:?}: something is painted at {x}, {y}, where it is open");
                let is_inside = solid(x - 3, y - 3) && solid(x + 3, y + 3);
                assert!(!is_inside || is_painted, "{set:?}: a hole at {x}, {y}");
            }
        }
    }

    #[test]
    fn every_gate_is_marked_at_both_ends_and_not_painted_over_what_is_clear() {
        for set in TileSet::ALL {
            let gate = paint_gate(set, (32, 96));
            let plain = |x, y| set.pixel(&Spot::of_rectangle((32, 96), x, y));
            let marked = |rows: std::ops::Range<i32>| {
                let pixels = rows.flat_map(|y| (0..32).map(move |x| (x, y)));
                pixels.filter(|&(x, y)| gate.at(x, y).map_or(CLEAR, |colour| colour.number()) != plain(x, y)).count()
            };
            assert!(marked(0..12) > 80 && marked(84..96) > 80 && marked(12..84) == 0, "{set:?}");
            for (x, y) in (0..96).flat_map(|y| (0..32).map(move |x| (x, y))) {
                assert_eq!(gate.at(x, y).is_none(), plain(x, y) == CLEAR, "{set:?}: {x}, {y}");
            }
        }
    }

    #[test]
    fn every_edge_of_every_tile_set_is_lit() {
        let rgb = |colour: Colour| crate::draw::Palette::Default.rgb(colour).map(u32::from);
        let light = |colour: Colour| {
            let [red, green, blue] = rgb(colour);
            (299 * red + 587 * green + 114 * blue) / 1000
        };
        for set in TileSet::ALL {
            let sample = tile_sample(set, &ISLAND);
            let rim = |from: (i32, i32), step: (i32, i32)| {
                let pixels = (0..6).filter_map(|at| sample.at(from.0 + at * step.0, from.1 + at * step.1));
                pixels.map(light).max().unwrap_or(0)
            };
            for along in 20..60 {
                let sides =
                    [((along, 16), (0, 1)), ((along, 63), (0, -1)), ((16, along), (1, 0)), ((79, along), (-1, 0))];
                for (from, step) in sides {
                    assert!(rim(from, step) >= 88, "{set:?}: the edge at {from:?} is dark: {}", rim(from, step));
                }
            }
        }
    }

    #[test]
    fn a_column_is_painted_again_when_a_neighbour_changes() {
        let mut painter = TerrainPainter::default();
        let mut terrain = Terrain::open(3);
        terrain.place(1, 5, 1);
        let zones = Zones { starts: &[], stage: 1 };
        let mut image = |terrain: &Terrain| {
            let stretch = Stretch { terrain, zones, scroll_px: 0, first: 0 };
            painter.column(&stretch, 1).expect("it is solid").image.clone()
        };
        let alone = image(&terrain);
        terrain.place(2, 5, 1);
        assert_ne!(image(&terrain), alone);
        assert!(alone.rows().flatten().any(|pixel| *pixel == CLEAR));
    }
}
