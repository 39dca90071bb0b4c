//! A whole node without sockets, and whatever comes: datagrams, streams, links, ICMP, orders, time and its own death, in the
//! order that chance says. The test of `main.rs` throws dice; the fuzzer's target `node_core` lets libFuzzer choose.

use std::{
    collections::{BTreeMap, VecDeque},
    net::SocketAddr,
    sync::Arc,
    time::Duration,
};

use game::Seat;
use protocol::{Dialect, LobbyId, Output, Plan, Time};
use server::core::{
    Bans, Core, Effect, Endpoint, Order, Parcel, PeerKey, Range, ShardId, SharedDirectory, StreamId, UnreachableHint,
};

use super::settings::{START, settings};

const SHARDS: u8 = 2;
const LOBBIES_MAX: usize = 4;
/// How much of what the node said is kept to be said again.
const WORDS_MAX: usize = 200;
/// Links have numbers of their own.
const FIRST_LINK: u64 = 1 << 48;

/// Where choices come from.
pub trait Chance {
    /// A number below this one, which is not 0.
    fn below(&mut self, limit: u32) -> u32;

    /// Whether there is nothing more to choose from.
    fn is_over(&self) -> bool;
}

/// A node, and what was done to it.
pub struct Attempt<C> {
    chance: C,
    shards: Vec<Core>,
    now: Time,
    /// Streams and links that are open.
    streams: Vec<StreamId>,
    links: Vec<StreamId>,
    next: u64,
    /// What clients of each dialect say first, and some of what the node said: good material for what is nearly right.
    words: Vec<Vec<u8>>,
    /// Ports of lobbies, and the shard that listens there.
    ports: BTreeMap<u16, usize>,
    parcels: VecDeque<(ShardId, Parcel)>,
    saves: BTreeMap<LobbyId, Vec<u8>>,
}

impl<C: Chance> Attempt<C> {
    pub fn new(seed: u64, chance: C) -> Attempt<C> {
        Attempt {
            chance,
            shards: shards(START, seed),
            now: START,
            streams: Vec::new(),
            links: Vec::new(),
            next: 0,
            words: Dialect::ALL.into_iter().flat_map(first_words).collect(),
            ports: BTreeMap::new(),
            parcels: VecDeque::new(),
            saves: BTreeMap::new(),
        }
    }

    /// Does this many things, or as many as chance has left.
    pub fn run(&mut self, deeds: usize) {
        for _ in 0..deeds {
            if self.chance.is_over() {
                break;
            }
            self.deed();
        }
    }

    fn deed(&mut self) {
        let bytes = self.bytes();
        match self.chance.below(26) {
            0..8 => {
                let peer = self.peer();
                let shard = self.shard_of(&peer);
                self.act(shard, |core, now| core.datagram(now, peer, &bytes));
            }
            8 | 9 => self.open_stream(),
            10..13 => {
                if let Some(stream) = self.pick(false) {
                    self.act(0, |core, now| core.stream_bytes(now, stream, &bytes));
                }
            }
            13 => {
                if let Some(stream) = self.pick(false) {
                    self.hang_up(stream);
                }
            }
            14 => self.open_link(),
            15..18 => {
                if let Some(link) = self.pick(true) {
                    self.act(home(link), |core, now| core.link_bytes(now, link, &bytes));
                }
            }
            18 => {
                if let Some(link) = self.pick(true) {
                    self.hang_up(link);
                }
            }
            19 => {
                let peer = self.peer();
                let shard = self.shard_of(&peer);
                self.act(shard, |core, now| core.unreachable(now, peer, UnreachableHint::new(Some(peer.ip()), &bytes)));
            }
            20 => self.order(),
            21 if self.chance.below(16) == 0 => self.restart(),
            _ => self.pass(),
        }
    }

    /// Lets everybody go, and asserts that no lobby broke and that nothing is left behind.
    pub fn assert_all_can_end(&mut self, what: &str) {
        while let Some(link) = self.links.first().copied() {
            self.hang_up(link);
        }
        for shard in 0..self.shards.len() {
            self.act(shard, |core, now| core.order(now, Order::CloseAll));
        }
        for _ in 0..200 {
            self.now = self.now + Duration::from_secs(1);
            self.advance();
        }
        self.assert_is_well(what);
        for core in &self.shards {
            let left: Vec<_> = core.table_sizes().into_iter().filter(|(_, size)| *size > 0).collect();
            assert!(left.is_empty() && core.lobbies().is_empty(), "{what}: {left:?}");
        }
    }

