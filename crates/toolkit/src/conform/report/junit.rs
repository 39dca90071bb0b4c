//! A report as JUnit XML, which build servers show.

use std::fmt::Write;

use quick_xml::escape::escape;

use crate::conform::report::{CaseResult, Report, Verdict};

/// The whole document.
pub fn write(report: &Report) -> String {
    let failures = report.deviations().count();
    let skipped = report.count(Verdict::Skipped);
    let name = format!("{} {}", report.dialect, report.side);
    let mut text = String::from("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n");
    let _ = writeln!(
        text,
        "<testsuite name=\"{}\" tests=\"{}\" failures=\"{failures}\" errors=\"0\" skipped=\"{skipped}\">",
        escape(&name),
        report.results.len()
    );
    for result in &report.results {
        text += &case(report, result);
    }
    text += "</testsuite>\n</testsuites>\n";
    text
}

fn case(report: &Report, result: &CaseResult) -> String {
    let class = format!("{}.{}", report.dialect, report.side);
    let title = format!("{} {}", result.number, result.title);
    let seconds = result.milliseconds as f64 / 1_000.0;
    let mut text =
        format!("<testcase classname=\"{}\" name=\"{}\" time=\"{seconds:.3}\"", escape(&class), escape(&title));
    let is_failure = result.is_deviation(report.is_strict) && result.expected.is_none();
    if is_failure {
        let body = format!("{}\n{}\n{}", result.clause, result.teaches, result.command);
        let _ =
            write!(text, "><failure message=\"{}\">{}</failure></testcase>", escape(&result.message), escape(&body));
    } else if result.verdict == Verdict::Skipped {
        let _ = write!(text, "><skipped message=\"{}\"/></testcase>", escape(&result.message));
    } else if result.message.is_empty() {
        text += "/>";
    } else {
        let said = format!("{}: {}", result.verdict.name(), result.message);
        let _ = write!(text, "><system-out>{}</system-out></testcase>", escape(&said));
    }
    text + "\n"
}
