//! Runs the cases of a suite against a peer over real sockets: side by side where the peer allows it, failures more than
//! once. Start reading at [`run`].

use std::{
    fs::File,
    io::BufWriter,
    net::SocketAddr,
    panic::resume_unwind,
    path::PathBuf,
    process::{Child, Command, Stdio},
    sync::{
        Mutex, PoisonError,
        atomic::{AtomicBool, AtomicUsize, Ordering},
    },
    thread,
    time::{Duration, Instant},
};

use anyhow::Context;

use super::{
    capture,
    case::{Case, Finding, Level, Needs, Outcome, Stop},
    exchange, repeat,
    report::{CaseResult, Report, Verdict, fingerprint},
    rulings,
    selection::Selection,
    sockets::Sockets,
    suite::{Suite, TestedSide},
    trial::{Exchanged, Trial, TrialDirection},
    trial_network::TrialNetwork,
};
use crate::UserError;

/// A case that something stood in the way of is tried again after this long: a full server has then noticed that players are gone, which
/// may take five seconds.
const BLOCKED_PAUSES: [Duration; 2] = [Duration::from_secs(1), Duration::from_secs(5)];
/// How often a case is tried before its failure is told.
const TRIES_MAX: u32 = BLOCKED_PAUSES.len() as u32 + 1;
/// How long a server that gives no answer, or no seat, is greeted again.
const GREETING_MAX: Duration = Duration::from_secs(3);
const GREETING_PAUSE: Duration = Duration::from_millis(300);
/// What a client's round trip is taken for until its first exchange has shown it.
const CLIENT_ROUND_TRIP: Duration = Duration::from_millis(50);
/// A shorter round trip is not believed: what came may have been on its way before.
const ROUND_TRIP_MIN: Duration = Duration::from_millis(20);
/// How long datagrams of a client that was ended may still come, beside what the network takes.
const STRAGGLERS: Duration = Duration::from_millis(250);
/// A round trip is not taken for longer, or a peer that dawdles would make every wait endless.
const ROUND_TRIP_MAX: Duration = Duration::from_secs(2);

/// Who is tested.
#[derive(Clone, Debug)]
pub enum TestedPeer {
    /// A server, and how the user named it.
    Server { address: SocketAddr, name: String },
    /// A client, which comes to this address; and the command that starts it for each case, if there is one.
    Client { listen: SocketAddr, command: Vec<String> },
}

/// What the user chose.
pub struct Options {
    pub suite: &'static Suite,
    pub peer: TestedPeer,
    pub selection: Selection,
    pub jobs: usize,
    pub is_strict: bool,
    pub asks: bool,
    /// How long a client is waited for.
    pub client_wait: Duration,
    pub seed: u64,
    /// Where captures of failures go, and how a report refers to them.
    pub captures: Option<PathBuf>,
}

/// One try of a case.
struct Tried {
    outcome: Outcome,
    exchanged: Vec<Exchanged>,
}

/// What is told each result, in the order in which they come: which of how many it is.
pub type Progress = dyn Fn(&CaseResult, usize, usize) + Sync;

/// Results by the number of their case.
struct Done {
    results: Mutex<Vec<(usize, CaseResult)>>,
    of: usize,
}

/// Runs the cases.
pub fn run(options: &Options, stop: &AtomicBool, progress: &Progress) -> anyhow::Result<Report> {
    let round_trip = match &options.peer {
        TestedPeer::Server { address, name } => greet(options.suite, *address, name)?,
        TestedPeer::Client { .. } => CLIENT_ROUND_TRIP,
    };
    let cases: Vec<&'static Case> = options.suite.cases().filter(|case| options.selection.holds(case)).collect();
    let runner = Runner { options, round_trip: RoundTrip::new(round_trip), stop };
    let results = runner.all(&cases, progress)?;
    let (dialect, side) = (options.suite.dialect, options.suite.side.name());
    Ok(Report {
        version: env!("CARGO_PKG_VERSION").into(),
        dialect: dialect.name().into(),
        document: dialect.entry().document.into(),
        side: side.into(),
        peer: options.peer.name(),
        seed: options.seed,
        round_trip_ms: runner.round_trip.now().as_millis() as u64,
        is_strict: options.is_strict,
        fingerprint: fingerprint(dialect.name(), side, &results),
        results,
        unmet: Vec::new(),
    })
}

