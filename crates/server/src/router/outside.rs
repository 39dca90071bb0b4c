//! Sessions of links that are in no lobby: they ask which lobbies there are, and choose one.

use std::time::Duration;

use game::{Mode, Rules};
use protocol::{Channel, End, LobbyId, LobbyNotice, LobbyRequest, Refusal, Time, utc_day::day_of};
use slab::Slab;

use super::{LinkDestination, MovingSession, Rate, RatedSender, Route, Router, routes::OutsideKey};
use crate::{
    counters::Drop,
    directory::{Asker, LobbyChoice, SeatRequest},
    outgoing::Context,
    peer::{PeerKey, ShardId},
    remote::RemoteWish,
    session::{Session, StreamPiece},
};

/// How often the time of each passes.
const ADVANCE_EVERY: Duration = Duration::from_millis(250);
/// In this many parts, one after the other: there may be thousands, and no round is to be late for all of them.
const PARTS: usize = 16;

/// Sessions that are in no lobby.
pub(super) struct Outside {
    sessions: Slab<Box<Session>>,
    advanced: Time,
    /// The part whose time passes next.
    part: usize,
}

impl Outside {
    pub fn new(now: Time) -> Outside {
        Outside { sessions: Slab::new(), advanced: now, part: 0 }
    }

    pub fn len(&self) -> usize {
        self.sessions.len()
    }

    pub fn lose_time(&mut self, lost: Duration) {
        self.sessions.iter_mut().for_each(|(_, session)| session.lose_time(lost));
    }

    /// The next of those whose time passes together.
    fn next_part(&mut self) -> Vec<OutsideKey> {
        let part = self.part;
        self.part = (part + 1) % PARTS;
        let keys = (part..self.sessions.capacity()).step_by(PARTS).filter(|key| self.sessions.contains(*key));
        keys.map(OutsideKey).collect()
    }

    fn get_mut(&mut self, key: OutsideKey) -> Option<&mut Session> {
        self.sessions.get_mut(key.0).map(Box::as_mut)
    }

    fn take(&mut self, key: OutsideKey) -> Option<Box<Session>> {
        self.sessions.try_remove(key.0)
    }
}

impl Router {
    /// The sessions that are in no lobby.
    pub fn outside_sessions(&self) -> impl Iterator<Item = &Session> {
        self.outside.sessions.iter().map(|(_, session)| session.as_ref())
    }

    /// Puts another conversation in the place of one of these. For tests.
    pub fn substitute(&mut self, key: OutsideKey, protocol: Box<dyn protocol::LinkSession>) -> bool {
        self.outside.get_mut(key).map(|session| session.substitute(protocol)).is_some()
    }

    /// Takes in a session that is in no lobby.
    pub(super) fn admit_outside(&mut self, cx: &mut Context, mut session: Box<Session>) {
        session.count_from_zero(cx.now);
        let (peer, stream) = (session.peer, session.stream);
        let key = OutsideKey(self.outside.sessions.insert(session));
        self.routes.set_peer(peer, Route::Outside(key));
        if let Some(stream) = stream {
            self.routes.set_stream(stream.id, Route::Outside(key));
        }
        self.attend(cx, key);
    }

    pub(super) fn outside_datagram(&mut self, cx: &mut Context, key: OutsideKey, bytes: &[u8]) {
        self.guarded(cx, key, |router, cx| {
            // A link is closed when its session is over, and not before.
            let _ = router.outside.get_mut(key).and_then(|session| session.receive(cx, Channel::Datagram, bytes));
        });
    }

    pub(super) fn outside_piece(&mut self, cx: &mut Context, key: OutsideKey, piece: StreamPiece) {
        if let Some(link) = self.outside.get_mut(key).and_then(|session| session.link.as_mut()) {
            link.add_piece(piece);
            self.attend(cx, key);
        }
    }

    /// Lets their time pass.
    pub(super) fn advance_outside(&mut self, cx: &mut Context) {
        if cx.now.since(self.outside.advanced) < ADVANCE_EVERY / PARTS as u32 {
            return;
        }
        self.outside.advanced = cx.now;
        for key in self.outside.next_part() {
            self.guarded(cx, key, |router, cx| {
                if let Some(session) = router.outside.get_mut(key) {
                    session.advance(cx.now);
                }
            });
            self.attend(cx, key);
        }
    }

