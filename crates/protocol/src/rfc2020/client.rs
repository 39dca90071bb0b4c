//! The client's half of a session: asks for a lobby over TCP, joins it over UDP, plays, leaves.
//!
//! What the server says becomes a Frame in `world`, what the player does becomes requests in `keys`. A lobby that waits is
//! started when the player wants it or, if the plan says so, as soon as it is joined.

use std::{collections::VecDeque, time::Duration};

use game::{Frame, GameState, Input, Seat, Stage};

use super::{
    keys::{ClientKeys, KeyRequest},
    reliability::{PendingRequests, RequestName, SILENCE_MAX, Stamps},
    wire::{
        FromClient, FromServer, HEADER_SIZE, MapName, Message, Method, State as WireState, TCP_BODY_MAX, whole_message,
    },
    world_reader::WorldReader,
};
use crate::{Channel, ClientSession, End, LobbyId, LobbyPlace, Malformed, Output, Plan, Status, Time};

/// How long the answer over TCP may take.
const ASK_MAX: Duration = Duration::from_secs(5);
/// How long JOIN is repeated to a silent server. Longer than a session survives silence: there is nothing to lose yet.
const JOIN_MAX: Duration = Duration::from_secs(10);
/// How long LEAVE is repeated without an answer.
const LEAVE_MAX: Duration = Duration::from_secs(2);
/// How often a waiting lobby is asked to start, at most.
const START_EVERY: Duration = Duration::from_secs(1);
/// SHOOTs and DROPs that are not confirmed. What is pressed beyond that would come too late to be wanted.
const PRESSES_MAX: usize = 8;
/// Of the MOVEs in one direction the last on and off are repeated.
const MOVES_MAX: usize = 2;
/// A server that leaves more requests unconfirmed is as good as silent.
const UNCONFIRMED_MAX: usize = 256;
/// Confirmations between two polls. A server that is not confirmed asks again.
const CONFIRMATIONS_MAX: usize = 4096;

/// Opens the client's half. A lobby or stage whose name cannot be said does not exist.
pub(super) fn connect(plan: Plan) -> Box<dyn ClientSession> {
    let mut session = Session {
        state: State::Asking { since: plan.now, answer: Vec::new() },
        without_port: without_port(&plan),
        starts_at_once: plan.starts_at_once,
        code: None,
        map_name: String::new(),
        rejoin: None,
        question: Vec::new(),
        commands: VecDeque::new(),
        stamps: Stamps::default(),
        pending: PendingRequests::default(),
        confirmations: VecDeque::new(),
        world: WorldReader::new(plan.scale),
        keys: ClientKeys::default(),
        started: None,
    };
    if session.ask(&plan).is_err() {
        session.state = State::Ended(if plan.lobby.is_some() { End::NoLobby } else { End::NoStage });
    }
    Box::new(session)
}

/// What LOBBY_PORT 0 means (R5). An unknown map and a full node are answered alike: of a map that every node of ours has, it is
/// the latter.
fn without_port(plan: &Plan) -> End {
    match plan.lobby {
        Some(_) => End::NoLobby,
        None if Stage::built_in(&plan.stage).is_some() => End::Full,
        None => End::NoStage,
    }
}

struct Session {
    state: State,
    /// What it means if there is no port for us.
    without_port: End,
    /// Whether a game that waits is started without being asked.
    starts_at_once: bool,
    /// The lobby that was asked for, or made.
    code: Option<LobbyId>,
    /// The map of now, as JOIN's last answer named it.
    map_name: String,
    /// The JOIN that asks for the map of now, and since when (R14).
    rejoin: Option<(u64, Time)>,
    /// What is to be sent over TCP.
    question: Vec<u8>,
    /// Outputs without bytes.
    commands: VecDeque<Output>,
    stamps: Stamps,
    pending: PendingRequests,
    confirmations: VecDeque<(Method, u64)>,
    world: WorldReader,
    keys: ClientKeys,
    /// When the game was last asked to start.
    started: Option<Time>,
}

enum State {
    Asking {
        since: Time,
        /// What came of the answer: at most one message.
        answer: Vec<u8>,
    },
    Joining {
        /// When JOIN was first sent, or the server's last sign of life: what is sent after the answer may overtake it.
        world: Time,
        join: u64,
    },
    Playing {
        seat: Seat,
        /// The server's last sign of life.
        world: Time,
    },
    Leaving {
        seat: Seat,
        since: Time,
    },
    Ended(End),
}

