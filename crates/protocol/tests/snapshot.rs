//! The rulings of `snapshot`, S1 to S9, and the common ones that its sessions decide, in the bytes that a peer sees.

use game::{Buttons, Entity, EntityId, Event, Frame, Input, Kind, Seat, px};
use protocol::{
    Channel, End, Malformed, Scene, Status, Welcome,
    amplification::Proof,
    snapshot::{
        ENTRY,
        wire::{self, Action, FromServer, Header, SnapshotWriter},
    },
};

mod snapshot_halves;
use snapshot_halves::*;

// ---- Joining ----

#[test]
fn s7_join_is_answered_with_the_player_id_and_snapshots_follow() {
    let mut server = joined(2, "Ann");
    assert_eq!(drain(&mut server, START), [hex("08 0000 00000000 02")]);
    assert_eq!(server.status(), Status::Playing);
    server.publish(START, &Scene::new("endless"));
    assert_eq!(drain(&mut server, START), [hex("10 0001 00000000")]);
    assert!(!server.is_proved(), "C5: nothing is echoed");
    assert_eq!((ENTRY.port, ENTRY.proof), (4243, Proof::Nothing));
}

#[test]
fn a_second_join_is_answered_with_the_assigned_player_id() {
    let mut server = joined(2, "Ann");
    drain(&mut server, START);
    server.receive(START, Channel::Datagram, &join("Somebody else")).unwrap();
    assert_eq!(drain(&mut server, START), [hex("08 0001 00000000 02")]);
}

#[test]
fn nothing_is_said_before_join_is_answered() {
    let mut server = (ENTRY.accept)(welcome(0));
    server.publish(START, &Scene::new("endless"));
    input(&mut server, 0, 0x27, Action::KeyDown);
    assert_eq!(drain(&mut server, START), Vec::<Vec<u8>>::new());
    assert_eq!((server.status(), server.input(START)), (Status::Opening, Input::IDLE));
}

#[test]
fn only_a_join_asks_for_a_seat_and_a_full_node_answers_255() {
    // The node has been up for 258 ms.
    let started = START - std::time::Duration::from_millis(0x0102);
    let refused = |datagram: &[u8]| {
        (ENTRY.refuse)(protocol::NodeTime { now: START, started }, &mut protocol::Numbers::from_bits(7), datagram).pop()
    };
    for name in ["Ann", "\u{202e}An\u{200b}n\u{2069}"] {
        let knock = (ENTRY.read_join)(&join(name)).expect("a JOIN").expect("it asks for a seat");
        assert_eq!(knock.into_name(), "Ann", "{name:?}");
    }
    assert_eq!(refused(&join("Ann")), Some(hex("08 0007 00000102 ff")));
    let input = hex("01 0000 00000000 00 26 01");
    assert_eq!((ENTRY.read_join)(&input), Ok(None));
    assert_eq!((ENTRY.read_join)(&hex("01 0000 0000")), Err(Malformed::Runt));
    assert_eq!((refused(&input), refused(&hex("02 00"))), (None, None));
}

#[test]
fn s2_a_username_comes_bare_terminated_padded_or_behind_its_length() {
    for payload in ["426f62", "426f6200", "426f620000000000", "03426f62", "20426f6220"] {
        let knock = (ENTRY.read_join)(&hex(&format!("02 0000 00000000 {payload}")));
        assert_eq!(knock.map(|knock| knock.map(protocol::JoinRequest::into_name)), Ok(Some("Bob".into())), "{payload}");
    }
    assert_eq!((ENTRY.read_join)(&hex("02 0000 00000000 421b62")), Err(Malformed::BadText));
    let mut client = connect("Bob");
    assert_eq!(drain_client(&mut client, START), [hex("02 0000 00000000 426f62")], "we send it bare");
}

