//! The rulings that the server's half of `rfc53952` decides.

use std::collections::BTreeSet;

use game::{Attached, Buttons, Entity, EntityId, GameState, Input, Kind, Seat, Side, Vec2, px};
use protocol::amplification::{Allowance, Proof};
use protocol::rfc53952::ENTRY;
use protocol::rfc53952::wire::{FromClient, FromServer, PacketType};
use protocol::{Channel, Malformed, Request, Status};

mod peers_rfc53952;
use peers_rfc53952::validation_of;
use peers_rfc53952::{Joined, Served, T, at, client_bytes, create, drone, event, of_type, server_bytes, ship, update};

#[test]
fn f4_a_hello_is_answered_by_hi_client_and_validated() {
    let mut served = Served::new();
    served.hear(0, &client_bytes(T, FromClient::HiServer));
    let validation = FromServer::PacketValidation { packet_type: PacketType::HiServer, packet_timestamp: T };
    let hi_client = server_bytes(T, FromServer::HiClient { accepted: true });
    assert_eq!(served.said(0), [hi_client.clone(), server_bytes(T, validation)]);
    assert_eq!(served.said(249), Vec::<Vec<u8>>::new());
    assert_eq!(served.said(250), [hi_client]);
    assert_eq!(served.session.status(), Status::Opening);
}

#[test]
fn f4_hi_client_is_repeated_at_doubling_intervals_whatever_else_the_peer_sends() {
    let mut served = Served::new();
    served.hear(0, &client_bytes(T, FromClient::HiServer));
    let mut times = Vec::new();
    for ms in (0..4_000).step_by(10) {
        if ms % 100 == 0 {
            served.hear(ms, &client_bytes(T, FromClient::Ping));
            served.hear(ms, &event(T, 1, "left"));
        }
        times.extend(of_type(&served.said(ms), PacketType::HiClient).iter().map(|_| ms));
    }
    assert_eq!(times, [0, 250, 750, 1_750, 2_750, 3_750]);
}

#[test]
fn f5_a_second_hello_is_answered_again_before_and_after_the_first_is_validated() {
    let mut served = Served::new();
    let hello = client_bytes(T, FromClient::HiServer);
    served.hear(0, &hello);
    served.said(0);
    served.hear(10, &hello);
    let again = served.said(10);
    assert_eq!(of_type(&again, PacketType::HiClient), [server_bytes(T, FromServer::HiClient { accepted: true })]);
    served.hear(20, &validation_of(&again[0], T));
    assert_eq!(served.session.status(), Status::Playing, "one validation is enough for the one HiClient");
    served.hear(1_500, &hello);
    let later = FromServer::HiClient { accepted: true };
    assert_eq!(of_type(&served.said(1_500), PacketType::HiClient), [server_bytes(T + 1, later)]);
}

#[test]
fn c5_nothing_else_is_sent_until_hi_client_is_validated_and_that_fits_into_three_times_the_hello() {
    let mut served = Served::new();
    let hello = client_bytes(T, FromClient::HiServer);
    let mut allowance = Allowance::new(at(0), Proof::Guessable, true);
    served.hear(0, &hello);
    allowance.received(at(0), hello.len());
    let said = served.show(0, &[ship(), drone(2, 200)]);
    assert_eq!(said.iter().map(|packet| packet[4]).collect::<Vec<_>>(), [2, 10]);
    assert!(said.iter().all(|packet| allowance.spend(at(0), packet.len(), served.session.is_proved())));
    assert!(served.show(17, &[ship()]).is_empty());
    let wrong = FromClient::PacketValidation { packet_type: PacketType::HiClient, packet_timestamp: T - 1 };
    served.hear(20, &client_bytes(T, wrong));
    assert!(!served.session.is_proved(), "a validation of another second proves nothing");
    served.hear(20, &validation_of(&said[0], T));
    assert!(served.session.is_proved());
    assert!(!of_type(&served.show(34, &[ship()]), PacketType::CreateEntity).is_empty());
    served.hear(40, &client_bytes(T, FromClient::AdiosServer));
    assert!(served.session.is_proved(), "its last validation must get through");
}

