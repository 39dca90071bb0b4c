//! The way between one client and the node, and what it does to each message.
//!
//! A datagram passes, in this order: the outage, the queue, bursts, chance, and then its delay. All dice are rolled for
//! every datagram, also where the answer is known, so that the next datagram's fate never depends on this one's.

use std::time::Duration;

use crate::{
    Conditions, Faults, LossReason,
    bursts::BurstProcess,
    dice::{Dice, mix},
    jitter::JitterProcess,
    network::{Binding, Direction, Service},
    queue::Queue,
    schedule::Schedule,
};

/// How long until a piece of a stream that the line lost is sent again: Linux's shortest time.
const RETRANSMISSION: Duration = Duration::from_millis(200);

/// A message that is sent, without what it says.
pub struct Sending {
    pub now: Duration,
    pub direction: Direction,
    pub service: Service,
    pub bytes: usize,
}

/// What becomes of a message.
pub struct Fate {
    /// When it arrives.
    pub arrives: Duration,
    /// When it arrives again.
    pub again: Option<Duration>,
    /// Whether it was held back.
    pub is_held_back: bool,
}

/// Both directions, and the NAT before the client.
pub struct Path {
    began: Duration,
    directions: [PathDirection; 2],
    rebindings: Schedule,
    rebindings_seen: u64,
    binding: Binding,
}

/// One direction. Streams have dice of their own, so that they do not shift the fate of datagrams.
struct PathDirection {
    datagrams: Flow,
    streams: Flow,
    queue: Queue,
    outages: Schedule,
}

/// Messages that keep their order.
struct Flow {
    loss: Dice,
    duplicate: Dice,
    reorder: Dice,
    bursts: BurstProcess,
    jitter: JitterProcess,
    newest_arrival: Duration,
}

impl Path {
    pub fn new(seed: u64, now: Duration) -> Path {
        Path {
            began: now,
            directions: [PathDirection::new(seed, 1), PathDirection::new(seed, 2)],
            rebindings: Schedule::new(seed, 3),
            rebindings_seen: 0,
            binding: Binding(0),
        }
    }

    /// The client's binding now.
    pub fn binding(&mut self, now: Duration, conditions: &Conditions) -> Binding {
        let since = now.saturating_sub(self.began);
        let seen = conditions.rebinding.map_or(0, |rebinding| self.rebindings.rebindings(since, rebinding));
        if std::mem::replace(&mut self.rebindings_seen, seen) < seen {
            self.rebind();
        }
        self.binding
    }

    pub fn rebind(&mut self) {
        self.binding = Binding(self.binding.0.wrapping_add(1));
    }

    pub fn send(&mut self, sending: &Sending, faults: &Faults) -> Result<Fate, LossReason> {
        let direction = &mut self.directions[sending.direction as usize];
        let since_start = sending.now.saturating_sub(self.began);
        let outage_end = faults.outages.and_then(|outages| direction.outages.outage_end(since_start, outages));
        let outage_end = outage_end.map(|end| self.began.saturating_add(end));
        match sending.service {
            Service::Datagram => direction.datagram(sending, outage_end, faults),
            Service::Stream => Ok(direction.stream(sending, outage_end, faults)),
        }
    }
}

impl PathDirection {
    fn new(seed: u64, direction: u64) -> PathDirection {
        let direction = mix(seed, direction);
        PathDirection {
            datagrams: Flow::new(mix(direction, 1)),
            streams: Flow::new(mix(direction, 2)),
            queue: Queue::default(),
            // Not from `way`: an outage is one of both directions.
            outages: Schedule::new(seed, 4),
        }
    }

    fn datagram(&mut self, sent: &Sending, outage_end: Option<Duration>, faults: &Faults) -> Result<Fate, LossReason> {
        let rolled = self.datagrams.roll(sent.now, faults);
        if outage_end.is_some() {
            return Err(LossReason::Outage);
        }
        let passed = self.queue.pass(sent.now, sent.bytes, faults.rate).ok_or(LossReason::Queue)?;
        if let Some(loss) = rolled.loss {
            return Err(loss);
        }
        let in_order = self.datagrams.in_order(passed.saturating_add(rolled.delay));
        Ok(Fate {
            arrives: in_order.saturating_add(rolled.held_back.unwrap_or_default()),
            again: rolled.again.map(|held_back| in_order.saturating_add(held_back)),
            is_held_back: rolled.held_back.is_some(),
        })
    }

    /// Streams are whole and in order: what would be lost is late.
    fn stream(&mut self, sent: &Sending, outage_end: Option<Duration>, faults: &Faults) -> Fate {
        let rolled = self.streams.roll(sent.now, faults);
        let begins = outage_end.unwrap_or(sent.now);
        let passed = self.queue.pass_patiently(begins, sent.bytes, faults.rate);
        let again = rolled.loss.map_or(Duration::ZERO, |_| RETRANSMISSION);
        let arrives = self.streams.in_order(passed.saturating_add(rolled.delay).saturating_add(again));
        Fate { arrives, again: None, is_held_back: false }
    }
}

/// What the dice say about one message.
struct Rolled {
    loss: Option<LossReason>,
    delay: Duration,
    /// For how long it is held back, if it is.
    held_back: Option<Duration>,
    /// For how long its copy is held back, if there is one.
    again: Option<Duration>,
}

impl Flow {
    fn new(seed: u64) -> Flow {
        Flow {
            loss: Dice::new(seed, 1),
            duplicate: Dice::new(seed, 2),
            reorder: Dice::new(seed, 3),
            bursts: BurstProcess::new(Dice::new(seed, 4)),
            jitter: JitterProcess::new(Dice::new(seed, 5)),
            newest_arrival: Duration::ZERO,
        }
    }

    fn roll(&mut self, now: Duration, faults: &Faults) -> Rolled {
        let is_lost = self.loss.happens(faults.loss);
        let in_burst = self.bursts.loses(faults.bursts);
        let held_back = self.hold_back(faults);
        let copy_held_back = self.hold_back(faults).unwrap_or_default();
        Rolled {
            loss: if in_burst { Some(LossReason::Burst) } else { is_lost.then_some(LossReason::Chance) },
            delay: faults.delay.saturating_add(self.jitter.extra_delay(now, faults.jitter)),
            held_back,
            again: self.duplicate.happens(faults.duplicate).then_some(copy_held_back),
        }
    }

    fn hold_back(&mut self, faults: &Faults) -> Option<Duration> {
        let happens = self.reorder.happens(faults.reorder.chance);
        let at_most = u64::try_from(faults.reorder.at_most.as_micros()).unwrap_or(u64::MAX);
        let micros = self.reorder.below(at_most.saturating_add(1));
        happens.then(|| Duration::from_micros(micros))
    }

    /// No message overtakes the one before, unless that one is held back.
    fn in_order(&mut self, arrival: Duration) -> Duration {
        self.newest_arrival = self.newest_arrival.max(arrival);
        self.newest_arrival
    }
}
