//! Links: connections that are there before their seat, and choose their lobby themselves.
//!
//! The shard that a link came to is its home: all that the peer says passes through it. The session lives there until it
//! goes to a lobby of another shard, which sends over the link itself, and comes back when it leaves that lobby. What
//! the peer says over the link's stream is numbered at home, because it may take another way than what was said before.

use std::{collections::BTreeMap, net::SocketAddr};

use protocol::{
    AnyServerSession, Channel, Dialect, End, LobbyId, LobbyNotice, Pace, Refusal, Status, StreamUse, Time, Token,
    amplification::Allowance,
};

use super::{
    Core, Drop, Endpoint, LobbyKey, Outbox, Route, SessionKey, ShardId, StreamId,
    directory::Place,
    parcels::{Content, Parcel},
    session::{Session, Whereabouts, log_arrival},
    streams::{Line, StreamEnd},
};

/// A link, as its home knows it.
pub(super) struct HomeLink {
    at: Endpoint,
    from: SocketAddr,
    /// How many pieces of its stream there were.
    pieces: u32,
}

/// What a link's session has besides others.
#[derive(Default)]
pub(super) struct Linked {
    pub name: String,
    order: InOrder,
}

/// Pieces of a stream that may come by different ways.
#[derive(Default)]
struct InOrder {
    next: u32,
    early: BTreeMap<u32, Box<[u8]>>,
}

/// A link's session on its way to where it wants to be.
pub(super) struct Guest {
    half: AnyServerSession,
    at: Endpoint,
    from: SocketAddr,
    line: Line,
    linked: Box<Linked>,
    goal: Goal,
    /// The shard that it comes from.
    via: ShardId,
}

/// Where a guest wants to be.
#[derive(Clone, Copy)]
pub(super) enum Goal {
    Lounge,
    Seat { place: Place, token: Token },
    Watch(LobbyId),
}

impl InOrder {
    fn take(&mut self) -> Option<Box<[u8]>> {
        let piece = self.early.remove(&self.next)?;
        self.next += 1;
        Some(piece)
    }
}

impl Core {
    /// A link of a dialect that has such was opened. It is to be closed, with [`Core::link_closed`], in any case.
    pub fn link_opened(&mut self, now: Time, link: StreamId, dialect: Dialect, from: SocketAddr, out: &mut dyn Outbox) {
        let StreamUse::Link(open) = dialect.entry().stream else { return out.close(link) };
        if self.bans.contain(from.ip()) {
            self.counters.drop(dialect, Drop::Banned);
            return out.close(link);
        }
        let at = Endpoint::Link(dialect, link);
        self.links.insert(link, HomeLink { at, from, pieces: 0 });
        self.counters.of(dialect).sessions += 1;
        let guest = Guest {
            half: AnyServerSession::Link(open(now)),
            at,
            from,
            line: Line { stream: link, home: self.shard },
            linked: Box::default(),
            goal: Goal::Lounge,
            via: self.shard,
        };
        self.admit(now, guest, out);
    }

    /// The next bytes of a link's stream. Its datagrams go to [`Core::datagram`] like all others.
    pub fn link_bytes(&mut self, now: Time, link: StreamId, bytes: &[u8], out: &mut dyn Outbox) {
        // No bytes would say that it is closed.
        if !bytes.is_empty() {
            self.next_piece(now, link, bytes, out);
        }
    }

    /// A link is gone.
    pub fn link_closed(&mut self, now: Time, link: StreamId, out: &mut dyn Outbox) {
        self.next_piece(now, link, &[], out);
        // Nothing more comes from there. Where its session lives elsewhere, that shard hears of the end by the piece.
        if let Some(HomeLink { at, from, .. }) = self.links.remove(&link) {
            self.forget_route(at, from);
        }
    }

    fn next_piece(&mut self, now: Time, link: StreamId, bytes: &[u8], out: &mut dyn Outbox) {
        let Some(home) = self.links.get_mut(&link) else { return };
        let number = home.pieces;
        home.pieces += 1;
        self.link_piece(now, link, number, bytes.into(), out);
    }

    /// A numbered piece of a link's stream.
    pub(super) fn link_piece(
        &mut self,
        now: Time,
        link: StreamId,
        number: u32,
        bytes: Box<[u8]>,
        out: &mut dyn Outbox,
    ) {
        match self.streams.get(&link) {
            Some(&StreamEnd::Here(key)) => {
                let linked = self.sessions.get_mut(key.0).and_then(|session| session.linked.as_mut());
                if let Some(linked) = linked {
                    linked.order.early.insert(number, bytes);
                }
                self.hear_link(now, link, out);
            }
            Some(&StreamEnd::Shard(shard)) => {
                out.hand_over(shard, Parcel(Content::LinkPiece { link, number, bytes }));
            }
            // Its session is over.
            None => {}
        }
    }

