//! The kill matrix: which case finds which bug.

use std::{collections::BTreeMap, fs, sync::Mutex, time::Duration};

use protocol::Dialect;
use toolkit::conform::{
    case::{Case, Finding, Outcome, Stop},
    suite::{self, Suite, TestedSide},
    trial::Trial,
    trial_network::TrialNetwork,
};

use super::{
    bugs::{self, Bug},
    memory::{ClientMedium, NodeMedium},
};

fn network(suite: &Suite, bug: Option<&Bug>) -> Box<dyn TrialNetwork> {
    match suite.side {
        TestedSide::Server => Box::new(NodeMedium::new(suite.dialect, bug)),
        TestedSide::Client => Box::new(ClientMedium::new(suite.dialect, bug)),
    }
}

fn run(suite: &Suite, case: &Case, bug: Option<&Bug>) -> Outcome {
    let mut network = network(suite, bug);
    let mut trial = Trial::new(&mut *network, Duration::from_millis(17), 1);
    (case.run)(&mut trial)
}

/// Whether our own program has nothing to answer for.
fn is_clean(outcome: &Outcome) -> bool {
    matches!(outcome, Ok(Finding::Passed | Finding::Reads { number: 1, .. }))
}

/// Whether a case reports a bug, rather than something that stood in its way.
fn finds(outcome: &Outcome) -> bool {
    matches!(outcome, Err(Stop::Failed(_)) | Ok(Finding::Reads { number: 2.., .. }))
}

/// Which cases find each bug.
fn matrix(suite: &Suite) -> BTreeMap<&'static str, Vec<&'static str>> {
    let bugs = bugs::of(suite.dialect, suite.side);
    let found = bugs.iter().map(|bug| {
        let cases = suite.cases().filter(|case| finds(&run(suite, case, Some(bug)))).map(|case| case.number);
        (bug.name, cases.collect())
    });
    found.collect()
}

fn check(dialect: Dialect, side: TestedSide, cases_min: usize) {
    let suite = suite::find(dialect, side).expect("it has a suite");
    let mut faults = Vec::new();
    for case in suite.cases() {
        let outcome = run(suite, case, None);
        if !is_clean(&outcome) {
            faults.push(format!("{}: our own {} is found wanting: {outcome:?}", case.number, side.name()));
        }
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
    let matrix = matrix(suite);
    for (bug, cases) in &matrix {
        if cases.is_empty() {
            faults.push(format!("no case finds that it {bug}"));
        }
    }
    for case in suite.cases() {
        if !matrix.values().any(|cases| cases[..] == [case.number]) {
            let others: Vec<_> = matrix.iter().filter(|(_, cases)| cases.contains(&case.number)).collect();
            faults.push(format!("{}: no bug is found by it alone; {others:?}", case.number));
        }
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
    assert!(suite.cases().count() >= cases_min, "{} cases", suite.cases().count());
    compare_page(suite, &matrix);
}

/// The table of docs/conformance.md, or how to rewrite it.
fn compare_page(suite: &Suite, matrix: &BTreeMap<&'static str, Vec<&'static str>>) {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/conformance.md");
    let _turn = PAGE.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
    let page = fs::read_to_string(path).expect("the page");
    let mark = format!("<!-- matrix {} {} -->\n", suite.dialect.name(), suite.side.name());
    let (before, rest) = page.split_once(&mark).expect("the suite has its place");
    let (table, after) = rest.split_once("<!-- end -->").expect("the table ends");
    let wanted = table_of(suite, matrix);
    if std::env::var_os("RENEW_CONFORMANCE").is_some() {
        fs::write(path, format!("{before}{mark}{wanted}<!-- end -->{after}")).expect("written");
    } else {
        assert_eq!(table, wanted, "run this with RENEW_CONFORMANCE=1");
    }
}

/// One at a time changes the page.
static PAGE: Mutex<()> = Mutex::new(());

fn table_of(suite: &Suite, matrix: &BTreeMap<&'static str, Vec<&'static str>>) -> String {
    let mut table = String::from("\n| case | rulings | what is asked |\n|---|---|---|\n");
    for case in suite.cases() {
        table += &format!("| {} | {} | {} |\n", case.number, case.rulings, case.title);
    }
    table += "\n| a program that … | is found by |\n|---|---|\n";
    for bug in bugs::of(suite.dialect, suite.side) {
        table += &format!("| {} | {} |\n", bug.name, matrix[bug.name].join(", "));
    }
    table + "\n"
}

#[test]
fn every_case_of_rfc53952_servers_finds_a_bug_of_its_own() {
    check(Dialect::Rfc53952, TestedSide::Server, 25);
}

#[test]
fn every_case_of_rfc53952_clients_finds_a_bug_of_its_own() {
    check(Dialect::Rfc53952, TestedSide::Client, 12);
}

#[test]
fn every_case_of_snapshot_servers_finds_a_bug_of_its_own() {
    check(Dialect::Snapshot, TestedSide::Server, 25);
}

#[test]
fn every_case_of_snapshot_clients_finds_a_bug_of_its_own() {
    check(Dialect::Snapshot, TestedSide::Client, 12);
}

#[test]
fn every_case_of_typeuh_servers_finds_a_bug_of_its_own() {
    check(Dialect::Typeuh, TestedSide::Server, 25);
}

#[test]
fn every_case_of_typeuh_clients_finds_a_bug_of_its_own() {
    check(Dialect::Typeuh, TestedSide::Client, 12);
}

#[test]
fn every_case_of_aecs_servers_finds_a_bug_of_its_own() {
    check(Dialect::Aecs, TestedSide::Server, 25);
}

#[test]
fn every_case_of_aecs_clients_finds_a_bug_of_its_own() {
    check(Dialect::Aecs, TestedSide::Client, 12);
}

#[test]
fn every_case_of_rfc2020_servers_finds_a_bug_of_its_own() {
    check(Dialect::Rfc2020, TestedSide::Server, 25);
}

#[test]
fn every_case_of_rfc2020_clients_finds_a_bug_of_its_own() {
    check(Dialect::Rfc2020, TestedSide::Client, 12);
}
