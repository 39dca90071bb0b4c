//! What a server of `aecs` must do: `connecting.rs` (1), `input.rs` (3), `changes.rs` (4), `packets.rs` (6).

mod changes;
mod connecting;
mod input;
mod packets;

use crate::conform::case::Case;

pub const CHAPTERS: &[&[Case]] = &[connecting::CASES, input::CASES, changes::CASES, packets::CASES];
