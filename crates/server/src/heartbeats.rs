//! When each shard of a node last ran, and each thread that carries links, for the shards to see (ruling C15).
//!
//! A player's datagrams may come to another shard than the one that the session lives on, and those of a link come by a thread of
//! the edge. If that is not scheduled for seconds, the shard hears nothing, though the player speaks. So no shard counts time in
//! which another thread stood still as anybody's silence.

use std::{
    sync::{
        Arc,
        atomic::{AtomicU64, AtomicUsize, Ordering},
    },
    time::Duration,
};

use protocol::Time;

use crate::peer::ShardId;

/// A shard that has nothing to do says so, and is not expected to run.
const ASLEEP: u64 = u64::MAX;

/// When each shard last ran, then when each thread of the edge did: there are as many.
#[derive(Clone)]
pub(crate) struct Heartbeats {
    beats: Arc<[AtomicU64]>,
    /// How many threads of the edge there are so far.
    edge_threads: Arc<AtomicUsize>,
}

impl Heartbeats {
    pub fn new(shards: usize) -> Heartbeats {
        let beats = (0..2 * shards).map(|_| AtomicU64::new(ASLEEP)).collect();
        Heartbeats { beats, edge_threads: Arc::default() }
    }

    /// That of one more thread of the edge.
    pub fn edge_thread(&self) -> EdgeHeartbeat {
        let index = self.beats.len() / 2 + self.edge_threads.fetch_add(1, Ordering::Relaxed);
        EdgeHeartbeat { beats: Arc::clone(&self.beats), index }
    }

    /// A shard runs.
    pub fn beat(&self, shard: ShardId, now: Time, is_asleep: bool) {
        if let Some(beat) = self.beats.get(shard.index()) {
            beat.store(if is_asleep { ASLEEP } else { now.micros() }, Ordering::Relaxed);
        }
    }

    /// Since when a thread other than this shard's has stood still, if that is longer than `late_max`.
    pub fn stalled_since(&self, shard: ShardId, now: Time, late_max: Duration) -> Option<Time> {
        let others = self.beats.iter().enumerate().filter(|(index, _)| *index != shard.index());
        let beats = others.map(|(_, beat)| beat.load(Ordering::Relaxed)).filter(|beat| *beat != ASLEEP);
        beats.map(Time::from_micros).filter(|beat| now.since(*beat) > late_max).min()
    }
}

/// Makes what one thread of the edge calls while it runs, with whether it carries no links.
pub type Pulse = Arc<dyn Fn() -> Box<dyn Fn(bool) + Send> + Send + Sync>;

/// When a thread of the edge last ran.
pub(crate) struct EdgeHeartbeat {
    beats: Arc<[AtomicU64]>,
    index: usize,
}

impl EdgeHeartbeat {
    /// The thread runs. One that carries no links has nothing to say that anybody waits for.
    pub fn beat(&self, now: Time, is_asleep: bool) {
        if let Some(beat) = self.beats.get(self.index) {
            beat.store(if is_asleep { ASLEEP } else { now.micros() }, Ordering::Relaxed);
        }
    }
}
