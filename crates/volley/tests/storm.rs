//! Strangers at `/volley` that speak WebSocket badly, or not at all: the node stays well, and its memory bounded.

mod node;

use std::{
    fs,
    io::{Read, Write},
    net::TcpStream,
    process::{Command, Stdio},
};

use self::node::{LOOPBACK, Node, PATIENCE, metric, until};

const BINARY: u8 = 2;
const TEXT: u8 = 1;

/// A WebSocket; none if the node takes no more.
fn upgrade(node: &Node) -> Option<TcpStream> {
    let mut stream = TcpStream::connect((LOOPBACK, node.ports["http"])).ok()?;
    stream.set_read_timeout(Some(PATIENCE)).ok()?;
    let request = "GET /volley HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\
                   Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n";
    stream.write_all(request.as_bytes()).ok()?;
    let mut answer = Vec::new();
    while !answer.ends_with(b"\r\n\r\n") {
        let mut byte = [0];
        stream.read_exact(&mut byte).ok()?;
        answer.push(byte[0]);
    }
    answer.starts_with(b"HTTP/1.1 101").then_some(stream)
}

/// A frame of a WebSocket, masked with zeros, that claims this many bytes.
fn frame(opcode: u8, claimed: u64, bytes: &[u8]) -> Vec<u8> {
    let mut frame = vec![0x80 | opcode, 0x80 | 127];
    frame.extend(claimed.to_be_bytes());
    frame.extend([0; 4]);
    frame.extend(bytes);
    frame
}

fn whole(opcode: u8, bytes: &[u8]) -> Vec<u8> {
    // The shortest form of a length is asked for.
    match u8::try_from(bytes.len()) {
        Ok(length @ 0..126) => [&[0x80 | opcode, 0x80 | length, 0, 0, 0, 0], bytes].concat(),
        _ => {
            let length = (bytes.len() as u16).to_be_bytes();
            [&[0x80 | opcode, 0x80 | 126, length[0], length[1], 0, 0, 0, 0], bytes].concat()
        }
    }
}

/// Bytes that are nothing in particular, the same ones for the same number.
fn noise(seed: u64, count: usize) -> Vec<u8> {
    let mut dice = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
    let mut byte = || {
        dice ^= dice << 13;
        dice ^= dice >> 7;
        dice ^= dice << 17;
        (dice >> 32) as u8
    };
    (0..count).map(|_| byte()).collect()
}

fn memory_kib(node: &Node) -> u64 {
    let status = fs::read_to_string(format!("/proc/{}/status", node.child.id())).expect("it runs");
    let line = status.lines().find(|line| line.starts_with("VmRSS")).expect("its memory");
    line.split_whitespace().nth(1).and_then(|kib| kib.parse().ok()).expect("a number")
}

/// What one stranger says, by their number.
fn nonsense(number: u64) -> Vec<u8> {
    match number % 8 {
        // A first byte that says nothing.
        0 => whole(BINARY, &[2, 1, 2, 3]),
        1 => whole(BINARY, &[]),
        2 => whole(TEXT, b"hello"),
        3 => frame(BINARY, 1 << 40, &[1; 1000]),
        // A message of the stream that claims to be long.
        4 => whole(BINARY, &[1, 255, 255, 255, 255, 1]),
        5 => whole(BINARY, &[&[1], &noise(number, 900)[..]].concat()),
        6 => whole(BINARY, &[&[0], &noise(number, 900)[..]].concat()),
        _ => noise(number, 2000),
    }
}

/// Waits until nobody but players is there any more.
fn sessions_end(node: &Node) {
    until("all sessions end", || metric(node, "volley_sessions_proved{dialect=\"volley\"}") == 0.0);
}

fn a_bot_can_play(node: &Node) {
    let port = node.ports["http"].to_string();
    let arguments = ["bots", "--dialect", "volley", "--count", "1", "--seconds", "1", "--volley", &port];
    let output = Command::new(env!("CARGO_BIN_EXE_volley")).args(arguments).stdin(Stdio::null()).output();
    let output = output.expect("volley runs");
    assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
}

#[test]
fn nonsense_over_websockets_harms_nobody() {
    let node = Node::start(&[]);
    a_bot_can_play(&node);
    let before = memory_kib(&node);
    let mut taken = 0;
    for number in 0..400 {
        let Some(mut stream) = upgrade(&node) else { continue };
        taken += 1;
        // The node may have hung up in the middle.
        let _ = stream.write_all(&nonsense(number));
    }
    assert!(taken > 100, "{taken}");
    assert_eq!(node.get("/healthz").0, 200);
    sessions_end(&node);
    a_bot_can_play(&node);
    let grown = memory_kib(&node).saturating_sub(before);
    assert!(grown < 64 * 1024, "{grown} KiB more");
}

#[test]
fn five_hundred_silent_connections_are_let_go_and_keep_nobody_out_of_the_node() {
    let node = Node::start(&[]);
    let before = memory_kib(&node);
    let mut held = Vec::new();
    for number in 0..500 {
        let Ok(mut stream) = TcpStream::connect((LOOPBACK, node.ports["http"])) else { continue };
        // Some begin to ask and never end.
        if number % 2 == 0 {
            let _ = stream.write_all(b"GET /volley HTTP/1.1\r\nHost: local");
        }
        held.push(stream);
    }
    let grown = memory_kib(&node).saturating_sub(before);
    assert!(grown < 64 * 1024, "{grown} KiB more");
    drop(held);
    assert_eq!(node.get("/healthz").0, 200);
    a_bot_can_play(&node);
    sessions_end(&node);
}
