//! The gate: who may come in over a link, and how what they say reaches the node.

use std::{
    net::{IpAddr, SocketAddr},
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicU64, Ordering},
    },
};

use protocol::Dialect;
use tokio::sync::mpsc;

use super::{
    links::{Arrival, Arrivals, Entered},
    mailbox::Post,
};
use crate::{core::StreamId, household::Households, switchboard::Waker};

/// Where the names of links begin, beyond those of streams.
const FIRST_ID: u64 = 1 << 48;
/// Links at once, in all.
const LINKS_MAX: usize = 16_384;
/// Links at once from one address: a school or an office behind one router, but no flood. Local addresses, where a proxy may
/// sit, are free of it.
const LINKS_PER_ADDRESS_MAX: usize = 256;
/// What may wait for one shard.
const ARRIVALS_MAX: usize = 16_384;

/// The way in for the tasks of one thread of the edge. Clones are for the same thread.
#[derive(Clone)]
pub struct Gate {
    shared: Arc<Shared>,
    post: Arc<Post>,
}

struct Shared {
    dialect: Dialect,
    /// One for each shard.
    ways: Vec<Way>,
    next: AtomicU64,
    /// How many links are open.
    open: Mutex<Households>,
    lost: AtomicU64,
    turned_away: AtomicU64,
    floods: AtomicU64,
}

/// The way to a shard.
struct Way {
    arrivals: mpsc::Sender<Arrival>,
    /// Called after each arrival: the shard may be asleep.
    wake: Waker,
}

impl Gate {
    /// A gate for players of that dialect, and where each shard takes from. A shard's waker is called when something
    /// has arrived for it.
    pub fn new(dialect: Dialect, wakers: &[Waker]) -> (Gate, Vec<Arrivals>) {
        let (ways, arrivals) = wakers.iter().map(way).unzip();
        let shared = Shared {
            dialect,
            ways,
            next: AtomicU64::new(FIRST_ID),
            open: Mutex::default(),
            lost: AtomicU64::new(0),
            turned_away: AtomicU64::new(0),
            floods: AtomicU64::new(0),
        };
        (Gate { shared: Arc::new(shared), post: Arc::default() }, arrivals)
    }

    /// The same gate, for another thread.
    pub fn for_another_thread(&self) -> Gate {
        Gate { shared: Arc::clone(&self.shared), post: Arc::default() }
    }

    /// The links of this thread.
    pub fn links(&self) -> usize {
        self.post.boxes()
    }

    /// What peers said and was lost because the node did not keep up.
    pub fn lost(&self) -> u64 {
        self.shared.lost.load(Ordering::Relaxed)
    }

    /// Links that were refused because there were too many.
    pub fn turned_away(&self) -> u64 {
        self.shared.turned_away.load(Ordering::Relaxed)
    }

    /// How often a peer was not listened to for a while because it said too much.
    pub fn floods(&self) -> u64 {
        self.shared.floods.load(Ordering::Relaxed)
    }

    /// Lets a peer in, if there is room. What comes back is the edge's end of its link.
    pub(super) async fn enter(&self, from: SocketAddr) -> Option<Entered> {
        let Some(place) = Place::take(self, from.ip()) else {
            self.note_turned_away();
            return None;
        };
        self.post.open();
        let id = StreamId(self.shared.next.fetch_add(1, Ordering::Relaxed));
        let (entered, link) = Entered::new(self.clone(), id, self.shared.dialect, from, place);
        self.tell(id, Arrival::Opened(link)).await;
        Some(entered)
    }

    pub(super) fn note_turned_away(&self) {
        self.shared.turned_away.fetch_add(1, Ordering::Relaxed);
    }

    pub(super) fn dialect(&self) -> Dialect {
        self.shared.dialect
    }

    pub(super) fn post(&self) -> Arc<Post> {
        Arc::clone(&self.post)
    }

    pub(super) fn note_flood(&self) {
        self.shared.floods.fetch_add(1, Ordering::Relaxed);
    }

    /// Tells the home of a link. Waits while that does not keep up.
    pub(super) async fn tell(&self, link: StreamId, arrival: Arrival) {
        let Some(way) = self.way(link) else { return };
        // The node has ended: then so does the process.
        let _ = way.arrivals.send(arrival).await;
        (way.wake)();
    }

    /// Tells the home of a link. False: it is lost, because that does not keep up.
    pub(super) fn offer(&self, link: StreamId, arrival: Arrival) -> bool {
        let Some(way) = self.way(link) else { return false };
        let is_taken = way.arrivals.try_send(arrival).is_ok();
        match is_taken {
            true => (way.wake)(),
            false => drop(self.shared.lost.fetch_add(1, Ordering::Relaxed)),
        }
        is_taken
    }

    /// Links have their homes on one shard after the other.
    fn way(&self, StreamId(number): StreamId) -> Option<&Way> {
        let ways = &self.shared.ways;
        ways.get((number - FIRST_ID) as usize % ways.len().max(1))
    }

    fn open(&self) -> MutexGuard<'_, Households> {
        self.shared.open.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn way(wake: &Waker) -> (Way, Arrivals) {
    let (arrivals, receiver) = mpsc::channel(ARRIVALS_MAX);
    (Way { arrivals, wake: Arc::clone(wake) }, Arrivals(receiver))
}

/// A place in the count of links, given back when it is dropped.
pub(super) struct Place {
    gate: Gate,
    ip: IpAddr,
}

impl Place {
    fn take(gate: &Gate, ip: IpAddr) -> Option<Place> {
        let mut open = gate.open();
        if open.total() >= LINKS_MAX || !open.has_fewer(ip, LINKS_PER_ADDRESS_MAX) {
            return None;
        }
        open.add(ip);
        gate.post.add_box();
        Some(Place { gate: gate.clone(), ip })
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        self.gate.post.remove_box();
        self.gate.open().remove(self.ip);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn gate(shards: usize) -> (Gate, Vec<Arrivals>) {
        let wakers: Vec<Waker> = (0..shards).map(|_| Arc::new(|| {}) as Waker).collect();
        Gate::new(Dialect::Volley, &wakers)
    }

    async fn enter(gate: &Gate, address: &str) -> Option<Entered> {
        gate.enter(SocketAddr::new(address.parse().expect("an address"), 1)).await
    }

    #[tokio::test]
    async fn one_household_has_its_share_and_gives_it_back_and_loopback_has_all() {
        let (gate, _arrivals) = gate(1);
        let mut inside = Vec::new();
        for number in 0..LINKS_PER_ADDRESS_MAX {
            inside.extend(enter(&gate, &format!("2001:db8::{number:x}")).await);
            inside.extend(enter(&gate, "127.0.0.1").await);
        }
        assert!(enter(&gate, "2001:db8::ffff").await.is_none() && gate.turned_away() == 1);
        assert!(enter(&gate, "127.0.0.1").await.is_some() && enter(&gate, "192.0.2.1").await.is_some());
        inside.clear();
        assert!(enter(&gate, "2001:db8::ffff").await.is_some());
        assert_eq!(gate.open().total(), 0);
    }

    #[tokio::test]
    async fn links_have_their_homes_on_one_shard_after_the_other() {
        let (gate, mut arrivals) = gate(3);
        let mut inside = Vec::new();
        for _ in 0..6 {
            inside.extend(enter(&gate, "192.0.2.1").await);
        }
        inside[4].datagram(vec![7]);
        let counts: Vec<usize> =
            arrivals.iter_mut().map(|arrivals| std::iter::from_fn(|| arrivals.take()).count()).collect();
        assert_eq!(counts, [2, 3, 2]);
    }
}
