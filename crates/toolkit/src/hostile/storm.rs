//! `volley bench storm`: one attack after the other on a node where people play, and a table of what became of them.

use std::{
    fmt,
    path::PathBuf,
    sync::atomic::{AtomicBool, Ordering},
    thread,
    time::{Duration, Instant},
};

use protocol::Dialect;

use super::{
    attacks,
    honest::{self, Honest},
    host::{Health, Host},
};

/// Players of each dialect who play all the time.
const HONEST_OF_EACH: usize = 2;
/// After an attack, before it is looked whether the node has recovered: silent strangers are gone by then.
const RECOVERY: Duration = Duration::from_secs(6);
const MEGABYTE: f64 = 1_048_576.0;

/// What is to be done.
#[derive(Clone, Debug)]
pub struct Options {
    /// This program: the node is a process of it.
    pub program: PathBuf,
    /// How long each attack lasts, and how long the node is watched before it.
    pub time: Duration,
}

/// What became of an attack.
#[derive(Clone, Debug)]
pub struct Row {
    pub attack: &'static str,
    /// How many things it did.
    pub done: u64,
    /// Ticks that began on time, of a hundred: before, during and after it.
    pub on_time_percent: [f64; 3],
    /// The memory of the node after it.
    pub memory_bytes: u64,
    /// What the node dropped.
    pub refused: u64,
    /// Honest players at its end, of so many.
    pub playing: (usize, usize),
    /// How long somebody new then took to join, if they could.
    pub newcomer: Option<Duration>,
}

impl Row {
    /// Whether everybody still plays, and somebody new can.
    pub fn has_recovered(&self) -> bool {
        self.playing.0 == self.playing.1 && self.newcomer.is_some()
    }
}

/// A table of all attacks.
#[derive(Clone, Debug, Default)]
pub struct Report {
    pub rows: Vec<Row>,
}

impl Report {
    pub fn has_recovered(&self) -> bool {
        self.rows.iter().all(Row::has_recovered)
    }
}

/// Attacks a node in every way. When `stop` is set it ends early, with what there is.
pub fn run(options: &Options, stop: &AtomicBool) -> anyhow::Result<Report> {
    let mut report = Report::default();
    for (name, attack) in attacks::ALL {
        if stop.load(Ordering::Relaxed) {
            break;
        }
        eprintln!("{name} …");
        report.rows.push(one(options, name, attack)?);
    }
    Ok(report)
}

fn one(options: &Options, name: &'static str, attack: attacks::Attack) -> anyhow::Result<Row> {
    let host = Host::start(&options.program, &["--limit-loopback", "--joins-per-address", "1000"])?;
    let honest = Honest::join(&host, HONEST_OF_EACH)?;
    let count = HONEST_OF_EACH * Dialect::ALL.len();
    let (done, [begin, calm, attacked, recovered]) = watch(options, &host, attack)?;
    Ok(Row {
        attack: name,
        done,
        on_time_percent: [
            calm.on_time_percent(begin),
            attacked.on_time_percent(calm),
            recovered.on_time_percent(attacked),
        ],
        memory_bytes: recovered.memory_bytes,
        refused: (attacked.drops - calm.drops) as u64,
        playing: (honest.playing(), count),
        newcomer: honest::newcomer(&host, Dialect::Snapshot).ok(),
    })
}

/// What an attack did, and how the node does at the beginning, before, at the end of and after it.
fn watch(options: &Options, host: &Host, attack: attacks::Attack) -> anyhow::Result<(u64, [Health; 4])> {
    let begin = host.health()?;
    thread::sleep(options.time);
    let calm = host.health()?;
    let done = attack(host, Instant::now() + options.time)?;
    let attacked = host.health()?;
    thread::sleep(RECOVERY);
    Ok((done, [begin, calm, attacked, host.health()?]))
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(
            f,
            "{:<42} {:>9}  on time % before, during, after  {:>7} {:>9}  playing  recovered",
            "attack", "done", "MB", "refused"
        )?;
        for row in &self.rows {
            let [before, during, after] = row.on_time_percent;
            let recovered = row.newcomer.filter(|_| row.has_recovered());
            let recovered = recovered.map_or("NO".into(), |newcomer| format!("yes, {} ms", newcomer.as_millis()));
            writeln!(
                f,
                "{:<42} {:>9}  {before:>12.1} {during:>8.1} {after:>8.1}  {:>7.1} {:>9}  {:>3}/{:<3}  {recovered}",
                row.attack,
                row.done,
                row.memory_bytes as f64 / MEGABYTE,
                row.refused,
                row.playing.0,
                row.playing.1
            )?;
        }
        Ok(())
    }
}
