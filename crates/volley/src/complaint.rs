//! How mistakes and faults are told: one line on standard error, and the exit code.

use std::process::ExitCode;

use toolkit::Mistake;

const MISTAKE: u8 = 2;
const FAULT: u8 = 1;

/// Tells what went wrong in a command.
pub fn about(error: &anyhow::Error) -> ExitCode {
    if let Some(Mistake(what)) = error.downcast_ref::<Mistake>() {
        eprintln!("volley: {}", one_line(what));
        return MISTAKE.into();
    }
    eprintln!("volley: {}", one_line(&format!("{error:#}")));
    FAULT.into()
}

/// A name that somebody chose may have line ends in it, and worse.
fn one_line(text: &str) -> String {
    text.chars().map(|letter| if letter.is_control() { ' ' } else { letter }).collect()
}

/// Tells what is wrong with the arguments; or prints the help or the version, if that was asked for.
pub fn about_arguments(error: &clap::Error) -> ExitCode {
    if !error.use_stderr() || error.kind() == clap::error::ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand {
        // A reader of the help who has seen enough and goes is no error.
        let _ = error.print();
        return u8::try_from(error.exit_code()).unwrap_or(MISTAKE).into();
    }
    eprintln!("volley: {} (see volley --help)", reason(error));
    MISTAKE.into()
}

/// What is wrong with the arguments, in one line.
pub fn reason(error: &clap::Error) -> String {
    first_paragraphs(&error.to_string())
}

/// What clap says before it explains the usage, in one line.
fn first_paragraphs(text: &str) -> String {
    let paragraphs = text.split("\n\n").take_while(|part| !part.starts_with("Usage:") && !part.starts_with("For more"));
    let lines: Vec<String> = paragraphs.map(|part| part.split_whitespace().collect::<Vec<_>>().join(" ")).collect();
    let said = lines.join("; ");
    said.strip_prefix("error: ").unwrap_or(&said).to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_complaint_is_one_line() {
        let text = "error: unexpected argument '--sede' found\n\n  tip: a similar argument exists: '--seed'\n\nUsage: x\n\nFor more information, try '--help'.\n";
        let expected = "unexpected argument '--sede' found; tip: a similar argument exists: '--seed'";
        assert_eq!(first_paragraphs(text), expected);
    }
}
