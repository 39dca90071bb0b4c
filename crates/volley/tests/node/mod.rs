//! The real node as a process of the test's own, shared by the tests that need one.

use std::{
    collections::BTreeMap,
    io::{BufRead, BufReader, Read, Write},
    net::{IpAddr, Ipv4Addr, TcpStream},
    process::{Child, Command, Stdio},
    thread,
    time::{Duration, Instant},
};

use serde_json::Value;

pub const LOOPBACK: IpAddr = IpAddr::V4(Ipv4Addr::LOCALHOST);
/// Far more than anything takes; a slow machine should not fail a test.
pub const PATIENCE: Duration = Duration::from_secs(20);
pub const ANY_PORTS: [&str; 12] =
    ["--typeuh", "0", "--aecs", "0", "--snapshot", "0", "--rfc2020", "0", "--rfc53952", "0", "--http", "0"];

/// A node of the test's own, on free ports; it ends with the test.
pub struct Node {
    pub child: Child,
    pub ports: BTreeMap<String, u16>,
}

impl Node {
    pub fn start(arguments: &[&str]) -> Node {
        let mut child = Command::new(env!("CARGO_BIN_EXE_volley"))
            .arg("serve")
            .args(ANY_PORTS)
            .args(["--seed", "42"])
            .args(arguments)
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .expect("volley starts");
        let stdout = BufReader::new(child.stdout.take().expect("its output"));
        let mut ports = BTreeMap::new();
        for line in stdout.lines() {
            let line = line.expect("it says where it listens");
            let mut words = line.split_whitespace();
            if let (Some(door), Some(Ok(port))) = (words.next(), words.next().map(str::parse)) {
                ports.insert(door.to_owned(), port);
            }
            if ports.contains_key("http") {
                break;
            }
        }
        assert_eq!(ports.len(), 6, "{ports:?}");
        Node { child, ports }
    }

    pub fn get(&self, path: &str) -> (u16, String) {
        let mut stream = TcpStream::connect((LOOPBACK, self.ports["http"])).expect("HTTP answers");
        write!(stream, "GET {path} HTTP/1.0\r\n\r\n").expect("it takes a request");
        let mut answer = String::new();
        stream.read_to_string(&mut answer).expect("it answers");
        let status = answer.split(' ').nth(1).and_then(|status| status.parse().ok()).expect("a status");
        let body = answer.split_once("\r\n\r\n").expect("a body").1;
        (status, body.to_owned())
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
