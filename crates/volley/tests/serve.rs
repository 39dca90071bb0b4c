//! The real node over real sockets: every dialect alone and together, HTTP, and how it begins and ends.

mod node;

use std::{
    io::Read,
    net::{TcpStream, UdpSocket},
    process::Command,
    thread,
    time::{Duration, Instant},
};

use game::{Buttons, Input, Vec2};
use protocol::{Dialect, Status};
use toolkit::connection::Connection;

use self::node::{FreePorts, LOOPBACK, Node, PATIENCE, exit, refused};

/// Joins, and waits until the ship is to be seen.
fn join(node: &Node, dialect: Dialect, name: &str, lobby: Option<String>) -> Player {
    let port = node.ports[dialect.name()];
    let connection = Connection::open(dialect, (LOOPBACK, port), name, lobby).expect("it connects");
    let mut player = Player { connection };
    player.until(dialect.name(), |connection| {
        let seat = connection.seat();
        seat.is_some_and(|seat| connection.frame().ship(seat).is_some())
    });
    player
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
    for dialect in Dialect::with_ports() {
        let node = Node::start(&[]);
        let mut player = join(&node, dialect, "Ann", None);
        assert!(player.flies_right(), "{}", dialect.name());
        let before = node.lobbies(1)[0]["players"][0].clone();
        assert!(player.flies_right(), "{}", dialect.name());
        let lobbies = node.lobbies(1);
        let shown = &lobbies[0]["players"][0];
        assert_eq!(shown["dialect"], dialect.name());
        assert_eq!(shown["seat"], 0);
        assert!(shown["x"].as_i64() > before["x"].as_i64(), "{before} then {shown}");
        assert!((0..270).contains(&shown["y"].as_i64().expect("a height")), "{shown}");
        assert_eq!(shown["name"], if dialect == Dialect::Snapshot { "Ann" } else { "" });
        assert_eq!(lobbies[0]["stage"], "endless");
        assert_eq!(lobbies[0]["state"], "running");
        let (status, body) = node.get(&format!("/api/lobbies/{}", lobbies[0]["id"].as_str().expect("an id")));
        assert_eq!(status, 200, "{body}");
    }
}

#[test]
fn players_of_four_dialects_meet_in_one_lobby_and_a_fifth_asks_for_it_by_its_id() {
    let node = Node::start(&[]);
    let without_lobbies = [Dialect::Typeuh, Dialect::Aecs, Dialect::Snapshot];
    let mut players: Vec<Player> = without_lobbies.map(|dialect| join(&node, dialect, "", None)).into();
    let id = node.lobbies(3)[0]["id"].as_str().expect("an id").to_owned();
    players.push(join(&node, Dialect::Rfc2020, "", Some(id)));
    let fifth = join(&node, Dialect::Rfc53952, "", None);
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
fn players_of_every_dialect_meet_in_one_lobby_though_three_shards_share_the_work() {
    let node = Node::start(&["--shards", "3"]);
    let first = [Dialect::Snapshot, Dialect::Rfc53952, Dialect::Aecs];
    let mut players: Vec<Player> = first.map(|dialect| join(&node, dialect, "", None)).into();
    let id = node.lobbies(3)[0]["id"].as_str().expect("an id").to_owned();
    players.push(join(&node, Dialect::Rfc2020, "", Some(id)));
    assert_eq!(node.lobbies(4).len(), 1);
    for player in &mut players {
        assert!(player.flies_right());
        player.until("all four ships", |connection| {
            connection.frame().entities.iter().filter(|entity| entity.kind == game::Kind::Player).count() == 4
        });
    }
    // Whichever shard hears of it: a player whose socket is closed is gone at once, and the seat is free for another.
    drop(players.remove(0));
    node.lobbies(3);
    let _fifth = join(&node, Dialect::Typeuh, "", None);
    assert_eq!(node.lobbies(4).len(), 1);
    let (_, metrics) = node.get("/metrics");
    assert!(metrics.contains("volley_shard_busy_seconds_total{shard=\"2\"}"), "{metrics}");
    assert!(metrics.contains("volley_tick_lateness_seconds_bucket{le=\"0.001\"}"), "{metrics}");
}

#[test]
fn health_and_metrics_are_told() {
    let node = Node::start(&[]);
    assert_eq!(node.get("/healthz"), (200, "ok\n".into()));
    assert_eq!(node.get("/api/lobbies/AAAAAA").0, 404);
    let _player = join(&node, Dialect::Snapshot, "Ann", None);
    node.lobbies(1);
    let (status, metrics) = node.get("/metrics");
    assert_eq!(status, 200);
    assert!(metrics.contains("volley_players{dialect=\"snapshot\"} 1"), "{metrics}");
    assert!(metrics.contains("volley_lobbies 1"), "{metrics}");
}

#[test]
fn noise_is_dropped_counted_and_not_answered() {
    let node = Node::start(&[]);
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
fn c6_a_player_whose_socket_is_closed_is_gone_after_a_second() {
    let node = Node::start(&[]);
    let stays = join(&node, Dialect::Typeuh, "", None);
    let goes = join(&node, Dialect::Snapshot, "Ann", None);
    node.lobbies(2);
    let closed = Instant::now();
    drop(goes);
    // Silence would take half a minute to end it.
    let lobbies = node.lobbies(1);
    assert!(closed.elapsed() >= Duration::from_secs(1), "what the system says is a hint");
    assert_eq!(lobbies[0]["players"][0]["dialect"], "typeuh");
    drop(stays);
}

#[test]
fn c6_a_player_whose_socket_is_closed_is_gone_after_a_second_though_others_of_the_door_play_on() {
    let node = Node::start(&["--shards", "1"]);
    let mut players: Vec<Player> = (0..4).map(|_| join(&node, Dialect::Typeuh, "", None)).collect();
    // The node goes on sending through the same socket, to those that came later in the same tick. Silence would take
    // five minutes to end anybody.
    for left in (1..4).rev() {
        drop(players.remove(0));
        node.lobbies(left);
        assert!(players[0].flies_right());
    }
}

#[test]
fn a_client_that_only_listens_on_tcp_is_told_the_state() {
    let node = Node::start(&[]);
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
    let (free, mut command) = (FreePorts::default(), Command::new(env!("CARGO_BIN_EXE_volley")));
    command.arg("serve").args(&free.arguments).args(["--typeuh", &port]);
    refused(&mut command, &["typeuh", &port, "--typeuh PORT"]);
}

#[test]
fn sigterm_ends_it_at_once_and_well() {
    let mut node = Node::start(&[]);
    node.signal("TERM");
    assert!(exit(&mut node).success());
}
