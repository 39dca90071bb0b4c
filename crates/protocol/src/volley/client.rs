//! The client's half of a session: asks for lobbies over the stream, says its inputs and rebuilds Frames in datagrams.
//!
//! `Client::new` does by itself what a bot needs: it says hello, takes a seat and starts the game. `Client::without_lobby` only
//! says hello; [`Client::ask`] and [`Client::news`] are for a program with a player to ask.
//! `world_reader.rs` is what it does in a game.

use std::{collections::VecDeque, time::Duration};

use game::{Frame, Input, Seat, stage::Terrain};

use super::{
    stats::{Meter, Stats},
    stream_reader::StreamReader,
    wire::control::{FROM_SERVER_MAX_BYTES, FromClient, FromServer, VERSION},
    wire::events::DatedEvent,
    world_reader::WorldReader,
};
use crate::{
    Channel, ChatMessage, ClientSession, End, LobbyId, LobbyPlace, Malformed, Output, Plan, Status, Time,
    lobby::{Emote, LobbyDetails, LobbyRequest, LobbySummary, Pace, Refusal, Tally, Token},
};

/// How long a server may be silent before it is gone.
pub const SILENCE_MAX: Duration = Duration::from_secs(10);
/// A goodbye that follows the end of the stay in a lobby within this time says that the lobby was closed.
const LOBBY_CLOSED_WITHIN: Duration = Duration::from_millis(500);
/// How long a server may show no Frame of a game before it is gone.
pub const FRAMES_SILENCE_MAX: Duration = Duration::from_secs(5);
/// A client with nothing else to say sends a Ping in this interval.
pub const PING_EVERY: Duration = Duration::from_secs(2);
/// News that wait to be taken; the oldest are lost.
const NEWS_MAX: usize = 64;

/// Something that a server told, beside Frames.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum News {
    /// The open lobbies.
    Lobbies(Vec<LobbySummary>),
    Seated {
        code: LobbyId,
        seat: Seat,
        /// With this the seat can be had again within a minute of losing the connection.
        token: Token,
    },
    /// A place to watch from.
    Watching { code: LobbyId },
    /// A request is refused.
    Refused(Refusal),
    /// Who is in the lobby.
    Lobby(LobbyDetails),
    /// Somebody said something.
    Said {
        /// Who, if it is a player.
        seat: Option<Seat>,
        name: String,
        text: String,
    },
    /// What is played from now on.
    Stage {
        name: String,
        /// 1 and up; 0 for endless.
        number: u8,
        /// What kills on touch.
        terrain: Terrain,
    },
    /// No longer in a lobby.
    LeftLobby,
    /// How time passes from now on.
    Pace(Pace),
    /// What everybody did in a stage that was won, or in a game that was lost.
    Tally(Tally),
    /// A player made a gesture.
    Emote { seat: Seat, emote: Emote },
}

#[derive(Debug)]
pub struct Client {
    /// What it does by itself when it is welcome.
    first_request: Option<LobbyRequest>,
    /// Whether it then starts the game, rather than only say that it is ready.
    starts_at_once: bool,
    /// When the server said that the player is in no lobby any more.
    left_lobby: Option<Time>,
    is_welcome: bool,
    heard: Time,
    spoke: Time,
    stream_reader: StreamReader,
    stream_out: Vec<u8>,
    /// What was asked for before the server was known to understand.
    early: Vec<LobbyRequest>,
    news: VecDeque<News>,
    /// That of the stage that is played.
    terrain: Option<Terrain>,
    /// What it is called; empty until it is known.
    stage: String,
    /// The lobby that it is in.
    code: Option<LobbyId>,
    bytes_in: Meter,
    bytes_out: Meter,
    state: State,
    is_stream_closed: bool,
}

#[derive(Debug)]
enum State {
    NoLobby,
    InLobby(Box<WorldReader>),
    Ended(End),
}

