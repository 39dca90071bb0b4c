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
    attacks::{self, Act, Attack, AttackOutcome, Needs, Target},
    ordinary_players::{self, OrdinaryPlayers},
};
use crate::node_process::{Health, NodeOptions, NodeProcess};

/// Players of each dialect who play all the time.
const HONEST_OF_EACH: usize = 2;
/// After an attack, before it is looked whether the node has recovered: silent strangers are gone by then.
const RECOVERY: Duration = Duration::from_secs(6);
/// How many ticks of a hundred forged first datagrams may cost more than the same load at a closed port.
const FLOOD_COSTS_MAX: f64 = 1.0;
/// The flood and the same load at a closed port take turns, so that whatever else the machine does meets both.
const FLOOD_TURN: Duration = Duration::from_millis(500);
/// Every node is started with these: loopback is limited as everybody is, but for the many who play from one address, and few
/// seats make it easy to be full.
const ARGUMENTS: [&str; 9] = [
    "--limit-loopback",
    "--joins-per-address",
    "1000",
    "--sessions-per-address",
    "1000",
    "--lobbies",
    "24",
    "--difficulty",
    "easy",
];
const LITTLE_MEMORY: [&str; 4] = ["--lobbies", "24", "--memory", "32M"];
/// What an attack may make the node keep while it lasts. Links alone may have twice as much together, but no attack has that many.
const MEMORY_DURING_MAX_BYTES: u64 = 256 << 20;
/// More than this afterwards is not the work of an allocator that keeps a little.
const MEMORY_GROWTH_MAX_BYTES: u64 = 32 << 20;
/// How many ticks of a hundred may be late that were not before: while an attack lasts, which takes its part of the same machine, and
/// afterwards.
const LATE_DURING_MAX: f64 = 50.0;
const LATE_AFTERWARDS_MAX: f64 = 20.0;
const MEGABYTE: f64 = 1_048_576.0;

/// What is to be done.
#[derive(Clone, Debug)]
pub struct Options {
    /// This program: the node is a process of it.
    pub program: PathBuf,
    /// How long each attack lasts, and how long the node is watched before it.
    pub time: Duration,
    /// Only attacks whose name has this in it.
    pub only: Option<String>,
    /// How many first datagrams are forged in a second. Fewer prove nothing.
    pub rate: u32,
}

/// What became of an attack.
#[derive(Clone, Debug)]
pub struct Row {
    pub attack: &'static str,
    /// How many things it did, or why it was left out.
    pub done: Result<u64, &'static str>,
    /// What the node did not do by others meanwhile, though it promises to.
    pub broken: Option<&'static str>,
    /// Ticks that began on time, of a hundred: before, during and after it.
    pub on_time_percent: [f64; 3],
    /// Whether the node itself was stopped or killed, so that nothing can be on time meanwhile.
    pub is_of_machine: bool,
    /// The memory of the node before, at the end of and after it.
    pub memory_bytes: [u64; 3],
    /// What the node refused.
    pub refused: u64,
    /// Ordinary players at its end, and how many there were.
    pub playing: (usize, usize),
    /// How long somebody new of every dialect then took to join, if they could.
    pub newcomers: Option<Duration>,
}

impl Row {
    /// Whether everybody still plays, somebody new of every dialect can, memory was bounded and came back, and nothing else was broken.
    pub fn has_recovered(&self) -> bool {
        let [before, during, after] = self.memory_bytes;
        let is_memory_bounded = during <= before + MEMORY_DURING_MAX_BYTES && after <= before + MEMORY_GROWTH_MAX_BYTES;
        let is_kept = self.playing.0 == self.playing.1 && self.newcomers.is_some() && self.broken.is_none();
        self.done.is_err() || is_kept && is_memory_bounded
    }

    /// Whether ticks were about as much on time as before it.
    pub fn is_on_time(&self) -> bool {
        let [before, during, after] = self.on_time_percent;
        let is_on_time_during = self.is_of_machine || during >= before - LATE_DURING_MAX;
        self.done.is_err() || is_on_time_during && after >= before - LATE_AFTERWARDS_MAX
    }
}

