//! TCP: listeners and the streams that they accept. Streams are short: a hello, or a question.
//!
//! When there are too many, the address that has most gives up its oldest for who comes anew, so that nobody who holds
//! streams keeps others out.

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
use crate::{
    core::StreamId,
    household::{Households, household},
    quiet::Seldom,
};

/// Streams at once.
const STREAMS_MAX: usize = 4096;
/// A stream that is open for longer is closed: no dialect needs one for so long.
const STREAM_LIFE: Duration = Duration::from_secs(60);

/// A stream with more than this unsent is closed. The longest that is said at once has 64 KiB, and the system holds much
/// besides: who asks again and again and does not read the answers is no client.
const UNSENT_MAX_BYTES: usize = 128 * 1024;

/// All of a shard's TCP.
pub(super) struct Streams {
    listeners: Vec<Listener>,
    /// The oldest first.
    open: BTreeMap<StreamId, Stream>,
    open_max: usize,
    by_household: Households,
    /// Those that were closed for others, until that is told.
    crowded_out: Vec<(StreamId, Dialect)>,
    next: u64,
    /// Who was read from last.
    turn: Option<StreamId>,
    telling: Seldom,
}

struct Listener {
    dialect: Dialect,
    socket: TcpListener,
    is_ready: bool,
}

struct Stream {
    socket: TcpStream,
    dialect: Dialect,
    household: IpAddr,
    is_ready: bool,
    /// What the socket did not take yet.
    unsent: Vec<u8>,
    closes: bool,
    /// The other end has said all that it will.
    has_ended: bool,
    opened: Instant,
}

/// What came over a stream.
pub(super) enum Heard {
    Bytes(usize),
    /// The other end says no more.
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
            by_household: Households::default(),
            crowded_out: Vec::new(),
            next: 0,
            turn: None,
            telling: Seldom::default(),
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

    pub fn is_empty(&self) -> bool {
        self.open.is_empty() && self.crowded_out.is_empty()
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

    /// Accepts the next stream that waits.
    pub fn accept(&mut self, registry: &Registry) -> Option<(StreamId, Dialect, SocketAddr)> {
        while let Some(listener) = self.listeners.iter_mut().find(|listener| listener.is_ready) {
            let (socket, from) = match listener.socket.accept() {
                Ok(accepted) => accepted,
                Err(error) if error.kind() == ErrorKind::WouldBlock => {
                    listener.is_ready = false;
                    continue;
                }
                // About one stream, or it passes; then the next round tries again.
                Err(error) => {
                    self.tell(&error);
                    return None;
                }
            };
            let dialect = listener.dialect;
            if let Some(id) = self.add(registry, socket, dialect, from.ip()) {
                return Some((id, dialect, from));
            }
        }
        None
    }

    /// What a peer broke off is its own affair. Else the process may most often not open more files.
    fn tell(&self, error: &io::Error) {
        let is_theirs = matches!(error.kind(), ErrorKind::ConnectionAborted | ErrorKind::ConnectionReset);
        if !is_theirs && error.kind() != ErrorKind::Interrupted && self.telling.is_due(Instant::now()) {
            tracing::error!(target: "host", %error, "a TCP connection cannot be accepted");
        }
    }

    fn add(&mut self, registry: &Registry, mut socket: TcpStream, dialect: Dialect, from: IpAddr) -> Option<StreamId> {
        let id = StreamId(self.next);
        registry.register(&mut socket, Source::Stream(id).token(), Interest::READABLE | Interest::WRITABLE).ok()?;
        self.next += 1;
        let (household, unsent, opened) = (household(from), Vec::new(), Instant::now());
        self.by_household.add(from);
        let (is_ready, closes, has_ended) = (true, false, false);
        self.open.insert(id, Stream { socket, dialect, household, is_ready, unsent, closes, has_ended, opened });
        if self.open.len() > self.open_max {
            self.make_room();
        }
        Some(id)
    }

    /// Closes the oldest stream of who has most.
    fn make_room(&mut self) {
        let Some(most) = self.by_household.greatest() else { return };
        let oldest = self.open.iter().find(|(_, stream)| stream.household == most);
        if let Some((id, dialect)) = oldest.map(|(id, stream)| (*id, stream.dialect)) {
            self.remove(id);
            self.crowded_out.push((id, dialect));
        }
    }

    fn remove(&mut self, id: StreamId) -> bool {
        let Some(stream) = self.open.remove(&id) else { return false };
        self.by_household.remove(stream.household);
        true
    }

    /// A stream from which something can be read: each in its turn, so that one that never pauses keeps nobody waiting.
    pub fn next_ready(&mut self) -> Option<StreamId> {
        let behind = (self.turn.map_or(Bound::Unbounded, Bound::Excluded), Bound::Unbounded);
        let mut in_turn = self.open.range(behind).chain(&self.open);
        let next = in_turn.find(|(_, stream)| stream.is_ready && !stream.has_ended).map(|(id, _)| *id);
        self.turn = next.or(self.turn);
        next
    }

    /// Reads from a stream; none if nothing is there.
    pub fn read(&mut self, id: StreamId, buffer: &mut [u8]) -> Option<Heard> {
        let stream = self.open.get_mut(&id)?;
        match stream.socket.read(buffer) {
            Ok(0) => {
                stream.has_ended = true;
                Some(Heard::End)
            }
            Ok(length) => Some(Heard::Bytes(length)),
            Err(error) if error.kind() == ErrorKind::Interrupted => None,
            Err(error) if error.kind() == ErrorKind::WouldBlock => {
                stream.is_ready = false;
                None
            }
            Err(_) => {
                self.remove(id);
                Some(Heard::Gone)
            }
        }
    }

    /// Closes a stream that nobody wants any more, unless something is still to be sent. Whether it did.
    pub fn close_if_idle(&mut self, id: StreamId) -> bool {
        let is_idle = self.open.get(&id).is_some_and(|stream| stream.unsent.is_empty());
        is_idle && self.remove(id)
    }

    /// Says something, unless the other end has not listened for so long that its stream is to be closed.
    pub fn say(&mut self, id: StreamId, bytes: &[u8]) {
        if let Some(stream) = self.open.get_mut(&id).filter(|stream| !stream.is_deaf()) {
            stream.unsent.extend_from_slice(bytes);
        }
    }

    pub fn close(&mut self, id: StreamId) {
        if let Some(stream) = self.open.get_mut(&id) {
            stream.closes = true;
        }
    }

    /// A stream that was closed for another, told once.
    pub fn crowded_out(&mut self) -> Option<(StreamId, Dialect)> {
        self.crowded_out.pop()
    }

    /// Sends what is left, and closes the next stream that is done or stays too long.
    pub fn tend(&mut self) -> Option<StreamId> {
        let is_over = |stream: &mut Stream| {
            let is_broken = stream.push().is_err();
            let is_done = stream.closes && stream.unsent.is_empty();
            is_broken || is_done || stream.is_deaf() || stream.opened.elapsed() >= STREAM_LIFE
        };
        let over = self.open.iter_mut().find_map(|(id, stream)| is_over(stream).then_some(*id))?;
        self.remove(over);
        Some(over)
    }
}

impl Stream {
    /// Whether more waits than the other end should leave unread.
    fn is_deaf(&self) -> bool {
        self.unsent.len() > UNSENT_MAX_BYTES
    }

