//! The bytes of the dialect. `control.rs` is the messages of the stream, with `lobby.rs`, `rules.rs`, `tally.rs` and `terrain.rs`;
//! `report.rs` is the client's datagram, `snapshot.rs` the server's.
//!
//! A server's datagram is a difference (`delta.rs`, `game_delta.rs`, `entity_delta.rs`, `new_entity.rs`, by the tables in
//! `fields.rs`) between two views of the world (`view.rs`, `motion.rs`), and events (`events.rs`), in bits (`bits.rs`).

pub mod bits;
pub mod control;
pub(super) mod delta;
mod entity_delta;
pub mod events;
pub mod fields;
mod game_delta;
mod lobby;
pub mod motion;
mod new_entity;
mod priority;
pub mod report;
mod rules;
pub mod snapshot;
mod tally;
pub mod terrain;
pub mod view;
