//! Volley's own dialect: lobbies over a reliable stream, the game in datagrams that are bit-packed differences.
//!
//! `control.rs` is the messages of the stream, with `terrain.rs`; `report.rs` the client's datagram, `snapshot.rs` the
//! server's. A server's datagram is a difference (`delta.rs`, `overview.rs`, `thing.rs`, `newcomer.rs`, by the tables
//! in `fields.rs`)
//! between two pictures (`picture.rs`, `course.rs`), and events (`events.rs`), in bits (`bits.rs`). `server.rs` and
//! `client.rs` are the two halves of a session; start there. `lookout.rs` is what the server halves of a lobby share.

pub mod bits;
mod chat;
mod client;
pub mod control;
pub mod course;
mod delta;
pub mod events;
pub mod fields;
pub mod gallery;
mod history;
mod inbox;
mod lobbying;
mod lookout;
mod newcomer;
mod overview;
pub mod picture;
mod play;
mod priority;
mod queue;
pub mod report;
mod server;
pub mod snapshot;
mod stats;
pub mod terrain;
mod thing;
mod truth;

pub use chat::{SAY_BURST, SAY_EVERY};
pub use client::{Client, FRAMES_SILENCE_MAX, News, PING_EVERY};
pub use events::Dated;
pub use server::{SILENCE_MAX, Server};
pub use snapshot::DATAGRAM_MAX_BYTES;
pub use stats::Stats;

use crate::{
    DialectEntry, LinkSession, LobbyId, LobbyNotice, Malformed, ServerSession, StreamUse, Tells, Token, Welcome,
    amplification::Proof,
};

/// How the dialect is met: as a link, over WebTransport or WebSocket, at HTTP's port.
pub static ENTRY: DialectEntry = DialectEntry {
    name: "volley",
    port: 4240,
    stream: StreamUse::Link(|now| Box::new(Server::new(now))),
    proof: Proof::Stream,
    // A datagram from somebody without a link is none of ours.
    read_join: |_| Err(Malformed::UnknownType),
    refuse: |_, _, _| Vec::new(),
    answer_repeated_leave: |_, _, _| false,
    accept: seated,
    connect: |plan| Box::new(Client::new(plan)),
    tells: Tells::ALL,
};

/// A link that has its seat from the beginning, where nobody chooses a lobby.
fn seated(welcome: Welcome) -> Box<dyn ServerSession> {
    let mut server = Server::new(welcome.now);
    let code = LobbyId::from_number(0);
    server.notify(welcome.now, &LobbyNotice::Seated { code, seat: welcome.seat, token: Token([0; 16]) });
    Box::new(server)
}
