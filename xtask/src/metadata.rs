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

    #[test]
    fn cargo_says_where_it_builds() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("xtask lies in the project");
        assert!(target_directory(root).expect("cargo says it").is_absolute());
        assert!(read(root, &["--no-such-option"]).is_err());
    }
}
