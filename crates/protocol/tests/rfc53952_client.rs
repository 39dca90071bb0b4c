//! The rulings that the client's half of `rfc53952` decides, and those that both halves share.

use game::{Buttons, Entity, EntityId, GameState, Input, Kind, Seat, Vec2, px};
use protocol::rfc53952::ENTRY;
use protocol::rfc53952::wire::{FromClient, FromServer, PacketType};
use protocol::{End, Status};

mod peers_rfc53952;
use peers_rfc53952::validation_of;
use peers_rfc53952::{Joined, Served, T, at, client_bytes, create, event, of_type, server_bytes, ship, update};

#[test]
fn f5_a_refusal_is_a_hi_client_with_one_byte_0() {
    let moment = protocol::NodeTime { now: at(0), started: at(0) };
    let answers = (ENTRY.refuse)(moment, &mut protocol::Numbers::default(), &client_bytes(T, FromClient::HiServer));
    let [validation, refusal] = &answers[..] else { panic!("two datagrams: {answers:?}") };
    assert_eq!(validation[..5], [24, 0, 0, 0, 10], "F4: a HiServer is validated, also a refused one");
    assert_eq!(validation[15..], [&[1][..], &T.to_le_bytes()].concat());
    assert_eq!(*refusal, [&[16, 0, 0, 0, 2][..], &T.to_le_bytes(), &[1, 0, 0]].concat());
    let mut joined = Joined::new();
    joined.said(0);
    joined.hear(10, refusal);
    assert_eq!(joined.0.status(), Status::Ended(End::Full));
    let validation = FromClient::PacketValidation { packet_type: PacketType::HiClient, packet_timestamp: T };
    assert_eq!(joined.said(10), [client_bytes(T, validation)]);
    assert!(joined.said(2_000).is_empty(), "no more HiServer");
}

#[test]
fn f4_the_client_repeats_hi_server_until_hi_client_comes_validated_or_not() {
    let mut joined = Joined::new();
    let hello = client_bytes(T, FromClient::HiServer);
    assert_eq!(joined.said(0), std::slice::from_ref(&hello));
    joined.validate(1, std::slice::from_ref(&hello));
    let is_hello = |said: Vec<Vec<u8>>| said.contains(&hello);
    let times: Vec<u64> = (1..4_000).filter(|&ms| is_hello(joined.said(ms))).collect();
    assert_eq!(times, [250, 750, 1_750, 2_750, 3_750]);
    joined.hear(4_000, &server_bytes(T + 4, FromServer::HiClient { accepted: true }));
    assert!(!(4_000..7_900).any(|ms| is_hello(joined.said(ms))));
    assert_eq!(joined.0.status(), Status::Playing);
}

#[test]
fn f6_a_client_whose_group_was_lost_says_its_keys_again_in_the_next_second() {
    let mut joined = Joined::playing();
    assert_eq!(joined.press(900, Input::holding(Buttons::LEFT)), [event(T, 1, "left")]);
    assert_eq!(joined.press(1_000, Input::holding(Buttons::LEFT)), [event(T + 1, 1, "left")]);
    joined.validate(1_010, &[event(T, 1, "left"), event(T + 1, 1, "left")]);
    assert!((1_020..4_000).all(|ms| joined.press(ms, Input::holding(Buttons::LEFT)).is_empty()));
}

#[test]
fn f6_what_changed_in_a_second_is_said_once_more_in_the_next() {
    let mut joined = Joined::playing();
    let mut said = joined.press(100, Input::holding(Buttons::LEFT));
    said.extend(joined.press(200, Input::IDLE));
    said.extend(joined.press(300, Input::holding(Buttons::LEFT)));
    assert_eq!(said, [event(T, 1, "left"), event(T, 1, "-left"), event(T, 1, "left")]);
    joined.validate(310, &said);
    let again = joined.press(1_000, Input::holding(Buttons::LEFT));
    assert_eq!(again, [event(T + 1, 1, "left")]);
    // However the first three were reordered and repeated, the server ends with what is held.
    let mut served = Served::playing();
    for index in [2, 0, 1, 1] {
        served.hear(900, &said[index]);
    }
    assert_eq!(served.input().held, Buttons::NONE);
    served.hear(1_010, &again[0]);
    served.hear(1_020, &said[1]);
    assert_eq!(served.input().held, Buttons::LEFT);
}

