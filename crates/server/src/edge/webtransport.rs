//! Links over WebTransport: QUIC datagrams, and one stream that the client opens.

use std::{
    future::poll_fn,
    net::{SocketAddr, UdpSocket},
    time::Duration,
};

use tokio::time::{sleep, timeout};
use wtransport::{
    Connection, Endpoint, RecvStream, SendStream, ServerConfig, VarInt,
    config::QuicTransportConfig,
    endpoint::{IncomingSession, endpoint_side::Server},
    error::SendDatagramError,
};

use super::{
    certificate::{Pin, RENEW_EVERY, Source},
    gate::Gate,
    handshakes::{Handshake, Handshakes, Reception},
    links::{DEAF, Entered, MESSAGE_MAX_BYTES},
    mailbox::Kind,
};

/// The path that players connect to.
pub const PATH: &str = "/volley";
/// How long a peer may take to shake hands and open its stream.
const PATIENCE: Duration = Duration::from_secs(10);
/// How long a peer may take for the stream to go on.
const STALLED_MAX: Duration = Duration::from_secs(5);
/// Streams of a connection: the session's, the player's, and those of HTTP/3 itself.
const STREAMS_MAX: u32 = 16;
/// What a peer may send ahead in one stream, and in all; what is sent ahead to it.
const STREAM_WINDOW_BYTES: u32 = 64 << 10;
const WINDOW_BYTES: u32 = 256 << 10;
/// Datagrams that wait to be heard, and those that wait for the network: when there are more, the oldest are lost.
const DATAGRAMS_IN_BYTES: usize = 64 << 10;
const DATAGRAMS_OUT_BYTES: usize = 8 << 10;
/// A connection over which nothing comes for so long is closed; the dialect says something far more often.
const IDLE_MAX: Duration = Duration::from_secs(30);

/// Listens on these sockets, for as long as the runtime lives.
pub async fn serve(sockets: Vec<UdpSocket>, source: Source, gate: Gate, pin: Pin) -> anyhow::Result<()> {
    let mut endpoints = Vec::new();
    let identity = source.identity().await?;
    pin.set(&source, &identity);
    for socket in sockets {
        let config = ServerConfig::builder().with_bind_socket(socket);
        let config = config.with_custom_transport(identity.clone_identity(), limits());
        let endpoint = Endpoint::server(config.max_idle_timeout(Some(IDLE_MAX))?.build())?;
        endpoints.push(std::sync::Arc::new(endpoint));
    }
    let handshakes = Handshakes::default();
    for endpoint in &endpoints {
        tokio::spawn(accept(endpoint.clone(), gate.clone(), handshakes.clone()));
    }
    tokio::spawn(renew(endpoints, source, pin));
    Ok(())
}

/// What a connection may keep in memory. The defaults are for files: they allow a peer a hundred megabytes.
fn limits() -> QuicTransportConfig {
    let mut limits = QuicTransportConfig::default();
    limits
        .max_concurrent_bidi_streams(STREAMS_MAX.into())
        .max_concurrent_uni_streams(STREAMS_MAX.into())
        .stream_receive_window(STREAM_WINDOW_BYTES.into())
        .receive_window(WINDOW_BYTES.into())
        .send_window(WINDOW_BYTES.into())
        .datagram_receive_buffer_size(Some(DATAGRAMS_IN_BYTES))
        .datagram_send_buffer_size(DATAGRAMS_OUT_BYTES);
    limits
}

