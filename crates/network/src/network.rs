//! All messages under way between clients and a node, in the order of their arrival.

use std::{collections::BTreeMap, time::Duration};

use crate::{
    Conditions, Counters, LossReason,
    dice::mix,
    path::{Fate, Path, Sending},
};

/// Messages that may be under way in one direction; datagrams beyond that are lost as if a queue were full.
pub const IN_FLIGHT_MAX: usize = 65_536;

/// Which way a message goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Direction {
    /// From a client to the node.
    Up,
    /// From the node to a client.
    Down,
}

/// What the network owes a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Service {
    /// It may be lost, copied and overtaken.
    Datagram,
    /// It arrives once, after all that was sent before it.
    Stream,
}

/// An address of a client as the node sees it: 0 at first, and another one after each rebinding.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Binding(pub u32);

/// Something to carry.
#[derive(Clone, Debug)]
pub struct Message<P> {
    /// What the network owes it.
    pub service: Service,
    /// Its length on the line, which a slow one is slow by.
    pub bytes: usize,
    /// What the receiver gets.
    pub payload: P,
}

/// A message that has arrived.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Delivery<K, P> {
    /// When it arrived, which may be before it was polled.
    pub at: Duration,
    /// The client that sent it, or to which it was sent.
    pub peer: K,
    /// Which way it went.
    pub direction: Direction,
    /// The client's binding when it was sent.
    pub binding: Binding,
    /// What the sender gave.
    pub payload: P,
}

/// Which way a message goes, and between the node and whom.
struct MessagePath<K> {
    direction: Direction,
    peer: K,
    binding: Binding,
}

/// What the network has decided about a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SendOutcome {
    /// It is lost.
    Lost(LossReason),
    /// It will arrive.
    Arrives {
        /// When.
        at: Duration,
        /// When a copy of it arrives.
        again: Option<Duration>,
        /// Whether it is held back, so that later ones overtake it.
        is_held_back: bool,
    },
}

/// Messages by arrival, and those that arrive together in the order in which they were sent.
type InFlight<K, P> = BTreeMap<(Duration, u64), Delivery<K, P>>;

/// The network between clients, known by their `K`, and one node.
///
/// Time is the time since any moment that the caller chose, and does not go back.
pub struct Network<K, P> {
    /// What is wrong, for all clients, with what is sent from now on.
    pub conditions: Conditions,
    seed: u64,
    paths: BTreeMap<K, Path>,
    paths_opened: u64,
    in_flight: [InFlight<K, P>; 2],
    messages: u64,
    counters: [Counters; 2],
}

impl<P> Message<P> {
    /// A datagram of that length.
    pub fn datagram(bytes: usize, payload: P) -> Message<P> {
        Message { service: Service::Datagram, bytes, payload }
    }

    /// A piece of a stream of that length.
    pub fn stream(bytes: usize, payload: P) -> Message<P> {
        Message { service: Service::Stream, bytes, payload }
    }
}

impl<K: Copy + Ord, P: Clone> Network<K, P> {
    /// A network without clients. Each has a schedule of its own, which follows from the seed and from how many clients
    /// there were before.
    pub fn new(seed: u64, conditions: Conditions) -> Network<K, P> {
        Network {
            conditions,
            seed,
            paths: BTreeMap::new(),
            paths_opened: 0,
            in_flight: [BTreeMap::new(), BTreeMap::new()],
            messages: 0,
            counters: [Counters::default(); 2],
        }
    }

    /// What has become of the messages of a direction.
    pub fn counters(&self, direction: Direction) -> &Counters {
        &self.counters[direction as usize]
    }

    /// Messages under way in a direction.
    pub fn in_flight(&self, direction: Direction) -> usize {
        self.in_flight[direction as usize].len()
    }

    /// When there is something to poll next.
    pub fn next_arrival(&self) -> Option<Duration> {
        self.in_flight.iter().filter_map(|messages| Some(messages.first_key_value()?.0.0)).min()
    }

