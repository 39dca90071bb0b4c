//! The switchboard: how an order of the host's reaches every shard. A shard takes its orders when it is awake, and is
//! woken if it sleeps.

use std::sync::{
    Arc,
    mpsc::{Receiver, Sender, channel},
};

use crate::core::Order;

/// Wakes a shard that sleeps. To be called after what it is to notice was done.
pub type Waker = Arc<dyn Fn() + Send + Sync>;

/// A handle to it. Clones share it.
#[derive(Clone)]
pub struct Switchboard(Arc<[Line]>);

struct Line {
    orders: Sender<Order>,
    wake: Waker,
}

impl Switchboard {
    /// A line to each of the shards that these wake: the other end of each, in order.
    pub fn new(wakers: &[Waker]) -> (Switchboard, Vec<Receiver<Order>>) {
        let (lines, ends): (Vec<Line>, Vec<_>) = wakers.iter().cloned().map(Line::new).unzip();
        (Switchboard(lines.into()), ends)
    }

    /// Gives every shard an order.
    pub fn tell(&self, order: &Order) {
        for line in self.0.iter() {
            // A shard that has ended needs no orders.
            let _ = line.orders.send(order.clone());
            (line.wake)();
        }
    }
}

impl Line {
    fn new(wake: Waker) -> (Line, Receiver<Order>) {
        let (orders, end) = channel();
        (Line { orders, wake }, end)
    }
}
