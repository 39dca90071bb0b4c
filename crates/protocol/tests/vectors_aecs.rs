//! The bytes of `aecs`: golden vectors, round trips, and bytes that nobody would send.

use game::Buttons;
use proptest::prelude::*;
use protocol::Malformed;
use protocol::aecs::wire::{
    CHANGES_MAX, Component, FromClient, FromServer, GameStateWriter, PACKET_MAX_BYTES, STATE_OFFSET_BYTES, button,
    whole_packet, write_connected, write_game_changes,
};

mod page;
mod vectors;
use vectors::Reading;

#[test]
fn golden_vectors() {
    vectors::check("aecs", &[("client", client), ("server", server)]);
}

fn client(bytes: &[u8]) -> Result<Reading, Malformed> {
    FromClient::read(bytes).map(|packet| Reading::new(packet, FromClient::write))
}

fn server(bytes: &[u8]) -> Result<Reading, Malformed> {
    FromServer::read(bytes).map(|packet| Reading::new(packet, FromServer::write))
}

#[test]
fn the_session_on_the_page_is_well_formed() {
    let session = page::session(include_str!("../../../docs/protocols/aecs.md"));
    for (who, bytes) in &session {
        let reading = if *who == "client" { client(bytes) } else { server(bytes) };
        let reading = reading.unwrap_or_else(|malformed| panic!("{who} {bytes:x?}: {malformed:?}"));
        assert_eq!(&reading.written, bytes, "{who}");
    }
    assert_eq!(session.len(), 13, "lines on the page");
}

/// `packet size` gives a cut packet away at once, so here it says the truth, and the counts and sizes within must tell.
#[test]
fn a_packet_cut_or_lengthened_with_the_right_size_is_refused() {
    let mut checked = 0;
    for vector in vectors::load(&vectors::directory().join("aecs.txt")) {
        let read: vectors::Read = if vector.section == "client" { client } else { server };
        if read(&vector.bytes).is_err() {
            continue;
        }
        let data = &vector.bytes[2..];
        for length in 0..data.len() {
            assert!(read(&packet(&data[..length])).is_err(), "{data:?} cut to {length}");
        }
        for byte in 0..=u8::MAX {
            assert!(read(&packet(&[data, &[byte]].concat())).is_err(), "{data:?} and {byte}");
        }
        checked += 1;
    }
    assert!(checked > 10);
}

fn packet(type_and_data: &[u8]) -> Vec<u8> {
    let size = u16::try_from(type_and_data.len()).expect("vectors are short");
    [&size.to_le_bytes(), type_and_data].concat()
}

#[test]
fn a5_input_codes() {
    let letters = [16, 3, 25, 18].map(button);
    let arrows = [71, 72, 73, 74].map(button);
    assert_eq!(letters, [Buttons::LEFT, Buttons::RIGHT, Buttons::UP, Buttons::DOWN].map(Some));
    assert_eq!(letters, arrows);
    assert_eq!([57, 38].map(button), [Buttons::FIRE, Buttons::FORCE].map(Some));
    let known = (0..=u8::MAX).filter(|&code| button(code).is_some()).count();
    assert_eq!(known, 10, "unknown codes are ignored");
}

#[test]
fn a5_the_greatest_input_count() {
    let inputs = [7; 255];
    let mut out = Vec::new();
    FromClient::GameInput { inputs: &inputs }.write(&mut out);
    assert_eq!(out[..4], [0x01, 0x01, 0x00, 0xff]);
    assert_eq!(FromClient::read(&out), Ok(FromClient::GameInput { inputs: &inputs }));
}

#[test]
fn a_tcp_stream_is_a_packet_when_it_is_all_there() {
    let stream = [0x03, 0x00, 0x00, 0x01, 0x39, 0x01, 0x00];
    for length in 0..5 {
        assert_eq!(whole_packet(&stream[..length], PACKET_MAX_BYTES), Ok(None));
    }
    for length in 5..=stream.len() {
        assert_eq!(whole_packet(&stream[..length], PACKET_MAX_BYTES), Ok(Some(5)));
    }
    assert_eq!(whole_packet(&stream, 5), Ok(Some(5)));
    assert_eq!(whole_packet(&stream, 4), Err(Malformed::WrongSize), "more than the limit never will be");
    assert_eq!(whole_packet(&[0, 0], PACKET_MAX_BYTES), Err(Malformed::WrongSize), "there is no packet without a type");
    assert_eq!(whole_packet(&[0xff, 0xff], PACKET_MAX_BYTES), Ok(None));
    assert_eq!(whole_packet(&[0xff; PACKET_MAX_BYTES], PACKET_MAX_BYTES), Ok(Some(PACKET_MAX_BYTES)));
}

#[test]
fn an_entity_that_does_not_fit_is_left_out_whole() {
    let mut state = vec![9];
    // 8 bytes of tick and number, 6 of an entity, 6 of a kind.
    let mut writer = GameStateWriter::begin(1, 8 + 12 + 12 + 6, &mut state);
    assert!(writer.push(1, [Component::Kind(1)]));
    assert!(writer.push(2, [Component::Kind(2)]));
    assert!(!writer.push(3, [Component::Kind(3)]));
    assert!(writer.push(4, []), "a removal is shorter");
    assert!(!writer.push(5, []));
    let mut out = Vec::new();
    write_connected(2, &state[1..], &mut out);
    let Ok(FromServer::Connected { client_id: 2, game_state }) = FromServer::read(&out) else { panic!("{out:?}") };
    let ids: Vec<_> = game_state.entities.iter().map(|entity| (entity.entity_id, entity.is_removed())).collect();
    assert_eq!(ids, [(1, false), (2, false), (4, true)]);
}

