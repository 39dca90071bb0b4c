//! The `snapshot` dialect (R-Type Network Protocol 2.0): the whole visible state, sixty times a second, over UDP.
//!
//! `wire.rs` is its bytes, with the document's own names; `server.rs` and `client.rs` are the halves of a session.
//! `shared.rs` is the SNAPSHOT of a lobby, `entity.rs` how an entity is drawn in it and read back, `priority.rs` what a full
//! one leaves out; `keys.rs` is what a client says of its keys, `world_reader.rs` the Frame that it rebuilds.

mod client;
mod entity;
pub mod fields;
mod keys;
mod priority;
mod server;
mod shared;
pub mod wire;
mod world_reader;

use std::time::Duration;

pub use client::Client;
pub use server::Server;

use crate::{
    DialectEntry, JoinRequest, Malformed, NodeTime, Numbers, Resumption, StreamUse, Tells, Time, Welcome,
    amplification::Proof,
};
use wire::{FromClient, FromServer, Header, NO_AVAILABLE_SLOTS, Username};

/// How this dialect is met.
pub static ENTRY: DialectEntry = DialectEntry {
    name: "snapshot",
    document: "R-Type Network Protocol 2.0",
    description: "everything visible, 60 times a second",
    port: 4243,
    #[cfg(not(target_family = "wasm"))]
    fields: &fields::FIELDS,
    stream: StreamUse::None,
    proof: Proof::Nothing,
    read_join,
    refuse,
    answer_repeated_leave: |_, _, _| false,
    accept: |welcome| Box::new(Server::new(welcome)),
    resume: |resumption| Box::new(Server::resume(&resumption)),
    connect: |plan| Box::new(Client::new(&plan)),
    tells: Tells::NOTHING,
    frees_seat_without_lives: true,
    queues_changes: false,
};

/// The document's "30+ seconds" without a packet, which end a session on either side (ruling S8).
pub const SILENCE_MAX: Duration = Duration::from_secs(30);

/// What one peer is sent in a second: a SNAPSHOT a tick, and notices.
const DATAGRAMS_PER_SECOND_MAX: u32 = 120;
/// Packet IDs that are left out when it is not known how many were used (ruling C16): in serial arithmetic still newer.
const UNKNOWN_MAX: u32 = 1 << 14;

/// Only a JOIN asks for a seat.
fn read_join(datagram: &[u8]) -> Result<Option<JoinRequest>, Malformed> {
    Ok(match FromClient::read(datagram)?.1 {
        FromClient::Join { username } => Some(JoinRequest::named(username.as_str())),
        FromClient::Input { .. } => None,
    })
}

/// "Server full". Refusals count as datagrams too (ruling S4).
fn refuse(time: NodeTime, numbers: &mut Numbers, datagram: &[u8]) -> Vec<Vec<u8>> {
    let Ok((_, FromClient::Join { .. })) = FromClient::read(datagram) else { return Vec::new() };
    let mut refusal = Vec::new();
    let mut headers = Headers::resume(time.started, *numbers);
    let header = headers.next(time.now);
    FromServer::PlayerIdAssignment { player_id: NO_AVAILABLE_SLOTS }.write(header, &mut refusal);
    *numbers = headers.numbers();
    vec![refusal]
}

/// The headers of one sender to one peer (ruling S4).
#[derive(Clone, Copy, Debug)]
struct Headers {
    started: Time,
    next_packet_id: u16,
}

impl Headers {
    fn new(started: Time) -> Headers {
        Headers { started, next_packet_id: 0 }
    }

    /// Goes on counting where the last datagram to the peer ended.
    fn resume(started: Time, numbers: Numbers) -> Headers {
        Headers { started, next_packet_id: numbers.to_bits() as u16 }
    }

    /// Ruling C16: goes on above all that the peer may have been sent.
    fn resume_above(resumption: &Resumption) -> Headers {
        let Welcome { started, numbers, .. } = resumption.welcome;
        let headers = Headers::resume(started, numbers);
        let unknown = resumption.steps_since(DATAGRAMS_PER_SECOND_MAX, UNKNOWN_MAX) as u16;
        Headers { next_packet_id: headers.next_packet_id.wrapping_add(unknown), ..headers }
    }

    /// The Packet ID of the next datagram.
    fn numbers(&self) -> Numbers {
        Numbers::from_bits(self.next_packet_id.into())
    }

    /// The header of the next datagram, about what is at that time. The milliseconds wrap after 49 days.
    fn next(&mut self, at: Time) -> Header {
        let packet_id = self.next_packet_id;
        self.next_packet_id = packet_id.wrapping_add(1);
        Header { packet_id, timestamp: at.since(self.started).as_millis() as u32 }
    }
}

/// What is left of any name as a username (ruling S2). Names of other dialects and plans may be anything.
fn username_of(name: &str) -> String {
    let mut username = String::new();
    for letter in name.trim().chars().filter(|letter| !letter.is_control()) {
        if username.len() + letter.len_utf8() > Username::MAX_BYTES {
            break;
        }
        username.push(letter);
    }
    username.trim().into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn s2_any_name_becomes_a_username() {
        assert_eq!(username_of(" Ann\u{1b}[2J \n"), "Ann[2J");
        assert_eq!(username_of(&"é".repeat(40)), "é".repeat(16));
        assert_eq!(username_of("\u{0}\u{7f}"), "");
        for name in ["Zoë \u{200b}", "\t\u{3} x", &" y".repeat(30)] {
            let username = username_of(name);
            assert_eq!(Username::new(&username).map(Username::as_str), Some(&*username));
        }
    }

    #[test]
    fn s4_packet_ids_count_up_and_wrap_and_timestamps_are_milliseconds_since_the_start() {
        let started = Time::from_micros(5_000_000);
        let mut headers = Headers::new(started);
        let later = started + Duration::from_micros(1_999_999);
        assert_eq!(headers.next(started), Header { packet_id: 0, timestamp: 0 });
        assert_eq!(headers.next(later), Header { packet_id: 1, timestamp: 1999 });
        headers.next_packet_id = u16::MAX;
        assert_eq!(headers.next(later).packet_id, u16::MAX);
        assert_eq!(headers.next(later).packet_id, 0);
        let after_49_days = started + Duration::from_millis((1 << 32) + 7);
        assert_eq!(headers.next(after_49_days).timestamp, 7);
    }
}
