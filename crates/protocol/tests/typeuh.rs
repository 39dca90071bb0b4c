//! The rulings of `typeuh` about sessions, on bytes as a foreign peer would see them: hello, initialisation, keys, silence.
//! What is told of the game is in `typeuh_state.rs`, whole games in `typeuh_games.rs`.

use std::time::Duration;

use game::{Buttons, Entity, EntityId, Input, Kind, Vec2, px};
use protocol::amplification::Proof;
use protocol::typeuh::ENTRY;
use protocol::typeuh::component::{Component, ComponentName};
use protocol::typeuh::wire::{DATAGRAM_MAX_BYTES, Instruction};
use protocol::{Channel, End, InitialisationFault, Malformed, ServerFault, Status};

mod typeuh_by_hand;
use typeuh_by_hand::*;

// ---- T1: there is no hello ----

#[test]
fn t1_any_datagram_opens_a_session_and_a_full_node_is_silent() {
    for datagram in [&[][..], &[0], &[0xff], &[0x0c, 1, 2], &[7; 1500]] {
        let knock = (ENTRY.read_join)(datagram).expect("never malformed").expect("asks for a seat");
        assert_eq!(knock.into_name(), "");
        assert!(
            (ENTRY.refuse)(
                protocol::NodeTime { now: START, started: START },
                &mut protocol::Numbers::default(),
                datagram
            )
            .is_empty()
        );
    }
    assert_eq!((ENTRY.name, ENTRY.port), ("typeuh", 4241));
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
fn t2_what_is_wrong_with_an_initialisation_is_told() {
    let good = initialisation();
    let changed = |at: usize, byte: u8| {
        let mut bad = good.clone();
        bad[at] = byte;
        bad
    };
    let last = good.len() - 1;
    let checks = [
        (changed(1, good[1] + 1), InitialisationFault::Count),
        ([&good[..], b"\xff\xff"].concat(), InitialisationFault::Count),
        (changed(0, 0xff), InitialisationFault::Count),
        (changed(last, 0), InitialisationFault::EndMark),
        (changed(3, b' '), InitialisationFault::Characters),
        (changed(4, 0), InitialisationFault::Padding),
        (b"\0\x01\x04\0\0\0\0\xff\xff".to_vec(), InitialisationFault::Padding),
        (b"\0\x01\0\xff\xff".to_vec(), InitialisationFault::Padding),
        (good[..40].to_vec(), InitialisationFault::MissingPart),
        (vec![0], InitialisationFault::MissingPart),
    ];
    for (bad, fault) in checks {
        let mut client = Client::new();
        assert_eq!(client.session.fault(), None);
        client.hear(&bad);
        assert_eq!(client.session.fault(), Some(&ServerFault::BadInitialisation(fault)), "{bad:?}");
        client.hear(&good);
        assert_eq!(client.session.fault(), None, "a good one makes up for it");
    }
}

#[test]
fn t2_components_that_the_client_does_not_know_are_told_by_name() {
    let mut client = Client::new();
    client.hear(b"\x00\x03\x08Kind\0\0\0\0Hitbox\0\0Shield\0\0\xff\xff");
    assert_eq!(client.session.status(), Status::Playing);
    let fault = client.session.fault().expect("two are not known").to_string();
    assert_eq!(fault, "the server uses components that this client does not know: Hitbox, Shield");
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
fn t7_a_click_has_no_position_and_what_follows_it_is_the_next_event() {
    let mut server = Server::new();
    server.receive(&[0x08, 0x02]).expect("two events");
    assert_eq!(server.session.input(START).held, Buttons::FIRE | Buttons::UP);
    // As if the pointer were at (0, 300): only what is not an event is dropped, with all behind it.
    server.receive(&[0x0a, 0x00, 0x00, 0x01, 0x2c, 0x06]).expect_err("2c is no event");
    let held = Buttons::FIRE | Buttons::UP | Buttons::FORCE;
    assert_eq!(server.session.input(START), Input { held, pressed: Buttons::FORCE | Buttons::RIGHT });
    let mut client = Client::playing();
    client.session.press(client.now, Input::holding(Buttons::FIRE));
    assert_eq!(client.poll(), [[0x08]], "a click is one byte");
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
fn a_client_that_leaves_lets_go_of_all_keys_and_says_nothing_more() {
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
    assert_eq!(ENTRY.proof, Proof::Nothing);
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
