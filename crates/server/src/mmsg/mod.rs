//! Many datagrams in one system call, behind a safe interface: [`Receiver`] and [`DatagramSender`].
//!
//! Both allocate all their memory at the start. On Linux they use `recvmmsg` and `sendmmsg`; equal-sized datagrams to one
//! peer leave as one message that the system cuts up (GSO), and those of one peer may arrive as one message (GRO). On other
//! systems each datagram is a call of its own. The difference is behind [`Calls`]; all `unsafe` is in `linux.rs`.
//!
//! A socket that is bound to no address in particular is told which one each datagram was sent to ([`enable_local_end`]), so
//! that the answer can leave from there. A machine with several addresses would otherwise answer from any of them.

#[cfg(target_os = "linux")]
mod linux;
mod plain;
mod queue;
#[cfg(test)]
pub(crate) mod tests;

use std::{
    io::{self, ErrorKind},
    net::{IpAddr, Ipv4Addr, SocketAddr, UdpSocket},
};

#[cfg(target_os = "linux")]
pub use linux::Linux;
pub use plain::Plain;
pub use queue::{Queue, run_length};

/// The calls that this system has.
#[cfg(target_os = "linux")]
pub type System = Linux;
/// The calls that this system has.
#[cfg(not(target_os = "linux"))]
pub type System = Plain;

/// The most messages that one call moves. Most of them are one datagram each.
pub const BATCH: usize = 64;
/// The rest of a longer datagram is cut off when it is received.
pub const DATAGRAM_MAX_BYTES: usize = 2048;
/// Room for a message of several datagrams. Pages of it that are never used take no memory.
const MESSAGE_MAX_BYTES: usize = 1 << 16;
/// The distance between two messages: not a power of two, or their beginnings would evict each other from the caches.
const STRIDE_BYTES: usize = MESSAGE_MAX_BYTES + 64;

/// How a system moves datagrams. Sockets do not block.
pub trait Calls: Default {
    /// Fills the batch with up to [`BATCH`] messages that have arrived.
    fn receive(&mut self, socket: &UdpSocket, batch: &mut Batch) -> io::Result<()>;

    /// Sends datagrams of the queue in order, beginning at index `first`, and returns how many it took: at least one. An
    /// error is about the first of them, or about one that was sent earlier.
    fn send(&mut self, socket: &UdpSocket, queue: &Queue, first: usize) -> io::Result<usize>;
}

/// Lets several datagrams of one peer arrive as one message at this socket, if the system can. The socket must then be read
/// with a [`Receiver`], which splits them again.
pub fn enable_gro(socket: &UdpSocket) {
    #[cfg(target_os = "linux")]
    let _ = nix::sys::socket::setsockopt(socket, nix::sys::socket::sockopt::UdpGroSegment, &true);
    #[cfg(not(target_os = "linux"))]
    let _ = socket;
}

/// Lets the system say where each datagram came in, if it can.
pub fn enable_local_end(socket: &UdpSocket) {
    #[cfg(target_os = "linux")]
    {
        use nix::sys::socket::{setsockopt, sockopt};
        // One that is for both families reports IPv4 as IPv6; an IPv4 socket refuses the first.
        if setsockopt(socket, sockopt::Ipv6RecvPacketInfo, &true).is_err() {
            let _ = setsockopt(socket, sockopt::Ipv4PacketInfo, &true);
        }
    }
    #[cfg(not(target_os = "linux"))]
    let _ = socket;
}

/// Lets what is sent go by the MTU of the interface alone, if the system can. It would otherwise believe whoever says that the way
/// to a peer is narrower (ICMP "fragmentation needed", which anybody can forge), and fragment or refuse what was fine before.
pub fn ignore_path_mtu(socket: &UdpSocket) {
    #[cfg(target_os = "linux")]
    linux::ignore_path_mtu(socket);
    #[cfg(not(target_os = "linux"))]
    let _ = socket;
}

/// Where a datagram came in, as far as the system says so.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LocalEnd {
    /// The address of ours that it was sent to.
    pub ip: Option<IpAddr>,
    /// The number of the interface.
    pub interface: Option<u32>,
}

/// A datagram that arrived.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Received<'b> {
    pub from: SocketAddr,
    pub local: LocalEnd,
    pub bytes: &'b [u8],
}

/// A way that a datagram is to take: to that address, and from that one of ours if it matters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DatagramAddresses {
    pub to: SocketAddr,
    pub from: Option<IpAddr>,
}

