//! A client of `rfc53952` that a case plays, against a server under test.

use std::{collections::BTreeMap, time::Duration};

use protocol::rfc53952::wire::{FromServer, HEADER_SIZE, Packet, PacketType};

use super::{raw, read_validation, timestamp_of, type_of, validation};
use crate::conform::{
    case::{Stop, failed},
    trial::Trial,
    trial_network::Line,
};

/// A player who has a seat.
pub struct TestClient {
    pub line: Line,
    /// Types that are not validated, as if they were lost.
    pub silent_about: Vec<u8>,
    /// Its ship, once the server told which.
    pub own: Option<u32>,
    /// Prefab paths of what was created.
    pub created: BTreeMap<u32, String>,
    /// Whether a CreateEntity came whose prefab path is not text.
    pub has_unreadable: bool,
    /// Where entities are, and their directions.
    pub places: BTreeMap<u32, [f32; 4]>,
}

/// Greets a server, to see whether it is there.
pub fn greet(t: &mut Trial) -> Result<(), Stop> {
    let line = t.open()?;
    t.say_at_the_end(line, &raw(3, t.now().seconds(), &[]));
    hello(t, line).map(|_| ())
}

/// Sends HiServer until a HiClient comes.
pub fn hello(t: &mut Trial, line: Line) -> Result<Vec<u8>, Stop> {
    for _ in 0..6 {
        t.send(line, &raw(1, t.now().seconds(), &[]));
        let again = t.again();
        if let Some(bytes) = t.until(line, again, |_, bytes| (type_of(bytes) == Some(2)).then(|| bytes.to_vec())) {
            return Ok(bytes);
        }
    }
    failed("no HiClient came, though HiServer was sent six times")
}

impl TestClient {
    /// Joins, validates HiClient, and waits for its ship.
    pub fn join(t: &mut Trial) -> Result<TestClient, Stop> {
        let mut client = TestClient::enter(t)?;
        let patience = t.patience();
        client.look(t, patience, |client, _| client.own.filter(|own| client.places.contains_key(own)));
        // `own = 1` is a ruling of ours. Without it, the first ship that is told of to a newcomer may be its own.
        let first = || client.created.iter().find(|(_, path)| path.contains("player")).map(|(id, _)| *id);
        client.own = client.own.or_else(first);
        let is_created = client.own.is_some_and(|own| client.created.contains_key(&own));
        if !is_created && client.has_unreadable {
            return Err(Stop::Blocked("no CreateEntity can be read".into()));
        }
        match client.own {
            Some(_) => Ok(client),
            None => Err(Stop::Blocked("no CreateEntity of a ship came".into())),
        }
    }

    /// Joins and validates HiClient.
    pub fn enter(t: &mut Trial) -> Result<TestClient, Stop> {
        let line = t.open()?;
        let hi_client = hello(t, line).map_err(Stop::in_the_way)?;
        let mut client = TestClient {
            line,
            silent_about: Vec::new(),
            own: None,
            created: BTreeMap::new(),
            has_unreadable: false,
            places: BTreeMap::new(),
        };
        if hi_client.get(HEADER_SIZE..) == Some(&[0]) {
            return Err(Stop::Blocked("the server refused the player: it is full".into()));
        }
        t.say_at_the_end(line, &raw(3, t.now().seconds(), &[]));
        client.hear(t, &hi_client);
        Ok(client)
    }

    /// Sends a packet of now.
    pub fn send(&self, t: &mut Trial, packet_type: u8, data: &[u8]) {
        t.send(self.line, &raw(packet_type, t.now().seconds(), data));
    }

    /// Sends ClientEvents.
    pub fn event(&self, t: &mut Trial, id_event: u8, description: &str) {
        self.send(t, 9, &[&[id_event], description.as_bytes()].concat());
    }