    /// Lets a link's session hear what is next, for as long as it is here.
    fn hear_link(&mut self, now: Time, link: StreamId, out: &mut dyn Outbox) {
        while let Some(key) = self.session_of(link) {
            let linked = self.sessions.get_mut(key.0).and_then(|session| session.linked.as_mut());
            let Some(piece) = linked.and_then(|linked| linked.order.take()) else { return };
            self.receive(now, key, Channel::Stream, &piece, out);
            self.tend(now, link, out);
        }
    }

    /// Grants what a link's session wishes for, and buries it if it is over.
    fn tend(&mut self, now: Time, link: StreamId, out: &mut dyn Outbox) {
        while let Some(key) = self.session_of(link) {
            let mut has_wished = false;
            self.guarded(now, key, out, |core, out| {
                let wish = core.sessions.get_mut(key.0).and_then(|session| session.half.link_mut()?.lobby_request());
                has_wished = wish.is_some();
                wish.into_iter().for_each(|wish| core.fulfil(now, key, wish, out));
            });
            if !has_wished {
                break;
            }
        }
        let Some(key) = self.session_of(link) else { return };
        self.guarded(now, key, out, |core, out| core.flush(now, key, out));
        let is_over = |session: &Session| matches!(session.half.status(), Status::Ended(_));
        if self.sessions.get(key.0).is_some_and(is_over) {
            self.bury(now, key, out);
        }
    }

    fn session_of(&self, link: StreamId) -> Option<SessionKey> {
        match self.streams.get(&link) {
            Some(&StreamEnd::Here(key)) => Some(key),
            Some(StreamEnd::Shard(_)) | None => None,
        }
    }

    /// Lets a session go to a lobby, here or elsewhere.
    pub(super) fn send_guest(&mut self, now: Time, key: SessionKey, goal: Goal, shard: ShardId, out: &mut dyn Outbox) {
        let Some(session) = self.sessions.try_remove(key.0) else { return };
        self.lounge.remove(&key);
        let (Some(line), Some(linked)) = (session.stream, session.linked) else { return };
        let Session { half, endpoint: at, address: from, .. } = session;
        let guest = Guest { half, at, from, line, linked, goal, via: self.shard };
        if shard == self.shard {
            return self.admit(now, guest, out);
        }
        if line.home != self.shard {
            out.return_link(line.stream);
        }
        self.streams.insert(line.stream, StreamEnd::Shard(shard));
        self.routes.insert((at, from), Route::Shard(shard));
        out.hand_over(shard, Parcel(Content::Guest(Box::new(guest))));
    }

    /// Lets a session that is in no lobby any more go home.
    pub(super) fn send_home(&mut self, now: Time, key: SessionKey, out: &mut dyn Outbox) {
        let home = self.sessions.get(key.0).and_then(|session| session.stream).map(|line| line.home);
        if let Some(home) = home {
            self.send_guest(now, key, Goal::Lounge, home, out);
        }
    }

    /// Takes in a guest, at the end of their way.
    pub(super) fn admit(&mut self, now: Time, guest: Guest, out: &mut dyn Outbox) {
        let Guest { half, at, from, line, linked, goal, via } = guest;
        if line.home != self.shard {
            out.borrow_link(line.stream);
        }
        let serial = self.next_serial;
        self.next_serial += 1;
        let key = SessionKey(self.sessions.insert(Session {
            half,
            dialect: at.dialect(),
            place: Whereabouts::Lounge,
            endpoint: at,
            address: from,
            is_claimed: true,
            stream: Some(line),
            allowance: Allowance::new(now, at.dialect().entry().proof, from.ip()),
            opened: now,
            serial,
            knock: None,
            complained: None,
            linked: Some(linked),
        }));
        self.lounge.insert(key);
        self.routes.insert((at, from), Route::Here(key));
        self.streams.insert(line.stream, StreamEnd::Here(key));
        if via != self.shard && line.home == self.shard {
            // All that was on its way there has been sent on by the time that this arrives.
            out.hand_over(via, Parcel(Content::ForgetLink { link: line.stream, at, from }));
        }
        if self.bans.contain(from.ip()) {
            // They were banned while they were on their way.
            return self.end_session(now, at, from, End::Closed, out);
        }
        self.guarded(now, key, out, |core, out| core.arrive(now, key, goal, out));
        self.tend(now, line.stream, out);
        self.hear_link(now, line.stream, out);
    }

