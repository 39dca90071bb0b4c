//! A WebTransport connection: QUIC datagrams, and one stream beside them. QUIC runs on a thread that all connections share; here
//! are only the ends of two queues, so that nothing waits.
//!
//! The server must show a certificate that this machine trusts for its name, or the one whose hash it gives at
//! `/api/transport`, as web pages do that pin it.

use std::{io, sync::LazyLock, thread, time::Duration};

use anyhow::{Context, anyhow, bail};
use protocol::Channel;
use serde::Deserialize;
use tokio::{
    runtime::{Builder, Handle},
    sync::mpsc::{self, Receiver, Sender, error::TryRecvError},
    time::timeout,
};
use wtransport::{ClientConfig, Connection, Endpoint, RecvStream, SendStream, VarInt, tls::Sha256Digest};

/// How long connecting may take, and asking for the certificate's hash before it.
const CONNECT_MAX: Duration = Duration::from_secs(10);
const ASK_MAX: Duration = Duration::from_secs(3);
/// What waits in either direction at most. More, and datagrams are lost.
const QUEUE_MAX: usize = 512;
const READ_BYTES: usize = 16 << 10;
/// An answer about transports is no longer.
const ANSWER_MAX_BYTES: u64 = 4 << 10;

/// A connection that may still be on its way.
pub struct WebTransport {
    outgoing: Sender<OutgoingMessage>,
    incoming: Receiver<Incoming>,
    state: State,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum State {
    Connecting,
    Open,
    /// It is over, and whether that was reported.
    Closed {
        is_told: bool,
    },
}

enum OutgoingMessage {
    Datagram(Vec<u8>),
    Stream(Vec<u8>),
    Close,
}

enum Incoming {
    Opened,
    Datagram(Vec<u8>),
    Stream(Vec<u8>),
    Failed(String),
}

/// The thread on which QUIC runs.
static RUNTIME: LazyLock<Result<Handle, String>> = LazyLock::new(|| start_runtime().map_err(|error| error.to_string()));

fn start_runtime() -> io::Result<Handle> {
    let runtime = Builder::new_current_thread().enable_all().build()?;
    let handle = runtime.handle().clone();
    let run = move || runtime.block_on(std::future::pending::<()>());
    thread::Builder::new().name("webtransport".into()).spawn(run)?;
    Ok(handle)
}

impl WebTransport {
    /// Sets out for the path `/volley` of a node. `host` is a name or an address.
    pub fn open(host: &str, port: u16) -> anyhow::Result<WebTransport> {
        let runtime = RUNTIME.as_ref().map_err(|why| anyhow!("cannot start the thread for WebTransport: {why}"))?;
        let (outgoing, to_send) = mpsc::channel(QUEUE_MAX);
        let (received, incoming) = mpsc::channel(QUEUE_MAX);
        let server = Server { authority: authority(host, port) };
        runtime.spawn(server.serve(to_send, received));
        Ok(WebTransport { outgoing, incoming, state: State::Connecting })
    }

    pub(super) fn is_ready(&self) -> bool {
        self.state == State::Open
    }

    pub(super) fn is_unreachable(&self) -> bool {
        matches!(self.state, State::Closed { .. })
    }

    pub(super) fn receive(&mut self, buffer: &mut [u8]) -> anyhow::Result<Option<(Channel, usize)>> {
        loop {
            let (channel, bytes) = match self.incoming.try_recv() {
                Ok(Incoming::Opened) => {
                    self.state = State::Open;
                    continue;
                }
                Ok(Incoming::Datagram(bytes)) => (Channel::Datagram, bytes),
                Ok(Incoming::Stream(bytes)) => (Channel::Stream, bytes),
                Ok(Incoming::Failed(why)) => {
                    self.state = State::Closed { is_told: true };
                    bail!("{why}");
                }
                Err(TryRecvError::Empty) => return Ok(None),
                Err(TryRecvError::Disconnected) => return Ok(self.tell_end()),
            };
            if let Some(room) = buffer.get_mut(..bytes.len()) {
                room.copy_from_slice(&bytes);
                return Ok(Some((channel, bytes.len())));
            }
        }
    }

