//! What a host tells a running node to do. Every shard gets every order; who is not concerned does nothing.

use std::{sync::Arc, time::Duration};

use game::Seat;
use protocol::{End, Time, rfc2020::LobbyId};

use super::{Bans, Core, Outbox, SessionKey};

/// Who was thrown out is not listened to for so long. A dialect in which every datagram asks for a seat would have them
/// back at once.
pub(super) const KEPT_OUT: Duration = Duration::from_secs(10);

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
            Order::Drain => self.is_draining = true,
            Order::CloseAll => self.close_all(now, out),
        }
    }

    /// How many players there are.
    pub fn session_count(&self) -> usize {
        self.sessions.len()
    }

    fn kick(&mut self, now: Time, id: LobbyId, seat: Seat, out: &mut dyn Outbox) {
        let Some(key) = self.lobbies.get(&id).and_then(|lobby| lobby.seats[seat.index()]) else { return };
        if let Some(session) = self.sessions.get(&key) {
            let (at, from) = (session.endpoint, session.address);
            self.keep_out(now, at, from);
        }
        self.end(now, key, out);
    }

    fn close_lobby(&mut self, now: Time, id: LobbyId, out: &mut dyn Outbox) {
        let Some(lobby) = self.lobbies.get(&id) else { return };
        for key in lobby.seats.into_iter().flatten() {
            self.end(now, key, out);
        }
        if let Some(lobby) = self.lobbies.remove(&id) {
            lobby.port.into_iter().for_each(|port| out.unlisten(port));
        }
        self.by_age.retain(|other| *other != id);
        tracing::info!(target: "host", lobby = %id, "a lobby was closed by the host");
    }

    fn ban(&mut self, now: Time, bans: Arc<Bans>, out: &mut dyn Outbox) {
        let banned = self.sessions.iter().filter(|(_, session)| bans.contain(session.address.ip()));
        let keys: Vec<SessionKey> = banned.map(|(key, _)| *key).collect();
        for key in keys {
            self.end(now, key, out);
        }
        self.close_desks(|from| bans.contain(from.ip()), out);
        self.bans = bans;
    }

    fn close_all(&mut self, now: Time, out: &mut dyn Outbox) {
        self.is_draining = true;
        for id in self.by_age.clone() {
            self.close_lobby(now, id, out);
        }
        self.close_desks(|_| true, out);
    }

    fn end(&mut self, now: Time, key: SessionKey, out: &mut dyn Outbox) {
        if let Some(session) = self.sessions.get_mut(&key) {
            session.half.end(now, End::Closed);
        }
        self.bury(now, key, out);
    }
}
