//! The `typeuh` dialect (R-Typeuh 0.0.1): an ECS kept in step by a stream of instructions, over UDP.
//!
//! `wire.rs` is its bytes, with the document's own names; `component.rs` the components that we give it (ruling T4).
//! The server's half is `server.rs`. What there is to say is found once for a lobby: `shared.rs` compares each scene with
//! what was told before, with entities as `entity.rs` shows them, and `instruction_queue.rs` packs a player's instructions into
//! datagrams. The client's half is `client.rs`,
//! with the initialisation put together in `initialisation.rs`, the copy of the server's ECS in `world_reader.rs`, and the player's
//! keys in `keys.rs`.

mod client;
pub mod component;
mod entity;
pub mod fields;
mod initialisation;
mod instruction_queue;
mod keys;
mod server;
mod shared;
pub mod wire;
mod world_reader;

use std::time::Duration;

use crate::{DialectEntry, JoinRequest, StreamUse, Tells, amplification::Proof};

/// How long until a client forgets an entity that it has not heard of (ruling T5).
const FORGET: Duration = Duration::from_secs(3);

/// How the dialect is met.
pub static ENTRY: DialectEntry = DialectEntry {
    name: "typeuh",
    document: "R-Typeuh network protocol 0.0.1",
    description: "an entity-component world kept in step by instructions",
    port: 4241,
    #[cfg(not(target_family = "wasm"))]
    fields: &fields::FIELDS,
    stream: StreamUse::None,
    proof: Proof::Nothing,
    // Ruling T1: any datagram opens a session, whatever it holds.
    read_join: |_| Ok(Some(JoinRequest::nameless())),
    // Ruling T1: a full node is silent.
    refuse: |_, _, _| Vec::new(),
    answer_repeated_leave: |_, _, _| false,
    accept: |welcome| Box::new(server::Server::new(welcome)),
    resume: |resumption| Box::new(server::Server::resume(&resumption)),
    connect: |plan| Box::new(client::Client::new(&plan)),
    tells: Tells { gear: false, ..Tells::ALL },
    frees_seat_without_lives: false,
    queues_changes: false,
};
