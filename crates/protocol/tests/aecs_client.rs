//! What an `aecs` client promises, to our server and to any other that keeps to the document.

use std::time::Duration;

use game::{Attached, Buttons, Entity, EntityId, Event, Frame, GameState, Input, Kind, Seat, Side, Vec2, px};
use protocol::aecs::client::{Client, QUEUE_DELAY, QUEUE_DELAY_MAX};
use protocol::aecs::wire::{
    Component, FromServer, GameStateWriter, PACKET_MAX_BYTES, write_connected, write_game_changes,
};
use protocol::{Channel, ClientSession, End, Malformed, Output, Plan, Status, Time};

const START: Time = Time::from_micros(1_700_000_000_000_000);
const PING: [u8; 3] = [0x01, 0x00, 0x01];
const NO_KEYS: [u8; 4] = [0x02, 0x00, 0x00, 0x00];

/// A client's session, and the time for it.
struct Guest {
    session: Client,
    now: Time,
}

impl Guest {
    fn new(queue_delay: Duration) -> Guest {
        let plan = Plan { queue: Some(queue_delay), ..Plan::at(START) };
        Guest { session: Client::new(plan), now: START }
    }

    /// Connected at tick 600 as client 1 with a drone, entity 7; PING is said. Changes are shown at once.
    fn connected() -> Guest {
        let mut guest = Guest::new(Duration::ZERO);
        guest.hear_stream(&connected(1, &state(600, &[(7, &drone(10))]))).expect("it is well formed");
        assert_eq!(guest.said(), [PING]);
        guest
    }

    fn hear_stream(&mut self, bytes: &[u8]) -> Result<(), Malformed> {
        self.session.receive(self.now, Channel::Stream, bytes)
    }

    fn hear(&mut self, bytes: &[u8]) -> Result<(), Malformed> {
        self.session.receive(self.now, Channel::Datagram, bytes)
    }

    fn hear_changes(&mut self, states: &[Vec<u8>]) {
        self.hear(&changes(states)).expect("it is well formed");
    }

    fn after_ms(&mut self, ms: u64) -> &mut Guest {
        self.now = self.now + Duration::from_millis(ms);
        self.session.advance(self.now);
        self
    }

    fn said(&mut self) -> Vec<Vec<u8>> {
        let mut buffer = vec![9];
        let mut said = Vec::new();
        while let Some(output) = self.session.poll(self.now, &mut buffer) {
            assert_eq!(output, Output::Datagram);
            said.push(buffer.clone());
        }
        said
    }

    fn pressed(&mut self, input: Input) -> Vec<Vec<u8>> {
        self.session.press(self.now, input);
        self.said()
    }

    fn frame(&mut self) -> Frame {
        let mut frame = Frame::default();
        assert!(self.session.take_frame(&mut frame), "there is a new Frame");
        frame
    }

    /// The x of entity 7, in pixels.
    fn drone_px(&mut self) -> Option<i32> {
        self.frame().entity(EntityId(7)).map(|drone| drone.position.x / px(1))
    }
}

fn drone(x_px: i32) -> Vec<Component<'static>> {
    vec![Component::Position { x: (x_px * 4) as f32, y: 0.0 }, Component::Kind(Kind::Drone.number())]
}

fn state(tick: u32, entities: &[(u32, &[Component])]) -> Vec<u8> {
    let mut state = Vec::new();
    let mut writer = GameStateWriter::begin(tick, PACKET_MAX_BYTES - 4, &mut state);
    for (id, components) in entities {
        assert!(writer.push(*id, components.iter().copied()));
    }
    state
}

fn connected(client_id: u8, state: &[u8]) -> Vec<u8> {
    let mut packet = Vec::new();
    write_connected(client_id, state, &mut packet);
    packet
}

fn changes(states: &[Vec<u8>]) -> Vec<u8> {
    let mut packet = Vec::new();
    write_game_changes(states.iter().map(Vec::as_slice), &mut packet);
    packet
}

fn pong(tick: u32) -> Vec<u8> {
    [&[0x05, 0x00, 0x02][..], &tick.to_le_bytes()].concat()
}

