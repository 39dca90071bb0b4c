//! What a kind can be asked. The kinds themselves, with their numbers, names and sizes, are in `tuning/kinds.rs`.

pub use crate::tuning::kinds::Kind;

/// What a kind is to the player, which also orders what is left out first when space is short.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Class {
    /// A player's ship.
    Player,
    /// A Force or a Bit.
    Gear,
    /// A boss or a part of one.
    Boss,
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

/// Makes [`Kind`] from the table.
macro_rules! kinds {
    ($($(#[doc = $doc:literal])+ $variant:ident = $number:literal, $name:literal, $class:ident, $body:expr;)+) => {
        /// A kind of entity.
        #[derive(
            Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, borsh::BorshSerialize, borsh::BorshDeserialize,
        )]
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
            pub const fn class(self) -> $crate::Class {
                match self {
                    $(Kind::$variant => $crate::Class::$class,)+
                }
            }

            /// What the table says of its body; [`body`] looks it up faster.
            const fn entry(self) -> Body {
                match self {
                    $(Kind::$variant => $body,)+
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
pub(crate) use kinds;

impl Kind {
    /// The kind's stable number.
    pub const fn number(self) -> u16 {
        self as u16
    }

    pub fn from_number(number: u16) -> Option<Kind> {
        Kind::ALL.iter().copied().find(|kind| kind.number() == number)
    }

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
    fn there_are_at_least_twenty_four_kinds_of_enemy() {
        assert!(Kind::ALL.iter().filter(|kind| kind.class() == Class::Enemy).count() >= 24);
    }
}