#[test]
fn only_a_hello_knocks() {
    assert!((ENTRY.read_join)(&client_bytes(T, FromClient::HiServer)).unwrap().is_some());
    assert_eq!((ENTRY.read_join)(&client_bytes(T, FromClient::Ping)), Ok(None));
    assert_eq!((ENTRY.read_join)(&event(T, 1, "left")), Ok(None));
    assert_eq!((ENTRY.read_join)(&[1, 2, 3]), Err(Malformed::Short));
}

#[test]
fn a_client_that_was_started_again_is_told_everything_again() {
    let mut served = Served::playing();
    let said = served.show(10, &[ship()]);
    served.validate(20, &said);
    assert!(of_type(&served.show(30, &[ship()]), PacketType::CreateEntity).is_empty());
    served.hear(2_000, &client_bytes(T + 2, FromClient::HiServer));
    assert_eq!(of_type(&served.show(2_010, &[ship()]), PacketType::CreateEntity).len(), 1);
}

#[test]
fn f3_f7_an_entity_is_created_and_described_and_a_ship_is_its_own_clients() {
    let mut served = Served::playing();
    served.scene.frame.score = 100;
    served.scene.frame.state = GameState::Running;
    let force = Entity {
        attached: Some(Attached { to: EntityId(1), side: Side::Front }),
        seat: Some(Seat::ALL[0]),
        ..Entity::new(EntityId(2), Kind::Force, Vec2::new(px(59), px(135)))
    };
    let other = Entity { id: EntityId(3), seat: Some(Seat::ALL[1]), ..ship() };
    let said = served.show(0, &[ship(), force, other]);
    let created =
        [create(T, 1, "player", 160., 540.), create(T, 2, "force", 236., 540.), create(T, 3, "player", 160., 540.)];
    assert_eq!(of_type(&said, PacketType::CreateEntity), created);
    let updates = [
        (0, "state = running"),
        (0, "score = 100"),
        (1, "seat = 0"),
        (1, "own = 1"),
        (1, "lives = 3"),
        (1, "health = 1"),
        (2, "seat = 0"),
        (2, "attached = 1 front"),
        (3, "seat = 1"),
        (3, "lives = 3"),
        (3, "health = 1"),
    ];
    assert_eq!(of_type(&said, PacketType::UpdateEntity), updates.map(|(id, text)| update(T, id, text)));
    let launched = Entity { attached: None, ..force };
    let said = served.show(17, &[Entity { lives: 2, ..ship() }, launched, other]);
    let updates = [(1, "lives = 2"), (2, "attached = none")].map(|(id, text)| update(T, id, text));
    assert_eq!(of_type(&said, PacketType::UpdateEntity), updates);
}

#[test]
fn f4_an_unvalidated_group_comes_again_whole_with_the_same_bytes() {
    let mut served = Served::playing();
    let said = served.show(0, &[drone(2, 100), drone(3, 200)]);
    let group = of_type(&said, PacketType::CreateEntity);
    served.validate(10, &group[..1]);
    assert!(of_type(&served.said(249), PacketType::CreateEntity).is_empty());
    assert_eq!(of_type(&served.said(250), PacketType::CreateEntity), group);
    served.validate(260, &group);
    assert!((300..3_000).all(|ms| of_type(&served.said(ms), PacketType::CreateEntity).is_empty()));
}

#[test]
fn f4_what_is_lost_comes_again_with_the_same_bytes_and_nothing_is_said_again() {
    let mut served = Served::playing();
    let (mut news, mut count) = (Vec::new(), 0);
    for tick in 0..600_u64 {
        let ms = tick * 1000 / 60;
        let health = (100 - tick / 40) as u16;
        let said = served.show(ms, &[ship(), Entity { health, ..drone(2, 100) }, drone(3, 200)]);
        for packet in said.iter().filter(|packet| matches!(packet[4], 5 | 6 | 8)) {
            count += 1;
            // The first is lost, and then each seventh, or its validation is.
            if count % 7 != 1 {
                served.hear(ms + 1, &validation_of(packet, at(ms).seconds()));
            }
            if !news.contains(packet) {
                news.push(packet.clone());
            }
        }
        served.hear(ms, &client_bytes(at(ms).seconds(), FromClient::Ping));
    }
    assert!(count > news.len() + 5, "{count}: groups are repeated");
    assert_eq!(of_type(&news, PacketType::CreateEntity).len(), 3);
    let of_the_others = news.iter().filter(|packet| packet[4] == 8 && packet[15] != 2).count();
    assert_eq!(of_the_others, 2 + 4 + 1, "state and score; seat, own, lives and health; health");
}

