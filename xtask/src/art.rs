//! `cargo xtask art`: draws contact sheets of everything in `art/`, and the whole length of each stage; or the pictures of the
//! documentation.

use std::{
    path::{Path, absolute},
    process::ExitCode,
};

use anyhow::Result;

use crate::{
    metadata,
    step::{cargo, step, succeed},
};

/// Runs the client's gallery.
pub fn run(root: &Path, directory: Option<&Path>, is_readme: bool) -> Result<ExitCode> {
    let directory = match directory {
        Some(directory) => absolute(directory)?,
        None if is_readme => root.join("docs/pictures"),
        None => metadata::target_directory(root)?.join("art"),
    };
    step("drawing", "mend the error above", || {
        let mut gallery = cargo(root, &["run", "--quiet", "--package", "client", "--example", "gallery", "--"]);
        gallery.args(is_readme.then_some("--readme"));
        succeed(gallery.arg(&directory))
    })?;
    Ok(ExitCode::SUCCESS)
}
