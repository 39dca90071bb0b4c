//! The dialects: how the bytes of five published R-Type protocols, and of Volley's own, become Inputs and are made from
//! Frames.
//!
//! Each dialect is one folder: `wire.rs` is its bytes, named as its document names them; `server.rs` and `client.rs`
//! are the two halves of its sessions. Nothing here reaches a socket, a thread or a clock. Bytes from outside never
//! panic, never allocate by a number that they contain, and never cost more than their length. Start reading at
//! `session.rs`: the two traits that everything outside sees; then at `dialect.rs`, where sessions are opened.
//!
//! ```
//! use protocol::{Dialect, Output, Plan, Status, Time};
//!
//! let now = Time::from_micros(1_700_000_000_000_000);
//! let plan = Plan { name: "Ann".into(), ..Plan::at(now) };
//! let mut session = Dialect::Snapshot.connect(plan);
//! session.advance(now);
//! let mut buffer = Vec::new();
//! while let Some(output) = session.poll(now, &mut buffer) {
//!     // Here the buffer goes to the server, and what comes back to `session.receive`.
//!     assert_eq!(output, Output::Datagram);
//! }
//! assert_eq!(session.status(), Status::Opening);
//! ```

pub mod aecs;
pub mod amplification;
mod bytes;
mod dialect;
mod dialect_entry;
mod disappearances;
pub mod field_table;
mod frame_builder;
mod keys;
pub mod lobby;
mod lobby_id;
mod narrow_ids;
mod recording_key;
mod resumption;
pub mod rfc2020;
pub mod rfc53952;
mod roster;
mod scale;
mod scene;
mod server_fault;
mod session;
mod shared;
pub mod sheet;
pub mod snapshot;
mod time;
pub mod typeuh;
pub mod utc_day;
mod visible_text;
pub mod volley;

pub use bytes::{Malformed, Reader};
pub use dialect::Dialect;
pub use dialect_entry::{DialectEntry, JoinRequest, StreamUse, Tells};
pub use frame_builder::FrameBuilder;
pub use keys::Keys;
pub use lobby::{
    Emote, GameId, LISTED_MAX, LobbyDetails, LobbyNotice, LobbyRequest, LobbySummary, Member, Pace, PlayerKind,
    Refusal, Tally, TallyLine, Token,
};
pub use lobby_id::LobbyId;
pub use narrow_ids::NarrowIds;
pub use recording_key::RecordingKey;
pub use resumption::Resumption;
pub use scale::Scale;
pub use scene::Scene;
pub use server_fault::{InitialisationFault, ServerFault, UnknownNames};
pub use session::{
    AnyServerSession, Channel, ChatMessage, ClientSession, Desk, DeskAnswer, DeskQuestion, End, LinkSession,
    LobbyPlace, Numbers, Oddity, Output, Plan, Received, Request, ServerSession, Status, Welcome,
};
pub use time::{NodeTime, Time};
pub use visible_text::visible;