    /// No bytes of the stream, once.
    fn tell_end(&mut self) -> Option<(Channel, usize)> {
        let is_told = matches!(self.state, State::Closed { is_told: true });
        self.state = State::Closed { is_told: true };
        (!is_told).then_some((Channel::Stream, 0))
    }

    pub(super) fn send(&mut self, channel: Channel, bytes: &[u8]) -> anyhow::Result<bool> {
        let message = match (self.state, channel) {
            (State::Closed { .. }, _) | (State::Connecting, Channel::Datagram) => return Ok(false),
            (State::Open, Channel::Datagram) => OutgoingMessage::Datagram(bytes.into()),
            (State::Connecting | State::Open, Channel::Stream) => OutgoingMessage::Stream(bytes.into()),
        };
        match (self.outgoing.try_send(message), channel) {
            (Ok(()), _) => Ok(true),
            // Receiving will find that it is over.
            (Err(mpsc::error::TrySendError::Closed(_)), _) => Ok(false),
            (Err(mpsc::error::TrySendError::Full(_)), Channel::Datagram) => Ok(false),
            (Err(mpsc::error::TrySendError::Full(_)), Channel::Stream) => {
                bail!("the server does not read what is sent to it")
            }
        }
    }

    pub(super) fn close(&mut self) {
        // If the queue is full or its other end gone, dropping this one closes the connection just as well.
        let _ = self.outgoing.try_send(OutgoingMessage::Close);
    }
}

/// The node at the other end.
struct Server {
    /// Host and port, as in a URL.
    authority: String,
}

impl Server {
    async fn serve(self, to_send: Receiver<OutgoingMessage>, received: Sender<Incoming>) {
        match self.connect().await {
            Ok((connection, streams)) => {
                if received.send(Incoming::Opened).await.is_ok() {
                    carry(&connection, streams, to_send, received).await;
                }
            }
            Err(error) => {
                let why = format!("no WebTransport connection to {}: {error:#}", self.authority);
                // Nobody may be waiting any more.
                let _ = received.send(Incoming::Failed(why)).await;
            }
        }
    }

    async fn connect(&self) -> anyhow::Result<(Connection, (SendStream, RecvStream))> {
        let pinned = self.pinned().await;
        let config = ClientConfig::builder().with_bind_default();
        let config = match pinned {
            Some(hash) => config.with_server_certificate_hashes([hash]).build(),
            None => config.with_native_certs().build(),
        };
        let endpoint = Endpoint::client(config).context("cannot open a socket")?;
        let url = format!("https://{}{}", self.authority, server::edge::webtransport::PATH);
        let opened = timeout(CONNECT_MAX, async {
            let connection = endpoint.connect(url).await?;
            let streams = connection.open_bi().await?.await?;
            anyhow::Ok((connection, streams))
        });
        opened.await.context("it takes too long")?
    }