    /// Asserts that no lobby broke.
    pub fn assert_is_well(&self, what: &str) {
        assert!(self.shards.iter().all(|core| core.counters().lobbies_broken == 0), "{what}");
    }

    fn peer(&mut self) -> PeerKey {
        let dialect = Dialect::ALL[self.chance.below(Dialect::ALL.len() as u32) as usize];
        let (host, port) = (self.chance.below(4) as u8, 1_000 + self.chance.below(8) as u16);
        let address = match self.chance.below(8) {
            0 => SocketAddr::from(([203, 0, 113, host], port)),
            1 => SocketAddr::from(([10, 0, 0, host], port)),
            _ => SocketAddr::from(([127, 0, 0, 1], port)),
        };
        let endpoint = match self.chance.below(6) {
            // tidy: allow(ports) nothing is opened there
            0 => Endpoint::Lobby(Dialect::Rfc2020, 24_500 + self.chance.below(4) as u16),
            1 => self.links.first().map_or(Endpoint::Door(dialect), |link| Endpoint::Link(Dialect::Volley, *link)),
            _ => Endpoint::Door(dialect),
        };
        PeerKey { is_neighbour: self.chance.below(4) > 0, ..PeerKey::new(endpoint, address) }
    }

    /// Something that was said before, perhaps changed, or noise.
    fn bytes(&mut self) -> Vec<u8> {
        if self.chance.below(4) == 0 {
            let length = self.chance.below(80);
            return (0..length).map(|_| self.chance.below(256) as u8).collect();
        }
        let which = self.chance.below(self.words.len() as u32) as usize;
        let mut bytes = self.words[which].clone();
        match self.chance.below(4) {
            0 if !bytes.is_empty() => {
                let at = self.chance.below(bytes.len() as u32) as usize;
                bytes[at] ^= 1 << self.chance.below(8);
            }
            1 => bytes.truncate(self.chance.below(bytes.len() as u32 + 1) as usize),
            2 => bytes.push(self.chance.below(256) as u8),
            _ => {}
        }
        bytes
    }

    fn pick(&mut self, from_links: bool) -> Option<StreamId> {
        let open = if from_links { &self.links } else { &self.streams };
        let index = (!open.is_empty()).then(|| self.chance.below(open.len() as u32) as usize)?;
        open.get(index).copied()
    }

    /// The shard at which a peer's datagrams arrive.
    fn shard_of(&self, peer: &PeerKey) -> usize {
        match peer.endpoint {
            Endpoint::Door(_) => usize::from(peer.address.port()) % usize::from(SHARDS),
            Endpoint::Lobby(_, port) => self.ports.get(&port).copied().unwrap_or(0),
            Endpoint::Link(_, link) => home(link),
        }
    }

    fn open_stream(&mut self) {
        let (id, peer) = (StreamId(self.next), self.peer());
        self.next += 1;
        self.streams.push(id);
        let peer = PeerKey::at_door(peer.dialect(), peer.address);
        self.act(0, |core, now| core.stream_opened(now, peer, id));
    }

    fn open_link(&mut self) {
        let (id, peer) = (StreamId(FIRST_LINK | self.next), self.peer());
        self.next += 1;
        self.links.push(id);
        self.act(home(id), |core, now| core.link_opened(now, PeerKey::at_link(Dialect::Volley, id, peer.address), id));
    }

    fn hang_up(&mut self, stream: StreamId) {
        if let Some(shard) = self.close(stream) {
            self.settle(shard);
        }
    }

    fn order(&mut self) {
        let shard = self.chance.below(SHARDS.into()) as usize;
        let lobby = self.shards[shard].lobbies().first().and_then(|lobby| LobbyId::new(&lobby.id).ok());
        let order = match (self.chance.below(8), lobby) {
            (0, _) => {
                let range: Range = "203.0.113.0/30".parse().expect("a range");
                Order::Ban(Arc::new(Bans::new(&[range])))
            }
            (1, _) => Order::Ban(Arc::default()),
            (2, Some(lobby)) => Order::CloseLobby(lobby),
            (_, Some(lobby)) => Order::Kick { lobby, seat: Seat::ALL[self.chance.below(4) as usize] },
            (_, None) => return,
        };
        self.act(shard, |core, now| core.order(now, order));
    }

    fn pass(&mut self) {
        let ms = [1, 16, 16, 16, 250, 1_000, 12_000][self.chance.below(7) as usize];
        self.now = self.now + Duration::from_millis(ms);
        self.advance();
    }

