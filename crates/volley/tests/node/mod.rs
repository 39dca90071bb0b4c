//! The real node as a process of the test's own, shared by the tests that need one.

#![allow(dead_code, reason = "each file of tests uses its part")]

pub mod player;

use std::{
    collections::BTreeMap,
    fs,
    io::{BufRead, BufReader},
    net::{IpAddr, Ipv4Addr},
    path::Path,
    process::{Child, Command, ExitStatus, Stdio},
    thread,
    time::{Duration, Instant},
};

use serde_json::Value;
use tempfile::TempDir;
use test_ports::Ports;
use ureq::{Agent, http};

pub const LOOPBACK: IpAddr = IpAddr::V4(Ipv4Addr::LOCALHOST);
/// Far more than anything takes; a slow machine should not fail a test.
pub const PATIENCE: Duration = Duration::from_secs(20);
/// Every door at a port that the system chooses.
const ANY_DOORS: [&str; 12] =
    ["--typeuh", "0", "--aecs", "0", "--snapshot", "0", "--rfc2020", "0", "--rfc53952", "0", "--http", "0"];
/// Enough for the lobbies of most tests.
const FEW_LOBBIES: u16 = 20;

/// What has `volley serve` open doors that nobody else has. The lobbies' ports are its own for as long as it lives.
pub struct FreePorts {
    pub arguments: Vec<String>,
    _lobbies: Ports,
}

impl FreePorts {
    /// With ports for this many lobbies.
    pub fn reserve(lobbies: u16) -> FreePorts {
        let lobbies = test_ports::reserve(lobbies);
        let range = lobbies.to_string();
        let arguments = ANY_DOORS.into_iter().chain(["--rfc2020-lobbies", &range]).map(str::to_owned).collect();
        FreePorts { arguments, _lobbies: lobbies }
    }
}

impl FreePorts {
    /// Every door at a port that the next node can have as well.
    pub fn fixed() -> FreePorts {
        let ports = test_ports::reserve(FEW_LOBBIES);
        let mut numbers = ports.range();
        let mut arguments: Vec<String> = Vec::new();
        for door in ANY_DOORS.iter().step_by(2) {
            let port = numbers.next().expect("a port for each door");
            arguments.extend([(*door).to_owned(), port.to_string()]);
        }
        arguments.extend(["--rfc2020-lobbies".to_owned(), format!("{}-{}", numbers.start(), numbers.end())]);
        FreePorts { arguments, _lobbies: ports }
    }
}

impl Default for FreePorts {
    fn default() -> FreePorts {
        FreePorts::reserve(FEW_LOBBIES)
    }
}

/// A node of the test's own, on free ports; it ends with the test.
pub struct Node {
    pub child: Child,
    pub ports: BTreeMap<String, u16>,
    /// The host's token, from the file that the node named.
    pub token: Option<String>,
    /// What it printed.
    pub printed: String,
    reserved: Option<FreePorts>,
}

impl Node {
    pub fn start(arguments: &[&str]) -> Node {
        Node::start_at(FreePorts::default(), arguments)
    }

    /// Starts it with room for as many lobbies as there are ports.
    pub fn start_at(free: FreePorts, arguments: &[&str]) -> Node {
        let mut command = Command::new(env!("CARGO_BIN_EXE_volley"));
        let node = Node::spawn(command.arg("serve").args(&free.arguments).args(["--seed", "42"]).args(arguments), free);
        assert_eq!(node.ports.len(), 6, "{:?}", node.ports);
        node
    }

    /// Starts it in a shell that prepares something for it.
    pub fn start_after(preparation: &str, arguments: &[&str]) -> Node {
        let free = FreePorts::default();
        let line = format!("{preparation}; exec \"$0\" serve \"$@\"");
        let mut command = Command::new("sh");
        command.args(["-c", &line, env!("CARGO_BIN_EXE_volley")]).args(&free.arguments).args(arguments);
        Node::spawn(&mut command, free)
    }

    /// Starts it with a command of the test's own, which uses these ports.
    pub fn spawn(command: &mut Command, reserved: FreePorts) -> Node {
        let mut child = command.stdout(Stdio::piped()).stderr(Stdio::null()).spawn().expect("volley starts");
        let stdout = BufReader::new(child.stdout.take().expect("its output"));
        let mut ports = BTreeMap::new();
        let (mut token, mut printed) = (None, String::new());
        for line in stdout.lines() {
            let line = line.expect("it says where it listens");
            printed += &format!("{line}\n");
            let mut words = line.split_whitespace();
            if let (Some(door), Some(Ok(port))) = (words.next(), words.next().map(str::parse)) {
                ports.insert(door.to_owned(), port);
            }
            if let Some(path) =
                line.trim_start().strip_prefix("admin").and_then(|rest| rest.trim().strip_prefix("token in "))
            {
                token = fs::read_to_string(path).ok().map(|token| token.trim().to_owned());
            }
            if ports.contains_key("http") {
                break;
            }
        }
        assert!(ports.contains_key("http"), "{ports:?}");
        Node { child, ports, token, printed, reserved: Some(reserved) }
    }

    /// The ports of a node that has ended, for the next one.
    pub fn take_ports(&mut self) -> FreePorts {
        self.reserved.take().expect("its ports")
    }

