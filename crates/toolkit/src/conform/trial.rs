//! A trial: one case while it runs. It sends and receives over lines, keeps everything that was exchanged, and knows how
//! long to wait. Start reading at [`Trial::until`].

use std::{collections::VecDeque, io, time::Duration};

use game::Dice;
use protocol::{Channel, Malformed, Time};

use super::{
    case::{Outcome, PASSED, Stop, failed},
    question::{About, Question},
    trial_network::{Ends, Line, PeerEvent, PeerMessage, TrialNetwork},
};

/// What is kept of an exchange: enough for any case, and a bound for a peer that floods us.
const KEPT_MAX: usize = 50_000;
/// How long an answer takes at most, beside what the network takes.
const PATIENCE: Duration = Duration::from_secs(2);
/// How long it would take for an answer that should not come, beside what the network takes.
const QUIET: Duration = Duration::from_millis(350);
/// How often a request is said again, beside what the network takes, because datagrams get lost.
const AGAIN: Duration = Duration::from_millis(300);

/// How long a client is waited for if nobody says otherwise: somebody may have to start it.
pub const CLIENT_WAIT: Duration = Duration::from_secs(60);

/// Who said something.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TrialDirection {
    ToPeer,
    FromPeer,
}

/// One datagram, or one piece of a stream.
#[derive(Clone, Debug)]
pub struct Exchanged {
    pub at: Time,
    pub direction: TrialDirection,
    pub line: Line,
    pub ends: Ends,
    pub bytes: Vec<u8>,
}

/// One case while it runs.
pub struct Trial<'m> {
    network: &'m mut dyn TrialNetwork,
    exchanged: Vec<Exchanged>,
    waiting: VecDeque<PeerMessage>,
    farewells: Vec<(Line, Vec<u8>)>,
    round_trip: Duration,
    /// How long a client is waited for.
    pub client_wait: Duration,
    /// Chance for bytes that mean nothing, from the seed of the run.
    pub dice: Dice,
}

