//! The shapes of things, drawn in letters: `#` main colour, `+` lighter, `-` darker, `o` white, `x` the accent of what carries a
//! crystal, anything else clear.
//!
//! A shape is stretched to its kind's size, so its grid need not have the right proportions.

use game::{Class, Kind, Seat};

/// Rows of a shape from the top.
pub(super) type Shape = &'static [&'static str];

/// The shape of a kind; ships differ by seat.
pub(super) fn shape(kind: Kind, seat: Option<Seat>) -> Shape {
    match kind {
        Kind::Player => SHIPS[seat.map_or(0, Seat::index)],
        Kind::Force => &["..##..", ".#xx#.", "#xxoo#", "#xxxx#", ".#xx#.", "..##.."],
        Kind::Bit | Kind::SalvagerEye | Kind::KeeperCore => &[".##.", "#++#", "#++#", ".##."],
        Kind::Beam => &["...-+##...", ".-+###oo#.", "-+###oooo#", ".-+###oo#.", "...-+##..."],
        Kind::Shot => &["-#+"],
        Kind::Missile => &["-##o"],
        Kind::RedLaser => &["#+#+#+"],
        Kind::RedCrystal | Kind::BlueCrystal | Kind::YellowCrystal => &[".++.", "+##-", "+##-", ".--."],
        Kind::MissilePack | Kind::BitPack | Kind::SpeedUp => &["++++", "+o#-", "----"],
        Kind::Drone => &[".+##.", "##o##", ".-##."],
        Kind::Dart => &["...##+", "o#####", "...##-"],
        Kind::Walker => &[".+##.", "#o##-", "#---#"],
        Kind::Clinger => &["#-#-#", ".+##.", "..o.."],
        Kind::Turret => &["+#...", ".###.", "#####"],
        Kind::Seeker => &[".+#.", "+o##", ".##-"],
        Kind::Chaser => &["##+...", "#####o", "##-..."],
        Kind::Splitter => &[".+##.", "+####", "##o#-", ".#--."],
        Kind::Shard => &["+#", "#-"],
        Kind::Warden => &[".+++.", "+...#", "+.o.#", "#...-", ".#--."],
        Kind::Hive => &[".+##.", "+#o##", "#o#o-", ".##-."],
        Kind::Larva => &["+##", "o#-"],
        Kind::Carrier => &["+#####", "##oo#-", ".#--#."],
        Kind::Gunship => &["..+###.", "o######", ".o###--", "..##-.."],
        Kind::Mine => &["#.+.#", ".+##.", "+#o#-", ".##-.", "#.-.#"],
        Kind::Bomber => &["...++..", "+#####-", "..o-o.."],
        Kind::Debris => &[".+#.", "+##-", ".#--"],
        Kind::Salvager => &["...++##-", ".+###--#", "+##--##-", "+#-..-#-", "+##--##-", ".##--#--", "...###--"],
        Kind::SalvagerClaw => &["..####", "##----", "#....."],
        Kind::Keeper => &[
            "....+++##",
            "..+####--",
            ".+##--#-#",
            ".##-..-##",
            "+##-..-#-",
            "+##-..-#-",
            ".##-..-##",
            ".###--#-#",
            "..#####--",
            "....###--",
        ],
        Kind::KeeperGun => &["..+##", "o####", "..#--"],
        Kind::Bomb => &[".#.", "###", "###", ".#."],
        Kind::Block => &["++#-", "+##-", "#---"],
        kind if kind.class() == Class::Effect => BURST,
        _ => &["#"],
    }
}

/// The four ships: an arrow, a fork, a delta and a ring.
const SHIPS: [Shape; 4] = [
    &[
        "-##...........",
        ".-+##.........",
        "--+####oo#....",
        "-+#######oo###",
        "--########....",
        ".-###.........",
        "-##...........",
    ],
    &[
        "..-+++#####...",
        ".-#####++#####",
        "..--#.........",
        "-+###oo#......",
        "..--#.........",
        ".-#####++#####",
        "..-########...",
    ],
    &[
        "-+............",
        "-+##..........",
        ".-+###........",
        ".-+#####oo#...",
        "--+########+##",
        "...-#####.....",
        ".....--.......",
    ],
    &[
        "...-+###......",
        "..-#....##....",
        ".-+#....##oo..",
        "-+##....#####+",
        ".-+#....####..",
        "..-#....##....",
        "...-####......",
    ],
];

/// Round, with a hot middle.
const BURST: Shape = &["..##..", ".#++#.", "#+oo+#", "#+oo+#", ".#++#.", "..##.."];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_shape_is_a_rectangle_that_shows_something() {
        for &kind in Kind::ALL {
            for seat in Seat::ALL {
                let shape = shape(kind, Some(seat));
                assert!(shape.iter().all(|row| row.len() == shape[0].len()), "{}", kind.name());
                assert!(shape.iter().any(|row| row.contains(['#', '+', 'o'])), "{}", kind.name());
            }
        }
    }

    #[test]
    fn the_four_ships_differ() {
        for (index, ship) in SHIPS.iter().enumerate() {
            assert!(SHIPS[..index].iter().all(|other| other != ship));
        }
    }
}