#[test]
fn s7_the_client_repeats_join_every_500_ms_until_it_is_answered() {
    let mut client = connect("Ann");
    let mut asked_ms = Vec::new();
    for ms in (0..2000).step_by(10) {
        let joins = drain_client(&mut client, at(ms));
        assert!(joins.iter().all(|datagram| datagram[0] == 2));
        asked_ms.extend(joins.iter().map(|_| ms));
    }
    assert_eq!(asked_ms, [0, 500, 1000, 1500]);
    from_server(&mut client, 2000, 9, FromServer::PlayerIdAssignment { player_id: 3 });
    assert_eq!((client.status(), client.seat()), (Status::Playing, Seat::new(3)));
    assert_eq!(drain_client(&mut client, at(2500)), Vec::<Vec<u8>>::new());
}

#[test]
fn a_refused_client_ends_and_an_unanswered_one_gives_up() {
    let mut client = connect("Ann");
    from_server(&mut client, 0, 0, FromServer::PlayerIdAssignment { player_id: 255 });
    assert_eq!(client.status(), Status::Ended(End::Full));
    let mut client = connect("Ann");
    client.advance(at(29_999));
    assert_eq!(client.status(), Status::Opening);
    client.advance(at(30_000));
    assert_eq!(client.status(), Status::Ended(End::TimedOut));
}

// ---- Playing ----

#[test]
fn s3_both_sets_of_key_codes_press_the_buttons_and_others_are_ignored() {
    let codes = [(0x25, 2), (0x26, 1), (0x27, 3), (0x28, 0), (0x20, 4), (0x10, 0x10)];
    let buttons = [Buttons::LEFT, Buttons::UP, Buttons::RIGHT, Buttons::DOWN, Buttons::FIRE, Buttons::FORCE];
    for ((ours, authors), button) in codes.into_iter().zip(buttons) {
        let mut server = joined(0, "Ann");
        for code in [ours, authors] {
            input(&mut server, 0, code, Action::KeyDown);
            input(&mut server, 0, 0x41, Action::KeyDown);
            assert_eq!(server.input(START), Input { held: button, pressed: button }, "{code:#x}");
            input(&mut server, 0, code, Action::KeyUp);
            assert_eq!(server.input(START), Input::IDLE, "{code:#x}");
        }
    }
}

#[test]
fn s5_an_input_of_another_player_moves_the_endpoints_own() {
    let mut server = joined(1, "Ann");
    input(&mut server, 3, 0x26, Action::KeyDown);
    input(&mut server, 255, 0x27, Action::KeyDown);
    assert_eq!(server.input(START).held, Buttons::UP | Buttons::RIGHT);
    assert_eq!(server.status(), Status::Playing);
}

#[test]
fn c10_a_tap_within_a_tick_is_a_press() {
    let mut server = joined(0, "Ann");
    input(&mut server, 0, 0x20, Action::KeyDown);
    input(&mut server, 0, 0x20, Action::KeyUp);
    assert_eq!(server.input(START), Input::tapping(Buttons::FIRE));
    assert_eq!(server.input(START), Input::IDLE);
}

/// The rectangles' Rect Pos Y, tick by tick, of the only entity in the picture.
fn rows_of(entity: Entity, ticks: u32) -> Vec<f32> {
    let (mut server, mut scene) = (joined(0, "Ann"), Scene::new("endless"));
    drain(&mut server, START);
    let mut row = |tick: u32| {
        scene.frame.tick = game::Tick(100 + tick);
        scene.frame.entities = vec![entity];
        scene.update(at(tick.into()));
        server.publish(at(tick.into()), &scene);
        let sent = drain(&mut server, at(tick.into()));
        let Ok((_, FromServer::Snapshot { entities })) = FromServer::read(&sent[0]) else { panic!("{sent:?}") };
        entities.iter().next().expect("an entity").rect_pos_y
    };
    (0..ticks).map(&mut row).collect()
}