#[test]
fn f4_moves_and_pings_are_never_sent_again() {
    let mut served = Served::playing();
    let flying = Entity { velocity: Vec2::new(-256, 0), ..drone(2, 100) };
    let said = served.show(0, &[flying]);
    let moved = FromServer::MoveEntity { network_id: 2, x: 400., y: 200., direction_x: -240., direction_y: 0. };
    assert_eq!(of_type(&said, PacketType::MoveEntity), [server_bytes(T, moved)], "F8: the velocity in units a second");
    let later: Vec<_> = (1..900).flat_map(|ms| served.said(ms)).collect();
    assert!(of_type(&later, PacketType::MoveEntity).is_empty());
    assert!(of_type(&later, PacketType::Ping).is_empty());
    assert!(!of_type(&later, PacketType::CreateEntity).is_empty());
}

#[test]
fn f4_timestamps_never_decrease_except_in_repeats() {
    let mut served = Served::playing();
    let (mut newest, mut seen) = (0, Vec::new());
    for tick in 0..300 {
        let entities: Vec<Entity> = (tick / 7..tick / 7 + 5).map(|id| drone(2 + id, 100)).collect();
        for packet in served.show(u64::from(tick) * 17, &entities) {
            let timestamp = u64::from_le_bytes(packet[5..13].try_into().unwrap());
            assert!(timestamp >= newest || seen.contains(&packet), "{packet:x?}");
            newest = newest.max(timestamp);
            seen.push(packet);
        }
        served.hear(u64::from(tick) * 17, &client_bytes(T, FromClient::Ping));
    }
}

#[test]
fn what_was_said_twice_in_a_second_is_said_once_more_in_the_next() {
    let mut served = Served::playing();
    for (ms, health) in [(0, 4), (100, 3), (1_000, 3), (1_100, 3), (2_100, 3)] {
        let said = served.show(ms, &[Entity { health, ..drone(2, 100) }]);
        served.validate(ms, &said);
        let healths = of_type(&said, PacketType::UpdateEntity).iter().filter(|packet| packet[15] == 2).count();
        assert_eq!(healths, usize::from(ms <= 1_000), "at {ms} ms");
    }
}

#[test]
fn what_was_said_once_is_not_said_again_with_what_was_said_twice() {
    let mut served = Served::playing();
    let mut later = Vec::new();
    for (ms, score) in [(0, 0), (100, 100), (200, 200), (1_000, 200), (2_000, 200)] {
        served.scene.frame.score = score;
        let lives = if ms == 0 { 3 } else { 2 };
        let said = served.show(ms, &[Entity { lives, ..ship() }]);
        served.validate(ms, &said);
        later.extend(said.into_iter().filter(|_| ms >= 1_000));
    }
    let once_more = [update(T + 1, 0, "score = 200"), update(T + 1, 1, "lives = 2")];
    assert_eq!(of_type(&later, PacketType::UpdateEntity), once_more, "neither state, nor seat, own and health");
}

#[test]
fn a_force_held_and_launched_within_a_second_is_said_to_be_free_once_more() {
    let mut served = Served::playing();
    let free = Entity::new(EntityId(2), Kind::Force, Vec2::new(px(59), px(135)));
    let held = Entity { attached: Some(Attached { to: EntityId(1), side: Side::Front }), ..free };
    let said = [(0, held), (100, free), (1_000, free)].map(|(ms, force)| {
        let said = served.show(ms, &[force]);
        served.validate(ms, &said);
        said
    });
    assert_eq!(of_type(&said[2], PacketType::UpdateEntity), [update(T + 1, 2, "attached = none")]);
}

