//! The `aecs` dialect: the whole state over TCP, then each tick's changes over UDP until they are confirmed.
//!
//! `wire.rs` is its bytes, with the document's own names; `component.rs` the components that we give it (ruling A6);
//! `entity.rs` what the game's entities are in them, and `world_reader.rs` the way back. `server.rs` and `client.rs` are the
//! two halves of a session. The server keeps what its client has confirmed in `reliability.rs`, and takes what is to be said
//! from the lobby's `shared.rs`. The client keeps what it says in `keys.rs`, and what it shows in `change_queue.rs`.

mod change_queue;
pub mod client;
pub mod component;
mod entity;
pub mod fields;
mod keys;
mod reliability;
pub mod server;
mod shared;
pub mod wire;
mod world_reader;

pub use entity::GAME_ENTITY;
pub use keys::TAP_TICKS;
pub use shared::{DATAGRAM_LIMIT_BYTES, DOUBTFUL_REMOVALS_MAX};

use crate::{DialectEntry, StreamUse, Tells, amplification::Proof};

/// How `aecs` is met. A TCP connection asks for a seat; the node takes the datagrams that follow it from the same
/// address, and matches those that do not by ruling A2.
pub static ENTRY: DialectEntry = DialectEntry {
    name: "aecs",
    document: "AECS network protocol",
    description: "the whole state at first, then every tick's changes until they are confirmed",
    port: 4242,
    #[cfg(not(target_family = "wasm"))]
    fields: &fields::FIELDS,
    stream: StreamUse::OpensSession,
    proof: Proof::Stream,
    // A datagram from somebody without a session asks for nothing.
    read_join: |datagram| wire::FromClient::read(datagram).map(|_| None),
    // A node that is full closes TCP without CONNECTED.
    refuse: |_, _, _| Vec::new(),
    answer_repeated_leave: |_, _, _| false,
    accept: |welcome| Box::new(server::Server::new(welcome)),
    resume: |resumption| Box::new(server::Server::resume(&resumption)),
    connect: |plan| Box::new(client::Client::new(plan)),
    tells: Tells { gear: false, ..Tells::ALL },
    frees_seat_without_lives: false,
    queues_changes: true,
};
