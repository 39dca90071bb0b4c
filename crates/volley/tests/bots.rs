//! `volley bots` against the real node: every dialect, all of them together, the report and the exit codes.

mod node;

use std::{
    io::Read,
    net::UdpSocket,
    process::{Command, Output, Stdio},
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    thread,
    time::Duration,
};

use portable_pty::{CommandBuilder, PtySize, native_pty_system};
use protocol::Dialect;
use serde_json::Value;

use self::node::{Node, metric, until};

fn command(node: &Node, arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_volley"));
    command.arg("bots").args(arguments).stdin(Stdio::null());
    for dialect in Dialect::with_ports() {
        command.args([format!("--{}", dialect.name()), node.ports[dialect.name()].to_string()]);
    }
    command.args(["--volley".to_owned(), node.ports["http"].to_string()]);
    command
}

fn bots(node: &Node, arguments: &[&str]) -> Output {
    command(node, arguments).output().expect("volley runs")
}

fn report(output: &Output) -> Value {
    let text = String::from_utf8_lossy(&output.stdout);
    serde_json::from_str(&text)
        .unwrap_or_else(|error| panic!("{error}: {text}{}", String::from_utf8_lossy(&output.stderr)))
}

/// Exit code 2, nothing on standard output, and one line on standard error with this in it.
fn is_refused(output: &Output, parts: &[&str]) {
    let said = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(2), "{said}");
    assert!(output.stdout.is_empty());
    assert_eq!(said.lines().count(), 1, "{said}");
    for part in parts {
        assert!(said.contains(part), "{said:?} without {part:?}");
    }
}

#[test]
fn four_bots_of_each_dialect_share_a_lobby_see_the_game_and_leave() {
    for dialect in Dialect::with_ports() {
        let node = Node::start(&[]);
        let playing = command(&node, &["--dialect", dialect.name(), "--count", "4", "--seconds", "3", "--json"])
            .stdout(Stdio::piped())
            .spawn()
            .expect("volley runs");
        let shown = node.lobbies(4);
        assert_eq!(shown.len(), 1, "{}", dialect.name());
        let output = playing.wait_with_output().expect("it ends");
        let report = report(&output);
        assert_eq!(output.status.code(), Some(0), "{report}");
        let row = &report["dialects"][0];
        assert_eq!((&row["dialect"], &row["joined"]), (&dialect.name().into(), &4.into()), "{report}");
        // A busy machine may be late; one that shows half of the game is broken.
        let frames = &row["frames_per_second"];
        assert!(frames["p50"].as_f64().is_some_and(|p50| (30.0..62.0).contains(&p50)), "{report}");
        assert!(node.lobbies(0).iter().all(|lobby| lobby["players"].as_array().is_some_and(Vec::is_empty)));
    }
}

#[test]
fn two_dozen_bots_of_all_dialects_play_together() {
    let node = Node::start(&[]);
    let output = bots(&node, &["--count", "24", "--seconds", "4", "--json", "--seed", "7"]);
    let report = report(&output);
    assert_eq!(output.status.code(), Some(0), "{report}");
    let rows = report["dialects"].as_array().expect("rows");
    assert_eq!(rows.len(), Dialect::ALL.len());
    assert!(rows.iter().all(|row| row["joined"] == 4 && row["lost"] == 0 && row["refused"] == 0), "{report}");
    let total = &report["total"];
    assert_eq!((&total["bots"], &total["joined"], &total["lost"]), (&24.into(), &24.into(), &0.into()));
    for part in ["datagrams_in", "bytes_in", "datagrams_out", "bytes_out"] {
        let sum: f64 = rows.iter().filter_map(|row| row["per_second"][part].as_f64()).sum();
        let all = total["per_second"][part].as_f64().expect("a number");
        assert!(sum > 0.0 && (sum - all).abs() < 1.0, "{part}: {sum} and {all}");
    }
    assert!(total["join_ms"]["p50"].as_f64().is_some_and(|ms| ms > 0.0), "{report}");
    assert_eq!(report["seconds"].as_f64().map(f64::round), Some(4.0));
    assert_eq!(report["first_error"], Value::Null);
}

