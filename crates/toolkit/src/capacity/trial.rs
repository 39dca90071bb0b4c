//! One trial: the floor or the node with a number of players, watched for a while once all of them are there.

use std::{
    collections::BTreeMap,
    time::{Duration, Instant},
};

use anyhow::{Context, bail};
use protocol::{Dialect, StreamUse};
use serde::{Deserialize, Serialize};

use super::{
    Bench,
    floor::{Driven, INPUT_BYTES, STATE_BYTES, Served},
    metrics::Metrics,
    process,
    subprocess::Subprocess,
};

/// How long players may take to come, beside the time that a thousand a second takes.
const JOIN_PATIENCE: Duration = Duration::from_secs(15);
/// After the last one has come, before the watch begins.
const SETTLE: Duration = Duration::from_secs(1);
const GLANCE: Duration = Duration::from_millis(100);
/// With this share of a core the load is full: it has no time left for what comes at once.
const LOAD_IS_FULL: f64 = 0.9;
/// UDP ports for lobbies that have their own: below those that systems give to clients.
const LOBBY_PORTS: &str = "20000-29999";
/// The same games in every run.
const SEED: &str = "42";

/// What was seen in a trial.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct Figures {
    pub players: usize,
    /// CPU time of the process for each player and second, in microseconds.
    pub cpu_us_per_player_second: f64,
    /// CPU time of the process, in cores.
    pub cores: f64,
    /// Ticks that began less than a millisecond late, of a hundred.
    pub on_time_percent: f64,
    /// Bytes received from a player in a second, without headers.
    pub bytes_in_per_player_second: f64,
    /// Bytes sent to a player in a second, without headers.
    pub bytes_out_per_player_second: f64,
    /// How much the process grew in memory for each player, in bytes.
    pub memory_bytes_per_player: f64,
    /// CPU time of the load, in cores.
    pub load_cores: f64,
    /// CPU time of everything else on the machine, in cores.
    pub other_cores: f64,
    /// From a press to the Frame that shows it, in milliseconds: half took no longer. None for the floor.
    pub round_trip_p50_ms: Option<f64>,
    /// The same for ninety-nine of a hundred.
    pub round_trip_p99_ms: Option<f64>,
    /// Players who were there at the beginning of the watch and lost by its end, or never came.
    pub lost: usize,
}

impl Figures {
    /// Whether the load was too slow to say anything about what it was to load.
    pub fn is_load_full(&self) -> bool {
        self.load_cores >= LOAD_IS_FULL
    }

    /// What was seen on the way from one trial to another of the same.
    pub fn midway(self, other: Figures) -> Figures {
        let mean = |get: fn(&Figures) -> f64| f64::midpoint(get(&self), get(&other));
        Figures {
            cpu_us_per_player_second: mean(|figures| figures.cpu_us_per_player_second),
            cores: mean(|figures| figures.cores),
            on_time_percent: mean(|figures| figures.on_time_percent),
            bytes_in_per_player_second: mean(|figures| figures.bytes_in_per_player_second),
            bytes_out_per_player_second: mean(|figures| figures.bytes_out_per_player_second),
            memory_bytes_per_player: mean(|figures| figures.memory_bytes_per_player),
            load_cores: mean(|figures| figures.load_cores),
            other_cores: mean(|figures| figures.other_cores),
            lost: self.lost + other.lost,
            ..self
        }
    }

    /// Whether all is well with this many players.
    pub fn holds(&self) -> bool {
        self.on_time_percent >= super::ON_TIME_PERCENT && self.lost == 0
    }
}

/// What has been counted up to a moment.
#[derive(Clone, Copy)]
struct Count {
    at: Instant,
    cpu: Duration,
    load_cpu: Duration,
    machine: Duration,
    ticks: f64,
    on_time: f64,
    bytes_in: f64,
    bytes_out: f64,
}

