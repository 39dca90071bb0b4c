//! One shard: a thread that rests until the next phase of a tick, hands what has arrived to its core, gives the lobbies their
//! turns, and does what the core wants done. With nothing to do it sleeps until something arrives. Start reading at
//! [`Shard::run`].

use std::{
    io,
    net::{IpAddr, SocketAddr, TcpListener, UdpSocket},
    sync::{
        atomic::{AtomicBool, Ordering},
        mpsc,
    },
    thread,
    time::{Duration, Instant},
};

use mio::{Events, Poll};
use protocol::{Dialect, Time};

use super::{
    clock::Clock,
    links::{LinkSenders, Links},
    readiness::ReadySource,
    rings::{Rings, WakeHandle},
    senders::Senders,
    streams::{Accepted, StreamRead},
};
use crate::{
    archive::Archive,
    core::{Core, Drop, Endpoint, NotRestored, Order, PeerKey, Restored, ShardId, StreamId},
    edge::{Arrivals, Link, LinkEvent},
    mmsg::{BATCH, Received, Receiver},
    recordings::Recordings,
    saves::Saves,
    unreachable::{self, Unreachable},
};

/// Datagrams taken in one round, from one socket and from all that are ready, so that a flood does not hold up the ticks, however
/// many doors and lobby ports it comes to; and batches, for some of them may be errors.
const DATAGRAMS_MAX: usize = 2048;
const DATAGRAMS_PER_ROUND: usize = 4 * DATAGRAMS_MAX;
const BATCHES_MAX: usize = 32;
/// ICMP errors taken from one socket at once: anybody can send them.
const ERRORS_MAX: usize = 256;
/// Parcels taken in one round, for the same reason.
const PARCELS_MAX: usize = 4096;
/// What is taken in from links in one round.
const ARRIVALS_MAX: usize = 4096;
/// Streams accepted in one round, and reads from streams.
const ACCEPTED_MAX: usize = 64;
const READS_MAX: usize = 256;
/// What is read from a stream at once.
const READ_BYTES: usize = 2048;
/// Sockets that can become ready between two rounds and be reported at once; others are reported in the next one.
const EVENTS_MAX: usize = 1024;
/// How soon a shard without lobbies looks at its streams again if something is left to do.
const STREAMS_LOOK: Duration = Duration::from_millis(2);

pub(super) struct Shard {
    id: ShardId,
    core: Core,
    senders: Senders,
    clock: Clock,
    receiver: Receiver,
    poll: Poll,
    events: Events,
    wake_handle: WakeHandle,
    /// Endpoints at which something may have arrived.
    ready: Vec<Endpoint>,
    /// Endpoints whose sockets may have errors to tell: of peers that are gone.
    sockets_with_errors: Vec<Endpoint>,
    arrivals: Option<Arrivals>,
    /// What the host orders.
    orders: Option<mpsc::Receiver<Order>>,
}

impl Shard {
    /// A shard at one end of the rings, which waits at that end's poll.
    pub fn new(core: Core, bind: IpAddr, clock: Clock, (rings, poll): (Rings, Poll)) -> io::Result<Shard> {
        let registry = poll.registry().try_clone()?;
        Ok(Shard {
            id: rings.shard(),
            core,
            clock,
            wake_handle: rings.own_wake_handle(),
            senders: Senders::new(bind, registry, rings),
            receiver: Receiver::default(),
            poll,
            events: Events::with_capacity(EVENTS_MAX),
            ready: Vec::new(),
            sockets_with_errors: Vec::new(),
            arrivals: None,
            orders: None,
        })
    }

    /// Takes in what comes over links from now on, and may send over those whose senders these are.
    pub fn take_links(&mut self, arrivals: Arrivals, senders: LinkSenders) {
        self.arrivals = Some(arrivals);
        self.senders.links = Links::new(senders);
    }

    pub fn id(&self) -> ShardId {
        self.id
    }

    pub fn add_door(&mut self, dialect: Dialect, socket: UdpSocket) -> io::Result<()> {
        self.senders.add_door(dialect, socket)
    }

