//! `cargo xtask storm`: builds a node as hosts run it, and attacks it in many ways (`volley bench storm`).

use std::{
    ffi::OsString,
    path::Path,
    process::{Command, ExitCode},
};

use anyhow::{Context, Result};

use crate::step::{cargo, step, succeed};

/// Builds everything and attacks a node. What the attacks find decides the exit code.
pub fn run(root: &Path, options: &[OsString]) -> Result<ExitCode> {
    step("building volley", "mend the error above", || {
        succeed(&mut cargo(root, &["build", "--release", "--package", "volley"]))
    })?;
    let mut storm: Command =
        cargo(root, &["run", "--quiet", "--release", "--package", "volley", "--", "bench", "storm"]);
    let status = storm.args(options).status().context("cannot start volley")?;
    Ok(if status.success() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}