impl Client {
    /// A client that takes a seat by itself, in the plan's lobby or in any, and starts the game if the plan says so.
    pub fn new(plan: Plan) -> Client {
        let mut client = Client { starts_at_once: plan.starts_at_once, ..Client::without_lobby(plan.now, &plan.name) };
        match plan.lobby.as_deref().map(LobbyId::new) {
            None => client.first_request = Some(LobbyRequest::Quick),
            Some(Ok(code)) => client.first_request = Some(LobbyRequest::Join { code }),
            // There can be no such lobby.
            Some(Err(_)) => client.state = State::Ended(End::Refused),
        }
        client
    }

    /// A client that says hello and waits to be told what to ask for.
    pub fn without_lobby(now: Time, name: &str) -> Client {
        let mut stream_out = Vec::new();
        FromClient::Hello { version: VERSION, name: name.into() }.write(&mut stream_out);
        Client {
            first_request: None,
            starts_at_once: false,
            left_lobby: None,
            is_welcome: false,
            heard: now,
            spoke: now,
            stream_reader: StreamReader::new(FROM_SERVER_MAX_BYTES),
            stream_out,
            early: Vec::new(),
            news: VecDeque::new(),
            terrain: None,
            stage: String::new(),
            code: None,
            bytes_in: Meter::default(),
            bytes_out: Meter::default(),
            state: State::NoLobby,
            is_stream_closed: false,
        }
    }

    /// Asks for something.
    pub fn ask(&mut self, now: Time, request: LobbyRequest) {
        if matches!(self.state, State::Ended(_)) {
            return;
        }
        if self.is_welcome {
            self.say(now, &FromClient::Lobby(request));
        } else {
            self.early.push(request);
        }
    }

    /// In place of [`ClientSession::press`] while time stands still: what was pressed before is said again.
    pub fn rest(&mut self) {
        if let State::InLobby(play) = &mut self.state {
            play.rest();
        }
    }

    /// The oldest thing told that was not taken yet.
    pub fn news(&mut self) -> Option<News> {
        self.news.pop_front()
    }

    /// The number of the last input that the newest Frame contains; 0 before the first.
    pub fn input_ack(&self) -> u32 {
        self.play().map_or(0, WorldReader::input_ack)
    }

    /// The number that the next [`ClientSession::press`] gets.
    pub fn next_input(&self) -> u32 {
        self.play().map_or(1, WorldReader::next_input)
    }

    /// How many of our inputs the server had in hand at the newest Frame; negative: for how many ticks it had none.
    pub fn inputs_waiting(&self) -> i8 {
        self.play().map_or(0, WorldReader::inputs_waiting)
    }

    /// Takes out the events that came since the last time, each with its tick. What is taken here is no longer in the
    /// next Frame that is taken.
    pub fn take_events(&mut self, events: &mut Vec<DatedEvent>) {
        if let State::InLobby(play) = &mut self.state {
            play.take_events(events);
        }
    }

    /// How the connection does.
    pub fn stats(&self) -> Stats {
        let play = self.play().map(WorldReader::stats).unwrap_or_default();
        Stats {
            bytes_in_per_second: self.bytes_in.per_second(),
            bytes_out_per_second: self.bytes_out.per_second(),
            ..play
        }
    }

    fn play(&self) -> Option<&WorldReader> {
        match &self.state {
            State::InLobby(play) => Some(play),
            State::NoLobby | State::Ended(_) => None,
        }
    }

    fn say(&mut self, now: Time, message: &FromClient) {
        self.spoke = now;
        message.write(&mut self.stream_out);
    }

    fn receive_stream(&mut self, now: Time, bytes: &[u8]) -> Result<(), Malformed> {
        if bytes.is_empty() {
            self.state = State::Ended(if self.is_welcome { End::Unreachable } else { End::Refused });
            self.is_stream_closed = true;
            return Ok(());
        }
        let mut messages: Vec<Vec<u8>> = Vec::new();
        let framing = self.stream_reader.receive(bytes, |message| messages.push(message.to_vec()));
        let mut result = Ok(());
        for message in messages {
            result = result.and(FromServer::read(&message).map(|message| self.take_message(now, message)));
        }
        if framing.is_err() {
            self.state = State::Ended(End::Closed);
        }
        result.and(framing)
    }

