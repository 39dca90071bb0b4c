//! The connection to the server. It asks the shell for one, opens a session over it, and when the network loses it asks again,
//! each time a little later, and for the same seat. A connection that the server ended stays ended.
//!
//! Only our own dialect lists lobbies, and confirms inputs as prediction needs it.

use std::time::Duration;

use game::{Frame, Input, Seat};
use protocol::{
    Channel, ClientSession, End, LobbyId, LobbyPlace, LobbyRequest, Output, Plan, ServerFault, Status, StreamUse,
    Tells, Time, Token,
    volley::{self, News, Stats},
};

use crate::{Options, settings::Settings};

/// The wait before the first, second, … attempt to reconnect; the last one is for all later attempts.
const WAITS_MS: [u64; 5] = [250, 500, 1_000, 2_000, 4_000];
/// How long a shell may take to answer before it is asked again.
const PATIENCE: Duration = Duration::from_secs(10);
/// How long a node keeps the seat of a lost connection.
const SEAT_KEPT: Duration = Duration::from_secs(60);
/// A server without lobbies says something at least once a second while a game is on. After this long without a word the player is
/// told; the session is given up when its dialect says so, in `snapshot` after half a minute.
const SILENCE_SHOWN: Duration = Duration::from_secs(3);
/// How long a server that said that it ends may take to come back.
const RESTARTS_WITHIN: Duration = Duration::from_secs(60);

/// The connection to the server.
pub struct Connection {
    options: Options,
    state: State,
    /// Attempts since the server was last heard.
    attempts: usize,
    /// When the server was last heard, if ever.
    heard: Option<Time>,
    /// Bytes received, in total.
    bytes_in: u64,
    /// Proves that a kept seat is the player's.
    token: Option<Token>,
    /// When the server said that it ends, unless it was heard since.
    restarting: Option<Time>,
    /// Malformed messages received, in total.
    malformed: u64,
    /// The lobby to ask for, in a dialect that asks for one when it connects.
    destination: Destination,
    /// What is wrong with the server, as the last session that heard of it found.
    fault: Option<ServerFault>,
}

/// What a player can do about lobbies, in a dialect.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum LobbyAccess {
    /// Nothing: the node chooses the lobby.
    Assigned,
    /// Create one, or join one by its code.
    ByCode,
    /// Also see which ones there are, choose rules, talk, and watch.
    Listed,
}

/// The lobby that a player wants to be in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Destination {
    /// The code of a lobby; none asks for a new one.
    pub lobby: Option<LobbyId>,
    /// The stage of a new lobby.
    pub stage: String,
    /// Whether a game that waits is started at once, or when the player wants it.
    pub starts_at_once: bool,
}

enum State {
    /// No connection is wanted.
    Idle,
    /// The shell is to be asked.
    Wanted,
    /// The shell was asked.
    Asked {
        since: Time,
    },
    Open(Session),
    /// No longer wanted; the session lives on until its goodbye is answered.
    Closing {
        session: Session,
        /// Whether another connection is wanted then.
        reopens: bool,
    },
    /// Lost, or not reached; the shell is asked again later.
    Lost {
        until: Time,
    },
    /// The server ended it: there is no point in asking again. The session may still have something to send.
    Ended {
        why: End,
        session: Option<Session>,
    },
}

enum Session {
    Own(Box<volley::Client>),
    Foreign(Box<dyn ClientSession>),
}

/// What happened to the connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Change {
    /// No change.
    None,
    /// The network lost it. The shell is asked for another one in a while.
    Lost,
    /// The server ended it.
    Ended(End),
}

impl Connection {
    /// Not connected, and no connection wanted.
    pub fn new(options: Options) -> Connection {
        let destination = Destination { lobby: None, stage: options.stage.clone(), starts_at_once: true };
        Connection {
            options,
            state: State::Idle,
            attempts: 0,
            heard: None,
            bytes_in: 0,
            token: None,
            restarting: None,
            malformed: 0,
            destination,
            fault: None,
        }
    }

    /// From now on a connection to this lobby is wanted, in a dialect that asks for a lobby when it connects.
    pub fn open_at(&mut self, destination: Destination) {
        (self.heard, self.fault) = (None, None);
        self.destination = destination;
        self.open();
    }

    /// From now on a connection is wanted, until [`Connection::close`].
    pub fn open(&mut self) {
        match &mut self.state {
            State::Idle | State::Ended { .. } => self.state = State::Wanted,
            State::Closing { reopens, .. } => *reopens = true,
            State::Wanted | State::Asked { .. } | State::Open(_) | State::Lost { .. } => {}
        }
    }

