//! What things are made of, as far as it can be heard.

use game::Kind;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Material {
    Metal,
    Flesh,
    Rock,
}

/// What an enemy, a boss or a block is made of; a kind that is forgotten does not compile.
pub const fn material(kind: Kind) -> Material {
    match kind {
        Kind::Clinger | Kind::Hive | Kind::Larva => Material::Flesh,
        Kind::Spore | Kind::Leech | Kind::Polyp | Kind::Mite => Material::Flesh,
        Kind::Brood | Kind::BroodSac | Kind::BroodMaw => Material::Flesh,
        Kind::Matriarch | Kind::MatriarchArm | Kind::MatriarchEye => Material::Flesh,
        Kind::Splitter | Kind::Shard | Kind::Debris | Kind::Block | Kind::Wall => Material::Rock,
        Kind::Drone | Kind::Dart | Kind::Walker | Kind::Turret | Kind::Seeker | Kind::Chaser => Material::Metal,
        Kind::Warden | Kind::Carrier | Kind::Gunship | Kind::Mine | Kind::Bomber | Kind::Sentry => Material::Metal,
        Kind::Salvager | Kind::SalvagerClaw | Kind::SalvagerEye => Material::Metal,
        Kind::Keeper | Kind::KeeperGun | Kind::KeeperCore => Material::Metal,
        Kind::Lancer | Kind::Hatch | Kind::Rover | Kind::Grinder => Material::Metal,
        Kind::Gatehouse | Kind::GatehouseGun | Kind::GatehouseLock => Material::Metal,
        Kind::Heart | Kind::HeartCoil | Kind::HeartCore => Material::Metal,
        Kind::Player | Kind::Force | Kind::Bit | Kind::Pellet | Kind::Bomb | Kind::Lance => Material::Metal,
        Kind::Shot | Kind::Beam | Kind::RedLaser | Kind::BlueLaser | Kind::YellowLaser | Kind::Missile => {
            Material::Metal
        }
        Kind::RedCrystal | Kind::BlueCrystal | Kind::YellowCrystal => Material::Rock,
        Kind::MissilePack | Kind::BitPack | Kind::SpeedUp => Material::Metal,
        Kind::Explosion | Kind::BigExplosion => Material::Metal,
    }
}
