//! How errors are reported: one line on standard error, and the exit code.

use std::{ffi::OsString, process::ExitCode};

use clap::CommandFactory;
use toolkit::UserError;

use crate::arguments::Arguments;

const EXIT_USER_ERROR: u8 = 2;
const EXIT_ERROR: u8 = 1;

/// Prints an error of a command.
pub fn print(error: &anyhow::Error) -> ExitCode {
    if let Some(UserError(what)) = error.downcast_ref::<UserError>() {
        eprintln!("volley: {}", one_line(what));
        return EXIT_USER_ERROR.into();
    }
    eprintln!("volley: {}", one_line(&format!("{error:#}")));
    EXIT_ERROR.into()
}

/// A name that somebody chose may contain line breaks, or worse.
fn one_line(text: &str) -> String {
    text.chars().map(|letter| if letter.is_control() { ' ' } else { letter }).collect()
}

/// Prints what is wrong with the arguments; or the help or the version, if that was asked for.
pub fn print_argument_error(error: &clap::Error) -> ExitCode {
    if !error.use_stderr() || error.kind() == clap::error::ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand {
        // A pager that quits early is not an error.
        let _ = error.print();
        return u8::try_from(error.exit_code()).unwrap_or(EXIT_USER_ERROR).into();
    }
    eprintln!("volley: {} (see {} --help)", reason(error), command_of(std::env::args_os().skip(1)));
    EXIT_USER_ERROR.into()
}

/// The command that the words of a command line name, as far as they do.
fn command_of(words: impl Iterator<Item = OsString>) -> String {
    let mut command = &Arguments::command();
    let mut path = command.get_name().to_owned();
    for word in words.filter_map(|word| word.into_string().ok()).filter(|word| !word.starts_with('-')) {
        let Some(named) = command.find_subcommand(&word) else { break };
        path += &format!(" {word}");
        command = named;
    }
    path
}

/// What is wrong with the arguments, in one line.
pub fn reason(error: &clap::Error) -> String {
    first_paragraphs(&error.to_string())
}

/// What clap prints before it explains the usage, in one line.
fn first_paragraphs(text: &str) -> String {
    let paragraphs = text.split("\n\n").take_while(|part| !part.starts_with("Usage:") && !part.starts_with("For more"));
    let lines: Vec<String> = paragraphs.map(|part| part.split_whitespace().collect::<Vec<_>>().join(" ")).collect();
    let message = lines.join("; ");
    message.strip_prefix("error: ").unwrap_or(&message).to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_error_is_one_line() {
        let text = "error: unexpected argument '--sede' found\n\n  tip: a similar argument exists: '--seed'\n\nUsage: x\n\nFor more information, try '--help'.\n";
        let expected = "unexpected argument '--sede' found; tip: a similar argument exists: '--seed'";
        assert_eq!(first_paragraphs(text), expected);
    }

    #[test]
    fn an_error_points_to_the_help_of_its_command() {
        let help = |line: &str| command_of(line.split(' ').map(OsString::from));
        assert_eq!(help("serve --http -1"), "volley serve");
        assert_eq!(help("bench capacity --most x"), "volley bench capacity");
        assert_eq!(["play", "--sede 2", "bench nothing"].map(help), ["volley", "volley", "volley bench"]);
    }
}
