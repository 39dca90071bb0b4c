//! The thin shell around [`Core`]: real sockets, real threads and a real clock.
//!
//! A node is some shards, each a thread with sockets of its own. Start reading at [`Node::run`], then at `shard.rs`.

mod bind;
mod clock;
mod links;
mod readiness;
mod rings;
mod senders;
mod shard;
mod streams;

use std::{
    collections::BTreeMap,
    net::{IpAddr, SocketAddr, TcpListener, UdpSocket},
    ops::RangeInclusive,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
        mpsc::Receiver,
    },
    thread,
    time::Duration,
};

use anyhow::Context;
use protocol::{Dialect, StreamUse, Time};

pub use rings::WakeHandle;
pub use streams::STREAMS_MAX;

use self::{clock::Clock, links::LinkSenders, shard::Shard};
use crate::{
    archive::Archive,
    core::{Core, NotRestored, Order, Restored, Settings, ShardId, SharedDirectory},
    edge::Arrivals,
    free_port::open_at,
    heartbeats::{Heartbeats, Pulse},
    own_networks,
    recordings::Recordings,
    saves::Saves,
    startup_error::StartupError,
};

/// How soon a node notices that it is to stop.
const STOP_WITHIN: Duration = Duration::from_millis(20);

/// Where a node is to be found.
#[derive(Clone, Debug)]
pub struct Doors {
    /// The address that everything is bound to.
    pub bind: IpAddr,
    /// The port of each dialect's door; those that are not named stay closed. 0 takes any free port.
    pub ports: BTreeMap<Dialect, u16>,
}

/// A node with open doors.
pub struct Node {
    shards: Vec<Shard>,
    pulse: Pulse,
    wake_handles: Vec<WakeHandle>,
    ports: BTreeMap<Dialect, u16>,
}

impl Node {
    /// Opens every door for this many shards, at most [`ShardId::COUNT_MAX`]. An error names the door and the port.
    pub fn open(doors: &Doors, settings: &Settings, shards: usize) -> anyhow::Result<Node> {
        Node::open_with(doors, settings, shards, Clock::start())
    }

    /// As [`Node::open`], with a clock that goes on after a time, as lobbies must that were saved then.
    pub fn open_after(doors: &Doors, settings: &Settings, shards: usize, time: Time) -> anyhow::Result<Node> {
        Node::open_with(doors, settings, shards, Clock::start_after(time))
    }

    fn open_with(doors: &Doors, settings: &Settings, shards: usize, clock: Clock) -> anyhow::Result<Node> {
        if bind::is_broadcast(doors.bind) {
            return Err(StartupError::broadcast(doors.bind).into());
        }
        let shards = shards.clamp(1, ShardId::COUNT_MAX);
        let directory = SharedDirectory::new(settings, shards);
        let threads = "a shard cannot be made";
        let rings = rings::between(shards).context(threads)?;
        let wake_handles = rings.iter().map(|(rings, _)| rings.own_wake_handle()).collect();
        let mut opened = Vec::new();
        let own_networks = Arc::new(own_networks::current(&settings.own_networks, doors.bind));
        for end in rings {
            let mut core = Core::shard(clock.now(), settings.clone(), end.0.shard(), directory.clone());
            core.order(clock.now(), Order::OwnNetworks(Arc::clone(&own_networks)));
            opened.push(Shard::new(core, doors.bind, clock, end).context(threads)?);
        }
        let pulse = pulse(directory.heartbeats().clone(), clock);
        let mut node = Node { shards: opened, pulse, wake_handles, ports: BTreeMap::new() };
        for (&dialect, &port) in &doors.ports {
            let port = node.open_door(doors.bind, dialect, port)?;
            node.ports.insert(dialect, port);
            if matches!(dialect.entry().stream, StreamUse::Desk(_)) {
                find_lobby_port(doors.bind, &settings.lobby_ports)?;
            }
        }
        Ok(node)
    }

    /// By what threads that carry links say that they run.
    pub(crate) fn pulse(&self) -> Pulse {
        Arc::clone(&self.pulse)
    }

    /// The port at which each dialect is found, which matters where any free one was asked for.
    pub fn ports(&self) -> &BTreeMap<Dialect, u16> {
        &self.ports
    }

    /// What wakes each shard, in order.
    pub fn wake_handles(&self) -> &[WakeHandle] {
        &self.wake_handles
    }

    /// How many TCP connections there may be at the doors from now on. The first shard has them all.
    pub fn limit_streams(&mut self, open_max: usize) {
        self.shards.iter_mut().for_each(|shard| shard.limit_streams(open_max));
    }

    /// Keeps what became of games from now on.
    pub fn keep_records(&mut self, archive: &Archive) {
        self.shards.iter_mut().for_each(|shard| shard.keep_records(archive.clone()));
    }

