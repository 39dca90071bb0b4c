//! The real node, killed as `kill -9` does and started again at the same ports: games go on over the same real sockets, in every
//! dialect, and a page's client comes back by itself (ruling C16).

mod node;

use std::{
    fs,
    process::Command,
    thread,
    time::{Duration, Instant},
};

use game::{Buttons, Input};
use protocol::{Dialect, Status};
use serde_json::Value;
use toolkit::connection::Connection;

use self::node::{Folder, FreePorts, LOOPBACK, Node, PATIENCE, exit, json, metric, player::Player, until};

/// A data directory, and ports that a node has each time that it is started.
struct Place {
    folder: Folder,
    free: Option<FreePorts>,
}

impl Place {
    fn new() -> Place {
        Place { folder: Folder::new(), free: Some(FreePorts::fixed()) }
    }

    fn start(&mut self, arguments: &[&str]) -> Node {
        let free = self.free.take().expect("one node at a time");
        let data = self.folder.text().to_owned();
        Node::start_at(free, &[&["--data", &data, "--drain-seconds", "0"], arguments].concat())
    }

    /// Takes the ports back from a node that has ended.
    fn free(&mut self, mut node: Node) {
        let _ = node.child.kill();
        node.child.wait().expect("it ends");
        self.free = Some(node.take_ports());
    }

    fn restart(&mut self, node: Node) -> Node {
        self.free(node);
        self.start(&[])
    }
}

fn only_lobby(node: &Node) -> Value {
    let lobbies = json(node, "/api/lobbies");
    assert_eq!(lobbies.as_array().map(Vec::len), Some(1), "{lobbies}");
    lobbies[0].clone()
}

fn tick(node: &Node) -> u64 {
    only_lobby(node)["tick"].as_u64().expect("a tick")
}

/// Lets somebody play for a while, whatever becomes of it.
fn play(connection: &mut Connection, time: Duration) {
    let began = Instant::now();
    while began.elapsed() < time {
        let held = if (began.elapsed().as_millis() / 100).is_multiple_of(2) { Buttons::UP } else { Buttons::FIRE };
        let _ = connection.turn(Input::holding(held));
        thread::sleep(Duration::from_millis(8));
    }
}

#[test]
fn c16_after_a_kill_clients_of_every_dialect_go_on_without_knowing() {
    for dialect in Dialect::with_ports() {
        let name = dialect.name();
        let mut place = Place::new();
        let node = place.start(&[]);
        let mut player = Player::join(&node, dialect);
        // More than one save is made of it.
        play(&mut player.connection, Duration::from_secs(3));
        until("it is saved", || metric(&node, "volley_saved_lobbies ") > 0.0);
        play(&mut player.connection, Duration::from_millis(1_500));
        let (before, seat) = (only_lobby(&node), player.connection.seat());
        let node = place.restart(node);
        assert_eq!(metric(&node, "volley_lobbies_restored_total"), 1.0, "{name}");
        let restored = only_lobby(&node);
        assert_eq!((&restored["id"], &restored["players"][0]["seat"]), (&before["id"], &before["players"][0]["seat"]));
        let stood = tick(&node);
        player.until("the game goes on", |_| tick(&node) > stood + 90);
        assert_eq!((player.connection.status(), player.connection.seat()), (Status::Playing, seat), "{name}");
        let after = only_lobby(&node);
        assert_eq!((&after["id"], after["players"].as_array().map(Vec::len)), (&before["id"], Some(1)), "{name}");
        player.until("a ship", |connection| {
            connection.seat().is_some_and(|seat| connection.frame().ship(seat).is_some())
        });
    }
}

#[test]
fn c16_a_pages_client_comes_back_to_its_seat_by_itself() {
    let output = bench(&["--dialects", "volley", "--seconds", "3", "--json"]);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let report: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    let row = &report["rows"][0];
    assert_eq!((&row["dialect"], &report["is_cut_short"]), (&"volley".into(), &false.into()));
    assert_eq!(row["is_same_seat"], true, "the lobby and the seat are those from before: {row}");
    assert!(row["standstill_seconds"].as_f64().is_some_and(|seconds| seconds > 0.0), "{row}");
    assert!(row["ticks_lost"].as_u64().is_some_and(|ticks| ticks < 600), "{row}");
}