/// Messages that arrived together.
pub struct Batch {
    bytes: Box<[u8]>,
    from: [SocketAddr; BATCH],
    local: [LocalEnd; BATCH],
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
            local: [LocalEnd::default(); BATCH],
            lengths: [0; BATCH],
            segments: [0; BATCH],
            count: 0,
        }
    }

    /// The buffers for messages.
    fn slots(&mut self) -> impl Iterator<Item = &mut [u8]> {
        self.bytes.chunks_exact_mut(STRIDE_BYTES).map(|slot| &mut slot[..MESSAGE_MAX_BYTES])
    }

    /// Adds the next message: its sender, where it came in, its length, and the length of its datagrams.
    fn note(&mut self, from: SocketAddr, local: LocalEnd, (length, segment): (usize, usize)) {
        self.from[self.count] = from;
        self.local[self.count] = local;
        self.lengths[self.count] = length.min(MESSAGE_MAX_BYTES);
        self.segments[self.count] = segment;
        self.count += 1;
    }

    fn iter(&self) -> impl Iterator<Item = Received<'_>> {
        let messages = self.bytes.chunks_exact(STRIDE_BYTES).zip(self.lengths).zip(self.segments);
        let ends = self.from.into_iter().zip(self.local);
        ends.zip(messages).take(self.count).flat_map(|((from, local), ((slot, length), segment))| {
            datagrams(&slot[..length], segment).map(move |bytes| Received { from, local, bytes })
        })
    }
}

fn datagrams(message: &[u8], segment: usize) -> impl Iterator<Item = &[u8]> {
    let empty = message.is_empty().then_some(message);
    let cut_off = |bytes: &'_ [u8]| bytes.len().min(DATAGRAM_MAX_BYTES);
    empty.into_iter().chain(message.chunks(segment.max(1))).map(move |bytes| &bytes[..cut_off(bytes)])
}

/// Receives datagrams.
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
    /// Receives up to [`BATCH`] messages, and returns how many; fewer mean that the socket is empty now. An ICMP error about
    /// an earlier datagram is returned once; then call again.
    pub fn receive(&mut self, socket: &UdpSocket) -> io::Result<usize> {
        self.batch.count = 0;
        match self.calls.receive(socket, &mut self.batch) {
            Ok(()) => Ok(self.batch.count),
            Err(error) if error.kind() == ErrorKind::WouldBlock => Ok(0),
            Err(error) if error.kind() == ErrorKind::Interrupted => self.receive(socket),
            Err(error) => Err(error),
        }
    }

    /// The datagrams of the last [`Receiver::receive`].
    pub fn datagrams(&self) -> impl Iterator<Item = Received<'_>> {
        self.batch.iter()
    }
}

/// Counts of what was sent.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SendCounts {
    /// Datagrams that the system took.
    pub sent: u64,
    /// Datagrams that could not be sent, such as to an address without a route.
    pub failed: u64,
    /// Datagrams that were lost because the socket's buffer was full.
    pub crowded_out: u64,
    /// Errors about an earlier datagram, such as one to a peer that is gone. The interrupted datagram was sent.
    pub interrupted: u64,
    /// System calls.
    pub calls: u64,
}

/// Collects datagrams and sends them together.
pub struct DatagramSender<C = System> {
    calls: C,
    queue: Queue,
    counts: SendCounts,
}

impl<C: Calls> DatagramSender<C> {
    /// A sender with room for this many datagrams, and this many bytes in all of them.
    pub fn new(datagrams: usize, bytes: usize) -> DatagramSender<C> {
        DatagramSender { calls: C::default(), queue: Queue::new(datagrams, bytes), counts: SendCounts::default() }
    }

    /// Adds a datagram. False: there is no room; flush first.
    #[must_use]
    pub fn push(&mut self, addresses: DatagramAddresses, bytes: &[u8]) -> bool {
        self.queue.push(addresses, bytes)
    }

    /// Whether nothing waits to be sent.
    pub fn is_empty(&self) -> bool {
        self.queue.is_empty()
    }

    /// Sends everything that waits. A datagram that fails does not hold up the others. If the socket's buffer is full, the
    /// rest is lost, as if the network had lost it.
    pub fn flush(&mut self, socket: &UdpSocket) {
        let mut first = 0;
        let mut has_failed = false;
        while first < self.queue.len() {
            self.counts.calls += 1;
            match self.calls.send(socket, &self.queue, first) {
                Ok(count) => {
                    self.counts.sent += count as u64;
                    first += count.max(1);
                    has_failed = false;
                }
                Err(error) if is_full(&error) => {
                    self.counts.crowded_out += (self.queue.len() - first) as u64;
                    break;
                }
                // The error may be about an earlier datagram. If it comes twice, it is about this one.
                Err(_) if !has_failed => {
                    self.counts.interrupted += 1;
                    has_failed = true;
                }
                Err(_) => {
                    self.counts.failed += 1;
                    first += 1;
                    has_failed = false;
                }
            }
        }
        self.queue.clear();
    }

    /// The counts since the last call.
    pub fn take_counts(&mut self) -> SendCounts {
        std::mem::take(&mut self.counts)
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
