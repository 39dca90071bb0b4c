//! A whole node under a seed, in one thread: clients of every dialect, a bad network, and a virtual clock.

#[path = "../../protocol/tests/simulation/network.rs"]
mod network;

use std::{
    collections::{BTreeMap, BTreeSet},
    net::SocketAddr,
    time::Duration,
};

use game::{Buttons, Input, Rules, Stage};
use network::{Conditions, Network};
use protocol::{Channel, ClientSession, Dialect, Output, Plan, Scale, Status, StreamUse, Time, amplification::Budget};
use server::core::{Core, Endpoint, LobbyView, Outbox, Settings, StreamId};

const START: Time = Time::from_micros(1_700_000_000_000_000);
const TICK: Duration = Duration::from_micros(16_667);

/// The name of a client, from which its address and its stream follow.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct ClientId(pub usize);

impl ClientId {
    fn address(self) -> SocketAddr {
        SocketAddr::from(([127, 0, 0, 1], 10_000 + self.0 as u16))
    }
}

struct Client {
    session: Box<dyn ClientSession>,
    dialect: Dialect,
    port: u16,
    is_dead: bool,
    frame: game::Frame,
}

/// What leaves the core goes into the network.
struct Wires<'n> {
    now: Time,
    network: &'n mut Network,
    ports: &'n mut BTreeSet<u16>,
    closed: &'n mut Vec<StreamId>,
}

impl Outbox for Wires<'_> {
    fn datagram(&mut self, from: Endpoint, to: SocketAddr, bytes: &[u8]) {
        let port = match from {
            Endpoint::Door(dialect) => dialect.door().port,
            Endpoint::Lobby(_, port) => port,
        };
        let client = ClientId(usize::from(to.port() - 10_000));
        self.network.send_to_client(self.now, client, port, Channel::Datagram, bytes);
    }

    fn stream(&mut self, stream: StreamId, bytes: &[u8]) {
        self.network.send_to_client(self.now, ClientId(stream.0 as usize), 0, Channel::Stream, bytes);
    }

    fn close(&mut self, stream: StreamId) {
        self.closed.push(stream);
        // The end of a stream is an empty piece of it.
        self.network.send_to_client(self.now, ClientId(stream.0 as usize), 0, Channel::Stream, &[]);
    }

    fn listen(&mut self, _dialect: Dialect, port: u16) -> bool {
        self.ports.insert(port)
    }

    fn unlisten(&mut self, port: u16) {
        self.ports.remove(&port);
    }
}

struct Simulation {
    now: Time,
    core: Core,
    network: Network,
    ports: BTreeSet<u16>,
    closed: Vec<StreamId>,
    clients: Vec<Client>,
}

impl Simulation {
    fn new(seed: u64, lobbies_max: usize) -> Simulation {
        let stages: Vec<_> = ["endless", "stage1"].iter().filter_map(|name| Stage::built_in(name)).collect();
        let settings = Settings {
            stage: stages[0].clone(),
            stages,
            rules: Rules::default(),
            lobbies_max,
            lobby_ports: 42_500..=42_999,
            scale: Scale::default(),
            open_unproved: false,
            unproved_bytes_per_second: Budget::DEFAULT_BYTES_PER_SECOND,
            seed,
        };
        let core = Core::new(START, settings);
        let network = Network::new(seed);
        Simulation { now: START, core, network, ports: BTreeSet::new(), closed: Vec::new(), clients: Vec::new() }
    }

    fn with_core(&mut self, act: impl FnOnce(&mut Core, Time, &mut dyn Outbox)) {
        let Simulation { now, core, network, ports, closed, .. } = self;
        act(core, *now, &mut Wires { now: *now, network, ports, closed });
    }

    fn join(&mut self, dialect: Dialect, lobby: Option<String>) -> ClientId {
        let id = ClientId(self.clients.len());
        let plan = Plan { now: self.now, name: "Ann".into(), lobby, stage: "endless".into(), scale: Scale::default() };
        let session = dialect.connect(plan);
        let port = dialect.door().port;
        self.clients.push(Client { session, dialect, port, is_dead: false, frame: game::Frame::default() });
        if !matches!(dialect.door().stream, StreamUse::None) {
            let stream = StreamId(id.0 as u64);
            self.with_core(|core, now, out| core.stream_opened(now, stream, dialect, id.address(), out));
        }
        id
    }

