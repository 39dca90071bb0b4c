//! `volley bots`: turns arguments into bots, and how they fared into a report and an exit code.

use std::{process::ExitCode, time::Duration};

use toolkit::{
    bots::{self, Options},
    watch,
};

use crate::{arguments::Bots, commands::print, signals::stop_on_signals};

/// The exit code if some bots did not join, or were lost.
const EXIT_BOTS_LOST: u8 = 1;

/// `volley bots`.
pub fn bots(arguments: &Bots) -> anyhow::Result<ExitCode> {
    let stop = stop_on_signals()?;
    let report = bots::run(&options(arguments), &stop)?;
    print(&if arguments.json { report.json() + "\n" } else { report.to_string() })?;
    Ok(if report.is_whole() { ExitCode::SUCCESS } else { EXIT_BOTS_LOST.into() })
}

fn options(arguments: &Bots) -> Options {
    Options {
        dialects: arguments.dialect.0.clone(),
        count: arguments.count() as usize,
        time: arguments.seconds.map(|seconds| Duration::from_secs(seconds.into())),
        host: arguments.to.clone(),
        ports: arguments.doors.0.clone(),
        lobby: arguments.lobby.clone(),
        stage: arguments.stage.clone(),
        skill: arguments.skill.0,
        seed: arguments.seed.unwrap_or_else(watch::any_seed),
    }
}
