//! Wishes of those who choose their lobby themselves, and what comes of them: lists, rooms, chat, seats that are kept.

use std::{net::IpAddr, sync::Arc};

use game::{Departure, Seat, Stage};
use protocol::{Dialect, LobbyDetails, LobbyId, LobbyNotice, LobbyRequest, Member, Refusal, Time, Token};

use super::{
    Core, LobbyKey, Outbox, SessionKey,
    directory::Entrance,
    links::Goal,
    lobby::{Away, Lobby},
    session::{Leaver, Session, Whereabouts},
};

/// Who has a seat.
pub(super) struct Sitter {
    pub dialect: Dialect,
    pub from: IpAddr,
    /// Whether their link is lost.
    pub is_away: bool,
}

impl Core {
    /// Does what somebody wishes, or tells them why not.
    pub(super) fn fulfil(&mut self, now: Time, key: SessionKey, wish: LobbyRequest, out: &mut dyn Outbox) {
        let Some(place) = self.sessions.get(key.0).map(|session| session.place) else { return };
        match wish {
            LobbyRequest::List => {
                let lobbies = self.directory.lock().list();
                self.grant(now, key, &LobbyNotice::Lobbies(&lobbies));
            }
            LobbyRequest::Rename { name } => self.rename(key, name),
            LobbyRequest::LeaveLobby => self.leave_lobby(now, key, out),
            LobbyRequest::Say { text } => self.say(now, key, &text),
            LobbyRequest::Ready(_) | LobbyRequest::Start if place.seat().is_none() => {
                self.grant(now, key, &LobbyNotice::Refused(Refusal::NotNow));
            }
            LobbyRequest::Ready(on) => self.ready(place, on),
            LobbyRequest::Start => self.start(place),
            LobbyRequest::Pace(pace) => self.wish_pace(now, key, place, pace),
            // The session carries this out itself.
            LobbyRequest::Mute { .. } => {}
            LobbyRequest::Watch { .. }
            | LobbyRequest::Quick
            | LobbyRequest::Create { .. }
            | LobbyRequest::Join { .. }
            | LobbyRequest::Rejoin { .. }
                if place != Whereabouts::Lounge =>
            {
                self.grant(now, key, &LobbyNotice::Refused(Refusal::NotNow));
            }
            LobbyRequest::Watch { code } => self.watch(now, key, code, out),
            LobbyRequest::Quick => self.enter(now, key, &Entrance::Any, out),
            LobbyRequest::Join { code } => self.enter(now, key, &Entrance::Lobby(code), out),
            LobbyRequest::Rejoin { token } => self.enter(now, key, &Entrance::Seat(token), out),
            LobbyRequest::Create { stage, rules, is_private } => match self.stage(&stage) {
                Some(stage) => self.enter(now, key, &Entrance::New { stage, rules, is_private }, out),
                None => self.grant(now, key, &LobbyNotice::Refused(Refusal::NoStage)),
            },
        }
    }

    pub(super) fn grant(&mut self, now: Time, key: SessionKey, grant: &LobbyNotice) {
        if let Some(link) = self.sessions.get_mut(key.0).and_then(|session| session.half.link_mut()) {
            link.notify(now, grant);
        }
    }

    fn enter(&mut self, now: Time, key: SessionKey, entrance: &Entrance, out: &mut dyn Outbox) {
        let Some(session) = self.sessions.get(key.0) else { return };
        let (at, from) = (session.endpoint, session.address);
        let entered = self.directory.lock().enter(now, self.shard, at, from, entrance);
        match entered {
            Ok((place, token)) => self.send_guest(now, key, Goal::Seat { place, token }, place.shard, out),
            Err(refusal) => self.grant(now, key, &LobbyNotice::Refused(refusal)),
        }
    }

    fn watch(&mut self, now: Time, key: SessionKey, code: LobbyId, out: &mut dyn Outbox) {
        let found = self.directory.lock().find(code);
        match found {
            Some((shard, _)) => self.send_guest(now, key, Goal::Watch(code), shard, out),
            None => self.grant(now, key, &LobbyNotice::Refused(Refusal::NoLobby)),
        }
    }

