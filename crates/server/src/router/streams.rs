//! Streams: they open sessions or ask for lobbies. The shard that accepted a stream may not be the one that its session
//! lives on; then what is said over it travels in parcels.

use std::collections::{BTreeSet, HashMap};

use protocol::{End, StreamUse};

use super::{Location, Message, Newcomer, Rate, RatedSender, Route, Router, RouterEvent, StreamNews};
use crate::{
    counters::Drop,
    directory::{Asker, Assignment},
    outgoing::Context,
    peer::{PeerKey, StreamId, StreamRef},
};

/// Streams that sessions were opened by, or are to be.
#[derive(Default)]
pub(super) struct SessionStreams {
    peers: HashMap<StreamId, PeerKey>,
    /// Those whose peers have connected again, until their earlier sessions have ended.
    retrying: BTreeSet<StreamId>,
}

impl Router {
    /// A peer opened a stream at a dialect's door.
    pub fn stream_opened(&mut self, cx: &mut Context, peer: PeerKey, stream: StreamId) {
        if self.bans.contain(peer.ip()) {
            cx.out.count_drop(peer.dialect(), Drop::Banned);
            return cx.out.close_stream(stream);
        }
        let may_come = |rate| self.directory.rates().admit(cx.now, RatedSender::Connected(peer.ip()), rate, 1);
        match peer.dialect().entry().stream {
            // A link is not one of bare TCP.
            StreamUse::None | StreamUse::Link(_) => cx.out.close_stream(stream),
            StreamUse::Desk(open) if may_come(Rate::Sessions) => self.desks.add(peer, stream, open(cx.now)),
            StreamUse::OpensSession if may_come(Rate::Joins) => {
                self.session_streams.peers.insert(stream, peer);
                self.ask_for_seat(cx, peer, stream);
            }
            StreamUse::Desk(_) | StreamUse::OpensSession => turn_away(cx, peer, stream, Drop::RateLimited),
        }
    }

    /// Bytes arrived over a stream. The location of its session, if that is in a lobby of this shard.
    pub fn stream_bytes(&mut self, cx: &mut Context, stream: StreamId, bytes: &[u8]) -> Option<Location> {
        if let Some(peer) = self.session_streams.peers.get(&stream).copied()
            && !self.directory.rates().admit(cx.now, RatedSender::Connected(peer.ip()), Rate::Bytes, bytes.len())
        {
            cx.out.count_drop(peer.dialect(), Drop::RateLimited);
            cx.out.close_stream(stream);
            return None;
        }
        match self.routes.stream(stream) {
            Some(Route::Lobby(location)) => return Some(location),
            Some(Route::Shard(shard)) => {
                cx.out.stream_news(shard, stream, StreamNews::Bytes(bytes.into()));
            }
            // What comes over a link is numbered and comes in pieces.
            Some(Route::Outside(_)) => {}
            None => self.desk_bytes(cx, stream, bytes),
        }
        None
    }

    /// Whether there is something to say over a stream whose other end says no more.
    pub fn is_stream_open(&self, stream: StreamId) -> bool {
        self.routes.stream(stream).is_some() || self.session_streams.retrying.contains(&stream)
    }

    /// A stream was closed. The location of its session, if that is in a lobby of this shard.
    pub fn stream_closed(&mut self, cx: &mut Context, stream: StreamId) -> Option<Location> {
        self.desks.forget(stream);
        self.session_streams.peers.remove(&stream);
        self.session_streams.retrying.remove(&stream);
        match self.routes.remove_stream(stream)? {
            Route::Lobby(location) => Some(location),
            Route::Shard(shard) => {
                cx.out.stream_news(shard, stream, StreamNews::Closed);
                None
            }
            Route::Outside(_) => None,
        }
    }

    fn ask_for_seat(&mut self, cx: &mut Context, peer: PeerKey, stream: StreamId) {
        if self.directory.recent_peers().is_kept_out(cx.now, peer) {
            cx.out.count_drop(peer.dialect(), Drop::Banned);
            return cx.out.close_stream(stream);
        }
        let mut directory = self.directory.lock();
        let assignment = directory.seat(Asker { now: cx.now, shard: self.shard, peer, is_proved: true });
        if let Assignment::New(_) = assignment {
            self.directory.recent_peers().await_claim(cx.now, peer);
        }
        let has_moved = directory.has_moved(peer);
        let evicted = directory.take_evicted();
        drop(directory);
        self.tell_evicted(cx, evicted);
        let reference = StreamRef { id: stream, home: self.shard };
        match assignment {
            Assignment::New(seat) => {
                if seat.shard != self.shard {
                    self.routes.set_stream(stream, Route::Shard(seat.shard));
                }
                let (name, stream) = (String::new(), Some(reference));
                let (first_datagram, stream_bytes, via) = (None, 0, self.shard);
                self.send_newcomer(cx, Newcomer { peer, seat, name, first_datagram, stream, stream_bytes, via });
            }
            // A peer that connects from the address and port of a session has connected again: its system would not have let
            // it, were the connection that opened the session still its own. That session is over, and it asks again.
            Assignment::Known(shard) if !has_moved => {
                self.session_streams.retrying.insert(stream);
                if shard == self.shard {
                    self.end_for_stream(cx, peer, reference);
                } else {
                    cx.out.message(shard, Message::EndForStream { peer, stream: reference });
                }
            }
            // Full, or a datagram from that address claimed another's session: closed without a word.
            Assignment::Full | Assignment::AskAgain | Assignment::Known(_) => {
                turn_away(cx, peer, stream, Drop::Full);
            }
            Assignment::ShareTaken => turn_away(cx, peer, stream, Drop::ShareTaken),
        }
    }

    /// The peer of a session of this shard has connected again: the session ends, and the stream may ask again.
    pub(super) fn end_for_stream(&mut self, cx: &mut Context, peer: PeerKey, stream: StreamRef) {
        let is_here = matches!(self.routes.peer(peer), Some(Route::Lobby(_)));
        if !is_here && stream.home == self.shard {
            // The session is still on its way here.
            self.session_streams.retrying.remove(&stream.id);
            return turn_away(cx, peer, stream.id, Drop::Full);
        }
        self.events.push_back(RouterEvent::End(peer, End::Left));
        self.events.push_back(RouterEvent::RetryStream(peer, stream));
    }

    /// The earlier session of a stream's peer is over. The stream may be another shard's.
    pub fn retry_stream(&mut self, cx: &mut Context, peer: PeerKey, stream: StreamRef) {
        if stream.home != self.shard {
            return cx.out.message(stream.home, Message::RetryStream { peer, stream });
        }
        // The peer may have closed it meanwhile.
        if !self.session_streams.retrying.remove(&stream.id) {
            return;
        }
        match self.routes.peer(peer) {
            // It asks once more, not for ever.
            Some(Route::Lobby(_)) => turn_away(cx, peer, stream.id, Drop::Full),
            _ => self.ask_for_seat(cx, peer, stream.id),
        }
    }
}

fn turn_away(cx: &mut Context, peer: PeerKey, stream: StreamId, why: Drop) {
    cx.out.count_drop(peer.dialect(), why);
    cx.out.close_stream(stream);
}
