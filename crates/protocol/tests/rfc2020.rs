//! The client's half of `rfc2020`, by hand.

use game::{Buttons, Frame, Seat, px};
use protocol::rfc2020::{
    entity_json::EntityJson,
    wire::{FromServer, GrabDirection, MapName, REFUSED, State},
};
use protocol::{Channel, End, LobbyId, LobbyPlace, Output, Plan, Status};

mod rfc2020_by_hand;

use rfc2020_by_hand::{Client, START, joined};

const SHIP: &str = r#"{"kind":"player","x":256,"y":432,"seat":0}"#;

fn spawn(entity_id: u64, json: &str) -> FromServer<'_> {
    FromServer::Spawn { entity_id, entity_json: EntityJson::new(json).unwrap() }
}

fn seen(client: &mut Client) -> Frame {
    let mut frame = Frame::default();
    client.session.take_frame(&mut frame);
    frame
}

// ---- The client's half by hand ----

#[test]
fn the_client_creates_a_lobby_over_tcp_then_joins_it_over_udp() {
    let mut client = Client::new(None);
    client.tick();
    let sent = std::mem::take(&mut client.sent);
    let [(Output::Stream, question)] = &sent[..] else { panic!("{sent:?}") };
    assert_eq!((question[0], &question[17..]), (0x01, &b"endless"[..]));
    let id = LobbyId::new("KXWQ29").unwrap();
    client.hear_stream(1, FromServer::Create { lobby_port: 24_501, lobby_id: Some(id) });
    client.tick();
    let outputs: Vec<_> = client.sent.iter().map(|(output, _)| *output).collect();
    assert_eq!(outputs, [Output::CloseStream, Output::DatagramsTo(24_501), Output::Datagram]);
    assert_eq!(client.sent[2].1[0], 0x0c);
}

#[test]
fn r5_the_client_asks_for_a_lobby_by_its_id_and_is_refused_by_port_0() {
    let mut client = Client::new(Some("kxwq29"));
    client.tick();
    assert_eq!(client.sent[0].1[17..], *b"kxwq29");
    client.hear_stream(1, FromServer::AskJoin { lobby_port: 0 });
    client.tick();
    assert_eq!(client.session.status(), Status::Ended(End::NoLobby));
    assert_eq!(client.sent.last().unwrap().0, Output::CloseStream);
    assert_eq!(Client::new(Some("too long")).session.status(), Status::Ended(End::NoLobby));
}

#[test]
fn a_node_that_creates_no_lobby_is_full() {
    let mut client = Client::new(None);
    client.tick();
    client.hear_stream(1, FromServer::Create { lobby_port: 0, lobby_id: None });
    assert_eq!(client.session.status(), Status::Ended(End::Full));
}

#[test]
fn r5_a_map_that_only_the_server_can_know_is_refused_as_such() {
    for (stage, is_sent) in [("my own map", true), ("no\nname", false)] {
        let mut client = Client::with(Plan { stage: stage.into(), ..Plan::at(START) });
        client.tick();
        assert_eq!(client.sent.iter().any(|(output, _)| *output == Output::Stream), is_sent, "{stage:?}");
        client.hear_stream(1, FromServer::Create { lobby_port: 0, lobby_id: None });
        assert_eq!(client.session.status(), Status::Ended(End::NoStage));
    }
}

#[test]
fn r5_the_client_tells_the_code_and_the_map_of_its_lobby() {
    let code = LobbyId::new("KXWQ29").unwrap();
    let client = Client::playing(0);
    assert_eq!(client.session.lobby(), Some(LobbyPlace { code, stage: "endless" }), "made for it");
    let mut client = Client::new(Some("kxwq29"));
    assert_eq!(client.session.lobby(), Some(LobbyPlace { code, stage: "" }), "asked for, and not joined yet");
    client.hear_stream(1, FromServer::AskJoin { lobby_port: 24_500 });
    client.tick();
    let join = client.requests()[0].0;
    client.hear(join, joined(1));
    assert_eq!(client.session.lobby(), Some(LobbyPlace { code, stage: "endless" }));
    assert_eq!(Client::new(None).session.lobby(), None, "its code is not known yet");
}

