//! A node on another machine, as far as a network namespace is one: its page over HTTPS and the game over WebTransport, or all of it
//! over plain HTTP, where browsers withhold much.

use std::{
    net::TcpStream,
    process::{Child, Command, Stdio},
    thread,
    time::{Duration, Instant},
};

use crate::{
    browser::Browser,
    chromium::Chromium,
    node::{FreePorts, PATIENCE},
    other_machine::OtherMachine,
    scenes::{ENTER, RIGHT, UP, hear_something_at, wait_for_a_first_frame, wait_for_a_link},
    secure_node::SecureNode,
};

/// A browser that may speak to this node, and trusts the key of its certificate as if somebody well known had signed it.
fn trusting(node: &SecureNode) -> Chromium {
    let trusted = format!("--ignore-certificate-errors-spki-list={}", node.public_key_hash());
    Chromium::start_for(&node.name, &[&trusted, "--webtransport-developer-mode"])
}

#[test]
fn a_page_from_another_machine_over_https_is_played_over_webtransport() {
    let Some(elsewhere) = OtherMachine::make() else { return };
    let command: Command = elsewhere.command(env!("CARGO_BIN_EXE_volley"));
    let node = SecureNode::start_as(elsewhere.address(), command, &["--bind", "0.0.0.0"]);
    let chromium = trusting(&node);
    // Plain HTTP, as people type it, leads to HTTPS.
    chromium.open(&format!("http://{}:{}/", node.name, node.port));
    wait_for_a_first_frame(&chromium);
    assert_eq!(chromium.run("return [location.protocol, isSecureContext]"), serde_json::json!(["https:", true]));
    assert_eq!(wait_for_a_link(&chromium), "WebTransport");
    fly_right(&chromium);
    chromium.screenshot("elsewhere");
    assert_eq!(chromium.console(), [""; 0]);
}

/// A node without a certificate; it ends with the test.
struct PlainNode {
    child: Child,
    port: u16,
    _ports: FreePorts,
}

impl PlainNode {
    /// On another machine, where nobody else has these ports.
    fn start(elsewhere: &OtherMachine) -> PlainNode {
        let ports = FreePorts::fixed();
        let http = ports.arguments.iter().skip_while(|argument| *argument != "--http").nth(1);
        let port = http.and_then(|port| port.parse().ok()).expect("a port");
        let mut command = elsewhere.command(env!("CARGO_BIN_EXE_volley"));
        command.arg("serve").args(&ports.arguments).args(["--bind", "0.0.0.0"]);
        let child = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().expect("volley starts");
        let began = Instant::now();
        while TcpStream::connect((elsewhere.address(), port)).is_err() {
            assert!(began.elapsed() < PATIENCE, "the node does not listen at {port}");
            thread::sleep(Duration::from_millis(50));
        }
        PlainNode { child, port, _ports: ports }
    }
}

impl Drop for PlainNode {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[test]
fn a_page_from_another_machine_over_plain_http_is_heard_and_played() {
    let Some(elsewhere) = OtherMachine::make() else { return };
    let node = PlainNode::start(&elsewhere);
    let chromium = Chromium::start_for(elsewhere.address(), &[]);
    hear_something_at(&chromium, &format!("http://{}:{}/", elsewhere.address(), node.port));
    assert_eq!(chromium.run("return [location.protocol, isSecureContext]"), serde_json::json!(["http:", false]));
    assert_eq!(wait_for_a_link(&chromium), "WebSocket");
    // The key that was heard chose the next line of the menu.
    chromium.press(UP);
    fly_right(&chromium);
    assert_eq!(chromium.console(), [""; 0]);
}

/// Plays from the title on, until the ship has flown to the right.
fn fly_right(chromium: &Chromium) {
    chromium.press(ENTER);
    chromium.wait_for("a ship", &of_the_player(|player| format!("Number.isInteger({player}.x)")), &|is| *is == true);
    chromium.hold(RIGHT);
    chromium
        .wait_for("the key moves the ship", &of_the_player(|player| format!("{player}.x > 200")), &|is| *is == true);
    chromium.release(RIGHT);
}

/// A script that asks the node, whose API only the page can reach here, whether something holds of its only player.
fn of_the_player(holds: impl Fn(&str) -> String) -> String {
    format!(
        "const request = new XMLHttpRequest();
         request.open('GET', '/api/lobbies', false);
         request.send();
         const player = JSON.parse(request.responseText)[0]?.players[0] ?? {{}};
         return {};",
        holds("player")
    )
}