#[test]
fn bots_of_our_own_dialect_come_over_websockets_whatever_the_shards() {
    for shards in ["1", "3"] {
        let node = Node::start(&["--shards", shards]);
        let playing = command(&node, &["--dialect", "volley", "--count", "8", "--seconds", "3", "--json"])
            .stdout(Stdio::piped())
            .spawn()
            .expect("volley runs");
        assert_eq!(node.lobbies(8).len(), 2);
        let output = playing.wait_with_output().expect("it ends");
        let report = report(&output);
        assert_eq!(output.status.code(), Some(0), "{report}");
        let row = &report["dialects"][0];
        assert_eq!((&row["joined"], &row["lost"]), (&8.into(), &0.into()), "{report}");
        assert!(row["frames_per_second"]["p50"].as_f64().is_some_and(|p50| (30.0..62.0).contains(&p50)), "{report}");
        node.lobbies(0);
    }
}

#[test]
fn our_own_dialect_and_three_others_meet_in_one_lobby() {
    let node = Node::start(&["--shards", "3"]);
    let mut playing = Vec::new();
    for (count, dialect) in (1..).zip(["typeuh", "volley", "snapshot", "aecs"]) {
        let bot = command(&node, &["--dialect", dialect, "--count", "1", "--seconds", "6", "--json"])
            .stdout(Stdio::piped())
            .spawn()
            .expect("volley runs");
        playing.push(bot);
        // One after the other, so that their seats are known.
        assert_eq!(node.lobbies(count).len(), 1);
    }
    let lobby = &node.lobbies(4)[0];
    let dialects: Vec<&Value> =
        lobby["players"].as_array().expect("players").iter().map(|player| &player["dialect"]).collect();
    assert_eq!(dialects, ["typeuh", "volley", "snapshot", "aecs"]);
    for bot in playing {
        let output = bot.wait_with_output().expect("it ends");
        assert_eq!(output.status.code(), Some(0), "{}", report(&output));
    }
}

#[test]
fn the_report_is_a_table_and_a_lobby_without_room_is_exit_code_1() {
    let node = Node::start(&[]);
    let mut hosts =
        command(&node, &["--dialect", "snapshot", "--count", "2"]).stdout(Stdio::piped()).spawn().expect("it runs");
    let id = node.lobbies(2)[0]["id"].as_str().expect("an id").to_owned();
    let output = bots(&node, &["--dialect", "rfc2020", "--count", "3", "--seconds", "2", "--lobby", &id]);
    let said = String::from_utf8_lossy(&output.stdout);
    assert_eq!(output.status.code(), Some(1), "{said}");
    let row: Vec<&str> = said.lines().nth(1).expect("a row").split_whitespace().collect();
    assert_eq!(row[..5], ["rfc2020", "3", "2", "1", "0"], "{said}");
    assert!(said.contains("each bot thinks 60 times a second"), "{said}");
    assert!(hosts.try_wait().expect("it can be asked").is_none(), "without --seconds they go on");
    let interrupt = Command::new("sh").args(["-c", &format!("kill -s INT {}", hosts.id())]).status();
    assert!(interrupt.expect("kill runs").success());
    let output = hosts.wait_with_output().expect("it ends");
    assert_eq!(output.status.code(), Some(0));
    assert!(String::from_utf8_lossy(&output.stdout).contains("snapshot"), "the report comes all the same");
}

#[test]
fn a_terminal_shows_one_table_that_is_renewed_in_place() {
    let node = Node::start(&[]);
    let pair = native_pty_system().openpty(PtySize { rows: 24, cols: 80, ..PtySize::default() }).expect("a terminal");
    let mut command = CommandBuilder::new(env!("CARGO_BIN_EXE_volley"));
    let port = node.ports["snapshot"].to_string();
    command.args(["bots", "--dialect", "snapshot", "--count", "2", "--seconds", "3", "--snapshot", &port]);
    let mut child = pair.slave.spawn_command(command).expect("volley starts");
    drop(pair.slave);
    let mut bytes = Vec::new();
    // The end of a terminal whose program has gone is an error on Linux.
    let _ = pair.master.try_clone_reader().expect("a reader").read_to_end(&mut bytes);
    assert!(child.wait().expect("it ends").success());
    let heads = String::from_utf8_lossy(&bytes).matches("dialect    bots joined").count();
    assert!(heads >= 4, "it was renewed {heads} times");
    let mut terminal = vt100::Parser::default();
    terminal.process(&bytes);
    let screen = terminal.screen().contents();
    assert_eq!(screen.matches("dialect    bots joined").count(), 1, "{screen}");
    assert!(screen.contains("snapshot      2      2"), "{screen}");
}

