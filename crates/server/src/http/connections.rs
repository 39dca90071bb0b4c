//! The open HTTP connections. When there are too many, one is closed: the one without traffic for longest, of the address
//! that has the most.
//!
//! A connection that became a player's link no longer counts: nobody loses a game to a new connection.

use std::{
    io,
    net::IpAddr,
    pin::Pin,
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicBool, AtomicU64, Ordering},
    },
    task::{Context, Poll, ready},
    time::Instant,
};

use tokio::{
    io::{AsyncRead, AsyncWrite, ReadBuf},
    sync::Notify,
    time::{Sleep, sleep},
};

use super::read_limit::{AddressBucket, AddressBuckets, Bucket, spend_of_address};
use crate::{held_by_address::HeldByAddress, limits::Limits};

/// Connections at once, if the system allows enough open files.
pub const CONNECTIONS_MAX: usize = 256;

/// The open connections. Clones share them.
#[derive(Clone)]
pub struct Connections(Arc<Shared>);

struct Shared {
    started: Instant,
    /// How many there may be.
    room: usize,
    /// What is read from one address in a second.
    bytes_per_address: u32,
    open: Mutex<OpenConnections>,
    evicted: AtomicU64,
    floods: AtomicU64,
}

#[derive(Default)]
struct OpenConnections {
    /// How many there are.
    count: usize,
    /// The number of the next one.
    next: u64,
    by_address: HeldByAddress<Arc<OpenConnection>>,
    buckets: AddressBuckets,
}

struct OpenConnection {
    address: IpAddr,
    number: u64,
    is_open: AtomicBool,
    /// When something last went over the connection, in microseconds since `started`.
    active_us: AtomicU64,
    is_evicted: Notify,
    bucket: AddressBucket,
}

/// The right to one connection, returned when it is dropped.
pub struct ConnectionSlot {
    connections: Connections,
    entry: Arc<OpenConnection>,
}

impl Default for Connections {
    fn default() -> Connections {
        Connections::with_room(CONNECTIONS_MAX, Limits::default().bytes_per_address)
    }
}

impl Connections {
    /// Limits on the connections at once, and on the bytes from one address in a second.
    pub fn with_room(room: usize, bytes_per_address: u32) -> Connections {
        let (started, open) = (Instant::now(), Mutex::default());
        let (evicted, floods) = (AtomicU64::new(0), AtomicU64::new(0));
        Connections(Arc::new(Shared { started, room, bytes_per_address, open, evicted, floods }))
    }

    /// How often a connection was paused because its peer sent too much.
    pub fn floods(&self) -> u64 {
        self.0.floods.load(Ordering::Relaxed)
    }

    /// How many connections were closed because there were too many.
    pub fn evicted(&self) -> u64 {
        self.0.evicted.load(Ordering::Relaxed)
    }

    pub fn note_evicted(&self) {
        self.0.evicted.fetch_add(1, Ordering::Relaxed);
    }

    /// Adds a connection, and evicts another if there are too many.
    pub fn add(&self, address: IpAddr) -> ConnectionSlot {
        let active_us = AtomicU64::new(self.now_us());
        let mut open = self.lock();
        let bucket = open.buckets.get(address, self.0.bytes_per_address);
        if open.count >= self.0.room && open.evict_for(address) {
            self.note_evicted();
        }
        let entry = open.insert(address, active_us, bucket);
        ConnectionSlot { connections: self.clone(), entry }
    }

    /// How many connections an address has.
    #[cfg(test)]
    pub fn count(&self, address: IpAddr) -> usize {
        self.lock().by_address.count(address)
    }

    fn now_us(&self) -> u64 {
        self.0.started.elapsed().as_micros() as u64
    }

    fn lock(&self) -> MutexGuard<'_, OpenConnections> {
        self.0.open.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl OpenConnections {
    fn insert(&mut self, address: IpAddr, active_us: AtomicU64, bucket: AddressBucket) -> Arc<OpenConnection> {
        let (number, is_open) = (self.next, AtomicBool::new(true));
        let entry = Arc::new(OpenConnection { address, number, is_open, active_us, is_evicted: Notify::new(), bucket });
        self.next += 1;
        self.count += 1;
        self.by_address.insert(address, number, Arc::clone(&entry));
        entry
    }

    /// Closes a connection to make room for one of that address. Whether there was one.
    fn evict_for(&mut self, newcomer: IpAddr) -> bool {
        let last_used = |entry: &Arc<OpenConnection>| entry.active_us.load(Ordering::Relaxed);
        let Some(evicted) = self.by_address.idlest_yields_to(newcomer, last_used) else { return false };
        self.remove(&evicted);
        evicted.is_evicted.notify_one();
        true
    }

    fn remove(&mut self, gone: &OpenConnection) {
        if gone.is_open.swap(false, Ordering::Relaxed) {
            self.count -= 1;
            self.by_address.remove(gone.address, gone.number);
        }
    }
}

impl ConnectionSlot {
    /// Waits until the connection has to close for another one.
    pub async fn evicted(&self) {
        self.entry.is_evicted.notified().await;
    }

    /// The same stream, which notes when something goes over it.
    pub fn track<S>(&self, stream: S) -> TrackedStream<S> {
        let (connections, entry) = (self.connections.clone(), Arc::clone(&self.entry));
        TrackedStream { stream, connections, entry, bucket: Bucket::of_connection(), pause: None }
    }
}

impl Drop for ConnectionSlot {
    fn drop(&mut self) {
        self.connections.lock().remove(&self.entry);
    }
}

/// A stream that notes when something goes over it, and is not read for a while after too much came.
pub struct TrackedStream<S> {
    stream: S,
    connections: Connections,
    entry: Arc<OpenConnection>,
    bucket: Bucket,
    /// Until when it is not read.
    pause: Option<Pin<Box<Sleep>>>,
}

impl<S> TrackedStream<S> {
    fn note<T>(&self, poll: Poll<T>) -> Poll<T> {
        if poll.is_ready() {
            self.entry.active_us.store(self.connections.now_us(), Ordering::Relaxed);
        }
        poll
    }

