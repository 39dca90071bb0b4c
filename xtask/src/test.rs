//! `cargo xtask test`: everything that has to hold before a change lands. `.ci/run` runs exactly this.
//!
//! A step that fails does not keep the others from running; the summary at the end has them all.

use std::{
    path::Path,
    process::{Command, ExitCode},
    time::Instant,
};

use anyhow::{Result, ensure};

use crate::{
    desktop, fuzz, new_dialect,
    report::{Report, is_ci},
    step::{cargo, succeed},
    tidy, toolchain, web,
};

/// The features with which the tests that need other programs are built: all at once, so that nothing is compiled twice.
const OUTSIDE_TESTS: &str = "volley/browser-tests,volley/python-tests";

struct Browser {
    title: &'static str,
    /// Makes sure that it is there.
    get: fn() -> Result<()>,
    /// Which tests play in it.
    tests: &'static [&'static str],
}

const BROWSERS: [Browser; 2] = [
    Browser { title: "tests in Chromium", get: toolchain::chromium, tests: &["--skip", "in_firefox::"] },
    Browser { title: "tests in Firefox", get: toolchain::firefox, tests: &["in_firefox::"] },
];

/// Runs all steps in order, each whatever became of the others.
pub fn run(root: &Path, fuzz_seconds: u64) -> Result<ExitCode> {
    println!("xtask: this takes about a quarter of an hour on two cores, and half an hour the first time");
    let start = Instant::now();
    let mut report = Report::new(is_ci());
    formatting(root, &mut report);
    lints(root, &mut report);
    // Before the tests, so that the node that they start has the client inside.
    let has_client = web_client(root, &mut report);
    tests(root, &mut report);
    browser_tests(root, has_client, &mut report);
    python_tests(root, &mut report);
    desktop_tests(root, &mut report);
    documentation(root, &mut report);
    report.step("a new dialect", "mend what docs/adding-a-dialect.md tells, or what it forgets", || {
        new_dialect::run(root)
    });
    report.step("tidy", "mend each line above; ARCHITECTURE.md has the reasons", || {
        ensure!(tidy::run(root)?, "the project breaks its own rules");
        Ok(())
    });
    report.step(
        "fuzz",
        "mend the build, or replay the artefact with the command above, mend the reader, keep the bytes as a test",
        || fuzz::all(root, fuzz_seconds),
    );
    println!("{report}, {:.0} s in all", start.elapsed().as_secs_f64());
    Ok(report.exit_code())
}

fn formatting(root: &Path, report: &mut Report) {
    report.step("formatting", "cargo fmt --all && cargo fmt --manifest-path fuzz/Cargo.toml", || {
        toolchain::component(root, "fmt", "rustfmt")?;
        succeed(&mut cargo(root, &["fmt", "--all", "--check"]))?;
        succeed(&mut cargo(root, &["fmt", "--manifest-path", "fuzz/Cargo.toml", "--check"]))
    });
}

/// Lints every target, so that examples and benchmarks are known to compile as well.
fn lints(root: &Path, report: &mut Report) {
    report.step("lints", "mend the warnings above; `cargo clippy --all-targets` shows them again", || {
        toolchain::component(root, "clippy", "clippy")?;
        succeed(&mut cargo(root, &["clippy", "--all-targets", "--features", OUTSIDE_TESTS, "--", "-D", "warnings"]))
    });
}

/// Returns whether there is a client to put into a node.
fn web_client(root: &Path, report: &mut Report) -> bool {
    match web::Compiler::find(None) {
        Ok(compiler) => report.step(web::TITLE, web::NEXT, || web::build(root, &compiler)),
        Err(reason) => {
            report.skip(web::TITLE, reason);
            false
        }
    }
}

fn tests(root: &Path, report: &mut Report) {
    if toolchain::has_nextest(root) {
        let next = "run a failed test alone: cargo nextest run <its name>";
        report.step("tests (nextest)", next, || succeed(&mut cargo(root, &["nextest", "run", "--no-fail-fast"])));
    } else {
        let next = "run a failed test alone: cargo test <its name>";
        let targets = ["test", "--no-fail-fast", "--lib", "--bins", "--tests"];
        report.step("tests (cargo test)", next, || succeed(&mut cargo(root, &targets)));
    }
}

/// Plays in real browsers, in those that are there or can be installed.
fn browser_tests(root: &Path, has_client: bool, report: &mut Report) {
    for browser in BROWSERS {
        if !has_client {
            report.skip(browser.title, "there is no web client to test");
        } else if let Err(reason) = (browser.get)() {
            report.skip(browser.title, reason);
        } else {
            let next = "look at target/artifacts, and run a failed test alone, as CONTRIBUTING.md says";
            report.step(browser.title, next, || play_in(root, &browser));
        }
    }
}

fn play_in(root: &Path, browser: &Browser) -> Result<()> {
    succeed(one_at_a_time(root, "browser").args(browser.tests))
}

/// The client of `examples/`, which needs pygame.
fn python_tests(root: &Path, report: &mut Report) {
    let title = "the example client in Python";
    match toolchain::pygame() {
        Ok(()) => {
            let next = "look at target/artifacts, and run a failed test alone, as CONTRIBUTING.md says";
            report.step(title, next, || succeed(&mut one_at_a_time(root, "python_client")));
        }
        Err(reason) => report.skip(title, reason),
    }
}

/// Runs the tests of a file that needs another program. Those are heavy: one at a time. All packages, so that nothing is
/// compiled anew with other features.
fn one_at_a_time(root: &Path, test: &str) -> Command {
    let nextest = ["nextest", "run", "--no-fail-fast", "--features", OUTSIDE_TESTS, "--test", test, "-j1", "--"];
    let plain = ["test", "--features", OUTSIDE_TESTS, "--test", test, "--", "--test-threads=1"];
    let runner: &[&str] = if toolchain::has_nextest(root) { &nextest } else { &plain };
    cargo(root, runner)
}

fn desktop_tests(root: &Path, report: &mut Report) {
    let title = "the client in a window";
    match desktop::prepare_tests() {
        Ok(()) => {
            let next = "run it alone: cargo test -p desktop; its screenshot is in target/tmp";
            report.step(title, next, || desktop::test(root));
        }
        Err(missing) => report.skip(title, missing),
    }
}

/// Examples in doc comments run, and each link in them arrives.
fn documentation(root: &Path, report: &mut Report) {
    report.step("doc tests", "mend the example in the doc comment named above", || {
        succeed(&mut cargo(root, &["test", "--doc"]))
    });
    report.step("documentation", "mend the warnings above; `cargo doc --no-deps` shows them again", || {
        succeed(cargo(root, &["doc", "--no-deps"]).env("RUSTDOCFLAGS", "-D warnings"))
    });
}
