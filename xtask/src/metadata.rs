//! What `cargo metadata` says about this workspace.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result, ensure};
use serde_json::Value;

use crate::step::cargo;

/// Where Cargo builds, which the environment and several files may choose.
pub fn target_directory(root: &Path) -> Result<PathBuf> {
    let metadata = read(root, &["--no-deps"])?;
    Ok(metadata["target_directory"].as_str().context("cargo metadata names no target directory")?.into())
}

/// The whole answer, for a command with these further arguments.
pub fn read(root: &Path, arguments: &[&str]) -> Result<Value> {
    let output = cargo(root, &["metadata", "--format-version", "1"]).args(arguments).output();
    let output = output.context("cannot start cargo metadata")?;
    ensure!(output.status.success(), "cargo metadata failed: {}", String::from_utf8_lossy(&output.stderr).trim());
    serde_json::from_slice(&output.stdout).context("cargo metadata printed no JSON")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn root() -> &'static Path {
        Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("xtask lies in the project")
    }

    /// A version as `1.95` or `1.95.0`, to compare.
    fn version(text: &str) -> Vec<u32> {
        text.split('.').take(2).map(|part| part.parse().expect("a number")).collect()
    }

    #[test]
    fn the_rust_version_is_what_the_dependencies_ask_for() {
        let metadata = read(root(), &["--locked"]).expect("cargo says it");
        let packages = metadata["packages"].as_array().expect("there are packages");
        let asked = |ours: bool| {
            let packages = packages.iter().filter(|package| package["source"].is_null() == ours);
            packages.filter_map(|package| package["rust_version"].as_str()).map(version).max()
        };
        let (promised, needed) = (asked(true), asked(false));
        assert!(promised >= needed, "Cargo.toml promises {promised:?}, a dependency asks for {needed:?}");
    }

    #[test]
    fn cargo_says_where_it_builds() {
        assert!(target_directory(root()).expect("cargo says it").is_absolute());
        assert!(read(root(), &["--no-such-option"]).is_err());
    }
}
