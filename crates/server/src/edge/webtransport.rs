//! Links over WebTransport: QUIC datagrams, and one stream that the client opens.

use std::{
    future::poll_fn,
    net::{SocketAddr, UdpSocket},
    time::Duration,
};

use tokio::time::sleep;
use wtransport::{
    Connection, Endpoint, RecvStream, SendStream, ServerConfig, VarInt,
    config::QuicTransportConfig,
    endpoint::{IncomingSession, endpoint_side::Server},
    error::SendDatagramError,
};

use super::{
    admission::{Admission, LinkTransport},
    certificate::{CertificateSource, CurrentCertificate, RENEW_EVERY},
    handshakes::{Decision, Handshake, Handshakes},
    links::{EdgeLink, FLOOD_PAUSE, MESSAGE_MAX_BYTES},
    mailbox::MessageKind,
    memory::HandshakeMemory,
    own_time::within,
};

/// The path that players connect to.
pub const PATH: &str = "/volley";
/// How long a peer may take for the handshake and to open its stream.
const OPEN_MAX: Duration = Duration::from_secs(10);
/// How long a peer may take to hear that it is refused.
const REFUSAL_MAX: Duration = Duration::from_secs(1);
/// How long a peer may take to read the last of its stream and to close.
const FAREWELL_MAX: Duration = Duration::from_secs(1);
/// A peer that reads nothing from its stream for this time is gone.
const STALLED_MAX: Duration = Duration::from_secs(5);
/// Streams of a connection: the session's, the player's and those of HTTP/3 itself.
const STREAMS_MAX: u32 = 16;
/// How much may be under way in one stream, and in all of a connection, in each direction. That much a peer can make the node
/// keep. A client says little, and what it is told when it joins is under way within a few round trips.
const STREAM_WINDOW_BYTES: u32 = 16 << 10;
const WINDOW_BYTES: u32 = 48 << 10;
/// Datagrams that wait to be read, and that wait for the network. When there are more, the oldest are lost.
const DATAGRAMS_IN_BYTES: usize = 16 << 10;
const DATAGRAMS_OUT_BYTES: usize = 8 << 10;
/// A connection that is silent for this time is closed; the dialect sends far more often.
const IDLE_MAX: Duration = Duration::from_secs(30);

/// Serves these sockets for as long as the runtime lives.
pub async fn serve(
    sockets: Vec<UdpSocket>,
    source: CertificateSource,
    admission: Admission,
    current: CurrentCertificate,
) -> anyhow::Result<()> {
    let mut endpoints = Vec::new();
    let identity = source.identity().await?;
    current.set(&source, &identity)?;
    for socket in sockets {
        let config = ServerConfig::builder().with_bind_socket(socket);
        let config = config.with_custom_transport(identity.clone_identity(), limits());
        let endpoint = Endpoint::server(config.max_idle_timeout(Some(IDLE_MAX))?.build())?;
        endpoints.push(std::sync::Arc::new(endpoint));
    }
    let handshakes = Handshakes::default();
    for endpoint in &endpoints {
        tokio::spawn(accept(endpoint.clone(), admission.clone(), handshakes.clone()));
    }
    tokio::spawn(renew(endpoints, source, current));
    Ok(())
}

/// What a connection may keep in memory. The defaults suit file transfers: they allow a peer a hundred megabytes.
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

/// Replaces the certificate before it expires. If a file cannot be read, the old certificate stays.
async fn renew(
    endpoints: Vec<std::sync::Arc<Endpoint<Server>>>,
    source: CertificateSource,
    current: CurrentCertificate,
) {
    loop {
        sleep(RENEW_EVERY).await;
        let identity = match source.identity().await {
            Ok(identity) => identity,
            Err(error) => {
                tracing::error!(target: "host", "cannot renew the certificate: {error:#}; the old one stays");
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
                tracing::error!(target: "host", %error, "cannot renew the certificate; the old one stays");
            }
        }
        if let Err(error) = current.set(&source, &identity) {
            tracing::error!(target: "host", %error, "cannot renew the certificate of the page; the old one stays");
        }
    }
}

async fn accept(endpoint: std::sync::Arc<Endpoint<Server>>, admission: Admission, handshakes: Handshakes) {
    loop {
        let incoming = endpoint.accept().await;
        let decision = handshakes.decide(incoming.remote_address().ip(), incoming.remote_address_validated());
        match (decision, admission.memory_for_handshake()) {
            (Decision::ProveAddress, _) => incoming.retry(),
            (Decision::Accept(handshake), Some(memory)) => {
                drop(tokio::spawn(accept_session(incoming, admission.clone(), (handshake, memory))));
            }
            (Decision::Refuse, _) | (Decision::Accept(_), None) => {
                admission.note_refused();
                incoming.refuse();
            }
        }
    }
}

