//! A whole node under a seed, in one thread: some shards, clients of every dialect, a bad network, and a virtual clock.

#![allow(dead_code, reason = "each test uses a part of it")]

pub mod linked;
#[path = "../../../protocol/tests/simulation/network.rs"]
pub mod network;
pub mod panics;
mod settings;

use std::{
    cell::Cell,
    collections::{BTreeMap, BTreeSet, VecDeque},
    net::SocketAddr,
    time::Duration,
};

use self::network::{Conditions, Network};
use game::{Buttons, Input};
use linked::LinkClient;
use protocol::{Channel, ClientSession, Dialect, LobbyId, Output, Plan, StreamUse, Time};
use server::core::{
    Core, Counters, Effect, Endpoint, LobbyView, Parcel, PeerKey, Record, RecordedGames, RecordingPiece, Settings,
    ShardId, SharedDirectory, StreamId, UnreachableHint,
};

pub use self::settings::{START, settings};

pub const TICK: Duration = Duration::from_micros(16_667);

/// The name of a client, from which its address and its stream follow.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct ClientId(pub usize);

impl ClientId {
    pub fn address(self) -> SocketAddr {
        SocketAddr::from(([127, 0, 0, 1], 10_000 + self.0 as u16))
    }
}

pub struct Client {
    pub session: Box<dyn ClientSession>,
    pub dialect: Dialect,
    pub port: u16,
    pub is_dead: bool,
    pub frame: game::Frame,
}

/// What leaves a shard goes into the network, or to another shard.
struct CarriedEffects<'n> {
    now: Time,
    shard: ShardId,
    network: &'n mut Network,
    ports: &'n mut BTreeMap<u16, ShardId>,
    closed: &'n mut Vec<StreamId>,
    parcels: &'n mut VecDeque<(ShardId, Parcel)>,
    records: &'n mut Vec<Record>,
    pieces: &'n mut Vec<RecordingPiece>,
    saves: &'n mut BTreeMap<LobbyId, Vec<u8>>,
    links: &'n [LinkClient],
    borrowed: &'n mut BTreeSet<(ShardId, StreamId)>,
    last_sent: &'n mut BTreeMap<PeerKey, Vec<u8>>,
}

impl CarriedEffects<'_> {
    /// A shard sends over links whose home it is, and over those that it has borrowed.
    fn assert_is_at_hand(&self, link: StreamId) {
        let Some(index) = linked::index(link) else { return };
        let is_at_hand = self.links[index].home == self.shard || self.borrowed.contains(&(self.shard, link));
        assert!(is_at_hand, "shard {} sends over a link that is not at hand", self.shard.0);
    }
}

thread_local! {
    /// Whether a shard is at work, rather than what is around it.
    pub static AT_WORK: Cell<bool> = const { Cell::new(false) };
}

/// While it lives, a shard is at work, or is not.
struct Shift {
    before: bool,
}

impl Shift {
    fn begin(at_work: bool) -> Shift {
        Shift { before: AT_WORK.replace(at_work) }
    }
}

impl Drop for Shift {
    fn drop(&mut self) {
        AT_WORK.set(self.before);
    }
}

impl CarriedEffects<'_> {
    /// Does what a shard wants done. For a lobby's port: whether it could be opened.
    fn perform(&mut self, effect: Effect) -> Option<(u16, bool)> {
        match effect {
            Effect::SendDatagram { peer, bytes } => self.datagram(peer, bytes),
            Effect::SendStream { stream, bytes } => {
                self.assert_is_at_hand(stream);
                self.network.send_to_client(self.now, ClientId(stream.0 as usize), 0, Channel::Stream, bytes);
            }
            Effect::CloseStream(stream) => {
                self.closed.push(stream);
                // The end of a stream is an empty piece of it.
                self.network.send_to_client(self.now, ClientId(stream.0 as usize), 0, Channel::Stream, &[]);
            }
            Effect::OpenPort { port, .. } => return Some((port, self.open_port(port))),
            Effect::ClosePort(port) => {
                assert_eq!(self.ports.remove(&port), Some(self.shard), "only the shard that listens can end it");
            }
            Effect::HandOver { to, parcel } => {
                assert_ne!(to, self.shard);
                self.parcels.push_back((to, parcel));
            }
            Effect::BorrowLink(link) => {
                assert!(self.borrowed.insert((self.shard, link)), "it was borrowed already");
            }
            Effect::ReturnLink(link) => _ = self.borrowed.remove(&(self.shard, link)),
            Effect::Record(record) => self.records.push(*record),
            Effect::Recording(piece) => self.pieces.push(*piece),
            Effect::Save(lobby, Some(bytes)) => _ = self.saves.insert(lobby, bytes),
            Effect::Save(lobby, None) => _ = self.saves.remove(&lobby),
        }
        None
    }

    fn datagram(&mut self, peer: PeerKey, bytes: &[u8]) {
        let port = match peer.endpoint {
            Endpoint::Door(dialect) => dialect.entry().port,
            Endpoint::Lobby(_, port) => port,
            Endpoint::Link(dialect, link) => {
                self.assert_is_at_hand(link);
                dialect.entry().port
            }
        };
        let last = self.last_sent.entry(peer).or_default();
        last.clear();
        last.extend_from_slice(bytes);
        let client = ClientId(usize::from(peer.address.port() - 10_000));
        self.network.send_to_client(self.now, client, port, Channel::Datagram, bytes);
    }

    fn open_port(&mut self, port: u16) -> bool {
        let is_free = !self.ports.contains_key(&port);
        if is_free {
            self.ports.insert(port, self.shard);
        }
        is_free
    }
}

