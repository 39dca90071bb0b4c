//! Links: what the node and the tasks at the edge hand each other. Everything is bounded: a peer that floods waits, one
//! that does not read loses its datagrams, then its link, and neither costs anybody else anything.

use std::{
    net::SocketAddr,
    sync::Arc,
    task::{Context, Poll},
    time::{Duration, Instant},
};

use protocol::Dialect;
use tokio::sync::mpsc;

use super::{
    gate::{Gate, Place},
    mailbox::{Errands, Kind, Mailbox, Post},
};
use crate::core::StreamId;

/// The longest thing that a peer may say at once, in bytes.
pub(super) const MESSAGE_MAX_BYTES: usize = 4_096;
/// What a peer may say in a second, and at once: a client says something every tick, and what was held up comes together.
const MESSAGES_PER_SECOND: u32 = 240;
const MESSAGES_AT_ONCE: u32 = 600;
/// How long who says more is not listened to.
pub(super) const DEAF: Duration = Duration::from_millis(100);

/// What the edge tells the node.
#[derive(Debug)]
pub enum Arrival {
    /// A peer has connected.
    Opened(Link),
    /// It sent a datagram.
    Datagram {
        /// Over which link.
        link: StreamId,
        /// What is spoken there.
        dialect: Dialect,
        /// Where the peer is.
        from: SocketAddr,
        /// What it said.
        bytes: Vec<u8>,
    },
    /// The next bytes of its stream.
    Stream(StreamId, Vec<u8>),
    /// It is gone.
    Closed(StreamId),
}

/// Where a shard takes arrivals from.
pub struct Arrivals(pub(super) mpsc::Receiver<Arrival>);

impl Arrivals {
    /// The next arrival, without waiting.
    pub fn take(&mut self) -> Option<Arrival> {
        self.0.try_recv().ok()
    }

    /// Whether nothing has arrived.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

/// The node's end of a link. Dropping it closes the link, once what was sent before has left.
pub struct Link {
    /// Its name, never used twice, nor for a stream that a shard accepts.
    pub id: StreamId,
    /// What is spoken over it.
    pub dialect: Dialect,
    /// Where the peer is. The transport has proved it.
    pub from: SocketAddr,
    pen: Pen,
}

/// What one writes to a peer with. Clones write to the same one.
#[derive(Clone)]
pub struct Pen {
    mailbox: Arc<Mailbox>,
    post: Arc<Post>,
}

impl Link {
    /// What one writes to the peer with: any shard may.
    pub fn pen(&self) -> &Pen {
        &self.pen
    }
}

impl Pen {
    /// Sends a datagram when the errands are run. False: an older one is lost, because the peer does not keep up.
    pub fn datagram(&self, bytes: &[u8], errands: &mut Errands) -> bool {
        let all_are_kept = self.mailbox.put_datagram(bytes);
        errands.note(&self.post, &self.mailbox);
        all_are_kept
    }

    /// Sends bytes down the stream when the errands are run. False: the peer does not keep up, and the link is over.
    pub fn stream(&self, bytes: &[u8], errands: &mut Errands) -> bool {
        let all_are_kept = self.mailbox.put_letters(bytes);
        errands.note(&self.post, &self.mailbox);
        all_are_kept
    }
}

impl Drop for Link {
    fn drop(&mut self) {
        self.pen.mailbox.close();
        let mut errands = Errands::default();
        errands.note(&self.pen.post, &self.pen.mailbox);
        errands.run();
    }
}

impl std::fmt::Debug for Link {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Link").field("id", &self.id).field("from", &self.from).finish_non_exhaustive()
    }
}

/// The edge's end of a link.
pub(super) struct Entered {
    gate: Gate,
    id: StreamId,
    from: SocketAddr,
    mailbox: Arc<Mailbox>,
    patience: Patience,
    _place: Place,
}

impl Entered {
    /// Both ends of a new link.
    pub fn new(gate: Gate, id: StreamId, dialect: Dialect, from: SocketAddr, place: Place) -> (Entered, Link) {
        let mailbox = Arc::new(Mailbox::default());
        let pen = Pen { mailbox: mailbox.clone(), post: gate.post() };
        let link = Link { id, dialect, from, pen };
        (Entered { gate, id, from, mailbox, patience: Patience::new(Instant::now()), _place: place }, link)
    }

    /// What the node wants sent next; none once the node has closed the link.
    pub fn poll_outgoing(&self, context: &Context<'_>, into: &mut Vec<u8>) -> Poll<Option<Kind>> {
        self.mailbox.poll_take(context, into)
    }

    /// The peer sent a datagram. It is lost if the node does not keep up.
    pub fn datagram(&self, bytes: Vec<u8>) {
        let dialect = self.gate.dialect();
        self.gate.offer(self.id, Arrival::Datagram { link: self.id, dialect, from: self.from, bytes });
    }

    /// The next bytes of the peer's stream. False: the node does not keep up, and the link is of no more use.
    pub fn stream(&self, bytes: Vec<u8>) -> bool {
        self.gate.offer(self.id, Arrival::Stream(self.id, bytes))
    }

    /// Notes that the peer said something. False: it says too much, and is not to be listened to for [`DEAF`].
    pub fn may_go_on(&mut self) -> bool {
        let may_go_on = self.patience.spend(Instant::now());
        if !may_go_on {
            self.gate.note_flood();
        }
        may_go_on
    }

    /// The peer is gone.
    pub async fn close(self) {
        self.gate.tell(self.id, Arrival::Closed(self.id)).await;
    }
}

/// How much more a peer may say.
struct Patience {
    left: u32,
    renewed: Instant,
}

impl Patience {
    fn new(now: Instant) -> Patience {
        Patience { left: MESSAGES_AT_ONCE, renewed: now }
    }

    /// False: it was the last for now.
    fn spend(&mut self, now: Instant) -> bool {
        if self.left <= 1 {
            let earned =
                now.saturating_duration_since(self.renewed).as_millis() * u128::from(MESSAGES_PER_SECOND) / 1000;
            self.left = u32::try_from(earned).unwrap_or(u32::MAX).min(MESSAGES_AT_ONCE);
            self.renewed = now;
        }
        self.left = self.left.saturating_sub(1);
        self.left > 0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// How many messages are heard in ten seconds from who says so many a second.
    fn heard(per_second: u32) -> u32 {
        let began = Instant::now();
        let mut patience = Patience::new(began);
        let mut deaf_until = began;
        let mut heard = 0;
        for number in 0..per_second * 10 {
            let now = began + Duration::from_secs(1) * number / per_second;
            if now >= deaf_until {
                heard += 1;
                if !patience.spend(now) {
                    deaf_until = now + DEAF;
                }
            }
        }
        heard
    }

    #[test]
    fn who_plays_is_heard_and_who_floods_is_heard_as_often_as_allowed() {
        assert_eq!((heard(60), heard(200)), (600, 2000));
        for flood in [1_000, 20_000] {
            let heard = heard(flood);
            assert!(heard <= MESSAGES_AT_ONCE + 11 * MESSAGES_PER_SECOND, "{flood}: {heard}");
        }
    }
}
