//! The server's half of a session: from a JOIN to a LEAVE, a time-out, or the node's decision.
//!
//! What the peer asks becomes Input in `orders`; what a Frame shows becomes requests in `told`. Here is what stands
//! between: who is heard when, what is answered how, and when it is over.

use std::{collections::VecDeque, time::Duration};

use game::{Event, Frame, GameState, Input, Seat};

use super::{
    keys::ServerKeys,
    reliability::{Executed, RequestStatus, SILENCE_MAX},
    wire::{FromClient, FromServer, MapName, Message, Method, State as WireState, long_confirmation},
    world_writer::{OutgoingRequests, STATE_EVERY, WorldWriter, other_entity_id, wire_state},
};
use crate::{
    Channel, End, Malformed, Numbers, Output, Received, Request, Resumption, Scale, Scene, ServerSession, Status, Time,
    Welcome,
};

/// How long a player may hold a waiting lobby (R7).
const WAITING_MAX: Duration = Duration::from_secs(5 * 60);
/// A peer with more unconfirmed requests is as good as silent. All that a lobby can hold is some 400 entities.
const UNCONFIRMED_MAX: usize = 1024;
/// Answers between two polls. A peer that asks for more is not answered, and asks again.
const REPLIES_MAX: usize = 1024;

/// Opens the session of a player who was given a seat.
pub(super) fn accept(welcome: Welcome) -> Box<dyn ServerSession> {
    Box::new(Session {
        seat: welcome.seat,
        scale: welcome.scale,
        heard: welcome.now,
        state: State::AwaitJoin,
        replies: Replies::default(),
        repeats: 0,
        has_confirmed: false,
    })
}

/// Opens the session of a player who goes on playing (ruling C16). They are told everything again when they are heard. They may
/// have nothing to say until they are asked, so the state of the game is said once a second until then.
pub(super) fn resume(resumption: Resumption) -> Box<dyn ServerSession> {
    let Welcome { seat, now, scale, numbers, .. } = resumption.welcome;
    let state = GameState::from_number(numbers.to_bits() as u8).unwrap_or(GameState::Running);
    Box::new(Session {
        seat,
        scale,
        heard: now,
        state: State::Resumed { state, said: None },
        replies: Replies::default(),
        repeats: 0,
        has_confirmed: false,
    })
}

struct Session {
    seat: Seat,
    scale: Scale,
    /// The last sign of life.
    heard: Time,
    state: State,
    replies: Replies,
    /// Requests that were sent again.
    repeats: u64,
    /// Whether the peer has named a request that only it was told of: it is where its datagrams seem to come from.
    has_confirmed: bool,
}

enum State {
    AwaitJoin,
    /// The answer needs the ship's position, so it waits for a Frame.
    Joining {
        join: u64,
    },
    /// In the game since before the node was started again, and not heard since.
    Resumed {
        /// That of the game when it was told last.
        state: GameState,
        /// When it was last said, since then.
        said: Option<Time>,
    },
    Playing(Box<Playing>),
    Ended {
        why: End,
        /// GAME_STATE 4 is still to be said, with this timestamp.
        last_word: Option<u64>,
    },
}

/// A player in the game.
struct Playing {
    seat: Seat,
    welcome: JoinAnswer,
    /// A JOIN with a new timestamp: the client asks for the map of now (R14), or started again. It is told everything again,
    /// and nothing of its player changes.
    rejoin: Option<u64>,
    requests: OutgoingRequests,
    world: WorldWriter,
    keys: ServerKeys,
    executed: Executed<Answer>,
    /// Since when the lobby waits for its start.
    waiting: Option<Time>,
}

/// JOIN's answer, kept because it may be asked for again.
#[derive(Clone, Debug)]
struct JoinAnswer {
    timestamp: u64,
    entity_id: u64,
    place: (i64, i64),
    map_name: String,
}

/// What a request was answered with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Answer {
    /// Nothing yet: a SHOOT waits for its Frame.
    Undecided,
    Header,
    Shot(Option<u64>),
}

/// Responses on their way out.
#[derive(Debug, Default)]
struct Replies(VecDeque<Reply>);

#[derive(Debug)]
enum Reply {
    Short { timestamp: u64, method: Method, answer: Answer },
    Join(JoinAnswer),
}

