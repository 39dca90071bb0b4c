//! Automation, as ordinary Rust: `cargo xtask --help`.
//!
//! Each command is one file or folder. They run Cargo and other tools as a person would, say what they install, and may
//! be stopped and run again at any time.

mod arguments;
mod art;
mod desktop;
mod dist;
mod doors;
mod fuzz;
mod metadata;
mod new_dialect;
mod play;
mod report;
mod step;
mod storm;
mod test;
mod tidy;
mod toolchain;
mod web;

use std::{path::PathBuf, process::ExitCode};

use anyhow::{Context, Result};

use self::arguments::Command;

/// The exit code for a command line that says nothing we know.
const MISTAKE: u8 = 2;

fn main() -> ExitCode {
    let command = match arguments::parse(lexopt::Parser::from_env()) {
        Ok(command) => command,
        Err(error) => {
            eprintln!("xtask: {error:#}; `cargo xtask help` lists all commands");
            return ExitCode::from(MISTAKE);
        }
    };
    match run(command) {
        Ok(code) => code,
        Err(error) => {
            eprintln!("xtask: {error:#}");
            ExitCode::FAILURE
        }
    }
}

fn run(command: Command) -> Result<ExitCode> {
    let root = root()?;
    match command {
        Command::Help => {
            print!("{}", arguments::HELP);
            Ok(ExitCode::SUCCESS)
        }
        Command::Play { options } => play::run(&root, &options),
        Command::Web { way } => web::run(&root, way),
        Command::Desktop { options } => desktop::run(&root, &options),
        Command::Test { fuzz_seconds } => test::run(&root, fuzz_seconds),
        Command::Art { directory, is_readme } => art::run(&root, directory.as_deref(), is_readme),
        Command::Tidy => Ok(if tidy::run(&root)? { ExitCode::SUCCESS } else { ExitCode::FAILURE }),
        Command::NewDialect => new_dialect::run(&root, &[]).map(|()| ExitCode::SUCCESS),
        Command::Fuzz(options) => fuzz::run(&root, &options),
        Command::Storm { options } => storm::run(&root, &options),
        Command::Dist { check } => dist::run(&root, check),
    }
}

/// The project's root. Taken from Cargo at run time, so that a moved or copied build still finds its own project.
fn root() -> Result<PathBuf> {
    let manifest = std::env::var_os("CARGO_MANIFEST_DIR")
        .context("start me as `cargo xtask`, so that Cargo says where the project is")?;
    let xtask = PathBuf::from(manifest);
    Ok(xtask.parent().context("xtask has to lie inside the project")?.to_owned())
}