#[test]
fn r2_join_is_repeated_with_its_timestamp_until_it_is_answered_and_given_up_after_10_s() {
    let mut client = Client::new(Some("KXWQ29"));
    client.hear_stream(1, FromServer::AskJoin { lobby_port: 24_500 });
    client.run_ms(9_900);
    let joins = client.requests();
    assert!((11..=13).contains(&joins.len()), "{}", joins.len());
    assert!(joins.iter().all(|join| *join == joins[0]));
    assert_eq!(client.session.status(), Status::Opening);
    client.run_ms(200);
    assert_eq!(client.session.status(), Status::Ended(End::TimedOut));
}

#[test]
fn r6_an_entity_above_3_is_a_refusal() {
    for entity_id in [4, REFUSED] {
        let mut client = Client::new(Some("KXWQ29"));
        client.hear_stream(1, FromServer::AskJoin { lobby_port: 24_500 });
        client.tick();
        let join = client.requests()[0].0;
        client.hear(join + 1, joined(0));
        assert_eq!(client.session.status(), Status::Opening, "the answer to another request");
        client.hear(join, joined(entity_id));
        assert_eq!(client.session.status(), Status::Ended(End::LobbyFull));
    }
}

#[test]
fn r2_the_client_confirms_every_request_even_when_it_is_repeated_or_outdated() {
    let mut client = Client::playing(0);
    let grab = FromServer::Grab { entity_id: 0, grabbed_entity_id: 9, direction: Some(GrabDirection::Front) };
    let requests = [
        (spawn(9, SHIP), "Spawn"),
        (FromServer::Destroy { entity_id: 9 }, "Destroy"),
        (grab, "Grab"),
        (FromServer::Drop { entity_id: 0 }, "Drop"),
        (FromServer::Hit { entity_id: 9 }, "Hit"),
        (FromServer::GameState { state: State::Running }, "GameState"),
    ];
    for _ in 0..2 {
        for (index, (body, name)) in requests.iter().enumerate() {
            let timestamp = 100 - index as u64;
            client.hear(timestamp, *body);
            client.tick();
            assert_eq!(client.requests(), [(timestamp, format!("Confirm({name})"))]);
        }
        client.hear(7, FromServer::Position { entity_id: 9, x_coordinate: 0, y_coordinate: 0 });
        client.tick();
        assert_eq!(client.requests(), [], "POSITION is not confirmed");
    }
}

#[test]
fn r13_a_state_older_than_the_newest_is_ignored() {
    let mut client = Client::playing(0);
    client.hear(50, FromServer::GameState { state: State::Won });
    client.hear(40, FromServer::GameState { state: State::Lost });
    client.hear(41, FromServer::GameState { state: State::Timeout });
    assert_eq!(seen(&mut client).state, game::GameState::Won);
    assert_eq!(client.session.status(), Status::Playing);
}

#[test]
fn r7_game_state_4_ends_the_clients_session_and_so_do_five_seconds_of_silence() {
    let mut client = Client::playing(0);
    client.hear(50, FromServer::GameState { state: State::Timeout });
    client.tick();
    assert_eq!(client.requests(), [(50, "Confirm(GameState)".into())]);
    assert_eq!(client.session.status(), Status::Ended(End::Dropped));
    let mut client = Client::playing(0);
    client.run_ms(4_900);
    assert_eq!(client.session.status(), Status::Playing);
    client.run_ms(200);
    assert_eq!(client.session.status(), Status::Ended(End::TimedOut));
}

#[test]
fn r7_a_waiting_lobby_is_started_by_the_player_who_joined_it() {
    let mut client = Client::playing(0);
    for timestamp in [50, 51, 52] {
        client.hear(timestamp, FromServer::GameState { state: State::AwaitingStart });
        client.tick();
    }
    let requests = client.requests();
    let starts = requests.iter().filter(|(_, body)| body == "GameState { state: Running }");
    assert_eq!(starts.count(), 1, "{requests:?}");
}

#[test]
fn r7_a_player_who_chooses_the_start_is_not_started_by_the_client() {
    let mut client = Client::joined_as(0, Plan { starts_at_once: false, ..Plan::at(START) });
    let is_start = |(_, body): &(u64, String)| body == "GameState { state: Running }";
    for second in 0..5 {
        client.hear(50 + second, FromServer::GameState { state: State::AwaitingStart });
        client.run_ms(1000);
    }
    assert_eq!(client.requests().iter().filter(|request| is_start(request)).count(), 0);
    client.session.start(client.now);
    client.run_ms(300);
    let starts: Vec<_> = client.requests().into_iter().filter(is_start).collect();
    assert_eq!(starts.len(), 2, "once, and once again");
    client.hear(starts[0].0, FromServer::Confirm(protocol::rfc2020::wire::Method::GameState));
    client.run_ms(2000);
    assert_eq!(client.requests(), []);
}

