//! The HTTP socket and its bounds: how large a request is, and how long a connection lasts.

use std::{
    io,
    net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr, TcpListener, UdpSocket},
    pin::pin,
    sync::Arc,
    time::{Duration, Instant},
};

use axum::{Router, extract::ConnectInfo};
use hyper::{server::conn::http1, service::Service};
use hyper_util::{
    rt::{TokioIo, TokioTimer},
    service::TowerToHyperService,
};
use socket2::{Domain, Protocol, Socket, Type};
use tokio::{net::TcpStream, sync::mpsc};

use super::crowd::{Crowd, PLACES, Place, Watched};
use crate::{free_port::at_port, misfit::Misfit, quiet::Seldom};

/// The head of a request has to be there within this time, also the next one on the same connection.
const HEAD_PATIENCE: Duration = Duration::from_secs(10);
/// The head of a request is at most so long.
const HEAD_MAX_BYTES: usize = 16 * 1024;
/// The head of a request has at most so many fields.
const HEADERS_MAX: usize = 64;
/// After so long a connection ends with the answer that it is at.
const LIFE: Duration = Duration::from_secs(60);
/// After so long more it is cut.
const LAST_ANSWER: Duration = Duration::from_secs(60);
/// What the system takes for a peer before the network does: the more, the older is what a slow one gets.
#[cfg(target_os = "linux")]
const UNSENT_BYTES: u32 = 8 << 10;
/// After so long a connection is cut whose other end does not take what is sent.
#[cfg(target_os = "linux")]
const UNTAKEN_MAX: Duration = Duration::from_secs(20);
/// How long the listener rests when the system has no more connections to give.
const REST: Duration = Duration::from_millis(100);

/// Tells that no connection can be had, most often because the process may not open more files.
static TELLING: Seldom = Seldom::new();

/// The sockets of HTTP and of QUIC, at the same port.
pub struct Sockets {
    /// Where they are.
    pub address: SocketAddr,
    /// For HTTP.
    pub http: Vec<TcpListener>,
    /// For QUIC.
    pub quic: Vec<UdpSocket>,
}

/// Opens the sockets; `::` takes IPv4 as well. `localhost` may mean either loopback address, so one takes the other with
/// it, if the system has it: who is sent there must not meet another program.
pub fn listen(address: SocketAddr) -> anyhow::Result<Sockets> {
    let misfit = |(transport, address, error)| Misfit::door("http", transport, address, &error);
    at_port(address.port(), || {
        let (address, http, quic) = pair(address).map_err(misfit)?;
        let mut sockets = Sockets { address, http: vec![http], quic: vec![quic] };
        match other_loopback(address).map(pair) {
            Some(Ok((_, http, quic))) => {
                sockets.http.push(http);
                sockets.quic.push(quic);
            }
            Some(Err(closed)) if closed.2.kind() == io::ErrorKind::AddrInUse => return Err(misfit(closed).into()),
            Some(Err((transport, other, error))) => {
                tracing::debug!(target: "host", transport, %other, %error, "the other loopback address is not served");
            }
            None => {}
        }
        Ok(sockets)
    })
}

/// A socket that cannot be had: its transport, its address, and why.
type Closed = (&'static str, SocketAddr, io::Error);

/// A socket for HTTP and one for QUIC at the same port, and where that is.
fn pair(address: SocketAddr) -> Result<(SocketAddr, TcpListener, UdpSocket), Closed> {
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
    socket.listen(PLACES as i32)?;
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

/// A connection that was let in.
pub struct Connection {
    stream: std::net::TcpStream,
    peer: SocketAddr,
    place: Place,
}

/// The way to a thread that serves connections.
pub struct Way {
    connections: mpsc::Sender<Connection>,
    /// How many links the thread carries.
    links: Box<dyn Fn() -> usize + Send + Sync>,
}

impl Way {
    /// A way to a thread that carries so many links, and where that thread takes connections from.
    pub fn new(links: impl Fn() -> usize + Send + Sync + 'static) -> (Way, mpsc::Receiver<Connection>) {
        let (connections, receiver) = mpsc::channel(PLACES);
        (Way { connections, links: Box::new(links) }, receiver)
    }
}

/// Lets connections in for ever. Each goes to the thread with the fewest links: they are what lasts.
pub async fn accept(listener: tokio::net::TcpListener, crowd: Crowd, ways: Arc<[Way]>) {
    loop {
        match listener.accept().await {
            Ok((stream, peer)) => {
                let idlest = ways.iter().min_by_key(|way| (way.links)());
                let place = crowd.enter(peer.ip());
                if let (Some(way), Ok(stream)) = (idlest, stream.into_std())
                    && way.connections.try_send(Connection { stream, peer, place }).is_err()
                {
                    // Those who lost their places still stand in the way.
                    crowd.note_crowded_out();
                }
            }
            Err(error) => {
                if TELLING.is_due(Instant::now()) {
                    tracing::error!(target: "host", %error, "a connection to HTTP cannot be accepted");
                }
                tokio::time::sleep(REST).await;
            }
        }
    }
}

/// Serves those who were let in, for ever.
pub async fn attend(mut connections: mpsc::Receiver<Connection>, router: Router) {
    while let Some(connection) = connections.recv().await {
        tokio::spawn(serve(connection, router.clone()));
    }
}

async fn serve(Connection { stream, peer, place }: Connection, router: Router) {
    let Ok(stream) = TcpStream::from_std(stream) else { return };
    // A peer that is gone already is found out soon enough.
    let _ = prepare(&stream);
    let stream = place.watch(stream);
    tokio::select! {
        () = place.lost() => {}
        () = answer(stream, peer, router) => {}
    }
}

async fn answer(stream: Watched<TcpStream>, peer: SocketAddr, router: Router) {
    let router = TowerToHyperService::new(router);
    let service = hyper::service::service_fn(move |mut request: hyper::Request<hyper::body::Incoming>| {
        request.extensions_mut().insert(ConnectInfo(peer));
        router.call(request)
    });
    let connection = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(HEAD_PATIENCE)
        .max_buf_size(HEAD_MAX_BYTES)
        .max_headers(HEADERS_MAX)
        .serve_connection(TokioIo::new(stream), service)
        .with_upgrades();
    let mut connection = pin!(connection);
    // How a connection ends is the client's affair.
    if tokio::time::timeout(LIFE, connection.as_mut()).await.is_err() {
        connection.as_mut().graceful_shutdown();
        let _ = tokio::time::timeout(LAST_ANSWER, connection).await;
    }
}

/// A link's datagram that waits for the next one, or behind a heap of old ones, is worth nothing; and who takes nothing
/// for long keeps nothing of the system's.
fn prepare(stream: &TcpStream) -> io::Result<()> {
    stream.set_nodelay(true)?;
    #[cfg(target_os = "linux")]
    {
        let socket = socket2::SockRef::from(stream);
        socket.set_tcp_notsent_lowat(UNSENT_BYTES)?;
        socket.set_tcp_user_timeout(Some(UNTAKEN_MAX))?;
    }
    Ok(())
}
