//! What a run found out, as it is written to JSON and read from it again. The other forms of a report are made from this:
//! `report/terminal.rs`, `report/junit.rs`, `report/html.rs`, and `report/comparison.rs` for several of them.

pub mod comparison;
pub mod html;
pub mod junit;
pub mod terminal;

use serde::{Deserialize, Serialize};

/// What a case tells of a peer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Verdict {
    Pass,
    Fail,
    /// It works, but against a recommendation of the document, or against a ruling of ours.
    NonStrict,
    /// It follows one of several readings.
    Informational,
    Skipped,
}

impl Verdict {
    pub const ALL: [Verdict; 5] =
        [Verdict::Pass, Verdict::Fail, Verdict::NonStrict, Verdict::Informational, Verdict::Skipped];

    pub fn name(self) -> &'static str {
        match self {
            Verdict::Pass => "pass",
            Verdict::Fail => "fail",
            Verdict::NonStrict => "non-strict",
            Verdict::Informational => "informational",
            Verdict::Skipped => "skipped",
        }
    }
}

/// What a case found out.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct CaseResult {
    pub number: String,
    pub title: String,
    /// The document's words.
    pub clause: String,
    pub rulings: String,
    /// The sentences of the rulings, each behind its number.
    #[serde(default)]
    pub ruling_texts: Vec<String>,
    pub teaches: String,
    pub verdict: Verdict,
    /// What was seen, or why it was skipped.
    pub message: String,
    /// Which reading the peer follows, if the case asks that.
    pub reading: Option<u8>,
    /// Whether something stood in the way that another case tells of.
    pub is_blocked: bool,
    /// Why this deviation is expected, if it is.
    pub expected: Option<String>,
    /// How often it was tried.
    pub tries: u32,
    pub milliseconds: u64,
    /// The end of what was exchanged, if it went wrong.
    pub exchange: Vec<ExchangeLine>,
    /// The file with all of it.
    pub pcap: Option<String>,
    /// What repeats just this case.
    pub command: String,
}

/// One message, for people.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct ExchangeLine {
    pub milliseconds: u64,
    /// `→` to the peer, `←` from it.
    pub arrow: String,
    /// Which of our addresses, counted from 0.
    pub line: usize,
    pub hex: String,
    pub text: String,
    /// The message field by field, and what is wrong with it.
    #[serde(default)]
    pub decoded: Vec<String>,
}

/// What a run found out.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Report {
    /// The version of Volley that tested.
    pub version: String,
    pub dialect: String,
    pub document: String,
    pub side: String,
    pub peer: String,
    pub seed: u64,
    pub round_trip_ms: u64,
    pub is_strict: bool,
    pub results: Vec<CaseResult>,
    pub fingerprint: String,
    /// Deviations that were expected and did not occur.
    pub unmet: Vec<String>,
}

impl CaseResult {
    /// Whether it counts against the peer.
    pub fn is_deviation(&self, is_strict: bool) -> bool {
        match self.verdict {
            Verdict::Fail => true,
            Verdict::Skipped => self.is_blocked,
            Verdict::NonStrict => is_strict,
            Verdict::Informational => is_strict && self.reading != Some(1),
            Verdict::Pass => false,
        }
    }
}

impl Report {
    /// As JSON.
    pub fn to_json(&self) -> String {
        serde_json::to_string_pretty(self)
            .map_or_else(|error| format!("{{\"error\": \"{error}\"}}"), |text| text + "\n")
    }

    /// One that was written as JSON.
    pub fn from_json(text: &str) -> Result<Report, serde_json::Error> {
        serde_json::from_str(text)
    }

    /// Deviations that nobody expected.
    pub fn deviations(&self) -> impl Iterator<Item = &CaseResult> {
        self.results.iter().filter(|result| result.is_deviation(self.is_strict) && result.expected.is_none())
    }

    /// Whether everything is as expected.
    pub fn is_as_expected(&self) -> bool {
        self.deviations().next().is_none() && self.unmet.is_empty()
    }

    pub fn count(&self, verdict: Verdict) -> usize {
        self.results.iter().filter(|result| result.verdict == verdict).count()
    }

    /// The counts of all verdicts, in words.
    pub fn summary(&self) -> String {
        let counts = Verdict::ALL.map(|verdict| (self.count(verdict), verdict.name()));
        let parts = counts.iter().filter(|(count, _)| *count > 0).map(|(count, name)| format!("{count} {name}"));
        parts.collect::<Vec<_>>().join(", ")
    }
}

/// The readings that a peer follows, in one line that can be compared with another's.
pub fn fingerprint(dialect: &str, side: &str, results: &[CaseResult]) -> String {
    let readings = results.iter().filter_map(|result| {
        let ruling = result.rulings.split(' ').next().unwrap_or_default();
        result.reading.map(|reading| format!(" {ruling}@{}={reading}", result.number))
    });
    format!("{dialect}/{side}{}", readings.collect::<String>())
}
