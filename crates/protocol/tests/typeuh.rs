//! The rulings of `typeuh`, on bytes as a foreign peer would see them. Whole games are in `typeuh_games.rs`.

use std::time::Duration;

use game::{
    Attached, Buttons, Entity, EntityId, Event, Frame, GameState, Gone, Input, Kind, Seat, Side, Tick, Vec2, px,
};
use protocol::amplification::Proof;
use protocol::typeuh::DOOR;
use protocol::typeuh::component::{Component, ComponentName, ComponentTable};
use protocol::typeuh::wire::{DATAGRAM_MAX_BYTES, Instruction, Instructions, write_own_initialisation};
use protocol::{
    Channel, ClientSession, End, Malformed, Output, Plan, Scale, Scene, ServerSession, Status, Time, Welcome,
};

const START: Time = Time::from_micros(1_700_000_000_000_000);
const TICK: Duration = Duration::from_micros(16_667);
const MS: Duration = Duration::from_millis(1);

fn initialisation() -> Vec<u8> {
    let mut out = Vec::new();
    write_own_initialisation(&mut out);
    out
}

fn read(datagrams: &[Vec<u8>]) -> Vec<Instruction> {
    let table = ComponentTable::own();
    let all = datagrams.iter().flat_map(|datagram| Instructions::read(datagram, &table));
    all.collect::<Result<_, _>>().expect("whole instructions that we know (T3)")
}

fn create(entity_id: u16) -> Instruction {
    Instruction::CreateEntity { entity_id }
}

fn delete(entity_id: u16) -> Instruction {
    Instruction::DeleteEntity { entity_id }
}

fn attach(entity_id: u16, name: ComponentName) -> Instruction {
    Instruction::AttachComponent { entity_id, component_id: name.own_id() }
}

fn detach(entity_id: u16, name: ComponentName) -> Instruction {
    Instruction::DetachComponent { entity_id, component_id: name.own_id() }
}

fn bytes(instructions: &[Instruction]) -> Vec<u8> {
    let mut out = Vec::new();
    instructions.iter().for_each(|instruction| instruction.write(&mut out));
    out
}

fn ship(id: u32, seat: usize) -> Entity {
    let (health, health_max) = (1, 1);
    let seat = Some(Seat::ALL[seat]);
    Entity { health, health_max, seat, lives: 3, ..Entity::new(EntityId(id), Kind::Player, Vec2::new(px(40), px(135))) }
}

fn shot(id: u32) -> Entity {
    Entity::new(EntityId(id), Kind::Pellet, Vec2::new(px(100), px(50)))
}

/// A server's half in seat 0, and the scene that it is shown.
struct Server {
    session: Box<dyn ServerSession>,
    scene: Scene,
    now: Time,
}

impl Server {
    fn new() -> Server {
        let welcome = Welcome { seat: Seat::ALL[0], now: START, started: START, scale: Scale::default() };
        Server { session: (DOOR.accept)(welcome), scene: Scene::new("endless"), now: START }
    }

    /// One that has said its initialisation and all of these.
    fn showing(entities: &[Entity]) -> Server {
        let mut server = Server::new();
        server.scene.frame.entities = entities.to_vec();
        server.tick();
        server
    }

    fn receive(&mut self, bytes: &[u8]) -> Result<(), Malformed> {
        self.session.receive(self.now, Channel::Datagram, bytes)
    }

    fn poll(&mut self) -> Vec<Vec<u8>> {
        let (mut datagrams, mut buffer) = (Vec::new(), Vec::new());
        while let Some(output) = self.session.poll(self.now, &mut buffer) {
            assert_eq!(output, Output::Datagram);
            datagrams.push(buffer.clone());
        }
        datagrams
    }

    fn tick(&mut self) -> Vec<Vec<u8>> {
        self.now = self.now + TICK;
        self.session.advance(self.now);
        self.scene.frame.tick.0 += 1;
        self.scene.update(self.now);
        self.session.publish(self.now, &self.scene);
        self.poll()
    }

    /// What is said in each of so many ticks, with the time since now.
    fn ticks(&mut self, count: usize) -> Vec<(Duration, Vec<Instruction>)> {
        let start = self.now;
        (0..count).map(|_| (read(&self.tick()), self.now.since(start))).map(|(said, at)| (at, said)).collect()
    }
}

