//! A client session over real sockets: what bots and tests play through.
//!
//! [`Connection::turn`] does everything that is due and never waits, so one thread can drive thousands. What is read
//! goes through one buffer a thread, so a connection that rests costs its sockets and its last Frame.

use std::{
    cell::RefCell,
    io::{self, ErrorKind, Read, Write},
    net::{IpAddr, SocketAddr, TcpStream, UdpSocket},
    time::{Instant, SystemTime, UNIX_EPOCH},
};

use anyhow::Context;
use game::{Frame, Input, Seat};
use protocol::{
    Channel, ClientSession, Dialect, Output, Plan, Scale, Status, StreamUse, Time,
    rfc2020::wire::{FromServer, HEADER_SIZE, Message, TCP_BODY_MAX, whole_message},
};
use socket2::{Domain, Protocol, Socket, Type};

/// The longest datagram that UDP carries: one dialect may say a tick in as much.
const DATAGRAM_MAX_BYTES: usize = 65_507;
/// A desk answers with one message.
const ANSWER_MAX_BYTES: usize = HEADER_SIZE + TCP_BODY_MAX as usize;
/// So many refusals by the peer's system, with nothing heard between them, and nobody listens there.
const REFUSALS_MAX: u32 = 5;
/// How often a port is looked for that is free for both UDP and TCP.
const PORT_TRIES: usize = 16;

thread_local! {
    static BUFFERS: RefCell<Buffers> = RefCell::new(Buffers { read: vec![0; DATAGRAM_MAX_BYTES], write: Vec::new() });
}

struct Buffers {
    read: Vec<u8>,
    write: Vec<u8>,
}

/// A player's connection to a node.
pub struct Connection {
    session: Box<dyn ClientSession>,
    udp: UdpSocket,
    stream: Option<Stream>,
    /// Where datagrams go.
    server: SocketAddr,
    /// What a desk answered.
    answer: Vec<u8>,
    started: Instant,
    epoch_us: u64,
    frame: Frame,
    traffic: Traffic,
    /// Refusals by the peer's system since something was last heard.
    refusals: u32,
}

/// What a connection has carried, without the headers below it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Traffic {
    /// Datagrams received.
    pub datagrams_in: u64,
    /// Bytes received, in datagrams and over the stream.
    pub bytes_in: u64,
    /// Datagrams sent.
    pub datagrams_out: u64,
    /// Bytes sent, in datagrams and over the stream.
    pub bytes_out: u64,
    /// What was received and could not be read.
    pub malformed: u64,
}

/// A stream that may still be on its way to the server.
struct Stream {
    socket: TcpStream,
    /// What the socket did not take yet.
    unsent: Vec<u8>,
    /// Whether the answer is one of a desk.
    is_desk: bool,
    closes: bool,
}

impl Connection {
    /// Connects to a dialect's door. `lobby` is asked for in dialects that have lobbies; without one a new one is made.
    ///
    /// It does not wait for an answer: that nobody listens shows in a later [`Connection::turn`].
    pub fn open(
        dialect: Dialect,
        host: IpAddr,
        port: u16,
        name: &str,
        lobby: Option<String>,
    ) -> anyhow::Result<Connection> {
        let server = SocketAddr::new(host, port);
        let (udp, stream) = match dialect.door().stream {
            StreamUse::None => (bind(host)?, None),
            // Datagrams of such a dialect are known by the stream's own port.
            StreamUse::OpensSession => twins(server).map(|(udp, tcp)| (udp, Some(Stream::new(tcp, false))))?,
            StreamUse::Desk(_) => (bind(host)?, Some(Stream::new(reach(server, 0)?, true))),
            StreamUse::Link(_) => anyhow::bail!("{} needs a WebSocket, not bare sockets", dialect.name()),
        };
        udp.connect(server).with_context(|| format!("cannot reach {server}"))?;
        let epoch_us = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_micros() as u64;
        let plan = Plan {
            now: Time::from_micros(epoch_us),
            name: name.into(),
            lobby,
            stage: "endless".into(),
            scale: Scale::default(),
        };
        Ok(Connection {
            session: dialect.connect(plan),
            udp,
            stream,
            server,
            answer: Vec::new(),
            started: Instant::now(),
            epoch_us,
            frame: Frame::default(),
            traffic: Traffic::default(),
            refusals: 0,
        })
    }

