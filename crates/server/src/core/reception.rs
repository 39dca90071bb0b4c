//! What arrives: from players, from strangers, and over streams.

use std::{collections::HashMap, net::SocketAddr, time::Duration};

use game::Seat;
use protocol::{
    Channel, Dialect, End, Moment, StreamUse, Time, Welcome,
    amplification::{Allowance, may_serve},
    rfc2020::LobbyId,
};

use super::{Core, Departed, Drop, Endpoint, Outbox, SessionKey, StreamId, lobby::Lobby, session::Session};

/// Ruling A2: before this, only the address of the stream may claim its session.
const CLAIM_AFTER: Duration = Duration::from_secs(1);
/// Ruling C5: how long a stream's exchange proves an address to lobby ports.
const EXCHANGE_LASTS: Duration = Duration::from_secs(60);
/// How long the goodbye of who has gone is answered again.
const FAREWELL_LASTS: Duration = Duration::from_secs(5);
/// Addresses with a recent exchange or departure that are kept in mind.
const ADDRESSES_MAX: usize = 65_536;

impl Core {
    /// A datagram arrived.
    pub fn datagram(&mut self, now: Time, at: Endpoint, from: SocketAddr, bytes: &[u8], out: &mut dyn Outbox) {
        let dialect = at.dialect();
        let counters = self.counters.of(dialect);
        counters.datagrams_in += 1;
        counters.bytes_in += bytes.len() as u64;
        let key = self.routes.get(&(at, from)).copied();
        match key.or_else(|| self.claim(now, at, from, bytes)) {
            Some(key) => self.receive(now, key, Channel::Datagram, bytes, out),
            None => self.knock(now, at, from, dialect, bytes, out),
        }
    }

    /// A stream was opened at a dialect's door.
    pub fn stream_opened(
        &mut self,
        now: Time,
        stream: StreamId,
        dialect: Dialect,
        from: SocketAddr,
        out: &mut dyn Outbox,
    ) {
        match dialect.door().stream {
            // A link is not one of bare TCP.
            StreamUse::None | StreamUse::Link(_) => out.close(stream),
            StreamUse::Desk(open) => self.open_desk(stream, dialect, from, open(now)),
            StreamUse::OpensSession => {
                let at = Endpoint::Door(dialect);
                let occupied = self.routes.contains_key(&(at, from));
                match self.find_seat(now, at).filter(|_| !occupied) {
                    Some((lobby, seat)) => {
                        let key = self.open(now, at, from, dialect, lobby, seat, "");
                        self.streams.insert(stream, key);
                        if let Some(session) = self.sessions.get_mut(&key) {
                            session.stream = Some(stream);
                            session.is_claimed = false;
                        }
                    }
                    // Full: closed without a word.
                    None => {
                        self.counters.drop(dialect, Drop::Full);
                        out.close(stream);
                    }
                }
            }
        }
    }

    /// Bytes arrived over a stream.
    pub fn stream_bytes(&mut self, now: Time, stream: StreamId, bytes: &[u8], out: &mut dyn Outbox) {
        match self.streams.get(&stream).copied() {
            Some(key) => self.receive(now, key, Channel::Stream, bytes, out),
            None => self.desk_bytes(now, stream, bytes, out),
        }
    }

    /// The other end of a stream says no more, though it may still listen. False: then nor do we.
    pub fn stream_ended(&mut self, stream: StreamId) -> bool {
        self.streams.contains_key(&stream)
    }

    /// A stream was closed.
    pub fn stream_closed(&mut self, stream: StreamId) {
        self.desks.remove(&stream);
        if let Some(key) = self.streams.remove(&stream)
            && let Some(session) = self.sessions.get_mut(&key)
        {
            session.stream = None;
        }
    }

    /// The peer's system says that nobody listens there (ruling C6).
    pub fn unreachable(&mut self, now: Time, at: Endpoint, from: SocketAddr, out: &mut dyn Outbox) {
        let Some(&key) = self.routes.get(&(at, from)) else { return };
        if let Some(session) = self.sessions.get_mut(&key) {
            session.half.end(now, End::Unreachable);
        }
        self.bury(now, key, out);
    }

    /// Keeps in mind that an address was answered over a stream.
    pub(super) fn note_exchange(&mut self, now: Time, from: SocketAddr) {
        make_room(&mut self.exchanges, |since| now.since(*since) < EXCHANGE_LASTS);
        if self.exchanges.len() < ADDRESSES_MAX {
            self.exchanges.insert(from.ip(), now);
        }
    }

