//! `volley bench soak`: players of every dialect come and go for a long time, and the node is watched: does anything grow?

use std::{
    fmt,
    path::PathBuf,
    sync::atomic::{AtomicBool, Ordering},
    thread,
    time::{Duration, Instant},
};

use game::{Buttons, Input};
use protocol::{Dialect, Status};

use super::host::{Health, Host};
use crate::connection::Connection;

/// Players at once.
const PLAYERS: usize = 48;
/// Each stays for so long, the shortest and the longest.
const STAYS: (u64, u64) = (2, 12);
const TICK: Duration = Duration::from_micros(16_667);
/// The first part of a run is for warming up: caches, buffers and the archive reach their size.
const WARM_UP: f64 = 0.25;
/// What may be added after that: allocators keep some.
const GROWTH_MAX_BYTES: u64 = 16 << 20;
const FILES_MORE_MAX: usize = 16;

/// What is to be done.
#[derive(Clone, Debug)]
pub struct Options {
    /// This program: the node is a process of it.
    pub program: PathBuf,
    pub time: Duration,
}

/// What became of the node.
#[derive(Clone, Debug)]
pub struct Report {
    pub seconds: u64,
    /// Sessions that came and went.
    pub sessions: u64,
    /// Those who could not join, or whose session ended before they left.
    pub failed: u64,
    pub on_time_percent: f64,
    /// After warming up, and at the end.
    pub memory_bytes: (u64, u64),
    pub open_files: (usize, usize),
    pub threads: (usize, usize),
}

impl Report {
    /// What is wrong, if anything is.
    pub fn complaints(&self) -> Vec<String> {
        let mut complaints = Vec::new();
        if self.memory_bytes.1 > self.memory_bytes.0 + GROWTH_MAX_BYTES {
            complaints.push(format!("memory grew from {} to {} bytes", self.memory_bytes.0, self.memory_bytes.1));
        }
        if self.open_files.1 > self.open_files.0 + FILES_MORE_MAX {
            complaints.push(format!("open files grew from {} to {}", self.open_files.0, self.open_files.1));
        }
        if self.threads.1 > self.threads.0 {
            complaints.push(format!("threads grew from {} to {}", self.threads.0, self.threads.1));
        }
        if self.failed * 100 > self.sessions {
            complaints.push(format!("{} of {} sessions failed", self.failed, self.sessions));
        }
        complaints
    }
}

struct Visitor {
    connection: Connection,
    leaves: Instant,
    has_played: bool,
}

/// Lets players come and go. When `stop` is set it ends early, with what there is.
pub fn run(options: &Options, stop: &AtomicBool) -> anyhow::Result<Report> {
    let host = Host::start(&options.program, &["--seats-per-address", "1000"])?;
    let (began, start) = (Instant::now(), host.health()?);
    let mut crowd = Crowd { host: &host, visitors: Vec::new(), came: 0, failed: 0 };
    let mut warm = None;
    while began.elapsed() < options.time && !stop.load(Ordering::Relaxed) {
        crowd.turn()?;
        if warm.is_none() && began.elapsed() >= options.time.mul_f64(WARM_UP) {
            warm = Some(host.health()?);
        }
        thread::sleep(TICK);
    }
    let (sessions, failed) = (crowd.came, crowd.failed);
    drop(crowd);
    let end = host.health()?;
    Ok(report(began.elapsed(), (sessions, failed), [start, warm.unwrap_or(start), end]))
}

fn report(time: Duration, (sessions, failed): (u64, u64), [start, warm, end]: [Health; 3]) -> Report {
    Report {
        seconds: time.as_secs(),
        sessions,
        failed,
        on_time_percent: end.on_time_percent(start),
        memory_bytes: (warm.memory_bytes, end.memory_bytes),
        open_files: (warm.open_files, end.open_files),
        threads: (warm.threads, end.threads),
    }
}

struct Crowd<'h> {
    host: &'h Host,
    visitors: Vec<Visitor>,
    came: u64,
    failed: u64,
}

impl Crowd<'_> {
    /// Everybody plays a tick; those whose time is over leave, and others come.
    fn turn(&mut self) -> anyhow::Result<()> {
        for visitor in &mut self.visitors {
            // What is wrong with it shows in its status.
            let _ = visitor.connection.turn(Input::holding(Buttons::FIRE));
            visitor.has_played |= visitor.connection.seat().is_some();
        }
        let (came, failed) = (self.came, &mut self.failed);
        self.visitors.retain_mut(|visitor| {
            let is_over = Instant::now() >= visitor.leaves;
            let is_lost = matches!(visitor.connection.status(), Status::Ended(_));
            *failed += u64::from(is_lost || is_over && !visitor.has_played);
            if is_over && !is_lost && came.is_multiple_of(2) {
                // Every other one says goodbye.
                visitor.connection.leave();
                let _ = visitor.connection.turn(Input::IDLE);
            }
            !is_over && !is_lost
        });
        if self.visitors.len() < PLAYERS {
            let next = self.next()?;
            self.visitors.push(next);
        }
        Ok(())
    }

    fn next(&mut self) -> anyhow::Result<Visitor> {
        let dialect = Dialect::ALL[self.came as usize % Dialect::ALL.len()];
        let stays = STAYS.0 + self.came * 7 % (STAYS.1 - STAYS.0);
        self.came += 1;
        let door = ([127, 0, 0, 1], self.host.door(dialect)?);
        let connection = Connection::open(dialect, door, "Soak", None)?;
        Ok(Visitor { connection, leaves: Instant::now() + Duration::from_secs(stays), has_played: false })
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{} sessions in {} s, {} failed", self.sessions, self.seconds, self.failed)?;
        writeln!(f, "ticks on time  {:.2} %", self.on_time_percent)?;
        writeln!(f, "memory         {} then {} bytes", self.memory_bytes.0, self.memory_bytes.1)?;
        writeln!(f, "open files     {} then {}", self.open_files.0, self.open_files.1)?;
        writeln!(f, "threads        {} then {}", self.threads.0, self.threads.1)?;
        match self.complaints() {
            complaints if complaints.is_empty() => writeln!(f, "verdict: nothing grows"),
            complaints => writeln!(f, "verdict: {}", complaints.join("; ")),
        }
    }
}
