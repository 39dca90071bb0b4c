//! TCP: listeners and the streams that they accept. Streams are short-lived: a hello, or a question and its answer.
//!
//! When there are too many, [`eviction`] chooses one to close: the oldest of the address that has the most.

use std::{
    collections::BTreeMap,
    io::{self, ErrorKind, Read, Write},
    net::{IpAddr, SocketAddr},
    ops::Bound,
    time::{Duration, Instant},
};

use mio::{
    Interest, Registry,
    net::{TcpListener, TcpStream},
};
use protocol::Dialect;

use super::readiness::Source;
use crate::{address_group::AddressCounts, core::StreamId, eviction, log_limit::OncePerMinute};

/// Streams at once, if the system allows enough open files.
pub const STREAMS_MAX: usize = 4096;
/// A stream that stays open for longer is closed: no dialect needs one for so long.
const STREAM_LIFETIME_MAX: Duration = Duration::from_secs(60);

/// A stream with more than this unsent is closed. The longest answer has 64 KiB, and the system buffers much more: a peer
/// that keeps asking without reading the answers is no client.
const UNSENT_MAX_BYTES: usize = 128 * 1024;

/// All of a shard's TCP.
pub(super) struct Streams {
    listeners: Vec<Listener>,
    /// The oldest first.
    open: BTreeMap<StreamId, Stream>,
    open_max: usize,
    counts: AddressCounts,
    /// Streams that were closed to make room, until `evicted` has returned them.
    evicted: Vec<(StreamId, Dialect)>,
    next: u64,
    /// The stream that was read from last.
    last_read: Option<StreamId>,
    accept_errors: OncePerMinute,
}

struct Listener {
    dialect: Dialect,
    socket: TcpListener,
    is_ready: bool,
}

struct Stream {
    socket: TcpStream,
    dialect: Dialect,
    address: IpAddr,
    is_ready: bool,
    /// What the socket has not taken yet.
    unsent: Vec<u8>,
    /// Close it once everything is sent.
    is_closing: bool,
    /// The peer sends no more.
    has_ended: bool,
    opened: Instant,
}

/// What a read from a stream gave.
pub(super) enum StreamRead {
    Bytes(usize),
    /// The peer sends no more.
    End,
    /// It is closed, or broken.
    Gone,
}

impl Default for Streams {
    fn default() -> Streams {
        Streams {
            listeners: Vec::new(),
            open: BTreeMap::new(),
            open_max: STREAMS_MAX,
            counts: AddressCounts::default(),
            evicted: Vec::new(),
            next: 0,
            last_read: None,
            accept_errors: OncePerMinute::default(),
        }
    }
}

impl Streams {
    pub fn listen(&mut self, registry: &Registry, dialect: Dialect, listener: std::net::TcpListener) -> io::Result<()> {
        let mut socket = TcpListener::from_std(listener);
        registry.register(&mut socket, Source::Listener(self.listeners.len()).token(), Interest::READABLE)?;
        self.listeners.push(Listener { dialect, socket, is_ready: true });
        Ok(())
    }

    /// From now on there may be so many.
    pub fn limit(&mut self, open_max: usize) {
        self.open_max = open_max;
    }

    pub fn is_empty(&self) -> bool {
        self.open.is_empty() && self.evicted.is_empty()
    }

    pub fn listener_is_ready(&mut self, number: usize) {
        if let Some(listener) = self.listeners.get_mut(number) {
            listener.is_ready = true;
        }
    }

    pub fn stream_is_ready(&mut self, id: StreamId) {
        if let Some(stream) = self.open.get_mut(&id) {
            stream.is_ready = true;
        }
    }

    /// Accepts the next stream that is waiting.
    pub fn accept(&mut self, registry: &Registry) -> Option<(StreamId, Dialect, SocketAddr)> {
        while let Some(listener) = self.listeners.iter_mut().find(|listener| listener.is_ready) {
            let (socket, from) = match listener.socket.accept() {
                Ok(accepted) => accepted,
                Err(error) if error.kind() == ErrorKind::WouldBlock => {
                    listener.is_ready = false;
                    continue;
                }
                // It concerns one stream, or it passes: the next round tries again.
                Err(error) => {
                    self.log_accept_error(&error);
                    return None;
                }
            };
            let dialect = listener.dialect;
            if let Some(id) = self.add(registry, Stream::new(socket, dialect, from.ip())) {
                return Some((id, dialect, from));
            }
        }
        None
    }