/// A client's half with its own clock.
struct Client {
    session: Box<dyn ClientSession>,
    now: Time,
}

impl Client {
    fn new() -> Client {
        let (name, stage) = (String::new(), String::new());
        let plan = Plan { now: START, name, lobby: None, stage, scale: Scale::default() };
        Client { session: (DOOR.connect)(plan), now: START }
    }

    fn playing() -> Client {
        let mut client = Client::new();
        client.poll();
        client.hear(&initialisation());
        client
    }

    fn hear(&mut self, bytes: &[u8]) {
        assert_eq!(self.receive(bytes), Ok(()));
    }

    fn receive(&mut self, bytes: &[u8]) -> Result<(), Malformed> {
        self.session.receive(self.now, Channel::Datagram, bytes)
    }

    fn told(&mut self, instructions: &[Instruction]) {
        self.hear(&bytes(instructions));
    }

    fn wait(&mut self, duration: Duration) {
        self.now = self.now + duration;
        self.session.advance(self.now);
    }

    fn poll(&mut self) -> Vec<Vec<u8>> {
        let (mut datagrams, mut buffer) = (Vec::new(), Vec::new());
        while let Some(output) = self.session.poll(self.now, &mut buffer) {
            assert_eq!(output, Output::Datagram);
            datagrams.push(buffer.clone());
        }
        datagrams
    }

    fn frame(&mut self) -> Frame {
        let mut frame = Frame::default();
        self.session.take_frame(&mut frame);
        frame
    }
}

/// A drone of that id at (100, 50).
fn drone(id: u16) -> [Instruction; 3] {
    let position = Component::Position { x: 400.0, y: 200.0 };
    [create(id), Instruction::update(id, Component::Kind(30)), Instruction::update(id, position)]
}

// ---- T1: there is no hello ----

#[test]
fn t1_any_datagram_opens_a_session_and_a_full_node_is_silent() {
    for datagram in [&[][..], &[0], &[0xff], &[0x0c, 1, 2], &[7; 1500]] {
        let knock = (DOOR.knock)(datagram).expect("never malformed").expect("asks for a seat");
        assert_eq!(knock.name, "");
        assert!((DOOR.refuse)(protocol::Moment { now: START, started: START }, datagram).is_empty());
    }
    assert_eq!((DOOR.name, DOOR.port), ("typeuh", 4241));
}

#[test]
fn t1_a_datagram_that_opens_a_session_presses_its_keys_too() {
    let mut server = Server::new();
    server.receive(&[0]).expect("right pressed");
    assert_eq!(server.session.input(START), Input { held: Buttons::RIGHT, pressed: Buttons::RIGHT });
    assert_eq!(server.poll(), [initialisation()]);
}

#[test]
fn t1_a_hello_brings_the_initialisation_and_the_whole_state_again() {
    let mut server = Server::showing(&[ship(5, 0), shot(9)]);
    server.now = server.now + 250 * MS;
    server.receive(&[]).expect("a hello");
    let said = server.tick();
    assert_eq!(said[0], initialisation());
    let whole = read(&said[1..]);
    for id in 0..=2 {
        assert!(whole.contains(&create(id)), "{id}");
    }
    assert!(whole.contains(&attach(1, ComponentName::Own)));
    assert!(whole.contains(&attach(2, ComponentName::Kind)), "as at first sight: it may be a new program");
}

#[test]
fn t1_a_hello_is_answered_at_most_once_per_250_ms() {
    let mut server = Server::new();
    let mut answers = Vec::new();
    for ms in 0..1000 {
        server.now = START + ms * MS;
        server.receive(&[]).expect("a hello");
        answers.extend(server.poll().into_iter().map(|datagram| (ms, datagram)));
    }
    assert_eq!(answers.iter().map(|(ms, _)| *ms).collect::<Vec<_>>(), [0, 250, 500, 750]);
    assert!(answers.iter().all(|(_, datagram)| *datagram == initialisation()), "T2: the same throughout");
}

