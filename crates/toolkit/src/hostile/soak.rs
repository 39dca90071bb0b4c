//! `volley bench soak`: players of every dialect come and go for a long time, and the node is watched: does anything grow?

use std::{
    collections::BTreeMap,
    fmt,
    path::PathBuf,
    sync::atomic::{AtomicBool, Ordering},
    thread,
    time::{Duration, Instant},
};

use game::{Buttons, Input};
use protocol::{Dialect, End, Status};

use crate::{
    connection::Connection,
    node_process::{DataFolder, Health, NodeOptions, NodeProcess},
};

/// Players at once.
const PLAYERS: usize = 48;
/// How long each stays: the shortest and the longest.
const STAYS: (u64, u64) = (2, 12);
const TICK: Duration = Duration::from_micros(16_667);
/// If a turn of the players takes longer than this, the machine had other things to do: that is not the node's fault.
const TURN_MAX: Duration = Duration::from_secs(1);
/// Sessions that are lost this soon after such a turn are lost because of it.
const AFTERMATH: Duration = Duration::from_secs(6);
/// Before anything is compared: an empty lobby is closed after half a minute, so that only then as many go as come.
const WARM_UP: Duration = Duration::from_secs(45);
/// How often the node is looked at.
const LOOK_EVERY: Duration = Duration::from_secs(1);
/// The first and the last part of what was seen are compared.
const PARTS: usize = 3;
/// What may be added between them: allocators keep some, and chance decides how many lobbies there are.
const GROWTH_MAX_BYTES: f64 = 16.0 * MEGABYTE;
const FILES_MORE_MAX: f64 = 16.0;
/// How many ticks of a hundred have to be on time.
const ON_TIME_MIN_PERCENT: f64 = 90.0;
const MEGABYTE: f64 = 1_048_576.0;

/// What is to be done.
#[derive(Clone, Debug)]
pub struct Options {
    /// This program: the node is a process of it.
    pub program: PathBuf,
    /// How long players come and go after warming up.
    pub time: Duration,
}

/// What became of the node.
#[derive(Clone, Debug)]
pub struct Report {
    pub seconds: u64,
    /// Sessions that came and went.
    pub sessions: u64,
    /// Those who could not join, or whose session ended before they left: how many of each dialect, and why.
    pub failed: BTreeMap<(&'static str, Failure), u64>,
    /// How long the players themselves stood still at most, because this machine had other things to do.
    pub longest_turn: Duration,
    pub on_time_percent: f64,
    /// Means in the first and in the last part of the time.
    pub memory_bytes: (f64, f64),
    pub open_files: (f64, f64),
    pub threads: (f64, f64),
}

/// Why a session failed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Failure {
    /// There was no seat until it was time to leave.
    NoSeat,
    /// Nobody listened at the node's port.
    Unreachable,
    /// The node's silence was too long for the client.
    NodeWasSilent,
    /// The node said that it has no room.
    Full,
    /// The node ended the session.
    EndedByNode,
    /// The players themselves stood still for longer than a node waits for them.
    StoodStill,
}

impl Failure {
    fn of(why: End) -> Failure {
        match why {
            End::TimedOut => Failure::NodeWasSilent,
            End::Unreachable => Failure::Unreachable,
            End::Full | End::LobbyFull => Failure::Full,
            _ => Failure::EndedByNode,
        }
    }

    fn text(self) -> &'static str {
        match self {
            Failure::NoSeat => "had no seat in time",
            Failure::Unreachable => "found nobody at the port",
            Failure::NodeWasSilent => "heard nothing for too long",
            Failure::Full => "found the node full",
            Failure::EndedByNode => "were ended by the node",
            Failure::StoodStill => "were lost when the players themselves stood still",
        }
    }
}

impl Report {
    /// Failures that the node has to answer for.
    fn failures(&self) -> u64 {
        self.failed.iter().filter(|((_, why), _)| *why != Failure::StoodStill).map(|(_, count)| count).sum()
    }

