//! What the other commands need beside Cargo, fetched where that is possible and named where it is not.

use std::{
    env,
    num::NonZero,
    path::Path,
    process::{Command, Stdio},
    thread,
};

use anyhow::{Context, Result, bail};

use crate::step::{cargo, quietly, succeed, works};

/// Makes sure that `cargo <subcommand>` exists, from a component that rustup knows.
pub fn component(root: &Path, subcommand: &str, component: &str) -> Result<()> {
    if quietly(&mut cargo(root, &[subcommand, "--version"])) {
        return Ok(());
    }
    if !works("rustup", &["--version"]) {
        bail!("{component} is missing, and there is no rustup to fetch it: install it with your package manager");
    }
    println!("xtask: installing {component}: rustup component add {component}");
    succeed(Command::new("rustup").args(["component", "add", component]))
        .with_context(|| format!("{component} is missing and could not be installed"))
}

/// How many things can be computed at once here.
pub fn cores() -> usize {
    thread::available_parallelism().map_or(1, NonZero::get)
}

/// Whether nextest is there, which runs tests faster and says more about failures.
pub fn has_nextest(root: &Path) -> bool {
    quietly(&mut cargo(root, &["nextest", "--version"]))
}

/// Makes sure that `cargo <subcommand>` exists, compiled from the package of that name.
pub fn cargo_tool(root: &Path, subcommand: &str, package: &str) -> Result<()> {
    if quietly(&mut cargo(root, &[subcommand, "--version"])) {
        return Ok(());
    }
    println!("xtask: installing {package}: cargo install {package} --locked; this takes some minutes, once");
    succeed(&mut cargo(root, &["install", package, "--locked"]))
        .with_context(|| format!("{package} is missing and could not be installed"))
}

/// Makes sure that there is a C++ compiler, for libFuzzer.
pub fn cpp_compiler() -> Result<()> {
    if let Some(chosen) = env::var_os("CXX") {
        let chosen = chosen.to_string_lossy();
        if works(&chosen, &["--version"]) {
            return Ok(());
        }
        bail!("the environment says CXX={chosen}, which does not run: unset it or name a C++ compiler");
    }
    if works("c++", &["--version"]) {
        return Ok(());
    }
    install(&["g++"], "fuzzing needs a C++ compiler")
}

/// Makes sure that there is a Chromium that tests can drive.
pub fn chromium() -> Result<()> {
    if works("chromedriver", &["--version"]) {
        return Ok(());
    }
    install(&["chromium", "chromium-driver"], "the tests in Chromium need it and its driver")
}

/// Makes sure that there is a Firefox. Tests drive it by the protocol that it speaks itself, so it needs no driver.
pub fn firefox() -> Result<()> {
    if ["firefox-esr", "firefox"].iter().any(|program| works(program, &["--version"])) {
        return Ok(());
    }
    install(&["firefox-esr"], "the tests in Firefox need it")
}

/// Makes sure that there is a Python with pygame, for the example client. Debian's is looked for too if another is first.
pub fn pygame() -> Result<()> {
    if ["python3", "/usr/bin/python3"].iter().any(|python| works(python, &["-c", "import pygame"])) {
        return Ok(());
    }
    install(&["python3-pygame"], "the tests of the example client in Python need pygame")
}

/// Makes sure that there is a tshark, for the dissectors.
pub fn tshark() -> Result<()> {
    if works("tshark", &["--version"]) {
        return Ok(());
    }
    install(&["tshark"], "the tests of the dissectors need tshark")
}

/// Installs packages of Debian or Ubuntu as root; otherwise says why they are needed and how to install them.
pub fn install(packages: &[&str], why: &str) -> Result<()> {
    if !apt_install(packages).context(why.to_owned())? {
        bail!("{why}: on Debian and Ubuntu, run `sudo apt-get install {}`", packages.join(" "));
    }
    Ok(())
}

/// Installs packages where apt-get is there and may be used, and says so. False: it is not or may not.
pub fn apt_install(packages: &[&str]) -> Result<bool> {
    if !works("apt-get", &["--version"]) || !is_root() {
        return Ok(false);
    }
    // Without --no-remove, a package that conflicts with an installed one would silently take its place.
    let install = ["install", "--yes", "--no-install-recommends", "--no-remove"];
    let names = packages.join(" ");
    println!("xtask: installing {names}: apt-get update, apt-get {} {names}", install.join(" "));
    let apt = |arguments: &[&str]| {
        succeed(Command::new("apt-get").env("DEBIAN_FRONTEND", "noninteractive").stdin(Stdio::null()).args(arguments))
    };
    // A mirror that does not answer is no harm if what is known is enough.
    let updated = apt(&["update"]);
    apt(&[&install[..], packages].concat()).with_context(|| match updated {
        Ok(()) => format!("{names} could not be installed"),
        Err(error) => format!("{names} could not be installed, nor the list of packages be renewed ({error:#})"),
    })?;
    Ok(true)
}

pub fn is_root() -> bool {
    Command::new("id").arg("-u").output().is_ok_and(|output| output.stdout.trim_ascii() == b"0")
}

/// The machine that the compiler builds for by default, as `x86_64-unknown-linux-gnu`.
pub fn host() -> Result<String> {
    let output = Command::new("rustc").arg("-vV").output().context("cannot start rustc")?;
    let text = String::from_utf8_lossy(&output.stdout);
    let host = text.lines().find_map(|line| line.strip_prefix("host: "));
    Ok(host.context("rustc -vV does not say which machine it builds for")?.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_host_has_an_architecture_and_a_system() {
        assert!(host().expect("rustc is here").split('-').count() >= 3);
    }
}
