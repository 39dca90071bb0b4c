//! What members are told about their lobby, besides the game: who is in it, and what is played.

use std::sync::Arc;

use game::{GameState, SEATS, Seat, ShipModel, Stage};
use protocol::{LobbyDetails, LobbyNotice, Member, PlayerKind, Time};

use super::{Lobby, LobbyEvent, MemberKey};
use crate::peer::PeerKey;

/// What was announced last about a lobby, so that only what is new is announced.
pub(super) struct Announced {
    /// Whether there is something about the lobby that its members have not been told yet.
    details_have_changed: bool,
    state: Option<GameState>,
    /// By seat, the players whose seats are unused (ruling S10).
    unused_seats: [Option<PeerKey>; SEATS],
}

impl Announced {
    /// Of a lobby of which nobody knows yet.
    pub fn nothing() -> Announced {
        Announced { details_have_changed: true, state: None, unused_seats: [None; SEATS] }
    }

    /// Members are to be told about the lobby once more.
    pub fn change_details(&mut self) {
        self.details_have_changed = true;
    }

    /// Whether details have changed since this was last asked.
    fn take_change(&mut self) -> bool {
        std::mem::take(&mut self.details_have_changed)
    }

    /// Whether the state is another than was announced last. It counts as announced.
    fn state_is_new(&mut self, state: GameState) -> bool {
        self.state.replace(state) != Some(state)
    }

    /// Whether the unused seats are others than were announced last. They count as announced.
    pub fn unused_seats_are_new(&mut self, unused: [Option<PeerKey>; SEATS]) -> bool {
        let are_new = self.unused_seats != unused;
        self.unused_seats = unused;
        are_new
    }
}

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
        let is_due = self.announced.take_change() || is_other_stage;
        if self.announced.state_is_new(state) || is_other_stage {
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
            code: self.id(),
            stage: self.shown_stage().name.clone(),
            rules: self.world.rules(),
            is_private: self.identity.is_private,
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
