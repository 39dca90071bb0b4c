//! Datagrams of peers that this shard does not know: they ask for a seat, belong to a stream, or are noise.

use std::time::Duration;

use protocol::{
    Moment, StreamUse, Time,
    amplification::{is_local, may_serve},
};

use super::{KeptBytes, Message, Newcomer, Rate, Router, RouterEvent};
use crate::{
    counters::Drop,
    directory::{Asker, Assignment, DatagramHash},
    outgoing::Context,
    peer::{Endpoint, PeerKey},
};

/// How long a datagram waits for the stream that it belongs to.
const EARLY_LASTS: Duration = Duration::from_millis(30);
/// Strangers are logged no more often than this.
const LOG_EVERY: Duration = Duration::from_secs(1);
/// So many of them wait at most.
const EARLY_MAX: usize = 256;

/// A datagram that came before its stream.
pub(super) struct Early {
    since: Time,
    peer: PeerKey,
    bytes: KeptBytes,
}

impl Router {
    /// A datagram from a peer that this shard does not know. What nobody can want is dropped before anything is locked.
    pub(super) fn stranger(&mut self, cx: &mut Context, peer: PeerKey, bytes: &[u8]) {
        match self.admit_stranger(cx, peer, bytes) {
            Ok(()) => {}
            Err(why) => {
                if why == Drop::UnknownType {
                    self.log_stranger(cx.now, peer, bytes);
                }
                cx.out.count_drop(peer.dialect(), why);
            }
        }
    }

    /// Logs a packet of a type that its dialect does not have, at most once a second: anybody can send any number of them.
    fn log_stranger(&mut self, now: Time, peer: PeerKey, bytes: &[u8]) {
        if self.stranger_logged.is_none_or(|last| now.since(last) >= LOG_EVERY) {
            self.stranger_logged = Some(now);
            let (dialect, bytes, first) = (peer.dialect().name(), bytes.len(), bytes.first());
            tracing::warn!(dialect, peer = %peer.address, bytes, ?first, "a stranger sent a packet of an unknown type");
        }
    }

    fn admit_stranger(&mut self, cx: &mut Context, peer: PeerKey, bytes: &[u8]) -> Result<(), Drop> {
        let entry = peer.dialect().entry();
        if self.bans.contain(peer.ip()) {
            return Err(Drop::Banned);
        }
        if !may_serve(entry.proof, peer.is_neighbour, self.settings.open_unproved) {
            return Err(if is_local(peer.ip()) { Drop::NotOwnNetwork } else { Drop::NotServed });
        }
        if !self.directory.rates().admit(cx.now, peer.ip(), Rate::FirstDatagrams, 1) {
            return Err(Drop::RateLimited);
        }
        let join = (entry.read_join)(bytes)?;
        match (peer.endpoint, entry.stream) {
            // Its session is opened by a stream, never by a datagram.
            (Endpoint::Door(_), StreamUse::OpensSession) => self.claim(cx, cx.now, peer, bytes),
            (Endpoint::Door(_), StreamUse::Desk(_) | StreamUse::Link(_)) | (Endpoint::Link(..), _) => {
                Err(Drop::Stranger)
            }
            (Endpoint::Door(_), StreamUse::None) | (Endpoint::Lobby(..), _) => match join {
                Some(join) => self.join(cx, peer, join.into_name(), bytes),
                None => self.answer_repeated_leave(cx, peer, bytes),
            },
        }
    }

    /// A datagram that asks for a seat.
    fn join(&mut self, cx: &mut Context, peer: PeerKey, name: String, bytes: &[u8]) -> Result<(), Drop> {
        if !self.directory.rates().admit(cx.now, peer.ip(), Rate::Joins, 1) {
            return Err(Drop::RateLimited);
        }
        match self.assign_seat(cx, peer, bytes)? {
            Assignment::New(seat) => {
                let first_datagram = Some(DatagramHash::of(bytes));
                let stream_bytes = match peer.endpoint {
                    Endpoint::Lobby(..) => self.directory.lock().proofs.take_stream_bytes(peer.ip()),
                    Endpoint::Door(_) | Endpoint::Link(..) => 0,
                };
                let (stream, via) = (None, self.shard);
                self.send_newcomer(cx, Newcomer { peer, seat, name, first_datagram, stream, stream_bytes, via });
            }
            Assignment::Known(shard) => self.routes.learn(peer, shard),
            Assignment::AskAgain => return Err(Drop::Full),
            Assignment::Full => {
                self.refuse(cx, peer, bytes);
                return Err(Drop::Full);
            }
            // Ruling C13: what is beyond a limit is not answered.
            Assignment::ShareTaken => return Err(Drop::ShareTaken),
        }
        self.deliver_later(peer, bytes);
        Ok(())
    }

