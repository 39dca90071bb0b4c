//! What an `aecs` server promises, ruling by ruling, in the bytes that a foreign client would see.

use std::time::Duration;

use game::{Attached, Buttons, Entity, EntityId, GameState, Input, Kind, Seat, Side, Vec2, px};
use protocol::aecs::wire::{Component, DATAGRAM_MAX_BYTES, FromClient, FromServer};
use protocol::aecs::{DATAGRAM_LIMIT_BYTES, DOUBTFUL_REMOVALS_MAX, ENTRY, GAME_ENTITY};
use protocol::{Channel, End, Malformed, Output, Scale, Scene, ServerSession, Status, Time, Welcome};

const START: Time = Time::from_micros(1_700_000_000_000_000);
const TICK: Duration = Duration::from_micros(16_667);
const PING: [u8; 3] = [0x01, 0x00, 0x01];
const SERVER_PONG: [u8; 3] = [0x01, 0x00, 0x82];

/// A server's session with the scene that it is shown.
struct Host {
    session: Box<dyn ServerSession>,
    scene: Scene,
    now: Time,
}

impl Host {
    /// Seat 2, and a scene at tick 600 with nothing in it.
    fn new() -> Host {
        let mut scene = Scene::new("endless");
        scene.frame.tick.0 = 600;
        let seat = Seat::ALL[2];
        let session = (ENTRY.accept)(Welcome {
            seat,
            now: START,
            started: START,
            scale: Scale::default(),
            numbers: protocol::Numbers::default(),
        });
        Host { session, scene, now: START }
    }

    /// CONNECTED is said, and the client has sent its PING and been answered.
    fn playing() -> Host {
        let mut host = Host::new();
        host.publish();
        host.say(FromClient::Ping);
        assert_eq!(host.said().len(), 3, "CONNECTED, closed, SERVER_PONG");
        host
    }

    fn publish(&mut self) {
        self.scene.update(self.now);
        self.session.publish(self.now, &self.scene);
    }

    /// The next tick, and what is said in it.
    fn tick(&mut self) -> Vec<(Output, Vec<u8>)> {
        self.now = self.now + TICK;
        self.scene.frame.tick.0 = self.scene.frame.tick.0.wrapping_add(1);
        self.publish();
        self.said()
    }

    /// The next tick, which says one GAME_CHANGES.
    fn changes(&mut self) -> Vec<Change> {
        let said = self.tick();
        let [(Output::Datagram, datagram)] = &said[..] else { panic!("one datagram a tick: {said:?}") };
        read_changes(datagram)
    }

    fn said(&mut self) -> Vec<(Output, Vec<u8>)> {
        let mut buffer = vec![9];
        std::iter::from_fn(|| self.session.poll(self.now, &mut buffer).map(|output| (output, buffer.clone()))).collect()
    }

    fn hear(&mut self, bytes: &[u8]) -> Result<(), Malformed> {
        self.session.receive(self.now, Channel::Datagram, bytes).map(drop)
    }

    fn say(&mut self, packet: FromClient) {
        let mut bytes = Vec::new();
        packet.write(&mut bytes);
        self.hear(&bytes).expect("what we write reads");
    }

    fn pong(&mut self, tick: u32) {
        self.say(FromClient::ClientPong { tick });
    }

    fn put(&mut self, id: u32, x_px: i32) {
        let entities = &mut self.scene.frame.entities;
        entities.retain(|entity| entity.id.0 != id);
        entities.push(Entity::new(EntityId(id), Kind::Drone, Vec2::new(px(x_px), 0)));
        entities.sort_by_key(|entity| entity.id);
    }

    fn take(&mut self, id: u32) {
        self.scene.frame.entities.retain(|entity| entity.id.0 != id);
    }

    fn input_after_ms(&mut self, ms: u64) -> Input {
        self.now = self.now + Duration::from_millis(ms);
        self.session.advance(self.now);
        self.session.input(self.now)
    }
}

/// A tick and, of each entity in it, the id and the x of its position; none if it is removed.
type Change = (u32, Vec<(u32, Option<f32>)>);

fn read_changes(datagram: &[u8]) -> Vec<Change> {
    let Ok(FromServer::GameChanges { changes }) = FromServer::read(datagram) else { panic!("{datagram:x?}") };
    changes
        .iter()
        .map(|change| {
            (
                change.tick,
                change
                    .entities
                    .iter()
                    .map(|entity| {
                        let x = entity.components.iter().find_map(|component| match component {
                            Component::Position { x, .. } => Some(x),
                            _ => None,
                        });
                        assert_eq!(x.is_none(), entity.is_removed() || entity.entity_id == GAME_ENTITY);
                        (entity.entity_id, x)
                    })
                    .collect(),
            )
        })
        .collect()
}

