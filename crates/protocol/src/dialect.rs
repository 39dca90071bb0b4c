//! The dialects by name, and the door of each. This is the one place that matches on a dialect.

use crate::{
    ClientSession, DialectEntry, Plan, ServerSession, Welcome, aecs, rfc2020, rfc53952, snapshot, typeuh, volley,
};

/// A protocol that players may come with.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Dialect {
    /// R-Typeuh 0.0.1: components over UDP.
    Typeuh,
    /// AECS: a TCP hello, then changes over UDP.
    Aecs,
    /// R-Type Network Protocol 2.0: whole snapshots over UDP.
    Snapshot,
    /// Lobbies over TCP, then confirmed methods over UDP.
    Rfc2020,
    /// HiServer and PacketValidation over UDP.
    Rfc53952,
    /// Volley's own: differences in bits over WebTransport or WebSocket.
    Volley,
}

impl Dialect {
    /// All dialects.
    pub const ALL: [Dialect; 6] =
        [Dialect::Typeuh, Dialect::Aecs, Dialect::Snapshot, Dialect::Rfc2020, Dialect::Rfc53952, Dialect::Volley];

    /// Those that have ports of their own, over bare UDP and TCP.
    pub const WITH_PORTS: [Dialect; 5] =
        [Dialect::Typeuh, Dialect::Aecs, Dialect::Snapshot, Dialect::Rfc2020, Dialect::Rfc53952];

    /// The dialect's door.
    pub fn entry(self) -> &'static DialectEntry {
        match self {
            Dialect::Typeuh => &typeuh::ENTRY,
            Dialect::Aecs => &aecs::ENTRY,
            Dialect::Snapshot => &snapshot::ENTRY,
            Dialect::Rfc2020 => &rfc2020::ENTRY,
            Dialect::Rfc53952 => &rfc53952::ENTRY,
            Dialect::Volley => &volley::ENTRY,
        }
    }

    /// Its name, as in options and the API.
    pub fn name(self) -> &'static str {
        self.entry().name
    }

    /// The dialect of that name.
    pub fn from_name(name: &str) -> Option<Dialect> {
        Dialect::ALL.into_iter().find(|dialect| dialect.name() == name)
    }

    /// Opens the server's half of a session.
    pub fn accept(self, welcome: Welcome) -> Box<dyn ServerSession> {
        (self.entry().accept)(welcome)
    }

    /// Opens the client's half of a session.
    pub fn connect(self, plan: Plan) -> Box<dyn ClientSession> {
        (self.entry().connect)(plan)
    }
}
