//! A client session over real sockets: what bots and tests play through.
//!
//! [`Connection::turn`] does everything that is due and never waits, so one thread can drive thousands. What is read
//! goes through one buffer a thread, so a connection that rests costs its sockets and its last Frame.

use std::{
    cell::RefCell,
    io,
    net::SocketAddr,
    time::{Instant, SystemTime, UNIX_EPOCH},
};

use game::{Frame, Input, Seat, stage::Terrain};
use protocol::{Channel, ClientSession, Dialect, Output, Plan, ServerFault, Status, StreamUse, Time};

use crate::{
    readiness::Readiness,
    transport::{Bundle, DATAGRAM_MAX_BYTES, Transport},
};

thread_local! {
    static BUFFERS: RefCell<Buffers> = RefCell::new(Buffers {
        read: vec![0; DATAGRAM_MAX_BYTES],
        polled: Vec::new(),
        bundle: Bundle::default(),
    });
}

struct Buffers {
    read: Vec<u8>,
    polled: Vec<u8>,
    bundle: Bundle,
}

/// A player's connection to a node.
pub struct Connection {
    session: Box<dyn ClientSession>,
    transport: Transport,
    /// Whether the stream goes to a desk, and what that answered.
    has_desk: bool,
    started: Instant,
    epoch_us: u64,
    frame: Frame,
    traffic: Traffic,
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

/// Who comes, and what they ask for.
pub struct ConnectionRequest<'a> {
    pub name: &'a str,
    /// The lobby to ask for; none: a new one, or any.
    pub lobby: Option<String>,
    /// The stage of a new lobby, in dialects in which a player makes one.
    pub stage: &'a str,
}

impl Connection {
    /// Connects to a dialect's door. `lobby` is asked for in dialects that have lobbies; without one a new one is made.
    ///
    /// It does not wait for an answer: that nobody listens shows in a later [`Connection::turn`].
    pub fn open(
        dialect: Dialect,
        door: impl Into<SocketAddr>,
        name: &str,
        lobby: Option<String>,
    ) -> anyhow::Result<Connection> {
        Connection::open_as(dialect, door, ConnectionRequest { name, lobby, stage: "endless" })
    }

    /// As [`Connection::open`], with a choice of the stage of a lobby that is made.
    pub fn open_as(
        dialect: Dialect,
        door: impl Into<SocketAddr>,
        request: ConnectionRequest<'_>,
    ) -> anyhow::Result<Connection> {
        let transport = Transport::open(dialect, door.into())?;
        let epoch_us = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_micros() as u64;
        let plan = Plan {
            name: request.name.into(),
            // A guest does not start the game of others.
            starts_at_once: request.lobby.is_none(),
            lobby: request.lobby,
            stage: request.stage.into(),
            ..Plan::at(Time::from_micros(epoch_us))
        };
        Ok(Connection {
            session: dialect.connect(plan),
            transport,
            has_desk: matches!(dialect.entry().stream, StreamUse::Desk(_)),
            started: Instant::now(),
            epoch_us,
            frame: Frame::default(),
            traffic: Traffic::default(),
        })
    }

    /// Receives, advances, says what the player does, and sends. To be called once a tick. True: there is a newer Frame.
    pub fn turn(&mut self, input: Input) -> anyhow::Result<bool> {
        BUFFERS.with_borrow_mut(|buffers| self.receive(self.now(), &mut buffers.read))?;
        self.act(input)
    }

    /// Receives datagrams, and nothing else. True: there is a newer Frame.
    pub fn listen(&mut self) -> anyhow::Result<bool> {
        BUFFERS.with_borrow_mut(|buffers| self.receive(self.now(), &mut buffers.read))?;
        Ok(self.session.take_frame(&mut self.frame))
    }

    /// A turn of a caller that listens when the socket is ready: reads the stream if there is one, but no datagrams.
    pub fn act(&mut self, input: Input) -> anyhow::Result<bool> {
        BUFFERS.with_borrow_mut(|buffers| {
            let now = self.now();
            self.read_stream(now, &mut buffers.read)?;
            self.session.advance(now);
            self.session.press(now, input);
            self.send(now, buffers)?;
            Ok(self.session.take_frame(&mut self.frame))
        })
    }

