//! The halves of `typeuh` one by one, and instructions as a foreign peer would send them.

#![allow(dead_code, reason = "each file of tests uses its part")]

use std::time::Duration;

use game::{Entity, EntityId, Frame, Kind, Seat, Vec2, px};
use protocol::typeuh::ENTRY;
use protocol::typeuh::component::{Component, ComponentName, ComponentTable};
use protocol::typeuh::wire::{Instruction, Instructions, write_own_initialisation};
use protocol::{Channel, ClientSession, Malformed, Output, Plan, Scale, Scene, ServerSession, Time, Welcome};

pub const START: Time = Time::from_micros(1_700_000_000_000_000);
pub const TICK: Duration = Duration::from_micros(16_667);
pub const MS: Duration = Duration::from_millis(1);

pub fn initialisation() -> Vec<u8> {
    let mut out = Vec::new();
    write_own_initialisation(&mut out);
    out
}

/// All that a half has to say.
pub fn datagrams(mut poll: impl FnMut(&mut Vec<u8>) -> Option<Output>) -> Vec<Vec<u8>> {
    let (mut datagrams, mut buffer) = (Vec::new(), Vec::new());
    while let Some(output) = poll(&mut buffer) {
        assert_eq!(output, Output::Datagram);
        datagrams.push(buffer.clone());
    }
    datagrams
}

pub fn read(datagrams: &[Vec<u8>]) -> Vec<Instruction> {
    let table = ComponentTable::own();
    let all = datagrams.iter().flat_map(|datagram| Instructions::read(datagram, &table));
    all.collect::<Result<_, _>>().expect("whole instructions that we know (T3)")
}

pub fn create(entity_id: u16) -> Instruction {
    Instruction::CreateEntity { entity_id }
}

pub fn delete(entity_id: u16) -> Instruction {
    Instruction::DeleteEntity { entity_id }
}

pub fn attach(entity_id: u16, name: ComponentName) -> Instruction {
    Instruction::AttachComponent { entity_id, component_id: name.own_id() }
}

pub fn detach(entity_id: u16, name: ComponentName) -> Instruction {
    Instruction::DetachComponent { entity_id, component_id: name.own_id() }
}

pub fn bytes(instructions: &[Instruction]) -> Vec<u8> {
    let mut out = Vec::new();
    instructions.iter().for_each(|instruction| instruction.write(&mut out));
    out
}

pub fn ship(id: u32, seat: usize) -> Entity {
    let (health, health_max) = (1, 1);
    let seat = Some(Seat::ALL[seat]);
    Entity { health, health_max, seat, lives: 3, ..Entity::new(EntityId(id), Kind::Player, Vec2::new(px(40), px(135))) }
}

pub fn shot(id: u32) -> Entity {
    Entity::new(EntityId(id), Kind::Pellet, Vec2::new(px(100), px(50)))
}

/// A server's half in seat 0, and the scene that it is shown.
pub struct Server {
    pub session: Box<dyn ServerSession>,
    pub scene: Scene,
    pub now: Time,
}

impl Server {
    pub fn new() -> Server {
        let welcome = Welcome {
            seat: Seat::ALL[0],
            now: START,
            started: START,
            scale: Scale::default(),
            numbers: protocol::Numbers::default(),
        };
        Server { session: (ENTRY.accept)(welcome), scene: Scene::new("endless"), now: START }
    }

    /// One that has said its initialisation and all of these.
    pub fn showing(entities: &[Entity]) -> Server {
        let mut server = Server::new();
        server.scene.frame.entities = entities.to_vec();
        server.tick();
        server
    }

    pub fn receive(&mut self, bytes: &[u8]) -> Result<(), Malformed> {
        self.session.receive(self.now, Channel::Datagram, bytes).map(drop)
    }

    pub fn poll(&mut self) -> Vec<Vec<u8>> {
        datagrams(|buffer| self.session.poll(self.now, buffer))
    }

    pub fn tick(&mut self) -> Vec<Vec<u8>> {
        self.now = self.now + TICK;
        self.session.advance(self.now);
        self.scene.frame.tick.0 += 1;
        self.scene.update(self.now);
        self.session.publish(self.now, &self.scene);
        self.poll()
    }

    /// What is said in each of some ticks, with the time since now.
    pub fn ticks(&mut self, count: usize) -> Vec<(Duration, Vec<Instruction>)> {
        let start = self.now;
        (0..count).map(|_| (read(&self.tick()), self.now.since(start))).map(|(said, at)| (at, said)).collect()
    }
}

/// A client's half with its own clock.
pub struct Client {
    pub session: Box<dyn ClientSession>,
    pub now: Time,
}

impl Client {
    pub fn new() -> Client {
        let (name, stage) = (String::new(), String::new());
        let plan = Plan { name, stage, ..Plan::at(START) };
        Client { session: (ENTRY.connect)(plan), now: START }
    }

    pub fn playing() -> Client {
        let mut client = Client::new();
        client.poll();
        client.hear(&initialisation());
        client
    }

    pub fn hear(&mut self, bytes: &[u8]) {
        assert_eq!(self.receive(bytes), Ok(()));
    }

    pub fn receive(&mut self, bytes: &[u8]) -> Result<(), Malformed> {
        self.session.receive(self.now, Channel::Datagram, bytes).map(drop)
    }

    pub fn told(&mut self, instructions: &[Instruction]) {
        self.hear(&bytes(instructions));
    }

    pub fn wait(&mut self, duration: Duration) {
        self.now = self.now + duration;
        self.session.advance(self.now);
    }

    pub fn poll(&mut self) -> Vec<Vec<u8>> {
        datagrams(|buffer| self.session.poll(self.now, buffer))
    }

    pub fn frame(&mut self) -> Frame {
        let mut frame = Frame::default();
        self.session.take_frame(&mut frame);
        frame
    }
}

/// A drone of that id at (100, 50).
pub fn drone(id: u16) -> [Instruction; 3] {
    let position = Component::Position { x: 400.0, y: 200.0 };
    [create(id), Instruction::update(id, Component::Kind(30)), Instruction::update(id, position)]
}
