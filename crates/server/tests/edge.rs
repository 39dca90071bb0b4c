//! Links over real WebSockets and real QUIC, with a node that answers each thing with the same thing.

mod websockets;

use std::{
    net::{Ipv4Addr, SocketAddr, UdpSocket},
    sync::Arc,
    time::Duration,
};

use futures_util::{SinkExt, StreamExt};
use protocol::Dialect;
use server::edge::{
    Admission, Arrivals, Link, LinkEvent, LinkRules, Wakeups,
    certificate::{CertificateSource, CurrentCertificate},
    webtransport,
};
use tokio::time::timeout;
use tokio_tungstenite::tungstenite::Message;
use wtransport::{ClientConfig, Endpoint, endpoint::ConnectOptions, tls::Sha256Digest};

const PATIENCE: Duration = Duration::from_secs(20);

fn admission() -> (Admission, Arrivals) {
    let (admission, mut arrivals) = Admission::new(Dialect::Volley, LinkRules::default(), &[Arc::new(|| {})]);
    (admission, arrivals.remove(0))
}

/// Answers until a link says `bye`, which closes it; returns when it is reported gone.
async fn echo(mut arrivals: Arrivals) -> SocketAddr {
    let mut link: Option<Link> = None;
    let mut from = None;
    let mut wakeups = Wakeups::default();
    loop {
        wakeups.send();
        let Some(arrival) = arrivals.take() else {
            tokio::time::sleep(Duration::from_millis(1)).await;
            continue;
        };
        match (arrival, &link) {
            (LinkEvent::Opened(opened), _) => {
                from = Some(opened.from);
                link = Some(opened);
            }
            (LinkEvent::Datagram { bytes, .. }, Some(open)) => assert!(open.sender().datagram(&bytes, &mut wakeups)),
            (LinkEvent::Stream(_, bytes), Some(open)) => {
                assert!(open.sender().stream(&bytes, &mut wakeups));
                if bytes.ends_with(b"bye") {
                    link = None;
                }
            }
            (LinkEvent::Closed(_), _) => return from.expect("it was opened before it was closed"),
            (other, None) => panic!("{other:?} of a link that is closed"),
        }
    }
}

#[tokio::test]
async fn a_websocket_carries_datagrams_and_a_stream_and_is_closed_after_the_last_words() {
    let (admission, arrivals) = admission();
    let node = tokio::spawn(echo(arrivals));
    let address = websockets::serve(admission).await;
    let (mut socket, _) = tokio_tungstenite::connect_async(format!("ws://{address}/volley")).await.expect("it opens");
    for said in [&b"\0a datagram"[..], b"\x01a stream", b"\0", b"\x01bye"] {
        socket.send(Message::Binary(said.to_vec().into())).await.expect("it is sent");
        let heard = timeout(PATIENCE, socket.next()).await.expect("in time").expect("an answer").expect("whole");
        assert_eq!(heard, Message::Binary(said.to_vec().into()));
    }
    let last = timeout(PATIENCE, socket.next()).await.expect("in time");
    assert!(matches!(last, Some(Ok(Message::Close(_)))), "{last:?}");
    assert!(timeout(PATIENCE, node).await.expect("in time").expect("no panic").ip().is_loopback());
}

#[tokio::test]
async fn a_websocket_that_says_what_no_client_says_is_closed() {
    let too_long = Message::Binary(vec![0; 5_000].into());
    for wrong in [Message::Text("hello".into()), Message::Binary(vec![2, 1].into()), too_long] {
        let (admission, arrivals) = admission();
        let node = tokio::spawn(echo(arrivals));
        let address = websockets::serve(admission).await;
        let url = format!("ws://{address}/volley");
        let (mut socket, _) = tokio_tungstenite::connect_async(url).await.expect("it opens");
        socket.send(wrong.clone()).await.expect("it is sent");
        timeout(PATIENCE, node).await.unwrap_or_else(|_| panic!("{wrong:?} does not close it")).expect("no panic");
    }
}

#[tokio::test]
async fn webtransport_carries_datagrams_and_a_stream_with_a_pinned_certificate_and_lets_the_peer_close() {
    let (admission, arrivals) = admission();
    let node = tokio::spawn(echo(arrivals));
    let (address, digest) = quic_server(admission).await;
    let config = ClientConfig::builder().with_bind_default().with_server_certificate_hashes([digest]).build();
    let client = Endpoint::client(config).expect("a client");
    let connection = client.connect(format!("https://{address}/volley")).await.expect("it connects");
    let (mut send, mut receive) = connection.open_bi().await.expect("a stream").await.expect("it opens");
    send.write_all(b"over the stream").await.expect("it is sent");
    let mut buffer = [0; 64];
    let length = timeout(PATIENCE, receive.read(&mut buffer)).await.expect("in time").expect("whole").expect("bytes");
    assert_eq!(&buffer[..length], b"over the stream");
    assert_eq!(echoed(&connection, b"a datagram").await, b"a datagram");
    send.write_all(b"bye").await.expect("it is sent");
    let length = timeout(PATIENCE, receive.read(&mut buffer)).await.expect("in time").expect("whole").expect("bytes");
    assert_eq!(&buffer[..length], b"bye");
    assert_eq!(timeout(PATIENCE, receive.read(&mut buffer)).await.expect("in time").expect("whole"), None);
    let is_cut_off = timeout(Duration::from_millis(200), connection.closed()).await.is_ok();
    assert!(!is_cut_off, "a page has time to read the last words");
    timeout(PATIENCE, connection.closed()).await.expect("the node closes it if the peer does not");
    timeout(PATIENCE, node).await.expect("in time").expect("no panic");
}

