//! What arrives in datagrams: from players, from strangers, and from addresses at which nobody is any more.

use std::{net::SocketAddr, time::Duration};

use protocol::{Channel, End, Moment, StreamUse, Time, amplification::may_serve};

use super::{
    Core, Drop, Endpoint, Outbox, Route, SessionKey,
    directory::Seating,
    parcels::{Carried, Content, Newcomer, Parcel},
    recollection::Fingerprint,
    session::Session,
};

/// How long a datagram waits for the stream that it belongs to.
const EARLY_LASTS: Duration = Duration::from_millis(30);
/// So many of them wait at most.
const EARLY_MAX: usize = 256;

/// A datagram that came before its stream.
pub(super) struct Early {
    since: Time,
    at: Endpoint,
    from: SocketAddr,
    bytes: Carried,
}

impl Core {
    /// A datagram arrived.
    pub fn datagram(&mut self, now: Time, at: Endpoint, from: SocketAddr, bytes: &[u8], out: &mut dyn Outbox) {
        let counters = self.counters.of(at.dialect());
        counters.datagrams_in += 1;
        counters.bytes_in += bytes.len() as u64;
        match self.routes.get(&(at, from)) {
            Some(&Route::Here(key)) => self.receive(now, key, Channel::Datagram, bytes, out),
            Some(&Route::Shard(_)) => self.pass_on(at, from, bytes, out),
            None => self.stranger(now, at, from, bytes, out),
        }
    }

    /// The peer's system says that nobody listens there (ruling C6). It may say so to another shard than sent to it.
    pub fn unreachable(&mut self, now: Time, at: Endpoint, from: SocketAddr, out: &mut dyn Outbox) {
        let shard = match self.routes.get(&(at, from)) {
            Some(Route::Here(_)) => self.shard,
            Some(Route::Shard(shard)) => *shard,
            None => match self.directory.lock().find_shard(at, from) {
                Some(shard) => shard,
                None => return,
            },
        };
        if shard == self.shard {
            self.end_session(now, at, from, End::Unreachable, out);
        } else {
            out.hand_over(shard, Parcel(Content::Unreachable { at, from }));
        }
    }

    pub(super) fn end_session(&mut self, now: Time, at: Endpoint, from: SocketAddr, why: End, out: &mut dyn Outbox) {
        let Some(&Route::Here(key)) = self.routes.get(&(at, from)) else { return };
        self.guarded(now, key, out, |core, out| {
            if let Some(session) = core.sessions.get_mut(key.0) {
                session.half.end(now, why);
            }
            core.flush(now, key, out);
        });
        self.bury(now, key, out);
    }

    /// A player's bytes, in their session.
    pub(super) fn receive(&mut self, now: Time, key: SessionKey, channel: Channel, bytes: &[u8], out: &mut dyn Outbox) {
        let Some(session) = self.sessions.get_mut(key.0) else { return };
        if channel == Channel::Datagram {
            session.allowance.received(now, bytes.len());
            if !session.is_claimed {
                session.is_claimed = true;
                self.directory.lock().recollection.forget_claim(session.endpoint, session.address);
            }
        }
        self.guarded(now, key, out, |core, out| core.hear(now, key, channel, bytes, out));
    }

    fn hear(&mut self, now: Time, key: SessionKey, channel: Channel, bytes: &[u8], out: &mut dyn Outbox) {
        let Some(session) = self.sessions.get_mut(key.0) else { return };
        match session.half.receive(now, channel, bytes) {
            Ok(None) => {}
            Ok(Some(oddity)) => {
                complain(now, session, &oddity);
                self.counters.of(session.dialect).oddities += 1;
            }
            Err(malformed) => {
                complain(now, session, &malformed);
                self.counters.drop(session.dialect, malformed.into());
            }
        }
        self.flush(now, key, out);
    }

    /// Hands a datagram to the shard of its player.
    fn pass_on(&mut self, at: Endpoint, from: SocketAddr, bytes: &[u8], out: &mut dyn Outbox) {
        let Some(&Route::Shard(shard)) = self.routes.get(&(at, from)) else { return };
        self.counters.handovers += 1;
        if !out.hand_over(shard, Parcel(Content::Datagram { at, from, bytes: Carried::new(bytes) })) {
            self.counters.drop(at.dialect(), Drop::RingFull);
        }
    }

    /// A datagram from nobody whom this shard knows. What nobody can want is dropped before anything is locked.
    pub(super) fn stranger(&mut self, now: Time, at: Endpoint, from: SocketAddr, bytes: &[u8], out: &mut dyn Outbox) {
        let dialect = at.dialect();
        let door = dialect.entry();
        if self.bans.contain(from.ip()) {
            return self.counters.drop(dialect, Drop::Banned);
        }
        if !may_serve(door.proof, from.ip(), self.settings.open_unproved) {
            return self.counters.drop(dialect, Drop::NotServed);
        }
        let name = match (door.read_join)(bytes) {
            Ok(knock) => knock.map(|knock| knock.name),
            Err(malformed) => return self.counters.drop(dialect, malformed.into()),
        };
        match (at, door.stream) {
            // Its session is opened by a stream, never by a datagram.
            (Endpoint::Door(_), StreamUse::OpensSession) => self.claim(now, now, at, from, bytes, out),
            (Endpoint::Door(_), StreamUse::Desk(_) | StreamUse::Link(_)) | (Endpoint::Link(..), _) => {
                self.counters.drop(dialect, Drop::Stranger)
            }
            (Endpoint::Door(_), StreamUse::None) | (Endpoint::Lobby(..), _) => match name {
                Some(name) => self.knock(now, at, from, name, bytes, out),
                None => self.see_off(now, at, from, bytes, out),
            },
        }
    }

