//! The rulings of `rfc2020` that the server's half decides, as a foreign client would see them: in bytes. The desk is in
//! `rfc2020_desk.rs`, what is told of the game in `rfc2020_telling.rs`.

use game::{Buttons, Stage};
use protocol::rfc2020::{
    ENTRY,
    wire::{Direction, FromClient, FromServer, Method, State},
};
use protocol::{End, Request, Status};

mod rfc2020_by_hand;
use rfc2020_by_hand::{START, Server, after_s, bodies, bytes_of, create, is_shoot, method, read};

// ---- JOIN ----

#[test]
fn r6_a_join_without_a_seat_is_refused_with_the_greatest_id() {
    let knock = bytes_of(77, FromClient::Join);
    assert!((ENTRY.read_join)(&knock).unwrap().is_some());
    let refusals =
        (ENTRY.refuse)(protocol::NodeTime { now: START, started: START }, &mut protocol::Numbers::default(), &knock);
    let [out] = &refusals[..] else { panic!("one datagram: {refusals:?}") };
    let message = read(out);
    assert_eq!(message.creation_timestamp, 77);
    assert!(matches!(message.body, FromServer::Join { entity_id: u64::MAX, .. }));
    assert_eq!(out.len(), 17 + 24);
}

#[test]
fn only_join_knocks() {
    for body in [FromClient::Drop, FromClient::Leave { entity_id: 0 }, FromClient::Confirm(Method::Spawn)] {
        assert_eq!((ENTRY.read_join)(&bytes_of(1, body)), Ok(None));
    }
    assert!((ENTRY.read_join)(b"hello").is_err());
}

