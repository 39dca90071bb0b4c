//! What lobbies and the router have to tell each other: the core carries it from one to the other. Start reading at
//! [`Core::exchange`], with which every call from outside ends.

use protocol::{Channel, End, LobbyId, Refusal, Time, Welcome};

use super::{Core, lobbies::LobbyOutput};
use crate::{
    lobby::{LobbyEntry, LobbyEvent, LobbyKey, MemberKey},
    outgoing::Context,
    peer::PeerKey,
    router::{LinkDestination, Location, MovingSession, Newcomer, Route, RouterEvent},
    session::{Session, UnreachableHint},
};

impl Core {
    /// Carries events to and fro until there are none. What a lobby says comes first, so that the router always knows who is
    /// where by the time it goes on.
    pub(super) fn exchange(&mut self, now: Time) {
        loop {
            if let Some(told) = self.lobbies.poll() {
                self.lobby_event(now, told);
            } else if let Some(event) = self.router.poll() {
                self.router_event(now, event);
            } else {
                return;
            }
        }
    }

    fn lobby_event(&mut self, now: Time, told: LobbyOutput) {
        let LobbyOutput { lobby, id, event } = told;
        let cx = &mut Context { now, out: &mut self.out };
        match event {
            LobbyEvent::ListWanted(member) => {
                let lobbies = self.router.list(now);
                self.lobbies.visit(cx, lobby, |lobby, cx| lobby.list(cx, member, &lobbies));
            }
            LobbyEvent::Broke => {
                cx.out.counters.lobbies_broken += 1;
                self.lobbies.remove(lobby);
                self.router.lobby_event(cx, id, event);
                self.forget_save(id);
            }
            event => self.router.lobby_event(cx, id, event),
        }
    }

    fn router_event(&mut self, now: Time, event: RouterEvent) {
        match event {
            RouterEvent::Seat(newcomer) => self.seat(now, *newcomer),
            RouterEvent::Enter(moving) => self.enter(now, *moving),
            RouterEvent::Deliver(peer, bytes) => {
                let cx = &mut Context { now, out: &mut self.out };
                let location = self.router.deliver(cx, peer, bytes.as_slice());
                self.receive(now, location, Channel::Datagram, bytes.as_slice());
            }
            RouterEvent::End(peer, why) => self.end(now, peer, why),
            RouterEvent::HintUnreachable(peer, hint) => self.hint_unreachable(now, peer, hint),
            RouterEvent::Readdress { from, to } => self.readdress(now, from, to),
            RouterEvent::RetryStream(peer, stream) => {
                self.router.retry_stream(&mut Context { now, out: &mut self.out }, peer, stream);
            }
            RouterEvent::OpenLobby(id) => _ = self.lobby(now, id),
            RouterEvent::DropLobby(id) => self.drop_lobby(now, id),
            RouterEvent::SeatWanted(id) => self.want_seat(now, id),
        }
    }

    /// Ends a lobby of this shard that nobody plays in. Its last game is kept, and those who watch leave.
    fn drop_lobby(&mut self, now: Time, id: LobbyId) {
        let cx = &mut Context { now, out: &mut self.out };
        if let Some(key) = self.lobbies.key(id) {
            self.lobbies.visit(cx, key, |lobby, cx| lobby.end_idle(cx));
            self.lobbies.remove(key);
        }
        self.router.lobby_dropped(cx, id);
    }

    fn want_seat(&mut self, now: Time, id: LobbyId) {
        let cx = &mut Context { now, out: &mut self.out };
        if let Some(key) = self.lobbies.key(id) {
            self.lobbies.visit(cx, key, |lobby, _| lobby.end_pause_after_game());
        }
    }

    /// Gives a session in a lobby what came for it, if the router found it there.
    pub(super) fn receive(&mut self, now: Time, location: Option<Location>, channel: Channel, bytes: &[u8]) {
        let Some(Location { lobby, member }) = location else { return };
        let cx = &mut Context { now, out: &mut self.out };
        self.lobbies.visit(cx, lobby, |lobby, cx| lobby.receive(cx, member, channel, bytes));
    }

    /// A lobby that lives on this shard; it begins when it is first asked for.
    fn lobby(&mut self, now: Time, id: LobbyId) -> Option<LobbyKey> {
        if let Some(key) = self.lobbies.key(id) {
            return Some(key);
        }
        let plan = self.router.plan(id)?;
        self.out.counters.lobbies += 1;
        Some(self.lobbies.open(now, plan))
    }