fn map(entity_id: u64, map_name: &str) -> FromServer<'_> {
    let map_name = MapName::new(map_name).unwrap();
    FromServer::Join { entity_id, x_coordinate: 160, y_coordinate: 540, map_name }
}

/// The client has won, or lost, and hears that the next game runs: its JOINs.
fn joins_after(client: &mut Client, end: State, at: u64) -> Vec<u64> {
    client.hear(at, FromServer::GameState { state: end });
    client.tick();
    assert!(client.requests().iter().all(|(_, body)| body != "Join"), "not before the next game");
    client.hear(at + 1, FromServer::GameState { state: State::Running });
    client.tick();
    client.requests().into_iter().filter(|(_, body)| body == "Join").map(|(timestamp, _)| timestamp).collect()
}

#[test]
fn r14_after_each_game_the_client_joins_again_keeps_its_seat_and_learns_the_map_of_now() {
    let mut client = Client::playing(1);
    for (round, (end, name, stage)) in
        [(State::Won, "stage2", 2), (State::Won, "stage3", 3), (State::Lost, "stage1", 1)].into_iter().enumerate()
    {
        let joins = joins_after(&mut client, end, 50 + 10 * round as u64);
        assert_eq!(joins.len(), 1);
        client.hear(joins[0], map(1, name));
        assert_eq!((seen(&mut client).stage, client.session.lobby().unwrap().stage), (stage, name));
        client.run_ms(500);
        assert_eq!(client.requests(), [], "it is answered");
        assert_eq!((client.session.status(), client.session.seat()), (Status::Playing, Some(Seat::ALL[1])));
    }
}

#[test]
fn r14_a_server_that_refuses_or_ignores_the_second_join_costs_nothing() {
    let mut client = Client::playing(1);
    let joins = joins_after(&mut client, State::Won, 50);
    client.hear(joins[0], map(REFUSED, ""));
    client.run_ms(500);
    assert_eq!((client.session.status(), client.session.seat()), (Status::Playing, Some(Seat::ALL[1])));
    assert_eq!((client.requests(), client.session.lobby().unwrap().stage), (vec![], "endless"));
    let joins = joins_after(&mut client, State::Won, 60);
    for second in 0..12 {
        client.hear(70 + second, FromServer::GameState { state: State::Running });
        client.run_ms(1000);
    }
    let repeats = client.requests();
    let repeats: Vec<_> = repeats.iter().filter(|(_, body)| body == "Join").collect();
    assert!(repeats.len() > 5 && repeats.iter().all(|(timestamp, _)| *timestamp == joins[0]), "{repeats:?}");
    client.hear(90, FromServer::GameState { state: State::Running });
    client.run_ms(2000);
    assert!(client.requests().iter().all(|(_, body)| body != "Join"), "it is asked no more");
    assert_eq!(client.session.status(), Status::Playing);
}

const WALL: &str = r#"{"kind":"wall","x":1600,"y":400,"vx":-240,"vy":0,"w":320,"h":64}"#;

fn wall_x(client: &mut Client) -> Option<i32> {
    let mut frame = Frame::default();
    client.session.take_frame(&mut frame).then(|| frame.entities[0].position.x)
}

/// A wall at 1,600 that moves by 4 units, a pixel, in a tick, and is sent every sixth tick.
#[test]
fn c12_the_client_moves_walls_between_two_positions_and_stops_them_with_the_server() {
    let mut client = Client::playing(0);
    let stamp = |client: &Client| client.now.micros();
    client.hear(stamp(&client), spawn(9, WALL));
    let mut before = wall_x(&mut client).expect("it is told");
    for tick in 1..=60 {
        client.tick();
        if tick % 6 == 0 {
            let x_coordinate = 1600 - 4 * tick;
            client.hear(stamp(&client), FromServer::Position { entity_id: 9, x_coordinate, y_coordinate: 400 });
        }
        let x = wall_x(&mut client).expect("it is somewhere else in every tick");
        assert!((before - x - px(1)).abs() <= px(1) / 4, "tick {tick}: from {before} to {x}");
        before = x;
    }
    // It stops; its next POSITION says so, and one more.
    for tick in 1..=12 {
        client.tick();
        if tick % 6 == 0 {
            client.hear(stamp(&client), FromServer::Position { entity_id: 9, x_coordinate: 1360, y_coordinate: 400 });
        }
    }
    assert_eq!(wall_x(&mut client), Some(px(340)));
    client.run_ms(500);
    assert_eq!(wall_x(&mut client), None, "nothing moves any more");
}

