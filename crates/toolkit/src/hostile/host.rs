//! The node that is attacked: a process of this same program, with ports of its own, and what it says of itself.

use std::{
    collections::BTreeMap,
    fs,
    io::{BufRead, BufReader},
    path::Path,
    process::{Child, Command, Stdio},
};

use anyhow::Context;
use protocol::{Dialect, StreamUse};

use crate::capacity::{ENDS_WITH_PARENT, metrics::Metrics, process};

/// UDP ports for lobbies that have their own: below those that systems give to clients.
const LOBBY_PORTS: &str = "20000-20499";

/// A node of our own.
pub(super) struct Host {
    child: Child,
    ports: BTreeMap<String, u16>,
}

/// How a node does at a moment.
#[derive(Clone, Copy, Debug)]
pub(super) struct Health {
    pub ticks: f64,
    /// Ticks that began less than a millisecond late.
    pub on_time: f64,
    pub skipped: f64,
    pub drops: f64,
    pub memory_bytes: u64,
    pub open_files: usize,
    pub threads: usize,
}

impl Host {
    pub fn start(program: &Path, arguments: &[&str]) -> anyhow::Result<Host> {
        let mut command = Command::new(program);
        command.arg(ENDS_WITH_PARENT).args(["serve", "--http", "0", "--rfc2020-lobbies", LOBBY_PORTS]);
        for dialect in Dialect::with_ports() {
            command.arg(format!("--{}", dialect.name())).arg("0");
        }
        command.args(arguments).stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null());
        let mut child = command.spawn().context("cannot start a node")?;
        let output = child.stdout.take().context("the node has no output")?;
        let mut host = Host { child, ports: BTreeMap::new() };
        for line in BufReader::new(output).lines() {
            let line = line?;
            let mut words = line.split_whitespace();
            if let (Some(name), Some(Ok(port))) = (words.next(), words.next().map(str::parse)) {
                host.ports.insert(name.to_owned(), port);
            }
            if host.ports.contains_key("http") {
                return Ok(host);
            }
        }
        anyhow::bail!("the node did not start; try `volley serve` to see why")
    }

    /// The port of a dialect's door; one that comes over links has that of HTTP.
    pub fn door(&self, dialect: Dialect) -> anyhow::Result<u16> {
        let is_link = matches!(dialect.entry().stream, StreamUse::Link(_));
        let name = if is_link { "http" } else { dialect.name() };
        self.ports.get(name).copied().with_context(|| format!("the node has no {name} door"))
    }

    pub fn http(&self) -> anyhow::Result<u16> {
        self.door(Dialect::Volley)
    }

    pub fn metrics(&self) -> anyhow::Result<Metrics> {
        Metrics::ask(self.http()?)
    }

    pub fn health(&self) -> anyhow::Result<Health> {
        let metrics = self.metrics()?;
        let sum = |name: &str, label: Option<(&str, &str)>| metrics.sum(name, label).unwrap_or(0.0);
        let folder = format!("/proc/{}", self.child.id());
        let count = |part: &str| fs::read_dir(format!("{folder}/{part}")).map(Iterator::count);
        Ok(Health {
            ticks: sum("volley_tick_lateness_seconds_count", None),
            on_time: sum("volley_tick_lateness_seconds_bucket", Some(("le", "0.001"))),
            skipped: sum("volley_ticks_skipped_total", None),
            drops: sum("volley_drops_total", None),
            memory_bytes: process::own_bytes(self.child.id())?,
            open_files: count("fd")?,
            threads: count("task")?,
        })
    }
}

impl Health {
    /// Of a hundred ticks since then, how many began on time. Ticks that were left out did not.
    pub fn on_time_percent(&self, since: Health) -> f64 {
        let ticks = self.ticks - since.ticks + self.skipped - since.skipped;
        100.0 * (self.on_time - since.on_time) / ticks.max(1.0)
    }
}

impl Drop for Host {
    fn drop(&mut self) {
        // It may have ended already; then there is nobody to end.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