#[test]
fn f4_while_a_count_may_lie_everything_is_said_again_once_a_second() {
    let mut served = Served::playing();
    let said = served.show(0, &[drone(2, 100), drone(3, 200)]);
    served.validate(10, &said);
    let said = served.show(20, &[drone(2, 100)]);
    served.validate(30, &said);
    // One validation too many.
    served.hear(40, &validation_of(&create(T, 2, "drone", 0., 0.), T));
    let mut again = Vec::new();
    for tick in 3..100 {
        let said = served.show(tick * 1000 / 60, &[drone(2, 100)]);
        served.validate(tick * 1000 / 60, &said);
        again.extend(said);
    }
    let created = of_type(&again, PacketType::CreateEntity);
    assert!((1..=2).contains(&created.len()), "{created:x?}");
    assert_eq!(of_type(&again, PacketType::DestroyEntity).len(), 1, "the grave too");
}

#[test]
fn what_is_where_its_velocity_puts_it_is_moved_ten_times_a_second_and_what_turns_each_second_tick() {
    let mut served = Served::playing();
    let (mut straight, mut turning, mut resting) = (0, 0, 0);
    for tick in 0..60 {
        let flying = Entity { velocity: Vec2::new(-256, 0), position: Vec2::new(px(400 - tick), 0), ..drone(2, 0) };
        let sine = Entity { position: Vec2::new(px(100), px(tick * tick)), ..drone(3, 0) };
        let moves =
            of_type(&served.show(tick as u64 * 1000 / 60, &[flying, sine, drone(4, 9)]), PacketType::MoveEntity);
        let of = |id: u8| moves.iter().filter(|packet| packet[15] == id).count();
        (straight, turning, resting) = (straight + of(2), turning + of(3), resting + of(4));
    }
    assert_eq!((straight, resting), (10, 1));
    assert!((29..=30).contains(&turning), "{turning}");
}

#[test]
fn c2_a_datagram_has_at_most_1200_bytes() {
    let mut served = Served::playing();
    let entities: Vec<Entity> = (1..400).map(|id| drone(id, 100)).collect();
    let said: Vec<_> = (0..60).flat_map(|tick| served.show(tick * 17, &entities)).collect();
    assert!(said.len() > 800 && said.iter().all(|packet| packet.len() <= 1200));
    let created = of_type(&said, PacketType::CreateEntity);
    let ids: BTreeSet<&[u8]> = created.iter().map(|packet| &packet[15..19]).collect();
    assert_eq!(ids.len(), 399);
}

#[test]
fn f4_every_packet_but_a_validation_is_validated_again_each_time() {
    let mut served = Served::playing();
    let packets =
        [client_bytes(T, FromClient::Ping), event(T, 1, "left"), event(T, 99, "dance"), event(T - 5, 1, "up")];
    for packet in packets.iter().chain(&packets) {
        served.hear(10, packet);
        let packet_timestamp = u64::from_le_bytes(packet[5..13].try_into().unwrap());
        let packet_type = PacketType::ALL[usize::from(packet[4]) - 1];
        let data = FromServer::PacketValidation { packet_type, packet_timestamp };
        assert_eq!(served.said(10), [server_bytes(T, data)]);
    }
}

/// A ClientEvents with a description that need not be a text.
fn raw_event(id_event: u8, description: &[u8]) -> Vec<u8> {
    let mut bytes = event(T, id_event, "");
    bytes.extend_from_slice(description);
    let length = bytes.len();
    bytes[..4].copy_from_slice(&(length as u32).to_le_bytes());
    bytes[13..15].copy_from_slice(&((length - 15) as u16).to_le_bytes());
    bytes
}

#[test]
fn f4_f6_an_event_whose_description_is_not_text_is_validated_and_ignored() {
    let mut served = Served::playing();
    let validation = FromServer::PacketValidation { packet_type: PacketType::ClientEvents, packet_timestamp: T };
    let long = [&b"left"[..], &[b' '; 1_100]].concat();
    for description in [&b"\xff\xfe"[..], b"le\0ft", b"left\n", b"left\0\0", &long, &[b'x'; 1_025]] {
        for id_event in 0..6 {
            served.hear(10, &raw_event(id_event, description));
            assert_eq!(served.said(10), [server_bytes(T, validation)], "{id_event} {description:x?}");
            assert_eq!((served.input(), served.session.request()), (Input::default(), None));
        }
    }
    served.hear(10, &raw_event(1, b"right\0"));
    assert_eq!(served.said(10), [server_bytes(T, validation)]);
    assert_eq!(served.input().held, Buttons::RIGHT, "with a terminator it is the same word");
}

