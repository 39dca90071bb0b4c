//! The rings between shards, and the handles that wake those that sleep.
//!
//! Between every two shards there is one ring each way, with one shard at each end: no lock, no allocation. A shard that
//! has lobbies looks into its rings in every phase and need not be woken; one that has nothing to do sleeps until it is.

use std::{
    collections::VecDeque,
    io,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering, fence},
    },
};

use mio::{Poll, Waker};
use rtrb::{Consumer, Producer, RingBuffer};

use super::readiness::ReadySource;
use crate::core::{Parcel, ShardId};

/// Parcels that one shard may be ahead of another.
const RING_PARCELS: usize = 1024;

/// Wakes a shard that sleeps.
#[derive(Clone)]
pub struct WakeHandle(Arc<WakeState>);

struct WakeState {
    waker: Waker,
    is_asleep: AtomicBool,
}

impl WakeHandle {
    fn new(poll: &Poll) -> io::Result<WakeHandle> {
        let waker = Waker::new(poll.registry(), ReadySource::Waker.token())?;
        Ok(WakeHandle(Arc::new(WakeState { waker, is_asleep: AtomicBool::new(false) })))
    }

    /// Wakes the shard if it sleeps. Call it after what it is to notice was done.
    pub fn wake(&self) {
        // Either this sees that it sleeps, or it sees what was done before it falls asleep.
        fence(Ordering::SeqCst);
        if self.0.is_asleep.load(Ordering::Relaxed)
            && let Err(error) = self.0.waker.wake()
        {
            tracing::error!(%error, "cannot wake a shard");
        }
    }

    /// The shard is about to sleep. It must look once more before it does.
    pub(super) fn before_sleep(&self) {
        self.0.is_asleep.store(true, Ordering::Relaxed);
        fence(Ordering::SeqCst);
    }

    /// The shard is awake.
    pub(super) fn after_sleep(&self) {
        self.0.is_asleep.store(false, Ordering::Relaxed);
    }
}

/// A shard's ends of the rings.
pub(super) struct Rings {
    shard: ShardId,
    /// By shard; none for its own.
    others: Vec<Option<Other>>,
    wake_handle: WakeHandle,
}

struct Other {
    wake_handle: WakeHandle,
    to: Producer<Parcel>,
    from: Consumer<Parcel>,
    /// What must not be lost and did not fit. Order is kept: while it is not empty, nothing passes it.
    backlog: VecDeque<Parcel>,
    /// Whether something was put in since the other shard was last woken.
    is_news: bool,
}

/// The rings between the shards, and what each of them waits at.
pub(super) fn between(shards: usize) -> io::Result<Vec<(Rings, Poll)>> {
    let mut polls = Vec::new();
    let mut wake_handles = Vec::new();
    for _ in 0..shards {
        let poll = Poll::new()?;
        wake_handles.push(WakeHandle::new(&poll)?);
        polls.push(poll);
    }
    let mut ends: Vec<Vec<Option<Other>>> = (0..shards).map(|_| (0..shards).map(|_| None).collect()).collect();
    for first in 0..shards {
        for second in first + 1..shards {
            let (there, here) = (RingBuffer::new(RING_PARCELS), RingBuffer::new(RING_PARCELS));
            ends[first][second] = Some(Other::new(wake_handles[second].clone(), there.0, here.1));
            ends[second][first] = Some(Other::new(wake_handles[first].clone(), here.0, there.1));
        }
    }
    let rings = ends.into_iter().zip(wake_handles).enumerate();
    let rings =
        rings.map(|(number, (others, wake_handle))| Rings { shard: ShardId(number as u8), others, wake_handle });
    Ok(rings.zip(polls).collect())
}

impl Rings {
    pub fn shard(&self) -> ShardId {
        self.shard
    }

    pub fn own_wake_handle(&self) -> WakeHandle {
        self.wake_handle.clone()
    }

    /// Puts a parcel in the ring to another shard. False: it is lost, because the ring is full.
    pub fn put(&mut self, to: ShardId, parcel: Parcel) -> bool {
        let Some(Some(other)) = self.others.get_mut(to.index()) else {
            tracing::error!(from = self.shard.0, to = to.0, "dropped a parcel for an unknown shard");
            return false;
        };
        other.put(parcel)
    }

    /// The next parcel from any shard.
    pub fn take(&mut self) -> Option<Parcel> {
        self.others.iter_mut().flatten().find_map(|other| other.from.pop().ok())
    }

    /// Whether a parcel waits here.
    pub fn is_empty(&self) -> bool {
        self.others.iter().flatten().all(|other| other.from.is_empty())
    }

    /// Sends what had to wait, and wakes the shards that something was sent to. False: something still has to wait.
    pub fn dispatch(&mut self) -> bool {
        let mut is_done = true;
        for other in self.others.iter_mut().flatten() {
            other.send_backlog();
            is_done &= other.backlog.is_empty();
            if std::mem::take(&mut other.is_news) {
                other.wake_handle.wake();
            }
        }
        is_done
    }
}

impl Other {
    fn new(wake_handle: WakeHandle, to: Producer<Parcel>, from: Consumer<Parcel>) -> Other {
        Other { wake_handle, to, from, backlog: VecDeque::new(), is_news: false }
    }

    fn put(&mut self, parcel: Parcel) -> bool {
        self.is_news = true;
        if self.backlog.is_empty() && !self.to.is_full() {
            return self.to.push(parcel).is_ok();
        }
        let waits = !parcel.may_be_lost();
        if waits {
            self.backlog.push_back(parcel);
        }
        waits
    }

    fn send_backlog(&mut self) {
        while !self.to.is_full()
            && let Some(parcel) = self.backlog.pop_front()
        {
            self.is_news |= self.to.push(parcel).is_ok();
        }
    }
}