    /// Sends as much as the socket takes.
    fn push(&mut self) -> io::Result<()> {
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
    fn the_address_with_most_streams_gives_up_its_oldest_for_a_new_one() {
        let poll = mio::Poll::new().expect("a poll");
        let (mut streams, ids, _peers) = accepted(&poll, 4);
        let [few, many @ ..] = &ids[..] else { panic!("{ids:?}") };
        let other = IpAddr::from([192, 0, 2, 1]);
        streams.open.get_mut(few).expect("it is open").household = other;
        streams.by_household.remove(IpAddr::from([127, 0, 0, 1]));
        streams.by_household.add(other);
        streams.open_max = 4;
        // From the address of the many, and from one that has none.
        for (number, from) in [IpAddr::from([127, 0, 0, 1]), IpAddr::from([192, 0, 2, 2])].into_iter().enumerate() {
            let listener = std::net::TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).expect("a socket");
            let peer = std::net::TcpStream::connect(listener.local_addr().expect("an address")).expect("it connects");
            peer.set_nonblocking(true).expect("it can be");
            let new =
                streams.add(poll.registry(), TcpStream::from_std(peer), Dialect::Aecs, from).expect("it is let in");
            assert!(streams.open.contains_key(&new) && streams.open.len() == 4);
            assert_eq!(streams.crowded_out(), Some((many[number], Dialect::Rfc2020)), "and that is told");
        }
        assert!(streams.open.contains_key(few), "the address that had only one");
        let left: Vec<StreamId> = streams.open.keys().copied().collect();
        left.into_iter().for_each(|id| assert!(streams.remove(id)));
        assert!(streams.by_household.total() == 0 && streams.is_empty());
    }

    #[test]
    fn one_that_never_pauses_keeps_nobody_waiting() {
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
            assert!(matches!(streams.read(id, &mut [0; 10]), Some(Heard::Bytes(10))));
            read.push(id);
        }
        assert_eq!(read, [ids[0], ids[1], ids[0], ids[1]]);
    }

    #[test]
    fn a_peer_that_asks_without_end_and_reads_no_answer_is_hung_up_on() {
        let poll = mio::Poll::new().expect("a poll");
        let (mut streams, ids, _deaf) = accepted(&poll, 1);
        let id = ids[0];
        let mut said = 0;
        // What the system holds between the two is some megabytes.
        while streams.tend() != Some(id) && said < 1 << 30 {
            streams.say(id, &[0; 1000]);
            said += 1000;
            assert!(streams.open[&id].unsent.len() <= UNSENT_MAX_BYTES + 1000);
        }
        assert!(said < 1 << 30 && streams.is_empty(), "{said} bytes were taken");
    }
}
