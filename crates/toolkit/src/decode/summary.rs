//! What a capture shows as a whole: sessions with their rates, losses, repeats and round trips, and violations by kind.

use std::{collections::BTreeMap, fmt, time::Duration};

use protocol::field_table::Sender;

use super::{
    conversation::{Conversation, SenderTotals},
    explained::bracketed,
};

/// Sessions that are listed one by one.
const LISTED_MAX: usize = 50;

/// Sums over a capture.
#[derive(Debug, Default)]
pub struct Summary {
    pub records: u64,
    /// Datagrams and messages that were explained.
    pub explained: u64,
    pub malformed: u64,
    /// Records of other protocols, and ones that cannot be read.
    pub foreign: u64,
    pub damaged: u64,
    pub cut: u64,
    pub encrypted: u64,
    pub sessions: Vec<SessionSummary>,
    /// By dialect, reference and what it is.
    pub violations: BTreeMap<(&'static str, String, String), u64>,
}

/// One session.
#[derive(Debug)]
pub struct SessionSummary {
    number: usize,
    dialect: &'static str,
    ends: String,
    lobby: Option<String>,
    certainty: Option<f64>,
    client: SenderTotals,
    server: SenderTotals,
    /// How many, the median and the longest.
    round_trips: Option<(usize, Duration, Duration)>,
}

impl Summary {
    /// Adds a session that is over.
    pub fn add(&mut self, conversation: &Conversation) {
        for ((reference, what), count) in &conversation.violations {
            let key = (conversation.dialect.name(), reference.clone(), what.clone());
            *self.violations.entry(key).or_default() += count;
        }
        let mut trips = conversation.round_trips.clone();
        trips.sort_unstable();
        let longest = trips.last().copied();
        self.sessions.push(SessionSummary {
            number: conversation.number,
            dialect: conversation.dialect.name(),
            ends: format!("{} ↔ {}", conversation.client, conversation.server),
            lobby: conversation.lobby.clone(),
            certainty: conversation.certainty,
            client: *conversation.said(Sender::Client),
            server: *conversation.said(Sender::Server),
            round_trips: longest.map(|longest| (trips.len(), trips[trips.len() / 2], longest)),
        });
    }

    /// One line of JSON.
    pub fn to_json(&self) -> String {
        let sessions: Vec<_> = self.sessions.iter().map(SessionSummary::to_json).collect();
        let violation = |((dialect, reference, what), count): (&(&str, String, String), &u64)| serde_json::json!({ "dialect": dialect, "reference": reference, "what": what, "count": count });
        let violations: Vec<_> = self.violations.iter().map(violation).collect();
        serde_json::json!({ "summary": {
            "records": self.records, "explained": self.explained, "malformed": self.malformed, "foreign": self.foreign,
            "damaged": self.damaged, "cut": self.cut, "encrypted": self.encrypted,
            "sessions": sessions, "violations": violations,
        } })
        .to_string()
    }
}

impl SessionSummary {
    fn to_json(&self) -> serde_json::Value {
        let said = |said: &SenderTotals| {
            serde_json::json!({
                "messages": said.messages, "bytes": said.bytes, "malformed": said.malformed,
                "lost": said.lost(), "repeated": said.repeated, "per_second": said.per_second(),
            })
        };
        let ms = |time: Duration| time.as_secs_f64() * 1000.0;
        serde_json::json!({
            "session": self.number, "dialect": self.dialect, "ends": self.ends, "lobby": self.lobby,
            "certainty": self.certainty, "client": said(&self.client), "server": said(&self.server),
            "round_trips": self.round_trips.map(|(count, median, longest)| {
                serde_json::json!({ "count": count, "median_ms": ms(median), "longest_ms": ms(longest) })
            }),
        })
    }
}

impl SenderTotals {
    /// Messages a second; none if there was one alone.
    pub fn per_second(&self) -> f64 {
        let seconds = self.first.map_or(0.0, |first| self.last.saturating_sub(first).as_secs_f64());
        if seconds > 0.0 { (self.messages - 1) as f64 / seconds } else { 0.0 }
    }
}

impl fmt::Display for Summary {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let Summary { records, explained, malformed, foreign, damaged, cut, encrypted, .. } = self;
        writeln!(f, "{records} records, {explained} datagrams and messages explained, {malformed} of them malformed")?;
        let others = [(foreign, "of other protocols"), (damaged, "damaged"), (cut, "cut"), (encrypted, "encrypted")];
        let others: Vec<_> =
            others.iter().filter(|(count, _)| **count > 0).map(|(count, what)| format!("{count} {what}")).collect();
        if !others.is_empty() {
            writeln!(f, "records {}", others.join(", "))?;
        }
        for session in self.sessions.iter().take(LISTED_MAX) {
            write!(f, "{session}")?;
        }
        if self.sessions.len() > LISTED_MAX {
            writeln!(f, "and {} more sessions", self.sessions.len() - LISTED_MAX)?;
        }
        for ((dialect, reference, what), count) in &self.violations {
            writeln!(f, "violation  {count:>7} ×  {dialect}  {what}{}", bracketed(reference))?;
        }
        Ok(())
    }
}

impl fmt::Display for SessionSummary {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        write!(f, "session {}  {}  {}", self.number, self.dialect, self.ends)?;
        if let Some(lobby) = &self.lobby {
            write!(f, "  lobby {lobby}")?;
        }
        if let Some(certainty) = self.certainty {
            write!(f, "  guessed, {:.0} % sure", certainty * 100.0)?;
        }
        writeln!(f)?;
        for (name, said) in [("client", &self.client), ("server", &self.server)] {
            let SenderTotals { messages, bytes, repeated, malformed, .. } = said;
            // Where nothing is numbered, nobody can tell what is missing.
            let lost = said.lost().map_or(String::new(), |lost| format!("{lost} lost, "));
            writeln!(
                f,
                "  {name}  {messages} messages, {:.1}/s, {bytes} bytes; {lost}{repeated} repeated, {malformed} malformed",
                said.per_second()
            )?;
        }
        if let Some((count, median, longest)) = self.round_trips {
            let ms = |time: Duration| time.as_secs_f64() * 1000.0;
            writeln!(f, "  round trips  {count}: median {:.2} ms, longest {:.2} ms", ms(median), ms(longest))?;
        }
        Ok(())
    }
}
