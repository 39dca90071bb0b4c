//! The dialect of the lobby protocol of November 2020: TCP to ask for or create a lobby, then UDP to that lobby's port.
//!
//! Start with `wire`, which is its messages; `fields` are their parts, and `entity_json` the text in one of them.
//! `desk` is the TCP side of the server. `server` is the server's half of a session, with `world_writer`
//! (what the peer has been told); `client` is the client's half, with `world_reader` (what it was told). `keys` is what a
//! player does, on both sides. `reliability` repeats and remembers for both. `port_rewriter` is for proxies.

mod client;
mod desk;
pub mod entity_json;
mod field_types;
pub mod fields;
mod keys;
mod port_rewriter;
mod reliability;
mod server;
pub mod wire;
mod world_reader;
mod world_writer;

pub use port_rewriter::PortRewriter;

use crate::{DialectEntry, JoinRequest, Malformed, NodeTime, Numbers, StreamUse, Tells, Time, amplification::Proof};
use wire::{FromClient, FromServer, MapName, Message, REFUSED};

/// How the dialect is met.
pub static ENTRY: DialectEntry = DialectEntry {
    name: "rfc2020",
    document: "RFC: R-Type server/client communication protocol",
    description: "lobbies by name, then methods that are confirmed one by one",
    port: 4244,
    #[cfg(not(target_family = "wasm"))]
    fields: &fields::FIELDS,
    stream: StreamUse::Desk(desk::open),
    proof: Proof::Stream,
    read_join,
    refuse,
    answer_repeated_leave,
    accept: server::accept,
    resume: server::resume,
    connect: client::connect,
    tells: Tells::NOTHING,
    frees_seat_without_lives: false,
    queues_changes: false,
};

/// JOIN asks for a seat. Whatever else a stranger sends is about a session that is over.
fn read_join(bytes: &[u8]) -> Result<Option<JoinRequest>, Malformed> {
    let message = Message::<FromClient>::read(bytes)?;
    Ok(matches!(message.body, FromClient::Join).then(JoinRequest::nameless))
}

/// R2: a LEAVE that comes again is confirmed again, even when its session is over.
fn answer_repeated_leave(_now: Time, bytes: &[u8], out: &mut Vec<u8>) -> bool {
    let Ok(Message { creation_timestamp, body: FromClient::Leave { .. } }) = Message::<FromClient>::read(bytes) else {
        return false;
    };
    Message { creation_timestamp, body: FromServer::Confirm(wire::Method::Leave) }.write(out);
    true
}

/// R6: JOIN is refused with the greatest ENTITY_ID.
fn refuse(_time: NodeTime, _numbers: &mut Numbers, request: &[u8]) -> Vec<Vec<u8>> {
    let Ok(Message { creation_timestamp, body: FromClient::Join }) = Message::<FromClient>::read(request) else {
        return Vec::new();
    };
    let map_name = MapName::default();
    let body = FromServer::Join { entity_id: REFUSED, x_coordinate: 0, y_coordinate: 0, map_name };
    let mut refusal = Vec::new();
    Message { creation_timestamp, body }.write(&mut refusal);
    vec![refusal]
}
