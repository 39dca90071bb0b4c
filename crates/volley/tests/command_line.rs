//! What the real program prints and how it exits, without a terminal.

use std::{
    io::Read,
    process::{Command, Output, Stdio},
};

fn volley(arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_volley"));
    command.args(arguments).stdin(Stdio::null()).output().expect("volley runs")
}

fn stdout(output: &Output) -> String {
    String::from_utf8(output.stdout.clone()).expect("text")
}

/// Success with this in its output.
fn prints(arguments: &[&str], parts: &[&str]) {
    let output = volley(arguments);
    assert_eq!(output.status.code(), Some(0), "{arguments:?}");
    assert!(output.stderr.is_empty(), "{arguments:?}");
    for part in parts {
        assert!(stdout(&output).contains(part), "{arguments:?} does not print {part:?}");
    }
}

/// Exit code 2, nothing on standard output, and one line on standard error with this in it.
fn is_refused(arguments: &[&str], parts: &[&str]) {
    let output = volley(arguments);
    let said = String::from_utf8(output.stderr).expect("text");
    assert_eq!(output.status.code(), Some(2), "{arguments:?}: {said}");
    assert!(output.stdout.is_empty(), "{arguments:?}");
    assert_eq!(said.matches('\n').count(), 1, "{arguments:?}: {said}");
    assert!(said.starts_with("volley: ") && said.ends_with('\n'), "{said}");
    for part in parts {
        assert!(said.contains(part), "{arguments:?} says {said:?} without {part:?}");
    }
}

#[test]
fn help_says_what_volley_is_and_shows_examples() {
    prints(&["--help"], &["side-scrolling shooter", "Examples:", "volley watch --seed 42", "stages"]);
    prints(&["-h"], &["side-scrolling shooter", "Examples:"]);
    prints(&["--version"], &[env!("CARGO_PKG_VERSION")]);
}

#[test]
fn the_help_of_watch_explains_every_flag_its_default_and_the_keys() {
    let flags = ["--seed", "--stage", "--players", "--ticks", "--speed", "--text", "--every"];
    prints(&["watch", "--help"], &flags);
    let defaults =
        ["[default: random; it", "[default: endless]", "[default: 4]", "[default: do not stop]", "[default: 1]"];
    let help = stdout(&volley(&["watch", "--help"])).split_whitespace().collect::<Vec<_>>().join(" ");
    for part in defaults.iter().chain(&["q quits", "Examples:"]) {
        assert!(help.contains(part), "no {part:?} in {help}");
    }
}

#[test]
fn stages_lists_each_with_name_number_length_and_title() {
    prints(&["stages"], &["endless         0    no end  Endless\n", "\nstage1          1 ", " s  "]);
    prints(&["watch", "--text", "--ticks", "1", "--stage", "1"], &["stage stage1 ", "state running stage 1 "]);
}

#[test]
fn without_a_command_the_help_is_shown_as_a_mistake() {
    let output = volley(&[]);
    assert_eq!(output.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&output.stderr).contains("Usage: volley <COMMAND>"));
}

#[test]
fn the_same_seed_gives_the_same_bytes_and_another_seed_others() {
    let dump = |seed| stdout(&volley(&["watch", "--text", "--ticks", "600", "--seed", seed]));
    let first = dump("42");
    assert!(first.starts_with("game seed 42 stage endless players 4\ntick 1 state running stage 0 "));
    assert!(first.contains("  event fired seat="), "nobody fires in ten seconds");
    assert_eq!(first, dump("42"));
    assert_eq!(first, dump("0x2a"));
    assert_ne!(first, dump("43"));
}

#[test]
fn a_seed_that_was_not_chosen_is_shown_and_gives_the_same_game_again() {
    let first = stdout(&volley(&["watch", "--text", "--ticks", "60"]));
    let seed = first.split_whitespace().nth(2).expect("game seed N");
    assert_eq!(first, stdout(&volley(&["watch", "--text", "--ticks", "60", "--seed", seed])));
}

#[test]
fn every_leaves_ticks_out_and_changes_nothing_else() {
    let ticks = |arguments: &[&str]| -> Vec<String> {
        let all = [&["watch", "--text", "--seed", "1", "--ticks", "100"], arguments].concat();
        stdout(&volley(&all)).lines().filter(|line| line.starts_with("tick ")).map(str::to_owned).collect()
    };
    let (all, some) = (ticks(&[]), ticks(&["--every", "30"]));
    assert_eq!(all.len(), 100);
    assert_eq!(some, [&all[29], &all[59], &all[89]].map(String::clone));
}

#[test]
fn players_says_how_many_bots_there_are() {
    let output = stdout(&volley(&["watch", "--text", "--seed", "1", "--ticks", "1", "--players", "2"]));
    assert_eq!(output.matches("\n  player seat=").count(), 2);
}

#[test]
fn a_reader_that_has_seen_enough_is_not_an_error() {
    let mut command = Command::new(env!("CARGO_BIN_EXE_volley"));
    command.args(["watch", "--text", "--seed", "1"]).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().expect("volley runs");
    let mut beginning = [0; 100];
    child.stdout.take().expect("piped").read_exact(&mut beginning).expect("it writes");
    let output = child.wait_with_output().expect("it ends by itself");
    assert_eq!(output.status.code(), Some(0));
    assert!(output.stderr.is_empty());
}

