//! A client of `typeuh` that a case plays, against a server under test.

use std::{collections::BTreeMap, time::Duration};

use protocol::typeuh::{
    component::{Component, ComponentName, ComponentTable},
    wire::{Initialisation, Instruction},
};

use super::{Fault, read_instructions};
use crate::conform::{
    case::{Stop, failed},
    flight::{Flight, Position},
    trial::Trial,
    trial_network::Line,
};

/// Opcodes of keys: pressed; released is one more.
pub const RIGHT: u8 = 0;
pub const UP: u8 = 2;
pub const LEFT: u8 = 4;
pub const DOWN: u8 = 6;
pub const FIRE: u8 = 8;

/// A player who has an initialisation.
pub struct TestClient {
    pub line: Line,
    pub initialisation: Vec<u8>,
    table: ComponentTable,
    /// What is known of each entity.
    pub entities: BTreeMap<u16, BTreeMap<ComponentName, Component>>,
}

/// What a datagram says.
pub struct DatagramContent {
    pub bytes: Vec<u8>,
    pub instructions: Vec<Instruction>,
    pub fault: Option<Fault>,
}

/// Greets a server, to see whether it is there.
pub fn greet(t: &mut Trial) -> Result<(), Stop> {
    let line = t.open()?;
    let first = hello(t, line)?;
    if Initialisation::read(&first).is_ok() { Ok(()) } else { failed("its first datagram is no initialisation") }
}

/// Sends the hello until something comes.
pub fn hello(t: &mut Trial, line: Line) -> Result<Vec<u8>, Stop> {
    for _ in 0..5 {
        t.send(line, &[]);
        let again = t.again();
        if let Some(bytes) = t.next(line, again) {
            return Ok(bytes);
        }
    }
    failed("nothing came, though five empty datagrams were sent")
}

impl TestClient {
    /// Joins, and waits until its ship is known.
    pub fn join(t: &mut Trial) -> Result<TestClient, Stop> {
        let mut client = TestClient::enter(t)?;
        let patience = t.patience();
        client.look(t, patience, |client, _| client.own().map(|_| ()));
        match client.place() {
            Ok(_) => Ok(client),
            Err(_) => Err(Stop::Blocked("no entity with Own and Position came".into())),
        }
    }

    /// Joins, and waits for the initialisation.
    pub fn enter(t: &mut Trial) -> Result<TestClient, Stop> {
        let line = t.open()?;
        let mut first = hello(t, line).map_err(Stop::in_the_way)?;
        let patience = t.patience();
        if Initialisation::read(&first).is_err() {
            let found = t.until(line, patience, |_, bytes| Initialisation::read(bytes).is_ok().then(|| bytes.to_vec()));
            first = found.ok_or_else(|| Stop::Blocked("no initialisation came".into()))?;
        }
        match Initialisation::read(&first) {
            Ok(initialisation) => {
                let table = ComponentTable::new(&initialisation);
                let needed = [ComponentName::Position, ComponentName::Kind, ComponentName::Own];
                if needed.iter().any(|name| !initialisation.names().any(|known| known == name.as_str())) {
                    return Err(Stop::Blocked("the initialisation lacks Position, Kind or Own".into()));
                }
                Ok(TestClient { line, initialisation: first.clone(), table, entities: BTreeMap::new() })
            }
            Err(_) => Err(Stop::Blocked("no initialisation came".into())),
        }
    }

    /// Sends key events. They are said twice, because they may be lost.
    pub fn keys(&self, t: &mut Trial, events: &[u8]) {
        for _ in 0..2 {
            t.send(self.line, events);
        }
    }

    /// Goes through what the server says until something is seen.
    pub fn look<T>(
        &mut self,
        t: &mut Trial,
        limit: Duration,
        mut look: impl FnMut(&mut TestClient, &DatagramContent) -> Option<T>,
    ) -> Option<T> {
        t.until(self.line, limit, |_, bytes| {
            let (instructions, fault) = match Initialisation::read(bytes) {
                Ok(_) => (Vec::new(), None),
                Err(_) => read_instructions(bytes, &self.table),
            };
            instructions.iter().for_each(|instruction| self.hear(instruction));
            look(self, &DatagramContent { bytes: bytes.to_vec(), instructions, fault })
        })
    }

    pub fn wait(&mut self, t: &mut Trial, time: Duration) {
        self.look(t, time, |_, _| None::<()>);
    }

    /// Its own ship.
    pub fn own(&self) -> Option<u16> {
        let is_own = |components: &BTreeMap<ComponentName, Component>| components.contains_key(&ComponentName::Own);
        self.entities.iter().find(|(_, components)| is_own(components)).map(|(id, _)| *id)
    }

    /// Where an entity is.
    pub fn place_of(&self, id: u16) -> Option<(f32, f32)> {
        match self.entities.get(&id)?.get(&ComponentName::Position)? {
            Component::Position { x, y } => Some((*x, *y)),
            _ => None,
        }
    }

    /// Entities of that kind.
    pub fn of_kind(&self, kind: u16) -> Vec<u16> {
        let is_it = |components: &BTreeMap<ComponentName, Component>| {
            components.get(&ComponentName::Kind) == Some(&Component::Kind(kind))
        };
        self.entities.iter().filter(|(_, components)| is_it(components)).map(|(id, _)| *id).collect()
    }

    /// Fails if the server says nothing any more.
    pub fn expect_life(&mut self, t: &mut Trial) -> Result<(), Stop> {
        t.forget(self.line);
        t.expect_more(self.line)
    }

    fn hear(&mut self, instruction: &Instruction) {
        match *instruction {
            Instruction::CreateEntity { entity_id } => _ = self.entities.entry(entity_id).or_default(),
            Instruction::DeleteEntity { entity_id } => _ = self.entities.remove(&entity_id),
            Instruction::UpdateComponent { entity_id, component_data, .. } => {
                self.entities.entry(entity_id).or_default().insert(component_data.name(), component_data);
            }
            Instruction::AttachComponent { .. } => {}
            Instruction::DetachComponent { entity_id, component_id } => {
                if let (Some(name), Some(entity)) = (self.table.name(component_id), self.entities.get_mut(&entity_id)) {
                    entity.remove(&name);
                }
            }
        }
    }
}

impl Flight for TestClient {
    fn place(&self) -> Result<Position, Stop> {
        let place = self.own().and_then(|own| self.place_of(own));
        place.ok_or_else(|| Stop::Blocked("our ship is nowhere".into()))
    }

    fn watch(&mut self, t: &mut Trial, limit: Duration, is_enough: fn(&TestClient) -> bool) {
        self.look(t, limit, |client, _| is_enough(client).then_some(()));
    }
}
