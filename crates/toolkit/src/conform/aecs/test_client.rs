//! A client of `aecs` that a case plays, against a server under test.

use std::{collections::BTreeMap, time::Duration};

use protocol::{
    Time,
    aecs::wire::{Component, FromServer, GameState, PACKET_MAX_BYTES, whole_packet},
};

use super::{CLIENT_PONG, CONNECTED, GAME_INPUT, PING, SERVER_PONG, inputs, raw, type_of};
use crate::conform::{
    case::{Stop, failed},
    flight::{Flight, Position},
    trial::Trial,
    trial_network::Line,
};

/// Input codes of ruling A5.
pub const LEFT: u8 = 16;
pub const RIGHT: u8 = 3;
pub const UP: u8 = 25;
pub const DOWN: u8 = 18;
pub const FIRE: u8 = 57;

/// Between two GAME_INPUTs while a key is held.
const INPUT_EVERY: Duration = Duration::from_millis(40);
/// Between two PINGs while none is.
const PING_EVERY: Duration = Duration::from_secs(1);

/// What is known of an entity.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct KnownEntity {
    pub place: (f32, f32),
    pub kind: u16,
    pub seat: Option<u8>,
    /// The ids of its components.
    pub components: Vec<u16>,
}

/// A player who is connected.
pub struct TestClient {
    pub line: Line,
    pub client_id: u8,
    /// The keys that are held.
    pub held: Vec<u8>,
    /// Whether GAME_CHANGES are confirmed.
    pub confirms: bool,
    pub newest: u32,
    pub entities: BTreeMap<u32, KnownEntity>,
    spoke_at: Time,
}

/// Greets a server, to see whether it is there.
pub fn greet(t: &mut Trial) -> Result<(), Stop> {
    let stream = t.connect()?;
    connected(t, stream).map(|_| ())
}

/// Waits for CONNECTED over TCP.
pub fn connected(t: &mut Trial, stream: Line) -> Result<Vec<u8>, Stop> {
    let bytes = t.first_message(stream, |bytes| whole_packet(bytes, PACKET_MAX_BYTES))?;
    if type_of(&bytes) == Some(CONNECTED) { Ok(bytes) } else { failed("the first packet over TCP is no CONNECTED") }
}

impl TestClient {
    /// Joins, and waits until its ship is known.
    pub fn join(t: &mut Trial) -> Result<TestClient, Stop> {
        let mut client = TestClient::enter(t)?;
        let patience = t.patience();
        if client.own().is_none() {
            client.look(t, patience, |client, _| client.own());
        }
        match client.own() {
            Some(_) => Ok(client),
            None => Err(Stop::Blocked("no ship (Kind 1) with our client ID as Player came".into())),
        }
    }

    /// Joins, and sends PING until it is answered.
    pub fn enter(t: &mut Trial) -> Result<TestClient, Stop> {
        let stream = t.connect()?;
        let bytes = connected(t, stream).map_err(Stop::in_the_way)?;
        let line = t.open_beside(stream)?;
        let Ok(FromServer::Connected { client_id, game_state }) = FromServer::read(&bytes) else {
            return Err(Stop::Blocked("CONNECTED cannot be read".into()));
        };
        let mut client = TestClient {
            line,
            client_id,
            held: Vec::new(),
            confirms: true,
            newest: game_state.tick,
            entities: BTreeMap::new(),
            spoke_at: t.now(),
        };
        client.apply(&game_state);
        let answered = (0..6).any(|_| {
            client.send(t, PING, &[]);
            let again = t.again();
            client.look(t, again, |_, _| Some(())).is_some()
        });
        if answered { Ok(client) } else { Err(Stop::Blocked("nothing came over UDP, though PING was sent".into())) }
    }

    pub fn send(&mut self, t: &mut Trial, packet_type: u8, data: &[u8]) {
        self.spoke_at = t.now();
        t.send(self.line, &raw(packet_type, data));
    }

    /// Holds these keys from now on.
    pub fn hold(&mut self, t: &mut Trial, keys: &[u8]) {
        self.held = keys.to_vec();
        for _ in 0..2 {
            self.send(t, GAME_INPUT, &inputs(keys));
        }
    }

    /// Goes through what the server says, playing meanwhile, until something is seen.
    pub fn look<T>(
        &mut self,
        t: &mut Trial,
        limit: Duration,
        mut look: impl FnMut(&mut TestClient, &[u8]) -> Option<T>,
    ) -> Option<T> {
        let (line, until) = (self.line, t.now() + limit);
        loop {
            let left = until.since(t.now()).min(INPUT_EVERY);
            let found = t.until(line, left, |t, bytes| {
                self.hear(t, bytes);
                look(self, bytes)
            });
            if found.is_some() || t.now() >= until {
                return found;
            }
            if !self.held.is_empty() {
                let data = inputs(&self.held);
                self.send(t, GAME_INPUT, &data);
            } else if t.now().since(self.spoke_at) >= PING_EVERY {
                self.send(t, PING, &[]);
            }
        }
    }

    pub fn wait(&mut self, t: &mut Trial, time: Duration) {
        self.look(t, time, |_, _| None::<()>);
    }

    /// Sends a packet, and says whether a SERVER_PONG comes; it is said again, because it may be lost.
    pub fn is_ponged(&mut self, t: &mut Trial, bytes: &[u8], times: usize) -> bool {
        (0..times).any(|_| {
            t.send(self.line, bytes);
            let again = t.again();
            self.look(t, again, |_, bytes| (type_of(bytes) == Some(SERVER_PONG)).then_some(())).is_some()
        })
    }

    /// Its own ship.
    pub fn own(&self) -> Option<u32> {
        let is_own = |known: &KnownEntity| known.kind == 1 && known.seat == Some(self.client_id);
        self.entities.iter().find(|(_, known)| is_own(known)).map(|(id, _)| *id)
    }

    /// Fails if the server says nothing any more.
    pub fn expect_life(&mut self, t: &mut Trial) -> Result<(), Stop> {
        t.forget(self.line);
        self.send(t, PING, &[]);
        t.expect_more(self.line)
    }

    fn hear(&mut self, t: &mut Trial, bytes: &[u8]) {
        let Ok(FromServer::GameChanges { changes }) = FromServer::read(bytes) else { return };
        for change in changes.iter() {
            if change.tick.wrapping_sub(self.newest) as i32 > 0 {
                self.newest = change.tick;
                self.apply(&change);
            }
        }
        if self.confirms {
            self.send(t, CLIENT_PONG, &self.newest.to_le_bytes());
        }
    }

    fn apply(&mut self, state: &GameState) {
        for entity in state.entities.iter() {
            if entity.is_removed() {
                self.entities.remove(&entity.entity_id);
                continue;
            }
            let mut known = KnownEntity::default();
            for component in entity.components.iter() {
                known.components.push(component.component_id());
                match component {
                    Component::Position { x, y } => known.place = (x, y),
                    Component::Kind(kind) => known.kind = kind,
                    Component::Player { seat } => known.seat = Some(seat),
                    _ => {}
                }
            }
            self.entities.insert(entity.entity_id, known);
        }
    }
}

impl Flight for TestClient {
    fn place(&self) -> Result<Position, Stop> {
        let own = self.own().and_then(|own| self.entities.get(&own));
        own.map(|known| known.place).ok_or_else(|| Stop::Blocked("our ship is nowhere".into()))
    }

    fn watch(&mut self, t: &mut Trial, limit: Duration, is_enough: fn(&TestClient) -> bool) {
        self.look(t, limit, |client, _| is_enough(client).then_some(()));
    }
}
