//! Every kind of thing there is, with its stable number and name.
//!
//! Numbers and names go over the wire in several dialects and into replays: a line may be added, never changed.

use borsh::{BorshDeserialize, BorshSerialize};

/// What a kind is to the player, which also orders what is left out first when space is short.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Class {
    /// A player's ship.
    Player,
    /// A Force or a Bit.
    Gear,
    /// A boss or a part of one.
    Boss,
    /// An enemy.
    Enemy,
    /// Something deadly that an enemy fired.
    EnemyShot,
    /// Something that a player fired.
    PlayerShot,
    /// Something to pick up.
    Item,
    /// A block of terrain that can be shot away.
    Block,
    /// Solid terrain.
    Wall,
    /// Something to look at only.
    Effect,
}

macro_rules! kinds {
    ($($(#[doc = $doc:literal])+ $variant:ident = $number:literal, $name:literal, $class:ident;)+) => {
        /// A kind of entity.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, BorshSerialize, BorshDeserialize)]
        #[borsh(use_discriminant = true)]
        #[repr(u8)]
        pub enum Kind {
            $($(#[doc = $doc])+ $variant = $number,)+
        }

        impl Kind {
            /// All kinds, by number.
            pub const ALL: &'static [Kind] = &[$(Kind::$variant,)+];

            /// The kind's stable name, in lower case with underscores.
            pub const fn name(self) -> &'static str {
                match self {
                    $(Kind::$variant => $name,)+
                }
            }

            /// What the kind is to a player.
            pub const fn class(self) -> Class {
                match self {
                    $(Kind::$variant => Class::$class,)+
                }
            }

            /// The first sentence of its description, for tables in the documentation.
            pub const fn description(self) -> &'static str {
                match self {
                    $(Kind::$variant => concat!($($doc),+).trim_ascii(),)+
                }
            }
        }
    };
}

kinds! {
    /// A player's ship.
    Player = 1, "player", Player;
    /// The indestructible orb.
    Force = 2, "force", Gear;
    /// A small orb above or below a ship.
    Bit = 3, "bit", Gear;

    /// A plain shot.
    Shot = 10, "shot", PlayerShot;
    /// The charged beam; its animation is its size, 0 to 3.
    Beam = 11, "beam", PlayerShot;
    /// Straight, strong, two strands entwined.
    RedLaser = 12, "red_laser", PlayerShot;
    /// Reflects off terrain.
    BlueLaser = 13, "blue_laser", PlayerShot;
    /// Crawls along ceiling and floor.
    YellowLaser = 14, "yellow_laser", PlayerShot;
    /// Homes in on an enemy.
    Missile = 15, "missile", PlayerShot;

    /// A crystal that brings or strengthens the Force and gives it the red laser.
    RedCrystal = 20, "red_crystal", Item;
    /// A crystal that brings or strengthens the Force and gives it the blue laser.
    BlueCrystal = 21, "blue_crystal", Item;
    /// A crystal that brings or strengthens the Force and gives it the yellow laser.
    YellowCrystal = 22, "yellow_crystal", Item;
    /// Homing missiles.
    MissilePack = 23, "missile_pack", Item;
    /// One Bit.
    BitPack = 24, "bit_pack", Item;
    /// A faster ship.
    SpeedUp = 25, "speed_up", Item;

    /// Flies in sine formation.
    Drone = 30, "drone", Enemy;
    /// Takes aim once, then dives straight.
    Dart = 31, "dart", Enemy;
    /// Walks on the floor and fires upwards.
    Walker = 32, "walker", Enemy;
    /// Clings to the ceiling and drops when a ship is below.
    Clinger = 33, "clinger", Enemy;
    /// Sits on terrain and aims.
    Turret = 34, "turret", Enemy;
    /// Homes in on the nearest ship.
    Seeker = 35, "seeker", Enemy;
    /// Comes from behind.
    Chaser = 36, "chaser", Enemy;
    /// Splits into shards when shot.
    Splitter = 37, "splitter", Enemy;
    /// A piece of a splitter.
    Shard = 38, "shard", Enemy;
    /// Shields the enemies near it.
    Warden = 39, "warden", Enemy;
    /// Spawns larvae until it is shot down.
    Hive = 40, "hive", Enemy;
    /// What a hive spawns.
    Larva = 41, "larva", Enemy;
    /// Carries an item and drops it when shot.
    Carrier = 42, "carrier", Enemy;
    /// Hovers at the right and fires fans of pellets.
    Gunship = 43, "gunship", Enemy;
    /// Drifts, and bursts into a ring of pellets when a ship comes near.
    Mine = 44, "mine", Enemy;
    /// Flies along the top and drops bombs.
    Bomber = 45, "bomber", Enemy;
    /// A piece of wreckage that tumbles by: nothing but in the way.
    Debris = 46, "debris", Enemy;

    /// The hull of the first stage's mid-boss.
    Salvager = 60, "salvager", Boss;
    /// A claw of the salvager.
    SalvagerClaw = 61, "salvager_claw", Boss;
    /// The salvager's weak point.
    SalvagerEye = 62, "salvager_eye", Boss;
    /// The hull of the first stage's boss.
    Keeper = 63, "keeper", Boss;
    /// A gun of the keeper.
    KeeperGun = 64, "keeper_gun", Boss;
    /// The keeper's weak point.
    KeeperCore = 65, "keeper_core", Boss;

    /// An enemy's plain shot.
    Pellet = 80, "pellet", EnemyShot;
    /// Falls.
    Bomb = 81, "bomb", EnemyShot;
    /// A heavy, fast shot of a boss.
    Lance = 82, "lance", EnemyShot;

    /// A block of terrain that can be shot away.
    Block = 90, "block", Block;
    /// Solid terrain, which kills. Each one has a size of its own.
    Wall = 91, "wall", Wall;

    /// Something small blew up.
    Explosion = 100, "explosion", Effect;
    /// Something large blew up.
    BigExplosion = 101, "big_explosion", Effect;
}

impl Kind {
    /// The kind's stable number.
    pub const fn number(self) -> u16 {
        self as u16
    }

    /// The kind of that number.
    pub fn from_number(number: u16) -> Option<Kind> {
        Kind::ALL.iter().copied().find(|kind| kind.number() == number)
    }

    /// The kind of that name.
    pub fn from_name(name: &str) -> Option<Kind> {
        Kind::ALL.iter().copied().find(|kind| kind.name() == name)
    }

    /// Width and height in pixels: what a foreign client should draw, and about what collides.
    pub fn size_px(self) -> (i32, i32) {
        crate::tuning::body(self).size_px
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_and_names_are_unique_and_lead_back() {
        for (index, &kind) in Kind::ALL.iter().enumerate() {
            assert_eq!(Kind::from_number(kind.number()), Some(kind));
            assert_eq!(Kind::from_name(kind.name()), Some(kind));
            assert!(Kind::ALL[..index].iter().all(|&earlier| earlier.number() < kind.number()));
        }
        assert_eq!(Kind::from_number(0), None);
        assert_eq!(Kind::from_name("irem"), None);
    }

    #[test]
    fn there_are_at_least_twelve_kinds_of_enemy() {
        assert!(Kind::ALL.iter().filter(|kind| kind.class() == Class::Enemy).count() >= 12);
    }
}
