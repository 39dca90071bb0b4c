//! Links over WebTransport: QUIC datagrams, and one stream that the client opens.

use std::{
    net::{SocketAddr, UdpSocket},
    time::Duration,
};

use tokio::time::timeout;
use wtransport::{
    Connection, Endpoint, RecvStream, SendStream, ServerConfig, VarInt,
    endpoint::{IncomingSession, endpoint_side::Server},
};

use super::{
    certificate::{Pin, RENEW_EVERY, Source},
    links::{Entered, Gate, MESSAGE_MAX_BYTES, Outgoing},
};

/// The path that players connect to.
pub const PATH: &str = "/volley";
/// How long a peer may take to shake hands and open its stream.
const PATIENCE: Duration = Duration::from_secs(10);
/// A connection over which nothing comes for so long is closed; the dialect says something far more often.
const IDLE_MAX: Duration = Duration::from_secs(30);

/// Listens on these sockets, for as long as the runtime lives.
pub async fn serve(sockets: Vec<UdpSocket>, source: Source, gate: Gate, pin: Pin) -> anyhow::Result<()> {
    let mut endpoints = Vec::new();
    let identity = source.identity().await?;
    pin.set(&source, &identity);
    for socket in sockets {
        let config = ServerConfig::builder().with_bind_socket(socket).with_identity(identity.clone_identity());
        let endpoint = Endpoint::server(config.max_idle_timeout(Some(IDLE_MAX))?.build())?;
        endpoints.push(std::sync::Arc::new(endpoint));
    }
    for endpoint in &endpoints {
        tokio::spawn(accept(endpoint.clone(), gate.clone()));
    }
    tokio::spawn(renew(endpoints, source, pin));
    Ok(())
}

/// Replaces the certificate before it ends. A file that cannot be read leaves the old one in place.
async fn renew(endpoints: Vec<std::sync::Arc<Endpoint<Server>>>, source: Source, pin: Pin) {
    loop {
        tokio::time::sleep(RENEW_EVERY).await;
        let identity = match source.identity().await {
            Ok(identity) => identity,
            Err(error) => {
                tracing::error!("the certificate was not renewed: {error:#}");
                continue;
            }
        };
        for endpoint in &endpoints {
            let anywhere = SocketAddr::from(([0, 0, 0, 0], 0));
            let config = ServerConfig::builder().with_bind_address(anywhere).with_identity(identity.clone_identity());
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

async fn accept(endpoint: std::sync::Arc<Endpoint<Server>>, gate: Gate) {
    loop {
        let incoming = endpoint.accept().await;
        tokio::spawn(welcome(incoming, gate.clone()));
    }
}

async fn welcome(incoming: IncomingSession, gate: Gate) {
    // Whoever does not finish in time, or asks for another path, was not a player.
    let Ok(Ok(request)) = timeout(PATIENCE, incoming).await else { return };
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
    loop {
        let goes_on = tokio::select! {
            outgoing = entered.outgoing.recv() => match outgoing {
                Some(outgoing) => pass_out(outgoing, &connection, &mut send).await,
                None => false,
            },
            datagram = connection.receive_datagram() => match datagram {
                Ok(datagram) => {
                    entered.datagram(datagram.payload().to_vec());
                    true
                }
                Err(_) => false,
            },
            read = receive.read(&mut buffer) => match read {
                Ok(Some(length)) => {
                    entered.stream(buffer[..length].into()).await;
                    true
                }
                Ok(None) | Err(_) => false,
            },
        };
        if !goes_on {
            break;
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
async fn pass_out(outgoing: Outgoing, connection: &Connection, send: &mut SendStream) -> bool {
    match outgoing {
        // One that is too large for the path is lost, as the network may lose it.
        Outgoing::Datagram(bytes) => {
            !matches!(connection.send_datagram(bytes), Err(wtransport::error::SendDatagramError::NotConnected))
        }
        Outgoing::Stream(bytes) => matches!(timeout(PATIENCE, send.write_all(&bytes)).await, Ok(Ok(()))),
    }
}
