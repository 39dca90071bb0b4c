//! Eviction over real sockets: while a few addresses hold every connection in every possible way, a page from another
//! address is answered at once, and a player from one of theirs plays on.

use std::{
    net::{IpAddr, Ipv4Addr, SocketAddr},
    sync::Arc,
};

use axum::{
    Router,
    body::Bytes,
    routing::{any, get, post},
};
use futures_util::StreamExt;
use protocol::Dialect;
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::{TcpSocket, TcpStream},
};
use tokio_tungstenite::tungstenite::Message;

use crate::{
    edge::{Admission, Arrivals, Link, LinkEvent, LinkRules, Wakeups, websocket},
    http::{
        connections::{CONNECTIONS_MAX, Connections},
        listener::{self, Site, Worker},
    },
};

/// Far more than both systems buffer for a peer that does not read.
const LONG_BYTES: usize = 32 << 20;

/// Ways to hold a connection: send nothing, half a head, half a body, not read the answer, or send no second request.
const HOLDS: [&str; 5] = [
    "",
    "GET / HTTP/1.1\r\nHost: a\r\n",
    "POST /body HTTP/1.1\r\nHost: a\r\nContent-Length: 9\r\n\r\nhalf",
    "GET /long HTTP/1.1\r\nHost: a\r\n\r\n",
    "GET / HTTP/1.1\r\nHost: a\r\n\r\n",
];

struct TestNode {
    address: SocketAddr,
    connections: Connections,
    admission: Admission,
    arrivals: Arrivals,
}

impl TestNode {
    fn open() -> TestNode {
        let (admission, mut arrivals) = Admission::new(Dialect::Volley, LinkRules::default(), &[Arc::new(|| {})]);
        let listener = std::net::TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).expect("a free port");
        listener.set_nonblocking(true).expect("so it is");
        let listener = tokio::net::TcpListener::from_std(listener).expect("the same");
        let address = listener.local_addr().expect("its address");
        let (worker, accepted) = Worker::new(|| 0);
        let connections = Connections::default();
        tokio::spawn(listener::accept(listener, connections.clone(), [worker].into()));
        tokio::spawn(listener::serve_connections(accepted, Site::new(routes(admission.clone()), None)));
        TestNode { address, connections, admission, arrivals: arrivals.remove(0) }
    }

    /// A connection from the loopback address with that last number.
    async fn connect(&self, from: u8) -> TcpStream {
        let socket = TcpSocket::new_v4().expect("a socket");
        socket.bind(SocketAddr::from(([127, 0, 0, from], 0))).expect("it is bound");
        socket.connect(self.address).await.expect("it connects")
    }

    async fn link(&mut self) -> Link {
        loop {
            match self.arrivals.take() {
                Some(LinkEvent::Opened(link)) => return link,
                Some(other) => panic!("{other:?}"),
                None => tokio::task::yield_now().await,
            }
        }
    }
}

fn routes(admission: Admission) -> Router {
    let long = Bytes::from(vec![7; LONG_BYTES]);
    Router::new()
        .route("/", get(async || "here"))
        .route("/long", get(async move || long))
        .route("/body", post(async |_: Bytes| "read"))
        .route("/volley", any(websocket::upgrade))
        .with_state(admission)
}

/// Asks for the page and reads the whole answer; empty if there is none.
async fn ask(connection: &mut TcpStream) -> String {
    let mut answer = String::new();
    let request = b"GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n";
    if connection.write_all(request).await.is_ok() {
        // A connection that breaks counts as an answer that ends.
        let _ = connection.read_to_string(&mut answer).await;
    }
    answer
}

#[tokio::test]
async fn a_page_from_a_new_address_is_answered_whatever_others_do_and_players_play_on() {
    let mut node = TestNode::open();
    let url = format!("ws://{}/volley", node.address);
    let player = node.connect(2).await;
    let (mut player, _) = tokio_tungstenite::client_async(url, player).await.expect("a WebSocket");
    let link = node.link().await;
    let mut held = Vec::new();
    for number in 0..CONNECTIONS_MAX {
        let mut connection = node.connect(2 + (number % 8) as u8).await;
        connection.write_all(HOLDS[number % HOLDS.len()].as_bytes()).await.expect("it is sent");
        held.push(connection);
    }
    // As many at once as a browser opens.
    let mut page = Vec::new();
    for _ in 0..6 {
        page.push(node.connect(200).await);
    }
    for connection in &mut page {
        let answer = ask(connection).await;
        assert!(answer.ends_with("here"), "{answer:?}");
    }
    let mut wakeups = Wakeups::default();
    link.sender().datagram(b"frame", &mut wakeups);
    wakeups.send();
    let received = player.next().await.expect("the link is open").expect("and well");
    assert_eq!(received, Message::Binary(b"\0frame".to_vec().into()));
    assert_eq!(node.admission.links(), 1);
    drop(held);
}

#[tokio::test]
async fn a_page_from_the_address_that_holds_every_connection_is_answered_too() {
    let node = TestNode::open();
    let mut held = Vec::new();
    for _ in 0..CONNECTIONS_MAX {
        held.push(node.connect(2).await);
    }
    let answer = ask(&mut node.connect(2).await).await;
    assert!(answer.ends_with("here"), "{answer:?}");
    // The idlest connection was closed for it.
    assert_eq!(held[0].read(&mut [0]).await.unwrap_or(0), 0);
}

#[tokio::test]
async fn a_connection_that_became_a_link_no_longer_counts() {
    let mut node = TestNode::open();
    let url = format!("ws://{}/volley", node.address);
    let (_player, _) = tokio_tungstenite::connect_async(&url).await.expect("a WebSocket");
    let _link = node.link().await;
    let from = IpAddr::from([127, 0, 0, 1]);
    let leaves = async {
        while node.connections.count(from) > 0 {
            tokio::task::yield_now().await;
        }
    };
    tokio::time::timeout(super::PATIENCE, leaves).await.expect("it is no longer counted");
}

/// Frames that never make a message are counted as well: many megabytes of them are read as slowly as anything else.
#[tokio::test]
async fn empty_continuations_of_a_message_that_never_ends_are_paused() {
    let mut node = TestNode::open();
    let url = format!("ws://{}/volley", node.address);
    let stream = node.connect(2).await;
    let (player, _) = tokio_tungstenite::client_async(url, stream).await.expect("a WebSocket");
    let _link = node.link().await;
    let mut stream = player.into_inner();
    // A binary frame that is not the last of its message; then such without anything in them. Every frame has a mask of zeros.
    stream.write_all(&[0x02, 0x81, 0, 0, 0, 0, 0]).await.expect("it is sent");
    let empty = [0x00, 0x80, 0, 0, 0, 0].repeat(16 << 10);
    let flood = async {
        let mut sent = 0;
        // Both systems buffer some of it.
        while sent < LONG_BYTES && stream.write_all(&empty).await.is_ok() {
            sent += empty.len();
        }
    };
    let is_read = tokio::time::timeout(std::time::Duration::from_secs(2), flood).await.is_ok();
    assert!(!is_read || node.admission.links() == 0, "all of it was read");
    assert!(node.connections.floods() > 0);
}
