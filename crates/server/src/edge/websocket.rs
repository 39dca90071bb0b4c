//! Links over WebSocket. The first byte of each binary message says what follows: a datagram or stream bytes.
//!
//! What the system has accepted cannot be taken back, so the next message is taken from the mailbox only when the last one
//! has left: a peer that reads slowly gets what is newest by then.

use std::{
    future::poll_fn,
    net::SocketAddr,
    pin::Pin,
    task::{Context, Poll, ready},
    time::Duration,
};

use axum::{
    extract::{
        ConnectInfo, State,
        ws::{Message, WebSocket, WebSocketUpgrade},
    },
    http::{HeaderMap, StatusCode, header},
    response::{IntoResponse, Response},
};
use futures_util::{Sink, Stream};
use tokio::time::{sleep, timeout};

use super::{
    admission::{Admission, LinkTransport, NoLink},
    links::{EdgeLink, FLOOD_PAUSE, MESSAGE_MAX_BYTES},
    mailbox::{MessageKind, PIECE_MAX_BYTES},
    origin::AllowedOrigins,
    own_time::OwnTimer,
};

/// A datagram follows.
const DATAGRAM: u8 = 0;
/// Bytes of the stream follow.
const STREAM: u8 = 1;
/// What is read at once. The library clears that much memory before each read, and a client's messages are short.
const READ_BYTES: usize = 1_024;
/// Messages are collected up to this many bytes before they are written.
const WRITE_BYTES: usize = 8 << 10;
/// What may wait to be written: collected messages, a piece of the stream, datagrams, and answers to pings.
const WRITE_MAX_BYTES: usize = WRITE_BYTES + PIECE_MAX_BYTES + (8 << 10);
/// A peer that reads nothing for this time is gone.
const STALLED_MAX: Duration = Duration::from_secs(5);
/// How long closing the connection may take.
const CLOSE_MAX: Duration = Duration::from_secs(1);

/// Upgrades a request to a WebSocket.
pub async fn upgrade(
    State(admission): State<Admission>,
    ConnectInfo(from): ConnectInfo<SocketAddr>,
    headers: HeaderMap,
    upgrade: WebSocketUpgrade,
) -> Response {
    if !is_allowed(admission.origins(), &headers) {
        return (StatusCode::FORBIDDEN, "pages of this origin may not connect; see --allow-origin\n").into_response();
    }
    let slot = match admission.reserve(from, LinkTransport::WebSocket) {
        Ok(slot) => slot,
        Err(NoLink::Full) => {
            return (StatusCode::SERVICE_UNAVAILABLE, "too many connections; try again later\n").into_response();
        }
        Err(NoLink::TooFast) => {
            return (StatusCode::TOO_MANY_REQUESTS, "too many connections in a second; try again\n").into_response();
        }
    };
    upgrade
        .max_message_size(MESSAGE_MAX_BYTES)
        .max_frame_size(MESSAGE_MAX_BYTES)
        .read_buffer_size(READ_BYTES)
        .write_buffer_size(WRITE_BYTES)
        .max_write_buffer_size(WRITE_MAX_BYTES)
        // If the upgrade fails, this is dropped uncalled, and the slot with it.
        .on_upgrade(|socket| async { carry(socket, slot.open().await).await })
}

/// Whether a page that sent these headers may open a link.
fn is_allowed(origins: &AllowedOrigins, headers: &HeaderMap) -> bool {
    let text = |name| headers.get(name).map(|value| value.to_str().unwrap_or("not text"));
    origins.allow_websocket(text(header::ORIGIN), text(header::HOST).unwrap_or_default())
}

async fn carry(socket: WebSocket, link: EdgeLink) {
    let mut task = LinkTask { socket, link, outgoing: Vec::new(), stalled: None };
    while let Some(message) = poll_fn(|context| task.poll(context)).await {
        if !task.pass_on(message) {
            break;
        }
        if !task.link.count_message() {
            sleep(FLOOD_PAUSE).await;
        }
    }
    let LinkTask { mut socket, link, .. } = task;
    // Best effort: the peer may be gone already.
    let _ = timeout(CLOSE_MAX, socket.send(Message::Close(None))).await;
    link.close().await;
}

/// Moves what one link sends and receives.
struct LinkTask {
    socket: WebSocket,
    link: EdgeLink,
    /// What is being sent. The buffer is reused.
    outgoing: Vec<u8>,
    /// When to give up on a peer that reads nothing.
    stalled: Option<OwnTimer>,
}

impl LinkTask {
    /// Sends what waits, and returns the peer's next message; none when the link is over.
    fn poll(&mut self, context: &mut Context<'_>) -> Poll<Option<Message>> {
        if self.poll_send(context).is_ready() {
            return Poll::Ready(None);
        }
        Pin::new(&mut self.socket).poll_next(context).map(|message| message.and_then(Result::ok))
    }

    /// Sends what waits. Ready when the link is over.
    fn poll_send(&mut self, context: &mut Context<'_>) -> Poll<()> {
        loop {
            let Poll::Ready(sent) = Pin::new(&mut self.socket).poll_flush(context) else {
                return self.poll_stalled(context);
            };
            self.stalled = None;
            if sent.is_err() || !ready!(self.poll_collect(context)) {
                return Poll::Ready(());
            }
        }
    }

