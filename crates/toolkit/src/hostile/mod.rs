//! A node under attack, and a node that runs for long: `volley bench storm`, `soak` and `amplification`.
//!
//! Each starts a node of its own on this machine, and nothing that they send leaves it. `ordinary_players.rs` has the players who want to go
//! on playing, `attacks/` what others do to them meanwhile.

pub mod amplification;
mod attacks;
mod ordinary_players;
pub mod soak;
pub mod storm;
