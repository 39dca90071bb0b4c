//! The loop: waits for bytes and for the moment at which some are due, and carries both.

use std::{
    io,
    net::SocketAddr,
    sync::atomic::{AtomicBool, Ordering},
    thread,
    time::{Duration, Instant},
};

use network::{Delivery, Direction};

use super::{
    Options,
    datagrams::{Datagrams, NewPeers},
    recording::TrafficRecording,
    relay_network::{PeerId, RelayNetwork, Relayed},
    report::{Report, Totals},
    resolve,
    sources::{SocketPurpose, Sources},
    streams::Streams,
};
use crate::{UserError, live_table::LiveTable};

/// The longest wait: signals, clients that have gone, and the figures on the screen are looked at this often.
const WAIT_MAX: Duration = Duration::from_millis(100);
/// The system waits in whole milliseconds. What is due before is waited for in naps, so that nothing is late.
const SYSTEM_WAIT_MIN: Duration = Duration::from_millis(1);
const NAP: Duration = Duration::from_micros(100);
/// How often idle clients are looked for.
const TIDY_EVERY: Duration = Duration::from_secs(1);
/// Ports that the system is asked for until one is free for both.
const TRIES_MAX: u32 = 16;

/// A bad network between clients and one server.
pub struct Relay {
    listen: SocketAddr,
    sources: Sources,
    datagrams: Datagrams,
    streams: Streams,
    network: RelayNetwork,
    began: Instant,
    next_id: u32,
    last_tidied: Duration,
}

/// Sockets for TCP and UDP with the same port.
struct Opened {
    listen: SocketAddr,
    sources: Sources,
    streams: Streams,
    datagrams: Datagrams,
}

impl Opened {
    /// Where the system chooses a port for TCP, that of UDP may be taken: then it chooses another.
    fn at(listen: SocketAddr, server: SocketAddr) -> io::Result<Opened> {
        let mut tries = 1;
        loop {
            match Opened::once_at(listen, server) {
                Err(error) if error.kind() == io::ErrorKind::AddrInUse && listen.port() == 0 && tries < TRIES_MAX => {
                    tries += 1;
                }
                opened => return opened,
            }
        }
    }

    fn once_at(listen: SocketAddr, server: SocketAddr) -> io::Result<Opened> {
        let mut sources = Sources::new()?;
        let streams = Streams::open(listen, server, &mut sources)?;
        let listen = streams.address()?;
        let datagrams = Datagrams::open(listen, server, &mut sources)?;
        Ok(Opened { listen, sources, streams, datagrams })
    }
}

impl Relay {
    /// Opens its ports.
    pub fn open(options: &Options) -> anyhow::Result<Relay> {
        let server = resolve(&options.to)?;
        let recording = options.record.as_deref().map(TrafficRecording::create).transpose()?;
        let busy = |error: io::Error| {
            UserError(format!("cannot listen at {}: {error}; choose another address with --listen", options.listen))
        };
        let Opened { listen, sources, streams, datagrams } = Opened::at(options.listen, server).map_err(busy)?;
        let network = RelayNetwork::new(options.seed, options.conditions, recording);
        let (began, next_id, last_tidied) = (Instant::now(), 0, Duration::ZERO);
        Ok(Relay { listen, sources, datagrams, streams, network, began, next_id, last_tidied })
    }

    /// Where clients connect.
    pub fn address(&self) -> SocketAddr {
        self.listen
    }

    /// Carries messages until `stop` is set.
    pub fn run(&mut self, stop: &AtomicBool, table: &mut LiveTable) -> io::Result<Report> {
        let mut ready = Vec::new();
        while !stop.load(Ordering::Relaxed) {
            self.wait(&mut ready)?;
            for source in ready.drain(..) {
                self.receive(source);
            }
            self.deliver();
            self.tidy();
            if table.is_due() {
                let report = self.report();
                table.show(|| report.table(), || report.line());
            }
        }
        table.end();
        let mut report = self.report();
        report.recording_error = self.network.end_recording().map(|error| error.to_string());
        Ok(report)
    }

    /// What became of the messages so far.
    pub fn report(&self) -> Report {
        let totals = |direction| Totals {
            counters: *self.network.counters(direction),
            in_flight: self.network.in_flight(direction),
        };
        Report {
            seconds: self.began.elapsed().as_secs_f64(),
            up: totals(Direction::Up),
            down: totals(Direction::Down),
            clients: self.datagrams.clients(),
            streams: self.streams.count(),
            lobbies: self.datagrams.lanes() - 1,
            dropped: self.datagrams.dropped,
            refused: self.streams.refused,
            punctuality: self.network.punctuality,
            recording_error: None,
        }
    }

    fn now(&self) -> Duration {
        self.began.elapsed()
    }

    fn wait(&mut self, ready: &mut Vec<SocketPurpose>) -> io::Result<()> {
        let due = self.network.next_arrival().map_or(WAIT_MAX, |due| due.saturating_sub(self.now()).min(WAIT_MAX));
        if due >= SYSTEM_WAIT_MIN {
            // Rounded down: the rest is napped.
            return self.sources.wait(Duration::from_millis(due.as_millis() as u64), ready);
        }
        self.sources.wait(Duration::ZERO, ready)?;
        if ready.is_empty() && !due.is_zero() {
            thread::sleep(due.min(NAP));
        }
        Ok(())
    }

    fn receive(&mut self, source: SocketPurpose) {
        let now = self.now();
        let Relay { sources, datagrams, streams, network, next_id, listen, .. } = self;
        let mut next_id = || {
            *next_id += 1;
            PeerId(*next_id)
        };
        match source {
            SocketPurpose::Listener => streams.accept(now, &mut next_id, sources),
            SocketPurpose::Lane(lane) => {
                let mut port_of = |client| streams.port_of(client);
                let mut peers = NewPeers { next_id: &mut next_id, port_of: &mut port_of };
                datagrams.receive_from_clients(lane, network, now, &mut peers);
            }
            SocketPurpose::Upstream(client, binding) => datagrams.receive_from_server(client, binding, network, now),
            SocketPurpose::Stream(stream, end) => {
                let mut lane_to = |port| datagrams.lane_to(listen.ip(), port, sources).unwrap_or(port);
                streams.ready((stream, end), now, network, &mut lane_to);
            }
        }
    }

    fn deliver(&mut self) {
        let now = self.now();
        while let Some(Delivery { peer, direction, binding, payload, .. }) = self.network.poll(now) {
            match (payload, direction) {
                (Relayed::Datagram(bytes), Direction::Up) => {
                    self.datagrams.deliver_to_server(peer, binding, &bytes, &mut self.sources);
                }
                (Relayed::Datagram(bytes), Direction::Down) => self.datagrams.deliver_to_client(peer, &bytes),
                (piece, direction) => {
                    let Relay { sources, datagrams, streams, network, listen, .. } = self;
                    let mut lane_to = |port| datagrams.lane_to(listen.ip(), port, sources).unwrap_or(port);
                    streams.deliver((peer, direction), piece, now, (network, &mut lane_to));
                }
            }
        }
        self.streams.remove_ended(&mut self.network, &mut self.sources);
    }

    fn tidy(&mut self) {
        let now = self.now();
        if now.saturating_sub(self.last_tidied) >= TIDY_EVERY {
            self.last_tidied = now;
            self.datagrams.forget_idle(now, &mut self.network, &mut self.sources);
        }
    }
}
