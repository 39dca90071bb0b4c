//! The node as its host meets it, over real sockets: what survives a restart, the host's part, how it ends, and what it
//! says about mistakes.

mod node;

use std::{
    fs,
    net::{IpAddr, Ipv6Addr, TcpListener, TcpStream, UdpSocket},
    path::Path,
    process::Command,
    thread,
    time::Duration,
};

use game::{Buttons, Input};
use protocol::{Dialect, Status};
use serde_json::Value;
use toolkit::connection::Connection;

use self::node::{
    Folder, FreePorts, LOOPBACK, Node, drops, exit, is_refused, json, metric, player::Player, refused, until,
};

#[test]
fn scores_survive_a_restart_with_the_data_directory() {
    let folder = Folder::new();
    let arguments = ["--data", folder.text()];
    let mut node = Node::start(&arguments);
    let mut player = Player::join(&node, Dialect::Snapshot);
    player.scores_on(&node);
    // The player is still there: the game is abandoned because the node ends.
    node.signal("INT");
    assert!(exit(&mut node).success());
    let node = Node::start(&arguments);
    let scores = json(&node, "/api/scores?stage=endless");
    assert!(scores[0]["score"].as_u64().is_some_and(|score| score > 0), "{scores}");
    assert_eq!(scores[0]["outcome"], "abandoned");
    assert_eq!(scores[0]["players"][0]["name"], "Ann");
    assert_eq!(scores[0]["players"][0]["dialect"], "snapshot");
    assert_eq!(json(&node, "/api/matches").as_array().map(Vec::len), Some(1));
}

#[test]
fn a_game_that_everybody_left_is_in_the_history_at_once() {
    let node = Node::start(&[]);
    let mut player = Player::join(&node, Dialect::Typeuh);
    player.scores();
    drop(player);
    until("it is recorded", || json(&node, "/api/matches")[0]["outcome"] == "abandoned");
}

#[test]
fn a_disk_that_cannot_be_written_costs_the_scores_and_never_the_game() {
    let folder = Folder::new();
    folder.file("volley.sqlite", &"this is no database ".repeat(500));
    let arguments = ["--data", folder.text()];
    let mut node = Node::start(&arguments);
    until("the fault is counted", || metric(&node, "volley_archive_errors_total") > 0.0);
    assert_eq!(node.get("/api/scores").0, 503);
    let mut player = Player::join(&node, Dialect::Typeuh);
    player.scores();
    assert_eq!(node.get("/healthz").0, 200);
    // What was there is left as it is, for whoever wants to mend it.
    assert!(fs::read_to_string(folder.path().join("volley.sqlite")).is_ok_and(|text| text.starts_with("this is no")));
    fs::remove_file(folder.path().join("volley.sqlite")).expect("it can be removed");
    drop(player);
    until("scores are kept again", || node.get("/api/scores").1.contains("abandoned"));
    node.signal("INT");
    assert!(exit(&mut node).success());
}

#[test]
#[cfg(target_os = "linux")]
fn a_full_disk_costs_the_scores_and_never_the_game() {
    let folder = Folder::new();
    // Files may not grow beyond a few kilobytes: to SQLite that is a disk that takes no more.
    let node = Node::start_after("ulimit -f 4", &["--data", folder.text(), "--seed", "42"]);
    until("the fault is counted", || metric(&node, "volley_archive_errors_total") > 0.0);
    let mut player = Player::join(&node, Dialect::Typeuh);
    player.scores();
    assert_eq!(node.get("/healthz").0, 200);
}

