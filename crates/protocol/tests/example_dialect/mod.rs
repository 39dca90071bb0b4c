//! The `example` dialect: the smallest one that is complete. It joins, plays, leaves, times out and refuses, over UDP.
//!
//! docs/adding-a-dialect.md walks through it. `wire.rs` is its bytes, and `fields.rs` the same as a table; `server.rs` and `client.rs` are the two halves of a
//! session; `keys.rs` is what a player does, on both sides; `world_writer.rs` and `world_reader.rs` are a Frame on its way.

mod client;
pub mod fields;
mod keys;
mod server;
pub mod wire;
mod world_reader;
mod world_writer;

use std::time::Duration;

use crate::{DialectEntry, JoinRequest, Malformed, NodeTime, Numbers, StreamUse, Tells, amplification::Proof};
use wire::{FromClient, FromServer};

/// Silence that ends a session, on either side.
const SILENCE_MAX: Duration = Duration::from_secs(10);

/// What the rest of Volley knows of the dialect.
pub static ENTRY: DialectEntry = DialectEntry {
    name: "example",
    document: "docs/adding-a-dialect.md",
    description: "the smallest that is complete: all that is seen, in every tick",
    port: 4249,
    #[cfg(not(target_family = "wasm"))]
    fields: &fields::FIELDS,
    stream: StreamUse::None,
    proof: Proof::Nothing,
    read_join,
    refuse,
    // LEAVE has no answer, so none can be lost.
    answer_repeated_leave: |_, _, _| false,
    accept: |welcome| Box::new(server::Server::new(welcome)),
    resume: |resumption| Box::new(server::Server::new(resumption.welcome)),
    connect: |plan| Box::new(client::Client::new(&plan)),
    tells: Tells { gear: false, ..Tells::ALL },
    frees_seat_without_lives: false,
    queues_changes: false,
};

/// Only a JOIN asks for a seat.
fn read_join(datagram: &[u8]) -> Result<Option<JoinRequest>, Malformed> {
    Ok(match FromClient::read(datagram)? {
        FromClient::Join { name } => Some(JoinRequest::named(name)),
        FromClient::Keys { .. } | FromClient::Leave => None,
    })
}

/// FULL is one byte, as JOIN is at least.
fn refuse(_time: NodeTime, _numbers: &mut Numbers, datagram: &[u8]) -> Vec<Vec<u8>> {
    match FromClient::read(datagram) {
        Ok(FromClient::Join { .. }) => vec![FromServer::Full.to_bytes()],
        _ => Vec::new(),
    }
}
