//! Whether the dependencies are what `deny.toml` allows: their licences, their sources, and none that is banned.

use std::path::Path;

use anyhow::Result;

use crate::{
    step::{cargo, succeed},
    toolchain,
};

/// What can be checked without a network. Advisories are fetched from one, so the workflow checks those.
const CHECKS: [&str; 3] = ["bans", "licenses", "sources"];

pub fn check(root: &Path) -> Result<()> {
    toolchain::cargo_tool(root, "deny", "cargo-deny")?;
    succeed(cargo(root, &["deny", "--locked", "--log-level", "error", "check"]).args(CHECKS))
}