async fn accept_session(incoming: IncomingSession, admission: Admission, begun: (Handshake, HandshakeMemory)) {
    let (handshake, memory) = begun;
    // A peer that does not finish in time, or asks for another path, is not a player.
    let Some(Ok(request)) = within(OPEN_MAX, incoming).await else { return };
    if request.path() != PATH {
        return refuse(handshake, request.not_found()).await;
    }
    if !admission.origins().allow_webtransport(request.origin(), request.authority()) {
        return refuse(handshake, request.forbidden()).await;
    }
    // From here on it is the link that takes the memory.
    drop(memory);
    let Ok(slot) = admission.reserve(request.remote_address(), LinkTransport::WebTransport) else {
        return refuse(handshake, request.too_many_requests()).await;
    };
    drop(handshake);
    // A peer that opens no stream in time is not a player.
    if let Some(Some((connection, send, receive))) = within(OPEN_MAX, open(request)).await {
        carry(connection, send, receive, slot.open().await).await;
    }
}

/// Refuses a request. Until the peer has heard of it, for a moment at most, it counts as a handshake in progress: a peer need not read
/// what it is told. Then its connection is closed.
async fn refuse(handshake: Handshake, answer: impl Future<Output = ()>) {
    // Whether it has heard makes no difference.
    let _ = within(REFUSAL_MAX, answer).await;
    drop(handshake);
}

async fn open(request: wtransport::endpoint::SessionRequest) -> Option<(Connection, SendStream, RecvStream)> {
    let connection = request.accept().await.ok()?;
    let (send, receive) = connection.accept_bi().await.ok()?;
    Some((connection, send, receive))
}

async fn carry(connection: Connection, mut send: SendStream, mut receive: RecvStream, mut link: EdgeLink) {
    let mut buffer = vec![0; MESSAGE_MAX_BYTES];
    let mut outgoing = Vec::new();
    loop {
        let mut has_received = true;
        let goes_on = tokio::select! {
            kind = poll_fn(|context| link.poll_outgoing(context, &mut outgoing)) => {
                has_received = false;
                match kind {
                    Some(kind) => send_message(kind, &outgoing, &connection, &mut send).await,
                    None => false,
                }
            },
            datagram = connection.receive_datagram() => match datagram {
                Ok(datagram) => {
                    link.datagram(datagram.payload().to_vec());
                    true
                }
                Err(_) => false,
            },
            read = receive.read(&mut buffer) => match read {
                Ok(Some(length)) => link.stream(buffer[..length].into()),
                Ok(None) | Err(_) => false,
            },
        };
        if !goes_on {
            break;
        }
        if has_received && !link.count_message() {
            sleep(FLOOD_PAUSE).await;
        }
    }
    finish(&connection, &mut send).await;
    link.close().await;
}

/// Sends what is left, then lets the peer close the connection: if the node does, a browser drops what its page has not read yet,
/// and the last thing said is why the session ended.
async fn finish(connection: &Connection, send: &mut SendStream) {
    let farewell = async {
        if send.finish().await.is_ok() {
            connection.closed().await;
        }
    };
    // A peer that does not close is closed.
    let _ = within(FAREWELL_MAX, farewell).await;
    connection.close(VarInt::from_u32(0), b"");
}

/// Sends a message. False: the connection is broken.
async fn send_message(kind: MessageKind, bytes: &[u8], connection: &Connection, send: &mut SendStream) -> bool {
    match kind {
        // A datagram that is too large for the path is lost, as if the network had lost it.
        MessageKind::Datagram => !matches!(connection.send_datagram(bytes), Err(SendDatagramError::NotConnected)),
        MessageKind::Stream => matches!(within(STALLED_MAX, send.write_all(bytes)).await, Some(Ok(()))),
    }
}

#[cfg(test)]
mod tests {
    use std::net::Ipv4Addr;

    use tokio::time::timeout;

    use super::*;

    fn begun(handshakes: &Handshakes) -> Handshake {
        match handshakes.decide(Ipv4Addr::LOCALHOST.into(), true) {
            Decision::Accept(handshake) => handshake,
            Decision::ProveAddress | Decision::Refuse => panic!("there is room"),
        }
    }

    #[tokio::test]
    async fn a_refusal_counts_as_a_handshake_until_it_was_heard_and_is_not_waited_for_long() {
        let handshakes = Handshakes::default();
        let (heard, answer) = tokio::sync::oneshot::channel::<()>();
        let refused = tokio::spawn(refuse(begun(&handshakes), async { drop(answer.await) }));
        tokio::task::yield_now().await;
        assert_eq!(handshakes.in_progress(), 1);
        drop(heard);
        refused.await.expect("no panic");
        assert_eq!(handshakes.in_progress(), 0);
        let unheard = refuse(begun(&handshakes), std::future::pending());
        timeout(Duration::from_secs(60), unheard).await.expect("it is given up");
        assert_eq!(handshakes.in_progress(), 0);
    }
}
