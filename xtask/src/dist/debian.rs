//! Debian packages, made by cargo-deb from `[package.metadata.deb]` of each program's manifest.

use std::path::PathBuf;

use anyhow::{Context, Result};

use super::{Program, Release, list};
use crate::{
    step::{cargo, step, succeed, works},
    toolchain,
};

/// The revision of the package; the check makes a later one to upgrade to.
const REVISION: &str = "1";

/// A package for each program; none where the system does not use such packages.
pub fn packages(release: &Release) -> Result<Vec<PathBuf>> {
    if !works("dpkg-deb", &["--version"]) {
        println!("xtask: WITHOUT DEBIAN PACKAGES: there is no dpkg here");
        return Ok(Vec::new());
    }
    toolchain::cargo_tool(release.root, "deb", "cargo-deb")?;
    if !works("dpkg-shlibdeps", &["--version"]) {
        toolchain::install(&["dpkg-dev"], "a package names the libraries that it needs")?;
    }
    step("Debian packages", "mend [package.metadata.deb]", || {
        release.programs.iter().try_for_each(|program| package(release, program, REVISION).map(drop))
    })?;
    Ok(list(&release.dist())?.into_iter().filter(|path| path.extension().is_some_and(|kind| kind == "deb")).collect())
}

/// Makes the package of a program that is built already, in the release's folder.
pub fn package(release: &Release, program: &Program, revision: &str) -> Result<PathBuf> {
    let folder = if revision == REVISION { release.dist() } else { release.staged() };
    let mut deb = cargo(release.root, &["deb", "--quiet", "--no-build", "--locked", "--package", program.package]);
    succeed(deb.args(["--deb-revision", revision, "--output"]).arg(&folder))?;
    let ending = format!("-{revision}_");
    let made = |path: &PathBuf| {
        let file = super::name(path);
        file.starts_with(&format!("{}_", program.name)) && file.contains(&ending) && file.ends_with(".deb")
    };
    list(&folder)?.into_iter().find(made).context("cargo-deb has made no package")
}