#[test]
fn an_event_without_its_mandatory_id_is_not_a_packet_and_is_not_answered() {
    let mut served = Served::playing();
    let mut nothing = client_bytes(T, FromClient::Ping);
    nothing[4] = PacketType::ClientEvents as u8;
    assert_eq!(served.session.receive(at(10), Channel::Datagram, &nothing), Err(Malformed::Short));
    assert!(served.said(10).is_empty());
}

#[test]
fn f6_events_become_what_the_player_holds_and_presses() {
    let mut served = Served::playing();
    served.hear(0, &event(T, 1, "left"));
    served.hear(0, &event(T, 1, "up"));
    served.hear(0, &event(T, 2, "press"));
    assert_eq!(served.input().held, Buttons::LEFT | Buttons::UP | Buttons::FIRE);
    served.hear(0, &event(T, 1, "-left"));
    assert_eq!(served.input().held, Buttons::UP | Buttons::FIRE);
    served.hear(0, &event(T, 1, "stop"));
    assert_eq!(served.input(), Input::holding(Buttons::FIRE));
    served.hear(0, &event(T, 2, "release"));
    served.hear(0, &event(T, 2, ""));
    assert_eq!(served.input(), Input::tapping(Buttons::FIRE));
    assert_eq!(served.session.request(), None);
    served.hear(0, &event(T, 4, ""));
    assert_eq!(served.session.request(), Some(Request::Start));
}

#[test]
fn f6_an_event_older_than_the_newest_carried_out_is_ignored() {
    let mut served = Served::playing();
    served.hear(0, &event(T + 1, 1, "right"));
    served.hear(0, &event(T, 1, "left"));
    assert_eq!(served.input().held, Buttons::RIGHT);
    served.hear(0, &event(T + 9, 77, "unknown"));
    served.hear(0, &event(T + 1, 1, "up"));
    assert_eq!(served.input().held, Buttons::RIGHT | Buttons::UP, "what is unknown is not carried out");
}

#[test]
fn f6_an_identical_force_or_start_counts_once_a_second_but_a_shot_each_time() {
    let mut served = Served::playing();
    for (id_event, button) in [(3, Buttons::FORCE), (2, Buttons::FIRE)] {
        served.hear(0, &event(T, id_event, ""));
        assert_eq!(served.input().pressed, button);
        served.hear(0, &event(T, id_event, ""));
        assert_eq!(served.input().pressed == button, id_event == 2);
        served.hear(0, &event(T + 1, id_event, ""));
        assert_eq!(served.input().pressed, button);
        served = Served::playing();
    }
    served.hear(0, &event(T, 4, ""));
    assert!(served.session.request().is_some());
    served.hear(0, &event(T, 4, ""));
    assert!(served.session.request().is_none());
}

#[test]
fn c10_a_tap_within_a_tick_is_a_press_at_the_other_end() {
    let (mut served, mut joined) = (Served::playing(), Joined::playing());
    for button in [Buttons::LEFT, Buttons::FIRE, Buttons::FORCE] {
        joined.press(10, Input::tapping(button)).iter().for_each(|packet| served.hear(10, packet));
        assert_eq!(served.input(), Input::tapping(button));
    }
}

#[test]
fn c7_bad_bytes_are_dropped_unanswered_and_end_nothing() {
    let (mut served, mut joined) = (Served::playing(), Joined::playing());
    let ping = server_bytes(T, FromServer::Ping);
    for bad in [&ping[..14], &[&ping[..], &[0]].concat(), &[], &[0xff; 1200]] {
        assert!(served.session.receive(at(10), Channel::Datagram, bad).is_err());
        assert!(joined.0.receive(at(10), Channel::Datagram, bad).is_err());
    }
    let from_the_wrong_end = create(T, 9, "drone", 0., 0.);
    assert_eq!(served.session.receive(at(10), Channel::Datagram, &from_the_wrong_end), Err(Malformed::UnknownType));
    assert!(served.said(10).is_empty() && joined.said(10).is_empty());
    assert_eq!((served.session.status(), joined.0.status()), (Status::Playing, Status::Playing));
}
