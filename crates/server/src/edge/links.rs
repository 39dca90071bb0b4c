//! Links: what the node and the tasks at the edge hand each other. Everything is bounded: a peer that floods or does not
//! read loses its datagrams, then its link, and costs nobody else anything.

use std::{
    collections::HashMap,
    net::{IpAddr, SocketAddr},
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicU64, Ordering},
    },
};

use protocol::Dialect;
use tokio::sync::mpsc::{self, error::TrySendError};

use crate::core::StreamId;

/// Where the names of links begin, beyond those of streams.
const FIRST_ID: u64 = 1 << 48;
/// Links at once, in all.
const LINKS_MAX: usize = 16_384;
/// Links at once from one address: a school or an office behind one router, but no flood.
const LINKS_PER_ADDRESS_MAX: usize = 256;
/// What may wait for one peer: about four seconds of play.
const OUTGOING_MAX: usize = 256;
/// What may wait for the node.
const ARRIVALS_MAX: usize = 16_384;
/// The longest thing that a peer may say at once, in bytes.
pub(super) const MESSAGE_MAX_BYTES: usize = 4_096;

/// What the edge tells the node.
#[derive(Debug)]
pub enum Arrival {
    /// A peer has connected.
    Opened(Link),
    /// It sent a datagram.
    Datagram {
        /// Over which link.
        link: StreamId,
        /// What is spoken there.
        dialect: Dialect,
        /// Where the peer is.
        from: SocketAddr,
        /// What it said.
        bytes: Vec<u8>,
    },
    /// The next bytes of its stream.
    Stream(StreamId, Vec<u8>),
    /// It is gone.
    Closed(StreamId),
}

/// What the node tells a link.
#[derive(Debug)]
pub(super) enum Outgoing {
    Datagram(Vec<u8>),
    Stream(Vec<u8>),
}

/// The node's end of a link. Dropping it closes the link, once what was sent before has left.
#[derive(Debug)]
pub struct Link {
    /// Its name, never used twice, nor for a stream that a shard accepts.
    pub id: StreamId,
    /// What is spoken over it.
    pub dialect: Dialect,
    /// Where the peer is. The transport has proved it.
    pub from: SocketAddr,
    outgoing: mpsc::Sender<Outgoing>,
}

impl Link {
    /// Sends a datagram. False: it was lost, because the peer does not keep up.
    pub fn datagram(&self, bytes: &[u8]) -> bool {
        self.outgoing.try_send(Outgoing::Datagram(bytes.into())).is_ok()
    }

    /// Sends bytes down the stream. False: the peer does not keep up, and the link is of no more use.
    pub fn stream(&self, bytes: &[u8]) -> bool {
        self.outgoing.try_send(Outgoing::Stream(bytes.into())).is_ok()
    }
}

/// Where the node takes arrivals from.
pub struct Arrivals(mpsc::Receiver<Arrival>);

impl Arrivals {
    /// The next arrival, without waiting.
    pub fn take(&mut self) -> Option<Arrival> {
        self.0.try_recv().ok()
    }

    /// Whether nothing has arrived.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

/// What every task at the edge shares: the way to the node, and who may come in.
#[derive(Clone)]
pub struct Gate(Arc<Shared>);

struct Shared {
    dialect: Dialect,
    arrivals: mpsc::Sender<Arrival>,
    /// Called after each arrival: the node may be asleep.
    wake: Box<dyn Fn() + Send + Sync>,
    next: AtomicU64,
    open: Mutex<Open>,
    lost: AtomicU64,
}

impl Gate {
    /// A gate for players of that dialect, and where the node takes from. `wake` is called when something has arrived.
    pub fn new(dialect: Dialect, wake: impl Fn() + Send + Sync + 'static) -> (Gate, Arrivals) {
        let (sender, receiver) = mpsc::channel(ARRIVALS_MAX);
        let shared = Shared {
            dialect,
            arrivals: sender,
            wake: Box::new(wake),
            next: AtomicU64::new(FIRST_ID),
            open: Mutex::default(),
            lost: AtomicU64::new(0),
        };
        (Gate(Arc::new(shared)), Arrivals(receiver))
    }

    /// Datagrams of peers that were lost because the node did not keep up.
    pub fn lost(&self) -> u64 {
        self.0.lost.load(Ordering::Relaxed)
    }

    /// Lets a peer in, if there is room. What comes back is the edge's end of its link.
    pub(super) async fn enter(&self, from: SocketAddr) -> Option<Entered> {
        let place = Place::take(self, from.ip())?;
        let id = StreamId(self.0.next.fetch_add(1, Ordering::Relaxed));
        let (sender, outgoing) = mpsc::channel(OUTGOING_MAX);
        let dialect = self.0.dialect;
        self.tell(Arrival::Opened(Link { id, dialect, from, outgoing: sender })).await;
        Some(Entered { gate: self.clone(), id, from, outgoing, _place: place })
    }

    async fn tell(&self, arrival: Arrival) {
        // The node has ended: then so does the process.
        let _ = self.0.arrivals.send(arrival).await;
        (self.0.wake)();
    }

    fn open(&self) -> MutexGuard<'_, Open> {
        self.0.open.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The edge's end of a link.
pub(super) struct Entered {
    gate: Gate,
    id: StreamId,
    from: SocketAddr,
    /// What the node wants sent; it ends when the node closes the link.
    pub outgoing: mpsc::Receiver<Outgoing>,
    _place: Place,
}

impl Entered {
    /// The peer sent a datagram. It is lost if the node does not keep up.
    pub fn datagram(&self, bytes: Vec<u8>) {
        let arrival = Arrival::Datagram { link: self.id, dialect: self.gate.0.dialect, from: self.from, bytes };
        match self.gate.0.arrivals.try_send(arrival) {
            Ok(()) => (self.gate.0.wake)(),
            Err(TrySendError::Full(_)) => drop(self.gate.0.lost.fetch_add(1, Ordering::Relaxed)),
            Err(TrySendError::Closed(_)) => {}
        }
    }

    /// The next bytes of the peer's stream. Waits while the node does not keep up, and so makes the peer wait.
    pub async fn stream(&self, bytes: Vec<u8>) {
        self.gate.tell(Arrival::Stream(self.id, bytes)).await;
    }

    /// The peer is gone.
    pub async fn close(self) {
        self.gate.tell(Arrival::Closed(self.id)).await;
    }
}

/// How many links are open.
#[derive(Default)]
struct Open {
    total: usize,
    by_address: HashMap<IpAddr, usize>,
}

/// A place in the count of links, given back when it is dropped.
struct Place {
    gate: Gate,
    ip: IpAddr,
}

impl Place {
    fn take(gate: &Gate, ip: IpAddr) -> Option<Place> {
        let mut open = gate.open();
        let from_here = open.by_address.get(&ip).copied().unwrap_or_default();
        if open.total >= LINKS_MAX || from_here >= LINKS_PER_ADDRESS_MAX {
            return None;
        }
        open.total += 1;
        open.by_address.insert(ip, from_here + 1);
        Some(Place { gate: gate.clone(), ip })
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        let mut open = self.gate.open();
        open.total -= 1;
        let left = open.by_address.get(&self.ip).map_or(0, |count| count - 1);
        match left {
            0 => open.by_address.remove(&self.ip),
            _ => open.by_address.insert(self.ip, left),
        };
    }
}
