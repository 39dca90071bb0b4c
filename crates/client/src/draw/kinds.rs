//! How each kind is drawn: its sprite file, and what decides which of its images is shown. Which way it looks, and for how
//! long an image stays, is in `protocol`'s `sheet.rs`.
//!
//! Every kind has its line in [`appearance`]: one that is forgotten does not compile. What a kind sounds like and what it
//! leaves behind follow from its class and its size.

use game::Kind;

/// How a kind is drawn.
#[derive(Clone, Copy, Debug)]
pub(super) struct Appearance {
    /// The text of its sprite file.
    pub(super) sprite: &'static str,
    pub(super) animation: Animation,
}

/// Which image of its sprite file an entity shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Animation {
    /// One after the other, as the timing of its sheet says.
    ByTime,
    /// Closed, half open, open; of a lancer: dark, kindling, glowing.
    WeakPoint,
    /// The drawing code of this kind decides: `painter/entities.rs`.
    ByState,
}

macro_rules! sprite {
    ($name:literal) => {
        include_str!(concat!("../../../../art/", $name, ".txt"))
    };
}
pub(super) use sprite;

/// Whether it stands on terrain, and is drawn upside down where it stands on a ceiling.
pub(super) const fn can_hang(kind: Kind) -> bool {
    matches!(kind, Kind::Turret | Kind::Polyp | Kind::Rover | Kind::Hatch)
}

/// How a kind is drawn.
pub(super) const fn appearance(kind: Kind) -> Appearance {
    use Animation::{ByState, ByTime, WeakPoint};
    let plain = Appearance { sprite: "", animation: ByTime };
    match kind {
        // Each seat has a ship of its own: `art.rs`.
        Kind::Player => plain.drawn(sprite!("ship1")).animated(ByState),
        Kind::Force => plain.drawn(sprite!("force")).animated(ByState),
        Kind::Bit => plain.drawn(sprite!("bit")),

        Kind::Shot => plain.drawn(sprite!("shot")),
        Kind::Beam => plain.drawn(sprite!("beam")).animated(ByState),
        Kind::RedLaser => plain.drawn(sprite!("red_laser")),
        Kind::BlueLaser => plain.drawn(sprite!("blue_laser")).animated(ByState),
        Kind::YellowLaser => plain.drawn(sprite!("yellow_laser")),
        Kind::Missile => plain.drawn(sprite!("missile")).animated(ByState),

        Kind::RedCrystal => plain.drawn(sprite!("red_crystal")),
        Kind::BlueCrystal => plain.drawn(sprite!("blue_crystal")),
        Kind::YellowCrystal => plain.drawn(sprite!("yellow_crystal")),
        Kind::MissilePack => plain.drawn(sprite!("missile_pack")),
        Kind::BitPack => plain.drawn(sprite!("bit_pack")),
        Kind::SpeedUp => plain.drawn(sprite!("speed_up")),

        Kind::Drone => plain.drawn(sprite!("drone")),
        Kind::Dart => plain.drawn(sprite!("dart")),
        Kind::Walker => plain.drawn(sprite!("walker")),
        Kind::Clinger => plain.drawn(sprite!("clinger")),
        Kind::Turret => plain.drawn(sprite!("turret")),
        Kind::Seeker => plain.drawn(sprite!("seeker")),
        Kind::Chaser => plain.drawn(sprite!("chaser")),
        Kind::Splitter => plain.drawn(sprite!("splitter")),
        Kind::Shard => plain.drawn(sprite!("shard")),
        Kind::Warden => plain.drawn(sprite!("warden")),
        Kind::Hive => plain.drawn(sprite!("hive")),
        Kind::Larva => plain.drawn(sprite!("larva")),
        Kind::Carrier => plain.drawn(sprite!("carrier")),
        Kind::Gunship => plain.drawn(sprite!("gunship")),
        Kind::Mine => plain.drawn(sprite!("mine")),
        Kind::Bomber => plain.drawn(sprite!("bomber")),
        Kind::Debris => plain.drawn(sprite!("debris")),
        Kind::Sentry => plain.drawn(sprite!("sentry")),
        Kind::Spore => plain.drawn(sprite!("spore")),
        Kind::Leech => plain.drawn(sprite!("leech")),
        Kind::Polyp => plain.drawn(sprite!("polyp")),
        Kind::Mite => plain.drawn(sprite!("mite")),
        Kind::Lancer => plain.drawn(sprite!("lancer")).animated(WeakPoint),
        Kind::Hatch => plain.drawn(sprite!("hatch")).animated(WeakPoint),
        Kind::Rover => plain.drawn(sprite!("rover")),
        Kind::Grinder => plain.drawn(sprite!("grinder")),

        Kind::Salvager | Kind::SalvagerClaw | Kind::SalvagerEye => boss_appearance(kind),
        Kind::Keeper | Kind::KeeperGun | Kind::KeeperCore => boss_appearance(kind),
        Kind::Brood | Kind::BroodSac | Kind::BroodMaw => boss_appearance(kind),
        Kind::Matriarch | Kind::MatriarchArm | Kind::MatriarchEye => boss_appearance(kind),
        Kind::Gatehouse | Kind::GatehouseGun | Kind::GatehouseLock => boss_appearance(kind),
        Kind::Heart | Kind::HeartCoil | Kind::HeartCore => boss_appearance(kind),

        Kind::Pellet => plain.drawn(sprite!("pellet")),
        Kind::Bomb => plain.drawn(sprite!("bomb")),
        Kind::Lance => plain.drawn(sprite!("lance")),

        Kind::Block => plain.drawn(sprite!("block")),
        // Walls are drawn as terrain, from tiles: `painter/terrain.rs`.
        Kind::Wall => plain.drawn(sprite!("block")),

        Kind::Explosion => plain.drawn(sprite!("explosion")).animated(ByState),
        Kind::BigExplosion => plain.drawn(sprite!("big_explosion")).animated(ByState),
    }
}