impl Count {
    fn figures(self, end: Count, players: usize, memory: f64) -> Figures {
        let seconds = (end.at - self.at).as_secs_f64();
        let cores = |from: Duration, to: Duration| to.saturating_sub(from).as_secs_f64() / seconds;
        let each = |from: f64, to: f64| (to - from) / seconds / players as f64;
        let (mine, load) = (cores(self.cpu, end.cpu), cores(self.load_cpu, end.load_cpu));
        Figures {
            players,
            cpu_us_per_player_second: mine * 1e6 / players as f64,
            cores: mine,
            on_time_percent: 100.0 * (end.on_time - self.on_time) / (end.ticks - self.ticks).max(1.0),
            bytes_in_per_player_second: each(self.bytes_in, end.bytes_in),
            bytes_out_per_player_second: each(self.bytes_out, end.bytes_out),
            memory_bytes_per_player: memory / players as f64,
            load_cores: load,
            other_cores: (cores(self.machine, end.machine) - mine - load).max(0.0),
            round_trip_p50_ms: None,
            round_trip_p99_ms: None,
            lost: 0,
        }
    }
}

/// The bare loop with a number of players.
pub(super) fn floor(bench: &Bench<'_>, players: usize) -> anyhow::Result<Figures> {
    let mut floor = Subprocess::start(bench, "the floor", bench.measured_core(), ["bench", "floor"])?;
    let port = floor.line(bench)?;
    let small = process::own_bytes(floor.id())?;
    let count = players.to_string();
    let arguments = ["bench", "drive", "--port", &port, "--count", &count];
    let mut load = Subprocess::start(bench, "the floor's load", bench.load_core(), arguments)?;
    await_players(bench, players, || {
        load.is_alive()?;
        Ok(floor.ask::<Served>(bench)?.players)
    })?;
    bench.pause(SETTLE)?;
    let begin = count_floor(bench, &mut floor, &mut load)?;
    bench.pause(bench.options.time)?;
    let end = count_floor(bench, &mut floor, &mut load)?;
    let grown = process::own_bytes(floor.id())?.saturating_sub(small);
    Ok(begin.figures(end, players, grown as f64))
}

fn count_floor(bench: &Bench<'_>, floor: &mut Subprocess, load: &mut Subprocess) -> anyhow::Result<Count> {
    let served: Served = floor.ask(bench)?;
    let _alive: Driven = load.ask(bench)?;
    Ok(Count {
        at: Instant::now(),
        cpu: process::cpu_time(floor.id())?,
        load_cpu: process::cpu_time(load.id())?,
        machine: process::machine_time()?,
        ticks: served.phases as f64,
        on_time: served.on_time as f64,
        bytes_in: served.datagrams_in as f64 * INPUT_BYTES as f64,
        bytes_out: served.datagrams_out as f64 * STATE_BYTES as f64,
    })
}

/// The node with a number of bots.
pub(super) fn node(bench: &Bench<'_>, dialect: Dialect, players: usize) -> anyhow::Result<Figures> {
    let mut node = MeasuredNode::start(bench, dialect, players)?;
    let small = process::own_bytes(node.subprocess.id())?;
    let mut load = Subprocess::start(bench, "the bots", bench.load_core(), bots(bench, &node, players))?;
    let here = await_players(bench, players, || {
        load.is_alive()?;
        Ok(node.metrics()?.sum("volley_players", None).unwrap_or(0.0) as usize)
    })?;
    bench.pause(SETTLE)?;
    let begin = node.count(&load)?;
    bench.pause(bench.options.time)?;
    let end = node.count(&load)?;
    node.subprocess.is_alive()?;
    let grown = process::own_bytes(node.subprocess.id())?.saturating_sub(small);
    load.interrupt()?;
    let line = load.line(bench)?;
    let said: BotsReport = serde_json::from_str(&line).with_context(|| format!("the bots say {line:?}"))?;
    let trip = said.total.round_trip_ms;
    Ok(Figures {
        round_trip_p50_ms: trip.as_ref().map(|trip| trip.p50),
        round_trip_p99_ms: trip.as_ref().map(|trip| trip.p99),
        lost: said.total.lost + said.total.refused,
        ..begin.figures(end, here.max(1), grown as f64)
    })
}

/// What the bots report, as far as it matters here.
#[derive(Deserialize)]
struct BotsReport {
    total: BotsTotal,
}

#[derive(Deserialize)]
struct BotsTotal {
    lost: usize,
    refused: usize,
    round_trip_ms: Option<RoundTrip>,
}

#[derive(Deserialize)]
struct RoundTrip {
    p50: f64,
    p99: f64,
}