#[test]
fn a1_a2_c8_the_first_frame_goes_down_the_stream_as_connected_and_the_stream_is_closed() {
    let mut host = Host::new();
    assert!(host.said().is_empty());
    host.scene.frame.state = GameState::Running;
    host.scene.frame.score = 0x0102;
    host.publish();
    // Size; CONNECTED; client ID 2, the seat; tick 600; one entity: 0, with Score and Game of the endless stage.
    let mut connected = vec![0x1e, 0x00, 0x80, 0x02, 0x58, 0x02, 0, 0, 1, 0, 0, 0];
    connected.extend([0, 0, 0, 0, 0x0e, 0, 0x09, 0, 4, 0, 0x02, 0x01, 0, 0, 0x0b, 0, 2, 0, 1, 0]);
    assert_eq!(host.said(), [(Output::Stream, connected), (Output::CloseStream, vec![])]);
    assert_eq!(host.session.status(), Status::Opening);
}

#[test]
fn a2_a_session_that_ends_before_its_connected_only_closes_the_stream() {
    for is_published in [false, true] {
        let mut host = Host::new();
        if is_published {
            host.publish();
        }
        host.session.end(host.now, End::Closed);
        assert_eq!(host.said(), [(Output::CloseStream, vec![])]);
        assert_eq!(host.session.status(), Status::Ended(End::Closed));
    }
}

#[test]
fn a3_game_changes_begin_with_the_first_datagram_and_after_the_tick_of_connected() {
    let mut host = Host::new();
    host.publish();
    assert_eq!(host.said().len(), 2);
    for _ in 601..=603 {
        assert!(host.tick().is_empty(), "nobody has spoken yet");
    }
    host.say(FromClient::GameInput { inputs: &[] });
    assert_eq!(host.session.status(), Status::Playing);
    let ticks: Vec<u32> = host.changes().iter().map(|change| change.0).collect();
    assert_eq!(ticks, [601, 602, 603, 604]);
}

#[test]
fn a4_a_datagram_before_the_first_frame_is_answered_and_counts_as_the_first() {
    let mut host = Host::new();
    host.say(FromClient::Ping);
    assert_eq!(host.said(), [(Output::Datagram, SERVER_PONG.to_vec())]);
    host.publish();
    assert_eq!(host.said().len(), 2, "CONNECTED comes before any change");
    assert_eq!(host.changes(), [(601, vec![])]);
}

#[test]
fn a3_what_is_unconfirmed_is_said_again_until_its_tick_or_a_later_one_is_confirmed() {
    let mut host = Host::playing();
    host.put(7, 10);
    let first = (601, vec![(7, Some(40.0))]);
    assert_eq!(host.changes(), std::slice::from_ref(&first));
    host.put(7, 20);
    let second = (602, vec![(7, Some(80.0))]);
    assert_eq!(host.changes(), [first, second.clone()]);
    host.pong(601);
    host.take(7);
    let third = (603, vec![(7, None)]);
    assert_eq!(host.changes(), [second, third]);
    host.pong(603);
    assert_eq!(host.changes(), [(604, vec![])]);
}

#[test]
fn a3_pongs_of_the_past_and_of_the_future_confirm_nothing() {
    for tick in [600, 601, 0, 603, 604, 600_u32.wrapping_sub(1 << 31), 602 + (1 << 31), u32::MAX] {
        let mut host = Host::playing();
        host.put(7, 10);
        host.changes();
        host.put(8, 10);
        host.changes();
        host.pong(601);
        host.pong(tick);
        let ticks: Vec<u32> = host.changes().iter().map(|change| change.0).collect();
        assert_eq!(ticks, [602, 603], "{tick}");
        // Enough that all is merged, which shows since when.
        (20..60).for_each(|id| host.put(id, 10));
        let merged = host.changes();
        let ids: Vec<u32> = merged[0].1.iter().map(|entity| entity.0).collect();
        assert_eq!((merged.len(), ids), (1, [8].into_iter().chain(20..60).collect()), "{tick}");
    }
}