#[test]
fn r8_nothing_precedes_joins_answer_and_the_players_own_ship_is_spawned_too_with_its_seat_as_id_by_c8() {
    let mut server = Server::quiet(2);
    server.send(41, FromClient::Join);
    server.send(42, FromClient::Drop);
    server.flush();
    assert_eq!(server.said(), Vec::<Vec<u8>>::new(), "the answer needs a Frame");
    server.tick();
    let said = server.said();
    // C8: the player's ENTITY_ID is the seat. Its ship starts at (64, 82), times four.
    let place = [0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 1, 0x48];
    let header = [0x4c, 0, 0, 0, 0, 0, 0, 0, 31, 0, 0, 0, 0, 0, 0, 0, 41];
    let answer = [&header[..], &[0, 0, 0, 0, 0, 0, 0, 2], &place, b"endless"].concat();
    assert_eq!(said[0], answer);
    let spawned = bodies(&said, |body| matches!(body, FromServer::Spawn { entity_id: 2, .. }));
    let FromServer::Spawn { entity_json, .. } = spawned[0].1 else { panic!("filtered") };
    assert_eq!(entity_json.as_str(), r#"{"kind":"player","x":256,"y":328,"health":1,"seat":2}"#);
    // A request before the answer is not confirmed: it is asked again.
    assert!(bodies(&said, |body| matches!(body, FromServer::Confirm(_))).is_empty());
}

#[test]
fn r2_a_join_repeated_gets_the_same_answer_and_nothing_new() {
    let mut server = Server::quiet(0);
    server.send(41, FromClient::Join);
    server.tick();
    let first = server.said().swap_remove(0);
    server.send(60, FromClient::Move { entity_id: 0, direction: Direction::Right, state: true });
    server.run_ms(300);
    server.sent.clear();
    server.send(41, FromClient::Join);
    server.tick();
    let said = server.said();
    assert_eq!(said[0], first, "though the ship has moved");
    assert!(bodies(&said, |body| matches!(body, FromServer::Spawn { .. })).is_empty());
}

#[test]
fn of_several_joins_before_the_answer_the_newest_is_answered() {
    let mut server = Server::quiet(0);
    [41, 43, 42].into_iter().for_each(|timestamp| server.send(timestamp, FromClient::Join));
    server.tick();
    let said = server.said();
    let answers = bodies(&said, |body| matches!(body, FromServer::Join { .. }));
    assert_eq!(answers.iter().map(|answer| answer.0).collect::<Vec<_>>(), [43]);
}

#[test]
fn r14_a_newer_join_keeps_the_seat_and_what_is_held_and_is_told_everything_again() {
    let mut server = Server::joined(0);
    server.send(80, FromClient::Move { entity_id: 0, direction: Direction::Right, state: true });
    server.tick();
    server.sent.clear();
    server.scene.stage_name = "stage2".into();
    server.send(90, FromClient::Join);
    server.tick();
    server.tick();
    assert_eq!(server.input.held, Buttons::RIGHT, "nothing of the player changes");
    let said = server.said();
    let FromServer::Join { entity_id: 0, map_name, .. } = read(&said[0]).body else { panic!("{:?}", read(&said[0])) };
    assert_eq!(map_name.as_str(), "stage2", "the map of now");
    assert_eq!(bodies(&said, |body| matches!(body, FromServer::Spawn { entity_id: 0, .. })).len(), 1);
    assert_eq!(bodies(&said, |body| matches!(body, FromServer::GameState { .. })).len(), 1);
}

#[test]
fn r14_what_goes_while_a_seated_client_joins_again_is_destroyed_for_it() {
    let mut server = Server::joined(0);
    let far = game::Vec2::new(game::px(400), game::px(40));
    let drone = server.world.spawn(game::Kind::Drone, far).expect("there is room");
    server.tick();
    let entity_id = u64::from(drone.0) + 3;
    let is_spawn = |body: &FromServer| matches!(body, FromServer::Spawn { entity_id: id, .. } if *id == entity_id);
    assert_eq!(bodies(&server.said(), is_spawn).len(), 1);
    // It goes in the very tick in which everything is said again.
    server.send(90, FromClient::Join);
    server.world.enter(Stage::sketch(&[]));
    server.tick();
    let said = server.said();
    assert_eq!(bodies(&said, |body| *body == FromServer::Destroy { entity_id }).len(), 1, "it would stay for ever");
}

#[test]
fn r14_what_goes_before_its_repeated_spawn_left_is_destroyed_for_the_client_that_knew_it() {
    let mut server = Server::joined(0);
    let far = game::Vec2::new(game::px(400), game::px(40));
    let drone = server.world.spawn(game::Kind::Drone, far).expect("there is room");
    server.tick();
    let entity_id = u64::from(drone.0) + 3;
    server.sent.clear();
    server.send(90, FromClient::Join);
    // Everything is told again, but no datagram leaves before the drone is gone.
    server.publish();
    server.world.enter(Stage::sketch(&[]));
    server.tick();
    let said = server.said();
    assert!(
        bodies(&said, |body| matches!(body, FromServer::Spawn { entity_id: id, .. } if *id == entity_id)).is_empty()
    );
    assert_eq!(
        bodies(&said, |body| *body == FromServer::Destroy { entity_id }).len(),
        1,
        "the first SPAWN was confirmed"
    );
}

// ---- Requests ----

#[test]
fn r2_requests_are_repeated_until_confirmed_with_the_same_bytes() {
    let mut server = Server::quiet(0);
    server.confirms = false;
    server.send(1, FromClient::Join);
    server.tick();
    let begin = server.now;
    server.run_ms(1500);
    let is_spawn = |bytes: &[u8]| bytes[0] == 0x05;
    let spawns: Vec<_> = server.sent.iter().filter(|(_, bytes)| is_spawn(bytes)).collect();
    let times: Vec<u128> = spawns.iter().map(|(at, _)| at.since(begin).as_millis()).collect();
    assert_eq!(times.len(), 4, "{times:?}");
    for (time, expected) in times.iter().zip([0, 200, 600, 1400]) {
        // Up to a tick late each time, and it adds up.
        assert!((expected..expected + 60).contains(time), "{times:?}");
    }
    assert!(spawns.iter().all(|(_, bytes)| *bytes == spawns[0].1));
    let timestamp = read(&spawns[0].1).creation_timestamp;
    server.send(timestamp, FromClient::Confirm(Method::Spawn));
    server.sent.clear();
    server.run_ms(1500);
    assert!(server.sent.iter().all(|(_, bytes)| !is_spawn(bytes)));
}

#[test]
fn r2_timestamps_strictly_increase_over_all_first_sendings() {
    let mut server = Server::new(Stage::endless(), 0);
    server.send(1, FromClient::Join);
    server.world.start();
    server.run_ms(3000);
    let said = server.said();
    let requests = bodies(&said, |body| method(body).is_some() || matches!(body, FromServer::Position { .. }));
    assert!(requests.len() > 100);
    assert!(requests.windows(2).all(|pair| pair[0].0 < pair[1].0));
}

#[test]
fn r2_a_repeated_request_is_confirmed_again_and_not_carried_out_again() {
    let mut server = Server::joined(0);
    let shoot = FromClient::Shoot { entity_id: 0 };
    server.send(100, shoot);
    server.tick();
    let said = server.said();
    let first = bodies(&said, is_shoot);
    let [(100, FromServer::Shoot { is_valid: true, entity_id })] = first[..] else { panic!("{first:?}") };
    assert!(entity_id >= 4);
    server.run_ms(200);
    server.sent.clear();
    server.send(100, shoot);
    server.run_ms(200);
    let said = server.said();
    assert_eq!(bodies(&said, is_shoot), [(100, FromServer::Shoot { is_valid: true, entity_id })]);
    assert!(bodies(&said, |body| matches!(body, FromServer::Spawn { .. })).is_empty(), "no second shot");
}

#[test]
fn r2_every_request_is_confirmed_by_a_header_with_its_timestamp() {
    let mut server = Server::joined(0);
    let requests = [
        (FromClient::GameState { state: State::Running }, 0x42),
        (FromClient::Move { entity_id: 0, direction: Direction::Up, state: true }, 0x44),
        (FromClient::Drop, 0x48),
        (FromClient::Charge { entity_id: 0 }, 0x49),
    ];
    for (index, (body, first_byte)) in requests.into_iter().enumerate() {
        let timestamp = 0x50 + index as u8;
        for _ in 0..2 {
            server.send(timestamp.into(), body);
            server.flush();
            let header = [first_byte, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, timestamp];
            assert_eq!(server.said(), [header]);
        }
    }
}

#[test]
fn r2_and_r7_five_seconds_without_a_sign_of_life_end_the_session_with_game_state_4_once() {
    let mut server = Server::joined(0);
    server.confirms = false;
    server.run_ms(4800);
    assert_eq!(server.status(), Status::Playing);
    server.run_ms(300);
    assert_eq!(server.status(), Status::Ended(End::TimedOut));
    let said = server.said();
    let last = said.last().unwrap();
    assert_eq!((last[0], last[8], last[17]), (0x02, 1, 4));
    let timeouts = bodies(&said, |body| matches!(body, FromServer::GameState { state: State::Timeout }));
    assert_eq!(timeouts.len(), 1);
    server.run_ms(3000);
    assert_eq!(server.said(), Vec::<Vec<u8>>::new());
}

#[test]
fn r7_any_valid_message_is_a_sign_of_life_and_a_malformed_one_is_not() {
    let mut server = Server::joined(0);
    server.confirms = false;
    for stamp in 0..8 {
        server.run_ms(1000);
        server.send(500 + stamp, FromClient::Charge { entity_id: 3 });
    }
    assert_eq!(server.status(), Status::Playing);
    for _ in 0..8 {
        server.run_ms(1000);
        assert!(server.send_bytes(&[0x0d; 9]).is_err());
    }
    assert_eq!(server.status(), Status::Ended(End::TimedOut));
}

#[test]
fn r2_a_confirmation_may_be_more_than_a_header() {
    let mut server = Server::joined(0);
    server.confirms = false;
    for _ in 0..8 {
        server.run_ms(1000);
        for said in server.said() {
            // The same bytes, said as a response.
            let echo = [&[said[0] | 0x40], &said[1..]].concat();
            let is_request = said[0] & 0xc0 == 0 && said[0] != Method::Position as u8;
            assert!(!is_request || server.send_bytes(&echo).is_ok(), "{echo:02x?}");
        }
    }
    assert_eq!(server.status(), Status::Playing, "its echoes are signs of life");
}

#[test]
fn r7_the_state_is_said_once_a_second_as_a_confirmed_request_and_at_once_when_it_changes() {
    let mut server = Server::joined(0);
    server.run_ms(10_000);
    let said = server.said();
    let states = bodies(&said, |body| matches!(body, FromServer::GameState { state: State::AwaitingStart }));
    assert!((9..=11).contains(&states.len()), "{}", states.len());
    server.send(600, FromClient::GameState { state: State::Running });
    server.tick();
    let said = server.said();
    assert_eq!(bodies(&said, |body| matches!(body, FromServer::GameState { state: State::Running })).len(), 1);
}

#[test]
fn r7_only_the_newest_state_is_repeated() {
    let mut server = Server::joined(0);
    server.confirms = false;
    server.send(600, FromClient::GameState { state: State::Running });
    server.run_ms(3000);
    let said = server.said();
    let states = bodies(&said, |body| matches!(body, FromServer::GameState { .. }));
    assert!(states.windows(2).all(|pair| pair[0].0 <= pair[1].0), "no older one after a newer one");
}

#[test]
fn r7_a_player_who_holds_a_waiting_lobby_for_five_minutes_is_timed_out() {
    let mut server = Server::joined(0);
    server.run_ms(299_000);
    assert_eq!(server.status(), Status::Playing);
    server.run_ms(1_500);
    assert_eq!(server.status(), Status::Ended(End::TimedOut));
    assert_eq!(server.said().last().unwrap()[17], 4);
}

#[test]
fn r7_game_state_1_asks_for_the_start_once() {
    let mut server = Server::joined(0);
    let state = State::Running;
    server.send(10, FromClient::GameState { state: State::AwaitingStart });
    assert_eq!(server.session.request(), None);
    server.send(12, FromClient::GameState { state });
    assert_eq!(server.session.request(), Some(Request::Start));
    server.send(12, FromClient::GameState { state });
    server.send(11, FromClient::GameState { state });
    assert_eq!(server.session.request(), None, "repeated, and older than the newest");
}

#[test]
fn r15_game_state_0_from_a_client_is_confirmed_and_changes_nothing() {
    let mut server = Server::joined(0);
    for starts in [false, true] {
        if starts {
            server.send(35, FromClient::GameState { state: State::Running });
            server.run_ms(100);
        }
        let before = server.world.game_state();
        server.sent.clear();
        server.send(30 + 10 * u64::from(starts), FromClient::GameState { state: State::AwaitingStart });
        server.run_ms(1500);
        let said = server.said();
        let confirmed = bodies(&said, |body| *body == FromServer::Confirm(Method::GameState));
        assert_eq!(confirmed.len(), 1);
        assert_eq!((server.world.game_state(), server.status()), (before, Status::Playing));
        let states = bodies(&said, |body| matches!(body, FromServer::GameState { .. }));
        let wire = if starts { State::Running } else { State::AwaitingStart };
        assert!(!states.is_empty() && states.iter().all(|(_, body)| *body == FromServer::GameState { state: wire }));
    }
    assert_eq!(server.world.game_state(), game::GameState::Running);
}

#[test]
fn r7_a_game_that_is_lost_is_told_as_game_state_3() {
    let mut server = Server::joined(0);
    server.send(20, FromClient::GameState { state: State::Running });
    let mut states = Vec::new();
    // Drones at the ship's place, until its last life is gone.
    for tick in 0..6_000 {
        let ship = server.world.frame().ship(game::Seat::ALL[0]).map(|ship| ship.position);
        if let Some(position) = ship.filter(|_| tick % 30 == 0) {
            server.world.spawn(game::Kind::Drone, position);
        }
        server.tick();
        let said = server.said();
        states.extend(bodies(&said, |body| matches!(body, FromServer::GameState { .. })).iter().map(|(_, body)| {
            let FromServer::GameState { state } = body else { panic!("filtered") };
            *state
        }));
        if states.last() == Some(&State::Lost) {
            break;
        }
    }
    states.dedup();
    assert_eq!(states, [State::Running, State::Lost]);
    assert_eq!(server.world.game_state(), game::GameState::Lost);
}

#[test]
fn r9_a_shoot_that_the_rules_forbid_is_not_valid_and_its_answer_stays_the_same() {
    let mut server = Server::joined(0);
    server.send(100, FromClient::Shoot { entity_id: 0 });
    server.send(101, FromClient::Shoot { entity_id: 0 });
    server.run_ms(100);
    let said = server.said();
    let shots = bodies(&said, is_shoot);
    assert!(matches!(shots[0], (100, FromServer::Shoot { is_valid: true, .. })));
    // The next tick is within the gun's cooldown.
    assert_eq!(shots[1], (101, FromServer::Shoot { is_valid: false, entity_id: 0 }));
    server.run_ms(500);
    server.sent.clear();
    server.send(101, FromClient::Shoot { entity_id: 0 });
    server.flush();
    assert_eq!(server.said(), [[&[0x4a, 0, 0, 0, 0, 0, 0, 0, 9][..], &101u64.to_be_bytes(), &[0; 9]].concat()]);
}

#[test]
fn r9_charge_then_shoot_fires_a_beam_which_everyone_sees_spawn() {
    let mut server = Server::joined(0);
    server.send(100, FromClient::Charge { entity_id: 0 });
    server.run_ms(2000);
    assert_eq!(server.input.held, Buttons::CHARGE);
    server.sent.clear();
    server.send(101, FromClient::Shoot { entity_id: 0 });
    server.tick();
    let said = server.said();
    let [(101, FromServer::Shoot { is_valid: true, entity_id: shot })] = bodies(&said, is_shoot)[..] else { panic!() };
    let spawns = bodies(&said, |body| matches!(body, FromServer::Spawn { entity_id, .. } if *entity_id == shot));
    let FromServer::Spawn { entity_json, .. } = spawns[0].1 else { panic!("filtered") };
    assert!(entity_json.as_str().starts_with(r#"{"kind":"beam","#), "{}", entity_json.as_str());
    assert!(entity_json.as_str().ends_with(r#","seat":0,"owner":0}"#));
}

#[test]
fn r11_a_message_about_another_entity_is_confirmed_and_not_carried_out() {
    let mut server = Server::joined(1);
    server.send(50, FromClient::Move { entity_id: 0, direction: Direction::Right, state: true });
    server.send(51, FromClient::Charge { entity_id: 4 });
    server.send(52, FromClient::Shoot { entity_id: 0 });
    server.send(53, FromClient::Leave { entity_id: 0 });
    server.tick();
    assert_eq!(server.input, game::Input::IDLE);
    assert_eq!(server.status(), Status::Playing);
    let said = server.said();
    let answers: Vec<_> = said.iter().map(|bytes| (bytes[0], bytes[16])).filter(|answer| answer.0 >= 0x40).collect();
    assert_eq!(answers, [(0x44, 50), (0x49, 51), (0x4a, 52), (0x4d, 53)]);
    assert_eq!(bodies(&said, is_shoot), [(52, FromServer::Shoot { is_valid: false, entity_id: 0 })]);
}

#[test]
fn leave_is_confirmed_and_ends_the_session() {
    let mut server = Server::joined(1);
    server.send(50, FromClient::Leave { entity_id: 1 });
    assert_eq!(server.status(), Status::Ended(End::Left));
    server.flush();
    assert_eq!(server.said(), [[0x4d, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 50]]);
}

#[test]
fn c7_bad_bytes_are_dropped_and_never_answered() {
    let mut server = Server::joined(0);
    let good = bytes_of(9, FromClient::Charge { entity_id: 0 });
    let longer = [&good[..], &[0]].concat();
    let mut wrong_size = good.clone();
    wrong_size[8] = 7;
    // R4: BODY_SIZE other than the rest of the datagram; then what belongs on TCP, what is the server's, and noise.
    for bytes in [&longer[..], &wrong_size, &bytes_of(1, create("x")), &[0x03; 41], b"", b"\xff\xff"] {
        assert!(server.send_bytes(bytes).is_err(), "{bytes:x?}");
    }
    server.flush();
    assert_eq!(server.said(), Vec::<Vec<u8>>::new());
    assert_eq!(server.status(), Status::Playing);
}

#[test]
fn r1_and_r3_type_is_in_the_high_bits_and_a_datagram_is_one_message() {
    let mut server = Server::joined(0);
    let (charge, drop) = (bytes_of(9, FromClient::Charge { entity_id: 0 }), bytes_of(10, FromClient::Drop));
    assert_eq!((charge[0], drop[0]), (0x09, 0x08));
    assert!(server.send_bytes(&[charge.clone(), drop.clone()].concat()).is_err());
    assert_eq!(server.send_bytes(&charge), Ok(()));
    assert_eq!(server.send_bytes(&drop), Ok(()));
    server.flush();
    let said = server.said();
    assert_eq!(said.iter().map(|bytes| (bytes[0], bytes.len())).collect::<Vec<_>>(), [(0x49, 17), (0x48, 17)]);
}

#[test]
fn c2_no_datagram_is_above_1200_bytes_even_with_the_longest_stage_name() {
    let mut server = Server::new(Stage::endless(), 0);
    server.scene.stage_name = "s".repeat(255);
    server.send(1, FromClient::Join);
    server.world.start();
    server.run_ms(20_000);
    let longest = server.said().iter().map(Vec::len).max();
    assert_eq!(longest, Some(17 + 24 + 255), "JOIN's answer");
}

#[test]
fn c6_an_unreachable_peer_is_told_nothing_and_one_that_the_node_ends_is_told_game_state_4() {
    for (why, last_words) in [(End::Unreachable, 0), (End::Closed, 1)] {
        let mut server = Server::joined(0);
        server.session.end(server.now, why);
        assert_eq!(server.status(), Status::Ended(why));
        server.flush();
        let said = server.said();
        assert_eq!(said.len(), last_words);
        assert!(said.iter().all(|bytes| bytes[0] == 0x02 && bytes[17] == 4));
    }
}

#[test]
fn r8_a_session_that_ends_before_joins_answer_ends_without_a_word() {
    let mut server = Server::quiet(0);
    server.send(1, FromClient::Join);
    server.session.advance(after_s(5));
    assert_eq!(server.status(), Status::Ended(End::TimedOut));
    server.flush();
    assert_eq!(server.said(), Vec::<Vec<u8>>::new());
}

#[test]
fn a_peer_that_confirms_nothing_is_let_go_before_it_fills_our_memory() {
    let mut server = Server::quiet(0);
    server.confirms = false;
    server.send(1, FromClient::Join);
    server.world.start();
    server.tick();
    let mut stamp = 10;
    // Every shot leaves a DESTROY unconfirmed; and every SHOOT is a sign of life.
    while server.status() == Status::Playing {
        server.run_ms(100);
        stamp += 1;
        server.send(stamp, FromClient::Shoot { entity_id: 0 });
        server.sent.clear();
        assert!(stamp < 3000, "it was never let go");
    }
    assert_eq!(server.status(), Status::Ended(End::TimedOut));
    assert!(stamp > 500, "it was not silent");
}