#[test]
fn step_1_connected_comes_in_pieces_and_gives_seat_and_frame() {
    let mut guest = Guest::new(QUEUE_DELAY);
    let game = [Component::Score(90), Component::Game { state: 1, stage: 2 }];
    let ship = [Component::Kind(1), Component::Player { seat: 3 }, Component::Lives(2)];
    let packet = connected(3, &state(600, &[(0, &game), (5, &ship)]));
    for byte in &packet {
        assert_eq!(guest.session.status(), Status::Opening);
        assert!(guest.said().is_empty(), "the server does not know us yet");
        guest.hear_stream(&[*byte]).expect("it is a piece of a packet");
    }
    assert_eq!((guest.session.status(), guest.session.seat()), (Status::Playing, Some(Seat::ALL[3])));
    let frame = guest.frame();
    assert_eq!((frame.tick.0, frame.score, frame.state, frame.stage), (600, 90, GameState::Running, 2));
    let player = frame.players[3].expect("our own player is known");
    assert_eq!((player.ship, player.lives), (Some(EntityId(5)), 2));
    assert_eq!(frame.players[..3], [None; 3]);
}

#[test]
fn a2_ping_is_said_at_once_and_again_until_game_changes_come() {
    let mut guest = Guest::connected();
    assert!(guest.after_ms(199).said().is_empty());
    assert_eq!(guest.after_ms(1).said(), [PING]);
    guest.hear(&[0x01, 0x00, 0x82]).expect("SERVER_PONG");
    assert_eq!(guest.after_ms(200).said(), [PING], "an answer is not yet a change");
    guest.hear_changes(&[state(601, &[])]);
    assert_eq!(guest.said(), [pong(601)]);
    assert!(guest.after_ms(500).said().is_empty());
}

#[test]
fn a2_a_stream_that_ends_without_connected_is_a_refusal() {
    let mut guest = Guest::new(QUEUE_DELAY);
    guest.hear_stream(&[0x0a, 0x00]).expect("it is a piece of a packet");
    guest.hear_stream(&[]).expect("the end is no fault");
    assert_eq!(guest.session.status(), Status::Ended(End::Full));
    let mut guest = Guest::connected();
    guest.hear_stream(&[]).expect("the end is no fault");
    assert_eq!(guest.session.status(), Status::Playing, "the server closes the stream after CONNECTED");
}

#[test]
fn step_2_game_input_each_tick_until_a_second_without_input_then_ping() {
    let mut guest = Guest::connected();
    guest.hear_changes(&[state(601, &[])]);
    guest.said();
    let right = Input::holding(Buttons::RIGHT);
    for _ in 0..200 {
        assert_eq!(guest.after_ms(16).pressed(right), [[0x03, 0x00, 0x00, 0x01, 0x03]], "also after a second");
        guest.hear(&[0x01, 0x00, 0x82]).expect("SERVER_PONG");
    }
    assert_eq!(guest.after_ms(0).pressed(Input::IDLE), [NO_KEYS], "letting go is input too");
    for _ in 0..10 {
        assert_eq!(guest.after_ms(100).pressed(Input::IDLE), [NO_KEYS], "and is said again, should it be lost");
    }
    assert_eq!(guest.after_ms(1).pressed(Input::IDLE), [PING]);
    assert!(guest.after_ms(999).pressed(Input::IDLE).is_empty());
    assert_eq!(guest.after_ms(1).pressed(Input::IDLE), [PING]);
    assert_eq!(guest.after_ms(1).pressed(Input::tapping(Buttons::FIRE)), [[0x03, 0x00, 0x00, 0x01, 0x39]]);
}

#[test]
fn a3_every_game_changes_is_confirmed_with_the_newest_tick() {
    let mut guest = Guest::connected();
    let [first, second, third] = [10, 20, 30].map(|x| state(600 + x as u32 / 10, &[(7, &drone(x + 1))]));
    guest.hear_changes(&[first.clone(), second.clone()]);
    assert_eq!(guest.said(), [pong(602)]);
    assert_eq!(guest.drone_px(), Some(21));
    guest.hear_changes(&[first.clone(), second, third]);
    guest.hear_changes(&[first]);
    assert_eq!(guest.said(), [pong(603), pong(603)], "what is late is confirmed with the newest");
    assert_eq!(guest.drone_px(), Some(31), "and does not turn anything back");
}

#[test]
fn a3_a_change_that_is_said_again_is_not_carried_out_again() {
    let mut guest = Guest::connected();
    let repeated = [state(601, &[(8, &drone(5))]), state(602, &[(8, &[])])];
    guest.hear_changes(&repeated);
    assert_eq!(guest.frame().events.len(), 3, "7 and 8 appeared, and 8 is gone");
    guest.hear_changes(&[&repeated[..], &[state(603, &[])]].concat());
    assert_eq!(guest.frame().events, []);
}

