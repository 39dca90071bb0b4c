//! A lobby in which something panics is closed; the others never notice.
//!
//! The game and the sessions do not panic by design. If they do all the same, what they were at is not to be trusted any
//! more, but it is all in one lobby.

use std::panic::{AssertUnwindSafe, catch_unwind};

use protocol::{AnyServerSession, End, LinkSession, Time};

use super::{Core, Endpoint, LobbyKey, Outbox, Route, SessionKey};

impl Core {
    /// Does something to a session. If that panics, its lobby is closed.
    pub(super) fn guarded(
        &mut self,
        now: Time,
        key: SessionKey,
        out: &mut dyn Outbox,
        act: impl FnOnce(&mut Core, &mut dyn Outbox),
    ) {
        let Some(place) = self.sessions.get(key.0).map(|session| session.place) else { return };
        if catch_unwind(AssertUnwindSafe(|| act(self, out))).is_err() {
            match place.lobby() {
                Some(lobby) => self.break_lobby(now, lobby, out),
                None => self.bury(now, key, out),
            }
        }
    }

    /// Closes a lobby in which something panicked, and ends its sessions.
    pub(super) fn break_lobby(&mut self, now: Time, key: LobbyKey, out: &mut dyn Outbox) {
        let Some(seats) = self.lobbies.get(key.0).map(|lobby| lobby.seats) else { return };
        for session in seats.into_iter().flatten() {
            self.last_words(now, session, out);
        }
        // From here on nothing of the game is touched.
        let Some(mut lobby) = self.detach_lobby(key) else { return };
        self.clear_watchers(now, lobby.take_watchers(), out);
        for session in seats.into_iter().flatten() {
            self.bury(now, session, out);
        }
        self.directory.lock().close(lobby.id);
        self.release_port(&lobby, out);
        self.counters.lobbies_broken += 1;
        tracing::error!(lobby = %lobby.id, "something in a lobby panicked: it is closed");
    }

    /// Lets a session say goodbye, if it still can.
    fn last_words(&mut self, now: Time, key: SessionKey, out: &mut dyn Outbox) {
        let said = catch_unwind(AssertUnwindSafe(|| {
            if let Some(session) = self.sessions.get_mut(key.0) {
                session.half.end(now, End::Closed);
            }
            self.flush(now, key, out);
        }));
        if said.is_err() {
            tracing::error!("a session of a broken lobby ends without a word");
        }
    }

    /// Puts another half in the place of a player's. For tests, which have no other way to a session that panics.
    #[doc(hidden)]
    pub fn substitute(&mut self, at: Endpoint, from: std::net::SocketAddr, half: Box<dyn LinkSession>) -> bool {
        let Some(&Route::Here(key)) = self.routes.get(&(at, from)) else { return false };
        self.sessions.get_mut(key.0).map(|session| session.half = AnyServerSession::Link(half)).is_some()
    }
}
