//! `volley replay` and `volley serve --record`, as people use them: files, one clear line for each mistake, exit codes.

mod node;

use std::{
    fs,
    path::{Path, PathBuf},
    process::{Command, Output, Stdio},
};

use tempfile::TempDir;

use self::node::{Node, json, metric, until};

fn recording(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("../replay/recordings/{name}.vreplay"))
}

fn replay(file: &Path, arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_volley"));
    command.arg("replay").arg(file).args(arguments).stdin(Stdio::null()).output().expect("volley runs")
}

fn stdout(output: &Output) -> String {
    assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8_lossy(&output.stdout).into_owned()
}

/// Exit code 2, and one line on standard error with this in it.
fn is_refused(file: &Path, arguments: &[&str], part: &str) {
    let output = replay(file, arguments);
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!((output.status.code(), said.lines().count()), (Some(2), 1), "{said}");
    assert!(said.starts_with("volley: ") && said.contains(part), "{said:?} without {part:?}");
}

#[test]
fn a_recording_is_verified() {
    let printed = stdout(&replay(&recording("four-in-endless"), &["--verify"]));
    assert!(printed.contains("stage endless") && printed.contains("verified: 3600 ticks"), "{printed}");
    assert!(printed.contains("60 hashes are the same"), "{printed}");
}

#[test]
fn what_is_not_a_replay_or_is_damaged_or_of_other_rules_is_refused_in_one_line() {
    let folder = TempDir::new().expect("a folder");
    let file = folder.path().join("game.vreplay");
    let whole = fs::read(recording("alone-in-stage1")).expect("it is there");
    let write = |bytes: &[u8]| fs::write(&file, bytes).expect("it is written");
    write(b"# Volley\n");
    is_refused(&file, &["--verify"], "not a replay of Volley");
    write(b"");
    is_refused(&file, &[], "not a replay of Volley");
    write(&whole[..whole.len() / 2]);
    is_refused(&file, &["--text"], "cut short");
    let mut changed = whole.clone();
    changed[whole.len() / 2] ^= 1;
    write(&changed);
    is_refused(&file, &["--verify"], "changed or damaged between bytes");
    changed.clone_from(&whole);
    changed[8..10].copy_from_slice(&9999_u16.to_le_bytes());
    write(&changed);
    is_refused(&file, &["--verify"], "rules version 9999");
    is_refused(&folder.path().join("none.vreplay"), &[], "cannot read the replay");
    is_refused(folder.path(), &[], "it is not a file");
    write(&whole);
    is_refused(&file, &["--from", "9:00", "--text"], "--from is later");
    is_refused(&file, &[], "not a terminal");
}

#[test]
fn text_pictures_films_and_captures_are_made() {
    let folder = TempDir::new().expect("a folder");
    let path = |name: &str| folder.path().join(name);
    let game = recording("four-in-endless");
    let text = stdout(&replay(&game, &["--text", "--from", "0:30", "--to", "31", "--every", "60"]));
    assert!(
        text.starts_with("replay ") && text.lines().filter(|line| line.starts_with("tick ")).count() == 2,
        "{text}"
    );
    let run = |flag: &str, name: &str| {
        let path = path(name);
        stdout(&replay(&game, &[flag, path.to_str().expect("a path"), "--from", "20", "--to", "21", "--follow", "2"]));
        fs::read(path).expect("it is written")
    };
    assert!(run("--png", "a.png").starts_with(b"\x89PNG"));
    let film = run("--gif", "a.gif");
    assert!(film.starts_with(b"GIF89a") && film.ends_with(&[0x3b]), "{} bytes", film.len());
    for dialect in ["typeuh", "snapshot", "aecs", "rfc2020", "rfc53952", "volley"] {
        let out = path(dialect);
        let arguments = ["--pcap", dialect, "--out", out.to_str().expect("a path"), "--to", "10"];
        let printed = stdout(&replay(&game, &arguments));
        let packets: usize =
            printed.split_whitespace().rev().nth(1).and_then(|count| count.parse().ok()).expect("a count");
        assert!(packets > 100, "{printed}");
        let file = fs::read(&out).expect("it is written");
        assert_eq!(file[..4], [0xa1, 0xb2, 0xc3, 0xd4], "{dialect}: a capture");
        is_decoded(dialect, &out);
    }
}

