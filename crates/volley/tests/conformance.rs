//! `volley conform` over real sockets: our node and our bots pass in every dialect, a broken server is told why, reports can be
//! read again, and mistakes are one line.

mod node;

use std::{
    fs,
    io::Write,
    net::UdpSocket,
    path::Path,
    process::{Child, Command, Output, Stdio},
    thread,
    time::{Duration, Instant},
};

use protocol::Dialect;
use serde_json::Value;
use test_ports::Ports;

use self::node::{FreePorts, Node};

fn conform(arguments: &[&str]) -> Output {
    conform_with_answers(arguments, "")
}

/// With a tester who answers questions so.
fn conform_with_answers(arguments: &[&str], answers: &str) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_volley"));
    command.arg("conform").args(arguments);
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().expect("volley runs");
    // Few enough to fit into the pipe; one that asks nothing may have ended.
    let _ = child.stdin.take().expect("a pipe").write_all(answers.as_bytes());
    child.wait_with_output().expect("volley ends")
}

fn said(output: &Output) -> String {
    format!("{}{}", String::from_utf8_lossy(&output.stderr), String::from_utf8_lossy(&output.stdout))
}

fn report(path: &Path) -> Value {
    serde_json::from_str(&fs::read_to_string(path).expect("a report")).expect("JSON")
}

/// Cases of a report that are not as they should be with a program of ours.
fn faults(report: &Value) -> Vec<String> {
    let results = report["results"].as_array().expect("results");
    let is_fine = |result: &&Value| match result["verdict"].as_str() {
        Some("pass") => true,
        Some("informational") => result["reading"] == 1,
        Some("skipped") => result["is_blocked"] == false,
        _ => false,
    };
    let line = |result: &Value| format!("{} {}: {}", result["number"], result["verdict"], result["message"]);
    results.iter().filter(|result| !is_fine(result)).map(line).collect()
}

/// Each case of `rfc2020` makes a lobby, whose port is taken for half a minute after it.
const LOBBIES: u16 = 400;

fn our_node_passes(dialect: Dialect) {
    let node = Node::start_at(FreePorts::reserve(LOBBIES), &[]);
    let directory = tempfile::tempdir().expect("a directory");
    let json = directory.path().join("report.json");
    let to = format!("127.0.0.1:{}", node.ports[dialect.name()]);
    let output = conform(&[
        "server",
        "--dialect",
        dialect.name(),
        "--to",
        &to,
        "--jobs",
        "8",
        "--json",
        &json.display().to_string(),
        "--strict",
    ]);
    let report = report(&json);
    assert_eq!(faults(&report), Vec::<String>::new(), "{}", said(&output));
    assert_eq!(output.status.code(), Some(0), "{}", said(&output));
    assert!(report["results"].as_array().is_some_and(|results| results.len() >= 25));
    assert!(said(&output).contains("fingerprint: "), "{}", said(&output));
}

#[test]
fn our_node_passes_as_typeuh() {
    our_node_passes(Dialect::Typeuh);
}

#[test]
fn our_node_passes_as_aecs() {
    our_node_passes(Dialect::Aecs);
}

#[test]
fn our_node_passes_as_snapshot() {
    our_node_passes(Dialect::Snapshot);
}

#[test]
fn our_node_passes_as_rfc2020() {
    our_node_passes(Dialect::Rfc2020);
}

#[test]
fn our_node_passes_as_rfc53952() {
    our_node_passes(Dialect::Rfc53952);
}

/// Runs the case about a full server against a node of one lobby, twice: the second finds what the first has left.
fn our_full_node_passes(dialect: Dialect, case: &str) {
    let node = Node::start(&["--lobbies", "1"]);
    let to = format!("127.0.0.1:{}", node.ports[dialect.name()]);
    for _ in 0..2 {
        let output = conform(&["server", "--dialect", dialect.name(), "--to", &to, "--case", case, "--strict"]);
        assert_eq!(output.status.code(), Some(0), "{}", said(&output));
        assert!(!said(&output).contains("skipped"), "{}", said(&output));
    }
}

