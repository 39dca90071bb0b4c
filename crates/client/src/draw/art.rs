//! The sprites of every kind, read once from `art/`, and the tables that recolour them.

use std::sync::LazyLock;

use game::{Kind, Seat, ShipModel};
use protocol::sheet::{Facing, Sheet};

use super::{
    kinds::{appearance, can_hang, sprite},
    palette::{COLOURS, Colour},
    sprite::Sprite,
};

/// The sprites of the four ships, by model.
const SHIPS: [&str; 4] = [sprite!("ship1"), sprite!("ship2"), sprite!("ship3"), sprite!("ship4")];
const TILES: &str = sprite!("tiles");
const LOGO: &str = sprite!("logo");
const CYST: &str = sprite!("cyst");

/// All sprites.
pub(super) struct Art {
    /// By the kind's number.
    kinds: Vec<Images>,
    /// By model, then in the colours of each seat.
    ships: [[Vec<Sprite>; 4]; 4],
    /// Tiles of terrain.
    pub(super) tiles: Vec<Sprite>,
    /// The name of the game.
    pub(super) logo: Vec<Sprite>,
    /// Blocks that have grown in the living cave.
    pub(super) cyst: Vec<Sprite>,
}

/// The images of a kind.
#[derive(Clone, Debug, Default)]
struct Images {
    plain: Vec<Sprite>,
    /// The same, looking the other way or upside down; only for kinds that turn or hang.
    mirrored: Vec<Sprite>,
}

/// Read once; a test rules out that a file is broken.
pub(super) static ART: LazyLock<Art> = LazyLock::new(|| {
    let mut kinds = vec![Images::default(); Kind::ALL.iter().map(|kind| kind.number()).max().unwrap_or(0) as usize + 1];
    for &kind in Kind::ALL {
        kinds[kind.number() as usize] = Images::of(kind);
    }
    let models: [usize; 4] = std::array::from_fn(|model| model);
    let ships = models.map(ship_images);
    Art { kinds, ships, tiles: images(TILES), logo: images(LOGO), cyst: images(CYST) }
});

fn images(file: &str) -> Vec<Sprite> {
    Sprite::read(file).unwrap_or_default()
}

/// The images of a ship, in the colours of each seat.
fn ship_images(model: usize) -> [Vec<Sprite>; 4] {
    let own = images(SHIPS[model]);
    SEAT_RAMPS.map(|ramp| {
        let dye = dye(SEAT_RAMPS[model], ramp);
        own.iter().map(|image| image.dyed(&dye)).collect()
    })
}

impl Images {
    fn of(kind: Kind) -> Images {
        let plain = images(appearance(kind).sprite);
        let turns = Sheet(kind).facing() != Facing::Neither;
        let mirrored = match (turns, can_hang(kind)) {
            (true, _) => plain.iter().map(Sprite::mirrored).collect(),
            (false, true) => plain.iter().map(Sprite::flipped).collect(),
            (false, false) => Vec::new(),
        };
        Images { plain, mirrored }
    }
}

impl Art {
    /// An image of a kind; after the last one comes the first.
    pub(super) fn of(&self, kind: Kind, index: usize, is_mirrored: bool) -> Option<&Sprite> {
        let images = self.kinds.get(kind.number() as usize)?;
        let images = if is_mirrored { &images.mirrored } else { &images.plain };
        images.get(index % images.len().max(1))
    }

    /// How many images a kind has.
    pub(super) fn len(&self, kind: Kind) -> usize {
        self.kinds.get(kind.number() as usize).map_or(0, |images| images.plain.len())
    }

    /// A ship in the colours of a seat: level, rising or sinking.
    pub(super) fn ship(&self, model: ShipModel, seat: Option<Seat>, tilt: u8) -> Option<&Sprite> {
        let images = &self.ships[usize::from(model.number())][seat.map_or(0, Seat::index)];
        images.get(usize::from(tilt) % images.len().max(1))
    }
}

/// The colours of each seat, from dark to light; the ship of that number is drawn in them.
const SEAT_RAMPS: [&str; 4] = ["JKLM", "OPQR", "STUV", "WXYZ"];

/// The tables that recolour the cyan of gear and shots for a seat.
pub(super) static SEAT_DYES: LazyLock<[[u8; COLOURS]; 4]> =
    LazyLock::new(|| SEAT_RAMPS.map(|ramp| dye(SEAT_RAMPS[0], ramp)));

/// The tables for a Force: by crystal, then by seat.
pub(super) static FORCE_DYES: LazyLock<[[[u8; COLOURS]; 4]; 3]> = LazyLock::new(|| {
    ["abcdef", "OOPQRN", "kklmno"].map(|crystal| {
        let crystal = dye("abcdef", crystal);
        SEAT_DYES.map(|seat| {
            std::array::from_fn(|number| if seat[number] == number as u8 { crystal[number] } else { seat[number] })
        })
    })
});

/// A table that replaces the colours of some letters with those of others.
pub(super) fn dye(from: &str, to: &str) -> [u8; COLOURS] {
    let mut table = std::array::from_fn(|number| number as u8);
    for (from, to) in from.bytes().zip(to.bytes()) {
        table[Colour::of(from).number() as usize] = Colour::of(to).number();
    }
    table
}

#[cfg(test)]
mod tests {
    use super::{super::kinds::Animation, *};
    use game::Class;