    fn rename(&mut self, key: SessionKey, name: String) {
        let Some(session) = self.sessions.get_mut(key.0) else { return };
        if let Whereabouts::Seat(lobby, seat) = session.place
            && let Some(lobby) = self.lobbies.get_mut(lobby.0)
        {
            lobby.scene.seat_taken(seat, &name);
            lobby.room_has_changed = true;
        }
        if let Some(linked) = &mut session.linked {
            linked.name = name;
        }
    }

    /// Takes somebody out of their lobby, but not off the node.
    fn leave_lobby(&mut self, now: Time, key: SessionKey, out: &mut dyn Outbox) {
        let Some(session) = self.sessions.get(key.0) else { return };
        match session.place {
            Whereabouts::Lounge => return self.grant(now, key, &LobbyNotice::Refused(Refusal::NotNow)),
            Whereabouts::Seat(lobby, seat) => {
                let (dialect, from) = (session.dialect, session.address.ip());
                self.vacate(now, lobby, Leaver { seat, dialect, from, why: Departure::Left }, out);
                self.leave_directory(key, out);
            }
            Whereabouts::Watch(lobby) => self.stop_watching(lobby, key),
        }
        self.show_out(now, key, out);
    }

    /// Tells somebody that they are in no lobby any more.
    pub(super) fn show_out(&mut self, now: Time, key: SessionKey, out: &mut dyn Outbox) {
        if let Some(session) = self.sessions.get_mut(key.0) {
            session.place = Whereabouts::Lounge;
            if let Some(link) = session.half.link_mut() {
                link.notify(now, &LobbyNotice::LeftLobby);
            }
            self.send_home(now, key, out);
        }
    }

    /// The seat of a session is free again for the whole node.
    pub(super) fn leave_directory(&mut self, key: SessionKey, out: &mut dyn Outbox) {
        let Some(session) = self.sessions.get(key.0) else { return };
        let (at, from) = (session.endpoint, session.address);
        let routes = self.directory.lock().leave(at, from);
        // The home of a link keeps its way to it: the session is still there.
        let home = session.stream.map_or(0, |line| line.home.bit());
        self.spread_word(routes & !home, at, from, out);
    }

    pub(super) fn stop_watching(&mut self, lobby: LobbyKey, key: SessionKey) {
        if let Some(lobby) = self.lobbies.get_mut(lobby.0) {
            lobby.remove_watcher(key);
        }
    }

    fn say(&mut self, now: Time, key: SessionKey, text: &str) {
        let Some(session) = self.sessions.get(key.0) else { return };
        let Some(lobby) = session.place.lobby() else {
            return self.grant(now, key, &LobbyNotice::Refused(Refusal::NotNow));
        };
        let name = session.linked.as_ref().map(|linked| linked.name.clone()).unwrap_or_default();
        let said = LobbyNotice::Said { seat: session.place.seat(), name: &name, text };
        self.tell_lobby(now, lobby, &said);
    }

    fn ready(&mut self, place: Whereabouts, on: bool) {
        let Whereabouts::Seat(lobby, seat) = place else { return };
        let Some(lobby) = self.lobbies.get_mut(lobby.0) else { return };
        lobby.ready[seat.index()] = on;
        lobby.room_has_changed = true;
        let can_say_so = |key: SessionKey| self.sessions.get(key.0).is_some_and(|session| session.linked.is_some());
        if lobby.all_are_ready(can_say_so) {
            lobby.world.start();
        }
    }

    fn start(&mut self, place: Whereabouts) {
        if let Whereabouts::Seat(lobby, _) = place
            && let Some(lobby) = self.lobbies.get_mut(lobby.0)
        {
            lobby.world.start();
        }
    }

    /// Tells everybody in a lobby.
    pub(super) fn tell_lobby(&mut self, now: Time, lobby: LobbyKey, grant: &LobbyNotice) {
        let Some(lobby) = self.lobbies.get(lobby.0) else { return };
        for key in lobby.everybody() {
            // Other dialects have no words for it.
            if let Some(link) = self.sessions.get_mut(key.0).and_then(|session| session.half.link_mut()) {
                link.notify(now, grant);
            }
        }
    }

