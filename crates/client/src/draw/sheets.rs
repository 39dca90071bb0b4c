//! Sprite sheets for other people's clients: every cell that a SNAPSHOT can name, drawn from the same images as the game.
//!
//! `protocol`'s `sheet.rs` says which cells a sheet has and where they are. A cell has no room for what reaches beyond the
//! entity, so flames, glow and rings are left out.

use game::{Class, Kind, Seat, ShipModel, units::TILE_PX};
use protocol::sheet::{Cell, Sheet};

use super::{
    art::{ART, FORCE_DYES, SEAT_DYES},
    kinds::{Animation, appearance},
    palette::{COLOURS, Colour, TABLE},
    picture::{Picture, steps_of},
    sprite::{CLEAR, Sprite},
};

/// The rim of an enemy that a warden shields.
const SHIELD: Colour = Colour::of(b'm');
/// By how many steps an enemy that was just hurt is lighter.
const HURT_STEPS: u8 = 2;
/// Rows of tiles that a wall can cover.
const WALL_ROWS: usize = 17;

/// The sheet of a kind, in pixels of the field.
pub fn sheet(kind: Kind) -> Sprite {
    if kind == Kind::Wall {
        return walls();
    }
    let sheet = Sheet(kind);
    let mut canvas = Canvas::new(sheet);
    for column in 0..sheet.columns() {
        for row in 0..sheet.rows() {
            let cell = sheet.cell(column, row);
            if let Some(image) = image(kind, cell) {
                canvas.place(sheet, cell, &image);
            }
        }
    }
    Sprite::from_pixels(canvas.width, canvas.pixels)
}

/// A field full of plates: whatever part of it a wall shows, each plate has its own edge.
fn walls() -> Sprite {
    let (width, height) = (Picture::WIDTH as usize, WALL_ROWS * TILE_PX as usize);
    let pixel = |x: usize, y: usize| {
        let (column, row) = (x / TILE_PX as usize, y / TILE_PX as usize);
        // Mostly smooth plates; a few have rivets or vents.
        let plate = match (column * 7 + row * 11) % 10 {
            0..7 => 0,
            7..9 => 1,
            _ => 2,
        };
        let tile = ART.tiles.get(plate)?;
        tile.at(x as i32 % TILE_PX, y as i32 % TILE_PX).map(Colour::number)
    };
    let pixels = (0..height).flat_map(|y| (0..width).map(move |x| pixel(x, y).unwrap_or(CLEAR))).collect();
    Sprite::from_pixels(width, pixels)
}

/// What a cell shows.
fn image(kind: Kind, cell: Cell) -> Option<Sprite> {
    let Cell { animation, direction, picture, .. } = cell;
    let picture = usize::from(picture);
    let seat = usize::from(cell.seat) % SEAT_DYES.len();
    let in_seat_colours = |sprite: Option<&Sprite>| sprite.map(|sprite| recoloured(sprite, &SEAT_DYES[seat]));
    match (kind, kind.class()) {
        (Kind::Player, _) => {
            let seat = Seat::new(cell.seat);
            let ship = ART.ship(seat.map_or(ShipModel::Arrow, ShipModel::of_seat), seat, animation % 3)?;
            Some(if picture == 1 && animation >= 3 { sieved(ship) } else { ship.clone() })
        }
        (Kind::Force, _) => {
            let level = usize::from(animation & 3).clamp(1, 3);
            let dye = &FORCE_DYES[usize::from(animation >> 2).min(2)][seat];
            Some(recoloured(ART.of(kind, (level - 1) * 2 + picture, false)?, dye))
        }
        (Kind::Beam, _) => in_seat_colours(ART.of(kind, usize::from(animation) * 2 + picture, false)),
        (Kind::Missile, _) => in_seat_colours(ART.of(kind, animation.into(), false)),
        (Kind::BlueLaser, _) => {
            let slope = direction % 3;
            let sprite = ART.of(kind, picture + if slope == 0 { 0 } else { 2 }, direction >= 3)?;
            in_seat_colours(Some(&if slope == 2 { sprite.flipped() } else { sprite.clone() }))
        }
        (_, Class::Gear | Class::PlayerShot) => in_seat_colours(ART.of(kind, picture, direction == 1)),
        (_, Class::Enemy | Class::Boss) => foe(kind, cell),
        (_, Class::Player | Class::EnemyShot | Class::Item | Class::Block | Class::Wall | Class::Effect) => {
            ART.of(kind, picture, direction == 1).cloned()
        }
    }
}

fn foe(kind: Kind, cell: Cell) -> Option<Sprite> {
    let is_weak_point = appearance(kind).animation == Animation::WeakPoint;
    let number = match (is_weak_point, cell.animation) {
        (true, 0) => 0,
        (true, _) => 2 + usize::from(cell.picture),
        (false, _) => cell.picture.into(),
    };
    let sprite = ART.of(kind, number, cell.direction == 1)?;
    Some(match (cell.animation, kind.class()) {
        (1, _) => recoloured(sprite, &steps_of(&TABLE.lighter, HURT_STEPS)),
        (2, Class::Enemy) => rimmed(sprite, SHIELD),
        _ => sprite.clone(),
    })
}

fn recoloured(sprite: &Sprite, table: &[u8; COLOURS]) -> Sprite {
    repainted(sprite, |_, _, colour| Some(Colour::from_number(table[usize::from(colour.number())])))
}

