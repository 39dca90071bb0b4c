//! Every way in which HTTP refuses, with requests as bytes: each answer under `/api` and `/admin` is JSON of one shape.

mod node;

use std::{
    io::{Read, Write},
    net::TcpStream,
};

use serde_json::Value;

use self::node::{Folder, LOOPBACK, Node, PATIENCE};

const HOST: &str = "Host: localhost\r\n";

struct Answer {
    status: u16,
    head: String,
    body: String,
}

impl Answer {
    /// An object with one sentence and nothing else.
    fn is_problem(&self) -> bool {
        let problem: Value = serde_json::from_str(&self.body).unwrap_or_default();
        let sentence = problem["error"].as_str().is_some_and(|said| !said.is_empty());
        sentence
            && problem.as_object().is_some_and(|fields| fields.len() == 1)
            && self.head.contains("\r\ncontent-type: application/json\r\n")
    }
}

fn ask(node: &Node, request: &[u8]) -> Answer {
    let mut stream = TcpStream::connect((LOOPBACK, node.ports["http"])).expect("it is accepted");
    stream.set_read_timeout(Some(PATIENCE)).expect("a time-out");
    stream.write_all(request).expect("it can be sent");
    let mut answer = Vec::new();
    // A server that closes before it has read everything may reset the connection, after the answer.
    let ended = stream.read_to_end(&mut answer);
    assert!(!answer.is_empty(), "no answer: {ended:?}");
    let answer = String::from_utf8(answer).expect("text");
    let (head, body) = answer.split_once("\r\n\r\n").unwrap_or((&answer, ""));
    let status = head.split(' ').nth(1).and_then(|status| status.parse().ok()).expect("a status");
    Answer { status, head: format!("{head}\r\n"), body: body.into() }
}

/// A request line, more headers, and a body.
fn request(line: &str, headers: &str, body: &str) -> Vec<u8> {
    format!("{line} HTTP/1.1\r\n{headers}Connection: close\r\n\r\n{body}").into_bytes()
}

#[test]
fn every_refusal_under_api_and_admin_is_json_of_one_shape() {
    let folder = Folder::new();
    let node = Node::start(&["--data", folder.text()]);
    let host = format!("{HOST}Authorization: Bearer {}\r\n", node.token.as_deref().expect("a token"));
    let long = |length: usize| format!("{host}Content-Length: {length}\r\n");
    let chunked = format!("{host}Transfer-Encoding: chunked\r\n");
    let sent = "x".repeat(5000);
    for (line, headers, body, status) in [
        ("POST /api/lobbies", &*host, "", 405),
        ("BREW /api/lobbies", HOST, "", 405),
        ("OPTIONS /admin/kick", &host, "", 405),
        ("GET /api/nothing", HOST, "", 404),
        ("GET /api/lobbies/", HOST, "", 404),
        ("GET /admin/nothing", &host, "", 404),
        ("GET /admin/nothing", HOST, "", 401),
        ("GET /api/lobbies/AAAAAA", HOST, "", 404),
        ("GET /api/lobbies/%FF", HOST, "", 400),
        ("GET /api/lobbies/%zz", HOST, "", 404),
        ("POST /admin/lobbies/%FF/close", &host, "", 400),
        ("GET /api/scores?limit=%FF", HOST, "", 400),
        ("DELETE /admin/bans", &host, "", 400),
        ("DELETE /admin/bans?range=%FF", &host, "", 400),
        ("POST /admin/kick", &long(2), "{}", 400),
        ("POST /admin/kick", &long(2), "\u{fffd}", 400),
        ("POST /admin/kick", &long(5000), &sent, 413),
        // It is refused by what it says of itself: nobody has to send it first.
        ("POST /admin/kick", &format!("{}Expect: 100-continue\r\n", long(5000)), "", 413),
        ("POST /admin/kick", &chunked, &format!("1388\r\n{sent}\r\n0\r\n\r\n"), 413),
        ("POST /admin/kick", &chunked, "banana\r\n", 400),
        ("GET /api/lobbies", "", "", 400),
        ("GET /api/lobbies", "Host: one\r\nHost: two\r\n", "", 400),
        ("GET /volley", HOST, "", 400),
    ] {
        let answer = ask(&node, &request(line, headers, body));
        assert_eq!(answer.status, status, "{line}: {} {}", answer.head, answer.body);
        assert!(answer.is_problem(), "{line}: {} {}", answer.head, answer.body);
    }
    assert_eq!(ask(&node, &request("GET /api/lobbies", HOST, "")).body, "[]");
}

#[test]
fn headers_of_a_refusal_say_what_would_be_right() {
    let node = Node::start(&[]);
    let method = ask(&node, &request("POST /api/lobbies", HOST, ""));
    assert!(method.head.contains("\r\nallow: GET,HEAD\r\n"), "{}", method.head);
    let token = ask(&node, &request("GET /admin/bans", HOST, ""));
    assert!(token.head.contains("\r\nwww-authenticate: Bearer\r\n"), "{}", token.head);
    let head = ask(&node, &request("HEAD /api/nothing", HOST, ""));
    assert!(head.status == 404 && head.body.is_empty(), "{} {}", head.head, head.body);
    // Not yet, or no more, a request to any path.
    for (noise, status) in [("hello\r\n\r\n", 400), ("GET /api/lobbies HTTP/7.0\r\n\r\n", 400)] {
        assert_eq!(ask(&node, noise.as_bytes()).status, status, "{noise:?}");
    }
    let field = format!("{HOST}X: {}\r\n", "y".repeat(20_000));
    assert_eq!(ask(&node, &request("GET /api/lobbies", &field, "")).status, 431);
}