    /// No connection is wanted any more. Returns whether there was one to cut.
    pub fn close(&mut self, now: Time) -> bool {
        (self.token, self.fault) = (None, None);
        self.attempts = 0;
        match std::mem::replace(&mut self.state, State::Idle) {
            State::Open(mut session) => {
                session.any().leave(now);
                self.state = State::Closing { session, reopens: false };
                true
            }
            State::Closing { session, .. } => {
                self.state = State::Closing { session, reopens: false };
                false
            }
            State::Asked { .. } => true,
            State::Idle | State::Wanted | State::Lost { .. } | State::Ended { .. } => false,
        }
    }

    /// The shell has connected. If the last connection was lost with a seat, that seat is asked for.
    pub fn connected(&mut self, now: Time, settings: &Settings) {
        if !matches!(self.state, State::Asked { .. } | State::Wanted | State::Lost { .. }) {
            return;
        }
        let mut session = self.session(now, settings);
        if let (Session::Own(client), Some(token)) = (&mut session, self.token) {
            client.ask(now, LobbyRequest::Rejoin { token });
        }
        self.state = State::Open(session);
    }

    /// The shell could not connect, or the connection broke.
    pub fn disconnected(&mut self, now: Time) -> Change {
        match self.state {
            State::Idle | State::Ended { .. } => Change::None,
            State::Closing { reopens, .. } => {
                self.state = if reopens { State::Wanted } else { State::Idle };
                Change::None
            }
            // The server's last word may come right before the transport closes, with no advance between them.
            State::Open(ref mut session) => match session.any().status() {
                Status::Ended(why) => self.on_end(now, why),
                Status::Opening | Status::Playing | Status::Leaving => self.on_end(now, End::Unreachable),
            },
            State::Wanted | State::Asked { .. } | State::Lost { .. } => {
                self.wait(now);
                Change::None
            }
        }
    }

    /// Bytes came from the server.
    pub fn receive(&mut self, now: Time, channel: Channel, bytes: &[u8]) {
        let (State::Open(session) | State::Closing { session, .. }) = &mut self.state else { return };
        self.bytes_in = self.bytes_in.saturating_add(bytes.len() as u64);
        match session.any().receive(now, channel, bytes) {
            // No bytes: the other end closed the stream.
            Ok(()) if !bytes.is_empty() => (self.attempts, self.heard, self.restarting) = (0, Some(now), None),
            Ok(()) => {}
            Err(_) => self.malformed = self.malformed.saturating_add(1),
        }
        if session.any().fault() != self.fault.as_ref() {
            self.fault = session.any().fault().cloned();
        }
    }

    /// Lets time pass.
    pub fn advance(&mut self, now: Time) -> Change {
        match &mut self.state {
            State::Open(session) => {
                session.any().advance(now);
                if let Status::Ended(why) = session.any().status() {
                    return self.on_end(now, why);
                }
            }
            State::Closing { session, .. } => session.any().advance(now),
            State::Asked { since } if now.since(*since) >= PATIENCE => self.wait(now),
            State::Lost { until } if now >= *until => self.state = State::Wanted,
            State::Idle | State::Wanted | State::Asked { .. } | State::Lost { .. } | State::Ended { .. } => {}
        }
        Change::None
    }

    fn on_end(&mut self, now: Time, why: End) -> Change {
        match why {
            End::TimedOut | End::Unreachable => {
                self.wait(now);
                Change::Lost
            }
            // The node may go on with the game when it is back, and then it keeps the seat.
            End::Restarting => {
                self.restarting = Some(now);
                self.wait(now);
                Change::Lost
            }
            End::Left
            | End::Refused
            | End::Full
            | End::VersionDiffers
            | End::Dropped
            | End::LobbyClosed
            | End::NoLobby
            | End::LobbyFull
            | End::NoStage
            | End::Closed => {
                self.token = None;
                self.attempts = 0;
                let session = match std::mem::replace(&mut self.state, State::Idle) {
                    State::Open(session) => Some(session),
                    _ => None,
                };
                self.state = State::Ended { why, session };
                Change::Ended(why)
            }
        }
    }

