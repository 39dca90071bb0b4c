//! What a shard counts. Numbers only rise; a reader adds those of all shards.

mod histogram;

use std::{ops::AddAssign, time::Duration};

use protocol::{Dialect, Malformed};

pub use histogram::Histogram;

/// Why something that arrived, or was to be sent, was dropped.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Drop {
    /// Malformed: it ends too early.
    Short,
    /// Malformed: something is left over.
    Trailing,
    /// Malformed: there is no such message.
    UnknownType,
    /// Malformed: a size is wrong.
    WrongSize,
    /// Malformed: a value cannot be.
    BadValue,
    /// Malformed: text is none.
    BadText,
    /// A datagram of an unknown peer that asks for nothing.
    Stranger,
    /// A public address at a door that serves none.
    NotServed,
    /// A private address that is in none of the host's own networks, or came in from outside them.
    NotOwnNetwork,
    /// From an address that the host banned, or a player whom the host has just kicked.
    Banned,
    /// To a lobby's port, from an address that was not at the desk.
    Unproved,
    /// No seat was free.
    Full,
    /// No seat, because the address or the network has as many as it may have.
    ShareTaken,
    /// More than may come from one address.
    RateLimited,
    /// More datagrams of a player than a client has reason to send.
    Flooded,
    /// To be sent, but more than the peer's address has earned.
    HeldBack,
    /// For another shard, which was too busy to take it.
    RingFull,
    /// To be sent, but the socket took no more; or a connection that was closed for another.
    CrowdedOut,
    /// To be sent, but the system knows no way.
    Unsendable,
}

impl Drop {
    pub const ALL: [Drop; 19] = [
        Drop::Short,
        Drop::Trailing,
        Drop::UnknownType,
        Drop::WrongSize,
        Drop::BadValue,
        Drop::BadText,
        Drop::Stranger,
        Drop::NotServed,
        Drop::NotOwnNetwork,
        Drop::Banned,
        Drop::Unproved,
        Drop::Full,
        Drop::ShareTaken,
        Drop::RateLimited,
        Drop::Flooded,
        Drop::HeldBack,
        Drop::RingFull,
        Drop::CrowdedOut,
        Drop::Unsendable,
    ];

    /// Its name in metrics.
    pub fn name(self) -> &'static str {
        match self {
            Drop::Short => "short",
            Drop::Trailing => "trailing",
            Drop::UnknownType => "unknown_type",
            Drop::WrongSize => "wrong_size",
            Drop::BadValue => "bad_value",
            Drop::BadText => "bad_text",
            Drop::Stranger => "stranger",
            Drop::NotServed => "not_served",
            Drop::NotOwnNetwork => "not_own_network",
            Drop::Banned => "banned",
            Drop::Unproved => "unproved",
            Drop::Full => "full",
            Drop::ShareTaken => "share_taken",
            Drop::RateLimited => "rate_limited",
            Drop::Flooded => "flooded",
            Drop::HeldBack => "held_back",
            Drop::RingFull => "ring_full",
            Drop::CrowdedOut => "crowded_out",
            Drop::Unsendable => "unsendable",
        }
    }
}

impl From<Malformed> for Drop {
    fn from(malformed: Malformed) -> Drop {
        match malformed {
            Malformed::Runt | Malformed::Short => Drop::Short,
            Malformed::Trailing => Drop::Trailing,
            Malformed::UnknownType => Drop::UnknownType,
            Malformed::WrongSize => Drop::WrongSize,
            Malformed::BadValue => Drop::BadValue,
            Malformed::BadText => Drop::BadText,
        }
    }
}

/// What is counted for each dialect.
#[derive(Clone, Debug, Default)]
pub struct DialectCounters {
    /// Datagrams that arrived.
    pub datagrams_in: u64,
    pub bytes_in: u64,
    /// Datagrams sent.
    pub datagrams_out: u64,
    pub bytes_out: u64,
    /// Sessions opened.
    pub sessions: u64,
    /// What was sent again because nobody confirmed it, in sessions that are over.
    pub retransmissions: u64,
    /// What peers should not have said, but was carried out as the dialect demands.
    pub oddities: u64,
    drops: [u64; Drop::ALL.len()],
}

