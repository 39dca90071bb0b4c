//! `cargo xtask play`: builds the web client and a node that has it inside, and runs the node.
//!
//! Where no compiler for browsers can be had, the node runs all the same, and its page says how to add the client.

use std::{
    path::Path,
    process::{Command, ExitCode},
};

use anyhow::Result;

use crate::{
    step::{cargo, step, succeed},
    web,
};

/// Builds everything and runs `volley serve` in our place: it says where to click, and Ctrl-C is for it.
pub fn run(root: &Path) -> Result<ExitCode> {
    web::build_if_possible(root)?;
    step("building volley", "mend the error above", || {
        succeed(&mut cargo(root, &["build", "--release", "--package", "volley"]))
    })?;
    println!("xtask: starting a node: volley serve (Ctrl-C ends it)");
    become_it(cargo(root, &["run", "--quiet", "--release", "--package", "volley", "--", "serve"]))
}

/// Cargo does the same with what it runs: a signal meets the node and nobody else.
#[cfg(unix)]
fn become_it(mut command: Command) -> Result<ExitCode> {
    use std::os::unix::process::CommandExt;

    Err(anyhow::Error::new(command.exec()).context("cannot start volley"))
}

#[cfg(not(unix))]
fn become_it(mut command: Command) -> Result<ExitCode> {
    let status = command.status()?;
    Ok(status.code().and_then(|code| u8::try_from(code).ok()).unwrap_or(u8::MAX).into())
}
