//! `volley bench`: turns arguments into a measurement, and its result into a report and an exit code.

use std::{env, num::NonZero, path::PathBuf, process::ExitCode, thread, time::Duration};

use anyhow::Context;
use toolkit::{
    bridge::pairs,
    capacity::{self, Options, floor},
    difficulty,
    hostile::{amplification, soak, storm},
    lag, protocols, restart, stages,
};

use crate::{
    arguments::{Bench, Capacity, DifficultyBench, LagBench, Restart, Soak, Storm},
    commands::print,
    signals::stop_on_signals,
};

/// The exit code if the run was interrupted.
const EXIT_INTERRUPTED: u8 = 1;
/// The exit code if a node did not do as well as it promises.
const EXIT_BROKEN_PROMISE: u8 = 1;
/// What an unproved address may get at a door that serves everybody, as a multiple of what it sent (ruling C5).
const AMPLIFICATION_MAX: f64 = 3.0;

/// `volley bench`.
pub fn bench(arguments: &Bench) -> anyhow::Result<ExitCode> {
    match arguments {
        Bench::Capacity(arguments) => return measure_capacity(arguments),
        Bench::Restart(arguments) => return measure_restart(arguments),
        Bench::Storm(arguments) => return attack(arguments),
        Bench::Soak(arguments) => return let_run(*arguments),
        Bench::Amplification => return measure_amplification(),
        Bench::Difficulty(arguments) => return measure_difficulty(arguments),
        Bench::Bridge => return measure_bridge(),
        Bench::Protocols => print(&protocols::run(|name| eprintln!("{name} ..."))?.to_string())?,
        Bench::Lag(arguments) => return measure_lag(*arguments),
        Bench::Floor => floor::serve()?,
        Bench::Drive(arguments) => floor::drive(arguments.port, arguments.count as usize)?,
    }
    Ok(ExitCode::SUCCESS)
}

fn this_program() -> anyhow::Result<PathBuf> {
    env::current_exe().context("cannot find the path of this program")
}

fn verdict(is_kept: bool) -> ExitCode {
    if is_kept { ExitCode::SUCCESS } else { EXIT_BROKEN_PROMISE.into() }
}

fn attack(arguments: &Storm) -> anyhow::Result<ExitCode> {
    let stop = stop_on_signals()?;
    let time = Duration::from_secs(arguments.seconds.into());
    let options = storm::Options { program: this_program()?, time, only: arguments.only.clone(), rate: arguments.rate };
    let report = storm::run(&options, &stop)?;
    print(&report.to_string())?;
    Ok(verdict(report.is_kept()))
}

fn let_run(arguments: Soak) -> anyhow::Result<ExitCode> {
    let stop = stop_on_signals()?;
    let time = Duration::from_secs(60 * u64::from(arguments.minutes));
    let report = soak::run(&soak::Options { program: this_program()?, time }, &stop)?;
    print(&report.to_string())?;
    Ok(verdict(report.complaints().is_empty()))
}

/// Plays and prints; how far it is goes to standard error.
fn measure_bridge() -> anyhow::Result<ExitCode> {
    let stop = stop_on_signals()?;
    let threads = thread::available_parallelism().map_or(1, NonZero::get);
    let report = pairs::run(threads, &stop, |over, all| eprint!("\r{over} of {all} pairs"))?;
    eprintln!();
    print(&report.to_string())?;
    Ok(ExitCode::SUCCESS)
}

fn measure_lag(arguments: LagBench) -> anyhow::Result<ExitCode> {
    let time = Duration::from_secs(arguments.seconds.into());
    let options = lag::bench::Options { rate: arguments.rate, time };
    let report = lag::bench::run(options, |what| eprintln!("{what} ..."))?;
    print(&report.to_string())?;
    Ok(verdict(report.is_kept()))
}

fn measure_amplification() -> anyhow::Result<ExitCode> {
    let report = amplification::run(&amplification::Options { program: this_program()? })?;
    print(&report.to_string())?;
    Ok(verdict(report.worst_open() <= AMPLIFICATION_MAX))
}

/// Plays and prints; how far it is goes to standard error.
fn measure_difficulty(arguments: &DifficultyBench) -> anyhow::Result<ExitCode> {
    let stop = stop_on_signals()?;
    let stages = match arguments.stage.as_str() {
        "campaign" => stages::all().into_iter().filter(|stage| !stage.endless).collect(),
        name => vec![stages::find(name)?],
    };
    let options = difficulty::Options {
        stages,
        difficulties: arguments.difficulties.iter().map(|level| level.0).collect(),
        skills: arguments.skills.iter().map(|skill| skill.0).collect(),
        players: arguments.players.into(),
        seeds: arguments.seeds,
        minutes_max: arguments.minutes,
    };
    let report = difficulty::run(&options, &stop, |over, all| eprint!("\r{over} of {all} games"));
    eprintln!();
    print(&report.to_string())?;
    Ok(if report.is_cut_short { EXIT_INTERRUPTED.into() } else { ExitCode::SUCCESS })
}

fn measure_capacity(arguments: &Capacity) -> anyhow::Result<ExitCode> {
    let stop = stop_on_signals()?;
    let options = Options {
        program: this_program()?,
        dialects: arguments.dialects.0.clone(),
        counts: arguments.counts.iter().map(|&count| count as usize).collect(),
        stage: arguments.stage.clone(),
        time: Duration::from_secs(arguments.seconds.into()),
        most: arguments.most as usize,
    };
    let report = capacity::run(&options, &stop)?;
    print(&if arguments.json { report.json() + "\n" } else { report.to_string() })?;
    Ok(if report.is_cut_short { EXIT_INTERRUPTED.into() } else { ExitCode::SUCCESS })
}

fn measure_restart(arguments: &Restart) -> anyhow::Result<ExitCode> {
    let stop = stop_on_signals()?;
    let options = restart::Options {
        program: env::current_exe().context("cannot find the path of this program")?,
        dialects: arguments.dialects.0.clone(),
        play: Duration::from_secs(arguments.seconds.into()),
    };
    let report = restart::run(&options, &stop)?;
    print(&if arguments.json { report.json() + "\n" } else { report.to_string() })?;
    Ok(if report.is_cut_short { EXIT_INTERRUPTED.into() } else { ExitCode::SUCCESS })
}
