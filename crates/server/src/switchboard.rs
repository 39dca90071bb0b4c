//! The switchboard: how an order of the host's reaches every shard. A shard takes its orders when it is awake, and is
//! woken if it sleeps.

use std::sync::{
    Arc, OnceLock,
    mpsc::{Receiver, Sender, channel},
};

use crate::core::Order;

/// A handle to it. Clones share it.
#[derive(Clone)]
pub struct Switchboard(Arc<[Line]>);

struct Line {
    orders: Sender<Order>,
    waker: OnceLock<Box<dyn Fn() + Send + Sync>>,
}

impl Switchboard {
    /// A line to each of so many shards: the other end of each, in order.
    pub fn new(shards: usize) -> (Switchboard, Vec<Receiver<Order>>) {
        let (lines, ends): (Vec<Line>, Vec<_>) = (0..shards).map(|_| Line::new()).unzip();
        (Switchboard(lines.into()), ends)
    }

    /// How a shard is woken, where it may sleep for long. The first one counts.
    pub fn wake_with(&self, shard: usize, waker: impl Fn() + Send + Sync + 'static) {
        if let Some(line) = self.0.get(shard) {
            line.waker.get_or_init(|| Box::new(waker));
        }
    }

    /// Gives every shard an order.
    pub fn tell(&self, order: &Order) {
        for line in self.0.iter() {
            // A shard that has ended needs no orders.
            let _ = line.orders.send(order.clone());
            if let Some(wake) = line.waker.get() {
                wake();
            }
        }
    }
}

impl Line {
    fn new() -> (Line, Receiver<Order>) {
        let (orders, end) = channel();
        (Line { orders, waker: OnceLock::new() }, end)
    }
}
