//! A lobby: a game, who plays it, and when it ticks.

use std::{sync::Arc, time::Duration};

use game::{GameState, Rules, SEATS, Seat, Stage, World};
use protocol::{Scene, Time};

use super::{SessionKey, records::Scorebook};

/// One tick.
pub(super) const TICK: Duration = Duration::from_micros(16_667);
/// Lobbies tick in so many groups, spread over the length of a tick, so that work never bunches.
pub(super) const PHASES: u32 = 8;
/// A lobby that is empty for so long is closed.
pub(super) const EMPTY_MAX: Duration = Duration::from_secs(30);
/// How long a seat is kept for who made a lobby and has not sat down yet.
const KEPT_FOR_MAKER: Duration = Duration::from_secs(10);
/// How long the end of a game stays, before the next stage or the next try.
const CURTAIN: Duration = Duration::from_secs(6);
/// A lobby that is late by more than so many ticks leaves them out.
const CATCH_UP_MAX: u32 = 6;

/// A game and who plays it.
pub(super) struct Lobby {
    pub world: World,
    pub scene: Scene,
    pub seats: [Option<SessionKey>; SEATS],
    /// Its own UDP port, once somebody asked for it.
    pub port: Option<u16>,
    /// When its next tick is due.
    pub due: Time,
    pub empty_since: Option<Time>,
    /// Since when its maker, who asked for it at a desk, is awaited.
    pub maker_since: Option<Time>,
    pub opened: Time,
    pub scorebook: Scorebook,
    /// When the game was won or lost.
    over_since: Option<Time>,
}

impl Lobby {
    /// A waiting lobby. `number` decides its phase.
    pub fn new(now: Time, stage: Arc<Stage>, rules: Rules, seed: u64, number: u64) -> Lobby {
        let scene = Scene::new(&stage.name);
        let phase = (number % u64::from(PHASES)) as u32;
        Lobby {
            world: World::new(stage, rules, seed),
            scene,
            seats: [None; SEATS],
            port: None,
            due: now + TICK / PHASES * phase,
            empty_since: Some(now),
            maker_since: None,
            opened: now,
            scorebook: Scorebook::default(),
            over_since: None,
        }
    }

    pub fn free_seat(&self) -> Option<Seat> {
        Seat::ALL.into_iter().find(|seat| self.seats[seat.index()].is_none())
    }

    /// A free seat for somebody who did not ask for this very lobby: its maker finds one in any case.
    pub fn free_seat_for_anybody(&self, now: Time) -> Option<Seat> {
        let is_kept = self.maker_since.is_some_and(|since| now.since(since) < KEPT_FOR_MAKER);
        let free = self.seats.iter().filter(|seat| seat.is_none()).count();
        self.free_seat().filter(|_| free > usize::from(is_kept))
    }

    pub fn is_empty(&self) -> bool {
        self.seats.iter().all(Option::is_none)
    }

    /// Sets the next tick; how many ticks had to be left out.
    pub fn schedule(&mut self, now: Time) -> u64 {
        self.due = self.due + TICK;
        if now.since(self.due) < TICK * CATCH_UP_MAX {
            return 0;
        }
        let late = now.since(self.due).as_micros() / TICK.as_micros();
        self.due = self.due + TICK * late as u32;
        late as u64
    }

    /// After a stage the next one, after the last the first again; after a lost game another try.
    pub fn go_on(&mut self, now: Time, stages: &[Arc<Stage>]) {
        let state = self.world.game_state();
        if !matches!(state, GameState::Won | GameState::Lost) {
            self.over_since = None;
            return;
        }
        let since = *self.over_since.get_or_insert(now);
        if now.since(since) < CURTAIN {
            return;
        }
        self.over_since = None;
        match state {
            GameState::Lost => self.world.restart(),
            _ => {
                let next = following(self.world.stage(), stages);
                self.scene.stage_name.clone_from(&next.name);
                self.world.enter(next);
            }
        }
    }
}

fn following(stage: &Arc<Stage>, stages: &[Arc<Stage>]) -> Arc<Stage> {
    let numbered = |number: u8| stages.iter().find(|other| other.number == number).cloned();
    numbered(stage.number.saturating_add(1)).or_else(|| numbered(1)).unwrap_or_else(|| stage.clone())
}
