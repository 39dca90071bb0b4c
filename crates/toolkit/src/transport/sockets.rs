//! UDP and TCP sockets of a dialect that brings its own: one datagram socket, and a stream where the dialect has one.

use std::{
    io::{self, ErrorKind, Read, Write},
    net::{IpAddr, SocketAddr, TcpStream, UdpSocket},
    time::{Duration, Instant},
};

use anyhow::Context;
use protocol::{Channel, StreamUse};
use socket2::{Domain, Protocol, Socket, Type};

use super::bundle::{Bundle, Run};

/// How many refusals by the peer's system, with nothing heard between them, mean that nobody listens there.
const REFUSALS_MAX: u32 = 5;
/// A server that was heard before may be starting again: how long after it was last heard refusals do not count.
const RESTART_MAX: Duration = Duration::from_secs(5);
/// How often a port is looked for that is free for both UDP and TCP.
const PORT_TRIES: usize = 16;

/// The sockets of one player.
pub struct Sockets {
    udp: UdpSocket,
    stream: Option<Stream>,
    /// Where datagrams go.
    server: SocketAddr,
    /// Refusals by the peer's system since something was last heard.
    refusals: u32,
    /// When a datagram last came.
    heard: Option<Instant>,
    /// Whether the system takes several datagrams in one call: until it refuses to, then never again.
    cuts: bool,
}

/// A stream that may still be on its way to the server.
struct Stream {
    socket: TcpStream,
    /// What the socket did not take yet.
    unsent: Vec<u8>,
    closes: bool,
}

impl Sockets {
    pub(super) fn open(streams: StreamUse, server: SocketAddr) -> anyhow::Result<Sockets> {
        let host = server.ip();
        let (udp, stream) = match streams {
            StreamUse::None | StreamUse::Link(_) => (bind(host)?, None),
            // Datagrams of such a dialect are known by the stream's own port.
            StreamUse::OpensSession => twins(server).map(|(udp, tcp)| (udp, Some(Stream::new(tcp))))?,
            StreamUse::Desk(_) => (bind(host)?, Some(Stream::new(reach(server, 0)?))),
        };
        udp.connect(server).with_context(|| format!("cannot reach {server}"))?;
        Ok(Sockets { udp, stream, server, refusals: 0, heard: None, cuts: cfg!(target_os = "linux") })
    }

