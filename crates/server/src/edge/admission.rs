//! Admission of links: how many there may be, and how what their peers say reaches the shards.

use std::{
    net::{IpAddr, SocketAddr},
    sync::{
        Arc, Mutex, MutexGuard, OnceLock, PoisonError,
        atomic::{AtomicU64, Ordering},
    },
    thread,
    time::{Duration, Instant},
};

use protocol::{Dialect, Time, amplification::is_local};
use tokio::sync::mpsc;

use super::{
    links::{Arrivals, EdgeLink, LinkEvent},
    mailbox::WakeQueue,
    memory::{HandshakeMemory, LinkMemory, MEMORY_DEFAULT_BYTES},
    origin::AllowedOrigins,
};
use crate::{
    address_group::AddressCounts,
    core::StreamId,
    heartbeats::Pulse,
    limits::Limits,
    order_sender::ShardWaker,
    router::{Rate, RatedSender, Rates},
};

/// Ids of links begin here, above those of streams.
const FIRST_ID: u64 = 1 << 48;
/// How often it is looked whether all links are closed.
const CLOSED_LOOK: Duration = Duration::from_millis(2);
/// Links at once, in all, if the system allows enough open files.
pub const LINKS_MAX: usize = 16_384;
/// Of all links, one address has no more than this part, and a local one, where a proxy may run, no more than that: nobody
/// keeps everybody else out.
const SHARE: (usize, usize) = (1, 4);
const LOCAL_SHARE: (usize, usize) = (3, 4);
/// Links at once from one address, enough for a school or an office behind one router, and from one network. For local
/// addresses only the part counts.
const LINKS_PER_ADDRESS_MAX: usize = 256;
const LINKS_PER_NETWORK_MAX: usize = 4 * LINKS_PER_ADDRESS_MAX;
/// Arrivals that wait for one shard.
const ARRIVALS_MAX: usize = 16_384;

/// Which links may be opened, and how many.
#[derive(Clone, Debug)]
pub struct LinkRules {
    /// The pages that may open one.
    pub origins: AllowedOrigins,
    /// How many there may be at once.
    pub links_max: usize,
    /// What they may keep in memory together.
    pub memory_bytes: usize,
    /// How many messages the peer of one may send in a second.
    pub messages_per_second: u32,
    /// How many one address may open in a second, after four times as many at once.
    pub sessions_per_second: u32,
    /// Whether that is limited for loopback too.
    pub limit_loopback: bool,
}

/// Why a peer gets no link.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum NoLink {
    /// There are too many, in all or of its address.
    Full,
    /// Its address has just opened too many.
    TooFast,
}

/// What carries a link.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum LinkTransport {
    WebSocket,
    WebTransport,
}

impl LinkTransport {
    /// What one connection can make the node keep, besides its mailbox's stream: buffers to read and write, and what QUIC
    /// allows to be under way.
    fn memory_bytes(self) -> usize {
        match self {
            LinkTransport::WebSocket => 40 << 10,
            LinkTransport::WebTransport => 128 << 10,
        }
    }
}

impl Default for LinkRules {
    fn default() -> LinkRules {
        LinkRules {
            origins: AllowedOrigins::default(),
            links_max: LINKS_MAX,
            memory_bytes: MEMORY_DEFAULT_BYTES,
            messages_per_second: Limits::default().datagrams_per_player,
            sessions_per_second: Limits::default().sessions_per_address,
            limit_loopback: false,
        }
    }
}

impl LinkRules {
    /// How many links one address may have.
    fn share(&self, ip: IpAddr) -> usize {
        let share = part(self.links_max, ip);
        if is_local(ip) { share } else { share.min(LINKS_PER_ADDRESS_MAX) }
    }

    /// How many links one network may have.
    fn network_share(&self, ip: IpAddr) -> usize {
        if is_local(ip) {
            self.links_max
        } else {
            part(self.links_max, ip).max(self.share(ip)).min(LINKS_PER_NETWORK_MAX)
        }
    }
}

