//! A report as text: a line a case while it runs, and at the end what went wrong, with why and how to see it again.

use std::fmt::Write;

use crate::{
    conform::report::{CaseResult, Report},
    decode::VIOLATION,
};

/// Messages of an exchange that are shown.
const SHOWN_MAX: usize = 12;

/// The line of a case that is done.
pub fn line(result: &CaseResult, done: usize, of: usize) -> String {
    let mut line = format!("[{done:>2}/{of}] {:<13} {:<7} {}", result.verdict.name(), result.number, result.title);
    if !result.message.is_empty() {
        let _ = write!(line, ": {}", result.message);
    }
    if result.tries > 1 {
        let _ = write!(line, " (tried {} times)", result.tries);
    }
    line
}

/// The report at the end.
pub fn report(report: &Report) -> String {
    let mut text = String::new();
    for result in report.results.iter().filter(|result| result.is_deviation(report.is_strict)) {
        text += &deviation(result);
    }
    for unmet in &report.unmet {
        let _ = writeln!(text, "\nexpected, and not seen: {unmet}");
    }
    let _ = writeln!(text, "\n{} {} at {}: {}", report.dialect, report.side, report.peer, report.summary());
    let _ = writeln!(text, "fingerprint: {}", report.fingerprint);
    text
}

fn deviation(result: &CaseResult) -> String {
    let mut text = format!("\n{} {}: {}\n", result.verdict.name().to_uppercase(), result.number, result.title);
    let _ = writeln!(text, "  seen      {}", result.message);
    let _ = writeln!(text, "  document  {}", result.clause);
    for ruling in &result.ruling_texts {
        let _ = writeln!(text, "  ruling    {ruling}");
    }
    let _ = writeln!(text, "  why       {}", result.teaches);
    if let Some(reason) = &result.expected {
        let _ = writeln!(text, "  expected  {reason}");
    }
    let shown = &result.exchange[result.exchange.len().saturating_sub(SHOWN_MAX)..];
    for (index, line) in shown.iter().enumerate() {
        let _ = writeln!(text, "  {:>7} ms {} {} {}", line.milliseconds, line.arrow, line.line, line.text);
        let _ = writeln!(text, "             {}", line.hex);
        // The last message is mostly the one that settled it; of the others only what is wrong is told.
        let is_last = index + 1 == shown.len();
        for field in line.decoded.iter().filter(|field| is_last || field.starts_with(VIOLATION)) {
            let _ = writeln!(text, "             {field}");
        }
    }
    if let Some(pcap) = &result.pcap {
        let _ = writeln!(text, "  capture   {pcap}");
    }
    let _ = writeln!(text, "  again     {}", result.command);
    text
}