#[test]
fn t1_the_client_repeats_its_hello_every_500_ms_until_it_has_an_initialisation() {
    let mut client = Client::new();
    let mut hellos = Vec::new();
    for ms in 0..2_000 {
        client.session.press(client.now, Input::holding(Buttons::RIGHT));
        for datagram in client.poll() {
            assert!(datagram.is_empty(), "nothing but hellos");
            hellos.push(ms);
        }
        if ms == 1_600 {
            assert_eq!(client.session.status(), Status::Opening);
            client.hear(&initialisation());
            break;
        }
        client.wait(MS);
    }
    assert_eq!(hellos, [0, 500, 1000, 1500]);
    assert_eq!(client.session.status(), Status::Playing);
    client.session.press(client.now, Input::holding(Buttons::RIGHT));
    assert_eq!(client.poll(), [[0]], "what is held is said as soon as it can be");
}

#[test]
fn t1_a_client_that_nobody_answers_gives_up() {
    let mut client = Client::new();
    client.wait(9_999 * MS);
    assert_eq!(client.session.status(), Status::Opening);
    client.wait(MS);
    assert_eq!(client.session.status(), Status::Ended(End::TimedOut));
    assert!(client.poll().is_empty());
}

// ---- T2: the initialisation ----

#[test]
fn t2_the_initialisation_is_one_datagram_and_nothing_precedes_it() {
    let mut server = Server::new();
    server.scene.frame.entities = vec![ship(5, 0)];
    let said = server.tick();
    assert_eq!(said[0], initialisation());
    assert!(said.len() == 2 && said[0].len() <= DATAGRAM_MAX_BYTES);
    read(&said[1..]);
}

#[test]
fn t2_a_client_refuses_what_is_not_quite_an_initialisation() {
    let good = initialisation();
    let mut wrong_end = good.clone();
    *wrong_end.last_mut().expect("not empty") = 0;
    let mut wrong_count = good.clone();
    wrong_count[1] += 1;
    let mut wrong_letter = good.clone();
    wrong_letter[3] = b' ';
    let longer = [&good[..], &[0]].concat();
    for bad in [wrong_end, wrong_count, wrong_letter, longer, good[..good.len() - 1].to_vec()] {
        let mut client = Client::new();
        client.hear(&bad);
        assert_eq!(client.session.status(), Status::Opening, "{bad:?}");
        client.hear(&good);
        assert_eq!(client.session.status(), Status::Playing);
    }
}

#[test]
fn t2_an_initialisation_may_come_at_any_time_and_in_another_order() {
    let mut client = Client::playing();
    client.told(&drone(7));
    client.hear(&initialisation());
    assert_eq!(client.frame().entities.len(), 1, "the same again changes nothing");
    // Another server, with components of its own.
    client.hear(b"\x00\x03\x08Kind\0\0\0\0Hitbox\0\0Position\xff\xff");
    assert_eq!(client.frame().entities.len(), 0);
    client.hear(&[0, 0, 1, 3, 0, 1, 0, 0, 0, 30, 3, 0, 1, 0, 2, 0x42, 0, 0, 0, 0x42, 0, 0, 0]);
    assert_eq!(client.frame().entities, [Entity::new(EntityId(1), Kind::Drone, Vec2::new(px(8), px(8)))]);
    assert_eq!(client.receive(&[3, 0, 1, 0, 1, 9, 9]), Err(Malformed::UnknownType), "a Hitbox of unknown size");
}

#[test]
fn t2_an_initialisation_that_nobody_asked_for_begins_another_session() {
    let mut client = Client::playing();
    for (after_ms, entities) in [(999u32, 1), (999, 1), (1000, 0)] {
        client.wait(after_ms * MS);
        client.told(&drone(7));
        client.hear(&initialisation());
        assert_eq!(client.frame().entities.len(), entities);
    }
}

// ---- T3: whole instructions ----