/// The part of something that one address may have.
fn part(whole: usize, ip: IpAddr) -> usize {
    let (count, of) = if is_local(ip) { LOCAL_SHARE } else { SHARE };
    (whole / of * count).max(1)
}

/// The open links of each address and each network.
struct OpenLinks {
    counts: AddressCounts,
    by_network: AddressCounts,
}

impl Default for OpenLinks {
    fn default() -> OpenLinks {
        OpenLinks { counts: AddressCounts::default(), by_network: AddressCounts::by_network() }
    }
}

/// Admits the links of one thread of the edge. Clones are for the same thread.
#[derive(Clone)]
pub struct Admission {
    shared: Arc<Shared>,
    wake_queue: Arc<WakeQueue>,
}

struct Shared {
    dialect: Dialect,
    rules: LinkRules,
    shards: Vec<ShardInput>,
    next: AtomicU64,
    open: Mutex<OpenLinks>,
    memory: Arc<LinkMemory>,
    /// How many sessions each address has opened lately, by a clock of its own.
    rates: Rates,
    started: Instant,
    lost: AtomicU64,
    refused: AtomicU64,
    floods: AtomicU64,
    pulse: OnceLock<Pulse>,
}

/// Where a shard takes arrivals from.
struct ShardInput {
    arrivals: mpsc::Sender<LinkEvent>,
    /// Called after each arrival: the shard may be asleep.
    wake: ShardWaker,
}

impl Admission {
    /// Admits players of this dialect. Also returns what each shard takes arrivals from; its waker is called when
    /// something has arrived for it.
    pub fn new(dialect: Dialect, rules: LinkRules, wakers: &[ShardWaker]) -> (Admission, Vec<Arrivals>) {
        let (shards, arrivals) = wakers.iter().map(shard_input).unzip();
        let shared = Shared {
            dialect,
            memory: Arc::new(LinkMemory::new(rules.memory_bytes)),
            rates: Rates::new(
                Limits { sessions_per_address: rules.sessions_per_second, ..Limits::default() },
                rules.limit_loopback,
            ),
            started: Instant::now(),
            rules,
            shards,
            next: AtomicU64::new(FIRST_ID),
            open: Mutex::default(),
            lost: AtomicU64::new(0),
            refused: AtomicU64::new(0),
            floods: AtomicU64::new(0),
            pulse: OnceLock::new(),
        };
        (Admission { shared: Arc::new(shared), wake_queue: Arc::default() }, arrivals)
    }

    /// From now on threads that carry links say that they run (ruling C15).
    pub(crate) fn keep_heartbeats(&self, pulse: Pulse) {
        // It is said once.
        let _ = self.shared.pulse.set(pulse);
    }

    /// The same admission, for another thread.
    pub fn for_another_thread(&self) -> Admission {
        Admission { shared: Arc::clone(&self.shared), wake_queue: Arc::default() }
    }

    /// The links of this thread.
    pub fn links(&self) -> usize {
        self.wake_queue.mailboxes()
    }

    /// Messages of peers that were lost because the node was too busy.
    pub fn lost(&self) -> u64 {
        self.shared.lost.load(Ordering::Relaxed)
    }

    /// Links that were refused because there were too many.
    pub fn refused(&self) -> u64 {
        self.shared.refused.load(Ordering::Relaxed)
    }

    /// How often a link was paused because its peer sent too much.
    pub fn floods(&self) -> u64 {
        self.shared.floods.load(Ordering::Relaxed)
    }

    /// What all links keep in memory now, or may make the node keep.
    pub fn memory_bytes(&self) -> usize {
        self.shared.memory.used_bytes()
    }

    pub(super) fn memory(&self) -> Arc<LinkMemory> {
        Arc::clone(&self.shared.memory)
    }

    /// Which pages may open a link.
    pub(super) fn origins(&self) -> &AllowedOrigins {
        &self.shared.rules.origins
    }

    /// Keeps memory for a handshake over QUIC, if there is any.
    pub(super) fn memory_for_handshake(&self) -> Option<HandshakeMemory> {
        self.shared.memory.take_for_handshake(LinkTransport::WebTransport.memory_bytes())
    }

