//! The thin shell around [`Core`]: real sockets and a real clock.
//!
//! One thread drains every socket, lets the core act, and rests for a fraction of a tick. Start reading at
//! [`Node::run`].

use std::{
    collections::BTreeMap,
    io::{self, ErrorKind, Read, Write},
    net::{IpAddr, SocketAddr, TcpListener, TcpStream, UdpSocket},
    sync::atomic::{AtomicBool, Ordering},
    time::{Duration, Instant, SystemTime, UNIX_EPOCH},
};

use protocol::{Dialect, StreamUse, Time};
use socket2::{Domain, Protocol, Socket, Type};

use crate::{
    core::{Core, Endpoint, Outbox, Settings, StreamId},
    unreachable,
};

/// How long the node rests between two looks at its sockets.
const REST: Duration = Duration::from_millis(1);
/// Room for what arrives while the node is busy: the system's default holds only a few hundred small datagrams.
const RECEIVE_BUFFER_BYTES: usize = 4 << 20;
/// Streams at once. They are short: a hello, or a question.
const STREAMS_MAX: usize = 1024;
/// A stream that is open for longer is closed: no dialect needs one for so long.
const STREAM_LIFE: Duration = Duration::from_secs(60);
/// Datagrams are read into this; more is cut off, and then malformed.
const DATAGRAM_MAX_BYTES: usize = 2048;

/// Where a node is to be found.
#[derive(Clone, Debug)]
pub struct Doors {
    /// The address that everything is bound to.
    pub bind: IpAddr,
    /// The port of each dialect's door; those that are not named stay closed. 0 takes any free port.
    pub ports: BTreeMap<Dialect, u16>,
}

/// A running node.
pub struct Node {
    core: Core,
    wires: Wires,
    clock: Clock,
}

/// All sockets of a node.
struct Wires {
    bind: IpAddr,
    udp: BTreeMap<Endpoint, UdpSocket>,
    listeners: Vec<(Dialect, TcpListener)>,
    streams: BTreeMap<StreamId, Stream>,
    next_stream: u64,
}

struct Stream {
    socket: TcpStream,
    /// What the socket did not take yet.
    unsent: Vec<u8>,
    closes: bool,
    /// The other end has said all that it will.
    has_ended: bool,
    opened: Instant,
}

/// Wall-clock time that never goes back.
struct Clock {
    started: Instant,
    wall: Duration,
}

impl Node {
    /// Opens every door. An error names the door and the port.
    pub fn open(doors: &Doors, settings: Settings) -> anyhow::Result<Node> {
        let mut wires = Wires {
            bind: doors.bind,
            udp: BTreeMap::new(),
            listeners: Vec::new(),
            streams: BTreeMap::new(),
            next_stream: 0,
        };
        for (&dialect, &port) in &doors.ports {
            wires.open_door(dialect, port)?;
        }
        let clock = Clock::start();
        Ok(Node { core: Core::new(clock.now(), settings), wires, clock })
    }

    /// The port at which each dialect is found, for who asked for any free one.
    pub fn ports(&self) -> BTreeMap<Dialect, u16> {
        let udp = self.wires.udp.iter().filter_map(|(endpoint, socket)| match endpoint {
            Endpoint::Door(dialect) => Some((*dialect, socket.local_addr().ok()?.port())),
            Endpoint::Lobby(..) => None,
        });
        let tcp = self
            .wires
            .listeners
            .iter()
            .filter_map(|(dialect, listener)| Some((*dialect, listener.local_addr().ok()?.port())));
        udp.chain(tcp).collect()
    }

    /// Serves until `stop` is set, calling `look` each time before it rests.
    pub fn run(&mut self, stop: &AtomicBool, mut look: impl FnMut(&Core)) {
        while !stop.load(Ordering::Relaxed) {
            self.receive();
            self.core.advance(self.clock.now(), &mut self.wires);
            self.wires.tend_streams(&mut self.core);
            look(&self.core);
            std::thread::sleep(REST);
        }
    }

    fn receive(&mut self) {
        let mut buffer = [0; DATAGRAM_MAX_BYTES];
        let endpoints: Vec<Endpoint> = self.wires.udp.keys().copied().collect();
        for endpoint in endpoints {
            self.drain(endpoint, &mut buffer);
        }
        self.accept();
        self.read_streams(&mut buffer);
    }

    fn drain(&mut self, endpoint: Endpoint, buffer: &mut [u8]) {
        loop {
            let Some(socket) = self.wires.udp.get(&endpoint) else { return };
            match socket.recv_from(buffer) {
                Ok((length, from)) => {
                    let now = self.clock.now();
                    self.core.datagram(now, endpoint, from, &buffer[..length], &mut self.wires);
                }
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                // An ICMP error is reported here and names nobody; the error queue does.
                Err(error) if error.kind() == ErrorKind::ConnectionRefused => self.hear_who_is_gone(endpoint),
                Err(_) => return self.hear_who_is_gone(endpoint),
            }
        }
    }

    /// Ruling C6: ends the sessions of peers at whose address nobody listens any more.
    fn hear_who_is_gone(&mut self, endpoint: Endpoint) {
        while let Some(gone) = self.wires.udp.get(&endpoint).and_then(unreachable::next) {
            self.core.unreachable(self.clock.now(), endpoint, gone, &mut self.wires);
        }
    }

