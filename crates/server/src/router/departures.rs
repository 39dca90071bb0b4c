//! Sessions that are over: nothing leads to them any more.

use super::Router;
use crate::{outgoing::Context, session::Session};

impl Router {
    /// A session is over. Its last words have been said.
    pub(super) fn session_ended(&mut self, cx: &mut Context, mut session: Box<Session>) {
        let peer = session.peer;
        let was_unclaimed = self.routes.remove_peer(peer);
        let mut recent_peers = self.directory.recent_peers();
        recent_peers.note_departure(cx.now, peer, session.departure());
        if was_unclaimed {
            recent_peers.forget_claim(peer);
        }
        drop(recent_peers);
        let routes = self.directory.lock().leave(peer);
        self.routes.spread_forget(cx.out, peer, routes);
        session.close_account(cx);
        self.close_stream_of(cx, &session);
    }

    /// A player's link is lost, and the seat is still theirs.
    pub(super) fn link_lost(&mut self, cx: &mut Context, session: &Session) {
        let routes = self.directory.lock().take_routes(session.peer);
        self.routes.spread_forget(cx.out, session.peer, routes);
        self.routes.remove_peer(session.peer);
        self.close_stream_of(cx, session);
    }

    fn close_stream_of(&mut self, cx: &mut Context, session: &Session) {
        if let Some(stream) = session.stream {
            self.routes.remove_stream(stream.id);
            cx.out.close_stream_home(stream);
        }
    }
}