/// All at once: they wait for most of the time.
#[test]
fn a_full_node_is_found_to_refuse_players_as_every_document_asks() {
    let cases = [
        (Dialect::Typeuh, "2.1-12"),
        (Dialect::Aecs, "1-6"),
        (Dialect::Snapshot, "6.4-1"),
        (Dialect::Rfc2020, "3.2-6"),
        (Dialect::Rfc53952, "5.2-2"),
    ];
    let running = cases.map(|(dialect, case)| thread::spawn(move || our_full_node_passes(dialect, case)));
    assert_eq!(running.map(|run| run.join().is_ok()), [true; 5], "what failed is above");
}

/// Tests our bots, with what is given for `volley conform client` and a tester who answers so; the exit code and the report.
fn test_bots(dialect: Dialect, more: &[&str], answers: &str) -> (Output, Value) {
    let name = dialect.name();
    let directory = tempfile::tempdir().expect("a directory");
    let json = directory.path().join("report.json");
    let ports = test_ports::reserve(1);
    let port = ports.range().next().expect("a port").to_string();
    let listen = format!("127.0.0.1:{port}");
    let (volley, door) = (env!("CARGO_BIN_EXE_volley"), format!("--{name}"));
    let json_path = json.display().to_string();
    let mut arguments = vec!["client", "--dialect", name, "--listen", &listen, "--json", &json_path];
    arguments.extend(more);
    arguments.extend(["--", volley, "bots", "--dialect", name, "--count", "1", "--seconds", "60", &door, &port]);
    let output = conform_with_answers(&arguments, answers);
    assert!(json.exists(), "{}", said(&output));
    let report = report(&json);
    (output, report)
}

/// Our bots pass, also where a tester is asked, who sees what there should be: what clients show is tested in memory.
fn our_bots_pass(dialect: Dialect) {
    let (output, report) = test_bots(dialect, &["--ask"], &"y\n".repeat(40));
    assert_eq!(faults(&report), Vec::<String>::new(), "{}: {}", dialect.name(), said(&output));
    assert_eq!(output.status.code(), Some(0), "{}", said(&output));
    assert!(said(&output).contains("[y/n]"), "nobody was asked: {}", said(&output));
}

#[test]
fn a_tester_who_says_no_is_asked_once_and_believed() {
    let case = ["--ask", "--case", "4.4-1", "--case", "4.4-2"];
    let (output, report) = test_bots(Dialect::Snapshot, &case, "n\nperhaps\ny\n");
    let verdicts: Vec<_> = report["results"].as_array().expect("results").iter().map(|case| &case["verdict"]).collect();
    assert_eq!(verdicts, ["fail", "pass"], "{}", said(&output));
    assert_eq!(said(&output).matches("[y/n]").count(), 3, "{}", said(&output));
    let again = "--case 4.4-1 --seed ";
    assert!(said(&output).contains(again) && said(&output).contains(" --ask -- "), "{}", said(&output));
}

/// All at once: they wait for most of the time, a client for three quarters of a minute.
#[test]
fn our_bots_pass_in_the_dialect_of_every_document() {
    let documents = Dialect::ALL.into_iter().filter(|dialect| *dialect != Dialect::Volley);
    let running: Vec<_> = documents.map(|dialect| thread::spawn(move || our_bots_pass(dialect))).collect();
    let passed = running.into_iter().map(|bots| bots.join().is_ok()).collect::<Vec<_>>();
    assert_eq!(passed, [true; 5], "what failed is above");
}

/// A server of `rfc53952` that answers HiServer, and knows nothing else.
fn broken_server() -> u16 {
    let socket = UdpSocket::bind(("127.0.0.1", 0)).expect("a port");
    let port = socket.local_addr().expect("an address").port();
    thread::spawn(move || {
        let mut buffer = [0; 2_048];
        while let Ok((size, from)) = socket.recv_from(&mut buffer) {
            if size == 15 && buffer[4] == 1 {
                buffer[4] = 2;
                let _ = socket.send_to(&buffer[..15], from);
            }
        }
    });
    port
}