    /// The name, the text and, if it has one, the kind of every sprite file.
    fn files() -> Vec<(&'static str, &'static str, Option<Kind>)> {
        let ships = ["ship1", "ship2", "ship3", "ship4"].into_iter().zip(SHIPS);
        let others = ships.chain([("tiles", TILES), ("logo", LOGO), ("cyst", CYST)]);
        let kinds = Kind::ALL.iter().map(|&kind| (kind.name(), appearance(kind).sprite, Some(kind)));
        others.map(|(name, text)| (name, text, None)).chain(kinds).collect()
    }

    #[test]
    fn every_file_can_be_read() {
        for (name, text, _) in files() {
            assert!(Sprite::read(text).is_ok(), "art/{name}.txt: {}", Sprite::read(text).unwrap_err());
        }
    }

    #[test]
    fn every_kind_has_a_file_of_its_own() {
        // Walls are drawn from tiles.
        let kinds: Vec<Kind> = Kind::ALL.iter().copied().filter(|&kind| kind != Kind::Wall).collect();
        let texts: std::collections::BTreeSet<&str> = kinds.iter().map(|&kind| appearance(kind).sprite).collect();
        assert_eq!(texts.len(), kinds.len(), "two kinds share a sprite file");
    }

    #[test]
    fn every_sprite_is_about_as_large_as_its_kind() {
        for &kind in Kind::ALL {
            let sprite = match kind {
                Kind::Player => ART.ship(ShipModel::Arrow, None, 0),
                kind => ART.of(kind, 0, false),
            };
            let sprite = sprite.unwrap_or_else(|| panic!("art/{}.txt is missing", kind.name()));
            let (width, height) = kind.size_px();
            let near = |a: i32, b: i32| (a - b).abs() <= 6;
            assert!(near(sprite.width(), width) && near(sprite.height(), height), "{}", kind.name());
        }
    }

    #[test]
    fn what_hangs_does_not_turn() {
        for &kind in Kind::ALL.iter().filter(|&&kind| can_hang(kind)) {
            assert_eq!(Sheet(kind).facing(), Facing::Neither, "{}", kind.name());
        }
    }

    #[test]
    fn sheets_have_a_cell_for_every_image_that_is_shown_in_turn() {
        for &kind in Kind::ALL.iter().filter(|&&kind| appearance(kind).animation == Animation::ByTime) {
            let pictures = if kind == Kind::Wall { 1 } else { ART.len(kind) };
            assert_eq!(usize::from(Sheet(kind).pictures()), pictures, "{}: mend protocol/src/sheet.rs", kind.name());
        }
    }

    #[test]
    fn only_enemy_shots_use_the_brightest_colours() {
        for (name, text, kind) in files() {
            let is_enemy_shot = kind.is_some_and(|kind| kind.class() == Class::EnemyShot);
            let rows = text.lines().filter(|line| !line.starts_with('#'));
            assert_eq!(rows.into_iter().any(|row| row.contains(['@', '*'])), is_enemy_shot, "art/{name}.txt");
        }
    }

    #[test]
    fn enemies_are_warm_and_ships_are_cool() {
        let share_of_warm = |sprite: &Sprite| {
            let colours = (0..sprite.height()).flat_map(|y| (0..sprite.width()).filter_map(move |x| sprite.at(x, y)));
            let rgb: Vec<[u8; 3]> = colours.map(|colour| super::super::Palette::Default.rgb(colour)).collect();
            rgb.iter().filter(|[red, _, blue]| red > blue).count() * 100 / rgb.len()
        };
        for &kind in Kind::ALL.iter().filter(|kind| matches!(kind.class(), Class::Enemy | Class::Boss)) {
            let sprite = ART.of(kind, 0, false).expect("a sprite");
            assert!(share_of_warm(sprite) > 50, "{} is not warm", kind.name());
        }
        for (model, seat) in ShipModel::ALL.into_iter().flat_map(|model| Seat::ALL.map(|seat| (model, seat))) {
            assert!(share_of_warm(ART.ship(model, Some(seat), 0).expect("a ship")) < 10, "{model:?} {seat:?}");
        }
    }

    #[test]
    fn the_four_ships_differ_in_shape() {
        let outline = |model| -> Vec<bool> {
            let ship = ART.ship(model, None, 0).expect("a ship");
            (0..ship.height()).flat_map(|y| (0..ship.width()).map(move |x| ship.at(x, y).is_some())).collect()
        };
        for (index, model) in ShipModel::ALL.into_iter().enumerate() {
            for other in &ShipModel::ALL[..index] {
                let differing = outline(model).iter().zip(outline(*other)).filter(|(a, b)| **a != *b).count();
                assert!(differing > 60, "{model:?} and {other:?} differ in {differing} pixels");
            }
        }
    }

    #[test]
    fn a_ship_has_the_shape_of_its_model_and_the_colours_of_its_seat() {
        let has = |model, seat, letter: u8| {
            let ship = ART.ship(model, Some(Seat::ALL[seat]), 0).expect("a ship");
            let colour = Some(Colour::of(letter));
            (0..ship.height()).any(|y| (0..ship.width()).any(|x| ship.at(x, y) == colour))
        };
        assert!(has(ShipModel::Wasp, 1, b'R') && !has(ShipModel::Wasp, 1, b'Y'));
        assert!(has(ShipModel::Wasp, 3, b'Y') && !has(ShipModel::Wasp, 3, b'R'));
    }

    #[test]
    fn a_force_has_the_colours_of_its_seat_and_its_crystal() {
        let core = Colour::of(b'd').number() as usize;
        let rim = Colour::of(b'L').number() as usize;
        assert_eq!(FORCE_DYES[1][2][core], Colour::of(b'Q').number());
        assert_eq!(FORCE_DYES[1][2][rim], Colour::of(b'U').number());
    }
}
