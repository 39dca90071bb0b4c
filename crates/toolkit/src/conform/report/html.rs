//! A report as one page that needs nothing else: what was asked, what was seen, and for each failure why it matters and what
//! was exchanged.

use std::fmt::Write;

use quick_xml::escape::escape;

use crate::conform::report::{CaseResult, Report, Verdict};

pub(super) const STYLE: &str = "\
:root { color-scheme: light dark; --line: #8884; --pass: #2a7d3f; --fail: #c0342b; --soft: #a86a00; --info: #2a6cb0; --none: #777; }\n\
body { font: 16px/1.5 system-ui, sans-serif; max-width: 62rem; margin: 2rem auto; padding: 0 1rem; }\n\
h1 { font-size: 1.5rem; margin-bottom: .2rem; } h2 { font-size: 1.1rem; margin: 2rem 0 .4rem; }\n\
table { border-collapse: collapse; width: 100%; } td, th { border-bottom: 1px solid var(--line); padding: .3rem .5rem; text-align: left; vertical-align: top; }\n\
code, pre { font: 13px/1.45 ui-monospace, monospace; } pre { overflow-x: auto; background: #8881; padding: .6rem; border-radius: .4rem; }\n\
blockquote { margin: .3rem 0; padding-left: .8rem; border-left: 3px solid var(--line); }\n\
summary { cursor: pointer; } .message { margin-left: 1rem; } .message code { white-space: pre-wrap; } .meta { color: var(--none); } .bar { display: flex; height: .8rem; border-radius: .4rem; overflow: hidden; margin: .6rem 0; }\n\
.v { font-weight: 600; white-space: nowrap; } .pass { color: var(--pass); } .fail { color: var(--fail); } .non-strict { color: var(--soft); }\n\
.informational { color: var(--info); } .skipped { color: var(--none); } .bar span { background: currentColor; }\n";

/// The whole page.
pub fn write(report: &Report) -> String {
    let title = format!("{} {} at {}", report.dialect, report.side, report.peer);
    let mut page = head(&title);
    let _ = writeln!(page, "<p class=\"meta\">{} · {}</p>", escape(&report.document), escape(&report.summary()));
    page += &bar(report);
    let verdict = if report.is_as_expected() { "Everything is as expected." } else { "There are deviations." };
    let _ = writeln!(page, "<p><strong>{verdict}</strong></p>");
    page += &deviations(report);
    page += &all(report);
    let _ = writeln!(
        page,
        "<h2>Fingerprint</h2>\n<p>Which reading of each ambiguous sentence the peer follows; ours is 1 everywhere.</p>"
    );
    let _ = writeln!(page, "<pre>{}</pre>", escape(&report.fingerprint));
    let _ = writeln!(
        page,
        "<p class=\"meta\">Volley {} · seed {} · round trip {} ms</p>\n</body></html>",
        escape(&report.version),
        report.seed,
        report.round_trip_ms
    );
    page
}

pub(super) fn head(title: &str) -> String {
    let title = escape(title);
    format!(
        "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><meta name=\"viewport\" content=\"width=device-width\">\n\
         <title>{title}</title>\n<style>\n{STYLE}</style></head><body>\n<h1>{title}</h1>\n"
    )
}

fn bar(report: &Report) -> String {
    let part = |verdict: Verdict| match report.count(verdict) {
        0 => String::new(),
        count => format!("<span class=\"{}\" style=\"flex:{count}\"></span>", verdict.name()),
    };
    format!("<div class=\"bar\">{}</div>\n", Verdict::ALL.map(part).concat())
}

fn deviations(report: &Report) -> String {
    let found: Vec<&CaseResult> =
        report.results.iter().filter(|result| result.is_deviation(report.is_strict)).collect();
    let mut text = String::new();
    if !found.is_empty() || !report.unmet.is_empty() {
        text += "<h2>Deviations</h2>\n";
    }
    text.extend(found.iter().map(|result| deviation(result)));
    for unmet in &report.unmet {
        let _ = writeln!(text, "<p>Expected, and not seen: {}</p>", escape(unmet));
    }
    text
}

fn deviation(result: &CaseResult) -> String {
    let mut text = format!(
        "<details open><summary><span class=\"v {0}\">{0}</span> <code>{1}</code> {2}</summary>\n",
        result.verdict.name(),
        escape(&result.number),
        prose(&result.title)
    );
    let _ = writeln!(text, "<p><strong>Seen:</strong> {}</p>", escape(&result.message));
    let _ = writeln!(text, "<blockquote>{}</blockquote>", escape(&result.clause));
    for ruling in &result.ruling_texts {
        let _ = writeln!(text, "<p class=\"meta\">Ruling {}</p>", prose(ruling));
    }
    let _ = writeln!(text, "<p>{}</p>", prose(&result.teaches));
    if let Some(reason) = &result.expected {
        let _ = writeln!(text, "<p>Expected: {}</p>", escape(reason));
    }
    text += &exchange(result);
    if let Some(pcap) = &result.pcap {
        let _ = writeln!(text, "<p>Capture: <a href=\"{0}\">{0}</a></p>", escape(pcap));
    }
    let _ = writeln!(text, "<p>Again: <code>{}</code></p></details>", escape(&result.command));
    text
}

/// A sentence, in which what stands between backticks is code.
fn prose(text: &str) -> String {
    let escaped = escape(text);
    let parts: Vec<&str> = escaped.split('`').collect();
    // One that is left alone is a backtick.
    if parts.len().is_multiple_of(2) {
        return escaped.into_owned();
    }
    let part = |(index, part): (usize, &&str)| match index % 2 {
        0 => (*part).to_owned(),
        _ => format!("<code>{part}</code>"),
    };
    parts.iter().enumerate().map(part).collect()
}

/// What was exchanged, each message with its bytes and its fields.
fn exchange(result: &CaseResult) -> String {
    if result.exchange.is_empty() {
        return String::new();
    }
    let mut text = String::from("<details><summary>What was exchanged</summary>\n");
    for line in &result.exchange {
        let _ = writeln!(
            text,
            "<details class=\"message\"><summary><code>{:>7} ms {} {} {}</code></summary><pre>{}\n",
            line.milliseconds,
            line.arrow,
            line.line,
            escape(&line.text),
            escape(&line.hex)
        );
        for field in &line.decoded {
            let _ = writeln!(text, "{}", escape(field));
        }
        text += "</pre></details>\n";
    }
    text + "</details>\n"
}

fn all(report: &Report) -> String {
    let mut text =
        String::from("<h2>All cases</h2>\n<table><tr><th>case</th><th>verdict</th><th>what is asked</th></tr>\n");
    for result in &report.results {
        let message = match result.message.as_str() {
            "" => String::new(),
            message => format!("<br><span class=\"meta\">{}</span>", escape(message)),
        };
        let _ = writeln!(
            text,
            "<tr><td><code>{}</code></td><td class=\"v {2}\">{2}</td><td>{3}{message}<br><span class=\"meta\">“{4}”{1}</span></td></tr>",
            escape(&result.number),
            rulings(result),
            result.verdict.name(),
            escape(&result.title),
            escape(&result.clause)
        );
    }
    text + "</table>\n"
}

/// The sentences of the rulings, each on a line of its own.
fn rulings(result: &CaseResult) -> String {
    result.ruling_texts.iter().map(|ruling| format!("<br>{}", escape(ruling))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_stands_between_backticks_is_code_and_the_rest_is_escaped() {
        assert_eq!(prose("below `0x20` & a `<`"), "below <code>0x20</code> &amp; a <code>&lt;</code>");
        assert_eq!(prose("a ` alone"), "a ` alone");
    }
}
