//! `volley decode`: what is on the wire, explained field by field.
//!
//! A capture (`capture.rs`) becomes datagrams and segments (`layers.rs`); `decoder.rs` carries them to the session that they belong to
//! (`conversation.rs`), whose dialect is known by a port or `guess.rs`; TCP and WebSockets are put together in `streams.rs`. What was said is read
//! by the field table of the dialect (`explained.rs`) and printed (`output.rs`, `lines.rs`). Start reading at `decoder.rs`.

pub mod capture;
mod conversation;
mod decoder;
mod explained;
mod filter;
mod guess;
mod layers;
mod lines;
mod numbers;
mod output;
mod segments;
mod streams;
mod summary;
mod tcp;
mod websocket;

use std::{
    fs::File,
    io::{self, BufRead, BufReader, IsTerminal, Write},
    path::{Path, PathBuf},
    time::{Duration, Instant},
};

use anyhow::Context;
use protocol::Dialect;

pub use self::{
    decoder::Decoder,
    explained::{Explained, ExplainedPart, Part, Violation},
    filter::Filter,
    lines::{ExplanationLine, VIOLATION, explain, explain_with},
    output::{About, ExplanationOutput, Form},
    summary::Summary,
};
use crate::UserError;

/// How often progress is shown.
const PROGRESS_EVERY: Duration = Duration::from_millis(500);
/// How many records pass before the clock is looked at.
const RECORDS_PER_LOOK: u64 = 4096;

/// What to decode, and how to print it.
#[derive(Clone, Debug)]
pub struct Options {
    /// A capture, or text; `-` is standard input.
    pub input: PathBuf,
    /// The dialect, whatever the ports say.
    pub dialect: Option<Dialect>,
    pub filter: Option<Filter>,
    pub form: Form,
}

/// Decodes an input, and prints what it holds and a summary.
///
/// # Errors
/// A [`UserError`] if the input cannot be read or holds nothing of any dialect; otherwise what went wrong while printing.
pub fn run(options: &Options, out: impl Write) -> anyhow::Result<()> {
    let mut input = open(&options.input)?;
    let output = ExplanationOutput::new(out, options.form, options.filter.clone());
    let mut decoder = Decoder::new(options.dialect, output);
    let mut progress = Progress::default();
    let read = match capture::form(&mut input)? {
        capture::Form::Capture => capture::read_capture(input, |record| {
            progress.show(decoder.records());
            Ok(decoder.record(&record)?)
        }),
        capture::Form::Hex => capture::read_hex(input, |line| Ok(decoder.line(&line)?)),
    };
    progress.clear();
    let records = decoder.records();
    let (summary, mut output) = decoder.finish()?;
    match read {
        Err(error) if summary.explained == 0 || error.downcast_ref::<UserError>().is_none() => return Err(error),
        Err(error) => output.remark(records, &format!("{error:#}; what came before was read"))?,
        Ok(()) if summary.explained == 0 && summary.encrypted == 0 => {
            let what = format!(
                "nothing of any dialect is in these {records} records; if it should be, say which with --dialect"
            );
            return Err(UserError(what).into());
        }
        Ok(()) => {}
    }
    output.conclude(&summary).context("cannot write")
}

fn open(path: &Path) -> anyhow::Result<Box<dyn BufRead + Send>> {
    if path == Path::new("-") {
        return Ok(Box::new(BufReader::new(io::stdin())));
    }
    let file = File::open(path).map_err(|error| UserError(format!("cannot read {}: {error}", path.display())))?;
    Ok(Box::new(BufReader::new(file)))
}

/// A line on standard error, while nothing is printed on the terminal.
#[derive(Default)]
struct Progress {
    shown: Option<Instant>,
    is_shown: bool,
}

impl Progress {
    fn show(&mut self, records: u64) {
        if !records.is_multiple_of(RECORDS_PER_LOOK) || io::stdout().is_terminal() || !io::stderr().is_terminal() {
            return;
        }
        let now = Instant::now();
        let is_due = self.shown.is_none_or(|shown| now.duration_since(shown) >= PROGRESS_EVERY);
        if is_due {
            // A terminal that is gone is no reason to stop.
            let _ = write!(io::stderr(), "\rvolley: {records} records");
            self.shown = Some(now);
            self.is_shown = true;
        }
    }

    fn clear(&mut self) {
        if self.is_shown {
            let _ = write!(io::stderr(), "\r\x1b[K");
        }
    }
}