#[test]
fn a3_ticks_wrap_for_the_client_too() {
    let mut guest = Guest::new(Duration::ZERO);
    guest.hear_stream(&connected(0, &state(u32::MAX, &[(7, &drone(10))]))).expect("it is well formed");
    guest.said();
    guest.hear_changes(&[state(0, &[(7, &drone(20))])]);
    guest.hear_changes(&[state(u32::MAX - 5, &[(7, &drone(30))])]);
    assert_eq!(guest.said(), [pong(0), pong(0)]);
    assert_eq!(guest.drone_px(), Some(20));
}

#[test]
fn a3_a_merged_change_brings_removals_and_appearances() {
    let mut guest = Guest::connected();
    guest.hear_changes(&[state(640, &[(7, &[]), (8, &drone(5)), (9, &[])])]);
    let frame = guest.frame();
    assert_eq!(frame.entities, [Entity::new(EntityId(8), Kind::Drone, Vec2::new(px(5), 0))]);
    assert!(frame.events.contains(&Event::Destroyed { entity: EntityId(7), gone: game::Gone::Destroyed }));
    assert!(frame.events.contains(&Event::Spawned { entity: EntityId(8) }));
}

#[test]
fn a3_changes_before_connected_are_neither_shown_nor_confirmed() {
    let mut guest = Guest::new(Duration::ZERO);
    guest.hear_changes(&[state(601, &[(7, &drone(10))])]);
    assert!(guest.said().is_empty());
    assert!(!guest.session.take_frame(&mut Frame::default()));
    let connected = connected(1, &state(600, &[]));
    assert_eq!(guest.hear(&connected), Ok(()), "over UDP it is not ours");
    assert_eq!(guest.session.status(), Status::Opening);
}

#[test]
fn a6_an_entity_said_again_loses_the_components_that_are_not_said() {
    let mut guest = Guest::connected();
    let kind = Component::Kind(Kind::Force.number());
    guest.hear_changes(&[state(601, &[(8, &[kind, Component::Attached { entity: 1, side: 1 }])])]);
    let docked = guest.frame().entity(EntityId(8)).and_then(|force| force.attached);
    assert_eq!(docked, Some(Attached { to: EntityId(1), side: Side::Back }));
    guest.hear_changes(&[state(602, &[(8, &[kind])])]);
    assert_eq!(guest.frame().entity(EntityId(8)).map(|force| force.attached), Some(None));
}

#[test]
fn a7_changes_are_confirmed_at_once_and_shown_30_ms_later() {
    let mut guest = Guest::new(QUEUE_DELAY);
    guest.hear_stream(&connected(1, &state(600, &[(7, &drone(10))]))).expect("it is well formed");
    assert_eq!(guest.drone_px(), Some(10), "CONNECTED does not wait");
    guest.said();
    guest.hear_changes(&[state(601, &[(7, &drone(20))])]);
    assert_eq!(guest.said(), [pong(601)]);
    guest.after_ms(29);
    assert!(!guest.session.take_frame(&mut Frame::default()));
    guest.after_ms(1);
    assert_eq!(guest.drone_px(), Some(20));
}

#[test]
fn a7_the_queue_is_as_long_as_the_player_wants_and_never_longer_than_its_limit() {
    for (wanted, ms) in [(0, 0), (100, 100), (60_000, QUEUE_DELAY_MAX.as_millis() as u64)] {
        let mut guest = Guest::new(Duration::from_millis(wanted));
        guest.hear_stream(&connected(1, &state(600, &[(7, &drone(10))]))).expect("it is well formed");
        guest.frame();
        guest.hear_changes(&[state(601, &[(7, &drone(20))])]);
        if ms > 0 {
            guest.after_ms(ms - 1);
            assert!(!guest.session.take_frame(&mut Frame::default()), "{wanted} ms");
            guest.after_ms(1);
        }
        assert_eq!(guest.drone_px(), Some(20), "{wanted} ms");
    }
}

#[test]
fn a8_a_game_state_that_comes_by_itself_is_not_a_packet() {
    let mut guest = Guest::connected();
    guest.frame();
    // Its first bytes are a tick, where a packet has its size and its type.
    let bare = state(601, &[(7, &drone(20))]);
    assert!(guest.hear(&bare).is_err());
    for packet_type in [0x83, 0xff] {
        let packet = [&(bare.len() as u16 + 1).to_le_bytes()[..], &[packet_type], &bare].concat();
        assert_eq!(guest.hear(&packet), Err(Malformed::UnknownType), "no type of its own either");
    }
    assert!(!guest.session.take_frame(&mut Frame::default()), "nothing is shown of it");
    assert!(guest.said().is_empty(), "and nothing confirmed");
}

