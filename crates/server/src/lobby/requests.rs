//! What members with a link ask for over its stream, and what the lobby does about it.

use game::{Seat, ShipModel};
use protocol::{Channel, LobbyNotice, LobbyRequest, LobbySummary, Pace, Refusal, Time};

use super::{Lobby, LobbyEvent, MemberKey};
use crate::outgoing::Context;

/// Whether the next request of a member may follow at once.
#[derive(PartialEq, Eq)]
enum Next {
    Follows,
    /// First the lobby must be told something.
    Waits,
}

impl Lobby {
    /// Hears what came over a member's link, and does what it asks for, for as long as it is in the lobby.
    pub fn attend(&mut self, cx: &mut Context, member: MemberKey) {
        self.guarded(cx, |lobby, cx| {
            if lobby.hear(cx, member) == Next::Waits {
                return;
            }
            lobby.flush(cx, member);
            if lobby.members.get(member).is_some_and(|session| session.ended().is_some()) {
                lobby.remove(cx, member);
            }
        });
    }

    /// Tells a member which lobbies there are, and goes on with what else they asked for.
    pub fn list(&mut self, cx: &mut Context, member: MemberKey, lobbies: &[LobbySummary]) {
        self.guarded(cx, |lobby, cx| lobby.notify(cx.now, member, &LobbyNotice::Lobbies(lobbies)));
        self.attend(cx, member);
    }

    fn hear(&mut self, cx: &mut Context, member: MemberKey) -> Next {
        while let Some(session) = self.members.get_mut(member) {
            if let Some(request) = session.next_request() {
                if self.request(cx, member, request) == Next::Waits {
                    return Next::Waits;
                }
            } else if session.ended().is_some() {
                break;
            } else if let Some(piece) = session.next_piece() {
                let done_with = session.receive(cx, Channel::Stream, &piece);
                self.events.extend(done_with.map(LobbyEvent::StreamDone));
            } else {
                break;
            }
        }
        Next::Follows
    }

    fn request(&mut self, cx: &mut Context, member: MemberKey, request: LobbyRequest) -> Next {
        match (request, member) {
            (LobbyRequest::List, _) => {
                self.events.push_back(LobbyEvent::ListWanted(member));
                return Next::Waits;
            }
            (LobbyRequest::Rename { name }, _) => self.rename(cx, member, name),
            (LobbyRequest::LeaveLobby, _) => self.let_go(cx, member),
            (LobbyRequest::Say { text }, _) => self.say(cx, member, &text),
            (LobbyRequest::Emote(emote), MemberKey::Seat(seat)) => {
                self.notify_all(cx.now, &LobbyNotice::Emote { seat, emote });
            }
            (LobbyRequest::Ready(on), MemberKey::Seat(seat)) => self.ready(cx.now, seat, on),
            (LobbyRequest::Start, MemberKey::Seat(_)) => self.start_for(cx, member),
            (LobbyRequest::AddBot(skill), _) => self.add_bot_for(cx, member, skill),
            (LobbyRequest::Kick { seat }, _) => self.kick_for(cx, member, seat),
            (LobbyRequest::Pace(pace), MemberKey::Seat(seat)) => self.wish_pace(cx, seat, pace),
            (LobbyRequest::Ship(ship), _) => self.choose_ship(member, ship),
            // The session carries this out itself.
            (LobbyRequest::Mute { .. }, _) => {}
            (
                LobbyRequest::Ready(_) | LobbyRequest::Start | LobbyRequest::Pace(_) | LobbyRequest::Emote(_),
                MemberKey::Watcher(_),
            )
            | (
                LobbyRequest::Watch { .. }
                | LobbyRequest::Quick
                | LobbyRequest::Create { .. }
                | LobbyRequest::Join { .. }
                | LobbyRequest::Rejoin { .. },
                _,
            ) => self.refuse(cx, member, Refusal::NotNow),
        }
        Next::Follows
    }

    fn rename(&mut self, cx: &mut Context, member: MemberKey, name: String) {
        if let MemberKey::Seat(seat) = member {
            let is_first = self.scene.name(seat).is_empty() && !name.is_empty();
            self.scene.seat_taken(seat, &name);
            self.announced.change_details();
            if is_first {
                self.record_late_name(cx, seat);
            }
        }
        if let Some(link) = self.members.get_mut(member).and_then(|session| session.link.as_mut()) {
            link.name = name;
        }
    }

    fn choose_ship(&mut self, member: MemberKey, ship: ShipModel) {
        if let MemberKey::Seat(seat) = member {
            self.world.choose_ship(seat, ship);
            self.announced.change_details();
        }
        if let Some(link) = self.members.get_mut(member).and_then(|session| session.link.as_mut()) {
            link.ship = Some(ship);
        }
    }

    fn say(&mut self, cx: &mut Context, member: MemberKey, text: &str) {
        let Some(session) = self.members.get(member).filter(|_| !text.is_empty()) else { return };
        let name = session.link_name().to_owned();
        // The other server says it to everybody, the speaker too.
        if self.say_remotely(cx.now, text) {
            return;
        }
        let seat = match member {
            MemberKey::Seat(seat) => Some(seat),
            MemberKey::Watcher(_) => None,
        };
        if let Some(seat) = seat.filter(|_| self.records_talk()) {
            self.world.note_chat(seat, text);
        }
        self.notify_all(cx.now, &LobbyNotice::Said { seat, name: &name, text });
    }

    fn ready(&mut self, now: Time, seat: Seat, on: bool) {
        self.members.set_ready(seat, on);
        self.announced.change_details();
        if self.members.all_are_ready() && !self.start_remotely(now) {
            self.world.start();
        }
    }

    /// A player wishes time to pass so. In any case they are told how it does.
    fn wish_pace(&mut self, cx: &mut Context, seat: Seat, pace: Pace) {
        // Nobody here can stop the time of another server.
        if self.remote.is_none() {
            self.pacing.wish(seat, pace);
        }
        if !self.keep_pace(cx.now) {
            let notice = LobbyNotice::Pace(self.pacing.in_force());
            self.notify(cx.now, MemberKey::Seat(seat), &notice);
        }
    }
}
