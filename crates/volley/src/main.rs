//! The one command line of Volley: parses the arguments, calls server and toolkit, reports mistakes. No logic.
//!
//! Exit codes: 0 for success, 2 for a mistake of the user's (told in one line), 1 for a fault of ours, or bots that were lost.

mod arguments;
mod bench;
mod bots;
mod commands;
mod complaint;
mod config;
mod doors;
mod log;
mod serving;
mod signals;

use std::process::ExitCode;

use clap::Parser;

use self::arguments::{Arguments, Command};

fn main() -> ExitCode {
    let arguments = match Arguments::try_parse() {
        Ok(arguments) => arguments,
        Err(error) => return complaint::about_arguments(&error),
    };
    if arguments.ends_with_parent
        && let Err(error) = toolkit::capacity::end_with_parent()
    {
        return complaint::about(&error);
    }
    let result = match arguments.command {
        Command::Serve(serve) => serving::serve(*serve),
        Command::Bots(bots) => match bots::bots(&bots) {
            Ok(code) => return code,
            Err(error) => Err(error),
        },
        Command::Bench(bench) => match bench::bench(&bench) {
            Ok(code) => return code,
            Err(error) => Err(error),
        },
        Command::Watch(watch) => commands::watch(&watch),
        Command::Stages => commands::stages(),
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => complaint::about(&error),
    }
}
