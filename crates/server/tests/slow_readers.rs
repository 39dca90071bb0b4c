//! Peers over real WebSockets that do not read, or say far too much: memory stays bounded, and nobody else notices.

use std::{
    net::{Ipv4Addr, SocketAddr},
    sync::Arc,
    time::{Duration, Instant},
};

use axum::{Router, routing::any};
use futures_util::{SinkExt, StreamExt};
use protocol::Dialect;
use server::edge::{Admission, Arrivals, Link, LinkEvent, LinkRules, Wakeups, websocket};
use tokio_tungstenite::{MaybeTlsStream, WebSocketStream, tungstenite::Message};

type Socket = WebSocketStream<MaybeTlsStream<tokio::net::TcpStream>>;

/// Datagrams of one flood: far more bytes than the systems at both ends keep.
const FLOOD: u32 = 40_000;
const LONG: [u8; 1_000] = [7; 1_000];

/// A node that does what the test says.
struct Node {
    admission: Admission,
    arrivals: Arrivals,
    wakeups: Wakeups,
    address: SocketAddr,
}

impl Node {
    async fn start() -> Node {
        let (admission, mut arrivals) = Admission::new(Dialect::Volley, LinkRules::default(), &[Arc::new(|| {})]);
        let listener = tokio::net::TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await.expect("a free port");
        let address = listener.local_addr().expect("its address");
        let routes = Router::new().route("/volley", any(websocket::upgrade)).with_state(admission.clone());
        tokio::spawn(async move {
            axum::serve(listener, routes.into_make_service_with_connect_info::<SocketAddr>()).await.expect("it serves");
        });
        Node { admission, arrivals: arrivals.remove(0), wakeups: Wakeups::default(), address }
    }

    /// Both ends of a new link.
    async fn link(&mut self) -> (Link, Socket) {
        let (socket, _) =
            tokio_tungstenite::connect_async(format!("ws://{}/volley", self.address)).await.expect("it opens");
        match self.next().await {
            LinkEvent::Opened(link) => (link, socket),
            other => panic!("{other:?} before it is open"),
        }
    }

    async fn next(&mut self) -> LinkEvent {
        loop {
            if let Some(arrival) = self.arrivals.take() {
                return arrival;
            }
            tokio::time::sleep(Duration::from_millis(1)).await;
        }
    }

    /// Sends numbered datagrams as fast as the edge carries them; how many were lost.
    async fn flood(&mut self, link: &Link) -> u32 {
        let mut lost = 0;
        for number in 0..FLOOD {
            let datagram = [&number.to_be_bytes()[..], &LONG].concat();
            lost += u32::from(!link.sender().datagram(&datagram, &mut self.wakeups));
            self.wakeups.send();
            tokio::task::yield_now().await;
        }
        lost
    }
}

/// The number of the next datagram.
async fn number(socket: &mut Socket) -> u32 {
    match socket.next().await {
        Some(Ok(Message::Binary(bytes))) => u32::from_be_bytes(bytes[1..5].try_into().expect("a number")),
        other => panic!("{other:?}"),
    }
}

#[tokio::test]
async fn a_peer_that_reads_late_gets_what_is_newest_and_not_all_that_was() {
    let mut node = Node::start().await;
    let (link, mut late) = node.link().await;
    let lost = node.flood(&link).await;
    assert!(lost > FLOOD / 2, "{lost} lost");
    let mut read = 1;
    while number(&mut late).await != FLOOD - 1 {
        read += 1;
    }
    assert_eq!(read + lost, FLOOD, "each was carried or counted");
}

// Time is paused: it passes when everybody waits for it.
#[tokio::test(start_paused = true)]
async fn a_peer_that_never_reads_is_let_go_and_others_do_not_notice() {
    let mut node = Node::start().await;
    let (link, _never) = node.link().await;
    let (other, mut reader) = node.link().await;
    assert!(node.flood(&link).await > 0);
    other.sender().datagram(&42_u32.to_be_bytes(), &mut node.wakeups);
    node.wakeups.send();
    assert_eq!(number(&mut reader).await, 42);
    let gone = node.next().await;
    assert!(matches!(gone, LinkEvent::Closed(id) if id == link.id), "{gone:?}");
    assert_eq!(node.admission.links(), 1, "its place is free");
}

#[tokio::test(start_paused = true)]
async fn a_peer_that_does_not_take_the_goodbye_is_let_go_all_the_same() {
    let mut node = Node::start().await;
    let (link, _never) = node.link().await;
    assert!(node.flood(&link).await > 0);
    let id = link.id;
    drop(link);
    assert!(matches!(node.next().await, LinkEvent::Closed(gone) if gone == id));
    assert_eq!(node.admission.links(), 0);
}

#[tokio::test(start_paused = true)]
async fn a_stream_that_nobody_reads_ends_the_link() {
    let mut node = Node::start().await;
    let (link, _never) = node.link().await;
    let mut written = 0;
    while link.sender().stream(&LONG, &mut node.wakeups) {
        node.wakeups.send();
        tokio::task::yield_now().await;
        written += LONG.len();
        assert!(written < 64 << 20, "it takes whatever it is given");
    }
    node.wakeups.send();
    assert!(matches!(node.next().await, LinkEvent::Closed(id) if id == link.id));
}

#[tokio::test]
async fn a_peer_that_says_too_much_waits_and_others_are_heard() {
    let mut node = Node::start().await;
    let began = Instant::now();
    let (flooding, mut flood) = node.link().await;
    let (_other, mut calm) = node.link().await;
    let flood = tokio::spawn(async move { while flood.feed(Message::Binary(vec![0; 100].into())).await.is_ok() {} });
    let (mut heard, mut calm_heard) = (0, 0);
    while calm_heard < 5 {
        calm.send(Message::Binary(vec![0, 1].into())).await.expect("it is sent");
        loop {
            match node.next().await {
                LinkEvent::Datagram { link, .. } if link == flooding.id => heard += 1,
                _ => break calm_heard += 1,
            }
        }
        tokio::time::sleep(Duration::from_millis(60)).await;
    }
    flood.abort();
    let allowed = 600.0 + 240.0 * (began.elapsed().as_secs_f64() + 0.2);
    assert!(f64::from(heard) <= allowed, "{heard} of at most {allowed}");
    assert!(node.admission.floods() > 0 && node.admission.lost() == 0);
}
