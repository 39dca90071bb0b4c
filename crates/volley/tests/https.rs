//! The real node with a certificate that a test made itself: the page over TLS, WebSocket and WebTransport by its name, and
//! plain HTTP at the same port. A network namespace stands for another machine.

mod node;
mod other_machine;
mod secure_node;

use std::io::{Read, Write};

use tungstenite::Message;
use wtransport::Endpoint;

use self::{node::PATIENCE, other_machine::OtherMachine, secure_node::SecureNode};

/// The head and the body of the answer.
fn get(mut stream: impl Read + Write, node: &SecureNode, path: &str) -> String {
    let SecureNode { name, port, .. } = node;
    let request = format!("GET {path} HTTP/1.1\r\nHost: {name}:{port}\r\nConnection: close\r\n\r\n");
    stream.write_all(request.as_bytes()).expect("it is sent");
    let mut answer = Vec::new();
    // Some peers end without the goodbye of TLS; what came counts.
    let _ = stream.read_to_end(&mut answer);
    String::from_utf8_lossy(&answer).into_owned()
}

#[test]
fn the_page_is_served_over_tls_and_plain_http_leads_there() {
    let node = SecureNode::start();
    assert_eq!(node.last_line, format!("https://localhost:{}/", node.port));
    let answer = get(node.tls(), &node, "/healthz");
    assert!(answer.starts_with("HTTP/1.1 200") && answer.ends_with("ok\n"), "{answer}");
    let page = get(node.tls(), &node, "/");
    assert!(page.starts_with("HTTP/1.1 200") && page.contains("<html"), "{page}");
    let answer = get(node.plain(), &node, "/?lobby=K7QX2M");
    let goal = format!("location: https://localhost:{}/?lobby=K7QX2M\r\n", node.port);
    assert!(answer.starts_with("HTTP/1.1 307") && answer.contains(&goal), "{answer}");
    let admin = get(node.plain(), &node, "/admin/sessions");
    assert!(admin.starts_with("HTTP/1.1 307"), "{admin}");
}

#[test]
fn players_connect_by_websocket_with_tls_and_programs_without() {
    let node = SecureNode::start();
    let (mut secure, _) =
        tungstenite::client(format!("wss://localhost:{}/volley", node.port), node.tls()).expect("a WebSocket over TLS");
    secure.send(Message::Binary(vec![9].into())).expect("it is sent");
    assert!(matches!(secure.read(), Ok(Message::Close(_)) | Err(_)), "nobody says that, so the node closes the link");
    let (mut plain, _) =
        tungstenite::client(format!("ws://localhost:{}/volley", node.port), node.plain()).expect("a WebSocket");
    plain.close(None).expect("a goodbye");
}

#[test]
fn webtransport_connects_by_the_name_in_the_certificate() {
    connects_by_webtransport(&SecureNode::start());
}

fn connects_by_webtransport(node: &SecureNode) {
    let offer = get(node.tls(), node, "/api/transport");
    assert!(offer.contains("\"sha256\":null"), "there is nothing to pin: {offer}");
    let mut tls = node.tls_config();
    tls.alpn_protocols = vec![b"h3".to_vec()];
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
    runtime.block_on(async {
        let config = wtransport::ClientConfig::builder().with_bind_default().with_custom_tls(tls).build();
        let endpoint = Endpoint::client(config).expect("a client");
        let url = format!("https://{}:{}/volley", node.name, node.port);
        let connection = tokio::time::timeout(PATIENCE, endpoint.connect(url)).await.expect("in time");
        let streams = connection.expect("it is trusted").open_bi().await.expect("it goes on").await;
        assert!(streams.is_ok());
    });
}

/// As a friend in the same network comes: not from the machine of the node, which is reached by its address alone.
#[test]
fn another_machine_gets_the_page_over_tls_and_plays_over_webtransport() {
    let Some(elsewhere) = OtherMachine::make() else { return };
    let command = elsewhere.command(env!("CARGO_BIN_EXE_volley"));
    let node = SecureNode::start_as(elsewhere.address(), command, &["--bind", "0.0.0.0"]);
    let page = get(node.tls(), &node, "/");
    assert!(page.starts_with("HTTP/1.1 200") && page.contains("<html"), "{page}");
    let answer = get(node.plain(), &node, "/?lobby=K7QX2M");
    let goal = format!("location: https://{}:{}/?lobby=K7QX2M\r\n", node.name, node.port);
    assert!(answer.starts_with("HTTP/1.1 307") && answer.contains(&goal), "{answer}");
    connects_by_webtransport(&node);
}

#[test]
fn what_is_neither_tls_nor_http_harms_nobody() {
    let node = SecureNode::start();
    for nonsense in [&b"\x16\x03\x01\xff\xff garbage that is not a handshake"[..], b"\x16", b"\0\0\0\0\r\n\r\n", b""] {
        let mut stream = node.plain();
        stream.write_all(nonsense).expect("it is sent");
        drop(stream);
    }
    let answer = get(node.tls(), &node, "/healthz");
    assert!(answer.ends_with("ok\n"), "{answer}");
}
