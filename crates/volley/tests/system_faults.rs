//! The node when the system fails it, over real sockets: full disks, files that go, two nodes for one directory, and
//! signals that come in pairs.

mod node;

use std::{
    fs,
    io::{BufRead, BufReader, Read, Write},
    net::TcpStream,
    process::{Command, Stdio},
};

use protocol::{Dialect, Status};

use self::node::{
    Folder, FreePorts, LOOPBACK, Node, PATIENCE, exit, is_refused, json, metric, player::Player, refused, until,
};

fn matches(node: &Node) -> usize {
    json(node, "/api/matches").as_array().map_or(0, Vec::len)
}

/// Plays a game that is recorded when the node ends, at the latest.
fn play(node: &Node) -> Player {
    let mut player = Player::join(node, Dialect::Snapshot);
    player.scores_on(node);
    player
}

#[test]
fn an_interrupt_that_comes_twice_at_once_is_one_and_costs_no_score() {
    let folder = Folder::new();
    let arguments = ["--data", folder.text()];
    let mut node = Node::start(&arguments);
    let _player = play(&node);
    let pid = node.child.id();
    let twice = format!("kill -s INT {pid}; kill -s INT {pid}; sleep 0.01; kill -s INT {pid}");
    Command::new("sh").args(["-c", &twice]).status().expect("kill runs");
    assert_eq!(exit(&mut node).code(), Some(0));
    assert_eq!(matches(&Node::start(&arguments)), 1);
}

#[test]
fn a_hang_up_ends_it_with_goodbyes_unless_nohup_was_there() {
    let mut node = Node::start(&[]);
    let mut player = Player::join(&node, Dialect::Snapshot);
    node.signal("HUP");
    player.until("a goodbye", |connection| matches!(connection.status(), Status::Ended(_)));
    assert_eq!(exit(&mut node).code(), Some(0));
    let mut node = Node::start_after("trap '' HUP", &[]);
    node.signal("HUP");
    // A whole game later it would have ended.
    play(&node);
    assert!(node.child.try_wait().expect("it can be asked").is_none());
    assert_eq!(node.get("/healthz").0, 200);
}

#[test]
fn a_file_of_scores_that_was_removed_is_noticed_and_the_next_games_are_kept() {
    let folder = Folder::new();
    let arguments = ["--data", folder.text()];
    let mut node = Node::start(&arguments);
    until("it is there", || node.get("/api/scores").0 == 200);
    for end in ["", "-wal", "-shm"] {
        // The last two are there only while there is something in them.
        let _ = fs::remove_file(folder.path().join(format!("volley.sqlite{end}")));
    }
    let _player = play(&node);
    until("it is counted", || metric(&node, "volley_archive_errors_total") > 0.0);
    node.signal("INT");
    assert!(exit(&mut node).success());
    assert_eq!(matches(&Node::start(&arguments)), 1);
}

#[test]
#[cfg(target_os = "linux")]
fn a_disk_without_room_for_a_byte_lets_the_node_start_with_its_old_scores() {
    let folder = Folder::new();
    let arguments = ["--data", folder.text()];
    let mut node = Node::start(&arguments);
    let player = play(&node);
    node.signal("INT");
    assert!(exit(&mut node).success());
    drop(player);
    let mut node = Node::start_after("ulimit -f 0", &arguments);
    assert!(node.token.is_some(), "the old one was read");
    until("old scores are told", || node.get("/api/scores").1.contains("abandoned"));
    assert!(metric(&node, "volley_archive_errors_total") > 0.0);
    let _player = play(&node);
    assert_eq!(node.get("/healthz").0, 200);
    node.signal("INT");
    assert!(exit(&mut node).success());
    drop(node);
    fs::remove_file(folder.path().join("admin-token")).expect("ours");
    let node = Node::start_after("ulimit -f 0", &arguments);
    assert_eq!(node.token, None, "it could not be saved");
    assert_eq!(node.ask("GET", "/admin/sessions", "", "").0, 401);
    assert!(!folder.path().join("admin-token").exists());
}

