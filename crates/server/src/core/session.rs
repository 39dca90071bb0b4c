//! A session of the node: the server's half of a dialect, its seat, and where its peer is.

use std::net::{IpAddr, SocketAddr};

use game::{Departure, Seat};
use protocol::{AnyServerSession, Dialect, End, LobbyId, Output, Status, Time, amplification::Allowance};

use super::{
    Core, Drop, Endpoint, LobbyKey, Outbox, SessionKey, ShardId, links::Linked, purse::Purse,
    recollection::Fingerprint, streams::Line,
};

/// A player.
pub(super) struct Session {
    pub half: AnyServerSession,
    pub dialect: Dialect,
    pub place: Whereabouts,
    pub endpoint: Endpoint,
    /// Where its datagrams go.
    pub address: SocketAddr,
    /// Whether a datagram has come from that address yet.
    pub is_claimed: bool,
    pub stream: Option<Line>,
    pub allowance: Allowance,
    /// Its place among all sessions of the shard, by age.
    pub serial: u64,
    pub opened: Time,
    /// The datagram that opened it; none where a stream did.
    pub knock: Option<Fingerprint>,
    /// When its bad bytes were last logged: once a second is enough.
    pub complained: Option<Time>,
    /// What it has besides if it came over a link.
    pub linked: Option<Box<Linked>>,
}

/// A player who goes.
pub(super) struct Leaver {
    pub seat: Seat,
    pub dialect: Dialect,
    pub from: IpAddr,
    pub why: Departure,
}

pub(super) fn log_arrival(lobby: LobbyId, seat: Seat, dialect: Dialect, peer: SocketAddr, name: &str) {
    tracing::info!(dialect = dialect.name(), %peer, %lobby, seat = seat.number(), name, "a player came");
}

/// Where a session is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Whereabouts {
    /// In no lobby.
    Lounge,
    Seat(LobbyKey, Seat),
    /// In a lobby, without a seat.
    Watch(LobbyKey),
}

impl Whereabouts {
    pub fn lobby(self) -> Option<LobbyKey> {
        match self {
            Whereabouts::Lounge => None,
            Whereabouts::Seat(lobby, _) | Whereabouts::Watch(lobby) => Some(lobby),
        }
    }

    pub fn seat(self) -> Option<Seat> {
        match self {
            Whereabouts::Seat(_, seat) => Some(seat),
            Whereabouts::Lounge | Whereabouts::Watch(_) => None,
        }
    }
}

impl Session {
    /// Whether a datagram may go out now; if so it counts as sent.
    fn may_send(&mut self, now: Time, bytes: usize, purse: &mut Purse) -> bool {
        let is_proved = self.half.is_proved();
        self.allowance.spend(now, bytes, is_proved)
            && (!self.allowance.is_budgeted() || purse.spend(now, self.serial, bytes))
    }

    /// Sends bytes down its stream, which is at hand wherever its session is if it is a link's.
    fn say(&self, shard: ShardId, bytes: &[u8], out: &mut dyn Outbox) {
        match (self.stream, &self.linked) {
            (Some(line), Some(_)) => out.stream(line.stream, bytes),
            (Some(line), None) => line.say(shard, bytes, out),
            (None, _) => {}
        }
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
                Output::Stream => session.say(self.shard, &self.buffer, out),
                // A link is closed when its session is buried, and is known by its line until then.
                Output::CloseStream if session.linked.is_some() => {}
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
        self.lounge.remove(&key);
        let (at, from) = (session.endpoint, session.address);
        let is_lost = matches!(session.half.status(), Status::Ended(End::Unreachable | End::TimedOut));
        if is_lost && self.keep_seat(now, &session, out) {
            return tracing::info!(dialect = session.dialect.name(), "a player's link is lost, and the seat kept");
        }
        self.routes.remove(&(at, from));
        let routes = {
            let mut directory = self.directory.lock();
            directory.recollection.note_departure(now, at, from, session.knock, session.half.numbers());
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
        let timed_out = session.half.status() == Status::Ended(End::TimedOut);
        let why = if timed_out { Departure::TimedOut } else { Departure::Left };
        match session.place {
            Whereabouts::Lounge => {}
            Whereabouts::Seat(lobby, seat) => {
                self.log_departure(lobby, seat, &session);
                let leaver = Leaver { seat, dialect: session.dialect, from: from.ip(), why };
                self.vacate(now, lobby, leaver, out);
            }
            Whereabouts::Watch(lobby) => self.stop_watching(lobby, key),
        }
    }

    fn log_departure(&self, lobby: LobbyKey, seat: Seat, session: &Session) {
        let lobby = self.lobbies.get(lobby.0).map(|lobby| tracing::field::display(lobby.id));
        let why = match session.half.status() {
            Status::Ended(End::Left) => "left",
            Status::Ended(End::TimedOut) => "was silent for too long",
            Status::Ended(End::Unreachable) => "cannot be reached any more",
            Status::Ended(
                End::Closed | End::Refused | End::Full | End::VersionDiffers | End::Dropped | End::LobbyClosed,
            )
            | Status::Opening
            | Status::Playing
            | Status::Leaving => "was sent away",
        };
        let (dialect, peer) = (session.dialect.name(), session.address);
        tracing::info!(dialect, %peer, lobby, seat = seat.number(), why, "a player is gone");
    }

    /// Takes a player out of a seat.
    pub(super) fn vacate(&mut self, now: Time, key: LobbyKey, leaver: Leaver, out: &mut dyn Outbox) {
        let Some(lobby) = self.lobbies.get_mut(key.0) else { return };
        let Leaver { seat, dialect, from, why } = leaver;
        lobby.remember(seat, dialect, from);
        lobby.stand_up(seat);
        lobby.world.leave(seat, why);
        lobby.scene.seat_left(seat);
        if lobby.is_empty() {
            lobby.empty_since = Some(now);
            lobby.left_by = Some(from);
            self.record_abandoned(now, key, out);
        }
    }
}
