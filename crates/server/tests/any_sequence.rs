//! A whole shard and whatever comes: datagrams, streams, links, ICMP, orders and time in any order, under a seed. Nothing
//! panics, nothing breaks a lobby, and once everybody is gone nothing is left behind.

mod simulated;

use std::{net::SocketAddr, sync::Arc, time::Duration};

use game::{Dice, Seat};
use protocol::{Dialect, LobbyId, Output, Plan, Time};
use server::core::{Bans, Core, Effect, Endpoint, Order, PeerKey, Range, StreamId, UnreachableHint};
use simulated::{START, settings};

/// Runs with other seeds are as good; a failure names its own.
const SEEDS: u64 = 60;
const DEEDS: usize = 1_500;

struct Attempt {
    core: Core,
    now: Time,
    dice: Dice,
    /// Streams and links that are open.
    streams: Vec<StreamId>,
    links: Vec<StreamId>,
    next: u64,
    /// What clients of each dialect say first, and some of what the node said: good material for what is nearly right.
    words: Vec<Vec<u8>>,
}

impl Attempt {
    fn new(seed: u64) -> Attempt {
        let core = Core::new(START, settings(seed, 4));
        let words = Dialect::ALL.into_iter().flat_map(first_words).collect();
        let dice = Dice::new(seed);
        Attempt { core, now: START, dice, streams: Vec::new(), links: Vec::new(), next: 0, words }
    }

    fn peer(&mut self) -> PeerKey {
        let dialect = Dialect::ALL[self.dice.below(Dialect::ALL.len() as u32) as usize];
        let (host, port) = (self.dice.below(4) as u8, 1_000 + self.dice.below(8) as u16);
        let address = match self.dice.below(8) {
            0 => SocketAddr::from(([203, 0, 113, host], port)),
            1 => SocketAddr::from(([10, 0, 0, host], port)),
            _ => SocketAddr::from(([127, 0, 0, 1], port)),
        };
        let endpoint = match self.dice.below(6) {
            // tidy: allow(ports) nothing is opened there
            0 => Endpoint::Lobby(Dialect::Rfc2020, 24_500 + self.dice.below(4) as u16),
            1 => self.links.first().map_or(Endpoint::Door(dialect), |link| Endpoint::Link(Dialect::Volley, *link)),
            _ => Endpoint::Door(dialect),
        };
        PeerKey { is_neighbour: self.dice.below(4) > 0, ..PeerKey::new(endpoint, address) }
    }

    /// Something that was said before, perhaps changed, or noise.
    fn bytes(&mut self) -> Vec<u8> {
        if self.words.is_empty() || self.dice.below(4) == 0 {
            let length = self.dice.below(80);
            return (0..length).map(|_| self.dice.below(256) as u8).collect();
        }
        let which = self.dice.below(self.words.len() as u32) as usize;
        let mut bytes = self.words[which].clone();
        match self.dice.below(4) {
            0 if !bytes.is_empty() => {
                let at = self.dice.below(bytes.len() as u32) as usize;
                bytes[at] ^= 1 << self.dice.below(8);
            }
            1 => bytes.truncate(self.dice.below(bytes.len() as u32 + 1) as usize),
            2 => bytes.push(self.dice.below(256) as u8),
            _ => {}
        }
        bytes
    }

    fn pick(&mut self, from_links: bool) -> Option<StreamId> {
        let count = if from_links { self.links.len() } else { self.streams.len() } as u32;
        let index = (count > 0).then(|| self.dice.below(count) as usize)?;
        Some(if from_links { self.links[index] } else { self.streams[index] })
    }

