//! The bytes of `rfc2020`: golden vectors, round trips, framing, and bytes that nobody would send.

use std::borrow::Cow;

use proptest::prelude::*;
use protocol::LobbyId;
use protocol::Malformed;
use protocol::rfc2020::entity_json::{Described, EntityJson};
use protocol::rfc2020::wire::{
    Direction, FromClient, FromServer, GrabDirection, HEADER_SIZE, MAP_NAME_MAX, MapName, Message, Method, State,
    TCP_BODY_MAX, whole_message,
};

mod page;
mod vectors;
use vectors::Reading;

#[test]
fn golden_vectors() {
    vectors::check("rfc2020", &[("client", client), ("server", server)]);
}

fn client(bytes: &[u8]) -> Result<Reading, Malformed> {
    Message::<FromClient>::read(bytes).map(|message| Reading::new(message, Message::<FromClient>::write))
}

fn server(bytes: &[u8]) -> Result<Reading, Malformed> {
    Message::<FromServer>::read(bytes).map(|message| Reading::new(message, Message::<FromServer>::write))
}

#[test]
fn the_session_on_the_page_is_well_formed() {
    let session = page::session(include_str!("../../../docs/protocols/rfc2020.md"));
    for (who, bytes) in &session {
        let mut written = Vec::new();
        match *who {
            "client" => Message::<FromClient>::read(bytes).map(|message| message.write(&mut written)),
            _ => Message::<FromServer>::read(bytes).map(|message| message.write(&mut written)),
        }
        .unwrap_or_else(|malformed| panic!("{who} {bytes:x?}: {malformed:?}"));
        assert_eq!(&written, bytes, "{who}");
    }
    assert!(session.len() > 20, "only {} lines were found", session.len());
}

#[test]
fn a_header_alone_confirms_what_the_document_says_needs_confirmation() {
    use Method::*;
    let unconfirmed = [AskJoin, Create, Position];
    for method in Method::ALL {
        let needs_confirmation = !unconfirmed.contains(&method);
        let is_confirmed = method.is_confirmed_by_client() || method.is_confirmed_by_server();
        assert_eq!(is_confirmed, needs_confirmation, "{method:?}");
        let bytes = [&[0x40 | method as u8][..], &[0; 16]].concat();
        assert_eq!(Message::<FromClient>::read(&bytes).is_ok(), method.is_confirmed_by_client(), "{method:?}");
        assert_eq!(Message::<FromServer>::read(&bytes).is_ok(), method.is_confirmed_by_server(), "{method:?}");
    }
}

#[test]
fn a_map_name_has_a_longest_length() {
    let (longest, longer) = ("m".repeat(MAP_NAME_MAX), "m".repeat(MAP_NAME_MAX + 1));
    let body = FromClient::Create { map_name: MapName::new(&longest).unwrap() };
    let mut bytes = client_bytes(0, body);
    assert_eq!(Message::<FromClient>::read(&bytes).map(|message| message.body), Ok(body));
    assert_eq!(MapName::new(&longer), Err(Malformed::BadText));
    bytes.push(b'm');
    bytes[1..9].copy_from_slice(&(longer.len() as u64).to_be_bytes());
    assert_eq!(Message::<FromClient>::read(&bytes), Err(Malformed::BadText));
}

#[test]
fn a_stream_is_cut_into_its_messages() {
    let messages = [FromClient::AskJoin { lobby_id: LobbyId::from_number(7) }, FromClient::Join];
    let stream: Vec<u8> = messages.iter().flat_map(|body| client_bytes(1, *body)).collect();
    let first = HEADER_SIZE + 6;
    for length in 0..first {
        assert_eq!(whole_message(&stream[..length]), Ok(None), "{length} bytes");
    }
    assert_eq!(whole_message(&stream[..first]), Ok(Some(first)));
    assert_eq!(whole_message(&stream), Ok(Some(first)));
    assert_eq!(whole_message(&stream[first..]), Ok(Some(HEADER_SIZE)));
}

