//! HTTPS at the port of HTTP. The first byte of a connection tells which of the two a peer speaks; plain requests are sent on
//! to HTTPS.
//!
//! Only `/volley` is also served without TLS: over it our own programs play by WebSocket, and like every other door it is
//! not encrypted.

use std::{io, net::IpAddr, sync::Arc};

use axum::{
    extract::Request,
    http::{HeaderMap, StatusCode, header, uri::Authority},
    middleware::Next,
    response::{IntoResponse, Response},
};
use rustls::ServerConfig;
use tokio::{
    io::{AsyncRead, AsyncWrite},
    net::TcpStream,
};
use tokio_rustls::{TlsAcceptor, server::TlsStream};

use super::problem::Problem;
use crate::edge::{
    handshakes::{Decision, Handshakes},
    webtransport,
};

/// The first byte of TLS: a record that belongs to a handshake. No HTTP request begins with it.
const HANDSHAKE_RECORD: u8 = 0x16;

/// What the first byte of a connection shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Spoken {
    Tls,
    Plain,
}

/// Waits for the first byte, and leaves it to be read. An error: the peer is gone, or said nothing.
pub async fn spoken(stream: &TcpStream) -> io::Result<Spoken> {
    let mut first = [0];
    match stream.peek(&mut first).await? {
        0 => Err(io::ErrorKind::UnexpectedEof.into()),
        _ if first[0] == HANDSHAKE_RECORD => Ok(Spoken::Tls),
        _ => Ok(Spoken::Plain),
    }
}

/// Accepts TLS. Clones share the certificate and the count of handshakes.
#[derive(Clone)]
pub struct Tls {
    acceptor: TlsAcceptor,
    handshakes: Handshakes,
}

impl Tls {
    pub fn new(config: Arc<ServerConfig>) -> Tls {
        Tls { acceptor: config.into(), handshakes: Handshakes::default() }
    }

    /// Shakes hands with a peer, unless too many are doing so already.
    pub async fn accept<S>(&self, stream: S, from: IpAddr) -> io::Result<TlsStream<S>>
    where
        S: AsyncRead + AsyncWrite + Unpin,
    {
        // TCP has proved the address.
        let Decision::Accept(_handshake) = self.handshakes.decide(from, true) else {
            return Err(io::ErrorKind::ConnectionRefused.into());
        };
        self.acceptor.accept(stream).await
    }
}

/// Answers a request that came without TLS: at the same address, with it. The answer is not permanent, as a browser would
/// remember it even if the host takes the certificate away.
pub async fn redirect(request: Request, next: Next) -> Response {
    if request.uri().path() == webtransport::PATH {
        return next.run(request).await;
    }
    let path = request.uri().path_and_query().map_or("/", |path| path.as_str());
    match authority(request.headers()) {
        Some(authority) => {
            let location = format!("https://{authority}{path}");
            (StatusCode::TEMPORARY_REDIRECT, [(header::LOCATION, location)]).into_response()
        }
        None => Problem::new(StatusCode::BAD_REQUEST, "this node is served over https://").into_response(),
    }
}

/// The node's name and port as the peer calls it.
fn authority(headers: &HeaderMap) -> Option<Authority> {
    let host = headers.get(header::HOST)?.to_str().ok()?;
    host.parse().ok().filter(|authority: &Authority| !authority.as_str().contains('@'))
}

#[cfg(test)]
mod tests {
    use axum::http::HeaderValue;

    use super::*;

    #[test]
    fn only_a_host_can_be_redirected_to() {
        let authority_of = |host: &'static str| {
            let headers = HeaderMap::from_iter([(header::HOST, HeaderValue::from_static(host))]);
            authority(&headers).map(|authority| authority.to_string())
        };
        for right in ["play.example", "192.0.2.1:4240", "[::1]:4240"] {
            assert_eq!(authority_of(right).as_deref(), Some(right));
        }
        for wrong in ["", "a b", "user@evil.example", "evil.example/path"] {
            assert_eq!(authority_of(wrong), None, "{wrong}");
        }
        assert_eq!(authority(&HeaderMap::new()), None);
    }
}
