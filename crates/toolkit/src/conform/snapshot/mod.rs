//! The cases of `snapshot`: `server/` against a server, `client.rs` against a client, and what both need to speak it. The
//! document numbers nothing: sections count its headings, as in `docs/conformance.md`.

mod client;
mod server;
mod test_client;
mod test_server;

use protocol::{
    Dialect,
    snapshot::wire::{FromClient, FromServer},
};

use super::suite::{Speaker, Suite, TestedSide};

pub static SERVER: Suite = Suite {
    dialect: Dialect::Snapshot,
    side: TestedSide::Server,
    chapters: server::CHAPTERS,
    greet: test_client::greet,
    describe,
};

pub static CLIENT: Suite = Suite {
    dialect: Dialect::Snapshot,
    side: TestedSide::Client,
    chapters: client::CHAPTERS,
    greet: test_server::greet,
    describe,
};

const INPUT: u8 = 0x01;
const JOIN: u8 = 0x02;
const PLAYER_ID_ASSIGNMENT: u8 = 0x08;
const SNAPSHOT: u8 = 0x10;
const TIMEOUT: u8 = 0x20;
const KILLED: u8 = 0x40;

fn describe(speaker: Speaker, bytes: &[u8]) -> String {
    match speaker {
        Speaker::Client => match FromClient::read(bytes) {
            Ok((header, packet)) => format!("{} at {} ms: {packet:?}", header.packet_id, header.timestamp),
            Err(why) => format!("not a packet of a client: {why:?}"),
        },
        Speaker::Server => match FromServer::read(bytes) {
            Ok((header, FromServer::Snapshot { entities })) => {
                let ids: Vec<String> =
                    entities.iter().map(|entity| format!("{} {}", entity.entity_id, entity.sprite_path)).collect();
                format!("{} at {} ms: Snapshot [{}]", header.packet_id, header.timestamp, ids.join(", "))
            }
            Ok((header, packet)) => format!("{} at {} ms: {packet:?}", header.packet_id, header.timestamp),
            Err(why) => format!("not a packet of a server: {why:?}"),
        },
    }
}

/// A packet of any type.
fn raw(packet_type: u8, packet_id: u16, timestamp: u32, payload: &[u8]) -> Vec<u8> {
    [&[packet_type][..], &packet_id.to_be_bytes(), &timestamp.to_be_bytes(), payload].concat()
}

/// The type of anything that has a header.
fn type_of(bytes: &[u8]) -> Option<u8> {
    (bytes.len() >= 7).then(|| bytes[0])
}

fn packet_id_of(bytes: &[u8]) -> Option<u16> {
    bytes.get(1..3)?.try_into().ok().map(u16::from_be_bytes)
}

fn timestamp_of(bytes: &[u8]) -> Option<u32> {
    bytes.get(3..7)?.try_into().ok().map(u32::from_be_bytes)
}
