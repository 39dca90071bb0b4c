//! What a server of `rfc2020` must do: `header.rs` (1, 2), `lobbies.rs` (3), `state.rs` (4.1, 4.11, 4.12), `play.rs` (4.2 to
//! 4.5, 4.8, 4.9), `force.rs` (4.6, 4.7, 4.10).

mod force;
mod header;
mod lobbies;
mod play;
mod state;

use crate::conform::case::Case;

pub const CHAPTERS: &[&[Case]] = &[header::CASES, lobbies::CASES, state::CASES, play::CASES, force::CASES];
