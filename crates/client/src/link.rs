//! The connection to the server: asks the shell for one, opens a session over it, and when it is lost asks again, a
//! little later each time, and for the same seat.
//!
//! Our own dialect has lobbies, and tells what prediction needs; over any other one those questions have no answer.

use std::time::Duration;

use game::{Frame, Input, Seat};
use protocol::{
    Channel, ClientSession, LobbyRequest, Output, Plan, Status, StreamUse, Tells, Time, Token,
    volley::{self, News, Stats},
};

use crate::Options;

/// The wait before the first, second, … try to connect again; the last is for all later ones.
const WAITS_MS: [u64; 5] = [250, 500, 1_000, 2_000, 4_000];
/// A shell that says neither yes nor no for so long is asked again.
const PATIENCE: Duration = Duration::from_secs(10);

/// The connection to the server.
pub struct Link {
    options: Options,
    state: State,
    /// Tries since the last success.
    tries: usize,
    /// Bytes that came in, ever.
    bytes_in: u64,
    /// What the seat can be had back with.
    token: Option<Token>,
    /// Bad messages, ever.
    malformed: u64,
}

enum State {
    /// Nobody wants one.
    Idle,
    /// To be asked for as soon as possible.
    Wanted,
    /// The shell was asked.
    Asked {
        since: Time,
    },
    Open(Session),
    /// Nobody wants it any more; it may say goodbye.
    Closing(Session),
    /// Lost, or not to be had; asked for again later.
    Lost {
        until: Time,
    },
}

enum Session {
    Own(Box<volley::Client>),
    Foreign(Box<dyn ClientSession>),
}

/// What became of the connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Change {
    /// Nothing.
    None,
    /// It is gone. Another one is asked for in a while.
    Lost,
}

impl Link {
    /// Not connected, and not about to be.
    pub fn new(options: Options) -> Link {
        Link { options, state: State::Idle, tries: 0, bytes_in: 0, token: None, malformed: 0 }
    }

    /// From now on a connection is wanted, until [`Link::close`].
    pub fn open(&mut self) {
        if matches!(self.state, State::Idle | State::Closing(_)) {
            self.state = State::Wanted;
        }
    }

    /// No connection is wanted any more. Returns whether there was one to cut.
    pub fn close(&mut self, now: Time) -> bool {
        self.token = None;
        match std::mem::replace(&mut self.state, State::Idle) {
            State::Open(mut session) => {
                session.any().leave(now);
                self.state = State::Closing(session);
                true
            }
            State::Asked { .. } => true,
            State::Idle | State::Wanted | State::Closing(_) | State::Lost { .. } => false,
        }
    }

    /// The shell has a connection. A seat that was lost with the last one is asked for again.
    pub fn connected(&mut self, now: Time, name: &str) {
        if !matches!(self.state, State::Asked { .. } | State::Wanted | State::Lost { .. }) {
            return;
        }
        self.tries = 0;
        let mut session = self.session(now, name);
        if let (Session::Own(client), Some(token)) = (&mut session, self.token) {
            client.ask(now, LobbyRequest::Rejoin { token });
        }
        self.state = State::Open(session);
    }

    /// The shell has none, or no longer.
    pub fn disconnected(&mut self, now: Time) -> Change {
        let was_open = matches!(self.state, State::Open(_));
        if !matches!(self.state, State::Idle | State::Closing(_)) {
            self.wait(now);
        }
        if was_open { Change::Lost } else { Change::None }
    }

    /// Bytes came.
    pub fn receive(&mut self, now: Time, channel: Channel, bytes: &[u8]) {
        let State::Open(session) = &mut self.state else { return };
        self.bytes_in = self.bytes_in.saturating_add(bytes.len() as u64);
        if session.any().receive(now, channel, bytes).is_err() {
            self.malformed = self.malformed.saturating_add(1);
        }
    }

    /// Lets time pass.
    pub fn advance(&mut self, now: Time) -> Change {
        match &mut self.state {
            State::Open(session) => {
                session.any().advance(now);
                if let Status::Ended(_) = session.any().status() {
                    self.wait(now);
                    return Change::Lost;
                }
            }
            State::Asked { since } if now.since(*since) >= PATIENCE => self.wait(now),
            State::Lost { until } if now >= *until => self.state = State::Wanted,
            State::Idle | State::Wanted | State::Asked { .. } | State::Closing(_) | State::Lost { .. } => {}
        }
        Change::None
    }

    /// Whether the shell is to be asked for a connection now. True once for each try.
    pub fn wants_connection(&mut self, now: Time) -> bool {
        let wants = matches!(self.state, State::Wanted);
        if wants {
            self.state = State::Asked { since: now };
        }
        wants
    }

    /// What the session wants sent.
    pub fn poll(&mut self, now: Time, buffer: &mut Vec<u8>) -> Option<Output> {
        match &mut self.state {
            State::Open(session) => session.any().poll(now, buffer),
            State::Closing(session) => {
                let output = session.any().poll(now, buffer);
                if output.is_none() {
                    self.state = State::Idle;
                }
                output
            }
            State::Idle | State::Wanted | State::Asked { .. } | State::Lost { .. } => None,
        }
    }

    /// Whether lobbies can be asked for: our own dialect only.
    pub fn has_lobbies(&self) -> bool {
        matches!(self.options.dialect.entry().stream, StreamUse::Link(_))
    }