#[test]
fn a3_ticks_wrap() {
    let mut host = Host::new();
    host.scene.frame.tick.0 = u32::MAX - 1;
    host.publish();
    host.say(FromClient::Ping);
    host.said();
    host.changes();
    host.changes();
    let ticks = |changes: Vec<Change>| changes.iter().map(|change| change.0).collect::<Vec<_>>();
    assert_eq!(ticks(host.changes()), [u32::MAX, 0, 1]);
    host.pong(0);
    assert_eq!(ticks(host.changes()), [1, 2]);
}

#[test]
fn a3_a_tick_shown_again_is_not_a_change_and_a_world_wound_back_goes_on() {
    let mut host = Host::playing();
    assert_eq!(host.changes(), [(601, vec![])]);
    host.publish();
    assert_eq!(host.said().len(), 1, "what is unconfirmed is repeated");
    host.pong(601);
    host.publish();
    assert!(host.said().is_empty(), "no tick has passed");
    host.scene.frame.tick.0 = 10;
    assert_eq!(host.changes(), [(602, vec![])]);
    host.pong(602);
    assert_eq!(host.changes(), [(603, vec![])]);
}

#[test]
fn a3_what_would_pass_1200_bytes_is_merged_into_one_change_of_this_tick() {
    let mut host = Host::playing();
    // 41 bytes each: 25 fit in a datagram once, 20 and 15 do not.
    (1..=25).for_each(|id| host.put(id, 10));
    assert_eq!(host.changes().len(), 1);
    host.pong(601);
    (1..=20).for_each(|id| host.put(id, 20));
    assert_eq!(host.changes().len(), 1);
    (10..=24).for_each(|id| host.put(id, 30));
    host.take(3);
    let merged = host.changes();
    let [(603, entities)] = &merged[..] else { panic!("{merged:?}") };
    let expected: Vec<_> = (1..=24)
        .map(|id| match id {
            3 => (id, None),
            1..10 => (id, Some(80.0)),
            _ => (id, Some(120.0)),
        })
        .collect();
    assert_eq!(entities, &expected, "25 was confirmed and has not changed since");
    // A tick within what was merged is confirmed: only what changed later is said.
    host.pong(602);
    (10..=24).for_each(|id| host.put(id, 40));
    let merged = host.changes();
    let [(604, entities)] = &merged[..] else { panic!("{merged:?}") };
    assert_eq!(entities.iter().map(|entity| entity.0).collect::<Vec<_>>(), [vec![3], (10..=24).collect()].concat());
}

#[test]
fn a3_a_client_that_confirms_nothing_gets_one_merged_change_in_the_end() {
    let mut host = Host::playing();
    // Each empty change is 8 bytes: 149 of them and 4 bytes before them are 1,196.
    for count in 1..=149 {
        assert_eq!(host.changes().len(), count);
    }
    assert_eq!(host.changes(), [(750, vec![])]);
    assert_eq!(host.changes(), [(751, vec![])], "and again one, until something is confirmed");
}

#[test]
fn c2_a_merged_change_that_cannot_be_said_in_1200_bytes_is_said_in_one_longer_datagram() {
    let mut host = Host::playing();
    (1..=100).for_each(|id| host.put(id, 10));
    let said = host.tick();
    let [(Output::Datagram, datagram)] = &said[..] else { panic!("{said:?}") };
    assert_eq!(datagram.len(), 4 + 8 + 100 * 41);
    let changes = read_changes(datagram);
    assert_eq!((changes.len(), changes[0].1.len()), (1, 100));
    // Nothing is lost beyond what UDP can carry: the rest follows when this is confirmed.
    (1..=2000).for_each(|id| host.put(id, 20));
    let said = host.tick();
    assert!(said[0].1.len() <= DATAGRAM_LIMIT_BYTES);
    let first = read_changes(&said[0].1)[0].1.len();
    assert!((1500..2000).contains(&first), "{first}");
    host.pong(602);
    let rest = host.changes();
    assert_eq!(rest[0].1.len(), 2000 - first);
}