    /// What is wrong, if anything is.
    pub fn complaints(&self) -> Vec<String> {
        let mut complaints = Vec::new();
        if self.memory_bytes.1 > self.memory_bytes.0 + GROWTH_MAX_BYTES {
            complaints.push("memory grows".to_owned());
        }
        if self.open_files.1 > self.open_files.0 + FILES_MORE_MAX {
            complaints.push("open files grow".to_owned());
        }
        if self.threads.1 > self.threads.0 + 0.5 {
            complaints.push("threads grow".to_owned());
        }
        if self.failures() * 100 > self.sessions {
            complaints.push(format!("{} of {} sessions failed", self.failures(), self.sessions));
        }
        if self.on_time_percent < ON_TIME_MIN_PERCENT {
            complaints.push(format!("only {:.1} % of ticks were on time", self.on_time_percent));
        }
        complaints
    }
}

struct SoakPlayer {
    dialect: Dialect,
    connection: Connection,
    leaves: Instant,
    has_played: bool,
}

/// Lets players come and go. When `stop` is set it ends early, with what there is.
pub fn run(options: &Options, stop: &AtomicBool) -> anyhow::Result<Report> {
    // As a host would run it who keeps everything.
    let (data, recordings) = (DataFolder::new()?, DataFolder::new()?);
    let folder = recordings.path().display().to_string();
    let arguments = ["--seats-per-address", "1000", "--record", &folder];
    let node_options = NodeOptions { arguments: &arguments, data: Some(&data), ..NodeOptions::default() };
    let node = NodeProcess::start(&options.program, node_options, None)?;
    let mut crowd = Crowd { node: &node, visitors: Vec::new(), came: 0, failed: BTreeMap::new(), stood_still: None };
    let (began, mut seen, mut longest_turn) = (Instant::now(), Vec::new(), Duration::ZERO);
    let mut turned = Instant::now();
    while began.elapsed() < WARM_UP + options.time && !stop.load(Ordering::Relaxed) {
        let since = turned.elapsed();
        turned = Instant::now();
        longest_turn = longest_turn.max(since);
        if since > TURN_MAX {
            crowd.stand_still(since);
        }
        crowd.turn()?;
        if began.elapsed() >= WARM_UP + LOOK_EVERY * seen.len() as u32 {
            seen.push(node.health()?);
        }
        thread::sleep(TICK);
    }
    Ok(Report { longest_turn, ..report(began.elapsed(), &crowd, &seen) })
}

fn report(time: Duration, crowd: &Crowd<'_>, seen: &[Health]) -> Report {
    let part = seen.len().div_ceil(PARTS);
    let (first, last) = (&seen[..part], &seen[seen.len() - part..]);
    let mean =
        |seen: &[Health], figure: fn(&Health) -> f64| seen.iter().map(figure).sum::<f64>() / seen.len().max(1) as f64;
    let both = |figure| (mean(first, figure), mean(last, figure));
    let on_time_percent = match seen {
        [first, .., last] => last.on_time_percent(*first),
        _ => 0.0,
    };
    Report {
        seconds: time.as_secs(),
        sessions: crowd.came,
        failed: crowd.failed.clone(),
        longest_turn: Duration::ZERO,
        on_time_percent,
        memory_bytes: both(|health| health.memory_bytes as f64),
        open_files: both(|health| health.open_files as f64),
        threads: both(|health| health.threads as f64),
    }
}

struct Crowd<'n> {
    node: &'n NodeProcess,
    visitors: Vec<SoakPlayer>,
    came: u64,
    failed: BTreeMap<(&'static str, Failure), u64>,
    /// When the players last went on after a turn that was too long.
    stood_still: Option<Instant>,
}

