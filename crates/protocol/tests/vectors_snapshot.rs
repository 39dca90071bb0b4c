//! The bytes of `snapshot`: golden vectors, round trips, and bytes that nobody would send.

use game::Buttons;
use proptest::prelude::*;
use protocol::Malformed;
use protocol::snapshot::wire::{
    Action, DATAGRAM_MAX_BYTES, Entity, FromClient, FromServer, Header, Loss, NO_AVAILABLE_SLOTS, SnapshotWriter,
    Username, button,
};

mod page;
mod vectors;
use vectors::Reading;

#[test]
fn golden_vectors() {
    vectors::check("snapshot", &[("client", client), ("server", server)]);
}

fn client(bytes: &[u8]) -> Result<Reading, Malformed> {
    FromClient::read(bytes).map(|packet| Reading::new(packet, |(header, packet), out| packet.write(*header, out)))
}

fn server(bytes: &[u8]) -> Result<Reading, Malformed> {
    FromServer::read(bytes).map(|packet| Reading::new(packet, |(header, packet), out| packet.write(*header, out)))
}

#[test]
fn the_session_on_the_page_is_well_formed() {
    let session = page::session(include_str!("../../../docs/protocols/snapshot.md"));
    for (who, bytes) in &session {
        let reading = if *who == "client" { client(bytes) } else { server(bytes) };
        let reading = reading.unwrap_or_else(|malformed| panic!("{who} {bytes:x?}: {malformed:?}"));
        assert_eq!(&reading.written, bytes, "{who}");
    }
    assert_eq!(session.len(), 12, "lines on the page");
}

#[test]
fn s3_both_sets_of_key_codes_press_the_same_buttons() {
    let ours = [0x28, 0x26, 0x25, 0x27, 0x20].map(button);
    let authors = [0, 1, 2, 3, 4].map(button);
    assert_eq!(ours, authors);
    assert_eq!(ours, [Buttons::DOWN, Buttons::UP, Buttons::LEFT, Buttons::RIGHT, Buttons::FIRE].map(Some));
    assert_eq!(button(0x10), Some(Buttons::FORCE));
    let known = (0..=u8::MAX).filter(|&code| button(code).is_some()).count();
    assert_eq!(known, 11, "others are ignored");
}

#[test]
fn s6_what_does_not_fit_in_1024_bytes_is_left_out_and_said_so() {
    let mut out = vec![9];
    let entity = Entity { sprite_path: "enemy.png", ..ship() };
    let mut snapshot = SnapshotWriter::begin(HEADER, &mut out);
    let fitted = (0..100).take_while(|_| snapshot.push(&entity)).count();
    assert_eq!(fitted, (1024 - 7) / 35);
    let smaller = Entity { sprite_path: "", ..ship() };
    assert!(!snapshot.push(&smaller), "2 bytes are left");
    let (_, packet) = FromServer::read(&out[1..]).expect("what was written is whole");
    let FromServer::Snapshot { entities } = packet else { panic!("{packet:?}") };
    assert!(entities.iter().eq(std::iter::repeat_n(entity, fitted)));
}

#[test]
fn a_datagram_longer_than_the_documents_buffer_is_refused() {
    let mut out = Vec::new();
    FromServer::Killed(Loss { entity_id: 0, player_id: 0, username: &"a".repeat(255) }).write(HEADER, &mut out);
    assert!(FromServer::read(&out).is_ok());
    out.resize(DATAGRAM_MAX_BYTES + 1, 0);
    assert_eq!(FromServer::read(&out), Err(Malformed::WrongSize));
    assert_eq!(FromClient::read(&out), Err(Malformed::WrongSize));
}

#[test]
fn s2_a_name_is_trimmed_and_short() {
    assert_eq!(Username::new(" Ann \n").map(Username::as_str), Some("Ann"));
    assert_eq!(Username::new("A\u{1b}[2J"), None);
    assert_eq!(Username::new(&"é".repeat(16)).map(|name| name.as_str().len()), Some(32));
    assert_eq!(Username::new(&"é".repeat(17)), None);
}

