//! The dialect of the draft of October 2024 that calls itself rfc-53952: ten UDP packets, each of which is validated.
//!
//! Start with `wire`, which is its packets; `description` is the meaning of the texts in two of them. `server` and
//! `client` are the two halves of a session; both rest on `reliability`, which is ruling F4. `world_writer` is how a Frame is
//! told, `world_reader` how it is rebuilt, `keys` how keys become ClientEvents.

mod client;
pub mod description;
pub mod fields;
mod keys;
mod reliability;
mod round_trip;
mod server;
pub mod wire;
mod world_reader;
mod world_writer;

use crate::amplification::Proof;
use crate::{DialectEntry, JoinRequest, Malformed, NodeTime, Numbers, StreamUse, Tells, Time};
use wire::{FromClient, FromServer, Packet};

/// How this dialect is met.
pub static ENTRY: DialectEntry = DialectEntry {
    name: "rfc53952",
    document: "rfc-53952, R-Type Protocol",
    description: "ten packets, each of them validated",
    port: 4245,
    #[cfg(not(target_family = "wasm"))]
    fields: &fields::FIELDS,
    stream: StreamUse::None,
    proof: Proof::Guessable,
    read_join,
    refuse,
    answer_repeated_leave,
    accept: |welcome| Box::new(server::Server::new(welcome)),
    resume: |resumption| Box::new(server::Server::resume(&resumption)),
    connect: |plan| Box::new(client::Client::new(&plan)),
    tells: Tells { lives: true, score: true, ..Tells::NOTHING },
    frees_seat_without_lives: false,
    queues_changes: false,
};

/// Only a HiServer asks for a seat; it has no name in it.
fn read_join(bytes: &[u8]) -> Result<Option<JoinRequest>, Malformed> {
    let packet = Packet::<FromClient>::read(bytes)?;
    Ok((packet.data == FromClient::HiServer).then(JoinRequest::nameless))
}

/// F4: an AdiosServer that comes again is validated again, even when its session is over.
fn answer_repeated_leave(now: Time, bytes: &[u8], out: &mut Vec<u8>) -> bool {
    let Ok(Packet { timestamp, data: FromClient::AdiosServer }) = Packet::<FromClient>::read(bytes) else {
        return false;
    };
    let validation =
        FromServer::PacketValidation { packet_type: wire::PacketType::AdiosServer, packet_timestamp: timestamp };
    Packet { timestamp: now.seconds(), data: validation }.write(out);
    true
}

/// F5: a HiClient with the byte 0. F4: the HiServer is validated like any other; both together are less than C5's three
/// times what came.
fn refuse(time: NodeTime, _numbers: &mut Numbers, request: &[u8]) -> Vec<Vec<u8>> {
    let Ok(Packet { timestamp, data: FromClient::HiServer }) = Packet::<FromClient>::read(request) else {
        return Vec::new();
    };
    let validation =
        FromServer::PacketValidation { packet_type: wire::PacketType::HiServer, packet_timestamp: timestamp };
    [validation, FromServer::HiClient { accepted: false }]
        .map(|data| {
            let mut bytes = Vec::new();
            Packet { timestamp: time.now.seconds(), data }.write(&mut bytes);
            bytes
        })
        .into()
}