    fn arrive(&mut self, now: Time, key: SessionKey, goal: Goal, out: &mut dyn Outbox) {
        let arrived = match goal {
            Goal::Lounge => return,
            // The lobby may have been closed while they were on their way.
            Goal::Seat { place, token } => self.sit_down(now, key, place, token, out).ok_or(Refusal::NoLobby),
            Goal::Watch(id) => self.look_on(now, key, id),
        };
        let Err(refusal) = arrived else {
            self.lounge.remove(&key);
            return;
        };
        self.grant(now, key, &LobbyNotice::Refused(refusal));
        if let Goal::Seat { .. } = goal {
            self.leave_directory(key, out);
        }
        self.send_home(now, key, out);
    }

    fn sit_down(&mut self, now: Time, key: SessionKey, place: Place, token: Token, out: &mut dyn Outbox) -> Option<()> {
        let session = self.sessions.get(key.0)?;
        let is_seated = self.directory.lock().is_seated(session.endpoint, session.address, place);
        let lobby = self.lobby_here(now, place.lobby).filter(|_| is_seated)?;
        self.replace_earlier_session(now, lobby, place, out);
        let name = self.sessions[key.0].linked.as_ref().map(|linked| linked.name.clone()).unwrap_or_default();
        let (dialect, from) = (self.sessions[key.0].dialect, self.sessions[key.0].address);
        self.lobbies.get_mut(lobby.0)?.take_seat(place.seat, key, &name, from.ip(), true);
        log_arrival(place.lobby, place.seat, dialect, from, &name);
        self.sessions[key.0].place = Whereabouts::Seat(lobby, place.seat);
        self.grant(now, key, &LobbyNotice::Seated { code: place.lobby, seat: place.seat, token });
        self.show_stage(now, key, lobby);
        Some(())
    }

    /// Who comes back to their seat may still have a session there, whose link is lost though nobody noticed yet.
    fn replace_earlier_session(&mut self, now: Time, lobby: LobbyKey, place: Place, out: &mut dyn Outbox) {
        let Some(earlier) = self.lobbies.get(lobby.0).and_then(|lobby| lobby.seats[place.seat.index()]) else { return };
        if let Some(session) = self.sessions.get_mut(earlier.0) {
            session.half.end(now, End::Closed);
        }
        self.flush(now, earlier, out);
        if let Some(session) = self.sessions.try_remove(earlier.0) {
            self.forget_link(&session, out);
        }
    }

    /// Takes a session out of all tables but its lobby's.
    pub(super) fn forget_link(&mut self, session: &Session, out: &mut dyn Outbox) {
        self.routes.remove(&(session.endpoint, session.address));
        if let Some(line) = session.stream {
            self.streams.remove(&line.stream);
            line.hang_up(self.shard, out);
        }
    }

    fn look_on(&mut self, now: Time, key: SessionKey, id: LobbyId) -> Result<(), Refusal> {
        let lobby = self.lobby_here(now, id).ok_or(Refusal::NoLobby)?;
        let watched = self.lobbies.get_mut(lobby.0).ok_or(Refusal::NoLobby)?;
        if !watched.add_watcher(key) {
            return Err(Refusal::Full);
        }
        self.sessions[key.0].place = Whereabouts::Watch(lobby);
        let pace = watched.pacing.in_force();
        self.grant(now, key, &LobbyNotice::Watching { code: id });
        self.show_stage(now, key, lobby);
        if pace != Pace::Full {
            self.grant(now, key, &LobbyNotice::Pace(pace));
        }
        Ok(())
    }

    fn show_stage(&mut self, now: Time, key: SessionKey, lobby: LobbyKey) {
        if let Some(stage) = self.lobbies.get(lobby.0).map(|lobby| lobby.world.stage().clone()) {
            self.grant(now, key, &LobbyNotice::Stage(&stage));
        }
    }

    /// The session of a link has gone from here to its home.
    pub(super) fn forget_way(&mut self, link: StreamId, at: Endpoint, from: SocketAddr) {
        if let Some(StreamEnd::Shard(_)) = self.streams.get(&link) {
            self.streams.remove(&link);
        }
        if let Some(Route::Shard(_)) = self.routes.get(&(at, from)) {
            self.routes.remove(&(at, from));
        }
    }

    /// Lets time pass for those who are in no lobby.
    pub(super) fn advance_lounge(&mut self, now: Time, out: &mut dyn Outbox) {
        if now.since(self.lounge_seen) < LOUNGE_LOOK {
            return;
        }
        self.lounge_seen = now;
        let everybody: Vec<SessionKey> = self.lounge.iter().copied().collect();
        for key in everybody {
            let Some(line) = self.sessions.get(key.0).and_then(|session| session.stream) else { continue };
            self.guarded(now, key, out, |core, _| {
                if let Some(session) = core.sessions.get_mut(key.0) {
                    session.half.advance(now);
                }
            });
            self.tend(now, line.stream, out);
        }
    }
}

/// How often those who are in no lobby are looked after.
const LOUNGE_LOOK: std::time::Duration = std::time::Duration::from_millis(250);
