//! The board: what the node shows of itself, copied off its threads so that who reads it never makes them wait. Each shard
//! posts its part only when somebody wants to read it, and then at once; readers see all parts as one.

use std::{
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

use protocol::Dialect;
use serde::Serialize;

use crate::{
    core::{Census, Core, Counters, LobbyView, ShardId},
    sockets::Bell,
};

/// A copy of what can be known about a node.
#[derive(Clone)]
pub struct Board(Arc<[Part]>);

/// What one shard posts.
struct Part {
    posted: Mutex<Posted>,
    is_wanted: AtomicBool,
    bell: Bell,
}

/// How long a reader waits for a node that is busy, before it reads what was posted last.
const PATIENCE: Duration = Duration::from_millis(200);

/// What is on the board.
#[derive(Clone, Debug, Default)]
pub struct Posted {
    /// Every lobby, the oldest first.
    pub lobbies: Vec<Lobby>,
    /// What has been counted.
    pub counters: Counters,
    /// The open sessions of each dialect, in the order of [`Dialect::ALL`].
    pub census: [Census; Dialect::ALL.len()],
    /// How much each shard has to do.
    pub shards: Vec<ShardLoad>,
}

/// How much a shard has to do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ShardLoad {
    /// How long it was at work since the start.
    pub busy: Duration,
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
    /// An empty board for the shards that these bells wake.
    pub fn new(bells: &[Bell]) -> Board {
        let part =
            |bell: &Bell| Part { posted: Mutex::default(), is_wanted: AtomicBool::new(false), bell: bell.clone() };
        Board(bells.iter().map(part).collect())
    }

    /// Posts a shard as it stands, if somebody wants to read it.
    pub fn post(&self, shard: ShardId, core: &Core) {
        let Some(part) = self.0.get(shard.index()) else { return };
        if !part.is_wanted.load(Ordering::Acquire) {
            return;
        }
        let lobbies: Vec<Lobby> = core.lobbies().into_iter().map(Lobby::from).collect();
        let sessions = lobbies.iter().map(|lobby| lobby.players.len()).sum();
        let load = ShardLoad { busy: core.counters().busy, sessions, lobbies: lobbies.len() };
        let (counters, census) = (core.counters().clone(), core.census());
        *part.lock() = Posted { lobbies, counters, census, shards: vec![load] };
        part.is_wanted.store(false, Ordering::Release);
    }

    /// The node as it stands now.
    pub async fn read(&self) -> Posted {
        for part in &*self.0 {
            part.is_wanted.store(true, Ordering::Release);
            part.bell.ring();
        }
        let began = tokio::time::Instant::now();
        let is_wanted = || self.0.iter().any(|part| part.is_wanted.load(Ordering::Acquire));
        while is_wanted() && began.elapsed() < PATIENCE {
            tokio::time::sleep(Duration::from_millis(1)).await;
        }
        let mut whole = Posted::default();
        for part in &*self.0 {
            whole.add(part.lock().clone());
        }
        whole.lobbies.sort_by_key(|lobby| lobby.number);
        whole
    }
}

impl Part {
    fn lock(&self) -> MutexGuard<'_, Posted> {
        // A copy that a panicking reader left behind is still whole.
        self.posted.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Posted {
    fn add(&mut self, part: Posted) {
        self.lobbies.extend(part.lobbies);
        self.counters += &part.counters;
        for (sum, census) in self.census.iter_mut().zip(part.census) {
            sum.proved += census.proved;
            sum.unproved += census.unproved;
            sum.retransmissions += census.retransmissions;
        }
        self.shards.extend(part.shards);
    }
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
        }
    }
}