#[test]
fn a_broken_server_is_told_why_with_bytes_a_capture_and_the_command_to_repeat_it() {
    let port = broken_server();
    let directory = tempfile::tempdir().expect("a directory");
    let path = |name: &str| directory.path().join(name).display().to_string();
    let to = format!("127.0.0.1:{port}");
    let output = conform(&[
        "server",
        "--dialect",
        "rfc53952",
        "--to",
        &to,
        "--case",
        "5.2-3",
        "--case",
        "2-1",
        "--case",
        "5.4-1",
        "--html",
        &path("r.html"),
        "--json",
        &path("r.json"),
        "--junit",
        &path("r.xml"),
        "--seed",
        "7",
    ]);
    assert_eq!(output.status.code(), Some(1), "{}", said(&output));
    let text = String::from_utf8_lossy(&output.stdout);
    let parts = [
        "FAIL 5.2-3",
        "HiClient",
        "0f 00 00 00 02",
        "  ruling    F4: Every packet but PacketValidation is validated",
        "     0   4 Length ",
        "again     volley conform server",
        "--case 5.2-3 --seed 7",
    ];
    for part in parts {
        assert!(text.contains(part), "{text} without {part}");
    }
    let report = report(Path::new(&path("r.json")));
    let verdicts: Vec<&str> =
        report["results"].as_array().expect("results").iter().filter_map(|result| result["verdict"].as_str()).collect();
    assert_eq!(verdicts, ["pass", "fail", "skipped"], "in the order of the document: {text}");
    let capture = fs::read(path("rfc53952-server-5.2-3.pcap")).expect("a capture");
    assert_eq!(capture[..4], [0xa1, 0xb2, 0xc3, 0xd4], "the magic number of a capture");
    let page = fs::read_to_string(path("r.html")).expect("a page");
    assert!(
        page.starts_with("<!doctype html>") && page.contains("HiClient is sent again until it is validated"),
        "{page}"
    );
    assert!(!page.contains("http://") && !page.contains("https://"), "it needs nothing else");
    let junit = fs::read_to_string(path("r.xml")).expect("XML");
    assert!(junit.contains("failures=\"2\"") && junit.contains("skipped=\"1\""), "{junit}");
    let table = conform(&["report", &path("r.json"), &path("r.json"), "--html", &path("both.html")]);
    assert_eq!(table.status.code(), Some(0), "{}", said(&table));
    assert!(said(&table).contains("rfc53952/server 5.2-3"), "{}", said(&table));
}

#[test]
fn another_reading_is_shown_with_its_bytes_if_it_is_a_deviation() {
    let port = broken_server();
    let directory = tempfile::tempdir().expect("a directory");
    let json = directory.path().join("r.json").display().to_string();
    let to = format!("127.0.0.1:{port}");
    let run = |more: &[&str]| {
        let start = ["server", "--dialect", "rfc53952", "--to", &to, "--case", "3-8", "--json", &json];
        let output = conform(&[&start[..], more].concat());
        (output.status.code(), report(Path::new(&json))["results"][0].clone())
    };
    let (code, result) = run(&["--strict"]);
    assert_eq!(code, Some(1), "{result}");
    let message = result["message"].as_str().expect("a message");
    assert!(message.starts_with("follows reading 3 of ruling F1: "), "{message}");
    assert!(result["exchange"].as_array().is_some_and(|lines| !lines.is_empty()), "{result}");
    assert!(directory.path().join("rfc53952-server-3-8.pcap").exists(), "{result}");
    assert!(result["command"].as_str().is_some_and(|command| command.ends_with(" --strict")), "{result}");
    let (code, result) = run(&[]);
    assert_eq!((code, &result["exchange"]), (Some(0), &serde_json::json!([])), "it is nobody's fault");
}

/// `examples/broken_server.py`, or what is made of it, in front of a node; it ends with the test.
struct PythonServer {
    process: Child,
    to: String,
    _port: Ports,
}

