//! TCP: listeners and the streams that they accept. Streams are short-lived: a hello, or a question and its answer.
//!
//! A stream on which nothing happens costs nothing: those that are ready wait in queues, and as all of them live for the same
//! time, only the oldest can be due. When there are too many, the address that has the most loses its oldest.

use std::{
    collections::{BTreeMap, VecDeque},
    io::{self, ErrorKind, Read, Write},
    net::{IpAddr, SocketAddr},
    time::{Duration, Instant},
};

use mio::{
    Interest, Registry,
    net::{TcpListener, TcpStream},
};
use protocol::Dialect;

use super::readiness::ReadySource;
use crate::{core::StreamId, held_by_address::HeldByAddress, log_limit::OncePerMinute};

/// Streams at once, if the system allows enough open files.
pub const STREAMS_MAX: usize = 4096;
/// A stream that stays open for longer is closed: no dialect needs one for that long.
const STREAM_LIFETIME_MAX: Duration = Duration::from_secs(60);

/// A stream with more than this unsent is closed. The longest answer has 64 KiB, and the system buffers much more: a peer
/// that keeps asking without reading the answers is not a client.
const UNSENT_MAX_BYTES: usize = 128 * 1024;

/// All of a shard's TCP.
pub(super) struct Streams {
    listeners: Vec<Listener>,
    /// The oldest first.
    open: BTreeMap<StreamId, Stream>,
    open_max: usize,
    by_address: HeldByAddress<StreamId>,
    /// Streams that can be read from, each in its turn, so that one that never pauses does not hold up the others.
    readable: VecDeque<StreamId>,
    /// Streams with something to send, or to be closed.
    pending: VecDeque<StreamId>,
    /// Streams that were closed to make room, until `evicted` has returned them.
    evicted: Vec<(StreamId, Dialect)>,
    next: u64,
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
    /// Whether it is in the queue of those that can be read from, and of those that are pending.
    is_readable: bool,
    is_pending: bool,
    /// What the socket has not taken yet.
    unsent: Vec<u8>,
    /// Close it once everything is sent.
    is_closing: bool,
    /// The peer sends no more.
    has_ended: bool,
    opened: Instant,
}

/// A stream that was accepted.
pub(super) struct Accepted {
    pub id: StreamId,
    pub dialect: Dialect,
    pub from: SocketAddr,
    /// The address of ours that it was opened to.
    pub local: Option<IpAddr>,
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
            by_address: HeldByAddress::default(),
            readable: VecDeque::new(),
            pending: VecDeque::new(),
            evicted: Vec::new(),
            next: 0,
            accept_errors: OncePerMinute::default(),
        }
    }
}

impl Streams {
    pub fn listen(&mut self, registry: &Registry, dialect: Dialect, listener: std::net::TcpListener) -> io::Result<()> {
        let mut socket = TcpListener::from_std(listener);
        registry.register(&mut socket, ReadySource::Listener(self.listeners.len()).token(), Interest::READABLE)?;
        self.listeners.push(Listener { dialect, socket, is_ready: true });
        Ok(())
    }

    /// How many there may be from now on.
    pub fn limit(&mut self, open_max: usize) {
        self.open_max = open_max;
    }

    /// Whether something is left to do, though nothing more may happen.
    pub fn has_work(&self) -> bool {
        let has_listener = self.listeners.iter().any(|listener| listener.is_ready);
        has_listener || !self.readable.is_empty() || !self.pending.is_empty() || !self.evicted.is_empty()
    }

    /// How long it takes until the oldest stream has been open for too long.
    pub fn next_timeout(&self) -> Option<Duration> {
        let oldest = self.open.values().next()?;
        Some(STREAM_LIFETIME_MAX.saturating_sub(oldest.opened.elapsed()))
    }

    pub fn listener_is_ready(&mut self, number: usize) {
        if let Some(listener) = self.listeners.get_mut(number) {
            listener.is_ready = true;
        }
    }

    pub fn stream_is_ready(&mut self, id: StreamId) {
        let Some(stream) = self.open.get_mut(&id) else { return };
        if !stream.has_ended && !std::mem::replace(&mut stream.is_readable, true) {
            self.readable.push_back(id);
        }
        if !stream.unsent.is_empty() {
            self.tend(id);
        }
    }

    /// Looks at a stream soon.
    fn tend(&mut self, id: StreamId) {
        let Some(stream) = self.open.get_mut(&id) else { return };
        if !std::mem::replace(&mut stream.is_pending, true) {
            self.pending.push_back(id);
        }
    }

