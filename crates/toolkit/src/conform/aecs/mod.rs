//! The cases of `aecs`: `server/` against a server, `client.rs` against a client, and what both need to speak it. Sections 1 to
//! 5 are the document's steps, 6 is its packet structures.

mod client;
mod server;
mod test_client;
mod test_server;

use protocol::{
    Dialect,
    aecs::wire::{FromClient, FromServer},
};

use super::suite::{Speaker, Suite, TestedSide};

pub static SERVER: Suite = Suite {
    dialect: Dialect::Aecs,
    side: TestedSide::Server,
    chapters: server::CHAPTERS,
    greet: test_client::greet,
    describe,
};

pub static CLIENT: Suite = Suite {
    dialect: Dialect::Aecs,
    side: TestedSide::Client,
    chapters: client::CHAPTERS,
    greet: test_server::greet,
    describe,
};

const CONNECTED: u8 = 0x80;
const GAME_CHANGES: u8 = 0x81;
const SERVER_PONG: u8 = 0x82;
const GAME_INPUT: u8 = 0x00;
const PING: u8 = 0x01;
const CLIENT_PONG: u8 = 0x02;

fn describe(speaker: Speaker, bytes: &[u8]) -> String {
    match speaker {
        Speaker::Client => match FromClient::read(bytes) {
            Ok(packet) => format!("{packet:?}"),
            Err(why) => format!("not a packet of a client: {why:?}"),
        },
        Speaker::Server => match FromServer::read(bytes) {
            Ok(FromServer::GameChanges { changes }) => {
                let each = changes.iter().map(|change| {
                    let ids: Vec<String> = change.entities.iter().map(|entity| entity.entity_id.to_string()).collect();
                    format!("tick {} entities [{}]", change.tick, ids.join(", "))
                });
                format!("GameChanges: {}", each.collect::<Vec<_>>().join("; "))
            }
            Ok(packet) => format!("{packet:?}"),
            Err(why) => format!("not a packet of a server: {why:?}"),
        },
    }
}

/// A packet of any type, with a size that is right.
fn raw(packet_type: u8, data: &[u8]) -> Vec<u8> {
    [&((data.len() + 1) as u16).to_le_bytes()[..], &[packet_type], data].concat()
}

/// The type of anything that has one.
fn type_of(bytes: &[u8]) -> Option<u8> {
    bytes.get(2).copied()
}

/// The data of a GAME_INPUT.
fn inputs(keys: &[u8]) -> Vec<u8> {
    [&[keys.len() as u8], keys].concat()
}
