//! Many datagrams in one system call, behind a safe interface: [`Receiver`] and [`Sender`].
//!
//! Both hold all their memory from the beginning and allocate nothing afterwards. On Linux they use `recvmmsg` and
//! `sendmmsg`; equal-sized datagrams to one peer leave as one message that the system cuts up (GSO), and those of one peer
//! may arrive as one (GRO). Elsewhere a call is a datagram. What differs is behind [`Calls`]; all `unsafe` is in
//! `linux.rs`.

#[cfg(target_os = "linux")]
mod linux;
mod plain;
mod queue;
#[cfg(test)]
mod tests;

use std::{
    io::{self, ErrorKind},
    net::{Ipv4Addr, SocketAddr, UdpSocket},
};

#[cfg(target_os = "linux")]
pub use linux::Linux;
pub use plain::Plain;
pub use queue::{Queue, run_length};

/// The calls of this system.
#[cfg(target_os = "linux")]
pub type System = Linux;
/// The calls of this system.
#[cfg(not(target_os = "linux"))]
pub type System = Plain;

/// Messages that one call moves, at most. Most are one datagram each.
pub const BATCH: usize = 64;
/// What of a datagram is received; the rest of a longer one is cut off.
pub const DATAGRAM_MAX_BYTES: usize = 2048;
/// Room for a message of several datagrams. What is never needed of it is never touched.
const MESSAGE_MAX_BYTES: usize = 1 << 16;
/// From one message's place to the next: not a power of two, or their beginnings would drive each other out of the caches.
const STRIDE_BYTES: usize = MESSAGE_MAX_BYTES + 64;

/// How a system moves datagrams. Sockets do not block.
pub trait Calls: Default {
    /// Fills the batch with what has arrived, at most [`BATCH`] messages.
    fn receive(&mut self, socket: &UdpSocket, batch: &mut Batch) -> io::Result<()>;

    /// Sends datagrams of the queue in order, beginning at index `first`, and returns how many it took: at least one. An
    /// error is about the first of them, or about one that was sent earlier.
    fn send(&mut self, socket: &UdpSocket, queue: &Queue, first: usize) -> io::Result<usize>;
}

/// Lets datagrams of one peer that come at once arrive as one message at this socket. It must be read with a
/// [`Receiver`], which tells them apart. Where the system cannot do that, each arrives alone.
pub fn gather(socket: &UdpSocket) {
    #[cfg(target_os = "linux")]
    let _ = nix::sys::socket::setsockopt(socket, nix::sys::socket::sockopt::UdpGroSegment, &true);
    #[cfg(not(target_os = "linux"))]
    let _ = socket;
}

/// Messages that arrived together.
pub struct Batch {
    bytes: Box<[u8]>,
    from: [SocketAddr; BATCH],
    lengths: [usize; BATCH],
    /// The size of each datagram in a message but the last, which may be shorter.
    segments: [usize; BATCH],
    count: usize,
}

impl Batch {
    fn new() -> Batch {
        Batch {
            bytes: vec![0; BATCH * STRIDE_BYTES].into(),
            from: [SocketAddr::new(Ipv4Addr::UNSPECIFIED.into(), 0); BATCH],
            lengths: [0; BATCH],
            segments: [0; BATCH],
            count: 0,
        }
    }

    /// The places for messages.
    fn slots(&mut self) -> impl Iterator<Item = &mut [u8]> {
        self.bytes.chunks_exact_mut(STRIDE_BYTES).map(|slot| &mut slot[..MESSAGE_MAX_BYTES])
    }

    /// Notes the next message: from whom it is, how long, and how long its datagrams are.
    fn note(&mut self, from: SocketAddr, length: usize, segment: usize) {
        self.from[self.count] = from;
        self.lengths[self.count] = length.min(MESSAGE_MAX_BYTES);
        self.segments[self.count] = segment;
        self.count += 1;
    }

    fn iter(&self) -> impl Iterator<Item = (SocketAddr, &[u8])> {
        let messages = self.bytes.chunks_exact(STRIDE_BYTES).zip(self.lengths).zip(self.segments);
        self.from.into_iter().zip(messages).take(self.count).flat_map(|(from, ((slot, length), segment))| {
            datagrams(&slot[..length], segment).map(move |bytes| (from, bytes))
        })
    }
}

