//! An overview of the node: its lobbies, sessions and counters, copied from the shards so that readers never make a shard
//! wait.
//!
//! A shard publishes only when somebody wants to read, and at most a few times a second, however many readers there are.

use std::{
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicBool, AtomicUsize, Ordering},
    },
    time::Duration,
};

use protocol::Dialect;
use serde::Serialize;
use tokio::time::Instant;

use crate::{
    core::{Core, Counters, LobbyView, SessionCounts, SessionView, ShardId},
    order_sender::ShardWaker,
};

/// How long a reader waits for a busy shard before it takes that shard's last overview.
const WAIT_MAX: Duration = Duration::from_millis(200);
/// An overview that is no older than this is not requested again.
const FRESH: Duration = Duration::from_millis(50);

/// The newest overview of each shard. Clones share it.
#[derive(Clone)]
pub struct SharedOverview(Arc<Shared>);

struct Shared {
    shards: Vec<ShardSlot>,
    requested: Mutex<Option<Instant>>,
}

/// What one shard publishes.
struct ShardSlot {
    overview: Mutex<Overview>,
    is_wanted: AtomicBool,
    sessions: AtomicUsize,
    wake: ShardWaker,
}

/// What is known about a node, or about one of its shards.
#[derive(Clone, Debug, Default)]
pub struct Overview {
    /// Every public lobby, the oldest first.
    pub lobbies: Vec<Lobby>,
    /// The private ones. Their codes are told to nobody but those who are in them, and the host.
    pub private_lobbies: Vec<Lobby>,
    /// Every session; only the host may see them.
    pub sessions: Vec<SessionView>,
    /// The open sessions of each dialect, in the order of [`Dialect::ALL`].
    pub session_counts: [SessionCounts; Dialect::ALL.len()],
    /// What has been counted since the start.
    pub counters: Counters,
    pub shards: Vec<ShardLoad>,
}

/// How much a shard has to do.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct ShardLoad {
    /// Since the start.
    pub busy_seconds: f64,
    pub sessions: usize,
    pub lobbies: usize,
    /// Bots that hosts have added to lobbies.
    pub bots: usize,
}

/// One lobby, as the API shows it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Lobby {
    /// Rises from lobby to lobby: sorts them by age.
    #[serde(skip)]
    pub number: u64,
    /// Its code, as players type it.
    pub id: String,
    pub stage: String,
    /// `campaign`, `endless`, `daily` or `practice`.
    pub mode: &'static str,
    /// `easy`, `normal` or `hard`.
    pub difficulty: &'static str,
    /// What is different in it, in a daily game.
    pub mutator: Option<&'static str>,
    /// The wave of the endless stage, from 1; 0 elsewhere.
    pub wave: u32,
    /// `waiting`, `running`, `won` or `lost`.
    pub state: &'static str,
    /// Ticks since it began.
    pub tick: u32,
    /// The score of all players together.
    pub score: u32,
    /// The seat of the host, who starts the game, adds bots and kicks; null in a lobby that no player made.
    pub host: Option<u8>,
    /// The players and bots, by seat.
    pub players: Vec<Player>,
    /// How many entities are visible.
    pub entities: usize,
    /// Whether its only player has paused it.
    pub paused: bool,
}

/// One player, as the API shows them.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Player {
    /// 0 to 3.
    pub seat: u8,
    /// Empty if the dialect has no names.
    pub name: String,
    /// The name of their dialect; `bot` for a bot of the node.
    pub dialect: &'static str,
    /// How well a bot plays: `easy`, `normal` or `good`; null for a person.
    pub bot: Option<&'static str>,
    /// `arrow`, `wasp`, `anvil` or `lynx`.
    pub ship: &'static str,
    /// Their own share of the score.
    pub score: u32,
    /// The id of their ship, while they have one.
    pub entity: Option<u32>,
    /// The middle of their ship, in whole pixels from the left of the field.
    pub x: Option<i32>,
    /// The middle of their ship, in whole pixels from the top of the field.
    pub y: Option<i32>,
}

impl SharedOverview {
    /// An empty one, for the shards of these wakers.
    pub fn new(wakers: &[ShardWaker]) -> SharedOverview {
        let shards = wakers.iter().cloned().map(ShardSlot::new).collect();
        SharedOverview(Arc::new(Shared { shards, requested: Mutex::new(None) }))
    }

    /// Publishes a shard as it is now, if somebody wants to read it. Call it after each round.
    pub fn publish(&self, shard: ShardId, core: &Core) {
        let Some(slot) = self.0.shards.get(shard.index()) else { return };
        slot.sessions.store(core.session_count(), Ordering::Relaxed);
        if slot.is_wanted.load(Ordering::Acquire) {
            *lock(&slot.overview) = Overview::of(core);
            slot.is_wanted.store(false, Ordering::Release);
        }
    }

