//! Volley's own dialect: lobbies over a reliable stream, the game in datagrams that are bit-packed differences.
//!
//! `server.rs` and `client.rs` are the two halves of a session; start there. `wire` is their messages. The server shows a
//! client the game as it is now (`server_view.rs`) as a difference from what the client has (`baselines.rs`); both are
//! shared by all sessions of a lobby (`shared.rs`). `world_reader.rs` is what a client makes of it.

pub mod baselines;
mod chat;
mod client;
pub mod fields;
mod frame_history;
mod keys;
mod lobby_messages;
mod server;
mod server_view;
mod shared;
mod stats;
mod stream_reader;
pub mod wire;
mod world_reader;

pub use chat::{SAY_BURST, SAY_EVERY};
pub use client::{Client, FRAMES_SILENCE_MAX, News, PING_EVERY};
pub use server::{SILENCE_MAX, Server};
pub use stats::Stats;
pub use wire::{events::DatedEvent, snapshot::DATAGRAM_MAX_BYTES};

use crate::{
    DialectEntry, LinkSession, LobbyId, LobbyNotice, Malformed, ServerSession, StreamUse, Tells, Token, Welcome,
    amplification::Proof,
};

/// How the dialect is met: as a link, over WebTransport or WebSocket, at HTTP's port.
pub static ENTRY: DialectEntry = DialectEntry {
    name: "volley",
    document: "Volley protocol",
    description: "our own: lobbies over a stream, then only what could not be predicted",
    port: 4240,
    #[cfg(not(target_family = "wasm"))]
    fields: &fields::FIELDS,
    stream: StreamUse::Link(|now| Box::new(Server::new(now))),
    proof: Proof::Stream,
    // A datagram from somebody without a link is none of ours.
    read_join: |_| Err(Malformed::UnknownType),
    refuse: |_, _, _| Vec::new(),
    answer_repeated_leave: |_, _, _| false,
    accept: seated,
    // A new link is opened, and its player comes back with a token.
    resume: |resumption| seated(resumption.welcome),
    connect: |plan| Box::new(Client::new(plan)),
    tells: Tells::ALL,
    frees_seat_without_lives: false,
    queues_changes: false,
};

/// A link that has its seat from the beginning, where nobody chooses a lobby.
fn seated(welcome: Welcome) -> Box<dyn ServerSession> {
    let mut server = Server::new(welcome.now);
    let code = LobbyId::from_number(0);
    server.notify(welcome.now, &LobbyNotice::Seated { code, seat: welcome.seat, token: Token([0; 16]) });
    Box::new(server)
}
