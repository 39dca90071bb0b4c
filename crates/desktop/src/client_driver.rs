//! Drives a client without a window: carries its bytes to the server and back, and tells it the time.

use std::{
    net::SocketAddr,
    thread,
    time::{Duration, Instant, SystemTime, UNIX_EPOCH},
};

use client::{Client, Options, Task};
use protocol::{Dialect, Output, Time};
use toolkit::transport::{DATAGRAM_MAX_BYTES, Transport};

/// How long the client may take to say goodbye when the window is closed, and how often it is driven meanwhile.
const GOODBYE: Duration = Duration::from_millis(2_500);
const GOODBYE_PAUSE: Duration = Duration::from_millis(10);

/// A client, and its connection to a server.
pub struct ClientDriver {
    pub client: Client,
    clock: Clock,
    dialect: Dialect,
    /// All addresses of the server; the next attempt goes to the first.
    servers: Vec<SocketAddr>,
    transport: Option<Transport>,
    /// Whether the client was told that it is connected.
    is_announced: bool,
    received: Vec<u8>,
    polled: Vec<u8>,
}

/// What the client asks its window to do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum WindowTask {
    FullScreen,
    /// Show the code of the lobby.
    ShareLobby(String),
    /// Write this text to the file of settings.
    StoreSettings(String),
    /// Fetch the table of this query.
    FetchScores(String),
    /// Fetch the recording of this game.
    FetchReplay(String),
    /// Fetch the player's own recording, by its key.
    FetchRecording(String),
    /// Save this replay as a file of that name.
    SaveReplay(String, Vec<u8>),
    /// Load the best run of this table.
    LoadGhost(String),
    /// Keep this best run of that table.
    StoreGhost(String, Vec<u8>),
}

/// Wall-clock time that never goes back.
struct Clock {
    started: Instant,
    epoch_us: u64,
}

impl ClientDriver {
    /// A client that has just been started.
    pub fn new(options: Options, servers: Vec<SocketAddr>) -> ClientDriver {
        let epoch = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        let clock = Clock { started: Instant::now(), epoch_us: epoch.as_micros() as u64 };
        let dialect = options.dialect;
        ClientDriver {
            client: Client::new(clock.now(), options),
            clock,
            dialect,
            servers,
            transport: None,
            is_announced: false,
            received: vec![0; DATAGRAM_MAX_BYTES],
            polled: Vec::new(),
        }
    }

    pub fn now(&self) -> Time {
        self.clock.now()
    }

    /// Shows a replay, or says why it cannot be shown.
    pub fn show_replay(&mut self, file: &[u8]) -> Result<(), String> {
        self.client.open_replay(self.clock.now(), file)
    }

    /// Lets the client do everything that is due, and returns what is left for the window.
    pub fn advance(&mut self) -> Vec<WindowTask> {
        self.receive();
        let now = self.now();
        self.client.advance(now);
        let mut tasks = Vec::new();
        while let Some(task) = self.client.poll(now, &mut self.polled) {
            match self.execute(now, task) {
                Ok(window_task) => tasks.extend(window_task),
                Err(error) => self.on_failure(now, &error),
            }
        }
        if let Some(Err(error)) = self.transport.as_mut().map(Transport::push) {
            self.on_failure(now, &error);
        }
        tasks
    }

    /// Passes on what was received. The earlier the client gets it, the better it can judge the network.
    pub fn receive(&mut self) {
        let now = self.now();
        if let Err(error) = self.try_receive(now) {
            self.on_failure(now, &error);
        }
    }

    /// Lets the client say goodbye, for a moment at most.
    pub fn leave(&mut self) {
        self.client.quit(self.now());
        let began = Instant::now();
        while self.transport.is_some() && began.elapsed() < GOODBYE {
            self.advance();
            thread::sleep(GOODBYE_PAUSE);
        }
    }

    fn try_receive(&mut self, now: Time) -> anyhow::Result<()> {
        let Some(transport) = &mut self.transport else { return Ok(()) };
        while let Some((channel, length)) = transport.receive(&mut self.received)? {
            self.client.receive(now, channel, &self.received[..length]);
        }
        anyhow::ensure!(!transport.is_unreachable(), "the server does not answer");
        if transport.is_ready() && !self.is_announced {
            self.is_announced = true;
            self.client.connected(now);
        }
        Ok(())
    }

    fn execute(&mut self, now: Time, task: Task) -> anyhow::Result<Option<WindowTask>> {
        match task {
            Task::Datagram => self.send(Output::Datagram)?,
            Task::Stream => self.send(Output::Stream)?,
            Task::CloseStream => self.send(Output::CloseStream)?,
            Task::DatagramsTo(port) => self.send(Output::DatagramsTo(port))?,
            Task::Connect => self.connect(now)?,
            Task::Disconnect => self.disconnect()?,
            Task::FullScreen => return Ok(Some(WindowTask::FullScreen)),
            Task::ShareLobby => return Ok(Some(WindowTask::ShareLobby(self.polled_text()))),
            Task::StoreSettings => return Ok(Some(WindowTask::StoreSettings(self.polled_text()))),
            Task::FetchReplay => return Ok(Some(WindowTask::FetchReplay(self.polled_text()))),
            Task::FetchRecording => return Ok(Some(WindowTask::FetchRecording(self.polled_text()))),
            Task::LoadGhost => return Ok(Some(WindowTask::LoadGhost(self.polled_text()))),
            Task::SaveReplay => return Ok(self.polled_line().map(|(name, file)| WindowTask::SaveReplay(name, file))),
            Task::StoreGhost => return Ok(self.polled_line().map(|(table, run)| WindowTask::StoreGhost(table, run))),
            Task::FetchScores => return Ok(Some(WindowTask::FetchScores(self.polled_text()))),
        }
        Ok(None)
    }

    fn send(&mut self, output: Output) -> anyhow::Result<()> {
        if let Some(transport) = &mut self.transport {
            transport.send(output, &self.polled)?;
        }
        Ok(())
    }

    fn connect(&mut self, now: Time) -> anyhow::Result<()> {
        self.transport = None;
        self.is_announced = false;
        if let Some(&server) = self.servers.first() {
            self.transport = Some(Transport::open(self.dialect, server)?);
        }
        // A socket is ready at once.
        self.try_receive(now)
    }

    fn disconnect(&mut self) -> anyhow::Result<()> {
        if let Some(mut transport) = self.transport.take() {
            transport.send(Output::CloseStream, &[])?;
            transport.push()?;
        }
        Ok(())
    }

    /// The connection is gone. If the server has several addresses, the next attempt goes to another one.
    fn on_failure(&mut self, now: Time, error: &anyhow::Error) {
        if let Some(server) = self.servers.first() {
            eprintln!("volley-desktop: {server}: {error:#}");
        }
        if !self.servers.is_empty() {
            self.servers.rotate_left(1);
        }
        self.transport = None;
        self.is_announced = false;
        self.client.disconnected(now);
    }

    /// A line, and the bytes behind it.
    fn polled_line(&self) -> Option<(String, Vec<u8>)> {
        let end = self.polled.iter().position(|&byte| byte == b'\n')?;
        Some((String::from_utf8_lossy(&self.polled[..end]).into_owned(), self.polled[end + 1..].to_vec()))
    }

    fn polled_text(&self) -> String {
        String::from_utf8_lossy(&self.polled).into_owned()
    }
}

impl Clock {
    fn now(&self) -> Time {
        Time::from_micros(self.epoch_us + self.started.elapsed().as_micros() as u64)
    }
}