#[test]
fn f6_two_presses_of_the_force_are_said_in_two_seconds() {
    let mut joined = Joined::playing();
    assert_eq!(joined.press(100, Input::tapping(Buttons::FORCE)), [event(T, 3, "")]);
    joined.validate(110, &[event(T, 3, "")]);
    assert!(joined.press(200, Input::tapping(Buttons::FORCE)).is_empty());
    assert_eq!(joined.press(1_000, Input::IDLE), [event(T + 1, 3, "")]);
}

#[test]
fn f6_a_force_that_is_not_validated_keeps_later_events_from_making_it_old() {
    let mut joined = Joined::playing();
    joined.press(950, Input::tapping(Buttons::FORCE));
    assert_eq!(joined.press(1_050, Input::holding(Buttons::UP)), [event(T, 1, "up")]);
    joined.validate(1_060, &[event(T, 3, ""), event(T, 1, "up")]);
    assert_eq!(joined.press(1_070, Input::IDLE), [event(T + 1, 1, "-up")]);
}

#[test]
fn a_client_asks_for_the_start() {
    let mut joined = Joined::playing();
    joined.0.start(at(10));
    assert_eq!(joined.press(20, Input::IDLE), [event(T, 4, "")]);
}

#[test]
fn f4_a_client_validates_what_it_knows_already_and_ignores_it() {
    let mut joined = Joined::playing();
    let packets = [create(T, 7, "drone", 40., 80.), update(T, 7, "health = 9")];
    for packet in packets.iter().chain(&packets) {
        joined.hear(10, packet);
        assert_eq!(joined.said(10), [validation_of(packet, T)]);
    }
    let moved = FromServer::MoveEntity { network_id: 7, x: 80., y: 80., direction_x: 0., direction_y: 0. };
    joined.hear(20, &server_bytes(T, moved));
    joined.hear(30, &packets[0]);
    let drone = Entity { health: 9, health_max: 9, ..Entity::new(EntityId(7), Kind::Drone, Vec2::new(px(20), px(20))) };
    assert_eq!(joined.frame().entities, [drone]);
}

#[test]
fn f4_bytes_that_are_not_text_are_validated_and_mean_nothing() {
    let mut client = Joined::playing();
    let spoil = |mut bytes: Vec<u8>, at: usize| {
        bytes[at] = 0xff;
        bytes
    };
    let unreadable = [spoil(create(T, 7, "drone", 8.0, 8.0), 20), spoil(update(T, 7, "health = 3"), 20)];
    for bytes in &unreadable {
        client.hear(10, bytes);
    }
    let said = client.said(20);
    for bytes in &unreadable {
        let validation = validation_of(bytes, T);
        assert!(said.contains(&validation), "{bytes:02x?} comes again for ever");
    }
    let seen = client.frame().entities;
    assert_eq!(seen.iter().map(|entity| (entity.kind, entity.health)).collect::<Vec<_>>(), [(Kind::Debris, 0)]);
}

#[test]
fn f4_an_update_of_an_unknown_entity_is_kept_until_it_is_created() {
    let mut joined = Joined::playing();
    joined.hear(10, &update(T, 7, "seat = 2"));
    joined.hear(10, &update(T, 7, "own = 1"));
    joined.hear(10, &update(T, 7, "lives = 2"));
    assert_eq!((joined.0.seat(), joined.frame().entities.len()), (None, 0));
    joined.hear(20, &create(T, 7, "player", 0., 0.));
    let frame = joined.frame();
    assert_eq!(joined.0.seat(), Some(Seat::ALL[2]));
    assert_eq!(frame.ship(Seat::ALL[2]).map(|ship| ship.lives), Some(2));
    assert_eq!(frame.players[2].map(|player| (player.ship, player.lives)), Some((Some(EntityId(7)), 2)));
}

