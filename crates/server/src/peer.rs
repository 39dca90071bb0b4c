//! How peers, their streams and the shards of a node are named.

use std::net::{IpAddr, SocketAddr};

use protocol::{Dialect, StreamUse, amplification::is_local};

/// A place at which the node can be reached by datagrams.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Endpoint {
    Door(Dialect),
    /// The port of one lobby, in a dialect that has such ports.
    Lobby(Dialect, u16),
    /// One link, in a dialect that has such.
    Link(Dialect, StreamId),
}

impl Endpoint {
    /// The dialect that is spoken there.
    pub fn dialect(self) -> Dialect {
        match self {
            Endpoint::Door(dialect) | Endpoint::Lobby(dialect, _) | Endpoint::Link(dialect, _) => dialect,
        }
    }
}

/// A peer: its address, the endpoint that it speaks to, and how it gets there. Whoever takes another way is another peer, so
/// nobody can speak for a neighbour from outside.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct PeerKey {
    /// Where it reaches the node.
    pub endpoint: Endpoint,
    /// Where the node reaches it.
    pub address: SocketAddr,
    /// The address of ours that it speaks to, where the node has several: its answers leave from there.
    pub local: Option<IpAddr>,
    /// Whether it comes from one of the host's own networks, so that its address need not be proved (ruling C5).
    pub is_neighbour: bool,
}

impl PeerKey {
    /// A peer of a node with one address. It is a neighbour if its address is a private one.
    pub fn new(endpoint: Endpoint, address: SocketAddr) -> PeerKey {
        PeerKey { endpoint, address, local: None, is_neighbour: is_local(address.ip()) }
    }

    /// A peer at a dialect's door.
    pub fn at_door(dialect: Dialect, address: SocketAddr) -> PeerKey {
        PeerKey::new(Endpoint::Door(dialect), address)
    }

    /// A peer at the other end of a link.
    pub fn at_link(dialect: Dialect, link: StreamId, address: SocketAddr) -> PeerKey {
        PeerKey::new(Endpoint::Link(dialect, link), address)
    }

    /// The dialect that it speaks.
    pub fn dialect(self) -> Dialect {
        self.endpoint.dialect()
    }

    /// Whether nothing that it says proves its address: it may be anybody's (ruling C5).
    pub(crate) fn is_unproved(self) -> bool {
        matches!(self.endpoint, Endpoint::Door(dialect) if matches!(dialect.entry().stream, StreamUse::None))
    }

    /// Its address without the port.
    pub fn ip(self) -> IpAddr {
        self.address.ip()
    }
}

/// The name of a stream connection or of a link, given by whatever accepted it and never used twice.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct StreamId(pub u64);

/// A stream, and the shard that accepted it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct StreamRef {
    pub id: StreamId,
    pub home: ShardId,
}

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
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct ShardSet(u64);

impl ShardSet {
    pub fn of(shard: ShardId) -> ShardSet {
        ShardSet(1 << (shard.0 % 64))
    }

    pub fn insert(&mut self, shard: ShardId) {
        self.0 |= ShardSet::of(shard).0;
    }

    pub fn without(self, shard: ShardId) -> ShardSet {
        ShardSet(self.0 & !ShardSet::of(shard).0)
    }

    pub fn iter(self) -> impl Iterator<Item = ShardId> {
        (0..64).filter(move |number| self.0 >> number & 1 == 1).map(ShardId)
    }
}