#[test]
fn t3_what_precedes_a_bad_byte_is_carried_out_and_the_rest_dropped() {
    let mut server = Server::new();
    assert_eq!(server.receive(&[0, 12, 2]), Err(Malformed::UnknownType));
    assert_eq!(server.session.input(START).held, Buttons::RIGHT);
    let mut client = Client::playing();
    let mixed = [bytes(&drone(1)), vec![9], bytes(&drone(2))].concat();
    assert_eq!(client.receive(&mixed), Err(Malformed::UnknownType));
    let short = [bytes(&drone(3)), vec![0, 0]].concat();
    assert_eq!(client.receive(&short), Err(Malformed::Short));
    assert_eq!(client.frame().entities.iter().map(|entity| entity.id.0).collect::<Vec<_>>(), [1, 3]);
}

#[test]
fn c2_t3_a_crowd_is_said_in_datagrams_of_whole_instructions_below_the_limit() {
    let crowd: Vec<Entity> = (1..=300).map(shot).collect();
    let mut server = Server::new();
    server.scene.frame.entities = crowd;
    let said = server.tick();
    assert!(said.len() > 10);
    for datagram in &said[1..] {
        assert!(datagram.len() <= DATAGRAM_MAX_BYTES, "{}", datagram.len());
        read(std::slice::from_ref(datagram));
    }
    for _ in 0..120 {
        server.scene.frame.entities.iter_mut().for_each(|entity| entity.position.x += 1);
        let said = server.tick();
        assert!(said.len() <= 5, "300 positions of 13 bytes, and a fifty-fourth of all: {}", said.len());
        assert!(said.iter().all(|datagram| datagram.len() <= DATAGRAM_MAX_BYTES));
    }
}

// ---- T4: components ----

#[test]
fn t4_every_entity_carries_its_components() {
    let own = Entity { velocity: Vec2::new(256, -128), animation: 4, charge: 200, ..ship(5, 0) };
    let other = ship(6, 2);
    let force = Entity {
        seat: Some(Seat::ALL[2]),
        attached: Some(Attached { to: EntityId(6), side: Side::Back }),
        ..Entity::new(EntityId(70_000), Kind::Force, Vec2::new(px(1) + 64, -px(1)))
    };
    let foe = Entity { health: 3, health_max: 300, ..Entity::new(EntityId(70_001), Kind::Gunship, Vec2::ZERO) };
    let mut server = Server::new();
    server.scene.frame = Frame {
        tick: Tick(1),
        state: GameState::Running,
        stage: 3,
        score: 0x0102_0304,
        entities: vec![own, other, force, foe],
        ..Frame::default()
    };
    let said = server.tick();
    let expected: &[(u16, &[Component])] = &[
        (0, &[Component::Score(0x0102_0304), Component::Game { state: 1, stage: 3 }]),
        (
            1,
            &[
                Component::Position { x: 160.0, y: 540.0 },
                Component::Velocity { x: 240.0, y: -120.0 },
                Component::Kind(1),
                Component::Health { now: 1, max: 1 },
                Component::Animation(4),
                Component::Player { seat: 0 },
                Component::Charge(200),
                Component::Lives(3),
                Component::Own,
            ],
        ),
        (
            2,
            &[
                Component::Position { x: 160.0, y: 540.0 },
                Component::Velocity { x: 0.0, y: 0.0 },
                Component::Kind(1),
                Component::Health { now: 1, max: 1 },
                Component::Animation(0),
                Component::Player { seat: 2 },
                Component::Charge(0),
                Component::Lives(3),
            ],
        ),
        (
            3,
            &[
                Component::Position { x: 5.0, y: -4.0 },
                Component::Velocity { x: 0.0, y: 0.0 },
                Component::Kind(2),
                Component::Animation(0),
                Component::Player { seat: 2 },
                Component::Attached { entity: 2, side: 1 },
            ],
        ),
        (
            4,
            &[
                Component::Position { x: 0.0, y: 0.0 },
                Component::Velocity { x: 0.0, y: 0.0 },
                Component::Kind(43),
                Component::Health { now: 3, max: 300 },
                Component::Animation(0),
            ],
        ),
    ];
    let mut instructions = Vec::new();
    for &(id, components) in expected {
        instructions.push(create(id));
        for &component in components {
            instructions.extend([attach(id, component.name()), Instruction::update(id, component)]);
        }
    }
    assert_eq!(read(&said[1..]), instructions);
}

