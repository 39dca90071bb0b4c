//! Links: what the shards and the tasks of the edge pass to each other. Everything is limited: a peer that sends too much
//! has to wait, one that does not read loses datagrams and then its link, and neither costs the others anything.

use std::{
    net::SocketAddr,
    sync::Arc,
    task::{Context, Poll},
    time::{Duration, Instant},
};

use protocol::Dialect;
use tokio::sync::mpsc;

use super::{
    admission::{Admission, LinkSlot},
    mailbox::{Mailbox, MessageKind, WakeQueue, Wakeups},
};
use crate::core::StreamId;

/// The longest message of a peer.
pub(super) const MESSAGE_MAX_BYTES: usize = 4_096;
/// How many tenths of a second's worth of messages a peer may send at once: a client sends one every tick, and delayed ones arrive
/// together.
const AT_ONCE_TENTHS: u32 = 25;
/// How long a peer that sends more is not read from.
pub(super) const FLOOD_PAUSE: Duration = Duration::from_millis(100);

/// What the edge tells a shard.
#[derive(Debug)]
pub enum LinkEvent {
    /// A peer has connected.
    Opened(Link),
    /// A peer sent a datagram.
    Datagram {
        /// Over which link.
        link: StreamId,
        /// The link's dialect.
        dialect: Dialect,
        /// The peer's address.
        from: SocketAddr,
        bytes: Vec<u8>,
    },
    /// The next bytes of a peer's stream.
    Stream(StreamId, Vec<u8>),
    /// A peer is gone.
    Closed(StreamId),
}

/// Where a shard takes arrivals from.
pub struct Arrivals(pub(super) mpsc::Receiver<LinkEvent>);

impl Arrivals {
    /// The next arrival, without waiting.
    pub fn take(&mut self) -> Option<LinkEvent> {
        self.0.try_recv().ok()
    }

    /// Whether nothing has arrived.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

/// A shard's end of a link. Dropping it closes the link, once everything that waits has been sent.
pub struct Link {
    /// Never used twice, nor for a stream that a shard accepts.
    pub id: StreamId,
    pub dialect: Dialect,
    /// The peer's address, which the transport has proved.
    pub from: SocketAddr,
    sender: LinkSender,
}

/// Sends to a peer. Clones send to the same one.
#[derive(Clone)]
pub struct LinkSender {
    mailbox: Arc<Mailbox>,
    wake_queue: Arc<WakeQueue>,
}

impl Link {
    /// Any shard may send with it.
    pub fn sender(&self) -> &LinkSender {
        &self.sender
    }
}

impl LinkSender {
    /// Sends a datagram once the wakeups are sent. False: an older one was lost, because the peer reads too slowly.
    pub fn datagram(&self, bytes: &[u8], wakeups: &mut Wakeups) -> bool {
        let all_are_kept = self.mailbox.put_datagram(bytes);
        wakeups.add(&self.wake_queue, &self.mailbox);
        all_are_kept
    }

    /// Sends bytes over the stream once the wakeups are sent. False: the peer reads too slowly, and the link is closed.
    pub fn stream(&self, bytes: &[u8], wakeups: &mut Wakeups) -> bool {
        let all_are_kept = self.mailbox.put_stream(bytes);
        wakeups.add(&self.wake_queue, &self.mailbox);
        all_are_kept
    }
}

impl Drop for Link {
    fn drop(&mut self) {
        self.sender.mailbox.close();
        let mut wakeups = Wakeups::default();
        wakeups.add(&self.sender.wake_queue, &self.sender.mailbox);
        wakeups.send();
    }
}

impl std::fmt::Debug for Link {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Link").field("id", &self.id).field("from", &self.from).finish_non_exhaustive()
    }
}

/// The edge's end of a link.
pub(super) struct EdgeLink {
    id: StreamId,
    from: SocketAddr,
    mailbox: Arc<Mailbox>,
    rate_limit: RateLimit,
    slot: LinkSlot,
}

