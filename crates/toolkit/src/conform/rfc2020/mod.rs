//! The cases of `rfc2020`: `server/` against a server, `client.rs` against a client, and what both need to speak it. Sections
//! count the document's headings: 1 header, 2 confirmations, 3 TCP, 4 UDP, a subsection for each method.

mod client;
mod server;
mod test_client;
mod test_server;

use protocol::{
    Dialect,
    rfc2020::wire::{FromClient, FromServer, HEADER_SIZE, Message},
};

use super::suite::{Speaker, Suite, TestedSide};

pub static SERVER: Suite = Suite {
    dialect: Dialect::Rfc2020,
    side: TestedSide::Server,
    chapters: server::CHAPTERS,
    greet: test_client::greet,
    describe,
};

pub static CLIENT: Suite = Suite {
    dialect: Dialect::Rfc2020,
    side: TestedSide::Client,
    chapters: client::CHAPTERS,
    greet: test_server::greet,
    describe,
};

const ASK_JOIN: u8 = 0;
const CREATE: u8 = 1;
const GAME_STATE: u8 = 2;
const POSITION: u8 = 3;
const MOVE: u8 = 4;
const SPAWN: u8 = 5;
const DESTROY: u8 = 6;
const GRAB: u8 = 7;
const DROP: u8 = 8;
const CHARGE: u8 = 9;
const SHOOT: u8 = 10;
const HIT: u8 = 11;
const JOIN: u8 = 12;
const LEAVE: u8 = 13;
/// TYPE 1, in the two high bits.
const RESPONSE: u8 = 0x40;

fn describe(speaker: Speaker, bytes: &[u8]) -> String {
    match speaker {
        Speaker::Client => match Message::<FromClient>::read(bytes) {
            Ok(message) => format!("at {}: {:?}", message.creation_timestamp, message.body),
            Err(why) => format!("not a message of a client: {why:?}"),
        },
        Speaker::Server => match Message::<FromServer>::read(bytes) {
            Ok(message) => format!("at {}: {:?}", message.creation_timestamp, message.body),
            Err(why) => format!("not a message of a server: {why:?}"),
        },
    }
}

/// A message of any TYPE and METHOD, with a size that is right.
fn raw(kind: u8, timestamp: u64, body: &[u8]) -> Vec<u8> {
    [&[kind][..], &(body.len() as u64).to_be_bytes(), &timestamp.to_be_bytes(), body].concat()
}

/// TYPE and METHOD of anything that has a header.
fn kind_of(bytes: &[u8]) -> Option<u8> {
    (bytes.len() >= HEADER_SIZE).then(|| bytes[0])
}

fn timestamp_of(bytes: &[u8]) -> Option<u64> {
    bytes.get(9..17)?.try_into().ok().map(u64::from_be_bytes)
}

fn body_size_of(bytes: &[u8]) -> Option<u64> {
    bytes.get(1..9)?.try_into().ok().map(u64::from_be_bytes)
}

fn body_of(bytes: &[u8]) -> &[u8] {
    bytes.get(HEADER_SIZE..).unwrap_or_default()
}

/// The first ENTITY_ID of a body.
fn entity_of(bytes: &[u8]) -> Option<u64> {
    body_of(bytes).first_chunk().map(|id| u64::from_be_bytes(*id))
}

/// Whether a request of the server wants a confirmation: all of its requests but POSITION.
fn wants_confirmation(kind: u8) -> bool {
    matches!(kind, GAME_STATE | SPAWN..=8 | 11)
}