/// `volley decode` reads all of it, and finds nothing wrong.
fn is_decoded(dialect: &str, capture: &Path) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_volley"));
    let output = command.arg("decode").arg(capture).arg("--json").stdin(Stdio::null()).output().expect("volley runs");
    let printed = stdout(&output);
    let last = printed.lines().last().expect("a summary");
    let summary = &serde_json::from_str::<serde_json::Value>(last).expect("JSON")["summary"];
    let count = |name: &str| summary[name].as_u64().expect("a count");
    assert!(count("explained") > 600, "{dialect}: {last}");
    assert_eq!(["malformed", "foreign", "damaged", "encrypted"].map(count), [0; 4], "{dialect}: {last}");
    assert!(summary["sessions"].as_array().expect("sessions").iter().all(|session| session["dialect"] == dialect));
}

#[test]
fn a_file_that_cannot_be_written_is_told_in_one_line() {
    let game = recording("alone-in-stage1");
    let nowhere = "/no/such/folder/x";
    is_refused(&game, &["--gif", nowhere, "--to", "1"], "cannot write /no/such/folder/x: ");
    is_refused(&game, &["--png", nowhere], "cannot write /no/such/folder/x: ");
    is_refused(&game, &["--pcap", "typeuh", "--out", nowhere, "--to", "1"], "cannot write /no/such/folder/x: ");
    if Path::new("/dev/full").exists() {
        is_refused(&game, &["--gif", "/dev/full", "--to", "1"], "cannot write /dev/full: ");
        is_refused(&game, &["--png", "/dev/full"], "cannot write /dev/full: ");
    }
}

#[test]
fn a_node_that_cannot_record_there_does_not_start() {
    let folder = TempDir::new().expect("a folder");
    let file = folder.path().join("a file");
    fs::write(&file, b"").expect("it is written");
    let inside = file.join("games");
    let inside = inside.to_str().expect("a path");
    node::is_refused(&["--record", inside], &["volley: ", "cannot use", "for recordings", "--record"]);
    node::is_refused(&["--record", file.to_str().expect("a path")], &["volley: ", "for recordings", "--record"]);
    if Path::new("/proc/self").exists() {
        node::is_refused(&["--record", "/proc/self"], &["volley: ", "for recordings", "--record"]);
    }
}

#[test]
fn a_node_records_games_and_links_to_them() {
    let folder = TempDir::new().expect("a folder");
    let directory = folder.path().join("games");
    let mut node = Node::start(&["--record", directory.to_str().expect("a path")]);
    assert!(node.printed.contains("record"), "{}", node.printed);
    let mut bots = Command::new(env!("CARGO_BIN_EXE_volley"));
    let door = node.ports["typeuh"].to_string();
    bots.args(["bots", "--dialect", "typeuh", "--count", "2", "--seconds", "15", "--typeuh", &door]);
    assert!(bots.stdout(Stdio::null()).stderr(Stdio::null()).status().expect("volley runs").success());
    until("the game is recorded", || json(&node, "/api/matches")[0]["replay"].is_string());
    let link = json(&node, "/api/matches")[0]["replay"].as_str().expect("a link").to_owned();
    let game = link.strip_prefix("/api/replays/").expect("a path").to_owned();
    assert_eq!(node.get("/api/replays/0000000000000000").0, 404);
    assert!(metric(&node, "volley_recordings ") >= 1.0);
    let printed = stdout(&replay(&directory.join(format!("{game}.vreplay")), &["--verify"]));
    assert!(printed.contains("verified: "), "{printed}");
    node.child.kill().expect("it ends");
}
