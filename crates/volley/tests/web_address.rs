//! What the real node prints for people to click, followed as a browser would follow it.

mod node;

use std::{
    io::{BufRead, BufReader, Lines},
    process::{Child, ChildStdout, Command, Stdio},
};

use self::node::FreePorts;

/// A node whose whole output is read.
struct PrintingNode {
    child: Child,
    /// What it printed and logged, up to the address.
    lines: Vec<String>,
    output: Lines<BufReader<ChildStdout>>,
    _ports: FreePorts,
}

impl PrintingNode {
    fn start(arguments: &[&str]) -> PrintingNode {
        let ports = FreePorts::default();
        // The log and what is printed together, as a terminal shows them.
        let mut command = Command::new("sh");
        command.args(["-c", "exec \"$@\" 2>&1", "sh", env!("CARGO_BIN_EXE_volley")]);
        command.arg("serve").args(&ports.arguments).args(arguments);
        let mut child = command.stdout(Stdio::piped()).spawn().expect("volley starts");
        let mut output = BufReader::new(child.stdout.take().expect("its output")).lines();
        let mut lines: Vec<String> = Vec::new();
        while !lines.last().is_some_and(|line| is_address(line)) {
            lines.push(output.next().expect("an address").expect("text"));
        }
        PrintingNode { child, lines, output, _ports: ports }
    }

    /// Ends the node, and returns what it still said.
    fn end(&mut self) -> Vec<String> {
        let ended = Command::new("kill").args(["-INT", &self.child.id().to_string()]).status();
        assert!(ended.is_ok_and(|status| status.success()));
        self.output.by_ref().map(|line| line.expect("text")).collect()
    }

    fn last_line(&self) -> &str {
        self.lines.last().map_or("", |line| line.trim())
    }
}

impl Drop for PrintingNode {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn is_address(line: &str) -> bool {
    line.trim_start().starts_with("http") && line.contains("://")
}

fn get(url: &str) -> String {
    ureq::get(url).call().expect("the node answers").body_mut().read_to_string().expect("text")
}

#[test]
fn the_last_line_is_an_address_that_leads_to_the_node_and_what_it_needs_comes_before() {
    for bind in ["127.0.0.1", "0.0.0.0"] {
        let node = PrintingNode::start(&["--bind", bind]);
        assert_eq!(get(&format!("{}healthz", node.last_line())), "ok\n", "{:?}", node.lines);
        for before in ["  typeuh", "  http", "  admin"] {
            assert!(node.lines.iter().any(|line| line.starts_with(before)), "{before}: {:?}", node.lines);
        }
    }
}

#[test]
fn what_the_log_says_of_the_start_comes_before_the_address() {
    let mut node = PrintingNode::start(&["--bind", "0.0.0.0"]);
    assert!(node.lines.iter().any(|line| line.contains("own networks")), "{:?}", node.lines);
    let after = node.end();
    assert!(after.first().is_some_and(|line| line.contains("received a signal to end")), "{after:?}");
}

#[test]
fn friends_are_given_an_address_of_the_network_and_others_are_not_promised_one() {
    let local = PrintingNode::start(&[]);
    assert!(local.last_line().starts_with("http://localhost:"), "{:?}", local.lines);
    let open = PrintingNode::start(&["--bind", "0.0.0.0"]);
    let has_network = std::net::UdpSocket::bind("0.0.0.0:0").is_ok_and(|socket| socket.connect("192.0.2.1:9").is_ok());
    assert_eq!(!open.last_line().starts_with("http://127.0.0.1:"), has_network, "{:?}", open.lines);
}