#[test]
fn f4_a_create_of_a_destroyed_id_is_validated_and_ignored_even_when_it_comes_first_after_its_destroy() {
    let mut joined = Joined::playing();
    joined.hear(10, &server_bytes(T, FromServer::DestroyEntity { network_id: 7 }));
    joined.hear(10, &create(T, 7, "drone", 0., 0.));
    assert_eq!(joined.said(10).len(), 2);
    assert!(joined.frame().entities.is_empty());
}

#[test]
fn an_update_older_than_the_newest_changes_nothing() {
    let mut joined = Joined::playing();
    joined.hear(10, &create(T, 7, "drone", 0., 0.));
    joined.hear(10, &update(T + 1, 7, "health = 3"));
    joined.hear(10, &update(T, 7, "health = 8"));
    joined.hear(10, &update(T + 1, 0, "score = 200"));
    joined.hear(10, &update(T, 0, "score = 100"));
    joined.hear(10, &update(T, 0, "state = running"));
    let frame = joined.frame();
    assert_eq!((frame.entities[0].health, frame.score, frame.state), (3, 200, GameState::Running));
}

#[test]
fn a_move_older_than_the_newest_changes_nothing() {
    let mut joined = Joined::playing();
    joined.hear(0, &create(T, 7, "drone", 0., 0.));
    let moved = |x| FromServer::MoveEntity { network_id: 7, x, y: 0., direction_x: 0., direction_y: 0. };
    joined.hear(0, &server_bytes(T + 1, moved(40.)));
    joined.hear(0, &server_bytes(T, moved(80.)));
    assert_eq!(joined.frame().entities[0].position.x, px(10));
}

#[test]
fn f8_between_two_moves_an_entity_flies_on_with_its_velocity() {
    let mut joined = Joined::playing();
    joined.hear(0, &create(T, 7, "shot", 0., 0.));
    let moved = FromServer::MoveEntity { network_id: 7, x: 40., y: 0., direction_x: 240., direction_y: -120. };
    joined.hear(0, &server_bytes(T, moved));
    joined.said(100);
    assert_eq!(joined.frame().entities[0].position, Vec2::new(px(10 + 6), -px(3)));
    joined.said(3_900);
    assert_eq!(joined.frame().entities[0].position.x, px(10 + 30), "half a second and no further");
}

#[test]
fn a_foreign_server_may_say_anything() {
    let mut joined = Joined::playing();
    joined.hear(0, &create(T, u32::MAX, "assets/prefabs/drone.yaml", f32::MAX, f32::MIN));
    joined.hear(0, &create(T, 8, "teapot", -0., 1e30));
    let moved = FromServer::MoveEntity { network_id: 8, x: f32::MAX, y: 0., direction_x: f32::MIN, direction_y: 1e-40 };
    joined.hear(0, &server_bytes(u64::MAX, moved));
    (0..20_000).for_each(|id| joined.hear(0, &update(u64::MAX, id, "lives = 255")));
    (0..20_000).for_each(|id| joined.hear(0, &create(0, 100 + id, "mine", 0., 0.)));
    (0..20_000).for_each(|id| joined.hear(0, &server_bytes(T, FromServer::DestroyEntity { network_id: 100 + id })));
    joined.said(400);
    let frame = joined.frame();
    let kinds: Vec<Kind> = frame.entities.iter().map(|entity| entity.kind).collect();
    assert_eq!(kinds, [Kind::Debris, Kind::Drone]);
}