/// The keys of a player who flies about, up the field and down again.
pub fn wander(now: Time, number: usize) -> Input {
    let turn = now.since(START).as_millis() as usize / 400 + number;
    let drift = if (turn / 8).is_multiple_of(2) { Buttons::UP } else { Buttons::DOWN };
    let ways = [drift, Buttons::RIGHT | Buttons::FIRE, drift, Buttons::LEFT];
    Input::holding(ways[turn % ways.len()])
}

pub struct Simulation {
    settings: Settings,
    pub now: Time,
    pub shards: Vec<Core>,
    pub network: Network,
    /// The ports of lobbies, and the shard that listens there.
    pub ports: BTreeMap<u16, ShardId>,
    pub closed: Vec<StreamId>,
    pub clients: Vec<Client>,
    /// Clients that come over links.
    pub links: Vec<LinkClient>,
    parcels: VecDeque<(ShardId, Parcel)>,
    /// Parcels that were ever handed over.
    pub handed_over: usize,
    /// What became of games.
    pub records: Vec<Record>,
    /// What was recorded of games.
    pub pieces: Vec<RecordingPiece>,
    /// Whether games are recorded, and with names and chat.
    recorded_games: Option<RecordedGames>,
    /// Lobbies as they were saved last.
    pub saves: BTreeMap<LobbyId, Vec<u8>>,
    /// The links that shards send over though their home is elsewhere.
    pub borrowed: BTreeSet<(ShardId, StreamId)>,
    /// The last datagram that was sent to each peer.
    pub last_sent: BTreeMap<PeerKey, Vec<u8>>,
    /// Nobody touches anything.
    pub is_passive: bool,
}

/// Ticks until a peer whose socket is closed is gone: a second, and the time that its last datagrams may be on their way.
pub const CLOSED_SOCKET_TICKS: u16 = 62 + 20;

impl Simulation {
    pub fn new(seed: u64, lobbies_max: usize) -> Simulation {
        Simulation::sharded(seed, lobbies_max, 1)
    }

    pub fn sharded(seed: u64, lobbies_max: usize, shards: u8) -> Simulation {
        Simulation::with_settings(settings(seed, lobbies_max), shards)
    }

    pub fn with_settings(settings: Settings, shards: u8) -> Simulation {
        let directory = SharedDirectory::new(&settings, shards.into());
        let shard = |number| Core::shard(START, settings.clone(), ShardId(number), directory.clone());
        Simulation {
            now: START,
            settings: settings.clone(),
            shards: (0..shards).map(shard).collect(),
            network: Network::new(settings.seed),
            ports: BTreeMap::new(),
            closed: Vec::new(),
            clients: Vec::new(),
            links: Vec::new(),
            parcels: VecDeque::new(),
            handed_over: 0,
            records: Vec::new(),
            pieces: Vec::new(),
            recorded_games: None,
            saves: BTreeMap::new(),
            borrowed: BTreeSet::new(),
            last_sent: BTreeMap::new(),
            is_passive: false,
        }
    }

    /// The keys of a client.
    pub fn keys(&self, number: usize) -> Input {
        if self.is_passive { Input::IDLE } else { wander(self.now, number) }
    }

    /// Does something to the first shard, where streams arrive.
    pub fn with_core(&mut self, act: impl FnOnce(&mut Core, Time)) {
        self.with_shard(ShardId(0), act);
    }

    /// Does something to a shard, and then what the shard wants done.
    pub fn with_shard(&mut self, shard: ShardId, act: impl FnOnce(&mut Core, Time)) {
        let Simulation {
            now,
            shards,
            network,
            ports,
            closed,
            links,
            parcels,
            records,
            pieces,
            saves,
            borrowed,
            last_sent,
            ..
        } = self;
        let core = &mut shards[shard.index()];
        let mut carried = CarriedEffects {
            now: *now,
            shard,
            network,
            ports,
            closed,
            parcels,
            records,
            pieces,
            saves,
            links,
            borrowed,
            last_sent,
        };
        let _work = Shift::begin(true);
        act(core, *now);
        while let Some(effect) = core.poll() {
            let pause = Shift::begin(false);
            let opened = carried.perform(effect);
            drop(pause);
            if let Some((port, is_open)) = opened {
                core.port_opened(*now, port, is_open);
            }
        }
    }