#[test]
fn a3_a_client_that_never_confirms_costs_bounded_memory_and_bytes() {
    let mut host = Host::new();
    host.put(1, 10);
    host.publish();
    host.said();
    host.take(1);
    let mut longest = 0;
    for id in 2..3000 {
        host.say(FromClient::Ping);
        host.put(id, 10);
        host.take(id - 1);
        longest = longest.max(host.tick().iter().map(|(_, bytes)| bytes.len()).max().unwrap_or(0));
    }
    assert!(longest > DATAGRAM_MAX_BYTES, "removals pile up for a while");
    assert!(longest <= 4 + 8 + 2 * 41 + (DOUBTFUL_REMOVALS_MAX + 1) * 6, "{longest}");
    host.said();
    let changes = host.changes();
    let removed: Vec<u32> = changes[0].1.iter().filter(|(_, x)| x.is_none()).map(|&(id, _)| id).collect();
    assert_eq!(removed[..2], [1, 2998 - DOUBTFUL_REMOVALS_MAX as u32 + 1], "what it surely knows is never dropped");
    host.pong(changes[0].0);
    assert_eq!(host.changes()[0].1, [], "and all of it is forgotten once it is confirmed");
}

#[test]
fn a4_a_tick_in_which_nothing_changed_sends_its_change_in_one_packet() {
    let mut host = Host::playing();
    let datagram = vec![0x0a, 0x00, 0x81, 0x01, 0x59, 0x02, 0, 0, 0, 0, 0, 0];
    assert_eq!(host.tick(), [(Output::Datagram, datagram)]);
}

#[test]
fn a4_a7_every_ping_is_answered_at_once() {
    let mut host = Host::playing();
    for _ in 0..3 {
        host.hear(&PING).expect("it is a PING");
    }
    assert_eq!(host.said(), vec![(Output::Datagram, SERVER_PONG.to_vec()); 3]);
    for _ in 0..100_000 {
        host.hear(&PING).expect("it is a PING");
    }
    assert_eq!(host.said().len(), usize::from(protocol::aecs::server::PONGS_MAX));
}

#[test]
fn a5_keys_stay_held_until_the_next_game_input_for_at_most_100_ms() {
    let mut host = Host::playing();
    host.say(FromClient::GameInput { inputs: &[3, 73, 200, 57] });
    let held = Buttons::RIGHT | Buttons::UP | Buttons::FIRE;
    assert_eq!(host.input_after_ms(0), Input { held, pressed: held });
    assert_eq!(host.input_after_ms(60), Input::holding(held));
    host.say(FromClient::GameInput { inputs: &[72] });
    assert_eq!(host.input_after_ms(100), Input::holding(Buttons::RIGHT));
    assert_eq!(host.input_after_ms(1), Input::IDLE);
    host.say(FromClient::GameInput { inputs: &[3] });
    host.say(FromClient::Ping);
    assert_eq!(host.input_after_ms(0).held, Buttons::RIGHT, "only a GAME_INPUT changes keys");
    host.say(FromClient::GameInput { inputs: &[] });
    assert_eq!(host.input_after_ms(0), Input::IDLE);
}

#[test]
fn a5_a_count_that_disagrees_with_the_length_is_dropped() {
    let mut host = Host::playing();
    assert_eq!(host.hear(&[3, 0, 0, 2, 57]), Err(Malformed::WrongSize));
    assert_eq!(host.hear(&[4, 0, 0, 1, 57, 3]), Err(Malformed::WrongSize));
    assert_eq!(host.input_after_ms(0), Input::IDLE);
}

#[test]
fn c10_a_key_down_and_up_between_two_ticks_is_a_press() {
    let mut host = Host::playing();
    host.say(FromClient::GameInput { inputs: &[38] });
    host.say(FromClient::GameInput { inputs: &[] });
    assert_eq!(host.input_after_ms(16), Input::tapping(Buttons::FORCE));
    assert_eq!(host.input_after_ms(16), Input::IDLE);
}

