//! Attacks over real sockets, short ones: after each of them everybody still plays, somebody new of every dialect can join, and
//! memory has come back. How many ticks were on time is for `cargo xtask storm`, which has all attacks and takes longer.
#![cfg(target_os = "linux")]

use std::process::{Command, Stdio};

/// Attacks a node of its own for a second.
fn holds_against(attack: &str) {
    let mut storm = Command::new(env!("CARGO_BIN_EXE_volley"));
    storm.args(["bench", "storm", "--seconds", "1", "--only", attack]).stdin(Stdio::null());
    let output = storm.output().expect("volley runs");
    let table = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{table}{}", String::from_utf8_lossy(&output.stderr));
    let rows: Vec<&str> = table.lines().filter(|line| line.contains(attack)).collect();
    assert_eq!(rows.len(), 1, "{table}");
    let is_left_out = rows[0].contains("left out:");
    assert!(!is_left_out || std::env::var_os("CI").is_none(), "on CI, run as root: {table}");
}

#[test]
fn empty_datagrams_take_no_seat_that_somebody_needs() {
    holds_against("empty datagrams, one from each address");
}

#[test]
fn a_player_who_sends_without_end_costs_nobody_the_game() {
    holds_against("a player who sends without end");
}

#[test]
fn forged_icmp_of_a_third_address_kicks_nobody() {
    holds_against("forged ICMP of a third address");
}

#[test]
fn forged_icmp_of_the_players_address_kicks_nobody() {
    holds_against("forged ICMP of the players' address");
}

#[test]
fn lobbies_made_and_left_leave_room() {
    holds_against("lobbies made and left");
}

#[test]
fn kicked_players_find_a_seat_elsewhere() {
    holds_against("hosts who kick everybody");
}

#[test]
fn goodbyes_without_end_keep_nobody_out() {
    holds_against("goodbyes without end");
}

#[test]
fn proofs_of_many_addresses_leave_room_for_others() {
    holds_against("TCP proofs from many addresses");
}

#[test]
fn quic_streams_that_nobody_reads_keep_nobody_out() {
    holds_against("QUIC streams that nobody reads");
}

#[test]
fn readers_of_scores_who_read_nothing_keep_nobody_out() {
    holds_against("readers of scores who read nothing");
}