    /// Counts bytes that were read: by this connection, and by its address.
    fn count(&mut self, bytes: usize) {
        let pause = self.bucket.spend(bytes).max(spend_of_address(&self.entry.bucket, bytes));
        if let Some(pause) = pause {
            self.connections.0.floods.fetch_add(1, Ordering::Relaxed);
            self.pause = Some(Box::pin(sleep(pause)));
        }
    }
}

impl<S: AsyncRead + Unpin> AsyncRead for TrackedStream<S> {
    fn poll_read(mut self: Pin<&mut Self>, context: &mut Context<'_>, into: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        if let Some(pause) = &mut self.pause {
            ready!(pause.as_mut().poll(context));
            self.pause = None;
        }
        let before = into.filled().len();
        let poll = Pin::new(&mut self.stream).poll_read(context, into);
        self.count(into.filled().len() - before);
        self.note(poll)
    }
}

impl<S: AsyncWrite + Unpin> AsyncWrite for TrackedStream<S> {
    fn poll_write(mut self: Pin<&mut Self>, context: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        let poll = Pin::new(&mut self.stream).poll_write(context, bytes);
        self.note(poll)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        slices: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let poll = Pin::new(&mut self.stream).poll_write_vectored(context, slices);
        self.note(poll)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(context)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn add(connections: &Connections, address: &str) -> ConnectionSlot {
        connections.add(address.parse().expect("an address"))
    }

    fn fill(connections: &Connections, addresses: usize) -> Vec<ConnectionSlot> {
        (0..CONNECTIONS_MAX).map(|number| add(connections, &format!("192.0.2.{}", number % addresses))).collect()
    }

    /// Something goes over the connection, at that time.
    fn touch(slot: &ConnectionSlot, us: u64) {
        slot.entry.active_us.store(us, Ordering::Relaxed);
    }

    fn is_open(connections: &Connections, slot: &ConnectionSlot) -> bool {
        let _open = connections.lock();
        slot.entry.is_open.load(Ordering::Relaxed)
    }

    fn count(connections: &Connections, address: &str) -> usize {
        connections.count(address.parse().expect("an address"))
    }

    #[test]
    fn one_address_may_have_all_until_another_comes_and_closed_ones_are_forgotten() {
        let connections = Connections::default();
        let slots = fill(&connections, 1);
        assert_eq!((count(&connections, "::ffff:192.0.2.0"), connections.evicted()), (CONNECTIONS_MAX, 0));
        let other = add(&connections, "198.51.100.1");
        assert_eq!((count(&connections, "192.0.2.0"), connections.evicted()), (CONNECTIONS_MAX - 1, 1));
        drop((slots, other));
        assert!(connections.lock().by_address.is_empty() && connections.lock().count == 0);
    }

    #[test]
    fn there_may_be_room_for_fewer() {
        let connections = Connections::with_room(3, 1000);
        let _many: Vec<ConnectionSlot> = (0..10).map(|_| add(&connections, "192.0.2.1")).collect();
        assert_eq!((connections.lock().count, connections.evicted()), (3, 7));
    }

    #[test]
    fn the_heaviest_address_loses_its_idlest_connection() {
        let connections = Connections::default();
        let few: Vec<ConnectionSlot> = (0..3).map(|_| add(&connections, "198.51.100.1")).collect();
        let many: Vec<ConnectionSlot> = (3..CONNECTIONS_MAX).map(|_| add(&connections, "192.0.2.1")).collect();
        few.iter().for_each(|slot| touch(slot, 1));
        many.iter().zip(1000..).for_each(|(slot, us)| touch(slot, us));
        touch(&many[0], 2000);
        let _new = add(&connections, "203.0.113.1");
        assert!(few.iter().all(|slot| is_open(&connections, slot)), "they have few");
        assert!(is_open(&connections, &many[0]) && !is_open(&connections, &many[1]));
    }

    #[test]
    fn a_heavy_address_replaces_its_own_connections() {
        let connections = Connections::default();
        let slots = fill(&connections, 2);
        let _more: Vec<ConnectionSlot> = (0..100).map(|_| add(&connections, "192.0.2.1")).collect();
        let other = count(&connections, "192.0.2.0");
        assert!((CONNECTIONS_MAX / 2 - 1..=CONNECTIONS_MAX / 2).contains(&other), "{other}");
        assert_eq!(connections.lock().count, CONNECTIONS_MAX);
        drop(slots);
    }

    #[test]
    fn an_address_without_connections_gets_in_even_if_nobody_has_more_than_one() {
        let connections = Connections::default();
        let slots = fill(&connections, CONNECTIONS_MAX);
        slots.iter().zip(1000..).for_each(|(slot, us)| touch(slot, us));
        let new = add(&connections, "203.0.113.1");
        assert!(is_open(&connections, &new) && !is_open(&connections, &slots[0]));
    }

    #[test]
    fn an_ipv6_network_counts_as_one_address() {
        let connections = Connections::default();
        let few = add(&connections, "2001:db8:0:1::1");
        let _many: Vec<ConnectionSlot> =
            (1..CONNECTIONS_MAX).map(|number| add(&connections, &format!("2001:db8::{number:x}"))).collect();
        touch(&few, 0);
        let _new = add(&connections, "203.0.113.1");
        assert!(is_open(&connections, &few));
        assert_eq!(count(&connections, "2001:db8::"), CONNECTIONS_MAX - 2);
    }
}