    /// Ends one of them.
    pub fn end_outside(&mut self, cx: &mut Context, key: OutsideKey, why: End) {
        self.guarded(cx, key, |router, cx| {
            if let Some(session) = router.outside.get_mut(key) {
                session.end(cx.now, why);
                let _ = session.flush(cx);
            }
        });
        self.remove_outside(cx, key);
    }

    /// Hears what came over a link, and does what it asks for, for as long as its session is in no lobby.
    fn attend(&mut self, cx: &mut Context, key: OutsideKey) {
        self.guarded(cx, key, |router, cx| {
            router.hear(cx, key);
            let Some(session) = router.outside.get_mut(key) else { return };
            let _ = session.flush(cx);
            if session.ended().is_some() {
                router.remove_outside(cx, key);
            }
        });
    }

    fn hear(&mut self, cx: &mut Context, key: OutsideKey) {
        while let Some(session) = self.outside.get_mut(key) {
            if let Some(request) = session.next_request() {
                self.request(cx, key, request);
            } else if session.ended().is_some() {
                return;
            } else if let Some(piece) = session.next_piece() {
                let _ = session.receive(cx, Channel::Stream, &piece);
            } else {
                return;
            }
        }
    }

    fn request(&mut self, cx: &mut Context, key: OutsideKey, request: LobbyRequest) {
        match request {
            LobbyRequest::List => {
                let lobbies = self.list(cx.now);
                self.notify(cx.now, key, &LobbyNotice::Lobbies(&lobbies));
            }
            LobbyRequest::Rename { name } => {
                if let Some(link) = self.outside.get_mut(key).and_then(|session| session.link.as_mut()) {
                    link.name = name;
                }
            }
            LobbyRequest::Ship(ship) => {
                if let Some(link) = self.outside.get_mut(key).and_then(|session| session.link.as_mut()) {
                    link.ship = Some(ship);
                }
            }
            // The session carries this out itself.
            LobbyRequest::Mute { .. } => {}
            LobbyRequest::Watch { code } => self.watch(cx, key, code),
            LobbyRequest::Quick => self.take_seat(cx, key, SeatRequest::Any),
            LobbyRequest::Join { code } => self.take_seat(cx, key, SeatRequest::Lobby(code)),
            LobbyRequest::Rejoin { token } => self.take_seat(cx, key, SeatRequest::Kept(token)),
            LobbyRequest::Create { .. } if !self.may_make_lobby(cx, key) => {
                self.notify(cx.now, key, &LobbyNotice::Refused(Refusal::TooFast));
            }
            LobbyRequest::Create { stage, rules, is_private } => match self.choice(cx.now, &stage, rules) {
                Some(choice) => {
                    let is_private = is_private || choice.is_private;
                    self.take_seat(cx, key, SeatRequest::New(LobbyChoice { is_private, ..choice }));
                }
                None => self.notify(cx.now, key, &LobbyNotice::Refused(Refusal::NoStage)),
            },
            LobbyRequest::LeaveLobby
            | LobbyRequest::Say { .. }
            | LobbyRequest::Emote(_)
            | LobbyRequest::Ready(_)
            | LobbyRequest::Start
            | LobbyRequest::AddBot(_)
            | LobbyRequest::Kick { .. }
            | LobbyRequest::Pace(_) => self.notify(cx.now, key, &LobbyNotice::Refused(Refusal::NotNow)),
        }
    }

    /// What a player chose for a lobby, as far as it can be chosen: a day's game is that of today, whatever else was asked for,
    /// and nobody walks into somebody's practice.
    fn choice(&self, now: Time, stage: &str, rules: Rules) -> Option<LobbyChoice> {
        match rules.mode {
            Mode::Daily(_) => {
                let stage = self.settings.stages.iter().find(|stage| stage.endless)?.clone();
                let (rules, wish) = (Rules::of_day(day_of(now)), RemoteWish::default());
                Some(LobbyChoice { stage, rules, is_private: false, has_host: true, wish })
            }
            Mode::Campaign | Mode::Endless | Mode::Practice(_) => {
                let wish = RemoteWish { lobby: None, stage: Some(stage.into()) };
                let unknown = self.settings.remote.is_some().then(|| self.settings.stage.clone());
                let stage = self.settings.stage(stage).or(unknown)?;
                let rules = rules.in_stage(&stage);
                Some(LobbyChoice { is_private: !rules.is_scored(), stage, rules, has_host: true, wish })
            }
        }
    }