impl ClientSession for Session {
    fn receive(&mut self, now: Time, channel: Channel, bytes: &[u8]) -> Result<(), Malformed> {
        match (channel, &mut self.state) {
            (Channel::Stream, State::Asking { .. }) => self.receive_answer(now, bytes),
            (Channel::Stream, _) | (Channel::Datagram, State::Asking { .. } | State::Ended(_)) => Ok(()),
            (Channel::Datagram, State::Joining { .. } | State::Playing { .. } | State::Leaving { .. }) => {
                self.receive_datagram(now, bytes)
            }
        }
    }

    fn advance(&mut self, now: Time) {
        self.pending.advance();
        self.world.advance(now);
        // A server that does not answer a JOIN of somebody who is seated is asked no more.
        if self.rejoin.take_if(|(_, since)| now.since(*since) >= JOIN_MAX).is_some() {
            self.pending.cancel(Method::Join, 0);
        }
        let end = match &self.state {
            State::Asking { since, .. } => (now.since(*since) >= ASK_MAX).then_some(End::TimedOut),
            State::Joining { world, .. } => (now.since(*world) >= JOIN_MAX).then_some(End::TimedOut),
            State::Playing { world, .. } => {
                let is_silent = now.since(*world) >= SILENCE_MAX || self.pending.len() > UNCONFIRMED_MAX;
                is_silent.then_some(End::TimedOut)
            }
            State::Leaving { since, .. } => (now.since(*since) >= LEAVE_MAX).then_some(End::Left),
            State::Ended(_) => None,
        };
        if let Some(why) = end {
            self.end(why);
        }
    }

    fn press(&mut self, now: Time, input: Input) {
        let State::Playing { seat, .. } = self.state else { return };
        let entity_id = seat.number().into();
        let mut keys = self.keys;
        keys.press(now, input, &mut |press| self.press(now, entity_id, press));
        self.keys = keys;
    }

    fn poll(&mut self, now: Time, buffer: &mut Vec<u8>) -> Option<Output> {
        buffer.clear();
        if !self.question.is_empty() {
            buffer.append(&mut self.question);
            return Some(Output::Stream);
        }
        if let Some(command) = self.commands.pop_front() {
            return Some(command);
        }
        if let Some((method, creation_timestamp)) = self.confirmations.pop_front() {
            Message { creation_timestamp, body: FromClient::Confirm(method) }.write(buffer);
            return Some(Output::Datagram);
        }
        self.pending.poll(now, buffer).then_some(Output::Datagram)
    }

    fn take_frame(&mut self, frame: &mut Frame) -> bool {
        let own = self.seat();
        self.world.take(own, frame)
    }

    fn seat(&self) -> Option<Seat> {
        match self.state {
            State::Playing { seat, .. } | State::Leaving { seat, .. } => Some(seat),
            State::Asking { .. } | State::Joining { .. } | State::Ended(_) => None,
        }
    }

    fn status(&self) -> Status {
        match self.state {
            State::Asking { .. } | State::Joining { .. } => Status::Opening,
            State::Playing { .. } => Status::Playing,
            State::Leaving { .. } => Status::Leaving,
            State::Ended(why) => Status::Ended(why),
        }
    }

    fn lobby(&self) -> Option<LobbyPlace<'_>> {
        self.code.map(|code| LobbyPlace { code, stage: &self.map_name })
    }

    fn start(&mut self, now: Time) {
        if let State::Playing { .. } = self.state {
            self.started = Some(now);
            self.pending.cancel(Method::GameState, 0);
            self.request(now, Method::GameState, 0, FromClient::GameState { state: WireState::Running });
        }
    }

    fn leave(&mut self, now: Time) {
        match self.state {
            // Without a seat there is nothing to give back: the server hears no more of us.
            State::Asking { .. } | State::Joining { .. } => self.end(End::Left),
            State::Playing { seat, .. } => {
                self.pending.clear();
                self.request(now, Method::Leave, 0, FromClient::Leave { entity_id: seat.number().into() });
                self.state = State::Leaving { seat, since: now };
            }
            State::Leaving { .. } | State::Ended(_) => {}
        }
    }
}

