//! The doors of a node, as its own help names them: nothing here lists the dialects once more.

use std::{path::Path, process::Command};

use anyhow::{Context, Result};

/// The options of `volley serve` that take a port, without their dashes. They are also the keys of its configuration.
pub fn of(volley: &Path) -> Result<Vec<String>> {
    let help = Command::new(volley).args(["serve", "--help"]).output().context("cannot ask for help")?;
    let help = String::from_utf8_lossy(&help.stdout);
    let words = help.split_whitespace();
    let flags = words.clone().zip(words.skip(1)).filter(|(_, value)| *value == "<PORT>");
    Ok(flags.filter_map(|(flag, _)| flag.strip_prefix("--")).map(str::to_owned).collect())
}
