//! `volley bench restart`: what a player sees when the node is killed and started again, in each dialect.
//!
//! `player.rs` is the player who knows nothing of it, `report.rs` what is printed. Start reading at [`run`].

mod player;
mod report;

use std::{
    path::PathBuf,
    sync::atomic::{AtomicBool, Ordering},
    thread,
    time::{Duration, Instant},
};

use protocol::Dialect;

pub(crate) use self::player::PersistentClient;
use self::player::RestartPlayer;
pub use self::report::{Report, Row};
use crate::node_process::{DataFolder, NodeOptions, NodeProcess};

/// How long a player may take to get a seat.
const JOIN_MAX: Duration = Duration::from_secs(20);
/// A player who sees nothing for this long after the node is back has lost the game.
const BACK_MAX: Duration = Duration::from_secs(15);
/// How often a wait looks whether it should end.
const GLANCE: Duration = Duration::from_millis(5);

/// What is to be measured.
#[derive(Clone, Debug)]
pub struct Options {
    /// This program: the node is a process of it.
    pub program: PathBuf,
    /// What the player speaks, one dialect after the other.
    pub dialects: Vec<Dialect>,
    /// How long is played before the node is killed.
    pub play: Duration,
}

/// Measures one dialect after the other. Once `stop` is set, it tells what it has.
pub fn run(options: &Options, stop: &AtomicBool) -> anyhow::Result<Report> {
    let mut report = Report::default();
    for &dialect in &options.dialects {
        match measure(options, dialect, stop)? {
            Some(row) => report.rows.push(row),
            None => {
                report.is_cut_short = true;
                break;
            }
        }
    }
    Ok(report)
}

/// Kills a node under a player and starts it again. None: it was stopped before the end.
fn measure(options: &Options, dialect: Dialect, stop: &AtomicBool) -> anyhow::Result<Option<Row>> {
    let data = DataFolder::new()?;
    let node_options = NodeOptions { data: Some(&data), ..NodeOptions::default() };
    let node = NodeProcess::start(&options.program, node_options, None)?;
    let mut player = RestartPlayer::join(dialect, node.door(dialect)?)?;
    if !wait(stop, JOIN_MAX, || player.has_frame()) {
        anyhow::ensure!(stop.load(Ordering::Relaxed), "{}: no seat within {JOIN_MAX:?}", dialect.name());
        return Ok(None);
    }
    wait(stop, options.play, || false);
    let (played, seat) = (node.tick()?, node.only_seat()?);
    let (doors, killed) = (node.doors().clone(), Instant::now());
    drop(node);
    let node = NodeProcess::start(&options.program, node_options, Some(&doors))?;
    let away = killed.elapsed();
    let is_back = wait(stop, BACK_MAX, || player.frame_after(killed + away / 2).is_some());
    if stop.load(Ordering::Relaxed) {
        return Ok(None);
    }
    let (tick, looked) = (node.tick()?, Instant::now());
    let back = player.frame_after(killed + away / 2).filter(|_| is_back);
    let is_same_seat = node.only_seat().is_ok_and(|now| now == seat);
    player.stop();
    let standstill = back.map(|back| back.duration_since(player.last_frame_before(back).unwrap_or(killed)));
    // The game went on from when the player was back.
    let resumed = |back: Instant| f64::from(tick) - looked.duration_since(back).as_secs_f64() * 60.0;
    Ok(Some(Row {
        dialect: dialect.name(),
        away_seconds: away.as_secs_f64(),
        standstill_seconds: standstill.map(|standstill| standstill.as_secs_f64()),
        is_same_seat: back.map(|_| is_same_seat),
        has_given_up: back.is_none() && player.has_given_up(),
        ticks_lost: back.map(|back| (f64::from(played) - resumed(back)).round().max(0.0) as u32),
    }))
}

/// Waits until something holds, for this long at most; whether it does.
fn wait(stop: &AtomicBool, patience: Duration, mut holds: impl FnMut() -> bool) -> bool {
    let began = Instant::now();
    while began.elapsed() < patience && !stop.load(Ordering::Relaxed) {
        if holds() {
            return true;
        }
        thread::sleep(GLANCE);
    }
    holds()
}