#[test]
fn the_token_is_kept_and_opens_the_hosts_part() {
    let folder = Folder::new();
    let node = Node::start(&["--data", folder.text()]);
    let token = fs::read_to_string(folder.path().join("admin-token")).expect("a token").trim().to_owned();
    assert_eq!(node.token.as_ref(), Some(&token), "the node said where it is");
    assert_eq!(node.get("/admin/sessions").0, 401);
    assert_eq!(node.ask("GET", "/admin/sessions", "wrong", "").0, 401);
    assert!(metric(&node, "volley_admin_refused_total") >= 2.0);
    let mut player = Player::join(&node, Dialect::Typeuh);
    let (status, body) = node.ask("GET", "/admin/sessions", &token, "");
    let sessions: Value = serde_json::from_str(&body).expect("JSON");
    assert_eq!((status, &sessions[0]["dialect"]), (200, &Value::from("typeuh")), "{body}");
    let kick = format!("{{\"lobby\": {}, \"seat\": 0}}", sessions[0]["lobby"]);
    assert_eq!(node.ask("POST", "/admin/kick", &token, &kick).0, 204);
    node.lobbies(0);
    // The player plays on and comes back at once, and is turned away.
    let port = node.ports["typeuh"];
    let mut again = Connection::open(Dialect::Typeuh, (LOOPBACK, port), "Ann", None).expect("a socket");
    until("the node has turned them away", || {
        let _ = player.connection.turn(Input::holding(Buttons::FIRE));
        let _ = again.turn(Input::holding(Buttons::FIRE));
        drops(&node, "typeuh", "banned") >= 1.0
    });
    assert_ne!(again.status(), Status::Playing);
    assert!(node.lobbies_now().iter().all(|lobby| lobby["players"][0].is_null()), "{:?}", node.lobbies_now());
    drop(node);
    let node = Node::start(&["--data", folder.text()]);
    assert_eq!(node.token.as_ref(), Some(&token), "the same one");
    assert_eq!(node.ask("GET", "/admin/sessions", &token, "").0, 200);
}

#[test]
fn the_token_is_in_its_file_and_nowhere_else() {
    let folder = Folder::new();
    let (log, file) = (folder.path().join("log"), folder.path().join("admin-token"));
    for _ in 0..2 {
        let preparation = format!("exec 2>>{}; export RUST_LOG=trace", log.display());
        let mut node = Node::start_after(&preparation, &["--data", folder.text()]);
        assert!(node.printed.contains(&format!("token in {}", file.display())), "{}", node.printed);
        let token = node.token.clone().expect("a token");
        assert_eq!(node.ask("GET", "/admin/sessions", &token, "").0, 200);
        assert_eq!(node.ask("GET", "/admin/sessions", "wrong", "").0, 401);
        node.signal("INT");
        assert!(exit(&mut node).success());
        let logged = fs::read_to_string(&log).expect("a log");
        assert!(logged.contains("unauthenticated admin request"), "{logged}");
        assert!(!logged.contains(&token) && !node.printed.contains(&token), "{logged}");
    }
}

#[test]
fn without_a_data_directory_nobody_administers_a_node() {
    let node = Node::start(&[]);
    assert_eq!(node.token, None);
    let (status, body) = node.ask("GET", "/admin/sessions", "", "");
    assert!(status == 401 && body.contains("--data DIR"), "{body}");
}

#[test]
fn a_banned_player_is_thrown_out_not_answered_and_still_banned_after_a_restart() {
    let folder = Folder::new();
    let arguments = ["--data", folder.text()];
    let node = Node::start(&arguments);
    let token = node.token.clone().expect("a token");
    let _player = Player::join(&node, Dialect::Snapshot);
    assert_eq!(node.ask("POST", "/admin/bans", &token, "{\"range\": \"127.0.0.0/8\"}").0, 200);
    node.lobbies(0);
    drop(node);
    let node = Node::start(&arguments);
    assert_eq!(node.ask("GET", "/admin/bans", &token, "").1, "[\"127.0.0.0/8\"]");
    let port = node.ports["snapshot"];
    let mut stranger = Connection::open(Dialect::Snapshot, (LOOPBACK, port), "Ann", None).expect("a socket");
    until("the node has turned them away", || {
        let _ = stranger.turn(Input::IDLE);
        drops(&node, "snapshot", "banned") >= 2.0
    });
    let _ = stranger.turn(Input::IDLE);
    assert_eq!(stranger.status(), Status::Opening, "no answer");
    assert_eq!(node.ask("DELETE", "/admin/bans?range=127.0.0.0/8", &token, "").0, 200);
    Player::join(&node, Dialect::Snapshot);
}

#[test]
fn sigterm_lets_players_play_on_opens_no_lobby_and_ends_when_all_have_left() {
    let mut node = Node::start(&["--drain-seconds", "600"]);
    let mut players: Vec<Player> = (0..4).map(|_| Player::join(&node, Dialect::Typeuh)).collect();
    node.signal("TERM");
    until("it says so", || node.get("/healthz") == (503, "draining\n".into()));
    let port = node.ports["snapshot"];
    let mut late = Connection::open(Dialect::Snapshot, (LOOPBACK, port), "Bob", None).expect("a socket");
    until("the node has heard the fifth", || {
        let _ = late.turn(Input::IDLE);
        players.iter_mut().for_each(|player| drop(player.connection.turn(Input::IDLE)));
        metric(&node, "volley_datagrams_in_total{dialect=\"snapshot\"}") >= 1.0
    });
    assert_ne!(late.status(), Status::Playing, "a fifth would need a new lobby");
    assert!(players.iter().all(|player| player.connection.status() == Status::Playing));
    assert_eq!(node.lobbies(4).len(), 1);
    drop(players);
    assert!(exit(&mut node).success());
}

