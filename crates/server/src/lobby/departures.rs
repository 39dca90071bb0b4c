//! How members leave a lobby: for good, out of the lobby only, or with a seat that is kept for them.

use game::{Departure, Seat};
use protocol::{End, LobbyNotice, Pace};

use super::{Lobby, LobbyEvent, MemberKey};
use crate::{outgoing::Context, peer::PeerKey, session::Session};

impl Lobby {
    pub fn free_kept_seat(&mut self, cx: &mut Context, seat: Seat) {
        if let Some(kept) = self.members.kept(seat) {
            self.vacate(cx, seat, kept.peer, Departure::TimedOut);
            self.events.push_back(LobbyEvent::KeptSeatFreed(kept.peer));
        }
    }

    /// Sends all that somebody's session has to say.
    pub(super) fn flush(&mut self, cx: &mut Context, member: MemberKey) {
        let done_with = self.members.get_mut(member).and_then(|session| session.flush(cx));
        self.events.extend(done_with.map(LobbyEvent::StreamDone));
    }

    /// Takes out somebody whose session is over, and hands the session out. A lost link's seat is kept.
    pub(super) fn remove(&mut self, cx: &mut Context, member: MemberKey) {
        let Some(session) = self.members.get(member) else { return };
        let (peer, why) = (session.peer, session.ended());
        let is_lost = session.is_link() && matches!(why, Some(End::Unreachable | End::TimedOut));
        self.announced.change_details();
        match member {
            MemberKey::Seat(seat) if is_lost => {
                self.pacing.wish(seat, Pace::Full);
                self.events.extend(self.members.take_and_keep(cx.now, seat).map(LobbyEvent::LinkLost));
                tracing::info!(dialect = peer.dialect().name(), "a player's link is lost; the seat is kept");
            }
            MemberKey::Seat(seat) => {
                self.log_departure(seat, peer, why);
                let departure = match why {
                    Some(End::TimedOut | End::Unreachable) => Departure::TimedOut,
                    Some(End::Left | End::Closed | End::LobbyClosed | End::Restarting | End::Refused) | None => {
                        Departure::Left
                    }
                    // A node never ends a session so: these are a client's.
                    Some(End::Full | End::VersionDiffers | End::Dropped) => Departure::Left,
                    Some(End::NoLobby | End::LobbyFull | End::NoStage) => Departure::Left,
                };
                let session = self.vacate(cx, seat, peer, departure);
                self.events.extend(session.map(LobbyEvent::Ended));
            }
            MemberKey::Watcher(_) => self.events.extend(self.members.take(member).map(LobbyEvent::Ended)),
        }
    }

    /// Takes a player out of a seat, which is free then. The session, if it was still there.
    fn vacate(&mut self, cx: &mut Context, seat: Seat, peer: PeerKey, why: Departure) -> Option<Box<Session>> {
        self.remember(seat);
        // As long as the game may panic, the session is where the panic guard finds it.
        self.world.leave(seat, why);
        self.leave_remotely(cx);
        self.scene.seat_left(seat);
        let session = self.members.take(MemberKey::Seat(seat));
        self.members.free_kept(seat);
        self.pacing.wish(seat, Pace::Full);
        self.announced.change_details();
        if self.members.have_no_player() {
            self.remove_all_bots();
            self.emptiness.begin(cx.now, peer.ip());
            self.record_abandoned(cx);
            self.end_recording(cx);
        }
        session
    }

    /// Takes somebody out of the lobby, but not off the node.
    pub(super) fn let_go(&mut self, cx: &mut Context, member: MemberKey) {
        self.notify(cx.now, member, &LobbyNotice::LeftLobby);
        let left = match member {
            MemberKey::Watcher(_) => self.members.take(member),
            MemberKey::Seat(seat) => {
                let peer = self.members.get(member).map(|session| session.peer);
                peer.and_then(|peer| self.vacate(cx, seat, peer, Departure::Left))
            }
        };
        let had_seat = matches!(member, MemberKey::Seat(_));
        self.announced.change_details();
        self.events.extend(left.map(|session| LobbyEvent::Left { session, had_seat }));
    }

    pub(super) fn log_departure(&self, seat: Seat, peer: PeerKey, why: Option<End>) {
        let why = match why {
            Some(End::Left) => "left",
            Some(End::TimedOut) => "was silent for too long",
            Some(End::Unreachable) => "cannot be reached any more",
            Some(End::Restarting) => "was told that the node ends",
            Some(End::Closed | End::Refused | End::Full | End::VersionDiffers | End::Dropped | End::LobbyClosed)
            | Some(End::NoLobby | End::LobbyFull | End::NoStage)
            | None => "was sent away",
        };
        let (dialect, peer) = (peer.dialect().name(), peer.address);
        tracing::info!(dialect, %peer, lobby = %self.log_name(), seat = seat.number(), why, "a player is gone");
    }
}