#[test]
fn the_node_moves_from_picture_to_picture() {
    let changes = |entity: Entity, ticks| {
        let mut rows = rows_of(entity, ticks);
        rows.dedup();
        rows
    };
    let entity = |kind| Entity::new(EntityId(1), kind, at_px(100, 100));
    // Four pictures of 14 pixels, at scale 4, seven ticks each, over and over.
    let drone = changes(entity(Kind::Drone), 8 * 7);
    assert!(drone.len() >= 8 && drone.windows(2).all(|pair| pair[1] == (pair[0] + 56.0) % 224.0), "{drone:?}");
    // An explosion begins with the first picture whenever it comes, and ends with the last.
    assert_eq!(changes(entity(Kind::Explosion), 60), [0.0, 96.0, 192.0, 288.0, 384.0, 480.0, 576.0, 672.0]);
    let ship = Entity { seat: Seat::new(2), ..entity(Kind::Player) };
    assert_eq!(changes(ship, 60), [112.0], "it does not blink");
    assert!(changes(Entity { animation: 3, ..ship }, 60).len() > 10, "it blinks");
}

#[test]
fn s4_packet_ids_count_all_types_and_timestamps_are_milliseconds_since_the_node_started() {
    let mut server = (ENTRY.accept)(Welcome { now: at(5000), ..welcome(0) });
    server.receive(at(5000), Channel::Datagram, &join("Ann")).unwrap();
    let mut scene = Scene::new("endless");
    scene.frame.events = vec![killed(1)];
    server.publish(at(5016), &scene);
    let sent = drain(&mut server, at(5016));
    let expected = ["08 0000 00001398 00", "40 0001 00001398 01 01 00", "10 0002 00001398"];
    assert_eq!(sent, expected.map(hex));
    scene.frame.events.clear();
    for tick in 0..70_000u64 {
        server.publish(at(6000), &scene);
        let sent = drain(&mut server, at(6000));
        assert_eq!(FromServer::read(&sent[0]).unwrap().0.packet_id, (tick + 3) as u16, "it wraps");
    }
}

#[test]
fn s4_a_client_drops_an_older_snapshot_by_serial_arithmetic_and_keeps_the_rest() {
    let mut client = seated(0);
    let mut show = |ms, packet_id, x: f32| {
        client.receive(at(ms), Channel::Datagram, &snapshot_of(packet_id, x)).unwrap();
        let mut frame = Frame::default();
        client.take_frame(&mut frame).then(|| frame.entities[0].position.x)
    };
    assert_eq!(show(0, 0xfffe, 4.0), Some(px(1)));
    assert_eq!(show(16, 1, 8.0), Some(px(2)), "0x0001 is newer than 0xfffe");
    assert_eq!(show(17, 0xffff, 6.0), None, "older");
    assert_eq!(show(18, 1, 8.0), Some(px(2)), "as new: servers that do not count are seen too");
    assert_eq!(
        show(2000, 0xffff, 12.0),
        Some(px(3)),
        "a server that counts from the beginning is believed after a second"
    );
    from_server(&mut client, 2001, 0xfff0, FromServer::Killed(loss(2, "Cat")));
    let mut frame = Frame::default();
    assert!(client.take_frame(&mut frame));
    assert!(frame.events.iter().any(|event| matches!(event, Event::Killed { seat, .. } if seat.number() == 2)));
}

#[test]
fn s4_an_older_input_is_carried_out_all_the_same() {
    let mut server = joined(0, "Ann");
    for (packet_id, code) in [("0005", "25"), ("0003", "26")] {
        let datagram = hex(&format!("01 {packet_id} 00000000 00 {code} 01"));
        server.receive(START, Channel::Datagram, &datagram).unwrap();
    }
    assert_eq!(server.input(START).held, Buttons::LEFT | Buttons::UP);
}

