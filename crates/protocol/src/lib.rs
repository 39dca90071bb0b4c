//! The dialects: how the bytes of five published R-Type protocols, and of Volley's own, become Inputs and are made from
//! Frames.
//!
//! Each dialect is one folder: `wire.rs` is its bytes, named as its document names them; `server.rs` and `client.rs`
//! are the two halves of its sessions. Nothing here reaches a socket, a thread or a clock. Bytes from outside never
//! panic, never allocate by a number that they contain, and never cost more than their length. Start reading at
//! `session.rs`: the two traits that everything outside sees; then at `dialect.rs`, where sessions are opened.

pub mod aecs;
pub mod amplification;
mod bytes;
mod dialect;
mod door;
mod keys;
pub mod lounge;
mod narrow_ids;
mod rebuilt;
pub mod rfc2020;
pub mod rfc53952;
mod scale;
mod scene;
mod session;
mod shared;
pub mod snapshot;
mod time;
pub mod typeuh;
pub mod volley;

pub use bytes::{Malformed, Reader};
pub use dialect::Dialect;
pub use door::{Door, Knock, StreamUse, Tells};
pub use keys::Keys;
pub use lounge::{Grant, LobbyLine, Member, Pace, Refusal, Room, Token, Wish};
pub use narrow_ids::NarrowIds;
pub use rebuilt::Rebuilt;
pub use scale::Scale;
pub use scene::Scene;
pub use session::{
    Answer, Channel, ClientSession, Desk, End, Oddity, Output, Plan, Question, Request, ServerSession, Status, Welcome,
};
pub use time::{Moment, Time};
