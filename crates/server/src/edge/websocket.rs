//! Links over WebSocket. Each binary message begins with a byte that says what follows: a datagram or stream bytes.
//!
//! What was handed to the system cannot be taken back, so the next thing is taken from the mailbox only when the last
//! has left: a peer that reads slowly gets what is newest then.

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
    http::StatusCode,
    response::{IntoResponse, Response},
};
use futures_util::{Sink, Stream};
use tokio::time::{Sleep, sleep, timeout};

use super::{
    gate::Gate,
    links::{DEAF, Entered, MESSAGE_MAX_BYTES},
    mailbox::Kind,
};

/// What follows is a datagram.
const DATAGRAM: u8 = 0;
/// What follows are bytes of the stream.
const STREAM: u8 = 1;
/// What is read at once. The library clears as much memory before each read, and a client's messages are short.
const READ_BYTES: usize = 1_024;
/// Messages are gathered up to this many bytes before they are written.
const WRITE_BYTES: usize = 8 << 10;
/// What may wait to be written: what is gathered, a piece of the stream, and answers to pings.
const WRITE_MAX_BYTES: usize = 64 << 10;
/// A peer that takes nothing for so long is gone.
const STALLED_MAX: Duration = Duration::from_secs(5);
/// How long the end of the connection may take.
const GOODBYE_MAX: Duration = Duration::from_secs(1);

/// Answers a request for a WebSocket.
pub async fn upgrade(
    State(gate): State<Gate>,
    ConnectInfo(from): ConnectInfo<SocketAddr>,
    upgrade: WebSocketUpgrade,
) -> Response {
    let Some(entered) = gate.enter(from).await else {
        return (StatusCode::SERVICE_UNAVAILABLE, "too many connections; try again later\n").into_response();
    };
    upgrade
        .max_message_size(MESSAGE_MAX_BYTES)
        .max_frame_size(MESSAGE_MAX_BYTES)
        .read_buffer_size(READ_BYTES)
        .write_buffer_size(WRITE_BYTES)
        .max_write_buffer_size(WRITE_MAX_BYTES)
        .on_upgrade(|socket| carry(socket, entered))
}

async fn carry(socket: WebSocket, entered: Entered) {
    let mut carrier = Carrier { socket, entered, outgoing: Vec::new(), stalled: None };
    while let Some(message) = poll_fn(|context| carrier.poll(context)).await {
        if !carrier.pass_on(message) {
            break;
        }
        if !carrier.entered.may_go_on() {
            sleep(DEAF).await;
        }
    }
    let Carrier { mut socket, entered, .. } = carrier;
    // Whoever is still there is told; whoever is not cannot be.
    let _ = timeout(GOODBYE_MAX, socket.send(Message::Close(None))).await;
    entered.close().await;
}

/// Carries one link.
struct Carrier {
    socket: WebSocket,
    entered: Entered,
    /// What is being sent, kept for its memory.
    outgoing: Vec<u8>,
    /// When a peer that takes nothing is given up.
    stalled: Option<Pin<Box<Sleep>>>,
}

impl Carrier {
    /// Sends what there is, and returns what the peer says; none when the link is over.
    fn poll(&mut self, context: &mut Context<'_>) -> Poll<Option<Message>> {
        if self.poll_send(context).is_ready() {
            return Poll::Ready(None);
        }
        Pin::new(&mut self.socket).poll_next(context).map(|message| message.and_then(Result::ok))
    }

    /// Sends for as long as the link is of use.
    fn poll_send(&mut self, context: &mut Context<'_>) -> Poll<()> {
        loop {
            let Poll::Ready(sent) = Pin::new(&mut self.socket).poll_flush(context) else {
                return self.poll_stalled(context);
            };
            self.stalled = None;
            if sent.is_err() || !ready!(self.poll_gather(context)) {
                return Poll::Ready(());
            }
        }
    }

    /// Writes down all that waits. False: the node has closed the link, or it is broken.
    fn poll_gather(&mut self, context: &mut Context<'_>) -> Poll<bool> {
        let mut has_gathered = false;
        loop {
            match self.entered.poll_outgoing(context, &mut self.outgoing) {
                Poll::Ready(Some(kind)) => {
                    let message = message(kind, &self.outgoing);
                    if Pin::new(&mut self.socket).start_send(message).is_err() {
                        return Poll::Ready(false);
                    }
                    has_gathered = true;
                }
                // What was gathered leaves first.
                Poll::Ready(None) | Poll::Pending if has_gathered => return Poll::Ready(true),
                Poll::Ready(None) => return Poll::Ready(false),
                Poll::Pending => return Poll::Pending,
            }
        }
    }

    fn poll_stalled(&mut self, context: &mut Context<'_>) -> Poll<()> {
        self.stalled.get_or_insert_with(|| Box::pin(sleep(STALLED_MAX))).as_mut().poll(context)
    }

    /// False: the peer says goodbye, or something that no client of ours says.
    fn pass_on(&self, message: Message) -> bool {
        match message {
            Message::Binary(bytes) => match bytes.split_first() {
                Some((&DATAGRAM, rest)) => {
                    self.entered.datagram(rest.into());
                    true
                }
                Some((&STREAM, rest)) => self.entered.stream(rest.into()),
                _ => false,
            },
            Message::Ping(_) | Message::Pong(_) => true,
            Message::Text(_) | Message::Close(_) => false,
        }
    }
}

fn message(kind: Kind, bytes: &[u8]) -> Message {
    let kind = match kind {
        Kind::Datagram => DATAGRAM,
        Kind::Stream => STREAM,
    };
    let mut message = Vec::with_capacity(1 + bytes.len());
    message.push(kind);
    message.extend_from_slice(bytes);
    Message::Binary(message.into())
}