    /// Keeps room for a peer that is about to have a link, if there is any.
    pub(super) fn reserve(&self, from: SocketAddr, transport: LinkTransport) -> Result<LinkSlot, NoLink> {
        let now = Time::from_micros(self.shared.started.elapsed().as_micros() as u64);
        let is_slow = self.shared.rates.admit(now, RatedSender::Connected(from.ip()), Rate::Sessions, 1);
        let slot = match is_slow {
            true => LinkSlot::take(self, from, transport.memory_bytes()).ok_or(NoLink::Full),
            false => Err(NoLink::TooFast),
        };
        if slot.is_err() {
            self.note_refused();
        }
        slot
    }

    /// Waits until all links are closed, because then their last words have left; not longer than that. Whether they are.
    pub fn wait_until_closed(&self, patience: Duration) -> bool {
        let deadline = Instant::now() + patience;
        while self.open().counts.total() > 0 {
            if Instant::now() >= deadline {
                return false;
            }
            thread::sleep(CLOSED_LOOK);
        }
        true
    }

    pub(super) fn note_refused(&self) {
        self.shared.refused.fetch_add(1, Ordering::Relaxed);
    }

    /// How many messages a peer may send in a second.
    pub(super) fn messages_per_second(&self) -> u32 {
        self.shared.rules.messages_per_second
    }

    pub(super) fn dialect(&self) -> Dialect {
        self.shared.dialect
    }

    pub(super) fn wake_queue(&self) -> Arc<WakeQueue> {
        Arc::clone(&self.wake_queue)
    }

    pub(super) fn note_flood(&self) {
        self.shared.floods.fetch_add(1, Ordering::Relaxed);
    }

    /// Tells the shard of a link. Waits while that shard is too busy.
    pub(super) async fn tell(&self, link: StreamId, event: LinkEvent) {
        let Some(shard) = self.shard_of(link) else { return };
        // The node has ended: then so does the process.
        let _ = shard.arrivals.send(event).await;
        (shard.wake)();
    }

    /// Tells the shard of a link. False: the shard is too busy, and the arrival is lost.
    pub(super) fn offer(&self, link: StreamId, event: LinkEvent) -> bool {
        let Some(shard) = self.shard_of(link) else { return false };
        let is_taken = shard.arrivals.try_send(event).is_ok();
        match is_taken {
            true => (shard.wake)(),
            false => drop(self.shared.lost.fetch_add(1, Ordering::Relaxed)),
        }
        is_taken
    }

    /// Links are given to the shards in turn.
    fn shard_of(&self, StreamId(number): StreamId) -> Option<&ShardInput> {
        let shards = &self.shared.shards;
        shards.get((number - FIRST_ID) as usize % shards.len().max(1))
    }

    fn open(&self) -> MutexGuard<'_, OpenLinks> {
        self.shared.open.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn shard_input(wake: &ShardWaker) -> (ShardInput, Arrivals) {
    let (arrivals, receiver) = mpsc::channel(ARRIVALS_MAX);
    (ShardInput { arrivals, wake: Arc::clone(wake) }, Arrivals(receiver))
}

/// The right to one link, returned when it is dropped.
pub(super) struct LinkSlot {
    admission: Admission,
    from: SocketAddr,
    /// What was set aside for it.
    memory_bytes: usize,
}

impl LinkSlot {
    /// Opens the link: the edge's end of it. No shard hears of a peer before this, so one that goes during its handshake leaves
    /// nothing behind.
    pub async fn open(self) -> EdgeLink {
        let admission = self.admission.clone();
        admission.wake_queue.start(admission.shared.pulse.get());
        let id = StreamId(admission.shared.next.fetch_add(1, Ordering::Relaxed));
        let from = self.from;
        let (edge_link, link) = EdgeLink::new(id, from, self);
        admission.tell(id, LinkEvent::Opened(link)).await;
        edge_link
    }

