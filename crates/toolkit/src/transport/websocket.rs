//! A WebSocket that carries both channels: the first byte of each message says which.

use std::{
    io::ErrorKind,
    mem,
    net::{SocketAddr, TcpStream},
};

use anyhow::{Context, bail};
use protocol::Channel;
use tungstenite::{
    ClientHandshake, Error, HandshakeError, Message, client::client_with_config, handshake::MidHandshake,
    protocol::WebSocketConfig,
};

use super::{DATAGRAM_MAX_BYTES, sockets::reach};

/// The first byte of a message that is a datagram, and of one that continues the stream.
const DATAGRAM: u8 = 0;
const STREAM: u8 = 1;
/// What is read at once. The library clears as much before each read, and few messages are longer.
const READ_BYTES: usize = 4 << 10;
/// What may wait to be sent. More, and datagrams are lost.
const UNSENT_MAX_BYTES: usize = 256 << 10;

type Socket = tungstenite::WebSocket<TcpStream>;

/// A WebSocket that may still be on its way.
pub struct WebSocket {
    state: State,
    server: SocketAddr,
    /// What goes down the stream once there is one.
    waiting: Vec<u8>,
    closes: bool,
}

enum State {
    Connecting(TcpStream),
    Greeting(MidHandshake<ClientHandshake<TcpStream>>),
    Open(Socket),
    /// It is over, and whether that was reported.
    Closed {
        is_told: bool,
    },
}

impl WebSocket {
    /// Sets out for the path `/volley` of a node.
    pub fn open(server: SocketAddr) -> anyhow::Result<WebSocket> {
        let socket = reach(server, 0)?;
        // A datagram that waits for the next one is worth nothing.
        socket.set_nodelay(true)?;
        Ok(WebSocket { state: State::Connecting(socket), server, waiting: Vec::new(), closes: false })
    }

    /// What carries it, while it is not over.
    pub(crate) fn tcp(&self) -> Option<&TcpStream> {
        match &self.state {
            State::Connecting(tcp) => Some(tcp),
            State::Greeting(halfway) => Some(halfway.get_ref().get_ref()),
            State::Open(socket) => Some(socket.get_ref()),
            State::Closed { .. } => None,
        }
    }

    pub(super) fn is_ready(&self) -> bool {
        matches!(self.state, State::Open(_))
    }

    pub(super) fn is_unreachable(&self) -> bool {
        matches!(self.state, State::Closed { .. })
    }

    pub(super) fn receive(&mut self, buffer: &mut [u8]) -> anyhow::Result<Option<(Channel, usize)>> {
        self.progress()?;
        loop {
            let socket = match &mut self.state {
                State::Open(socket) => socket,
                State::Closed { is_told } => {
                    return Ok((!mem::replace(is_told, true)).then_some((Channel::Stream, 0)));
                }
                _ => return Ok(None),
            };
            match socket.read() {
                Ok(Message::Binary(bytes)) => {
                    if let Some(found) = unpack(&bytes, buffer) {
                        return Ok(Some(found));
                    }
                }
                // Pings are answered below us; text means nothing here.
                Ok(_) => {}
                Err(Error::Io(error)) if is_patience(&error) => return Ok(None),
                // However it ended, it is over.
                Err(_) => self.state = State::Closed { is_told: false },
            }
        }
    }

    pub(super) fn send(&mut self, channel: Channel, bytes: &[u8]) -> anyhow::Result<bool> {
        match (&mut self.state, channel) {
            (State::Open(socket), _) => write(socket, channel, bytes),
            (State::Closed { .. }, _) | (_, Channel::Datagram) => Ok(false),
            (_, Channel::Stream) => {
                self.waiting.extend_from_slice(bytes);
                Ok(true)
            }
        }
    }

    pub(super) fn close(&mut self) {
        self.closes = true;
    }

    pub(super) fn push(&mut self) -> anyhow::Result<()> {
        self.progress()?;
        let State::Open(socket) = &mut self.state else { return Ok(()) };
        if mem::take(&mut self.closes) {
            // It is flushed below, or was over already.
            let _ = socket.close(None);
        }
        match socket.flush() {
            Ok(()) => Ok(()),
            Err(Error::Io(error)) if is_patience(&error) => Ok(()),
            Err(_) => {
                self.state = State::Closed { is_told: false };
                Ok(())
            }
        }
    }

    /// Goes on with connecting and greeting, as far as that is possible now.
    fn progress(&mut self) -> anyhow::Result<()> {
        let server = self.server;
        let greeted = match mem::replace(&mut self.state, State::Closed { is_told: false }) {
            State::Connecting(socket) => {
                if let Some(error) = socket.take_error()? {
                    return Err(error).with_context(|| format!("nobody answers at {server} (TCP)"));
                }
                if socket.peer_addr().is_err() {
                    self.state = State::Connecting(socket);
                    return Ok(());
                }
                client_with_config(format!("ws://{server}/volley"), socket, Some(limits()))
            }
            State::Greeting(halfway) => halfway.handshake(),
            other => {
                self.state = other;
                return Ok(());
            }
        };
        match greeted {
            Ok((socket, _)) => self.arrive(socket),
            Err(HandshakeError::Interrupted(halfway)) => {
                self.state = State::Greeting(halfway);
                Ok(())
            }
            Err(HandshakeError::Failure(error)) => bail!("{server} does not speak WebSocket at /volley: {error}"),
        }
    }

    fn arrive(&mut self, mut socket: Socket) -> anyhow::Result<()> {
        let waiting = mem::take(&mut self.waiting);
        if !waiting.is_empty() {
            write(&mut socket, Channel::Stream, &waiting)?;
        }
        self.state = State::Open(socket);
        Ok(())
    }
}