    pub fn add_listener(&mut self, dialect: Dialect, listener: TcpListener) -> io::Result<()> {
        self.senders.add_listener(dialect, listener)
    }

    pub fn limit_streams(&mut self, open_max: usize) {
        self.senders.streams.limit(open_max);
    }

    pub fn keep_records(&mut self, archive: Archive) {
        self.senders.archive = Some(archive);
    }

    pub fn keep_saves(&mut self, saves: Saves) {
        self.senders.saves = Some((saves, self.clock));
        self.core.keep_saves();
    }

    pub fn keep_recordings(&mut self, recordings: Recordings) {
        self.core.keep_recordings(recordings.games());
        self.senders.recordings = Some(recordings);
    }

    pub fn restore(&mut self, lobby: &[u8]) -> Result<Restored, NotRestored> {
        let restored = self.core.restore(self.now(), lobby);
        self.perform();
        restored
    }

    pub fn take_orders(&mut self, orders: mpsc::Receiver<Order>) {
        self.orders = Some(orders);
    }

    /// Serves until `ends` is set and the shard is woken, calling `look` each time before it rests.
    pub fn run(&mut self, ends: &AtomicBool, look: &(impl Fn(ShardId, &Core) + Sync)) {
        while !ends.load(Ordering::Relaxed) {
            let began = Instant::now();
            self.carry_out_orders();
            self.take_in();
            self.take_turns();
            self.tend_streams();
            self.send();
            look(self.id, &self.core);
            self.core.note_busy(began.elapsed());
            self.rest(ends, look);
        }
        // What was ordered before the end is done, and its goodbyes leave.
        self.carry_out_orders();
        self.tend_streams();
        self.send();
    }

    /// Carries out what the host has ordered; whether that was anything.
    fn carry_out_orders(&mut self) -> bool {
        let mut was_ordered = false;
        while let Some(order) = self.orders.as_ref().and_then(|orders| orders.try_recv().ok()) {
            self.core.order(self.now(), order);
            self.perform();
            was_ordered = true;
        }
        was_ordered
    }

    /// Gives every lobby that is due its turn, and notes how long each took.
    fn take_turns(&mut self) {
        let now = self.now();
        self.core.begin_round(now);
        self.perform();
        let mut began = self.now();
        while let Some(turn) = self.core.take_turn(now) {
            self.perform();
            let ended = self.now();
            if turn.is_tick {
                self.core.note_tick(began.since(turn.due), ended.since(began));
            }
            began = ended;
        }
    }

    /// Does all that the core wants done.
    fn perform(&mut self) {
        while let Some(effect) = self.core.poll() {
            if let Some(result) = self.senders.perform(effect) {
                self.core.port_opened(self.clock.now(), result.port, result.is_open);
            }
        }
    }

    fn now(&self) -> Time {
        self.clock.now()
    }

    /// Rests until there is something to do, and learns what has become ready.
    fn rest(&mut self, ends: &AtomicBool, look: &(impl Fn(ShardId, &Core) + Sync)) {
        let is_done = self.senders.rings.dispatch();
        let due = self.core.begin_rest(self.clock.now());
        let watched = self.senders.watch_doors(due.is_none());
        let timeout = match due {
            Some(due) => {
                thread::sleep(due.since(self.now()));
                Some(Duration::ZERO)
            }
            None if !is_done || !self.ready.is_empty() => Some(Duration::ZERO),
            None if self.senders.streams.has_work() => Some(STREAMS_LOOK),
            None => self.prepare_to_sleep(ends, look).or_else(|| self.next_timeout()),
        };
        let polled = self.poll.poll(&mut self.events, timeout);
        if let Err(error) = watched.and(polled)
            && error.kind() != io::ErrorKind::Interrupted
        {
            tracing::error!(%error, "a shard cannot poll its sockets");
            thread::sleep(STREAMS_LOOK);
        }
        self.wake_handle.after_sleep();
        self.note_ready();
        if due.is_some() {
            self.look_at_doors();
        }
    }

