//! A client of `rfc2020` that a case plays, against a server under test.

use std::{collections::BTreeMap, time::Duration};

use protocol::rfc2020::wire::{FromServer, Message, whole_message};

use super::{
    ASK_JOIN, CREATE, GAME_STATE, JOIN, LEAVE, RESPONSE, SPAWN, body_of, entity_of, kind_of, raw, timestamp_of,
    wants_confirmation,
};
use crate::conform::{
    case::{Stop, failed},
    trial::Trial,
    trial_network::Line,
};

/// The map that lobbies are made with: every Volley node has it. A server that has other maps is asked for a default one.
pub const MAP: &str = "endless";

/// A lobby that was made over TCP.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TestLobby {
    pub port: u16,
    pub id: [u8; 6],
}

/// A player who has a seat.
pub struct TestClient {
    pub line: Line,
    /// The lobby's port.
    pub port: u16,
    pub id: u64,
    pub map: Vec<u8>,
    stamp: u64,
    /// Methods that are not confirmed, as if they were lost.
    pub silent_about: Vec<u8>,
    /// Kinds of what was spawned and not destroyed.
    pub spawned: BTreeMap<u64, String>,
    pub places: BTreeMap<u64, (i64, i64)>,
}

/// Asks a server for a lobby, to see whether it is there.
pub fn greet(t: &mut Trial) -> Result<(), Stop> {
    match ask_for_lobby(t)? {
        TestLobby { port: 0, .. } => Err(Stop::Blocked(no_lobby())),
        TestLobby { .. } => Ok(()),
    }
}

/// Sends a message over TCP, and waits for the first message that comes.
pub fn ask(t: &mut Trial, stream: Line, message: &[u8]) -> Result<Vec<u8>, Stop> {
    t.send(stream, message);
    t.first_message(stream, whole_message)
}

/// Makes a lobby; what stands in the way is another case's fault.
pub fn create(t: &mut Trial) -> Result<TestLobby, Stop> {
    let lobby = ask_for_lobby(t)?;
    if lobby.port == 0 { failed(no_lobby()) } else { Ok(lobby) }
}

/// What is answered to CREATE; without a lobby its port is 0.
pub fn ask_for_lobby(t: &mut Trial) -> Result<TestLobby, Stop> {
    let stream = t.connect()?;
    let answer = ask(t, stream, &raw(CREATE, t.now().micros(), MAP.as_bytes()))?;
    lobby_in(&answer).ok_or_else(|| Stop::Failed("the answer to CREATE is no LOBBY_PORT and LOBBY_ID".into()))
}

fn no_lobby() -> String {
    format!("no lobby was made for the map {MAP:?}: LOBBY_PORT is 0")
}

/// What an answer to CREATE says.
pub fn lobby_in(answer: &[u8]) -> Option<TestLobby> {
    let body: &[u8; 8] = body_of(answer).try_into().ok()?;
    let [high, low, id @ ..] = *body;
    Some(TestLobby { port: u16::from_be_bytes([high, low]), id })
}

/// Asks for a lobby by its id; the LOBBY_PORT.
pub fn ask_join(t: &mut Trial, id: [u8; 6]) -> Result<u16, Stop> {
    let stream = t.connect()?;
    port_in(&ask(t, stream, &raw(ASK_JOIN, t.now().micros(), &id))?)
}

/// What an answer to ASK_JOIN says.
pub fn port_in(answer: &[u8]) -> Result<u16, Stop> {
    let port = body_of(answer).try_into().map(u16::from_be_bytes);
    port.map_err(|_| Stop::Failed("the answer to ASK_JOIN is no LOBBY_PORT".into()))
}

impl TestClient {
    /// Makes a lobby, joins it and starts the game.
    pub fn join(t: &mut Trial) -> Result<TestClient, Stop> {
        let lobby = create(t).map_err(Stop::in_the_way)?;
        let mut client = TestClient::enter(t, lobby)?;
        client.request(t, GAME_STATE, &[1]);
        client.wait(t, Duration::from_millis(300));
        Ok(client)
    }