    fn assign_seat(&mut self, cx: &mut Context, peer: PeerKey, bytes: &[u8]) -> Result<Assignment, Drop> {
        let now = cx.now;
        let mut directory = self.directory.lock();
        // At a lobby's port nobody is answered who was not at the desk.
        let is_proved = matches!(peer.endpoint, Endpoint::Lobby(..));
        if is_proved && !directory.proofs.contain(now, peer.ip()) {
            return Err(Drop::Unproved);
        }
        if directory.recent_peers.is_kept_out(now, peer) {
            return Err(Drop::Banned);
        }
        if directory.recent_peers.is_late_repeat(now, peer, bytes) {
            return Err(Drop::Stranger);
        }
        let assignment = directory.seat(Asker { now, shard: self.shard, peer, is_proved });
        let evicted = directory.take_evicted();
        drop(directory);
        self.tell_evicted(cx, evicted);
        Ok(assignment)
    }

    /// Refusals are shorter than three times any datagram that asks for a seat.
    fn refuse(&mut self, cx: &mut Context, peer: PeerKey, request: &[u8]) {
        let moment = Moment { now: cx.now, started: self.started };
        let mut directory = self.directory.lock();
        let mut numbers = directory.recent_peers.numbers(peer);
        let refusals = (peer.dialect().entry().refuse)(moment, &mut numbers, request);
        directory.recent_peers.note_numbers(peer, numbers);
        drop(directory);
        for refusal in refusals {
            cx.out.datagram(peer, &refusal);
        }
    }

    /// Ruling A2: the address of the stream is known from the beginning. Failing that, the first unclaimed address of its
    /// host claims the oldest unclaimed session.
    fn claim(&mut self, cx: &mut Context, since: Time, peer: PeerKey, bytes: &[u8]) -> Result<(), Drop> {
        let mut directory = self.directory.lock();
        if let Some(shard) = directory.find_peer(self.shard, peer) {
            drop(directory);
            self.routes.learn(peer, shard);
            self.deliver_later(peer, bytes);
            return Ok(());
        }
        let claimed = directory.recent_peers.claim(cx.now, peer);
        let moved = claimed.and_then(|old| Some((old, directory.move_peer(self.shard, old, peer)?)));
        drop(directory);
        let Some((old, (shard, routes))) = moved else { return self.await_stream(cx.now, since, peer, bytes) };
        self.routes.spread_forget(cx.out, old, routes);
        if shard == self.shard {
            self.events.push_back(RouterEvent::Readdress { from: old, to: peer });
        } else {
            self.routes.learn(peer, shard);
            cx.out.message(shard, Message::Move { from: old, to: peer });
        }
        self.deliver_later(peer, bytes);
        Ok(())
    }

    /// A datagram whose stream nobody has accepted yet: the peer sent both at once, and the other shard was slower. It is
    /// looked at again soon.
    fn await_stream(&mut self, now: Time, since: Time, peer: PeerKey, bytes: &[u8]) -> Result<(), Drop> {
        if now.since(since) >= EARLY_LASTS || self.early.len() >= EARLY_MAX {
            return Err(Drop::Stranger);
        }
        self.early.push(Early { since, peer, bytes: KeptBytes::new(bytes) });
        Ok(())
    }

    /// Looks again at datagrams that came before their streams.
    pub(super) fn retry_early(&mut self, cx: &mut Context) {
        for Early { since, peer, bytes } in std::mem::take(&mut self.early) {
            if let Err(why) = self.claim(cx, since, peer, bytes.as_slice()) {
                cx.out.count_drop(peer.dialect(), why);
            }
        }
    }

    /// A datagram that asks for no seat: perhaps the goodbye of a player who has just left, said again.
    fn answer_repeated_leave(&mut self, cx: &mut Context, peer: PeerKey, bytes: &[u8]) -> Result<(), Drop> {
        let mut directory = self.directory.lock();
        let known = directory.find_peer(self.shard, peer);
        let has_just_left = directory.recent_peers.has_just_left(cx.now, peer);
        drop(directory);
        if let Some(shard) = known {
            self.routes.learn(peer, shard);
            self.deliver_later(peer, bytes);
            return Ok(());
        }
        let mut answer = Vec::new();
        if !has_just_left || !(peer.dialect().entry().answer_repeated_leave)(cx.now, bytes, &mut answer) {
            return Err(Drop::Stranger);
        }
        cx.out.datagram(peer, &answer);
        Ok(())
    }

    fn deliver_later(&mut self, peer: PeerKey, bytes: &[u8]) {
        self.events.push_back(RouterEvent::Deliver(peer, KeptBytes::new(bytes)));
    }
}
