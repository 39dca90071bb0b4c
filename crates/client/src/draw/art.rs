//! The sprites of every kind, read once from `art/`, and the tables that dye them.

use std::sync::LazyLock;

use game::{Kind, Seat};

use super::{
    palette::{COLOURS, Colour},
    sprite::Sprite,
};

macro_rules! files {
    ($($name:literal)+) => {
        /// The name and the text of every sprite file.
        pub(super) const FILES: &[(&str, &str)] = &[$(($name, include_str!(concat!("../../../../art/", $name, ".txt"))),)+];
    };
}

files! {
    "ship1" "ship2" "ship3" "ship4" "force" "bit" "shot" "beam" "red_laser" "blue_laser" "yellow_laser" "missile"
    "red_crystal" "blue_crystal" "yellow_crystal" "missile_pack" "bit_pack" "speed_up"
    "drone" "dart" "walker" "clinger" "turret" "seeker" "chaser" "splitter" "shard" "warden" "hive" "larva" "carrier"
    "gunship" "mine" "bomber" "debris"
    "salvager" "salvager_claw" "salvager_eye" "keeper" "keeper_gun" "keeper_core"
    "pellet" "bomb" "lance" "block" "explosion" "big_explosion" "tiles" "logo"
}

/// All sprites.
pub(super) struct Art {
    /// By the kind's number; ships are apart.
    kinds: Vec<Vec<Sprite>>,
    /// By seat.
    ships: [Vec<Sprite>; 4],
    /// What [`Art::kinds`] has, looking the other way; only for what turns.
    mirrored: Vec<Vec<Sprite>>,
    /// Tiles of terrain.
    pub(super) tiles: Vec<Sprite>,
    /// The name of the game.
    pub(super) logo: Vec<Sprite>,
}

/// Read once; a test rules out that a file is broken or missing.
pub(super) static ART: LazyLock<Art> = LazyLock::new(|| {
    let mut kinds = vec![Vec::new(); Kind::ALL.iter().map(|kind| kind.number()).max().unwrap_or(0) as usize + 1];
    let mut mirrored = kinds.clone();
    for &kind in Kind::ALL {
        let frames = frames(kind.name());
        if turns(kind) {
            mirrored[kind.number() as usize] = frames.iter().map(Sprite::mirrored).collect();
        }
        kinds[kind.number() as usize] = frames;
    }
    let ships = ["ship1", "ship2", "ship3", "ship4"].map(frames);
    Art { kinds, ships, mirrored, tiles: frames("tiles"), logo: frames("logo") }
});

fn frames(name: &str) -> Vec<Sprite> {
    let file = FILES.iter().find(|(known, _)| *known == name);
    file.and_then(|(_, text)| Sprite::read(text).ok()).unwrap_or_default()
}

/// Kinds that look where they fly.
pub(super) fn turns(kind: Kind) -> bool {
    matches!(kind, Kind::Chaser | Kind::Dart | Kind::Shot | Kind::BlueLaser | Kind::Larva | Kind::Lance)
}

impl Art {
    /// A picture of a kind; any number will do.
    pub(super) fn of(&self, kind: Kind, frame: usize, is_mirrored: bool) -> Option<&Sprite> {
        let table = if is_mirrored && turns(kind) { &self.mirrored } else { &self.kinds };
        let frames = table.get(kind.number() as usize)?;
        frames.get(frame % frames.len().max(1))
    }

    /// How many pictures a kind has.
    pub(super) fn len(&self, kind: Kind) -> usize {
        self.kinds.get(kind.number() as usize).map_or(0, Vec::len)
    }

    /// The ship of a seat: level, rising or sinking.
    pub(super) fn ship(&self, seat: Option<Seat>, tilt: u8) -> Option<&Sprite> {
        let frames = &self.ships[seat.map_or(0, Seat::index)];
        frames.get(usize::from(tilt) % frames.len().max(1))
    }
}

/// The tables that turn the cyan of gear and shots into a seat's own colours.
pub(super) static SEAT_DYES: LazyLock<[[u8; COLOURS]; 4]> =
    LazyLock::new(|| [dye("", ""), dye("JKLM", "OPQR"), dye("JKLM", "STUV"), dye("JKLM", "WXYZ")]);

/// For a Force: by crystal, then by seat.
pub(super) static FORCE_DYES: LazyLock<[[[u8; COLOURS]; 4]; 3]> = LazyLock::new(|| {
    ["abcdef", "OOPQRN", "kklmno"].map(|crystal| {
        let crystal = dye("abcdef", crystal);
        SEAT_DYES.map(|seat| {
            std::array::from_fn(|number| if seat[number] == number as u8 { crystal[number] } else { seat[number] })
        })
    })
});

/// A table that replaces the colours of some letters by those of others.
pub(super) fn dye(from: &str, to: &str) -> [u8; COLOURS] {
    let mut table = std::array::from_fn(|number| number as u8);
    for (from, to) in from.bytes().zip(to.bytes()) {
        table[Colour::of(from).number() as usize] = Colour::of(to).number();
    }
    table
}

#[cfg(test)]
mod tests {
    use super::*;
    use game::Class;

    #[test]
    fn every_file_is_sound() {
        for (name, text) in FILES {
            assert!(Sprite::read(text).is_ok(), "art/{name}.txt: {}", Sprite::read(text).unwrap_err());
        }
    }

    #[test]
    fn every_kind_has_a_picture_of_about_its_size() {
        for &kind in Kind::ALL {
            let sprite = match kind {
                Kind::Player => ART.ship(None, 0),
                kind => ART.of(kind, 0, false),
            };
            let sprite = sprite.unwrap_or_else(|| panic!("art/{}.txt is missing", kind.name()));
            let (width, height) = kind.size_px();
            let near = |a: i32, b: i32| (a - b).abs() <= 6;
            assert!(near(sprite.width(), width) && near(sprite.height(), height), "{}", kind.name());
        }
    }

    #[test]
    fn only_the_shots_of_enemies_are_as_bright_as_peril() {
        for (name, text) in FILES {
            let is_enemy_shot = Kind::from_name(name).is_some_and(|kind| kind.class() == Class::EnemyShot);
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
            let sprite = ART.of(kind, 0, false).expect("a picture");
            assert!(share_of_warm(sprite) > 50, "{} is not warm", kind.name());
        }
        for seat in Seat::ALL {
            assert!(share_of_warm(ART.ship(Some(seat), 0).expect("a ship")) < 10);
        }
    }

    #[test]
    fn the_four_ships_differ_in_shape() {
        let outline = |seat| -> Vec<bool> {
            let ship = ART.ship(Some(seat), 0).expect("a ship");
            (0..ship.height()).flat_map(|y| (0..ship.width()).map(move |x| ship.at(x, y).is_some())).collect()
        };
        for (index, seat) in Seat::ALL.into_iter().enumerate() {
            for other in &Seat::ALL[..index] {
                let differing = outline(seat).iter().zip(outline(*other)).filter(|(a, b)| **a != *b).count();
                assert!(differing > 60, "{seat:?} and {other:?} differ in {differing} pixels");
            }
        }
    }

    #[test]
    fn a_force_shows_its_seat_and_its_crystal() {
        let core = Colour::of(b'd').number() as usize;
        let rim = Colour::of(b'L').number() as usize;
        assert_eq!(FORCE_DYES[1][2][core], Colour::of(b'Q').number());
        assert_eq!(FORCE_DYES[1][2][rim], Colour::of(b'U').number());
    }
}