/// Queues a message. It is sent by the next flush.
fn write(socket: &mut Socket, channel: Channel, bytes: &[u8]) -> anyhow::Result<bool> {
    let kind = match channel {
        Channel::Datagram => DATAGRAM,
        Channel::Stream => STREAM,
    };
    let message = Message::binary([&[kind], bytes].concat());
    match (socket.write(message), channel) {
        (Ok(()), _) => Ok(true),
        (Err(Error::Io(error)), _) if is_patience(&error) => Ok(true),
        // A full buffer loses datagrams, as a full queue on the way would; a stream must not have a gap.
        (Err(Error::WriteBufferFull(_)), Channel::Datagram) => Ok(false),
        (Err(Error::WriteBufferFull(_)), Channel::Stream) => bail!("the server does not read what is sent to it"),
        // Reading will find that it is over.
        (Err(_), _) => Ok(false),
    }
}

/// What a message carries. One that is empty, of another kind or too long is dropped.
fn unpack(message: &[u8], buffer: &mut [u8]) -> Option<(Channel, usize)> {
    let (kind, bytes) = message.split_first()?;
    let channel = match *kind {
        DATAGRAM => Channel::Datagram,
        // No bytes would mean that the stream was closed.
        STREAM if !bytes.is_empty() => Channel::Stream,
        _ => return None,
    };
    buffer.get_mut(..bytes.len())?.copy_from_slice(bytes);
    Some((channel, bytes.len()))
}

fn limits() -> WebSocketConfig {
    WebSocketConfig::default()
        .read_buffer_size(READ_BYTES)
        .write_buffer_size(0)
        .max_write_buffer_size(UNSENT_MAX_BYTES)
        .max_message_size(Some(DATAGRAM_MAX_BYTES + 1))
        .max_frame_size(Some(DATAGRAM_MAX_BYTES + 1))
}

fn is_patience(error: &std::io::Error) -> bool {
    matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::Interrupted)
}

#[cfg(test)]
mod tests {
    use std::{
        net::TcpListener,
        thread,
        time::{Duration, Instant},
    };

    use super::*;

    #[test]
    fn a_message_says_its_channel_in_its_first_byte() {
        let mut buffer = [0; 4];
        assert_eq!(unpack(&[0, 7, 8], &mut buffer), Some((Channel::Datagram, 2)));
        assert_eq!(buffer[..2], [7, 8]);
        assert_eq!(unpack(&[1, 9], &mut buffer), Some((Channel::Stream, 1)));
        assert_eq!(unpack(&[0], &mut buffer), Some((Channel::Datagram, 0)));
    }

    #[test]
    fn what_means_nothing_is_dropped() {
        let mut buffer = [0; 4];
        assert_eq!(unpack(&[], &mut buffer), None);
        assert_eq!(unpack(&[1], &mut buffer), None);
        assert_eq!(unpack(&[2, 1], &mut buffer), None);
        assert_eq!(unpack(&[0, 1, 2, 3, 4, 5], &mut buffer), None);
    }

    /// A server that says back what it hears, once.
    fn echo() -> SocketAddr {
        let listener = TcpListener::bind(("127.0.0.1", 0)).expect("a free port");
        let address = listener.local_addr().expect("an address");
        thread::spawn(move || {
            let (stream, _) = listener.accept().expect("a client");
            let mut socket = tungstenite::accept(stream).expect("a greeting");
            while let Ok(message) = socket.read() {
                if message.is_binary() && socket.send(message).is_err() {
                    break;
                }
            }
        });
        address
    }

    fn next(socket: &mut WebSocket, buffer: &mut [u8]) -> (Channel, usize) {
        let began = Instant::now();
        loop {
            socket.push().expect("it is there");
            if let Some(found) = socket.receive(buffer).expect("it is there") {
                return found;
            }
            assert!(began.elapsed() < Duration::from_secs(20), "nothing came");
            thread::sleep(Duration::from_millis(2));
        }
    }

    #[test]
    fn both_channels_come_back_and_an_early_stream_waits() {
        let mut buffer = [0; 64];
        let mut socket = WebSocket::open(echo()).expect("it sets out");
        assert!(!socket.send(Channel::Datagram, b"lost").expect("no error"));
        assert!(socket.send(Channel::Stream, b"early").expect("no error"));
        assert_eq!(next(&mut socket, &mut buffer), (Channel::Stream, 5));
        assert_eq!(&buffer[..5], b"early");
        assert!(socket.is_ready());
        assert!(socket.send(Channel::Datagram, b"now").expect("no error"));
        assert_eq!(next(&mut socket, &mut buffer), (Channel::Datagram, 3));
        socket.close();
        assert_eq!(next(&mut socket, &mut buffer), (Channel::Stream, 0), "its end is told");
        assert_eq!(socket.receive(&mut buffer).expect("no error"), None, "once");
    }

    #[test]
    fn nobody_there_is_an_error() {
        let free = TcpListener::bind(("127.0.0.1", 0)).and_then(|listener| listener.local_addr()).expect("a free port");
        let fails_in_time = |mut socket: WebSocket| {
            let began = Instant::now();
            while began.elapsed() < Duration::from_secs(20) {
                if socket.push().is_err() {
                    return true;
                }
                thread::sleep(Duration::from_millis(2));
            }
            false
        };
        // Some systems say so at once.
        assert!(WebSocket::open(free).map_or(true, fails_in_time), "it still hopes");
    }
}