    /// How long a shard without lobbies may sleep, because a stream or a desk times out.
    fn next_timeout(&self) -> Option<Duration> {
        let desk = self.core.next_timeout().map(|due| due.since(self.now()));
        let stream = self.senders.streams.next_timeout();
        desk.into_iter().chain(stream).min().map(|timeout| timeout.max(STREAMS_LOOK))
    }

    /// Takes it that something has arrived at each door. An error may have come without a sign: the next thing that was
    /// sent through the socket took it away.
    fn look_at_doors(&mut self) {
        self.sockets_with_errors.extend(self.senders.doors());
        for endpoint in self.senders.doors() {
            if !self.ready.contains(&endpoint) {
                self.ready.push(endpoint);
            }
        }
    }

    /// Prepares to sleep until something arrives. Whatever happens from now on wakes the shard, so it looks once more.
    fn prepare_to_sleep(&mut self, ends: &AtomicBool, look: &(impl Fn(ShardId, &Core) + Sync)) -> Option<Duration> {
        self.wake_handle.before_sleep();
        look(self.id, &self.core);
        let was_ordered = self.carry_out_orders();
        let has_arrivals = self.arrivals.as_ref().is_some_and(|arrivals| !arrivals.is_empty());
        let has_news = was_ordered || has_arrivals || !self.senders.rings.is_empty() || ends.load(Ordering::Relaxed);
        has_news.then_some(Duration::ZERO)
    }

    fn note_ready(&mut self) {
        for event in &self.events {
            let endpoint = match ReadySource::of(event.token()) {
                Some(ReadySource::Door(dialect)) => Some(Endpoint::Door(dialect)),
                Some(ReadySource::Lobby(port)) => self.senders.lobby_endpoint(port),
                Some(ReadySource::Listener(number)) => {
                    self.senders.streams.listener_is_ready(number);
                    None
                }
                Some(ReadySource::Stream(id)) => {
                    self.senders.streams.stream_is_ready(id);
                    None
                }
                Some(ReadySource::Waker) | None => None,
            };
            self.sockets_with_errors.extend(endpoint.filter(|_| event.is_error()));
            // Those that were not emptied in the last round are there already.
            self.ready.extend(endpoint.filter(|endpoint| !self.ready.contains(endpoint)));
        }
    }

    fn take_in(&mut self) {
        // Before datagrams: a peer that opens a session over a stream may send the first one at once.
        self.accept();
        let mut index = 0;
        let share = (DATAGRAMS_PER_ROUND / self.ready.len().max(1)).clamp(BATCH, DATAGRAMS_MAX);
        while let Some(&endpoint) = self.ready.get(index) {
            if self.drain(endpoint, share) {
                self.ready.swap_remove(index);
            } else {
                index += 1;
            }
        }
        let mut index = 0;
        while let Some(&endpoint) = self.sockets_with_errors.get(index) {
            if self.note_unreachable_peers(endpoint) {
                self.sockets_with_errors.swap_remove(index);
            } else {
                index += 1;
            }
        }
        self.take_parcels();
        self.read_streams();
        self.take_arrivals();
    }

    fn take_parcels(&mut self) {
        let now = self.now();
        for _ in 0..PARCELS_MAX {
            let Some(parcel) = self.senders.rings.take() else { return };
            self.core.parcel(now, parcel);
            self.perform();
        }
    }

    /// What came over the links whose home this is.
    fn take_arrivals(&mut self) {
        for _ in 0..ARRIVALS_MAX {
            let Some(arrival) = self.arrivals.as_mut().and_then(Arrivals::take) else { return };
            let now = self.now();
            match arrival {
                LinkEvent::Opened(link) => self.link_opened(now, link),
                LinkEvent::Datagram { link, dialect, from, bytes } => {
                    self.core.datagram(now, PeerKey::at_link(dialect, link, from), &bytes);
                }
                LinkEvent::Stream(link, bytes) => self.core.link_bytes(now, link, &bytes),
                LinkEvent::Closed(link) => {
                    self.senders.links.close(link);
                    self.core.link_closed(now, link);
                }
            }
            self.perform();
        }
    }