    /// Lobbies are saved from now on.
    pub fn keep_saves(&mut self) {
        self.shards.iter_mut().for_each(Core::keep_saves);
    }

    /// Games are recorded from now on.
    pub fn keep_recordings(&mut self, games: RecordedGames) {
        self.recorded_games = Some(games);
        self.shards.iter_mut().for_each(|core| core.keep_recordings(games));
    }

    /// The node is killed, and for some ticks nobody is there; then another process goes on with what was saved.
    pub fn restart(&mut self, ticks: u64) {
        let count = self.shards.len() as u8;
        self.shards.clear();
        self.ports.clear();
        self.parcels.clear();
        self.borrowed.clear();
        self.network.due_to_node(self.now + Duration::from_secs(60));
        (0..self.links.len()).for_each(|index| self.lose_unnoticed(index));
        (0..ticks).for_each(|_| self.tick_without_node());
        let settings = Settings { seed: self.settings.seed + 1, ..self.settings.clone() };
        let directory = SharedDirectory::new(&settings, count.into());
        let shard = |number| Core::shard(self.now, settings.clone(), ShardId(number), directory.clone());
        self.shards = (0..count).map(shard).collect();
        let saves: Vec<Vec<u8>> = self.saves.values().cloned().collect();
        for (index, save) in saves.iter().enumerate() {
            let shard = ShardId((index % usize::from(count)) as u8);
            self.with_shard(shard, |core, now| _ = core.restore(now, save).expect("it can be restored"));
        }
        self.keep_saves();
        if let Some(games) = self.recorded_games {
            self.keep_recordings(games);
        }
    }

    /// Clients go on while there is no node.
    fn tick_without_node(&mut self) {
        self.now = self.now + TICK;
        self.network.due_to_node(self.now);
        self.tell_clients();
        (0..self.clients.len()).for_each(|index| self.drive(ClientId(index)));
    }

    /// Delivers what shards handed each other.
    pub fn deliver(&mut self) {
        while let Some((shard, parcel)) = self.parcels.pop_front() {
            self.handed_over += 1;
            self.with_shard(shard, |core, now| core.parcel(now, parcel));
        }
    }

    /// The shard at which a peer's datagrams arrive: as a system does, always the same one for the same address.
    pub fn shard_of(&self, at: Endpoint, from: SocketAddr) -> ShardId {
        match at {
            Endpoint::Door(_) => ShardId((usize::from(from.port()) % self.shards.len()) as u8),
            Endpoint::Lobby(_, port) => self.ports[&port],
            Endpoint::Link(_, stream) => linked::index(stream).map_or(ShardId(0), |index| self.links[index].home),
        }
    }

    /// A datagram arrives at the shard where it belongs.
    pub fn datagram(&mut self, at: Endpoint, from: SocketAddr, bytes: &[u8]) {
        let shard = self.shard_of(at, from);
        self.with_shard(shard, |core, now| core.datagram(now, PeerKey::new(at, from), bytes));
    }

    /// The system of a peer whose socket is closed says so to a shard, about the last datagram that went there (ruling C6).
    pub fn hint_unreachable(&mut self, shard: ShardId, peer: PeerKey) {
        let quote = self.last_sent.get(&peer).cloned().unwrap_or_default();
        let hint = UnreachableHint::new(Some(peer.ip()), &quote);
        self.with_shard(shard, |core, now| core.unreachable(now, peer, hint));
        self.deliver();
    }

    /// A peer's socket is closed: whatever is sent there from now on is answered by its system, and a second after the
    /// last datagram of the peer has arrived the node takes it for gone.
    pub fn close_socket(&mut self, peer: PeerKey) {
        for _ in 0..CLOSED_SOCKET_TICKS {
            self.hint_unreachable(self.shard_of(peer.endpoint, peer.address), peer);
            self.tick();
        }
    }

    /// Every shard does what is due.
    pub fn advance(&mut self) {
        for number in 0..self.shards.len() {
            self.with_shard(ShardId(number as u8), |core, now| core.advance(now));
        }
    }

    pub fn lobbies(&self) -> Vec<LobbyView> {
        let mut lobbies: Vec<LobbyView> = self.shards.iter().flat_map(Core::lobbies).collect();
        lobbies.sort_by_key(|lobby| lobby.number);
        lobbies
    }

