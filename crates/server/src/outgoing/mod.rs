//! The queue of everything that a shard wants done: what its lobbies and its router append, and the shell takes out.
//!
//! Bytes lie one after the other in one buffer that is used again, with a short description of each in the queue. So a datagram
//! costs a copy and no allocation. Nothing here calls anything.

mod unproved_budget;

use std::collections::VecDeque;

use protocol::{Dialect, LobbyId, Time};

pub(crate) use unproved_budget::{BudgetMember, UnprovedBudget};

use crate::{
    counters::{Counters, Drop},
    lobby::Record,
    peer::{PeerKey, ShardId, StreamId, StreamRef},
    recordings::RecordingPiece,
    router::{Content, Message, Parcel, StreamNews},
};

/// Something that a shard wants done.
pub enum Effect<'a> {
    /// Send a datagram, from the endpoint that the peer speaks to. It may be lost.
    SendDatagram { peer: PeerKey, bytes: &'a [u8] },
    /// Send bytes down a stream, or down that of a link.
    SendStream {
        /// Which one.
        stream: StreamId,
        bytes: &'a [u8],
    },
    /// Close a stream or a link once what was sent before has left.
    CloseStream(StreamId),
    /// Listen for datagrams at a lobby's port, and tell the core with [`Core::port_opened`] whether that worked.
    ///
    /// [`Core::port_opened`]: crate::core::Core::port_opened
    OpenPort {
        /// What is spoken there.
        dialect: Dialect,
        port: u16,
    },
    /// Listen at a lobby's port no longer.
    ClosePort(u16),
    /// Hand a parcel to another shard. One that [`Parcel::may_be_lost`] may be dropped; the core is then told with
    /// [`Core::note_lost`].
    ///
    /// [`Core::note_lost`]: crate::core::Core::note_lost
    HandOver {
        /// To which shard.
        to: ShardId,
        parcel: Parcel,
    },
    /// From now on this shard sends over a link whose home is another one.
    BorrowLink(StreamId),
    /// It does so no longer.
    ReturnLink(StreamId),
    /// Keep what became of a game.
    Record(Box<Record>),
    /// Keep a piece of a recorded game.
    Recording(Box<RecordingPiece>),
    /// Keep a lobby as it is, so that the next process of the node can go on with it; or, without bytes, forget it.
    Save(LobbyId, Option<Vec<u8>>),
}

/// The time, and where what is to leave goes: passed along wherever something may be said.
pub(crate) struct Context<'o> {
    pub now: Time,
    pub out: &'o mut Outgoing,
}

pub(crate) struct Outgoing {
    shard: ShardId,
    items: VecDeque<QueuedEffect>,
    bytes: Vec<u8>,
    /// Where a session writes what it has to say, before it is known whether that may be sent.
    pub buffer: Vec<u8>,
    pub budget: UnprovedBudget,
    pub counters: Counters,
}

/// Where the bytes of an item are.
#[derive(Clone, Copy)]
struct Span {
    start: u32,
    length: u32,
}

enum QueuedEffect {
    Datagram(PeerKey, Span),
    Stream(StreamId, Span),
    CloseStream(StreamId),
    OpenPort(Dialect, u16),
    ClosePort(u16),
    DatagramFor(ShardId, PeerKey, Span),
    ContentFor(ShardId, Box<Content>),
    BorrowLink(StreamId),
    ReturnLink(StreamId),
    Record(Box<Record>),
    Recording(Box<RecordingPiece>),
    Save(LobbyId, Option<Vec<u8>>),
}

impl Outgoing {
    pub fn new(shard: ShardId, budget: UnprovedBudget) -> Outgoing {
        Outgoing {
            shard,
            items: VecDeque::new(),
            bytes: Vec::new(),
            buffer: Vec::with_capacity(2048),
            budget,
            counters: Counters::default(),
        }
    }