/// Forged first datagrams beside the same load at a closed port.
#[derive(Clone, Copy, Debug)]
pub struct Flood {
    pub on_time_percent: f64,
    pub on_time_percent_closed: f64,
    /// Datagrams in a second: those that were sent, and those that were meant to be.
    pub per_second: f64,
    pub rate: u32,
}

impl Flood {
    /// Whether it costs no more than it may.
    pub fn is_held(&self) -> bool {
        self.is_whole() && self.on_time_percent >= self.on_time_percent_closed - FLOOD_COSTS_MAX
    }

    /// Whether as many were sent as were meant to be.
    pub fn is_whole(&self) -> bool {
        self.per_second >= f64::from(self.rate)
    }
}

/// A table of all attacks.
#[derive(Clone, Debug, Default)]
pub struct Report {
    pub rows: Vec<Row>,
    pub flood: Option<Flood>,
    /// Whether ticks are judged as well: not if only some attacks were chosen, as tests do on a machine that is busy.
    pub judges_ticks: bool,
}

impl Report {
    /// Whether the node did what it promises.
    pub fn is_kept(&self) -> bool {
        let is_in_time = !self.judges_ticks || self.rows.iter().all(Row::is_on_time);
        is_in_time && self.rows.iter().all(Row::has_recovered) && self.flood.is_none_or(|flood| flood.is_held())
    }
}

const FLOOD: &str = "first datagrams from random addresses";

/// Attacks a node in every way. When `stop` is set it ends early, with what there is.
pub fn run(options: &Options, stop: &AtomicBool) -> anyhow::Result<Report> {
    let mut report = Report { judges_ticks: options.only.is_none(), ..Report::default() };
    let is_chosen = |name: &str| options.only.as_ref().is_none_or(|part| name.contains(part.as_str()));
    if is_chosen(FLOOD) {
        eprintln!("{FLOOD} …");
        flood(options, &mut report)?;
    }
    for attack in attacks::ALL.iter().filter(|attack| is_chosen(attack.name)) {
        if stop.load(Ordering::Relaxed) {
            break;
        }
        eprintln!("{} …", attack.name);
        report.rows.push(one(options, attack)?);
    }
    Ok(report)
}

fn one(options: &Options, attack: &Attack) -> anyhow::Result<Row> {
    let data = attack.needs.data()?;
    let arguments: &[&str] = if let Needs::LittleMemory = attack.needs { &LITTLE_MEMORY } else { &ARGUMENTS };
    let open_files = if let Needs::FewFiles(files) = attack.needs { Some(files) } else { None };
    let node_options = NodeOptions { arguments, data: data.as_ref(), open_files };
    let node = NodeProcess::start(&options.program, node_options, None)?;
    let ordinary = OrdinaryPlayers::join(&node, HONEST_OF_EACH)?;
    let mut target = Target { program: &options.program, options: node_options, node, ordinary: &ordinary };
    let begin = target.node.health()?;
    thread::sleep(options.time);
    let calm = target.node.health()?;
    let outcome = match attack.act {
        Act::Send(send) => send(&target, Instant::now() + options.time)?,
        Act::Machine(act) => act(&mut target)?,
    };
    let attacked = target.node.health()?;
    thread::sleep(RECOVERY);
    let watched = [begin, calm, attacked, target.node.health()?];
    let is_of_machine = matches!(attack.act, Act::Machine(_));
    Ok(Row { is_of_machine, ..row(attack.name, outcome, watched, &ordinary, &target.node) })
}