impl Crowd<'_> {
    /// Nobody did anything for this long, which counts for nobody's stay.
    fn stand_still(&mut self, time: Duration) {
        self.stood_still = Some(Instant::now());
        self.visitors.iter_mut().for_each(|visitor| visitor.leaves += time);
    }

    /// Everybody plays a tick; those whose time is over leave, and others come.
    fn turn(&mut self) -> anyhow::Result<()> {
        for visitor in &mut self.visitors {
            // What is wrong with it shows in its status.
            let _ = visitor.connection.turn(Input::holding(Buttons::FIRE));
            visitor.has_played |= visitor.connection.seat().is_some();
        }
        let (came, failed) = (self.came, &mut self.failed);
        let is_aftermath = self.stood_still.is_some_and(|since| since.elapsed() < AFTERMATH);
        self.visitors.retain_mut(|visitor| {
            let is_over = Instant::now() >= visitor.leaves;
            let failure = match visitor.connection.status() {
                Status::Ended(why) => Some(Failure::of(why)),
                _ => (is_over && !visitor.has_played).then_some(Failure::NoSeat),
            };
            let is_lost = matches!(visitor.connection.status(), Status::Ended(_));
            if let Some(failure) = failure.map(|why| if is_aftermath { Failure::StoodStill } else { why }) {
                *failed.entry((visitor.dialect.name(), failure)).or_default() += 1;
            }
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

    fn next(&mut self) -> anyhow::Result<SoakPlayer> {
        let dialect = Dialect::ALL[self.came as usize % Dialect::ALL.len()];
        let stays = STAYS.0 + self.came * 7 % (STAYS.1 - STAYS.0);
        self.came += 1;
        let connection = Connection::open(dialect, self.node.door(dialect)?, "Soak", None)?;
        Ok(SoakPlayer { dialect, connection, leaves: Instant::now() + Duration::from_secs(stays), has_played: false })
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{} sessions in {} s, {} failed", self.sessions, self.seconds, self.failures())?;
        for ((dialect, failure), count) in &self.failed {
            writeln!(f, "  {count} of {dialect} {}", failure.text())?;
        }
        writeln!(f, "players' longest turn  {} ms", self.longest_turn.as_millis())?;
        writeln!(f, "ticks on time  {:.2} %", self.on_time_percent)?;
        writeln!(f, "               {:>8} {:>8}", "at first", "at last")?;
        let memory = (self.memory_bytes.0 / MEGABYTE, self.memory_bytes.1 / MEGABYTE);
        for (name, (first, last)) in
            [("memory, MB", memory), ("open files", self.open_files), ("threads", self.threads)]
        {
            writeln!(f, "{name:<14} {first:>8.1} {last:>8.1}")?;
        }
        match self.complaints() {
            complaints if complaints.is_empty() => writeln!(f, "verdict: nothing grows, and ticks are on time"),
            complaints => writeln!(f, "verdict: {}", complaints.join("; ")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn steady() -> Report {
        Report {
            seconds: 60,
            sessions: 100,
            failed: BTreeMap::new(),
            longest_turn: Duration::from_millis(20),
            on_time_percent: 99.0,
            memory_bytes: (1.0, 1.0),
            open_files: (9.0, 9.0),
            threads: (4.0, 4.0),
        }
    }

    #[test]
    fn late_ticks_are_complained_about() {
        assert!(steady().complaints().is_empty());
        assert_eq!(Report { on_time_percent: 60.0, ..steady() }.complaints(), ["only 60.0 % of ticks were on time"]);
    }

    #[test]
    fn failed_sessions_are_told_with_their_dialect_and_reason_and_complained_about_if_they_are_many() {
        let failed =
            |count| BTreeMap::from([(("aecs", Failure::of(End::TimedOut)), count), (("typeuh", Failure::NoSeat), 1)]);
        let few = Report { failed: failed(4), sessions: 1000, ..steady() };
        assert!(few.complaints().is_empty());
        let text = few.to_string();
        assert!(text.contains("1000 sessions in 60 s, 5 failed"), "{text}");
        assert!(text.contains("4 of aecs heard nothing for too long"), "{text}");
        assert!(text.contains("1 of typeuh had no seat in time"), "{text}");
        assert_eq!(Report { failed: failed(10), ..few.clone() }.complaints(), ["11 of 1000 sessions failed"]);
        let stood_still = Report { failed: BTreeMap::from([(("aecs", Failure::StoodStill), 500)]), ..few };
        assert!(stood_still.complaints().is_empty(), "not the node's fault");
        assert!(stood_still.to_string().contains("500 of aecs were lost when the players themselves stood still"));
    }
}
