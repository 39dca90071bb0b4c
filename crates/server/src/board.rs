//! The board: what the node shows of itself, copied off its shards so that who reads it never makes them wait.
//!
//! A shard posts only when somebody wants to read, and no more than a few times a second, however many want to.

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
    core::{Census, Core, Counters, LobbyView, SessionView, ShardId},
    switchboard::Waker,
};

/// How long a reader waits for a shard that is busy, before it reads what was posted last.
const PATIENCE: Duration = Duration::from_millis(200);
/// What was posted so recently is not asked for again.
const FRESH: Duration = Duration::from_millis(50);

/// A copy of what can be known about a node. Clones share it.
#[derive(Clone)]
pub struct Board(Arc<Shared>);

struct Shared {
    slots: Vec<Slot>,
    asked: Mutex<Option<Instant>>,
}

/// What one shard posts.
struct Slot {
    posted: Mutex<Posted>,
    is_wanted: AtomicBool,
    sessions: AtomicUsize,
    wake: Waker,
}

/// What is on the board.
#[derive(Clone, Debug, Default)]
pub struct Posted {
    /// Every lobby, the oldest first.
    pub lobbies: Vec<Lobby>,
    /// Every player, for the host only.
    pub sessions: Vec<SessionView>,
    /// The open sessions of each dialect, in the order of [`Dialect::ALL`].
    pub census: [Census; Dialect::ALL.len()],
    /// What has been counted.
    pub counters: Counters,
    /// How much each shard has to do.
    pub shards: Vec<ShardLoad>,
}

/// How much a shard has to do.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct ShardLoad {
    /// How long it was at work since the start.
    pub busy_seconds: f64,
    /// Its players.
    pub sessions: usize,
    /// Its lobbies.
    pub lobbies: usize,
}

/// One lobby, as the API shows it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Lobby {
    /// Its place among all lobbies of the node, by age.
    #[serde(skip)]
    pub number: u64,
    /// Its id, as players type it.
    pub id: String,
    /// The name of its stage.
    pub stage: String,
    /// `waiting`, `running`, `won` or `lost`.
    pub state: &'static str,
    /// Ticks since it began.
    pub tick: u32,
    /// The score of all players together.
    pub score: u32,
    /// Who plays, by seat.
    pub players: Vec<Player>,
    /// How many things can be seen.
    pub entities: usize,
    /// Whether its only player has it stand still.
    pub paused: bool,
    /// Whether only those know of it who know its id.
    #[serde(skip)]
    pub is_private: bool,
}

/// One player, as the API shows them.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Player {
    /// 0 to 3.
    pub seat: u8,
    /// Empty if the dialect has no names.
    pub name: String,
    /// The dialect that they speak.
    pub dialect: &'static str,
    /// The number of their ship, while there is one.
    pub entity: Option<u32>,
    /// How far right in the field the middle of their ship is, in whole pixels, while there is one.
    pub x: Option<i32>,
    /// How far down.
    pub y: Option<i32>,
}

impl Board {
    /// An empty one, for the shards that these wake.
    pub fn new(wakers: &[Waker]) -> Board {
        let slots = wakers.iter().cloned().map(Slot::new).collect();
        Board(Arc::new(Shared { slots, asked: Mutex::new(None) }))
    }

    /// Posts a shard as it stands, if somebody wants to read it. To be called after each round.
    pub fn post(&self, shard: ShardId, core: &Core) {
        let Some(slot) = self.0.slots.get(shard.index()) else { return };
        slot.sessions.store(core.session_count(), Ordering::Relaxed);
        if slot.is_wanted.load(Ordering::Acquire) {
            *lock(&slot.posted) = Posted::of(core);
            slot.is_wanted.store(false, Ordering::Release);
        }
    }

    /// How many players there are, as of each shard's last round.
    pub fn sessions(&self) -> usize {
        self.0.slots.iter().map(|slot| slot.sessions.load(Ordering::Relaxed)).sum()
    }

    /// The node as it stood a moment ago, at most: what everybody may ask for as often as they like.
    pub async fn read(&self) -> Posted {
        if self.is_stale() {
            self.ask();
        }
        self.gather().await
    }

    /// The node as it stands now: for the host.
    pub async fn read_now(&self) -> Posted {
        self.ask();
        self.gather().await
    }

    fn ask(&self) {
        self.0.slots.iter().for_each(Slot::want);
    }

    async fn gather(&self) -> Posted {
        let began = Instant::now();
        let is_awaited = || self.0.slots.iter().any(|slot| slot.is_wanted.load(Ordering::Acquire));
        while is_awaited() && began.elapsed() < PATIENCE {
            tokio::time::sleep(Duration::from_millis(1)).await;
        }
        let mut whole = Posted::default();
        for slot in &self.0.slots {
            whole.add(&lock(&slot.posted));
        }
        whole.lobbies.sort_by_key(|lobby| lobby.number);
        whole.sessions.sort_by_key(|session| session.opened);
        whole
    }

    /// Whether the board has to be asked for; if so, it counts as asked for now.
    fn is_stale(&self) -> bool {
        let mut asked = lock(&self.0.asked);
        let is_stale = asked.is_none_or(|asked| asked.elapsed() >= FRESH);
        if is_stale {
            *asked = Some(Instant::now());
        }
        is_stale
    }
}

impl Posted {
    fn of(core: &Core) -> Posted {
        let lobbies: Vec<Lobby> = core.lobbies().into_iter().map(Lobby::from).collect();
        let load = ShardLoad {
            busy_seconds: core.counters().busy.as_secs_f64(),
            sessions: core.session_count(),
            lobbies: lobbies.len(),
        };
        Posted {
            lobbies,
            sessions: core.sessions(),
            census: core.census(),
            counters: core.counters().clone(),
            shards: vec![load],
        }
    }

    fn add(&mut self, other: &Posted) {
        self.lobbies.extend_from_slice(&other.lobbies);
        self.sessions.extend_from_slice(&other.sessions);
        for (sum, census) in self.census.iter_mut().zip(other.census) {
            sum.players += census.players;
            sum.proved += census.proved;
            sum.unproved += census.unproved;
            sum.retransmissions += census.retransmissions;
        }
        self.counters += &other.counters;
        self.shards.extend_from_slice(&other.shards);
    }

    /// The open sessions, dialect by dialect.
    pub fn by_dialect(&self) -> impl Iterator<Item = (Dialect, Census)> {
        Dialect::ALL.into_iter().zip(self.census)
    }
}

impl Slot {
    fn new(wake: Waker) -> Slot {
        Slot { posted: Mutex::default(), is_wanted: AtomicBool::new(false), sessions: AtomicUsize::new(0), wake }
    }

    fn want(&self) {
        self.is_wanted.store(true, Ordering::Release);
        (self.wake)();
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    // A copy that a panicking reader left behind is still whole.
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl From<LobbyView> for Lobby {
    fn from(view: LobbyView) -> Lobby {
        let players = view.players.into_iter().map(|player| Player {
            seat: player.seat,
            name: player.name,
            dialect: player.dialect.name(),
            entity: player.entity,
            x: player.x,
            y: player.y,
        });
        Lobby {
            number: view.number,
            id: view.id,
            stage: view.stage,
            state: view.state.name(),
            tick: view.tick,
            score: view.score,
            players: players.collect(),
            entities: view.entities,
            paused: view.is_paused,
            is_private: view.is_private,
        }
    }
}
