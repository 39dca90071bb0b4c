//! A network with faults, under a seed.

use std::time::Duration;

use protocol::{Channel, Time};

use super::ClientId;

/// How bad the network is, each way.
#[derive(Clone, Copy, Debug, Default)]
pub struct Conditions {
    /// Datagrams lost, in percent.
    pub loss_percent: u32,
    /// Datagrams that arrive twice, in percent.
    pub duplicate_percent: u32,
    /// Every datagram takes so long …
    pub delay_ms: u32,
    /// … and up to so much longer, so that datagrams overtake each other.
    pub jitter_ms: u32,
}

/// Bytes on their way.
#[derive(Clone, Debug)]
pub struct Packet {
    pub client: ClientId,
    /// The node's port that it goes to or comes from.
    pub port: u16,
    pub channel: Channel,
    pub bytes: Vec<u8>,
    due: Time,
    order: u64,
}

/// Somebody who overhears bytes.
pub type Listener = Box<dyn FnMut(&[u8])>;

/// All bytes on their way.
pub struct Network {
    pub conditions: Conditions,
    pub sent: u64,
    /// The most bytes that a datagram from the node had.
    pub longest_datagram: usize,
    /// Hears every datagram that leaves the node, also those that are lost.
    pub listener: Option<Listener>,
    dice: u64,
    to_node: Vec<Packet>,
    to_clients: Vec<Packet>,
}

impl Network {
    pub fn new(seed: u64) -> Network {
        let conditions = Conditions::default();
        Network {
            conditions,
            sent: 0,
            longest_datagram: 0,
            listener: None,
            dice: seed | 1,
            to_node: Vec::new(),
            to_clients: Vec::new(),
        }
    }

    pub fn send_to_node(&mut self, now: Time, client: ClientId, port: u16, channel: Channel, bytes: &[u8]) {
        let copies = self.copies(now, client, port, channel, bytes);
        self.to_node.extend(copies);
    }

    pub fn send_to_client(&mut self, now: Time, client: ClientId, port: u16, channel: Channel, bytes: &[u8]) {
        if channel == Channel::Datagram {
            self.longest_datagram = self.longest_datagram.max(bytes.len());
            self.listener.iter_mut().for_each(|listener| listener(bytes));
        }
        let copies = self.copies(now, client, port, channel, bytes);
        self.to_clients.extend(copies);
    }

    pub fn due_to_node(&mut self, now: Time) -> Vec<Packet> {
        take_due(&mut self.to_node, now)
    }

    pub fn due_to_clients(&mut self, now: Time) -> Vec<Packet> {
        take_due(&mut self.to_clients, now)
    }

    /// What arrives of one send: nothing, one, or two. Streams are late but whole and in order.
    fn copies(&mut self, now: Time, client: ClientId, port: u16, channel: Channel, bytes: &[u8]) -> Vec<Packet> {
        let conditions = self.conditions;
        let delay = Duration::from_millis(conditions.delay_ms.into());
        let count = match channel {
            Channel::Stream => 1,
            Channel::Datagram if self.chance(conditions.loss_percent) => 0,
            Channel::Datagram => 1 + usize::from(self.chance(conditions.duplicate_percent)),
        };
        let copy = |network: &mut Network| {
            let jitter = if channel == Channel::Stream { 0 } else { network.below(conditions.jitter_ms + 1) };
            network.sent += 1;
            let due = now + delay + Duration::from_millis(jitter.into());
            Packet { client, port, channel, bytes: bytes.to_vec(), due, order: network.sent }
        };
        (0..count).map(|_| copy(self)).collect()
    }

    fn chance(&mut self, percent: u32) -> bool {
        self.below(100) < percent
    }

    fn below(&mut self, sides: u32) -> u32 {
        // xorshift64: good enough to lose datagrams by.
        self.dice ^= self.dice << 13;
        self.dice ^= self.dice >> 7;
        self.dice ^= self.dice << 17;
        (((self.dice >> 32) * u64::from(sides)) >> 32) as u32
    }
}

fn take_due(packets: &mut Vec<Packet>, now: Time) -> Vec<Packet> {
    let (mut due, later): (Vec<Packet>, Vec<Packet>) = packets.drain(..).partition(|packet| packet.due <= now);
    *packets = later;
    due.sort_by_key(|packet| (packet.due, packet.order));
    due
}
