//! Links: connections that are there before their seat, and choose their lobby themselves.
//!
//! The shard that a link came to is its home: all that the peer says passes through it. The session lives there until it
//! goes to a lobby of another shard, which sends over the link itself, and comes back when it leaves that lobby.

use protocol::{End, LobbyNotice, Refusal};

use super::{
    LinkDestination, Location, Message, MovingSession, Rate, RatedSender, Route, Router, RouterEvent, StreamNews,
    outside::guarded,
};
use crate::{
    counters::Drop,
    outgoing::Context,
    peer::{PeerKey, StreamId, StreamRef},
    session::{Session, StreamPiece},
};

/// A link, as its home knows it.
pub(super) struct HomeLink {
    peer: PeerKey,
    /// How many pieces of its stream there were.
    pieces: u32,
    /// Whether its address sent too much, and what its peer still says over the stream is not heard.
    is_cut: bool,
}

impl Router {
    pub fn link_opened(&mut self, cx: &mut Context, peer: PeerKey, link: StreamId) {
        if self.bans.contain(peer.ip()) {
            cx.out.count_drop(peer.dialect(), Drop::Banned);
            return cx.out.close_stream(link);
        }
        let stream = StreamRef { id: link, home: self.shard };
        let Some(session) = Session::for_link(cx, peer, stream) else { return cx.out.close_stream(link) };
        self.links.insert(link, HomeLink { peer, pieces: 0, is_cut: false });
        self.admit_outside(cx, Box::new(session));
    }

    /// Numbers the next bytes of a link's stream; no bytes say that it is closed. None: there is no such link, or its address sends too
    /// much, and it is being closed.
    pub fn next_piece(&mut self, cx: &mut Context, link: StreamId, bytes: &[u8]) -> Option<StreamPiece> {
        let home = self.links.get_mut(&link)?;
        let sender = RatedSender::Connected(home.peer.ip());
        if !home.is_cut && !self.directory.rates().admit(cx.now, sender, Rate::Bytes, bytes.len()) {
            home.is_cut = true;
            cx.out.count_drop(home.peer.dialect(), Drop::RateLimited);
            cx.out.close_stream(link);
        }
        if home.is_cut && !bytes.is_empty() {
            return None;
        }
        let number = home.pieces;
        home.pieces += 1;
        Some(StreamPiece { number, bytes: bytes.into() })
    }

    /// A piece of a link's stream. If its session is in a lobby of this shard, it comes back with the location.
    pub fn link_piece(
        &mut self,
        cx: &mut Context,
        link: StreamId,
        piece: StreamPiece,
    ) -> Option<(Location, StreamPiece)> {
        match self.routes.stream(link)? {
            Route::Lobby(location) => return Some((location, piece)),
            Route::Outside(key) => self.outside_piece(cx, key, piece),
            Route::Shard(shard) => cx.out.stream_news(shard, link, StreamNews::Piece(piece)),
        }
        None
    }

    /// A link is gone, and its last piece was delivered. Where its session lives elsewhere, that shard hears of it by the piece.
    pub fn link_closed(&mut self, link: StreamId) {
        if let Some(home) = self.links.remove(&link) {
            self.routes.forget_shard_of(home.peer);
        }
    }

    /// The session of a link cannot get to where it wanted: it goes home, and is told why.
    pub fn turn_back(&mut self, cx: &mut Context, moving: MovingSession, refusal: Refusal) {
        let MovingSession { mut session, destination, .. } = moving;
        let now = cx.now;
        let told = guarded(|| session.notify(now, &LobbyNotice::Refused(refusal)));
        if told.is_none() {
            return self.session_ended(cx, session);
        }
        self.session_left(cx, session, matches!(destination, LinkDestination::Seat(..)));
    }

    /// A session left its lobby, but not the node: it goes home.
    pub(super) fn session_left(&mut self, cx: &mut Context, session: Box<Session>, had_seat: bool) {
        let Some(stream) = session.stream else { return self.session_ended(cx, session) };
        if had_seat {
            let routes = self.directory.lock().leave(session.peer);
            // The home of a link keeps its way to it: the session is still there.
            self.routes.spread_forget(cx.out, session.peer, routes.without(stream.home));
        }
        if stream.home == self.shard {
            return self.admit_outside(cx, session);
        }
        let moving = MovingSession { session, destination: LinkDestination::Outside, via: self.shard };
        self.send_away(cx, stream.home, moving);
    }

    /// The session of a link has come to where it wanted to go.
    pub(super) fn session_arrives(&mut self, cx: &mut Context, moving: MovingSession) {
        let (peer, via) = (moving.session.peer, moving.via);
        let Some(stream) = moving.session.stream else { return };
        if stream.home != self.shard {
            cx.out.borrow_link(stream.id);
        } else if via != self.shard {
            // All that was on its way to that shard has been sent on by the time that this arrives.
            cx.out.message(via, Message::ForgetLink { link: stream.id, peer });
        }
        match moving.destination {
            // The peer may have been banned while its session was on its way.
            _ if self.bans.contain(peer.ip()) => self.end_on_the_way(cx, moving.session, End::Closed),
            LinkDestination::Outside => self.admit_outside(cx, moving.session),
            LinkDestination::Seat(..) | LinkDestination::Watch(_) => {
                self.events.push_back(RouterEvent::Enter(Box::new(moving)));
            }
        }
    }

    fn end_on_the_way(&mut self, cx: &mut Context, mut session: Box<Session>, why: End) {
        guarded(|| {
            session.end(cx.now, why);
            session.flush(cx)
        });
        self.session_ended(cx, session);
    }
}
