//! The HTTP sockets and their limits: how large a request may be, and how long a connection may last.

use std::{
    io,
    net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr, TcpListener, UdpSocket},
    pin::pin,
    sync::Arc,
    time::{Duration, Instant},
};

use axum::{Router, extract::ConnectInfo, middleware};
use hyper::{server::conn::http1, service::Service};
use hyper_util::{
    rt::{TokioIo, TokioTimer},
    service::TowerToHyperService,
};
use socket2::{Domain, Protocol, Socket, Type};
use tokio::{
    io::{AsyncRead, AsyncWrite},
    net::TcpStream,
    sync::mpsc,
    time::timeout,
};

use super::{
    connections::{CONNECTIONS_MAX, ConnectionSlot, Connections},
    tls::{self, Spoken, Tls},
};
use crate::{free_port::open_at, log_limit::OncePerMinute, startup_error::StartupError};

/// The head of each request on a connection, and the handshake of TLS, have to arrive within this time.
const HEAD_WAIT_MAX: Duration = Duration::from_secs(10);
const HEAD_MAX_BYTES: usize = 16 * 1024;
const HEADERS_MAX: usize = 64;
/// After this time a connection ends with its current answer.
const LIFETIME_MAX: Duration = Duration::from_secs(60);
/// How long that last answer may take.
const LAST_ANSWER_MAX: Duration = Duration::from_secs(60);
/// What the system buffers for a peer. The more it holds, the older is what a slow peer gets.
#[cfg(target_os = "linux")]
const UNSENT_BYTES: u32 = 8 << 10;
/// A peer that accepts nothing for this time is disconnected.
#[cfg(target_os = "linux")]
const UNACKNOWLEDGED_MAX: Duration = Duration::from_secs(20);
/// How long the listener waits after it could not accept a connection.
const RETRY_AFTER: Duration = Duration::from_millis(100);

/// Most often the process has run out of file descriptors.
static ACCEPT_ERRORS: OncePerMinute = OncePerMinute::new();

/// The sockets of HTTP and QUIC, at the same port.
pub struct Sockets {
    pub address: SocketAddr,
    pub http: Vec<TcpListener>,
    pub quic: Vec<UdpSocket>,
}

/// Opens the sockets; `::` includes IPv4. `localhost` may mean either loopback address, so a node at one also listens at
/// the other, if the system has it: a browser that is sent there must not meet another program.
pub fn listen(address: SocketAddr) -> anyhow::Result<Sockets> {
    let door_error = |(transport, address, error)| StartupError::door("http", transport, address, &error);
    open_at(address.port(), || {
        let (address, http, quic) = pair(address).map_err(door_error)?;
        let mut sockets = Sockets { address, http: vec![http], quic: vec![quic] };
        match other_loopback(address).map(pair) {
            Some(Ok((_, http, quic))) => {
                sockets.http.push(http);
                sockets.quic.push(quic);
            }
            Some(Err(failed)) if failed.2.kind() == io::ErrorKind::AddrInUse => return Err(door_error(failed).into()),
            Some(Err((transport, other, error))) => {
                tracing::debug!(target: "host", transport, %other, %error, "cannot listen at the other loopback address");
            }
            None => {}
        }
        Ok(sockets)
    })
}

