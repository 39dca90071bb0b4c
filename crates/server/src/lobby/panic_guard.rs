//! A lobby in which something panics is closed; the others never notice.
//!
//! The game and the sessions do not panic by design. If they do all the same, what they were at is not to be trusted any
//! more, but it is all in one lobby.

use std::panic::{AssertUnwindSafe, catch_unwind};

use game::Seat;
use protocol::{End, LobbyNotice, Time};

use super::{Lobby, LobbyEvent, MemberKey};
use crate::outgoing::Context;

impl Lobby {
    /// Does something to the game or to a session. If that panics, the lobby is broken.
    pub(super) fn guarded(&mut self, cx: &mut Context, act: impl FnOnce(&mut Lobby, &mut Context)) {
        if catch_unwind(AssertUnwindSafe(|| act(self, cx))).is_err() {
            self.break_up(cx);
        }
    }

    /// Lets those who watch a lobby that is closed go.
    pub fn dismiss_watchers(&mut self, now: Time) {
        while let Some(member) = self.members.first_watcher() {
            // One of them may be what broke the lobby.
            let told = catch_unwind(AssertUnwindSafe(|| self.notify(now, member, &LobbyNotice::LeftLobby)));
            let Some(session) = self.members.take(member) else { continue };
            self.events.push_back(match told {
                Ok(()) => LobbyEvent::Left { session, had_seat: false },
                Err(_) => LobbyEvent::Ended(session),
            });
        }
    }

    /// Ends the sessions of a lobby in which something panicked. The world is not touched any more.
    fn break_up(&mut self, cx: &mut Context) {
        tracing::error!(lobby = %self.log_name(), "a lobby panicked and was closed");
        self.is_broken = true;
        for seat in Seat::ALL {
            self.say_goodbye(cx, MemberKey::Seat(seat));
        }
        self.dismiss_watchers(cx.now);
        for seat in Seat::ALL {
            let Some(session) = self.members.take(MemberKey::Seat(seat)) else { continue };
            self.log_departure(seat, session.peer, session.ended());
            self.events.push_back(LobbyEvent::Ended(session));
        }
        self.events.push_back(LobbyEvent::Broke);
    }

    /// Lets a session say goodbye, if it still can.
    fn say_goodbye(&mut self, cx: &mut Context, member: MemberKey) {
        let said = catch_unwind(AssertUnwindSafe(|| {
            if let Some(session) = self.members.get_mut(member) {
                session.end(cx.now, End::Closed);
                self.flush(cx, member);
            }
        }));
        if said.is_err() {
            tracing::error!(lobby = %self.log_name(), "a session of a broken lobby ended without a goodbye");
        }
    }
}