#[test]
fn c9_the_game_s_state_is_shown_and_its_changes_are_events() {
    let mut guest = Guest::connected();
    guest.frame();
    guest.hear_changes(&[state(601, &[(0, &[Component::Game { state: 3, stage: 1 }])])]);
    let frame = guest.frame();
    assert_eq!(frame.events, [Event::StateChanged { state: GameState::Lost }]);
    guest.hear_changes(&[state(602, &[(0, &[Component::Game { state: 9, stage: 1 }])])]);
    assert_eq!(guest.frame().state, GameState::Lost, "there is no such state");
}

#[test]
fn a_server_that_says_nothing_for_five_seconds_is_gone() {
    let mut guest = Guest::new(QUEUE_DELAY);
    guest.after_ms(4_999);
    assert_eq!(guest.session.status(), Status::Opening);
    guest.after_ms(1);
    assert_eq!(guest.session.status(), Status::Ended(End::TimedOut), "no CONNECTED");
    let mut guest = Guest::connected();
    guest.after_ms(4_999).hear(&[0x01, 0x00, 0x82]).expect("SERVER_PONG");
    guest.after_ms(4_999).said();
    assert!(guest.hear(&[0x01, 0x00, 0x83]).is_err());
    assert_eq!(guest.session.status(), Status::Playing);
    guest.after_ms(1);
    assert_eq!(guest.session.status(), Status::Ended(End::TimedOut), "bad bytes are no sign of life");
}

#[test]
fn leaving_closes_the_stream_and_says_no_more() {
    let mut guest = Guest::connected();
    guest.session.leave(guest.now);
    let mut buffer = Vec::new();
    assert_eq!(guest.session.poll(guest.now, &mut buffer), Some(Output::CloseStream));
    assert_eq!(guest.session.poll(guest.now, &mut buffer), None);
    guest.hear_changes(&[state(601, &[])]);
    assert!(guest.after_ms(2_000).pressed(Input::holding(Buttons::FIRE)).is_empty());
    assert_eq!(guest.session.status(), Status::Ended(End::Left));
}

#[test]
fn a_foreign_server_may_say_what_we_do_not_know() {
    let mut guest = Guest::new(Duration::ZERO);
    let unknown = [Component::Kind(9999), Component::Lives(3)];
    let other = [Component::Unknown { component_id: 77, data: b"?" }];
    let wild = [
        Component::Kind(1),
        Component::Position { x: f32::NAN, y: f32::INFINITY },
        Component::Player { seat: 200 },
        Component::Attached { entity: 1, side: 9 },
    ];
    let hello = connected(200, &state(5, &[(1, &unknown), (2, &other), (3, &wild), (u32::MAX, &[])]));
    guest.hear_stream(&hello).expect("it is well formed");
    assert_eq!((guest.session.status(), guest.session.seat()), (Status::Playing, None));
    let frame = guest.frame();
    assert_eq!(frame.entities.iter().map(|entity| entity.id.0).collect::<Vec<_>>(), [3]);
    assert_eq!((frame.entities[0].seat, frame.entities[0].attached), (None, None));
    // Only what changed, without the kind.
    guest.hear_changes(&[state(6, &[(3, &[Component::Position { x: 4.0, y: 8.0 }]), (4, &other)])]);
    let frame = guest.frame();
    assert_eq!(frame.entities, [Entity::new(EntityId(3), Kind::Player, Vec2::new(px(1), px(2)))]);
    guest.hear_changes(&[state(7, &[(3, &unknown)])]);
    assert_eq!(guest.frame().entities, [], "what became something unknown is not shown as what it was");
}

#[test]
fn other_packets_on_the_stream_are_dropped_however_many() {
    let mut guest = Guest::new(QUEUE_DELAY);
    let mut pong = Vec::new();
    FromServer::ServerPong.write(&mut pong);
    let noise = pong.repeat(100_000);
    assert_eq!(guest.hear_stream(&noise), Err(Malformed::UnknownType));
    assert_eq!(guest.hear_stream(&[0, 0, 0x80]), Err(Malformed::WrongSize));
    guest.hear_stream(&connected(1, &state(600, &[]))).expect("it is well formed");
    assert_eq!(guest.session.status(), Status::Playing);
}