    fn accept(&mut self) {
        for index in 0..self.wires.listeners.len() {
            let (dialect, listener) = &self.wires.listeners[index];
            let dialect = *dialect;
            while let Ok((socket, from)) = listener.accept() {
                if self.wires.streams.len() >= STREAMS_MAX || socket.set_nonblocking(true).is_err() {
                    continue;
                }
                let id = StreamId(self.wires.next_stream);
                self.wires.next_stream += 1;
                let stream =
                    Stream { socket, unsent: Vec::new(), closes: false, has_ended: false, opened: Instant::now() };
                self.wires.streams.insert(id, stream);
                self.core.stream_opened(self.clock.now(), id, dialect, from, &mut self.wires);
                break;
            }
        }
    }

    fn read_streams(&mut self, buffer: &mut [u8]) {
        let ids: Vec<StreamId> = self.wires.streams.keys().copied().collect();
        for id in ids {
            let Some(stream) = self.wires.streams.get_mut(&id).filter(|stream| !stream.has_ended) else { continue };
            match stream.socket.read(buffer) {
                Ok(0) => {
                    stream.has_ended = true;
                    if !self.core.stream_ended(id) && stream.unsent.is_empty() {
                        self.core.stream_closed(id);
                        self.wires.streams.remove(&id);
                    }
                }
                Ok(length) => {
                    self.core.stream_bytes(self.clock.now(), id, &buffer[..length], &mut self.wires);
                }
                Err(error) if matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::Interrupted) => {}
                Err(_) => {
                    self.core.stream_closed(id);
                    self.wires.streams.remove(&id);
                }
            }
        }
    }
}

impl Wires {
    /// A UDP socket, a TCP listener, or both on the same port, as the dialect needs.
    fn open_door(&mut self, dialect: Dialect, port: u16) -> anyhow::Result<()> {
        let fail = |what: &str, error: io::Error| {
            anyhow::anyhow!(
                "cannot open the {} door at {what} port {port}: {error}; choose another with --{} PORT",
                dialect.name(),
                dialect.name()
            )
        };
        let door = dialect.door();
        anyhow::ensure!(!matches!(door.stream, StreamUse::Link(_)), "{} has no door of bare sockets", door.name);
        let has_stream = !matches!(door.stream, StreamUse::None);
        let has_datagrams = !matches!(door.stream, StreamUse::Desk(_));
        let mut port = port;
        if has_stream {
            let listener = listen(self.bind, port).map_err(|error| fail("TCP", error))?;
            port = listener.local_addr().map_err(|error| fail("TCP", error))?.port();
            self.listeners.push((dialect, listener));
        }
        if has_datagrams {
            let socket = bind(self.bind, port).map_err(|error| fail("UDP", error))?;
            self.udp.insert(Endpoint::Door(dialect), socket);
        }
        Ok(())
    }

    /// Sends what is left, and closes what is done or stays too long.
    fn tend_streams(&mut self, core: &mut Core) {
        self.streams.retain(|&id, stream| {
            let is_broken = stream.push().is_err();
            let is_done = stream.closes && stream.unsent.is_empty();
            let stays = !is_broken && !is_done && stream.opened.elapsed() < STREAM_LIFE;
            if !stays {
                core.stream_closed(id);
            }
            stays
        });
    }
}

impl Outbox for Wires {
    fn datagram(&mut self, from: Endpoint, to: SocketAddr, bytes: &[u8]) {
        if let Some(socket) = self.udp.get(&from) {
            // A full buffer or an unreachable peer loses the datagram, as the network may.
            let _ = socket.send_to(bytes, to);
        }
    }

    fn stream(&mut self, stream: StreamId, bytes: &[u8]) {
        if let Some(stream) = self.streams.get_mut(&stream) {
            stream.unsent.extend_from_slice(bytes);
        }
    }

    fn close(&mut self, stream: StreamId) {
        if let Some(stream) = self.streams.get_mut(&stream) {
            stream.closes = true;
        }
    }

    fn listen(&mut self, dialect: Dialect, port: u16) -> bool {
        match bind(self.bind, port) {
            Ok(socket) => {
                self.udp.insert(Endpoint::Lobby(dialect, port), socket);
                true
            }
            Err(error) => {
                tracing::warn!(port, %error, "a lobby's port cannot be used");
                false
            }
        }
    }

    fn unlisten(&mut self, port: u16) {
        self.udp.retain(|endpoint, _| !matches!(endpoint, Endpoint::Lobby(_, other) if *other == port));
    }
}

impl Stream {
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

impl Clock {
    fn start() -> Clock {
        let wall = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        Clock { started: Instant::now(), wall }
    }

    fn now(&self) -> Time {
        Time::from_micros((self.wall + self.started.elapsed()).as_micros() as u64)
    }
}

fn bind(address: IpAddr, port: u16) -> io::Result<UdpSocket> {
    let socket = socket(address, Type::DGRAM, Protocol::UDP)?;
    // Less than wished for is no reason to fail.
    let _ = socket.set_recv_buffer_size(RECEIVE_BUFFER_BYTES);
    socket.bind(&SocketAddr::new(address, port).into())?;
    let socket = socket.into();
    unreachable::keep_errors(&socket);
    Ok(socket)
}

fn listen(address: IpAddr, port: u16) -> io::Result<TcpListener> {
    let socket = socket(address, Type::STREAM, Protocol::TCP)?;
    socket.set_reuse_address(true)?;
    socket.bind(&SocketAddr::new(address, port).into())?;
    socket.listen(1024)?;
    Ok(socket.into())
}

/// A socket that never blocks; `::` takes IPv4 as well.
fn socket(address: IpAddr, kind: Type, protocol: Protocol) -> io::Result<Socket> {
    let socket = Socket::new(Domain::for_address(SocketAddr::new(address, 0)), kind, Some(protocol))?;
    if address.is_ipv6() {
        socket.set_only_v6(false)?;
    }
    socket.set_nonblocking(true)?;
    Ok(socket)
}