/// How a boss and its parts are drawn; anything else has no picture here.
const fn boss_appearance(kind: Kind) -> Appearance {
    let plain = Appearance { sprite: "", animation: Animation::ByTime };
    let weak_point = Appearance { sprite: "", animation: Animation::WeakPoint };
    match kind {
        Kind::Salvager => plain.drawn(sprite!("salvager")),
        Kind::SalvagerClaw => plain.drawn(sprite!("salvager_claw")),
        Kind::SalvagerEye => weak_point.drawn(sprite!("salvager_eye")),
        Kind::Keeper => plain.drawn(sprite!("keeper")),
        Kind::KeeperGun => plain.drawn(sprite!("keeper_gun")),
        Kind::KeeperCore => weak_point.drawn(sprite!("keeper_core")),
        Kind::Brood => plain.drawn(sprite!("brood")),
        Kind::BroodSac => plain.drawn(sprite!("brood_sac")),
        Kind::BroodMaw => weak_point.drawn(sprite!("brood_maw")),
        Kind::Matriarch => plain.drawn(sprite!("matriarch")),
        Kind::MatriarchArm => plain.drawn(sprite!("matriarch_arm")),
        Kind::MatriarchEye => weak_point.drawn(sprite!("matriarch_eye")),
        Kind::Gatehouse => plain.drawn(sprite!("gatehouse")),
        Kind::GatehouseGun => plain.drawn(sprite!("gatehouse_gun")),
        Kind::GatehouseLock => weak_point.drawn(sprite!("gatehouse_lock")),
        Kind::Heart => plain.drawn(sprite!("heart")),
        Kind::HeartCoil => plain.drawn(sprite!("heart_coil")),
        Kind::HeartCore => weak_point.drawn(sprite!("heart_core")),
        // A test asks for a picture of every kind.
        _ => plain,
    }
}

impl Appearance {
    const fn drawn(self, sprite: &'static str) -> Appearance {
        Appearance { sprite, ..self }
    }

    const fn animated(self, animation: Animation) -> Appearance {
        Appearance { animation, ..self }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kind_has_a_picture() {
        for &kind in Kind::ALL {
            assert!(!appearance(kind).sprite.is_empty(), "{kind:?}");
        }
    }
}
