//! What the real node prints for people to click, followed as a browser would follow it.

mod node;

use std::{
    io::{BufRead, BufReader},
    process::{Child, Command, Stdio},
};

use self::node::FreePorts;

/// A node whose whole output is read.
struct PrintingNode {
    child: Child,
    lines: Vec<String>,
    _ports: FreePorts,
}

impl PrintingNode {
    fn start(arguments: &[&str]) -> PrintingNode {
        let ports = FreePorts::default();
        let mut command = Command::new(env!("CARGO_BIN_EXE_volley"));
        command.arg("serve").args(&ports.arguments).args(arguments);
        let mut child = command.stdout(Stdio::piped()).stderr(Stdio::null()).spawn().expect("volley starts");
        let mut lines = Vec::new();
        for line in BufReader::new(child.stdout.take().expect("its output")).lines() {
            lines.push(line.expect("text"));
            if lines.last().is_some_and(|line| line.trim_start().starts_with("http") && line.contains("://")) {
                break;
            }
        }
        PrintingNode { child, lines, _ports: ports }
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
fn friends_are_given_an_address_of_the_network_and_others_are_not_promised_one() {
    let local = PrintingNode::start(&[]);
    assert!(local.last_line().starts_with("http://localhost:"), "{:?}", local.lines);
    let open = PrintingNode::start(&["--bind", "0.0.0.0"]);
    let has_network = std::net::UdpSocket::bind("0.0.0.0:0").is_ok_and(|socket| socket.connect("192.0.2.1:9").is_ok());
    assert_eq!(!open.last_line().starts_with("http://127.0.0.1:"), has_network, "{:?}", open.lines);
}
