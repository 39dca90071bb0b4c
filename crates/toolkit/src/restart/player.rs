//! A player on a thread of their own who plays on, whatever becomes of the node. In our own dialect it is the client that pages and
//! windows have, which comes back by itself; in the others a session that knows nothing of a restart.

use std::{
    net::SocketAddr,
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicBool, Ordering},
    },
    thread::{self, JoinHandle},
    time::{Duration, Instant, SystemTime, UNIX_EPOCH},
};

use client::{Client, Options, Task};
use game::{Buttons, Input};
use protocol::{Channel, Dialect, End, Output, Status, StreamUse, Time};

use crate::{
    connection::Connection,
    transport::{DATAGRAM_MAX_BYTES, Transport},
};

/// How often a player acts.
const TURN: Duration = Duration::from_millis(8);

/// When Frames came.
#[derive(Clone, Default)]
struct Frames(Arc<Mutex<Vec<Instant>>>);

impl Frames {
    fn note(&self) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).push(Instant::now());
    }

    fn find(&self, is_it: impl Fn(&Instant) -> bool, newest_first: bool) -> Option<Instant> {
        let frames = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        match newest_first {
            true => frames.iter().rev().find(|at| is_it(at)).copied(),
            false => frames.iter().find(|at| is_it(at)).copied(),
        }
    }
}

/// Somebody who plays on.
pub(super) struct RestartPlayer {
    frames: Frames,
    /// Whether its session ended because nothing was heard of the node for too long.
    has_given_up: Arc<AtomicBool>,
    stop: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

impl RestartPlayer {
    /// Sets out for a door.
    pub fn join(dialect: Dialect, door: SocketAddr) -> anyhow::Result<RestartPlayer> {
        let (frames, stop, has_given_up) =
            (Frames::default(), Arc::<AtomicBool>::default(), Arc::<AtomicBool>::default());
        let (seen, ends, gives_up) = (frames.clone(), Arc::clone(&stop), Arc::clone(&has_given_up));
        let mut client = PersistentClient::open(dialect, door, "Ann")?;
        let thread = thread::Builder::new().name("player".into()).spawn(move || {
            while !ends.load(Ordering::Relaxed) {
                if client.turn(Input::holding(Buttons::FIRE)) {
                    seen.note();
                }
                gives_up.store(client.has_given_up(), Ordering::Relaxed);
                thread::sleep(TURN);
            }
        })?;
        Ok(RestartPlayer { frames, has_given_up, stop, thread: Some(thread) })
    }

    pub fn has_given_up(&self) -> bool {
        self.has_given_up.load(Ordering::Relaxed)
    }

    pub fn has_frame(&self) -> bool {
        self.frames.find(|_| true, false).is_some()
    }

    /// When the first Frame came after a time.
    pub fn frame_after(&self, time: Instant) -> Option<Instant> {
        self.frames.find(|at| *at > time, false)
    }

    /// When the last Frame came before a time.
    pub fn last_frame_before(&self, time: Instant) -> Option<Instant> {
        self.frames.find(|at| *at < time, true)
    }

    pub fn stop(&mut self) {
        self.stop.store(true, Ordering::Relaxed);
        if let Some(thread) = self.thread.take() {
            // If the player panicked, the report says that they did not come back.
            let _ = thread.join();
        }
    }
}

impl Drop for RestartPlayer {
    fn drop(&mut self) {
        self.stop();
    }
}

/// A client that plays on, whatever becomes of the node.
pub(crate) enum PersistentClient {
    Session(Box<Connection>),
    Page(Box<Driver>),
}

impl PersistentClient {
    /// Sets out for a door.
    pub fn open(dialect: Dialect, door: SocketAddr, name: &str) -> anyhow::Result<PersistentClient> {
        Ok(match dialect.entry().stream {
            StreamUse::Link(_) => PersistentClient::Page(Box::new(Driver::new(dialect, door))),
            _ => PersistentClient::Session(Box::new(Connection::open(dialect, door, name, None)?)),
        })
    }

