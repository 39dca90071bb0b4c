//! Automation, as ordinary Rust: `cargo xtask --help`.
//!
//! Each command is one file. They run Cargo and other tools as a person would, say what they install, and may be
//! stopped and run again at any time.

mod desktop;
mod fuzz;
mod play;
mod step;
mod test;
mod tidy;
mod toolchain;
mod web;

use std::{path::PathBuf, process::ExitCode};

use anyhow::{Context, Result};
use clap::{Parser, Subcommand};

/// Volley's automation.
#[derive(Parser)]
#[command(name = "cargo xtask", bin_name = "cargo xtask", subcommand_required = true, arg_required_else_help = true)]
struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Build the web client and a node that has it inside, run it, and say where to click
    Play,
    /// Build the client that browsers load; the node takes it along when it is built afterwards
    Web(web::Options),
    /// Build the client in a window and run it
    Desktop(desktop::Options),
    /// Check everything: formatting, lints, tests, a browser, a window, tidy, a short fuzz run
    Test(test::Options),
    /// Check the invariants of ARCHITECTURE.md; print each breach as file:line: reason
    Tidy,
    /// Search for bytes that make a reader panic, hang or eat memory
    Fuzz(fuzz::Options),
}

fn main() -> ExitCode {
    match run(Arguments::parse().command) {
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
        Command::Play => play::run(&root),
        Command::Web(options) => web::run(&root, &options),
        Command::Desktop(options) => desktop::run(&root, &options),
        Command::Test(options) => test::run(&root, &options),
        Command::Tidy => Ok(if tidy::run(&root)? { ExitCode::SUCCESS } else { ExitCode::FAILURE }),
        Command::Fuzz(options) => fuzz::run(&root, &options),
    }
}

/// The project's root. Taken from Cargo at run time, so that a moved or copied build still finds its own project.
fn root() -> Result<PathBuf> {
    let manifest = std::env::var_os("CARGO_MANIFEST_DIR")
        .context("start me as `cargo xtask`, so that Cargo says where the project is")?;
    let xtask = PathBuf::from(manifest);
    Ok(xtask.parent().context("xtask has to lie inside the project")?.to_owned())
}
