//! The `aecs` dialect: the whole state over TCP, then each tick's changes over UDP until they are confirmed.
//!
//! `wire.rs` is its bytes, with the document's own names; `component.rs` the components that we give it (ruling A6);
//! `translation.rs` what the game's entities are in them. `server.rs` and `client.rs` are the two halves of a session:
//! the one keeps what its client has confirmed in `changes.rs` and takes what is to be said from the lobby's
//! `chronicle.rs`, the other keeps what it says in `keyboard.rs` and what it shows in `queue.rs`.

mod changes;
mod chronicle;
pub mod client;
pub mod component;
mod keyboard;
mod queue;
pub mod server;
mod translation;
pub mod wire;

pub use chronicle::{DATAGRAM_LIMIT_BYTES, DOUBTFUL_REMOVALS_MAX};
pub use keyboard::TAP_TICKS;
pub use translation::GAME_ENTITY;

use crate::{DialectEntry, StreamUse, Tells, amplification::Proof};

/// How `aecs` is met. A TCP connection asks for a seat; the node takes the datagrams that follow it from the same
/// address, and matches those that do not by ruling A2.
pub static ENTRY: DialectEntry = DialectEntry {
    name: "aecs",
    port: 4242,
    stream: StreamUse::OpensSession,
    proof: Proof::Stream,
    // A datagram from somebody without a session asks for nothing.
    read_join: |datagram| wire::FromClient::read(datagram).map(|_| None),
    // A node that is full closes TCP without CONNECTED.
    refuse: |_, _, _| Vec::new(),
    answer_repeated_leave: |_, _, _| false,
    accept: |welcome| Box::new(server::Server::new(welcome)),
    connect: |plan| Box::new(client::Client::new(plan)),
    tells: Tells { gear: false, ..Tells::ALL },
};