#[test]
fn r4_a_stream_with_a_body_above_1024_bytes_is_malformed_before_the_body_comes() {
    let header = |body_size: u64| [&[0x01][..], &body_size.to_be_bytes()].concat();
    assert_eq!(whole_message(&header(TCP_BODY_MAX)), Ok(None));
    assert_eq!(whole_message(&header(TCP_BODY_MAX + 1)), Err(Malformed::WrongSize));
    assert_eq!(whole_message(&header(u64::MAX)), Err(Malformed::WrongSize));
    let largest = [&header(TCP_BODY_MAX)[..], &[b'm'; 8 + TCP_BODY_MAX as usize]].concat();
    assert_eq!(whole_message(&largest), Ok(Some(HEADER_SIZE + 1024)));
}

#[test]
fn a_stream_that_is_not_ours_is_malformed_at_its_first_byte() {
    assert_eq!(whole_message(b"\x16\x03\x01"), Err(Malformed::UnknownType), "a TLS hello");
    assert_eq!(whole_message(b"\x80"), Err(Malformed::UnknownType));
    assert_eq!(whole_message(b"\x0e"), Err(Malformed::UnknownType));
    assert_eq!(whole_message(b"\x0d"), Ok(None));
}

fn client_bytes(creation_timestamp: u64, body: FromClient) -> Vec<u8> {
    let mut out = Vec::new();
    Message { creation_timestamp, body }.write(&mut out);
    out
}

fn lobby_id() -> impl Strategy<Value = LobbyId> {
    "[!-~]{6}".prop_map(|text| LobbyId::new(&text).expect("these are its characters"))
}

fn direction() -> impl Strategy<Value = Direction> {
    prop::sample::select(vec![Direction::Up, Direction::Left, Direction::Down, Direction::Right])
}

fn grab_direction() -> impl Strategy<Value = Option<GrabDirection>> {
    prop::sample::select(vec![None, Some(GrabDirection::Front), Some(GrabDirection::Back)])
}

fn state() -> impl Strategy<Value = State> {
    prop::sample::select(vec![State::AwaitingStart, State::Running, State::Won, State::Lost, State::Timeout])
}

fn confirmed(is_confirmed: fn(Method) -> bool) -> impl Strategy<Value = Method> {
    prop::sample::select(Method::ALL.into_iter().filter(|method| is_confirmed(*method)).collect::<Vec<_>>())
}

