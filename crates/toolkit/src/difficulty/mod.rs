//! `volley bench difficulty`: bots of each skill play the game many times, and what became of them is put in tables.
//!
//! `trial.rs` is one game of one seed, `report.rs` what all of them say, `spots.rs` which places kill too often. Start reading at [`run`].

mod report;
mod spots;
mod trial;

use std::{
    num::NonZero,
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicBool, AtomicUsize, Ordering},
    },
    thread,
};

use game::{Difficulty, Skill, Stage};

pub use self::{
    report::Report,
    trial::{BossFight, Death, PlayedGame, StageRun},
};

/// What is to be measured.
#[derive(Clone, Debug)]
pub struct Options {
    /// The stages, one after the other, with the same lives; or one without end.
    pub stages: Vec<Arc<Stage>>,
    pub difficulties: Vec<Difficulty>,
    pub skills: Vec<Skill>,
    /// Bots in each game, one to four.
    pub players: usize,
    /// Games of each kind.
    pub seeds: u64,
    /// A game that lasts longer, in minutes of play, is taken as survived.
    pub minutes_max: u32,
}

/// One kind of game.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Setting {
    pub difficulty: Difficulty,
    pub skill: Skill,
}

/// Plays every game, on all cores. `progress` is told how many are over, and of how many. When `stop` is set, the games under
/// way are the last.
pub fn run(options: &Options, stop: &AtomicBool, progress: impl Fn(usize, usize) + Sync) -> Report {
    let settings = || {
        options
            .difficulties
            .iter()
            .flat_map(|&difficulty| options.skills.iter().map(move |&skill| Setting { difficulty, skill }))
    };
    let games: Vec<(Setting, u64)> =
        settings().flat_map(|setting| (0..options.seeds).map(move |seed| (setting, seed))).collect();
    let (next, over, trials) = (AtomicUsize::new(0), AtomicUsize::new(0), Mutex::new(Vec::new()));
    let work = || {
        while let Some(&(setting, seed)) = games.get(next.fetch_add(1, Ordering::Relaxed)) {
            if stop.load(Ordering::Relaxed) {
                break;
            }
            let trial = trial::play(options, setting, seed);
            trials.lock().unwrap_or_else(PoisonError::into_inner).push((setting, seed, trial));
            progress(over.fetch_add(1, Ordering::Relaxed) + 1, games.len());
        }
    };
    let cores = thread::available_parallelism().map_or(1, NonZero::get);
    thread::scope(|scope| (0..cores).for_each(|_| drop(scope.spawn(work))));
    let mut trials = trials.into_inner().unwrap_or_else(PoisonError::into_inner);
    trials.sort_by_key(|(_, seed, _)| *seed);
    let of = |setting| trials.iter().filter(move |(other, ..)| *other == setting).map(|(.., trial)| trial.clone());
    Report {
        stages: options.stages.clone(),
        players: options.players,
        is_cut_short: trials.len() < games.len(),
        trials: settings().map(|setting| (setting, of(setting).collect())).collect(),
    }
}
