//! A session of the node: the server's half of a dialect, its seat, and where its peer is.

use std::net::SocketAddr;

use game::Seat;
use protocol::{Dialect, Output, ServerSession, Status, Time, amplification::Allowance, rfc2020::LobbyId};

use super::{Core, Drop, Endpoint, Outbox, SessionKey, StreamId};

/// A player.
pub(super) struct Session {
    pub half: Box<dyn ServerSession>,
    pub dialect: Dialect,
    pub lobby: LobbyId,
    pub seat: Seat,
    pub endpoint: Endpoint,
    /// Where its datagrams go.
    pub address: SocketAddr,
    /// Whether a datagram has come from that address yet.
    pub is_claimed: bool,
    pub stream: Option<StreamId>,
    pub allowance: Allowance,
    pub opened: Time,
    /// The datagram that opened it; empty where a stream did.
    pub knock: Vec<u8>,
    /// When its bad bytes were last logged: once a second is enough.
    pub complained: Option<Time>,
}

impl Core {
    /// Sends all that a session has to say.
    pub(super) fn flush(&mut self, now: Time, key: SessionKey, out: &mut dyn Outbox) {
        let mut buffer = std::mem::take(&mut self.buffer);
        while let Some(session) = self.sessions.get_mut(&key) {
            let Some(output) = session.half.poll(now, &mut buffer) else { break };
            match output {
                Output::Datagram => self.send(now, key, &buffer, out),
                Output::Stream => {
                    if let Some(stream) = session.stream {
                        out.stream(stream, &buffer);
                    }
                }
                Output::CloseStream => {
                    if let Some(stream) = session.stream.take() {
                        self.streams.remove(&stream);
                        out.close(stream);
                    }
                }
                // Only clients are told where to go.
                Output::DatagramsTo(_) => {}
            }
        }
        self.buffer = buffer;
    }

    fn send(&mut self, now: Time, key: SessionKey, bytes: &[u8], out: &mut dyn Outbox) {
        let Some(session) = self.sessions.get_mut(&key) else { return };
        let (dialect, endpoint, address) = (session.dialect, session.endpoint, session.address);
        let is_proved = session.half.is_proved();
        let is_budgeted = session.allowance.is_budgeted();
        let allowed = session.allowance.spend(now, bytes.len(), is_proved)
            && (!is_budgeted || self.budgeted(now, key, bytes.len()));
        if !allowed {
            self.counters.drop(dialect, Drop::HeldBack);
            return;
        }
        let counters = self.counters.of(dialect);
        counters.datagrams_out += 1;
        counters.bytes_out += bytes.len() as u64;
        out.datagram(endpoint, address, bytes);
    }

    /// Whether the budget that unproved public peers share has something left for this one.
    fn budgeted(&mut self, now: Time, key: SessionKey, bytes: usize) -> bool {
        let budgeted = || self.sessions.iter().filter(|(_, session)| session.allowance.is_budgeted());
        let rank = budgeted().take_while(|(other, _)| **other != key).count();
        let count = budgeted().count();
        self.budget.spend(now, bytes, rank, count)
    }

    /// Takes a session that is over out of everything, after its last words.
    pub(super) fn bury(&mut self, now: Time, key: SessionKey, out: &mut dyn Outbox) {
        self.flush(now, key, out);
        let Some(mut session) = self.sessions.remove(&key) else { return };
        self.routes.remove(&(session.endpoint, session.address));
        self.note_departure(now, session.endpoint, session.address, std::mem::take(&mut session.knock));
        if let Some(stream) = session.stream {
            self.streams.remove(&stream);
            out.close(stream);
        }
        let Some(lobby) = self.lobbies.get_mut(&session.lobby) else { return };
        lobby.remember(session.seat, session.dialect);
        lobby.seats[session.seat.index()] = None;
        let timed_out = session.half.status() == Status::Ended(protocol::End::TimedOut);
        let why = if timed_out { game::Departure::TimedOut } else { game::Departure::Left };
        lobby.world.leave(session.seat, why);
        lobby.scene.seat_left(session.seat);
        if lobby.is_empty() {
            lobby.empty_since = Some(now);
            self.record_abandoned(now, session.lobby, out);
        }
        tracing::info!(dialect = session.dialect.name(), seat = session.seat.number(), status = ?session.half.status(), "a player is gone");
    }
}