#[test]
fn a6_an_entity_has_the_components_that_apply_in_the_order_of_their_ids() {
    let mut host = Host::new();
    let bare = Entity::new(EntityId(1), Kind::Player, Vec2::new(px(40), px(135)));
    let seat = Some(Seat::ALL[1]);
    let ship = Entity {
        velocity: Vec2::new(256, -128),
        health: 1,
        health_max: 1,
        animation: 2,
        seat,
        charge: 7,
        lives: 3,
        ..bare
    };
    let force = Entity::new(EntityId(2), Kind::Force, Vec2::ZERO);
    let force = Entity { seat, attached: Some(Attached { to: EntityId(1), side: Side::Back }), ..force };
    host.scene.frame.entities = vec![ship, force, Entity::new(EntityId(3), Kind::Pellet, Vec2::ZERO)];
    host.publish();
    let said = host.said();
    let Ok(FromServer::Connected { game_state, .. }) = FromServer::read(&said[0].1) else { panic!("{said:?}") };
    let entities: Vec<Vec<Component>> =
        game_state.entities.iter().map(|entity| entity.components.iter().collect()).collect();
    assert_eq!(entities[0], [Component::Score(0), Component::Game { state: 0, stage: 0 }]);
    let (position, velocity) =
        (Component::Position { x: 160.0, y: 540.0 }, Component::Velocity { x: 240.0, y: -120.0 });
    let (health, player) = (Component::Health { now: 1, max: 1 }, Component::Player { seat: 1 });
    assert_eq!(
        entities[1],
        [
            position,
            velocity,
            Component::Kind(1),
            health,
            Component::Animation(2),
            player,
            Component::Charge(7),
            Component::Lives(3)
        ]
    );
    let (origin, rest) = (Component::Position { x: 0.0, y: 0.0 }, Component::Velocity { x: 0.0, y: 0.0 });
    assert_eq!(
        entities[2],
        [origin, rest, Component::Kind(2), Component::Animation(0), player, Component::Attached { entity: 1, side: 1 }]
    );
    assert_eq!(entities[3], [origin, rest, Component::Kind(80), Component::Animation(0)]);
}

#[test]
fn a6_score_and_game_are_an_entity_that_changes_like_any_other() {
    let mut host = Host::playing();
    assert_eq!(host.changes(), [(601, vec![])]);
    host.pong(601);
    host.scene.frame.score = 100;
    assert_eq!(host.changes(), [(602, vec![(GAME_ENTITY, None)])]);
}

#[test]
fn step_3_five_seconds_without_a_packet_end_the_session_and_every_packet_starts_them_again() {
    let mut host = Host::new();
    for packet in [FromClient::Ping, FromClient::ClientPong { tick: 5 }, FromClient::GameInput { inputs: &[] }] {
        host.input_after_ms(4_999);
        host.say(packet);
    }
    host.input_after_ms(4_999);
    assert_ne!(host.session.status(), Status::Ended(End::TimedOut));
    host.input_after_ms(1);
    assert_eq!(host.session.status(), Status::Ended(End::TimedOut));
}

#[test]
fn a2_a_client_that_connects_and_never_sends_a_datagram_is_disconnected() {
    let mut host = Host::new();
    host.publish();
    host.said();
    host.input_after_ms(5_000);
    assert_eq!(host.session.status(), Status::Ended(End::TimedOut));
    assert!(host.tick().is_empty());
}

#[test]
fn c5_tcp_proves_the_address() {
    assert!(Host::new().session.is_proved());
    assert_eq!((ENTRY.read_join)(&PING), Ok(None), "a datagram without a TCP connection opens nothing");
    let answers =
        (ENTRY.refuse)(protocol::NodeTime { now: START, started: START }, &mut protocol::Numbers::default(), &PING);
    assert!(answers.is_empty(), "and is not answered");
}

#[test]
fn c6_an_unreachable_peer_is_sent_nothing_more() {
    let mut host = Host::playing();
    host.say(FromClient::Ping);
    host.session.end(host.now, End::Unreachable);
    assert!(host.tick().is_empty());
    assert_eq!(host.session.status(), Status::Ended(End::Unreachable));
    host.session.end(host.now, End::Closed);
    assert_eq!(host.session.status(), Status::Ended(End::Unreachable), "a session ends once");
}

#[test]
fn c7_bad_bytes_are_not_answered_end_nothing_and_do_not_count_as_a_sign_of_life() {
    let mut host = Host::playing();
    host.input_after_ms(4_000);
    for bytes in [&[][..], &[0], &[1, 0], &[1, 0, 3], &[2, 0, 1, 0], &SERVER_PONG, &[0xff; 2000]] {
        assert!(host.hear(bytes).is_err(), "{bytes:x?}");
    }
    assert!(host.session.receive(host.now, Channel::Stream, &PING).is_err(), "a client says nothing over TCP");
    assert!(host.said().is_empty());
    assert_eq!(host.session.status(), Status::Playing);
    host.input_after_ms(1_000);
    assert_eq!(host.session.status(), Status::Ended(End::TimedOut));
}

#[test]
fn c7_bad_bytes_do_not_count_as_the_first_datagram() {
    let mut host = Host::new();
    host.publish();
    host.said();
    assert!(host.hear(&[1, 0, 9]).is_err());
    assert!(host.tick().is_empty());
}
