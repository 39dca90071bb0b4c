//! A client session over real sockets: what bots and tests play through.
//!
//! [`Connection::turn`] does everything that is due and never waits, so one thread can drive thousands.

use std::{
    io::{self, ErrorKind, Read, Write},
    net::{IpAddr, SocketAddr, TcpStream, UdpSocket},
    time::{Instant, SystemTime, UNIX_EPOCH},
};

use anyhow::Context;
use game::{Frame, Input, Seat};
use protocol::{Channel, ClientSession, Dialect, Output, Plan, Scale, Status, StreamUse, Time};

/// The longest datagram that UDP carries: one dialect may say a tick in as much.
const DATAGRAM_MAX_BYTES: usize = 65_507;

/// A player's connection to a node.
pub struct Connection {
    session: Box<dyn ClientSession>,
    udp: UdpSocket,
    stream: Option<TcpStream>,
    /// Where datagrams go.
    server: SocketAddr,
    buffer: Vec<u8>,
    started: Instant,
    epoch_us: u64,
    frame: Frame,
}

impl Connection {
    /// Connects to a dialect's door. `lobby` is asked for in dialects that have lobbies; without one a new one is made.
    pub fn open(
        dialect: Dialect,
        host: IpAddr,
        port: u16,
        name: &str,
        lobby: Option<String>,
    ) -> anyhow::Result<Connection> {
        let server = SocketAddr::new(host, port);
        let door = dialect.door();
        let stream = match door.stream {
            StreamUse::None => None,
            StreamUse::OpensSession | StreamUse::Desk(_) => {
                let stream = TcpStream::connect(server).with_context(|| format!("nobody answers at {server} (TCP)"))?;
                stream.set_nonblocking(true)?;
                Some(stream)
            }
        };
        // A dialect whose datagrams follow its stream is known by the stream's own port.
        let own_port = match (&stream, door.stream) {
            (Some(stream), StreamUse::OpensSession) => stream.local_addr()?.port(),
            _ => 0,
        };
        let any: IpAddr = if host.is_ipv4() { [0, 0, 0, 0].into() } else { [0u16; 8].into() };
        let udp = UdpSocket::bind((any, own_port)).or_else(|_| UdpSocket::bind((any, 0)))?;
        udp.set_nonblocking(true)?;
        let epoch_us = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_micros() as u64;
        let plan = Plan {
            now: Time::from_micros(epoch_us),
            name: name.into(),
            lobby,
            stage: "endless".into(),
            scale: Scale::default(),
        };
        Ok(Connection {
            session: dialect.connect(plan),
            udp,
            stream,
            server,
            buffer: vec![0; DATAGRAM_MAX_BYTES],
            started: Instant::now(),
            epoch_us,
            frame: Frame::default(),
        })
    }

    /// Receives, advances, says what the player does, and sends. To be called once a tick.
    pub fn turn(&mut self, input: Input) -> anyhow::Result<()> {
        let now = self.now();
        self.receive(now)?;
        self.session.advance(now);
        self.session.press(now, input);
        self.send(now)?;
        self.session.take_frame(&mut self.frame);
        Ok(())
    }

    /// What is seen.
    pub fn frame(&self) -> &Frame {
        &self.frame
    }

    /// The own seat, once it is known.
    pub fn seat(&self) -> Option<Seat> {
        self.session.seat()
    }

    /// How the session stands.
    pub fn status(&self) -> Status {
        self.session.status()
    }

    /// Leaves, with a goodbye if the dialect has one. Take a few more turns to see it off.
    pub fn leave(&mut self) {
        let now = self.now();
        self.session.leave(now);
    }

    fn now(&self) -> Time {
        Time::from_micros(self.epoch_us + self.started.elapsed().as_micros() as u64)
    }

    fn receive(&mut self, now: Time) -> anyhow::Result<()> {
        loop {
            match self.udp.recv_from(&mut self.buffer) {
                // Bad bytes are dropped, as everywhere.
                Ok((length, from)) if from.ip() == self.server.ip() => {
                    let _malformed = self.session.receive(now, Channel::Datagram, &self.buffer[..length]);
                }
                Ok(_) => {}
                Err(error) if error.kind() == ErrorKind::WouldBlock => break,
                Err(error) if matches!(error.kind(), ErrorKind::Interrupted | ErrorKind::ConnectionRefused) => {}
                Err(error) => return Err(error).context("cannot receive"),
            }
        }
        self.read_stream(now);
        Ok(())
    }

    fn read_stream(&mut self, now: Time) {
        while let Some(stream) = &mut self.stream {
            let read = match stream.read(&mut self.buffer) {
                Ok(length) => length,
                Err(error) if matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::Interrupted) => return,
                // A broken stream is a closed one.
                Err(_) => 0,
            };
            let _malformed = self.session.receive(now, Channel::Stream, &self.buffer[..read]);
            if read == 0 {
                self.stream = None;
            }
        }
    }

    fn send(&mut self, now: Time) -> anyhow::Result<()> {
        let mut bytes = Vec::new();
        while let Some(output) = self.session.poll(now, &mut bytes) {
            match output {
                Output::Datagram => lose(self.udp.send_to(&bytes, self.server))?,
                Output::Stream => {
                    if let Some(stream) = &mut self.stream {
                        // What a client says over a stream is shorter than any socket's buffer.
                        stream.write_all(&bytes).context("cannot send over TCP")?;
                    }
                }
                Output::CloseStream => self.stream = None,
                Output::DatagramsTo(port) => self.server.set_port(port),
            }
        }
        Ok(())
    }
}

/// A datagram that cannot leave now is lost, as it might be on its way.
fn lose(sent: io::Result<usize>) -> anyhow::Result<()> {
    match sent {
        Err(error) if !matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::ConnectionRefused) => {
            Err(error).context("cannot send")
        }
        _ => Ok(()),
    }
}
