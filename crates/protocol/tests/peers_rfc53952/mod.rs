//! The two halves of `rfc53952`, each with a foreign peer at the other end whose bytes a test writes.

#![allow(dead_code, reason = "every test file uses another part of it")]

use game::{Entity, EntityId, Frame, Input, Kind, Seat, Vec2, px};
use protocol::rfc53952::ENTRY;
use protocol::rfc53952::wire::{FromClient, FromServer, Packet, PacketType, Text};
use protocol::{Channel, ClientSession, Plan, Scale, Scene, ServerSession, Status, Time, Welcome};

pub const T: u64 = 1_700_000_000;

pub fn at(ms: u64) -> Time {
    Time::from_micros(T * 1_000_000 + ms * 1000)
}

pub fn client_bytes(timestamp: u64, data: FromClient) -> Vec<u8> {
    let mut bytes = Vec::new();
    Packet { timestamp, data }.write(&mut bytes);
    bytes
}

pub fn server_bytes(timestamp: u64, data: FromServer) -> Vec<u8> {
    let mut bytes = Vec::new();
    Packet { timestamp, data }.write(&mut bytes);
    bytes
}

pub fn event(timestamp: u64, id_event: u8, description: &str) -> Vec<u8> {
    client_bytes(timestamp, FromClient::ClientEvents { id_event, description: Text::new(description).unwrap() })
}

pub fn update(timestamp: u64, network_id: u32, description: &str) -> Vec<u8> {
    server_bytes(timestamp, FromServer::UpdateEntity { network_id, description: Text::new(description).unwrap() })
}

pub fn create(timestamp: u64, network_id: u32, prefab: &str, x: f32, y: f32) -> Vec<u8> {
    let entity_prefab_path = Text::new(prefab).unwrap();
    server_bytes(timestamp, FromServer::CreateEntity { network_id, entity_prefab_path, x, y })
}

pub fn validation_of(packet: &[u8], timestamp: u64) -> Vec<u8> {
    let packet_timestamp = u64::from_le_bytes(packet[5..13].try_into().unwrap());
    let packet_type = PacketType::ALL[usize::from(packet[4]) - 1];
    client_bytes(timestamp, FromClient::PacketValidation { packet_type, packet_timestamp })
}

/// A server's half with a peer that this test plays.
pub struct Served {
    pub session: Box<dyn ServerSession>,
    pub scene: Scene,
}

impl Served {
    pub fn new() -> Served {
        let welcome = Welcome {
            seat: Seat::ALL[0],
            now: at(0),
            started: at(0),
            scale: Scale::default(),
            numbers: protocol::Numbers::default(),
        };
        Served { session: (ENTRY.accept)(welcome), scene: Scene::new("endless") }
    }

    /// Greeted, with the HiClient validated and all of that said.
    pub fn playing() -> Served {
        let mut served = Served::new();
        served.hear(0, &client_bytes(T, FromClient::HiServer));
        let said = served.said(0);
        served.hear(0, &validation_of(&said[0], T));
        assert_eq!(served.session.status(), Status::Playing);
        served.said(0);
        served
    }

    pub fn hear(&mut self, ms: u64, bytes: &[u8]) {
        self.session.receive(at(ms), Channel::Datagram, bytes).unwrap();
    }

    /// Advances and takes out everything to send.
    pub fn said(&mut self, ms: u64) -> Vec<Vec<u8>> {
        self.session.advance(at(ms));
        let mut said = Vec::new();
        let mut buffer = Vec::new();
        while self.session.poll(at(ms), &mut buffer).is_some() {
            said.push(buffer.clone());
        }
        said
    }

    pub fn show(&mut self, ms: u64, entities: &[Entity]) -> Vec<Vec<u8>> {
        self.scene.frame.entities = entities.to_vec();
        self.scene.frame.tick.0 += 1;
        self.session.publish(at(ms), &self.scene);
        self.said(ms)
    }

    /// Validates what was said, as a peer must.
    pub fn validate(&mut self, ms: u64, said: &[Vec<u8>]) {
        for packet in said.iter().filter(|packet| packet[4] != 10) {
            self.hear(ms, &validation_of(packet, at(ms).seconds()));
        }
    }

    pub fn input(&mut self) -> Input {
        self.session.input(at(0))
    }
}

pub fn of_type(said: &[Vec<u8>], packet_type: PacketType) -> Vec<Vec<u8>> {
    said.iter().filter(|packet| packet[4] == packet_type as u8).cloned().collect()
}

pub fn drone(id: u32, x: i32) -> Entity {
    Entity { health: 4, health_max: 4, ..Entity::new(EntityId(id), Kind::Drone, Vec2::new(px(x), px(50))) }
}

pub fn ship() -> Entity {
    let ship = Entity::new(EntityId(1), Kind::Player, Vec2::new(px(40), px(135)));
    Entity { health: 1, health_max: 1, seat: Some(Seat::ALL[0]), lives: 3, ..ship }
}

/// A client's half with a server that this test plays.
pub struct Joined(pub Box<dyn ClientSession>);

impl Joined {
    pub fn new() -> Joined {
        let (name, stage) = (String::new(), "endless".into());
        Joined((ENTRY.connect)(Plan { name, stage, ..Plan::at(at(0)) }))
    }

    pub fn playing() -> Joined {
        let mut joined = Joined::new();
        joined.said(0);
        joined.hear(0, &server_bytes(T, FromServer::HiClient { accepted: true }));
        joined.said(0);
        joined
    }

    pub fn hear(&mut self, ms: u64, bytes: &[u8]) {
        self.0.receive(at(ms), Channel::Datagram, bytes).unwrap();
    }

    pub fn said(&mut self, ms: u64) -> Vec<Vec<u8>> {
        self.0.advance(at(ms));
        let mut said = Vec::new();
        let mut buffer = Vec::new();
        while self.0.poll(at(ms), &mut buffer).is_some() {
            said.push(buffer.clone());
        }
        said
    }

    pub fn press(&mut self, ms: u64, input: Input) -> Vec<Vec<u8>> {
        self.0.press(at(ms), input);
        of_type(&self.said(ms), PacketType::ClientEvents)
    }

    /// Validates what was said, as a server must.
    pub fn validate(&mut self, ms: u64, said: &[Vec<u8>]) {
        for packet in said {
            let packet_timestamp = u64::from_le_bytes(packet[5..13].try_into().unwrap());
            let packet_type = PacketType::ALL[usize::from(packet[4]) - 1];
            let data = FromServer::PacketValidation { packet_type, packet_timestamp };
            self.hear(ms, &server_bytes(at(ms).seconds(), data));
        }
    }

    pub fn frame(&mut self) -> Frame {
        let mut frame = Frame::default();
        self.0.take_frame(&mut frame);
        frame
    }
}