impl DialectCounters {
    /// What went nowhere, by reason; reasons that never occurred are left out.
    pub fn drops(&self) -> impl Iterator<Item = (Drop, u64)> {
        Drop::ALL.into_iter().zip(self.drops).filter(|(_, count)| *count > 0)
    }
}

/// What a shard counts.
#[derive(Clone, Debug, Default)]
pub struct Counters {
    dialects: [DialectCounters; Dialect::ALL.len()],
    /// Ticks of lobbies.
    pub ticks: u64,
    /// Ticks that were left out because the node was too late for them.
    pub ticks_skipped: u64,
    /// Lobbies opened.
    pub lobbies: u64,
    /// Lobbies closed because something in them panicked.
    pub lobbies_broken: u64,
    /// Bots that hosts asked for and did not get.
    pub bots_refused: u64,
    /// Datagrams handed to the shard that their lobby lives on.
    pub handovers: u64,
    /// How late ticks began.
    pub lateness: Histogram,
    /// How long ticks took.
    pub tick_time: Histogram,
    /// How long the shard was at work.
    pub busy: Duration,
}

impl Counters {
    /// What is counted for each dialect.
    pub fn dialects(&self) -> impl Iterator<Item = (Dialect, &DialectCounters)> {
        Dialect::ALL.into_iter().zip(&self.dialects)
    }

    /// What is counted for a dialect.
    pub fn dialect(&self, dialect: Dialect) -> &DialectCounters {
        &self.dialects[dialect as usize]
    }

    pub(crate) fn of(&mut self, dialect: Dialect) -> &mut DialectCounters {
        &mut self.dialects[dialect as usize]
    }

    pub(crate) fn drop_many(&mut self, dialect: Dialect, why: Drop, count: u64) {
        self.of(dialect).drops[why as usize] += count;
    }
}

impl AddAssign<&Counters> for Counters {
    fn add_assign(&mut self, other: &Counters) {
        for (mine, theirs) in self.dialects.iter_mut().zip(&other.dialects) {
            *mine += theirs;
        }
        self.ticks += other.ticks;
        self.ticks_skipped += other.ticks_skipped;
        self.lobbies += other.lobbies;
        self.lobbies_broken += other.lobbies_broken;
        self.bots_refused += other.bots_refused;
        self.handovers += other.handovers;
        self.lateness += &other.lateness;
        self.tick_time += &other.tick_time;
        self.busy += other.busy;
    }
}

impl AddAssign<&DialectCounters> for DialectCounters {
    fn add_assign(&mut self, other: &DialectCounters) {
        self.datagrams_in += other.datagrams_in;
        self.bytes_in += other.bytes_in;
        self.datagrams_out += other.datagrams_out;
        self.bytes_out += other.bytes_out;
        self.sessions += other.sessions;
        self.retransmissions += other.retransmissions;
        self.oddities += other.oddities;
        for (mine, theirs) in self.drops.iter_mut().zip(other.drops) {
            *mine += theirs;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_reason_and_dialect_has_its_own_place() {
        assert!(Drop::ALL.into_iter().enumerate().all(|(index, why)| why as usize == index));
        assert!(Dialect::ALL.into_iter().enumerate().all(|(index, dialect)| dialect as usize == index));
    }

    #[test]
    fn counters_of_shards_are_added() {
        let mut first = Counters { ticks: 2, ..Counters::default() };
        let mut second = Counters { ticks: 3, handovers: 1, ..Counters::default() };
        for counters in [&mut first, &mut second] {
            counters.drop_many(Dialect::Aecs, Drop::Full, 1);
            counters.lateness.note(Duration::from_micros(300));
        }
        first += &second;
        assert_eq!((first.ticks, first.handovers, first.lateness.count()), (5, 1, 2));
        assert_eq!(first.dialect(Dialect::Aecs).drops().collect::<Vec<_>>(), [(Drop::Full, 2)]);
    }
}
