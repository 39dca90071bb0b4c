//! A node on another machine, as far as a network namespace is one: its page over HTTPS, and the game over WebTransport.

use std::process::Command;

use crate::{
    browser::Browser,
    chromium::Chromium,
    other_machine::OtherMachine,
    scenes::{ENTER, RIGHT, wait_for_a_first_frame, wait_for_a_link},
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
    chromium.press(ENTER);
    chromium.wait_for("a ship", &of_the_player(|player| format!("Number.isInteger({player}.x)")), &|is| *is == true);
    chromium.hold(RIGHT);
    chromium
        .wait_for("the key moves the ship", &of_the_player(|player| format!("{player}.x > 200")), &|is| *is == true);
    chromium.release(RIGHT);
    chromium.screenshot("elsewhere");
    assert_eq!(chromium.console(), [""; 0]);
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
