//! A transport: what carries a client's bytes to a node. It knows sockets and nothing of what the bytes mean, and it never
//! waits: its driver asks again.

mod bundle;
mod sockets;
mod websocket;
mod webtransport;

use std::net::SocketAddr;

use protocol::{Channel, Dialect, Output, StreamUse};

use self::bundle::Run;
pub use self::{bundle::Bundle, sockets::Sockets, websocket::WebSocket, webtransport::WebTransport};

/// The longest datagram that UDP carries: one dialect may say a tick in as much.
pub const DATAGRAM_MAX_BYTES: usize = 65_507;

/// What carries one player's bytes.
pub enum Transport {
    /// A dialect's own UDP and TCP.
    Sockets(Sockets),
    /// One WebSocket for all.
    WebSocket(Box<WebSocket>),
    /// One QUIC connection for all.
    WebTransport(WebTransport),
}

impl Transport {
    /// Sets out for a dialect's door. That nobody listens there shows later.
    pub fn open(dialect: Dialect, server: SocketAddr) -> anyhow::Result<Transport> {
        match dialect.entry().stream {
            StreamUse::Link(_) => WebSocket::open(server).map(|socket| Transport::WebSocket(Box::new(socket))),
            streams => Sockets::open(streams, server).map(Transport::Sockets),
        }
    }

    /// Sets out for a node over WebTransport. `host` is a name or an address.
    pub fn over_quic(host: &str, port: u16) -> anyhow::Result<Transport> {
        WebTransport::open(host, port).map(Transport::WebTransport)
    }

    /// Whether it has arrived. What is sent before waits if it goes down the stream, and is lost if it is a datagram.
    pub fn is_ready(&self) -> bool {
        match self {
            Transport::Sockets(_) => true,
            Transport::WebSocket(socket) => socket.is_ready(),
            Transport::WebTransport(quic) => quic.is_ready(),
        }
    }

    /// The next thing that has come, at the beginning of `buffer`. No bytes of the stream: the other end closed it.
    pub fn receive(&mut self, buffer: &mut [u8]) -> anyhow::Result<Option<(Channel, usize)>> {
        match self {
            Transport::Sockets(sockets) => sockets.receive(buffer),
            Transport::WebSocket(socket) => socket.receive(buffer),
            Transport::WebTransport(quic) => quic.receive(buffer),
        }
    }

    /// The next datagram; over a link, the next thing of either kind.
    pub fn listen(&mut self, buffer: &mut [u8]) -> anyhow::Result<Option<(Channel, usize)>> {
        match self {
            Transport::Sockets(sockets) => Ok(sockets.datagram(buffer)?.map(|length| (Channel::Datagram, length))),
            Transport::WebSocket(socket) => socket.receive(buffer),
            Transport::WebTransport(quic) => quic.receive(buffer),
        }
    }

    /// The next bytes of the stream; over a link, the next thing of either kind.
    pub fn read(&mut self, buffer: &mut [u8]) -> anyhow::Result<Option<(Channel, usize)>> {
        match self {
            Transport::Sockets(sockets) => Ok(sockets.stream(buffer)?.map(|length| (Channel::Stream, length))),
            Transport::WebSocket(socket) => socket.receive(buffer),
            Transport::WebTransport(quic) => quic.receive(buffer),
        }
    }

    /// Sends datagrams. What cannot leave now is lost, as it might be on its way. How many left, and their bytes.
    pub fn send_datagrams(&mut self, bundle: &Bundle) -> anyhow::Result<(u64, u64)> {
        match self {
            Transport::Sockets(sockets) => sockets.send_datagrams(bundle),
            Transport::WebSocket(socket) => send_each(bundle, |bytes| socket.send(Channel::Datagram, bytes)),
            Transport::WebTransport(quic) => send_each(bundle, |bytes| quic.send(Channel::Datagram, bytes)),
        }
    }

    /// Does what a session wants done with these bytes. True: they are on their way.
    pub fn send(&mut self, output: Output, bytes: &[u8]) -> anyhow::Result<bool> {
        match (self, output) {
            (Transport::Sockets(sockets), Output::Datagram) => return sockets.send_datagram(bytes),
            (Transport::Sockets(sockets), Output::Stream) => return Ok(sockets.send_stream(bytes)),
            (Transport::Sockets(sockets), Output::CloseStream) => sockets.close_stream(),
            (Transport::Sockets(sockets), Output::DatagramsTo(port)) => sockets.datagrams_to(port)?,
            (Transport::WebSocket(socket), Output::Datagram) => return socket.send(Channel::Datagram, bytes),
            (Transport::WebSocket(socket), Output::Stream) => return socket.send(Channel::Stream, bytes),
            (Transport::WebSocket(socket), Output::CloseStream) => socket.close(),
            (Transport::WebTransport(quic), Output::Datagram) => return quic.send(Channel::Datagram, bytes),
            (Transport::WebTransport(quic), Output::Stream) => return quic.send(Channel::Stream, bytes),
            (Transport::WebTransport(quic), Output::CloseStream) => quic.close(),
            // There is one way only.
            (Transport::WebSocket(_) | Transport::WebTransport(_), Output::DatagramsTo(_)) => {}
        }
        Ok(true)
    }

    /// Sends what waits, as far as it can leave now.
    pub fn push(&mut self) -> anyhow::Result<()> {
        match self {
            Transport::Sockets(sockets) => sockets.push(),
            Transport::WebSocket(socket) => socket.push(),
            // The thread of QUIC sends by itself.
            Transport::WebTransport(_) => Ok(()),
        }
    }

    /// Whether the peer's system says again and again that nobody listens there.
    pub fn is_unreachable(&self) -> bool {
        match self {
            Transport::Sockets(sockets) => sockets.is_unreachable(),
            Transport::WebSocket(socket) => socket.is_unreachable(),
            Transport::WebTransport(quic) => quic.is_unreachable(),
        }
    }
}

/// Sends datagrams one by one. How many left, and their bytes.
fn send_each(bundle: &Bundle, mut send: impl FnMut(&[u8]) -> anyhow::Result<bool>) -> anyhow::Result<(u64, u64)> {
    bundle.runs().flat_map(Run::datagrams).try_fold((0, 0), |(count, sum), bytes| {
        Ok(if send(bytes)? { (count + 1, sum + bytes.len() as u64) } else { (count, sum) })
    })
}