#[test]
fn t4_the_client_rebuilds_what_components_say() {
    let mut client = Client::playing();
    let update = Instruction::update;
    client.told(&[
        create(0),
        update(0, Component::Score(77)),
        update(0, Component::Game { state: 1, stage: 2 }),
        create(9),
        update(9, Component::Position { x: 160.0, y: 540.0 }),
        update(9, Component::Velocity { x: 240.0, y: -120.0 }),
        update(9, Component::Kind(1)),
        update(9, Component::Health { now: 1, max: 2 }),
        update(9, Component::Animation(5)),
        update(9, Component::Charge(3)),
        update(9, Component::Lives(4)),
        attach(9, ComponentName::Own),
        update(9, Component::Player { seat: 2 }),
    ]);
    let frame = client.frame();
    assert_eq!((frame.score, frame.state, frame.stage), (77, GameState::Running, 2));
    let seen = Entity {
        velocity: Vec2::new(256, -128),
        health: 1,
        health_max: 2,
        animation: 5,
        charge: 3,
        lives: 4,
        ..ship(9, 2)
    };
    assert_eq!(frame.entities, [seen]);
    assert!(frame.events.contains(&Event::StateChanged { state: GameState::Running }));
    assert_eq!(client.session.seat(), Some(Seat::ALL[2]));
    assert_eq!(frame.players[2].map(|player| (player.ship, player.lives)), Some((Some(EntityId(9)), 4)));
    client.told(&[delete(9)]);
    let frame = client.frame();
    assert_eq!(frame.players[2].map(|player| (player.ship, player.lives)), Some((None, 4)), "waits for a new ship");
    assert_eq!(client.session.seat(), Some(Seat::ALL[2]));
}

#[test]
fn t4_only_the_ship_with_own_tells_the_own_seat() {
    let seat = |seat| Instruction::update(1, Component::Player { seat });
    let mut client = Client::playing();
    client.told(&[create(1), seat(3)]);
    assert_eq!(client.session.seat(), None, "somebody else's");
    client.told(&[Instruction::update(1, Component::Own)]);
    assert_eq!(client.session.seat(), Some(Seat::ALL[3]), "an update attaches (T5)");
    client.told(&[delete(1), create(1), seat(2)]);
    assert_eq!(client.session.seat(), Some(Seat::ALL[3]), "the id was used again");
    client.told(&[attach(1, ComponentName::Own), detach(1, ComponentName::Own), seat(0)]);
    assert_eq!(client.session.seat(), Some(Seat::ALL[2]));
    client.wait(3_100 * MS);
    client.told(&[create(1), seat(1)]);
    assert_eq!(client.session.seat(), Some(Seat::ALL[2]));
}

#[test]
fn t4_numbers_that_mean_nothing_are_left_out() {
    let mut client = Client::playing();
    let update = Instruction::update;
    client.told(&drone(1));
    client.told(&[
        update(1, Component::Player { seat: 9 }),
        update(1, Component::Attached { entity: 3, side: 2 }),
        update(1, Component::Position { x: f32::NAN, y: f32::INFINITY }),
        update(1, Component::Game { state: 200, stage: 1 }),
        create(2),
        update(2, Component::Kind(60_000)),
        update(2, Component::Position { x: 0.0, y: 0.0 }),
        create(3),
        update(3, Component::Kind(30)),
        update(4, Component::Kind(30)),
    ]);
    let frame = client.frame();
    assert_eq!(frame.state, GameState::Waiting);
    let far = Vec2::new(0, 1 << 24);
    assert_eq!(frame.entities, [Entity::new(EntityId(1), Kind::Drone, far)], "no kind, no place, never created");
}

// ---- T5: loss ----

#[test]
fn t5_only_what_changed_is_said_each_tick() {
    let mut server = Server::showing(&[ship(5, 0), shot(6)]);
    let quiet = server.ticks(2);
    assert!(quiet.iter().all(|(_, said)| said.is_empty()), "{quiet:?}");
    server.scene.frame.entities[1].position.x += px(1);
    server.scene.frame.score = 5;
    let said = read(&server.tick());
    let moved = Component::Position { x: 404.0, y: 200.0 };
    assert_eq!(said, [Instruction::update(0, Component::Score(5)), Instruction::update(2, moved)]);
}