impl PythonServer {
    fn start(node: &Node, script: &Path) -> PythonServer {
        let reserved = test_ports::reserve(1);
        let port = reserved.first();
        let mut command = Command::new("python3");
        command.arg(script).args([port.to_string(), node.ports["snapshot"].to_string()]);
        let process = command.spawn().expect("Python");
        let server = PythonServer { process, to: format!("127.0.0.1:{port}"), _port: reserved };
        let begun = Instant::now();
        // Once the port is taken, it listens.
        while UdpSocket::bind(&server.to).is_ok() {
            assert!(begun.elapsed() < Duration::from_secs(20), "it does not listen");
            thread::sleep(Duration::from_millis(50));
        }
        server
    }
}

impl Drop for PythonServer {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

/// What a run says of a server, without its address: the counts, and the fingerprint.
fn last_lines(output: &Output) -> [String; 2] {
    let text = String::from_utf8_lossy(&output.stdout);
    let line = |start: &str| text.lines().rfind(|line| line.starts_with(start)).expect("a last line").to_owned();
    let summary = line("snapshot server at ");
    let counts = summary.rsplit(": ").next().expect("counts").to_owned();
    [format!("snapshot server at localhost:4400: {counts}"), line("fingerprint: ")]
}

#[test]
fn the_round_of_the_toolkits_page_is_as_it_is_printed() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let page = fs::read_to_string(root.join("docs/toolkit.md")).expect("the page");
    let broken = root.join("examples/broken_server.py");
    // A node for each run: cases about who is in a lobby suppose that no other tester comes and goes there.
    let run = |script: &Path| {
        let node = Node::start(&[]);
        let server = PythonServer::start(&node, script);
        conform(&["server", "--dialect", "snapshot", "--to", &server.to, "--jobs", "4", "--seed", "7"])
    };
    let directory = tempfile::tempdir().expect("a directory");
    let mended = directory.path().join("mended_server.py");
    let script = fs::read_to_string(&broken).expect("the script");
    let script = script.replace("datagram.endswith(b\"\\0\")", "False").replace("% 16 == 0", "< 0");
    fs::write(&mended, script.replace("datagram = datagram[:1] + b\"\\0\\0\" + datagram[3:]", "pass"))
        .expect("written");
    // Both at once: they wait for most of the time.
    let [output, mended_output] = thread::scope(|scope| {
        let run = &run;
        [&broken, &mended].map(|script| scope.spawn(move || run(script))).map(|run| run.join().expect("it ends"))
    });
    assert_eq!(output.status.code(), Some(1), "{}", said(&output));
    for failure in ["FAIL 3.1-1: ", "FAIL 4.2-2: ", "FAIL 4.4-2: "] {
        assert!(said(&output).contains(failure), "{} without {failure}", said(&output));
    }
    assert_eq!(said(&output).matches("\nFAIL ").count(), 3, "{}", said(&output));
    for line in last_lines(&output) {
        assert!(page.contains(&line), "docs/toolkit.md lacks: {line}");
    }
    assert_eq!(mended_output.status.code(), Some(0), "{}", said(&mended_output));
    for line in last_lines(&mended_output) {
        assert!(page.contains(&line), "docs/toolkit.md lacks: {line}");
    }
}

#[test]
fn known_deviations_are_expected_and_those_that_are_gone_are_told() {
    let port = broken_server();
    let directory = tempfile::tempdir().expect("a directory");
    let file = directory.path().join("known.txt");
    let to = format!("127.0.0.1:{port}");
    let run = |known: &str| {
        fs::write(&file, known).expect("written");
        let path = file.display().to_string();
        conform(&[
            "server",
            "--dialect",
            "rfc53952",
            "--to",
            &to,
            "--case",
            "5.2-3",
            "--case",
            "2-1",
            "--expect",
            &path,
        ])
    };
    assert_eq!(run("5.2-3 repeats come next week\n").status.code(), Some(0));
    let gone = run("5.2-3 repeats come next week\n2-1 no answer yet\n");
    assert_eq!(gone.status.code(), Some(1));
    assert!(said(&gone).contains("expected, and not seen: 2-1"), "{}", said(&gone));
    assert_eq!(run("5.2-3\n").status.code(), Some(2));
}