    /// Goes through what the server says, validating it, until something is seen. `look` gets bytes too that mean nothing.
    pub fn look<T>(
        &mut self,
        t: &mut Trial,
        limit: Duration,
        mut look: impl FnMut(&mut TestClient, &[u8]) -> Option<T>,
    ) -> Option<T> {
        let line = self.line;
        let mut pinged = t.now();
        let until = t.now() + limit;
        loop {
            let left = until.since(t.now()).min(Duration::from_secs(1));
            let found = t.until(line, left, |t, bytes| {
                self.hear(t, bytes);
                look(self, bytes)
            });
            if found.is_some() || t.now() >= until {
                return found;
            }
            if t.now().since(pinged) >= Duration::from_millis(900) {
                pinged = t.now();
                self.send(t, 4, &[]);
            }
        }
    }

    /// The same, with a message that is sent again until its answer comes.
    pub fn ask<T>(
        &mut self,
        t: &mut Trial,
        bytes: &[u8],
        mut look: impl FnMut(&mut TestClient, &[u8]) -> Option<T>,
    ) -> Option<T> {
        (0..6).find_map(|_| {
            t.send(self.line, bytes);
            let again = t.again();
            self.look(t, again, &mut look)
        })
    }

    /// Whether a packet is validated, though it may have to be said again.
    pub fn is_validated(&mut self, t: &mut Trial, bytes: &[u8]) -> bool {
        let about = (type_of(bytes).unwrap_or(0), timestamp_of(bytes).unwrap_or(0));
        self.ask(t, bytes, |_, answer| (read_validation(answer) == Some(about)).then_some(())).is_some()
    }

    /// Whether anything validates a packet that must not be.
    pub fn hears_validation_of(&mut self, t: &mut Trial, bytes: &[u8], about: (u8, u64)) -> bool {
        t.send(self.line, bytes);
        let quiet = t.quiet();
        self.look(t, quiet, |_, answer| (read_validation(answer) == Some(about)).then_some(())).is_some()
    }

    /// Fails if the server says nothing any more.
    pub fn expect_life(&mut self, t: &mut Trial) -> Result<(), Stop> {
        t.forget(self.line);
        self.send(t, 4, &[]);
        let patience = t.patience();
        match t.next(self.line, patience) {
            Some(_) => Ok(()),
            None => failed("after that the server says nothing any more: it crashed, or ended the session"),
        }
    }

    /// Where its ship is after a while.
    pub fn ship(&mut self, t: &mut Trial, after: Duration) -> Result<[f32; 4], Stop> {
        self.look(t, after, |_, _| None::<()>);
        let place = self.own.and_then(|own| self.places.get(&own));
        place.copied().ok_or_else(|| Stop::Blocked("our ship is nowhere".into()))
    }

    /// Takes in what the server says, and validates it.
    fn hear(&mut self, t: &mut Trial, bytes: &[u8]) {
        let (Some(packet_type), Some(timestamp)) = (type_of(bytes), timestamp_of(bytes)) else { return };
        if (2..10).contains(&packet_type) && !self.silent_about.contains(&packet_type) {
            self.send(t, PacketType::PacketValidation as u8, &validation(packet_type, timestamp));
        }
        let Ok(Packet { data, .. }) = Packet::<FromServer>::read(bytes) else {
            self.has_unreadable |= packet_type == PacketType::CreateEntity as u8;
            return;
        };
        match data {
            // The character that stands for bytes that are not text.
            FromServer::CreateEntity { entity_prefab_path, .. } if entity_prefab_path.as_str() == "\u{fffd}" => {
                self.has_unreadable = true;
            }
            FromServer::CreateEntity { network_id, entity_prefab_path, x, y } => {
                self.created.entry(network_id).or_insert_with(|| entity_prefab_path.as_str().to_owned());
                self.places.entry(network_id).or_insert([x, y, 0.0, 0.0]);
            }
            FromServer::MoveEntity { network_id, x, y, direction_x, direction_y } => {
                self.places.insert(network_id, [x, y, direction_x, direction_y]);
            }
            FromServer::UpdateEntity { network_id, description } if description.as_str() == "own = 1" => {
                self.own.get_or_insert(network_id);
            }
            _ => {}
        }
    }
}
