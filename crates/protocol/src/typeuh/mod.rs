//! The `typeuh` dialect (R-Typeuh 0.0.1): an ECS kept in step by a stream of instructions, over UDP.
//!
//! `wire.rs` is its bytes, with the document's own names; `component.rs` the components that we give it (ruling T4).
//! The server's half is `server.rs`. What there is to say is found once for a lobby: `told.rs` compares each scene with
//! what was told before, with entities as `portrait.rs` shows them, and `outbox.rs` packs a player's instructions into
//! datagrams. The client's half is `client.rs`,
//! with the initialisation put together in `assembly.rs`, the copy of the server's ECS in `ecs.rs`, and the player's
//! keys in `keyboard.rs`.

mod assembly;
mod client;
pub mod component;
mod ecs;
mod keyboard;
mod outbox;
mod portrait;
mod server;
mod told;
pub mod wire;

use std::time::Duration;

use crate::{DialectEntry, JoinRequest, StreamUse, Tells, amplification::Proof};

/// A client forgets an entity that it has not heard of for so long (ruling T5).
const FORGET: Duration = Duration::from_secs(3);

/// How the dialect is met.
pub static ENTRY: DialectEntry = DialectEntry {
    name: "typeuh",
    port: 4241,
    stream: StreamUse::None,
    proof: Proof::Nothing,
    // Ruling T1: any datagram opens a session, whatever it holds.
    read_join: |_| Ok(Some(JoinRequest { name: String::new() })),
    // Ruling T1: a full node is silent.
    refuse: |_, _, _| Vec::new(),
    answer_repeated_leave: |_, _, _| false,
    accept: |welcome| Box::new(server::Server::new(welcome)),
    connect: |plan| Box::new(client::Client::new(&plan)),
    tells: Tells { gear: false, ..Tells::ALL },
};
