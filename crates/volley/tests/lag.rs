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

/// A client and a server with `volley lag` between them.
struct Pair {
    server: UdpSocket,
    client: UdpSocket,
    _lag: Lag,
}

impl Pair {
    fn start(flags: &[&str]) -> Pair {
        let [server, client] = [0, 0].map(|port| UdpSocket::bind((Ipv4Addr::LOCALHOST, port)).expect("a socket"));
        let lag = Lag::start(server.local_addr().expect("an address").port(), flags);
        client.connect((Ipv4Addr::LOCALHOST, lag.port)).expect("it connects");
        Pair { server, client, _lag: lag }
    }

    /// Sends numbered datagrams of that size, this far apart, and returns what arrives at the server: number, time and port.
    fn send(&self, count: u16, size: usize, apart: Duration) -> Vec<(u16, Duration, u16)> {
        let (began, sender) = (Instant::now(), self.client.try_clone().expect("a handle"));
        let sending = std::thread::spawn(move || {
            for number in 0..count {
                let mut datagram = vec![0; size];
                datagram[..2].copy_from_slice(&number.to_le_bytes());
                sender.send(&datagram).expect("it is sent");
                std::thread::sleep(apart);
            }
        });
        let (mut arrived, mut buffer) = (Vec::new(), [0; 2048]);
        self.server.set_read_timeout(Some(Duration::from_millis(1500))).expect("it can wait");
        loop {
            match self.server.recv_from(&mut buffer) {
                Ok((_, from)) => {
                    arrived.push((u16::from_le_bytes([buffer[0], buffer[1]]), began.elapsed(), from.port()));
                }
                Err(_) if sending.is_finished() => break,
                // The machine is busy.
                Err(_) => {}
            }
        }
        sending.join().expect("it sends");
        arrived
    }
}

#[test]
fn a_client_that_is_rebound_has_another_port_and_is_still_answered() {
    let pair = Pair::start(&["--rebind", "500ms"]);
    let arrived = pair.send(150, 2, Duration::from_millis(10));
    assert_eq!(arrived.len(), 150);
    let mut ports: Vec<u16> = arrived.iter().map(|(.., port)| *port).collect();
    ports.dedup();
    let periods = arrived[149].1.as_millis() as usize / 500 + 1;
    assert!((2..=periods + 1).contains(&ports.len()), "{periods} periods: {ports:?}");
    pair.client.set_read_timeout(Some(Duration::from_millis(500))).expect("it can wait");
    // An answer to a port that was given up in between is lost.
    let is_answered = (0..5).any(|_| {
        pair.client.send(b"hello").expect("it is sent");
        let (_, from) = pair.server.recv_from(&mut [0; 16]).expect("it arrives");
        pair.server.send_to(b"hello", from).expect("it is sent");
        pair.client.recv(&mut [0; 16]).is_ok()
    });
    assert!(is_answered);
}

#[test]
fn nothing_passes_during_an_outage() {
    let arrived = Pair::start(&["--up-outage", "400ms/1s"]).send(200, 2, Duration::from_millis(10));
    let gaps = arrived.windows(2).map(|pair| pair[1].1 - pair[0].1);
    let longest = gaps.max().expect("some arrive");
    assert!(longest >= Duration::from_millis(390), "the longest gap is {longest:?}");
    assert!((60..180).contains(&arrived.len()), "{} of 200 arrive", arrived.len());
}

#[test]
fn a_slow_line_takes_its_time_and_drops_what_finds_no_room() {
    // 200 bytes with headers: 40 a second, and 20 may wait.
    let arrived = Pair::start(&["--up-rate", "64kbit", "--up-queue", "4KB"]).send(100, 172, Duration::ZERO);
    assert!((18..=60).contains(&arrived.len()), "{} of 100 arrive", arrived.len());
    let took = arrived.last().expect("some arrive").1;
    assert!(took >= Duration::from_millis(400), "all arrived after {took:?}");
    assert!(arrived.is_sorted_by_key(|(number, ..)| *number));
}

#[test]
fn datagrams_that_are_held_back_are_overtaken_and_not_lost() {
    let arrived = Pair::start(&["--up-reorder", "20%"]).send(200, 2, Duration::from_millis(2));
    let overtaken = arrived.windows(2).filter(|pair| pair[1].0 < pair[0].0).count();
    assert!((5..=80).contains(&overtaken), "{overtaken} of 200 came late");
    let mut numbers: Vec<u16> = arrived.iter().map(|(number, ..)| *number).collect();
    numbers.sort_unstable();
    assert_eq!(numbers, (0..200).collect::<Vec<u16>>());
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
        (&["lag", "--to", "localhost:1", "--burst", "4"], "--burst does nothing by itself; give --loss too"),
        (&["lag", "--to", "localhost:1", "--queue", "64KB"], "--queue does nothing by itself; give --rate too"),
    ] {
        refused(Command::new(env!("CARGO_BIN_EXE_volley")).args(arguments), &[part]);
    }
}