#[test]
fn mistakes_are_one_line_that_says_what_would_be_right() {
    is_refused(&["watch", "--seed", "banana"], &["banana", "whole number", "0x2a"]);
    is_refused(&["watch", "--seed", "-1"], &[]);
    is_refused(&["watch", "--seed", "18446744073709551616"], &["18446744073709551615"]);
    is_refused(&["watch", "--stage", "nowhere"], &["nowhere", "endless", "stage1"]);
    is_refused(&["watch", "--stage", "no/such/file.tmx"], &["no/such/file.tmx", "check the path"]);
    is_refused(&["watch", "--players", "5"], &["1..=4"]);
    is_refused(&["watch", "--players", "0"], &["1..=4"]);
    is_refused(&["watch", "--speed", "99", "--ticks", "1"], &["0.1 to 16"]);
    is_refused(&["watch", "--ticks", "0"], &["--ticks"]);
    is_refused(&["watch", "--every", "0", "--text"], &["--every"]);
    is_refused(&["watch", "--every", "2"], &["--text"]);
    is_refused(&["watch", "--text", "--speed", "2"], &["--speed"]);
    is_refused(&["watch", "--sede", "2"], &["--seed"]);
    is_refused(&["play"], &["play"]);
}

#[test]
fn a_bridge_that_cannot_be_is_refused() {
    let bridge = |flags: &[&str], parts: &[&str]| is_refused(&[&["bridge"], flags].concat(), parts);
    bridge(&[], &["--listen", "--to"]);
    bridge(&["--listen", "udp:1", "--to", "volley@localhost"], &["udp", "typeuh, aecs"]);
    bridge(&["--listen", "aecs:0", "--to", "volley@localhost"], &["1 to 65535"]);
    bridge(&["--listen", "aecs", "--to", "localhost"], &["DIALECT@HOST:PORT"]);
    bridge(&["--listen", "aecs", "--listen", "aecs:9", "--to", "volley@localhost"], &["aecs", "twice"]);
    bridge(&["--listen", "aecs", "--to", "snapshot@localhost", "--lobby", "K7Q2ZD"], &["snapshot", "no lobbies"]);
    bridge(&["--listen", "aecs", "--to", "volley@localhost", "--lobby", "K7"], &["six"]);
    bridge(&["--listen", "aecs", "--to", "snapshot@localhost", "--websocket"], &["snapshot", "--websocket"]);
    bridge(&["--listen", "aecs", "--to", "snapshot@no.such.host.invalid"], &["no.such.host.invalid"]);
    let (port, taken) = (test_ports::reserve(1), "0.0.0.0");
    let _other = std::net::UdpSocket::bind((taken, port.first())).expect("it is free");
    let listen = format!("typeuh:{}", port.first());
    bridge(&["--listen", &listen, "--to", "snapshot@localhost"], &["another program uses it"]);
    let dump = ["--dump", "no/such/folder/dump.txt"];
    bridge(&[&["--listen", &listen, "--to", "snapshot@localhost"], &dump[..]].concat(), &["no/such/folder/dump.txt"]);
}

#[test]
fn a_recording_that_cannot_be_written_is_refused() {
    let line = ["lag", "--listen", "127.0.0.1:0", "--to", "localhost:1", "--record", "no/such/folder/lag.csv"];
    is_refused(&line, &["no/such/folder/lag.csv"]);
}

#[test]
fn without_a_terminal_text_is_offered() {
    is_refused(&["watch"], &["not a terminal", "--text"]);
}

#[test]
fn a_broken_stage_file_is_refused_with_the_loaders_reason() {
    let folder = tempfile::tempdir().expect("a new folder");
    let path = folder.path().join("broken.tmx");
    std::fs::write(&path, "<map>\n<oops\n").expect("a file can be written");
    let name = path.to_str().expect("text");
    is_refused(&["watch", "--text", "--ticks", "1", "--stage", name], &[name]);
}

/// `volley serve` with a certificate and a key of these texts.
fn is_refused_with(certificate: &str, key: &str, parts: &[&str]) {
    let folder = tempfile::tempdir().expect("a new folder");
    let file = |name: &str, text: &str| {
        let path = folder.path().join(name);
        std::fs::write(&path, text).expect("a file can be written");
        path.to_str().expect("text").to_owned()
    };
    let (certificate, key) = (file("certificate.pem", certificate), file("key.pem", key));
    let doors = ["--typeuh", "0", "--aecs", "0", "--snapshot", "0", "--rfc2020", "0", "--rfc53952", "0", "--http", "0"];
    let files = ["--certificate", &certificate, "--certificate-key", &key];
    let lobbies = test_ports::reserve(1);
    is_refused(&[&["serve", "--rfc2020-lobbies", &lobbies.to_string()], &doors[..], &files[..]].concat(), parts);
}

#[test]
fn a_certificate_that_cannot_be_used_is_named() {
    let pair = || {
        let identity = wtransport::Identity::self_signed(["localhost"]).expect("it can be made");
        let certificate = identity.certificate_chain().as_slice()[0].to_pem();
        (certificate, identity.private_key().to_secret_pem())
    };
    let ((certificate, key), (_, other)) = (pair(), pair());
    is_refused_with(&certificate, &other, &["certificate.pem", "key.pem"]);
    is_refused_with("banana", &key, &["certificate.pem"]);
    is_refused_with(&certificate, "banana", &["key.pem"]);
    is_refused_with("", "", &["key.pem"]);
    is_refused_with(&key, &certificate, &["key.pem"]);
    let broken = certificate.replace('M', "A");
    is_refused_with(&broken, &key, &["certificate.pem"]);
}
