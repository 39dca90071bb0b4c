//! Media without sockets: a node's core, or a client session, under virtual time, with a bug between it and the case.

use std::{
    collections::{BTreeMap, VecDeque},
    io,
    net::{Ipv4Addr, SocketAddr},
    time::Duration,
};

use game::{Buttons, Frame, Input, Stage, units::SUBPIXELS};
use protocol::{Channel, ClientSession, Dialect, End, Output, Plan, Status, StreamUse, Time};
use server::core::{Core, Effect, Endpoint, PeerKey, Settings, StreamId};
use toolkit::conform::{
    question::{About, Question},
    trial::TrialDirection,
    trial_network::{Ends, Line, PeerEvent, PeerMessage, TrialNetwork},
};

use super::bugs::{Bug, Passage, Passing};

const START: Time = Time::from_micros(1_700_000_000_000_000);
const TICK: Duration = Duration::from_micros(16_667);
/// Where lines begin to count their ports.
const FIRST_PORT: u16 = 10_000;

fn address(line: usize) -> SocketAddr {
    SocketAddr::from((Ipv4Addr::LOCALHOST, FIRST_PORT + line as u16))
}

fn settings() -> Settings {
    let stages: Vec<_> = ["endless", "stage1"].iter().filter_map(|name| Stage::built_in(name)).collect();
    let stage = stages[0].clone();
    Settings { lobbies_max: 1, ..Settings::new(stages, stage, 42, [7; 32]) }
}

/// What a line leads to.
#[derive(Clone, Copy)]
enum Leads {
    Datagrams(PeerKey),
    Stream(StreamId, SocketAddr),
}

/// A node of one shard.
pub struct NodeMedium {
    dialect: Dialect,
    now: Time,
    core: Core,
    lines: Vec<Leads>,
    ready: VecDeque<PeerMessage>,
    bug: Option<Passage>,
}

impl NodeMedium {
    pub fn new(dialect: Dialect, bug: Option<&Bug>) -> NodeMedium {
        NodeMedium {
            dialect,
            now: START,
            core: Core::new(START, settings()),
            lines: Vec::new(),
            ready: VecDeque::new(),
            bug: bug.map(|bug| (bug.make)()),
        }
    }

    fn add(&mut self, leads: Leads) -> Line {
        self.lines.push(leads);
        Line(self.lines.len() - 1)
    }

    /// What the bug makes of something that passes.
    fn pass(&mut self, direction: TrialDirection, line: Line, bytes: &[u8]) -> Vec<Passing> {
        let is_stream = self.is_stream(line);
        pass(&mut self.bug, Passing { direction, line, now: self.now, bytes: bytes.to_vec(), is_stream })
    }

    fn is_stream(&self, line: Line) -> bool {
        matches!(self.lines[line.0], Leads::Stream(..))
    }

    fn deliver(&mut self, passed: Vec<Passing>) {
        let mut passed = VecDeque::from(passed);
        while let Some(Passing { direction, line, bytes, is_stream, .. }) = passed.pop_front() {
            if direction == TrialDirection::ToPeer {
                self.send_to_node(line, &bytes);
                passed.extend(self.collect());
            } else {
                self.ready.push_back(message(line, is_stream, bytes));
            }
        }
    }

    fn send_to_node(&mut self, line: Line, bytes: &[u8]) {
        match self.lines[line.0] {
            Leads::Datagrams(peer) => self.core.datagram(self.now, peer, bytes),
            Leads::Stream(stream, _) => self.core.stream_bytes(self.now, stream, bytes),
        }
    }

    /// What the node wants to say, after the bug has seen it.
    fn collect(&mut self) -> Vec<Passing> {
        let mut said = Vec::new();
        let mut opened = Vec::new();
        loop {
            while let Some(effect) = self.core.poll() {
                match effect {
                    Effect::SendDatagram { peer, bytes } => {
                        let is_it = |leads: &Leads| matches!(leads, Leads::Datagrams(to) if to.address == peer.address && to.endpoint == peer.endpoint);
                        let line = self.lines.iter().rposition(is_it).expect("somebody whom we know");
                        said.push((Line(line), bytes.to_vec()));
                    }
                    Effect::SendStream { stream, bytes } => said.push((Line(stream.0 as usize), bytes.to_vec())),
                    // The end of a stream is an empty piece of it.
                    Effect::CloseStream(stream) => said.push((Line(stream.0 as usize), Vec::new())),
                    Effect::OpenPort { port, .. } => opened.push(port),
                    _ => {}
                }
            }
            let Some(port) = opened.pop() else { break };
            self.core.port_opened(self.now, port, true);
        }
        let mut passed = Vec::new();
        for (line, bytes) in said {
            passed.extend(self.pass(TrialDirection::FromPeer, line, &bytes));
        }
        passed
    }

    fn settle(&mut self) {
        let passed = self.collect();
        self.deliver(passed);
    }
}

