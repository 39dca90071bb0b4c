//! `cargo xtask play`: builds the game and shows what exists of it.
//!
//! For now that is `volley watch`: four bots in an endless stage, drawn in the terminal.

use std::{
    io::{self, IsTerminal},
    path::Path,
    process::{Command, ExitCode},
};

use anyhow::{Context, Result};

use crate::step::{cargo, step, succeed};

/// Ten seconds of game, where there is no terminal to draw on.
const TICKS_WITHOUT_TERMINAL: &str = "600";

/// Builds `volley` and runs it in our place: its exit code is ours.
pub fn run(root: &Path) -> Result<ExitCode> {
    step("building volley", "mend the error above", || {
        succeed(&mut cargo(root, &["build", "--release", "--package", "volley"]))
    })?;
    let arguments = arguments(io::stdout().is_terminal() && io::stdin().is_terminal());
    println!("xtask: watching four bots: volley {}", arguments.join(" "));
    let mut volley = cargo(root, &["run", "--quiet", "--release", "--package", "volley", "--"]);
    let status = volley.args(arguments).stdin(std::process::Stdio::inherit()).status();
    exit_code(status.context("cannot start volley")?, &volley)
}

fn arguments(terminal: bool) -> Vec<&'static str> {
    if terminal { vec!["watch"] } else { vec!["watch", "--ticks", TICKS_WITHOUT_TERMINAL, "--text"] }
}

fn exit_code(status: std::process::ExitStatus, command: &Command) -> Result<ExitCode> {
    let code = status.code().with_context(|| format!("{command:?} was stopped: {status}"))?;
    Ok(ExitCode::from(u8::try_from(code).unwrap_or(u8::MAX)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn without_a_terminal_there_is_text_that_ends() {
        assert_eq!(arguments(true), ["watch"]);
        assert_eq!(arguments(false), ["watch", "--ticks", "600", "--text"]);
    }
}
