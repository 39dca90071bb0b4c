//! The HTTP socket and its bounds: how many connections, how large, how long.

use std::{
    collections::HashMap,
    io,
    net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr, TcpListener, UdpSocket},
    pin::pin,
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicU64, Ordering},
    },
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

use crate::{free_port::at_port, household::household, misfit::Misfit, quiet::Seldom};

/// Connections at once.
const CONNECTIONS_MAX: usize = 256;
/// Connections at once from one address; loopback, where a proxy may sit, is free of it.
const PER_ADDRESS_MAX: usize = 32;
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
/// it, if the system has it and nobody else is there.
pub fn listen(address: SocketAddr) -> anyhow::Result<Sockets> {
    let fail = |transport, address| move |error| Misfit::door("http", transport, address, &error);
    let (http, address, quic) = at_port(address.port(), || -> anyhow::Result<_> {
        let http = http_socket(address).map_err(fail("TCP", address))?;
        let address = http.local_addr()?;
        let quic = quic_socket(address).map_err(fail("UDP", address))?;
        Ok((http, address, quic))
    })?;
    let mut sockets = Sockets { address, http: vec![http], quic: vec![quic] };
    let other = match address.ip() {
        IpAddr::V4(Ipv4Addr::LOCALHOST) => IpAddr::V6(Ipv6Addr::LOCALHOST),
        IpAddr::V6(Ipv6Addr::LOCALHOST) => IpAddr::V4(Ipv4Addr::LOCALHOST),
        _ => return Ok(sockets),
    };
    let other = SocketAddr::new(other, address.port());
    match (http_socket(other), quic_socket(other)) {
        (Ok(http), Ok(quic)) => {
            sockets.http.push(http);
            sockets.quic.push(quic);
        }
        (http, quic) => {
            let error = http.err().or(quic.err());
            tracing::debug!(target: "host", %other, ?error, "the other loopback address is not served");
        }
    }
    Ok(sockets)
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

/// A connection that was let in.
pub struct Connection {
    stream: std::net::TcpStream,
    peer: SocketAddr,
    _place: Place,
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
        let (connections, receiver) = mpsc::channel(CONNECTIONS_MAX);
        (Way { connections, links: Box::new(links) }, receiver)
    }
}

/// Lets connections in for ever. Each goes to the thread with the fewest links: they are what lasts.
pub async fn accept(listener: tokio::net::TcpListener, crowd: Crowd, ways: Arc<[Way]>) {
    loop {
        match listener.accept().await {
            Ok((stream, peer)) => {
                let idlest = ways.iter().min_by_key(|way| (way.links)());
                if let (Some(place), Some(way)) = (crowd.enter(peer.ip()), idlest)
                    && let Ok(stream) = stream.into_std()
                {
                    // As many as may be connected find room there.
                    let _ = way.connections.try_send(Connection { stream, peer, _place: place });
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

async fn serve(Connection { stream, peer, _place }: Connection, router: Router) {
    let Ok(stream) = TcpStream::from_std(stream) else { return };
    // A peer that is gone already is found out soon enough.
    let _ = prepare(&stream);
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

/// Who is connected. Clones share it.
#[derive(Clone, Default)]
pub struct Crowd(Arc<Counts>);

#[derive(Default)]
struct Counts {
    by_address: Mutex<HashMap<IpAddr, usize>>,
    turned_away: AtomicU64,
}

/// A place among those who are connected, given back when it is dropped.
pub struct Place {
    crowd: Crowd,
    address: IpAddr,
}

impl Crowd {
    /// How many connections were closed at once because there were too many.
    pub fn turned_away(&self) -> u64 {
        self.0.turned_away.load(Ordering::Relaxed)
    }

    fn enter(&self, address: IpAddr) -> Option<Place> {
        let address = household(address);
        let mut counts = self.lock();
        let all: usize = counts.values().sum();
        let own = counts.get(&address).copied().unwrap_or(0);
        if all >= CONNECTIONS_MAX || (own >= PER_ADDRESS_MAX && !address.is_loopback()) {
            self.0.turned_away.fetch_add(1, Ordering::Relaxed);
            return None;
        }
        counts.insert(address, own + 1);
        Some(Place { crowd: self.clone(), address })
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<IpAddr, usize>> {
        self.0.by_address.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        let mut counts = self.crowd.lock();
        match counts.get_mut(&self.address) {
            Some(count) if *count > 1 => *count -= 1,
            _ => drop(counts.remove(&self.address)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn enter(crowd: &Crowd, address: &str) -> Option<Place> {
        crowd.enter(address.parse().expect("an address"))
    }

    #[test]
    fn one_address_gets_its_share_and_no_more_and_gives_it_back() {
        let crowd = Crowd::default();
        let mut places: Vec<Place> = (0..PER_ADDRESS_MAX).filter_map(|_| enter(&crowd, "192.0.2.1")).collect();
        assert_eq!(places.len(), PER_ADDRESS_MAX);
        assert!(enter(&crowd, "192.0.2.1").is_none() && enter(&crowd, "::ffff:192.0.2.1").is_none());
        assert!(enter(&crowd, "192.0.2.2").is_some());
        assert_eq!(crowd.turned_away(), 2);
        places.pop();
        assert!(enter(&crowd, "192.0.2.1").is_some());
        drop(places);
        assert!(crowd.lock().is_empty());
    }

    #[test]
    fn a_network_of_ipv6_counts_as_one_and_all_together_are_bounded() {
        let crowd = Crowd::default();
        let _places: Vec<Place> =
            (0..PER_ADDRESS_MAX).filter_map(|number| enter(&crowd, &format!("2001:db8::{number:x}"))).collect();
        assert!(enter(&crowd, "2001:db8::ffff").is_none());
        assert!(enter(&crowd, "2001:db8:0:1::1").is_some());
        let _local: Vec<Place> = (0..CONNECTIONS_MAX).filter_map(|_| enter(&crowd, "127.0.0.1")).collect();
        assert!(enter(&crowd, "192.0.2.9").is_none());
    }
}
