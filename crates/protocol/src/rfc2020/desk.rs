//! The TCP side: a connection that asks for lobbies (ASK_JOIN) or makes them (CREATE), until it has one.
//!
//! Messages may come several in a segment or cut anywhere. What is malformed closes the connection (R4), once what came
//! before it is answered, so that it does not matter how the stream was cut.

use std::{collections::VecDeque, time::Duration};

use super::wire::{self, FromServer, HEADER_SIZE, MapName, Message, Method, TCP_BODY_MAX, whole_message};
use crate::{Desk, DeskAnswer, DeskQuestion, LobbyId, Malformed, Output, Time};

/// How long a connection may go without a question, from its beginning and after each answer (R5).
const PATIENCE: Duration = Duration::from_secs(30);
/// Questions that wait for their answer. A client has no reason to ask for more than one at a time.
const QUESTIONS_MAX: usize = 16;

/// Opens the desk of a new connection.
pub(super) fn open(now: Time) -> Box<dyn Desk> {
    Box::new(DeskConnection {
        state: State::Open { since: now },
        partial: Vec::new(),
        questions: VecDeque::new(),
        asked: None,
        answers: VecDeque::new(),
    })
}

struct DeskConnection {
    state: State,
    /// The beginning of a message of which the rest has not come: less than a header and 1,024 bytes.
    partial: Vec<u8>,
    questions: VecDeque<Asking>,
    /// The question that was given out.
    asked: Option<(u64, Asked)>,
    /// Encoded answers on their way out.
    answers: VecDeque<Vec<u8>>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum State {
    Open {
        since: Time,
    },
    /// Nothing more is read; it is closed once what was asked before is answered.
    Broken,
    /// It is closed once the answers have left.
    Closing,
    Closed,
}

#[derive(Clone, Copy)]
enum Asked {
    Find,
    Create,
}

/// A question that came.
struct Asking {
    timestamp: u64,
    asked: Asked,
    /// None: it names what cannot be.
    question: Option<DeskQuestion>,
}

impl Desk for DeskConnection {
    fn receive(&mut self, _now: Time, bytes: &[u8]) -> Result<(), Malformed> {
        let State::Open { .. } = self.state else { return Ok(()) };
        let result = self.take_in(bytes);
        if result.is_err() {
            self.state = State::Broken;
            self.partial = Vec::new();
        }
        result
    }

    fn advance(&mut self, now: Time) {
        let is_idle = self.questions.is_empty() && self.asked.is_none();
        match self.state {
            State::Open { since } if is_idle && now.since(since) >= PATIENCE => self.state = State::Closing,
            State::Open { .. } | State::Closing | State::Closed => {}
            State::Broken if is_idle => self.state = State::Closing,
            State::Broken => {}
        }
    }

    fn deadline(&self) -> Option<Time> {
        match self.state {
            State::Open { since } => Some(since + PATIENCE),
            State::Broken | State::Closing | State::Closed => None,
        }
    }

    fn question(&mut self) -> Option<DeskQuestion> {
        let may_ask = matches!(self.state, State::Open { .. } | State::Broken) && self.asked.is_none();
        let Asking { timestamp, asked, question } = if may_ask { self.questions.pop_front()? } else { return None };
        self.asked = Some((timestamp, asked));
        Some(question.unwrap_or(DeskQuestion::Impossible))
    }

    fn answer(&mut self, now: Time, answer: DeskAnswer) {
        let Some((creation_timestamp, asked)) = self.asked.take() else { return };
        let (lobby_port, lobby_id) = match answer {
            DeskAnswer::Lobby { port, id } => (port, Some(id)),
            DeskAnswer::Nothing => (0, None),
        };
        let body = match asked {
            Asked::Find => FromServer::AskJoin { lobby_port },
            Asked::Create => FromServer::Create { lobby_port, lobby_id },
        };
        let mut bytes = Vec::new();
        Message { creation_timestamp, body }.write(&mut bytes);
        self.answers.push_back(bytes);
        match (self.state, answer) {
            (State::Open { .. } | State::Broken, DeskAnswer::Lobby { .. }) => self.state = State::Closing,
            (State::Open { .. }, DeskAnswer::Nothing) => self.state = State::Open { since: now },
            (State::Broken, DeskAnswer::Nothing) | (State::Closing | State::Closed, _) => {}
        }
    }

    fn poll(&mut self, buffer: &mut Vec<u8>) -> Option<Output> {
        buffer.clear();
        if let Some(answer) = self.answers.pop_front() {
            buffer.extend_from_slice(&answer);
            return Some(Output::Stream);
        }
        if self.state == State::Closing {
            self.state = State::Closed;
            return Some(Output::CloseStream);
        }
        None
    }
}

impl DeskConnection {
    /// Cuts the stream into questions.
    fn take_in(&mut self, mut bytes: &[u8]) -> Result<(), Malformed> {
        const MESSAGE_MAX: usize = HEADER_SIZE + TCP_BODY_MAX as usize;
        loop {
            // Never more than one message is held, however much comes at once.
            let (taken, rest) = bytes.split_at(bytes.len().min(MESSAGE_MAX - self.partial.len()));
            self.partial.extend_from_slice(taken);
            bytes = rest;
            while let Some(size) = whole_message(&self.partial)? {
                let question = read_question(&self.partial[..size])?;
                if self.questions.len() >= QUESTIONS_MAX {
                    return Err(Malformed::WrongSize);
                }
                self.questions.push_back(question);
                self.partial.drain(..size);
            }
            if bytes.is_empty() {
                return Ok(());
            }
        }
    }
}

/// R5: a name that no lobby or map can have is that of an unknown one, and so answered; only what cannot be understood
/// as a question is malformed.
fn read_question(bytes: &[u8]) -> Result<Asking, Malformed> {
    let (method, timestamp, body) = wire::bare_request(bytes)?;
    let (asked, question) = match method {
        Method::AskJoin => {
            let name: [u8; 6] = body.try_into().map_err(|_| Malformed::WrongSize)?;
            let id = std::str::from_utf8(&name).ok().and_then(|name| LobbyId::new(name).ok());
            (Asked::Find, id.map(DeskQuestion::Find))
        }
        Method::Create => {
            // Programs in C may count the NUL behind a string as part of it.
            let end = body.iter().rposition(|&byte| byte != 0).map_or(0, |last| last + 1);
            let name = std::str::from_utf8(&body[..end]).ok().and_then(|name| MapName::new(name).ok());
            (Asked::Create, name.map(|name| DeskQuestion::Create { stage: name.as_str().into() }))
        }
        _ => return Err(Malformed::UnknownType),
    };
    Ok(Asking { timestamp, asked, question })
}
