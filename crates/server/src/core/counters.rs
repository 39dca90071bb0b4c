//! What a node counts. Numbers only rise.

use std::collections::BTreeMap;

use protocol::{Dialect, Malformed};

/// Why something that arrived, or was to be sent, went nowhere.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Drop {
    /// The bytes say nothing in their dialect.
    Malformed(Reason),
    /// A stranger's datagram that asks for nothing.
    Stranger,
    /// A public address at a door that serves none.
    NotServed,
    /// From an address that the host banned, or a player whom the host has just thrown out.
    Banned,
    /// To a lobby's port, from an address that was not at the desk.
    Unproved,
    /// No seat was free.
    Full,
    /// To be sent, but more than the peer's address has earned.
    HeldBack,
}

/// [`Malformed`] as a key of a table.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Reason(&'static str);

impl From<Malformed> for Drop {
    fn from(malformed: Malformed) -> Drop {
        Drop::Malformed(Reason(match malformed {
            Malformed::Short => "short",
            Malformed::Trailing => "trailing",
            Malformed::UnknownType => "unknown_type",
            Malformed::WrongSize => "wrong_size",
            Malformed::BadValue => "bad_value",
            Malformed::BadText => "bad_text",
        }))
    }
}

impl Drop {
    /// Its name in metrics.
    pub fn name(self) -> &'static str {
        match self {
            Drop::Malformed(Reason(reason)) => reason,
            Drop::Stranger => "stranger",
            Drop::NotServed => "not_served",
            Drop::Banned => "banned",
            Drop::Unproved => "unproved",
            Drop::Full => "full",
            Drop::HeldBack => "held_back",
        }
    }
}

/// What is counted for each dialect.
#[derive(Clone, Debug, Default)]
pub struct DialectCounters {
    /// Datagrams that arrived.
    pub datagrams_in: u64,
    /// Their bytes.
    pub bytes_in: u64,
    /// Datagrams sent.
    pub datagrams_out: u64,
    /// Their bytes.
    pub bytes_out: u64,
    /// Sessions opened.
    pub sessions: u64,
    /// What peers should not have said, but was carried out as the dialect demands.
    pub oddities: u64,
    /// What went nowhere, by reason.
    pub drops: BTreeMap<Drop, u64>,
}

impl DialectCounters {
    fn add(&mut self, other: &DialectCounters) {
        self.datagrams_in += other.datagrams_in;
        self.bytes_in += other.bytes_in;
        self.datagrams_out += other.datagrams_out;
        self.bytes_out += other.bytes_out;
        self.sessions += other.sessions;
        self.oddities += other.oddities;
        for (why, count) in &other.drops {
            *self.drops.entry(*why).or_default() += count;
        }
    }
}

/// What a node counts.
#[derive(Clone, Debug, Default)]
pub struct Counters {
    /// By dialect.
    pub dialects: BTreeMap<Dialect, DialectCounters>,
    /// Ticks of lobbies.
    pub ticks: u64,
    /// Ticks that were left out because the node was too late for them.
    pub ticks_skipped: u64,
    /// Lobbies opened.
    pub lobbies: u64,
}

impl Counters {
    /// Adds what another shard has counted.
    pub fn add(&mut self, other: &Counters) {
        for (dialect, counted) in &other.dialects {
            self.of(*dialect).add(counted);
        }
        self.ticks += other.ticks;
        self.ticks_skipped += other.ticks_skipped;
        self.lobbies += other.lobbies;
    }

    pub(super) fn of(&mut self, dialect: Dialect) -> &mut DialectCounters {
        self.dialects.entry(dialect).or_default()
    }

    pub(super) fn drop(&mut self, dialect: Dialect, why: Drop) {
        *self.of(dialect).drops.entry(why).or_default() += 1;
    }
}
