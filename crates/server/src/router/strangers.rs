//! Datagrams of peers that this shard does not know: they ask for a seat, belong to a stream, or are noise.

use std::time::Duration;

use protocol::{
    NodeTime, StreamUse, Time,
    amplification::{is_local, may_serve},
};

use super::{KeptBytes, Message, Newcomer, Rate, RatedSender, Router, RouterEvent};
use crate::{
    counters::Drop,
    directory::{Asker, Assignment, DatagramHash, Vacancy},
    outgoing::Context,
    peer::{Endpoint, PeerKey},
};

/// How long a datagram waits for the stream that it belongs to.
const EARLY_LASTS: Duration = Duration::from_millis(30);
/// Strangers are logged no more often than this.
const LOG_EVERY: Duration = Duration::from_secs(1);
/// Datagrams that wait for their stream, at most.
const EARLY_MAX: usize = 256;

/// A datagram that came before its stream.
pub(super) struct EarlyDatagram<Bytes = KeptBytes> {
    since: Time,
    peer: PeerKey,
    bytes: Bytes,
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
        // At a lobby's port nobody is answered who was not at the desk, nor can anybody else use up what such a peer may send.
        let is_at_lobby_port = matches!(peer.endpoint, Endpoint::Lobby(..));
        if is_at_lobby_port && !self.directory.proofs().contain(cx.now, peer.ip()) {
            return Err(Drop::Unproved);
        }
        self.admit_rate(cx.now, peer, Rate::Bytes, bytes.len())?;
        self.admit_rate(cx.now, peer, Rate::FirstDatagrams, 1)?;
        let join = (entry.read_join)(bytes)?;
        match (peer.endpoint, entry.stream) {
            // Its session is opened by a stream, never by a datagram.
            (Endpoint::Door(_), StreamUse::OpensSession) => {
                self.claim(cx, EarlyDatagram { since: cx.now, peer, bytes })
            }
            (Endpoint::Door(_), StreamUse::Desk(_) | StreamUse::Link(_)) | (Endpoint::Link(..), _) => {
                Err(Drop::Stranger)
            }
            (Endpoint::Door(_), StreamUse::None) | (Endpoint::Lobby(..), _) => match join {
                Some(join) => self.join(cx, peer, join.into_name(), bytes),
                None => self.answer_repeated_leave(cx, peer, bytes),
            },
        }
    }

    /// Whether a stranger's address may send this much more now.
    fn admit_rate(&self, now: Time, peer: PeerKey, rate: Rate, amount: usize) -> Result<(), Drop> {
        let sender = match peer.endpoint {
            Endpoint::Lobby(..) => RatedSender::AtLobbyPort(peer.ip()),
            Endpoint::Door(_) | Endpoint::Link(..) => RatedSender::Named(peer.ip()),
        };
        if self.directory.rates().admit(now, sender, rate, amount) { Ok(()) } else { Err(Drop::RateLimited) }
    }

    /// A datagram that asks for a seat.
    fn join(&mut self, cx: &mut Context, peer: PeerKey, name: String, bytes: &[u8]) -> Result<(), Drop> {
        self.admit_rate(cx.now, peer, Rate::Joins, 1)?;
        match self.assign_seat(cx, peer, bytes)? {
            Assignment::New(seat) => {
                let first_datagram = Some(DatagramHash::of(bytes));
                let stream_bytes = match peer.endpoint {
                    Endpoint::Lobby(..) => self.directory.proofs().take_stream_bytes(peer.ip()),
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
        let mut recent_peers = self.directory.recent_peers();
        if recent_peers.is_kept_out(now, peer) {
            return Err(Drop::Banned);
        }
        if recent_peers.is_late_repeat(now, peer, bytes) {
            return Err(Drop::Stranger);
        }
        match self.directory.room_for(now, peer) {
            Vacancy::None => return Ok(Assignment::Full),
            Vacancy::OnlyYielding if !recent_peers.asks_again(now, peer) => return Ok(Assignment::AskAgain),
            Vacancy::OnlyYielding | Vacancy::Perhaps => {}
        }
        drop(recent_peers);
        // Whoever is not proved was dropped before.
        let is_proved = matches!(peer.endpoint, Endpoint::Lobby(..));
        let mut directory = self.directory.lock();
        let assignment = directory.seat(Asker { now, shard: self.shard, peer, is_proved });
        let evicted = directory.take_evicted();
        drop(directory);
        self.tell_evicted(cx, evicted);
        Ok(assignment)
    }

    /// Refusals are shorter than three times any datagram that asks for a seat. No lock is taken that a tick waits for.
    fn refuse(&mut self, cx: &mut Context, peer: PeerKey, request: &[u8]) {
        let moment = NodeTime { now: cx.now, started: self.started };
        let mut recent_peers = self.directory.recent_peers();
        let mut numbers = recent_peers.numbers(peer);
        let refusals = (peer.dialect().entry().refuse)(moment, &mut numbers, request);
        recent_peers.note_numbers(peer, numbers);
        drop(recent_peers);
        for refusal in refusals {
            cx.out.datagram(peer, &refusal);
        }
    }

    /// Ruling A2: the address of the stream is known from the beginning. Failing that, the first unclaimed address of its
    /// host claims the oldest unclaimed session.
    fn claim(&mut self, cx: &mut Context, datagram: EarlyDatagram<&[u8]>) -> Result<(), Drop> {
        let EarlyDatagram { peer, bytes, .. } = datagram;
        // Whoever has nothing to do with any stream takes no lock that a tick needs.
        if !self.directory.may_know(peer) && !self.directory.recent_peers().may_claim(cx.now, peer) {
            return self.await_stream(cx.now, datagram);
        }
        let mut directory = self.directory.lock();
        if let Some(shard) = directory.find_peer(self.shard, peer) {
            drop(directory);
            self.routes.learn(peer, shard);
            self.deliver_later(peer, bytes);
            return Ok(());
        }
        let claimed = self.directory.recent_peers().claim(cx.now, peer);
        let moved = claimed.and_then(|old| Some((old, directory.move_peer(self.shard, old, peer)?)));
        drop(directory);
        let Some((old, (shard, routes))) = moved else { return self.await_stream(cx.now, datagram) };
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
    fn await_stream(&mut self, now: Time, datagram: EarlyDatagram<&[u8]>) -> Result<(), Drop> {
        let EarlyDatagram { since, peer, bytes } = datagram;
        if now.since(since) >= EARLY_LASTS || self.early.len() >= EARLY_MAX {
            return Err(Drop::Stranger);
        }
        self.early.push(EarlyDatagram { since, peer, bytes: KeptBytes::new(bytes) });
        Ok(())
    }

    /// Looks again at datagrams that came before their streams.
    pub(super) fn retry_early(&mut self, cx: &mut Context) {
        for EarlyDatagram { since, peer, bytes } in std::mem::take(&mut self.early) {
            if let Err(why) = self.claim(cx, EarlyDatagram { since, peer, bytes: bytes.as_slice() }) {
                cx.out.count_drop(peer.dialect(), why);
            }
        }
    }

    /// A datagram that asks for no seat: perhaps the goodbye of a player who has just left, said again.
    fn answer_repeated_leave(&mut self, cx: &mut Context, peer: PeerKey, bytes: &[u8]) -> Result<(), Drop> {
        let may_know = self.directory.may_know(peer);
        let known = may_know.then(|| self.directory.lock().find_peer(self.shard, peer)).flatten();
        let has_just_left = self.directory.recent_peers().has_just_left(cx.now, peer);
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

#[cfg(test)]
mod tests {
    use std::{
        net::{Ipv4Addr, SocketAddr},
        sync::{Arc, mpsc},
        thread,
    };

    use game::Stage;
    use protocol::{
        Dialect,
        rfc53952::wire::{FromClient, Packet},
    };

    use super::*;
    use crate::{
        directory::SharedDirectory,
        outgoing::{Outgoing, UnprovedBudget},
        peer::ShardId,
        session::UnreachableHint,
        settings::Settings,
    };

    const NOW: Time = Time::from_micros(1_700_000_000_000_000);
    const PATIENCE: Duration = Duration::from_secs(60);

    /// What a host might choose for a node with this many lobbies.
    fn settings(lobbies_max: usize) -> Settings {
        Settings { lobbies_max, ..Settings::new(Vec::new(), Stage::endless(), 1, [7; 32]) }
    }

    fn router(lobbies_max: usize) -> (Router, SharedDirectory) {
        let settings = settings(lobbies_max);
        let directory = SharedDirectory::new(&settings, 1);
        (Router::new(NOW, Arc::new(settings), ShardId(0), directory.clone()), directory)
    }

    fn hi_server() -> Vec<u8> {
        let mut bytes = Vec::new();
        Packet { timestamp: 1, data: FromClient::HiServer }.write(&mut bytes);
        bytes
    }

    fn peer(dialect: Dialect, port: u16) -> PeerKey {
        PeerKey::at_door(dialect, SocketAddr::from((Ipv4Addr::LOCALHOST, port)))
    }

    /// Does something while somebody else holds the directory. What was dropped, of all dialects together.
    fn while_held(
        directory: &SharedDirectory,
        mut router: Router,
        act: impl FnOnce(&mut Router, &mut Outgoing) + Send + 'static,
    ) -> Vec<(Drop, u64)> {
        let held = directory.lock();
        let (done, is_done) = mpsc::channel();
        thread::spawn(move || {
            let mut out = Outgoing::new(ShardId(0), UnprovedBudget::new(NOW, 0, Arc::default()));
            act(&mut router, &mut out);
            let drops = out.counters.dialects().flat_map(|(_, counters)| counters.drops());
            done.send(drops.filter(|(_, count)| *count > 0).collect()).expect("somebody waits");
        });
        let drops = is_done.recv_timeout(PATIENCE).expect("a stranger waits for the directory");
        drop(held);
        drops
    }

    #[test]
    fn a_stranger_is_refused_by_a_full_node_though_somebody_holds_the_directory() {
        let (router, directory) = router(0);
        let drops = while_held(&directory, router, |router, out| {
            for port in 1..1_000 {
                router.datagram(&mut Context { now: NOW, out }, peer(Dialect::Rfc53952, port), &hi_server());
            }
        });
        assert_eq!(drops, [(Drop::Full, 999)]);
    }

    #[test]
    fn c14_a_first_ask_stays_unanswered_though_somebody_holds_the_directory() {
        let (router, directory) = router(1);
        for port in 1..=4 {
            let peer = peer(Dialect::Rfc53952, port);
            let asker = Asker { now: NOW, shard: ShardId(0), peer, is_proved: false };
            assert!(matches!(directory.lock().seat(asker), Assignment::New(_)));
        }
        let drops = while_held(&directory, router, |router, out| {
            // Each is too early, or comes a second time too soon.
            for ms in [10, 3_500, 3_550] {
                let now = NOW + Duration::from_millis(ms);
                for port in 1_000..2_000 {
                    router.datagram(&mut Context { now, out }, peer(Dialect::Rfc53952, port), &hi_server());
                }
            }
        });
        assert_eq!(drops, [(Drop::Full, 3_000)]);
    }

    #[test]
    fn whoever_has_no_seat_and_no_stream_takes_nobodys_time_though_somebody_holds_the_directory() {
        let (router, directory) = router(10);
        let drops = while_held(&directory, router, |router, out| {
            let (mut ping, mut adios_server) = (Vec::new(), Vec::new());
            protocol::aecs::wire::FromClient::Ping.write(&mut ping);
            Packet { timestamp: 1, data: FromClient::AdiosServer }.write(&mut adios_server);
            for port in 1..1_000 {
                let cx = &mut Context { now: NOW, out };
                router.datagram(cx, peer(Dialect::Aecs, port), &ping);
                router.datagram(cx, peer(Dialect::Rfc53952, port), &adios_server);
                router.unreachable(cx, peer(Dialect::Snapshot, port), UnreachableHint::new(None, b""));
            }
            // Those that wait for their stream are looked at again.
            router.advance(&mut Context { now: NOW + EARLY_LASTS, out });
        });
        let mut drops: Vec<u64> =
            drops.into_iter().map(|(why, count)| count * u64::from(why == Drop::Stranger)).collect();
        drops.sort_unstable();
        assert_eq!(drops, [999, 999]);
    }
}
