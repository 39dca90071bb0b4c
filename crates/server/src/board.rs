//! The board: what the node shows of itself, copied off its thread so that who reads it never makes it wait. It is
//! posted only when somebody wants to read it, and then at once.

use std::{
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

use serde::Serialize;

use crate::core::{Core, Counters, LobbyView};

/// A copy of what can be known about a node.
#[derive(Clone, Default)]
pub struct Board(Arc<Shared>);

#[derive(Default)]
struct Shared {
    posted: Mutex<Posted>,
    is_wanted: AtomicBool,
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
}

/// One lobby, as the API shows it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Lobby {
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
    /// Posts the node as it stands, if somebody wants to read it.
    pub fn post(&self, core: &Core) {
        if !self.0.is_wanted.load(Ordering::Acquire) {
            return;
        }
        let posted = Posted {
            lobbies: core.lobbies().into_iter().map(Lobby::from).collect(),
            counters: core.counters().clone(),
        };
        *self.lock() = posted;
        self.0.is_wanted.store(false, Ordering::Release);
    }

    /// The node as it stands now.
    pub async fn read(&self) -> Posted {
        self.0.is_wanted.store(true, Ordering::Release);
        let began = tokio::time::Instant::now();
        while self.0.is_wanted.load(Ordering::Acquire) && began.elapsed() < PATIENCE {
            tokio::time::sleep(Duration::from_millis(1)).await;
        }
        self.lock().clone()
    }

    fn lock(&self) -> MutexGuard<'_, Posted> {
        // A copy that a panicking reader left behind is still whole.
        self.0.posted.lock().unwrap_or_else(PoisonError::into_inner)
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