    /// What is learned of the players over this dialect.
    pub fn tells(&self) -> Tells {
        self.options.dialect.entry().tells
    }

    /// Whether there is a session.
    pub fn is_open(&self) -> bool {
        matches!(self.state, State::Open(_))
    }

    /// Whether the connection was lost, or could not be made, and is tried for again.
    pub fn is_lost(&self) -> bool {
        self.tries > 0 && !self.is_open()
    }

    /// Asks the server for something; over a dialect without lobbies it is not heard.
    pub fn ask(&mut self, now: Time, wish: LobbyRequest) {
        if let State::Open(Session::Own(client)) = &mut self.state {
            client.ask(now, wish);
        }
    }

    /// The next thing that the server told.
    pub fn news(&mut self) -> Option<News> {
        let State::Open(Session::Own(client)) = &mut self.state else { return None };
        let news = client.news()?;
        match &news {
            News::Seated { token, .. } => self.token = Some(*token),
            News::LeftLobby | News::Watching { .. } => self.token = None,
            _ => {}
        }
        Some(news)
    }

    /// The seat is not to be asked for again.
    pub fn forget_seat(&mut self) {
        self.token = None;
    }

    /// What the player does in this tick. Returns the sequence under which it was sent, if there is one.
    pub fn press(&mut self, now: Time, input: Input) -> Option<u32> {
        let State::Open(session) = &mut self.state else { return None };
        let sequence = match session {
            Session::Own(client) => client.seat().map(|_| client.next_input()),
            Session::Foreign(_) => None,
        };
        session.any().press(now, input);
        sequence
    }

    /// In place of [`Link::press`] in a tick in which no time passes.
    pub fn rest(&mut self) {
        if let State::Open(Session::Own(client)) = &mut self.state {
            client.rest();
        }
    }

    /// The newest Frame, and what the server had of our inputs in it, if it says so: the last one that it applied, and
    /// how many it had in hand.
    pub fn take_frame(&mut self, frame: &mut Frame) -> Option<Option<(u32, i8)>> {
        let State::Open(session) = &mut self.state else { return None };
        if !session.any().take_frame(frame) {
            return None;
        }
        Some(match session {
            Session::Own(client) => Some((client.input_ack(), client.inputs_waiting())),
            Session::Foreign(_) => None,
        })
    }

    /// The own seat.
    pub fn seat(&self) -> Option<Seat> {
        match &self.state {
            State::Open(Session::Own(client)) => client.seat(),
            State::Open(Session::Foreign(session)) => session.seat(),
            _ => None,
        }
    }

    /// Asks for the game to be started.
    pub fn start(&mut self, now: Time) {
        if let State::Open(session) = &mut self.state {
            session.any().start(now);
        }
    }

    /// What is measured of the connection; over a dialect that does not tell, nothing.
    pub fn stats(&self) -> Option<Stats> {
        match &self.state {
            State::Open(Session::Own(client)) => Some(client.stats()),
            _ => None,
        }
    }

    /// Bytes that came in, ever.
    pub fn bytes_in(&self) -> u64 {
        self.bytes_in
    }

    fn session(&self, now: Time, name: &str) -> Session {
        if self.has_lobbies() {
            return Session::Own(Box::new(volley::Client::lounge(now, name)));
        }
        Session::Foreign(self.options.dialect.connect(Plan {
            now,
            name: name.into(),
            lobby: self.options.lobby.clone(),
            stage: self.options.stage.clone(),
            scale: self.options.scale,
        }))
    }

    fn wait(&mut self, now: Time) {
        let wait = WAITS_MS[self.tries.min(WAITS_MS.len() - 1)];
        self.tries = self.tries.saturating_add(1);
        self.state = State::Lost { until: now + Duration::from_millis(wait) };
    }
}

impl Session {
    fn any(&mut self) -> &mut dyn ClientSession {
        match self {
            Session::Own(client) => client.as_mut(),
            Session::Foreign(session) => session.as_mut(),
        }
    }
}

#[cfg(test)]
mod tests {
    use protocol::Dialect;

    use super::*;

    fn at(ms: u64) -> Time {
        Time::from_micros(1_000_000 + ms * 1000)
    }

    #[test]
    fn it_asks_once_and_after_a_failure_again_later_and_later() {
        let mut link = Link::new(Options::new(Dialect::Volley));
        assert!(!link.wants_connection(at(0)));
        link.open();
        assert!(link.wants_connection(at(0)) && !link.wants_connection(at(0)));
        let mut tries = Vec::new();
        let mut now = 0;
        link.disconnected(at(now));
        while tries.len() < 6 {
            now += 50;
            link.advance(at(now));
            if link.wants_connection(at(now)) {
                tries.push(now);
                link.disconnected(at(now));
            }
        }
        let waits: Vec<u64> = tries.windows(2).map(|pair| pair[1] - pair[0]).collect();
        assert_eq!(waits, [500, 1_000, 2_000, 4_000, 4_000]);
        assert!(link.is_lost());
    }

    #[test]
    fn a_connection_that_nobody_wants_any_more_is_not_taken() {
        let mut link = Link::new(Options::new(Dialect::Volley));
        link.open();
        link.wants_connection(at(0));
        assert!(link.close(at(1)));
        link.connected(at(2), "Ann");
        assert!(!link.is_open());
    }
}
