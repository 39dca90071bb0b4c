//! `volley bots`: turns arguments into bots, and what became of them into a report and an exit code.

use std::{process::ExitCode, time::Duration};

use toolkit::{
    bots::{self, Options},
    watch,
};

use crate::{arguments::Bots, commands::say, signals::stop_on_signals};

/// Some bots did not join, or were lost.
const NOT_WHOLE: u8 = 1;

/// `volley bots`.
pub fn bots(arguments: &Bots) -> anyhow::Result<ExitCode> {
    let stop = stop_on_signals()?;
    let report = bots::run(&options(arguments), &stop)?;
    say(&if arguments.json { report.json() + "\n" } else { report.to_string() })?;
    Ok(if report.is_whole() { ExitCode::SUCCESS } else { NOT_WHOLE.into() })
}

fn options(arguments: &Bots) -> Options {
    Options {
        dialects: arguments.dialect.0.clone(),
        count: arguments.count as usize,
        time: arguments.seconds.map(|seconds| Duration::from_secs(seconds.into())),
        host: arguments.to.clone(),
        ports: arguments.doors.0.clone(),
        lobby: arguments.lobby.clone(),
        seed: arguments.seed.unwrap_or_else(watch::any_seed),
    }
}
