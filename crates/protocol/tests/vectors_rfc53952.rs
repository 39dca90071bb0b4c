//! The bytes of `rfc53952`: golden vectors, round trips, and bytes that nobody would send.

use proptest::prelude::*;
use protocol::Malformed;
use protocol::rfc53952::description::{ClientEvent, Update};
use protocol::rfc53952::wire::{FromClient, FromServer, HEADER_SIZE, Packet, PacketType, TEXT_MAX, Text};

mod page;
mod vectors;
use vectors::Reading;

#[test]
fn golden_vectors() {
    vectors::check("rfc53952", &[("client", client), ("server", server)]);
}

fn client(bytes: &[u8]) -> Result<Reading, Malformed> {
    Packet::<FromClient>::read(bytes).map(|packet| Reading::new(packet, Packet::<FromClient>::write))
}

fn server(bytes: &[u8]) -> Result<Reading, Malformed> {
    Packet::<FromServer>::read(bytes).map(|packet| Reading::new(packet, Packet::<FromServer>::write))
}

#[test]
fn the_session_on_the_page_is_well_formed() {
    let session = page::session(include_str!("../../../docs/protocols/rfc53952.md"));
    for (who, bytes) in &session {
        let mut written = Vec::new();
        match *who {
            "client" => Packet::<FromClient>::read(bytes).map(|packet| packet.write(&mut written)),
            _ => Packet::<FromServer>::read(bytes).map(|packet| packet.write(&mut written)),
        }
        .unwrap_or_else(|malformed| panic!("{who} {bytes:x?}: {malformed:?}"));
        assert_eq!(&written, bytes, "{who}");
    }
    assert!(session.len() > 20, "only {} lines were found", session.len());
}

/// HiServer of the second 0x0102: Length, Type, Timestamp, Datasize.
const HI_SERVER: [u8; HEADER_SIZE] = [15, 0, 0, 0, 1, 0x02, 0x01, 0, 0, 0, 0, 0, 0, 0, 0];

#[test]
fn f1_numbers_are_little_endian_and_sizes_that_disagree_are_dropped() {
    let packet = Packet::<FromClient>::read(&HI_SERVER).unwrap();
    assert_eq!((packet.timestamp, packet.data), (0x0102, FromClient::HiServer));
    // Length one too small and one too large, Datasize one too large, and both right for a byte that is not there.
    for (place, value) in [(0, 14), (0, 16), (13, 1), (3, 15)] {
        let mut wrong = HI_SERVER;
        wrong[place] = value;
        assert!(Packet::<FromClient>::read(&wrong).is_err(), "byte {place} = {value}");
    }
}

#[test]
fn f2_types_are_1_to_10_and_strings_end_where_datasize_says() {
    for packet_type in [0, 11, 255] {
        let mut wrong = HI_SERVER;
        wrong[4] = packet_type;
        assert_eq!(Packet::<FromClient>::read(&wrong), Err(Malformed::UnknownType));
        assert_eq!(Packet::<FromServer>::read(&wrong), Err(Malformed::UnknownType));
    }
    let update =
        server_bytes(0, FromServer::UpdateEntity { network_id: 0, description: Text::new("own = 1").unwrap() });
    assert_eq!(update[HEADER_SIZE..], [&[0; 4][..], b"own = 1"].concat());
}

#[test]
fn a_text_has_a_longest_length() {
    let (longest, longer) = ("d".repeat(TEXT_MAX), "d".repeat(TEXT_MAX + 1));
    let data = FromServer::UpdateEntity { network_id: 0, description: Text::new(&longest).unwrap() };
    let mut bytes = server_bytes(0, data);
    assert_eq!(Packet::<FromServer>::read(&bytes).map(|packet| packet.data), Ok(data));
    assert_eq!(Text::new(&longer), Err(Malformed::BadText));
    bytes.push(b'd');
    let length = bytes.len();
    bytes[..4].copy_from_slice(&(length as u32).to_le_bytes());
    bytes[13..15].copy_from_slice(&((length - HEADER_SIZE) as u16).to_le_bytes());
    let Ok(FromServer::UpdateEntity { description, .. }) = Packet::<FromServer>::read(&bytes).map(|it| it.data) else {
        panic!("it is no text, but an UpdateEntity all the same")
    };
    assert_eq!(description.as_str(), "\u{fffd}");
}

#[test]
fn a_datagram_longer_than_datasize_can_say_is_refused() {
    let mut bytes = server_bytes(0, FromServer::Ping);
    bytes.resize(HEADER_SIZE + 0x1_0000, b'd');
    let length = bytes.len() as u32;
    bytes[..4].copy_from_slice(&length.to_le_bytes());
    assert_eq!(Packet::<FromServer>::read(&bytes), Err(Malformed::WrongSize));
}

