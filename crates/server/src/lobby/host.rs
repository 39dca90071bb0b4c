//! The host of a lobby: of the players who can ask for it, the one who sat down first. The host starts the game, adds bots and
//! kicks. A lobby that no player made has none.

use game::{GameState, Seat, Skill};
use protocol::{End, LobbyNotice, Refusal};

use super::{Lobby, LobbyEvent, MemberKey};
use crate::outgoing::Context;

impl Lobby {
    pub(super) fn host(&self) -> Option<Seat> {
        self.members.first_with_link().filter(|_| self.identity.has_host)
    }

    /// Somebody wants a game that waits to start, or the next try. In a lobby with a host, the host decides when it starts.
    pub(super) fn start_for(&mut self, cx: &mut Context, member: MemberKey) {
        let is_waiting = self.world.game_state() == GameState::Waiting;
        let host = self.host().filter(|_| is_waiting && !self.members.all_are_ready());
        if host.is_some_and(|host| member != MemberKey::Seat(host)) {
            return self.refuse(cx, member, Refusal::NotHost);
        }
        self.start(cx.now);
    }

    pub(super) fn add_bot_for(&mut self, cx: &mut Context, member: MemberKey, skill: Skill) {
        match self.host().filter(|host| member == MemberKey::Seat(*host)) {
            Some(host) => self.add_bot(cx, host, skill),
            None => self.refuse(cx, member, Refusal::NotHost),
        }
    }

    pub(super) fn kick_for(&mut self, cx: &mut Context, member: MemberKey, seat: Seat) {
        match self.host().filter(|host| member == MemberKey::Seat(*host)) {
            None => self.refuse(cx, member, Refusal::NotHost),
            Some(host) if host == seat => self.refuse(cx, member, Refusal::NotNow),
            Some(host) => self.kick(cx, host, seat),
        }
    }

    fn kick(&mut self, cx: &mut Context, host: Seat, seat: Seat) {
        self.remove_bot(seat);
        let member = MemberKey::Seat(seat);
        let kept = self.members.kept(seat).map(|kept| kept.peer);
        let Some(player) = self.player(seat).or(kept) else { return };
        tracing::info!(lobby = %self.log_name(), seat = seat.number(), "the lobby host kicked a player");
        self.events.push_back(LobbyEvent::Kicked { player, host: self.player(host) });
        self.free_kept_seat(cx, seat);
        if let Some(session) = self.members.get_mut(member) {
            session.end(cx.now, End::Closed);
            self.flush(cx, member);
            self.remove(cx, member);
        }
    }

    pub(super) fn refuse(&mut self, cx: &mut Context, member: MemberKey, why: Refusal) {
        self.notify(cx.now, member, &LobbyNotice::Refused(why));
    }
}