    /// Joins a lobby, and waits until its state is told.
    pub fn enter(t: &mut Trial, lobby: TestLobby) -> Result<TestClient, Stop> {
        let mut client = TestClient::take_seat(t, lobby)?;
        let patience = t.patience();
        let told = client.look(t, patience, |_, bytes| kind_of(bytes).filter(|kind| *kind == GAME_STATE));
        told.map(|_| client).ok_or_else(|| Stop::Blocked("no GAME_STATE came".into()))
    }

    /// Joins a lobby.
    pub fn take_seat(t: &mut Trial, lobby: TestLobby) -> Result<TestClient, Stop> {
        // Each player has been at the desk, or the server may take the address for a forged one (C5). What the desk says is
        // another case's affair.
        ask_join(t, lobby.id).ok();
        let line = t.open_to(lobby.port)?;
        let answer = join_at(t, line).map_err(Stop::in_the_way)?;
        let id = entity_of(&answer).unwrap_or(u64::MAX);
        if id > 3 {
            return Err(Stop::Blocked("JOIN was refused".into()));
        }
        let body = body_of(&answer);
        let number = |at: usize| body.get(at..at + 8).and_then(|number| number.try_into().ok()).map(i64::from_be_bytes);
        let (x, y) = (number(8).unwrap_or(0), number(16).unwrap_or(0));
        let stamp = t.now().micros();
        t.say_at_the_end(line, &raw(LEAVE, stamp + 600_000_000, &id.to_be_bytes()));
        Ok(TestClient {
            line,
            port: lobby.port,
            id,
            map: body.get(24..).unwrap_or_default().to_vec(),
            stamp,
            silent_about: Vec::new(),
            spawned: BTreeMap::new(),
            places: BTreeMap::from([(id, (x, y))]),
        })
    }

    /// A timestamp that no request of ours had before.
    pub fn stamp(&mut self, t: &Trial) -> u64 {
        self.stamp = t.now().micros().max(self.stamp + 1);
        self.stamp
    }

    /// Sends a request until it is confirmed; the confirmation.
    pub fn request(&mut self, t: &mut Trial, method: u8, body: &[u8]) -> Option<Vec<u8>> {
        let bytes = raw(method, self.stamp(t), body);
        self.ask(t, &bytes)
    }

    /// Sends bytes until a response of their METHOD comes.
    pub fn ask(&mut self, t: &mut Trial, bytes: &[u8]) -> Option<Vec<u8>> {
        let wanted = RESPONSE | (bytes[0] & 0x3f);
        (0..5).find_map(|_| {
            t.send(self.line, bytes);
            let again = t.again();
            self.look(t, again, |_, answer| (kind_of(answer) == Some(wanted)).then(|| answer.to_vec()))
        })
    }

    /// Whether a message that is wrong is answered all the same.
    pub fn is_answered(&mut self, t: &mut Trial, bytes: &[u8]) -> bool {
        t.forget(self.line);
        let timestamp = timestamp_of(bytes);
        t.send(self.line, bytes);
        let quiet = t.quiet();
        self.look(t, quiet, |_, answer| {
            (kind_of(answer).is_some_and(|kind| kind & 0xc0 != 0) && timestamp_of(answer) == timestamp).then_some(())
        })
        .is_some()
    }

    /// Starts or stops flying.
    pub fn fly(&mut self, t: &mut Trial, direction: u8, state: u8) {
        let bytes = raw(super::MOVE, self.stamp(t), &[&self.id.to_be_bytes()[..], &[direction, state]].concat());
        // Twice, because it may be lost; the second is known by its timestamp.
        t.send(self.line, &bytes);
        t.send(self.line, &bytes);
    }

