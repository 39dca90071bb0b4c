//! A whole small system in memory, under a seed and a virtual clock: a node with lobbies, clients of any dialect, and a
//! network between them that loses, repeats, reorders and delays datagrams.
//!
//! The test file that uses it names its doors in `const ENTRIES: &[&DialectEntry]`.
//! `let mut sim = Simulation::new(1); let ann = sim.join(&ENTRY, "Ann"); sim.run_ms(500); sim.seen(ann)`

#![allow(dead_code, reason = "every test file uses another part of it")]

mod network;
mod node;

use std::time::Duration;

use game::{Buttons, Frame, Input, Seat};
use protocol::{Channel, ClientSession, DialectEntry, Output, Plan, Status, Time};

#[allow(unused_imports, reason = "every test file uses another part of it")]
pub use self::network::{Conditions, Network};
pub use node::{Lobby, Node};

/// One tick.
pub const TICK: Duration = Duration::from_micros(16_667);
/// The virtual clock starts at a round moment, so that timestamps in dumps are easy to read.
pub const START: Time = Time::from_micros(1_700_000_000_000_000);

/// The name of a client within a simulation; also its address.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct ClientId(pub usize);

/// A client, what it saw last, and what its player does.
pub struct Client {
    pub session: Box<dyn ClientSession>,
    pub door: &'static DialectEntry,
    /// The newest Frame taken from the session; its events are only those of the last take.
    pub frame: Frame,
    /// How many Frames were taken.
    pub frames: usize,
    pub input: Input,
    /// The port that its datagrams go to.
    port: u16,
    /// Its process is gone: nothing is driven or delivered any more.
    pub is_dead: bool,
    /// What the session refused as malformed: must stay 0 with our own server.
    pub malformed: usize,
}

/// The whole system.
pub struct Simulation {
    pub now: Time,
    pub network: Network,
    pub node: Node,
    pub clients: Vec<Client>,
}

impl Simulation {
    /// An empty node on a perfect network.
    pub fn new(seed: u64) -> Simulation {
        Simulation { now: START, network: Network::new(seed), node: Node::new(START, seed), clients: Vec::new() }
    }

    /// Starts a client that connects to the node's door; in a lobby of its own where the dialect has lobbies.
    pub fn join(&mut self, door: &'static DialectEntry, name: &str) -> ClientId {
        self.join_lobby(door, name, None)
    }

    /// Starts a client that connects to the node's door and, where the dialect has lobbies, asks for this one.
    pub fn join_lobby(&mut self, door: &'static DialectEntry, name: &str, lobby: Option<String>) -> ClientId {
        let plan = Plan { name: name.into(), lobby, stage: self.node.stage.clone(), ..Plan::at(self.now) };
        self.clients.push(Client {
            session: (door.connect)(plan),
            door,
            frame: Frame::default(),
            frames: 0,
            input: Input::IDLE,
            port: door.port,
            is_dead: false,
            malformed: 0,
        });
        ClientId(self.clients.len() - 1)
    }

    /// The player holds these buttons from now on.
    pub fn hold(&mut self, client: ClientId, held: Buttons) {
        self.clients[client.0].input = Input::holding(held);
    }

    /// The player taps these buttons in the next tick.
    pub fn tap(&mut self, client: ClientId, pressed: Buttons) {
        self.clients[client.0].input.pressed = pressed;
    }

    /// The client's process dies without a word.
    pub fn kill(&mut self, client: ClientId) {
        self.clients[client.0].is_dead = true;
    }

    /// Lets milliseconds pass, in ticks.
    pub fn run_ms(&mut self, ms: u64) {
        let end = self.now + Duration::from_millis(ms);
        while self.now < end {
            self.tick();
        }
    }

    /// Runs until something holds, for a limited time; whether it came to hold.
    pub fn run_until(&mut self, at_most_ms: u64, mut holds: impl FnMut(&mut Simulation) -> bool) -> bool {
        let end = self.now + Duration::from_millis(at_most_ms);
        while self.now < end {
            if holds(self) {
                return true;
            }
            self.tick();
        }
        holds(self)
    }

    /// One tick of everything.
    pub fn tick(&mut self) {
        self.now = self.now + TICK;
        for packet in self.network.due_to_node(self.now) {
            self.node.receive(self.now, &packet, &mut self.network);
        }
        self.node.tick(self.now, &mut self.network);
        for packet in self.network.due_to_clients(self.now) {
            let client = &mut self.clients[packet.client.0];
            if !client.is_dead && client.session.receive(self.now, packet.channel, &packet.bytes).is_err() {
                client.malformed += 1;
            }
        }
        for index in 0..self.clients.len() {
            self.drive_client(ClientId(index));
        }
    }

    fn drive_client(&mut self, id: ClientId) {
        let client = &mut self.clients[id.0];
        if client.is_dead {
            return;
        }
        client.session.advance(self.now);
        client.session.press(self.now, client.input);
        client.input = client.input.without_presses();
        let mut buffer = Vec::new();
        while let Some(output) = client.session.poll(self.now, &mut buffer) {
            match output {
                Output::Datagram => self.network.send_to_node(self.now, id, client.port, Channel::Datagram, &buffer),
                Output::Stream => self.network.send_to_node(self.now, id, client.door.port, Channel::Stream, &buffer),
                Output::CloseStream => self.node.stream_closed(id),
                Output::DatagramsTo(port) => client.port = port,
            }
        }
        self.open_stream(id);
        let client = &mut self.clients[id.0];
        if client.session.take_frame(&mut client.frame) {
            client.frames += 1;
        }
    }

    /// A client of a dialect that uses TCP has its connection from the beginning.
    fn open_stream(&mut self, id: ClientId) {
        let client = &self.clients[id.0];
        self.node.stream_opened(self.now, id, client.door);
    }

    /// What the client sees now.
    pub fn seen(&self, client: ClientId) -> &Frame {
        &self.clients[client.0].frame
    }

    /// The client's seat, which must be known.
    pub fn seat(&self, client: ClientId) -> Seat {
        self.clients[client.0].session.seat().expect("the client has a seat")
    }

    pub fn status(&self, client: ClientId) -> Status {
        self.clients[client.0].session.status()
    }

    /// The lobby that the node seated the client in.
    pub fn lobby(&self, client: ClientId) -> &Lobby {
        let lobby = self.node.lobby_of(client).expect("the client is in a lobby");
        &self.node.lobbies[lobby]
    }

    /// The lobby that the node seated the client in, to spawn things in its world.
    pub fn lobby_mut(&mut self, client: ClientId) -> &mut Lobby {
        let lobby = self.node.lobby_of(client).expect("the client is in a lobby");
        &mut self.node.lobbies[lobby]
    }
}
