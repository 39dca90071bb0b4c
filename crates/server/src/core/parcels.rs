//! What shards hand each other: datagrams of players who live elsewhere, and the few things that must be said about them.
//!
//! Parcels from one shard to another arrive in order. Only datagrams may be lost on the way, as in any network.

use std::net::SocketAddr;

use protocol::{Answer, Channel, Dialect, End, LobbyId, Time};

use super::{
    Core, Endpoint, Outbox, Route, StreamId, directory::Place, links::Guest, recollection::Fingerprint, streams::Line,
};

/// The number of a shard, from 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ShardId(pub u8);

impl ShardId {
    /// Shards of a node, at most.
    pub const COUNT_MAX: usize = 64;

    /// Its place in a table of shards.
    pub fn index(self) -> usize {
        self.0.into()
    }

    pub(super) fn bit(self) -> u64 {
        1 << (self.0 % 64)
    }

    /// The shards whose bits are set.
    pub(super) fn all_in(bits: u64) -> impl Iterator<Item = ShardId> {
        (0..64).filter(move |number| bits >> number & 1 == 1).map(ShardId)
    }
}

/// Datagrams up to this many bytes are handed over without allocating. What players send is shorter.
const SHORT_MAX_BYTES: usize = 190;

/// The bytes of a datagram on their way to another shard.
pub struct Carried(Bytes);

enum Bytes {
    Short([u8; SHORT_MAX_BYTES], u8),
    Long(Box<[u8]>),
}

impl Carried {
    pub(super) fn new(bytes: &[u8]) -> Carried {
        let mut short = [0; SHORT_MAX_BYTES];
        match short.get_mut(..bytes.len()) {
            Some(place) => {
                place.copy_from_slice(bytes);
                Carried(Bytes::Short(short, bytes.len() as u8))
            }
            None => Carried(Bytes::Long(bytes.into())),
        }
    }

    pub(super) fn as_slice(&self) -> &[u8] {
        match &self.0 {
            Bytes::Short(short, length) => &short[..usize::from(*length)],
            Bytes::Long(long) => long,
        }
    }
}

/// What one shard hands another.
pub struct Parcel(pub(super) Content);

impl Parcel {
    /// Whether the node works on if it gets lost.
    pub fn may_be_lost(&self) -> bool {
        matches!(self.0, Content::Datagram { .. })
    }
}

pub(super) enum Content {
    /// A datagram of a player of yours.
    Datagram { at: Endpoint, from: SocketAddr, bytes: Carried },
    /// A player was given a seat in a lobby of yours.
    Seat(Box<Newcomer>),
    /// The session that you knew the way to is over.
    Forget { at: Endpoint, from: SocketAddr },
    /// Nobody listens at a player's address any more (ruling C6).
    Unreachable { at: Endpoint, from: SocketAddr },
    /// A player of yours has another address (ruling A2).
    Move { at: Endpoint, from: SocketAddr, to: SocketAddr },
    /// The peer of a player of yours has begun anew over a stream of mine.
    BeginAnew { line: Line, at: Endpoint, from: SocketAddr },
    /// Then the earlier session is over.
    KnockAgain { stream: StreamId, at: Endpoint, from: SocketAddr },
    /// A desk asks for the port of a lobby of yours; `is_new`: which was made for it.
    Ask { desk: Line, dialect: Dialect, id: LobbyId, is_new: bool },
    /// What a desk of yours asked.
    Answer { stream: StreamId, answer: Answer },
    /// Bytes came over the stream of a player of yours.
    StreamBytes { stream: StreamId, bytes: Box<[u8]> },
    /// That stream is closed.
    StreamClosed { stream: StreamId },
    /// Send this down a stream of yours.
    Say { stream: StreamId, bytes: Box<[u8]> },
    /// Close a stream of yours.
    HangUp { stream: StreamId },
    /// The session of a link goes to a lobby of yours, or comes home to you.
    Guest(Box<Guest>),
    /// A session that was sent home has arrived: there is no more to send on.
    ForgetLink { link: StreamId, at: Endpoint, from: SocketAddr },
    /// A numbered piece of a link's stream.
    LinkPiece { link: StreamId, number: u32, bytes: Box<[u8]> },
}

/// A player who was given a seat.
pub(super) struct Newcomer {
    pub at: Endpoint,
    pub from: SocketAddr,
    pub place: Place,
    pub name: String,
    /// The datagram that asked for the seat; none where a stream did.
    pub knock: Option<Fingerprint>,
    pub stream: Option<Line>,
    /// The shard at which they asked.
    pub via: ShardId,
}

impl Core {
    /// Something came from another shard.
    pub fn parcel(&mut self, now: Time, parcel: Parcel, out: &mut dyn Outbox) {
        match parcel.0 {
            Content::Datagram { at, from, bytes } => self.handed_datagram(now, at, from, bytes.as_slice(), out),
            Content::Seat(newcomer) => self.seat_newcomer(now, *newcomer, out),
            Content::Forget { at, from } => self.forget_route(at, from),
            Content::Unreachable { at, from } => self.end_session(now, at, from, End::Unreachable, out),
            Content::Move { at, from, to } => self.move_session(at, from, to),
            Content::BeginAnew { line, at, from } => self.begin_anew(now, line, at, from, out),
            Content::KnockAgain { stream, at, from } => self.knock_again(now, stream, at, from, out),
            Content::Ask { desk, dialect, id, is_new } => {
                let answer = self.answer_here(now, dialect, id, is_new, out);
                out.hand_over(desk.home, Parcel(Content::Answer { stream: desk.stream, answer }));
            }
            Content::Answer { stream, answer } => self.desk_answer(now, stream, answer, out),
            Content::StreamBytes { stream, bytes } => self.stream_bytes(now, stream, &bytes, out),
            Content::StreamClosed { stream } => self.stream_closed(stream, out),
            Content::Say { stream, bytes } => out.stream(stream, &bytes),
            Content::HangUp { stream } => {
                self.streams.remove(&stream);
                out.close(stream);
            }
            Content::Guest(guest) => self.admit(now, *guest, out),
            Content::ForgetLink { link, at, from } => self.forget_way(link, at, from),
            Content::LinkPiece { link, number, bytes } => self.link_piece(now, link, number, bytes, out),
        }
    }

    fn handed_datagram(&mut self, now: Time, at: Endpoint, from: SocketAddr, bytes: &[u8], out: &mut dyn Outbox) {
        match self.routes.get(&(at, from)) {
            Some(&Route::Here(key)) => self.receive(now, key, Channel::Datagram, bytes, out),
            // Its session ended while it was on its way.
            _ => self.stranger(now, at, from, bytes, out),
        }
    }

    pub(super) fn forget_route(&mut self, at: Endpoint, from: SocketAddr) {
        if let Some(Route::Shard(_)) = self.routes.get(&(at, from)) {
            self.routes.remove(&(at, from));
        }
    }
}