    fn take_message(&mut self, now: Time, message: FromServer) {
        if let State::Ended(_) = self.state {
            return;
        }
        self.heard = now;
        let news = match message {
            FromServer::Welcome { .. } => return self.enter_node(now),
            FromServer::Pong { .. } => return,
            FromServer::Goodbye => {
                let is_lobby_closed = self.left_lobby.is_some_and(|at| now.since(at) < LOBBY_CLOSED_WITHIN);
                self.state = State::Ended(if is_lobby_closed { End::LobbyClosed } else { End::Closed });
                return;
            }
            FromServer::Restarting => return self.state = State::Ended(End::Restarting),
            FromServer::Lobbies(lines) => News::Lobbies(lines),
            FromServer::Seated { code, seat, token, from } => {
                self.code = Some(code);
                self.sit_down(now, Some(seat), from);
                News::Seated { code, seat, token }
            }
            FromServer::Watching { code, from } => {
                self.code = Some(code);
                self.sit_down(now, None, from);
                News::Watching { code }
            }
            FromServer::Refused(refusal) => {
                self.take_refusal(refusal);
                News::Refused(refusal)
            }
            FromServer::Lobby(lobby) => News::Lobby(lobby),
            FromServer::Said { seat, name, text } => News::Said { seat, name, text },
            FromServer::Stage { name, number, terrain } => {
                self.terrain = Some(terrain.clone());
                self.stage.clone_from(&name);
                News::Stage { name, number, terrain }
            }
            FromServer::LeftLobby => {
                self.left_lobby = Some(now);
                self.code = None;
                self.state = State::NoLobby;
                News::LeftLobby
            }
            FromServer::Pace(pace) => {
                if let State::InLobby(play) = &mut self.state {
                    play.set_pace(pace);
                }
                News::Pace(pace)
            }
            FromServer::Tally(tally) => News::Tally(tally),
            FromServer::Emote { seat, emote } => News::Emote { seat, emote },
        };
        if self.news.len() >= NEWS_MAX {
            self.news.pop_front();
        }
        self.news.push_back(news);
    }

    fn enter_node(&mut self, now: Time) {
        self.is_welcome = true;
        let first_request = self.first_request.clone();
        for request in first_request.into_iter().chain(std::mem::take(&mut self.early)) {
            self.say(now, &FromClient::Lobby(request));
        }
    }

    fn sit_down(&mut self, now: Time, seat: Option<Seat>, from: u16) {
        let next_input = self.next_input();
        self.state = State::InLobby(Box::new(WorldReader::new(now, seat, from, next_input)));
        if self.first_request.take().is_some() {
            self.say(now, &FromClient::Lobby(LobbyRequest::Ready(true)));
            if self.starts_at_once {
                self.say(now, &FromClient::Lobby(LobbyRequest::Start));
            }
        }
    }

    /// A client that came with a first request leaves when it is refused; one of another version leaves in any case.
    fn take_refusal(&mut self, refusal: Refusal) {
        let why = match refusal {
            Refusal::Version => End::VersionDiffers,
            Refusal::Full => End::LobbyFull,
            Refusal::NodeFull => End::Full,
            Refusal::NoLobby => End::NoLobby,
            Refusal::NoStage => End::NoStage,
            Refusal::Kicked => End::Closed,
            Refusal::TooLate | Refusal::TooFast | Refusal::NotNow | Refusal::NotHost | Refusal::NoBot => End::Refused,
        };
        if self.first_request.is_some() || refusal == Refusal::Version {
            self.state = State::Ended(why);
        }
    }