/// Every second pixel.
fn sieved(sprite: &Sprite) -> Sprite {
    repainted(sprite, |x, y, colour| ((x + y) % 2 == 0).then_some(colour))
}

/// With another colour where it ends.
fn rimmed(sprite: &Sprite, rim: Colour) -> Sprite {
    let is_rim =
        |x: i32, y: i32| [(-1, 0), (1, 0), (0, -1), (0, 1)].iter().any(|(dx, dy)| sprite.at(x + dx, y + dy).is_none());
    repainted(sprite, |x, y, colour| Some(if is_rim(x, y) { rim } else { colour }))
}

/// The same with another colour for each pixel that is not clear.
fn repainted(sprite: &Sprite, paint: impl Fn(i32, i32, Colour) -> Option<Colour>) -> Sprite {
    let pixels = (0..sprite.height()).flat_map(|y| (0..sprite.width()).map(move |x| (x, y)));
    let painted = pixels.map(|(x, y)| sprite.at(x, y).and_then(|colour| paint(x, y, colour)));
    Sprite::from_pixels(sprite.width() as usize, painted.map(|colour| colour.map_or(CLEAR, Colour::number)).collect())
}

/// A sheet that is being drawn.
struct Canvas {
    width: usize,
    pixels: Vec<u8>,
}

impl Canvas {
    fn new(sheet: Sheet) -> Canvas {
        let sizes = (0..sheet.columns()).map(|column| (column, sheet.cell_px(sheet.cell(column, 0).animation)));
        let (mut width, mut height) = (0, 0);
        for (column, (cell_width, cell_height)) in sizes {
            width = width.max((usize::from(column) + 1) * usize::from(cell_width));
            height = height.max(usize::from(sheet.rows()) * usize::from(cell_height));
        }
        Canvas { width, pixels: vec![CLEAR; width * height] }
    }

    /// Draws an image in the middle of a cell. What reaches beyond the cell is cut off.
    fn place(&mut self, sheet: Sheet, cell: Cell, image: &Sprite) {
        let (width, height) = sheet.cell_px(cell.animation);
        let (width, height) = (i32::from(width), i32::from(height));
        let (left, top) = (i32::from(cell.column(sheet)) * width, i32::from(cell.row(sheet)) * height);
        let (dx, dy) = ((width - image.width()) / 2, (height - image.height()) / 2);
        for (y, x) in (0..height).flat_map(|y| (0..width).map(move |x| (y, x))) {
            if let Some(colour) = image.at(x - dx, y - dy) {
                self.pixels[(top + y) as usize * self.width + (left + x) as usize] = colour.number();
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The part of a sheet that a cell covers.
    fn cut(kind: Kind, cell: Cell) -> Sprite {
        let (sheet, drawn) = (Sheet(kind), sheet(kind));
        let (width, height) = sheet.cell_px(cell.animation);
        let (left, top) =
            (i32::from(cell.column(sheet)) * i32::from(width), i32::from(cell.row(sheet)) * i32::from(height));
        let pixels = (0..i32::from(height)).flat_map(|y| (0..i32::from(width)).map(move |x| (left + x, top + y)));
        Sprite::from_pixels(width.into(), pixels.map(|(x, y)| drawn.at(x, y).map_or(CLEAR, Colour::number)).collect())
    }

    #[test]
    fn every_cell_of_every_sheet_has_a_picture_in_it() {
        for &kind in Kind::ALL.iter().filter(|kind| **kind != Kind::Wall) {
            let sheet = Sheet(kind);
            for (column, row) in (0..sheet.columns()).flat_map(|column| (0..sheet.rows()).map(move |row| (column, row)))
            {
                let cell = cut(kind, sheet.cell(column, row));
                // An explosion ends with nothing.
                let is_end = kind.class() == Class::Effect && row + 2 >= sheet.rows();
                let is_painted = cell.rows().flatten().any(|pixel| *pixel != CLEAR);
                assert!(is_painted || is_end, "{}: column {column}, row {row}", kind.name());
            }
        }
    }

    #[test]
    fn a_cell_is_the_image_that_the_game_shows() {
        let second = Cell { seat: 1, animation: 2, ..Cell::default() };
        assert_eq!(Some(&cut(Kind::Player, second)), ART.ship(ShipModel::Wasp, Some(Seat::ALL[1]), 2));
        let turned = Cell { direction: 1, picture: 1, ..Cell::default() };
        assert_eq!(Some(&cut(Kind::Dart, turned)), ART.of(Kind::Dart, 1, true));
        let last = Cell { picture: 7, ..Cell::default() };
        assert_eq!(Some(&cut(Kind::Explosion, last)), ART.of(Kind::Explosion, 7, false));
    }

    #[test]
    fn what_belongs_to_players_has_the_colours_of_their_seats() {
        for kind in [Kind::Force, Kind::Bit, Kind::Shot, Kind::Beam, Kind::Missile] {
            let first = cut(kind, Cell { animation: 1 % Sheet(kind).animations(), ..Cell::default() });
            let third = cut(kind, Cell { animation: 1 % Sheet(kind).animations(), seat: 2, ..Cell::default() });
            assert_ne!(first, third, "{}", kind.name());
        }
    }

    #[test]
    fn the_sheet_of_walls_covers_the_largest_wall() {
        let walls = sheet(Kind::Wall);
        assert_eq!((walls.width(), walls.height()), (480, 272));
        assert!(walls.rows().flatten().all(|pixel| *pixel != CLEAR));
    }
}
