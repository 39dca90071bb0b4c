//! `volley conform`: turns arguments into cases to run, and what they found into reports and an exit code.

use std::{
    fs,
    net::{SocketAddr, ToSocketAddrs},
    path::{Path, PathBuf},
    process::ExitCode,
    time::Duration,
};

use toolkit::{
    UserError,
    conform::{
        report::{CaseResult, Report, comparison, html, junit, terminal},
        runner::{self, Options, TestedPeer},
        selection::{self, Expectation, Selection},
        suite::{self, Suite, TestedSide},
        trial::CLIENT_WAIT,
    },
    watch,
};

use crate::{
    arguments::{Cases, Conform, ConformClient, ConformServer},
    commands::print,
    signals::stop_on_signals,
};

/// The exit code if there are deviations that nobody expected.
const EXIT_DEVIATIONS: u8 = 1;

/// `volley conform`.
pub fn conform(arguments: &Conform) -> anyhow::Result<ExitCode> {
    match arguments {
        Conform::Server(server) => test_server(server),
        Conform::Client(client) => test_client(client),
        Conform::Report { reports, html } => compare(reports, html.as_deref()),
    }
}

fn test_server(arguments: &ConformServer) -> anyhow::Result<ExitCode> {
    let suite = suite_of(&arguments.cases, TestedSide::Server)?;
    let Some(to) = arguments.to.as_ref().filter(|_| !arguments.cases.list) else { return list(suite) };
    let peer = TestedPeer::Server { address: resolve(to)?, name: to.clone() };
    test(&arguments.cases, suite, |options| Options { peer, jobs: arguments.jobs as usize, ..options })
}

fn test_client(arguments: &ConformClient) -> anyhow::Result<ExitCode> {
    let suite = suite_of(&arguments.cases, TestedSide::Client)?;
    if arguments.cases.list {
        return list(suite);
    }
    let peer = TestedPeer::Client { listen: arguments.listen, command: arguments.command.clone() };
    let client_wait = Duration::from_secs(arguments.wait.into());
    test(&arguments.cases, suite, |options| Options { peer, asks: arguments.ask, client_wait, ..options })
}

fn suite_of(cases: &Cases, side: TestedSide) -> anyhow::Result<&'static Suite> {
    let found = suite::find(cases.dialect, side);
    let text = || format!("there are no cases for a {} of {} yet", side.name(), cases.dialect.name());
    Ok(found.ok_or_else(|| UserError(text()))?)
}

fn test(cases: &Cases, suite: &'static Suite, choose: impl FnOnce(Options) -> Options) -> anyhow::Result<ExitCode> {
    let selection = Selection { sections: cases.section.clone(), cases: cases.case.clone(), slow: cases.slow };
    selection.check(suite)?;
    let expectations = cases.expect.as_deref().map_or(Ok(Vec::new()), |path| expectations(path, suite))?;
    check_paths(cases)?;
    let nowhere = TestedPeer::Client { listen: SocketAddr::from(([127, 0, 0, 1], 0)), command: Vec::new() };
    let options = choose(Options {
        suite,
        peer: nowhere,
        selection,
        jobs: 1,
        is_strict: cases.strict,
        asks: false,
        client_wait: CLIENT_WAIT,
        seed: cases.seed.unwrap_or_else(watch::any_seed),
        captures: captures(cases),
    });
    let progress = |result: &CaseResult, done: usize, of: usize| eprintln!("{}", terminal::line(result, done, of));
    let mut report = runner::run(&options, &*stop_on_signals()?, &progress)?;
    selection::apply(&expectations, &mut report);
    // What can be shown is shown, even if a file can no longer be written.
    print(&terminal::report(&report))?;
    write_reports(cases, &report)?;
    Ok(if report.is_as_expected() { ExitCode::SUCCESS } else { EXIT_DEVIATIONS.into() })
}

fn expectations(path: &Path, suite: &Suite) -> Result<Vec<Expectation>, UserError> {
    let read = selection::read_expectations(&read(path)?);
    let checked = read.and_then(|read| selection::check_expectations(&read, suite).map(|()| read));
    checked.map_err(|UserError(why)| UserError(format!("{}: {why}", path.display())))
}

/// Refuses reports that could not be written, before minutes are spent on them.
fn check_paths(cases: &Cases) -> Result<(), UserError> {
    for path in report_paths(cases) {
        let is_new = !path.exists();
        let opened = fs::File::options().append(true).create(true).open(path);
        opened.map_err(|error| UserError(format!("cannot write {}: {error}", path.display())))?;
        if is_new {
            // A run that fails leaves nothing behind.
            let _ = fs::remove_file(path);
        }
    }
    Ok(())
}

fn report_paths(cases: &Cases) -> impl Iterator<Item = &PathBuf> {
    [&cases.html, &cases.json, &cases.junit].into_iter().flatten()
}

/// Captures go beside the first report that there is.
fn captures(cases: &Cases) -> Option<PathBuf> {
    let beside = report_paths(cases).next()?;
    let directory = beside.parent().filter(|parent| !parent.as_os_str().is_empty());
    Some(directory.unwrap_or(Path::new(".")).to_owned())
}

fn write_reports(cases: &Cases, report: &Report) -> anyhow::Result<()> {
    if let Some(path) = &cases.json {
        write(path, &report.to_json())?;
    }
    if let Some(path) = &cases.junit {
        write(path, &junit::write(report))?;
    }
    if let Some(path) = &cases.html {
        write(path, &html::write(report))?;
    }
    Ok(())
}

fn list(suite: &Suite) -> anyhow::Result<ExitCode> {
    let lines = suite.cases().map(|case| format!("{:<7} {:<9} {}\n", case.number, case.rulings, case.title));
    print(&lines.collect::<String>())?;
    Ok(ExitCode::SUCCESS)
}

fn compare(paths: &[PathBuf], page: Option<&Path>) -> anyhow::Result<ExitCode> {
    let read_report = |path: &PathBuf| -> anyhow::Result<Report> {
        let not_one = |error: &dyn std::fmt::Display| {
            UserError(format!("{} is not a report written with --json: {error}", path.display()))
        };
        Ok(Report::from_json(&read(path)?).map_err(|error| not_one(&error))?)
    };
    let reports = paths.iter().map(read_report).collect::<anyhow::Result<Vec<Report>>>()?;
    if let Some(path) = page {
        write(path, &comparison::page(&reports))?;
    }
    print(&comparison::text(&reports))?;
    Ok(ExitCode::SUCCESS)
}

fn read(path: &Path) -> Result<String, UserError> {
    fs::read_to_string(path).map_err(|error| UserError(format!("cannot read {}: {error}", path.display())))
}

fn write(path: &Path, text: &str) -> Result<(), UserError> {
    fs::write(path, text).map_err(|error| UserError(format!("cannot write {}: {error}", path.display())))
}

fn resolve(name: &str) -> Result<SocketAddr, UserError> {
    let cannot = |why: String| UserError(format!("cannot find {name}: {why}; expected HOST:PORT"));
    let mut found = name.to_socket_addrs().map_err(|error| cannot(error.to_string()))?;
    // A name may have addresses of both kinds; servers of these dialects mostly listen at those of IPv4.
    let first = found.next().ok_or_else(|| cannot("it has no address".into()))?;
    Ok(if first.is_ipv4() { first } else { found.find(SocketAddr::is_ipv4).unwrap_or(first) })
}
