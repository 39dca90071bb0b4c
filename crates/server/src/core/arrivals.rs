//! Players sit down: on this shard, or on another one that is told of them. And the ways to those who sit elsewhere.

use std::net::SocketAddr;

use protocol::{AnyServerSession, End, LobbyId, Numbers, StreamUse, Time, Welcome, amplification::Allowance};

use super::{
    Core, Endpoint, LobbyKey, Outbox, Route, SessionKey, ShardId,
    lobby::Lobby,
    parcels::{Content, Newcomer, Parcel},
    session::{Session, Whereabouts, log_arrival},
    streams::StreamEnd,
};

impl Core {
    /// Seats a newcomer where the directory says.
    pub(super) fn send_newcomer(&mut self, now: Time, newcomer: Newcomer, out: &mut dyn Outbox) {
        let shard = newcomer.place.shard;
        if shard == self.shard {
            return self.seat_newcomer(now, newcomer, out);
        }
        self.learn_route(newcomer.at, newcomer.from, shard);
        out.hand_over(shard, Parcel(Content::Seat(Box::new(newcomer))));
    }

    /// Seats a newcomer in a lobby of this shard.
    pub(super) fn seat_newcomer(&mut self, now: Time, newcomer: Newcomer, out: &mut dyn Outbox) {
        let Newcomer { at, from, place, via, stream, .. } = newcomer;
        let (is_seated, numbers) = {
            let directory = self.directory.lock();
            (directory.is_seated(at, from, place), directory.recollection.numbers(at, from))
        };
        match self.lobby_here(now, place.lobby).filter(|_| is_seated) {
            Some(lobby) => {
                self.open(now, newcomer, lobby, numbers);
                // They may have been banned while they were on their way.
                if self.bans.contain(from.ip()) {
                    self.end_session(now, at, from, End::Closed, out);
                }
            }
            // The lobby broke while they were on their way.
            None => {
                if let Some(line) = stream {
                    line.hang_up(self.shard, out);
                }
                self.spread_word(via.bit(), at, from, out);
            }
        }
    }

    /// A lobby that lives on this shard; it begins when it is first asked for.
    pub(super) fn lobby_here(&mut self, now: Time, id: LobbyId) -> Option<LobbyKey> {
        if let Some(key) = self.lobby_keys.get(&id) {
            return Some(*key);
        }
        let birth = self.directory.lock().birth(id, self.shard)?;
        let key = LobbyKey(self.lobbies.insert(Lobby::new(now, birth)));
        self.lobby_keys.insert(id, key);
        self.timetable.add(now, key);
        self.counters.lobbies += 1;
        Some(key)
    }

    fn open(&mut self, now: Time, newcomer: Newcomer, lobby: LobbyKey, numbers: Numbers) {
        let Newcomer { at, from, place, name, knock, stream, .. } = newcomer;
        let (dialect, seat) = (at.dialect(), place.seat);
        let door = dialect.entry();
        let serial = self.next_serial;
        self.next_serial += 1;
        let welcome = Welcome { seat, now, started: self.started, scale: self.settings.scale, numbers };
        let session = Session {
            half: AnyServerSession::Seated(dialect.accept(welcome)),
            dialect,
            place: Whereabouts::Seat(lobby, seat),
            endpoint: at,
            address: from,
            is_claimed: stream.is_none(),
            stream,
            allowance: Allowance::new(now, door.proof, from.ip()),
            serial,
            opened: now,
            knock,
            complained: None,
            linked: None,
        };
        if session.allowance.is_budgeted() {
            self.purse.join(serial);
        }
        let key = SessionKey(self.sessions.insert(session));
        self.routes.insert((at, from), Route::Here(key));
        if let Some(line) = stream {
            self.streams.insert(line.stream, StreamEnd::Here(key));
        }
        self.counters.of(dialect).sessions += 1;
        if let Some(lobby) = self.lobbies.get_mut(lobby.0) {
            lobby.take_seat(seat, key, &name, from.ip(), matches!(door.stream, StreamUse::Desk(_)));
            log_arrival(lobby.id, seat, dialect, from, &name);
        }
    }

    /// Keeps the way to a player of another shard in mind.
    pub(super) fn learn_route(&mut self, at: Endpoint, from: SocketAddr, shard: ShardId) {
        if shard != self.shard {
            self.routes.insert((at, from), Route::Shard(shard));
        }
    }

    /// Tells the shards that know the way to a player that there is none any more.
    pub(super) fn spread_word(&mut self, routes: u64, at: Endpoint, from: SocketAddr, out: &mut dyn Outbox) {
        for shard in ShardId::all_in(routes & !self.shard.bit()) {
            out.hand_over(shard, Parcel(Content::Forget { at, from }));
        }
        if let Some(Route::Shard(_)) = self.routes.get(&(at, from)) {
            self.routes.remove(&(at, from));
        }
    }

    /// A player's address has changed.
    pub(super) fn move_session(&mut self, at: Endpoint, from: SocketAddr, to: SocketAddr) {
        let Some(&Route::Here(key)) = self.routes.get(&(at, from)) else { return };
        self.routes.remove(&(at, from));
        self.routes.insert((at, to), Route::Here(key));
        if let Some(session) = self.sessions.get_mut(key.0) {
            session.address = to;
            session.is_claimed = true;
        }
    }
}
