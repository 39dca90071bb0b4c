//! One end of a `rfc2020` session driven by hand, message by message and byte by byte, with a real world behind the
//! server's half.

#![allow(dead_code, reason = "every test file uses another part of it")]

use std::time::Duration;

use game::{Input, Rules, Seat, Stage, World};
use protocol::rfc2020::{
    ENTRY,
    wire::{FromClient, FromServer, MapName, Message, Method},
};
use protocol::{Channel, ClientSession, Malformed, Output, Plan, Scale, Scene, ServerSession, Status, Time, Welcome};

pub const START: Time = Time::from_micros(1_700_000_000_000_000);
pub const TICK: Duration = Duration::from_micros(16_667);

/// A server's half with its world. Everything that it sends is kept.
pub struct Server {
    pub session: Box<dyn ServerSession>,
    pub world: World,
    pub scene: Scene,
    pub now: Time,
    /// What was sent since it was last taken, with the time.
    pub sent: Vec<(Time, Vec<u8>)>,
    /// Whether every request is confirmed at once.
    pub confirms: bool,
    /// What the last tick's input was.
    pub input: Input,
}

impl Server {
    /// A lobby of a stage in which nothing comes, with the player in the seat.
    pub fn quiet(seat: usize) -> Server {
        Server::new(Stage::sketch(&[]), seat)
    }

    pub fn new(stage: std::sync::Arc<Stage>, seat: usize) -> Server {
        let mut world = World::new(stage, Rules::default(), 7);
        let seat = Seat::ALL[seat];
        world.join(seat);
        let welcome = Welcome {
            seat,
            now: START,
            started: START,
            scale: Scale::default(),
            numbers: protocol::Numbers::default(),
        };
        let scene = Scene::new("endless");
        let session = (ENTRY.accept)(welcome);
        Server { session, world, scene, now: START, sent: Vec::new(), confirms: true, input: Input::IDLE }
    }

    /// As [`Server::quiet`], joined at timestamp 1 and settled.
    pub fn joined(seat: usize) -> Server {
        let mut server = Server::quiet(seat);
        server.send(1, FromClient::Join);
        server.run_ms(100);
        server.sent.clear();
        server
    }

    pub fn send(&mut self, creation_timestamp: u64, body: FromClient) {
        let mut bytes = Vec::new();
        Message { creation_timestamp, body }.write(&mut bytes);
        assert_eq!(self.send_bytes(&bytes), Ok(()));
    }

    pub fn send_bytes(&mut self, bytes: &[u8]) -> Result<(), Malformed> {
        self.session.receive(self.now, Channel::Datagram, bytes).map(drop)
    }

    pub fn tick(&mut self) {
        self.publish();
        self.flush();
    }

    /// A tick without anything being sent.
    pub fn publish(&mut self) {
        self.now = self.now + TICK;
        self.session.advance(self.now);
        let mut inputs = [Input::IDLE; 4];
        self.input = self.session.input(self.now);
        for seat in Seat::ALL {
            inputs[seat.index()] = self.input;
        }
        while self.session.request().is_some() {
            self.world.start();
        }
        self.world.tick(&inputs);
        self.world.frame_into(&mut self.scene.frame);
        self.scene.update(self.now);
        self.session.publish(self.now, &self.scene);
    }

    pub fn flush(&mut self) {
        let mut buffer = Vec::new();
        let mut confirmations = Vec::new();
        while let Some(output) = self.session.poll(self.now, &mut buffer) {
            assert_eq!(output, Output::Datagram);
            assert!(buffer.len() <= 1200, "C2");
            let message = Message::<FromServer>::read(&buffer).expect("what we send is well formed");
            confirmations.extend(method(&message.body).map(|method| (message.creation_timestamp, method)));
            self.sent.push((self.now, buffer.clone()));
        }
        if self.confirms {
            confirmations.into_iter().for_each(|(timestamp, method)| self.send(timestamp, FromClient::Confirm(method)));
        }
    }

    pub fn run_ms(&mut self, ms: u64) {
        let end = self.now + Duration::from_millis(ms);
        while self.now < end {
            self.tick();
        }
    }

    /// What was sent since this was last asked.
    pub fn said(&mut self) -> Vec<Vec<u8>> {
        std::mem::take(&mut self.sent).into_iter().map(|(_, bytes)| bytes).collect()
    }

    pub fn status(&self) -> Status {
        self.session.status()
    }
}

/// What is to be confirmed: the method of a server's request other than POSITION.
pub fn method(body: &FromServer) -> Option<Method> {
    match body {
        FromServer::GameState { .. } => Some(Method::GameState),
        FromServer::Spawn { .. } => Some(Method::Spawn),
        FromServer::Destroy { .. } => Some(Method::Destroy),
        FromServer::Grab { .. } => Some(Method::Grab),
        FromServer::Drop { .. } => Some(Method::Drop),
        FromServer::Hit { .. } => Some(Method::Hit),
        FromServer::Position { .. } | FromServer::AskJoin { .. } | FromServer::Create { .. } => None,
        FromServer::Shoot { .. } | FromServer::Join { .. } | FromServer::Confirm(_) => None,
    }
}

