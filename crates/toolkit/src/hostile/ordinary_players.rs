//! Players who only want to play, one of each dialect and more, on a thread of their own. In a dialect in which a player who touches
//! nothing sends nothing, one of them is silent: nothing that is claimed of that player is refuted by what they send.

use std::{
    net::SocketAddr,
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicBool, AtomicUsize, Ordering},
    },
    thread::{self, JoinHandle},
    time::{Duration, Instant},
};

use game::{Buttons, Input};
use protocol::{Dialect, Status};

use crate::{connection::Connection, node_process::NodeProcess, restart::PersistentClient};

const TICK: Duration = Duration::from_micros(16_667);
/// Somebody plays who was shown something new this lately.
const FRESH: Duration = Duration::from_secs(2);
/// The dialect whose first player is silent, once they have played for this long: until then a seat may be provisional.
const SILENT: Dialect = Dialect::Typeuh;
const SILENT_AFTER: Duration = Duration::from_secs(1);
/// All of them have a seat within this.
const PATIENCE: Duration = Duration::from_secs(20);

/// Players who want to go on playing.
pub(super) struct OrdinaryPlayers {
    state: Arc<Shared>,
    thread: Option<JoinHandle<()>>,
}

#[derive(Default)]
struct Shared {
    ends: AtomicBool,
    is_held: AtomicBool,
    playing: AtomicUsize,
    ports: Mutex<Vec<u16>>,
}

impl OrdinaryPlayers {
    /// Players of each dialect, once all of them play.
    pub fn join(node: &NodeProcess, of_each: usize) -> anyhow::Result<OrdinaryPlayers> {
        let mut doors = Vec::new();
        for dialect in (0..of_each).flat_map(|_| Dialect::ALL) {
            doors.push((dialect, node.door(dialect)?));
        }
        let (count, state) = (doors.len(), Arc::new(Shared::default()));
        let shared = Arc::clone(&state);
        let thread = thread::Builder::new().name("ordinary players".into()).spawn(move || play(&doors, &shared))?;
        let ordinary = OrdinaryPlayers { state, thread: Some(thread) };
        let began = Instant::now();
        while ordinary.playing() < count {
            anyhow::ensure!(began.elapsed() < PATIENCE, "only {} of {count} players could join", ordinary.playing());
            thread::sleep(TICK);
        }
        Ok(ordinary)
    }

    /// Stops everybody where they are, or lets them go on: some clients give up on a node that says nothing for four seconds.
    pub fn hold(&self, is_held: bool) {
        self.state.is_held.store(is_held, Ordering::Relaxed);
    }

    /// The ports that their datagrams come from.
    pub fn ports(&self) -> Vec<u16> {
        self.state.ports.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// How many play.
    pub fn playing(&self) -> usize {
        self.state.playing.load(Ordering::Relaxed)
    }
}

impl Drop for OrdinaryPlayers {
    fn drop(&mut self) {
        self.state.ends.store(true, Ordering::Relaxed);
        // A panic there was reported already.
        let _ = self.thread.take().map(JoinHandle::join);
    }
}

fn play(doors: &[(Dialect, SocketAddr)], shared: &Shared) {
    let began = Instant::now();
    // One that cannot be opened shows in how many play.
    let open = |&(dialect, door): &(Dialect, SocketAddr)| PersistentClient::open(dialect, door, "Honest").ok();
    let mut clients: Vec<(PersistentClient, Option<Instant>)> =
        doors.iter().filter_map(open).map(|client| (client, None)).collect();
    let ports = clients.iter().filter_map(|(client, _)| client.udp_port()).collect();
    *shared.ports.lock().unwrap_or_else(PoisonError::into_inner) = ports;
    let silent = doors.iter().position(|(dialect, _)| *dialect == SILENT);
    while !shared.ends.load(Ordering::Relaxed) {
        if shared.is_held.load(Ordering::Relaxed) {
            thread::sleep(TICK);
            continue;
        }
        let way = if (began.elapsed().as_millis() / 700).is_multiple_of(2) { Buttons::UP } else { Buttons::DOWN };
        for (number, (client, shown)) in clients.iter_mut().enumerate() {
            let is_silent = silent == Some(number) && began.elapsed() >= SILENT_AFTER;
            if client.turn(if is_silent { Input::IDLE } else { Input::holding(way) }) {
                *shown = Some(Instant::now());
            }
        }
        let plays = |shown: Option<Instant>| shown.is_some_and(|shown| shown.elapsed() < FRESH);
        let playing = clients.iter().filter(|(_, shown)| plays(*shown)).count();
        shared.playing.store(playing, Ordering::Relaxed);
        thread::sleep(TICK);
    }
}

/// Whether somebody of every dialect who comes now can play: how long it took until the last of them had a ship.
pub(super) fn newcomers(node: &NodeProcess) -> anyhow::Result<Duration> {
    let began = Instant::now();
    let mut waiting = Vec::new();
    for dialect in Dialect::ALL {
        waiting.push((dialect, Connection::open(dialect, node.door(dialect)?, "New", None)?));
    }
    let mut seated = Vec::new();
    while let Some((dialect, mut connection)) = waiting.pop() {
        while connection.seat().is_none() || connection.status() != Status::Playing {
            anyhow::ensure!(began.elapsed() < PATIENCE, "nobody new can join in {}", dialect.name());
            for other in
                [&mut connection].into_iter().chain(waiting.iter_mut().map(|(_, other)| other)).chain(&mut seated)
            {
                // One that fails never has a seat.
                let _ = other.turn(Input::IDLE);
            }
            thread::sleep(TICK);
        }
        seated.push(connection);
    }
    Ok(began.elapsed())
}