#[test]
fn f8_a_ping_each_second_each_way() {
    let (mut served, mut joined) = (Served::new(), Joined::playing());
    served.hear(0, &client_bytes(T, FromClient::HiServer));
    let hi_client = served.said(0).remove(0);
    served.hear(0, &validation_of(&hi_client, T));
    joined.hear(0, &server_bytes(T, FromServer::Ping));
    let (mut from_server, mut from_client) = (Vec::new(), Vec::new());
    for ms in (0..=3_000).step_by(10) {
        served.hear(ms, &client_bytes(T, FromClient::Ping));
        joined.hear(ms, &server_bytes(T, FromServer::Ping));
        from_server.extend(of_type(&served.said(ms), PacketType::Ping));
        from_client.extend(of_type(&joined.said(ms), PacketType::Ping));
    }
    assert_eq!(from_server, [0, 1, 2, 3].map(|second| server_bytes(T + second, FromServer::Ping)));
    assert_eq!(from_client, [1, 2, 3].map(|second| client_bytes(T + second, FromClient::Ping)), "after the first");
}

#[test]
fn f8_four_seconds_of_silence_end_it_on_both_sides() {
    let (mut served, mut joined) = (Served::playing(), Joined::playing());
    served.hear(1_000, &client_bytes(T, FromClient::Ping));
    joined.hear(1_000, &server_bytes(T, FromServer::Ping));
    served.said(5_000);
    joined.said(5_000);
    assert_eq!((served.session.status(), joined.0.status()), (Status::Playing, Status::Playing));
    served.said(5_001);
    joined.said(5_001);
    let ended = Status::Ended(End::TimedOut);
    assert_eq!((served.session.status(), joined.0.status()), (ended, ended));
    assert!(served.show(5_300, &[ship()]).is_empty() && joined.press(5_300, Input::tapping(Buttons::FIRE)).is_empty());
}

#[test]
fn a_client_gives_up_on_a_server_that_never_answers() {
    let mut joined = Joined::new();
    joined.said(9_900);
    assert_eq!(joined.0.status(), Status::Opening);
    joined.said(10_100);
    assert_eq!(joined.0.status(), Status::Ended(End::TimedOut));
}

#[test]
fn f4_adios_is_validated_by_the_server_and_repeated_by_the_client_until_then() {
    let (mut served, mut joined) = (Served::playing(), Joined::playing());
    joined.0.leave(at(100));
    let adios = client_bytes(T, FromClient::AdiosServer);
    assert_eq!(joined.0.status(), Status::Leaving);
    assert_eq!(joined.said(100), std::slice::from_ref(&adios));
    assert_eq!(joined.said(350), std::slice::from_ref(&adios));
    served.hear(360, &adios);
    assert_eq!(served.session.status(), Status::Ended(End::Left));
    let said = served.said(360);
    let validation = FromServer::PacketValidation { packet_type: PacketType::AdiosServer, packet_timestamp: T };
    assert_eq!(said, [server_bytes(T, validation)]);
    assert_eq!(joined.0.status(), Status::Leaving);
    joined.hear(370, &said[0]);
    assert_eq!(joined.0.status(), Status::Ended(End::Left));
    assert!((400..3_000).all(|ms| joined.said(ms).is_empty()));
}

#[test]
fn f4_an_adios_that_is_never_validated_is_given_up_after_two_seconds() {
    let mut joined = Joined::playing();
    joined.0.leave(at(100));
    joined.said(2_000);
    assert_eq!(joined.0.status(), Status::Leaving);
    joined.said(2_101);
    assert_eq!(joined.0.status(), Status::Ended(End::Left));
}

#[test]
fn c6_a_session_can_be_ended_from_outside() {
    let mut served = Served::playing();
    served.session.end(at(10), End::Unreachable);
    assert_eq!(served.session.status(), Status::Ended(End::Unreachable));
    assert!((10..2_000).all(|ms| served.said(ms).is_empty()));
}