    fn run(&mut self, seconds: u64) {
        for _ in 0..seconds * 60 {
            self.tick();
        }
    }

    fn tick(&mut self) {
        self.now = self.now + TICK;
        for packet in self.network.due_to_node(self.now) {
            let from = packet.client.address();
            let stream = StreamId(packet.client.0 as u64);
            match packet.channel {
                Channel::Stream => self.with_core(|core, now, out| core.stream_bytes(now, stream, &packet.bytes, out)),
                Channel::Datagram => {
                    let Some(at) = self.endpoint(packet.port) else { continue };
                    self.with_core(|core, now, out| core.datagram(now, at, from, &packet.bytes, out));
                }
            }
        }
        self.with_core(|core, now, out| core.advance(now, out));
        for packet in self.network.due_to_clients(self.now) {
            let client = &mut self.clients[packet.client.0];
            if !client.is_dead {
                let received = client.session.receive(self.now, packet.channel, &packet.bytes);
                assert_eq!(received, Ok(()), "{}: our own server is malformed", client.dialect.name());
            }
        }
        for index in 0..self.clients.len() {
            self.drive(ClientId(index));
        }
    }

    fn endpoint(&self, port: u16) -> Option<Endpoint> {
        let door = Dialect::ALL.into_iter().find(|dialect| dialect.door().port == port).map(Endpoint::Door);
        door.or_else(|| self.ports.contains(&port).then_some(Endpoint::Lobby(Dialect::Rfc2020, port)))
    }