    /// A client sends a message to the node.
    pub fn send_up(&mut self, now: Duration, peer: K, message: Message<P>) -> SendOutcome {
        let conditions = self.conditions;
        let binding = self.path(now, peer).binding(now, &conditions);
        self.send(now, MessagePath { direction: Direction::Up, peer, binding }, message)
    }

    /// The node sends a message to a client, at the binding at which it last heard it. If the client's NAT has forgotten
    /// that one, a datagram is lost.
    pub fn send_down(&mut self, now: Duration, peer: K, binding: Binding, message: Message<P>) -> SendOutcome {
        let conditions = self.conditions;
        let bound = self.path(now, peer).binding(now, &conditions);
        if message.service == Service::Datagram && bound != binding {
            let outcome = SendOutcome::Lost(LossReason::Forgotten);
            self.counters[Direction::Down as usize].count(outcome);
            return outcome;
        }
        self.send(now, MessagePath { direction: Direction::Down, peer, binding }, message)
    }

    /// The client's NAT forgets it: its next message comes from another address.
    pub fn rebind(&mut self, now: Duration, peer: K) {
        self.path(now, peer).rebind();
    }

    /// Forgets a client that is gone. What is under way still arrives.
    pub fn forget(&mut self, peer: K) {
        self.paths.remove(&peer);
    }

    /// Throws away everything that is under way.
    pub fn clear(&mut self) {
        self.in_flight.iter_mut().for_each(BTreeMap::clear);
    }

    /// The next message that has arrived by now, in either direction.
    pub fn poll(&mut self, now: Duration) -> Option<Delivery<K, P>> {
        let [up, down] =
            [0, 1].map(|direction: usize| self.in_flight[direction].first_key_value().map(|(key, _)| *key));
        let up_is_first = down.is_none_or(|down| up.is_some_and(|up| up < down));
        self.poll_direction(now, if up_is_first { Direction::Up } else { Direction::Down })
    }

    /// The next message that has arrived by now in one direction.
    pub fn poll_direction(&mut self, now: Duration, direction: Direction) -> Option<Delivery<K, P>> {
        let messages = &mut self.in_flight[direction as usize];
        let first = messages.first_entry().filter(|first| first.key().0 <= now)?;
        Some(first.remove())
    }

    fn path(&mut self, now: Duration, peer: K) -> &mut Path {
        let (seed, opened) = (self.seed, &mut self.paths_opened);
        self.paths.entry(peer).or_insert_with(|| {
            *opened += 1;
            Path::new(mix(seed, *opened), now)
        })
    }

    fn send(&mut self, now: Duration, path: MessagePath<K>, message: Message<P>) -> SendOutcome {
        let MessagePath { direction, peer, binding } = path;
        let faults = match direction {
            Direction::Up => self.conditions.up,
            Direction::Down => self.conditions.down,
        };
        let Message { service, bytes, payload } = message;
        let fate = self.path(now, peer).send(&Sending { now, direction, service, bytes }, &faults);
        let under_way = self.in_flight[direction as usize].len();
        let is_crowded = service == Service::Datagram && under_way >= IN_FLIGHT_MAX;
        let outcome = match fate {
            Ok(_) if is_crowded => SendOutcome::Lost(LossReason::Queue),
            Ok(Fate { arrives, again, is_held_back }) => SendOutcome::Arrives { at: arrives, again, is_held_back },
            Err(why) => SendOutcome::Lost(why),
        };
        self.counters[direction as usize].count(outcome);
        if let SendOutcome::Arrives { at, again, .. } = outcome {
            let delivery = |at, payload| Delivery { at, peer, direction, binding, payload };
            if let Some(again) = again {
                self.put(delivery(at, payload.clone()));
                self.put(delivery(again, payload));
            } else {
                self.put(delivery(at, payload));
            }
        }
        outcome
    }

    fn put(&mut self, delivery: Delivery<K, P>) {
        self.messages += 1;
        self.in_flight[delivery.direction as usize].insert((delivery.at, self.messages), delivery);
    }
}