impl<'m> Trial<'m> {
    pub fn new(network: &'m mut dyn TrialNetwork, round_trip: Duration, seed: u64) -> Trial<'m> {
        Trial {
            network,
            exchanged: Vec::new(),
            waiting: VecDeque::new(),
            farewells: Vec::new(),
            round_trip,
            client_wait: CLIENT_WAIT,
            dice: Dice::new(seed),
        }
    }

    pub fn now(&self) -> Time {
        self.network.now()
    }

    /// How long to wait for something that must come.
    pub fn patience(&self) -> Duration {
        PATIENCE + self.round_trip * 8
    }

    /// How long to wait for something that must not come.
    pub fn quiet(&self) -> Duration {
        QUIET + self.round_trip * 4
    }

    /// How long to wait before a request is said again.
    pub fn again(&self) -> Duration {
        AGAIN + self.round_trip * 2
    }

    /// An address of our own.
    pub fn open(&mut self) -> Result<Line, Stop> {
        self.network.open(None).map_err(|error| blocked("open a UDP socket", &error))
    }

    /// An address of our own, for datagrams to another port of the server.
    pub fn open_to(&mut self, port: u16) -> Result<Line, Stop> {
        self.network.open(Some(port)).map_err(|error| blocked("open a UDP socket", &error))
    }

    /// A TCP connection to the server.
    pub fn connect(&mut self) -> Result<Line, Stop> {
        let connected = self.network.connect();
        connected.map_err(|error| Stop::Failed(format!("the server does not accept a TCP connection: {error}")))
    }

    /// An address whose port is that of a TCP connection.
    pub fn open_beside(&mut self, stream: Line) -> Result<Line, Stop> {
        self.network.open_beside(stream).map_err(|error| blocked("open a UDP socket beside the TCP connection", &error))
    }

    /// Listens at one more port.
    pub fn listen(&mut self) -> Result<u16, Stop> {
        self.network.listen().map_err(|error| blocked("listen at one more port", &error))
    }

    pub fn close(&mut self, line: Line) {
        self.network.close(line);
    }

    pub fn send(&mut self, line: Line, bytes: &[u8]) {
        self.keep(TrialDirection::ToPeer, line, bytes);
        self.network.send(line, bytes);
    }

    /// What is said over a line when the case is over, so that the peer need not wait for a time-out.
    pub fn say_at_the_end(&mut self, line: Line, bytes: &[u8]) {
        self.farewells.push((line, bytes.to_vec()));
    }

    /// The next thing that comes over a line; what comes over others waits. A stream that ends gives no bytes.
    pub fn next(&mut self, line: Line, limit: Duration) -> Option<Vec<u8>> {
        let until = self.now() + limit;
        self.next_until(line, until)
    }

    fn next_until(&mut self, line: Line, until: Time) -> Option<Vec<u8>> {
        if let Some(at) =
            self.waiting.iter().position(|message| message.line == line && message.event != PeerEvent::Opened)
        {
            return self.waiting.remove(at).map(|message| message.bytes);
        }
        loop {
            let message = self.message(until)?;
            if message.line == line && message.event != PeerEvent::Opened {
                return Some(message.bytes);
            }
            self.wait_in_line(message);
        }
    }

    /// Goes through what comes over a line until `look` has seen what it looks for, for at most this long.
    pub fn until<T>(
        &mut self,
        line: Line,
        limit: Duration,
        mut look: impl FnMut(&mut Trial, &[u8]) -> Option<T>,
    ) -> Option<T> {
        let until = self.now() + limit;
        while let Some(bytes) = self.next_until(line, until) {
            if let Some(found) = look(self, &bytes) {
                return Some(found);
            }
        }
        None
    }

    /// Everything that comes over a line within that time.
    pub fn all(&mut self, line: Line, limit: Duration) -> Vec<Vec<u8>> {
        let mut all = Vec::new();
        self.until(line, limit, |_, bytes| {
            all.push(bytes.to_vec());
            None::<()>
        });
        all
    }

    /// The next line over which a client comes by itself, and the datagram that it says first.
    pub fn accept(&mut self, channel: Channel, limit: Duration) -> Option<(Line, Vec<u8>)> {
        let wanted = if channel == Channel::Stream { PeerEvent::Opened } else { PeerEvent::Datagram };
        let is_new = |message: &PeerMessage| message.event == wanted;
        if let Some(at) = self.waiting.iter().position(is_new) {
            return self.waiting.remove(at).map(|message| (message.line, message.bytes));
        }
        let until = self.now() + limit;
        loop {
            let message = self.message(until)?;
            if is_new(&message) {
                return Some((message.line, message.bytes));
            }
            self.wait_in_line(message);
        }
    }

    /// Lets time pass. What comes waits.
    pub fn rest(&mut self, time: Duration) {
        let until = self.now() + time;
        while let Some(message) = self.message(until) {
            self.wait_in_line(message);
        }
    }

    /// Forgets what waits on a line.
    pub fn forget(&mut self, line: Line) {
        self.waiting.retain(|message| message.line != line);
    }

    /// Fails if the server says nothing more over a line.
    pub fn expect_more(&mut self, line: Line) -> Result<(), Stop> {
        match self.next(line, self.patience()) {
            Some(_) => Ok(()),
            None => failed("after that the server says nothing any more: it crashed, or ended the session"),
        }
    }

    /// Says nothing over a line for this long: then the server must say nothing more either.
    pub fn ends_after(&mut self, line: Line, silence: Duration, words: &str) -> Outcome {
        self.rest(silence + self.patience());
        self.forget(line);
        match self.next(line, Duration::from_secs(1)) {
            None => PASSED,
            Some(_) => failed(format!("long after {words} the server still sends")),
        }
    }

    /// Bytes that mean nothing.
    pub fn random_bytes(&mut self, size: usize) -> Vec<u8> {
        (0..size).map(|_| self.dice.below(256) as u8).collect()
    }

    /// The first message that comes over a stream. `whole` says how many bytes it has, once they are there.
    pub fn first_message(
        &mut self,
        stream: Line,
        whole: impl Fn(&[u8]) -> Result<Option<usize>, Malformed>,
    ) -> Result<Vec<u8>, Stop> {
        let mut bytes = Vec::new();
        let until = self.now() + self.patience();
        while let Some(piece) = self.next_until(stream, until) {
            let is_end = piece.is_empty();
            bytes.extend(piece);
            match whole(&bytes) {
                Ok(Some(size)) => {
                    bytes.truncate(size);
                    return Ok(bytes);
                }
                Err(why) => return failed(format!("what came over TCP is no message: {why:?}")),
                Ok(None) if is_end => {
                    return failed(format!("TCP was closed after {} bytes, before a message was whole", bytes.len()));
                }
                Ok(None) => {}
            }
        }
        failed("no message came over TCP")
    }

    /// Asks the tester; skips the case if there is none.
    pub fn ask(&mut self, about: About) -> Result<bool, Stop> {
        let question = Question::new(about);
        let answer = self.network.ask(&question);
        answer.ok_or_else(|| Stop::Skipped("somebody has to look at the client: run it with --ask".into()))
    }

    pub fn ends(&self, line: Line) -> Ends {
        self.network.ends(line)
    }

    /// Whether the peer's system says that nobody listens.
    pub fn is_refused(&self) -> bool {
        self.network.is_refused()
    }

    /// Says goodbye over all lines that want one, and returns what was exchanged.
    pub fn end(mut self) -> Vec<Exchanged> {
        for (line, bytes) in std::mem::take(&mut self.farewells) {
            self.send(line, &bytes);
        }
        self.exchanged
    }

    fn message(&mut self, until: Time) -> Option<PeerMessage> {
        let message = self.network.receive(until)?;
        if message.event == PeerEvent::Opened {
            return Some(message);
        }
        self.keep(TrialDirection::FromPeer, message.line, &message.bytes);
        Some(message)
    }

    fn wait_in_line(&mut self, message: PeerMessage) {
        if self.waiting.len() < KEPT_MAX {
            self.waiting.push_back(message);
        }
    }

    fn keep(&mut self, direction: TrialDirection, line: Line, bytes: &[u8]) {
        if self.exchanged.len() < KEPT_MAX {
            let (at, ends) = (self.now(), self.network.ends(line));
            self.exchanged.push(Exchanged { at, direction, line, ends, bytes: bytes.to_vec() });
        }
    }
}

fn blocked(what: &str, error: &io::Error) -> Stop {
    Stop::Blocked(format!("this machine cannot {what}: {error}"))
}