    /// Saves lobbies from now on.
    pub fn keep_saves(&mut self, saves: &Saves) {
        self.shards.iter_mut().for_each(|shard| shard.keep_saves(saves.clone()));
    }

    /// Records games from now on.
    pub fn keep_recordings(&mut self, recordings: &Recordings) {
        self.shards.iter_mut().for_each(|shard| shard.keep_recordings(recordings.clone()));
    }

    /// Restores lobbies that an earlier process saved, some at each shard. What became of each.
    pub fn restore(&mut self, lobbies: &[Vec<u8>]) -> Vec<Result<Restored, NotRestored>> {
        let count = self.shards.len();
        lobbies.iter().enumerate().map(|(index, lobby)| self.shards[index % count].restore(lobby)).collect()
    }

    /// Serves those who come over links, too: some of them at each shard.
    pub fn take_links(&mut self, arrivals: Vec<Arrivals>) {
        let senders = LinkSenders::default();
        for (shard, arrivals) in self.shards.iter_mut().zip(arrivals) {
            shard.take_links(arrivals, senders.clone());
        }
    }

    /// Obeys orders from now on, one line for each shard.
    pub fn take_orders(&mut self, lines: Vec<Receiver<Order>>) {
        for (shard, line) in self.shards.iter_mut().zip(lines) {
            shard.take_orders(line);
        }
    }

    /// Serves until `stop` is set, calling `look` for each shard each time before it rests.
    pub fn run(&mut self, stop: &AtomicBool, look: impl Fn(ShardId, &Core) + Sync) {
        let ends = AtomicBool::new(false);
        thread::scope(|scope| {
            let look = &look;
            let ends = &ends;
            let mut threads = Vec::new();
            for shard in &mut self.shards {
                let name = format!("shard {}", shard.id().0);
                threads.push(thread::Builder::new().name(name).spawn_scoped(scope, move || shard.run(ends, look)));
            }
            let all_run = || threads.iter().all(|thread| thread.as_ref().is_ok_and(|thread| !thread.is_finished()));
            while !stop.load(Ordering::Relaxed) && all_run() {
                thread::sleep(STOP_WITHIN);
            }
            if !stop.load(Ordering::Relaxed) {
                tracing::error!("a shard has failed; the node ends");
            }
            ends.store(true, Ordering::Relaxed);
            self.wake_handles.iter().for_each(WakeHandle::wake);
        });
    }

    /// A UDP socket for each shard, a TCP listener at the first, or both on the same port, as the dialect needs. Returns
    /// the port.
    fn open_door(&mut self, address: IpAddr, dialect: Dialect, port: u16) -> anyhow::Result<u16> {
        let name = dialect.name();
        let stream = dialect.entry().stream;
        anyhow::ensure!(!matches!(stream, StreamUse::Link(_)), "{name} has no door of bare sockets");
        let fail = |transport| move |error| StartupError::door(name, transport, SocketAddr::new(address, port), &error);
        let shards = self.shards.len();
        let (listener, sockets) = open_at(port, || -> anyhow::Result<_> {
            let has_listener = !matches!(stream, StreamUse::None);
            let listener = has_listener.then(|| bind::listen(address, port)).transpose().map_err(fail("TCP"))?;
            let port = listener.as_ref().map_or(Ok(port), |listener| listener.local_addr().map(|at| at.port()))?;
            let has_sockets = !matches!(stream, StreamUse::Desk(_));
            let sockets = has_sockets.then(|| bind::bind_for_all(address, port, shards)).transpose();
            Ok((listener, sockets.map_err(fail("UDP"))?.unwrap_or_default()))
        })?;
        let found = listener.as_ref().map(TcpListener::local_addr).or(sockets.first().map(UdpSocket::local_addr));
        if let (Some(listener), Some(first)) = (listener, self.shards.first_mut()) {
            first.add_listener(dialect, listener)?;
        }
        for (shard, socket) in self.shards.iter_mut().zip(sockets) {
            shard.add_door(dialect, socket)?;
        }
        Ok(found.context("a door has a socket")??.port())
    }
}

fn pulse(heartbeats: Heartbeats, clock: Clock) -> Pulse {
    Arc::new(move || {
        let heartbeat = heartbeats.edge_thread();
        Box::new(move |is_asleep| heartbeat.beat(clock.now(), is_asleep))
    })
}

/// Whether a lobby of a desk could open at all. Ports that are taken are left out when lobbies open; if all are, nobody
/// who comes to that door could ever play.
fn find_lobby_port(address: IpAddr, ports: &RangeInclusive<u16>) -> Result<(), StartupError> {
    let mut failed = None;
    for port in ports.clone() {
        match bind::bind(address, port) {
            Ok(_) => return Ok(()),
            Err(error) => failed = Some(error),
        }
    }
    failed.map_or(Ok(()), |error| Err(StartupError::lobby_ports(ports, &error)))
}