#[test]
fn s6_c2_a_snapshot_is_at_most_1024_bytes_and_leaves_out_the_end_of_a_stable_order() {
    let mut scene = Scene::new("endless");
    let kinds = [Kind::Explosion, Kind::SpeedUp, Kind::Shot, Kind::Pellet, Kind::Drone, Kind::Keeper, Kind::Force];
    let crowd = (0..140).map(|index| (kinds[index as usize / 20], index));
    let entities = crowd.map(|(kind, index)| Entity::new(EntityId(index + 1), kind, at_px(index as i32, 100)));
    scene.frame.entities = entities.collect();
    let ship = Entity { seat: Some(Seat::ALL[0]), ..Entity::new(EntityId(500), Kind::Player, at_px(0, 100)) };
    scene.frame.entities.push(ship);
    scene.update(START);
    let mut server = joined(0, "Ann");
    drain(&mut server, START);
    server.publish(START, &scene);
    let sent = drain(&mut server, START);
    assert!(sent.len() == 1 && (980..=1024).contains(&sent[0].len()), "{}", sent[0].len());
    let shown = shown(&sent[0]);
    let count = |kind: Kind| shown.iter().filter(|(_, path, _)| path == kind.name()).count();
    assert_eq!([Kind::Player, Kind::Force].map(count), [1, 20]);
    assert_eq!([Kind::Drone, Kind::Pellet].map(count), [0, 0]);
    let bosses: Vec<f32> = shown.iter().filter(|(_, path, _)| path == "keeper").map(|&(.., x)| x).collect();
    let nearest: Vec<f32> = (100..120).map(|x| x as f32 * 4.0).take(bosses.len()).collect();
    assert!(bosses == nearest && (5..20).contains(&bosses.len()), "{bosses:?}");
    assert!(shown.iter().all(|(_, path, _)| path.len() <= 16));
}

#[test]
fn c7_bad_bytes_are_never_answered_and_end_nothing() {
    let mut server = joined(0, "Ann");
    drain(&mut server, START);
    let bad = ["", "01", "01 0000 000000", "01 0000 00000000", "01 0000 00000000 00 26", "01 0000 00000000 00 26 02"];
    let worse = ["01 0000 00000000 00 26 01 00", "10 0000 00000000", "ff 0000 00000000", "02 0000 00000000 ff"];
    for datagram in bad.iter().chain(&worse) {
        assert!(server.receive(at(29_000), Channel::Datagram, &hex(datagram)).is_err(), "{datagram}");
    }
    assert!(server.receive(at(29_000), Channel::Datagram, &[0; 2000]).is_err());
    assert_eq!(drain(&mut server, at(29_000)), Vec::<Vec<u8>>::new());
    assert_eq!((server.status(), server.input(START)), (Status::Playing, Input::IDLE));
    server.advance(at(30_000));
    assert_eq!(server.status(), Status::Ended(End::TimedOut), "they are no sign of life");
}

// ---- Going ----

#[test]
fn s1_s8_killed_is_0x40_and_timeout_is_0x20_whoever_goes_and_however() {
    let mut server = joined(0, "Ann");
    drain(&mut server, START);
    let mut scene = Scene::new("endless");
    let [_, bob, cat, dan] = Seat::ALL;
    scene.seat_taken(bob, "Bob");
    scene.seat_taken(cat, "Cat");
    scene.seat_left(cat);
    scene.frame.events = vec![killed(1), Event::TimedOut { seat: cat }, Event::Left { seat: dan }];
    server.publish(START, &scene);
    let sent = drain(&mut server, START);
    let expected = [
        "40 0001 00000000 01 01 03 426f62",
        "20 0002 00000000 02 02 03 436174",
        "20 0003 00000000 03 03 00",
        "10 0004 00000000",
    ];
    assert_eq!(sent, expected.map(hex));
}

#[test]
fn s8_a_player_who_takes_a_seat_is_not_told_that_its_last_player_went() {
    let mut server = joined(1, "Ann");
    drain(&mut server, START);
    let mut scene = Scene::new("endless");
    scene.frame.events = vec![Event::TimedOut { seat: Seat::ALL[1] }, Event::Joined { seat: Seat::ALL[1] }];
    server.publish(START, &scene);
    assert_eq!(drain(&mut server, START), [hex("10 0001 00000000")]);
}

