//! Sessions on their way into a lobby, and where they have arrived.

use super::{Location, Message, MovingSession, Newcomer, Route, Router, RouterEvent};
use crate::{
    outgoing::Context,
    peer::{PeerKey, ShardId, ShardSet, StreamRef},
};

impl Router {
    /// Seats a newcomer on the shard that the directory says.
    pub(super) fn send_newcomer(&mut self, cx: &mut Context, newcomer: Newcomer) {
        let shard = newcomer.seat.shard;
        if shard == self.shard {
            self.events.push_back(RouterEvent::Seat(Box::new(newcomer)));
        } else {
            self.routes.learn(newcomer.peer, shard);
            cx.out.message(shard, Message::Seat(Box::new(newcomer)));
        }
    }

    /// The lobby of a newcomer is gone: it broke while they were on their way.
    pub fn newcomer_lost(&mut self, cx: &mut Context, newcomer: &Newcomer) {
        if let Some(stream) = newcomer.stream {
            cx.out.close_stream_home(stream);
        }
        self.routes.spread_forget(cx.out, newcomer.peer, ShardSet::of(newcomer.via));
    }

    /// A player is in a seat of a lobby of this shard now.
    pub fn player_settled(&mut self, newcomer: &Newcomer, location: Location) {
        let route = Route::Lobby(location);
        match newcomer.stream {
            Some(stream) => {
                self.routes.set_unclaimed(newcomer.peer, route);
                self.routes.set_stream(stream.id, route);
            }
            None => self.routes.set_peer(newcomer.peer, route),
        }
    }

    /// The session of a link is in a lobby of this shard now.
    pub fn link_settled(&mut self, peer: PeerKey, stream: Option<StreamRef>, location: Location) {
        self.routes.set_peer(peer, Route::Lobby(location));
        if let Some(stream) = stream {
            self.routes.set_stream(stream.id, Route::Lobby(location));
        }
    }

    /// Lets the session of a link go into a lobby, here or on another shard.
    pub(super) fn send_into_lobby(&mut self, cx: &mut Context, shard: ShardId, moving: MovingSession) {
        if shard == self.shard {
            self.events.push_back(RouterEvent::Enter(Box::new(moving)));
        } else {
            self.send_away(cx, shard, moving);
        }
    }

    /// Hands the session of a link to another shard.
    pub(super) fn send_away(&mut self, cx: &mut Context, shard: ShardId, moving: MovingSession) {
        let Some(stream) = moving.session.stream else { return };
        if stream.home != self.shard {
            cx.out.return_link(stream.id);
        }
        self.routes.set_stream(stream.id, Route::Shard(shard));
        self.routes.set_peer(moving.session.peer, Route::Shard(shard));
        cx.out.message(shard, Message::Session(Box::new(moving)));
    }
}
