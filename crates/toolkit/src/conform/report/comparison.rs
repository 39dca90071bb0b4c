//! Several reports side by side: a row a case, a column a peer.

use std::{collections::BTreeMap, fmt::Write};

use quick_xml::escape::escape;

use crate::conform::report::{CaseResult, Report, html};

/// The rows: cases in the order in which the reports name them first.
fn rows(reports: &[Report]) -> Vec<(String, String)> {
    let mut rows: Vec<(String, String)> = Vec::new();
    for report in reports {
        for result in &report.results {
            let row = (format!("{}/{} {}", report.dialect, report.side, result.number), result.title.clone());
            if !rows.contains(&row) {
                rows.push(row);
            }
        }
    }
    rows
}

fn columns(reports: &[Report]) -> Vec<BTreeMap<String, &CaseResult>> {
    let column = |report: &'_ Report| -> Vec<String> {
        report.results.iter().map(|result| format!("{}/{} {}", report.dialect, report.side, result.number)).collect()
    };
    reports.iter().map(|report| column(report).into_iter().zip(&report.results).collect()).collect()
}

fn verdict(result: Option<&&CaseResult>) -> String {
    match result {
        None => "–".into(),
        Some(result) => match result.reading {
            Some(reading) => format!("reading {reading}"),
            None => result.verdict.name().to_owned(),
        },
    }
}

/// As text.
pub fn text(reports: &[Report]) -> String {
    let columns = columns(reports);
    let mut text = String::new();
    for (number, report) in reports.iter().enumerate() {
        let _ = writeln!(
            text,
            "{}: {} {} at {}: {}",
            number + 1,
            report.dialect,
            report.side,
            report.peer,
            report.summary()
        );
        let _ = writeln!(text, "   {}", report.fingerprint);
    }
    let _ = write!(text, "\n{:<28}", "case");
    for number in 1..=reports.len() {
        let _ = write!(text, "{number:<14}");
    }
    text.push('\n');
    for (row, title) in rows(reports) {
        let _ = write!(text, "{row:<28}");
        for column in &columns {
            let _ = write!(text, "{:<14}", verdict(column.get(&row)));
        }
        let _ = writeln!(text, "{title}");
    }
    text
}

/// As one page.
pub fn page(reports: &[Report]) -> String {
    let columns = columns(reports);
    let mut page = html::head("Several peers side by side");
    page += "<table><tr><th>case</th><th>what is asked</th>";
    for report in reports {
        let _ = write!(
            page,
            "<th>{}<br><span class=\"meta\">{}</span></th>",
            escape(&report.peer),
            escape(&report.summary())
        );
    }
    page += "</tr>\n";
    for (row, title) in rows(reports) {
        let _ = write!(page, "<tr><td><code>{}</code></td><td>{}</td>", escape(&row), escape(&title));
        for column in &columns {
            let result = column.get(&row);
            let class = result.map_or("skipped", |result| result.verdict.name());
            let _ = write!(page, "<td class=\"v {class}\">{}</td>", verdict(result));
        }
        page += "</tr>\n";
    }
    page += "</table>\n<h2>Fingerprints</h2>\n<pre>";
    for report in reports {
        let _ = writeln!(page, "{}  {}", escape(&report.fingerprint), escape(&report.peer));
    }
    page + "</pre>\n</body></html>\n"
}
