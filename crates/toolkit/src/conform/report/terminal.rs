//! A report as text: a line a case while it runs, and at the end what went wrong, with why and how to see it again.

use std::fmt::Write;

use crate::conform::report::{CaseResult, Report};

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
    if !result.rulings.is_empty() {
        let _ = writeln!(text, "  rulings   {}", result.rulings);
    }
    let _ = writeln!(text, "  why       {}", result.teaches);
    if let Some(reason) = &result.expected {
        let _ = writeln!(text, "  expected  {reason}");
    }
    for line in result.exchange.iter().rev().take(12).rev() {
        let _ = writeln!(text, "  {:>7} ms {} {} {}", line.milliseconds, line.arrow, line.line, line.text);
        let _ = writeln!(text, "             {}", line.hex);
    }
    if let Some(pcap) = &result.pcap {
        let _ = writeln!(text, "  capture   {pcap}");
    }
    let _ = writeln!(text, "  again     {}", result.command);
    text
}