impl EdgeLink {
    /// Both ends of a new link.
    pub fn new(id: StreamId, from: SocketAddr, slot: LinkSlot) -> (EdgeLink, Link) {
        let mailbox = Arc::new(Mailbox::new(slot.admission().memory(), from.ip()));
        let sender = LinkSender { mailbox: mailbox.clone(), wake_queue: slot.admission().wake_queue() };
        let link = Link { id, dialect: slot.admission().dialect(), from, sender };
        let rate_limit = RateLimit::new(Instant::now(), slot.admission().messages_per_second());
        (EdgeLink { id, from, mailbox, rate_limit, slot }, link)
    }

    /// What is to be sent next; none once the shard has closed the link.
    pub fn poll_outgoing(&self, context: &Context<'_>, into: &mut Vec<u8>) -> Poll<Option<MessageKind>> {
        self.mailbox.poll_take(context, into)
    }

    /// The peer sent a datagram. It is lost if the node is too busy.
    pub fn datagram(&self, bytes: Vec<u8>) {
        let dialect = self.admission().dialect();
        self.admission().offer(self.id, LinkEvent::Datagram { link: self.id, dialect, from: self.from, bytes });
    }

    /// The next bytes of the peer's stream. False: the node is too busy, and the link has to be closed.
    pub fn stream(&self, bytes: Vec<u8>) -> bool {
        self.admission().offer(self.id, LinkEvent::Stream(self.id, bytes))
    }

    /// Counts a message of the peer. False: it sends too much, and is not to be read from for [`FLOOD_PAUSE`].
    pub fn count_message(&mut self) -> bool {
        let is_within_limit = self.rate_limit.spend(Instant::now());
        if !is_within_limit {
            self.admission().note_flood();
        }
        is_within_limit
    }

    /// The peer is gone.
    pub async fn close(self) {
        self.admission().tell(self.id, LinkEvent::Closed(self.id)).await;
    }

    fn admission(&self) -> &Admission {
        self.slot.admission()
    }
}

/// How many more messages a peer may send.
struct RateLimit {
    per_second: u32,
    left: u32,
    renewed: Instant,
}

impl RateLimit {
    fn new(now: Instant, per_second: u32) -> RateLimit {
        RateLimit { per_second, left: at_once(per_second), renewed: now }
    }

    /// Counts one message. False: it was the last one for now.
    fn spend(&mut self, now: Instant) -> bool {
        if self.left <= 1 {
            let earned = now.saturating_duration_since(self.renewed).as_millis() * u128::from(self.per_second) / 1000;
            self.left = u32::try_from(earned).unwrap_or(u32::MAX).min(at_once(self.per_second));
            self.renewed = now;
        }
        self.left = self.left.saturating_sub(1);
        self.left > 0
    }
}

fn at_once(per_second: u32) -> u32 {
    per_second.saturating_mul(AT_ONCE_TENTHS) / 10
}

#[cfg(test)]
mod tests {
    use super::*;

    /// How many messages are read in ten seconds from a peer that sends this many a second and may send that many.
    fn read(per_second: u32, limit: u32) -> u32 {
        let began = Instant::now();
        let mut rate_limit = RateLimit::new(began, limit);
        let mut paused_until = began;
        let mut read = 0;
        for number in 0..per_second * 10 {
            let now = began + Duration::from_secs(1) * number / per_second;
            if now >= paused_until {
                read += 1;
                if !rate_limit.spend(now) {
                    paused_until = now + FLOOD_PAUSE;
                }
            }
        }
        read
    }

    #[test]
    fn every_message_of_a_player_is_read_and_a_flood_is_limited() {
        assert_eq!((read(60, 240), read(200, 240)), (600, 2000));
        for (flood, limit) in [(1_000, 240), (20_000, 240), (1_000, 60)] {
            let read = read(flood, limit);
            assert!(read <= at_once(limit) + 11 * limit, "{flood}: {read}");
        }
    }
}