    pub fn counters(&self) -> Counters {
        let mut sum = Counters::default();
        self.shards.iter().for_each(|core| sum += core.counters());
        sum
    }

    pub fn join(&mut self, dialect: Dialect, lobby: Option<String>) -> ClientId {
        let id = ClientId(self.clients.len());
        let plan = Plan { name: "Ann".into(), lobby, ..Plan::at(self.now) };
        let session = dialect.connect(plan);
        let port = dialect.entry().port;
        self.clients.push(Client { session, dialect, port, is_dead: false, frame: game::Frame::default() });
        if !matches!(dialect.entry().stream, StreamUse::None) {
            let stream = StreamId(id.0 as u64);
            self.with_core(|core, now| core.stream_opened(now, PeerKey::at_door(dialect, id.address()), stream));
        }
        id
    }

    /// It after a minute of coming and going, and the lobbies that are left.
    pub fn churned(mut self) -> (Simulation, Vec<LobbyView>) {
        self.churn();
        let lobbies = self.lobbies();
        (self, lobbies)
    }

    /// A minute of twenty players of all dialects who come and go on a network that loses, repeats and delays.
    fn churn(&mut self) {
        for round in 0..4 {
            for dialect in Dialect::with_ports() {
                self.join(dialect, None);
                self.run(1);
            }
            self.network.conditions =
                Conditions::PERFECT.delay_ms(20 * round).shuffle_ms(30).loss_percent(5 * round).duplicate_percent(5);
            self.run(8);
            // One goes with a word, one without.
            let first = round as usize * Dialect::with_ports().count();
            self.clients[first].session.leave(self.now);
            self.run(1);
            self.clients[first].is_dead = true;
            self.clients[first + 2].is_dead = true;
        }
        self.network.conditions = Conditions::PERFECT;
        self.run(3);
    }

    pub fn run(&mut self, seconds: u64) {
        for _ in 0..seconds * 60 {
            self.tick();
        }
    }

    pub fn tick(&mut self) {
        self.now = self.now + TICK;
        for packet in self.network.due_to_node(self.now) {
            if linked::index(StreamId(packet.client.0 as u64)).is_some() {
                self.link_packet(&packet);
                continue;
            }
            let from = packet.client.address();
            let stream = StreamId(packet.client.0 as u64);
            match packet.channel {
                Channel::Stream => self.with_core(|core, now| core.stream_bytes(now, stream, &packet.bytes)),
                Channel::Datagram => {
                    let Some(at) = self.endpoint(packet.port) else { continue };
                    self.datagram(at, from, &packet.bytes);
                }
            }
        }
        self.deliver();
        self.advance();
        self.deliver();
        self.tell_clients();
        for index in 0..self.clients.len() {
            self.drive(ClientId(index));
        }
        for index in 0..self.links.len() {
            self.drive_link(index);
        }
    }

    /// Delivers what the network has for clients.
    fn tell_clients(&mut self) {
        for packet in self.network.due_to_clients(self.now) {
            // Somebody whom a test plays by hand.
            if self.clients.len() <= packet.client.0 && linked::index(StreamId(packet.client.0 as u64)).is_none() {
                continue;
            }
            if let Some(index) = linked::index(StreamId(packet.client.0 as u64)) {
                self.tell_link(index, &packet);
                continue;
            }
            let client = &mut self.clients[packet.client.0];
            if !client.is_dead {
                let received = client.session.receive(self.now, packet.channel, &packet.bytes);
                assert_eq!(received, Ok(()), "{}: our own server is malformed", client.dialect.name());
            }
        }
    }

    fn endpoint(&self, port: u16) -> Option<Endpoint> {
        let door = Dialect::ALL.into_iter().find(|dialect| dialect.entry().port == port).map(Endpoint::Door);
        door.or_else(|| self.ports.contains_key(&port).then_some(Endpoint::Lobby(Dialect::Rfc2020, port)))
    }

    fn drive(&mut self, id: ClientId) {
        let input = self.keys(id.0);
        let client = &mut self.clients[id.0];
        if client.is_dead {
            return;
        }
        client.session.advance(self.now);
        client.session.press(self.now, input);
        let mut buffer = Vec::new();
        while let Some(output) = client.session.poll(self.now, &mut buffer) {
            match output {
                Output::Datagram => self.network.send_to_node(self.now, id, client.port, Channel::Datagram, &buffer),
                Output::Stream => self.network.send_to_node(self.now, id, 0, Channel::Stream, &buffer),
                Output::CloseStream => {}
                Output::DatagramsTo(port) => client.port = port,
            }
        }
        client.session.take_frame(&mut client.frame);
    }

    pub fn players(&self) -> usize {
        self.lobbies().iter().map(|lobby| lobby.players.len()).sum()
    }
}
