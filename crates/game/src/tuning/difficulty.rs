//! What the difficulties differ in.

use crate::units::steps_of_ms;

/// The numbers of one difficulty. Sixteen sixteenths are normal.
pub struct Numbers {
    /// Lives of a player who joins, unless the lobby says otherwise.
    pub lives: u8,
    /// Whether points bring further lives.
    pub extra_lives: bool,
    /// Rate of enemy fire, in 1/16.
    pub fire_rate: u16,
    /// Speed of enemies, in 1/16.
    pub pace: i32,
    /// Speed of their shots, in 1/16.
    pub shot_pace: i32,
    /// Health of enemies, in 1/16.
    pub health: u16,
    /// Rate of fire of bosses, in 1/16: where enemies hardly fire at all, a boss still is a fight.
    pub boss_fire_rate: u16,
    /// Health of bosses and their parts, in 1/16.
    pub boss_health: u16,
    /// By what the damage of a plain shot to a weak point is divided: on easy a boss can be beaten by tapping, too.
    pub armour: u16,
    /// Enemies of a formation in the endless stage, in 1/16.
    pub count: i32,
    /// One in this many enemies of a stage stays away; 0: all come.
    pub leaves_out: u32,
    /// Added to the pause between two waves of the endless stage, in steps.
    pub longer_pause: u16,
}

/// By difficulty: easy, normal, hard.
pub const NUMBERS: [Numbers; 3] = [
    Numbers {
        lives: 6,
        extra_lives: true,
        fire_rate: 4,
        pace: 13,
        shot_pace: 10,
        health: 10,
        boss_fire_rate: 7,
        boss_health: 9,
        armour: 1,
        count: 12,
        leaves_out: 2,
        longer_pause: steps_of_ms(1000),
    },
    Numbers {
        lives: super::LIVES_AT_FIRST,
        extra_lives: true,
        fire_rate: 16,
        pace: 16,
        shot_pace: 16,
        health: 16,
        boss_fire_rate: 16,
        boss_health: 16,
        armour: super::ARMOUR,
        count: 16,
        leaves_out: 0,
        longer_pause: 0,
    },
    Numbers {
        lives: 2,
        extra_lives: false,
        fire_rate: 54,
        pace: 21,
        shot_pace: 25,
        health: 20,
        boss_fire_rate: 54,
        boss_health: 20,
        armour: super::ARMOUR,
        count: 20,
        leaves_out: 0,
        longer_pause: 0,
    },
];
