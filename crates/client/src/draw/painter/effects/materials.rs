//! What things are made of, which shows when they are hit.

use game::{Class, Kind};

use super::{FIRE, Fade, STEEL};

/// What something is made of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in super::super) enum Material {
    Metal,
    /// It bleeds.
    Flesh,
    /// It crumbles.
    Rock,
    /// Armour that nothing hurts: shots glance off.
    Armour,
}

const BLOOD: Fade = b"jiihhg";
const ICHOR: Fade = b"oonmll";
const DUST: Fade = b"ssrrqqp";

impl Material {
    pub(in super::super) fn of(kind: Kind) -> Material {
        let has_health = game::tuning::body(kind).health > 0;
        match (kind.class(), kind) {
            (Class::Block | Class::Wall, _) | (_, Kind::Debris) => Material::Rock,
            (_, kind) if is_alive(kind) => Material::Flesh,
            (Class::Boss, _) if !has_health => Material::Armour,
            (Class::Boss | Class::Enemy | Class::EnemyShot | Class::Player | Class::Gear, _) => Material::Metal,
            (Class::PlayerShot | Class::Item | Class::Effect, _) => Material::Metal,
        }
    }

    pub(super) fn fade(self, chance: u32) -> Fade {
        match (self, chance) {
            (Material::Metal, 0) => STEEL,
            (Material::Metal, _) => FIRE,
            (Material::Flesh, 0) => ICHOR,
            (Material::Flesh, _) => BLOOD,
            (Material::Rock, _) => DUST,
            (Material::Armour, _) => STEEL,
        }
    }

    /// How many sparks a hit gives.
    pub(super) fn sparks(self) -> u32 {
        match self {
            Material::Metal => 6,
            Material::Flesh => 7,
            Material::Rock => 5,
            Material::Armour => 3,
        }
    }

    pub(super) fn speed_px(self) -> i32 {
        match self {
            Material::Metal => 140,
            Material::Flesh => 90,
            Material::Rock => 80,
            Material::Armour => 190,
        }
    }

    /// By how much its sparks fall faster each tick, in sub-pixels.
    pub(super) fn weight(self) -> i32 {
        match self {
            Material::Metal | Material::Armour => 0,
            Material::Flesh => 14,
            Material::Rock => 20,
        }
    }
}

fn is_alive(kind: Kind) -> bool {
    matches!(
        kind,
        Kind::Hive
            | Kind::Larva
            | Kind::Clinger
            | Kind::Spore
            | Kind::Leech
            | Kind::Polyp
            | Kind::Mite
            | Kind::Brood
            | Kind::BroodSac
            | Kind::BroodMaw
            | Kind::Matriarch
            | Kind::MatriarchArm
            | Kind::MatriarchEye
            | Kind::Heart
    )
}