    /// Keeps in mind that a player has just gone.
    pub(super) fn note_departure(&mut self, now: Time, at: Endpoint, from: SocketAddr, knock: Vec<u8>) {
        make_room(&mut self.departed, |departed| now.since(departed.since) < FAREWELL_LASTS);
        if self.departed.len() < ADDRESSES_MAX {
            self.departed.insert((at, from), Departed { since: now, knock });
        }
    }

    fn receive(&mut self, now: Time, key: SessionKey, channel: Channel, bytes: &[u8], out: &mut dyn Outbox) {
        let Some(session) = self.sessions.get_mut(&key) else { return };
        if channel == Channel::Datagram {
            session.allowance.received(now, bytes.len());
            session.is_claimed = true;
        }
        let dialect = session.dialect;
        let received = session.half.receive(now, channel, bytes);
        while let Some(oddity) = session.half.oddity() {
            complain(now, session, &oddity);
            self.counters.of(dialect).oddities += 1;
        }
        if let Err(malformed) = received {
            complain(now, session, &malformed);
            self.counters.drop(dialect, malformed.into());
        }
        self.flush(now, key, out);
    }

    /// Ruling A2: the address of the stream has a route from the beginning. Failing that, the first unclaimed address of
    /// its host claims the oldest unclaimed session.
    fn claim(&mut self, now: Time, at: Endpoint, from: SocketAddr, bytes: &[u8]) -> Option<SessionKey> {
        let door = at.dialect().door();
        // Noise claims nothing.
        if !matches!(door.stream, StreamUse::OpensSession) || (door.knock)(bytes).is_err() {
            return None;
        }
        let waits = |session: &Session| {
            session.endpoint == at
                && !session.is_claimed
                && session.address.ip() == from.ip()
                && now.since(session.opened) >= CLAIM_AFTER
        };
        let (&key, session) = self.sessions.iter_mut().find(|(_, session)| waits(session))?;
        self.routes.remove(&(at, session.address));
        session.address = from;
        session.is_claimed = true;
        self.routes.insert((at, from), key);
        Some(key)
    }

    fn knock(
        &mut self,
        now: Time,
        at: Endpoint,
        from: SocketAddr,
        dialect: Dialect,
        bytes: &[u8],
        out: &mut dyn Outbox,
    ) {
        let door = dialect.door();
        if let Some(why) = self.turned_away(now, at, from, dialect) {
            return self.counters.drop(dialect, why);
        }
        if self.is_late_repeat(now, at, from, bytes) {
            return self.counters.drop(dialect, Drop::Stranger);
        }
        let name = match (door.knock)(bytes) {
            Ok(Some(knock)) => knock.name,
            Ok(None) => return self.see_off(now, at, from, bytes, out),
            Err(malformed) => return self.counters.drop(dialect, malformed.into()),
        };
        match self.find_seat(now, at) {
            Some((lobby, seat)) => {
                let key = self.open(now, at, from, dialect, lobby, seat, &name);
                if let Some(session) = self.sessions.get_mut(&key) {
                    session.knock = bytes.to_vec();
                }
                self.receive(now, key, Channel::Datagram, bytes, out);
            }
            None => {
                self.counters.drop(dialect, Drop::Full);
                // Refusals are shorter than three times any knock that asks for a seat.
                for refusal in (door.refuse)(Moment { now, started: self.started }, bytes) {
                    out.datagram(at, from, &refusal);
                }
            }
        }
    }

    fn has_just_left(&self, now: Time, at: Endpoint, from: SocketAddr) -> Option<&Departed> {
        self.departed.get(&(at, from)).filter(|departed| now.since(departed.since) < FAREWELL_LASTS)
    }

    /// Ruling R2: at a lobby's port a request is named by its timestamp, so the same bytes are the same request, late.
    fn is_late_repeat(&self, now: Time, at: Endpoint, from: SocketAddr, bytes: &[u8]) -> bool {
        let has_lobby = matches!(at, Endpoint::Lobby(..));
        has_lobby && self.has_just_left(now, at, from).is_some_and(|departed| departed.knock == bytes)
    }