#[test]
fn s8_thirty_seconds_of_silence_end_a_session_with_a_last_timeout() {
    let mut server = joined(1, "Ann");
    drain(&mut server, START);
    input(&mut server, 1, 0x99, Action::KeyUp);
    server.advance(at(29_999));
    assert_eq!(server.status(), Status::Playing);
    server.advance(at(30_000));
    assert_eq!(server.status(), Status::Ended(End::TimedOut));
    assert_eq!(drain(&mut server, at(30_000)), [hex("20 0001 00007530 01 01 03 416e6e")]);
    server.end(at(30_001), End::Closed);
    server.publish(at(30_001), &Scene::new("endless"));
    server.receive(at(30_001), Channel::Datagram, &join("Ann")).unwrap();
    assert_eq!(server.status(), Status::Ended(End::TimedOut), "an end is an end");
    assert_eq!(drain(&mut server, at(30_001)), Vec::<Vec<u8>>::new());
}

#[test]
fn c6_where_nobody_listens_there_is_no_last_word() {
    let mut server = joined(1, "Ann");
    drain(&mut server, START);
    server.end(START, End::Unreachable);
    assert_eq!(server.status(), Status::Ended(End::Unreachable));
    assert_eq!(drain(&mut server, START), Vec::<Vec<u8>>::new());
}

#[test]
fn a_clients_own_timeout_ends_it_and_another_players_is_an_event() {
    let mut client = seated(0);
    client.receive(at(0), Channel::Datagram, &snapshot_of(1, 4.0)).unwrap();
    from_server(&mut client, 10, 2, FromServer::Timeout(loss(1, "Bob")));
    from_server(&mut client, 11, 2, FromServer::Timeout(loss(1, "Bob")));
    let mut frame = Frame::default();
    assert!(client.take_frame(&mut frame));
    let gone = Event::TimedOut { seat: Seat::ALL[1] };
    assert_eq!(frame.events.iter().filter(|&&event| event == gone).count(), 1, "a datagram that came twice");
    assert_eq!(client.status(), Status::Playing);
    from_server(&mut client, 12, 3, FromServer::Timeout(loss(0, "Ann")));
    assert_eq!(client.status(), Status::Ended(End::Dropped));
}

#[test]
fn s8_a_client_ends_after_thirty_seconds_without_a_word_from_the_server() {
    let mut client = seated(0);
    client.advance(at(29_999));
    assert_eq!(client.status(), Status::Playing);
    client.advance(at(30_000));
    assert_eq!(client.status(), Status::Ended(End::TimedOut));
    assert_eq!(drain_client(&mut client, at(30_000)), Vec::<Vec<u8>>::new());
}

#[test]
fn s8_a_client_repeats_its_held_keys_or_says_key_up_of_0x28() {
    let mut client = seated(2);
    let mut said = |from: u64, to: u64, held| {
        (from..to).step_by(20).fold(Vec::new(), |mut said, ms| {
            client.advance(at(ms));
            client.press(at(ms), Input::holding(held));
            said.extend(drain_client(&mut client, at(ms)).iter().map(|datagram| datagram[7..].to_vec()));
            said
        })
    };
    assert_eq!(said(0, 10_100, Buttons::NONE), [[2, 0x28, 0], [2, 0x28, 0]]);
    let held = said(10_100, 20_100, Buttons::LEFT);
    assert!(held.len() >= 3 && held.iter().all(|input| *input == [2, 0x25, 1]), "{held:?}");
}

#[test]
fn a_client_that_leaves_lets_go_of_its_keys() {
    let mut client = seated(0);
    client.press(at(0), Input::holding(Buttons::RIGHT));
    drain_client(&mut client, at(0));
    client.leave(at(100));
    assert_eq!(client.status(), Status::Ended(End::Left));
    assert_eq!(drain_client(&mut client, at(100)), [hex("01 0001 00000064 00 27 00")]);
}

// ---- What a client sees ----

