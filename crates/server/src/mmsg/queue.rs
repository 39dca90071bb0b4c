//! Datagrams that wait to be sent. Their bytes follow each other, so that a run of them is one piece of memory.

use super::DatagramAddresses;

/// The most segments that the system cuts from one message.
const RUN_MAX: usize = 64;
/// The longest message, below what fits into an IP packet with either kind of header.
const RUN_MAX_BYTES: usize = 65_000;
/// Larger datagrams are sent one by one: a segment must fit into the smallest MTU of this machine's interfaces.
const SEGMENT_MAX_BYTES: usize = 1_200;

/// Datagrams that wait to be sent, in order.
pub struct Queue {
    bytes: Vec<u8>,
    bytes_max: usize,
    datagrams: Vec<Queued>,
    datagrams_max: usize,
}

#[derive(Clone, Copy)]
struct Queued {
    addresses: DatagramAddresses,
    start: usize,
    length: usize,
}

/// Datagrams that take the same way and can leave as one message.
pub(super) struct Run<'q> {
    pub addresses: DatagramAddresses,
    /// The bytes of all of them.
    pub bytes: &'q [u8],
    /// The size of each but the last, which may be shorter.
    pub segment: usize,
    pub count: usize,
}

impl Queue {
    pub(super) fn new(datagrams: usize, bytes: usize) -> Queue {
        Queue {
            bytes: Vec::with_capacity(bytes),
            bytes_max: bytes,
            datagrams: Vec::with_capacity(datagrams),
            datagrams_max: datagrams,
        }
    }

    pub(super) fn push(&mut self, addresses: DatagramAddresses, bytes: &[u8]) -> bool {
        let fits = self.datagrams.len() < self.datagrams_max && self.bytes.len() + bytes.len() <= self.bytes_max;
        if fits {
            self.datagrams.push(Queued { addresses, start: self.bytes.len(), length: bytes.len() });
            self.bytes.extend_from_slice(bytes);
        }
        fits
    }

    pub(super) fn clear(&mut self) {
        self.bytes.clear();
        self.datagrams.clear();
    }

    /// How many datagrams wait.
    pub fn len(&self) -> usize {
        self.datagrams.len()
    }

    /// Whether no datagram waits.
    pub fn is_empty(&self) -> bool {
        self.datagrams.is_empty()
    }

    /// A datagram and its way.
    pub fn get(&self, index: usize) -> Option<(DatagramAddresses, &[u8])> {
        let queued = self.datagrams.get(index)?;
        Some((queued.addresses, &self.bytes[queued.start..queued.start + queued.length]))
    }

    /// The longest run that begins at `first`; with `is_long` unset, that one datagram.
    pub(super) fn run(&self, first: usize, is_long: bool) -> Option<Run<'_>> {
        let Queued { addresses, start, length: segment } = *self.datagrams.get(first)?;
        let same_addresses = self.datagrams[first..].iter().take_while(|next| next.addresses == addresses);
        // A send to port 0 always fails, and that must not look like a failure to cut segments.
        let count =
            if is_long && addresses.to.port() != 0 { run_length(same_addresses.map(|next| next.length)) } else { 1 };
        let last = self.datagrams[first + count - 1];
        Some(Run { addresses, bytes: &self.bytes[start..last.start + last.length], segment, count })
    }
}

/// How many datagrams of these sizes, all to one peer, can leave as one message that the system cuts up: as many as are as
/// long as the first, and one more if it is shorter. With no sizes there are none.
pub fn run_length(sizes: impl IntoIterator<Item = usize>) -> usize {
    let mut sizes = sizes.into_iter();
    let Some(segment) = sizes.next() else { return 0 };
    // An empty datagram has no segments.
    if segment == 0 || segment > SEGMENT_MAX_BYTES {
        return 1;
    }
    let (mut count, mut bytes) = (1, segment);
    for size in sizes {
        bytes += size;
        if size == 0 || size > segment || count == RUN_MAX || bytes > RUN_MAX_BYTES {
            break;
        }
        count += 1;
        if size < segment {
            break;
        }
    }
    count
}