#[test]
fn c12_a_wall_of_which_nothing_is_heard_does_not_fly_on_for_ever() {
    let mut client = Client::playing(0);
    client.hear(client.now.micros(), spawn(9, WALL));
    client.run_ms(3000);
    let x = wall_x(&mut client).expect("it has moved");
    assert!((px(400 - 18)..px(400)).contains(&x), "{x}");
}

#[test]
fn r2_moves_and_shots_are_repeated_until_confirmed() {
    let mut client = Client::playing(2);
    client.input = game::Input::holding(Buttons::RIGHT);
    client.input.pressed = Buttons::FIRE;
    client.run_ms(300);
    let requests = client.requests();
    let moves: Vec<_> = requests.iter().filter(|(_, body)| body.starts_with("Move")).collect();
    assert_eq!(moves.len(), 2, "once, and once again");
    assert_eq!(*moves[0], *moves[1]);
    assert_eq!(moves[0].1, "Move { entity_id: 2, direction: Right, state: true }");
    let shoot = requests.iter().find(|(_, body)| body == "Shoot { entity_id: 2 }").unwrap().0;
    client.hear(shoot, FromServer::Shoot { is_valid: true, entity_id: 99 });
    client.hear(moves[0].0, FromServer::Confirm(protocol::rfc2020::wire::Method::Move));
    client.run_ms(2000);
    assert_eq!(client.requests(), []);
}

#[test]
fn of_many_unconfirmed_moves_only_the_last_on_and_off_are_repeated() {
    let mut client = Client::playing(0);
    for tick in 0..20 {
        client.input = game::Input::holding(if tick % 2 == 0 { Buttons::UP } else { Buttons::NONE });
        client.tick();
    }
    client.sent.clear();
    client.run_ms(1500);
    let mut repeated: Vec<_> = client.requests();
    repeated.sort();
    repeated.dedup();
    let bodies: Vec<_> = repeated.iter().map(|(_, body)| body.as_str()).collect();
    let told = |state: bool| format!("Move {{ entity_id: 0, direction: Up, state: {state} }}");
    assert_eq!(bodies, [told(true), told(false)]);
}

#[test]
fn a_server_that_confirms_nothing_is_left_before_it_fills_our_memory() {
    let mut client = Client::playing(0);
    for round in 0..4000 {
        client.input = if round % 2 == 0 { game::Input::holding(Buttons::ALL) } else { game::Input::IDLE };
        client.hear(1000 + round, FromServer::GameState { state: State::Running });
        client.run_ms(200);
        client.sent.clear();
        if client.session.status() != Status::Playing {
            break;
        }
    }
    assert_eq!(client.session.status(), Status::Ended(End::TimedOut));
}

#[test]
fn leave_is_repeated_until_confirmed_or_for_two_seconds() {
    let mut client = Client::playing(1);
    client.session.leave(client.now);
    client.run_ms(900);
    let leaves = client.requests();
    assert_eq!(leaves.len(), 3, "{leaves:?}");
    assert_eq!(leaves[0].1, "Leave { entity_id: 1 }");
    client.hear(leaves[0].0, FromServer::Confirm(protocol::rfc2020::wire::Method::Leave));
    assert_eq!(client.session.status(), Status::Ended(End::Left));
    let mut client = Client::playing(1);
    client.session.leave(client.now);
    client.run_ms(1900);
    assert_eq!(client.session.status(), Status::Leaving);
    client.run_ms(200);
    assert_eq!(client.session.status(), Status::Ended(End::Left), "unanswered");
}

#[test]
fn c7_the_client_drops_bad_bytes_without_a_word() {
    let mut client = Client::playing(0);
    for bytes in [&b"hello"[..], &[0x05; 40], &[0x41; 25], &[]] {
        assert!(client.session.receive(client.now, Channel::Datagram, bytes).is_err());
    }
    client.tick();
    assert_eq!(client.requests(), []);
    assert_eq!(client.session.status(), Status::Playing);
}