/// Every message of a client, with that MAP_NAME where one is needed.
fn from_client(name: &'static str) -> impl Strategy<Value = FromClient<'static>> {
    let id = any::<u64>();
    prop_oneof![
        lobby_id().prop_map(|lobby_id| FromClient::AskJoin { lobby_id }),
        Just(FromClient::Create { map_name: MapName::new(name).expect("a good name") }),
        any::<bool>().prop_map(|is_running| FromClient::GameState {
            state: if is_running { State::Running } else { State::AwaitingStart }
        }),
        (id, direction(), any::<bool>()).prop_map(|(entity_id, direction, state)| FromClient::Move {
            entity_id,
            direction,
            state
        }),
        Just(FromClient::Drop),
        id.prop_map(|entity_id| FromClient::Charge { entity_id }),
        id.prop_map(|entity_id| FromClient::Shoot { entity_id }),
        Just(FromClient::Join),
        id.prop_map(|entity_id| FromClient::Leave { entity_id }),
        confirmed(Method::is_confirmed_by_client).prop_map(FromClient::Confirm),
    ]
}

/// Every message of a server, with that MAP_NAME or ENTITY_JSON where one is needed.
fn from_server(text: &'static str) -> impl Strategy<Value = FromServer<'static>> {
    let id = any::<u64>();
    let place = any::<(u64, i64, i64)>();
    let map_name = MapName::new(text).expect("a good name");
    let entity_json = EntityJson::new(text).expect("a good text");
    prop_oneof![
        any::<u16>().prop_map(|lobby_port| FromServer::AskJoin { lobby_port }),
        (any::<u16>(), prop::option::of(lobby_id()))
            .prop_map(|(lobby_port, lobby_id)| FromServer::Create { lobby_port, lobby_id }),
        state().prop_map(|state| FromServer::GameState { state }),
        place.prop_map(|(entity_id, x_coordinate, y_coordinate)| FromServer::Position {
            entity_id,
            x_coordinate,
            y_coordinate
        }),
        id.prop_map(move |entity_id| FromServer::Spawn { entity_id, entity_json }),
        id.prop_map(|entity_id| FromServer::Destroy { entity_id }),
        (id, id, grab_direction()).prop_map(|(entity_id, grabbed_entity_id, direction)| FromServer::Grab {
            entity_id,
            grabbed_entity_id,
            direction
        }),
        id.prop_map(|entity_id| FromServer::Drop { entity_id }),
        id.prop_map(|entity_id| FromServer::Hit { entity_id }),
        any::<(bool, u64)>().prop_map(|(is_valid, entity_id)| FromServer::Shoot { is_valid, entity_id }),
        place.prop_map(move |(entity_id, x_coordinate, y_coordinate)| FromServer::Join {
            entity_id,
            x_coordinate,
            y_coordinate,
            map_name
        }),
        confirmed(Method::is_confirmed_by_server).prop_map(FromServer::Confirm),
    ]
}

prop_compose! {
    fn described()(
        kind in "\\PC{0,20}", x: i64, y: i64, vx: Option<i64>, vy: Option<i64>,
        health: Option<u32>, seat: Option<u8>, owner: Option<u64>,
    ) -> Described<'static> {
        Described { kind: Cow::Owned(kind), x, y, vx, vy, health, seat, owner }
    }
}

proptest! {
    #[test]
    fn a_clients_message_comes_back(creation_timestamp: u64, body in from_client("stage1")) {
        let bytes = client_bytes(creation_timestamp, body);
        prop_assert_eq!(Message::<FromClient>::read(&bytes), Ok(Message { creation_timestamp, body }));
        prop_assert_eq!(whole_message(&bytes), Ok(Some(bytes.len())));
    }

    #[test]
    fn a_servers_message_comes_back(creation_timestamp: u64, body in from_server("{\"kind\":\"dröne\"}")) {
        let message = Message { creation_timestamp, body };
        let mut bytes = Vec::new();
        message.write(&mut bytes);
        prop_assert_eq!(Message::<FromServer>::read(&bytes), Ok(message));
        prop_assert_eq!(whole_message(&bytes), Ok(Some(bytes.len())));
    }

    #[test]
    fn r8_what_an_entity_json_says_comes_back(described in described()) {
        let text = described.to_string();
        prop_assert_eq!(EntityJson::new(&text).and_then(EntityJson::parse), Ok(described));
    }

    #[test]
    fn any_bytes_are_refused_or_written_back_the_same(
        first in 0..0x50u8, timestamp: u64, body in prop::collection::vec(any::<u8>(), 0..40),
    ) {
        let size = (body.len() as u64).to_be_bytes();
        let bytes = [&[first][..], &size, &timestamp.to_be_bytes(), &body].concat();
        let mut out = Vec::new();
        if let Ok(message) = Message::<FromClient>::read(&bytes) {
            message.write(&mut out);
            prop_assert_eq!(&out, &bytes);
        }
        out.clear();
        if let Ok(message) = Message::<FromServer>::read(&bytes) {
            message.write(&mut out);
            prop_assert_eq!(&out, &bytes);
        }
    }

    #[test]
    fn any_bytes_at_all_do_no_harm(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        let _ = Message::<FromClient>::read(&bytes);
        let _ = Message::<FromServer>::read(&bytes);
        let _ = whole_message(&bytes);
    }

    #[test]
    fn any_text_is_an_entity_or_not(text in "[{}\\[\\]:,\"a-z0-9.e \\-]{0,60}") {
        let _ = EntityJson::new(&text).and_then(EntityJson::parse);
    }
}