#[test]
fn a_node_that_goes_away_loses_bots_and_is_exit_code_1() {
    let node = Node::start(&[]);
    let playing = command(&node, &["--dialect", "typeuh", "--count", "3", "--json"])
        .stdout(Stdio::piped())
        .spawn()
        .expect("it runs");
    node.lobbies(3);
    // Only a bot that knows that it has joined presses keys.
    until("every bot plays", || metric(&node, "volley_datagrams_in_total{dialect=\"typeuh\"}") >= 60.0);
    drop(node);
    let output = playing.wait_with_output().expect("it ends by itself");
    let report = report(&output);
    assert_eq!(output.status.code(), Some(1), "{report}");
    assert_eq!((&report["total"]["joined"], &report["total"]["lost"]), (&3.into(), &3.into()), "{report}");
}

#[test]
fn mistakes_are_one_line_and_exit_code_2() {
    let volley = |arguments: &[&str]| {
        Command::new(env!("CARGO_BIN_EXE_volley")).arg("bots").args(arguments).output().expect("volley runs")
    };
    // Reserved and not used: nobody listens there.
    let free = test_ports::reserve(1);
    let free = free.first();
    for dialect in Dialect::with_ports() {
        let option = format!("--{}", dialect.name());
        let output =
            volley(&["--dialect", dialect.name(), "--count", "3", "--seconds", "9", &option, &free.to_string()]);
        is_refused(&output, &["nobody answers at 127.0.0.1", &free.to_string(), "is a node running"]);
    }
    is_refused(
        &volley(&["--dialect", "esperanto"]),
        &["esperanto", "typeuh, aecs, snapshot, rfc2020, rfc53952, volley, or mixed"],
    );
    is_refused(&volley(&["--to", "no.such.host.invalid"]), &["no.such.host.invalid"]);
    is_refused(&volley(&["--dialect", "snapshot", "--lobby", "ABCDEF"]), &["rfc2020", "--dialect"]);
    is_refused(&volley(&["--count", "0"]), &["--count"]);
    is_refused(&volley(&["--snapshot", "off"]), &["--snapshot"]);
}

/// The report about one bot of `typeuh`, at a server that answers every hello with these bytes.
fn report_about(answer: &'static [u8]) -> String {
    let server = UdpSocket::bind("127.0.0.1:0").expect("a socket");
    let port = server.local_addr().expect("bound").port().to_string();
    let stop = Arc::new(AtomicBool::new(false));
    let is_over = stop.clone();
    server.set_read_timeout(Some(Duration::from_millis(50))).expect("a time-out");
    let answers = thread::spawn(move || {
        let mut hello = [0; 64];
        while !is_over.load(Ordering::Relaxed) {
            if let Ok((_, peer)) = server.recv_from(&mut hello) {
                server.send_to(answer, peer).expect("it is here");
            }
        }
    });
    let mut command = Command::new(env!("CARGO_BIN_EXE_volley"));
    command.args(["bots", "--dialect", "typeuh", "--count", "1", "--seconds", "2", "--typeuh", &port]);
    let output = command.stdin(Stdio::null()).output().expect("volley runs");
    stop.store(true, Ordering::Relaxed);
    answers.join().expect("it ends");
    String::from_utf8_lossy(&output.stdout).into_owned()
}

#[test]
fn bots_print_what_is_wrong_with_a_typeuh_server() {
    let report = report_about(b"\x00\x02\x06Kind\0\0Hitbox\xff\xff");
    assert!(report.contains("components that this client does not know: Hitbox\n"), "{report}");
    let report = report_about(b"\x00\x02\x06Kind\0\0Hitbox\0\0");
    assert!(report.contains("initialisation is wrong: the end mark ff ff is missing\n"), "{report}");
    // A name may be anything but a control character, which would be a hostile terminal's delight.
    let report = report_about(b"\x00\x01\x06\x1b[31mK\xff\xff");
    assert!(report.contains("a name has a character that is not allowed") && !report.contains('\x1b'), "{report}");
}

#[test]
fn bots_of_rfc2020_make_lobbies_of_the_stage_that_they_are_told() {
    let node = Node::start(&[]);
    let arguments = ["--dialect", "rfc2020", "--count", "4", "--seconds", "3", "--json", "--stage", "stage1"];
    let playing = command(&node, &arguments).stdout(Stdio::piped()).spawn().expect("volley runs");
    let shown = node.lobbies(4);
    assert_eq!((shown.len(), &shown[0]["stage"]), (1, &Value::from("stage1")), "{shown:?}");
    let output = playing.wait_with_output().expect("it ends");
    assert_eq!(output.status.code(), Some(0), "{}", report(&output));
    let unknown =
        bots(&node, &["--dialect", "rfc2020", "--count", "1", "--seconds", "3", "--json", "--stage", "nowhere"]);
    assert_eq!(report(&unknown)["total"]["refused"], 1, "{}", report(&unknown));
}
