//! The real node as a process of the test's own, shared by the tests that need one.

#![allow(dead_code, reason = "each file of tests uses its part")]

pub mod player;

use std::{
    collections::BTreeMap,
    fs,
    io::{BufRead, BufReader, Read, Write},
    net::{IpAddr, Ipv4Addr, TcpStream},
    path::PathBuf,
    process::{Child, Command, ExitStatus, Stdio},
    thread,
    time::{Duration, Instant},
};

use serde_json::Value;

pub const LOOPBACK: IpAddr = IpAddr::V4(Ipv4Addr::LOCALHOST);
/// Far more than anything takes; a slow machine should not fail a test.
pub const PATIENCE: Duration = Duration::from_secs(20);
pub const ANY_PORTS: [&str; 14] = [
    "--typeuh",
    "0",
    "--aecs",
    "0",
    "--snapshot",
    "0",
    "--rfc2020",
    "0",
    "--rfc53952",
    "0",
    "--http",
    "0",
    // None of those that the system gives out, which a test may ask for by number.
    "--rfc2020-lobbies",
    "20100-20199",
];

/// A node of the test's own, on free ports; it ends with the test.
pub struct Node {
    pub child: Child,
    pub ports: BTreeMap<String, u16>,
    /// The host's token, if it was told.
    pub token: Option<String>,
}

impl Node {
    pub fn start(arguments: &[&str]) -> Node {
        let mut command = Command::new(env!("CARGO_BIN_EXE_volley"));
        let node = Node::spawn(command.arg("serve").args(ANY_PORTS).args(["--seed", "42"]).args(arguments));
        assert_eq!(node.ports.len(), 6, "{:?}", node.ports);
        node
    }

    /// Starts it with a command of the test's own.
    pub fn spawn(command: &mut Command) -> Node {
        let mut child = command.stdout(Stdio::piped()).stderr(Stdio::null()).spawn().expect("volley starts");
        let stdout = BufReader::new(child.stdout.take().expect("its output"));
        let mut ports = BTreeMap::new();
        let mut token = None;
        for line in stdout.lines() {
            let line = line.expect("it says where it listens");
            let mut words = line.split_whitespace();
            if let (Some(door), Some(Ok(port))) = (words.next(), words.next().map(str::parse)) {
                ports.insert(door.to_owned(), port);
            }
            if let Some(rest) = line.trim_start().strip_prefix("admin") {
                token = rest.split_whitespace().nth(1).map(str::to_owned);
            }
            if ports.contains_key("http") {
                break;
            }
        }
        assert!(ports.contains_key("http"), "{ports:?}");
        Node { child, ports, token }
    }

    pub fn get(&self, path: &str) -> (u16, String) {
        self.try_get(path).expect("HTTP answers")
    }

    pub fn try_get(&self, path: &str) -> Option<(u16, String)> {
        self.exchange(&format!("GET {path} HTTP/1.0\r\n\r\n"))
    }

    /// Asks as the host does.
    pub fn ask(&self, method: &str, path: &str, token: &str, body: &str) -> (u16, String) {
        let head = format!("{method} {path} HTTP/1.0\r\nAuthorization: Bearer {token}");
        self.exchange(&format!("{head}\r\nContent-Length: {}\r\n\r\n{body}", body.len())).expect("HTTP answers")
    }

    fn exchange(&self, request: &str) -> Option<(u16, String)> {
        let mut stream = TcpStream::connect((LOOPBACK, self.ports["http"])).ok()?;
        stream.write_all(request.as_bytes()).ok()?;
        let mut answer = String::new();
        stream.read_to_string(&mut answer).ok()?;
        let status = answer.split(' ').nth(1).and_then(|status| status.parse().ok())?;
        let body = answer.split_once("\r\n\r\n")?.1;
        Some((status, body.to_owned()))
    }

    /// The lobbies that the API shows, once they are as many as expected.
    pub fn lobbies(&self, count: usize) -> Vec<Value> {
        let began = Instant::now();
        loop {
            let (status, body) = self.get("/api/lobbies");
            assert_eq!(status, 200);
            let lobbies: Vec<Value> = serde_json::from_str(&body).expect("an array");
            let seats: usize = lobbies.iter().map(|lobby| lobby["players"].as_array().map_or(0, Vec::len)).sum();
            if seats == count {
                return lobbies;
            }
            assert!(began.elapsed() < PATIENCE, "{body}");
            thread::sleep(Duration::from_millis(50));
        }
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

/// A directory of the test's own, which goes with it.
pub struct Folder(pub PathBuf);

impl Folder {
    pub fn new(name: &str) -> Folder {
        let path = std::env::temp_dir().join(format!("volley-house-{name}-{}", std::process::id()));
        let _ = fs::remove_dir_all(&path);
        fs::create_dir(&path).expect("a new directory");
        Folder(path)
    }

    pub fn text(&self) -> &str {
        self.0.to_str().expect("text")
    }

    pub fn file(&self, name: &str, text: &str) -> String {
        let path = self.0.join(name);
        fs::write(&path, text).expect("a file");
        path.to_str().expect("text").into()
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

pub fn exit(node: &mut Node) -> ExitStatus {
    let began = Instant::now();
    loop {
        if let Some(status) = node.child.try_wait().expect("it can be waited for") {
            return status;
        }
        assert!(began.elapsed() < PATIENCE, "it goes on");
        thread::sleep(Duration::from_millis(20));
    }
}

pub fn until(what: &str, holds: impl Fn() -> bool) {
    let began = Instant::now();
    while !holds() {
        assert!(began.elapsed() < PATIENCE, "{what}");
        thread::sleep(Duration::from_millis(50));
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

pub fn is_refused(arguments: &[&str], parts: &[&str]) {
    refused(Command::new(env!("CARGO_BIN_EXE_volley")).arg("serve").args(ANY_PORTS).args(arguments), parts);
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
