//! `cargo xtask storm`: builds a node as hosts run it, and attacks it in many ways (`volley bench storm`). Then it runs the tests of
//! attacks that are not a load, or that need machines or disks of their own.

use std::{
    ffi::OsString,
    path::Path,
    process::{Command, ExitCode},
};

use anyhow::{Context, Result};

use crate::step::{cargo, step, succeed};

/// An attack that a test makes.
struct Attack {
    what: &'static str,
    package: &'static str,
    /// The file of tests; none: beside the code.
    file: Option<&'static str>,
    test: &'static str,
}

const ATTACKS: [Attack; 15] = [
    server(
        "a /64 that fills the table of TCP proofs",
        None,
        "c13_no_network_pushes_others_out_however_many_addresses_it_has",
    ),
    server(
        "more seats than an address may have",
        Some("limits"),
        "c13_an_address_has_its_share_of_seats_and_no_more_whichever_shard_it_comes_to",
    ),
    server(
        "lobbies made and left over links",
        Some("limits"),
        "c13_creating_and_leaving_lobbies_by_turns_fills_no_node",
    ),
    server(
        "a JOIN from another port of a player's address",
        Some("limits"),
        "c5_another_port_of_a_proved_address_gets_three_times_what_it_sent_until_it_confirms_something",
    ),
    server(
        "power cut after any write",
        Some("power_cut"),
        "a_result_that_was_shown_survives_a_power_cut_after_any_write",
    ),
    server("slow readers while a game ends", None, "a_record_waits_for_no_reader_and_a_flush_does_not_either"),
    server(
        "private codes in lists, pages and records",
        None,
        "the_code_of_a_private_lobby_is_told_to_the_host_and_to_those_who_know_it",
    ),
    server(
        "pausing by turns for a high score",
        Some("pace"),
        "pausing_by_turns_and_more_lives_are_recorded_as_assistance",
    ),
    server("web pages of others", None, "a_page_of_the_node_itself_may_open_a_websocket_and_another_may_not"),
    server("names that turn text around", Some("links"), "names_and_words_have_only_what_can_be_seen"),
    server("upgrades that fail", None, "a_peer_that_goes_during_the_upgrade_leaves_nothing_behind"),
    volley(
        "two addresses and 0.0.0.0",
        "addresses",
        "a_machine_with_two_addresses_answers_from_the_one_that_was_spoken_to",
    ),
    volley(
        "a forged private source from outside",
        "addresses",
        "a_forged_private_source_from_outside_is_not_a_neighbour",
    ),
    volley("few open files", "system_faults", "with_few_open_files_one_address_does_not_keep_everybody_out"),
    volley("kill -9 in every dialect", "restart", "c16_after_a_kill_clients_of_every_dialect_go_on_without_knowing"),
];

const fn server(what: &'static str, file: Option<&'static str>, test: &'static str) -> Attack {
    Attack { what, package: "server", file, test }
}

const fn volley(what: &'static str, file: &'static str, test: &'static str) -> Attack {
    Attack { what, package: "volley", file: Some(file), test }
}

/// Builds everything and attacks a node. What the attacks find decides the exit code.
pub fn run(root: &Path, options: &[OsString]) -> Result<ExitCode> {
    step("building volley", "mend the error above", || {
        succeed(&mut cargo(root, &["build", "--release", "--package", "volley"]))
    })?;
    let mut storm: Command =
        cargo(root, &["run", "--quiet", "--release", "--package", "volley", "--", "bench", "storm"]);
    let status = storm.args(options).status().context("cannot start volley")?;
    step("building the tests", "mend the error above", || {
        succeed(&mut cargo(root, &["test", "--no-run", "--package", "server", "--package", "volley"]))
    })?;
    println!();
    let held: Vec<bool> = ATTACKS.iter().map(|attack| attack.is_held(root)).collect();
    let is_kept = status.success() && held.iter().all(|held| *held);
    Ok(if is_kept { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

impl Attack {
    /// Runs its test, prints a line, and all that the test said if it failed.
    fn is_held(&self, root: &Path) -> bool {
        let mut test = cargo(root, &["test", "--quiet", "--package", self.package]);
        match self.file {
            Some(file) => test.args(["--test", file]),
            None => test.arg("--lib"),
        };
        let output = test.arg(self.test).output();
        let said =
            output.as_ref().map(|output| String::from_utf8_lossy(&output.stdout).into_owned()).unwrap_or_default();
        let is_held = output.is_ok_and(|output| output.status.success()) && said.contains("1 passed");
        println!("{:<50} {}", self.what, if is_held { "held" } else { "NOT HELD" });
        if !is_held {
            println!("{said}");
        }
        is_held
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn every_attack_is_a_test_that_is_there() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("xtask lies in the project");
        for attack in &ATTACKS {
            let crate_root = root.join("crates").join(attack.package);
            let function = format!("fn {}()", attack.test);
            let is_there = match attack.file {
                Some(file) => {
                    fs::read_to_string(crate_root.join(format!("tests/{file}.rs"))).expect("tests").contains(&function)
                }
                None => has(&crate_root.join("src"), &function),
            };
            assert!(is_there, "{}: {}", attack.what, attack.test);
        }
    }

    fn has(folder: &Path, text: &str) -> bool {
        let mut entries = fs::read_dir(folder).expect("a folder").map(|entry| entry.expect("an entry").path());
        entries.any(|path| {
            if path.is_dir() {
                has(&path, text)
            } else {
                fs::read_to_string(&path).is_ok_and(|source| source.contains(text))
            }
        })
    }
}