fn message(line: Line, is_stream: bool, bytes: Vec<u8>) -> PeerMessage {
    let event = match (is_stream, bytes.is_empty()) {
        (true, true) => PeerEvent::Closed,
        (true, false) => PeerEvent::Stream,
        (false, _) => PeerEvent::Datagram,
    };
    PeerMessage { line, event, bytes }
}

fn pass(bug: &mut Option<Passage>, passing: Passing) -> Vec<Passing> {
    match bug {
        None => vec![passing],
        Some(bug) => {
            let mut passed = Vec::new();
            bug(passing, &mut passed);
            passed
        }
    }
}

impl TrialNetwork for NodeMedium {
    fn now(&self) -> Time {
        self.now
    }

    fn open(&mut self, port: Option<u16>) -> io::Result<Line> {
        let at = port.map_or(Endpoint::Door(self.dialect), |port| Endpoint::Lobby(self.dialect, port));
        Ok(self.add(Leads::Datagrams(PeerKey::new(at, address(self.lines.len())))))
    }

    fn connect(&mut self) -> io::Result<Line> {
        let number = self.lines.len();
        let stream = StreamId(number as u64);
        let line = self.add(Leads::Stream(stream, address(number)));
        self.core.stream_opened(self.now, PeerKey::at_door(self.dialect, address(number)), stream);
        self.settle();
        Ok(line)
    }

    fn open_beside(&mut self, stream: Line) -> io::Result<Line> {
        let address = address(stream.0);
        Ok(self.add(Leads::Datagrams(PeerKey::at_door(self.dialect, address))))
    }

    fn listen(&mut self) -> io::Result<u16> {
        Err(io::ErrorKind::Unsupported.into())
    }

    fn send(&mut self, line: Line, bytes: &[u8]) {
        let passed = self.pass(TrialDirection::ToPeer, line, bytes);
        self.deliver(passed);
    }

    fn close(&mut self, line: Line) {
        if let Leads::Stream(stream, _) = self.lines[line.0] {
            self.core.stream_closed(self.now, stream);
            self.settle();
        }
    }

    fn receive(&mut self, until: Time) -> Option<PeerMessage> {
        loop {
            if let Some(message) = self.ready.pop_front() {
                return Some(message);
            }
            if self.now >= until {
                return None;
            }
            self.now = (self.now + TICK).min(until);
            self.core.advance(self.now);
            self.settle();
        }
    }

    fn ends(&self, line: Line) -> Ends {
        let door = SocketAddr::from((Ipv4Addr::LOCALHOST, self.dialect.entry().port));
        match self.lines[line.0] {
            Leads::Datagrams(peer) => Ends { ours: peer.address, peers: door, channel: Channel::Datagram },
            Leads::Stream(_, ours) => Ends { ours, peers: door, channel: Channel::Stream },
        }
    }

    fn is_refused(&self) -> bool {
        false
    }

    fn ask(&mut self, _question: &Question) -> Option<bool> {
        None
    }
}

/// A client session whose player flies about.
pub struct ClientMedium {
    dialect: Dialect,
    now: Time,
    session: Box<dyn ClientSession>,
    frame: Frame,
    /// The port that datagrams go to; each has a line of its own.
    port: u16,
    datagram_lines: BTreeMap<u16, Line>,
    stream_line: Option<Line>,
    lines: usize,
    ready: VecDeque<PeerMessage>,
    bug: Option<Passage>,
}

impl ClientMedium {
    pub fn new(dialect: Dialect, bug: Option<&Bug>) -> ClientMedium {
        let session = dialect.connect(Plan { name: "Ann".into(), ..Plan::at(START) });
        let mut network = ClientMedium {
            dialect,
            now: START,
            session,
            frame: Frame::default(),
            port: dialect.entry().port,
            datagram_lines: BTreeMap::new(),
            stream_line: None,
            lines: 0,
            ready: VecDeque::new(),
            bug: bug.map(|bug| (bug.make)()),
        };
        if !matches!(dialect.entry().stream, StreamUse::None) {
            let line = network.add();
            network.stream_line = Some(line);
            network.ready.push_back(PeerMessage { line, event: PeerEvent::Opened, bytes: Vec::new() });
        }
        network
    }

    fn add(&mut self) -> Line {
        self.lines += 1;
        Line(self.lines - 1)
    }

    fn datagram_line(&mut self) -> Line {
        match self.datagram_lines.get(&self.port) {
            Some(line) => *line,
            None => {
                let line = self.add();
                self.datagram_lines.insert(self.port, line);
                line
            }
        }
    }

    fn send_to_client(&mut self, line: Line, bytes: &[u8]) {
        let channel = if Some(line) == self.stream_line { Channel::Stream } else { Channel::Datagram };
        // What is malformed is dropped, as a client does that plays over sockets.
        let _ = self.session.receive(self.now, channel, bytes);
        self.session.take_frame(&mut self.frame);
    }