impl TestedPeer {
    pub fn name(&self) -> String {
        match self {
            TestedPeer::Server { name, .. } => name.clone(),
            TestedPeer::Client { command, listen } if command.is_empty() => format!("client at {listen}"),
            TestedPeer::Client { command, .. } => command.join(" "),
        }
    }
}

/// Sees whether the server is there, and how long it takes to answer. One that is full is asked again: players who have left may
/// still have their seats.
fn greet(suite: &Suite, address: SocketAddr, name: &str) -> anyhow::Result<Duration> {
    let dialect = suite.dialect.name();
    let deadline = Instant::now() + GREETING_MAX;
    loop {
        let Greeting { stop, took, is_refused, has_answered } = Greeting::try_once(suite, address);
        let why = match stop {
            None => return Ok(took.min(ROUND_TRIP_MAX)),
            Some(_) if is_refused && !has_answered => format!("nobody listens at {name}: start the server first"),
            Some(Stop::Failed(why)) if has_answered => format!("{name} answers, but does not speak {dialect}: {why}"),
            Some(_) if Instant::now() < deadline => {
                thread::sleep(GREETING_PAUSE);
                continue;
            }
            Some(Stop::Blocked(why) | Stop::Skipped(why)) if has_answered => {
                format!("{name} speaks {dialect}, but no case can begin: {why}")
            }
            Some(_) => format!("nobody answers at {name}: is a server of {dialect} running there, with a free seat?"),
        };
        return Err(UserError(why).into());
    }
}

/// How a server answered when it was greeted.
struct Greeting {
    stop: Option<Stop>,
    took: Duration,
    is_refused: bool,
    has_answered: bool,
}

impl Greeting {
    fn try_once(suite: &Suite, address: SocketAddr) -> Greeting {
        let mut network = Sockets::to_server(address);
        let mut trial = Trial::new(&mut network, Duration::ZERO, 0);
        let begun = Instant::now();
        let stop = (suite.greet)(&mut trial).err();
        let took = begun.elapsed();
        let is_refused = trial.is_refused();
        // A TCP connection that is closed at once is not an answer: a full server of aecs does that.
        let is_answer =
            |message: &Exchanged| message.direction == TrialDirection::FromPeer && !message.bytes.is_empty();
        let has_answered = trial.end().iter().any(is_answer);
        Greeting { stop, took, is_refused, has_answered }
    }
}

/// The round trip to the peer. A client's is learned from the cases: the shortest time that it took to react.
struct RoundTrip {
    assumed: Duration,
    shortest: Mutex<Option<Duration>>,
}

impl RoundTrip {
    fn new(assumed: Duration) -> RoundTrip {
        RoundTrip { assumed, shortest: Mutex::new(None) }
    }

    fn now(&self) -> Duration {
        self.shortest.lock().unwrap_or_else(PoisonError::into_inner).unwrap_or(self.assumed)
    }

    fn learn(&self, exchanged: &[Exchanged]) {
        let Some(took) = exchange::reaction(exchanged) else { return };
        let mut shortest = self.shortest.lock().unwrap_or_else(PoisonError::into_inner);
        *shortest = Some(shortest.unwrap_or(ROUND_TRIP_MAX).min(took.max(ROUND_TRIP_MIN)));
    }
}

struct Runner<'o> {
    options: &'o Options,
    round_trip: RoundTrip,
    stop: &'o AtomicBool,
}

