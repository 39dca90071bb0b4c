//! Lobbies are saved in their turns, more than once a second each, and restored by the next process of the node (ruling C16).

use protocol::{End, LobbyId, Time};

use super::{Core, lobbies::Lobbies};
use crate::{
    lobby::{Lobby, LobbyKey, LobbySettings},
    outgoing::Context,
    recordings::RecordedGames,
    saves::{NotRestored, SavedLobby},
};

/// A lobby that was restored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Restored {
    /// How many players it waits for.
    pub players: usize,
}

impl Core {
    /// From now on lobbies that have players are saved, with [`Effect::Save`](super::Effect::Save).
    pub fn keep_saves(&mut self) {
        self.keeps_saves = true;
    }

    /// From now on these games are recorded, with [`Effect::Recording`](super::Effect::Recording).
    pub fn keep_recordings(&mut self, games: RecordedGames) {
        self.lobbies.keep_recordings(games);
    }

    /// Restores a lobby as an earlier process saved it. Its seats are kept for a minute.
    pub fn restore(&mut self, now: Time, bytes: &[u8]) -> Result<Restored, NotRestored> {
        let saved = SavedLobby::read(bytes)?;
        let stage = self.settings.stage(&saved.stage).ok_or(NotRestored::NoStage)?;
        let settings = LobbySettings {
            stage,
            stages: self.lobbies.stages(),
            bot_budget: &self.lobbies.bot_budget,
            scale: self.settings.scale,
        };
        let cx = &mut Context { now, out: &mut self.out };
        let (mut lobby, seats) = Lobby::restore(cx, saved, settings)?;
        lobby.limit_intake(now, self.settings.limits.datagrams_per_player);
        if !self.router.restore_lobby(cx, &lobby.plan(), &seats) {
            return Err(NotRestored::NoRoom);
        }
        let id = lobby.id();
        let key = self.lobbies.add(now, lobby);
        self.lobbies.session_count += seats.iter().filter(|restored| restored.token.is_none()).count();
        self.router.restore_routes(cx, id, key, &seats);
        self.exchange(now);
        Ok(Restored { players: seats.len() })
    }

    /// Saves a lobby if that is due.
    pub(super) fn keep_save(&mut self, now: Time, key: LobbyKey) {
        if self.keeps_saves {
            let cx = &mut Context { now, out: &mut self.out };
            self.lobbies.visit(cx, key, |lobby, cx| lobby.save_if_due(cx));
        }
    }

    /// A lobby is gone: nobody goes on with it.
    pub(super) fn forget_save(&mut self, id: LobbyId) {
        if self.keeps_saves {
            self.out.forget_save(id);
        }
    }

    /// Saves every lobby and lets go of all of them. Whoever does not come back by themselves is told nothing.
    pub(super) fn suspend(&mut self, now: Time) {
        self.router.drain();
        for id in self.lobbies.ids() {
            let Some(key) = self.lobbies.key(id) else { continue };
            let cx = &mut Context { now, out: &mut self.out };
            self.lobbies.visit(cx, key, |lobby, cx| lobby.suspend(cx));
        }
        self.exchange(now);
        // What still arrives leads nowhere.
        self.lobbies = Lobbies::new(now, &self.settings);
        self.end_all(now, End::Restarting, |_| true);
    }
}
