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
const OUTSIDE_TESTS: &str = "volley/browser-tests,volley/python-tests,toolkit/tshark-tests";
/// What nextest leaves to the steps of their own: tests that need a browser, Python, tshark or a screen.
const WITHOUT_OUTSIDE_TESTS: &str = "not (binary(browser) | binary(python_client) | binary(tshark) | package(desktop))";

/// Properties are tried with the same values each time, so that no change fails by chance. `cargo nextest run` tries others.
const PROPERTIES_SEED: (&str, &str) = ("PROPTEST_RNG_SEED", "1");

/// How many tests run at once for each core. Those that take longest wait for a peer's time-outs and hardly compute.
const TESTS_PER_CORE: usize = 2;

struct Browser {
    title: &'static str,
    /// Makes sure that it is there.
    get: fn() -> Result<()>,
    /// Which tests play in it.
    tests: &'static [&'static str],
}

const WINDOW: &str = "the client in a window";

const BROWSERS: [Browser; 2] = [
    Browser { title: "tests in Chromium", get: toolchain::chromium, tests: &["--skip", "in_firefox::"] },
    Browser { title: "tests in Firefox", get: toolchain::firefox, tests: &["in_firefox::"] },
];

/// Runs all steps in order, each whatever became of the others.
pub fn run(root: &Path, fuzz_seconds: u64) -> Result<ExitCode> {
    println!("xtask: this takes about a quarter of an hour on two cores, and half an hour the first time");
    let start = Instant::now();
    let mut report = Report::new(is_ci());
    let window = desktop::prepare_tests();
    let project = Project { root, has_window: window.is_ok() };
    formatting(root, &mut report);
    project.lint(&mut report);
    // Before the tests, so that the node that they start has the client inside.
    let has_client = web_client(root, &mut report);
    project.test(&mut report);
    project.test_in_browsers(has_client, &mut report);
    project.test_python_client(&mut report);
    project.test_dissectors(&mut report);
    match window {
        Ok(()) => project.test_window(&mut report),
        Err(missing) => report.skip(WINDOW, missing),
    }
    project.document(&mut report);
    report.step("a new dialect", "mend what docs/adding-a-dialect.md tells, or what it forgets", || {
        new_dialect::run(root, &project.selection())
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

/// What is compiled. Every step names the same packages and features, so that each compiles only what none before it did.
struct Project<'a> {
    root: &'a Path,
    /// Whether the crate that needs packages of the system can be built too.
    has_window: bool,
}

impl Project<'_> {
    /// Cargo, for every package that can be built here.
    fn cargo(&self, arguments: &[&str]) -> Command {
        let mut command = cargo(self.root, arguments);
        command.args(self.selection()).env(PROPERTIES_SEED.0, PROPERTIES_SEED.1);
        command
    }

    /// Those packages, and the features that they are compiled with.
    fn selection(&self) -> Vec<&'static str> {
        let all = self.has_window.then_some("--workspace");
        all.into_iter().chain(["--features", OUTSIDE_TESTS]).collect()
    }

    /// Lints every target, so that examples and benchmarks are known to compile as well.
    fn lint(&self, report: &mut Report) {
        report.step("lints", "mend the warnings above; `cargo clippy --all-targets` shows them again", || {
            toolchain::component(self.root, "clippy", "clippy")?;
            succeed(self.cargo(&["clippy", "--all-targets"]).args(["--", "-D", "warnings"]))
        });
    }

    fn test(&self, report: &mut Report) {
        if toolchain::has_nextest(self.root) {
            let next = "run a failed test alone: cargo nextest run <its name>";
            report.step("tests (nextest)", next, || {
                let at_once = (TESTS_PER_CORE * toolchain::cores()).to_string();
                let selection = ["-E", WITHOUT_OUTSIDE_TESTS];
                succeed(self.cargo(&["nextest", "run", "--no-fail-fast", "-j", &at_once]).args(selection))
            });
        } else {
            let next = "run a failed test alone: cargo test <its name>";
            let targets = ["test", "--no-fail-fast", "--lib", "--bins", "--tests"];
            report.step("tests (cargo test)", next, || succeed(&mut cargo(self.root, &targets)));
        }
    }

    /// Plays in real browsers, in those that are there or can be installed.
    fn test_in_browsers(&self, has_client: bool, report: &mut Report) {
        for browser in BROWSERS {
            if !has_client {
                report.skip(browser.title, "there is no web client to test");
            } else if let Err(reason) = (browser.get)() {
                report.skip(browser.title, reason);
            } else {
                let next = "look at target/artifacts, and run a failed test alone, as CONTRIBUTING.md says";
                report.step(browser.title, next, || succeed(self.one_at_a_time("browser").args(browser.tests)));
            }
        }
    }

    /// The client of `examples/`, which needs pygame.
    fn test_python_client(&self, report: &mut Report) {
        let title = "the example client in Python";
        match toolchain::pygame() {
            Ok(()) => {
                let next = "look at target/artifacts, and run a failed test alone, as CONTRIBUTING.md says";
                report.step(title, next, || succeed(&mut self.one_at_a_time("python_client")));
            }
            Err(reason) => report.skip(title, reason),
        }
    }

    /// The dissectors in a real tshark.
    fn test_dissectors(&self, report: &mut Report) {
        let title = "the dissectors in tshark";
        match toolchain::tshark() {
            Ok(()) => {
                let next = "run a failed test alone, as CONTRIBUTING.md says; crates/toolkit/tests/tshark.rs tells how to renew golden output";
                report.step(title, next, || succeed(&mut self.one_at_a_time("tshark")));
            }
            Err(reason) => report.skip(title, reason),
        }
    }

    fn test_window(&self, report: &mut Report) {
        let next = "run it alone: cargo test -p desktop; its screenshot is in target/tmp";
        report.step(WINDOW, next, || {
            if toolchain::has_nextest(self.root) {
                succeed(self.cargo(&["nextest", "run", "--no-fail-fast"]).args(["-E", "package(desktop)"]))
            } else {
                succeed(&mut cargo(self.root, &["test", "--no-fail-fast", "--package", "desktop"]))
            }
        });
    }

    /// Runs the tests of a file that needs another program. Those are heavy: one at a time.
    fn one_at_a_time(&self, test: &str) -> Command {
        let has_nextest = toolchain::has_nextest(self.root);
        let runner: &[&str] = if has_nextest { &["nextest", "run", "--no-fail-fast", "-j1"] } else { &["test"] };
        let mut command = self.cargo(runner);
        command.args(["--test", test, "--"]);
        if !has_nextest {
            command.arg("--test-threads=1");
        }
        command
    }

    /// Examples in doc comments run, and each link in them arrives.
    fn document(&self, report: &mut Report) {
        report.step("doc tests", "mend the example in the doc comment named above", || {
            succeed(&mut self.cargo(&["test", "--doc"]))
        });
        report.step("documentation", "mend the warnings above; `cargo doc --no-deps` shows them again", || {
            succeed(self.cargo(&["doc", "--no-deps"]).env("RUSTDOCFLAGS", "-D warnings"))
        });
    }
}