    fn drive(&mut self) {
        if matches!(self.session.status(), Status::Ended(_)) {
            return;
        }
        self.session.advance(self.now);
        self.session.press(self.now, keys(self.now));
        let mut buffer = Vec::new();
        while let Some(output) = self.session.poll(self.now, &mut buffer) {
            match output {
                Output::Datagram => {
                    let line = self.datagram_line();
                    self.said(line, &buffer);
                }
                Output::Stream => self.said(self.stream_line.expect("it has a stream"), &buffer),
                Output::CloseStream => {
                    let line = self.stream_line.expect("it has a stream");
                    self.ready.push_back(PeerMessage { line, event: PeerEvent::Closed, bytes: Vec::new() });
                }
                Output::DatagramsTo(port) => self.port = port,
            }
        }
        self.session.take_frame(&mut self.frame);
    }

    fn said(&mut self, line: Line, bytes: &[u8]) {
        let is_stream = Some(line) == self.stream_line;
        let passing =
            Passing { direction: TrialDirection::FromPeer, line, now: self.now, bytes: bytes.to_vec(), is_stream };
        let passed = pass(&mut self.bug, passing);
        self.deliver(passed);
    }

    fn deliver(&mut self, passed: Vec<Passing>) {
        for Passing { direction, line, bytes, is_stream, .. } in passed {
            if direction == TrialDirection::ToPeer {
                self.send_to_client(line, &bytes);
            } else {
                self.ready.push_back(message(line, is_stream, bytes));
            }
        }
    }

    fn shows(&self, kind: &str, x: i32, y: i32) -> bool {
        self.frame.entities.iter().any(|entity| {
            let (dx, dy) = (entity.position.x / SUBPIXELS - x, entity.position.y / SUBPIXELS - y);
            entity.kind.name() == kind && dx.abs() <= 20 && dy.abs() <= 20
        })
    }

    fn ended(&self) -> Option<End> {
        match self.session.status() {
            Status::Ended(end) => Some(end),
            _ => None,
        }
    }
}

/// A player who presses everything in turn.
fn keys(now: Time) -> Input {
    let ways =
        [Buttons::UP, Buttons::RIGHT | Buttons::FIRE, Buttons::DOWN, Buttons::LEFT, Buttons::FORCE, Buttons::NONE];
    Input::holding(ways[now.since(START).as_millis() as usize / 250 % ways.len()])
}

impl TrialNetwork for ClientMedium {
    fn now(&self) -> Time {
        self.now
    }

    fn open(&mut self, _port: Option<u16>) -> io::Result<Line> {
        Err(io::ErrorKind::Unsupported.into())
    }

    fn connect(&mut self) -> io::Result<Line> {
        Err(io::ErrorKind::Unsupported.into())
    }

    fn open_beside(&mut self, _stream: Line) -> io::Result<Line> {
        Err(io::ErrorKind::Unsupported.into())
    }

    fn listen(&mut self) -> io::Result<u16> {
        Ok(FIRST_PORT)
    }

    fn send(&mut self, line: Line, bytes: &[u8]) {
        let is_stream = Some(line) == self.stream_line;
        let passing =
            Passing { direction: TrialDirection::ToPeer, line, now: self.now, bytes: bytes.to_vec(), is_stream };
        let passed = pass(&mut self.bug, passing);
        self.deliver(passed);
    }

    fn close(&mut self, line: Line) {
        if Some(line) == self.stream_line {
            self.send(line, &[]);
        }
    }

    fn receive(&mut self, until: Time) -> Option<PeerMessage> {
        loop {
            if let Some(message) = self.ready.pop_front() {
                return Some(message);
            }
            if self.now >= until {
                return None;
            }
            self.now = (self.now + TICK).min(until);
            self.drive();
        }
    }

    fn ends(&self, line: Line) -> Ends {
        let port = self.datagram_lines.iter().find(|(_, known)| **known == line).map(|(port, _)| *port);
        let ours = SocketAddr::from((Ipv4Addr::LOCALHOST, port.unwrap_or(self.dialect.entry().port)));
        let channel = if Some(line) == self.stream_line { Channel::Stream } else { Channel::Datagram };
        Ends { ours, peers: address(0), channel }
    }

    fn is_refused(&self) -> bool {
        false
    }

    fn ask(&mut self, question: &Question) -> Option<bool> {
        let ships = || self.frame.entities.iter().filter(|entity| entity.kind.name() == "player").count();
        Some(match &question.about {
            About::Refused => {
                matches!(self.ended(), Some(End::Full | End::Refused | End::LobbyFull | End::NoLobby | End::NoStage))
            }
            About::Lost => matches!(self.ended(), Some(End::TimedOut | End::Dropped | End::Closed | End::LobbyClosed)),
            About::Entity { kind, x, y } => self.shows(kind, *x, *y),
            About::NoEntity { kind } => !self.frame.entities.iter().any(|entity| entity.kind.name() == *kind),
            About::Score(score) => self.frame.score == *score,
            About::Lives(lives) => self.frame.players.iter().flatten().any(|player| player.lives == *lives),
            About::Ships(count) => ships() == *count,
        })
    }
}
