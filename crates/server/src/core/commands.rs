//! What a host tells a running node to do. Every shard gets every command; one that is not concerned does nothing.

use std::sync::Arc;

use game::Seat;
use protocol::{End, LobbyId, Time};

use super::Core;
use crate::{lobby::Lobby, outgoing::Context, own_networks::OwnNetworks, peer::PeerKey, router::Bans};

/// A command of the host's.
#[derive(Clone, Debug)]
pub enum Order {
    /// Kick a player.
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
    /// These are the host's own networks from now on. Those who are there stay what they are.
    OwnNetworks(Arc<OwnNetworks>),
    /// Open no more lobbies. Those that there are go on.
    Drain,
    /// End every session and every lobby.
    CloseAll,
    /// Save every lobby, so that the next process of the node goes on with it. Nobody is told but those who come back by
    /// themselves.
    Suspend,
}

impl Core {
    /// Carries out a command.
    pub fn order(&mut self, now: Time, order: Order) {
        match order {
            Order::Kick { lobby, seat } => self.kick(now, lobby, seat),
            Order::CloseLobby(id) => self.close_lobby(now, id),
            Order::Ban(bans) => self.ban(now, bans),
            Order::OwnNetworks(networks) => self.own_networks = networks,
            Order::Drain => self.router.drain(),
            Order::CloseAll => self.close_all(now),
            Order::Suspend => self.suspend(now),
        }
        self.exchange(now);
    }

    fn kick(&mut self, now: Time, id: LobbyId, seat: Seat) {
        let Some(key) = self.lobbies.key(id) else { return };
        match self.lobbies.get(key).and_then(|lobby| lobby.player(seat)) {
            Some(peer) => {
                self.router.keep_out(now, peer);
                self.end(now, peer, End::Closed);
            }
            None => {
                let cx = &mut Context { now, out: &mut self.out };
                self.lobbies.visit(cx, key, |lobby, cx| {
                    lobby.remove_bot(seat);
                    lobby.free_kept_seat(cx, seat);
                });
            }
        }
    }

    fn close_lobby(&mut self, now: Time, id: LobbyId) {
        let Some(key) = self.lobbies.key(id) else { return self.close_unopened(now, id) };
        let cx = &mut Context { now, out: &mut self.out };
        self.lobbies.visit(cx, key, |lobby, cx| lobby.end_all(cx));
        self.exchange(now);
        let name = self.lobbies.get(key).map(Lobby::log_name);
        // Ending a session may have ended the lobby, if something panicked.
        if let (Some(name), Some(_)) = (name, self.lobbies.remove(key)) {
            self.router.lobby_closed(&mut Context { now, out: &mut self.out }, id);
            self.forget_save(id);
            tracing::info!(target: "host", lobby = %name, "closed a lobby");
        }
    }

    /// Closes a lobby of this shard that nobody has come to yet.
    fn close_unopened(&mut self, now: Time, id: LobbyId) {
        if self.router.plan(id).is_some() {
            self.router.lobby_closed(&mut Context { now, out: &mut self.out }, id);
        }
    }

    fn ban(&mut self, now: Time, bans: Arc<Bans>) {
        self.router.ban(&mut Context { now, out: &mut self.out }, Arc::clone(&bans));
        self.end_all(now, End::Closed, |peer| bans.contain(peer.ip()));
    }

    /// Sessions end before their lobbies: nobody is told that a lobby was closed when the whole node ends.
    fn close_all(&mut self, now: Time) {
        self.router.drain();
        self.end_all(now, End::Restarting, |_| true);
        for id in self.lobbies.ids() {
            self.close_lobby(now, id);
        }
        self.router.close_desks(&mut Context { now, out: &mut self.out }, |_| true);
    }

    /// Ends the sessions of some peers.
    pub(super) fn end_all(&mut self, now: Time, why: End, is_unwanted: impl Fn(PeerKey) -> bool) {
        let unwanted: Vec<PeerKey> =
            self.all_sessions().map(|session| session.peer).filter(|peer| is_unwanted(*peer)).collect();
        for peer in unwanted {
            self.end(now, peer, why);
            self.exchange(now);
        }
    }
}
