//! [`Client`]: all that a shell sees. A shell passes in what happened and when, shows the picture, plays the cues, and
//! carries out what [`Client::poll`] asks for.
//!
//! Methods come in three kinds: what happened (`key`, `pad`, `touch`, `text`, `blur`, `connected`, `disconnected`,
//! `receive`, `scores`), time passing (`advance`), and what comes out (`poll`, `draw`, `sounds`).

use std::collections::VecDeque;

use protocol::{Channel, ClientSession, Output, Plan, Time};

use crate::{Key, Options, Pad, Score, Touch};

/// What [`Client::poll`] wants done with the buffer that it filled.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Action {
    /// Send it to the server as one datagram.
    Datagram,
    /// Send it down the stream.
    Stream,
    /// Close the stream, once what was sent before has left.
    CloseStream,
    /// From now on, send datagrams to this port of the server.
    DatagramsTo(u16),
    /// Connect to the server, and say [`Client::connected`] or [`Client::disconnected`].
    Connect,
    /// Cut the connection, once what was sent before has left. No answer is awaited.
    Disconnect,
    /// The player wants to share the lobby: its code is in the buffer.
    Share,
    /// Go to full screen, or back.
    FullScreen,
    /// Store the text in the buffer and start the next client with it, as [`Options::settings`].
    Keep,
    /// Fetch the table of high scores, and hand it in with [`Client::scores`].
    Scores,
}

/// The game client.
///
/// Nothing that is passed in makes it panic: not any bytes, not keys in any order, not a clock that goes back.
pub struct Client {
    options: Options,
    /// The latest moment that was passed in.
    now: Time,
    session: Option<Box<dyn ClientSession>>,
    asked: VecDeque<(Action, Vec<u8>)>,
}

impl Client {
    /// A client that has just been started.
    pub fn new(now: Time, options: Options) -> Client {
        let asked = VecDeque::from([(Action::Connect, Vec::new())]);
        Client { options, now, session: None, asked }
    }

    /// A key went down or up. Repeats of a key that is held are ignored.
    pub fn key(&mut self, now: Time, _key: Key, _down: bool) {
        self.pass(now);
    }

    /// A character was typed, for names and chat. Comes after its [`Client::key`].
    pub fn text(&mut self, now: Time, _character: char) {
        self.pass(now);
    }

    /// The gamepad as it stands now; several are merged by the shell.
    pub fn pad(&mut self, now: Time, _pad: Pad) {
        self.pass(now);
    }

    /// A finger did something.
    pub fn touch(&mut self, now: Time, _touch: Touch) {
        self.pass(now);
    }

    /// The window lost the keyboard: every key, button and finger is up, whatever was heard last.
    pub fn blur(&mut self, now: Time) {
        self.pass(now);
    }

    /// There is a connection, as [`Action::Connect`] asked.
    pub fn connected(&mut self, now: Time) {
        self.pass(now);
        self.session = Some(self.options.dialect.connect(Plan {
            now: self.now,
            name: self.options.name.clone().unwrap_or_default(),
            lobby: self.options.lobby.clone(),
            stage: self.options.stage.clone(),
            scale: self.options.scale,
        }));
    }

    /// There is no connection, or no longer.
    pub fn disconnected(&mut self, now: Time) {
        self.pass(now);
        self.session = None;
    }

    /// Bytes came from the server.
    pub fn receive(&mut self, now: Time, channel: Channel, bytes: &[u8]) {
        self.pass(now);
        if let Some(session) = &mut self.session {
            // A peer's bad bytes are dropped, as everywhere.
            let _ = session.receive(self.now, channel, bytes);
        }
    }

    /// The table of high scores, best first, as [`Action::Scores`] asked.
    pub fn scores(&mut self, now: Time, _scores: Vec<Score>) {
        self.pass(now);
    }

    /// Lets time pass. To be called before each drawing; however long it was not called, it does not take long.
    pub fn advance(&mut self, now: Time) {
        self.pass(now);
        if let Some(session) = &mut self.session {
            session.advance(self.now);
        }
    }

    /// Takes out the next thing that the shell is asked to do. `buffer` is emptied, then filled with its bytes.
    pub fn poll(&mut self, now: Time, buffer: &mut Vec<u8>) -> Option<Action> {
        self.pass(now);
        buffer.clear();
        if let Some((action, bytes)) = self.asked.pop_front() {
            buffer.extend_from_slice(&bytes);
            return Some(action);
        }
        let output = self.session.as_mut()?.poll(self.now, buffer)?;
        Some(match output {
            Output::Datagram => Action::Datagram,
            Output::Stream => Action::Stream,
            Output::CloseStream => Action::CloseStream,
            Output::DatagramsTo(port) => Action::DatagramsTo(port),
        })
    }

    /// Time never goes back, whatever the shell's clock does.
    fn pass(&mut self, now: Time) {
        self.now = self.now.max(now);
    }
}
