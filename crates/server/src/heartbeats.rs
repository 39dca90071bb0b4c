//! When each shard of a node last ran, for the others to see (ruling C15).
//!
//! A player's datagrams may come to another shard than the one that the session lives on. If the first is not scheduled for
//! seconds, the second hears nothing, though the player speaks. So no shard counts time in which another stood still as
//! anybody's silence.

use std::{
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
    time::Duration,
};

use protocol::Time;

use crate::peer::ShardId;

/// A shard that has nothing to do says so, and is not expected to run.
const ASLEEP: u64 = u64::MAX;

/// When each shard last ran.
#[derive(Clone)]
pub(crate) struct Heartbeats(Arc<[AtomicU64]>);

impl Heartbeats {
    pub fn new(shards: usize) -> Heartbeats {
        Heartbeats((0..shards).map(|_| AtomicU64::new(ASLEEP)).collect())
    }

    /// A shard runs.
    pub fn beat(&self, shard: ShardId, now: Time, is_asleep: bool) {
        if let Some(beat) = self.0.get(shard.index()) {
            beat.store(if is_asleep { ASLEEP } else { now.micros() }, Ordering::Relaxed);
        }
    }

    /// Since when a shard other than this one has stood still, if that is longer than so much.
    pub fn stalled_since(&self, shard: ShardId, now: Time, late_max: Duration) -> Option<Time> {
        let others = self.0.iter().enumerate().filter(|(index, _)| *index != shard.index());
        let beats = others.map(|(_, beat)| beat.load(Ordering::Relaxed)).filter(|beat| *beat != ASLEEP);
        beats.map(Time::from_micros).filter(|beat| now.since(*beat) > late_max).min()
    }
}
