//! What carries the bytes of a trial: real sockets, or memory under virtual time in tests. Cases do not know which.

use std::{io, net::SocketAddr};

use protocol::{Channel, Time};

use super::question::Question;

/// One conversation: a UDP address of ours and one of the peer's, or a TCP connection. Numbers count up from 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Line(pub usize);

/// Something that came from the peer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PeerMessage {
    pub line: Line,
    pub event: PeerEvent,
    /// Empty if the event is not about bytes; a datagram may be empty too.
    pub bytes: Vec<u8>,
}

/// What came.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PeerEvent {
    Datagram,
    /// A client opened a TCP connection.
    Opened,
    /// The next bytes of a TCP connection.
    Stream,
    /// The peer closed a TCP connection.
    Closed,
}

/// The two ends of a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ends {
    pub ours: SocketAddr,
    pub peers: SocketAddr,
    pub channel: Channel,
}

/// What carries the bytes of a trial.
pub trait TrialNetwork {
    fn now(&self) -> Time;

    /// A UDP address of our own, for datagrams to the server's door, or to another port of it.
    fn open(&mut self, port: Option<u16>) -> io::Result<Line>;

    /// A TCP connection to the server.
    fn connect(&mut self) -> io::Result<Line>;

    /// A UDP address with the port number of a TCP connection of ours, for datagrams to the server's door.
    fn open_beside(&mut self, stream: Line) -> io::Result<Line>;

    /// Listens for datagrams of clients at one more port.
    fn listen(&mut self) -> io::Result<u16>;

    /// Sends a datagram, or the next bytes of a stream. What cannot be sent is lost.
    fn send(&mut self, line: Line, bytes: &[u8]);

    /// Ends a line: a stream is closed, an address forgotten.
    fn close(&mut self, line: Line);

    /// The next thing that comes before `until`, over any line. A client that comes by itself has a line of its own.
    fn receive(&mut self, until: Time) -> Option<PeerMessage>;

    fn ends(&self, line: Line) -> Ends;

    /// Whether the peer's system says that nobody listens there.
    fn is_refused(&self) -> bool;

    /// Asks the tester what the client shows. None: nobody can be asked.
    fn ask(&mut self, question: &Question) -> Option<bool>;
}
