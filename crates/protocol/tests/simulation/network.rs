//! The bad network between the clients and the node of a simulation: which client and port bytes belong to, on top of
//! the model in the crate `network`.

use std::time::Duration;

pub use ::network::Conditions;
use ::network::{Binding, Direction, Message};
use protocol::{Channel, Time};

use super::ClientId;

/// Bytes that arrived.
#[derive(Clone, Debug)]
pub struct Packet {
    pub client: ClientId,
    /// The node's port that it goes to or comes from.
    pub port: u16,
    pub channel: Channel,
    pub bytes: Vec<u8>,
}

/// Overhears bytes.
pub type Listener = Box<dyn FnMut(&[u8])>;

/// All bytes under way.
pub struct Network {
    pub conditions: Conditions,
    /// The most bytes that a datagram from the node had.
    pub longest_datagram: usize,
    /// Hears every datagram that leaves the node, also those that are lost.
    pub listener: Option<Listener>,
    model: ::network::Network<ClientId, Packet>,
}

impl Network {
    pub fn new(seed: u64) -> Network {
        let conditions = Conditions::PERFECT;
        let model = ::network::Network::new(seed, conditions);
        Network { conditions, longest_datagram: 0, listener: None, model }
    }

    /// How many messages were not lost, both ways, copies included.
    pub fn delivered(&self) -> u64 {
        [Direction::Up, Direction::Down].map(|direction| self.model.counters(direction).delivered).iter().sum()
    }

    pub fn send_to_node(&mut self, now: Time, client: ClientId, port: u16, channel: Channel, bytes: &[u8]) {
        self.model.conditions = self.conditions;
        self.model.send_up(since_1970(now), client, message(client, port, channel, bytes));
    }

    pub fn send_to_client(&mut self, now: Time, client: ClientId, port: u16, channel: Channel, bytes: &[u8]) {
        if channel == Channel::Datagram {
            self.longest_datagram = self.longest_datagram.max(bytes.len());
            self.listener.iter_mut().for_each(|listener| listener(bytes));
        }
        self.model.conditions = self.conditions;
        self.model.send_down(since_1970(now), client, Binding::default(), message(client, port, channel, bytes));
    }

    pub fn due_to_node(&mut self, now: Time) -> Vec<Packet> {
        self.due(now, Direction::Up)
    }

    pub fn due_to_clients(&mut self, now: Time) -> Vec<Packet> {
        self.due(now, Direction::Down)
    }

    fn due(&mut self, now: Time, direction: Direction) -> Vec<Packet> {
        let next = || self.model.poll_direction(since_1970(now), direction);
        std::iter::from_fn(next).map(|arrival| arrival.payload).collect()
    }
}

fn message(client: ClientId, port: u16, channel: Channel, bytes: &[u8]) -> Message<Packet> {
    let packet = Packet { client, port, channel, bytes: bytes.to_vec() };
    match channel {
        Channel::Datagram => Message::datagram(bytes.len(), packet),
        Channel::Stream => Message::stream(bytes.len(), packet),
    }
}

fn since_1970(time: Time) -> Duration {
    Duration::from_micros(time.micros())
}
