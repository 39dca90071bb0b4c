//! `volley bench`: turns arguments into a measurement, and its result into a report and an exit code.

use std::{env, process::ExitCode, time::Duration};

use anyhow::Context;
use toolkit::{
    capacity::{self, Options, floor},
    restart,
};

use crate::{
    arguments::{Bench, Capacity, Restart},
    commands::print,
    signals::stop_on_signals,
};

/// The exit code if the run was interrupted.
const EXIT_INTERRUPTED: u8 = 1;

/// `volley bench`.
pub fn bench(arguments: &Bench) -> anyhow::Result<ExitCode> {
    match arguments {
        Bench::Capacity(arguments) => return measure_capacity(arguments),
        Bench::Restart(arguments) => return measure_restart(arguments),
        Bench::Floor => floor::serve()?,
        Bench::Drive(arguments) => floor::drive(arguments.port, arguments.count as usize)?,
    }
    Ok(ExitCode::SUCCESS)
}

fn measure_capacity(arguments: &Capacity) -> anyhow::Result<ExitCode> {
    let stop = stop_on_signals()?;
    let options = Options {
        program: env::current_exe().context("cannot find the path of this program")?,
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
