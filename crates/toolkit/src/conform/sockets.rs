//! The trial network of real sockets. For a server under test we open addresses and connect; for a client under test we listen, and
//! each address that speaks to us has a line of its own.

use std::{
    collections::BTreeMap,
    io::{self, ErrorKind, Read, Write},
    net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr, TcpListener, TcpStream, UdpSocket},
    thread,
    time::{Duration, Instant, SystemTime, UNIX_EPOCH},
};

use protocol::{Channel, Time};
use socket2::{Domain, Protocol, Type};

use super::{
    question::Question,
    trial_network::{Ends, Line, PeerEvent, PeerMessage, TrialNetwork},
};

/// How often sockets are looked at while nothing comes.
const GLANCE: Duration = Duration::from_millis(1);
const CONNECT_MAX: Duration = Duration::from_secs(3);
/// Lines at once, at most: a peer that opens connections without end does not take our memory.
const LINES_MAX: usize = 4_096;
/// A port that is free for UDP may be taken for TCP: then another is tried, this often.
const PORT_TRIES: usize = 20;

/// Who is tested.
#[derive(Clone, Copy, Debug)]
enum PeerAddress {
    Server(SocketAddr),
    /// Clients, that come to this address.
    Client(SocketAddr),
}

enum Socket {
    Udp { socket: usize, peer: SocketAddr },
    Tcp { stream: TcpStream, peer: SocketAddr },
    Closed { ends: Ends },
}

/// Real sockets.
pub struct Sockets {
    peer: PeerAddress,
    started: (Instant, Time),
    sockets: Vec<UdpSocket>,
    listener: Option<TcpListener>,
    lines: Vec<Socket>,
    by_address: BTreeMap<(usize, SocketAddr), Line>,
    /// The UDP ports of TCP connections that nothing was sent from yet.
    beside: BTreeMap<Line, UdpSocket>,
    is_refused: bool,
    /// Whether the tester can be asked.
    asks: bool,
}

impl Sockets {
    /// For a server under test.
    pub fn to_server(address: SocketAddr) -> Sockets {
        Sockets::new(PeerAddress::Server(address))
    }

    /// For a client under test, which comes to this address over UDP or TCP.
    pub fn for_clients(address: SocketAddr, asks: bool) -> io::Result<Sockets> {
        let mut sockets = Sockets { asks, ..Sockets::new(PeerAddress::Client(address)) };
        let udp = bind(address)?;
        let listener = TcpListener::bind(udp.local_addr()?)?;
        listener.set_nonblocking(true)?;
        sockets.sockets.push(udp);
        sockets.listener = Some(listener);
        Ok(sockets)
    }

    fn new(peer: PeerAddress) -> Sockets {
        let since_1970 = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        Sockets {
            peer,
            started: (Instant::now(), Time::from_micros(since_1970.as_micros() as u64)),
            sockets: Vec::new(),
            listener: None,
            lines: Vec::new(),
            by_address: BTreeMap::new(),
            beside: BTreeMap::new(),
            is_refused: false,
            asks: false,
        }
    }

    fn server(&self) -> io::Result<SocketAddr> {
        match self.peer {
            PeerAddress::Server(address) => Ok(address),
            PeerAddress::Client(_) => Err(ErrorKind::Unsupported.into()),
        }
    }

    fn add(&mut self, carrier: Socket) -> Line {
        self.lines.push(carrier);
        Line(self.lines.len() - 1)
    }

    /// A line to an address of the server.
    fn add_udp(&mut self, socket: UdpSocket, peer: SocketAddr) -> io::Result<Line> {
        // A connected socket tells when nobody listens.
        socket.connect(peer)?;
        self.sockets.push(socket);
        let socket = self.sockets.len() - 1;
        let line = self.add(Socket::Udp { socket, peer });
        self.by_address.insert((socket, peer), line);
        Ok(line)
    }

    fn glance(&mut self) -> Option<PeerMessage> {
        self.accept().or_else(|| self.datagram()).or_else(|| self.piece())
    }

    fn accept(&mut self) -> Option<PeerMessage> {
        let (stream, peer) = self.listener.as_ref()?.accept().ok()?;
        if self.lines.len() >= LINES_MAX || stream.set_nonblocking(true).is_err() {
            return None;
        }
        let line = self.add(Socket::Tcp { stream, peer });
        Some(PeerMessage { line, event: PeerEvent::Opened, bytes: Vec::new() })
    }

    fn datagram(&mut self) -> Option<PeerMessage> {
        let mut buffer = [0; 65_536];
        for socket in 0..self.sockets.len() {
            match self.sockets[socket].recv_from(&mut buffer) {
                Ok((size, from)) => {
                    let Some(line) = self.line_of(socket, from) else { continue };
                    return Some(PeerMessage { line, event: PeerEvent::Datagram, bytes: buffer[..size].to_vec() });
                }
                Err(error) => self.is_refused |= error.kind() == ErrorKind::ConnectionRefused,
            }
        }
        None
    }

    /// The line of an address that speaks to one of our sockets; a client's may be new.
    fn line_of(&mut self, socket: usize, from: SocketAddr) -> Option<Line> {
        if let Some(line) = self.by_address.get(&(socket, from)) {
            return Some(*line);
        }
        if matches!(self.peer, PeerAddress::Server(_)) || self.lines.len() >= LINES_MAX {
            return None;
        }
        let line = self.add(Socket::Udp { socket, peer: from });
        self.by_address.insert((socket, from), line);
        Some(line)
    }

