//! What a server of `snapshot` must do: `header.rs` (3), `input.rs` (4.1), `joining.rs` (4.2, 4.3, 6.3, 6.4), `world.rs` (4.4 to
//! 4.6), `mistakes.rs` (6.1, 6.2, 7).

mod header;
mod input;
mod joining;
mod mistakes;
mod world;

use crate::conform::case::Case;

pub const CHAPTERS: &[&[Case]] = &[header::CASES, input::CASES, joining::CASES, world::CASES, mistakes::CASES];
