//! A session of the node: the server's half of a dialect, its seat, and where its peer is.

use std::net::SocketAddr;

use game::Seat;
use protocol::{Dialect, End, Output, ServerSession, Status, Time, amplification::Allowance};

use super::{
    Core, Drop, Endpoint, LobbyKey, Outbox, SessionKey, purse::Purse, recollection::Fingerprint, streams::Line,
};

/// A player.
pub(super) struct Session {
    pub half: Box<dyn ServerSession>,
    pub dialect: Dialect,
    pub lobby: LobbyKey,
    pub seat: Seat,
    pub endpoint: Endpoint,
    /// Where its datagrams go.
    pub address: SocketAddr,
    /// Whether a datagram has come from that address yet.
    pub is_claimed: bool,
    pub stream: Option<Line>,
    pub allowance: Allowance,
    /// Its place among all sessions of the shard, by age.
    pub serial: u64,
    /// The datagram that opened it; none where a stream did.
    pub knock: Option<Fingerprint>,
    /// When its bad bytes were last logged: once a second is enough.
    pub complained: Option<Time>,
}

impl Session {
    /// Whether a datagram may go out now; if so it counts as sent.
    fn may_send(&mut self, now: Time, bytes: usize, purse: &mut Purse) -> bool {
        let is_proved = self.half.is_proved();
        self.allowance.spend(now, bytes, is_proved)
            && (!self.allowance.is_budgeted() || purse.spend(now, self.serial, bytes))
    }
}

impl Core {
    /// Sends all that a session has to say.
    pub(super) fn flush(&mut self, now: Time, key: SessionKey, out: &mut dyn Outbox) {
        let Some(session) = self.sessions.get_mut(key.0) else { return };
        while let Some(output) = session.half.poll(now, &mut self.buffer) {
            match output {
                Output::Datagram if session.may_send(now, self.buffer.len(), &mut self.purse) => {
                    let counters = self.counters.of(session.dialect);
                    counters.datagrams_out += 1;
                    counters.bytes_out += self.buffer.len() as u64;
                    out.datagram(session.endpoint, session.address, &self.buffer);
                }
                Output::Datagram => self.counters.drop(session.dialect, Drop::HeldBack),
                Output::Stream => session.stream.into_iter().for_each(|line| line.say(self.shard, &self.buffer, out)),
                Output::CloseStream => {
                    if let Some(line) = session.stream.take() {
                        self.streams.remove(&line.stream);
                        line.hang_up(self.shard, out);
                    }
                }
                // Only clients are told where to go.
                Output::DatagramsTo(_) => {}
            }
        }
    }

    /// Takes a session that is over out of everything. Its last words have been said.
    pub(super) fn bury(&mut self, now: Time, key: SessionKey, out: &mut dyn Outbox) {
        let Some(session) = self.sessions.try_remove(key.0) else { return };
        let (at, from) = (session.endpoint, session.address);
        self.routes.remove(&(at, from));
        let routes = {
            let mut directory = self.directory.lock();
            directory.recollection.note_departure(now, at, from, session.knock);
            if !session.is_claimed {
                directory.recollection.forget_claim(at, from);
            }
            directory.leave(at, from)
        };
        self.spread_word(routes, at, from, out);
        self.purse.leave(session.serial);
        self.counters.of(session.dialect).retransmissions += session.half.retransmissions();
        if let Some(line) = session.stream {
            self.streams.remove(&line.stream);
            line.hang_up(self.shard, out);
        }
        self.vacate(now, &session);
        tracing::info!(dialect = session.dialect.name(), seat = session.seat.number(), status = ?session.half.status(), "a player is gone");
    }

    fn vacate(&mut self, now: Time, session: &Session) {
        let Some(lobby) = self.lobbies.get_mut(session.lobby.0) else { return };
        lobby.seats[session.seat.index()] = None;
        let timed_out = session.half.status() == Status::Ended(End::TimedOut);
        let why = if timed_out { game::Departure::TimedOut } else { game::Departure::Left };
        lobby.world.leave(session.seat, why);
        lobby.scene.seat_left(session.seat);
        if lobby.is_empty() {
            lobby.empty_since = Some(now);
        }
    }
}
