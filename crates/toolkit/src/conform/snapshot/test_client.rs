//! A client of `snapshot` that a case plays, against a server under test.

use std::{collections::BTreeMap, time::Duration};

use protocol::{Time, snapshot::wire::FromServer};

use super::{INPUT, JOIN, PLAYER_ID_ASSIGNMENT, raw, type_of};
use crate::conform::{
    case::{Stop, failed},
    flight::{Flight, Position},
    trial::Trial,
    trial_network::Line,
};

/// Key Codes of ruling S3.
pub const LEFT: u8 = 0x25;
pub const UP: u8 = 0x26;
pub const RIGHT: u8 = 0x27;
pub const DOWN: u8 = 0x28;
pub const FIRE: u8 = 0x20;

/// A player who has a slot.
pub struct TestClient {
    pub line: Line,
    pub id: u8,
    pub packet_id: u16,
    started: Time,
    /// What the newest SNAPSHOT held: by Entity ID, where, and the sprite.
    pub seen: BTreeMap<u8, (f32, f32, String)>,
    /// Whether any SNAPSHOT came.
    pub has_seen: bool,
}

/// Greets a server, to see whether it is there.
pub fn greet(t: &mut Trial) -> Result<(), Stop> {
    let line = t.open()?;
    join_as(t, line, b"volley").map(|_| ())
}

/// Sends JOIN with that payload until an answer comes; its payload.
pub fn join_as(t: &mut Trial, line: Line, name: &[u8]) -> Result<Vec<u8>, Stop> {
    for number in 0..5 {
        t.send(line, &raw(JOIN, number, 0, name));
        let again = t.again();
        let found = t
            .until(line, again, |_, bytes| (type_of(bytes) == Some(PLAYER_ID_ASSIGNMENT)).then(|| bytes[7..].to_vec()));
        if let Some(payload) = found {
            return Ok(payload);
        }
    }
    failed("no PLAYER_ID_ASSIGNMENT came, though JOIN was sent five times")
}

impl TestClient {
    /// Joins, and waits until its ship is seen.
    pub fn join(t: &mut Trial) -> Result<TestClient, Stop> {
        let mut client = TestClient::enter(t)?;
        let patience = t.patience();
        client
            .look(t, patience, |client, _| client.seen.contains_key(&client.id).then_some(()))
            .ok_or_else(|| Stop::Blocked("our ship is in no SNAPSHOT".into()))?;
        Ok(client)
    }

    /// Joins.
    pub fn enter(t: &mut Trial) -> Result<TestClient, Stop> {
        let line = t.open()?;
        let payload = join_as(t, line, b"Ann").map_err(Stop::in_the_way)?;
        match payload.first() {
            Some(255) => Err(Stop::Blocked("the server refused the player: it is full".into())),
            Some(id) => Ok(TestClient {
                line,
                id: *id,
                packet_id: 10,
                started: t.now(),
                seen: BTreeMap::new(),
                has_seen: false,
            }),
            None => Err(Stop::Blocked("PLAYER_ID_ASSIGNMENT has no Player ID".into())),
        }
    }

    pub fn send(&mut self, t: &mut Trial, packet_type: u8, payload: &[u8]) {
        self.packet_id += 1;
        let timestamp = t.now().since(self.started).as_millis() as u32;
        t.send(self.line, &raw(packet_type, self.packet_id, timestamp, payload));
    }

    /// A key goes down or up. It is said twice, because it may be lost.
    pub fn key(&mut self, t: &mut Trial, code: u8, action: u8) {
        for _ in 0..2 {
            self.send(t, INPUT, &[self.id, code, action]);
        }
    }

    /// Goes through what the server says until something is seen. `look` gets bytes too that mean nothing.
    pub fn look<T>(
        &mut self,
        t: &mut Trial,
        limit: Duration,
        mut look: impl FnMut(&mut TestClient, &[u8]) -> Option<T>,
    ) -> Option<T> {
        t.until(self.line, limit, |_, bytes| {
            self.hear(bytes);
            look(self, bytes)
        })
    }

    /// Lets time pass.
    pub fn wait(&mut self, t: &mut Trial, time: Duration) {
        self.look(t, time, |_, _| None::<()>);
    }

    /// Fails if the server says nothing any more.
    pub fn expect_life(&mut self, t: &mut Trial) -> Result<(), Stop> {
        t.forget(self.line);
        t.expect_more(self.line)
    }

    fn hear(&mut self, bytes: &[u8]) {
        if let Ok((_, FromServer::Snapshot { entities })) = FromServer::read(bytes) {
            let seen = entities.iter().map(|entity| {
                (entity.entity_id, (entity.position_x, entity.position_y, entity.sprite_path.to_owned()))
            });
            self.seen = seen.collect();
            self.has_seen = true;
        }
    }
}

impl Flight for TestClient {
    fn place(&self) -> Result<Position, Stop> {
        let seen = self.seen.get(&self.id).map(|(x, y, _)| (*x, *y));
        seen.ok_or_else(|| Stop::Blocked("our ship is in no SNAPSHOT".into()))
    }

    fn watch(&mut self, t: &mut Trial, limit: Duration, is_enough: fn(&TestClient) -> bool) {
        self.look(t, limit, |client, _| is_enough(client).then_some(()));
    }
}