    /// Tells everybody in a lobby who is there, and what is played, if that has changed.
    pub(super) fn tell_changes(&mut self, now: Time, key: LobbyKey, stage_before: &Arc<Stage>) {
        let Some(lobby) = self.lobbies.get_mut(key.0) else { return };
        let stage = lobby.world.stage().clone();
        let has_moved_on = !Arc::ptr_eq(&stage, stage_before);
        let is_due = std::mem::take(&mut lobby.room_has_changed) || has_moved_on;
        let state = lobby.world.game_state();
        if lobby.state_told != Some(state) || has_moved_on {
            lobby.state_told = Some(state);
            self.directory.lock().note_game(lobby.id, state, &stage.name);
        }
        if has_moved_on {
            self.tell_lobby(now, key, &LobbyNotice::Stage(&stage));
        }
        if is_due && let Some(room) = self.room(key) {
            self.tell_lobby(now, key, &LobbyNotice::Lobby(&room));
        }
    }

    fn room(&self, key: LobbyKey) -> Option<LobbyDetails> {
        let lobby = self.lobbies.get(key.0)?;
        Some(LobbyDetails {
            code: lobby.id,
            stage: lobby.world.stage().name.clone(),
            rules: lobby.world.rules(),
            is_private: lobby.is_private,
            watchers: lobby.watcher_count(),
            members: Seat::ALL.into_iter().filter_map(|seat| self.member(lobby, seat)).collect(),
        })
    }

    fn member(&self, lobby: &Lobby, seat: Seat) -> Option<Member> {
        let Sitter { dialect, is_away, .. } = self.who_sits(lobby, seat)?;
        let name = lobby.scene.name(seat).into();
        Some(Member { seat, name, dialect, is_ready: lobby.ready[seat.index()], is_away })
    }

    /// Who has a seat: somebody who is here, or away.
    pub(super) fn who_sits(&self, lobby: &Lobby, seat: Seat) -> Option<Sitter> {
        let session = lobby.seats[seat.index()].and_then(|key| self.sessions.get(key.0));
        let here =
            session.map(|session| Sitter { dialect: session.dialect, from: session.address.ip(), is_away: false });
        here.or_else(|| {
            let away = lobby.away[seat.index()].as_ref()?;
            Some(Sitter { dialect: away.at.dialect(), from: away.from.ip(), is_away: true })
        })
    }

    /// Keeps the seat of a session whose link was lost. False: it has none to keep.
    pub(super) fn keep_seat(&mut self, now: Time, session: &Session, out: &mut dyn Outbox) -> bool {
        let (Whereabouts::Seat(lobby, seat), Some(_)) = (session.place, &session.linked) else { return false };
        let Some(lobby) = self.lobbies.get_mut(lobby.0) else { return false };
        let (at, from) = (session.endpoint, session.address);
        lobby.go_away(seat, Away { since: now, at, from });
        let routes = self.directory.lock().take_routes(at, from);
        self.spread_word(routes, at, from, out);
        self.forget_link(session, out);
        true
    }

    /// Frees the seats of those who have been away for too long.
    pub(super) fn end_absences(&mut self, now: Time, key: LobbyKey, out: &mut dyn Outbox) {
        for seat in Seat::ALL {
            let away = self.lobbies.get(key.0).and_then(|lobby| lobby.away[seat.index()]);
            if away.is_some_and(|away| away.is_too_long(now)) {
                self.end_absence(now, key, seat, out);
            }
        }
    }

    /// Frees the seat of somebody who is away.
    pub(super) fn end_absence(&mut self, now: Time, key: LobbyKey, seat: Seat, out: &mut dyn Outbox) {
        let away = self.lobbies.get(key.0).and_then(|lobby| lobby.away[seat.index()]);
        if let Some(Away { at, from, .. }) = away {
            let why = Departure::TimedOut;
            self.vacate(now, key, Leaver { seat, dialect: at.dialect(), from: from.ip(), why }, out);
            self.directory.lock().leave(at, from);
        }
    }

    /// Sends those who watch a lobby that is closed out of it.
    pub(super) fn clear_watchers(&mut self, now: Time, watchers: Vec<SessionKey>, out: &mut dyn Outbox) {
        for key in watchers {
            let Some(session) = self.sessions.get_mut(key.0) else { continue };
            session.place = Whereabouts::Lounge;
            // One of them may be what broke the lobby.
            self.guarded(now, key, out, |core, out| core.show_out(now, key, out));
        }
    }
}

/// Makes tokens that nobody can guess from others.
pub(super) fn token(source: &mut impl rand_chacha::rand_core::RngCore) -> Token {
    let mut bytes = [0; 16];
    source.fill_bytes(&mut bytes);
    Token(bytes)
}