    /// Goes through what the server says, confirming it, until something is seen.
    pub fn look<T>(
        &mut self,
        t: &mut Trial,
        limit: Duration,
        mut look: impl FnMut(&mut TestClient, &[u8]) -> Option<T>,
    ) -> Option<T> {
        t.until(self.line, limit, |t, bytes| {
            self.hear(t, bytes);
            look(self, bytes)
        })
    }

    pub fn wait(&mut self, t: &mut Trial, time: Duration) {
        self.look(t, time, |_, _| None::<()>);
    }

    /// How far its ship flies in a while.
    pub fn flown(&mut self, t: &mut Trial, time: Duration) -> Result<(i64, i64), Stop> {
        let place = |client: &TestClient| {
            let place = client.places.get(&client.id).copied();
            place.ok_or_else(|| Stop::Blocked("our ship is nowhere".into()))
        };
        let (x, y) = place(self)?;
        self.wait(t, time);
        let (later_x, later_y) = place(self)?;
        Ok((later_x - x, later_y - y))
    }

    /// Fails if the server says nothing any more.
    pub fn expect_life(&mut self, t: &mut Trial) -> Result<(), Stop> {
        t.forget(self.line);
        let bytes = raw(GAME_STATE, self.stamp(t), &[1]);
        t.send(self.line, &bytes);
        let patience = t.patience() * 2;
        let is_goodbye = |bytes: &[u8]| kind_of(bytes) == Some(GAME_STATE) && body_of(bytes) == [4];
        match self.look(t, patience, |_, bytes| (!is_goodbye(bytes)).then_some(())) {
            Some(()) => Ok(()),
            None => failed("after that the server says nothing any more: it crashed, or ended the session"),
        }
    }

    fn hear(&mut self, t: &mut Trial, bytes: &[u8]) {
        let (Some(kind), Some(timestamp)) = (kind_of(bytes), timestamp_of(bytes)) else { return };
        if wants_confirmation(kind) && !self.silent_about.contains(&kind) {
            t.send(self.line, &raw(RESPONSE | kind, timestamp, &[]));
        }
        if kind == SPAWN {
            return self.spawn(bytes);
        }
        let Ok(Message { body, .. }) = Message::<FromServer>::read(bytes) else { return };
        match body {
            FromServer::Destroy { entity_id } => _ = self.spawned.remove(&entity_id),
            FromServer::Position { entity_id, x_coordinate, y_coordinate } => {
                self.places.insert(entity_id, (x_coordinate, y_coordinate));
            }
            _ => {}
        }
    }

    /// Takes in an entity, also one whose JSON lacks its NUL: that is another case's affair.
    fn spawn(&mut self, bytes: &[u8]) {
        let (Some(id), Some(text)) = (entity_of(bytes), body_of(bytes).get(8..)) else { return };
        let json: serde_json::Value =
            serde_json::from_slice(text.strip_suffix(&[0]).unwrap_or(text)).unwrap_or_default();
        let number = |key: &str| json.get(key).and_then(serde_json::Value::as_i64);
        if let (Some(kind), Some(x), Some(y)) =
            (json.get("kind").and_then(|kind| kind.as_str()), number("x"), number("y"))
        {
            // A repeat tells where it was at first.
            if self.spawned.insert(id, kind.to_owned()).is_none() {
                self.places.insert(id, (x, y));
            }
        }
    }
}

/// Sends JOIN over a line until it is answered; the response.
pub fn join_at(t: &mut Trial, line: Line) -> Result<Vec<u8>, Stop> {
    let bytes = raw(JOIN, t.now().micros(), &[]);
    for _ in 0..6 {
        t.send(line, &bytes);
        let again = t.again();
        let found =
            t.until(line, again, |_, answer| (kind_of(answer) == Some(RESPONSE | JOIN)).then(|| answer.to_vec()));
        if let Some(answer) = found {
            return Ok(answer);
        }
    }
    failed("JOIN is not answered")
}