const HEADER: Header = Header { packet_id: 1, timestamp: 2 };

fn ship() -> Entity<'static> {
    Entity {
        entity_id: 0,
        position_x: 1.0,
        position_y: 2.0,
        sprite_path: "p",
        rect_pos_x: 3.0,
        rect_pos_y: 4.0,
        rect_size_x: 5.0,
        rect_size_y: 6.0,
    }
}

fn header() -> impl Strategy<Value = Header> {
    any::<(u16, u32)>().prop_map(|(packet_id, timestamp)| Header { packet_id, timestamp })
}

/// Position, and the rectangle.
type Floats = (f32, f32, [f32; 4]);

proptest! {
    #[test]
    fn a_clients_packet_comes_back(header in header(), player_id: u8, key_code: u8, down: bool, name in "\\PC{0,40}") {
        let action = if down { Action::KeyDown } else { Action::KeyUp };
        let input = FromClient::Input { player_id, key_code, action };
        let join = Username::new(&name).map(|username| FromClient::Join { username });
        for packet in std::iter::once(input).chain(join) {
            let mut out = Vec::new();
            packet.write(header, &mut out);
            prop_assert_eq!(FromClient::read(&out), Ok((header, packet)));
        }
    }

    #[test]
    fn a_servers_packet_comes_back(
        header in header(), entity_id: u8, player_id in 0..4u8, username in "\\PC{0,60}", is_full: bool,
    ) {
        let loss = Loss { entity_id, player_id, username: &username };
        let assigned = if is_full { NO_AVAILABLE_SLOTS } else { player_id };
        let assignment = FromServer::PlayerIdAssignment { player_id: assigned };
        for packet in [assignment, FromServer::Timeout(loss), FromServer::Killed(loss)] {
            let mut out = Vec::new();
            packet.write(header, &mut out);
            prop_assert_eq!(FromServer::read(&out), Ok((header, packet)));
        }
    }

    #[test]
    fn a_snapshot_comes_back(
        header in header(), all in prop::collection::vec(any::<(u8, Floats)>(), 0..20), path in "[a-z/]{0,20}",
    ) {
        let entities: Vec<_> = all.into_iter().map(|(entity_id, (x, y, rect))| Entity {
            entity_id, position_x: x, position_y: y, sprite_path: &path,
            rect_pos_x: rect[0], rect_pos_y: rect[1], rect_size_x: rect[2], rect_size_y: rect[3],
        }).collect();
        let mut out = Vec::new();
        let mut snapshot = SnapshotWriter::begin(header, &mut out);
        for entity in &entities {
            prop_assert!(snapshot.push(entity));
        }
        let (read_header, packet) = FromServer::read(&out).expect("what was written is whole");
        prop_assert_eq!(read_header, header);
        let FromServer::Snapshot { entities: read } = packet else { panic!("{packet:?}") };
        prop_assert_eq!(read.iter().collect::<Vec<_>>(), entities);
    }

    #[test]
    fn any_bytes_are_refused_or_written_back_the_same(
        packet_type in prop::sample::select(vec![1u8, 2, 8, 0x10, 0x20, 0x40, 0]),
        rest in prop::collection::vec(any::<u8>(), 0..120),
    ) {
        let bytes = [&[packet_type], &rest[..]].concat();
        let mut out = Vec::new();
        if let Ok((header, packet)) = FromServer::read(&bytes) {
            packet.write(header, &mut out);
            prop_assert_eq!(&out, &bytes);
        }
        out.clear();
        if let Ok((header, packet)) = FromClient::read(&bytes) {
            packet.write(header, &mut out);
            prop_assert_eq!(FromClient::read(&out), Ok((header, packet)), "a name may be written otherwise (S2)");
        }
    }
}