    /// The next datagram, if one has come.
    pub fn datagram(&mut self, buffer: &mut [u8]) -> anyhow::Result<Option<usize>> {
        loop {
            match self.udp.recv(buffer) {
                Ok(length) => {
                    (self.refusals, self.heard) = (0, Some(Instant::now()));
                    return Ok(Some(length));
                }
                Err(error) if error.kind() == ErrorKind::WouldBlock => return Ok(None),
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) if error.kind() == ErrorKind::ConnectionRefused => self.refusals += 1,
                Err(error) => return Err(error).context("cannot receive"),
            }
        }
    }

    /// The next bytes of the stream, if some have come; none of them: the other end closed it.
    pub fn stream(&mut self, buffer: &mut [u8]) -> anyhow::Result<Option<usize>> {
        let Some(stream) = &mut self.stream else { return Ok(None) };
        let read = match stream.socket.read(buffer) {
            Ok(length) => length,
            Err(error) if is_patience(&error) => return Ok(None),
            Err(error) if error.kind() == ErrorKind::ConnectionRefused => {
                return Err(error).with_context(|| format!("nobody answers at {} (TCP)", self.server));
            }
            // A broken stream is a closed one.
            Err(_) => 0,
        };
        if read == 0 {
            self.stream = None;
        }
        Ok(Some(read))
    }

    pub(super) fn receive(&mut self, buffer: &mut [u8]) -> anyhow::Result<Option<(Channel, usize)>> {
        if let Some(length) = self.datagram(buffer)? {
            return Ok(Some((Channel::Datagram, length)));
        }
        Ok(self.stream(buffer)?.map(|length| (Channel::Stream, length)))
    }

    /// Sends datagrams, several in a call if that can be. How many left, and their bytes.
    pub(super) fn send_datagrams(&mut self, bundle: &Bundle) -> anyhow::Result<(u64, u64)> {
        let mut left = (0, 0);
        for run in bundle.runs() {
            if run.count > 1 && self.cuts && self.send_run(run) {
                left = (left.0 + run.count as u64, left.1 + run.bytes.len() as u64);
                continue;
            }
            for bytes in run.datagrams() {
                if self.send_datagram(bytes)? {
                    left = (left.0 + 1, left.1 + bytes.len() as u64);
                }
            }
        }
        Ok(left)
    }

    /// Sends a run in one call. False: nothing was sent; one by one it shows why.
    #[cfg(target_os = "linux")]
    fn send_run(&mut self, run: Run<'_>) -> bool {
        use std::{io::IoSlice, os::fd::AsRawFd};

        use nix::{
            errno::Errno,
            sys::socket::{ControlMessage, MsgFlags, sendmsg},
        };
        let segment = run.segment as u16;
        let (bytes, control) = ([IoSlice::new(run.bytes)], [ControlMessage::UdpGsoSegments(&segment)]);
        match sendmsg::<()>(self.udp.as_raw_fd(), &bytes, &control, MsgFlags::MSG_DONTWAIT, None) {
            Ok(_) => true,
            Err(error) => {
                self.cuts = !matches!(error, Errno::EIO | Errno::EINVAL | Errno::EOPNOTSUPP | Errno::ENOPROTOOPT);
                self.refusals += u32::from(error == Errno::ECONNREFUSED);
                false
            }
        }
    }

    /// Elsewhere a call is a datagram.
    #[cfg(not(target_os = "linux"))]
    fn send_run(&mut self, _run: Run<'_>) -> bool {
        false
    }

    /// A datagram that cannot leave now is lost, as it might be on its way. True: it left.
    pub(super) fn send_datagram(&mut self, bytes: &[u8]) -> anyhow::Result<bool> {
        match self.udp.send(bytes) {
            Ok(_) => Ok(true),
            // What an earlier datagram met is reported here.
            Err(error) if error.kind() == ErrorKind::ConnectionRefused => {
                self.refusals += 1;
                Ok(false)
            }
            Err(error) if error.kind() == ErrorKind::WouldBlock => Ok(false),
            Err(error) => Err(error).context("cannot send"),
        }
    }

    pub(super) fn send_stream(&mut self, bytes: &[u8]) -> bool {
        self.stream.iter_mut().for_each(|stream| stream.unsent.extend_from_slice(bytes));
        self.stream.is_some()
    }

    pub(super) fn close_stream(&mut self) {
        self.stream.iter_mut().for_each(|stream| stream.closes = true);
    }

    pub(super) fn datagrams_to(&mut self, port: u16) -> anyhow::Result<()> {
        self.server.set_port(port);
        self.udp.connect(self.server).with_context(|| format!("cannot reach {}", self.server))
    }

    /// Sends as much of the stream as its socket takes.
    pub(super) fn push(&mut self) -> anyhow::Result<()> {
        let Some(stream) = &mut self.stream else { return Ok(()) };
        stream.push().with_context(|| format!("cannot send to {} (TCP)", self.server))?;
        if stream.closes && stream.unsent.is_empty() {
            self.stream = None;
        }
        Ok(())
    }

    /// Where datagrams come in.
    pub fn udp(&self) -> &UdpSocket {
        &self.udp
    }

    pub(super) fn is_unreachable(&self) -> bool {
        self.refusals >= REFUSALS_MAX && self.heard.is_none_or(|heard| heard.elapsed() >= RESTART_MAX)
    }
}

impl Stream {
    fn new(socket: TcpStream) -> Stream {
        Stream { socket, unsent: Vec::new(), closes: false }
    }