/// Replaces the certificate before it ends. A file that cannot be read leaves the old one in place.
async fn renew(endpoints: Vec<std::sync::Arc<Endpoint<Server>>>, source: Source, pin: Pin) {
    loop {
        sleep(RENEW_EVERY).await;
        let identity = match source.identity().await {
            Ok(identity) => identity,
            Err(error) => {
                tracing::error!("the certificate was not renewed: {error:#}");
                continue;
            }
        };
        for endpoint in &endpoints {
            let anywhere = SocketAddr::from(([0, 0, 0, 0], 0));
            let config = ServerConfig::builder().with_bind_address(anywhere);
            let config = config.with_custom_transport(identity.clone_identity(), limits());
            let renewed = config.max_idle_timeout(Some(IDLE_MAX)).map(|config| config.build());
            if let Ok(config) = renewed
                && let Err(error) = endpoint.reload_config(config, false)
            {
                tracing::error!(%error, "the certificate was not renewed");
            }
        }
        pin.set(&source, &identity);
    }
}

async fn accept(endpoint: std::sync::Arc<Endpoint<Server>>, gate: Gate, handshakes: Handshakes) {
    loop {
        let incoming = endpoint.accept().await;
        match handshakes.receive(incoming.remote_address().ip(), incoming.remote_address_validated()) {
            Reception::Begin(handshake) => drop(tokio::spawn(welcome(incoming, gate.clone(), handshake))),
            Reception::Prove => incoming.retry(),
            Reception::TooMany => {
                gate.note_turned_away();
                incoming.refuse();
            }
        }
    }
}

async fn welcome(incoming: IncomingSession, gate: Gate, handshake: Handshake) {
    // Whoever does not finish in time, or asks for another path, was not a player.
    let Ok(Ok(request)) = timeout(PATIENCE, incoming).await else { return };
    drop(handshake);
    if request.path() != PATH {
        return request.not_found().await;
    }
    let Some(entered) = gate.enter(request.remote_address()).await else {
        return request.too_many_requests().await;
    };
    match timeout(PATIENCE, open(request)).await {
        Ok(Some((connection, send, receive))) => carry(connection, send, receive, entered).await,
        Ok(None) | Err(_) => entered.close().await,
    }
}

async fn open(request: wtransport::endpoint::SessionRequest) -> Option<(Connection, SendStream, RecvStream)> {
    let connection = request.accept().await.ok()?;
    let (send, receive) = connection.accept_bi().await.ok()?;
    Some((connection, send, receive))
}

async fn carry(connection: Connection, mut send: SendStream, mut receive: RecvStream, mut entered: Entered) {
    let mut buffer = vec![0; MESSAGE_MAX_BYTES];
    let mut outgoing = Vec::new();
    loop {
        let mut is_heard = true;
        let goes_on = tokio::select! {
            kind = poll_fn(|context| entered.poll_outgoing(context, &mut outgoing)) => {
                is_heard = false;
                match kind {
                    Some(kind) => pass_out(kind, &outgoing, &connection, &mut send).await,
                    None => false,
                }
            },
            datagram = connection.receive_datagram() => match datagram {
                Ok(datagram) => {
                    entered.datagram(datagram.payload().to_vec());
                    true
                }
                Err(_) => false,
            },
            read = receive.read(&mut buffer) => match read {
                Ok(Some(length)) => entered.stream(buffer[..length].into()),
                Ok(None) | Err(_) => false,
            },
        };
        if !goes_on {
            break;
        }
        if is_heard && !entered.may_go_on() {
            sleep(DEAF).await;
        }
    }
    finish(&connection, &mut send).await;
    entered.close().await;
}

/// Lets the last words leave before the connection closes.
async fn finish(connection: &Connection, send: &mut SendStream) {
    let _ = timeout(Duration::from_secs(1), send.finish()).await;
    connection.close(VarInt::from_u32(0), b"");
}

/// False: the connection is of no more use.
async fn pass_out(kind: Kind, bytes: &[u8], connection: &Connection, send: &mut SendStream) -> bool {
    match kind {
        // One that is too large for the path is lost, as the network may lose it.
        Kind::Datagram => !matches!(connection.send_datagram(bytes), Err(SendDatagramError::NotConnected)),
        Kind::Stream => matches!(timeout(STALLED_MAX, send.write_all(bytes)).await, Ok(Ok(()))),
    }
}