/// A node with one door, which may be that of HTTP, and HTTP.
struct MeasuredNode {
    subprocess: Subprocess,
    dialect: Dialect,
    door: u16,
    http: u16,
}

impl MeasuredNode {
    fn start(bench: &Bench<'_>, dialect: Dialect, players: usize) -> anyhow::Result<MeasuredNode> {
        let mut subprocess =
            Subprocess::start(bench, "the node", bench.measured_core(), serve(bench, dialect, players))?;
        let mut ports: BTreeMap<String, u16> = BTreeMap::new();
        while !ports.contains_key("http") {
            let line = subprocess.line(bench)?;
            let mut words = line.split_whitespace();
            if let (Some(name), Some(Ok(port))) = (words.next(), words.next().map(str::parse)) {
                ports.insert(name.to_owned(), port);
            }
        }
        let port = |name: &str| ports.get(name).copied().with_context(|| format!("the node has no {name} door"));
        Ok(MeasuredNode { subprocess, dialect, door: port(door_name(dialect))?, http: port("http")? })
    }

    fn metrics(&mut self) -> anyhow::Result<Metrics> {
        self.subprocess.is_alive()?;
        Metrics::ask(self.http)
    }

    fn count(&mut self, load: &Subprocess) -> anyhow::Result<Count> {
        let metrics = self.metrics()?;
        let told = |name: &str, label: Option<(&str, &str)>| {
            metrics.sum(name, label).with_context(|| format!("the node's metrics have no {name}"))
        };
        let spoken = Some(("dialect", self.dialect.name()));
        Ok(Count {
            at: Instant::now(),
            cpu: process::cpu_time(self.subprocess.id())?,
            load_cpu: process::cpu_time(load.id())?,
            machine: process::machine_time()?,
            ticks: told("volley_tick_lateness_seconds_count", None)?,
            on_time: told("volley_tick_lateness_seconds_bucket", Some(("le", "0.001")))?,
            bytes_in: told("volley_bytes_in_total", spoken)?,
            bytes_out: told("volley_bytes_out_total", spoken)?,
        })
    }
}

/// What the node calls the door of a dialect: one that comes over links has that of HTTP.
fn door_name(dialect: Dialect) -> &'static str {
    if matches!(dialect.entry().stream, StreamUse::Link(_)) { "http" } else { dialect.name() }
}

fn serve(bench: &Bench<'_>, dialect: Dialect, players: usize) -> Vec<String> {
    let mut arguments: Vec<String> = ["serve", "--shards", "1", "--http", "0", "--seed", SEED].map(String::from).into();
    arguments.extend(["--stage".into(), bench.options.stage.clone()]);
    arguments.extend(["--rfc2020-lobbies", LOBBY_PORTS].map(String::from));
    // Four to a lobby, and some to spare for those that are made and not filled.
    arguments.extend(["--lobbies".into(), (players / 2 + 16).to_string()]);
    // All of them come from this machine.
    arguments.extend(["--seats-per-address".into(), players.to_string()]);
    for door in Dialect::with_ports() {
        let port = if door == dialect { "0" } else { "off" };
        arguments.extend([format!("--{}", door.name()), port.into()]);
    }
    arguments
}

fn bots(bench: &Bench<'_>, node: &MeasuredNode, players: usize) -> Vec<String> {
    let name = node.dialect.name();
    let (own, count, port) = (format!("--{name}"), players.to_string(), node.door.to_string());
    let stage = &bench.stage_name;
    ["bots", "--dialect", name, "--count", &count, &own, &port, "--stage", stage, "--seed", "7", "--json"]
        .map(String::from)
        .into()
}

/// Waits until all have come; how many have, if they come no more.
fn await_players(
    bench: &Bench<'_>,
    players: usize,
    mut here: impl FnMut() -> anyhow::Result<usize>,
) -> anyhow::Result<usize> {
    let patience = JOIN_PATIENCE + Duration::from_millis(players as u64 * 2);
    let began = Instant::now();
    loop {
        let now = here()?;
        if now >= players || began.elapsed() >= patience {
            if now == 0 {
                bail!("nobody joined within {} s", patience.as_secs());
            }
            return Ok(now);
        }
        bench.pause(GLANCE)?;
    }
}