    /// Has its socket watched, under this number: [`Connection::listen`] when it is named.
    pub fn watch(&self, readiness: &mut Readiness, number: usize) -> io::Result<()> {
        match &self.transport {
            Transport::Sockets(sockets) => readiness.watch(sockets.udp(), number),
            Transport::WebSocket(socket) => socket.tcp().map_or(Ok(()), |tcp| readiness.watch(tcp, number)),
            // It has no socket here; its driver asks again.
            Transport::WebTransport(_) => Ok(()),
        }
    }

    /// The newest Frame.
    pub fn frame(&self) -> &Frame {
        &self.frame
    }

    /// The terrain of the stage, where the dialect sends it at once.
    pub fn terrain(&self) -> Option<&Terrain> {
        self.session.terrain()
    }

    /// The port that its datagrams come from, where it has a socket of its own for them.
    pub fn udp_port(&self) -> Option<u16> {
        match &self.transport {
            Transport::Sockets(sockets) => sockets.udp().local_addr().ok().map(|address| address.port()),
            Transport::WebSocket(_) | Transport::WebTransport(_) => None,
        }
    }

    /// The player's seat, once it is known.
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

    /// The code of the lobby that a desk gave this player, once it is known.
    pub fn lobby(&self) -> Option<String> {
        self.session.lobby().filter(|_| self.has_desk).map(|lobby| lobby.code.to_string())
    }

    /// What is wrong with the server, if anything is.
    pub fn fault(&self) -> Option<&ServerFault> {
        self.session.fault()
    }

    /// Whether the peer's system says again and again that nobody listens there.
    pub fn is_unreachable(&self) -> bool {
        self.transport.is_unreachable()
    }

    /// Leaves, with a goodbye if the dialect has one. Take a few more turns to see it off.
    pub fn leave(&mut self) {
        let now = self.now();
        self.session.leave(now);
    }

    fn now(&self) -> Time {
        Time::from_micros(self.epoch_us + self.started.elapsed().as_micros() as u64)
    }

    /// Reads datagrams, and all else that comes the same way.
    fn receive(&mut self, now: Time, buffer: &mut [u8]) -> anyhow::Result<()> {
        while let Some((channel, length)) = self.transport.listen(buffer)? {
            self.note(now, channel, &buffer[..length]);
        }
        Ok(())
    }

    fn read_stream(&mut self, now: Time, buffer: &mut [u8]) -> anyhow::Result<()> {
        while let Some((channel, length)) = self.transport.read(buffer)? {
            self.note(now, channel, &buffer[..length]);
        }
        Ok(())
    }

    fn note(&mut self, now: Time, channel: Channel, bytes: &[u8]) {
        self.traffic.datagrams_in += u64::from(channel == Channel::Datagram);
        self.hear(now, channel, bytes);
    }

    /// Bad bytes are dropped and counted, as everywhere.
    fn hear(&mut self, now: Time, channel: Channel, bytes: &[u8]) {
        self.traffic.bytes_in += bytes.len() as u64;
        if self.session.receive(now, channel, bytes).is_err() {
            self.traffic.malformed += 1;
        }
    }

    /// Sends all that the session has to say, its datagrams together.
    fn send(&mut self, now: Time, buffers: &mut Buffers) -> anyhow::Result<()> {
        let Buffers { polled, bundle, .. } = buffers;
        while let Some(output) = self.session.poll(now, polled) {
            if output == Output::Datagram {
                bundle.push(polled);
                continue;
            }
            // What was said before may go elsewhere.
            self.send_bundle(bundle)?;
            if self.transport.send(output, polled)? {
                self.traffic.bytes_out += polled.len() as u64;
            }
        }
        self.send_bundle(bundle)?;
        self.transport.push()
    }

    fn send_bundle(&mut self, bundle: &mut Bundle) -> anyhow::Result<()> {
        let sent = self.transport.send_datagrams(bundle);
        bundle.clear();
        let (datagrams, bytes) = sent?;
        self.traffic.datagrams_out += datagrams;
        self.traffic.bytes_out += bytes;
        Ok(())
    }
}
