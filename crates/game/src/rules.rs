//! What a lobby can choose about its game.

use borsh::{BorshDeserialize, BorshSerialize};

/// What happens when a ship is lost.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, BorshSerialize, BorshDeserialize)]
pub enum RuleSet {
    /// In company the ship returns after two seconds at the left edge; alone it goes back to the last checkpoint.
    #[default]
    Coop,
    /// Everyone goes back to the last checkpoint, alone or in company.
    Arcade,
}

/// The rules of one lobby.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, BorshSerialize, BorshDeserialize)]
pub struct Rules {
    /// What happens when a ship is lost.
    pub set: RuleSet,
    /// Whether players' shots hurt other players.
    pub friendly_fire: bool,
    /// Lives of a player who joins, 1 to 9.
    pub lives: u8,
}

impl Default for Rules {
    fn default() -> Self {
        Rules { set: RuleSet::Coop, friendly_fire: false, lives: crate::tuning::LIVES_AT_FIRST }
    }
}