#[test]
fn hostile_snapshots_give_a_bounded_frame() {
    let mut client = seated(0);
    let mut frame = Frame::default();
    for packet_id in 0..2000u16 {
        let mut bytes = Vec::new();
        let header = Header { packet_id, timestamp: u32::from(packet_id).wrapping_mul(0x0101_0101) };
        let mut writer = SnapshotWriter::begin(header, &mut bytes);
        for index in 0..30u16 {
            let path = ["player", "unknown/sheet.png", "force", ""][usize::from((packet_id + index) % 4)];
            let float = [f32::NAN, f32::INFINITY, -1e30, 3.0][usize::from((packet_id / 4 + index) % 4)];
            writer.push(&wire_entity((packet_id.wrapping_mul(31) + index * 7) as u8, path, float));
        }
        client.receive(at(u64::from(packet_id)), Channel::Datagram, &bytes).unwrap();
        client.receive(at(u64::from(packet_id)), Channel::Datagram, &bytes).unwrap();
        assert!(client.take_frame(&mut frame));
        assert!(frame.entities.len() <= 16, "half of the positions are nowhere: {}", frame.entities.len());
        assert!(frame.entities.iter().all(|entity| entity.position.x.abs() <= 1 << 24));
        assert!(frame.entities.is_sorted_by(|a, b| a.id < b.id));
    }
}

#[test]
fn what_is_not_in_a_snapshot_is_gone_and_an_id_that_means_something_else_is_another_entity() {
    let mut client = seated(0);
    let mut frame = Frame::default();
    let mut show = |ms: u64, packet_id, entities: &[(u8, &'static str)]| {
        let mut bytes = Vec::new();
        let mut writer = SnapshotWriter::begin(Header { packet_id, timestamp: ms as u32 }, &mut bytes);
        entities.iter().for_each(|&(id, path)| assert!(writer.push(&wire_entity(id, path, 4.0))));
        client.receive(at(ms), Channel::Datagram, &bytes).unwrap();
        client.take_frame(&mut frame);
        frame.entities.iter().map(|entity| (entity.id, entity.kind)).collect::<Vec<_>>()
    };
    let first = show(0, 0, &[(0, "player"), (9, "drone")]);
    assert_eq!(first.iter().map(|seen| seen.1).collect::<Vec<_>>(), [Kind::Player, Kind::Drone]);
    assert_eq!(show(16, 1, &[(0, "player")]), first[..1]);
    assert_eq!(show(33, 2, &[(0, "player"), (9, "drone")]), first, "left out for a moment");
    let other = show(50, 3, &[(0, "player"), (9, "pellet")]);
    assert!(other.len() == 2 && other[1].0 != first[1].0, "{other:?}");
    show(66, 4, &[(9, "pellet")]);
    let again = show(3000, 5, &[(0, "player"), (9, "pellet")]);
    assert!(again.iter().all(|seen| !first.contains(seen)), "a ship that returns is a new one: {again:?}");
}

#[test]
fn velocity_is_what_moved_per_tick_whatever_was_lost_between() {
    let mut client = seated(0);
    let mut frame = Frame::default();
    let mut velocity = |ms: u64, packet_id, timestamp, x: f32| {
        let mut bytes = Vec::new();
        let mut writer = SnapshotWriter::begin(Header { packet_id, timestamp }, &mut bytes);
        assert!(writer.push(&wire::Entity { position_x: x, ..wire_entity(0, "player", 4.0) }));
        client.receive(at(ms), Channel::Datagram, &bytes).unwrap();
        client.take_frame(&mut frame);
        (frame.entities[0].velocity.x, frame.tick.0)
    };
    assert_eq!(velocity(0, 1, 1000, 400.0), (0, 60), "new");
    assert_eq!(velocity(17, 2, 1017, 408.0), (px(2), 61));
    assert_eq!(velocity(67, 5, 1067, 432.0), (px(2), 64), "two were lost");
    assert_eq!(velocity(68, 5, 1067, 432.0), (px(2), 64), "the same one twice");
    assert_eq!(velocity(84, 6, 1083, 1832.0), (0, 65), "it was put there");
    assert_eq!(velocity(117, 6, 1083, 1840.0), (px(1), 67), "by our clock: this server does not count");
}
