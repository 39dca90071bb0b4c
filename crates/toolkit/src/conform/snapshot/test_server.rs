//! A server of `snapshot` that a case plays, against a client under test.

use std::time::Duration;

use protocol::{
    Channel, Time,
    snapshot::wire::{Entity, Header, SnapshotWriter},
};

use super::{JOIN, PLAYER_ID_ASSIGNMENT, raw, type_of};
use crate::conform::{
    case::{Stop, failed},
    trial::Trial,
    trial_network::Line,
};

/// Between two SNAPSHOTs.
const EVERY: Duration = Duration::from_millis(33);

/// A server that has one client.
pub struct TestServer {
    pub line: Line,
    pub packet_id: u16,
    started: Time,
    /// Shown in each SNAPSHOT, beside the client's ship: Entity ID, path, where.
    pub shown: Vec<(u8, &'static str, f32, f32)>,
}

/// Waits for a client, to see whether one comes and what it speaks.
pub fn greet(t: &mut Trial) -> Result<(), Stop> {
    TestServer::await_join(t).map(|_| ())
}

/// The slot that clients are given: not the first, so that one who ignores it is found.
pub const SLOT: u8 = 2;

impl TestServer {
    /// Waits for a client's JOIN; it and its payload.
    pub fn await_join(t: &mut Trial) -> Result<(TestServer, Vec<u8>), Stop> {
        match t.accept(Channel::Datagram, t.client_wait) {
            Some((line, bytes)) if type_of(&bytes) == Some(JOIN) => {
                let ship = (SLOT, "player", 160.0, 540.0);
                Ok((TestServer { line, packet_id: 0, started: t.now(), shown: vec![ship] }, bytes))
            }
            Some(_) => failed("the first datagram of the client is no JOIN"),
            None => Err(Stop::no_client()),
        }
    }

    /// Lets a client in.
    pub fn welcome(t: &mut Trial) -> Result<TestServer, Stop> {
        let (mut server, _) = TestServer::await_join(t).map_err(Stop::in_the_way)?;
        for _ in 0..3 {
            server.send(t, PLAYER_ID_ASSIGNMENT, &[SLOT]);
        }
        server.play(t, Duration::from_millis(200), |_, _| None::<()>);
        t.forget(server.line);
        Ok(server)
    }

    pub fn send(&mut self, t: &mut Trial, packet_type: u8, payload: &[u8]) {
        let bytes = raw(packet_type, self.packet_id, self.timestamp(t), payload);
        self.packet_id += 1;
        t.send(self.line, &bytes);
    }

    fn timestamp(&self, t: &Trial) -> u32 {
        t.now().since(self.started).as_millis() as u32
    }

    /// A SNAPSHOT of what is shown.
    pub fn snapshot(&mut self, t: &mut Trial) {
        let mut bytes = Vec::new();
        let header = Header { packet_id: self.packet_id, timestamp: self.timestamp(t) };
        self.packet_id += 1;
        let mut writer = SnapshotWriter::begin(header, &mut bytes);
        for (entity_id, sprite_path, position_x, position_y) in &self.shown {
            writer.push(&Entity {
                entity_id: *entity_id,
                position_x: *position_x,
                position_y: *position_y,
                sprite_path,
                rect_pos_x: 0.0,
                rect_pos_y: 0.0,
                rect_size_x: 112.0,
                rect_size_y: 56.0,
            });
        }
        t.send(self.line, &bytes);
    }

    /// Plays for a while: SNAPSHOTs go out, and what comes is looked at.
    pub fn play<T>(
        &mut self,
        t: &mut Trial,
        limit: Duration,
        mut look: impl FnMut(&mut TestServer, &[u8]) -> Option<T>,
    ) -> Option<T> {
        let until = t.now() + limit;
        while t.now() < until {
            self.snapshot(t);
            let line = self.line;
            let found = t.until(line, EVERY, |_, bytes| look(self, bytes));
            if found.is_some() {
                return found;
            }
        }
        None
    }

    /// Whether the client still says anything.
    pub fn speaks(&mut self, t: &mut Trial) -> bool {
        t.forget(self.line);
        self.play(t, Duration::from_secs(8), |_, _| Some(())).is_some()
    }
}