    /// Accepts the next stream that is waiting.
    pub fn accept(&mut self, registry: &Registry) -> Option<Accepted> {
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
            let local = socket.local_addr().ok().map(|local| local.ip());
            if let Some(id) = self.add(registry, Stream::new(socket, dialect, from.ip())) {
                return Some(Accepted { id, dialect, from, local });
            }
        }
        None
    }

    /// A peer that hung up is not our fault. Otherwise the process has usually run out of file descriptors.
    fn log_accept_error(&self, error: &io::Error) {
        let is_theirs = matches!(error.kind(), ErrorKind::ConnectionAborted | ErrorKind::ConnectionReset);
        if !is_theirs && error.kind() != ErrorKind::Interrupted && self.accept_errors.is_due(Instant::now()) {
            tracing::error!(target: "host", %error, "cannot accept a TCP connection");
        }
    }

    fn add(&mut self, registry: &Registry, mut stream: Stream) -> Option<StreamId> {
        let id = StreamId(self.next);
        registry
            .register(&mut stream.socket, ReadySource::Stream(id).token(), Interest::READABLE | Interest::WRITABLE)
            .ok()?;
        self.next += 1;
        if self.open.len() >= self.open_max {
            self.evict_for(stream.address);
        }
        self.by_address.insert(stream.address, id.0, id);
        self.open.insert(id, stream);
        self.stream_is_ready(id);
        Some(id)
    }

    /// Closes a stream to make room for another.
    fn evict_for(&mut self, newcomer: IpAddr) {
        let Some(id) = self.by_address.yields_to(newcomer) else { return };
        let dialect = self.open.get(&id).map(|stream| stream.dialect);
        self.remove(id);
        self.evicted.extend(dialect.map(|dialect| (id, dialect)));
    }

    fn remove(&mut self, id: StreamId) -> bool {
        let Some(stream) = self.open.remove(&id) else { return false };
        self.by_address.remove(stream.address, id.0);
        true
    }

    /// The next stream that can be read from. What is left in it will have its turn again.
    pub fn next_ready(&mut self) -> Option<StreamId> {
        while let Some(id) = self.readable.pop_front() {
            if let Some(stream) = self.open.get_mut(&id) {
                stream.is_readable = false;
                return Some(id);
            }
        }
        None
    }

    /// Reads from a stream. None: nothing has arrived.
    pub fn read(&mut self, id: StreamId, buffer: &mut [u8]) -> Option<StreamRead> {
        let stream = self.open.get_mut(&id)?;
        match stream.socket.read(buffer) {
            Ok(0) => {
                stream.has_ended = true;
                Some(StreamRead::End)
            }
            Ok(length) => {
                self.stream_is_ready(id);
                Some(StreamRead::Bytes(length))
            }
            Err(error) if error.kind() == ErrorKind::Interrupted => {
                self.stream_is_ready(id);
                None
            }
            // The system says when there is more.
            Err(error) if error.kind() == ErrorKind::WouldBlock => None,
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
            self.tend(id);
        }
    }

    pub fn close(&mut self, id: StreamId) {
        if let Some(stream) = self.open.get_mut(&id) {
            stream.is_closing = true;
            self.tend(id);
        }
    }

    /// A stream that was closed to make room. Each is returned once.
    pub fn evicted(&mut self) -> Option<(StreamId, Dialect)> {
        self.evicted.pop()
    }

    /// Sends what is left, and closes the next stream that is done, broken or has been open for too long.
    pub fn close_next(&mut self) -> Option<StreamId> {
        let over = self
            .next_done()
            .or_else(|| self.open.first_key_value().filter(|(_, oldest)| oldest.is_old()).map(|(id, _)| *id))?;
        self.remove(over);
        Some(over)
    }

    /// Sends what is left, until a stream is done or broken.
    fn next_done(&mut self) -> Option<StreamId> {
        while let Some(id) = self.pending.pop_front() {
            let Some(stream) = self.open.get_mut(&id) else { continue };
            stream.is_pending = false;
            let is_broken = stream.flush().is_err();
            let is_done = stream.is_closing && stream.unsent.is_empty();
            if is_broken || is_done || stream.is_overfull() {
                return Some(id);
            }
        }
        None
    }
}

impl Stream {
    fn new(socket: TcpStream, dialect: Dialect, address: IpAddr) -> Stream {
        let (unsent, opened) = (Vec::new(), Instant::now());
        let (is_readable, is_pending, is_closing, has_ended) = (false, false, false, false);
        Stream { socket, dialect, address, is_readable, is_pending, unsent, is_closing, has_ended, opened }
    }

    fn is_old(&self) -> bool {
        self.opened.elapsed() >= STREAM_LIFETIME_MAX
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

    /// Streams from some peers, and the peers.
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
            ids.push(came.take(1_000_000).flatten().next().expect("it came").id);
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
        streams.by_address.remove(IpAddr::from([127, 0, 0, 1]), few.0);
        streams.by_address.insert(other, few.0, *few);
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
        assert_eq!((streams.by_address.count(other), streams.next_timeout()), (0, None));
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
    fn an_idle_stream_is_in_no_queue_and_only_the_oldest_can_be_due() {
        let poll = mio::Poll::new().expect("a poll");
        let (mut streams, ids, mut peers) = accepted(&poll, 3);
        while let Some(id) = streams.next_ready() {
            assert!(streams.read(id, &mut [0; 10]).is_none());
        }
        streams.listeners[0].is_ready = false;
        assert!(!streams.has_work() && streams.close_next().is_none());
        assert!(streams.next_timeout().is_some_and(|timeout| timeout > STREAM_LIFETIME_MAX / 2));
        peers[1].write_all(b"more").expect("it can be sent");
        streams.stream_is_ready(ids[1]);
        assert_eq!((streams.next_ready(), streams.next_ready()), (Some(ids[1]), None));
        streams.send(ids[2], b"an answer");
        streams.close(ids[2]);
        assert_eq!((streams.close_next(), streams.close_next()), (Some(ids[2]), None));
        let long_ago = Instant::now().checked_sub(STREAM_LIFETIME_MAX).expect("the machine has been up for a minute");
        streams.open.get_mut(&ids[0]).expect("it is open").opened = long_ago;
        assert_eq!((streams.next_timeout(), streams.close_next()), (Some(Duration::ZERO), Some(ids[0])));
        assert_eq!(streams.close_next(), None);
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
        assert!(sent < 1 << 30 && streams.open.is_empty(), "{sent} bytes were taken");
    }
}