    /// Receives, advances, says what the player does, and sends. To be called once a tick. True: there is a newer Frame.
    pub fn turn(&mut self, input: Input) -> anyhow::Result<bool> {
        BUFFERS.with_borrow_mut(|buffers| {
            let now = self.now();
            self.receive(now, &mut buffers.read)?;
            self.session.advance(now);
            self.session.press(now, input);
            self.send(now, &mut buffers.write)?;
            Ok(self.session.take_frame(&mut self.frame))
        })
    }

    /// Receives, and nothing else. True: there is a newer Frame. To be called as often as is liked between turns, by who
    /// would otherwise see two Frames as one.
    pub fn listen(&mut self) -> anyhow::Result<bool> {
        BUFFERS.with_borrow_mut(|buffers| self.receive(self.now(), &mut buffers.read))?;
        Ok(self.session.take_frame(&mut self.frame))
    }

    /// What is seen.
    pub fn frame(&self) -> &Frame {
        &self.frame
    }

    /// The own seat, once it is known.
    pub fn seat(&self) -> Option<Seat> {
        self.session.seat()
    }

    /// How the session stands.
    pub fn status(&self) -> Status {
        self.session.status()
    }

    /// What it has carried so far.
    pub fn traffic(&self) -> Traffic {
        self.traffic
    }

    /// The id of the lobby that was made for this player, once it was told.
    pub fn lobby(&self) -> Option<String> {
        let size = whole_message(&self.answer).ok()??;
        match Message::<FromServer>::read(&self.answer[..size]).ok()?.body {
            FromServer::Create { lobby_id, .. } => lobby_id.map(|id| id.to_string()),
            _ => None,
        }
    }

    /// Whether the peer's system says again and again that nobody listens there.
    pub fn is_unreachable(&self) -> bool {
        self.refusals >= REFUSALS_MAX
    }

    /// Leaves, with a goodbye if the dialect has one. Take a few more turns to see it off.
    pub fn leave(&mut self) {
        let now = self.now();
        self.session.leave(now);
    }

    fn now(&self) -> Time {
        Time::from_micros(self.epoch_us + self.started.elapsed().as_micros() as u64)
    }

    fn receive(&mut self, now: Time, buffer: &mut [u8]) -> anyhow::Result<()> {
        loop {
            match self.udp.recv(buffer) {
                Ok(length) => {
                    self.refusals = 0;
                    self.traffic.datagrams_in += 1;
                    self.hear(now, Channel::Datagram, &buffer[..length]);
                }
                Err(error) if error.kind() == ErrorKind::WouldBlock => break,
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) if error.kind() == ErrorKind::ConnectionRefused => self.refusals += 1,
                Err(error) => return Err(error).context("cannot receive"),
            }
        }
        self.read_stream(now, buffer)
    }

    fn read_stream(&mut self, now: Time, buffer: &mut [u8]) -> anyhow::Result<()> {
        while let Some(stream) = &mut self.stream {
            let read = match stream.socket.read(buffer) {
                Ok(length) => length,
                Err(error) if is_patience(&error) => break,
                Err(error) if error.kind() == ErrorKind::ConnectionRefused => {
                    return Err(error).with_context(|| format!("nobody answers at {} (TCP)", self.server));
                }
                // A broken stream is a closed one.
                Err(_) => 0,
            };
            if stream.is_desk {
                self.answer.extend(buffer[..read].iter().take(ANSWER_MAX_BYTES - self.answer.len()));
            }
            if read == 0 {
                self.stream = None;
            }
            self.hear(now, Channel::Stream, &buffer[..read]);
        }
        Ok(())
    }

    /// Bad bytes are dropped and counted, as everywhere.
    fn hear(&mut self, now: Time, channel: Channel, bytes: &[u8]) {
        self.traffic.bytes_in += bytes.len() as u64;
        if self.session.receive(now, channel, bytes).is_err() {
            self.traffic.malformed += 1;
        }
    }

    fn send(&mut self, now: Time, bytes: &mut Vec<u8>) -> anyhow::Result<()> {
        while let Some(output) = self.session.poll(now, bytes) {
            match output {
                Output::Datagram => self.send_datagram(bytes)?,
                Output::Stream => {
                    if let Some(stream) = &mut self.stream {
                        stream.unsent.extend_from_slice(bytes);
                        self.traffic.bytes_out += bytes.len() as u64;
                    }
                }
                Output::CloseStream => self.stream.iter_mut().for_each(|stream| stream.closes = true),
                Output::DatagramsTo(port) => {
                    self.server.set_port(port);
                    self.udp.connect(self.server).with_context(|| format!("cannot reach {}", self.server))?;
                }
            }
        }
        self.push_stream()
    }

    /// A datagram that cannot leave now is lost, as it might be on its way.
    fn send_datagram(&mut self, bytes: &[u8]) -> anyhow::Result<()> {
        match self.udp.send(bytes) {
            Ok(length) => {
                self.traffic.datagrams_out += 1;
                self.traffic.bytes_out += length as u64;
                Ok(())
            }
            // What an earlier datagram met is told here.
            Err(error) if error.kind() == ErrorKind::ConnectionRefused => {
                self.refusals += 1;
                Ok(())
            }
            Err(error) if error.kind() == ErrorKind::WouldBlock => Ok(()),
            Err(error) => Err(error).context("cannot send"),
        }
    }

    fn push_stream(&mut self) -> anyhow::Result<()> {
        let Some(stream) = &mut self.stream else { return Ok(()) };
        stream.push().with_context(|| format!("cannot send to {} (TCP)", self.server))?;
        if stream.closes && stream.unsent.is_empty() {
            self.stream = None;
        }
        Ok(())
    }
}

