//! Sends the host's orders to every shard, and wakes the shards that sleep.

use std::sync::{
    Arc,
    mpsc::{Receiver, Sender, channel},
};

use crate::core::Order;

/// Wakes a shard that sleeps. Call it after the change that the shard is to notice.
pub type ShardWaker = Arc<dyn Fn() + Send + Sync>;

/// Clones send to the same shards.
#[derive(Clone)]
pub struct OrderSender(Arc<[ShardOrders]>);

struct ShardOrders {
    orders: Sender<Order>,
    wake: ShardWaker,
}

impl OrderSender {
    /// A sender for the shards of these wakers, and each shard's receiver, in the same order.
    pub fn new(wakers: &[ShardWaker]) -> (OrderSender, Vec<Receiver<Order>>) {
        let (shards, receivers): (Vec<ShardOrders>, Vec<_>) = wakers.iter().cloned().map(ShardOrders::new).unzip();
        (OrderSender(shards.into()), receivers)
    }

    /// Gives every shard an order.
    pub fn send(&self, order: &Order) {
        for shard in self.0.iter() {
            // A shard that has ended needs no orders.
            let _ = shard.orders.send(order.clone());
            (shard.wake)();
        }
    }
}

impl ShardOrders {
    fn new(wake: ShardWaker) -> (ShardOrders, Receiver<Order>) {
        let (orders, receiver) = channel();
        (ShardOrders { orders, wake }, receiver)
    }
}
