//! The entry of a dialect in the table of dialects: all that is known of it outside its folder.

use crate::{
    ClientSession, Desk, LinkSession, Malformed, NodeTime, Numbers, Plan, Resumption, ServerSession, Time, Welcome,
    amplification::Proof, visible,
};

/// All that is known of a dialect outside its folder: the functions that open its sessions, and what a node must know to
/// do so.
pub struct DialectEntry {
    /// Its name, as in options and the API.
    pub name: &'static str,
    /// What its document calls itself.
    pub document: &'static str,
    /// What it does, in a few words.
    pub description: &'static str,
    /// The port that it is found at by default.
    pub port: u16,
    /// Its bytes as a table, for those who explain packets. A web page does not, and its bundle has a budget.
    #[cfg(not(target_family = "wasm"))]
    pub fields: &'static crate::field_table::FieldTable,
    /// What comes over TCP.
    pub stream: StreamUse,
    /// What is known of its peers' addresses.
    pub proof: Proof,
    /// What the first datagram from an unknown peer asks for: a seat, with the player's name, or nothing.
    pub read_join: fn(&[u8]) -> Result<Option<JoinRequest>, Malformed>,
    /// The datagrams that answer a request for which there is no seat; none where the dialect is silent. They go on from
    /// the numbers that the peer knows, and change them.
    pub refuse: fn(NodeTime, &mut Numbers, &[u8]) -> Vec<Vec<u8>>,
    /// Writes the answer to a goodbye that a player who has left sends again, because our answer to it was lost. False:
    /// the datagram is no such thing, or wants no answer.
    pub answer_repeated_leave: fn(Time, &[u8], &mut Vec<u8>) -> bool,
    /// Opens the server's half for a player who was given a seat. The datagram that asked for it, if there was one, is `receive`d next.
    pub accept: fn(Welcome) -> Box<dyn ServerSession>,
    /// Opens the server's half of a session that goes on after the node was started again (ruling C16). Its peer does not know, and
    /// says whatever it would have said; that is `receive`d next. Until then only what the peer must answer may be `poll`ed.
    pub resume: fn(Resumption) -> Box<dyn ServerSession>,
    /// Opens the client's half.
    pub connect: fn(Plan) -> Box<dyn ClientSession>,
    /// What its client learns of the players.
    pub tells: Tells,
    /// Whether the seat of a player who is out of lives is unused, and goes to the next newcomer on a full node (ruling S10).
    pub frees_seat_without_lives: bool,
    /// Whether its client keeps what comes in a queue for a while, which the player chooses (ruling A7).
    pub queues_changes: bool,
}

/// What the client of a dialect learns of the players, besides their ships. What it does not learn is at its default in
/// its Frames, and nobody should be told that it is so.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Tells {
    /// How many lives they have left.
    pub lives: bool,
    pub score: bool,
    /// How far a beam is charged.
    pub charge: bool,
    /// The level of the Force, speed-ups and missiles.
    pub gear: bool,
}

impl Tells {
    /// Everything.
    pub const ALL: Tells = Tells { lives: true, score: true, charge: true, gear: true };
    pub const NOTHING: Tells = Tells { lives: false, score: false, charge: false, gear: false };
}

/// What a dialect uses TCP for.
#[derive(Clone, Copy)]
pub enum StreamUse {
    None,
    /// A connection is a request for a seat; datagrams follow from the same address.
    OpensSession,
    /// A connection asks for lobbies, each of which has a UDP port of its own.
    Desk(fn(Time) -> Box<dyn Desk>),
    /// A link, over WebTransport or WebSocket, carries a stream and datagrams, and chooses its lobby over the stream: its
    /// session is there before its seat. It needs no port of its own.
    Link(fn(Time) -> Box<dyn LinkSession>),
}

impl StreamUse {
    /// What carries the dialect, in words.
    pub fn transports(self) -> &'static str {
        match self {
            StreamUse::None => "UDP",
            StreamUse::OpensSession => "TCP and UDP",
            StreamUse::Desk(_) => "TCP",
            StreamUse::Link(_) => "WebTransport and WebSocket",
        }
    }
}

/// A request for a seat.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct JoinRequest {
    name: String,
}

impl JoinRequest {
    /// Of somebody who gives a name, of which only what can be seen is kept.
    pub fn named(name: &str) -> JoinRequest {
        JoinRequest { name: visible(name) }
    }

    /// Of somebody without a name, because the dialect has none.
    pub fn nameless() -> JoinRequest {
        JoinRequest::default()
    }

    /// The player's name; empty if the dialect has none.
    pub fn into_name(self) -> String {
        self.name
    }
}