    /// A datagram that asks for no seat: perhaps the goodbye of somebody who has just gone, said again.
    fn see_off(&mut self, now: Time, at: Endpoint, from: SocketAddr, bytes: &[u8], out: &mut dyn Outbox) {
        let dialect = at.dialect();
        let mut answer = Vec::new();
        if self.has_just_left(now, at, from).is_some() && (dialect.door().farewell)(now, bytes, &mut answer) {
            out.datagram(at, from, &answer);
        } else {
            self.counters.drop(dialect, Drop::Stranger);
        }
    }

    /// Why a stranger at this address is not even listened to.
    fn turned_away(&self, now: Time, at: Endpoint, from: SocketAddr, dialect: Dialect) -> Option<Drop> {
        let door = dialect.door();
        if !may_serve(door.proof, from.ip(), self.settings.open_unproved) {
            return Some(Drop::NotServed);
        }
        match (at, door.stream) {
            // Its session is opened by a stream, never by a datagram.
            (Endpoint::Door(_), StreamUse::OpensSession | StreamUse::Desk(_) | StreamUse::Link(_)) => {
                Some(Drop::Stranger)
            }
            (Endpoint::Lobby(..), _) => {
                let proved = self.exchanges.get(&from.ip()).is_some_and(|since| now.since(*since) < EXCHANGE_LASTS);
                (!proved).then_some(Drop::Unproved)
            }
            (Endpoint::Door(_), StreamUse::None) => None,
        }
    }

    /// Ruling C1: the first open lobby with a free seat, or a new one; at a lobby's port, a seat in that lobby.
    fn find_seat(&mut self, now: Time, at: Endpoint) -> Option<(LobbyId, Seat)> {
        if let Endpoint::Lobby(_, port) = at {
            let (&id, lobby) = self.lobbies.iter().find(|(_, lobby)| lobby.port == Some(port))?;
            return Some((id, lobby.free_seat()?));
        }
        let open = self.by_age.iter().find_map(|id| Some((*id, self.lobbies.get(id)?.free_seat_for_anybody(now)?)));
        open.or_else(|| {
            let stage = self.settings.stage.clone();
            Some((self.new_lobby(now, stage)?, Seat::ALL[0]))
        })
    }

    #[allow(clippy::too_many_arguments, reason = "everything that makes a session, once")]
    fn open(
        &mut self,
        now: Time,
        at: Endpoint,
        from: SocketAddr,
        dialect: Dialect,
        id: LobbyId,
        seat: Seat,
        name: &str,
    ) -> SessionKey {
        let door = dialect.door();
        let key = SessionKey(self.next_session);
        self.next_session += 1;
        let welcome = Welcome { seat, now, started: self.started, scale: self.settings.scale };
        let session = Session {
            half: dialect.accept(welcome),
            dialect,
            lobby: id,
            seat,
            endpoint: at,
            address: from,
            is_claimed: true,
            stream: None,
            allowance: Allowance::new(now, door.proof, from.ip()),
            opened: now,
            knock: Vec::new(),
            complained: None,
        };
        self.sessions.insert(key, session);
        self.routes.insert((at, from), key);
        self.counters.of(dialect).sessions += 1;
        if let Some(lobby) = self.lobbies.get_mut(&id) {
            take_seat(lobby, seat, key, name, matches!(door.stream, StreamUse::Desk(_)));
        }
        tracing::info!(dialect = dialect.name(), seat = seat.number(), name, "a player came");
        key
    }
}

/// Forgets what is long ago, once there is too much to keep in mind.
fn make_room<K, V>(kept: &mut HashMap<K, V>, is_recent: impl Fn(&V) -> bool) {
    if kept.len() >= ADDRESSES_MAX {
        kept.retain(|_, value| is_recent(value));
    }
}

fn take_seat(lobby: &mut Lobby, seat: Seat, key: SessionKey, name: &str, has_lobbies: bool) {
    lobby.seats[seat.index()] = Some(key);
    lobby.empty_since = None;
    lobby.world.join(seat);
    lobby.scene.seat_taken(seat, name);
    // Ruling C11: a player of a dialect without lobbies starts a waiting one.
    if has_lobbies {
        lobby.maker_since = None;
    } else {
        lobby.world.start();
    }
}

/// Bad and odd bytes are logged at most once a second per peer.
fn complain(now: Time, session: &mut Session, what: &dyn std::fmt::Debug) {
    let due = session.complained.is_none_or(|last| now.since(last) >= Duration::from_secs(1));
    if due {
        session.complained = Some(now);
        tracing::warn!(dialect = session.dialect.name(), peer = %session.address, ?what, "a peer said something that it should not");
    }
}
