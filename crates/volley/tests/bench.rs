//! `volley bench capacity` on this machine: a short run, its report, and that no part of it is left behind.

use std::{
    io::{BufRead, BufReader},
    process::{Child, Command, Stdio},
    thread,
    time::{Duration, Instant},
};

use serde_json::Value;

const PATIENCE: Duration = Duration::from_secs(30);

fn bench(arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_volley"));
    command.args(["bench", "capacity"]).args(arguments).stdin(Stdio::null());
    command
}

/// Whether a process still runs.
fn is_alive(id: &str) -> bool {
    std::fs::read_to_string(format!("/proc/{id}/stat"))
        .is_ok_and(|stat| !stat.rsplit(')').next().is_some_and(|rest| rest.trim_start().starts_with('Z')))
}

fn children(id: u32) -> Vec<String> {
    let listed = std::fs::read_to_string(format!("/proc/{id}/task/{id}/children")).unwrap_or_default();
    listed.split_whitespace().map(str::to_owned).collect()
}

fn has_socket(id: &str) -> bool {
    let open = std::fs::read_dir(format!("/proc/{id}/fd")).into_iter().flatten().flatten();
    open.filter_map(|file| std::fs::read_link(file.path()).ok())
        .any(|file| file.to_string_lossy().starts_with("socket:"))
}

/// The ids of the two parts of a bench, once both run.
fn parts(bench: &Child) -> Vec<String> {
    let mut parts = Vec::new();
    until("it has two parts", || {
        parts = children(bench.id());
        parts.len() == 2
    });
    parts
}

fn until(what: &str, mut holds: impl FnMut() -> bool) {
    let began = Instant::now();
    while !holds() {
        assert!(began.elapsed() < PATIENCE, "not within {PATIENCE:?}: {what}");
        thread::sleep(Duration::from_millis(5));
    }
}

#[test]
fn a_short_run_tells_what_the_node_and_the_floor_cost() {
    let output = bench(&["--dialects", "snapshot,volley", "--counts", "8", "--seconds", "1", "--most", "0", "--json"])
        .output()
        .expect("volley runs");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let report: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    let rows = report["rows"].as_array().expect("rows");
    assert_eq!(rows.iter().map(|row| &row["dialect"]).collect::<Vec<_>>(), ["snapshot", "volley"]);
    rows.iter().for_each(is_measured);
    assert_eq!(report["largest"].as_array().map(Vec::len), Some(0));
    assert_eq!(report["is_cut_short"], false);
}

fn is_measured(row: &Value) {
    assert_eq!((&row["players"], &row["node"]["lost"]), (&8.into(), &0.into()), "{row}");
    let figure = |part: &str, name: &str| row[part][name].as_f64().unwrap_or_else(|| panic!("no {part} {name}: {row}"));
    for part in ["node", "floor"] {
        assert!(figure(part, "cpu_us_per_player_second") > 0.0, "{row}");
        assert!((0.0..=100.0).contains(&figure(part, "on_time_percent")), "{row}");
        assert!(figure(part, "bytes_out_per_player_second") > 0.0, "{row}");
        assert!(figure(part, "load_cores") > 0.0, "{row}");
    }
    let ratio = figure("node", "cpu_us_per_player_second") / figure("floor", "cpu_us_per_player_second");
    assert!((row["ratio"].as_f64().expect("a ratio") - ratio).abs() < 0.01, "{row}");
}

#[test]
fn an_interrupted_run_tells_what_it_has_and_leaves_no_process_behind() {
    let mut child = bench(&["--dialects", "typeuh,aecs", "--counts", "8", "--seconds", "1", "--most", "8"])
        .args(["--json"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("volley runs");
    // The first line is about the floor; then the node is running or about to.
    let mut lines = BufReader::new(child.stderr.take().expect("its errors")).lines();
    assert!(lines.next().expect("a line").expect("text").starts_with("floor, 8 players"));
    let parts = parts(&child);
    let status = Command::new("sh").args(["-c", &format!("kill -s TERM {}", child.id())]).status();
    assert!(status.expect("kill runs").success());
    let output = child.wait_with_output().expect("it ends");
    assert_eq!(output.status.code(), Some(1));
    let report: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    assert_eq!(report["is_cut_short"], true);
    assert!(parts.iter().all(|id| !is_alive(id)), "{parts:?}");
}

#[test]
fn a_bench_that_is_killed_takes_its_parts_with_it() {
    let mut child = bench(&["--dialects", "typeuh", "--counts", "8", "--seconds", "9"])
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .expect("volley runs");
    let parts = parts(&child);
    // A part is tied to the bench before it opens its first socket.
    until("both parts are tied to it", || parts.iter().all(|id| has_socket(id)));
    child.kill().expect("it can be killed");
    child.wait().expect("it ends");
    until("both parts end", || !parts.iter().any(|id| is_alive(id)));
}

#[test]
fn mistakes_are_one_line_and_exit_code_2() {
    for wrong in [["--dialects", "esperanto"], ["--counts", "0"], ["--seconds", "0"], ["--most", "many"]] {
        let output = bench(&wrong).output().expect("volley runs");
        let said = String::from_utf8_lossy(&output.stderr);
        assert_eq!((output.status.code(), said.lines().count()), (Some(2), 1), "{said}");
        assert!(said.contains(wrong[0]), "{said}");
    }
}
