//! A server of `typeuh` that a case plays, against a client under test.

use std::time::Duration;

use protocol::{
    Channel,
    typeuh::{
        component::{Component, ComponentName},
        wire::{Instruction, write_own_initialisation},
    },
};

use crate::conform::{case::Stop, trial::Trial, trial_network::Line};

/// Between two datagrams of the state.
const EVERY: Duration = Duration::from_millis(50);
/// The client's ship, and the entity that has the score.
pub const SHIP: u16 = 1;
pub const GAME: u16 = 0;

/// A server that has one client.
pub struct TestServer {
    pub line: Line,
    /// Said in every datagram, in the order of our own initialisation.
    pub state: Vec<Instruction>,
}

/// Waits for a client, to see whether one comes.
pub fn greet(t: &mut Trial) -> Result<(), Stop> {
    TestServer::await_hello(t).map(|_| ())
}

/// The bytes of some instructions.
pub fn written(instructions: &[Instruction]) -> Vec<u8> {
    let mut bytes = Vec::new();
    instructions.iter().for_each(|instruction| instruction.write(&mut bytes));
    bytes
}

/// The initialisation that our own server sends.
pub fn initialisation() -> Vec<u8> {
    let mut bytes = Vec::new();
    write_own_initialisation(&mut bytes);
    bytes
}

/// All there is to say of an entity of a kind at a place.
pub fn entity(entity_id: u16, kind: u16, x: f32, y: f32) -> Vec<Instruction> {
    let components = [Component::Position { x, y }, Component::Velocity { x: 0.0, y: 0.0 }, Component::Kind(kind)];
    described(entity_id, &components)
}

/// An entity with these components.
pub fn described(entity_id: u16, components: &[Component]) -> Vec<Instruction> {
    let mut instructions = vec![Instruction::CreateEntity { entity_id }];
    for component in components {
        let component_id = component.name().own_id();
        instructions.push(Instruction::AttachComponent { entity_id, component_id });
        instructions.push(Instruction::update(entity_id, *component));
    }
    instructions
}

impl TestServer {
    /// Waits for a client's first datagram; it and its bytes.
    pub fn await_hello(t: &mut Trial) -> Result<(TestServer, Vec<u8>), Stop> {
        let (line, bytes) = t.accept(Channel::Datagram, t.client_wait).ok_or_else(Stop::no_client)?;
        let mut state = entity(SHIP, 1, 160.0, 540.0);
        let more =
            [Component::Health { now: 1, max: 1 }, Component::Player { seat: 0 }, Component::Lives(3), Component::Own];
        state.extend(described(SHIP, &more).into_iter().skip(1));
        state.extend(described(GAME, &[Component::Score(0), Component::Game { state: 1, stage: 1 }]));
        Ok((TestServer { line, state }, bytes))
    }

    /// Lets a client in.
    pub fn welcome(t: &mut Trial) -> Result<TestServer, Stop> {
        let (mut server, _) = TestServer::await_hello(t)?;
        for _ in 0..3 {
            t.send(server.line, &initialisation());
        }
        server.play(t, Duration::from_millis(300), |_| None::<()>);
        t.forget(server.line);
        Ok(server)
    }

    /// Says something else of a component from now on.
    pub fn set(&mut self, entity_id: u16, component: Component) {
        let is_it = |instruction: &Instruction| matches!(instruction, Instruction::UpdateComponent { entity_id: id, component_data, .. } if *id == entity_id && component_data.name() == component.name());
        self.state.retain(|instruction| !is_it(instruction));
        self.state.push(Instruction::update(entity_id, component));
    }

    /// Plays for a while: the state goes out, an empty datagram is answered, and what comes is looked at.
    pub fn play<T>(&mut self, t: &mut Trial, limit: Duration, mut look: impl FnMut(&[u8]) -> Option<T>) -> Option<T> {
        let until = t.now() + limit;
        while t.now() < until {
            t.send(self.line, &written(&self.state));
            let line = self.line;
            let found = t.until(line, EVERY, |t, bytes| {
                if bytes.is_empty() {
                    t.send(line, &initialisation());
                }
                look(bytes)
            });
            if found.is_some() {
                return found;
            }
        }
        None
    }

    /// Whether the client still says anything.
    pub fn speaks(&mut self, t: &mut Trial) -> bool {
        t.forget(self.line);
        self.play(t, Duration::from_secs(5), |_| Some(())).is_some()
    }
}

/// An initialisation with the names in the opposite order, longer padding, and the state in its numbers.
pub fn reversed() -> (Vec<u8>, impl Fn(&[Instruction]) -> Vec<u8>) {
    let names = ComponentName::ALL;
    let mut bytes = vec![0, names.len() as u8, 16];
    for name in names.iter().rev() {
        let mut padded = name.as_str().as_bytes().to_vec();
        padded.resize(16, 0);
        bytes.extend(padded);
    }
    bytes.extend([0xff, 0xff]);
    let renumber = move |instructions: &[Instruction]| {
        let turn = |id: u16| names.len() as u16 - 1 - id;
        let turned = instructions.iter().map(|instruction| match *instruction {
            Instruction::AttachComponent { entity_id, component_id } => {
                Instruction::AttachComponent { entity_id, component_id: turn(component_id) }
            }
            Instruction::UpdateComponent { entity_id, component_id, component_data } => {
                Instruction::UpdateComponent { entity_id, component_id: turn(component_id), component_data }
            }
            other => other,
        });
        written(&turned.collect::<Vec<_>>())
    };
    (bytes, renumber)
}