    /// The port that its datagrams come from, where it has a socket of its own for them.
    pub fn udp_port(&self) -> Option<u16> {
        match self {
            PersistentClient::Session(connection) => connection.udp_port(),
            PersistentClient::Page(_) => None,
        }
    }

    /// Whether it has heard nothing for too long to expect anything any more. The client of a page tries again.
    fn has_given_up(&self) -> bool {
        match self {
            PersistentClient::Session(connection) => connection.status() == Status::Ended(End::TimedOut),
            PersistentClient::Page(_) => false,
        }
    }

    /// Does all that is due; whether a Frame came of what the node said. The client of a page has its hands off the keys.
    pub fn turn(&mut self, input: Input) -> bool {
        match self {
            PersistentClient::Session(connection) => {
                let heard = connection.traffic().bytes_in;
                // What cannot be sent now is lost. A client may also fly things on by itself: that does not come from the node.
                connection.turn(input).unwrap_or(false) && connection.traffic().bytes_in > heard
            }
            PersistentClient::Page(driver) => driver.turn(),
        }
    }
}

/// Drives the client of a page or a window.
pub(crate) struct Driver {
    client: Client,
    dialect: Dialect,
    door: SocketAddr,
    transport: Option<Transport>,
    is_announced: bool,
    received: Vec<u8>,
    polled: Vec<u8>,
    started: Instant,
    epoch_us: u64,
}

impl Driver {
    fn new(dialect: Dialect, door: SocketAddr) -> Driver {
        let epoch_us = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_micros() as u64;
        let options = Options { quick: true, ..Options::new(dialect) };
        Driver {
            client: Client::new(Time::from_micros(epoch_us), options),
            dialect,
            door,
            transport: None,
            is_announced: false,
            received: vec![0; DATAGRAM_MAX_BYTES],
            polled: Vec::new(),
            started: Instant::now(),
            epoch_us,
        }
    }

    /// Does all that is due; whether a Frame came.
    fn turn(&mut self) -> bool {
        let now = Time::from_micros(self.epoch_us + self.started.elapsed().as_micros() as u64);
        let is_new = self.receive(now).unwrap_or_else(|_| self.lose(now));
        self.client.advance(now);
        while let Some(task) = self.client.poll(now, &mut self.polled) {
            if self.execute(task).is_err() {
                self.lose(now);
            }
        }
        if let Some(Err(_)) = self.transport.as_mut().map(Transport::push) {
            self.lose(now);
        }
        is_new
    }

    fn receive(&mut self, now: Time) -> anyhow::Result<bool> {
        let Some(transport) = &mut self.transport else { return Ok(false) };
        let mut is_new = false;
        while let Some((channel, length)) = transport.receive(&mut self.received)? {
            self.client.receive(now, channel, &self.received[..length]);
            is_new |= channel == Channel::Datagram;
        }
        anyhow::ensure!(!transport.is_unreachable(), "the node is gone");
        if transport.is_ready() && !self.is_announced {
            self.is_announced = true;
            self.client.connected(now);
        }
        Ok(is_new)
    }

    fn execute(&mut self, task: Task) -> anyhow::Result<()> {
        let output = match task {
            Task::Datagram => Output::Datagram,
            Task::Stream => Output::Stream,
            Task::CloseStream | Task::Disconnect => Output::CloseStream,
            Task::DatagramsTo(port) => Output::DatagramsTo(port),
            Task::Connect => {
                self.is_announced = false;
                self.transport = Some(Transport::open(self.dialect, self.door)?);
                return Ok(());
            }
            // There is no window.
            Task::FullScreen
            | Task::ShareLobby
            | Task::StoreSettings
            | Task::FetchScores
            | Task::FetchReplay
            | Task::FetchRecording
            | Task::SaveReplay
            | Task::LoadGhost
            | Task::StoreGhost => {
                return Ok(());
            }
        };
        if let Some(transport) = &mut self.transport {
            transport.send(output, &self.polled)?;
        }
        Ok(())
    }

    fn lose(&mut self, now: Time) -> bool {
        self.transport = None;
        self.is_announced = false;
        self.client.disconnected(now);
        false
    }
}