    pub fn get(&self, path: &str) -> (u16, String) {
        self.try_get(path).expect("HTTP answers")
    }

    pub fn try_get(&self, path: &str) -> Option<(u16, String)> {
        let request = http::Request::get(self.url(path)).body(()).expect("a request");
        answer(agent().run(request))
    }

    /// Asks as the host does.
    pub fn ask(&self, method: &str, path: &str, token: &str, body: &str) -> (u16, String) {
        let request = http::Request::builder().method(method).uri(self.url(path));
        let request = request.header("Authorization", format!("Bearer {token}"));
        let answered = match body {
            "" => agent().run(request.body(()).expect("a request")),
            _ => agent().run(request.body(body.to_owned()).expect("a request")),
        };
        answer(answered).expect("HTTP answers")
    }

    fn url(&self, path: &str) -> String {
        format!("http://{LOOPBACK}:{}{path}", self.ports["http"])
    }

    /// The lobbies that the API shows, once this many players are in them.
    pub fn lobbies(&self, players: usize) -> Vec<Value> {
        let mut lobbies = Vec::new();
        until(&format!("{players} players have a seat"), || {
            lobbies = self.lobbies_now();
            players == lobbies.iter().map(|lobby| lobby["players"].as_array().map_or(0, Vec::len)).sum::<usize>()
        });
        lobbies
    }

    /// The lobbies that the API shows now.
    pub fn lobbies_now(&self) -> Vec<Value> {
        let (status, body) = self.get("/api/lobbies");
        assert_eq!(status, 200);
        serde_json::from_str(&body).expect("an array")
    }

    pub fn signal(&self, name: &str) {
        let status = Command::new("sh").args(["-c", &format!("kill -s {name} {}", self.child.id())]).status();
        assert!(status.expect("kill runs").success());
    }
}

impl Drop for Node {
    fn drop(&mut self) {
        // It may have ended by itself, as one test wants.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// A client that keeps no connection, and to which every status is an answer.
fn agent() -> Agent {
    let config = Agent::config_builder().http_status_as_error(false).proxy(None).timeout_global(Some(PATIENCE));
    config.max_idle_connections(0).build().into()
}

fn answer(answered: Result<http::Response<ureq::Body>, ureq::Error>) -> Option<(u16, String)> {
    let mut answer = answered.ok()?;
    Some((answer.status().as_u16(), answer.body_mut().read_to_string().ok()?))
}

/// A folder of the test's own, which goes with it.
pub struct Folder(TempDir);

impl Folder {
    pub fn new() -> Folder {
        Folder(TempDir::new().expect("a new folder"))
    }

    pub fn path(&self) -> &Path {
        self.0.path()
    }

    pub fn text(&self) -> &str {
        self.path().to_str().expect("text")
    }

    pub fn file(&self, name: &str, text: &str) -> String {
        let path = self.path().join(name);
        fs::write(&path, text).expect("a file");
        path.to_str().expect("text").into()
    }
}

/// Waits until the node has ended by itself.
pub fn exit(node: &mut Node) -> ExitStatus {
    let mut status = None;
    until("it ends", || {
        status = node.child.try_wait().expect("it can be waited for");
        status.is_some()
    });
    status.expect("it has ended")
}

/// Waits until something holds.
pub fn until(what: &str, mut holds: impl FnMut() -> bool) {
    let began = Instant::now();
    while !holds() {
        assert!(began.elapsed() < PATIENCE, "not within {PATIENCE:?}: {what}");
        thread::sleep(Duration::from_millis(20));
    }
}

pub fn json(node: &Node, path: &str) -> Value {
    let (status, body) = node.get(path);
    assert_eq!(status, 200, "{path}: {body}");
    serde_json::from_str(&body).expect("JSON")
}

pub fn metric(node: &Node, name: &str) -> f64 {
    let (_, text) = node.get("/metrics");
    let line = text.lines().find(|line| line.starts_with(name)).unwrap_or_else(|| panic!("no {name} in {text}"));
    line.rsplit(' ').next().and_then(|value| value.parse().ok()).expect("a number")
}

/// How many datagrams of a dialect were dropped for a reason; the node reports only reasons that there were.
pub fn drops(node: &Node, dialect: &str, reason: &str) -> f64 {
    let name = format!("volley_drops_total{{dialect=\"{dialect}\",reason=\"{reason}\"}}");
    if node.get("/metrics").1.contains(&name) { metric(node, &name) } else { 0.0 }
}

pub fn is_refused(arguments: &[&str], parts: &[&str]) {
    let free = FreePorts::default();
    refused(Command::new(env!("CARGO_BIN_EXE_volley")).arg("serve").args(&free.arguments).args(arguments), parts);
}

/// Exit code 2, nothing on standard output, and one line on standard error with this in it, which is returned.
pub fn refused(command: &mut Command, parts: &[&str]) -> String {
    let output = command.output().expect("volley runs");
    let said = String::from_utf8(output.stderr).expect("text");
    assert_eq!((output.status.code(), said.lines().count()), (Some(2), 1), "{command:?}: {said}");
    assert!(output.stdout.is_empty());
    for part in parts {
        assert!(said.contains(part), "{command:?} says {said:?} without {part:?}");
    }
    said
}
