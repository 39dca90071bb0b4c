//! A server of `aecs` that a case plays, against a client under test.

use std::time::Duration;

use protocol::{
    Channel,
    aecs::wire::{Component, GameStateWriter, PACKET_MAX_BYTES, write_connected, write_game_changes},
};

use super::{CLIENT_PONG, PING, SERVER_PONG, raw, type_of};
use crate::conform::{case::Stop, trial::Trial, trial_network::Line};

/// Between two GAME_CHANGES.
const EVERY: Duration = Duration::from_millis(33);
/// The client's ship, and the entity that has the score.
pub const SHIP: u32 = 1;
pub const GAME: u32 = 0;

/// An entity: its id and components; none of them removes it.
pub type Entity = (u32, Vec<Component<'static>>);

/// A server that has one client.
pub struct TestServer {
    pub line: Line,
    pub tick: u32,
    /// Told in every change, beside what never changes.
    pub told: Vec<Entity>,
}

/// Waits for a client, to see whether one comes.
pub fn greet(t: &mut Trial) -> Result<(), Stop> {
    await_stream(t).map(|_| ())
}

/// Waits for a client's TCP connection.
pub fn await_stream(t: &mut Trial) -> Result<Line, Stop> {
    let came = t.accept(Channel::Stream, t.client_wait);
    came.map(|(line, _)| line).ok_or_else(Stop::no_client)
}

/// An entity of a kind at a place.
pub fn entity(id: u32, kind: u16, x: f32, y: f32) -> Entity {
    let still = Component::Velocity { x: 0.0, y: 0.0 };
    (id, vec![Component::Position { x, y }, still, Component::Kind(kind), Component::Animation(0)])
}

/// The client's ship with these lives.
pub fn ship(lives: u8) -> Entity {
    let (id, mut components) = entity(SHIP, 1, 160.0, 540.0);
    components.insert(3, Component::Health { now: 1, max: 1 });
    components.extend([Component::Player { seat: 0 }, Component::Charge(0), Component::Lives(lives)]);
    (id, components)
}

/// The game as a whole.
pub fn game(score: u32) -> Entity {
    (GAME, vec![Component::Score(score), Component::Game { state: 1, stage: 1 }])
}

fn state(tick: u32, entities: &[Entity]) -> Vec<u8> {
    let mut bytes = Vec::new();
    let mut writer = GameStateWriter::begin(tick, PACKET_MAX_BYTES, &mut bytes);
    for (id, components) in entities {
        writer.push(*id, components.iter().copied());
    }
    bytes
}

/// A GAME_CHANGES of some ticks.
pub fn changes(ticks: &[u32], entities: &[Entity]) -> Vec<u8> {
    let states: Vec<Vec<u8>> = ticks.iter().map(|tick| state(*tick, entities)).collect();
    let mut bytes = Vec::new();
    write_game_changes(states.iter().map(Vec::as_slice), &mut bytes);
    bytes
}

/// The CONNECTED that clients are given.
pub fn connected() -> Vec<u8> {
    let mut bytes = Vec::new();
    write_connected(0, &state(600, &[game(0), ship(3)]), &mut bytes);
    bytes
}

impl TestServer {
    /// Lets a client in: CONNECTED over TCP, which is closed, and then its first datagram.
    pub fn enter(t: &mut Trial) -> Result<(TestServer, Line), Stop> {
        let stream = await_stream(t)?;
        t.send(stream, &connected());
        t.rest(Duration::from_millis(50));
        t.close(stream);
        let patience = t.patience();
        let (line, _) = t
            .accept(Channel::Datagram, patience)
            .ok_or_else(|| Stop::Blocked("no datagram came after CONNECTED".into()))?;
        Ok((TestServer { line, tick: 600, told: Vec::new() }, stream))
    }

    /// Lets a client in, and begins to play.
    pub fn welcome(t: &mut Trial) -> Result<TestServer, Stop> {
        let (mut server, _) = TestServer::enter(t)?;
        server.play(t, Duration::from_millis(300), |_| None::<()>);
        t.forget(server.line);
        Ok(server)
    }

    /// Plays for a while: GAME_CHANGES go out, PINGs are answered, and what comes is looked at.
    pub fn play<T>(&mut self, t: &mut Trial, limit: Duration, mut look: impl FnMut(&[u8]) -> Option<T>) -> Option<T> {
        let until = t.now() + limit;
        while t.now() < until {
            self.tick += 2;
            t.send(self.line, &changes(&[self.tick], &self.told));
            let line = self.line;
            let found = t.until(line, EVERY, |t, bytes| {
                if type_of(bytes) == Some(PING) {
                    t.send(line, &raw(SERVER_PONG, &[]));
                }
                look(bytes)
            });
            if found.is_some() {
                return found;
            }
        }
        None
    }

    /// The ticks of all CLIENT_PONGs of a while in which nothing else is sent.
    pub fn pongs(&mut self, t: &mut Trial) -> Vec<u32> {
        let quiet = t.quiet();
        let all = t.all(self.line, quiet);
        let pongs = all.iter().filter(|bytes| type_of(bytes) == Some(CLIENT_PONG));
        pongs.filter_map(|bytes| bytes.get(3..7)?.try_into().ok().map(u32::from_le_bytes)).collect()
    }

    /// Whether the client still says anything.
    pub fn speaks(&mut self, t: &mut Trial) -> bool {
        t.forget(self.line);
        self.play(t, Duration::from_secs(4), |_| Some(())).is_some()
    }
}