impl ServerSession for Session {
    fn receive(&mut self, now: Time, channel: Channel, bytes: &[u8]) -> Result<Received, Malformed> {
        let message = read(bytes)?;
        let is_out_of_place = matches!(message.body, FromClient::AskJoin { .. } | FromClient::Create { .. });
        if is_out_of_place || channel == Channel::Stream {
            return Err(Malformed::UnknownType);
        }
        self.heard = now;
        if let State::Resumed { .. } = self.state {
            self.state = State::Playing(Box::new(Playing::resume(self.seat, self.scale)));
        }
        let timestamp = message.creation_timestamp;
        match (&mut self.state, message.body) {
            (State::AwaitJoin, FromClient::Join) => self.state = State::Joining { join: timestamp },
            (State::Joining { join }, FromClient::Join) => *join = timestamp.max(*join),
            // Nothing precedes JOIN's answer (R8), so nothing is confirmed before it.
            (State::AwaitJoin | State::Joining { .. } | State::Resumed { .. }, _) => {}
            (State::Playing(play), FromClient::Confirm(method)) => {
                self.has_confirmed |= play.requests.pending.confirm(method, timestamp);
            }
            (State::Playing(play), body) => {
                if play.receive(timestamp, body, &mut self.replies) {
                    self.state = State::Ended { why: End::Left, last_word: None };
                }
            }
            (State::Ended { .. }, _) => {}
        }
        Ok(None)
    }

    fn advance(&mut self, now: Time) {
        let mut is_over = now.since(self.heard) >= SILENCE_MAX;
        if let State::Playing(play) = &mut self.state {
            play.requests.pending.advance();
            is_over |= play.requests.pending.len() > UNCONFIRMED_MAX;
            is_over |= play.waiting.is_some_and(|since| now.since(since) >= WAITING_MAX);
        }
        if is_over {
            self.end(now, End::TimedOut);
        }
    }

    fn forgive(&mut self, lost: Duration) {
        self.heard = self.heard + lost;
        if let State::Playing(play) = &mut self.state {
            play.waiting = play.waiting.map(|since| since + lost);
        }
    }

    fn publish(&mut self, now: Time, scene: &Scene) {
        if let State::Joining { join } = self.state {
            self.state = State::Playing(Box::new(Playing::new(self.seat, self.scale, join)));
        }
        if let State::Playing(play) = &mut self.state {
            play.publish(now, scene, self.scale, &mut self.replies);
        }
    }

    fn poll(&mut self, now: Time, buffer: &mut Vec<u8>) -> Option<Output> {
        buffer.clear();
        if self.replies.poll(buffer) {
            return Some(Output::Datagram);
        }
        let has_more = match &mut self.state {
            State::AwaitJoin | State::Joining { .. } => false,
            State::Resumed { state, said } => {
                let is_due = said.is_none_or(|said| now.since(said) >= STATE_EVERY);
                if is_due {
                    *said = Some(now);
                    let body = FromServer::GameState { state: wire_state(*state) };
                    Message { creation_timestamp: now.micros(), body }.write(buffer);
                }
                is_due
            }
            State::Playing(play) => {
                let has_request = play.requests.pending.poll(now, buffer);
                self.repeats = play.requests.pending.repeats();
                // Until the peer confirms something it gets little: nothing of that is for what it cannot confirm.
                has_request || self.has_confirmed && play.world.poll(now, &mut play.requests.stamps, buffer)
            }
            State::Ended { last_word, .. } => match last_word.take() {
                Some(creation_timestamp) => {
                    let body = FromServer::GameState { state: WireState::Timeout };
                    Message { creation_timestamp, body }.write(buffer);
                    true
                }
                None => false,
            },
        };
        has_more.then_some(Output::Datagram)
    }

    fn input(&mut self, _now: Time) -> Input {
        match &mut self.state {
            State::Playing(play) => play.keys.input(),
            State::AwaitJoin | State::Joining { .. } | State::Resumed { .. } | State::Ended { .. } => Input::IDLE,
        }
    }

    fn request(&mut self) -> Option<Request> {
        match &mut self.state {
            State::Playing(play) => play.keys.take_start().then_some(Request::Start),
            State::AwaitJoin | State::Joining { .. } | State::Resumed { .. } | State::Ended { .. } => None,
        }
    }

    fn status(&self) -> Status {
        match self.state {
            State::AwaitJoin | State::Joining { .. } => Status::Opening,
            State::Resumed { .. } | State::Playing(_) => Status::Playing,
            State::Ended { why, .. } => Status::Ended(why),
        }
    }

