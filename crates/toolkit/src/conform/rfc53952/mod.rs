//! The cases of `rfc53952`: `server/` against a server, `client.rs` against a client, and what both need to speak it.

mod client;
mod server;
mod test_client;
mod test_server;

use protocol::{
    Dialect,
    rfc53952::wire::{FromClient, FromServer, HEADER_SIZE, Packet, PacketType},
};

use super::suite::{Speaker, Suite, TestedSide};

pub static SERVER: Suite = Suite {
    dialect: Dialect::Rfc53952,
    side: TestedSide::Server,
    chapters: server::CHAPTERS,
    greet: test_client::greet,
    describe,
};

pub static CLIENT: Suite = Suite {
    dialect: Dialect::Rfc53952,
    side: TestedSide::Client,
    chapters: client::CHAPTERS,
    greet: test_server::greet,
    describe,
};

fn describe(speaker: Speaker, bytes: &[u8]) -> String {
    match speaker {
        Speaker::Client => match Packet::<FromClient>::read(bytes) {
            Ok(Packet { timestamp, data }) => format!("at {timestamp}: {data:?}"),
            Err(why) => format!("not a packet of a client: {why:?}"),
        },
        Speaker::Server => match Packet::<FromServer>::read(bytes) {
            Ok(Packet { timestamp, data }) => format!("at {timestamp}: {data:?}"),
            Err(why) => format!("not a packet of a server: {why:?}"),
        },
    }
}

/// The header's Type of anything that has a header.
fn type_of(bytes: &[u8]) -> Option<u8> {
    (bytes.len() >= HEADER_SIZE).then(|| bytes[4])
}

/// The header's Timestamp of anything that has a header.
fn timestamp_of(bytes: &[u8]) -> Option<u64> {
    bytes.get(5..13)?.try_into().ok().map(u64::from_le_bytes)
}

/// A packet of any Type and data, with sizes that are right.
fn raw(packet_type: u8, timestamp: u64, data: &[u8]) -> Vec<u8> {
    let length = (HEADER_SIZE + data.len()) as u32;
    let sizes = (data.len() as u16).to_le_bytes();
    [&length.to_le_bytes()[..], &[packet_type], &timestamp.to_le_bytes(), &sizes, data].concat()
}

/// The data of a PacketValidation.
fn validation(packet_type: u8, timestamp: u64) -> Vec<u8> {
    [&[packet_type][..], &timestamp.to_le_bytes()].concat()
}

/// The PacketType and PacketTimestamp of a PacketValidation.
fn read_validation(bytes: &[u8]) -> Option<(u8, u64)> {
    let data = bytes.get(HEADER_SIZE..)?;
    let is_one = type_of(bytes)? == PacketType::PacketValidation as u8 && data.len() == 9;
    is_one.then(|| data[1..].try_into().ok().map(|stamp| (data[0], u64::from_le_bytes(stamp))))?
}