/// The datagrams of a message.
fn datagrams(message: &[u8], segment: usize) -> impl Iterator<Item = &[u8]> {
    let empty = message.is_empty().then_some(message);
    let cut_off = |bytes: &'_ [u8]| bytes.len().min(DATAGRAM_MAX_BYTES);
    empty.into_iter().chain(message.chunks(segment.max(1))).map(move |bytes| &bytes[..cut_off(bytes)])
}

/// Takes what arrived at sockets.
pub struct Receiver<C = System> {
    calls: C,
    batch: Batch,
}

impl<C: Calls> Default for Receiver<C> {
    fn default() -> Receiver<C> {
        Receiver { calls: C::default(), batch: Batch::new() }
    }
}

impl<C: Calls> Receiver<C> {
    /// Takes what has arrived, at most [`BATCH`] messages, and returns how many there are; with fewer than that the
    /// socket was empty. An ICMP error of something sent earlier is an error here, once; then call again.
    pub fn receive(&mut self, socket: &UdpSocket) -> io::Result<usize> {
        self.batch.count = 0;
        match self.calls.receive(socket, &mut self.batch) {
            Ok(()) => Ok(self.batch.count),
            Err(error) if error.kind() == ErrorKind::WouldBlock => Ok(0),
            Err(error) if error.kind() == ErrorKind::Interrupted => self.receive(socket),
            Err(error) => Err(error),
        }
    }

    /// The datagrams that the last call to [`Receiver::receive`] took, and from whom they are.
    pub fn datagrams(&self) -> impl Iterator<Item = (SocketAddr, &[u8])> {
        self.batch.iter()
    }
}

/// What became of what was sent.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    /// Datagrams that the system took.
    pub sent: u64,
    /// Datagrams that it could not send, such as to an address without a route.
    pub failed: u64,
    /// Datagrams that were lost because the socket's buffer was full.
    pub crowded_out: u64,
    /// Errors that told of an earlier datagram, such as one to a peer that is gone. What they interrupted was sent.
    pub interrupted: u64,
    /// System calls.
    pub calls: u64,
}

/// Collects datagrams and sends them together.
pub struct Sender<C = System> {
    calls: C,
    queue: Queue,
    tally: Tally,
}

impl<C: Calls> Sender<C> {
    /// A sender with room for so many datagrams and so many bytes in all of them.
    pub fn new(datagrams: usize, bytes: usize) -> Sender<C> {
        Sender { calls: C::default(), queue: Queue::new(datagrams, bytes), tally: Tally::default() }
    }

    /// Adds a datagram. False: there is no room before a flush.
    #[must_use]
    pub fn push(&mut self, to: SocketAddr, bytes: &[u8]) -> bool {
        self.queue.push(to, bytes)
    }

    /// Whether nothing waits to be sent.
    pub fn is_empty(&self) -> bool {
        self.queue.is_empty()
    }

    /// Sends all that waits. A datagram that fails does not hold up the others; if the socket takes no more, the rest is
    /// lost, as the network might have lost it.
    pub fn flush(&mut self, socket: &UdpSocket) {
        let mut first = 0;
        let mut has_failed = false;
        while first < self.queue.len() {
            self.tally.calls += 1;
            match self.calls.send(socket, &self.queue, first) {
                Ok(count) => {
                    self.tally.sent += count as u64;
                    first += count.max(1);
                    has_failed = false;
                }
                Err(error) if is_full(&error) => {
                    self.tally.crowded_out += (self.queue.len() - first) as u64;
                    break;
                }
                // The error may be an earlier datagram's: only if it comes twice is it this one's.
                Err(_) if !has_failed => {
                    self.tally.interrupted += 1;
                    has_failed = true;
                }
                Err(_) => {
                    self.tally.failed += 1;
                    first += 1;
                    has_failed = false;
                }
            }
        }
        self.queue.clear();
    }

    /// What became of everything that was pushed since this was last asked.
    pub fn take_tally(&mut self) -> Tally {
        std::mem::take(&mut self.tally)
    }
}

fn is_full(error: &io::Error) -> bool {
    matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::OutOfMemory) || is_without_buffers(error)
}

#[cfg(target_os = "linux")]
fn is_without_buffers(error: &io::Error) -> bool {
    error.raw_os_error() == Some(libc::ENOBUFS)
}

#[cfg(not(target_os = "linux"))]
fn is_without_buffers(_: &io::Error) -> bool {
    false
}
