//! A node that only browsers come to, at a port that it can be started at again.

use std::{
    fs,
    path::PathBuf,
    process::{Child, Command, Stdio},
    thread,
    time::{Duration, Instant},
};

use serde_json::Value;
use tempfile::TempDir;
use test_ports::Ports;

use crate::browser::PATIENCE;

const DOORS: [&str; 5] = ["--typeuh", "--aecs", "--snapshot", "--rfc2020", "--rfc53952"];

/// A node of the test's own; it ends with the test.
pub struct Host {
    node: Child,
    port: Ports,
    /// Where it keeps its games.
    data: TempDir,
}

impl Host {
    /// A node at a port that nobody uses.
    pub fn start() -> Host {
        Host::start_in(TempDir::new().expect("a folder"))
    }

    fn start_in(data: TempDir) -> Host {
        let port = test_ports::reserve(1);
        let host = Host { node: start(port.first(), &data), port, data };
        host.wait("the node answers", || host.ask("/healthz").is_some());
        host
    }

    /// A node that records games, and has recorded these already.
    pub fn start_with_recordings(games: &[(&str, &[u8])]) -> Host {
        let data = TempDir::new().expect("a folder");
        let folder = recordings(&data);
        fs::create_dir(&folder).expect("a folder");
        for (game, file) in games {
            fs::write(folder.join(format!("{game}.vreplay")), file).expect("it is written");
        }
        Host::start_in(data)
    }

    /// Ends the node in the middle of everything, and starts another one in its place.
    pub fn restart(&mut self) {
        self.end();
        self.node = start(self.port.first(), &self.data);
        self.wait("the node answers again", || self.ask("/healthz").is_some());
    }

    /// Where it is, with this after the slash.
    pub fn page(&self, rest: &str) -> String {
        format!("http://localhost:{}/{rest}", self.port.first())
    }

    /// All lobbies, as the API shows them.
    pub fn lobbies(&self) -> Vec<Value> {
        let text = self.ask("/api/lobbies").expect("the API answers");
        serde_json::from_str(&text).expect("an array")
    }

    /// A table of high scores.
    pub fn scores(&self, query: &str) -> Vec<Value> {
        let text = self.ask(&format!("/api/scores?{query}")).expect("the API answers");
        serde_json::from_str(&text).expect("an array")
    }

    /// All players in all lobbies.
    pub fn players(&self) -> Vec<Value> {
        self.lobbies().iter().filter_map(|lobby| lobby["players"].as_array().cloned()).flatten().collect()
    }

    /// The lobbies and seats in which somebody plays.
    pub fn seats(&self) -> Vec<(Value, Value)> {
        let lobbies = self.lobbies();
        let seats = lobbies.iter().flat_map(|lobby| {
            let players = lobby["players"].as_array().cloned().unwrap_or_default();
            players.into_iter().map(|player| (lobby["id"].clone(), player["seat"].clone()))
        });
        seats.collect()
    }

    /// Whether all of its games are saved.
    pub fn has_saved(&self) -> bool {
        self.metric("volley_saved_lobbies") > 0.0
    }

    /// How often it has saved its games.
    pub fn saves(&self) -> f64 {
        self.metric("volley_saves_total")
    }

    /// A figure of the metrics page; 0 if it is not there.
    fn metric(&self, name: &str) -> f64 {
        let metrics = self.ask("/metrics").unwrap_or_default();
        let mut lines = metrics.lines().filter_map(|line| line.strip_prefix(name)?.strip_prefix(' '));
        lines.find_map(|value| value.trim().parse().ok()).unwrap_or(0.0)
    }

    /// Waits until this many have ships, and returns them.
    pub fn ships(&self, count: usize) -> Vec<Value> {
        let flying = || self.players().into_iter().filter(|player| player["x"].is_i64()).collect::<Vec<_>>();
        self.wait(&format!("{count} ships fly"), || flying().len() == count);
        flying()
    }

    /// Waits until it holds.
    pub fn wait(&self, what: &str, holds: impl FnMut() -> bool) {
        self.wait_at_most(PATIENCE, what, holds);
    }

    /// Waits until it holds, for as long as it may take at worst.
    pub fn wait_at_most(&self, patience: Duration, what: &str, mut holds: impl FnMut() -> bool) {
        let began = Instant::now();
        while !holds() {
            let lobbies = self.ask("/api/lobbies");
            assert!(began.elapsed() < patience, "not within {patience:?}: {what}; the lobbies are {lobbies:?}");
            thread::sleep(Duration::from_millis(50));
        }
    }

    fn ask(&self, path: &str) -> Option<String> {
        let url = format!("http://127.0.0.1:{}{path}", self.port.first());
        ureq::get(&url).call().ok()?.body_mut().read_to_string().ok()
    }

    fn end(&mut self) {
        self.node.kill().expect("it can be ended");
        self.node.wait().expect("it ends");
    }
}

impl Drop for Host {
    fn drop(&mut self) {
        self.end();
    }
}

/// Where it records games, if it does.
fn recordings(data: &TempDir) -> PathBuf {
    data.path().join("games")
}

fn start(port: u16, data: &TempDir) -> Child {
    let mut volley = Command::new(env!("CARGO_BIN_EXE_volley"));
    volley.args(["serve", "--seed", "42", "--http", &port.to_string()]);
    volley.arg("--data").arg(data.path());
    if recordings(data).exists() {
        volley.arg("--record").arg(recordings(data));
    }
    DOORS.iter().for_each(|door| {
        volley.args([door, "off"]);
    });
    volley.stdout(Stdio::null()).stderr(Stdio::null()).spawn().expect("volley starts")
}