#[test]
fn t5_every_live_entity_is_said_again_in_full_each_second_spread_evenly() {
    let crowd: Vec<Entity> = std::iter::once(ship(5, 0)).chain((6..125).map(shot)).collect();
    let mut server = Server::showing(&crowd);
    let said = server.ticks(300);
    let most =
        said.iter().map(|(_, said)| said.iter().filter(|it| matches!(it, Instruction::CreateEntity { .. })).count());
    assert!(most.max() <= Some(6), "121 entities over 54 ticks");
    for id in 0..=120 {
        let times: Vec<Duration> =
            said.iter().filter(|(_, said)| said.contains(&create(id))).map(|(at, _)| *at).collect();
        assert!(times[0] <= 1000 * MS, "{id}");
        assert!(times.windows(2).all(|pair| pair[1] - pair[0] <= 1000 * MS), "{id}: {times:?}");
        assert!((5..=6).contains(&times.len()), "{id}: {}", times.len());
    }
    let (_, own) = said.iter().find(|(_, said)| said.contains(&create(1))).expect("the ship is repaired");
    let names = [0, 1, 2, 3, 4, 5, 7, 9, 11].map(|index| ComponentName::ALL[index]);
    for name in names {
        let is_update = |it: &&Instruction| matches!(it, Instruction::UpdateComponent { entity_id: 1, component_data, .. } if component_data.name() == name);
        assert_eq!(own.iter().filter(is_update).count(), 1, "{name:?}");
    }
    assert!(own.contains(&attach(1, ComponentName::Own)), "it has no state: only Attach says it");
}

#[test]
fn t5_a_deletion_is_said_at_least_every_100_ms_for_a_second() {
    let mut server = Server::showing(&[ship(5, 0), shot(6)]);
    server.ticks(7);
    server.scene.frame.entities.pop();
    let said = server.ticks(240);
    let times: Vec<Duration> = said.iter().filter(|(_, said)| said.contains(&delete(2))).map(|(at, _)| *at).collect();
    assert_eq!(times[0], TICK, "at once");
    assert!(times.windows(2).all(|pair| pair[1] - pair[0] <= 100 * MS), "{times:?}");
    let last = times.last().expect("some");
    assert!(*last >= 1000 * MS && *last < 1100 * MS, "{last:?}");
    let created = said.iter().any(|(_, said)| said.contains(&create(2)));
    assert!(!created, "the dead are not repaired");
}

#[test]
fn t5_a_component_that_went_is_detached_at_once_and_in_every_repair() {
    let docked = Some(Attached { to: EntityId(5), side: Side::Front });
    let force =
        Entity { seat: Some(Seat::ALL[0]), attached: docked, ..Entity::new(EntityId(6), Kind::Force, Vec2::ZERO) };
    let mut server = Server::showing(&[ship(5, 0), force]);
    server.scene.frame.entities[1].attached = None;
    assert!(read(&server.tick()).contains(&detach(2, ComponentName::Attached)));
    let said = server.ticks(60);
    let repair = said.iter().find(|(_, said)| said.contains(&create(2))).expect("a repair");
    assert!(repair.1.contains(&detach(2, ComponentName::Attached)), "the first may have been lost");
    server.scene.frame.entities[1].attached = docked;
    let again = read(&server.tick());
    assert!(again.contains(&attach(2, ComponentName::Attached)));
}

#[test]
fn c4_t5_what_the_last_bearer_of_an_id_had_does_not_stick_to_the_next() {
    let mut client = Client::playing();
    let mut server = Server::showing(&[ship(5, 0), ship(6, 1)]);
    let docked = Some(Attached { to: EntityId(5), side: Side::Front });
    let force =
        Entity { seat: Some(Seat::ALL[0]), attached: docked, ..Entity::new(EntityId(7), Kind::Force, Vec2::ZERO) };
    server.scene.frame.entities.push(force);
    server.tick().iter().for_each(|datagram| client.hear(datagram));
    server.now = server.now + Duration::from_secs(1);
    server.tick().iter().for_each(|datagram| client.hear(datagram));
    assert_eq!(client.frame().entities.len(), 3);
    // Everything is lost for more than two seconds, in which the Force dies and its id is given to a pellet.
    server.scene.frame.entities.pop();
    server.ticks(125);
    server.scene.frame.entities.push(shot(8));
    server.ticks(2);
    client.wait(Duration::from_secs(2));
    for _ in 0..60 {
        server.tick().iter().for_each(|datagram| client.hear(datagram));
    }
    let seen = client.frame().entity(EntityId(3)).copied();
    assert_eq!(seen, Some(Entity { id: EntityId(3), ..shot(8) }));
}