    fn push(&mut self) -> io::Result<()> {
        while !self.unsent.is_empty() {
            match self.socket.write(&self.unsent) {
                Ok(0) => return Err(ErrorKind::WriteZero.into()),
                Ok(sent) => drop(self.unsent.drain(..sent)),
                Err(error) if is_patience(&error) => return Ok(()),
                Err(error) => return Err(error),
            }
        }
        Ok(())
    }
}

/// Whether it only takes longer. A stream that is still on its way is not connected yet.
fn is_patience(error: &io::Error) -> bool {
    matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::Interrupted | ErrorKind::NotConnected)
}

/// A UDP socket on a free port that never blocks.
fn bind(host: IpAddr) -> io::Result<UdpSocket> {
    let udp = UdpSocket::bind((any(host), 0))?;
    udp.set_nonblocking(true)?;
    Ok(udp)
}

/// A stream to the server that never blocks, also while it connects; `own_port` 0 takes any.
pub(super) fn reach(server: SocketAddr, own_port: u16) -> anyhow::Result<TcpStream> {
    let socket = Socket::new(Domain::for_address(server), Type::STREAM, Some(Protocol::TCP))?;
    socket.set_nonblocking(true)?;
    if own_port != 0 {
        socket.bind(&SocketAddr::new(any(server.ip()), own_port).into())?;
    }
    match socket.connect(&server.into()) {
        Ok(()) => Ok(socket.into()),
        Err(error) if is_under_way(&error) => Ok(socket.into()),
        Err(error) => Err(error).with_context(|| format!("nobody answers at {server} (TCP)")),
    }
}

fn is_under_way(error: &io::Error) -> bool {
    #[cfg(unix)]
    return error.raw_os_error() == Some(nix::errno::Errno::EINPROGRESS as i32);
    #[cfg(not(unix))]
    return error.kind() == ErrorKind::WouldBlock;
}

/// A UDP socket and a stream on the same port.
fn twins(server: SocketAddr) -> anyhow::Result<(UdpSocket, TcpStream)> {
    let mut tries = 0;
    loop {
        let udp = bind(server.ip())?;
        match reach(server, udp.local_addr()?.port()) {
            Ok(tcp) => return Ok((udp, tcp)),
            Err(error) if tries < PORT_TRIES && is_in_use(&error) => tries += 1,
            Err(error) => return Err(error),
        }
    }
}

fn is_in_use(error: &anyhow::Error) -> bool {
    error.downcast_ref::<io::Error>().is_some_and(|error| error.kind() == ErrorKind::AddrInUse)
}

fn any(host: IpAddr) -> IpAddr {
    if host.is_ipv4() { [0, 0, 0, 0].into() } else { [0u16; 8].into() }
}

#[cfg(test)]
mod tests {
    use std::{net::Ipv4Addr, time::Duration};

    use super::*;

    #[test]
    fn datagrams_that_leave_in_one_call_arrive_one_by_one() {
        let server = UdpSocket::bind((Ipv4Addr::LOCALHOST, 0)).expect("a socket");
        server.set_read_timeout(Some(Duration::from_secs(5))).expect("it waits no longer");
        let mut sockets = Sockets::open(StreamUse::None, server.local_addr().expect("its address")).expect("sockets");
        let datagrams = [&b"seven.."[..], b"bytes..", b"five.", b"", b"more than that"];
        let mut bundle = Bundle::default();
        datagrams.iter().for_each(|bytes| bundle.push(bytes));
        for cuts in [sockets.cuts, false] {
            sockets.cuts = cuts;
            assert_eq!(sockets.send_datagrams(&bundle).expect("they are sent"), (5, 33));
            assert_eq!(sockets.cuts, cuts, "the system does it");
            for bytes in datagrams {
                let mut buffer = [0; 64];
                let length = server.recv(&mut buffer).expect("it comes");
                assert_eq!(&buffer[..length], bytes);
            }
        }
    }
}