    fn keep_alive(&mut self, now: Time) {
        if self.is_welcome && now.since(self.spoke) >= PING_EVERY {
            self.say(now, &FromClient::Ping { nonce: now.micros() as u32 });
        }
    }
}

impl ClientSession for Client {
    fn receive(&mut self, now: Time, channel: Channel, bytes: &[u8]) -> Result<(), Malformed> {
        if let State::Ended(_) = self.state {
            return Ok(());
        }
        self.bytes_in.add(now, bytes.len());
        match (channel, &mut self.state) {
            (Channel::Stream, _) => self.receive_stream(now, bytes),
            (Channel::Datagram, State::InLobby(play)) => {
                play.receive(now, bytes)?;
                self.heard = now;
                Ok(())
            }
            // A Frame that overtook the seat. It is not confirmed, so that the next one says as much.
            (Channel::Datagram, _) => super::wire::snapshot::peek(bytes).map(|_| ()),
        }
    }

    fn advance(&mut self, now: Time) {
        self.bytes_in.advance(now);
        self.bytes_out.advance(now);
        let is_over = match &self.state {
            State::Ended(_) => return,
            State::NoLobby => now.since(self.heard) >= SILENCE_MAX,
            State::InLobby(play) => now.since(play.heard()) >= FRAMES_SILENCE_MAX,
        };
        if is_over {
            self.state = State::Ended(End::TimedOut);
        } else {
            self.keep_alive(now);
        }
    }

    fn press(&mut self, now: Time, input: Input) {
        if let State::InLobby(play) = &mut self.state {
            play.press(now, input);
        }
    }

    fn poll(&mut self, now: Time, buffer: &mut Vec<u8>) -> Option<Output> {
        buffer.clear();
        if !self.stream_out.is_empty() && !self.is_stream_closed {
            std::mem::swap(buffer, &mut self.stream_out);
            self.bytes_out.add(now, buffer.len());
            return Some(Output::Stream);
        }
        match &mut self.state {
            State::Ended(_) if !self.is_stream_closed => {
                self.is_stream_closed = true;
                Some(Output::CloseStream)
            }
            State::InLobby(play) => {
                let is_due = play.write(buffer);
                self.bytes_out.add(now, buffer.len());
                is_due.then_some(Output::Datagram)
            }
            State::NoLobby | State::Ended(_) => None,
        }
    }

    fn take_frame(&mut self, frame: &mut Frame) -> bool {
        match &mut self.state {
            State::InLobby(play) => play.take_frame(frame),
            State::NoLobby | State::Ended(_) => false,
        }
    }

    fn seat(&self) -> Option<Seat> {
        self.play().and_then(WorldReader::seat)
    }

    fn terrain(&self) -> Option<&Terrain> {
        self.terrain.as_ref()
    }

    fn lobby(&self) -> Option<LobbyPlace<'_>> {
        self.code.map(|code| LobbyPlace { code, stage: &self.stage })
    }

    fn say(&mut self, now: Time, text: &str) {
        self.ask(now, LobbyRequest::Say { text: text.into() });
    }

    fn take_chat_message(&mut self) -> Option<ChatMessage> {
        std::iter::from_fn(|| self.news.pop_front()).find_map(|news| match news {
            News::Said { seat, name, text } => Some(ChatMessage { seat, name, text }),
            _ => None,
        })
    }

    fn status(&self) -> Status {
        match &self.state {
            State::InLobby(play) if play.has_frame() => Status::Playing,
            State::InLobby(_) | State::NoLobby => Status::Opening,
            State::Ended(why) => Status::Ended(*why),
        }
    }

    fn start(&mut self, now: Time) {
        if self.play().is_some_and(|play| play.seat().is_some()) {
            self.ask(now, LobbyRequest::Start);
        }
    }

    fn leave(&mut self, now: Time) {
        if let State::Ended(_) = self.state {
            return;
        }
        self.say(now, &FromClient::Goodbye);
        self.state = State::Ended(End::Left);
    }
}