fn bench(arguments: &[&str]) -> std::process::Output {
    Command::new(env!("CARGO_BIN_EXE_volley")).args(["bench", "restart"]).args(arguments).output().expect("it runs")
}

#[test]
fn the_bench_measures_a_documents_dialect_and_prints_a_table() {
    let output = bench(&["--dialects", "snapshot", "--seconds", "2"]);
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success() && text.lines().count() == 2, "{text}");
    assert!(text.lines().nth(1).is_some_and(|row| row.starts_with("snapshot") && !row.contains("not back")), "{text}");
}

#[test]
fn c16_a_polite_end_says_no_goodbye_to_those_who_cannot_know_and_loses_nothing() {
    let mut place = Place::new();
    let mut node = place.start(&[]);
    let mut player = Player::join(&node, Dialect::Snapshot);
    play(&mut player.connection, Duration::from_secs(1));
    let before = tick(&node);
    node.signal("TERM");
    assert_eq!(exit(&mut node).code(), Some(0));
    let node = place.restart(node);
    assert!(tick(&node) >= before, "it was saved when it ended");
    let stood = tick(&node);
    player.until("the game goes on", |_| tick(&node) > stood + 30);
    assert_eq!(player.connection.status(), Status::Playing);
}

#[test]
fn a_node_that_the_host_drained_leaves_nothing_to_go_on_with() {
    let mut place = Place::new();
    let mut node = place.start(&[]);
    let token = node.token.clone().expect("a token");
    let mut player = Player::join(&node, Dialect::Snapshot);
    until("it is saved", || metric(&node, "volley_saves_total") > 0.0);
    assert_eq!(node.ask("POST", "/admin/drain", &token, "").0, 202);
    node.signal("INT");
    player.until("a goodbye", |connection| matches!(connection.status(), Status::Ended(_)));
    assert_eq!(exit(&mut node).code(), Some(0));
    let left = fs::read_dir(place.folder.path()).expect("a folder");
    let names: Vec<String> = left.flatten().map(|entry| entry.file_name().to_string_lossy().into_owned()).collect();
    assert!(names.iter().all(|name| !name.ends_with(".saved")), "{names:?}");
}

#[test]
fn broken_saves_do_not_keep_a_node_from_starting() {
    let mut place = Place::new();
    let node = place.start(&[]);
    let mut player = Player::join(&node, Dialect::Typeuh);
    let file = |number| place.folder.path().join(format!("lobbies-{number}.saved"));
    let files = [file(0), file(1)];
    let mut began = Instant::now();
    while !files.iter().all(|file| file.exists()) {
        assert!(began.elapsed() < PATIENCE, "they are never written");
        play(&mut player.connection, Duration::from_millis(200));
    }
    #[cfg(unix)]
    for file in &files {
        use std::os::unix::fs::PermissionsExt;
        assert_eq!(fs::metadata(file).expect("a file").permissions().mode() & 0o777, 0o600, "tokens are in it");
    }
    place.free(node);
    for file in &files {
        let mut bytes = fs::read(file).expect("a file");
        let middle = bytes.len() / 2;
        bytes[middle] ^= 0x10;
        fs::write(file, bytes).expect("written");
    }
    let node = place.start(&[]);
    assert_eq!(json(&node, "/api/lobbies"), Value::Array(Vec::new()));
    place.free(node);
    files.iter().for_each(|file| fs::write(file, [0xff; 100_000]).expect("written"));
    let node = place.start(&[]);
    assert_eq!(json(&node, "/api/lobbies"), Value::Array(Vec::new()));
    began = Instant::now();
    let player = Connection::open(Dialect::Typeuh, (LOOPBACK, node.ports["typeuh"]), "Ann", None);
    let mut player = player.expect("it connects");
    while player.seat().is_none() {
        assert!(began.elapsed() < PATIENCE, "it plays as ever");
        play(&mut player, Duration::from_millis(100));
    }
}