    /// Whether to ask the shell for a connection now. True once for each attempt.
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
            State::Closing { session, reopens } => {
                let output = session.any().poll(now, buffer);
                if output.is_none() && session.any().status() != Status::Leaving {
                    self.state = if *reopens { State::Wanted } else { State::Idle };
                }
                output
            }
            State::Ended { session, .. } => {
                let output = session.as_mut().and_then(|session| session.any().poll(now, buffer));
                if output.is_none() {
                    *session = None;
                }
                output
            }
            State::Idle | State::Wanted | State::Asked { .. } | State::Lost { .. } => None,
        }
    }

    /// Whether a goodbye is still being said: the connection must not be cut yet.
    pub fn is_closing(&self) -> bool {
        matches!(self.state, State::Closing { .. })
    }

    /// Whether the dialect lists lobbies: then a connection is in none of them until the player chooses one.
    pub fn has_lobbies(&self) -> bool {
        self.lobby_access() == LobbyAccess::Listed
    }

    /// What the player can do about lobbies.
    pub fn lobby_access(&self) -> LobbyAccess {
        match self.options.dialect.entry().stream {
            StreamUse::None | StreamUse::OpensSession => LobbyAccess::Assigned,
            StreamUse::Desk(_) => LobbyAccess::ByCode,
            StreamUse::Link(_) => LobbyAccess::Listed,
        }
    }

    /// Whether the dialect's client keeps what comes in a queue for a while.
    pub fn queues_changes(&self) -> bool {
        self.options.dialect.entry().queues_changes
    }

    /// The lobby that a dialect without a list has led to, once its code is known.
    pub fn lobby(&self) -> Option<LobbyPlace<'_>> {
        match &self.state {
            State::Open(Session::Foreign(session)) => session.lobby(),
            _ => None,
        }
    }

    /// What is wrong with the server, if the player should know.
    pub fn fault(&self) -> Option<&ServerFault> {
        self.fault.as_ref()
    }

    /// The address of the page that leads to the same server.
    pub fn page(&self) -> Option<&str> {
        self.options.page.as_deref()
    }

    /// Whether the server is the player's own.
    pub fn is_solo(&self) -> bool {
        self.options.solo
    }

    /// What this dialect reports about players.
    pub fn tells(&self) -> Tells {
        self.options.dialect.entry().tells
    }

    /// Whether there is a session.
    pub fn is_open(&self) -> bool {
        matches!(self.state, State::Open(_))
    }

    /// Whether the connection was lost, or could not be made, and the server was not heard since.
    pub fn is_lost(&self) -> bool {
        self.attempts > 0
    }

    /// Whether a session is open whose server has said nothing for longer than it ever does.
    pub fn is_silent(&self, now: Time) -> bool {
        let is_quiet = self.heard.is_some_and(|heard| now.since(heard) >= SILENCE_SHOWN);
        is_quiet && self.is_open() && !self.has_lobbies()
    }

    /// Whether the server said a moment ago that it ends, and was not heard since.
    pub fn is_restarting(&self, now: Time) -> bool {
        self.is_lost() && self.restarting.is_some_and(|since| now.since(since) < RESTARTS_WITHIN)
    }

    /// Whether the player had a seat that can be asked for again.
    pub fn token(&self) -> Option<Token> {
        self.token
    }

    /// Whether the server has ever been heard.
    pub fn was_ever_heard(&self) -> bool {
        self.heard.is_some()
    }

    /// Whether the server still keeps the player's seat, as far as is known.
    pub fn has_kept_seat(&self, now: Time) -> bool {
        let is_recent = self.heard.is_some_and(|heard| now.since(heard) < SEAT_KEPT);
        self.token.is_some() && is_recent
    }

    /// Why the server ended the connection, until another one is wanted.
    pub fn end(&self) -> Option<End> {
        match self.state {
            State::Ended { why, .. } => Some(why),
            _ => None,
        }
    }

    /// Asks the server for something; a dialect without lobbies ignores it.
    pub fn ask(&mut self, now: Time, request: LobbyRequest) {
        if let State::Open(Session::Own(client)) = &mut self.state {
            client.ask(now, request);
        }
    }

    /// The next lobby notice of the server.
    pub fn news(&mut self) -> Option<News> {
        let State::Open(Session::Own(client)) = &mut self.state else { return None };
        let notice = client.news()?;
        match &notice {
            News::Seated { token, .. } => self.token = Some(*token),
            News::LeftLobby | News::Watching { .. } => self.token = None,
            News::Lobbies(_)
            | News::Refused(_)
            | News::Lobby(_)
            | News::Said { .. }
            | News::Stage { .. }
            | News::Pace(_)
            | News::Tally(_)
            | News::Emote { .. } => {}
        }
        Some(notice)
    }

    /// Do not ask for the seat again after a lost connection.
    pub fn forget_seat(&mut self) {
        self.token = None;
    }

    /// Sends what the player does in this tick. Returns its sequence number, if the dialect has one.
    pub fn press(&mut self, now: Time, input: Input) -> Option<u32> {
        let State::Open(session) = &mut self.state else { return None };
        let sequence = match session {
            Session::Own(client) => client.seat().map(|_| client.next_input()),
            Session::Foreign(_) => None,
        };
        session.any().press(now, input);
        sequence
    }

    /// Call it instead of [`Connection::press`] in a tick of a paused game.
    pub fn rest(&mut self) {
        if let State::Open(Session::Own(client)) = &mut self.state {
            client.rest();
        }
    }

    /// The newest Frame and, if the dialect reports it, the sequence of the last input that is in it and how many more inputs
    /// the server had waiting.
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

    /// The player's seat.
    pub fn seat(&self) -> Option<Seat> {
        match &self.state {
            State::Open(Session::Own(client)) => client.seat(),
            State::Open(Session::Foreign(session)) => session.seat(),
            State::Idle
            | State::Wanted
            | State::Asked { .. }
            | State::Closing { .. }
            | State::Lost { .. }
            | State::Ended { .. } => None,
        }
    }

    /// Asks the server to start the game.
    pub fn start(&mut self, now: Time) {
        if let State::Open(session) = &mut self.state {
            session.any().start(now);
        }
    }

    /// What was measured of the connection; only our own dialect measures.
    pub fn stats(&self) -> Option<Stats> {
        match &self.state {
            State::Open(Session::Own(client)) => Some(client.stats()),
            _ => None,
        }
    }

    /// Bytes received, in total.
    pub fn bytes_in(&self) -> u64 {
        self.bytes_in
    }

    fn session(&self, now: Time, settings: &Settings) -> Session {
        let name = &settings.name;
        if self.has_lobbies() {
            return Session::Own(Box::new(volley::Client::without_lobby(now, name)));
        }
        let Destination { lobby, stage, starts_at_once } = self.destination.clone();
        Session::Foreign(self.options.dialect.connect(Plan {
            name: name.clone(),
            lobby: lobby.map(|code| code.to_string()),
            stage,
            scale: self.options.scale,
            starts_at_once,
            queue: Some(Duration::from_millis(settings.queue_ms.into())),
            ..Plan::at(now)
        }))
    }

    /// The same lobby is asked for again, also one that was made for the player.
    fn wait(&mut self, now: Time) {
        self.destination.lobby = self.lobby().map(|place| place.code).or(self.destination.lobby);
        let wait = WAITS_MS[self.attempts.min(WAITS_MS.len() - 1)];
        self.attempts = self.attempts.saturating_add(1);
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
    fn after_each_failure_it_waits_longer_before_it_asks_again() {
        let mut connection = Connection::new(Options::new(Dialect::Volley));
        assert!(!connection.wants_connection(at(0)));
        connection.open();
        assert!(connection.wants_connection(at(0)) && !connection.wants_connection(at(0)));
        let mut attempts = Vec::new();
        let mut now = 0;
        connection.disconnected(at(now));
        while attempts.len() < 6 {
            now += 50;
            connection.advance(at(now));
            if connection.wants_connection(at(now)) {
                attempts.push(now);
                connection.disconnected(at(now));
            }
        }
        let waits: Vec<u64> = attempts.windows(2).map(|pair| pair[1] - pair[0]).collect();
        assert_eq!(waits, [500, 1_000, 2_000, 4_000, 4_000]);
        assert!(connection.is_lost());
    }

    #[test]
    fn a_connection_that_comes_after_it_was_closed_is_not_used() {
        let mut connection = Connection::new(Options::new(Dialect::Volley));
        connection.open();
        connection.wants_connection(at(0));
        assert!(connection.close(at(1)));
        connection.connected(at(2), &Settings::default());
        assert!(!connection.is_open());
    }

    /// A connection to a server that never answers, after some attempts to open it.
    fn unanswered(dialect: Dialect, attempts: usize) -> Vec<u64> {
        let mut connection = Connection::new(Options::new(dialect));
        connection.open();
        let (mut asked, mut lost, mut waits) = (Vec::new(), 0, Vec::new());
        for now in (0..400_000).step_by(50) {
            if connection.advance(at(now)) == Change::Lost {
                lost = now;
            }
            while connection.poll(at(now), &mut Vec::new()).is_some() {}
            if connection.wants_connection(at(now)) {
                waits.extend((lost > 0).then_some(now - lost));
                asked.push(now);
                // A socket is there at once, whether or not anybody answers.
                connection.connected(at(now), &Settings::default());
            }
            if asked.len() > attempts {
                break;
            }
        }
        waits
    }

    #[test]
    fn the_wait_grows_although_sockets_can_always_be_opened() {
        for dialect in Dialect::ALL {
            let name = dialect.name();
            assert_eq!(unanswered(dialect, 6), [250, 500, 1_000, 2_000, 4_000, 4_000], "{name}");
        }
    }
}
