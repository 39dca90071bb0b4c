//! `cargo xtask test`: everything that has to hold before a change lands. `.ci/run` runs exactly this.

use std::{path::Path, process::ExitCode, time::Duration};

use anyhow::{Result, ensure};
use clap::Args;

use crate::{
    desktop, fuzz,
    step::{cargo, step, succeed},
    tidy, toolchain,
};

#[derive(Args)]
pub struct Options {
    /// Seconds to fuzz each target
    #[arg(long, value_name = "SECONDS", default_value_t = 5)]
    fuzz_seconds: u64,
}

/// Runs all steps in order and stops at the first that fails.
pub fn run(root: &Path, options: &Options) -> Result<ExitCode> {
    let took: Duration = [
        formatting(root)?,
        lints(root)?,
        tests(root)?,
        desktop::test(root)?,
        step("doc tests", "mend the example in the doc comment named above", || {
            succeed(&mut cargo(root, &["test", "--doc"]))
        })?,
        step("tidy", "mend each line above; ARCHITECTURE.md has the reasons", || {
            ensure!(tidy::run(root)?, "the project breaks its own rules");
            Ok(())
        })?,
        step(
            "fuzz",
            "mend the build, or replay the artefact with the command above, mend the reader, keep the bytes as a test",
            || fuzz::all(root, options.fuzz_seconds),
        )?,
    ]
    .iter()
    .sum();
    println!("xtask: all is well, {:.0} s in all", took.as_secs_f64());
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
        succeed(&mut cargo(root, &["clippy", "--all-targets", "--", "-D", "warnings"]))
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
