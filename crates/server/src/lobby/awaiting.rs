//! A game that the node goes on with after it was started again stands still until somebody is back, and then a moment longer for
//! the others (ruling C16). Seats are kept for a minute, as those of lost links are.

use std::time::Duration;

use protocol::{End, Time};

use super::{Lobby, MemberKey};
use crate::outgoing::Context;

/// How long the others have to come back, once somebody is back, before the game goes on without them.
const GATHER_MAX: Duration = Duration::from_secs(2);

/// The players whom a lobby waits for.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Awaiting {
    /// When the first of them was back.
    first_back: Option<Time>,
}

impl Lobby {
    /// Whether the game stands still because its players are not back.
    pub(super) fn is_awaiting(&mut self, now: Time) -> bool {
        let Some(awaiting) = &mut self.awaiting else { return false };
        let goes_on = match self.members.presence() {
            (_, 0) => true,
            (0, _) => false,
            _ => now.since(*awaiting.first_back.get_or_insert(now)) >= GATHER_MAX,
        };
        if goes_on {
            self.awaiting = None;
        }
        !goes_on
    }

    /// What there is to do meanwhile: those who are back see where the game stands.
    pub(super) fn await_players(&mut self, cx: &mut Context) {
        self.scene.frame.events.clear();
        self.scene.update(cx.now);
        self.publish(cx);
    }

    /// Frees the seats of those who were awaited long enough. They are not told: nobody may be there.
    pub(super) fn give_up_missing(&mut self, cx: &mut Context) {
        while let Some(member @ MemberKey::Seat(_)) = self.members.first_given_up(cx.now) {
            let Some(session) = self.members.get_mut(member) else { return };
            session.end(cx.now, End::Unreachable);
            self.remove(cx, member);
        }
    }
}