    fn deed(&mut self) {
        let (now, bytes) = (self.now, self.bytes());
        match self.dice.below(24) {
            0..8 => {
                let peer = self.peer();
                self.core.datagram(now, peer, &bytes);
            }
            8 | 9 => self.open_stream(),
            10..13 => {
                if let Some(stream) = self.pick(false) {
                    self.core.stream_bytes(now, stream, &bytes);
                }
            }
            13 => {
                if let Some(stream) = self.pick(false) {
                    self.streams.retain(|other| *other != stream);
                    self.core.stream_closed(now, stream);
                }
            }
            14 => self.open_link(),
            15..18 => {
                if let Some(link) = self.pick(true) {
                    self.core.link_bytes(now, link, &bytes);
                }
            }
            18 => {
                if let Some(link) = self.pick(true) {
                    self.close_link(link);
                }
            }
            19 => {
                let peer = self.peer();
                self.core.unreachable(now, peer, UnreachableHint::new(Some(peer.ip()), &bytes));
            }
            20 => self.order(),
            _ => self.pass(),
        }
        self.perform();
    }

    fn open_stream(&mut self) {
        let (id, peer) = (StreamId(self.next), self.peer());
        self.next += 1;
        self.streams.push(id);
        let peer = PeerKey::at_door(peer.dialect(), peer.address);
        self.core.stream_opened(self.now, peer, id);
    }

    fn open_link(&mut self) {
        let (id, peer) = (StreamId(1 << 48 | self.next), self.peer());
        self.next += 1;
        self.links.push(id);
        self.core.link_opened(self.now, PeerKey::at_link(Dialect::Volley, id, peer.address), id);
    }

    fn close_link(&mut self, link: StreamId) {
        self.links.retain(|other| *other != link);
        self.core.link_closed(self.now, link);
    }

    fn order(&mut self) {
        let lobby = self.core.lobbies().first().and_then(|lobby| LobbyId::new(&lobby.id).ok());
        let order = match (self.dice.below(8), lobby) {
            (0, _) => {
                let range: Range = "203.0.113.0/30".parse().expect("a range");
                Order::Ban(Arc::new(Bans::new(&[range])))
            }
            (1, _) => Order::Ban(Arc::default()),
            (2, Some(lobby)) => Order::CloseLobby(lobby),
            (_, Some(lobby)) => Order::Kick { lobby, seat: Seat::ALL[self.dice.below(4) as usize] },
            (_, None) => return,
        };
        self.core.order(self.now, order);
    }

    fn pass(&mut self) {
        let ms = [1, 16, 16, 16, 250, 1_000, 12_000][self.dice.below(7) as usize];
        self.now = self.now + Duration::from_millis(ms);
        self.core.advance(self.now);
    }

    fn perform(&mut self) {
        let (mut ports, mut closed) = (Vec::new(), Vec::new());
        while let Some(effect) = self.core.poll() {
            match effect {
                Effect::SendDatagram { bytes, .. } if self.words.len() < 200 => self.words.push(bytes.to_vec()),
                Effect::OpenPort { port, .. } => ports.push(port),
                Effect::CloseStream(stream) => closed.push(stream),
                _ => {}
            }
        }
        for stream in closed {
            self.streams.retain(|other| *other != stream);
            if self.links.contains(&stream) {
                self.close_link(stream);
            } else {
                self.core.stream_closed(self.now, stream);
            }
        }
        let had_ports = !ports.is_empty();
        for port in ports {
            self.core.port_opened(self.now, port, !port.is_multiple_of(5));
        }
        if had_ports {
            self.perform();
        }
    }
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

#[test]
fn whatever_comes_in_whatever_order_breaks_nothing_and_leaves_nothing_behind() {
    for seed in 0..SEEDS {
        let mut attempt = Attempt::new(seed);
        (0..DEEDS).for_each(|_| attempt.deed());
        assert_eq!(attempt.core.counters().lobbies_broken, 0, "seed {seed}");
        while let Some(link) = attempt.links.first().copied() {
            attempt.close_link(link);
        }
        attempt.core.order(attempt.now, Order::CloseAll);
        attempt.perform();
        for _ in 0..200 {
            attempt.now = attempt.now + Duration::from_secs(1);
            attempt.core.advance(attempt.now);
            attempt.perform();
        }
        let left: Vec<_> = attempt.core.table_sizes().into_iter().filter(|(_, size)| *size > 0).collect();
        assert!(left.is_empty() && attempt.core.lobbies().is_empty(), "seed {seed}: {left:?}");
    }
}
