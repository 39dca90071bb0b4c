//! `cargo xtask desktop`: builds the client in a window and runs it.
//!
//! It is the one crate that needs packages of the system. They are looked for, installed where that is possible, and
//! otherwise named in one command.

use std::{
    ffi::OsString,
    path::Path,
    process::{Command, ExitCode, Stdio},
};

use anyhow::{Context, Result, bail};

use crate::{
    step::{cargo, step, succeed, works},
    toolchain,
};

/// A package of Debian and Ubuntu, and how to see that what it brings is there.
struct Package {
    name: &'static str,
    is_there: fn() -> bool,
}

/// What a build needs.
const FOR_BUILDING: [Package; 3] = [
    Package { name: "pkg-config", is_there: || works("pkg-config", &["--version"]) },
    Package { name: "libasound2-dev", is_there: || works("pkg-config", &["--exists", "alsa"]) },
    Package { name: "libudev-dev", is_there: || works("pkg-config", &["--exists", "libudev"]) },
];

/// What a window on X11 loads when it opens. A desktop has them all.
const FOR_X11: [Package; 5] = [
    Package { name: "libx11-6", is_there: || is_loadable("libX11.so.6") },
    Package { name: "libx11-xcb1", is_there: || is_loadable("libX11-xcb.so.1") },
    Package { name: "libxcursor1", is_there: || is_loadable("libXcursor.so.1") },
    Package { name: "libxi6", is_there: || is_loadable("libXi.so.6") },
    Package { name: "libxkbcommon-x11-0", is_there: || is_loadable("libxkbcommon-x11.so.0") },
];

/// A screen that nobody sees.
const FOR_TESTS: [Package; 1] = [Package { name: "xvfb", is_there: || works("Xvfb", &["-help"]) }];

/// Builds `volley-desktop` and runs it in our place: its exit code is ours.
pub fn run(root: &Path, options: &[OsString]) -> Result<ExitCode> {
    prepare_build()?;
    step("building volley-desktop", "mend the error above", || {
        succeed(&mut cargo(root, &["build", "--release", "--package", "desktop"]))
    })?;
    let mut desktop = cargo(root, &["run", "--quiet", "--release", "--package", "desktop", "--"]);
    let status = desktop.args(options).stdin(Stdio::inherit()).status().context("cannot start it")?;
    Ok(ExitCode::from(u8::try_from(status.code().unwrap_or(1)).unwrap_or(u8::MAX)))
}

/// Makes sure that the packages for a build are there.
pub fn prepare_build() -> Result<()> {
    prepare(FOR_BUILDING.iter())
}

/// Makes sure that the packages for its tests are there.
pub fn prepare_tests() -> Result<()> {
    prepare(FOR_BUILDING.iter().chain(&FOR_X11).chain(&FOR_TESTS))
}

fn prepare<'a>(packages: impl Iterator<Item = &'a Package>) -> Result<()> {
    let missing: Vec<&str> = packages.filter(|package| !(package.is_there)()).map(|package| package.name).collect();
    if missing.is_empty() {
        return Ok(());
    }
    let installed = toolchain::apt_install(&missing)?;
    if !installed {
        bail!("{}", advice(&missing));
    }
    Ok(())
}

fn advice(missing: &[&str]) -> String {
    let names = missing.join(" ");
    format!("The client in a window needs packages of the system. On Debian and Ubuntu: sudo apt-get install {names}")
}

/// Whether the loader knows a library of that name.
fn is_loadable(library: &str) -> bool {
    let known = |program: &str| Command::new(program).arg("-p").stderr(Stdio::null()).output().ok();
    let output = known("ldconfig").or_else(|| known("/sbin/ldconfig"));
    output.is_some_and(|output| String::from_utf8_lossy(&output.stdout).contains(library))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn advice_is_one_command() {
        let advice = advice(&["libasound2-dev", "libudev-dev"]);
        assert!(advice.ends_with("sudo apt-get install libasound2-dev libudev-dev"), "{advice}");
    }

    #[test]
    fn libraries_are_looked_up() {
        assert!(!is_loadable("libno-such-library-of-volley.so.7"));
    }
}
