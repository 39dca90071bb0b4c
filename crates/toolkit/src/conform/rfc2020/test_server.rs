//! A server of `rfc2020` that a case plays, against a client under test.

use std::time::Duration;

use protocol::{Channel, rfc2020::wire::whole_message};

use super::{ASK_JOIN, CREATE, GAME_STATE, JOIN, RESPONSE, SHOOT, SPAWN, kind_of, raw, timestamp_of};
use crate::conform::{
    case::{Stop, failed},
    trial::Trial,
    trial_network::Line,
};

/// The seat that clients are given: not the first, so that one who ignores it is found.
pub const SEAT: u64 = 2;

/// A server that has one client.
pub struct TestServer {
    pub line: Line,
    stamp: u64,
    /// Methods that are not confirmed, as if they had been lost.
    pub silent_about: Vec<u8>,
    told_at: u64,
}

/// Waits for a client, to see whether one comes.
pub fn greet(t: &mut Trial) -> Result<(), Stop> {
    first_message(t).map(|_| ())
}

/// Waits for a client's TCP connection and its first message.
pub fn first_message(t: &mut Trial) -> Result<(Line, Vec<u8>), Stop> {
    let (stream, _) = t.accept(Channel::Stream, t.client_wait).ok_or_else(Stop::no_client)?;
    let mut bytes = Vec::new();
    let patience = t.patience();
    let until = t.now() + patience;
    while let Some(piece) = t.next(stream, until.since(t.now())) {
        bytes.extend(piece);
        match whole_message(&bytes) {
            Ok(Some(size)) => {
                bytes.truncate(size);
                return Ok((stream, bytes));
            }
            Err(why) => return failed(format!("what came over TCP is no message: {why:?}")),
            Ok(None) => {}
        }
    }
    failed("no message came over TCP")
}

impl TestServer {
    /// Shows a client the way to a lobby, and waits for its JOIN.
    pub fn await_join(t: &mut Trial) -> Result<(TestServer, Vec<u8>), Stop> {
        let (stream, question) = first_message(t).map_err(Stop::in_the_way)?;
        let port = t.listen()?;
        let stamp = timestamp_of(&question).unwrap_or(0);
        let answer = match kind_of(&question) {
            Some(ASK_JOIN) => raw(RESPONSE | ASK_JOIN, stamp, &port.to_be_bytes()),
            Some(CREATE) => raw(RESPONSE | CREATE, stamp, &[&port.to_be_bytes()[..], b"KXWQ29"].concat()),
            _ => return Err(Stop::Blocked("the client asks for no lobby".into())),
        };
        t.send(stream, &answer);
        t.rest(Duration::from_millis(50));
        t.close(stream);
        let patience = t.patience() * 2;
        let (line, bytes) = t
            .accept(Channel::Datagram, patience)
            .ok_or_else(|| Stop::Failed("no datagram came to the lobby's port".into()))?;
        let stamp = t.now().micros();
        Ok((TestServer { line, stamp, silent_about: Vec::new(), told_at: 0 }, bytes))
    }

    /// Lets a client in, and starts the game.
    pub fn welcome(t: &mut Trial) -> Result<TestServer, Stop> {
        let (mut server, join) = TestServer::await_join(t).map_err(Stop::in_the_way)?;
        if kind_of(&join) != Some(JOIN) {
            return Err(Stop::Blocked("the first datagram is no JOIN".into()));
        }
        server.accept_join(t, &join);
        server.spawn(t, SEAT, "{\"kind\":\"player\",\"x\":160,\"y\":540,\"seat\":2}");
        server.play(t, Duration::from_millis(400), |_| None::<()>);
        t.forget(server.line);
        Ok(server)
    }

    /// Answers a JOIN with a seat.
    fn accept_join(&mut self, t: &mut Trial, join: &[u8]) {
        let body = [&SEAT.to_be_bytes()[..], &160i64.to_be_bytes(), &540i64.to_be_bytes(), b"endless"].concat();
        t.send(self.line, &raw(RESPONSE | JOIN, timestamp_of(join).unwrap_or(0), &body));
    }

    /// A timestamp that no request of ours had before.
    pub fn stamp(&mut self, t: &Trial) -> u64 {
        self.stamp = t.now().micros().max(self.stamp + 1);
        self.stamp
    }

    /// Sends a request of now; its timestamp.
    pub fn request(&mut self, t: &mut Trial, method: u8, body: &[u8]) -> u64 {
        let stamp = self.stamp(t);
        t.send(self.line, &raw(method, stamp, body));
        stamp
    }

    /// An entity appears.
    pub fn spawn(&mut self, t: &mut Trial, id: u64, json: &str) -> u64 {
        self.request(t, SPAWN, &[&id.to_be_bytes()[..], json.as_bytes(), &[0]].concat())
    }

    /// Plays for a while: the client's requests are confirmed, GAME_STATE is told each second, and what comes is looked at.
    pub fn play<T>(&mut self, t: &mut Trial, limit: Duration, mut look: impl FnMut(&[u8]) -> Option<T>) -> Option<T> {
        let until = t.now() + limit;
        while t.now() < until {
            if t.now().micros() >= self.told_at + 1_000_000 {
                self.told_at = t.now().micros();
                self.request(t, GAME_STATE, &[1]);
            }
            let left = until.since(t.now()).min(Duration::from_millis(200));
            let line = self.line;
            let found = t.until(line, left, |t, bytes| {
                self.confirm(t, bytes);
                look(bytes)
            });
            if found.is_some() {
                return found;
            }
        }
        None
    }

    /// Whether a request is confirmed, which is said again, because it may be lost.
    pub fn is_confirmed(&mut self, t: &mut Trial, method: u8, body: &[u8]) -> bool {
        (0..4).any(|_| {
            self.request(t, method, body);
            let again = t.again() * 2;
            self.play(t, again, |bytes| (kind_of(bytes) == Some(RESPONSE | method)).then_some(())).is_some()
        })
    }

    /// Whether the client still says anything.
    pub fn speaks(&mut self, t: &mut Trial) -> bool {
        t.forget(self.line);
        self.play(t, Duration::from_secs(4), |_| Some(())).is_some()
    }

    fn confirm(&mut self, t: &mut Trial, bytes: &[u8]) {
        let (Some(kind), Some(stamp)) = (kind_of(bytes), timestamp_of(bytes)) else { return };
        if kind >= RESPONSE || self.silent_about.contains(&kind) {
            return;
        }
        match kind {
            JOIN => self.accept_join(t, bytes),
            SHOOT => t.send(self.line, &raw(RESPONSE | SHOOT, stamp, &[0; 9])),
            _ => t.send(self.line, &raw(RESPONSE | kind, stamp, &[])),
        }
    }
}
