//! What a server of `rfc53952` must do, in the order of the document: `handshake.rs` (2, 5.1–5.4), `header.rs` (3, 4, 6),
//! `world.rs` (5.5–5.8), `events.rs` (5.9, 5.10).

mod events;
mod handshake;
mod header;
mod world;

use crate::conform::case::Case;

pub const CHAPTERS: &[&[Case]] = &[handshake::CASES, header::CASES, world::CASES, events::CASES];
