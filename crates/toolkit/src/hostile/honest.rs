//! Players who only want to play, one of each dialect and more, on a thread of their own.

use std::{
    net::SocketAddr,
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicUsize, Ordering},
    },
    thread::{self, JoinHandle},
    time::{Duration, Instant},
};

use anyhow::Context;
use game::{Buttons, Input};
use protocol::{Dialect, Status};

use super::host::Host;
use crate::connection::Connection;

const TICK: Duration = Duration::from_micros(16_667);
/// All of them have a seat within this.
const PATIENCE: Duration = Duration::from_secs(20);

/// Players who want to go on playing.
pub(super) struct Honest {
    state: Arc<Shared>,
    thread: Option<JoinHandle<()>>,
}

#[derive(Default)]
struct Shared {
    ends: AtomicBool,
    playing: AtomicUsize,
}

impl Honest {
    /// So many of each dialect, once all of them play.
    pub fn join(host: &Host, of_each: usize) -> anyhow::Result<Honest> {
        let mut doors = Vec::new();
        for dialect in (0..of_each).flat_map(|_| Dialect::ALL) {
            doors.push((dialect, SocketAddr::from(([127, 0, 0, 1], host.door(dialect)?))));
        }
        let (count, state) = (doors.len(), Arc::new(Shared::default()));
        let shared = Arc::clone(&state);
        let thread = thread::Builder::new().name("honest".into()).spawn(move || play(&doors, &shared))?;
        let honest = Honest { state, thread: Some(thread) };
        let began = Instant::now();
        while honest.playing() < count {
            anyhow::ensure!(began.elapsed() < PATIENCE, "only {} of {count} players could join", honest.playing());
            thread::sleep(TICK);
        }
        Ok(honest)
    }

    /// How many play.
    pub fn playing(&self) -> usize {
        self.state.playing.load(Ordering::Relaxed)
    }
}

impl Drop for Honest {
    fn drop(&mut self) {
        self.state.ends.store(true, Ordering::Relaxed);
        // A panic there was told already.
        let _ = self.thread.take().map(JoinHandle::join);
    }
}

fn play(doors: &[(Dialect, SocketAddr)], shared: &Shared) {
    let began = Instant::now();
    // One that cannot be opened shows in how many play.
    let open = |&(dialect, door): &(Dialect, SocketAddr)| Connection::open(dialect, door, "Honest", None).ok();
    let mut connections: Vec<Connection> = doors.iter().filter_map(open).collect();
    while !shared.ends.load(Ordering::Relaxed) {
        let way = if (began.elapsed().as_millis() / 700).is_multiple_of(2) { Buttons::UP } else { Buttons::DOWN };
        let mut playing = 0;
        for connection in &mut connections {
            // What is wrong with one shows in how many play.
            let _ = connection.turn(Input::holding(way));
            let has_ship = connection.seat().is_some();
            playing += usize::from(has_ship && connection.status() == Status::Playing);
        }
        shared.playing.store(playing, Ordering::Relaxed);
        thread::sleep(TICK);
    }
}

/// Whether somebody who comes now can play: how long it took until the first Frame.
pub(super) fn newcomer(host: &Host, dialect: Dialect) -> anyhow::Result<Duration> {
    let began = Instant::now();
    let mut connection = Connection::open(dialect, ([127, 0, 0, 1], host.door(dialect)?), "New", None)?;
    while connection.seat().is_none() || connection.status() != Status::Playing {
        anyhow::ensure!(began.elapsed() < PATIENCE, "nobody new can join in {}", dialect.name());
        connection.turn(Input::IDLE).with_context(|| format!("nobody new can join in {}", dialect.name()))?;
        thread::sleep(TICK);
    }
    Ok(began.elapsed())
}
