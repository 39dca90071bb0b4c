//! A node of our own: a process of this same program with ports that the system chose, which a measurement may stop, kill and
//! start again, and what it says of itself.

use std::{
    collections::BTreeMap,
    fs,
    io::{BufRead, BufReader},
    net::{Ipv4Addr, SocketAddr},
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
    sync::atomic::{AtomicU32, Ordering},
};

use anyhow::Context;
use protocol::{Dialect, StreamUse};

use crate::capacity::{ENDS_WITH_PARENT, metrics::Metrics, process};

/// The door that comes last in the table that a node prints.
const HTTP: &str = "http";
/// UDP ports for lobbies that have their own: below those that systems give to clients.
const LOBBY_PORTS: &str = "20000-20499";
/// Runs a program that may have this many files open.
const WITH_FEW_FILES: &str = "ulimit -n \"$0\" && exec \"$@\"";
/// Counters of what a node refused, whatever it was.
const REFUSALS: [&str; 6] = [
    "volley_drops_total",
    "volley_links_refused_total",
    "volley_links_flooded_total",
    "volley_guesses_refused_total",
    "volley_admin_refused_total",
    "volley_http_crowded_out_total",
];

/// The ports of all doors, by name.
pub(crate) type Doors = BTreeMap<String, u16>;

/// How a node is started.
#[derive(Clone, Copy, Default)]
pub(crate) struct NodeOptions<'a> {
    /// Options of `volley serve` besides doors and data.
    pub arguments: &'a [&'a str],
    pub data: Option<&'a DataFolder>,
    /// How many files it may have open; none: as many as this process.
    pub open_files: Option<u32>,
}

/// A data directory that goes with the measurement.
pub(crate) struct DataFolder(PathBuf);

impl DataFolder {
    pub fn new() -> anyhow::Result<DataFolder> {
        static NEXT: AtomicU32 = AtomicU32::new(0);
        let name = format!("volley-bench-{}-{}", std::process::id(), NEXT.fetch_add(1, Ordering::Relaxed));
        let path = std::env::temp_dir().join(name);
        fs::create_dir_all(&path).with_context(|| format!("cannot create {}", path.display()))?;
        Ok(DataFolder(path))
    }

    pub fn path(&self) -> &Path {
        &self.0
    }
}

impl Drop for DataFolder {
    fn drop(&mut self) {
        // What is left of it is in the folder for temporary files.
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// A node. It is killed when it is dropped, without a chance to do anything about it.
pub(crate) struct NodeProcess {
    child: Child,
    doors: Doors,
}

/// How a node does at a moment.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Health {
    pub ticks: f64,
    /// Ticks that began less than a millisecond late.
    pub on_time: f64,
    pub skipped: f64,
    /// What it refused, whatever it was.
    pub refused: f64,
    pub memory_bytes: u64,
    pub open_files: usize,
    pub threads: usize,
}

impl NodeProcess {
    /// Starts a node, with any doors or with those that another one had, and returns when they are open.
    pub fn start(program: &Path, options: NodeOptions<'_>, doors: Option<&Doors>) -> anyhow::Result<NodeProcess> {
        let mut command = match options.open_files {
            None => Command::new(program),
            Some(files) => {
                let mut shell = Command::new("sh");
                shell.args(["-c", WITH_FEW_FILES, &files.to_string()]).arg(program);
                shell
            }
        };
        command.args([ENDS_WITH_PARENT, "serve", "--rfc2020-lobbies", LOBBY_PORTS]);
        for name in Dialect::with_ports().map(Dialect::name).chain([HTTP]) {
            let port = doors.and_then(|doors| doors.get(name)).copied().unwrap_or(0);
            command.arg(format!("--{name}")).arg(port.to_string());
        }
        if let Some(data) = options.data {
            command.arg("--data").arg(data.path());
        }
        command.args(options.arguments).stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null());
        let child = command.spawn().context("cannot start a node")?;
        let mut node = NodeProcess { child, doors: Doors::new() };
        node.read_doors()?;
        Ok(node)
    }

    fn read_doors(&mut self) -> anyhow::Result<()> {
        let printed = self.child.stdout.take().context("the node has no output")?;
        for line in BufReader::new(printed).lines() {
            let line = line?;
            let mut words = line.split_whitespace();
            if let (Some(door), Some(Ok(port))) = (words.next(), words.next().map(str::parse)) {
                self.doors.insert(door.to_owned(), port);
            }
            if self.doors.contains_key(HTTP) {
                return Ok(());
            }
        }
        anyhow::bail!("the node ended before its doors were open; try `volley serve` to see why")
    }

    pub fn doors(&self) -> &Doors {
        &self.doors
    }

