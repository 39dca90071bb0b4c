//! The links that a shard writes to: those whose home it is, and those that it has borrowed.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use crate::{
    core::StreamId,
    edge::{Link, LinkSender, Wakeups},
};

/// The senders of all links of a node, for shards that borrow one. The lock is taken when a link is opened, lent or closed;
/// never to send.
#[derive(Clone, Default)]
pub(super) struct LinkSenders(Arc<Mutex<HashMap<StreamId, LinkSender>>>);

impl LinkSenders {
    fn lock(&self) -> MutexGuard<'_, HashMap<StreamId, LinkSender>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The links of a shard.
#[derive(Default)]
pub(super) struct Links {
    all: LinkSenders,
    /// Those whose home this is.
    own: HashMap<StreamId, Link>,
    /// Those that something is sent over from here.
    senders: HashMap<StreamId, LinkSender>,
    wakeups: Wakeups,
}

impl Links {
    /// None yet, of a node whose senders these are.
    pub fn new(all: LinkSenders) -> Links {
        Links { all, ..Links::default() }
    }

    /// A link whose home this is.
    pub fn add(&mut self, link: Link) {
        self.all.lock().insert(link.id, link.sender().clone());
        self.senders.insert(link.id, link.sender().clone());
        self.own.insert(link.id, link);
    }

    /// Closes a link once what was sent before has left. False: it is not one whose home this is.
    pub fn close(&mut self, link: StreamId) -> bool {
        let was_open = self.own.remove(&link).is_some();
        if was_open {
            self.senders.remove(&link);
            self.all.lock().remove(&link);
        }
        was_open
    }

    /// From now on something is sent over that link from here. One that is gone loses it, until its end is known here.
    pub fn borrow(&mut self, link: StreamId) {
        let sender = self.all.lock().get(&link).cloned();
        self.senders.extend(sender.map(|sender| (link, sender)));
    }

    /// Nothing more is sent over it.
    pub fn give_back(&mut self, link: StreamId) {
        self.senders.remove(&link);
    }

    /// False: a datagram is lost, because the peer does not keep up.
    pub fn datagram(&mut self, link: StreamId, bytes: &[u8]) -> bool {
        self.senders.get(&link).is_none_or(|sender| sender.datagram(bytes, &mut self.wakeups))
    }

    /// False: it is not a link that something is sent over from here. With too much to send the link is over.
    pub fn stream(&mut self, link: StreamId, bytes: &[u8]) -> bool {
        self.senders.get(&link).map(|sender| sender.stream(bytes, &mut self.wakeups)).is_some()
    }

    /// Wakes those who carry what was said.
    pub fn flush(&mut self) {
        self.wakeups.send();
    }
}
