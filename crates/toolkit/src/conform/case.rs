//! A case: one thing that a document or a ruling asks of a peer, and the function that tries it. A case is a line in the
//! table of its suite, made with [`must`], [`should`] or [`reading`].

use super::trial::Trial;

/// What a case found out.
pub type Outcome = Result<Finding, Stop>;

/// How a case ended that could be carried out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Finding {
    /// The peer does what is asked of it.
    Passed,
    /// The peer follows one reading of a sentence that can be read in several ways. Ours is the first.
    Reads {
        number: u8,
        /// What that reading is.
        text: String,
    },
}

/// Why a case ended early.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Stop {
    /// The peer does not do what is asked of it.
    Failed(String),
    /// The peer did not get as far as what is asked of it. Another case tells why.
    Blocked(String),
    /// It cannot be tried with this peer, or without something that the tester did not give.
    Skipped(String),
}

impl Stop {
    /// Nobody came to be tested.
    pub fn no_client() -> Stop {
        Stop::Blocked("no client came".into())
    }

    /// The same as something that only stands in the way of the case.
    pub fn in_the_way(self) -> Stop {
        match self {
            Stop::Failed(why) => Stop::Blocked(why),
            other => other,
        }
    }
}

/// Ends a case: the peer does not do what is asked of it.
pub fn failed<T>(why: impl Into<String>) -> Result<T, Stop> {
    Err(Stop::Failed(why.into()))
}

/// Ends a case unless something holds.
pub fn ensure(holds: bool, why: impl FnOnce() -> String) -> Result<(), Stop> {
    if holds { Ok(()) } else { Err(Stop::Failed(why())) }
}

/// The end of a case in which everything was as it should be.
pub const PASSED: Outcome = Ok(Finding::Passed);

/// The end of a case that found out how a sentence is read.
pub fn reads(number: u8, text: impl Into<String>) -> Outcome {
    Ok(Finding::Reads { number, text: text.into() })
}

/// The end of a case about a sentence that has two readings, of which ours is the first.
pub fn either(is_ours: bool, ours: &str, other: &str) -> Outcome {
    if is_ours { reads(1, ours) } else { reads(2, other) }
}

/// How binding the sentence is that a case tests.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Level {
    /// The document asks for it.
    Must,
    /// The document recommends it, or only our ruling asks for it.
    Should,
    /// The sentence can be read in several ways, and the case tells which one the peer follows.
    Reading,
}

/// What a case needs beside the peer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Needs {
    Nothing,
    /// More than half a minute: it runs with `--slow`.
    Time,
    /// Somebody who looks at the client: it runs with `--ask`.
    Person,
}

/// One thing that is asked of a peer.
#[derive(Clone, Copy, Debug)]
pub struct Case {
    /// The section of the document, and a number: `5.1-2`.
    pub number: &'static str,
    /// What a conforming peer does.
    pub title: &'static str,
    /// The rulings that it tests, separated by blanks; empty where the document alone is clear.
    pub rulings: &'static str,
    /// The document's own words.
    pub clause: &'static str,
    /// What goes wrong without it, and how to mend it.
    pub teaches: &'static str,
    pub level: Level,
    pub needs: Needs,
    /// Whether other cases that run at the same time would disturb it.
    pub is_alone: bool,
    pub run: fn(&mut Trial) -> Outcome,
}

/// The words of a case: number, title, rulings, the document's clause, what it teaches.
pub type Words = [&'static str; 5];

/// A case that the document asks for.
pub const fn must(words: Words, run: fn(&mut Trial) -> Outcome) -> Case {
    let [number, title, rulings, clause, teaches] = words;
    Case { number, title, rulings, clause, teaches, level: Level::Must, needs: Needs::Nothing, is_alone: false, run }
}

/// A case that the document recommends, or that only a ruling asks for.
pub const fn should(words: Words, run: fn(&mut Trial) -> Outcome) -> Case {
    Case { level: Level::Should, ..must(words, run) }
}

/// A case that finds out how a sentence is read.
pub const fn reading(words: Words, run: fn(&mut Trial) -> Outcome) -> Case {
    Case { level: Level::Reading, ..must(words, run) }
}

impl Case {
    /// The same, but it takes longer than half a minute.
    pub const fn slow(self) -> Case {
        Case { needs: Needs::Time, ..self }
    }

    /// The same, but somebody has to look at the client.
    pub const fn asks(self) -> Case {
        Case { needs: Needs::Person, ..self }
    }

    /// The same, but nothing else runs meanwhile.
    pub const fn alone(self) -> Case {
        Case { is_alone: true, ..self }
    }

    /// The section of the document that it belongs to.
    pub fn section(&self) -> &'static str {
        self.number.split_once('-').map_or(self.number, |(section, _)| section)
    }
}