/// Sends a datagram until it comes back: either way may lose it.
async fn echoed(connection: &wtransport::Connection, bytes: &[u8]) -> Vec<u8> {
    for _ in 0..100 {
        connection.send_datagram(bytes).expect("it is sent");
        if let Ok(datagram) = timeout(Duration::from_millis(200), connection.receive_datagram()).await {
            return datagram.expect("whole").payload().to_vec();
        }
    }
    panic!("no datagram came back");
}

/// Begins handshakes that are never finished with a node: a socket in between passes on only how each begins. Returns
/// whether the node asked for a proof of the address.
async fn begin_many_and_finish_none(
    client: Arc<Endpoint<wtransport::endpoint::endpoint_side::Client>>,
    node: SocketAddr,
) -> bool {
    let between = tokio::net::UdpSocket::bind((Ipv4Addr::LOCALHOST, 0)).await.expect("a free port");
    let address = between.local_addr().expect("its address");
    for _ in 0..100 {
        let client = client.clone();
        tokio::spawn(async move { client.connect(format!("https://{address}/volley")).await.is_ok() });
    }
    let (mut begun, mut buffer) = (std::collections::BTreeSet::new(), [0; 2_000]);
    loop {
        let (length, from) = between.recv_from(&mut buffer).await.expect("a datagram");
        // RFC 9000, section 17.2: a long header's type, and the name that the client chose for the connection.
        if from == node && buffer[0] & 0xf0 == 0xf0 {
            return true;
        }
        let name = buffer[6..6 + usize::from(buffer[5]).min(20)].to_vec();
        if from != node && begun.insert(name) {
            between.send_to(&buffer[..length], node).await.expect("it is sent");
        }
    }
}

#[tokio::test]
async fn a_peer_that_begins_handshakes_and_finishes_none_is_asked_for_a_proof_and_keeps_nobody_out() {
    let (admission, arrivals) = admission();
    let node = tokio::spawn(echo(arrivals));
    let (address, digest) = quic_server(admission).await;
    let config = ClientConfig::builder().with_bind_default().with_server_certificate_hashes([digest]).build();
    let client = Arc::new(Endpoint::client(config).expect("a client"));
    let was_asked = timeout(PATIENCE, begin_many_and_finish_none(client.clone(), address)).await;
    assert_eq!(was_asked, Ok(true));
    let connection = timeout(PATIENCE, client.connect(format!("https://{address}/volley"))).await.expect("in time");
    let connection = connection.expect("a player gets in");
    let (mut send, _receive) = connection.open_bi().await.expect("a stream").await.expect("it opens");
    send.write_all(b"bye").await.expect("it is sent");
    timeout(PATIENCE, node).await.expect("in time").expect("no panic");
}

#[tokio::test]
async fn webtransport_to_another_path_is_not_a_player() {
    let (admission, mut arrivals) = admission();
    let (address, digest) = quic_server(admission).await;
    let config = ClientConfig::builder().with_bind_default().with_server_certificate_hashes([digest]).build();
    let client = Endpoint::client(config).expect("a client");
    assert!(client.connect(format!("https://{address}/elsewhere")).await.is_err());
    assert!(arrivals.take().is_none());
}

#[tokio::test]
async fn webtransport_of_another_sites_page_is_refused() {
    let (admission, mut arrivals) = admission();
    let (address, digest) = quic_server(admission).await;
    let config = ClientConfig::builder().with_bind_default().with_server_certificate_hashes([digest]).build();
    let client = Endpoint::client(config).expect("a client");
    let url = format!("https://{address}/volley");
    let from = |origin: String| ConnectOptions::builder(&url).add_header("origin", origin).build();
    assert!(client.connect(from("https://elsewhere.example".into())).await.is_err());
    assert!(arrivals.take().is_none());
    assert!(client.connect(from(format!("https://{address}"))).await.is_ok());
}

#[tokio::test]
async fn a_peer_whose_streams_nobody_reads_makes_the_node_keep_little() {
    let (admission, _arrivals) = admission();
    let (address, digest) = quic_server(admission).await;
    let config = ClientConfig::builder().with_bind_default().with_server_certificate_hashes([digest]).build();
    let client = Endpoint::client(config).expect("a client");
    let connection = client.connect(format!("https://{address}/volley")).await.expect("it connects");
    let (_player, mut streams) = (connection.open_bi().await.expect("a stream").await.expect("it opens"), Vec::new());
    // The node allows a few more, which nobody opens it for.
    while let Ok(Ok(opening)) = timeout(Duration::from_millis(300), connection.open_uni()).await {
        streams.push(opening.await.expect("it opens"));
    }
    assert!(streams.len() > 4, "{} streams", streams.len());
    let mut taken = 0;
    for stream in &mut streams {
        while let Ok(Ok(length)) = timeout(Duration::from_millis(100), stream.write(&[7; 4096])).await {
            taken += length;
        }
    }
    assert!((1..=48 << 10).contains(&taken), "{taken} bytes");
}

async fn quic_server(admission: Admission) -> (SocketAddr, Sha256Digest) {
    let socket = UdpSocket::bind((Ipv4Addr::LOCALHOST, 0)).expect("a free port");
    let address = socket.local_addr().expect("its address");
    let pin = CurrentCertificate::default();
    webtransport::serve(vec![socket], CertificateSource::SelfSigned, admission, pin.clone()).await.expect("it listens");
    let hash = pin.hash().expect("a hash to pin");
    let bytes: Vec<u8> =
        (0..32).map(|at| u8::from_str_radix(&hash[2 * at..2 * at + 2], 16).expect("hexadecimal")).collect();
    (address, Sha256Digest::new(bytes.try_into().expect("32 bytes")))
}