    /// The hash of the certificate that the node signed itself, if it says so over plain HTTP.
    async fn pinned(&self) -> Option<Sha256Digest> {
        let url = format!("http://{}/api/transport", self.authority);
        let asked = tokio::task::spawn_blocking(move || ask_for_hash(&url));
        asked.await.ok().flatten()
    }
}

/// What `/api/transport` says, as far as it matters here.
#[derive(Deserialize)]
struct Transports {
    webtransport: Option<QuicDoor>,
}

#[derive(Deserialize)]
struct QuicDoor {
    sha256: Option<String>,
}

fn ask_for_hash(url: &str) -> Option<Sha256Digest> {
    let agent: ureq::Agent = ureq::Agent::config_builder().timeout_global(Some(ASK_MAX)).build().into();
    let mut answer = agent.get(url).call().ok()?;
    let text = answer.body_mut().with_config().limit(ANSWER_MAX_BYTES).read_to_string().ok()?;
    let transports: Transports = serde_json::from_str(&text).ok()?;
    digest(&transports.webtransport?.sha256?)
}

/// 32 bytes in 64 hexadecimal digits.
fn digest(text: &str) -> Option<Sha256Digest> {
    let mut bytes = [0; 32];
    if text.len() != 2 * bytes.len() || !text.is_ascii() {
        return None;
    }
    for (byte, digits) in bytes.iter_mut().zip(text.as_bytes().chunks(2)) {
        *byte = u8::from_str_radix(std::str::from_utf8(digits).ok()?, 16).ok()?;
    }
    Some(Sha256Digest::new(bytes))
}

async fn carry(
    connection: &Connection,
    (mut send, mut receive): (SendStream, RecvStream),
    mut to_send: Receiver<OutgoingMessage>,
    received: Sender<Incoming>,
) {
    let mut buffer = vec![0; READ_BYTES];
    loop {
        let goes_on = tokio::select! {
            message = to_send.recv() => match message {
                Some(OutgoingMessage::Datagram(bytes)) => {
                    // One that is too long for the path is lost, as it might be on its way.
                    let _ = connection.send_datagram(bytes);
                    true
                }
                Some(OutgoingMessage::Stream(bytes)) => send.write_all(&bytes).await.is_ok(),
                Some(OutgoingMessage::Close) | None => false,
            },
            datagram = connection.receive_datagram() => match datagram {
                // A full queue loses datagrams, as a full queue on the way would.
                Ok(datagram) => {
                    let _ = received.try_send(Incoming::Datagram(datagram.payload().to_vec()));
                    true
                }
                Err(_) => false,
            },
            read = receive.read(&mut buffer) => match read {
                Ok(Some(length)) => received.send(Incoming::Stream(buffer[..length].into())).await.is_ok(),
                Ok(None) | Err(_) => false,
            },
        };
        if !goes_on {
            break;
        }
    }
    // What was sent before is to arrive.
    let _ = timeout(Duration::from_secs(1), send.finish()).await;
    connection.close(VarInt::from_u32(0), b"");
}

/// Host and port as a URL has them.
fn authority(host: &str, port: u16) -> String {
    if host.contains(':') && !host.starts_with('[') { format!("[{host}]:{port}") } else { format!("{host}:{port}") }
}

#[cfg(test)]
mod tests {
    use std::{net::TcpListener, time::Instant};

    use super::*;

    #[test]
    fn an_address_of_ipv6_stands_in_brackets() {
        assert_eq!(authority("play.example", 4240), "play.example:4240");
        assert_eq!(authority("::1", 1), "[::1]:1");
        assert_eq!(authority("[::1]", 1), "[::1]:1");
    }

    #[test]
    fn a_hash_is_64_digits() {
        assert_eq!(digest(&"0a".repeat(32)).map(|digest| *digest.as_ref()), Some([10; 32]));
        for wrong in ["", "0a", &"0g".repeat(32), &"é".repeat(32), &"0a".repeat(33)] {
            assert!(digest(wrong).is_none(), "{wrong}");
        }
    }

    #[test]
    fn nobody_there_is_an_error() {
        let free = TcpListener::bind(("127.0.0.1", 0)).and_then(|listener| listener.local_addr()).expect("a free port");
        let mut transport = WebTransport::open("127.0.0.1", free.port()).expect("it sets out");
        assert!(transport.send(Channel::Stream, b"early").expect("no error"), "it waits");
        let began = Instant::now();
        let error = loop {
            match transport.receive(&mut [0; 16]) {
                Ok(None) => assert!(began.elapsed() < Duration::from_secs(60), "it still hopes"),
                Ok(Some(_)) => panic!("something came"),
                Err(error) => break error.to_string(),
            }
            thread::sleep(Duration::from_millis(5));
        };
        assert!(error.starts_with("no WebTransport connection to 127.0.0.1:"), "{error}");
        assert!(transport.is_unreachable());
    }
}
