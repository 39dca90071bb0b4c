//! Links over WebSocket. Each binary message begins with a byte that says what follows: a datagram or stream bytes.

use std::net::SocketAddr;

use axum::{
    extract::{
        ConnectInfo, State,
        ws::{Message, WebSocket, WebSocketUpgrade},
    },
    http::StatusCode,
    response::{IntoResponse, Response},
};

use super::links::{Entered, Gate, MESSAGE_MAX_BYTES, Outgoing};

/// What follows is a datagram.
const DATAGRAM: u8 = 0;
/// What follows are bytes of the stream.
const STREAM: u8 = 1;

/// Answers a request for a WebSocket.
pub async fn upgrade(
    State(gate): State<Gate>,
    ConnectInfo(from): ConnectInfo<SocketAddr>,
    upgrade: WebSocketUpgrade,
) -> Response {
    match gate.enter(from).await {
        Some(entered) => {
            let limited = upgrade.max_message_size(MESSAGE_MAX_BYTES).max_frame_size(MESSAGE_MAX_BYTES);
            limited.on_upgrade(|socket| carry(socket, entered))
        }
        None => (StatusCode::SERVICE_UNAVAILABLE, "too many connections; try again later\n").into_response(),
    }
}

async fn carry(mut socket: WebSocket, mut entered: Entered) {
    loop {
        let goes_on = tokio::select! {
            outgoing = entered.outgoing.recv() => match outgoing {
                Some(outgoing) => socket.send(frame(outgoing)).await.is_ok(),
                None => false,
            },
            incoming = socket.recv() => match incoming {
                Some(Ok(message)) => pass_on(message, &entered).await,
                Some(Err(_)) | None => false,
            },
        };
        if !goes_on {
            break;
        }
    }
    // Whoever is still there is told; whoever is not cannot be.
    let _ = socket.send(Message::Close(None)).await;
    entered.close().await;
}

fn frame(outgoing: Outgoing) -> Message {
    let (kind, bytes) = match outgoing {
        Outgoing::Datagram(bytes) => (DATAGRAM, bytes),
        Outgoing::Stream(bytes) => (STREAM, bytes),
    };
    let mut message = Vec::with_capacity(1 + bytes.len());
    message.push(kind);
    message.extend_from_slice(&bytes);
    Message::Binary(message.into())
}

/// False: the peer says goodbye, or something that no client of ours says.
async fn pass_on(message: Message, entered: &Entered) -> bool {
    match message {
        Message::Binary(bytes) => match bytes.split_first() {
            Some((&DATAGRAM, rest)) => entered.datagram(rest.into()),
            Some((&STREAM, rest)) => entered.stream(rest.into()).await,
            _ => return false,
        },
        Message::Ping(_) | Message::Pong(_) => {}
        Message::Text(_) | Message::Close(_) => return false,
    }
    true
}
