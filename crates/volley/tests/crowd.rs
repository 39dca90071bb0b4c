//! Crowds on the real node: two hundred lobbies at once, players who come and go, and what is left when they have gone.
//!
//! They assert that everybody has a seat, never how fast: a busy machine is not a failure.

mod node;

use std::{
    fs,
    process::{Child, Command, Output, Stdio},
    sync::{Mutex, PoisonError},
    thread,
    time::{Duration, Instant},
};

use protocol::Dialect;
use serde_json::Value;

use self::node::{FreePorts, Node, metric, until};

/// Under `cargo test` one crowd waits for the other.
static ONE_AT_A_TIME: Mutex<()> = Mutex::new(());
/// Far more than it takes for hundreds to come or lobbies to close.
const LONG_PATIENCE: Duration = Duration::from_secs(90);
/// Ports for more lobbies than there are ever at once.
const LOBBIES: u16 = 400;
/// What an allocator may keep or take of its own accord from wave to wave.
const GROWTH_MAX_KB: u64 = 6 * 1024;

fn bots(node: &Node, arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_volley"));
    command.arg("bots").args(arguments).arg("--json").stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null());
    for dialect in Dialect::with_ports() {
        command.args([format!("--{}", dialect.name()), node.ports[dialect.name()].to_string()]);
    }
    command.args(["--volley".to_owned(), node.ports["http"].to_string()]);
    command
}

fn report(output: &Output) -> Value {
    let text = String::from_utf8_lossy(&output.stdout);
    serde_json::from_str(&text).unwrap_or_else(|error| panic!("{error}: {text}"))
}

fn interrupt(child: &Child) {
    let status = Command::new("sh").args(["-c", &format!("kill -s INT {}", child.id())]).status();
    assert!(status.expect("kill runs").success());
}

/// Everybody who sits in some lobby, and the lobbies, once that is as many as expected.
fn seated(node: &Node, count: usize) -> Vec<Value> {
    let began = Instant::now();
    loop {
        let lobbies = shown(node);
        let seats: usize = lobbies.iter().map(|lobby| players(lobby).len()).sum();
        if seats == count {
            return lobbies;
        }
        assert!(began.elapsed() < LONG_PATIENCE, "{seats} of {count} have a seat");
        thread::sleep(Duration::from_millis(200));
    }
}

fn shown(node: &Node) -> Vec<Value> {
    let (status, body) = node.get("/api/lobbies");
    assert_eq!(status, 200);
    serde_json::from_str(&body).expect("an array")
}

fn players(lobby: &Value) -> &[Value] {
    lobby["players"].as_array().map_or(&[], Vec::as_slice)
}

/// Kilobytes of the node in memory.
fn resident_kb(node: &Node) -> u64 {
    let status = fs::read_to_string(format!("/proc/{}/status", node.child.id())).expect("Linux tells");
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).expect("its size");
    line.split_whitespace().next().and_then(|number| number.parse().ok()).expect("a number")
}

#[test]
fn two_hundred_lobbies_of_all_dialects_at_once() {
    let _alone = ONE_AT_A_TIME.lock().unwrap_or_else(PoisonError::into_inner);
    let node = Node::start_at(FreePorts::reserve(LOBBIES), &[]);
    let playing = bots(&node, &["--count", "804", "--seed", "7"]).spawn().expect("volley runs");
    let lobbies = seated(&node, 804);
    // A lobby that is asked for by nobody but its maker may have free seats in the end.
    assert!((201..=240).contains(&lobbies.len()), "{} lobbies", lobbies.len());
    let mut spoken: Vec<&str> =
        lobbies.iter().flat_map(players).filter_map(|player| player["dialect"].as_str()).collect();
    spoken.sort_unstable();
    for dialect in Dialect::ALL {
        assert_eq!(spoken.iter().filter(|name| **name == dialect.name()).count(), 134, "{}", dialect.name());
    }
    let is_mixed = |lobby: &&Value| {
        let names: std::collections::BTreeSet<&str> =
            players(lobby).iter().filter_map(|player| player["dialect"].as_str()).collect();
        names.len() == 4
    };
    assert!(lobbies.iter().filter(is_mixed).count() > 20, "four dialects meet in many of them");
    // Three seconds of each lobby's game.
    let (ticks, lobbies) = (metric(&node, "volley_ticks_total"), lobbies.len() as f64);
    until("everybody plays", || metric(&node, "volley_ticks_total") >= ticks + 180.0 * lobbies);
    interrupt(&playing);
    let report = report(&playing.wait_with_output().expect("it ends"));
    let total = &report["total"];
    assert_eq!((&total["joined"], &total["lost"], &total["refused"]), (&804.into(), &0.into(), &0.into()), "{report}");
    assert!(total["round_trip_ms"]["samples"].as_u64().is_some_and(|samples| samples > 0), "{report}");
    seated(&node, 0);
}

#[test]
fn players_come_and_go_and_nothing_of_them_stays() {
    let _alone = ONE_AT_A_TIME.lock().unwrap_or_else(PoisonError::into_inner);
    let node = Node::start_at(FreePorts::reserve(LOBBIES), &[]);
    let wave = |seed: usize| {
        let output = bots(&node, &["--count", "60", "--seconds", "2", "--seed", &seed.to_string()]).output();
        let report = report(&output.expect("volley runs"));
        assert_eq!((&report["total"]["joined"], &report["total"]["lost"]), (&60.into(), &0.into()), "{report}");
        seated(&node, 0);
        resident_kb(&node)
    };
    let sizes: Vec<u64> = (0..6).map(wave).collect();
    assert!(sizes[5] < sizes[1] + GROWTH_MAX_KB, "kilobytes after each wave: {sizes:?}");
    // An empty lobby closes after half a minute.
    let began = Instant::now();
    while !shown(&node).is_empty() {
        assert!(began.elapsed() < LONG_PATIENCE, "{} lobbies stay", shown(&node).len());
        thread::sleep(Duration::from_millis(500));
    }
    assert!(wave(6) < sizes[1] + GROWTH_MAX_KB, "{sizes:?}");
    let (_, metrics) = node.get("/metrics");
    let left: Vec<&str> =
        metrics.lines().filter(|line| line.starts_with("volley_players{") && !line.ends_with(" 0")).collect();
    assert!(left.is_empty(), "{left:?}");
}
