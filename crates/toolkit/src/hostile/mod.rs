//! A node under attack, and a node that runs for long: `volley bench storm`, `soak` and `amplification`.
//!
//! Each starts a node of its own on this machine, and nothing that they send leaves it. `honest.rs` has the players who want to go
//! on playing, `attacks/` what others do to them meanwhile.

pub mod amplification;
mod attacks;
mod honest;
pub mod soak;
pub mod storm;