#[test]
fn sigterm_ends_it_at_the_deadline_with_goodbyes() {
    let mut node = Node::start(&["--drain-seconds", "1"]);
    let mut player = Player::join(&node, Dialect::Snapshot);
    node.signal("TERM");
    player.until("a goodbye", |connection| matches!(connection.status(), Status::Ended(_)));
    assert!(exit(&mut node).success());
}

#[test]
fn a_second_sigterm_ends_it_now() {
    let mut node = Node::start(&["--drain-seconds", "600"]);
    let _player = Player::join(&node, Dialect::Typeuh);
    node.signal("TERM");
    until("it drains", || node.get("/healthz").0 == 503);
    assert!(node.child.try_wait().expect("it can be asked").is_none());
    // Two within a hundredth of a second are one, so this pause is part of what is tested.
    thread::sleep(Duration::from_millis(50));
    node.signal("TERM");
    assert!(exit(&mut node).success());
}

#[test]
fn a_drain_of_the_hosts_ends_an_empty_node() {
    let folder = Folder::new();
    let mut node = Node::start(&["--data", folder.text()]);
    let token = node.token.clone().expect("a token");
    assert_eq!(node.ask("POST", "/admin/drain", &token, "").0, 202);
    assert!(exit(&mut node).success());
}

#[test]
fn one_address_of_ipv6_serves_both_families_over_http_too() {
    let node = Node::start(&["--bind", "::"]);
    let mut six = Player::join_at(IpAddr::V6(Ipv6Addr::LOCALHOST), &node, Dialect::Snapshot);
    let _four = Player::join(&node, Dialect::Typeuh);
    assert_eq!(node.lobbies(2).len(), 1, "they meet");
    assert!(TcpStream::connect((Ipv6Addr::LOCALHOST, node.ports["http"])).is_ok());
    six.until("the other's ship", |connection| {
        connection.frame().entities.iter().filter(|entity| entity.kind == game::Kind::Player).count() == 2
    });
}

#[test]
fn flags_win_over_the_file_and_the_file_over_defaults() {
    let (folder, free) = (Folder::new(), FreePorts::default());
    let file = folder
        .file("volley.toml", "typeuh = \"off\"\nhttp = 1\nstage = \"stage1\"\nadmin_token = \"a-token-of-my-own\"\n");
    let mut command = Command::new(env!("CARGO_BIN_EXE_volley"));
    // The file closes the first door, which no flag opens here.
    let flags = free.arguments.iter().skip_while(|flag| *flag != "--aecs");
    let node = Node::spawn(command.args(["serve", "--config", &file]).args(flags), free);
    assert!(!node.ports.contains_key("typeuh"), "{:?}", node.ports);
    assert_eq!(node.token, None);
    assert_eq!(node.ask("GET", "/admin/bans", "a-token-of-my-own", "").0, 200);
    let _player = Player::join(&node, Dialect::Snapshot);
    assert_eq!(node.lobbies(1)[0]["stage"], "stage1");
}

// Not even root can make a file there.
#[cfg(target_os = "linux")]
#[test]
fn a_data_directory_that_cannot_be_written_costs_the_scores_and_not_the_game() {
    let folder = Folder::new();
    let file = folder.file("volley.toml", "admin_token = \"a-token-of-my-own\"\n");
    let node = Node::start(&["--data", "/proc/self", "--config", &file]);
    let token = "a-token-of-my-own";
    let mut player = Player::join(&node, Dialect::Typeuh);
    player.scores();
    drop(player);
    until("the fault is counted", || metric(&node, "volley_archive_errors_total") > 0.0);
    assert_eq!(node.get("/healthz").0, 200);
    assert_eq!(node.get("/api/scores").0, 503);
    assert_eq!(node.ask("GET", "/admin/sessions", token, "").0, 200);
    let (status, banned) = node.ask("POST", "/admin/bans", token, "{\"range\": \"192.0.2.1\"}");
    assert!(status == 200 && banned.contains("\"kept\":false"), "{banned}");
}

