//! The colours of the drawing: players cool, enemies warm, enemy shots brighter than anything else.

use game::{Class, Entity, Kind, Seat};

use super::pixels::Rgb;

/// The ships of the four seats, and all that belongs to them.
pub(super) const SEATS: [Rgb; 4] = [Rgb(70, 205, 255), Rgb(110, 140, 255), Rgb(80, 235, 165), Rgb(190, 130, 255)];
/// What nobody's seat has.
pub(super) const NOBODY: Rgb = Rgb(150, 175, 190);
/// What was just hit.
pub(super) const BLINK: Rgb = Rgb(245, 225, 225);
/// The top and the bottom of space.
pub(super) const SPACE: [Rgb; 2] = [Rgb(5, 6, 16), Rgb(12, 8, 24)];
/// Stars, from the farthest layer to the nearest.
pub(super) const STARS: [Rgb; 3] = [Rgb(40, 42, 64), Rgb(70, 74, 102), Rgb(116, 122, 148)];

/// The colour of a seat.
pub(super) fn seat(seat: Option<Seat>) -> Rgb {
    seat.map_or(NOBODY, |seat| SEATS[seat.index()])
}

/// The main colour of a kind, for what belongs to that seat.
pub(super) fn main(kind: Kind, owner: Option<Seat>) -> Rgb {
    match kind {
        Kind::Player | Kind::Bit | Kind::Force => seat(owner),
        Kind::Shot | Kind::Missile => seat(owner).mixed(Rgb(220, 235, 240), 90),
        Kind::Beam => Rgb(150, 225, 255).mixed(seat(owner), 130),
        Kind::RedLaser => Rgb(235, 90, 140),
        Kind::BlueLaser => Rgb(80, 130, 255),
        Kind::YellowLaser => Rgb(215, 200, 80),
        Kind::RedCrystal => Rgb(230, 60, 90),
        Kind::BlueCrystal => Rgb(70, 120, 240),
        Kind::YellowCrystal => Rgb(225, 205, 70),
        Kind::MissilePack => Rgb(150, 225, 120),
        Kind::BitPack => Rgb(120, 225, 215),
        Kind::SpeedUp => Rgb(215, 215, 225),
        Kind::Lance => Rgb(255, 240, 255),
        Kind::Pellet | Kind::Bomb => Rgb(255, 252, 200),
        Kind::Explosion | Kind::BigExplosion => Rgb(250, 160, 60),
        Kind::Block => Rgb(130, 104, 84),
        Kind::SalvagerEye | Kind::KeeperCore => Rgb(250, 120, 190),
        kind => warm(kind),
    }
}

/// The colour of a letter of a shape; `None` where it is clear.
pub(super) fn shade(letter: u8, main: Rgb, accent: Rgb) -> Option<Rgb> {
    match letter {
        b'#' => Some(main),
        b'x' => Some(accent),
        b'+' => Some(main.mixed(Rgb(225, 230, 235), 70)),
        b'-' => Some(main.mixed(Rgb::BLACK, 110)),
        b'o' => Some(main.mixed(Rgb(225, 235, 235), 150)),
        _ => None,
    }
}

/// How an entity's animation changes its main colour.
pub(super) fn animated(entity: &Entity) -> Rgb {
    let main = main(entity.kind, entity.seat);
    match (entity.kind.class(), entity.animation) {
        // A ship that nothing hurts is pale.
        (Class::Player, 3..) => main.mixed(Rgb(60, 70, 90), 140),
        (Class::Enemy | Class::Boss | Class::Block, 1) => main.mixed(BLINK, 170),
        // Shielded by a warden.
        (Class::Enemy, 2) => main.mixed(Rgb(230, 200, 120), 130),
        // A weak point is dull until it opens.
        (Class::Boss, 0) if matches!(entity.kind, Kind::SalvagerEye | Kind::KeeperCore) => main.mixed(Rgb::BLACK, 120),
        _ => main,
    }
}

/// The colour of the crystal that a Force carries.
pub(super) fn accent(entity: &Entity) -> Rgb {
    let crystal = match entity.animation / 4 {
        0 => Kind::RedCrystal,
        1 => Kind::BlueCrystal,
        _ => Kind::YellowCrystal,
    };
    main(crystal, None)
}

/// Enemies differ in hue from crimson to ochre, each kind in its own.
fn warm(kind: Kind) -> Rgb {
    const HUES: [Rgb; 6] = [
        Rgb(224, 84, 60),
        Rgb(228, 124, 48),
        Rgb(208, 64, 96),
        Rgb(214, 152, 62),
        Rgb(192, 78, 44),
        Rgb(222, 106, 104),
    ];
    match kind.class() {
        Class::Boss => Rgb(168, 74, 66),
        _ if kind == Kind::Debris => Rgb(124, 112, 104),
        _ => HUES[usize::from(kind.number()) % HUES.len()],
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn luminance(colour: Rgb) -> u32 {
        2 * u32::from(colour.0) + 5 * u32::from(colour.1) + u32::from(colour.2)
    }

    #[test]
    fn nothing_is_brighter_than_the_shots_of_enemies() {
        let shots = Kind::ALL.iter().filter(|kind| kind.class() == Class::EnemyShot);
        let dimmest = shots.map(|&kind| luminance(main(kind, None))).min().expect("enemies shoot");
        for &kind in Kind::ALL.iter().filter(|kind| kind.class() != Class::EnemyShot) {
            for (owner, letter) in Seat::ALL.into_iter().flat_map(|owner| b"#+-o".map(|letter| (owner, letter))) {
                let colour = main(kind, Some(owner)).mixed(BLINK, if kind.class() == Class::Enemy { 170 } else { 0 });
                let brightest = shade(letter, colour, colour).map_or(0, luminance);
                assert!(brightest < dimmest, "{} outshines enemy shots", kind.name());
            }
        }
    }

    #[test]
    fn enemies_are_warm_and_ships_are_cool() {
        for &kind in Kind::ALL.iter().filter(|kind| kind.class() == Class::Enemy) {
            let Rgb(red, _, blue) = main(kind, None);
            assert!(red > blue, "{} is not warm", kind.name());
        }
        for Rgb(red, green, blue) in SEATS {
            assert!(red < green.max(blue));
        }
    }
}