    /// Collects what waits. False: the shard has closed the link, or it is broken.
    fn poll_collect(&mut self, context: &mut Context<'_>) -> Poll<bool> {
        let mut has_collected = false;
        let mut collected_bytes = 0;
        loop {
            // No more is taken than may wait to be written.
            if collected_bytes >= WRITE_BYTES {
                return Poll::Ready(true);
            }
            match self.link.poll_outgoing(context, &mut self.outgoing) {
                Poll::Ready(Some(kind)) => {
                    collected_bytes += self.outgoing.len();
                    let message = message(kind, &self.outgoing);
                    if Pin::new(&mut self.socket).start_send(message).is_err() {
                        return Poll::Ready(false);
                    }
                    has_collected = true;
                }
                // What was collected leaves first.
                Poll::Ready(None) | Poll::Pending if has_collected => return Poll::Ready(true),
                Poll::Ready(None) => return Poll::Ready(false),
                Poll::Pending => return Poll::Pending,
            }
        }
    }

    fn poll_stalled(&mut self, context: &mut Context<'_>) -> Poll<()> {
        Pin::new(self.stalled.get_or_insert_with(|| OwnTimer::new(STALLED_MAX))).poll(context)
    }

    /// Passes a message on to the shard. False: the peer closes the link, or breaks its rules.
    fn pass_on(&self, message: Message) -> bool {
        match message {
            Message::Binary(bytes) => match bytes.split_first() {
                Some((&DATAGRAM, rest)) => {
                    self.link.datagram(rest.into());
                    true
                }
                Some((&STREAM, rest)) => self.link.stream(rest.into()),
                _ => false,
            },
            Message::Ping(_) | Message::Pong(_) => true,
            Message::Text(_) | Message::Close(_) => false,
        }
    }
}

fn message(kind: MessageKind, bytes: &[u8]) -> Message {
    let kind = match kind {
        MessageKind::Datagram => DATAGRAM,
        MessageKind::Stream => STREAM,
    };
    let mut message = Vec::with_capacity(1 + bytes.len());
    message.push(kind);
    message.extend_from_slice(bytes);
    Message::Binary(message.into())
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use axum::{Router, routing::any};
    use hyper_util::{rt::TokioIo, service::TowerToHyperService};
    use protocol::Dialect;
    use tokio::io::{AsyncReadExt, AsyncWriteExt, DuplexStream, duplex};

    use super::*;
    use crate::edge::{Arrivals, LinkRules};

    fn admission() -> (Admission, Arrivals) {
        let (admission, mut arrivals) = Admission::new(Dialect::Volley, LinkRules::default(), &[Arc::new(|| {})]);
        (admission, arrivals.remove(0))
    }

    /// A connection to a server of WebSockets, and the task that serves it.
    fn connect(admission: &Admission, room: usize) -> (DuplexStream, tokio::task::JoinHandle<()>) {
        let from = ConnectInfo(SocketAddr::from(([192, 0, 2, 1], 5000)));
        let router = Router::new().route("/volley", any(upgrade)).with_state(admission.clone());
        let router = TowerToHyperService::new(router.layer(axum::Extension(from)));
        let (client, server) = duplex(room);
        let connection = hyper::server::conn::http1::Builder::new().serve_connection(TokioIo::new(server), router);
        // How it ends is what the tests look at from the other side.
        (client, tokio::spawn(async { drop(connection.with_upgrades().await) }))
    }

    fn request(headers: &str) -> String {
        format!(
            "GET /volley HTTP/1.1\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n\
             Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n{headers}\r\n"
        )
    }

    /// The first line of the answer to a request with these headers.
    async fn answer(headers: &str) -> String {
        let (admission, _arrivals) = admission();
        let (mut client, _server) = connect(&admission, 4096);
        client.write_all(request(headers).as_bytes()).await.expect("it is sent");
        let mut answer = vec![0; 12];
        client.read_exact(&mut answer).await.expect("an answer");
        String::from_utf8(answer).expect("text")
    }

    #[tokio::test]
    async fn a_page_of_another_origin_may_not_connect() {
        let own = "Host: localhost:4240\r\nOrigin: http://localhost:4240\r\n";
        assert_eq!(answer(own).await, "HTTP/1.1 101");
        assert_eq!(answer("Host: localhost:4240\r\n").await, "HTTP/1.1 101", "a program that is not a browser");
        for origin in ["http://evil.example", "http://localhost:4241", "null", "\u{e9}"] {
            let other = format!("Host: localhost:4240\r\nOrigin: {origin}\r\n");
            assert_eq!(answer(&other).await, "HTTP/1.1 403", "{origin}");
        }
    }

    #[tokio::test]
    async fn a_peer_that_goes_during_the_upgrade_leaves_nothing_behind() {
        let (admission, mut arrivals) = admission();
        for room in [1, 20, 4096] {
            for _ in 0..20 {
                let (mut client, server) = connect(&admission, room);
                let send = async {
                    let _ = client.write_all(request("Host: localhost\r\n").as_bytes()).await;
                    // It reads a little of the answer, or nothing, and goes.
                    let mut some = [0; 1];
                    if room == 1 {
                        let _ = client.read_exact(&mut some).await;
                    }
                    drop(client);
                };
                send.await;
                server.await.expect("no panic");
            }
        }
        let mut open = 0_i32;
        timeout(Duration::from_secs(20), async {
            while admission.links() > 0 {
                tokio::task::yield_now().await;
            }
        })
        .await
        .expect("every slot is given back");
        while let Some(event) = arrivals.take() {
            match event {
                crate::edge::LinkEvent::Opened(_) => open += 1,
                crate::edge::LinkEvent::Closed(_) => open -= 1,
                other => panic!("{other:?}"),
            }
        }
        assert_eq!(open, 0, "the shard was told of links that it was not told the end of");
    }
}