    /// Takes out the next thing to be done.
    pub fn poll(&mut self) -> Option<Effect<'_>> {
        let Some(item) = self.items.pop_front() else {
            self.bytes.clear();
            return None;
        };
        let bytes = &self.bytes;
        Some(match item {
            QueuedEffect::Datagram(peer, span) => Effect::SendDatagram { peer, bytes: span.of(bytes) },
            QueuedEffect::Stream(stream, span) => Effect::SendStream { stream, bytes: span.of(bytes) },
            QueuedEffect::CloseStream(stream) => Effect::CloseStream(stream),
            QueuedEffect::OpenPort(dialect, port) => Effect::OpenPort { dialect, port },
            QueuedEffect::ClosePort(port) => Effect::ClosePort(port),
            QueuedEffect::DatagramFor(to, peer, span) => {
                Effect::HandOver { to, parcel: Parcel::datagram(peer, span.of(bytes)) }
            }
            QueuedEffect::ContentFor(to, content) => Effect::HandOver { to, parcel: Parcel(*content) },
            QueuedEffect::BorrowLink(link) => Effect::BorrowLink(link),
            QueuedEffect::ReturnLink(link) => Effect::ReturnLink(link),
            QueuedEffect::Record(record) => Effect::Record(record),
            QueuedEffect::Recording(piece) => Effect::Recording(piece),
            QueuedEffect::Save(lobby, bytes) => Effect::Save(lobby, bytes),
        })
    }

    /// Sends a datagram.
    pub fn datagram(&mut self, peer: PeerKey, bytes: &[u8]) {
        let span = append(&mut self.bytes, bytes);
        self.items.push_back(QueuedEffect::Datagram(peer, span));
    }

    /// Sends what a session wrote into the buffer, and counts it.
    pub fn written_datagram(&mut self, peer: PeerKey) {
        let counters = self.counters.of(peer.dialect());
        counters.datagrams_out += 1;
        counters.bytes_out += self.buffer.len() as u64;
        let span = append(&mut self.bytes, &self.buffer);
        self.items.push_back(QueuedEffect::Datagram(peer, span));
    }

    /// Sends what was written into the buffer down a stream that is at hand.
    pub fn written_bytes(&mut self, stream: StreamId) {
        let span = append(&mut self.bytes, &self.buffer);
        self.items.push_back(QueuedEffect::Stream(stream, span));
    }

    /// Sends bytes down a stream that is at hand.
    pub fn stream(&mut self, stream: StreamId, bytes: &[u8]) {
        let span = append(&mut self.bytes, bytes);
        self.items.push_back(QueuedEffect::Stream(stream, span));
    }

    /// Sends what was written into the buffer down a stream, wherever that is.
    pub fn written_bytes_home(&mut self, stream: StreamRef) {
        if stream.home == self.shard {
            self.written_bytes(stream.id);
        } else {
            let bytes = self.buffer.as_slice().into();
            self.message(stream.home, Message::SendStream { stream: stream.id, bytes });
        }
    }

    /// Closes a stream or a link that was accepted here.
    pub fn close_stream(&mut self, stream: StreamId) {
        self.items.push_back(QueuedEffect::CloseStream(stream));
    }

    /// Closes a stream or a link, wherever it was accepted.
    pub fn close_stream_home(&mut self, stream: StreamRef) {
        if stream.home == self.shard {
            self.close_stream(stream.id);
        } else {
            self.return_link(stream.id);
            self.message(stream.home, Message::CloseStream { stream: stream.id });
        }
    }

    pub fn open_port(&mut self, dialect: Dialect, port: u16) {
        self.items.push_back(QueuedEffect::OpenPort(dialect, port));
    }

    pub fn close_port(&mut self, port: u16) {
        self.items.push_back(QueuedEffect::ClosePort(port));
    }

    /// Hands a datagram to the shard that its peer's session is on.
    pub fn datagram_for(&mut self, to: ShardId, peer: PeerKey, bytes: &[u8]) {
        self.counters.handovers += 1;
        let span = append(&mut self.bytes, bytes);
        self.items.push_back(QueuedEffect::DatagramFor(to, peer, span));
    }

    /// Tells another shard something.
    pub fn message(&mut self, to: ShardId, message: Message) {
        self.items.push_back(QueuedEffect::ContentFor(to, Box::new(Content::Message(message))));
    }

    /// Tells another shard what happened to the stream of a session of that shard.
    pub fn stream_news(&mut self, to: ShardId, stream: StreamId, news: StreamNews) {
        self.items.push_back(QueuedEffect::ContentFor(to, Box::new(Content::Stream(stream, news))));
    }

    pub fn borrow_link(&mut self, link: StreamId) {
        self.items.push_back(QueuedEffect::BorrowLink(link));
    }

    pub fn return_link(&mut self, link: StreamId) {
        self.items.push_back(QueuedEffect::ReturnLink(link));
    }

    pub fn record(&mut self, record: Record) {
        self.items.push_back(QueuedEffect::Record(Box::new(record)));
    }

    pub fn recording(&mut self, piece: RecordingPiece) {
        self.items.push_back(QueuedEffect::Recording(Box::new(piece)));
    }

    pub fn save(&mut self, lobby: LobbyId, bytes: Vec<u8>) {
        self.items.push_back(QueuedEffect::Save(lobby, Some(bytes)));
    }

    pub fn forget_save(&mut self, lobby: LobbyId) {
        self.items.push_back(QueuedEffect::Save(lobby, None));
    }

    /// Counts something that went nowhere.
    pub fn count_drop(&mut self, dialect: Dialect, why: Drop) {
        self.counters.drop_many(dialect, why, 1);
    }
}