    fn may_make_lobby(&mut self, cx: &mut Context, key: OutsideKey) -> bool {
        let Some(peer) = self.outside.get_mut(key).map(|session| session.peer) else { return false };
        let may_make = self.directory.rates().admit(cx.now, RatedSender::Connected(peer.ip()), Rate::Lobbies, 1);
        if !may_make {
            cx.out.count_drop(peer.dialect(), Drop::RateLimited);
        }
        may_make
    }

    /// Whether a peer may ask for a seat now, or to watch; if so it is counted. A lobby that is made is counted as such, and a token is
    /// a proof.
    fn may_ask(&mut self, cx: &mut Context, peer: PeerKey, request: &SeatRequest) -> bool {
        let is_exempt = match request {
            SeatRequest::New(_) => true,
            SeatRequest::Kept(token) => self.directory.lock().keeps_seat_for(*token),
            SeatRequest::Any | SeatRequest::Lobby(_) => false,
        };
        let may_ask =
            is_exempt || self.directory.rates().admit(cx.now, RatedSender::Connected(peer.ip()), Rate::Joins, 1);
        if !may_ask {
            cx.out.count_drop(peer.dialect(), Drop::RateLimited);
        }
        may_ask
    }

    fn take_seat(&mut self, cx: &mut Context, key: OutsideKey, request: SeatRequest) {
        let Some(peer) = self.outside.get_mut(key).map(|session| session.peer) else { return };
        if !self.may_ask(cx, peer, &request) {
            return self.notify(cx.now, key, &LobbyNotice::Refused(Refusal::TooFast));
        }
        let asker = Asker { now: cx.now, shard: self.shard, peer, is_proved: true };
        let is_kept = matches!(request, SeatRequest::Kept(_));
        let wanted = if let SeatRequest::Lobby(id) = request { Some(id) } else { None };
        let mut directory = self.directory.lock();
        let has_share = is_kept || directory.has_share(peer);
        let entered = directory.enter(asker, request);
        let evicted = directory.take_evicted();
        drop(directory);
        self.tell_evicted(cx, evicted);
        if !has_share {
            cx.out.count_drop(peer.dialect(), Drop::ShareTaken);
        }
        match entered {
            Ok((seat, token)) => self.depart(cx, key, seat.shard, LinkDestination::Seat(seat, token)),
            Err(refusal) => {
                self.notify(cx.now, key, &LobbyNotice::Refused(refusal));
                wanted.filter(|_| refusal == Refusal::NotNow).into_iter().for_each(|id| self.tell_seat_wanted(cx, id));
            }
        }
    }

    fn watch(&mut self, cx: &mut Context, key: OutsideKey, code: LobbyId) {
        let Some(peer) = self.outside.get_mut(key).map(|session| session.peer) else { return };
        if !self.may_ask(cx, peer, &SeatRequest::Lobby(code)) {
            return self.notify(cx.now, key, &LobbyNotice::Refused(Refusal::TooFast));
        }
        let found = self.directory.lock().find_to_watch(cx.now, peer, code);
        match found {
            Ok(found) => self.depart(cx, key, found.shard, LinkDestination::Watch(code)),
            Err(refusal) => self.notify(cx.now, key, &LobbyNotice::Refused(refusal)),
        }
    }

    /// Lets a session go to a lobby.
    fn depart(&mut self, cx: &mut Context, key: OutsideKey, shard: ShardId, to: LinkDestination) {
        let Some(session) = self.outside.take(key) else { return };
        self.routes.remove_peer(session.peer);
        if let Some(stream) = session.stream {
            self.routes.remove_stream(stream.id);
        }
        self.send_into_lobby(cx, shard, MovingSession { session, destination: to, via: self.shard });
    }

    fn notify(&mut self, now: Time, key: OutsideKey, notice: &LobbyNotice) {
        if let Some(session) = self.outside.get_mut(key) {
            session.notify(now, notice);
        }
    }

    fn guarded(&mut self, cx: &mut Context, key: OutsideKey, act: impl FnOnce(&mut Router, &mut Context)) {
        if guarded(|| act(self, cx)).is_none() {
            self.remove_outside(cx, key);
        }
    }

    fn remove_outside(&mut self, cx: &mut Context, key: OutsideKey) {
        if let Some(session) = self.outside.take(key) {
            self.session_ended(cx, session);
        }
    }
}

/// Does something to a session that is in no lobby. None: it panicked.
pub(super) fn guarded<T>(act: impl FnOnce() -> T) -> Option<T> {
    let done = std::panic::catch_unwind(std::panic::AssertUnwindSafe(act));
    if done.is_err() {
        tracing::error!("a session outside a lobby panicked and was ended");
    }
    done.ok()
}
