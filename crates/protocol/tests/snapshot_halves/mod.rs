//! The two halves of a `snapshot` session for tests: opened, spoken to and heard in bytes.

#![allow(dead_code, reason = "every test file uses another part of it")]

use std::time::Duration;

use game::{EntityId, Event, Seat, Vec2, px};
use protocol::{
    Channel, ClientSession, Output, Plan, Scale, ServerSession, Time, Welcome,
    snapshot::{
        ENTRY,
        wire::{Action, Entity, FromClient, FromServer, Header, Loss, SnapshotWriter, Username},
    },
};

pub const START: Time = Time::from_micros(1_700_000_000_000_000);

pub fn at(ms: u64) -> Time {
    START + Duration::from_millis(ms)
}

pub fn at_px(x: i32, y: i32) -> Vec2 {
    Vec2::new(px(x), px(y))
}

pub fn welcome(seat: u8) -> Welcome {
    let seat = Seat::new(seat).expect("there are four");
    Welcome { seat, now: START, started: START, scale: Scale::default(), numbers: protocol::Numbers::default() }
}

pub fn joined(seat: u8, name: &str) -> Box<dyn ServerSession> {
    let mut server = (ENTRY.accept)(welcome(seat));
    server.receive(START, Channel::Datagram, &join(name)).unwrap();
    server
}

pub fn connect(name: &str) -> Box<dyn ClientSession> {
    let plan = Plan { name: name.into(), ..Plan::at(START) };
    (ENTRY.connect)(plan)
}

pub fn seated(player_id: u8) -> Box<dyn ClientSession> {
    let mut client = connect("Ann");
    from_server(&mut client, 0, 0, FromServer::PlayerIdAssignment { player_id });
    client
}

pub fn join(name: &str) -> Vec<u8> {
    let mut bytes = Vec::new();
    let username = Username::new(name).expect("a fit name");
    FromClient::Join { username }.write(Header { packet_id: 0, timestamp: 0 }, &mut bytes);
    bytes
}

pub fn input(server: &mut Box<dyn ServerSession>, player_id: u8, key_code: u8, action: Action) {
    let mut bytes = Vec::new();
    FromClient::Input { player_id, key_code, action }.write(Header { packet_id: 0, timestamp: 0 }, &mut bytes);
    server.receive(START, Channel::Datagram, &bytes).unwrap();
}

pub fn from_server(client: &mut Box<dyn ClientSession>, ms: u64, packet_id: u16, packet: FromServer) {
    let mut bytes = Vec::new();
    packet.write(Header { packet_id, timestamp: ms as u32 }, &mut bytes);
    client.receive(at(ms), Channel::Datagram, &bytes).unwrap();
}

pub fn snapshot_of(packet_id: u16, x: f32) -> Vec<u8> {
    let mut bytes = Vec::new();
    let mut writer = SnapshotWriter::begin(Header { packet_id, timestamp: packet_id.into() }, &mut bytes);
    assert!(writer.push(&Entity { position_x: x, ..wire_entity(0, "player", 4.0) }));
    bytes
}

pub fn wire_entity(entity_id: u8, sprite_path: &str, float: f32) -> Entity<'_> {
    Entity {
        entity_id,
        position_x: float,
        position_y: float,
        sprite_path,
        rect_pos_x: 0.0,
        rect_pos_y: 0.0,
        rect_size_x: float,
        rect_size_y: float,
    }
}

/// Id, path and x of every entity of a SNAPSHOT.
pub fn shown(datagram: &[u8]) -> Vec<(u8, String, f32)> {
    let (_, packet) = FromServer::read(datagram).expect("a whole datagram");
    let FromServer::Snapshot { entities } = packet else { panic!("{packet:?}") };
    entities.iter().map(|entity| (entity.entity_id, entity.sprite_path.to_owned(), entity.position_x)).collect()
}

pub fn loss(player_id: u8, username: &str) -> Loss<'_> {
    Loss { entity_id: player_id, player_id, username }
}

pub fn killed(seat: u8) -> Event {
    Event::Killed { seat: Seat::new(seat).expect("there are four"), ship: EntityId(7), by: None }
}

pub fn drain(server: &mut Box<dyn ServerSession>, now: Time) -> Vec<Vec<u8>> {
    let mut buffer = Vec::new();
    std::iter::from_fn(|| {
        let output = server.poll(now, &mut buffer)?;
        assert_eq!(output, Output::Datagram);
        Some(buffer.clone())
    })
    .collect()
}

pub fn drain_client(client: &mut Box<dyn ClientSession>, now: Time) -> Vec<Vec<u8>> {
    let mut buffer = Vec::new();
    std::iter::from_fn(|| {
        let output = client.poll(now, &mut buffer)?;
        assert_eq!(output, Output::Datagram);
        Some(buffer.clone())
    })
    .collect()
}

pub fn hex(text: &str) -> Vec<u8> {
    let digits: Vec<u8> = text.chars().filter_map(|digit| digit.to_digit(16)).map(|digit| digit as u8).collect();
    digits.chunks(2).map(|pair| pair[0] << 4 | pair[1]).collect()
}
