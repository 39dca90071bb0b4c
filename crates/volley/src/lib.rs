//! The command line of Volley: parses the arguments, calls server and toolkit, reports errors. No logic.
//!
//! Exit codes: 0 for success; 2 for a mistake of the user's, reported in one line; 1 for any other error, or if bots were
//! lost, or if `conform` found deviations.
//!
//! It is a library so that what reads a config file can be fuzzed; `main.rs` is the program.
//!
//! ```sh
//! volley serve --bind 0.0.0.0                              # a node: the page, and a door for each dialect
//! volley bots --dialect snapshot --seconds 30              # four players of one document
//! volley decode game.pcap --filter violation               # what is wrong on the wire
//! volley conform server --dialect aecs --to localhost:4242 # what a server gets wrong, and why
//! volley replay games/ID.vreplay --verify                  # the same game again, hash by hash
//! ```

mod arguments;
mod bench;
mod bots;
mod bridge;
mod commands;
pub mod config;
mod conform;
mod decode;
mod doors;
mod error_report;
mod invitation;
mod lag;
mod log;
mod replay;
mod serve;
mod signals;

use std::process::ExitCode;

use clap::Parser;

use self::arguments::{Arguments, Command};

/// Does what the command line says.
pub fn main() -> ExitCode {
    let arguments = match Arguments::try_parse() {
        Ok(arguments) => arguments,
        Err(error) => return error_report::print_argument_error(&error),
    };
    if arguments.ends_with_parent
        && let Err(error) = toolkit::capacity::end_with_parent()
    {
        return error_report::print(&error);
    }
    let result = match arguments.command {
        Command::Serve(serve) => serve::serve(*serve),
        Command::Bots(bots) => match bots::bots(&bots) {
            Ok(code) => return code,
            Err(error) => Err(error),
        },
        Command::Bench(bench) => match bench::bench(&bench) {
            Ok(code) => return code,
            Err(error) => Err(error),
        },
        Command::Conform(arguments) => match conform::conform(&arguments) {
            Ok(code) => return code,
            Err(error) => Err(error),
        },
        Command::Decode(arguments) => decode::decode(&arguments),
        Command::Dissector(arguments) => decode::dissector(&arguments),
        Command::Lag(lag) => lag::lag(&lag),
        Command::Bridge(bridge) => bridge::bridge(&bridge),
        Command::Watch(watch) => commands::watch(&watch),
        Command::Replay(arguments) => replay::replay(&arguments),
        Command::Stages => commands::stages(),
        Command::Assets { out } => commands::assets(&out),
        Command::Generate { directory } => commands::generate(&directory),
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => error_report::print(&error),
    }
}