#[test]
fn mistakes_of_the_host_are_one_line_and_exit_code_2() {
    let folder = Folder::new();
    let wrong = |text: &str| folder.file("wrong.toml", text);
    is_refused(&["--config", &wrong("lobbies = 5\nhtpp = 1\n")], &["wrong.toml:2: htpp", "unknown key", "http"]);
    is_refused(
        &["--config", &wrong("\n\nsnapshot = \"banana\"")],
        &["wrong.toml:3: snapshot", "banana", "expected a port"],
    );
    is_refused(&["--config", &wrong("lobbies = \n")], &["wrong.toml:1: "]);
    is_refused(&["--config", &wrong("admin_token = \"short\"")], &["admin_token", "16 characters"]);
    is_refused(&["--config", "no/such/file.toml"], &["no/such/file.toml", "check the path after --config"]);
    is_refused(&["--config", folder.text()], &[folder.text(), "it is a directory", "check the path after --config"]);
    let file = folder.file("a-file", "");
    is_refused(&["--data", &file], &["data directory", "a-file: it is a file", "--data DIR"]);
    is_refused(
        &["--data", Path::new("/proc/volley").to_str().expect("text")],
        &["data directory", "/proc/volley", "--data DIR"],
    );
    folder.file("bans.txt", "192.0.2.0/99\n");
    is_refused(&["--data", folder.text()], &["bans.txt:1:", "192.0.2.0/99"]);
    folder.file("bans.txt", "");
    folder.file("admin-token", "hunter2\n");
    is_refused(&["--data", folder.text()], &["admin-token: ", "16 characters", "remove the file"]);
    is_refused(&["--stage", "nowhere"], &["nowhere"]);
    is_refused(
        &["--stage", &folder.file("broken.tmx", "<map>\n<oops\n")],
        &["broken.tmx", "fix it in Tiled", "endless"],
    );
    let (free, mut chatty) = (FreePorts::default(), Command::new(env!("CARGO_BIN_EXE_volley")));
    chatty.arg("serve").args(free.arguments).env("RUST_LOG", "server=banana");
    refused(&mut chatty, &["RUST_LOG", "banana", "debug"]);
    is_refused(&["--drain-seconds=-1"], &["drain-seconds"]);
    // 192.0.2.0/24 and 2001:db8::/32 are for documents and belong to no machine.
    for foreign in ["192.0.2.1", "2001:db8::1"] {
        is_refused(&["--bind", foreign], &[foreign, "not an address of this machine", "--bind"]);
    }
    for of_many in ["224.0.0.1", "255.255.255.255", "127.255.255.255", "ff02::1", "fe80::1"] {
        is_refused(&["--bind", of_many], &[of_many, "--bind", "of this machine"]);
    }
    is_refused(&["--config", &wrong("bind = \"224.0.0.1\"")], &["wrong.toml:1: bind", "224.0.0.1"]);
    is_refused(&["--http", "-1"], &["--http", "-1", "expected a port", "see volley serve --help"]);
    let web_alone = ["--typeuh=off", "--aecs=off", "--snapshot=off", "--rfc2020=off", "--rfc53952=off"];
    is_refused(&[&["--bind", "192.0.2.1"], &web_alone[..]].concat(), &["192.0.2.1", "not an address of this machine"]);
    is_refused(&[&web_alone[..], &["--http=off"]].concat(), &["every door is off", "--http"]);
    let taken = TcpListener::bind((LOOPBACK, 0)).expect("a socket");
    let port = taken.local_addr().expect("its address").port().to_string();
    is_refused(&["--http", &port], &["http door", &port, "another program uses it", "--http PORT"]);
    is_refused(&["--aecs", &port], &["aecs", &port, "--aecs PORT"]);
    let taken = UdpSocket::bind((LOOPBACK, 0)).expect("a socket");
    let range = taken.local_addr().map(|at| format!("{}-{}", at.port(), at.port())).expect("its address");
    is_refused(&["--rfc2020-lobbies", &range], &["any UDP port", &range, "--rfc2020-lobbies FIRST-LAST"]);
}

/// What to do where a test of both families fails.
const NEEDS_IPV6: &str = "the tests need the loopback address of IPv6, ::1: turn IPv6 on for the loopback interface";

