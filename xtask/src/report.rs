//! What became of each step of a long run. A failed step does not end the run; the summary at the end has them all.

use std::{env, fmt, process::ExitCode, time::Duration};

use anyhow::Result;

use crate::step;

/// Whether this is a build server, which says so by `CI=true`.
pub fn is_ci() -> bool {
    env::var("CI").is_ok_and(|ci| !matches!(ci.as_str(), "" | "0" | "false"))
}

/// The steps so far, in their order.
pub struct Report {
    entries: Vec<Entry>,
    /// On a build server nobody reads about a skipped part: there it counts as failed.
    skipping_fails: bool,
}

struct Entry {
    title: String,
    outcome: Outcome,
}

enum Outcome {
    Passed(Duration),
    Failed(anyhow::Error),
    Skipped(String),
}

impl Report {
    pub fn new(skipping_fails: bool) -> Report {
        Report { entries: Vec::new(), skipping_fails }
    }

    /// Runs a step, notes what became of it, and returns whether it passed.
    pub fn step(&mut self, title: &str, next: &str, work: impl FnOnce() -> Result<()>) -> bool {
        let outcome = match step::step(title, next, work) {
            Ok(took) => Outcome::Passed(took),
            Err(error) => {
                println!("xtask: {error:#}");
                Outcome::Failed(error)
            }
        };
        let passed = matches!(outcome, Outcome::Passed(_));
        self.entries.push(Entry { title: title.to_owned(), outcome });
        passed
    }

    /// Notes a part that cannot run here.
    pub fn skip(&mut self, title: &str, reason: impl fmt::Display) {
        println!("xtask: {title}: SKIPPED: {reason:#}");
        let outcome = Outcome::Skipped(format!("{reason:#}"));
        self.entries.push(Entry { title: title.to_owned(), outcome });
    }

    pub fn exit_code(&self) -> ExitCode {
        if self.failed().count() == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE }
    }

    fn failed(&self) -> impl Iterator<Item = &Entry> {
        self.entries.iter().filter(|entry| match entry.outcome {
            Outcome::Passed(_) => false,
            Outcome::Failed(_) => true,
            Outcome::Skipped(_) => self.skipping_fails,
        })
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "xtask: summary")?;
        for Entry { title, outcome } in &self.entries {
            match outcome {
                Outcome::Passed(took) => writeln!(f, "  ok       {title}, {:.1} s", took.as_secs_f64())?,
                Outcome::Failed(error) => writeln!(f, "  FAILED   {error:#}")?,
                Outcome::Skipped(reason) => writeln!(f, "  SKIPPED  {title}: {reason}")?,
            }
        }
        let (failed, skipped) = (self.failed().count(), self.skipped());
        match (failed, skipped) {
            (0, 0) => write!(f, "xtask: all is well"),
            (0, _) => write!(f, "xtask: all is well that was tested; {skipped} skipped"),
            _ if self.skipping_fails && skipped > 0 => {
                write!(f, "xtask: {failed} of {} steps failed; with CI set, a skipped one fails", self.entries.len())
            }
            _ => write!(f, "xtask: {failed} of {} steps failed", self.entries.len()),
        }
    }
}

impl Report {
    fn skipped(&self) -> usize {
        self.entries.iter().filter(|entry| matches!(entry.outcome, Outcome::Skipped(_))).count()
    }
}

#[cfg(test)]
mod tests {
    use anyhow::bail;

    use super::*;

    #[test]
    fn a_failed_step_does_not_end_the_run_and_the_summary_has_all() {
        let mut report = Report::new(false);
        assert!(!report.step("lints", "mend them", || bail!("two warnings")));
        assert!(report.step("tests", "mend them", || Ok(())));
        let summary = report.to_string();
        assert!(summary.contains("FAILED   lints") && summary.contains("two warnings"), "{summary}");
        assert!(summary.contains("ok       tests"), "{summary}");
        assert!(summary.ends_with("1 of 2 steps failed"), "{summary}");
        assert_eq!(report.exit_code(), ExitCode::FAILURE);
    }

    #[test]
    fn a_skipped_part_fails_on_a_build_server_only() {
        for (skipping_fails, code) in [(false, ExitCode::SUCCESS), (true, ExitCode::FAILURE)] {
            let mut report = Report::new(skipping_fails);
            report.skip("browser", "there is none");
            assert_eq!(report.exit_code(), code);
            assert!(report.to_string().contains("SKIPPED  browser: there is none"));
        }
    }

    #[test]
    fn a_run_without_a_fault_says_so() {
        let mut report = Report::new(true);
        assert!(report.step("tests", "mend them", || Ok(())));
        assert!(report.to_string().ends_with("all is well"));
        assert_eq!(report.exit_code(), ExitCode::SUCCESS);
    }
}
