//! `volley bench capacity`: how many players a node holds and what one costs, beside the floor, in one run on one machine.
//!
//! `trial.rs` is one measurement, of the node or of the floor (`floor.rs`); `subprocess.rs` the processes that take part in it;
//! `search.rs` how the largest number is found; `report.rs` what is printed. Start reading at [`run`].

mod cores;
pub mod floor;
pub(crate) mod metrics;
pub(crate) mod process;
mod report;
mod search;
mod subprocess;
mod trial;

use std::{
    fmt,
    path::PathBuf,
    sync::atomic::{AtomicBool, Ordering},
    thread,
    time::{Duration, Instant},
};

use anyhow::Context;
use protocol::Dialect;

use self::{cores::Cores, search::Search};
pub use self::{
    report::{Largest, Limit, Report, Row},
    subprocess::{ENDS_WITH_PARENT, end_with_parent},
    trial::Figures,
};
use crate::{UserError, stages};

/// A number of players holds if this many ticks of a hundred begin on time.
pub const ON_TIME_PERCENT: f64 = 99.0;
/// How often a pause looks whether it should end.
const GLANCE: Duration = Duration::from_millis(20);

/// What is to be measured.
#[derive(Clone, Debug)]
pub struct Options {
    /// This program: the parts are processes of it.
    pub program: PathBuf,
    /// What players speak, one dialect after the other.
    pub dialects: Vec<Dialect>,
    /// How many there are, one number after the other.
    pub counts: Vec<usize>,
    /// What they play: a name that `volley stages` lists, or a file.
    pub stage: String,
    /// How long each is watched.
    pub time: Duration,
    /// The most that are tried in search of the largest number; 0: no search.
    pub most: usize,
}

struct Bench<'a> {
    options: &'a Options,
    stop: &'a AtomicBool,
    /// What the stage is called.
    stage_name: String,
    cores: Option<Cores>,
}

/// Measures. What is found on the way is printed on standard error. When `stop` is set it ends early, with what there is.
pub fn run(options: &Options, stop: &AtomicBool) -> anyhow::Result<Report> {
    if !cfg!(target_os = "linux") {
        return Err(UserError("capacity can only be measured on Linux: CPU time is read from /proc".into()).into());
    }
    let stage_name = stages::find(&options.stage)?.name.clone();
    let bench = Bench { options, stop, stage_name, cores: Cores::choose() };
    let mut report = Report {
        stage: options.stage.clone(),
        seconds: options.time.as_secs_f64(),
        is_pinned: bench.cores.is_some(),
        ..Report::default()
    };
    for &dialect in &options.dialects {
        match bench.measure(dialect, &mut report) {
            Err(error) if error.is::<Stopped>() => {
                report.is_cut_short = true;
                break;
            }
            measured => measured.with_context(|| dialect.name())?,
        }
    }
    Ok(report)
}

/// The run is to end.
#[derive(Debug)]
struct Stopped;

impl fmt::Display for Stopped {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("stopped")
    }
}

impl std::error::Error for Stopped {}

impl Bench<'_> {
    fn measure(&self, dialect: Dialect, report: &mut Report) -> anyhow::Result<()> {
        let first = report.rows.len();
        for &players in &self.options.counts {
            report.rows.push(self.row(dialect, players)?);
        }
        if self.options.most == 0 {
            return Ok(());
        }
        let rows = &report.rows[first..];
        let held = rows.iter().filter(|row| row.holds).map(|row| row.players).max();
        let failed = rows.iter().filter(|row| !row.holds).map(|row| row.players).min();
        let Some(held) = held.filter(|held| failed.is_none_or(|failed| *held < failed)) else {
            report.largest.push(Largest { dialect: dialect.name(), players: None, limit: Limit::Node });
            return Ok(());
        };
        let is_load_full = rows.iter().any(|row| row.players == held && row.is_load_full);
        let largest = self.search(dialect, Search::new(held, failed, self.options.most), is_load_full)?;
        report.rows.extend(largest.1);
        report.largest.push(largest.0);
        Ok(())
    }

    /// The largest number that holds, and its row if it is a new one.
    fn search(
        &self,
        dialect: Dialect,
        mut search: Search,
        mut is_load_full: bool,
    ) -> anyhow::Result<(Largest, Option<Row>)> {
        let mut best = None;
        while let Some(players) = search.next().filter(|_| !is_load_full) {
            let node = self.node(dialect, players)?;
            search.note(players, node.holds());
            if node.holds() {
                best = Some((players, node));
            }
            is_load_full = node.is_load_full() && node.holds();
        }
        let limit = match is_load_full {
            true => Limit::Load,
            false if search.has_failed() => Limit::Node,
            false => Limit::Most,
        };
        let players = Some(search.held());
        let row = match best {
            Some((players, node)) => Some(Row::new(dialect.name(), players, node, self.floor(players)?)),
            None => None,
        };
        Ok((Largest { dialect: dialect.name(), players, limit }, row))
    }

    /// The floor is measured right before the node and right after it: others may use the machine, more or less of it from
    /// minute to minute.
    fn row(&self, dialect: Dialect, players: usize) -> anyhow::Result<Row> {
        let before = self.floor(players)?;
        let node = self.node(dialect, players)?;
        Ok(Row::new(dialect.name(), players, node, before.midway(self.floor(players)?)))
    }

    fn floor(&self, players: usize) -> anyhow::Result<Figures> {
        let figures = trial::floor(self, players)?;
        tell("floor", &figures);
        Ok(figures)
    }

    fn node(&self, dialect: Dialect, players: usize) -> anyhow::Result<Figures> {
        let figures = trial::node(self, dialect, players)?;
        tell(dialect.name(), &figures);
        Ok(figures)
    }

    fn measured_core(&self) -> Option<usize> {
        self.cores.map(|cores| cores.measured)
    }

    fn load_core(&self) -> Option<usize> {
        self.cores.map(|cores| cores.load)
    }

    /// Fails once the run is to end.
    fn go_on(&self) -> Result<(), Stopped> {
        if self.stop.load(Ordering::Relaxed) { Err(Stopped) } else { Ok(()) }
    }

    fn pause(&self, time: Duration) -> Result<(), Stopped> {
        let began = Instant::now();
        loop {
            self.go_on()?;
            match time.checked_sub(began.elapsed()) {
                Some(left) if !left.is_zero() => thread::sleep(left.min(GLANCE)),
                _ => return Ok(()),
            }
        }
    }
}

fn tell(what: &str, figures: &Figures) {
    eprintln!(
        "{what}, {} players: {:.0} µs per player and second, {:.2} % on time, load {:.2} cores",
        figures.players, figures.cpu_us_per_player_second, figures.on_time_percent, figures.load_cores
    );
}