impl Session {
    // ---- TCP ----

    fn ask(&mut self, plan: &Plan) -> Result<(), Malformed> {
        let body = match &plan.lobby {
            Some(lobby) => {
                let lobby_id = LobbyId::new(lobby)?;
                self.code = Some(lobby_id);
                FromClient::AskJoin { lobby_id }
            }
            None => FromClient::Create { map_name: MapName::new(&plan.stage)? },
        };
        Message { creation_timestamp: self.stamps.next(plan.now), body }.write(&mut self.question);
        Ok(())
    }

    fn receive_answer(&mut self, now: Time, bytes: &[u8]) -> Result<(), Malformed> {
        let State::Asking { answer, .. } = &mut self.state else { return Ok(()) };
        const MESSAGE_MAX: usize = HEADER_SIZE + TCP_BODY_MAX as usize;
        answer.extend(bytes.iter().take(MESSAGE_MAX - answer.len()));
        match read_answer(answer) {
            Ok(None) => Ok(()),
            Ok(Some((0, _))) => {
                self.end(self.without_port);
                Ok(())
            }
            Ok(Some((port, made))) => {
                self.code = made.or(self.code);
                self.commands.extend([Output::CloseStream, Output::DatagramsTo(port)]);
                self.join(now);
                Ok(())
            }
            Err(malformed) => {
                self.end(End::Closed);
                Err(malformed)
            }
        }
    }

    fn join(&mut self, now: Time) {
        let join = self.request(now, Method::Join, 0, FromClient::Join);
        self.state = State::Joining { world: now, join };
    }

    // ---- UDP ----

    fn receive_datagram(&mut self, now: Time, bytes: &[u8]) -> Result<(), Malformed> {
        let Message { creation_timestamp: timestamp, body } = Message::<FromServer>::read(bytes)?;
        if let FromServer::AskJoin { .. } | FromServer::Create { .. } = body {
            return Err(Malformed::UnknownType);
        }
        if let State::Joining { world, .. } | State::Playing { world, .. } = &mut self.state {
            *world = now;
        }
        match body {
            FromServer::AskJoin { .. } | FromServer::Create { .. } => {}
            FromServer::GameState { state } => self.hear_state(now, timestamp, state),
            FromServer::Position { entity_id, x_coordinate, y_coordinate } => {
                self.world.position(now, timestamp, entity_id, (x_coordinate, y_coordinate));
            }
            FromServer::Spawn { entity_id, entity_json } => {
                self.confirm(Method::Spawn, timestamp);
                self.world.spawn(now, timestamp, entity_id, entity_json);
            }
            FromServer::Destroy { entity_id } => {
                self.confirm(Method::Destroy, timestamp);
                self.world.destroy(timestamp, entity_id);
            }
            FromServer::Grab { entity_id, grabbed_entity_id, direction } => {
                self.confirm(Method::Grab, timestamp);
                self.world.grab(timestamp, entity_id, grabbed_entity_id, direction);
            }
            FromServer::Drop { entity_id } => {
                self.confirm(Method::Drop, timestamp);
                self.world.drop_force(timestamp, entity_id);
            }
            FromServer::Hit { entity_id } => {
                self.confirm(Method::Hit, timestamp);
                self.world.hit(timestamp, entity_id);
            }
            FromServer::Shoot { .. } => _ = self.pending.confirm(Method::Shoot, timestamp),
            FromServer::Join { entity_id, map_name, .. } => self.joined(now, timestamp, entity_id, map_name.as_str()),
            FromServer::Confirm(method) => self.confirmed(timestamp, method),
        }
        Ok(())
    }

    fn hear_state(&mut self, now: Time, timestamp: u64, state: WireState) {
        self.confirm(Method::GameState, timestamp);
        let before = self.world.game_state();
        if !self.world.state(timestamp, state) {
            return;
        }
        match (state, &self.state) {
            (WireState::Timeout, State::Leaving { .. }) => self.end(End::Left),
            (WireState::Timeout, _) => self.end(End::Dropped),
            (WireState::Running, State::Playing { .. }) if matches!(before, GameState::Won | GameState::Lost) => {
                self.join_again(now);
            }
            (WireState::AwaitingStart, State::Playing { .. })
                if self.starts_at_once && self.started.is_none_or(|started| now.since(started) >= START_EVERY) =>
            {
                self.start(now);
            }
            _ => {}
        }
    }