    fn retransmissions(&self) -> u64 {
        self.repeats
    }

    /// The state of the game that the player was told last. Timestamps are the time's.
    fn numbers(&self) -> Numbers {
        let state = match &self.state {
            State::Resumed { state, .. } => Some(*state),
            State::Playing(play) => play.world.state(),
            State::AwaitJoin | State::Joining { .. } | State::Ended { .. } => None,
        };
        Numbers::from_bits(state.unwrap_or(GameState::Running).number().into())
    }

    /// Its IP address made a TCP exchange before it was let in; that this port of it is the peer's is known when it confirms.
    fn is_proved(&self) -> bool {
        self.has_confirmed
    }

    /// GAME_STATE 4 is the only word that ends a session from this side, so it is said even when the node closes it. It
    /// does not precede JOIN's answer either (R8).
    fn end(&mut self, now: Time, why: End) {
        let is_told = match why {
            End::TimedOut | End::Closed | End::LobbyClosed | End::Restarting => true,
            End::Left | End::Unreachable | End::Refused | End::Full | End::VersionDiffers | End::Dropped => false,
            End::NoLobby | End::LobbyFull | End::NoStage => false,
        };
        let last_word = match &mut self.state {
            State::AwaitJoin | State::Joining { .. } | State::Resumed { .. } => None,
            State::Playing(play) => is_told.then(|| play.requests.stamps.next(now)),
            State::Ended { .. } => return,
        };
        self.state = State::Ended { why, last_word };
    }
}

/// A confirmation may have a body of its own, which says nothing to us.
fn read(bytes: &[u8]) -> Result<Message<FromClient<'_>>, Malformed> {
    let strict = Message::<FromClient>::read(bytes);
    match (strict, long_confirmation(bytes)) {
        (Err(Malformed::Trailing), Some((method, creation_timestamp))) => {
            Ok(Message { creation_timestamp, body: FromClient::Confirm(method) })
        }
        (strict, _) => strict,
    }
}

impl Playing {
    fn new(seat: Seat, scale: Scale, join: u64) -> Playing {
        Playing {
            seat,
            welcome: JoinAnswer { timestamp: join, entity_id: 0, place: (0, 0), map_name: String::new() },
            rejoin: Some(join),
            requests: OutgoingRequests::default(),
            world: WorldWriter::new(scale),
            keys: ServerKeys::default(),
            executed: Executed::new(),
            waiting: None,
        }
    }

    /// A player who has had JOIN's answer, and knows entities. A JOIN that comes again is answered again.
    fn resume(seat: Seat, scale: Scale) -> Playing {
        Playing { rejoin: None, world: WorldWriter::resume(scale), ..Playing::new(seat, scale, 0) }
    }

    /// Takes a message. Whether the player leaves by it.
    fn receive(&mut self, timestamp: u64, body: FromClient, replies: &mut Replies) -> bool {
        let method = match body {
            FromClient::AskJoin { .. } | FromClient::Create { .. } | FromClient::Confirm(_) => return false,
            FromClient::Join => {
                self.join_again(timestamp, replies);
                return false;
            }
            FromClient::GameState { .. } => Method::GameState,
            FromClient::Move { .. } => Method::Move,
            FromClient::Drop => Method::Drop,
            FromClient::Charge { .. } => Method::Charge,
            FromClient::Shoot { .. } => Method::Shoot,
            FromClient::Leave { .. } => Method::Leave,
        };
        let answer = match self.executed.look_up(method, timestamp) {
            RequestStatus::New => self.carry_out(timestamp, body),
            RequestStatus::Done(answer) => answer,
            RequestStatus::Forgotten if method == Method::Shoot => Answer::Shot(None),
            RequestStatus::Forgotten => Answer::Header,
        };
        self.executed.remember(method, timestamp, answer);
        replies.push(Reply::Short { timestamp, method, answer });
        matches!(body, FromClient::Leave { entity_id } if self.is_own(entity_id))
    }

