//! What a host tells a running node to do. Every shard gets every order; who is not concerned does nothing.

use std::{net::SocketAddr, sync::Arc};

use game::Seat;
use protocol::{End, LobbyId, Time};

use super::{Bans, Core, Endpoint, Outbox, SessionKey};

/// An order of the host's.
#[derive(Clone, Debug)]
pub enum Order {
    /// Throw a player out.
    Kick {
        /// Out of which lobby.
        lobby: LobbyId,
        /// From which seat.
        seat: Seat,
    },
    /// End a lobby and the sessions in it.
    CloseLobby(LobbyId),
    /// From now on, serve nobody of these; end the sessions of those who are there.
    Ban(Arc<Bans>),
    /// Open no more lobbies. Those that there are go on.
    Drain,
    /// End every session and every lobby.
    CloseAll,
}

impl Core {
    /// Carries out an order.
    pub fn order(&mut self, now: Time, order: Order, out: &mut dyn Outbox) {
        match order {
            Order::Kick { lobby, seat } => self.kick(now, lobby, seat, out),
            Order::CloseLobby(id) => self.close_lobby(now, id, out),
            Order::Ban(bans) => self.ban(now, bans, out),
            Order::Drain => self.directory.lock().is_draining = true,
            Order::CloseAll => self.close_all(now, out),
        }
    }

    /// How many are in lobbies.
    pub fn session_count(&self) -> usize {
        self.sessions.len() - self.lounge.len()
    }

    fn kick(&mut self, now: Time, id: LobbyId, seat: Seat, out: &mut dyn Outbox) {
        let Some(&lobby) = self.lobby_keys.get(&id) else { return };
        let sitting = self.lobbies.get(lobby.0).and_then(|lobby| lobby.seats[seat.index()]);
        let Some(key) = sitting else { return self.end_absence(now, lobby, seat, out) };
        if let Some((at, from)) = self.peer(key) {
            self.directory.lock().recollection.keep_out(now, at, from);
        }
        self.throw_out(now, key, out);
    }

    fn close_lobby(&mut self, now: Time, id: LobbyId, out: &mut dyn Outbox) {
        let Some(&key) = self.lobby_keys.get(&id) else { return self.close_unborn(id) };
        let seats = self.lobbies.get(key.0).map(|lobby| lobby.seats);
        for session in seats.into_iter().flatten().flatten() {
            self.throw_out(now, session, out);
        }
        // Ending a session may have ended the lobby, if something panicked.
        let Some(mut lobby) = self.detach_lobby(key) else { return };
        self.clear_watchers(now, lobby.take_watchers(), out);
        self.directory.lock().close(id);
        self.release_port(&lobby, out);
        tracing::info!(target: "host", lobby = %id, "a lobby is closed");
    }

    /// Closes a lobby of this shard that nobody has come to yet.
    fn close_unborn(&mut self, id: LobbyId) {
        let mut directory = self.directory.lock();
        if directory.birth(id, self.shard).is_some() {
            directory.close(id);
        }
    }

    fn ban(&mut self, now: Time, bans: Arc<Bans>, out: &mut dyn Outbox) {
        self.bans = Arc::clone(&bans);
        let banned = self.sessions.iter().filter(|(_, session)| bans.contain(session.address.ip()));
        let keys: Vec<SessionKey> = banned.map(|(key, _)| SessionKey(key)).collect();
        for key in keys {
            self.throw_out(now, key, out);
        }
        self.close_desks(|from| bans.contain(from.ip()), out);
    }

    fn close_all(&mut self, now: Time, out: &mut dyn Outbox) {
        self.directory.lock().is_draining = true;
        let lobbies: Vec<LobbyId> = self.lobby_keys.keys().copied().collect();
        for id in lobbies {
            self.close_lobby(now, id, out);
        }
        let everybody: Vec<SessionKey> = self.sessions.iter().map(|(key, _)| SessionKey(key)).collect();
        for key in everybody {
            self.throw_out(now, key, out);
        }
        self.close_desks(|_| true, out);
    }

    fn peer(&self, key: SessionKey) -> Option<(Endpoint, SocketAddr)> {
        self.sessions.get(key.0).map(|session| (session.endpoint, session.address))
    }

    fn throw_out(&mut self, now: Time, key: SessionKey, out: &mut dyn Outbox) {
        if let Some((at, from)) = self.peer(key) {
            self.end_session(now, at, from, End::Closed, out);
        }
    }
}