    fn link_opened(&mut self, now: Time, link: Link) {
        let (id, peer) = (link.id, PeerKey::at_link(link.dialect, link.id, link.from));
        self.senders.links.add(link);
        self.core.link_opened(now, peer, id);
    }

    /// Takes in what arrived at an endpoint, up to about `datagrams_max` datagrams; whether that was all.
    fn drain(&mut self, endpoint: Endpoint, datagrams_max: usize) -> bool {
        let mut taken = 0;
        let is_bound_to_all = self.senders.are_bound_to_all();
        for _ in 0..BATCHES_MAX {
            let Some(socket) = self.senders.socket(endpoint) else { return true };
            match self.receiver.receive(socket) {
                Ok(count) => {
                    let now = self.clock.now();
                    for Received { from: address, local, bytes } in self.receiver.datagrams() {
                        let is_neighbour = self.core.is_neighbour(address.ip(), local.interface);
                        let local = local.ip.filter(|_| is_bound_to_all);
                        self.core.datagram(now, PeerKey { endpoint, address, local, is_neighbour }, bytes);
                        taken += 1;
                    }
                    self.perform();
                    if count < BATCH {
                        return true;
                    }
                    if taken >= datagrams_max {
                        return false;
                    }
                }
                // An ICMP error is reported here and names nobody; the error queue does.
                Err(_) => _ = self.note_unreachable_peers(endpoint),
            }
        }
        false
    }

    /// Ruling C6: tells the core about peers at whose address nobody may be listening any more. False: there may be more errors.
    fn note_unreachable_peers(&mut self, endpoint: Endpoint) -> bool {
        for _ in 0..ERRORS_MAX {
            let Some(error) = self.senders.socket(endpoint).and_then(unreachable::next) else { return true };
            let Some(Unreachable { address, local, hint }) = error else { continue };
            let peer = self.peer(endpoint, address, local);
            self.core.unreachable(self.now(), peer, hint);
            self.perform();
        }
        false
    }

    /// A peer of which nobody says by which interface it comes.
    fn peer(&self, endpoint: Endpoint, address: SocketAddr, local: Option<IpAddr>) -> PeerKey {
        let is_neighbour = self.core.is_neighbour(address.ip(), None);
        PeerKey { endpoint, address, local: local.filter(|_| self.senders.are_bound_to_all()), is_neighbour }
    }

    fn accept(&mut self) {
        for _ in 0..ACCEPTED_MAX {
            let Some(Accepted { id, dialect, from, local }) = self.senders.accept() else { return };
            let peer = self.peer(Endpoint::Door(dialect), from, local);
            self.core.stream_opened(self.now(), peer, id);
            self.perform();
        }
    }

    fn read_streams(&mut self) {
        let mut buffer = [0; READ_BYTES];
        for _ in 0..READS_MAX {
            let Some(id) = self.senders.streams.next_ready() else { return };
            match self.senders.streams.read(id, &mut buffer) {
                Some(StreamRead::Bytes(length)) => {
                    self.core.stream_bytes(self.now(), id, &buffer[..length]);
                }
                Some(StreamRead::End) => self.stream_ended(id),
                Some(StreamRead::Gone) => self.core.stream_closed(self.now(), id),
                None => {}
            }
            self.perform();
        }
    }

    fn stream_ended(&mut self, id: StreamId) {
        if !self.core.stream_ended(id) && self.senders.streams.close_if_idle(id) {
            self.core.stream_closed(self.now(), id);
        }
    }

    fn tend_streams(&mut self) {
        while let Some((over, dialect)) = self.senders.streams.evicted() {
            self.core.note_lost(dialect, Drop::CrowdedOut, 1);
            self.core.stream_closed(self.now(), over);
            self.perform();
        }
        while let Some(over) = self.senders.streams.close_next() {
            self.core.stream_closed(self.now(), over);
            self.perform();
        }
    }

    fn send(&mut self) {
        self.senders.flush();
        for (dialect, why, count) in self.senders.lost() {
            self.core.note_lost(dialect, why, count);
        }
    }
}