    fn piece(&mut self) -> Option<PeerMessage> {
        let mut buffer = [0; 4_096];
        for number in 0..self.lines.len() {
            let Socket::Tcp { stream, .. } = &mut self.lines[number] else { continue };
            let line = Line(number);
            match stream.read(&mut buffer) {
                Ok(size @ 1..) => {
                    return Some(PeerMessage { line, event: PeerEvent::Stream, bytes: buffer[..size].to_vec() });
                }
                Err(error) if matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::Interrupted) => {}
                Ok(0) | Err(_) => {
                    self.close(line);
                    return Some(PeerMessage { line, event: PeerEvent::Closed, bytes: Vec::new() });
                }
            }
        }
        None
    }
}

impl TrialNetwork for Sockets {
    fn now(&self) -> Time {
        let (instant, time) = self.started;
        time + instant.elapsed()
    }

    fn open(&mut self, port: Option<u16>) -> io::Result<Line> {
        let mut server = self.server()?;
        server.set_port(port.unwrap_or(server.port()));
        let socket = bind(SocketAddr::new(any_address(server), 0))?;
        self.add_udp(socket, server)
    }

    fn connect(&mut self) -> io::Result<Line> {
        let peer = self.server()?;
        let (udp, stream) = twins(peer)?;
        stream.set_nodelay(true)?;
        stream.set_nonblocking(true)?;
        let line = self.add(Socket::Tcp { stream, peer });
        self.beside.insert(line, udp);
        Ok(line)
    }

    fn open_beside(&mut self, stream: Line) -> io::Result<Line> {
        let server = self.server()?;
        let udp = self.beside.remove(&stream).ok_or(ErrorKind::AddrInUse)?;
        self.add_udp(udp, server)
    }

    fn listen(&mut self) -> io::Result<u16> {
        let PeerAddress::Client(address) = self.peer else { return Err(ErrorKind::Unsupported.into()) };
        let socket = bind(SocketAddr::new(address.ip(), 0))?;
        let port = socket.local_addr()?.port();
        self.sockets.push(socket);
        Ok(port)
    }

    fn send(&mut self, line: Line, bytes: &[u8]) {
        let sent = match &mut self.lines[line.0] {
            Socket::Udp { socket, peer } => match self.peer {
                PeerAddress::Server(_) => self.sockets[*socket].send(bytes),
                PeerAddress::Client(_) => self.sockets[*socket].send_to(bytes, *peer),
            },
            Socket::Tcp { stream, .. } => stream.write(bytes),
            Socket::Closed { .. } => return,
        };
        // What cannot be sent is lost, as any datagram may be.
        if let Err(error) = sent {
            self.is_refused |= error.kind() == ErrorKind::ConnectionRefused;
        }
    }

    fn close(&mut self, line: Line) {
        let ends = self.ends(line);
        self.lines[line.0] = Socket::Closed { ends };
    }

    fn receive(&mut self, until: Time) -> Option<PeerMessage> {
        loop {
            if let Some(message) = self.glance() {
                return Some(message);
            }
            if self.now() >= until {
                return None;
            }
            thread::sleep(GLANCE);
        }
    }

    fn ends(&self, line: Line) -> Ends {
        let unknown = SocketAddr::new(IpAddr::V4(Ipv4Addr::UNSPECIFIED), 0);
        match &self.lines[line.0] {
            Socket::Udp { socket, peer } => {
                let ours = self.sockets[*socket].local_addr().unwrap_or(unknown);
                Ends { ours, peers: *peer, channel: Channel::Datagram }
            }
            Socket::Tcp { stream, peer } => {
                Ends { ours: stream.local_addr().unwrap_or(unknown), peers: *peer, channel: Channel::Stream }
            }
            Socket::Closed { ends } => *ends,
        }
    }

    fn is_refused(&self) -> bool {
        self.is_refused
    }

    fn ask(&mut self, question: &Question) -> Option<bool> {
        if !self.asks {
            return None;
        }
        loop {
            eprint!("\n  {} [y/n] ", question.text);
            let mut answer = String::new();
            if io::stdin().read_line(&mut answer).ok()? == 0 {
                return None;
            }
            match answer.trim() {
                "y" | "yes" => return Some(true),
                "n" | "no" => return Some(false),
                _ => {}
            }
        }
    }
}

fn bind(address: SocketAddr) -> io::Result<UdpSocket> {
    let socket = UdpSocket::bind(address)?;
    socket.set_nonblocking(true)?;
    Ok(socket)
}

/// A UDP socket and a TCP connection on the same port. The UDP port is taken first: after the connection was made, somebody else
/// might have it.
fn twins(server: SocketAddr) -> io::Result<(UdpSocket, TcpStream)> {
    let mut tries = 0;
    loop {
        let udp = bind(SocketAddr::new(any_address(server), 0))?;
        match reach(server, udp.local_addr()?) {
            Ok(stream) => return Ok((udp, stream)),
            Err(error) if tries < PORT_TRIES && is_in_use(&error) => tries += 1,
            Err(error) => return Err(error),
        }
    }
}

/// A TCP connection from this address.
fn reach(server: SocketAddr, from: SocketAddr) -> io::Result<TcpStream> {
    let socket = socket2::Socket::new(Domain::for_address(server), Type::STREAM, Some(Protocol::TCP))?;
    socket.bind(&from.into())?;
    socket.connect_timeout(&server.into(), CONNECT_MAX)?;
    Ok(socket.into())
}

/// Whether a port is taken, or was until a moment ago for the same server.
fn is_in_use(error: &io::Error) -> bool {
    matches!(error.kind(), ErrorKind::AddrInUse | ErrorKind::AddrNotAvailable)
}

fn any_address(like: SocketAddr) -> IpAddr {
    match like {
        SocketAddr::V4(_) => Ipv4Addr::UNSPECIFIED.into(),
        SocketAddr::V6(_) => Ipv6Addr::UNSPECIFIED.into(),
    }
}