    fn knock(&mut self, now: Time, at: Endpoint, from: SocketAddr, name: String, bytes: &[u8], out: &mut dyn Outbox) {
        let dialect = at.dialect();
        let seating = {
            let mut directory = self.directory.lock();
            if matches!(at, Endpoint::Lobby(..)) && !directory.recollection.has_exchanged(now, from) {
                return self.counters.drop(dialect, Drop::Unproved);
            }
            if directory.recollection.is_kept_out(now, at, from) {
                return self.counters.drop(dialect, Drop::Banned);
            }
            if directory.recollection.is_late_repeat(now, at, from, bytes) {
                return self.counters.drop(dialect, Drop::Stranger);
            }
            directory.seat(now, self.shard, at, from)
        };
        match seating {
            Seating::New(place) => {
                let knock = Some(Fingerprint::of(bytes));
                let newcomer = Newcomer { at, from, place, name, knock, stream: None, via: self.shard };
                self.send_newcomer(now, newcomer, out);
                self.deliver(now, at, from, bytes, out);
            }
            Seating::Known(shard) => {
                self.learn_route(at, from, shard);
                self.deliver(now, at, from, bytes, out);
            }
            Seating::Full => self.refuse(now, at, from, bytes, out),
        }
    }

    /// Refusals are shorter than three times any knock that asks for a seat.
    fn refuse(&mut self, now: Time, at: Endpoint, from: SocketAddr, knock: &[u8], out: &mut dyn Outbox) {
        self.counters.drop(at.dialect(), Drop::Full);
        let mut numbers = self.directory.lock().recollection.numbers(at, from);
        let refusals = (at.dialect().entry().refuse)(Moment { now, started: self.started }, &mut numbers, knock);
        self.directory.lock().recollection.note_numbers(now, at, from, numbers);
        for refusal in refusals {
            out.datagram(at, from, &refusal);
        }
    }

    /// Ruling A2: the address of the stream is known from the beginning. Failing that, the first unclaimed address of its
    /// host claims the oldest unclaimed session.
    fn claim(&mut self, now: Time, since: Time, at: Endpoint, from: SocketAddr, bytes: &[u8], out: &mut dyn Outbox) {
        let mut directory = self.directory.lock();
        if let Some(shard) = directory.find_peer(self.shard, at, from) {
            drop(directory);
            self.learn_route(at, from, shard);
            return self.deliver(now, at, from, bytes, out);
        }
        let claimed = directory.recollection.claim(now, at, from);
        let moved = claimed.and_then(|old| Some((old, directory.move_peer(self.shard, at, old, from)?)));
        drop(directory);
        let Some((old, (shard, routes))) = moved else { return self.await_stream(now, since, at, from, bytes) };
        self.spread_word(routes, at, old, out);
        if shard == self.shard {
            self.move_session(at, old, from);
        } else {
            self.learn_route(at, from, shard);
            out.hand_over(shard, Parcel(Content::Move { at, from: old, to: from }));
        }
        self.deliver(now, at, from, bytes, out);
    }

    /// A datagram whose stream nobody has accepted yet: the peer sent both at once, and the other shard was slower. It is
    /// looked at again soon.
    fn await_stream(&mut self, now: Time, since: Time, at: Endpoint, from: SocketAddr, bytes: &[u8]) {
        if now.since(since) < EARLY_LASTS && self.early.len() < EARLY_MAX {
            self.early.push(Early { since, at, from, bytes: Carried::new(bytes) });
        } else {
            self.counters.drop(at.dialect(), Drop::Stranger);
        }
    }

    /// Looks again at datagrams that came before their streams.
    pub(super) fn retry_early(&mut self, now: Time, out: &mut dyn Outbox) {
        for Early { since, at, from, bytes } in std::mem::take(&mut self.early) {
            self.claim(now, since, at, from, bytes.as_slice(), out);
        }
    }

    /// A datagram that asks for no seat: perhaps the goodbye of somebody who has just gone, said again.
    fn see_off(&mut self, now: Time, at: Endpoint, from: SocketAddr, bytes: &[u8], out: &mut dyn Outbox) {
        let dialect = at.dialect();
        let mut directory = self.directory.lock();
        let known = directory.find_peer(self.shard, at, from);
        let has_just_left = directory.recollection.has_just_left(now, at, from);
        drop(directory);
        if let Some(shard) = known {
            self.learn_route(at, from, shard);
            return self.deliver(now, at, from, bytes, out);
        }
        let mut answer = Vec::new();
        if has_just_left && (dialect.entry().answer_repeated_leave)(now, bytes, &mut answer) {
            out.datagram(at, from, &answer);
        } else {
            self.counters.drop(dialect, Drop::Stranger);
        }
    }

    /// Lets a datagram take the way that is known by now.
    fn deliver(&mut self, now: Time, at: Endpoint, from: SocketAddr, bytes: &[u8], out: &mut dyn Outbox) {
        match self.routes.get(&(at, from)) {
            Some(&Route::Here(key)) => self.receive(now, key, Channel::Datagram, bytes, out),
            Some(&Route::Shard(_)) => self.pass_on(at, from, bytes, out),
            // The seat was given by another shard, whose parcel is still on its way here.
            None => self.counters.drop(at.dialect(), Drop::Stranger),
        }
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
