//! Where bytes belong: by peer for datagrams, by stream for streams. The only ways from outside to a session.

use std::collections::HashMap;

use super::Message;
use crate::{
    lobby::{LobbyKey, MemberKey},
    outgoing::Outgoing,
    peer::{PeerKey, ShardId, ShardSet, StreamId},
};

/// Where a session in a lobby is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Location {
    pub lobby: LobbyKey,
    pub member: MemberKey,
}

/// A link's session that is in no lobby.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct OutsideKey(pub usize);

/// Where bytes belong.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Route {
    /// To a session in a lobby of this shard.
    Lobby(Location),
    /// To a link's session that is in no lobby.
    Outside(OutsideKey),
    /// To another shard.
    Shard(ShardId),
}

/// All routes of a shard.
pub(super) struct Routes {
    shard: ShardId,
    peers: HashMap<PeerKey, PeerRoute>,
    streams: HashMap<StreamId, Route>,
}

struct PeerRoute {
    route: Route,
    /// Whether no datagram has come from there yet: a stream opened the session (ruling A2).
    is_unclaimed: bool,
}

impl Routes {
    pub fn new(shard: ShardId) -> Routes {
        Routes { shard, peers: HashMap::new(), streams: HashMap::new() }
    }

    pub fn peer_count(&self) -> usize {
        self.peers.len()
    }

    pub fn stream_count(&self) -> usize {
        self.streams.len()
    }

    pub fn peer(&self, peer: PeerKey) -> Option<Route> {
        self.peers.get(&peer).map(|known| known.route)
    }

    /// The route of a datagram that has come, and whether it is the first of a session that awaited one.
    pub fn claim(&mut self, peer: PeerKey) -> Option<(Route, bool)> {
        let known = self.peers.get_mut(&peer)?;
        Some((known.route, std::mem::take(&mut known.is_unclaimed)))
    }

    pub fn set_peer(&mut self, peer: PeerKey, route: Route) {
        self.peers.insert(peer, PeerRoute { route, is_unclaimed: false });
    }

    /// Keeps the way to a player of another shard in mind.
    pub fn learn(&mut self, peer: PeerKey, shard: ShardId) {
        if shard != self.shard {
            self.set_peer(peer, Route::Shard(shard));
        }
    }

    /// Tells the shards that know the way to a peer that there is none any more.
    pub fn spread_forget(&mut self, out: &mut Outgoing, peer: PeerKey, shards: ShardSet) {
        for shard in shards.without(self.shard).iter() {
            out.message(shard, Message::Forget(peer));
        }
        self.forget_shard_of(peer);
    }

    /// The route of a session that a stream opened, and whose peer has sent no datagram yet.
    pub fn set_unclaimed(&mut self, peer: PeerKey, route: Route) {
        self.peers.insert(peer, PeerRoute { route, is_unclaimed: true });
    }

    /// Removes a route. Whether its session still awaited its first datagram.
    pub fn remove_peer(&mut self, peer: PeerKey) -> bool {
        self.peers.remove(&peer).is_some_and(|known| known.is_unclaimed)
    }

    /// Removes the route to another shard, if that is where it leads.
    pub fn forget_shard_of(&mut self, peer: PeerKey) {
        if let Some(Route::Shard(_)) = self.peer(peer) {
            self.peers.remove(&peer);
        }
    }

    pub fn stream(&self, stream: StreamId) -> Option<Route> {
        self.streams.get(&stream).copied()
    }

    pub fn set_stream(&mut self, stream: StreamId, route: Route) {
        self.streams.insert(stream, route);
    }

    pub fn remove_stream(&mut self, stream: StreamId) -> Option<Route> {
        self.streams.remove(&stream)
    }

    /// Removes the route of a stream to another shard, if that is where it leads.
    pub fn forget_shard_of_stream(&mut self, stream: StreamId) {
        if let Some(Route::Shard(_)) = self.stream(stream) {
            self.streams.remove(&stream);
        }
    }
}