#[test]
fn a_data_directory_is_for_one_node_at_a_time_even_without_http() {
    let folder = Folder::new();
    let node = Node::start(&["--data", folder.text()]);
    is_refused(&["--data", folder.text()], &["another node uses the data directory", folder.text(), "--data DIR"]);
    drop(node);
    let node = Node::start(&["--data", folder.text()]);
    assert_eq!(node.get("/healthz").0, 200, "the directory is free again");
}

#[test]
fn a_node_without_http_has_its_data_directory_for_itself_too() {
    let folder = Folder::new();
    let (free, mut command) = (FreePorts::default(), Command::new(env!("CARGO_BIN_EXE_volley")));
    command.arg("serve").args(&free.arguments).args(["--http", "off", "--data", folder.text()]);
    let mut silent = command.stdout(Stdio::piped()).stderr(Stdio::null()).spawn().expect("volley starts");
    let mut table = BufReader::new(silent.stdout.take().expect("its output")).lines();
    assert!(table.any(|line| line.is_ok_and(|line| line.trim_start().starts_with("data"))));
    is_refused(&["--data", folder.text()], &["another node uses the data directory"]);
    silent.kill().and_then(|()| silent.wait()).expect("it ends");
}

#[test]
#[cfg(unix)]
fn too_few_open_files_are_told_as_what_they_are() {
    let free = FreePorts::default();
    for limit in [8, 16, 24] {
        let line = format!("ulimit -n {limit}; exec \"$0\" serve --shards 4 {}", free.arguments.join(" "));
        let mut command = Command::new("sh");
        refused(
            command.args(["-c", &line, env!("CARGO_BIN_EXE_volley")]),
            &["open files", "raise the limit", "ulimit -n"],
        );
    }
}

#[test]
#[cfg(unix)]
fn a_token_that_others_can_read_is_warned_of() {
    use std::os::unix::fs::PermissionsExt;
    let folder = Folder::new();
    let token = folder.file("admin-token", "a-token-of-my-own\n");
    let log = folder.path().join("log");
    let warned = |mode: u32| {
        fs::set_permissions(&token, fs::Permissions::from_mode(mode)).expect("ours");
        let redirection = format!("exec 2> {}", log.display());
        let mut node = Node::start_after(&redirection, &["--data", folder.text()]);
        node.signal("INT");
        assert!(exit(&mut node).success());
        fs::read_to_string(&log).expect("a log").contains("chmod 600")
    };
    assert_eq!((warned(0o644), warned(0o600)), (true, false));
}

/// A WebSocket, as far as the node is concerned; none if it was refused.
fn open_link(node: &Node) -> Option<TcpStream> {
    let mut stream = TcpStream::connect((LOOPBACK, node.ports["http"])).ok()?;
    stream.set_read_timeout(Some(PATIENCE)).expect("a timeout");
    let request = "GET /volley HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\
                   Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n";
    stream.write_all(request.as_bytes()).ok()?;
    let mut status = [0; 12];
    stream.read_exact(&mut status).ok()?;
    (&status == b"HTTP/1.1 101").then_some(stream)
}

#[test]
fn with_few_open_files_one_address_does_not_keep_everybody_out() {
    toolkit::bots::allow_most_files();
    let folder = Folder::new();
    let log = folder.path().join("log");
    let node = Node::start_after(&format!("exec 2>{}; ulimit -n 1024", log.display()), &["--shards", "1"]);
    until("the log warns", || {
        let said = fs::read_to_string(&log).expect("a log");
        said.contains("few open files") && said.contains("files=1024")
    });
    let links: Vec<TcpStream> = (0..1100).filter_map(|_| open_link(&node)).collect();
    let at_doors: Vec<TcpStream> =
        (0..600).filter_map(|_| TcpStream::connect((LOOPBACK, node.ports["aecs"])).ok()).collect();
    assert!(links.len() > 100 && at_doors.len() > 100, "{} links, {} at doors", links.len(), at_doors.len());
    assert_eq!(node.get("/healthz").0, 200);
    let _player = Player::join(&node, Dialect::Typeuh);
    let _other = Player::join(&node, Dialect::Rfc2020);
    assert!(metric(&node, "volley_links_refused_total") > 0.0);
}