    /// The node is killed, and another process goes on with what was saved, one byte of which may be damaged.
    fn restart(&mut self) {
        self.assert_is_well("before it was killed");
        self.now = self.now + Duration::from_millis(u64::from(self.chance.below(4_000)));
        (self.streams, self.links, self.ports, self.parcels) = Default::default();
        self.shards = shards(self.now, self.next);
        for (number, (_, mut save)) in std::mem::take(&mut self.saves).into_iter().enumerate() {
            if self.chance.below(8) == 0 && !save.is_empty() {
                let at = self.chance.below(save.len() as u32) as usize;
                save[at] ^= 1 << self.chance.below(8);
            }
            // What cannot be restored is refused.
            self.act(number % usize::from(SHARDS), |core, now| _ = core.restore(now, &save));
        }
    }

    fn advance(&mut self) {
        (0..self.shards.len()).for_each(|shard| self.act(shard, Core::advance));
    }

    /// Does something to a shard, and then what the shards want done.
    fn act(&mut self, shard: usize, act: impl FnOnce(&mut Core, Time)) {
        act(&mut self.shards[shard], self.now);
        self.settle(shard);
    }

    /// Does what a shard wants done, and then those that it has reached by that.
    fn settle(&mut self, shard: usize) {
        let mut touched = vec![shard];
        while let Some(shard) = touched.pop() {
            let closed = self.perform(shard);
            while let Some((to, parcel)) = self.parcels.pop_front() {
                self.shards[to.index()].parcel(self.now, parcel);
                touched.push(to.index());
            }
            touched.extend(closed.into_iter().filter_map(|stream| self.close(stream)));
        }
    }

    /// Tells the node that a stream or a link is gone: the shard that was told, if it was open.
    fn close(&mut self, stream: StreamId) -> Option<usize> {
        if self.links.contains(&stream) {
            self.links.retain(|other| *other != stream);
            self.shards[home(stream)].link_closed(self.now, stream);
            return Some(home(stream));
        }
        let was_open = self.streams.contains(&stream);
        self.streams.retain(|other| *other != stream);
        was_open.then(|| self.shards[0].stream_closed(self.now, stream)).map(|()| 0)
    }

    /// The streams and links that are to be closed.
    fn perform(&mut self, shard: usize) -> Vec<StreamId> {
        let mut closed = Vec::new();
        while let Some(effect) = self.shards[shard].poll() {
            match effect {
                Effect::SendDatagram { bytes, .. } | Effect::SendStream { bytes, .. }
                    if self.words.len() < WORDS_MAX =>
                {
                    self.words.push(bytes.to_vec());
                }
                Effect::OpenPort { port, .. } => {
                    // Some ports are taken by others.
                    let is_open = !port.is_multiple_of(5);
                    if is_open {
                        self.ports.insert(port, shard);
                    }
                    self.shards[shard].port_opened(self.now, port, is_open);
                }
                Effect::ClosePort(port) => _ = self.ports.remove(&port),
                Effect::CloseStream(stream) => closed.push(stream),
                Effect::HandOver { to, parcel } => self.parcels.push_back((to, parcel)),
                Effect::Save(lobby, Some(bytes)) => _ = self.saves.insert(lobby, bytes),
                Effect::Save(lobby, None) => _ = self.saves.remove(&lobby),
                _ => {}
            }
        }
        closed
    }
}

/// The shard that a link came to.
fn home(link: StreamId) -> usize {
    (link.0 % u64::from(SHARDS)) as usize
}

fn shards(now: Time, seed: u64) -> Vec<Core> {
    let settings = settings(seed, LOBBIES_MAX);
    let directory = SharedDirectory::new(&settings, SHARDS.into());
    let shard = |number| {
        let mut core = Core::shard(now, settings.clone(), ShardId(number), directory.clone());
        core.keep_saves();
        core
    };
    (0..SHARDS).map(shard).collect()
}

fn first_words(dialect: Dialect) -> Vec<Vec<u8>> {
    let mut session = dialect.connect(Plan { name: "Ann".into(), ..Plan::at(START) });
    let (mut words, mut buffer) = (Vec::new(), Vec::new());
    session.advance(START);
    while let Some(output) = session.poll(START, &mut buffer) {
        if let Output::Datagram | Output::Stream = output {
            words.push(buffer.clone());
        }
    }
    words
}
