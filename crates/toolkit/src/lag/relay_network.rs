//! The bad network, with a record of what it did.

use std::time::Duration;

use network::{Binding, Conditions, Counters, Delivery, Direction, Message, Network};

use super::recording::TrafficRecording;

/// Headers of IP and UDP, which a slow line carries too.
const DATAGRAM_HEADERS: usize = 28;
/// Headers of IP and TCP.
const STREAM_HEADERS: usize = 40;
/// What the relay itself may add to a delay without anybody noticing.
const PUNCTUAL: Duration = Duration::from_micros(500);

/// A client or a TCP connection. Numbers are not used again.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct PeerId(pub u32);

/// What is carried.
#[derive(Clone, Debug)]
pub enum Relayed {
    Datagram(Vec<u8>),
    /// A piece of a TCP stream.
    Piece(Vec<u8>),
    /// The end of a direction of a TCP stream.
    End,
}

/// The network between clients and the server.
pub struct RelayNetwork {
    network: Network<PeerId, Relayed>,
    recording: Option<TrafficRecording>,
    pub punctuality: Punctuality,
}

/// How late the relay itself delivers.
#[derive(Clone, Copy, Debug, Default)]
pub struct Punctuality {
    pub delivered: u64,
    pub punctual: u64,
    pub total: Duration,
    pub worst: Duration,
}

impl RelayNetwork {
    pub fn new(seed: u64, conditions: Conditions, recording: Option<TrafficRecording>) -> RelayNetwork {
        RelayNetwork { network: Network::new(seed, conditions), recording, punctuality: Punctuality::default() }
    }

    pub fn counters(&self, direction: Direction) -> &Counters {
        self.network.counters(direction)
    }

    pub fn in_flight(&self, direction: Direction) -> usize {
        self.network.in_flight(direction)
    }

    pub fn next_arrival(&self) -> Option<Duration> {
        self.network.next_arrival()
    }

    pub fn send_up(&mut self, now: Duration, peer: PeerId, relayed: Relayed) {
        let message = message(relayed);
        let (service, bytes) = (message.service, message.bytes);
        let outcome = self.network.send_up(now, peer, message);
        if let Some(recording) = &mut self.recording {
            recording.note(now, (Direction::Up, service), (peer, bytes), outcome);
        }
    }

    pub fn send_down(&mut self, now: Duration, peer: PeerId, binding: Binding, relayed: Relayed) {
        let message = message(relayed);
        let (service, bytes) = (message.service, message.bytes);
        let outcome = self.network.send_down(now, peer, binding, message);
        if let Some(recording) = &mut self.recording {
            recording.note(now, (Direction::Down, service), (peer, bytes), outcome);
        }
    }

    /// The next message that is due.
    pub fn poll(&mut self, now: Duration) -> Option<Delivery<PeerId, Relayed>> {
        let delivery = self.network.poll(now)?;
        self.punctuality.note(now.saturating_sub(delivery.at));
        Some(delivery)
    }

    pub fn forget(&mut self, peer: PeerId) {
        self.network.forget(peer);
    }

    /// Closes the recording and tells what went wrong with it.
    pub fn end_recording(&mut self) -> Option<std::io::Error> {
        self.recording.take().and_then(|recording| recording.end().err())
    }
}

impl Punctuality {
    fn note(&mut self, late: Duration) {
        self.delivered += 1;
        self.punctual += u64::from(late < PUNCTUAL);
        self.total += late;
        self.worst = self.worst.max(late);
    }
}

fn message(relayed: Relayed) -> Message<Relayed> {
    match &relayed {
        Relayed::Datagram(bytes) => Message::datagram(bytes.len() + DATAGRAM_HEADERS, relayed),
        Relayed::Piece(bytes) => Message::stream(bytes.len() + STREAM_HEADERS, relayed),
        Relayed::End => Message::stream(STREAM_HEADERS, relayed),
    }
}
