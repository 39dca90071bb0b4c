//! Chains and ranks, in numbers.

use crate::units::steps_of_ms;

/// A chain goes on if the next enemy is shot down within this time.
pub const CHAIN_LASTS: u16 = steps_of_ms(2500);
/// How many links raise what an enemy is worth by its plain points once more.
pub const CHAIN_PER_MULTIPLE: u16 = 5;
/// An enemy is worth at most this many times its plain points.
pub const MULTIPLE_MAX: u16 = 5;

/// What an enemy is worth when a chain has this many links, in plain points.
pub const fn multiple(chain: u16) -> u16 {
    let multiple = 1 + chain / CHAIN_PER_MULTIPLE;
    if multiple < MULTIPLE_MAX { multiple } else { MULTIPLE_MAX }
}

/// Merit of everybody together having shot down every enemy that came.
pub const MERIT_OF_KILLS: u32 = 80;
/// Links of the best chain for one more point of merit.
pub const LINKS_PER_MERIT: u32 = 2;
/// The most merit of a chain.
pub const MERIT_OF_CHAIN_MAX: u32 = 20;
/// Merit that each lost ship costs.
pub const MERIT_PER_DEATH: u32 = 12;
/// The least merit of rank S, A, B and C.
pub const RANKS: [u32; 4] = [90, 72, 52, 32];
