//! A server of `rfc53952` that a case plays, against a client under test.

use std::time::Duration;

use protocol::{
    Channel,
    rfc53952::wire::{FromServer, Packet, Text},
};

use super::{raw, read_validation, timestamp_of, type_of, validation};
use crate::conform::{
    case::{Stop, failed},
    trial::Trial,
    trial_network::Line,
};

/// The ship that the client is given.
pub const SHIP: u32 = 1;

/// A server that has one client.
pub struct TestServer {
    pub line: Line,
    /// Types that are not validated, as if they had been lost.
    pub silent_about: Vec<u8>,
}

/// Waits for a client, to see whether one comes and what it speaks.
pub fn greet(t: &mut Trial) -> Result<(), Stop> {
    TestServer::await_hello(t).map(|_| ())
}

impl TestServer {
    /// Waits for a client's HiServer.
    pub fn await_hello(t: &mut Trial) -> Result<TestServer, Stop> {
        match t.accept(Channel::Datagram, t.client_wait) {
            Some((line, bytes)) if type_of(&bytes) == Some(1) => Ok(TestServer { line, silent_about: Vec::new() }),
            Some(_) => failed("the first datagram of the client is no HiServer"),
            None => Err(Stop::no_client()),
        }
    }

    /// Lets a client in, and tells it of its ship.
    pub fn welcome(t: &mut Trial) -> Result<TestServer, Stop> {
        let mut server = TestServer::await_hello(t).map_err(Stop::in_the_way)?;
        server.send(t, 2, &[]);
        server.send(t, 10, &validation(1, t.now().seconds()));
        let patience = t.patience();
        let validated = server.look(t, patience, |_, bytes| read_validation(bytes).filter(|(about, _)| *about == 2));
        validated.ok_or_else(|| Stop::Blocked("the client does not validate HiClient".into()))?;
        server.create(t, SHIP, "player", (160.0, 540.0));
        for description in ["seat = 0", "own = 1", "lives = 3", "health = 1"] {
            server.update(t, SHIP, description);
        }
        server.update(t, 0, "state = running");
        server.update(t, 0, "score = 0");
        Ok(server)
    }

    pub fn send(&self, t: &mut Trial, packet_type: u8, data: &[u8]) {
        t.send(self.line, &raw(packet_type, t.now().seconds(), data));
    }

    pub fn say(&self, t: &mut Trial, data: FromServer) {
        let mut bytes = Vec::new();
        Packet { timestamp: t.now().seconds(), data }.write(&mut bytes);
        t.send(self.line, &bytes);
    }

    pub fn create(&self, t: &mut Trial, network_id: u32, path: &str, (x, y): (f32, f32)) {
        let entity_prefab_path = Text::new(path).unwrap_or(Text::EMPTY);
        self.say(t, FromServer::CreateEntity { network_id, entity_prefab_path, x, y });
    }

    pub fn update(&self, t: &mut Trial, network_id: u32, description: &str) {
        let description = Text::new(description).unwrap_or(Text::EMPTY);
        self.say(t, FromServer::UpdateEntity { network_id, description });
    }

    /// Goes through what the client says, validating it and pinging, until something is seen.
    pub fn look<T>(
        &mut self,
        t: &mut Trial,
        limit: Duration,
        mut look: impl FnMut(&mut TestServer, &[u8]) -> Option<T>,
    ) -> Option<T> {
        let (line, until) = (self.line, t.now() + limit);
        loop {
            let left = until.since(t.now()).min(Duration::from_millis(900));
            let begun = t.now();
            let found = t.until(line, left, |t, bytes| {
                self.hear(t, bytes);
                look(self, bytes)
            });
            if found.is_some() || t.now() >= until {
                return found;
            }
            if t.now().since(begun) >= left {
                self.send(t, 4, &[]);
            }
        }
    }

    /// Whether the client validates what `say` says, which is said again because it may be lost.
    pub fn is_validated(&mut self, t: &mut Trial, packet_type: u8, data: &[u8]) -> bool {
        (0..4).any(|_| {
            let timestamp = t.now().seconds();
            self.send(t, packet_type, data);
            let again = t.again() * 2;
            self.look(t, again, |_, bytes| (read_validation(bytes) == Some((packet_type, timestamp))).then_some(()))
                .is_some()
        })
    }

    /// Whether the client still says anything.
    pub fn speaks(&mut self, t: &mut Trial) -> bool {
        t.forget(self.line);
        self.send(t, 4, &[]);
        let patience = t.patience();
        t.next(self.line, patience).is_some()
    }

    fn hear(&mut self, t: &mut Trial, bytes: &[u8]) {
        let (Some(packet_type), Some(timestamp)) = (type_of(bytes), timestamp_of(bytes)) else { return };
        if (1..10).contains(&packet_type) && !self.silent_about.contains(&packet_type) {
            self.send(t, 10, &validation(packet_type, timestamp));
        }
    }
}