    /// Seats a player in a lobby of this shard.
    fn seat(&mut self, now: Time, newcomer: Newcomer) {
        let (peer, seat) = (newcomer.peer, newcomer.seat.seat);
        let numbers = self.router.seated(peer, newcomer.seat);
        let lobby = self.lobby(now, newcomer.seat.lobby);
        let cx = &mut Context { now, out: &mut self.out };
        // The lobby may have been closed while they were on their way.
        let (Some(numbers), Some(lobby)) = (numbers, lobby) else { return self.router.newcomer_lost(cx, &newcomer) };
        let welcome = Welcome { seat, now, started: self.started, scale: self.settings.scale, numbers };
        let mut session = Box::new(Session::for_player(cx, peer, welcome));
        session.stream = newcomer.stream;
        session.limit_intake(now, self.settings.limits.datagrams_per_player);
        session.opened_by(newcomer.first_datagram, newcomer.stream_bytes);
        self.router.player_settled(&newcomer, Location { lobby, member: MemberKey::Seat(seat) });
        self.lobbies.visit(cx, lobby, |lobby, cx| lobby.join(cx, seat, session, &newcomer.name));
        self.lobbies.session_count += 1;
        // They may have been banned meanwhile.
        if self.router.is_banned(peer) {
            self.end(now, peer, End::Closed);
        }
    }

    /// Lets the session of a link into a lobby of this shard.
    fn enter(&mut self, now: Time, moving: MovingSession) {
        let (peer, stream, destination) = (moving.session.peer, moving.session.stream, moving.destination);
        let (id, entry) = match destination {
            LinkDestination::Seat(seat, token) => (seat.lobby, LobbyEntry::Seat(seat.seat, token)),
            LinkDestination::Watch(id) => (id, LobbyEntry::Watch),
            LinkDestination::Outside => return,
        };
        let is_expected = match destination {
            LinkDestination::Seat(seat, _) => self.router.seated(peer, seat).is_some(),
            LinkDestination::Watch(_) | LinkDestination::Outside => true,
        };
        let lobby = self.lobby(now, id).filter(|_| is_expected);
        let cx = &mut Context { now, out: &mut self.out };
        // The lobby may have been closed while the session was on its way.
        let Some(lobby) = lobby else { return self.router.turn_back(cx, moving, Refusal::NoLobby) };
        let MovingSession { mut session, via, .. } = moving;
        session.count_from_zero(now);
        match self.lobbies.visit(cx, lobby, |lobby, cx| lobby.enter(cx, session, entry)) {
            Some(Ok(member)) => {
                self.lobbies.session_count += 1;
                self.router.link_settled(peer, stream, Location { lobby, member });
                self.lobbies.visit(cx, lobby, |lobby, cx| lobby.attend(cx, member));
            }
            Some(Err((session, refusal))) => {
                self.router.turn_back(cx, MovingSession { session, destination, via }, refusal);
            }
            None => {}
        }
    }

    /// Ends the session of a peer, if it is on this shard.
    pub(super) fn end(&mut self, now: Time, peer: PeerKey, why: End) {
        let cx = &mut Context { now, out: &mut self.out };
        match self.router.route(peer) {
            Some(Route::Lobby(Location { lobby, member })) => {
                self.lobbies.visit(cx, lobby, |lobby, cx| lobby.end(cx, member, why));
            }
            Some(Route::Outside(key)) => self.router.end_outside(cx, key, why),
            Some(Route::Shard(_)) | None => {}
        }
    }

    fn hint_unreachable(&mut self, now: Time, peer: PeerKey, hint: UnreachableHint) {
        if let Some(Route::Lobby(Location { lobby, member })) = self.router.route(peer) {
            let cx = &mut Context { now, out: &mut self.out };
            self.lobbies.visit(cx, lobby, |lobby, cx| lobby.hint_unreachable(cx.now, member, hint));
        }
    }

    fn readdress(&mut self, now: Time, from: PeerKey, to: PeerKey) {
        if let Some(Location { lobby, member }) = self.router.readdress(from, to) {
            let cx = &mut Context { now, out: &mut self.out };
            self.lobbies.visit(cx, lobby, |lobby, _| lobby.readdress(member, to));
        }
    }
}