#[test]
fn another_program_at_the_other_loopback_address_is_a_port_in_use() {
    // Reserved, because a port that is free here may be another test's at the address that is tried first.
    let ports = test_ports::reserve(2);
    let tcp = TcpListener::bind((Ipv6Addr::LOCALHOST, ports.first())).expect(NEEDS_IPV6);
    let udp = UdpSocket::bind((Ipv6Addr::LOCALHOST, ports.first() + 1)).expect(NEEDS_IPV6);
    for (transport, at) in [("TCP", tcp.local_addr()), ("UDP", udp.local_addr())] {
        let port = at.expect("its address").port().to_string();
        let place = format!("{transport} port {port} of ::1");
        is_refused(&["--http", &port], &["http door", &place, "another program uses it", "--http PORT"]);
    }
}

#[test]
fn what_only_opening_the_node_finds_wrong_is_told_with_its_place_in_the_file() {
    let folder = Folder::new();
    let file = folder.file("a-file", "");
    let taken = UdpSocket::bind((LOOPBACK, 0)).expect("a socket");
    let port = taken.local_addr().expect("its address").port();
    let (lobbies, other) = (test_ports::reserve(20), test_ports::reserve(10));
    // Doors on the command line would win over the file's.
    let is_refused = |lines: &str, parts: &[&str]| {
        let doors = format!(
            "typeuh = 0\naecs = 0\nsnapshot = 0\nrfc2020 = 0\nrfc53952 = 0\nhttp = 0\nrfc2020-lobbies = \"{lobbies}\"\n"
        );
        let named: Vec<&str> = lines.lines().filter_map(|line| line.split(' ').next()).collect();
        let others = doors.lines().filter(|line| named.iter().all(|name| line.split(' ').next() != Some(name)));
        let path = folder.file("wrong.toml", &format!("# mine\n{lines}\n{}\n", others.collect::<Vec<_>>().join("\n")));
        refused(Command::new(env!("CARGO_BIN_EXE_volley")).args(["serve", "--config", &path]), parts);
    };
    is_refused("bind = \"192.0.2.1\"", &["wrong.toml:2: bind: ", "192.0.2.1 is not an address"]);
    is_refused("stage = \"nowhere\"", &["wrong.toml:2: stage: ", "nowhere", "endless"]);
    is_refused("stage = \"no/such.tmx\"", &["wrong.toml:2: stage: ", "no/such.tmx", "check the path"]);
    is_refused(&format!("data = {file:?}"), &["wrong.toml:2: data: ", "data directory", "a-file"]);
    is_refused("data = \"/proc/one\\ntwo\"", &["wrong.toml:2: data: ", "/proc/one two"]);
    is_refused(&format!("typeuh = {port}"), &["wrong.toml:2: typeuh: ", &port.to_string(), "--typeuh PORT"]);
    is_refused(&format!("http = {port}"), &["wrong.toml:2: http: ", &port.to_string(), "--http PORT"]);
    let free = other.first();
    is_refused(
        &format!("typeuh = {free}\nsnapshot = {free}"),
        &["wrong.toml:2: typeuh: ", "typeuh and snapshot", &free.to_string()],
    );
    is_refused(
        &format!("rfc2020-lobbies = \"{other}\"\nhttp = {free}"),
        &["wrong.toml:2: ", "http", &format!("UDP port {free}")],
    );
    is_refused("certificate = \"no/such.pem\"", &["wrong.toml:2: certificate: ", "--certificate-key FILE.pem"]);
    is_refused(
        "certificate = \"no/such.pem\"\ncertificate_key = \"no/such.key\"",
        &["wrong.toml:2: certificate: ", "cannot read", "no/such.pem"],
    );
    // What a flag replaced is not the file's mistake.
    let path = folder.file("replaced.toml", "stage = \"nowhere\"");
    let mut command = Command::new(env!("CARGO_BIN_EXE_volley"));
    let said = refused(command.args(["serve", "--config", &path, "--stage", "elsewhere"]), &["elsewhere"]);
    assert!(!said.contains("replaced.toml"), "{said}");
}

#[test]
fn slow_and_many_http_clients_do_not_keep_others_from_an_answer_or_from_the_game() {
    let node = Node::start(&[]);
    let port = node.ports["http"];
    // Too many connections that send nothing.
    let idlers: Vec<TcpStream> = (0..400).filter_map(|_| TcpStream::connect((LOOPBACK, port)).ok()).collect();
    let mut player = Player::join(&node, Dialect::Typeuh);
    player.scores();
    until("somebody else is answered", || node.try_get("/healthz").is_some());
    assert!(metric(&node, "volley_http_crowded_out_total") > 0.0);
    drop(idlers);
}