    fn drive(&mut self, id: ClientId) {
        let client = &mut self.clients[id.0];
        if client.is_dead {
            return;
        }
        client.session.advance(self.now);
        let wanders = [Buttons::UP, Buttons::RIGHT | Buttons::FIRE, Buttons::DOWN, Buttons::LEFT];
        let turn = self.now.since(START).as_millis() as usize / 400 + id.0;
        client.session.press(self.now, Input::holding(wanders[turn % wanders.len()]));
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

    fn players(&self) -> usize {
        self.core.lobbies().iter().map(|lobby| lobby.players.len()).sum()
    }

    fn alive(&self) -> usize {
        self.clients.iter().filter(|client| !client.is_dead).count()
    }
}

/// A minute of twenty players of all dialects who come and go on a network that loses, repeats and delays.
fn churn(seed: u64) -> (Simulation, Vec<LobbyView>) {
    let mut sim = Simulation::new(seed, 100);
    for round in 0..4 {
        for dialect in Dialect::WITH_PORTS {
            sim.join(dialect, None);
            sim.run(1);
        }
        sim.network.conditions =
            Conditions { loss_percent: 5 * round, duplicate_percent: 5, delay_ms: 20 * round, jitter_ms: 30 };
        sim.run(8);
        // One goes with a word, one without.
        let leaver = &mut sim.clients[round as usize * 5];
        leaver.session.leave(sim.now);
        sim.run(1);
        sim.clients[round as usize * 5].is_dead = true;
        sim.clients[round as usize * 5 + 2].is_dead = true;
    }
    sim.network.conditions = Conditions::default();
    sim.run(3);
    let lobbies = sim.core.lobbies();
    (sim, lobbies)
}

#[test]
fn a_minute_of_loss_and_churn_with_twenty_clients_of_all_dialects() {
    for seed in 1..4 {
        let (sim, lobbies) = churn(seed);
        for client in sim.clients.iter().filter(|client| !client.is_dead) {
            assert_eq!(client.session.status(), Status::Playing, "seed {seed}: {}", client.dialect.name());
        }
        let seated: BTreeMap<&str, usize> =
            lobbies.iter().flat_map(|lobby| &lobby.players).fold(BTreeMap::new(), |mut seated, player| {
                *seated.entry(player.dialect.name()).or_default() += 1;
                seated
            });
        for dialect in [Dialect::Aecs, Dialect::Rfc2020, Dialect::Rfc53952] {
            let alive = sim.clients.iter().filter(|client| client.dialect == dialect && !client.is_dead).count();
            assert_eq!(seated.get(dialect.name()).copied().unwrap_or(0), alive, "seed {seed}: {}", dialect.name());
        }
        assert!(lobbies.iter().all(|lobby| lobby.players.len() <= 4));
    }
}

#[test]
fn the_same_seed_gives_the_same_node() {
    let ((_, first), (_, second), (_, other)) = (churn(7), churn(7), churn(8));
    assert_eq!(first, second);
    assert_ne!(first, other);
}

#[test]
fn an_empty_lobby_is_closed_and_its_port_is_free_again() {
    let mut sim = Simulation::new(1, 10);
    let ann = sim.join(Dialect::Rfc2020, None);
    sim.run(3);
    assert_eq!((sim.players(), sim.ports.len()), (1, 1));
    sim.clients[ann.0].is_dead = true;
    sim.run(10);
    assert_eq!((sim.players(), sim.core.lobbies().len()), (0, 1), "it waits half a minute");
    sim.run(30);
    assert_eq!((sim.core.lobbies().len(), sim.ports.len()), (0, 0));
}

#[test]
fn a2_an_address_that_a_nat_changed_claims_the_oldest_unclaimed_session_after_a_second() {
    let mut sim = Simulation::new(2, 10);
    let ann = sim.join(Dialect::Aecs, None);
    let at = Endpoint::Door(Dialect::Aecs);
    let changed = SocketAddr::from(([127, 0, 0, 1], 10_500));
    let ping = [1, 0, 1];
    sim.clients[ann.0].is_dead = true;
    sim.with_core(|core, now, out| core.datagram(now, at, changed, &ping, out));
    assert_eq!(sim.network.due_to_clients(sim.now + Duration::from_secs(1)).len(), 0, "too early to claim");
    sim.now = sim.now + Duration::from_millis(1_100);
    sim.with_core(|core, now, out| core.advance(now, out));
    sim.with_core(|core, now, out| core.datagram(now, at, changed, &ping, out));
    let answers = sim.network.due_to_clients(sim.now);
    let pong = answers.iter().find(|packet| packet.bytes == [1, 0, 0x82]);
    assert_eq!(pong.map(|packet| packet.client), Some(ClientId(500)), "{answers:?}");
}

#[test]
fn c5_a_lobby_port_answers_nobody_who_was_not_at_the_desk() {
    let mut sim = Simulation::new(3, 10);
    sim.join(Dialect::Rfc2020, None);
    sim.run(2);
    let port = *sim.ports.first().expect("a lobby's port");
    let stranger = SocketAddr::from(([127, 0, 0, 9], 10_700));
    // JOIN: TYPE 0, METHOD 12, an empty body, a timestamp.
    let mut join = vec![12];
    join.extend([0; 8]);
    join.extend(1_700_000_000_000_000u64.to_be_bytes());
    let before = sim.core.counters().dialects[&Dialect::Rfc2020].datagrams_out;
    let at = Endpoint::Lobby(Dialect::Rfc2020, port);
    sim.with_core(|core, now, out| core.datagram(now, at, stranger, &join, out));
    assert_eq!(sim.core.counters().dialects[&Dialect::Rfc2020].datagrams_out, before);
    assert_eq!(sim.players(), 1);
}

#[test]
fn r2_a_late_repeat_of_an_old_join_seats_nobody_and_a_repeated_leave_is_confirmed() {
    let mut sim = Simulation::new(9, 10);
    sim.join(Dialect::Rfc2020, None);
    sim.run(2);
    let at = Endpoint::Lobby(Dialect::Rfc2020, *sim.ports.first().expect("a lobby's port"));
    let from = ClientId(300).address();
    let request = |method: u8, body: &[u8]| {
        [&[method][..], &(body.len() as u64).to_be_bytes(), &1_700_000_000_000_000u64.to_be_bytes(), body].concat()
    };
    let (join, leave) = (request(12, &[]), request(13, &1u64.to_be_bytes()));
    sim.with_core(|core, now, out| core.datagram(now, at, from, &join, out));
    // A few ticks of the node alone: the newcomer is played by hand.
    for _ in 0..3 {
        sim.now = sim.now + TICK;
        sim.with_core(|core, now, out| core.advance(now, out));
    }
    assert_eq!(sim.players(), 2);
    for _ in 0..2 {
        sim.network.due_to_clients(sim.now + Duration::from_secs(9));
        sim.with_core(|core, now, out| core.datagram(now, at, from, &leave, out));
        let answers = sim.network.due_to_clients(sim.now + Duration::from_secs(9));
        assert!(answers.iter().any(|packet| packet.bytes[0] == 0x4d), "LEAVE is confirmed, each time");
        sim.now = sim.now + TICK;
        sim.with_core(|core, now, out| core.advance(now, out));
    }
    sim.with_core(|core, now, out| core.datagram(now, at, from, &join, out));
    assert_eq!(sim.players(), 1, "the host only");
}

#[test]
fn who_makes_a_lobby_finds_a_seat_in_it_however_many_come_first() {
    let mut sim = Simulation::new(12, 10);
    let maker = sim.join(Dialect::Rfc2020, None);
    // The lobby is made, but the first JOIN of its maker is lost, and the others are quicker.
    sim.network.conditions = Conditions { loss_percent: 100, ..Conditions::default() };
    (0..3).for_each(|_| sim.tick());
    assert_eq!(sim.core.lobbies().len(), 1);
    sim.network.conditions = Conditions::default();
    for _ in 0..5 {
        sim.join(Dialect::Snapshot, None);
    }
    sim.run(2);
    assert_eq!(sim.clients[maker.0].session.status(), Status::Playing);
    let seats: Vec<usize> = sim.core.lobbies().iter().map(|lobby| lobby.players.len()).collect();
    assert_eq!(seats, [4, 2]);
}

#[test]
fn r5_a_lobby_without_a_port_is_not_created() {
    let mut sim = Simulation::new(10, 10);
    sim.ports.extend(42_500..=42_999);
    sim.join(Dialect::Rfc2020, None);
    sim.run(2);
    assert_eq!(sim.core.lobbies(), []);
}

#[test]
fn a2_noise_claims_no_session() {
    let mut sim = Simulation::new(11, 10);
    let ann = sim.join(Dialect::Aecs, None);
    sim.clients[ann.0].is_dead = true;
    sim.now = sim.now + Duration::from_millis(1_500);
    let at = Endpoint::Door(Dialect::Aecs);
    let (noisy, true_one) = (ClientId(501).address(), ClientId(502).address());
    sim.with_core(|core, now, out| core.datagram(now, at, noisy, b"zz", out));
    sim.with_core(|core, now, out| core.datagram(now, at, true_one, &[1, 0, 1], out));
    let answered: Vec<ClientId> = sim.network.due_to_clients(sim.now).iter().map(|packet| packet.client).collect();
    assert_eq!(answered, [ClientId(502)]);
}

#[test]
fn c5_public_addresses_are_not_served_where_nothing_proves_them() {
    let mut sim = Simulation::new(4, 10);
    let public = SocketAddr::from(([203, 0, 113, 5], 10_800));
    for dialect in [Dialect::Typeuh, Dialect::Snapshot, Dialect::Rfc53952] {
        let at = Endpoint::Door(dialect);
        sim.with_core(|core, now, out| core.datagram(now, at, public, b"\x02\0\0\0\0\0\0Ann", out));
    }
    assert_eq!((sim.players(), sim.network.sent), (0, 0));
}

#[test]
fn c1_a_full_node_opens_no_more_lobbies() {
    let mut sim = Simulation::new(5, 1);
    for _ in 0..6 {
        sim.join(Dialect::Snapshot, None);
    }
    sim.run(3);
    assert_eq!((sim.players(), sim.core.lobbies().len(), sim.alive()), (4, 1, 6));
}

#[test]
fn a_goodbye_that_comes_again_is_answered_again() {
    let mut sim = Simulation::new(6, 10);
    let ann = sim.join(Dialect::Rfc53952, None);
    sim.run(3);
    assert_eq!(sim.players(), 1);
    sim.clients[ann.0].is_dead = true;
    // AdiosServer: Length 15, Type 3, Timestamp 5, Datasize 0.
    let adios = [15, 0, 0, 0, 3, 5, 0, 0, 0, 0, 0, 0, 0, 0, 0];
    let at = Endpoint::Door(Dialect::Rfc53952);
    for said in 0..3 {
        sim.network.due_to_clients(sim.now + Duration::from_secs(9));
        sim.with_core(|core, now, out| core.datagram(now, at, ann.address(), &adios, out));
        let answers = sim.network.due_to_clients(sim.now + Duration::from_secs(9));
        let validated = answers.iter().any(|packet| packet.bytes.get(4) == Some(&10));
        assert!(validated, "said {said} times before");
        sim.run(1);
    }
    assert_eq!(sim.players(), 0);
}