impl Stream {
    fn new(socket: TcpStream, is_desk: bool) -> Stream {
        Stream { socket, unsent: Vec::new(), is_desk, closes: false }
    }

    /// Sends as much as the socket takes.
    fn push(&mut self) -> io::Result<()> {
        while !self.unsent.is_empty() {
            match self.socket.write(&self.unsent) {
                Ok(0) => return Err(ErrorKind::WriteZero.into()),
                Ok(sent) => drop(self.unsent.drain(..sent)),
                Err(error) if is_patience(&error) => return Ok(()),
                Err(error) => return Err(error),
            }
        }
        Ok(())
    }
}

/// Whether it only takes longer. A stream that is still on its way is not connected yet.
fn is_patience(error: &io::Error) -> bool {
    matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::Interrupted | ErrorKind::NotConnected)
}

/// A UDP socket on a free port that never blocks.
fn bind(host: IpAddr) -> io::Result<UdpSocket> {
    let udp = UdpSocket::bind((any(host), 0))?;
    udp.set_nonblocking(true)?;
    Ok(udp)
}

/// A stream to the server that never blocks, also while it connects; `own_port` 0 takes any.
fn reach(server: SocketAddr, own_port: u16) -> anyhow::Result<TcpStream> {
    let socket = Socket::new(Domain::for_address(server), Type::STREAM, Some(Protocol::TCP))?;
    socket.set_nonblocking(true)?;
    if own_port != 0 {
        socket.bind(&SocketAddr::new(any(server.ip()), own_port).into())?;
    }
    match socket.connect(&server.into()) {
        Ok(()) => Ok(socket.into()),
        Err(error) if is_under_way(&error) => Ok(socket.into()),
        Err(error) => Err(error).with_context(|| format!("nobody answers at {server} (TCP)")),
    }
}

fn is_under_way(error: &io::Error) -> bool {
    #[cfg(unix)]
    return error.raw_os_error() == Some(nix::errno::Errno::EINPROGRESS as i32);
    #[cfg(not(unix))]
    return error.kind() == ErrorKind::WouldBlock;
}

/// A UDP socket and a stream on the same port.
fn twins(server: SocketAddr) -> anyhow::Result<(UdpSocket, TcpStream)> {
    let mut tries = 0;
    loop {
        let udp = bind(server.ip())?;
        match reach(server, udp.local_addr()?.port()) {
            Ok(tcp) => return Ok((udp, tcp)),
            Err(error) if tries < PORT_TRIES && is_in_use(&error) => tries += 1,
            Err(error) => return Err(error),
        }
    }
}

fn is_in_use(error: &anyhow::Error) -> bool {
    error.downcast_ref::<io::Error>().is_some_and(|error| error.kind() == ErrorKind::AddrInUse)
}

fn any(host: IpAddr) -> IpAddr {
    if host.is_ipv4() { [0, 0, 0, 0].into() } else { [0u16; 8].into() }
}