    fn take(admission: &Admission, from: SocketAddr, memory_bytes: usize) -> Option<LinkSlot> {
        let ip = from.ip();
        let mut open = admission.open();
        let rules = &admission.shared.rules;
        let is_within_links = open.counts.total() < rules.links_max
            && open.counts.count(ip) < rules.share(ip)
            && open.by_network.count(ip) < rules.network_share(ip);
        if !is_within_links || !admission.shared.memory.take(ip, memory_bytes) {
            return None;
        }
        open.counts.add(ip);
        open.by_network.add(ip);
        admission.wake_queue.add_mailbox();
        Some(LinkSlot { admission: admission.clone(), from, memory_bytes })
    }

    pub fn admission(&self) -> &Admission {
        &self.admission
    }
}

impl Drop for LinkSlot {
    fn drop(&mut self) {
        self.admission.wake_queue.remove_mailbox();
        let (ip, mut open) = (self.from.ip(), self.admission.open());
        open.counts.remove(ip);
        open.by_network.remove(ip);
        drop(open);
        self.admission.shared.memory.give_back(ip, self.memory_bytes);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn with_room(links_max: usize) -> (Admission, Vec<Arrivals>) {
        let rules = LinkRules { links_max, ..unhurried() };
        Admission::new(Dialect::Volley, rules, &[Arc::new(|| {})])
    }

    fn admission(shards: usize) -> (Admission, Vec<Arrivals>) {
        let wakers: Vec<ShardWaker> = (0..shards).map(|_| Arc::new(|| {}) as ShardWaker).collect();
        Admission::new(Dialect::Volley, unhurried(), &wakers)
    }

    /// Rules that let everything come at once.
    fn unhurried() -> LinkRules {
        LinkRules { sessions_per_second: 1_000_000, ..LinkRules::default() }
    }

    async fn admit(admission: &Admission, address: &str) -> Option<EdgeLink> {
        match admission.reserve(SocketAddr::new(address.parse().expect("an address"), 1), LinkTransport::WebSocket) {
            Ok(slot) => Some(slot.open().await),
            Err(_) => None,
        }
    }

    #[tokio::test]
    async fn an_address_has_its_share_and_loopback_has_all() {
        let (admission, _arrivals) = admission(1);
        let mut links = Vec::new();
        for number in 0..LINKS_PER_ADDRESS_MAX {
            links.extend(admit(&admission, &format!("2001:db8::{number:x}")).await);
            links.extend(admit(&admission, "127.0.0.1").await);
        }
        assert!(admit(&admission, "2001:db8::ffff").await.is_none() && admission.refused() == 1);
        assert!(admit(&admission, "127.0.0.1").await.is_some() && admit(&admission, "192.0.2.1").await.is_some());
        links.clear();
        assert!(admit(&admission, "2001:db8::ffff").await.is_some());
        assert_eq!((admission.open().counts.total(), admission.memory_bytes()), (0, 0));
    }

    #[tokio::test]
    async fn the_end_waits_for_links_that_are_still_open() {
        let (admission, _arrivals) = admission(1);
        assert!(admission.wait_until_closed(Duration::ZERO));
        let link = admit(&admission, "192.0.2.1").await;
        assert!(!admission.wait_until_closed(Duration::ZERO));
        let waiting = thread::spawn({
            let admission = admission.clone();
            move || admission.wait_until_closed(Duration::from_secs(600))
        });
        drop(link);
        assert!(waiting.join().expect("it ends"));
    }

    #[tokio::test]
    async fn with_little_room_no_address_not_even_a_local_one_keeps_others_out() {
        let (admission, _arrivals) = with_room(40);
        let mut links = Vec::new();
        for _ in 0..100 {
            links.extend(admit(&admission, "127.0.0.1").await);
        }
        assert_eq!(links.len(), 30);
        for _ in 0..100 {
            links.extend(admit(&admission, "192.0.2.1").await);
        }
        assert_eq!((links.len(), admission.refused()), (40, 70 + 90));
    }

    #[tokio::test]
    async fn all_links_share_one_budget_of_memory_of_which_an_address_has_its_part_and_which_returns() {
        let rules = LinkRules { memory_bytes: 8 << 20, ..unhurried() };
        let (admission, arrivals) = Admission::new(Dialect::Volley, rules, &[Arc::new(|| {})]);
        let from = |network: u8| SocketAddr::from(([192, 0, network, 1], 1));
        let mut slots = Vec::new();
        for network in 0..6 {
            let before = slots.len();
            slots.extend((0..100).filter_map(|_| admission.reserve(from(network), LinkTransport::WebTransport).ok()));
            assert_eq!(slots.len() - before, if network < 4 { 16 } else { 0 }, "2 MB in 128 KB each");
        }
        assert_eq!(admission.memory_bytes(), 8 << 20);
        assert_eq!(admission.reserve(from(9), LinkTransport::WebSocket).err(), Some(NoLink::Full));
        slots.truncate(48);
        let slot = admission.reserve(from(9), LinkTransport::WebSocket).expect("there is room again");
        let link = slot.open().await;
        let before = admission.memory_bytes();
        let Some(LinkEvent::Opened(shard_link)) = arrivals.into_iter().next().and_then(|mut arrivals| arrivals.take())
        else {
            panic!("the shard was not told")
        };
        let mut wakeups = super::super::mailbox::Wakeups::default();
        assert!(shard_link.sender().stream(&[7; 100_000], &mut wakeups));
        assert!(admission.memory_bytes() >= before + 100_000, "what waits for a peer that does not read counts");
        drop((slots, link, shard_link, wakeups));
        // The queue of those to be woken has it until its task has run.
        while admission.memory_bytes() > 0 {
            tokio::task::yield_now().await;
        }
    }

    #[tokio::test]
    async fn four_addresses_of_one_network_leave_memory_for_another() {
        let rules = LinkRules { memory_bytes: 32 << 20, ..LinkRules::default() };
        let (admission, _arrivals) = Admission::new(Dialect::Volley, rules, &[Arc::new(|| {})]);
        let from = |network: u8, address: u8| SocketAddr::from(([203, 0, network, address], 1));
        let mut slots = Vec::new();
        for address in 1..=4 {
            slots.extend(
                (0..300).filter_map(|_| admission.reserve(from(113, address), LinkTransport::WebTransport).ok()),
            );
        }
        assert_eq!(slots.len(), 128, "half of it");
        assert!(admission.reserve(from(114, 1), LinkTransport::WebTransport).is_ok());
    }

    #[tokio::test]
    async fn links_are_given_to_the_shards_in_turn() {
        let (admission, mut arrivals) = admission(3);
        let mut links = Vec::new();
        for _ in 0..6 {
            links.extend(admit(&admission, "192.0.2.1").await);
        }
        links[4].datagram(vec![7]);
        let counts: Vec<usize> =
            arrivals.iter_mut().map(|arrivals| std::iter::from_fn(|| arrivals.take()).count()).collect();
        assert_eq!(counts, [2, 3, 2]);
    }
    #[test]
    fn c13_the_links_that_an_address_opens_in_a_second_are_limited_and_those_of_loopback_if_the_host_asks() {
        for (address, limit_loopback, opened) in
            [("192.0.2.1", false, 64), ("127.0.0.1", true, 64), ("127.0.0.1", false, 1_000)]
        {
            let rules = LinkRules { limit_loopback, ..LinkRules::default() };
            let (admission, _arrivals) = Admission::new(Dialect::Volley, rules, &[Arc::new(|| {})]);
            let from = SocketAddr::new(address.parse().expect("an address"), 1);
            // Each is closed at once, so that only the rate counts.
            let refused: Vec<NoLink> =
                (0..1_000).filter_map(|_| admission.reserve(from, LinkTransport::WebSocket).err()).collect();
            // What a slow machine takes for this may earn some more.
            let at_once = 1_000 - refused.len();
            assert!((opened..=opened + 64).contains(&at_once), "{address}: {at_once}");
            assert!(refused.iter().all(|why| *why == NoLink::TooFast));
        }
    }
}