    /// Carries out a request that came for the first time. R11: one about another entity only seems so.
    fn carry_out(&mut self, timestamp: u64, body: FromClient) -> Answer {
        match body {
            FromClient::Move { entity_id, direction, state } if self.is_own(entity_id) => {
                self.keys.steer(timestamp, direction, state);
            }
            FromClient::Charge { entity_id } if self.is_own(entity_id) => self.keys.charge(timestamp),
            FromClient::Shoot { entity_id } if self.is_own(entity_id) => {
                let is_tried = self.keys.shoot(timestamp);
                return if is_tried { Answer::Undecided } else { Answer::Shot(None) };
            }
            FromClient::Shoot { .. } => return Answer::Shot(None),
            FromClient::Drop => self.keys.drop_force(),
            FromClient::GameState { state } => self.keys.change_state(timestamp, state),
            FromClient::Move { .. } | FromClient::Charge { .. } | FromClient::Leave { .. } => {}
            FromClient::AskJoin { .. } | FromClient::Create { .. } => {}
            FromClient::Join | FromClient::Confirm(_) => {}
        }
        Answer::Header
    }

    /// A JOIN that is not newer repeats one that was answered: the same answer.
    fn join_again(&mut self, timestamp: u64, replies: &mut Replies) {
        if timestamp > self.welcome.timestamp {
            self.rejoin = self.rejoin.max(Some(timestamp));
        } else {
            replies.push(Reply::Join(JoinAnswer { timestamp, ..self.welcome.clone() }));
        }
    }

    fn is_own(&self, entity_id: u64) -> bool {
        entity_id == u64::from(self.seat.number())
    }

    fn publish(&mut self, now: Time, scene: &Scene, scale: Scale, replies: &mut Replies) {
        if let Some(timestamp) = self.rejoin.take() {
            self.welcome_again(timestamp, scene, scale, replies);
        }
        self.decide_shot(&scene.frame, replies);
        match (scene.frame.state, self.waiting) {
            (GameState::Waiting, None) => self.waiting = Some(now),
            (GameState::Waiting, Some(_)) => {}
            _ => self.waiting = None,
        }
        self.world.tell_ghosts(now, scene, &mut self.requests);
        self.world.tell(now, &scene.frame, &mut self.requests);
    }

    fn welcome_again(&mut self, timestamp: u64, scene: &Scene, scale: Scale, replies: &mut Replies) {
        let place = scene.frame.ship(self.seat).map_or((0, 0), |ship| scale.whole_position(ship.position));
        let entity_id = self.seat.number().into();
        self.welcome = JoinAnswer { timestamp, entity_id, place, map_name: scene.stage_name.clone() };
        replies.push(Reply::Join(self.welcome.clone()));
        self.world.tell_again();
    }

    /// R9: a SHOOT is answered with what came of it.
    fn decide_shot(&mut self, frame: &Frame, replies: &mut Replies) {
        let Some(timestamp) = self.keys.take_undecided() else { return };
        let shot = frame.events.iter().find_map(|event| match *event {
            Event::Fired { seat, shot } if seat == self.seat => Some(other_entity_id(shot)),
            _ => None,
        });
        let answer = Answer::Shot(shot);
        self.executed.remember(Method::Shoot, timestamp, answer);
        replies.push(Reply::Short { timestamp, method: Method::Shoot, answer });
    }
}

impl Replies {
    fn push(&mut self, reply: Reply) {
        let is_undecided = matches!(reply, Reply::Short { answer: Answer::Undecided, .. });
        if !is_undecided && self.0.len() < REPLIES_MAX {
            self.0.push_back(reply);
        }
    }

    fn poll(&mut self, buffer: &mut Vec<u8>) -> bool {
        let Some(reply) = self.0.pop_front() else { return false };
        let (creation_timestamp, body) = match &reply {
            Reply::Short { timestamp, method, answer } => (*timestamp, short_body(*method, *answer)),
            Reply::Join(answer) => (answer.timestamp, answer.body()),
        };
        Message { creation_timestamp, body }.write(buffer);
        true
    }
}

impl JoinAnswer {
    fn body(&self) -> FromServer<'_> {
        FromServer::Join {
            entity_id: self.entity_id,
            x_coordinate: self.place.0,
            y_coordinate: self.place.1,
            map_name: MapName::new(&self.map_name).unwrap_or_default(),
        }
    }
}

fn short_body(method: Method, answer: Answer) -> FromServer<'static> {
    match answer {
        Answer::Undecided | Answer::Header => FromServer::Confirm(method),
        Answer::Shot(shot) => FromServer::Shoot { is_valid: shot.is_some(), entity_id: shot.unwrap_or(0) },
    }
}
