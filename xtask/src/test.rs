//! `cargo xtask test`: everything that has to hold before a change lands. `.ci/run` runs exactly this.

use std::{
    path::Path,
    process::ExitCode,
    time::{Duration, Instant},
};

use anyhow::{Result, anyhow, ensure};
use clap::Args;

use crate::{
    desktop, fuzz,
    step::{cargo, step, succeed},
    tidy, toolchain, web,
};

/// The feature with which the tests in a browser are built.
const BROWSER_TESTS: &str = "volley/browser-tests";

struct Browser {
    name: &'static str,
    /// Makes sure that it is there.
    get: fn() -> Result<()>,
    /// Which tests play in it.
    tests: &'static [&'static str],
}

const BROWSERS: [Browser; 2] = [
    Browser { name: "Chromium", get: toolchain::chromium, tests: &["--skip", "in_firefox::"] },
    Browser { name: "Firefox", get: toolchain::firefox, tests: &["in_firefox::"] },
];

#[derive(Args)]
pub struct Options {
    /// Seconds to fuzz each target
    #[arg(long, value_name = "SECONDS", default_value_t = 5)]
    fuzz_seconds: u64,
}

/// Runs all steps in order and stops at the first that fails.
pub fn run(root: &Path, options: &Options) -> Result<ExitCode> {
    let start = Instant::now();
    formatting(root)?;
    lints(root)?;
    // Before the tests, so that the node that they start has the client inside.
    let has_client = web::build_if_possible(root)?;
    tests(root)?;
    let skipped = browser_tests(root, has_client)?;
    desktop::test(root)?;
    step("doc tests", "mend the example in the doc comment named above", || {
        succeed(&mut cargo(root, &["test", "--doc"]))
    })?;
    step("tidy", "mend each line above; ARCHITECTURE.md has the reasons", || {
        ensure!(tidy::run(root)?, "the project breaks its own rules");
        Ok(())
    })?;
    step(
        "fuzz",
        "mend the build, or replay the artefact with the command above, mend the reader, keep the bytes as a test",
        || fuzz::all(root, options.fuzz_seconds),
    )?;
    skipped.iter().for_each(|reason| println!("{reason}"));
    println!(
        "xtask: all is well{}, {:.0} s in all",
        if skipped.is_empty() { "" } else { " that was tested" },
        start.elapsed().as_secs_f64()
    );
    Ok(ExitCode::SUCCESS)
}

fn formatting(root: &Path) -> Result<Duration> {
    step("formatting", "cargo fmt --all && cargo fmt --manifest-path fuzz/Cargo.toml", || {
        toolchain::component(root, "fmt", "rustfmt")?;
        succeed(&mut cargo(root, &["fmt", "--all", "--check"]))?;
        succeed(&mut cargo(root, &["fmt", "--manifest-path", "fuzz/Cargo.toml", "--check"]))
    })
}

/// Lints every target, so that examples and benchmarks are known to compile as well.
fn lints(root: &Path) -> Result<Duration> {
    step("lints", "mend the warnings above; `cargo clippy --all-targets` shows them again", || {
        toolchain::component(root, "clippy", "clippy")?;
        succeed(&mut cargo(root, &["clippy", "--all-targets", "--features", BROWSER_TESTS, "--", "-D", "warnings"]))
    })
}

fn tests(root: &Path) -> Result<Duration> {
    if toolchain::has_nextest(root) {
        let next = "run a failed test alone: cargo nextest run <its name>";
        step("tests (nextest)", next, || succeed(&mut cargo(root, &["nextest", "run", "--no-fail-fast"])))
    } else {
        let next = "run a failed test alone: cargo test <its name>";
        let targets = ["test", "--no-fail-fast", "--lib", "--bins", "--tests"];
        step("tests (cargo test)", next, || succeed(&mut cargo(root, &targets)))
    }
}

/// Plays in real browsers. Returns a line for each that could not be had, and says it at once as well.
fn browser_tests(root: &Path, has_client: bool) -> Result<Vec<String>> {
    let mut skipped = Vec::new();
    for browser in BROWSERS {
        let possible = if has_client { (browser.get)() } else { Err(anyhow!("there is no web client to test")) };
        match possible {
            Ok(()) => play_in(root, &browser)?,
            Err(reason) => skipped.push(format!("xtask: SKIPPED: the tests in {}: {reason:#}", browser.name)),
        }
    }
    skipped.iter().for_each(|line| println!("{line}"));
    Ok(skipped)
}

fn play_in(root: &Path, browser: &Browser) -> Result<()> {
    // A browser is heavy: one at a time. All packages, so that nothing is compiled anew with other features.
    let nextest = ["nextest", "run", "--no-fail-fast", "--features", BROWSER_TESTS, "--test", "browser", "-j1", "--"];
    let plain = ["test", "--features", BROWSER_TESTS, "--test", "browser", "--", "--test-threads=1"];
    let runner: &[&str] = if toolchain::has_nextest(root) { &nextest } else { &plain };
    let next = "look at target/artifacts, and run a failed test alone, as CONTRIBUTING.md says";
    let title = format!("tests in {}", browser.name);
    step(&title, next, || succeed(cargo(root, runner).args(browser.tests)))?;
    Ok(())
}