pub fn read(bytes: &[u8]) -> Message<FromServer<'_>> {
    Message::<FromServer>::read(bytes).expect("well formed")
}

/// A client's half. Everything that it sends is kept.
pub struct Client {
    pub session: Box<dyn ClientSession>,
    pub now: Time,
    pub input: Input,
    /// What was sent or wanted since it was last taken.
    pub sent: Vec<(Output, Vec<u8>)>,
}

impl Client {
    pub fn new(lobby: Option<&str>) -> Client {
        Client::with(Plan { name: "Ann".into(), lobby: lobby.map(Into::into), ..Plan::at(START) })
    }

    pub fn with(plan: Plan) -> Client {
        Client { session: (ENTRY.connect)(plan), now: START, input: Input::IDLE, sent: Vec::new() }
    }

    /// In the game, in that seat of a running lobby at port 24500.
    pub fn playing(seat: u64) -> Client {
        Client::joined_as(seat, Plan { name: "Ann".into(), ..Plan::at(START) })
    }

    /// As [`Client::playing`], with another plan.
    pub fn joined_as(seat: u64, plan: Plan) -> Client {
        let mut client = Client::with(plan);
        let id = protocol::LobbyId::new("KXWQ29").unwrap();
        client.hear_stream(1, FromServer::Create { lobby_port: 24_500, lobby_id: Some(id) });
        client.tick();
        let join = client.requests().into_iter().find(|message| message.1 == "Join").expect("it joins").0;
        client.hear(join, joined(seat));
        client.hear(2, FromServer::GameState { state: protocol::rfc2020::wire::State::Running });
        client.tick();
        client.sent.clear();
        client
    }

    pub fn hear(&mut self, creation_timestamp: u64, body: FromServer) {
        let mut bytes = Vec::new();
        Message { creation_timestamp, body }.write(&mut bytes);
        assert_eq!(self.session.receive(self.now, Channel::Datagram, &bytes), Ok(()));
    }

    pub fn hear_stream(&mut self, creation_timestamp: u64, body: FromServer) {
        let mut bytes = Vec::new();
        Message { creation_timestamp, body }.write(&mut bytes);
        for byte in bytes {
            assert_eq!(self.session.receive(self.now, Channel::Stream, &[byte]), Ok(()));
        }
    }

    pub fn tick(&mut self) {
        self.now = self.now + TICK;
        self.session.advance(self.now);
        self.session.press(self.now, self.input);
        self.input = self.input.without_presses();
        let mut buffer = Vec::new();
        while let Some(output) = self.session.poll(self.now, &mut buffer) {
            self.sent.push((output, buffer.clone()));
        }
    }

    pub fn run_ms(&mut self, ms: u64) {
        let end = self.now + Duration::from_millis(ms);
        while self.now < end {
            self.tick();
        }
    }

    /// The datagrams since this was last asked: timestamp, and what it says as Debug shows it.
    pub fn requests(&mut self) -> Vec<(u64, String)> {
        let sent = std::mem::take(&mut self.sent);
        let datagrams = sent.iter().filter(|(output, _)| *output == Output::Datagram);
        datagrams
            .map(|(_, bytes)| Message::<FromClient>::read(bytes).expect("well formed"))
            .map(|message| (message.creation_timestamp, format!("{:?}", message.body)))
            .collect()
    }
}

pub fn joined(entity_id: u64) -> FromServer<'static> {
    let map_name = MapName::new("endless").unwrap();
    FromServer::Join { entity_id, x_coordinate: 160, y_coordinate: 540, map_name }
}

pub fn bytes_of(creation_timestamp: u64, body: FromClient) -> Vec<u8> {
    let mut bytes = Vec::new();
    Message { creation_timestamp, body }.write(&mut bytes);
    bytes
}

/// The bodies of what was said that pass a filter.
pub fn bodies(said: &[Vec<u8>], wanted: impl Fn(&FromServer) -> bool) -> Vec<(u64, FromServer<'_>)> {
    let messages = said.iter().map(|bytes| read(bytes)).map(|message| (message.creation_timestamp, message.body));
    messages.filter(|(_, body)| wanted(body)).collect()
}

/// This long after the start.
pub fn after_s(seconds: u64) -> Time {
    START + Duration::from_secs(seconds)
}

pub fn create(map_name: &str) -> FromClient<'_> {
    FromClient::Create { map_name: MapName::new(map_name).unwrap() }
}

pub fn is_shoot(body: &FromServer) -> bool {
    matches!(body, FromServer::Shoot { .. })
}