fn row(
    attack: &'static str,
    outcome: AttackOutcome,
    watched: [Health; 4],
    ordinary: &OrdinaryPlayers,
    node: &NodeProcess,
) -> Row {
    let [begin, calm, attacked, recovered] = watched;
    let on_time_percent =
        [calm.on_time_percent(begin), attacked.on_time_percent(calm), recovered.on_time_percent(attacked)];
    Row {
        attack,
        done: match outcome {
            AttackOutcome::Done(count) | AttackOutcome::Broken(count, _) => Ok(count),
            AttackOutcome::LeftOut(why) => Err(why),
        },
        broken: if let AttackOutcome::Broken(_, what) = outcome { Some(what) } else { None },
        on_time_percent,
        is_of_machine: false,
        memory_bytes: [calm, attacked, recovered].map(|health| health.memory_bytes),
        refused: attacked.refused_since(calm),
        playing: (ordinary.playing(), HONEST_OF_EACH * Dialect::ALL.len()),
        newcomers: ordinary_players::newcomers(node).ok(),
    }
}

/// Forged first datagrams by turns with the same at a closed port.
fn flood(options: &Options, report: &mut Report) -> anyhow::Result<()> {
    let node_options = NodeOptions { arguments: &ARGUMENTS, ..NodeOptions::default() };
    let node = NodeProcess::start(&options.program, node_options, None)?;
    let ordinary = OrdinaryPlayers::join(&node, HONEST_OF_EACH)?;
    let begin = node.health()?;
    thread::sleep(options.time);
    let calm = node.health()?;
    let (mut closed, mut open, mut sent) = ([0.0; 2], [0.0; 2], 0);
    let turns = (options.time.as_secs_f64() / FLOOD_TURN.as_secs_f64()).ceil() as u32;
    for _ in 0..turns {
        let before = node.health()?;
        attacks::closed_port(Instant::now() + FLOOD_TURN, options.rate)?;
        let between = node.health()?;
        sent += attacks::first_datagrams(&node, Instant::now() + FLOOD_TURN, options.rate)?;
        add(&mut closed, between, before);
        add(&mut open, node.health()?, between);
    }
    let attacked = node.health()?;
    thread::sleep(RECOVERY);
    let percent = |[on_time, ticks]: [f64; 2]| 100.0 * on_time / ticks.max(1.0);
    report.flood = Some(Flood {
        on_time_percent: percent(open),
        on_time_percent_closed: percent(closed),
        per_second: sent as f64 / (FLOOD_TURN * turns).as_secs_f64(),
        rate: options.rate,
    });
    let watched = [begin, calm, attacked, node.health()?];
    let mut row = row(FLOOD, AttackOutcome::Done(sent), watched, &ordinary, &node);
    row.on_time_percent[1] = percent(open);
    report.rows.push(row);
    Ok(())
}

/// Adds the ticks between two looks: those on time, and all that were due.
fn add(sum: &mut [f64; 2], now: Health, before: Health) {
    sum[0] += now.on_time - before.on_time;
    sum[1] += now.ticks - before.ticks + now.skipped - before.skipped;
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(
            f,
            "{:<38} {:>9}  {:>20}  {:>20}  {:>9} {:>7}  recovered",
            "", "", "ticks on time, %", "memory, MB", "", ""
        )?;
        let three = |[a, b, c]: [&str; 3]| format!("{a:>6} {b:>6} {c:>6}");
        let times = three(["before", "during", "after"]);
        writeln!(f, "{:<38} {:>9}  {times}  {times}  {:>9} {:>7}", "attack", "done", "refused", "playing")?;
        self.rows.iter().try_for_each(|row| row.fmt(f))?;
        for (row, what) in self.rows.iter().filter_map(|row| Some((row, row.broken?))) {
            writeln!(f, "{}: {what}", row.attack)?;
        }
        for row in self.rows.iter().filter(|row| self.judges_ticks && !row.is_on_time()) {
            writeln!(f, "{}: ticks were TOO LATE", row.attack)?;
        }
        if let Some(flood) = self.flood {
            let verdict = match (flood.is_whole(), flood.is_held()) {
                (false, _) => "TOO FEW to tell; --rate asks for fewer",
                (true, true) => "held",
                (true, false) => "NOT HELD",
            };
            writeln!(
                f,
                "first datagrams, {:.0} a second: {:.1} % of ticks on time, {:.1} % with the same load at a closed port: {verdict}",
                flood.per_second, flood.on_time_percent, flood.on_time_percent_closed
            )?;
        }
        Ok(())
    }
}