#[test]
fn t5_a_client_forgets_what_it_has_not_heard_of_for_3_s() {
    let mut client = Client::playing();
    client.told(&[drone(1), drone(2)].concat());
    client.wait(2_000 * MS);
    client.told(&[create(2)]);
    client.wait(999 * MS);
    assert_eq!(client.frame().entities.len(), 2);
    client.wait(101 * MS);
    let frame = client.frame();
    assert_eq!(frame.entities.iter().map(|entity| entity.id.0).collect::<Vec<_>>(), [2]);
    assert_eq!(frame.events, [Event::Destroyed { entity: EntityId(1), gone: Gone::Destroyed }]);
}

#[test]
fn t5_a_repeated_instruction_is_harmless() {
    let mut client = Client::playing();
    for _ in 0..3 {
        client.told(&drone(1));
        client.told(&[attach(1, ComponentName::Position), attach(1, ComponentName::Kind)]);
    }
    let frame = client.frame();
    assert_eq!(frame.entities, [Entity::new(EntityId(1), Kind::Drone, Vec2::new(px(100), px(50)))]);
    assert_eq!(frame.events, [Event::Spawned { entity: EntityId(1) }]);
    for _ in 0..3 {
        client.told(&[delete(1), detach(1, ComponentName::Kind)]);
    }
    assert_eq!(client.frame().events.len(), 1);
}

#[test]
fn t5_a_late_datagram_does_not_revive_the_dead() {
    let mut client = Client::playing();
    client.told(&drone(1));
    client.told(&[delete(1)]);
    client.told(&drone(1));
    assert!(client.frame().entities.is_empty(), "it was sent before the deletion, and overtaken");
    client.wait(250 * MS);
    client.told(&drone(1));
    assert_eq!(client.frame().entities.len(), 1);
    client.told(&[&[delete(1)], &drone(1)[..]].concat());
    assert_eq!(client.frame().entities.len(), 1, "within a datagram the order is plain");
}

// ---- T6: keys and silence ----

#[test]
fn t6_keys_become_input_with_left_click_as_fire_and_right_click_as_the_force() {
    let mut server = Server::new();
    let now = server.now;
    server.receive(&[0x00, 0x02, 0x04, 0x06, 0x08, 0x0a]).expect("all pressed");
    let all = Buttons::from_bits(Buttons::ALL.bits() & !Buttons::CHARGE.bits());
    assert_eq!(server.session.input(now), Input { held: all, pressed: all });
    server.receive(&[0x01, 0x03, 0x05, 0x07]).expect("released");
    assert_eq!(server.session.input(now), Input::holding(Buttons::FIRE | Buttons::FORCE));
    server.receive(&[0x08, 0x0a]).expect("said again");
    assert_eq!(server.session.input(now), Input::holding(Buttons::FIRE | Buttons::FORCE), "no new press");
    server.receive(&[0x09, 0x0b]).expect("released");
    assert_eq!(server.session.input(now), Input::IDLE);
}

#[test]
fn c10_a_tap_within_a_tick_is_a_press() {
    let mut server = Server::new();
    server.receive(&[8, 9]).expect("a click");
    assert_eq!(server.session.input(START), Input::tapping(Buttons::FIRE));
    assert_eq!(server.session.input(START), Input::IDLE);
}

#[test]
fn t6_a_session_silent_for_5_minutes_ends_and_not_before() {
    let mut server = Server::new();
    let minutes = Duration::from_secs(300);
    server.session.advance(START + minutes - MS);
    assert_eq!(server.session.status(), Status::Playing);
    server.now = START + minutes - MS;
    server.receive(&[1]).expect("a release");
    server.session.advance(START + minutes + minutes - 2 * MS);
    assert_eq!(server.session.status(), Status::Playing);
    server.now = START + minutes + minutes - MS;
    server.session.advance(server.now);
    assert_eq!(server.session.status(), Status::Ended(End::TimedOut));
    server.receive(&[0]).expect("too late");
    assert_eq!(server.session.input(server.now), Input::IDLE);
    assert!(server.tick().is_empty(), "there is no goodbye");
}

