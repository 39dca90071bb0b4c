//! A client and its transport to a server, without a window: bytes and time pass through here.

use std::{
    net::SocketAddr,
    thread,
    time::{Duration, Instant, SystemTime, UNIX_EPOCH},
};

use client::{Client, Options, Task};
use protocol::{Dialect, Output, Time};
use toolkit::transport::{DATAGRAM_MAX_BYTES, Transport};

/// How long a goodbye may take when the window is closed, and how often it is looked after.
const GOODBYE: Duration = Duration::from_millis(250);
const GOODBYE_PAUSE: Duration = Duration::from_millis(10);

/// A client at play.
pub struct Play {
    pub client: Client,
    clock: Clock,
    dialect: Dialect,
    /// Where the server may be; the next attempt goes to the first.
    servers: Vec<SocketAddr>,
    transport: Option<Transport>,
    /// Whether the client knows of the transport.
    is_announced: bool,
    received: Vec<u8>,
    polled: Vec<u8>,
}

/// What the client wants of its shell.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Request {
    FullScreen,
    /// The code of a lobby.
    Share(String),
    /// Text for the file of settings.
    Keep(String),
    /// The table of high scores.
    Scores,
}

/// Wall-clock time that never goes back.
struct Clock {
    started: Instant,
    epoch_us: u64,
}

impl Play {
    /// A client that has just been started.
    pub fn new(options: Options, servers: Vec<SocketAddr>) -> Play {
        let epoch = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        let clock = Clock { started: Instant::now(), epoch_us: epoch.as_micros() as u64 };
        let dialect = options.dialect;
        Play {
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

    /// Now.
    pub fn now(&self) -> Time {
        self.clock.now()
    }

    /// Does all that is due, and says what is left for the shell.
    pub fn turn(&mut self) -> Vec<Request> {
        self.listen();
        let now = self.now();
        self.client.advance(now);
        let mut requests = Vec::new();
        while let Some(action) = self.client.poll(now, &mut self.polled) {
            match self.act(now, action) {
                Ok(request) => requests.extend(request),
                Err(error) => self.lose(now, &error),
            }
        }
        if let Some(Err(error)) = self.transport.as_mut().map(Transport::push) {
            self.lose(now, &error);
        }
        requests
    }

    /// Takes in what has come, and nothing else. The earlier the client knows of it, the better it judges the network.
    pub fn listen(&mut self) {
        let now = self.now();
        if let Err(error) = self.receive(now) {
            self.lose(now, &error);
        }
    }

    /// Says goodbye, as far as that goes in a moment.
    pub fn leave(&mut self) {
        self.client.quit(self.now());
        let began = Instant::now();
        while self.transport.is_some() && began.elapsed() < GOODBYE {
            self.turn();
            thread::sleep(GOODBYE_PAUSE);
        }
    }

    fn receive(&mut self, now: Time) -> anyhow::Result<()> {
        let Some(transport) = &mut self.transport else { return Ok(()) };
        while let Some((channel, length)) = transport.receive(&mut self.received)? {
            self.client.receive(now, channel, &self.received[..length]);
        }
        anyhow::ensure!(!transport.is_unreachable(), "nobody answers there");
        if transport.is_ready() && !self.is_announced {
            self.is_announced = true;
            self.client.connected(now);
        }
        Ok(())
    }

    fn act(&mut self, now: Time, action: Task) -> anyhow::Result<Option<Request>> {
        match action {
            Task::Datagram => self.send(Output::Datagram)?,
            Task::Stream => self.send(Output::Stream)?,
            Task::CloseStream => self.send(Output::CloseStream)?,
            Task::DatagramsTo(port) => self.send(Output::DatagramsTo(port))?,
            Task::Connect => self.connect(now)?,
            Task::Disconnect => self.disconnect()?,
            Task::FullScreen => return Ok(Some(Request::FullScreen)),
            Task::ShareLobby => return Ok(Some(Request::Share(self.polled_text()))),
            Task::StoreSettings => return Ok(Some(Request::Keep(self.polled_text()))),
            Task::FetchScores => return Ok(Some(Request::Scores)),
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
        // Sockets are there at once.
        self.receive(now)
    }

    fn disconnect(&mut self) -> anyhow::Result<()> {
        if let Some(mut transport) = self.transport.take() {
            transport.send(Output::CloseStream, &[])?;
            transport.push()?;
        }
        Ok(())
    }

    /// The transport is no more. A server of several addresses is tried at the next one.
    fn lose(&mut self, now: Time, error: &anyhow::Error) {
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

    fn polled_text(&self) -> String {
        String::from_utf8_lossy(&self.polled).into_owned()
    }
}

impl Clock {
    fn now(&self) -> Time {
        Time::from_micros(self.epoch_us + self.started.elapsed().as_micros() as u64)
    }
}