impl fmt::Display for Row {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let done = match self.done {
            Ok(done) => done,
            Err(why) => return writeln!(f, "{:<38} left out: {why}", self.attack),
        };
        let [before, during, after] = self.on_time_percent;
        let memory = self.memory_bytes.map(|bytes| bytes as f64 / MEGABYTE);
        let recovered = match self.newcomers.filter(|_| self.has_recovered()) {
            Some(newcomers) => format!("yes, {} ms", newcomers.as_millis()),
            None => "NO".into(),
        };
        writeln!(
            f,
            "{:<38} {done:>9}  {before:>6.1} {during:>6.1} {after:>6.1}  {:>6.1} {:>6.1} {:>6.1}  {:>9} {:>7}  {recovered}",
            self.attack,
            memory[0],
            memory[1],
            memory[2],
            self.refused,
            format!("{}/{}", self.playing.0, self.playing.1)
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MB: u64 = 1 << 20;

    fn row() -> Row {
        Row {
            attack: "noise",
            done: Ok(1),
            broken: None,
            on_time_percent: [99.0, 80.0, 98.0],
            is_of_machine: false,
            memory_bytes: [40 * MB, 60 * MB, 41 * MB],
            refused: 0,
            playing: (12, 12),
            newcomers: Some(Duration::from_millis(200)),
        }
    }

    fn is_kept(row: Row, judges_ticks: bool) -> bool {
        Report { rows: vec![row], flood: None, judges_ticks }.is_kept()
    }

    #[test]
    fn memory_is_judged_during_and_after_an_attack() {
        assert!(is_kept(row(), true));
        assert!(!is_kept(Row { memory_bytes: [40 * MB, 400 * MB, 41 * MB], ..row() }, false));
        assert!(!is_kept(Row { memory_bytes: [40 * MB, 60 * MB, 80 * MB], ..row() }, false));
    }

    #[test]
    fn ticks_are_judged_during_and_after_an_attack_unless_only_some_were_chosen() {
        for late in [[99.0, 40.0, 98.0], [99.0, 80.0, 70.0]] {
            let row = Row { on_time_percent: late, ..row() };
            assert!(is_kept(row.clone(), false) && !is_kept(row, true), "{late:?}");
        }
        let stopped = Row { on_time_percent: [99.0, 0.0, 98.0], is_of_machine: true, ..row() };
        assert!(is_kept(stopped, true), "nothing is on time while a node is stopped");
    }

    #[test]
    fn a_flood_of_fewer_datagrams_than_were_meant_to_be_sent_proves_nothing() {
        let flood = Flood { on_time_percent: 99.0, on_time_percent_closed: 99.5, per_second: 100_100.0, rate: 100_000 };
        assert!(flood.is_held());
        assert!(!Flood { per_second: 60_000.0, ..flood }.is_held());
        assert!(Flood { per_second: 60_000.0, rate: 50_000, ..flood }.is_held());
        assert!(!Flood { on_time_percent: 98.0, ..flood }.is_held());
    }

    #[test]
    fn a_promise_that_was_broken_is_told() {
        let row = Row { broken: Some("a player who was kicked plays nowhere"), ..row() };
        assert!(!is_kept(row.clone(), false));
        let report = Report { rows: vec![row], flood: None, judges_ticks: false };
        assert!(report.to_string().contains("noise: a player who was kicked plays nowhere"), "{report}");
    }

    #[test]
    fn an_attack_that_was_left_out_is_not_judged() {
        let left_out = Row { done: Err("needs root"), playing: (0, 12), newcomers: None, ..row() };
        assert!(is_kept(left_out, true));
    }
}
