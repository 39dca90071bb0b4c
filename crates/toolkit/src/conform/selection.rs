//! Which cases are run, and which deviations are known.

use super::{case::Case, report::Report, suite::Suite};
use crate::UserError;

/// Which cases are run: all of them, unless sections or cases are named.
#[derive(Clone, Debug, Default)]
pub struct Selection {
    pub sections: Vec<String>,
    pub cases: Vec<String>,
    /// Whether cases that take long are run too.
    pub slow: bool,
}

impl Selection {
    pub fn holds(&self, case: &Case) -> bool {
        let is_all = self.sections.is_empty() && self.cases.is_empty();
        is_all || self.names(case) || self.sections.iter().any(|name| is_in(case, name))
    }

    /// Whether a case is named itself, and not only its section.
    pub fn names(&self, case: &Case) -> bool {
        self.cases.iter().any(|name| name == case.number)
    }

    /// Refuses names that mean nothing.
    pub fn check(&self, suite: &Suite) -> Result<(), UserError> {
        let known = |test: &dyn Fn(&Case) -> bool| suite.cases().any(test);
        if let Some(name) = self.cases.iter().find(|name| !known(&|case| case.number == name.as_str())) {
            return Err(UserError(format!("there is no case {name}: --list shows all of them")));
        }
        match self.sections.iter().find(|name| !known(&|case| is_in(case, name))) {
            Some(name) => Err(UserError(format!("there is no case in section {name}: --list shows all of them"))),
            None => Ok(()),
        }
    }
}

/// Whether a case is in a section, or in one below it.
fn is_in(case: &Case, section: &str) -> bool {
    case.section().strip_prefix(section).is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
}

/// A deviation that is known: a line `NUMBER REASON` of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Expectation {
    number: String,
    reason: String,
}

/// Reads known deviations: a case and the reason on each line; lines that begin with `#` are comments.
pub fn read_expectations(text: &str) -> Result<Vec<Expectation>, UserError> {
    let lines = text.lines().enumerate().map(|(index, line)| (index + 1, line.trim()));
    let lines = lines.filter(|(_, line)| !line.is_empty() && !line.starts_with('#'));
    let read = lines.map(|(number, line)| match line.split_once(char::is_whitespace) {
        Some((case, reason)) => Ok(Expectation { number: case.into(), reason: reason.trim().into() }),
        None => Err(UserError(format!("line {number}: expected a case and the reason, such as `5.1-2 not yet done`"))),
    });
    read.collect()
}

/// Refuses expectations of cases that the suite does not have.
pub fn check_expectations(expectations: &[Expectation], suite: &Suite) -> Result<(), UserError> {
    let is_unknown = |expectation: &&Expectation| !suite.cases().any(|case| case.number == expectation.number);
    match expectations.iter().find(is_unknown) {
        Some(Expectation { number, .. }) => {
            Err(UserError(format!("there is no case {number}: --list shows all of them")))
        }
        None => Ok(()),
    }
}

/// Marks what was expected, and notes what was expected and did not occur.
pub fn apply(expectations: &[Expectation], report: &mut Report) {
    for Expectation { number, reason } in expectations {
        let is_strict = report.is_strict;
        let Some(result) = report.results.iter_mut().find(|result| result.number == *number) else { continue };
        if result.is_deviation(is_strict) {
            result.expected = Some(reason.clone());
        } else if result.verdict != super::report::Verdict::Skipped {
            report.unmet.push(format!("{number} ({reason}): it is {} now", result.verdict.name()));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_known_deviation_has_a_case_and_a_reason() {
        let read = read_expectations("# ours\n\n5.1-2  not yet done \n").expect("it is right");
        assert_eq!(read, [Expectation { number: "5.1-2".into(), reason: "not yet done".into() }]);
        let wrong = read_expectations("5.1-1 later\n5.1-2\n").expect_err("no reason");
        assert!(wrong.0.starts_with("line 2:"), "{wrong}");
    }
}