    /// Where players of a dialect come to; those who come over links to HTTP.
    pub fn door(&self, dialect: Dialect) -> anyhow::Result<SocketAddr> {
        let is_link = matches!(dialect.entry().stream, StreamUse::Link(_));
        let name = if is_link { HTTP } else { dialect.name() };
        let port = self.doors.get(name).with_context(|| format!("the node has no door {name}"))?;
        Ok((Ipv4Addr::LOCALHOST, *port).into())
    }

    pub fn http(&self) -> anyhow::Result<SocketAddr> {
        self.door(Dialect::Volley)
    }

    /// What it answers to a GET.
    pub fn get(&self, path: &str) -> anyhow::Result<String> {
        let url = format!("http://{}{path}", self.http()?);
        // A node on this machine is never asked by way of a proxy, whatever the environment says.
        let request = ureq::get(&url).config().proxy(None).build();
        let answer = request.call().with_context(|| format!("cannot read {url}"))?.body_mut().read_to_string()?;
        Ok(answer)
    }

    /// The lobby and the seat of its only player.
    pub fn only_seat(&self) -> anyhow::Result<(String, u64)> {
        let text = self.get("/api/lobbies")?;
        let lobbies: serde_json::Value = serde_json::from_str(&text)?;
        let players = |lobby: &serde_json::Value| lobby["players"].as_array().cloned().unwrap_or_default();
        let seats = lobbies.as_array().into_iter().flatten().flat_map(|lobby| {
            let seat = |player: serde_json::Value| Some((lobby["id"].as_str()?.to_owned(), player["seat"].as_u64()?));
            players(lobby).into_iter().filter_map(seat)
        });
        let seats: Vec<(String, u64)> = seats.collect();
        anyhow::ensure!(seats.len() == 1, "expected exactly one player: {text}");
        Ok(seats[0].clone())
    }

    /// The tick of its only lobby.
    pub fn tick(&self) -> anyhow::Result<u32> {
        let text = self.get("/api/lobbies")?;
        let lobbies: serde_json::Value = serde_json::from_str(&text)?;
        let tick = lobbies[0]["tick"].as_u64().with_context(|| format!("no lobby: {text}"))?;
        Ok(u32::try_from(tick)?)
    }

    pub fn health(&self) -> anyhow::Result<Health> {
        let metrics = Metrics::ask(self.http()?.port())?;
        let sum = |name: &str, label: Option<(&str, &str)>| metrics.sum(name, label).unwrap_or(0.0);
        let folder = format!("/proc/{}", self.child.id());
        let count = |part: &str| fs::read_dir(format!("{folder}/{part}")).map(Iterator::count);
        Ok(Health {
            ticks: sum("volley_tick_lateness_seconds_count", None),
            on_time: sum("volley_tick_lateness_seconds_bucket", Some(("le", "0.001"))),
            skipped: sum("volley_ticks_skipped_total", None),
            refused: REFUSALS.iter().map(|name| sum(name, None)).sum(),
            memory_bytes: process::own_bytes(self.child.id())?,
            open_files: count("fd")?,
            threads: count("task")?,
        })
    }

    /// Ends it at once, as `kill -9` does.
    pub fn kill(&mut self) -> anyhow::Result<()> {
        self.child.kill().and_then(|()| self.child.wait()).context("cannot kill the node")?;
        Ok(())
    }

    /// Does not run it any more, as SIGSTOP does, or lets it go on.
    #[cfg(unix)]
    pub fn pause(&self, is_paused: bool) -> anyhow::Result<()> {
        use nix::{sys::signal, unistd::Pid};
        let signal = if is_paused { signal::Signal::SIGSTOP } else { signal::Signal::SIGCONT };
        signal::kill(Pid::from_raw(self.child.id() as i32), signal).context("cannot signal the node")
    }

    /// Elsewhere there is no way to stop a process.
    #[cfg(not(unix))]
    pub fn pause(&self, _is_paused: bool) -> anyhow::Result<()> {
        anyhow::bail!("this system cannot stop a process")
    }
}

impl Health {
    /// Of a hundred ticks since then, how many began on time. Ticks that were left out did not.
    pub fn on_time_percent(&self, since: Health) -> f64 {
        // Another process has counted from nothing.
        let since = if since.ticks > self.ticks { Health::default() } else { since };
        let ticks = self.ticks - since.ticks + self.skipped - since.skipped;
        100.0 * (self.on_time - since.on_time) / ticks.max(1.0)
    }

    /// What was refused since then.
    pub fn refused_since(&self, since: Health) -> u64 {
        (if since.refused > self.refused { self.refused } else { self.refused - since.refused }) as u64
    }
}

impl Drop for NodeProcess {
    fn drop(&mut self) {
        // It may have ended already; then there is nobody to end.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