    /// R14: the lobby goes on by itself, with another map or the same; only JOIN's answer says with which.
    fn join_again(&mut self, now: Time) {
        self.pending.cancel(Method::Join, 0);
        let join = self.request(now, Method::Join, 0, FromClient::Join);
        self.rejoin = Some((join, now));
    }

    fn joined(&mut self, now: Time, timestamp: u64, entity_id: u64, map_name: &str) {
        let seat = u8::try_from(entity_id).ok().and_then(Seat::new);
        match self.state {
            State::Joining { join, .. } if join == timestamp => match seat {
                Some(seat) => {
                    self.state = State::Playing { seat, world: now };
                    self.learn_map(map_name);
                }
                None => return self.end(End::LobbyFull),
            },
            State::Playing { .. } if self.rejoin.is_some_and(|(join, _)| join == timestamp) => {
                self.rejoin = None;
                // A server may refuse a JOIN of somebody who is seated: we keep our seat, and the map that we know.
                if seat.is_some() {
                    self.learn_map(map_name);
                }
            }
            _ => return,
        }
        self.pending.confirm(Method::Join, timestamp);
    }

    fn learn_map(&mut self, map_name: &str) {
        self.map_name = map_name.into();
        self.world.map(map_name);
    }

    /// A header alone does not say who we are, so the first JOIN goes on asking.
    fn confirmed(&mut self, timestamp: u64, method: Method) {
        match (method, &self.state) {
            (Method::Join, State::Joining { .. }) => {}
            (Method::Leave, State::Leaving { .. }) => self.end(End::Left),
            _ => _ = self.pending.confirm(method, timestamp),
        }
    }

    fn confirm(&mut self, method: Method, timestamp: u64) {
        if self.confirmations.len() < CONFIRMATIONS_MAX {
            self.confirmations.push_back((method, timestamp));
        }
    }

    // ---- Requests ----

    fn press(&mut self, now: Time, entity_id: u64, press: KeyRequest) {
        match press {
            KeyRequest::Move(direction, state) => {
                self.pending.thin(Method::Move, direction as u64, MOVES_MAX - 1);
                let body = FromClient::Move { entity_id, direction, state };
                self.request(now, Method::Move, direction as u64, body);
            }
            KeyRequest::Charge => _ = self.request(now, Method::Charge, 0, FromClient::Charge { entity_id }),
            KeyRequest::Release => _ = self.request(now, Method::Shoot, 0, FromClient::Shoot { entity_id }),
            KeyRequest::Shoot if self.pending.count(Method::Shoot) < PRESSES_MAX => {
                self.request(now, Method::Shoot, 0, FromClient::Shoot { entity_id });
            }
            KeyRequest::Drop if self.pending.count(Method::Drop) < PRESSES_MAX => {
                self.request(now, Method::Drop, 0, FromClient::Drop);
            }
            KeyRequest::Shoot | KeyRequest::Drop => {}
        }
    }

    fn request(&mut self, now: Time, method: Method, about: u64, body: FromClient) -> u64 {
        let creation_timestamp = self.stamps.next(now);
        let write = |bytes: &mut Vec<u8>| Message { creation_timestamp, body }.write(bytes);
        self.pending.push(now, RequestName { method, timestamp: creation_timestamp, about }, write);
        creation_timestamp
    }

    fn end(&mut self, why: End) {
        if let State::Asking { .. } = self.state {
            self.question.clear();
            self.commands.push_back(Output::CloseStream);
        }
        self.pending.clear();
        self.state = State::Ended(why);
    }
}

/// The port in the answer, and the id of a lobby that was made, once all of it is there.
fn read_answer(stream: &[u8]) -> Result<Option<(u16, Option<LobbyId>)>, Malformed> {
    let Some(size) = whole_message(stream)? else { return Ok(None) };
    match Message::<FromServer>::read(&stream[..size])?.body {
        FromServer::AskJoin { lobby_port } => Ok(Some((lobby_port, None))),
        FromServer::Create { lobby_port, lobby_id } => Ok(Some((lobby_port, lobby_id))),
        _ => Err(Malformed::UnknownType),
    }
}
