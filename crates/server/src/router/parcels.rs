//! What shards hand each other: datagrams of players who live elsewhere, and the few things that must be said about them.
//!
//! Parcels from one shard to another arrive in order. Only datagrams may be lost on the way, as in any network.

use protocol::{DeskAnswer, Dialect, LobbyId, Token};

use crate::{
    directory::{DatagramHash, SeatKey},
    peer::{PeerKey, ShardId, StreamId, StreamRef},
    session::{Session, StreamPiece, UnreachableHint},
};

/// Datagrams up to this many bytes are handed over without allocating. What players send is shorter.
const SHORT_MAX_BYTES: usize = 190;

/// The bytes of a datagram that are kept for later or handed to another shard.
pub(crate) struct KeptBytes(Bytes);

enum Bytes {
    Short([u8; SHORT_MAX_BYTES], u8),
    Long(Box<[u8]>),
}

impl KeptBytes {
    pub fn new(bytes: &[u8]) -> KeptBytes {
        let mut short = [0; SHORT_MAX_BYTES];
        match short.get_mut(..bytes.len()) {
            Some(place) => {
                place.copy_from_slice(bytes);
                KeptBytes(Bytes::Short(short, bytes.len() as u8))
            }
            None => KeptBytes(Bytes::Long(bytes.into())),
        }
    }

    pub fn as_slice(&self) -> &[u8] {
        match &self.0 {
            Bytes::Short(short, length) => &short[..usize::from(*length)],
            Bytes::Long(long) => long,
        }
    }
}

/// What one shard hands another.
pub struct Parcel(pub(crate) Content);

pub(crate) enum Content {
    /// A datagram of a player of yours.
    Datagram(PeerKey, KeptBytes),
    /// Something about the stream of a player of yours.
    Stream(StreamId, StreamNews),
    Message(Message),
}

/// What happens to a stream.
pub(crate) enum StreamNews {
    /// Bytes came over it.
    Bytes(Box<[u8]>),
    /// It is a link's, and a piece of it came.
    Piece(StreamPiece),
    Closed,
}

impl Parcel {
    pub(crate) fn datagram(peer: PeerKey, bytes: &[u8]) -> Parcel {
        Parcel(Content::Datagram(peer, KeptBytes::new(bytes)))
    }

    /// Whether the node works on if it gets lost.
    pub fn may_be_lost(&self) -> bool {
        self.dialect().is_some()
    }

    /// The dialect of the datagram that it holds, if it holds one.
    pub fn dialect(&self) -> Option<Dialect> {
        match &self.0 {
            Content::Datagram(peer, _) => Some(peer.dialect()),
            Content::Stream(..) | Content::Message(_) => None,
        }
    }
}

/// What one shard tells another.
pub(crate) enum Message {
    /// A player was given a seat in a lobby of yours.
    Seat(Box<Newcomer>),
    /// The session that you knew the way to is over.
    Forget(PeerKey),
    /// Somebody says that nobody listens at a player's address any more (ruling C6).
    Unreachable(PeerKey, UnreachableHint),
    /// A player of yours has another address (ruling A2).
    Move { from: PeerKey, to: PeerKey },
    /// The peer of a player of yours has connected again, over a stream of mine.
    EndForStream { peer: PeerKey, stream: StreamRef },
    /// That session is over: the stream may ask for a seat again.
    RetryStream { peer: PeerKey, stream: StreamRef },
    /// A desk asks for the port of a lobby of yours.
    PortWanted(PortRequest),
    /// What a desk of yours asked.
    Answer { desk: StreamId, answer: DeskAnswer },
    /// Send this down a stream of yours.
    SendStream { stream: StreamId, bytes: Box<[u8]> },
    /// Close a stream of yours.
    CloseStream { stream: StreamId },
    /// A lobby of yours had to make room. The directory has it no longer.
    DropLobby(LobbyId),
    /// Somebody asks for a seat in a lobby of yours whose game is over.
    SeatWanted(LobbyId),
    /// The session of a link goes to a lobby of yours, or comes home to you.
    Session(Box<MovingSession>),
    /// A session that was sent home has arrived: there is no more to send on.
    ForgetLink { link: StreamId, peer: PeerKey },
}

/// A player who was given a seat.
pub(crate) struct Newcomer {
    pub peer: PeerKey,
    pub seat: SeatKey,
    pub name: String,
    /// The datagram that asked for the seat; none where a stream did.
    pub first_datagram: Option<DatagramHash>,
    pub stream: Option<StreamRef>,
    /// What its address has sent over a stream before.
    pub stream_bytes: u64,
    /// The shard that was asked.
    pub via: ShardId,
}

/// What a desk asks of the shard that a lobby lives on.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PortRequest {
    pub lobby: LobbyId,
    pub dialect: Dialect,
    pub desk: StreamRef,
    /// Whether the lobby was made for it.
    pub is_new: bool,
}

/// A link's session on its way to where it wants to be.
pub(crate) struct MovingSession {
    pub session: Box<Session>,
    pub destination: LinkDestination,
    /// The shard that it comes from.
    pub via: ShardId,
}

/// Where a link's session wants to be.
#[derive(Clone, Copy)]
pub(crate) enum LinkDestination {
    /// In no lobby: at home.
    Outside,
    Seat(SeatKey, Token),
    Watch(LobbyId),
}
