//! The half of the relay that carries TCP connections. A connection is accepted at once; what passes through it takes as
//! long as the network says.

use std::{
    collections::{BTreeMap, VecDeque},
    io::{self, Read, Write},
    net::{Shutdown, SocketAddr},
    time::Duration,
};

use mio::{
    Token,
    net::{TcpListener, TcpStream},
};
use network::{Binding, Direction};
use protocol::rfc2020::PortRewriter;

use super::{
    relay_network::{PeerId, RelayNetwork, Relayed},
    sources::{SocketPurpose, Sources, StreamEnd},
};

/// Connections at once. Others are closed when they are accepted.
const STREAMS_MAX: usize = 1024;
/// Bytes of one direction that may be under way. Then nothing more is read, as if the other end were slow.
const UNDER_WAY_MAX: usize = 256 << 10;
/// Bytes read at once.
const PIECE_MAX: usize = 16 << 10;
/// How long it is remembered from which port a connection reached the server, after it ended too.
const PORT_KEPT: Duration = Duration::from_secs(60);
/// TCP has no bindings: a NAT that forgets a connection ends it, which the model leaves out.
const BINDING: Binding = Binding(0);

/// All TCP connections.
pub struct Streams {
    listener: TcpListener,
    server: SocketAddr,
    pairs: BTreeMap<PeerId, ConnectionPair>,
    /// From which port a client's connection reached the server, and when.
    ports: BTreeMap<SocketAddr, (u16, Duration)>,
    /// Connections that were closed because there were too many, or the server did not answer.
    pub refused: u64,
}

/// A connection of a client, and the one to the server for it.
struct ConnectionPair {
    client: SocketEnd,
    server: SocketEnd,
    rewriter: PortRewriter,
}

struct SocketEnd {
    socket: TcpStream,
    token: Token,
    /// What could not be written yet.
    waiting: VecDeque<u8>,
    /// Bytes on their way to this end, or waiting there.
    under_way: usize,
    /// Whether there may be something to read.
    is_readable: bool,
    /// Whether it has said all that it will.
    has_ended: bool,
    /// Whether the other end has said all, and what it said is to be followed by the end.
    is_to_end: bool,
    /// Whether it was told that.
    was_ended: bool,
}

impl Streams {
    pub fn open(listen: SocketAddr, server: SocketAddr, sources: &mut Sources) -> io::Result<Streams> {
        let mut listener = TcpListener::bind(listen)?;
        sources.watch(&mut listener, SocketPurpose::Listener)?;
        Ok(Streams { listener, server, pairs: BTreeMap::new(), ports: BTreeMap::new(), refused: 0 })
    }

    pub fn address(&self) -> io::Result<SocketAddr> {
        self.listener.local_addr()
    }

    pub fn count(&self) -> usize {
        self.pairs.len()
    }

    /// From which port the connection of a client reached the server.
    pub fn port_of(&self, client: SocketAddr) -> Option<u16> {
        self.ports.get(&client).map(|(port, _)| *port)
    }

    /// Takes in everybody who connects.
    pub fn accept(&mut self, now: Duration, next_id: &mut impl FnMut() -> PeerId, sources: &mut Sources) {
        self.ports.retain(|_, (_, since)| now.saturating_sub(*since) < PORT_KEPT);
        while let Ok((socket, from)) = self.listener.accept() {
            let opened = if self.pairs.len() < STREAMS_MAX {
                self.add(next_id(), socket, sources)
            } else {
                Err(io::Error::other("too many connections"))
            };
            match opened {
                Ok(port) => drop(self.ports.insert(from, (port, now))),
                Err(_) => self.refused += 1,
            }
        }
    }

    fn add(&mut self, id: PeerId, socket: TcpStream, sources: &mut Sources) -> io::Result<u16> {
        let towards = TcpStream::connect(self.server)?;
        let port = towards.local_addr()?.port();
        let client = SocketEnd::new(socket, (id, StreamEnd::Client), sources)?;
        let server = SocketEnd::new(towards, (id, StreamEnd::Server), sources)?;
        self.pairs.insert(id, ConnectionPair { client, server, rewriter: PortRewriter::default() });
        Ok(port)
    }

    /// One end of a connection has something to tell. `lane_to` opens a way to another port of the server.
    pub fn ready(
        &mut self,
        (id, end): (PeerId, StreamEnd),
        now: Duration,
        network: &mut RelayNetwork,
        lane_to: &mut dyn FnMut(u16) -> u16,
    ) {
        let Some(pair) = self.pairs.get_mut(&id) else { return };
        pair.end(end).is_readable = true;
        pair.end(end).flush();
        pair.read(id, now, network, lane_to);
    }

