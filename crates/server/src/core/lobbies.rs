//! The lobbies of a shard, when each of them ticks, and what they have reported.

use std::{
    collections::{HashMap, VecDeque},
    sync::Arc,
};

use game::Stage;
use protocol::{LobbyId, Time};
use slab::Slab;

use super::timetable::Timetable;
use crate::{
    lobby::{BotBudget, Lobby, LobbyEvent, LobbyKey, LobbyPlan},
    outgoing::Context,
    recordings::RecordedGames,
    remote::SharedRemoteServer,
    settings::Settings,
};

/// The lobbies of a shard.
pub(super) struct Lobbies {
    all: Slab<Lobby>,
    keys: HashMap<LobbyId, LobbyKey>,
    pub timetable: Timetable,
    /// How many sessions are in them.
    pub session_count: usize,
    events: VecDeque<LobbyOutput>,
    stages: Arc<[Arc<Stage>]>,
    pub bot_budget: BotBudget,
    /// Whether games are recorded, and with names and chat.
    recorded_games: RecordedGames,
    /// Where their games are played, if not here.
    remote: Option<SharedRemoteServer>,
}

/// What a lobby has reported.
pub(super) struct LobbyOutput {
    pub lobby: LobbyKey,
    pub id: LobbyId,
    pub event: LobbyEvent,
}

impl Lobbies {
    pub fn new(now: Time, settings: &Settings) -> Lobbies {
        Lobbies {
            all: Slab::new(),
            keys: HashMap::new(),
            timetable: Timetable::new(now),
            session_count: 0,
            events: VecDeque::new(),
            stages: settings.stages.as_slice().into(),
            bot_budget: BotBudget::default(),
            recorded_games: RecordedGames::None,
            remote: settings.remote.clone(),
        }
    }

    /// Records these games of all lobbies, those that are to come too.
    pub fn keep_recordings(&mut self, games: RecordedGames) {
        self.recorded_games = games;
        self.iter_mut().for_each(|lobby| lobby.keep_recordings(games));
    }

    pub fn len(&self) -> usize {
        self.all.len()
    }

    pub fn iter(&self) -> impl Iterator<Item = &Lobby> {
        self.all.iter().map(|(_, lobby)| lobby)
    }

    pub fn iter_mut(&mut self) -> impl Iterator<Item = &mut Lobby> {
        self.all.iter_mut().map(|(_, lobby)| lobby)
    }

    pub fn ids(&self) -> Vec<LobbyId> {
        self.keys.keys().copied().collect()
    }

    pub fn key(&self, id: LobbyId) -> Option<LobbyKey> {
        self.keys.get(&id).copied()
    }

    pub fn get(&self, key: LobbyKey) -> Option<&Lobby> {
        self.all.get(key.0)
    }

    pub fn get_mut(&mut self, key: LobbyKey) -> Option<&mut Lobby> {
        self.all.get_mut(key.0)
    }

    pub fn open(&mut self, now: Time, plan: LobbyPlan) -> LobbyKey {
        let lobby = match self.remote.clone() {
            Some(server) => Lobby::remote(now, plan, server, self.bot_budget.clone()),
            None => Lobby::new(now, plan, Arc::clone(&self.stages), self.bot_budget.clone()),
        };
        self.add(now, lobby)
    }

    pub fn add(&mut self, now: Time, mut lobby: Lobby) -> LobbyKey {
        let id = lobby.id();
        lobby.keep_recordings(self.recorded_games);
        let key = LobbyKey(self.all.insert(lobby));
        self.keys.insert(id, key);
        self.timetable.add(now, key);
        key
    }

    /// The stages that follow each other.
    pub fn stages(&self) -> &Arc<[Arc<Stage>]> {
        &self.stages
    }

    /// Removes a lobby. What it reported before is still there.
    pub fn remove(&mut self, key: LobbyKey) -> Option<LobbyId> {
        let lobby = self.all.try_remove(key.0)?;
        self.keys.remove(&lobby.id());
        self.timetable.remove(key);
        Some(lobby.id())
    }

    /// Lets a lobby do something, and keeps what it reports.
    pub fn visit<T>(
        &mut self,
        cx: &mut Context,
        key: LobbyKey,
        act: impl FnOnce(&mut Lobby, &mut Context) -> T,
    ) -> Option<T> {
        let lobby = self.all.get_mut(key.0)?;
        let result = act(lobby, cx);
        while let Some(event) = lobby.poll() {
            self.events.push_back(LobbyOutput { lobby: key, id: lobby.id(), event });
        }
        Some(result)
    }

    /// Leaves out the ticks for which it is far too late; how many there were, over all lobbies that are not paused.
    pub fn catch_up(&mut self, now: Time) -> u64 {
        let all = &self.all;
        self.timetable.catch_up(now, |key| all.get(key.0).is_some_and(|lobby| !lobby.is_paused()))
    }

    /// Takes out the next thing that a lobby reported.
    pub fn poll(&mut self) -> Option<LobbyOutput> {
        let told = self.events.pop_front()?;
        if let LobbyEvent::Ended(_) | LobbyEvent::LinkLost(_) | LobbyEvent::Left { .. } = told.event {
            self.session_count -= 1;
        }
        Some(told)
    }
}
