//! What members are told about their lobby, besides the game: who is in it, and what is played.

use std::sync::Arc;

use game::{Seat, ShipModel, Stage};
use protocol::{LobbyDetails, LobbyNotice, Member, PlayerKind, Time};

use super::{Lobby, LobbyEvent, MemberKey};

impl Lobby {
    pub(super) fn notify(&mut self, now: Time, member: MemberKey, notice: &LobbyNotice) {
        if let Some(session) = self.members.get_mut(member) {
            session.notify(now, notice);
        }
    }

    pub(super) fn notify_all(&mut self, now: Time, notice: &LobbyNotice) {
        self.members.iter_mut().for_each(|session| session.notify(now, notice));
    }

    pub(super) fn tell_stage(&mut self, now: Time, member: MemberKey) {
        let stage = self.shown_stage().clone();
        self.notify(now, member, &LobbyNotice::Stage(&stage));
    }

    /// Tells everybody who is in the lobby, and what is played, if that has changed since that stage was played.
    pub(super) fn tell_changes(&mut self, now: Time, stage_before: &Arc<Stage>) {
        let state = self.world.game_state();
        let is_other_stage = !Arc::ptr_eq(self.world.stage(), stage_before);
        let is_due = std::mem::take(&mut self.details_have_changed) || is_other_stage;
        if self.state_told != Some(state) || is_other_stage {
            self.state_told = Some(state);
            self.events.push_back(LobbyEvent::GameChanged(state, self.world.stage().clone()));
        }
        if is_other_stage {
            let stage = self.world.stage().clone();
            self.notify_all(now, &LobbyNotice::Stage(&stage));
        }
        if is_due {
            let details = self.details();
            self.notify_all(now, &LobbyNotice::Lobby(&details));
            self.events.push_back(LobbyEvent::MembersChanged { host: details.host, members: details.members });
        }
    }

    fn details(&self) -> LobbyDetails {
        LobbyDetails {
            code: self.id,
            stage: self.shown_stage().name.clone(),
            rules: self.world.rules(),
            is_private: self.is_private,
            watchers: self.members.watcher_count() as u8,
            host: self.host(),
            members: Seat::ALL.into_iter().filter_map(|seat| self.member(seat)).collect(),
        }
    }

    /// Who plays in a seat, if anybody does.
    pub(super) fn player_kind(&self, seat: Seat) -> Option<PlayerKind> {
        let person = self.members.occupant(seat).map(|occupant| PlayerKind::Person(occupant.dialect));
        let person = person.or_else(|| self.remote_player_kind(seat));
        person.or_else(|| self.bots.skill(seat).map(PlayerKind::Bot))
    }

    fn member(&self, seat: Seat) -> Option<Member> {
        let occupant = self.members.occupant(seat);
        Some(Member {
            seat,
            name: self.scene.name(seat).into(),
            kind: self.player_kind(seat)?,
            is_ready: occupant.is_some_and(|occupant| occupant.is_ready),
            is_away: occupant.is_some_and(|occupant| occupant.is_away),
            ship: self.world.chosen_ship(seat).unwrap_or(ShipModel::of_seat(seat)),
        })
    }
}
