//! A node in memory, clients of it, and a network between them that may be bad. Nothing here waits: time is passed in, so that an
//! hour can be played in seconds, and the same way each time.
//!
//! A [`MemoryConnection`] is what carries the bytes of one client; both ends hold it. A bridge reaches its other server through one as well.

use std::{
    collections::{BTreeSet, VecDeque},
    net::SocketAddr,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use game::{Frame, Input, Rules, Stage};
use network::{Binding, Conditions, Delivery, Direction, Message, Network};
use protocol::{Channel, ClientSession, Dialect, Output, Plan, StreamUse, Time};
use server::core::{Core, Effect, Endpoint, PeerKey, Settings, StreamId};

use crate::{
    bridge::server_connection::{ServerConnection, ServerConnector},
    transport::DATAGRAM_MAX_BYTES,
};

/// When time begins.
pub const START: Time = Time::from_micros(1_700_000_000_000_000);
/// Time passes in quarters of a tick.
pub const STEPS_PER_TICK: u32 = 4;
const STEP: Duration = Duration::from_nanos(1_000_000_000 / 60 / STEPS_PER_TICK as u64);
/// The lowest port that a client of such a node has.
const FIRST_CLIENT_PORT: u16 = 10_000;

/// What carries the bytes of one client. Both ends hold it.
#[derive(Clone)]
pub struct MemoryConnection(Arc<Mutex<MemoryConnectionState>>);

struct MemoryConnectionState {
    dialect: Dialect,
    /// The port that datagrams go to.
    port: u16,
    up: VecDeque<QueuedPacket>,
    down: VecDeque<(QueuedPacket, Time)>,
    clock: Clock,
    /// The longest time that something has waited to be read at the client's end.
    waited_max: Duration,
    traffic: LineTraffic,
}

/// What a client's connection has carried.
#[derive(Clone, Copy, Debug, Default)]
pub struct LineTraffic {
    pub bytes_up: u64,
    pub bytes_down: u64,
    pub datagrams_up: u64,
    pub datagrams_down: u64,
}

#[derive(Clone)]
struct QueuedPacket {
    channel: Channel,
    /// Where a datagram goes.
    port: u16,
    bytes: Vec<u8>,
}

/// What time it is, for everybody. Clones share it.
#[derive(Clone)]
pub struct Clock(Arc<Mutex<Time>>);

impl Clock {
    /// A clock that stands at [`START`].
    pub fn start() -> Clock {
        Clock(Arc::new(Mutex::new(START)))
    }

    pub fn now(&self) -> Time {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Lets a tick pass, step by step.
    pub fn tick(&self, mut step: impl FnMut(Time)) {
        (0..STEPS_PER_TICK).for_each(|_| self.step(&mut step));
    }

    /// Lets a quarter of a tick pass.
    pub fn step(&self, step: impl FnOnce(Time)) {
        let now = self.now() + STEP;
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = now;
        step(now);
    }
}

impl MemoryConnection {
    fn new(dialect: Dialect, clock: Clock) -> MemoryConnection {
        MemoryConnection(Arc::new(Mutex::new(MemoryConnectionState {
            dialect,
            port: dialect.entry().port,
            up: VecDeque::new(),
            down: VecDeque::new(),
            clock,
            waited_max: Duration::ZERO,
            traffic: LineTraffic::default(),
        })))
    }

    /// What it has carried.
    pub fn traffic(&self) -> LineTraffic {
        self.lock().traffic
    }

    fn lock(&self) -> MutexGuard<'_, MemoryConnectionState> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn tell(&self, packet: QueuedPacket) {
        let mut connection = self.lock();
        let since = connection.clock.now();
        connection.down.push_back((packet, since));
    }
}

impl ServerConnection for MemoryConnection {
    fn receive(&mut self, buffer: &mut [u8]) -> anyhow::Result<Option<(Channel, usize)>> {
        let mut connection = self.lock();
        let Some((QueuedPacket { channel, bytes, .. }, since)) = connection.down.pop_front() else { return Ok(None) };
        connection.waited_max = connection.waited_max.max(connection.clock.now().since(since));
        connection.traffic.bytes_down += bytes.len() as u64;
        connection.traffic.datagrams_down += u64::from(channel == Channel::Datagram);
        anyhow::ensure!(bytes.len() <= buffer.len(), "a message is too long");
        buffer[..bytes.len()].copy_from_slice(&bytes);
        Ok(Some((channel, bytes.len())))
    }

    fn send(&mut self, output: Output, bytes: &[u8]) -> anyhow::Result<()> {
        let mut connection = self.lock();
        let channel = match output {
            Output::Datagram => Channel::Datagram,
            Output::Stream => Channel::Stream,
            Output::DatagramsTo(port) => {
                connection.port = port;
                return Ok(());
            }
            Output::CloseStream => return Ok(()),
        };
        connection.traffic.bytes_up += bytes.len() as u64;
        connection.traffic.datagrams_up += u64::from(channel == Channel::Datagram);
        let port = connection.port;
        connection.up.push_back(QueuedPacket { channel, port, bytes: bytes.into() });
        Ok(())
    }

    fn push(&mut self) -> anyhow::Result<()> {
        Ok(())
    }

    fn is_unreachable(&self) -> bool {
        false
    }
}

/// The connections of a node. Clones share them.
#[derive(Clone)]
pub struct Exchange {
    connections: Arc<Mutex<Vec<MemoryConnection>>>,
    clock: Clock,
}

impl Exchange {
    fn new(clock: Clock) -> Exchange {
        Exchange { connections: Arc::default(), clock }
    }

    /// A new client's connection.
    pub fn connect(&self, dialect: Dialect) -> MemoryConnection {
        let connection = MemoryConnection::new(dialect, self.clock.clone());
        self.connections.lock().unwrap_or_else(PoisonError::into_inner).push(connection.clone());
        connection
    }

    fn connections(&self) -> Vec<MemoryConnection> {
        self.connections.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// The longest time that something has waited to be read at the end of any client after the first `first`.
    pub fn waited_max_after(&self, first: usize) -> Duration {
        self.connections().iter().skip(first).map(|connection| connection.lock().waited_max).max().unwrap_or_default()
    }
}

/// Connections of one dialect to a node in memory.
pub struct MemoryConnector {
    pub dialect: Dialect,
    pub exchange: Exchange,
}

impl ServerConnector for MemoryConnector {
    fn dialect(&self) -> Dialect {
        self.dialect
    }

    fn open(&self) -> anyhow::Result<Box<dyn ServerConnection>> {
        Ok(Box::new(self.exchange.connect(self.dialect)))
    }
}

/// A node of one shard in memory.
pub struct MemoryNode {
    pub core: Core,
    pub exchange: Exchange,
    network: Network<usize, QueuedPacket>,
    /// How many connections it knows already.
    known: usize,
    /// The ports of lobbies.
    ports: BTreeSet<u16>,
}

impl MemoryNode {
    /// A node whose clients are reached over such a network, whose chance comes from the settings' seed.
    pub fn new(settings: Settings, clock: Clock, conditions: Conditions) -> MemoryNode {
        let network = Network::new(settings.seed, conditions);
        let core = Core::new(clock.now(), settings);
        MemoryNode { core, exchange: Exchange::new(clock), network, known: 0, ports: BTreeSet::new() }
    }

    /// Takes in what has come, does what is due, and sends.
    pub fn advance(&mut self, now: Time) {
        let connections = self.exchange.connections();
        for (number, connection) in connections.iter().enumerate().skip(self.known) {
            self.open(now, number, connection);
        }
        self.known = connections.len();
        for (number, connection) in connections.iter().enumerate() {
            for packet in std::mem::take(&mut connection.lock().up) {
                self.network.send_up(now.since(START), number, message(packet));
            }
        }
        while let Some(Delivery { peer, payload, .. }) = self.network.poll_direction(now.since(START), Direction::Up) {
            let dialect = connections[peer].lock().dialect;
            self.receive(now, peer, dialect, &payload);
            self.perform(now);
        }
        self.core.advance(now);
        self.perform(now);
        while let Some(Delivery { peer, payload, .. }) = self.network.poll_direction(now.since(START), Direction::Down)
        {
            connections[peer].tell(payload);
        }
    }

    fn open(&mut self, now: Time, number: usize, connection: &MemoryConnection) {
        let (dialect, stream) = (connection.lock().dialect, StreamId(number as u64));
        match dialect.entry().stream {
            StreamUse::None => {}
            StreamUse::OpensSession | StreamUse::Desk(_) => {
                self.core.stream_opened(now, PeerKey::at_door(dialect, address(number)), stream);
            }
            StreamUse::Link(_) => {
                self.core.link_opened(now, PeerKey::at_link(dialect, stream, address(number)), stream);
            }
        }
        self.perform(now);
    }

    fn receive(&mut self, now: Time, number: usize, dialect: Dialect, packet: &QueuedPacket) {
        let (stream, from) = (StreamId(number as u64), address(number));
        let is_link = matches!(dialect.entry().stream, StreamUse::Link(_));
        match packet.channel {
            Channel::Stream if is_link => self.core.link_bytes(now, stream, &packet.bytes),
            Channel::Stream => self.core.stream_bytes(now, stream, &packet.bytes),
            Channel::Datagram => {
                let endpoint = match packet.port {
                    _ if is_link => Endpoint::Link(dialect, stream),
                    port if self.ports.contains(&port) => Endpoint::Lobby(dialect, port),
                    _ => Endpoint::Door(dialect),
                };
                self.core.datagram(now, PeerKey::new(endpoint, from), &packet.bytes);
            }
        }
    }

    fn perform(&mut self, now: Time) {
        let mut opened = Vec::new();
        while let Some(effect) = self.core.poll() {
            let (number, channel, bytes) = match effect {
                Effect::SendDatagram { peer, bytes } => {
                    (usize::from(peer.address.port() - FIRST_CLIENT_PORT), Channel::Datagram, bytes)
                }
                Effect::SendStream { stream, bytes } => (stream.0 as usize, Channel::Stream, bytes),
                // The end of a stream is an empty piece of it.
                Effect::CloseStream(stream) => (stream.0 as usize, Channel::Stream, &[][..]),
                Effect::OpenPort { port, .. } => {
                    opened.push(port);
                    continue;
                }
                Effect::ClosePort(port) => {
                    self.ports.remove(&port);
                    continue;
                }
                // It has one shard, and keeps nothing.
                Effect::HandOver { .. } | Effect::BorrowLink(_) | Effect::ReturnLink(_) => continue,
                Effect::Record(_) | Effect::Recording(_) | Effect::Save(..) => continue,
            };
            let packet = QueuedPacket { channel, port: 0, bytes: bytes.into() };
            self.network.send_down(now.since(START), number, Binding(0), message(packet));
        }
        for port in opened {
            self.ports.insert(port);
            self.core.port_opened(now, port, true);
            self.perform(now);
        }
    }
}

/// The settings of a node in memory that plays that stage, by those rules.
pub fn memory_settings(stage: &Arc<Stage>, rules: Rules) -> Settings {
    Settings { rules, lobbies_max: 8, ..Settings::new(vec![Arc::clone(stage)], Arc::clone(stage), 7, [7; 32]) }
}

fn message(packet: QueuedPacket) -> Message<QueuedPacket> {
    match packet.channel {
        Channel::Datagram => Message::datagram(packet.bytes.len(), packet),
        Channel::Stream => Message::stream(packet.bytes.len(), packet),
    }
}

fn address(number: usize) -> SocketAddr {
    SocketAddr::from(([127, 0, 0, 1], FIRST_CLIENT_PORT + number as u16))
}

/// A client of a node in memory.
pub struct MemoryClient {
    pub session: Box<dyn ClientSession>,
    pub connection: MemoryConnection,
    /// What it sees.
    pub frame: Frame,
    buffer: Vec<u8>,
    polled: Vec<u8>,
}

impl MemoryClient {
    /// Somebody comes, now.
    pub fn join(exchange: &Exchange, dialect: Dialect, plan: Plan) -> MemoryClient {
        let session = dialect.connect(Plan { now: exchange.clock.now(), ..plan });
        let (connection, buffer) = (exchange.connect(dialect), vec![0; DATAGRAM_MAX_BYTES]);
        MemoryClient { session, connection, frame: Frame::default(), buffer, polled: Vec::new() }
    }

    /// A tick. Whether there is something new to see.
    pub fn turn(&mut self, now: Time, input: Input) -> anyhow::Result<bool> {
        while let Some((channel, length)) = self.connection.receive(&mut self.buffer)? {
            // A node of ours is not malformed; what this would lose would show.
            let _ = self.session.receive(now, channel, &self.buffer[..length]);
        }
        self.session.advance(now);
        self.session.press(now, input);
        while let Some(output) = self.session.poll(now, &mut self.polled) {
            self.connection.send(output, &self.polled)?;
        }
        Ok(self.session.take_frame(&mut self.frame))
    }

    /// The player's ship, while it is seen.
    pub fn own_ship(&self) -> Option<&game::Entity> {
        self.session.seat().and_then(|seat| self.frame.ship(seat))
    }
}
