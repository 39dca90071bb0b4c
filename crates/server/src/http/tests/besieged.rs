//! Places over real sockets: while a few addresses hold all of them in every way that there is, a page from another one is
//! answered at once, and a player from one of theirs plays on.

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
    edge::{Arrival, Arrivals, Errands, Gate, Link, websocket},
    http::{
        crowd::{Crowd, PLACES},
        listening::{self, Way},
    },
};

/// Far more than the systems at both ends keep for who does not read.
const LONG_BYTES: usize = 32 << 20;

/// Ways to hold a place: to say nothing, not to end what one says, not to take the answer, and to say nothing more.
const HOLDS: [&str; 5] = [
    "",
    "GET / HTTP/1.1\r\nHost: a\r\n",
    "POST /body HTTP/1.1\r\nHost: a\r\nContent-Length: 9\r\n\r\nhalf",
    "GET /long HTTP/1.1\r\nHost: a\r\n\r\n",
    "GET / HTTP/1.1\r\nHost: a\r\n\r\n",
];

struct House {
    address: SocketAddr,
    crowd: Crowd,
    gate: Gate,
    arrivals: Arrivals,
}

impl House {
    fn open() -> House {
        let (gate, mut arrivals) = Gate::new(Dialect::Volley, &[Arc::new(|| {})]);
        let listener = std::net::TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).expect("a free port");
        listener.set_nonblocking(true).expect("so it is");
        let listener = tokio::net::TcpListener::from_std(listener).expect("the same");
        let address = listener.local_addr().expect("its address");
        let (way, connections) = Way::new(|| 0);
        let crowd = Crowd::default();
        tokio::spawn(listening::accept(listener, crowd.clone(), [way].into()));
        tokio::spawn(listening::attend(connections, routes(gate.clone())));
        House { address, crowd, gate, arrivals: arrivals.remove(0) }
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
                Some(Arrival::Opened(link)) => return link,
                Some(other) => panic!("{other:?}"),
                None => tokio::task::yield_now().await,
            }
        }
    }
}

fn routes(gate: Gate) -> Router {
    let long = Bytes::from(vec![7; LONG_BYTES]);
    Router::new()
        .route("/", get(async || "here"))
        .route("/long", get(async move || long))
        .route("/body", post(async |_: Bytes| "read"))
        .route("/volley", any(websocket::upgrade))
        .with_state(gate)
}

/// Asks for the page and reads the whole answer; empty if there is none.
async fn ask(connection: &mut TcpStream) -> String {
    let mut answer = String::new();
    let request = b"GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n";
    if connection.write_all(request).await.is_ok() {
        // Nothing but what came counts.
        let _ = connection.read_to_string(&mut answer).await;
    }
    answer
}

#[tokio::test]
async fn a_page_from_a_fresh_address_gets_in_whatever_others_do_and_players_play_on() {
    let mut house = House::open();
    let url = format!("ws://{}/volley", house.address);
    let player = house.connect(2).await;
    let (mut player, _) = tokio_tungstenite::client_async(url, player).await.expect("a WebSocket");
    let link = house.link().await;
    let mut held = Vec::new();
    for number in 0..PLACES {
        let mut connection = house.connect(2 + (number % 8) as u8).await;
        connection.write_all(HOLDS[number % HOLDS.len()].as_bytes()).await.expect("it is sent");
        held.push(connection);
    }
    // As many at once as a browser opens.
    let mut page = Vec::new();
    for _ in 0..6 {
        page.push(house.connect(200).await);
    }
    for connection in &mut page {
        let answer = ask(connection).await;
        assert!(answer.ends_with("here"), "{answer:?}");
    }
    let mut errands = Errands::default();
    link.pen().datagram(b"frame", &mut errands);
    errands.run();
    let said = player.next().await.expect("the link is open").expect("and well");
    assert_eq!(said, Message::Binary(b"\0frame".to_vec().into()));
    assert_eq!(house.gate.links(), 1);
    drop(held);
}

#[tokio::test]
async fn a_client_that_shares_an_address_with_the_holder_of_all_places_gets_in_too() {
    let house = House::open();
    let mut held = Vec::new();
    for _ in 0..PLACES {
        held.push(house.connect(2).await);
    }
    let answer = ask(&mut house.connect(2).await).await;
    assert!(answer.ends_with("here"), "{answer:?}");
    // Somebody was closed for it: the one that was quiet longest.
    assert_eq!(held[0].read(&mut [0]).await.unwrap_or(0), 0);
}

#[tokio::test]
async fn a_connection_that_became_a_link_has_left_its_place() {
    let mut house = House::open();
    let url = format!("ws://{}/volley", house.address);
    let (_player, _) = tokio_tungstenite::connect_async(&url).await.expect("a WebSocket");
    let _link = house.link().await;
    let from = IpAddr::from([127, 0, 0, 1]);
    let leaves = async {
        while house.crowd.count(from) > 0 {
            tokio::task::yield_now().await;
        }
    };
    tokio::time::timeout(super::PATIENCE, leaves).await.expect("it leaves its place");
}