/// A socket that could not be opened: its transport, its address, and why.
type BindError = (&'static str, SocketAddr, io::Error);

/// A socket for HTTP and one for QUIC at the same port, and their address.
fn pair(address: SocketAddr) -> Result<(SocketAddr, TcpListener, UdpSocket), BindError> {
    let tcp = |error| ("TCP", address, error);
    let http = http_socket(address).map_err(tcp)?;
    let address = http.local_addr().map_err(tcp)?;
    let quic = quic_socket(address).map_err(|error| ("UDP", address, error))?;
    Ok((address, http, quic))
}

fn other_loopback(address: SocketAddr) -> Option<SocketAddr> {
    let other = match address.ip() {
        IpAddr::V4(Ipv4Addr::LOCALHOST) => IpAddr::V6(Ipv6Addr::LOCALHOST),
        IpAddr::V6(Ipv6Addr::LOCALHOST) => IpAddr::V4(Ipv4Addr::LOCALHOST),
        _ => return None,
    };
    Some(SocketAddr::new(other, address.port()))
}

fn http_socket(address: SocketAddr) -> io::Result<TcpListener> {
    let socket = socket(address, Type::STREAM, Protocol::TCP)?;
    socket.set_reuse_address(true)?;
    socket.bind(&address.into())?;
    socket.listen(CONNECTIONS_MAX as i32)?;
    Ok(socket.into())
}

fn quic_socket(address: SocketAddr) -> io::Result<UdpSocket> {
    let socket = socket(address, Type::DGRAM, Protocol::UDP)?;
    socket.bind(&address.into())?;
    Ok(socket.into())
}

fn socket(address: SocketAddr, kind: Type, protocol: Protocol) -> io::Result<Socket> {
    let socket = Socket::new(Domain::for_address(address), kind, Some(protocol))?;
    if address.is_ipv6() {
        socket.set_only_v6(address.ip().is_loopback())?;
    }
    socket.set_nonblocking(true)?;
    Ok(socket)
}

/// A connection that was accepted.
pub struct HttpConnection {
    stream: std::net::TcpStream,
    peer: SocketAddr,
    slot: ConnectionSlot,
}

/// A thread that serves connections, as the listener sees it.
pub struct Worker {
    connections: mpsc::Sender<HttpConnection>,
    /// How many links the thread carries.
    links: Box<dyn Fn() -> usize + Send + Sync>,
}

impl Worker {
    /// A thread that carries this many links, and the receiver from which it takes connections.
    pub fn new(links: impl Fn() -> usize + Send + Sync + 'static) -> (Worker, mpsc::Receiver<HttpConnection>) {
        let (connections, receiver) = mpsc::channel(CONNECTIONS_MAX);
        (Worker { connections, links: Box::new(links) }, receiver)
    }
}

/// Accepts connections for ever. Each goes to the thread with the fewest links: links are what lasts.
pub async fn accept(listener: tokio::net::TcpListener, connections: Connections, workers: Arc<[Worker]>) {
    loop {
        match listener.accept().await {
            Ok((stream, peer)) => {
                let idlest = workers.iter().min_by_key(|worker| (worker.links)());
                let slot = connections.add(peer.ip());
                if let (Some(worker), Ok(stream)) = (idlest, stream.into_std())
                    && worker.connections.try_send(HttpConnection { stream, peer, slot }).is_err()
                {
                    // Evicted connections still wait in the queue.
                    connections.note_evicted();
                }
            }
            Err(error) => {
                if ACCEPT_ERRORS.is_due(Instant::now()) {
                    tracing::error!(target: "host", %error, "cannot accept an HTTP connection");
                }
                tokio::time::sleep(RETRY_AFTER).await;
            }
        }
    }
}

/// What a thread serves.
#[derive(Clone)]
pub struct Site {
    /// What is answered; with TLS, what is answered over it.
    router: Router,
    /// What is answered without TLS, if there is TLS.
    tls: Option<(Tls, Router)>,
}

impl Site {
    /// With TLS, if there is a certificate for it.
    pub fn new(router: Router, tls: Option<Tls>) -> Site {
        let redirecting = |tls| (tls, router.clone().layer(middleware::from_fn(tls::redirect)));
        Site { tls: tls.map(redirecting), router }
    }

    async fn serve(self, stream: TcpStream, peer: SocketAddr, slot: &ConnectionSlot) {
        let Some((tls, redirecting)) = self.tls else { return answer(slot.track(stream), peer, self.router).await };
        // A peer that says nothing, or nothing that TLS understands, is not answered.
        match timeout(HEAD_WAIT_MAX, tls::spoken(&stream)).await {
            Ok(Ok(Spoken::Tls)) => {
                let handshake = tls.accept(slot.track(stream), peer.ip());
                if let Ok(Ok(stream)) = timeout(HEAD_WAIT_MAX, handshake).await {
                    answer(stream, peer, self.router).await;
                }
            }
            Ok(Ok(Spoken::Plain)) => answer(slot.track(stream), peer, redirecting).await,
            Ok(Err(_)) | Err(_) => {}
        }
    }
}

/// Serves accepted connections for ever.
pub async fn serve_connections(mut connections: mpsc::Receiver<HttpConnection>, site: Site) {
    while let Some(connection) = connections.recv().await {
        tokio::spawn(serve(connection, site.clone()));
    }
}

async fn serve(HttpConnection { stream, peer, slot }: HttpConnection, site: Site) {
    let Ok(stream) = TcpStream::from_std(stream) else { return };
    // If the peer is already gone, the first read finds out.
    let _ = set_options(&stream);
    tokio::select! {
        () = slot.evicted() => {}
        () = site.serve(stream, peer, &slot) => {}
    }
}

async fn answer<S>(stream: S, peer: SocketAddr, router: Router)
where
    S: AsyncRead + AsyncWrite + Unpin + Send + 'static,
{
    let router = TowerToHyperService::new(router);
    let service = hyper::service::service_fn(move |mut request: hyper::Request<hyper::body::Incoming>| {
        request.extensions_mut().insert(ConnectInfo(peer));
        router.call(request)
    });
    let connection = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(HEAD_WAIT_MAX)
        .max_buf_size(HEAD_MAX_BYTES)
        .max_headers(HEADERS_MAX)
        .serve_connection(TokioIo::new(stream), service)
        .with_upgrades();
    let mut connection = pin!(connection);
    // How a connection ends does not matter to us.
    if timeout(LIFETIME_MAX, connection.as_mut()).await.is_err() {
        connection.as_mut().graceful_shutdown();
        let _ = timeout(LAST_ANSWER_MAX, connection).await;
    }
}

/// A link's datagrams must not wait for each other, nor behind a pile of old ones; and a peer that accepts nothing must not
/// keep the system's memory.
fn set_options(stream: &TcpStream) -> io::Result<()> {
    stream.set_nodelay(true)?;
    #[cfg(target_os = "linux")]
    {
        let socket = socket2::SockRef::from(stream);
        socket.set_tcp_notsent_lowat(UNSENT_BYTES)?;
        socket.set_tcp_user_timeout(Some(UNACKNOWLEDGED_MAX))?;
    }
    Ok(())
}
