//! Which rules are played: a number that rises whenever the same inputs may lead to another game.

/// The version of the rules, of every number in `tuning` and of the built-in stages. A recorded game can be played again with
/// the version that it was recorded with, and with no other. `crates/game/rules-versions.txt` lists all that there were.
pub const RULES_VERSION: u16 = 5;