#[test]
fn a_client_probes_a_quiet_server_and_then_gives_it_up() {
    let mut client = Client::playing();
    let mut hellos = Vec::new();
    for ms in 1..=10_000 {
        client.wait(MS);
        hellos.extend(client.poll().iter().filter(|datagram| datagram.is_empty()).map(|_| ms));
        if ms == 9_999 {
            assert_eq!(client.session.status(), Status::Playing);
        }
    }
    assert_eq!(hellos[..3], [2000, 2500, 3000]);
    assert_eq!(client.session.status(), Status::Ended(End::TimedOut));
    let mut client = Client::playing();
    for _ in 0..20 {
        client.wait(1_999 * MS);
        client.hear(&[]);
    }
    assert_eq!(client.session.status(), Status::Playing, "any datagram is a sign of life");
}

#[test]
fn who_leaves_lets_go_of_all_keys_and_says_nothing_more() {
    let mut client = Client::playing();
    client.session.press(client.now, Input::holding(Buttons::RIGHT));
    client.session.leave(client.now);
    assert_eq!(client.session.status(), Status::Ended(End::Left));
    assert_eq!(client.poll(), vec![vec![1, 3, 5, 7, 9, 11]; 3]);
    client.hear(&initialisation());
    client.wait(Duration::from_secs(20));
    assert!(client.poll().is_empty());
    assert_eq!(client.session.status(), Status::Ended(End::Left));
}

// ---- Common rulings ----

#[test]
fn c5_the_door_proves_nothing() {
    assert_eq!(DOOR.proof, Proof::Nothing);
    let mut server = Server::new();
    server.receive(&[]).expect("a hello");
    server.tick();
    assert!(!server.session.is_proved());
}

#[test]
fn c6_a_session_that_the_node_ends_says_nothing_and_keeps_the_first_reason() {
    let mut server = Server::showing(&[ship(5, 0)]);
    server.session.end(server.now, End::Unreachable);
    server.session.end(server.now, End::Closed);
    assert_eq!(server.session.status(), Status::Ended(End::Unreachable));
    assert!(server.tick().is_empty());
}

#[test]
fn c7_bad_bytes_are_refused_never_answered_and_end_nothing() {
    let mut server = Server::showing(&[ship(5, 0)]);
    for bad in [&[0x0c][..], &[0xff; 1200], &[0x80, 0, 0]] {
        assert_eq!(server.receive(bad), Err(Malformed::UnknownType));
        assert!(server.poll().is_empty());
    }
    assert_eq!(server.session.receive(server.now, Channel::Stream, &[0]), Err(Malformed::UnknownType));
    assert_eq!(server.session.input(server.now), Input::IDLE);
    assert_eq!(server.session.status(), Status::Playing);
    let mut client = Client::playing();
    for bad in [&[9][..], &[0xff; 1200], &[3, 0, 1, 0, 99], &[0, 1]] {
        assert!(client.receive(bad).is_err());
        assert!(client.poll().is_empty());
    }
    assert_eq!(client.session.receive(client.now, Channel::Stream, &[0]), Err(Malformed::UnknownType));
    assert_eq!(client.session.status(), Status::Playing);
}

#[test]
fn a_server_that_creates_without_end_does_not_fill_the_clients_memory() {
    let mut client = Client::playing();
    for id in 0..=u16::MAX {
        client.told(&drone(id));
    }
    assert_eq!(client.frame().entities.len(), 4096);
}

#[test]
fn a_foreign_server_may_use_the_id_0() {
    let mut client = Client::playing();
    client.told(&drone(0));
    client.told(&[create(1), Instruction::update(1, Component::Score(9))]);
    let frame = client.frame();
    assert_eq!(frame.score, 9);
    assert_eq!(frame.entities.iter().map(|entity| entity.id.0).collect::<Vec<_>>(), [65_536], "never 0");
}