impl Span {
    fn of(self, bytes: &[u8]) -> &[u8] {
        let start = self.start as usize;
        &bytes[start..start + self.length as usize]
    }
}

fn append(all: &mut Vec<u8>, bytes: &[u8]) -> Span {
    let start = all.len() as u32;
    all.extend_from_slice(bytes);
    Span { start, length: bytes.len() as u32 }
}

#[cfg(test)]
mod tests {
    use std::{
        net::SocketAddr,
        sync::{Arc, atomic::AtomicUsize},
    };

    use super::*;

    fn outgoing() -> Outgoing {
        let budget = UnprovedBudget::new(Time::from_micros(0), 0, Arc::new(AtomicUsize::new(0)));
        Outgoing::new(ShardId(0), budget)
    }

    #[test]
    fn what_is_taken_out_is_what_was_appended_in_order_and_the_memory_is_used_again() {
        let mut out = outgoing();
        let peer = PeerKey::at_door(Dialect::Aecs, SocketAddr::from(([127, 0, 0, 1], 7)));
        for _ in 0..3 {
            out.datagram(peer, b"first");
            out.stream(StreamId(1), b"second");
            out.datagram_for(ShardId(1), peer, b"third");
            out.close_stream(StreamId(1));
            assert!(matches!(out.poll(), Some(Effect::SendDatagram { bytes: b"first", .. })));
            assert!(matches!(out.poll(), Some(Effect::SendStream { bytes: b"second", .. })));
            let Some(Effect::HandOver { to: ShardId(1), parcel }) = out.poll() else { panic!("a parcel") };
            assert!(parcel.may_be_lost());
            assert!(matches!(out.poll(), Some(Effect::CloseStream(StreamId(1)))));
            assert!(out.poll().is_none());
            assert!(out.bytes.is_empty() && out.items.is_empty());
        }
    }

    #[test]
    fn what_is_for_a_stream_of_another_shard_goes_there() {
        let mut out = outgoing();
        let stream = StreamRef { id: StreamId(5), home: ShardId(2) };
        out.buffer.extend_from_slice(b"hello");
        out.written_bytes_home(stream);
        out.close_stream_home(stream);
        assert!(matches!(out.poll(), Some(Effect::HandOver { to: ShardId(2), .. })));
        assert!(matches!(out.poll(), Some(Effect::ReturnLink(StreamId(5)))));
        assert!(matches!(out.poll(), Some(Effect::HandOver { to: ShardId(2), .. })));
        assert!(out.poll().is_none());
    }
}
