//! What a server of `typeuh` must do: `initialisation.rs` (2.1), `instructions.rs` (2.2), `keys.rs` (2.3).

mod initialisation;
mod instructions;
mod keys;

use crate::conform::case::Case;

pub const CHAPTERS: &[&[Case]] = &[initialisation::CASES, instructions::CASES, keys::CASES];