fn server_bytes(timestamp: u64, data: FromServer) -> Vec<u8> {
    let mut out = Vec::new();
    Packet { timestamp, data }.write(&mut out);
    out
}

fn validated() -> impl Strategy<Value = (PacketType, u64)> {
    (prop::sample::select(PacketType::ALL.to_vec()), any::<u64>())
}

/// Every packet of a client, with that description where one is needed.
fn from_client(text: &'static str) -> impl Strategy<Value = FromClient<'static>> {
    let description = Text::new(text).expect("a good text");
    prop_oneof![
        Just(FromClient::HiServer),
        Just(FromClient::AdiosServer),
        Just(FromClient::Ping),
        any::<u8>().prop_map(move |id_event| FromClient::ClientEvents { id_event, description }),
        prop::sample::select(ClientEvent::ALL.to_vec()).prop_map(|event| event.packet().expect("a known event")),
        validated()
            .prop_map(|(packet_type, packet_timestamp)| FromClient::PacketValidation { packet_type, packet_timestamp }),
    ]
}

/// Every packet of a server, with that path or description where one is needed.
fn from_server(text: &'static str) -> impl Strategy<Value = FromServer<'static>> {
    let text = Text::new(text).expect("a good text");
    let id = any::<u32>();
    prop_oneof![
        any::<bool>().prop_map(|accepted| FromServer::HiClient { accepted }),
        Just(FromServer::Ping),
        // `any` for floats is all finite ones.
        any::<(u32, f32, f32)>().prop_map(move |(network_id, x, y)| FromServer::CreateEntity {
            network_id,
            entity_prefab_path: text,
            x,
            y
        }),
        id.prop_map(|network_id| FromServer::DestroyEntity { network_id }),
        any::<(u32, f32, f32, f32, f32)>().prop_map(|(network_id, x, y, direction_x, direction_y)| {
            FromServer::MoveEntity { network_id, x, y, direction_x, direction_y }
        }),
        id.prop_map(move |network_id| FromServer::UpdateEntity { network_id, description: text }),
        validated()
            .prop_map(|(packet_type, packet_timestamp)| FromServer::PacketValidation { packet_type, packet_timestamp }),
    ]
}

proptest! {
    #[test]
    fn a_clients_packet_comes_back(timestamp: u64, data in from_client("-ünknown")) {
        let packet = Packet { timestamp, data };
        let mut bytes = Vec::new();
        packet.write(&mut bytes);
        prop_assert_eq!(Packet::<FromClient>::read(&bytes), Ok(packet));
    }

    #[test]
    fn a_servers_packet_comes_back(timestamp: u64, data in from_server("prefab/dröne")) {
        let bytes = server_bytes(timestamp, data);
        prop_assert_eq!(Packet::<FromServer>::read(&bytes), Ok(Packet { timestamp, data }));
    }

    #[test]
    fn f7_an_update_comes_back(key in "(score|lives|health|seat|attached|own|[a-z]+)", value in "[0-9]{1,4}( front| back)?") {
        let text = format!("{key} = {value}");
        let update = Update::read(Text::new(&text).unwrap());
        let again = update.to_string();
        prop_assert_eq!(Update::read(Text::new(&again).unwrap()), update);
    }

    #[test]
    fn any_text_means_something(id_event: u8, text in "\\PC{0,40}") {
        let text = Text::new(&text).unwrap();
        let event = ClientEvent::read(id_event, text);
        let Some(FromClient::ClientEvents { id_event: again, description }) = event.packet() else { panic!("{event:?}") };
        prop_assert_eq!(ClientEvent::read(again, description), event);
        let _ = Update::read(text);
    }

    #[test]
    fn any_bytes_are_refused_or_written_back_the_same(
        packet_type in 0..12u8, timestamp: u64, data in prop::collection::vec(any::<u8>(), 0..40),
    ) {
        let length = (HEADER_SIZE + data.len()) as u32;
        let datasize = (data.len() as u16).to_le_bytes();
        let bytes =
            [&length.to_le_bytes()[..], &[packet_type], &timestamp.to_le_bytes(), &datasize, &data].concat();
        let mut out = Vec::new();
        if let Ok(packet) = Packet::<FromClient>::read(&bytes) {
            packet.write(&mut out);
            prop_assert_eq!(&out, &bytes);
        }
        out.clear();
        if let Ok(packet) = Packet::<FromServer>::read(&bytes) {
            packet.write(&mut out);
            prop_assert_eq!(&out, &bytes);
        }
    }

    #[test]
    fn any_bytes_at_all_do_no_harm(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        let _ = Packet::<FromClient>::read(&bytes);
        let _ = Packet::<FromServer>::read(&bytes);
    }
}
