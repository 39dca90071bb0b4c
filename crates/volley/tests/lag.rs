//! `volley lag` between the real node and real bots, in every dialect that has a port of its own, and its mistakes.

mod node;

use std::{
    io::{BufRead, BufReader, Read},
    net::{Ipv4Addr, UdpSocket},
    process::{Child, Command, Stdio},
    time::{Duration, Instant},
};

use protocol::Dialect;
use serde_json::Value;

use self::node::{Node, refused};

/// A running `volley lag`.
struct Lag {
    process: Child,
    port: u16,
}

impl Lag {
    fn start(to: u16, flags: &[&str]) -> Lag {
        let mut process = Command::new(env!("CARGO_BIN_EXE_volley"))
            .args(["lag", "--listen", "127.0.0.1:0", "--to", &format!("127.0.0.1:{to}"), "--seed", "7"])
            .args(flags)
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("volley runs");
        let stderr = process.stderr.take().expect("it was asked for");
        let mut line = String::new();
        let mut lines = BufReader::new(stderr);
        lines.read_line(&mut line).expect("it says where it listens");
        std::thread::spawn(move || std::io::copy(&mut lines, &mut std::io::sink()));
        let address = line.split([' ', ',']).find(|word| word.starts_with("127.0.0.1:")).expect("an address");
        let port = address.rsplit(':').next().and_then(|port| port.parse().ok()).expect("a port");
        Lag { process, port }
    }

    /// Ends it as Ctrl-C does, and returns its report.
    fn end(mut self) -> String {
        let pid = self.process.id().to_string();
        assert!(Command::new("kill").args(["-s", "INT", &pid]).status().expect("kill runs").success());
        let mut report = String::new();
        self.process.stdout.take().expect("it was asked for").read_to_string(&mut report).expect("text");
        assert!(self.process.wait().expect("it ends").success());
        report
    }
}

impl Drop for Lag {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

fn bots(node: &Node, dialect: Dialect, port: u16) -> Value {
    let mut command = Command::new(env!("CARGO_BIN_EXE_volley"));
    command.args(["bots", "--count", "2", "--seconds", "4", "--json", "--dialect", dialect.name()]);
    command.args([format!("--{}", dialect.name()), port.to_string()]);
    let output = command.stdin(Stdio::null()).output().expect("volley runs");
    let text = String::from_utf8_lossy(&output.stdout);
    serde_json::from_str(&text)
        .unwrap_or_else(|error| panic!("{error}: {text}{}{:?}", String::from_utf8_lossy(&output.stderr), node.ports))
}

/// Two bots, the second of whose `rfc2020` lobby is the first one's: its port is known only from what passes.
#[test]
fn bots_of_every_dialect_play_through_it_and_feel_its_delay() {
    for dialect in Dialect::with_ports() {
        let node = Node::start(&[]);
        let lag = Lag::start(node.ports[dialect.name()], &["--delay", "60ms", "--loss", "1%"]);
        let report = bots(&node, dialect, lag.port);
        let name = dialect.name();
        assert_eq!(report["total"]["joined"], 2, "{name}: {report}");
        assert_eq!(report["total"]["lost"], 0, "{name}: {report}");
        let joined_after = report["total"]["join_ms"]["min"].as_f64().expect("it was measured");
        // In `aecs` the server speaks first, so one way is enough.
        assert!(joined_after >= 60.0, "{name}: {joined_after} ms through 60 ms each way");
        let frames = report["total"]["frames_per_second"]["p50"].as_f64().expect("it was measured");
        assert!(frames > 10.0, "{name}: {frames} Frames a second");
        let told = lag.end();
        assert!(told.contains("own delay") && told.lines().any(|line| line.starts_with("down ")), "{told}");
    }
}

/// Sends numbered datagrams through it to an echo, and returns those that come back.
fn echoed(flags: &[&str], count: u8) -> Vec<u8> {
    let server = UdpSocket::bind((Ipv4Addr::LOCALHOST, 0)).expect("a socket");
    let lag = Lag::start(server.local_addr().expect("an address").port(), flags);
    let client = UdpSocket::bind((Ipv4Addr::LOCALHOST, 0)).expect("a socket");
    client.connect((Ipv4Addr::LOCALHOST, lag.port)).expect("it connects");
    for socket in [&server, &client] {
        socket.set_read_timeout(Some(Duration::from_millis(300))).expect("it can wait");
    }
    let mut buffer = [0; 16];
    for number in 0..count {
        client.send(&[number]).expect("it is sent");
    }
    while let Ok((size, from)) = server.recv_from(&mut buffer) {
        server.send_to(&buffer[..size], from).expect("it is sent");
    }
    let mut back = Vec::new();
    let deadline = Instant::now() + Duration::from_secs(10);
    while let Ok(size) = client.recv(&mut buffer) {
        back.push(buffer[0]);
        assert!(size == 1 && Instant::now() < deadline);
    }
    back
}

#[test]
fn one_seed_is_one_fate_for_the_same_datagrams() {
    let flags = ["--up-loss", "30%", "--up-duplicate", "10%"];
    let [first, second] = [echoed(&flags, 100), echoed(&flags, 100)];
    assert_eq!(first, second);
    let mut told = first.clone();
    told.dedup();
    assert!((50..90).contains(&told.len()) && first.len() > told.len(), "{first:?}");
    assert_eq!(echoed(&[], 100), (0..100).collect::<Vec<u8>>(), "without faults everything arrives in order");
}

#[test]
fn a_recording_has_a_line_for_each_message() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("lag.csv");
    let flags = ["--up-loss", "30%", "--record", path.to_str().expect("a name")];
    let server = UdpSocket::bind((Ipv4Addr::LOCALHOST, 0)).expect("a socket");
    let lag = Lag::start(server.local_addr().expect("an address").port(), &flags);
    let client = UdpSocket::bind((Ipv4Addr::LOCALHOST, 0)).expect("a socket");
    for _ in 0..50 {
        client.send_to(b"x", (Ipv4Addr::LOCALHOST, lag.port)).expect("it is sent");
    }
    server.set_read_timeout(Some(Duration::from_millis(500))).expect("it can wait");
    let mut arrived = 0;
    while server.recv(&mut [0; 16]).is_ok() {
        arrived += 1;
    }
    lag.end();
    let text = std::fs::read_to_string(path).expect("it was written");
    let lines: Vec<&str> = text.lines().skip(1).collect();
    assert_eq!(lines.len(), 50, "{text}");
    assert_eq!(lines.iter().filter(|line| line.contains(",arrives,")).count(), arrived);
    assert!(lines.iter().all(|line| line.contains(",up,datagram,1,29,")), "{text}");
}

#[test]
fn mistakes_are_one_line_and_exit_code_2() {
    let taken = UdpSocket::bind((Ipv4Addr::LOCALHOST, 0)).expect("a socket");
    let taken = taken.local_addr().expect("an address").to_string();
    for (arguments, part) in [
        (&["lag", "--to", "localhost:1", "--loss", "5"][..], "5%"),
        (&["lag", "--to", "localhost:1", "--preset", "moon"], "transatlantic"),
        (&["lag", "--to", "localhost"], "HOST:PORT"),
        (&["lag", "--to", "127.0.0.1:1", "--listen", &taken], "--listen"),
        (&["lag", "--delay", "1s"], "--to"),
    ] {
        refused(Command::new(env!("CARGO_BIN_EXE_volley")).args(arguments), &[part]);
    }
}