    /// How many sessions there are, as of each shard's last round.
    pub fn session_count(&self) -> usize {
        self.0.shards.iter().map(|slot| slot.sessions.load(Ordering::Relaxed)).sum()
    }

    /// The node as it was a moment ago at most. Anybody may call this as often as they like.
    pub async fn read(&self) -> Overview {
        if self.is_stale() {
            self.request();
        }
        self.gather().await
    }

    /// The node as it is now: for the host.
    pub async fn read_now(&self) -> Overview {
        self.request();
        self.gather().await
    }

    fn request(&self) {
        self.0.shards.iter().for_each(ShardSlot::request);
    }

    async fn gather(&self) -> Overview {
        let began = Instant::now();
        let is_awaited = || self.0.shards.iter().any(|slot| slot.is_wanted.load(Ordering::Acquire));
        while is_awaited() && began.elapsed() < WAIT_MAX {
            tokio::time::sleep(Duration::from_millis(1)).await;
        }
        let mut whole = Overview::default();
        for slot in &self.0.shards {
            whole.add(&lock(&slot.overview));
        }
        whole.lobbies.sort_by_key(|lobby| lobby.number);
        whole.private_lobbies.sort_by_key(|lobby| lobby.number);
        whole.sessions.sort_by_key(|session| session.opened);
        whole
    }

    /// Whether a new overview has to be requested; if so, it counts as requested now.
    fn is_stale(&self) -> bool {
        let mut requested = lock(&self.0.requested);
        let is_stale = requested.is_none_or(|requested| requested.elapsed() >= FRESH);
        if is_stale {
            *requested = Some(Instant::now());
        }
        is_stale
    }
}

impl Overview {
    fn of(core: &Core) -> Overview {
        let (private_lobbies, lobbies): (Vec<_>, Vec<_>) = core.lobbies().into_iter().partition(|view| view.is_private);
        let load = ShardLoad {
            busy_seconds: core.counters().busy.as_secs_f64(),
            sessions: core.session_count(),
            lobbies: lobbies.len() + private_lobbies.len(),
            bots: core.bot_count(),
        };
        Overview {
            lobbies: lobbies.into_iter().map(Lobby::from).collect(),
            private_lobbies: private_lobbies.into_iter().map(Lobby::from).collect(),
            sessions: core.sessions(),
            session_counts: core.session_counts(),
            counters: core.counters().clone(),
            shards: vec![load],
        }
    }

    fn add(&mut self, other: &Overview) {
        self.lobbies.extend_from_slice(&other.lobbies);
        self.private_lobbies.extend_from_slice(&other.private_lobbies);
        self.sessions.extend_from_slice(&other.sessions);
        for (sum, counts) in self.session_counts.iter_mut().zip(other.session_counts) {
            sum.players += counts.players;
            sum.proved += counts.proved;
            sum.unproved += counts.unproved;
            sum.retransmissions += counts.retransmissions;
        }
        self.counters += &other.counters;
        self.shards.extend_from_slice(&other.shards);
    }

    /// How many lobbies there are, private ones included.
    pub fn lobby_count(&self) -> usize {
        self.lobbies.len() + self.private_lobbies.len()
    }

    /// The lobby with this code, public or private: for somebody who knows the code.
    pub fn lobby(&self, code: &str) -> Option<&Lobby> {
        let mut all = self.lobbies.iter().chain(&self.private_lobbies);
        all.find(|lobby| lobby.id.eq_ignore_ascii_case(code))
    }

    /// The open sessions of each dialect.
    pub fn by_dialect(&self) -> impl Iterator<Item = (Dialect, SessionCounts)> {
        Dialect::ALL.into_iter().zip(self.session_counts)
    }
}

impl ShardSlot {
    fn new(wake: ShardWaker) -> ShardSlot {
        ShardSlot { overview: Mutex::default(), is_wanted: AtomicBool::new(false), sessions: AtomicUsize::new(0), wake }
    }

    fn request(&self) {
        self.is_wanted.store(true, Ordering::Release);
        (self.wake)();
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    // A panic while it was locked left the copy whole.
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl From<LobbyView> for Lobby {
    fn from(view: LobbyView) -> Lobby {
        let players = view.players.into_iter().map(|player| Player {
            seat: player.seat,
            name: player.name,
            dialect: player.kind.name(),
            bot: player.kind.bot().map(game::Skill::name),
            ship: player.ship.name(),
            score: player.score,
            entity: player.entity,
            x: player.x,
            y: player.y,
        });
        Lobby {
            number: view.number,
            id: view.id,
            stage: view.stage,
            mode: view.rules.mode.name(),
            difficulty: view.rules.difficulty.name(),
            mutator: view.rules.mutator().map(game::Mutator::name),
            wave: view.wave,
            state: view.state.name(),
            tick: view.tick,
            score: view.score,
            host: view.host.map(game::Seat::number),
            players: players.collect(),
            entities: view.entities,
            paused: view.is_paused,
        }
    }
}