    /// A peer that hung up is no fault of ours. Otherwise the process has usually run out of file descriptors.
    fn log_accept_error(&self, error: &io::Error) {
        let is_theirs = matches!(error.kind(), ErrorKind::ConnectionAborted | ErrorKind::ConnectionReset);
        if !is_theirs && error.kind() != ErrorKind::Interrupted && self.accept_errors.is_due(Instant::now()) {
            tracing::error!(target: "host", %error, "cannot accept a TCP connection");
        }
    }

    fn add(&mut self, registry: &Registry, mut stream: Stream) -> Option<StreamId> {
        let id = StreamId(self.next);
        registry
            .register(&mut stream.socket, Source::Stream(id).token(), Interest::READABLE | Interest::WRITABLE)
            .ok()?;
        self.next += 1;
        self.counts.add(stream.address);
        if self.open.len() >= self.open_max {
            self.evict();
        }
        self.open.insert(id, stream);
        Some(id)
    }

    /// Closes a stream to make room for another.
    fn evict(&mut self) {
        let oldest_first = self.open.iter().map(|(id, stream)| (stream.address, (*id, stream.dialect)));
        if let Some((id, dialect)) = eviction::choose(&self.counts, oldest_first) {
            self.remove(id);
            self.evicted.push((id, dialect));
        }
    }

    fn remove(&mut self, id: StreamId) -> bool {
        let Some(stream) = self.open.remove(&id) else { return false };
        self.counts.remove(stream.address);
        true
    }

    /// A stream that can be read from: each in its turn, so that one that never pauses does not hold up the others.
    pub fn next_ready(&mut self) -> Option<StreamId> {
        let after_last = (self.last_read.map_or(Bound::Unbounded, Bound::Excluded), Bound::Unbounded);
        let mut in_turn = self.open.range(after_last).chain(&self.open);
        let next = in_turn.find(|(_, stream)| stream.is_ready && !stream.has_ended).map(|(id, _)| *id);
        self.last_read = next.or(self.last_read);
        next
    }

    /// Reads from a stream. None: nothing has arrived.
    pub fn read(&mut self, id: StreamId, buffer: &mut [u8]) -> Option<StreamRead> {
        let stream = self.open.get_mut(&id)?;
        match stream.socket.read(buffer) {
            Ok(0) => {
                stream.has_ended = true;
                Some(StreamRead::End)
            }
            Ok(length) => Some(StreamRead::Bytes(length)),
            Err(error) if error.kind() == ErrorKind::Interrupted => None,
            Err(error) if error.kind() == ErrorKind::WouldBlock => {
                stream.is_ready = false;
                None
            }
            Err(_) => {
                self.remove(id);
                Some(StreamRead::Gone)
            }
        }
    }

    /// Closes a stream that nobody needs any more, unless something is still to be sent. Whether it did.
    pub fn close_if_idle(&mut self, id: StreamId) -> bool {
        let is_idle = self.open.get(&id).is_some_and(|stream| stream.unsent.is_empty());
        is_idle && self.remove(id)
    }

    /// Queues bytes to be sent, unless the peer has read so little that its stream is about to be closed.
    pub fn send(&mut self, id: StreamId, bytes: &[u8]) {
        if let Some(stream) = self.open.get_mut(&id).filter(|stream| !stream.is_overfull()) {
            stream.unsent.extend_from_slice(bytes);
        }
    }

    pub fn close(&mut self, id: StreamId) {
        if let Some(stream) = self.open.get_mut(&id) {
            stream.is_closing = true;
        }
    }

    /// A stream that was closed to make room. Each is returned once.
    pub fn evicted(&mut self) -> Option<(StreamId, Dialect)> {
        self.evicted.pop()
    }

    /// Sends what is left, and closes the next stream that is done, broken or has been open for too long.
    pub fn close_next(&mut self) -> Option<StreamId> {
        let is_over = |stream: &mut Stream| {
            let is_broken = stream.flush().is_err();
            let is_done = stream.is_closing && stream.unsent.is_empty();
            is_broken || is_done || stream.is_overfull() || stream.opened.elapsed() >= STREAM_LIFETIME_MAX
        };
        let over = self.open.iter_mut().find_map(|(id, stream)| is_over(stream).then_some(*id))?;
        self.remove(over);
        Some(over)
    }
}

impl Stream {
    fn new(socket: TcpStream, dialect: Dialect, address: IpAddr) -> Stream {
        let (unsent, opened) = (Vec::new(), Instant::now());
        Stream { socket, dialect, address, is_ready: true, unsent, is_closing: false, has_ended: false, opened }
    }

    /// Whether the peer has left too much unread.
    fn is_overfull(&self) -> bool {
        self.unsent.len() > UNSENT_MAX_BYTES
    }

