//! What a ship was lost to, in words.

use game::Kind;

use crate::language::Phrase;

/// What a player is told that a ship was lost to. A kind of enemy that is forgotten does not compile.
pub(super) fn cause_of(kind: Kind) -> Phrase {
    match kind {
        Kind::Drone => Phrase::CauseDrone,
        Kind::Dart => Phrase::CauseDart,
        Kind::Walker => Phrase::CauseWalker,
        Kind::Clinger => Phrase::CauseClinger,
        Kind::Turret => Phrase::CauseTurret,
        Kind::Seeker => Phrase::CauseSeeker,
        Kind::Chaser => Phrase::CauseChaser,
        Kind::Splitter => Phrase::CauseSplitter,
        Kind::Shard => Phrase::CauseShard,
        Kind::Warden => Phrase::CauseWarden,
        Kind::Hive => Phrase::CauseHive,
        Kind::Larva => Phrase::CauseLarva,
        Kind::Carrier => Phrase::CauseCarrier,
        Kind::Gunship => Phrase::CauseGunship,
        Kind::Mine => Phrase::CauseMine,
        Kind::Bomber => Phrase::CauseBomber,
        Kind::Debris => Phrase::CauseRock,
        Kind::Sentry => Phrase::CauseSentry,
        Kind::Spore => Phrase::CauseSpore,
        Kind::Leech => Phrase::CauseLeech,
        Kind::Polyp => Phrase::CausePolyp,
        Kind::Mite => Phrase::CauseMite,
        Kind::Lancer => Phrase::CauseLancer,
        Kind::Hatch => Phrase::CauseHatch,
        Kind::Rover => Phrase::CauseRover,
        Kind::Grinder => Phrase::CauseGrinder,
        Kind::Salvager | Kind::SalvagerClaw | Kind::SalvagerEye => Phrase::CauseSalvager,
        Kind::Keeper | Kind::KeeperGun | Kind::KeeperCore => Phrase::CauseKeeper,
        Kind::Brood | Kind::BroodSac | Kind::BroodMaw => Phrase::CauseBrood,
        Kind::Matriarch | Kind::MatriarchArm | Kind::MatriarchEye => Phrase::CauseMatriarch,
        Kind::Gatehouse | Kind::GatehouseGun | Kind::GatehouseLock => Phrase::CauseGatehouse,
        Kind::Heart | Kind::HeartCoil | Kind::HeartCore => Phrase::CauseHeart,
        // A shot outlives whoever fired it, and nobody keeps in mind who that was.
        Kind::Pellet => Phrase::CauseShot,
        Kind::Bomb => Phrase::CauseBomb,
        Kind::Lance => Phrase::CauseLance,
        Kind::Block | Kind::Wall => Phrase::CauseWall,
        // No ship is lost to these; a server of another make may say so all the same.
        Kind::Player
        | Kind::Force
        | Kind::Bit
        | Kind::Shot
        | Kind::Beam
        | Kind::RedLaser
        | Kind::BlueLaser
        | Kind::YellowLaser
        | Kind::Missile
        | Kind::RedCrystal
        | Kind::BlueCrystal
        | Kind::YellowCrystal
        | Kind::MissilePack
        | Kind::BitPack
        | Kind::SpeedUp
        | Kind::Explosion
        | Kind::BigExplosion => Phrase::CauseEnemy,
    }
}

#[cfg(test)]
mod tests {
    use game::Class;

    use super::*;
    use crate::language::Language;

    #[test]
    fn every_kind_of_enemy_and_every_boss_has_a_name_of_its_own() {
        let is_foe = |kind: &Kind| matches!(kind.class(), Class::Enemy | Class::EnemyShot);
        for language in Language::ALL {
            let bosses = game::tuning::BOSSES.iter().map(|boss| boss.hull);
            let foes = Kind::ALL.iter().copied().filter(is_foe).chain(bosses);
            let mut names: Vec<&str> = foes.map(|kind| language.translate(cause_of(kind))).collect();
            let count = names.len();
            names.sort_unstable();
            names.dedup();
            assert_eq!(names.len(), count, "{language:?}");
            assert!(!names.contains(&language.translate(Phrase::CauseEnemy)), "{language:?}");
        }
    }

    #[test]
    fn a_part_of_a_boss_is_that_boss() {
        for boss in &game::tuning::BOSSES {
            assert!(boss.parts.iter().all(|(part, _)| cause_of(*part) == cause_of(boss.hull)), "{:?}", boss.hull);
        }
    }

    #[test]
    fn a_rock_and_a_wall_are_told_apart() {
        assert_eq!(cause_of(Kind::Debris), Phrase::CauseRock);
        assert_eq!([cause_of(Kind::Wall), cause_of(Kind::Block)], [Phrase::CauseWall; 2]);
    }
}
