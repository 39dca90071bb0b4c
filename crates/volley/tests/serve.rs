//! The real node over real sockets: every dialect alone and together, HTTP, and how it begins and ends.

use std::{
    collections::BTreeMap,
    io::{BufRead, BufReader, Read, Write},
    net::{IpAddr, Ipv4Addr, TcpStream, UdpSocket},
    process::{Child, Command, Stdio},
    thread,
    time::{Duration, Instant},
};

use game::{Buttons, Input, Vec2};
use protocol::{Dialect, Status};
use serde_json::Value;
use toolkit::connection::Connection;

const LOOPBACK: IpAddr = IpAddr::V4(Ipv4Addr::LOCALHOST);
/// Far more than anything takes; a slow machine should not fail a test.
const PATIENCE: Duration = Duration::from_secs(20);
const ANY_PORTS: [&str; 12] =
    ["--typeuh", "0", "--aecs", "0", "--snapshot", "0", "--rfc2020", "0", "--rfc53952", "0", "--http", "0"];

/// A node of the test's own, on free ports; it ends with the test.
struct Node {
    child: Child,
    ports: BTreeMap<String, u16>,
}

impl Node {
    fn start(arguments: &[&str]) -> Node {
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

    fn join(&self, dialect: Dialect, name: &str, lobby: Option<String>) -> Player {
        let port = self.ports[dialect.name()];
        let connection = Connection::open(dialect, LOOPBACK, port, name, lobby).expect("it connects");
        let mut player = Player { connection };
        player.until(dialect.name(), |connection| {
            let seat = connection.seat();
            seat.is_some_and(|seat| connection.frame().ship(seat).is_some())
        });
        player
    }

    fn get(&self, path: &str) -> (u16, String) {
        let mut stream = TcpStream::connect((LOOPBACK, self.ports["http"])).expect("HTTP answers");
        write!(stream, "GET {path} HTTP/1.0\r\n\r\n").expect("it takes a request");
        let mut answer = String::new();
        stream.read_to_string(&mut answer).expect("it answers");
        let status = answer.split(' ').nth(1).and_then(|status| status.parse().ok()).expect("a status");
        let body = answer.split_once("\r\n\r\n").expect("a body").1;
        (status, body.to_owned())
    }

    /// The lobbies that the API shows, once they are as many as expected.
    fn lobbies(&self, count: usize) -> Vec<Value> {
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

    fn signal(&self, name: &str) {
        let status = Command::new("kill").args(["-s", name, &self.child.id().to_string()]).status();
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

struct Player {
    connection: Connection,
}

impl Player {
    fn turn(&mut self, held: Buttons) {
        self.connection.turn(Input::holding(held)).expect("the loopback works");
        thread::sleep(Duration::from_millis(16));
    }

    fn until(&mut self, what: &str, holds: impl Fn(&Connection) -> bool) {
        let began = Instant::now();
        while !holds(&self.connection) {
            assert!(began.elapsed() < PATIENCE, "{what}: {:?}", self.connection.status());
            self.turn(Buttons::NONE);
        }
    }

    fn position(&self) -> Vec2 {
        let seat = self.connection.seat().expect("a seat");
        self.connection.frame().ship(seat).expect("a ship").position
    }

    fn flies_right(&mut self) -> bool {
        let from = self.position();
        let began = Instant::now();
        while began.elapsed() < PATIENCE {
            self.turn(Buttons::RIGHT);
            if self.position().x > from.x + game::px(10) {
                return true;
            }
        }
        false
    }
}

#[test]
fn every_dialect_joins_flies_and_is_shown_by_the_api() {
    for dialect in Dialect::ALL {
        let node = Node::start(&["--rfc2020-lobbies", "43100-43199"]);
        let mut player = node.join(dialect, "Ann", None);
        assert!(player.flies_right(), "{}", dialect.name());
        let lobbies = node.lobbies(1);
        let shown = &lobbies[0]["players"][0];
        assert_eq!(shown["dialect"], dialect.name());
        assert_eq!(shown["seat"], 0);
        assert_eq!(shown["name"], if dialect == Dialect::Snapshot { "Ann" } else { "" });
        assert_eq!(lobbies[0]["stage"], "endless");
        assert_eq!(lobbies[0]["state"], "running");
        let (status, body) = node.get(&format!("/api/lobbies/{}", lobbies[0]["id"].as_str().expect("an id")));
        assert_eq!(status, 200, "{body}");
    }
}

#[test]
fn players_of_four_dialects_meet_in_one_lobby_and_a_fifth_asks_for_it_by_its_id() {
    let node = Node::start(&["--rfc2020-lobbies", "43200-43299"]);
    let without_lobbies = [Dialect::Typeuh, Dialect::Aecs, Dialect::Snapshot];
    let mut players: Vec<Player> = without_lobbies.map(|dialect| node.join(dialect, "", None)).into();
    let id = node.lobbies(3)[0]["id"].as_str().expect("an id").to_owned();
    players.push(node.join(Dialect::Rfc2020, "", Some(id)));
    let fifth = node.join(Dialect::Rfc53952, "", None);
    let lobbies = node.lobbies(5);
    assert_eq!(lobbies.len(), 2, "the fifth opened another lobby");
    assert_eq!(lobbies[0]["players"].as_array().map(Vec::len), Some(4));
    for player in &mut players {
        player.until("all four ships", |connection| {
            connection.frame().entities.iter().filter(|entity| entity.kind == game::Kind::Player).count() == 4
        });
    }
    assert_eq!(fifth.connection.status(), Status::Playing);
}

#[test]
fn health_and_metrics_are_told() {
    let node = Node::start(&["--rfc2020-lobbies", "43300-43399"]);
    assert_eq!(node.get("/healthz"), (200, "ok\n".into()));
    assert_eq!(node.get("/api/lobbies/AAAAAA").0, 404);
    let _player = node.join(Dialect::Snapshot, "Ann", None);
    node.lobbies(1);
    let (status, metrics) = node.get("/metrics");
    assert_eq!(status, 200);
    assert!(metrics.contains("volley_players{dialect=\"snapshot\"} 1"), "{metrics}");
    assert!(metrics.contains("volley_lobbies 1"), "{metrics}");
}

#[test]
fn noise_is_dropped_counted_and_not_answered() {
    let node = Node::start(&["--rfc2020-lobbies", "43400-43499"]);
    let socket = UdpSocket::bind((LOOPBACK, 0)).expect("a socket");
    socket.set_read_timeout(Some(Duration::from_millis(200))).expect("a time-out");
    for length in 0..64 {
        let noise = vec![0xee; length];
        for door in ["snapshot", "rfc53952", "aecs"] {
            socket.send_to(&noise, (LOOPBACK, node.ports[door])).expect("it can be sent");
        }
    }
    assert!(socket.recv(&mut [0; 2048]).is_err(), "noise was answered");
    let (_, metrics) = node.get("/metrics");
    assert!(metrics.contains("volley_drops_total{dialect=\"snapshot\",reason=\"unknown_type\"}"), "{metrics}");
    assert_eq!(node.get("/healthz").0, 200);
}

#[test]
fn c6_a_player_whose_socket_is_closed_is_gone_at_once() {
    let node = Node::start(&["--rfc2020-lobbies", "43600-43699"]);
    let stays = node.join(Dialect::Typeuh, "", None);
    let goes = node.join(Dialect::Snapshot, "Ann", None);
    node.lobbies(2);
    drop(goes);
    // Silence would take half a minute to end it.
    let lobbies = node.lobbies(1);
    assert_eq!(lobbies[0]["players"][0]["dialect"], "typeuh");
    drop(stays);
}

#[test]
fn a_client_that_only_listens_on_tcp_is_told_the_state() {
    let node = Node::start(&["--rfc2020-lobbies", "43700-43799"]);
    let mut stream = TcpStream::connect((LOOPBACK, node.ports["aecs"])).expect("it is accepted");
    stream.shutdown(std::net::Shutdown::Write).expect("half of it can be closed");
    let mut connected = Vec::new();
    stream.read_to_end(&mut connected).expect("it is answered and closed");
    assert_eq!(connected.get(2), Some(&0x80), "CONNECTED: {connected:02x?}");
}

#[test]
fn a_port_in_use_is_one_line_and_exit_code_2() {
    let taken = UdpSocket::bind((LOOPBACK, 0)).expect("a socket");
    let port = taken.local_addr().expect("its address").port().to_string();
    let output = Command::new(env!("CARGO_BIN_EXE_volley"))
        .arg("serve")
        .args(ANY_PORTS.map(|word| if word == "--typeuh" { "--aecs" } else { word }).iter().skip(2))
        .args(["--typeuh", &port])
        .output()
        .expect("volley runs");
    assert_eq!(output.status.code(), Some(2));
    let said = String::from_utf8_lossy(&output.stderr);
    assert_eq!(said.lines().count(), 1, "{said}");
    assert!(said.contains("typeuh") && said.contains(&port) && said.contains("--typeuh PORT"), "{said}");
}

#[test]
fn sigterm_ends_it_at_once_and_well() {
    let mut node = Node::start(&["--rfc2020-lobbies", "43500-43599"]);
    node.signal("TERM");
    let began = Instant::now();
    let status = loop {
        if let Some(status) = node.child.try_wait().expect("it can be waited for") {
            break status;
        }
        assert!(began.elapsed() < PATIENCE, "it goes on");
        thread::sleep(Duration::from_millis(20));
    };
    assert!(status.success());
}
