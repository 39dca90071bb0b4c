//! The options of `volley conform`.

use std::{net::SocketAddr, path::PathBuf};

use clap::{Args, Subcommand};
use protocol::Dialect;

use super::values::seed;

/// What is tested, or reported.
#[derive(Debug, Subcommand)]
pub enum Conform {
    /// Test a server.
    ///
    /// Runs every case of a dialect against a server that is running: yours or ours.
    #[command(after_help = SERVER_EXAMPLES)]
    Server(ConformServer),
    /// Test a client.
    ///
    /// Listens as a server would. For each case a client has to connect again: give the command that starts it behind
    /// `--`, or start it by hand when you are asked to. Its player should fly about and fire; otherwise, cases that
    /// need keys are skipped.
    #[command(after_help = CLIENT_EXAMPLES)]
    Client(ConformClient),
    /// Show reports of several peers side by side.
    Report {
        /// The reports, as written with --json.
        #[arg(required = true, value_name = "FILE.json")]
        reports: Vec<PathBuf>,
        /// Write the table to this file as one HTML page.
        #[arg(long, value_name = "FILE.html")]
        html: Option<PathBuf>,
    },
}

/// The options of `volley conform server`.
#[derive(Debug, Args)]
pub struct ConformServer {
    /// The server.
    #[arg(long, value_name = "HOST:PORT", required_unless_present = "list")]
    pub to: Option<String>,

    /// How many cases run at once. A server needs a seat for each player of each case, up to five.
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..=64))]
    pub jobs: u32,

    #[command(flatten)]
    pub cases: Cases,
}

/// The options of `volley conform client`.
#[derive(Debug, Args)]
pub struct ConformClient {
    /// Where the client connects, over UDP and TCP.
    #[arg(long, value_name = "ADDRESS:PORT", default_value = "127.0.0.1:4300")]
    pub listen: SocketAddr,

    /// Ask whether the client shows what it should. Answers are lines of y or n on standard input.
    #[arg(long)]
    pub ask: bool,

    /// How many seconds to wait for a client.
    #[arg(long, value_name = "SECONDS", default_value_t = 60, value_parser = clap::value_parser!(u32).range(1..=3600))]
    pub wait: u32,

    #[command(flatten)]
    pub cases: Cases,

    /// The command that starts the client; it is started for each case, and ended after it.
    #[arg(last = true, value_name = "COMMAND")]
    pub command: Vec<String>,
}

/// Which cases, and what becomes of their results.
#[derive(Debug, Args)]
pub struct Cases {
    #[arg(long, value_name = "NAME", value_parser = dialect, help = dialect_help())]
    pub dialect: Dialect,

    /// List the cases instead of running them.
    #[arg(long)]
    pub list: bool,

    /// Run only the cases of this section of the document, and of those below it. May be given several times.
    #[arg(long, value_name = "SECTION")]
    pub section: Vec<String>,

    /// Run only this case. May be given several times.
    #[arg(long, value_name = "NUMBER")]
    pub case: Vec<String>,

    /// Also run cases that take minutes.
    #[arg(long)]
    pub slow: bool,

    /// Count non-strict verdicts, and every reading that is not ours, as deviations.
    #[arg(long)]
    pub strict: bool,

    /// A file of known deviations: a case and the reason on each line. Exit code 1: a deviation is not listed, or a
    /// listed one is gone.
    #[arg(long, value_name = "FILE")]
    pub expect: Option<PathBuf>,

    /// Write the report to this file as JSON.
    #[arg(long, value_name = "FILE.json")]
    pub json: Option<PathBuf>,

    /// Write the report to this file as JUnit XML.
    #[arg(long, value_name = "FILE.xml")]
    pub junit: Option<PathBuf>,

    /// Write the report to this file as one HTML page; captures of failures (.pcap) go beside it.
    #[arg(long, value_name = "FILE.html")]
    pub html: Option<PathBuf>,

    /// The seed of the bytes that are left to chance [default: random; it is shown].
    #[arg(long, value_name = "N", allow_negative_numbers = true, value_parser = seed)]
    pub seed: Option<u64>,
}

fn dialect(text: &str) -> Result<Dialect, String> {
    let found = Dialect::with_ports().find(|dialect| dialect.name() == text);
    found.ok_or_else(|| format!("expected one of {}", names().join(", ")))
}

fn dialect_help() -> String {
    let names = names();
    let (last, others) = names.split_last().unwrap_or((&"", &[]));
    format!("The dialect: {} or {last}", others.join(", "))
}

fn names() -> Vec<&'static str> {
    Dialect::with_ports().map(Dialect::name).collect()
}

pub(super) const CONFORM_EXAMPLES: &str = "\
Exit codes: 0 as expected, 1 deviations, 2 could not run.

Examples:
  volley conform server --dialect snapshot --to localhost:4243
  volley conform client --dialect snapshot --listen 127.0.0.1:4300
  volley conform report mine.json theirs.json";

const SERVER_EXAMPLES: &str = "\
Examples:
  volley conform server --dialect snapshot --to localhost:4243 --html report.html
  volley conform server --dialect snapshot --to localhost:4243 --case 4.1-2
  volley conform server --dialect rfc2020 --to localhost:4244 --section 5 --strict
  volley conform server --dialect aecs --list";

const CLIENT_EXAMPLES: &str = "\
Examples:
  volley conform client --dialect snapshot                          start your client when you are told
  volley conform client --dialect snapshot -- ./my-client 127.0.0.1 4300
  volley conform client --dialect rfc53952 --ask --html report.html";