impl Runner<'_> {
    fn all(&self, cases: &[&'static Case], progress: &Progress) -> anyhow::Result<Vec<CaseResult>> {
        let done = Done { results: Mutex::new(Vec::new()), of: cases.len() };
        let numbered = || cases.iter().copied().enumerate();
        let together: Vec<_> = numbered().filter(|(_, case)| !case.is_alone).collect();
        let alone: Vec<_> = numbered().filter(|(_, case)| case.is_alone).collect();
        // One client is one client: it cannot be asked two things at once.
        let jobs = if self.options.suite.side == TestedSide::Client { 1 } else { self.options.jobs.max(1) };
        self.side_by_side(&together, jobs, &done, progress)?;
        self.side_by_side(&alone, 1, &done, progress)?;
        let mut results = done.results.into_inner().unwrap_or_else(PoisonError::into_inner);
        results.sort_by_key(|(index, _)| *index);
        Ok(results.into_iter().map(|(_, result)| result).collect())
    }

    fn side_by_side(
        &self,
        cases: &[(usize, &'static Case)],
        jobs: usize,
        done: &Done,
        progress: &Progress,
    ) -> anyhow::Result<()> {
        let next = AtomicUsize::new(0);
        let work = || -> anyhow::Result<()> {
            while let Some((index, case)) = cases.get(next.fetch_add(1, Ordering::Relaxed)) {
                if self.stop.load(Ordering::Relaxed) {
                    return Err(UserError("stopped before all cases were done".into()).into());
                }
                let result = self.case(case)?;
                let mut results = done.results.lock().unwrap_or_else(PoisonError::into_inner);
                progress(&result, results.len() + 1, done.of);
                results.push((*index, result));
            }
            Ok(())
        };
        thread::scope(|scope| {
            let workers: Vec<_> = (0..jobs).map(|_| scope.spawn(work)).collect();
            let end =
                |worker: thread::ScopedJoinHandle<'_, _>| worker.join().unwrap_or_else(|panic| resume_unwind(panic));
            workers.into_iter().try_for_each(end)
        })
    }

    fn case(&self, case: &'static Case) -> anyhow::Result<CaseResult> {
        let begun = Instant::now();
        if let Some(why) = self.skips(case) {
            return Ok(self.result(
                case,
                Tried { outcome: Err(Stop::Skipped(why)), exchanged: Vec::new() },
                (0, begun),
            ));
        }
        let mut tries = 0;
        let tried = loop {
            tries += 1;
            let tried = self.try_once(case)?;
            let is_settled = match &tried.outcome {
                Ok(Finding::Passed | Finding::Reads { number: 1, .. }) | Err(Stop::Skipped(_)) => true,
                // The tester has said no, which waiting does not change.
                Err(Stop::Failed(_)) if case.needs == Needs::Person => true,
                Ok(Finding::Reads { .. }) | Err(Stop::Failed(_) | Stop::Blocked(_)) => false,
            };
            if is_settled || tries == TRIES_MAX || self.stop.load(Ordering::Relaxed) {
                break tried;
            }
            if matches!(tried.outcome, Err(Stop::Blocked(_))) {
                thread::sleep(BLOCKED_PAUSES[tries as usize - 1]);
            }
        };
        Ok(self.result(case, tried, (tries, begun)))
    }

    /// Why a case is not run at all.
    fn skips(&self, case: &Case) -> Option<String> {
        let selection = &self.options.selection;
        match case.needs {
            Needs::Time if !selection.slow && !selection.names(case) => {
                Some("it takes long: run it with --slow".into())
            }
            Needs::Person if !self.options.asks => Some("somebody has to look at the client: run it with --ask".into()),
            _ => None,
        }
    }

    fn try_once(&self, case: &Case) -> anyhow::Result<Tried> {
        match &self.options.peer {
            TestedPeer::Server { address, .. } => Ok(self.tried(case, &mut Sockets::to_server(*address))),
            TestedPeer::Client { listen, command } => {
                let cannot = || format!("cannot listen at {listen}");
                let mut network = Sockets::for_clients(*listen, self.options.asks)
                    .map_err(|error| UserError(format!("{}: {error}", cannot())))?;
                let child = start(command)?;
                if child.is_none() {
                    eprintln!(
                        "case {}: let your client connect to {listen} now (again, if it was connected)",
                        case.number
                    );
                }
                let tried = self.tried(case, &mut network);
                end(child);
                self.round_trip.learn(&tried.exchanged);
                // What this client still had on its way must not be taken for the first words of the next.
                thread::sleep(STRAGGLERS + self.round_trip.now());
                drop(network);
                if tried.outcome == Err(Stop::no_client()) {
                    let text = format!("no client came to {listen}: start it, and let it connect there");
                    return Err(UserError(text).into());
                }
                Ok(tried)
            }
        }
    }

    fn tried(&self, case: &Case, network: &mut dyn TrialNetwork) -> Tried {
        let mut trial = Trial::new(network, self.round_trip.now(), self.options.seed);
        trial.client_wait = self.options.client_wait;
        let outcome = (case.run)(&mut trial);
        Tried { outcome, exchanged: trial.end() }
    }

    fn result(&self, case: &'static Case, tried: Tried, (tries, begun): (u32, Instant)) -> CaseResult {
        let suite = self.options.suite;
        let (verdict, message, reading) = judge(case, &tried.outcome);
        let mut result = CaseResult {
            number: case.number.into(),
            title: case.title.into(),
            clause: case.clause.into(),
            rulings: case.rulings.into(),
            ruling_texts: rulings::sentences(case.rulings),
            teaches: case.teaches.into(),
            verdict,
            message,
            reading,
            is_blocked: matches!(tried.outcome, Err(Stop::Blocked(_))),
            expected: None,
            tries,
            milliseconds: begun.elapsed().as_millis() as u64,
            exchange: Vec::new(),
            pcap: None,
            command: repeat::command(self.options, case),
        };
        // With --strict another reading than ours is a deviation as well, and has to be shown.
        if result.is_deviation(self.options.is_strict) || result.verdict == Verdict::NonStrict {
            result.exchange = exchange::lines(suite, &tried.exchanged);
            result.pcap = self.capture(case, &tried.exchanged);
        }
        result
    }

    /// Writes the capture of a failure. That it cannot be written is told, and costs only the capture.
    fn capture(&self, case: &Case, exchanged: &[Exchanged]) -> Option<String> {
        let directory = self.options.captures.as_ref().filter(|_| !exchanged.is_empty())?;
        let suite = self.options.suite;
        let name = format!("{}-{}-{}.pcap", suite.dialect.name(), suite.side.name(), case.number);
        let path = directory.join(&name);
        let written = File::create(&path)
            .and_then(|file| capture::write(BufWriter::new(file), exchanged))
            .with_context(|| format!("cannot write {}", path.display()));
        match written {
            Ok(()) => Some(name),
            Err(error) => {
                eprintln!("volley: {error:#}");
                None
            }
        }
    }
}

fn judge(case: &Case, outcome: &Outcome) -> (Verdict, String, Option<u8>) {
    match (outcome, case.level) {
        (Ok(Finding::Passed), _) => (Verdict::Pass, String::new(), None),
        (Ok(Finding::Reads { number, text }), _) => {
            let ruling = case.rulings.split(' ').next().unwrap_or_default();
            (Verdict::Informational, format!("follows reading {number} of ruling {ruling}: {text}"), Some(*number))
        }
        (Err(Stop::Failed(why)), Level::Must) => (Verdict::Fail, why.clone(), None),
        (Err(Stop::Failed(why)), Level::Should | Level::Reading) => (Verdict::NonStrict, why.clone(), None),
        (Err(Stop::Blocked(why) | Stop::Skipped(why)), _) => (Verdict::Skipped, why.clone(), None),
    }
}

/// Starts the client under test, if there is a command for it.
fn start(command: &[String]) -> anyhow::Result<Option<Child>> {
    let [program, arguments @ ..] = command else { return Ok(None) };
    let mut process = Command::new(program);
    process.args(arguments).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    let started = process.spawn();
    started.map(Some).map_err(|error| UserError(format!("cannot start {program}: {error}")).into())
}

fn end(child: Option<Child>) {
    if let Some(mut child) = child {
        // It may have ended by itself.
        let _ = child.kill();
        let _ = child.wait();
    }
}