    /// Sends as much as the socket takes.
    fn flush(&mut self) -> io::Result<()> {
        while !self.unsent.is_empty() {
            match self.socket.write(&self.unsent) {
                Ok(0) => return Err(ErrorKind::WriteZero.into()),
                Ok(sent) => drop(self.unsent.drain(..sent)),
                Err(error) if error.kind() == ErrorKind::WouldBlock => return Ok(()),
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use std::net::Ipv4Addr;

    use super::*;

    /// Streams from so many peers, and the peers.
    fn accepted(poll: &mio::Poll, count: usize) -> (Streams, Vec<StreamId>, Vec<std::net::TcpStream>) {
        let listener = std::net::TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).expect("a socket");
        listener.set_nonblocking(true).expect("it can be");
        let at = listener.local_addr().expect("an address");
        let mut streams = Streams::default();
        streams.listen(poll.registry(), Dialect::Rfc2020, listener).expect("it listens");
        let (mut ids, mut peers) = (Vec::new(), Vec::new());
        for _ in 0..count {
            peers.push(std::net::TcpStream::connect(at).expect("it is accepted"));
            let came = std::iter::repeat_with(|| {
                streams.listener_is_ready(0);
                streams.accept(poll.registry())
            });
            ids.push(came.take(1_000_000).flatten().next().expect("it came").0);
        }
        (streams, ids, peers)
    }

    #[test]
    fn the_heaviest_address_loses_its_oldest_stream() {
        let poll = mio::Poll::new().expect("a poll");
        let (mut streams, ids, _peers) = accepted(&poll, 4);
        let [few, many @ ..] = &ids[..] else { panic!("{ids:?}") };
        let other = IpAddr::from([192, 0, 2, 1]);
        streams.open.get_mut(few).expect("it is open").address = other;
        streams.counts.remove(IpAddr::from([127, 0, 0, 1]));
        streams.counts.add(other);
        streams.open_max = 4;
        // From the heaviest address, and from one that has none.
        for (number, from) in [IpAddr::from([127, 0, 0, 1]), IpAddr::from([192, 0, 2, 2])].into_iter().enumerate() {
            let listener = std::net::TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).expect("a socket");
            let peer = std::net::TcpStream::connect(listener.local_addr().expect("an address")).expect("it connects");
            peer.set_nonblocking(true).expect("it can be");
            let stream = Stream::new(TcpStream::from_std(peer), Dialect::Aecs, from);
            let new = streams.add(poll.registry(), stream).expect("it is added");
            assert!(streams.open.contains_key(&new) && streams.open.len() == 4);
            assert_eq!(streams.evicted(), Some((many[number], Dialect::Rfc2020)));
        }
        assert!(streams.open.contains_key(few), "it is the only one of its address");
        let left: Vec<StreamId> = streams.open.keys().copied().collect();
        left.into_iter().for_each(|id| assert!(streams.remove(id)));
        assert!(streams.counts.total() == 0 && streams.is_empty());
    }

    #[test]
    fn a_stream_that_never_pauses_does_not_hold_up_others() {
        let poll = mio::Poll::new().expect("a poll");
        let (mut streams, ids, mut peers) = accepted(&poll, 2);
        for peer in &mut peers {
            peer.write_all(&[7; 1000]).expect("it can be sent");
        }
        for id in &ids {
            // On Linux the bytes are there once they were sent; elsewhere they may take a while.
            let arrived = || streams.open[id].socket.peek(&mut [0; 10]).is_ok_and(|length| length == 10);
            assert!((0..1_000_000).any(|_| arrived()));
        }
        let mut read = Vec::new();
        for _ in 0..4 {
            let id = streams.next_ready().expect("something is there");
            assert!(matches!(streams.read(id, &mut [0; 10]), Some(StreamRead::Bytes(10))));
            read.push(id);
        }
        assert_eq!(read, [ids[0], ids[1], ids[0], ids[1]]);
    }

    #[test]
    fn a_peer_that_keeps_asking_and_never_reads_is_disconnected() {
        let poll = mio::Poll::new().expect("a poll");
        let (mut streams, ids, _peers) = accepted(&poll, 1);
        let id = ids[0];
        let mut sent = 0;
        // The system buffers some megabytes between the two.
        while streams.close_next() != Some(id) && sent < 1 << 30 {
            streams.send(id, &[0; 1000]);
            sent += 1000;
            assert!(streams.open[&id].unsent.len() <= UNSENT_MAX_BYTES + 1000);
        }
        assert!(sent < 1 << 30 && streams.is_empty(), "{sent} bytes were taken");
    }
}