    /// A piece of a stream is due, or its end.
    pub fn deliver(
        &mut self,
        (id, direction): (PeerId, Direction),
        relayed: Relayed,
        now: Duration,
        (network, lane_to): (&mut RelayNetwork, &mut dyn FnMut(u16) -> u16),
    ) {
        let Some(pair) = self.pairs.get_mut(&id) else { return };
        let end = match direction {
            Direction::Up => &mut pair.server,
            Direction::Down => &mut pair.client,
        };
        match relayed {
            Relayed::Piece(bytes) => end.waiting.extend(bytes),
            Relayed::End => end.is_to_end = true,
            Relayed::Datagram(_) => return,
        }
        end.flush();
        pair.read(id, now, network, lane_to);
    }

    /// Forgets connections that are over.
    pub fn remove_ended(&mut self, network: &mut RelayNetwork, sources: &mut Sources) {
        let is_over = |pair: &ConnectionPair| pair.client.was_ended && pair.server.was_ended;
        for (id, mut pair) in self.pairs.extract_if(.., |_, pair| is_over(pair)) {
            network.forget(id);
            for end in [&mut pair.client, &mut pair.server] {
                sources.forget(&mut end.socket, end.token);
            }
        }
    }
}

impl ConnectionPair {
    fn end(&mut self, end: StreamEnd) -> &mut SocketEnd {
        match end {
            StreamEnd::Client => &mut self.client,
            StreamEnd::Server => &mut self.server,
        }
    }

    fn read(&mut self, id: PeerId, now: Duration, network: &mut RelayNetwork, lane_to: &mut dyn FnMut(u16) -> u16) {
        while let Some(relayed) = self.client.read(self.server.under_way) {
            self.server.expect(&relayed);
            network.send_up(now, id, relayed);
        }
        while let Some(relayed) = self.server.read(self.client.under_way) {
            for relayed in self.rewritten(relayed, lane_to) {
                self.client.expect(&relayed);
                network.send_down(now, id, BINDING, relayed);
            }
        }
    }

    /// What the server said, with the ports of lobbies replaced.
    fn rewritten(&mut self, relayed: Relayed, lane_to: &mut dyn FnMut(u16) -> u16) -> Vec<Relayed> {
        let (bytes, end) = match relayed {
            Relayed::Piece(bytes) => (self.rewriter.pass(&bytes, lane_to), None),
            end => (self.rewriter.rest(), Some(end)),
        };
        let piece = (!bytes.is_empty()).then_some(Relayed::Piece(bytes));
        piece.into_iter().chain(end).collect()
    }
}

impl SocketEnd {
    fn new(mut socket: TcpStream, (id, end): (PeerId, StreamEnd), sources: &mut Sources) -> io::Result<SocketEnd> {
        socket.set_nodelay(true)?;
        let token = sources.watch(&mut socket, SocketPurpose::Stream(id, end))?;
        Ok(SocketEnd {
            socket,
            token,
            waiting: VecDeque::new(),
            under_way: 0,
            is_readable: true,
            has_ended: false,
            is_to_end: false,
            was_ended: false,
        })
    }

    /// Something is on its way to this end.
    fn expect(&mut self, relayed: &Relayed) {
        if let Relayed::Piece(bytes) = relayed {
            self.under_way += bytes.len();
        }
    }

    /// The next piece that this end says, unless too much is under way to the other one already.
    fn read(&mut self, under_way: usize) -> Option<Relayed> {
        if self.has_ended || !self.is_readable || under_way >= UNDER_WAY_MAX {
            return None;
        }
        let mut piece = vec![0; PIECE_MAX];
        match self.socket.read(&mut piece) {
            Ok(size) if size > 0 => {
                piece.truncate(size);
                Some(Relayed::Piece(piece))
            }
            Err(error) if is_not_yet(&error) => {
                self.is_readable = false;
                None
            }
            // The end, or an error: both are reported as the end.
            Ok(_) | Err(_) => {
                self.has_ended = true;
                Some(Relayed::End)
            }
        }
    }

    /// Writes what is due, as far as the system takes it.
    fn flush(&mut self) {
        while !self.waiting.is_empty() {
            let (first, _) = self.waiting.as_slices();
            match self.socket.write(first) {
                Ok(size) => {
                    self.waiting.drain(..size);
                    self.under_way = self.under_way.saturating_sub(size);
                }
                Err(error) if is_not_yet(&error) => return,
                // Nobody reads any more.
                Err(_) => {
                    self.under_way = 0;
                    self.waiting.clear();
                }
            }
        }
        if self.is_to_end && !self.was_ended {
            // It may be closed already.
            let _ = self.socket.shutdown(Shutdown::Write);
            self.was_ended = true;
        }
    }
}

/// Whether to try again later: also while the connection to the server is still being made.
fn is_not_yet(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::WouldBlock | io::ErrorKind::Interrupted | io::ErrorKind::NotConnected)
}