fn is_refused(arguments: &[&str], part: &str) {
    let output = conform(arguments);
    let text = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(2), "{text}");
    assert_eq!(text.lines().count(), 1, "{text}");
    assert!(text.contains(part), "{text:?} without {part:?}");
}

#[test]
fn mistakes_are_one_line() {
    let silent = UdpSocket::bind(("127.0.0.1", 0)).expect("a port");
    let reserved = test_ports::reserve(1);
    let nobody = format!("127.0.0.1:{}", reserved.first());
    let silent = silent.local_addr().expect("an address").to_string();
    is_refused(&["server", "--dialect", "snapshot", "--to", &nobody], "nobody listens");
    is_refused(&["server", "--dialect", "snapshot", "--to", &silent], "nobody answers");
    is_refused(&["server", "--dialect", "latin", "--to", &silent], "expected one of typeuh, aecs");
    is_refused(&["server", "--dialect", "snapshot", "--to", "nowhere.invalid:1"], "cannot find");
    is_refused(&["server", "--dialect", "snapshot"], "--to");
    is_refused(&["server", "--dialect", "snapshot", "--to", &silent, "--case", "99-1"], "there is no case 99-1");
    is_refused(&["report", "/nowhere/at/all.json"], "cannot read");
    let typeuh = Node::start(&[]);
    let to = format!("127.0.0.1:{}", typeuh.ports["typeuh"]);
    is_refused(&["server", "--dialect", "snapshot", "--to", &to], "does not speak snapshot");
}

#[test]
fn what_cannot_be_read_or_written_is_told_before_anything_runs() {
    let port = broken_server();
    let to = format!("127.0.0.1:{port}");
    let directory = tempfile::tempdir().expect("a directory");
    let known = directory.path().join("known.txt");
    fs::write(&known, "99-1 there is no such case\n").expect("written");
    let known = known.display().to_string();
    let with = |more: [&str; 2], part: &str| {
        is_refused(&["server", "--dialect", "rfc53952", "--to", &to, "--case", "2-1", more[0], more[1]], part);
    };
    with(["--expect", &known], "known.txt: there is no case 99-1");
    with(["--expect", "/nowhere/known.txt"], "cannot read /nowhere/known.txt");
    with(["--html", "/nowhere/at/all.html"], "cannot write /nowhere/at/all.html");
    with(["--section", "99"], "there is no case in section 99");
    is_refused(&["report", &known], "known.txt is not a report");
}

#[test]
fn a_client_that_cannot_come_is_one_line() {
    let taken = UdpSocket::bind(("127.0.0.1", 0)).expect("a port");
    let taken = taken.local_addr().expect("an address").to_string();
    let ports = test_ports::reserve(1);
    let free = format!("127.0.0.1:{}", ports.range().next().expect("a port"));
    let client = |listen: &str, command: &[&str], part: &str| {
        let start = ["client", "--dialect", "snapshot", "--listen", listen, "--wait", "1", "--"];
        is_refused(&[&start[..], command].concat(), part);
    };
    client(&free, &[env!("CARGO_BIN_EXE_volley"), "--version"], "no client came");
    client(&free, &["/nowhere/my-client"], "cannot start /nowhere/my-client");
    client(&taken, &[env!("CARGO_BIN_EXE_volley"), "--version"], "cannot listen at");
}

#[test]
fn cases_are_listed() {
    for dialect in Dialect::with_ports() {
        for side in ["server", "client"] {
            let output = conform(&[side, "--dialect", dialect.name(), "--list"]);
            assert_eq!(output.status.code(), Some(0), "{}", said(&output));
            assert!(said(&output).lines().count() >= 12, "{}", said(&output));
        }
    }
}