#[test]
fn the_longest_packet_and_the_greatest_change_count() {
    let mut state = Vec::new();
    let mut writer = GameStateWriter::begin(1, PACKET_MAX_BYTES - STATE_OFFSET_BYTES, &mut state);
    let entities = (0..).take_while(|&id| writer.push(id, [])).count();
    assert_eq!(entities, (PACKET_MAX_BYTES - STATE_OFFSET_BYTES - 8) / 6);
    assert!(!writer.push(1, [Component::Unknown { component_id: 99, data: &[0; 65_532] }]), "its size is no u16");
    let mut out = Vec::new();
    write_connected(0, &state, &mut out);
    assert!(FromServer::read(&out).is_ok());

    let mut change = Vec::new();
    GameStateWriter::begin(1, PACKET_MAX_BYTES, &mut change);
    out.clear();
    write_game_changes(std::iter::repeat_n(&change[..], CHANGES_MAX), &mut out);
    let Ok(FromServer::GameChanges { changes }) = FromServer::read(&out) else { panic!("{out:?}") };
    assert_eq!(changes.iter().count(), CHANGES_MAX);
}

fn component() -> impl Strategy<Value = Component<'static>> {
    prop_oneof![
        any::<(f32, f32)>().prop_map(|(x, y)| Component::Position { x, y }),
        any::<(f32, f32)>().prop_map(|(x, y)| Component::Velocity { x, y }),
        any::<u16>().prop_map(Component::Kind),
        any::<(u16, u16)>().prop_map(|(now, max)| Component::Health { now, max }),
        any::<u8>().prop_map(Component::Animation),
        any::<u8>().prop_map(|seat| Component::Player { seat }),
        any::<(u32, u8)>().prop_map(|(entity, side)| Component::Attached { entity, side }),
        any::<u8>().prop_map(Component::Charge),
        any::<u32>().prop_map(Component::Score),
        any::<u8>().prop_map(Component::Lives),
        any::<(u8, u8)>().prop_map(|(state, stage)| Component::Game { state, stage }),
        (12..=u16::MAX).prop_map(|component_id| Component::Unknown { component_id, data: b"other" }),
    ]
}

type OwnedState = (u32, Vec<(u32, Vec<Component<'static>>)>);

fn state() -> impl Strategy<Value = OwnedState> {
    let entity = (any::<u32>(), prop::collection::vec(component(), 0..5));
    (any::<u32>(), prop::collection::vec(entity, 0..5))
}

fn write_state((tick, entities): &OwnedState) -> Vec<u8> {
    let mut out = Vec::new();
    let mut writer = GameStateWriter::begin(*tick, PACKET_MAX_BYTES, &mut out);
    for (entity_id, components) in entities {
        assert!(writer.push(*entity_id, components.iter().copied()));
    }
    out
}

proptest! {
    #[test]
    fn a_clients_packet_comes_back(inputs in prop::collection::vec(any::<u8>(), 0..=255), tick: u32) {
        for packet in [FromClient::GameInput { inputs: &inputs }, FromClient::Ping, FromClient::ClientPong { tick }] {
            let mut out = Vec::new();
            packet.write(&mut out);
            prop_assert_eq!(FromClient::read(&out), Ok(packet));
            prop_assert_eq!(whole_packet(&out, PACKET_MAX_BYTES), Ok(Some(out.len())));
        }
    }

    #[test]
    fn changes_come_back(states in prop::collection::vec(state(), 0..6)) {
        let encoded: Vec<_> = states.iter().map(write_state).collect();
        let mut out = Vec::new();
        write_game_changes(encoded.iter().map(Vec::as_slice), &mut out);
        let Ok(FromServer::GameChanges { changes }) = FromServer::read(&out) else { panic!("{out:?}") };
        prop_assert_eq!(changes.iter().count(), states.len());
        for (change, (tick, entities)) in changes.iter().zip(&states) {
            prop_assert_eq!(change.tick, *tick);
            prop_assert_eq!(change.entities.iter().count(), entities.len());
            for (entity, (entity_id, components)) in change.entities.iter().zip(entities) {
                prop_assert_eq!(entity.entity_id, *entity_id);
                prop_assert_eq!(&entity.components.iter().collect::<Vec<_>>(), components);
            }
        }
    }

    #[test]
    fn any_bytes_are_refused_or_written_back_the_same(
        packet_type in prop::sample::select(vec![0x80u8, 0x81, 0x82, 0, 1, 2, 3]),
        data in prop::collection::vec(0..6u8, 0..100),
    ) {
        let bytes = packet(&[&[packet_type], &data[..]].concat());
        let mut out = Vec::new();
        if let Ok(packet) = FromServer::read(&bytes) {
            packet.write(&mut out);
            prop_assert_eq!(&out, &bytes);
        }
        out.clear();
        if let Ok(packet) = FromClient::read(&bytes) {
            packet.write(&mut out);
            prop_assert_eq!(&out, &bytes);
        }
    }

    #[test]
    fn any_bytes_at_all_never_panic(bytes in prop::collection::vec(any::<u8>(), 0..100)) {
        let read = (FromServer::read(&bytes).is_ok(), FromClient::read(&bytes).is_ok());
        prop_assert!(!(read.0 && read.1), "no packet is of both directions");
        let _ = whole_packet(&bytes, PACKET_MAX_BYTES);
    }
}
