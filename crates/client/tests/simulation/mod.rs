//! A lobby and a client with a bad network between them, in one thread, under a seed.

use std::time::Duration;

use client::{Client, Key, Options, Score, Table, Task};
use game::{
    Arms, Counts, Dice, Event, Frame, GameState, Input, Mode, PlayerTally, Practice, Rank, Ranked, Rules, Seat,
    ShipModel, Skill, Stage, Tick, World,
};
pub use network::Conditions;
use network::{Binding, Direction, Message, Network};
use protocol::{
    Channel, Dialect, GameId, LinkSession, LobbyDetails, LobbyId, LobbyNotice, LobbyRequest, LobbySummary, Member,
    Output, Pace, PlayerKind, Refusal, Scene, ServerSession, Tally, TallyLine, Time, Token, volley,
};

/// What happens in one step of the simulation: a quarter of a tick.
const STEP: Duration = Duration::from_nanos(1_000_000_000 / 240);
pub const SEAT: Seat = Seat::ALL[0];
/// The id of every game here.
pub const GAME: GameId = GameId(0x2a);
const FRIEND: Seat = Seat::ALL[1];

/// The pace of the lobby, as a node handles it.
#[derive(Default)]
struct Pacing {
    pace: Pace,
    turns: u32,
    awaiting: Option<Time>,
}

impl Pacing {
    fn set(&mut self, now: Time, pace: Pace) {
        let before = std::mem::replace(&mut self.pace, pace);
        self.awaiting = (before == Pace::Paused && pace != Pace::Paused).then_some(now);
    }

    fn is_tick(&mut self, now: Time, can_go_on: bool) -> bool {
        self.turns += 1;
        self.awaiting = self.awaiting.filter(|since| !can_go_on && now.since(*since) < Duration::from_millis(500));
        match self.pace {
            _ if self.awaiting.is_some() => false,
            Pace::Full => true,
            Pace::Slow => !self.turns.is_multiple_of(4),
            Pace::Paused => false,
        }
    }
}

/// A lobby, a client, and the network between.
pub struct Simulation {
    pub now: Time,
    steps: u64,
    pub world: World,
    scene: Scene,
    pub server: volley::Server,
    is_seated: bool,
    pacing: Pacing,
    /// A second player, without a client.
    friend: Option<RandomPilot>,
    network: Network<(), (Channel, Vec<u8>)>,
    pub client: Client,
    /// How many steps lie between two pictures of the client's display.
    pub display_steps: u64,
    pub is_connected: bool,
    /// Whether the lobby refuses to seat the client.
    pub is_full: bool,
    /// Whether it refuses because its game is over.
    pub is_over: bool,
    /// Whether it refuses because its host has kicked the client, whose seat is gone.
    pub is_kicked: bool,
    /// Whether a lost game starts again at once.
    pub restarts: bool,
    /// Ticks in which the client's ship was lost.
    pub losses: Vec<Tick>,
    pub tasks: Vec<(Task, Vec<u8>)>,
    /// The stage and rules of the last lobby that the client made.
    pub created: Option<(String, Rules)>,
    /// The ship that the client asked for last.
    pub ship: Option<ShipModel>,
    /// Bots that the client has added.
    pub bots: Vec<(Seat, Skill)>,
    /// Who is told to be the host of the lobby.
    pub host: Option<Seat>,
    /// The lobbies that are listed.
    pub listed: Vec<LobbySummary>,
    /// All that the client asked for.
    pub asked: Vec<LobbyRequest>,
    /// What every table of high scores has in it.
    pub scores: Vec<Score>,
    /// Who did not fly in the stage, says its tally.
    pub spectator: Option<Seat>,
    /// Only tables whose query has this in it: the others are empty.
    pub scored: &'static str,
    /// What the two people in the lobby are called.
    pub names: [&'static str; 2],
}

/// A player who flies about at random and fires now and then.
pub struct RandomPilot {
    dice: Dice,
    held: Vec<Key>,
}

impl Simulation {
    pub fn new(stage: &str, seed: u64, conditions: Conditions, company: bool, options: Options) -> Simulation {
        let now = Time::from_micros(1_700_000_000_000_000);
        let stage = Stage::built_in(stage).expect("it is built in");
        let world = World::new(stage.clone(), Rules { lives: 9, ..Rules::default() }, seed);
        Simulation {
            now,
            steps: 0,
            world,
            scene: Scene::new(&stage.name),
            server: volley::Server::new(now),
            is_seated: false,
            pacing: Pacing::default(),
            friend: company.then(|| RandomPilot::new(seed ^ 0xf0)),
            network: Network::new(seed, conditions),
            client: Client::new(now, options),
            display_steps: 1,
            is_connected: false,
            is_full: false,
            is_over: false,
            is_kicked: false,
            restarts: true,
            losses: Vec::new(),
            tasks: Vec::new(),
            created: None,
            ship: None,
            bots: Vec::new(),
            host: Some(SEAT),
            listed: listed(),
            asked: Vec::new(),
            scores: Vec::new(),
            spectator: None,
            scored: "",
            names: ["Ann", "Bob"],
        }
    }

    /// Alone, from one of the checkpoints of a stage.
    pub fn from_checkpoint(stage: &str, checkpoint: u8, seed: u64, conditions: Conditions) -> Simulation {
        let sim = Simulation::new(stage, seed, conditions, false, at_once());
        let practice = Practice { checkpoint, arms: Arms::default() };
        let rules = Rules { mode: Mode::Practice(practice), ..sim.world.rules() };
        let stage = Stage::built_in(stage).expect("it is built in");
        Simulation { world: World::new(stage, rules, seed), ..sim }
    }

    /// The lobby goes on with another stage, as a node does after one that was won.
    pub fn enter(&mut self, stage: std::sync::Arc<Stage>) {
        self.world.enter(stage.clone());
        self.scene.stage_name.clone_from(&stage.name);
        self.server.notify(self.now, &LobbyNotice::Stage(&stage));
    }

    /// A quarter of a tick.
    pub fn step(&mut self) {
        self.steps += 1;
        self.now = self.now + STEP;
        for (channel, bytes) in self.arrived(Direction::Up) {
            self.server.receive(self.now, channel, &bytes).expect("well-formed");
        }
        if self.steps.is_multiple_of(4) {
            self.tick();
        }
        self.carry_down();
        for (channel, bytes) in self.arrived(Direction::Down) {
            self.client.receive(self.now, channel, &bytes);
        }
        if self.steps.is_multiple_of(self.display_steps) {
            self.client.advance(self.now);
        }
        self.carry_up();
    }

    pub fn run_ms(&mut self, ms: u64) {
        (0..ms * 240 / 1000).for_each(|_| self.step());
    }

    pub fn run_until(&mut self, ms: u64, mut is_so: impl FnMut(&Simulation) -> bool) -> bool {
        (0..ms * 240 / 1000).any(|_| {
            self.step();
            is_so(self)
        })
    }

    /// The connection breaks, and with it the server's session. Messages on their way are lost.
    pub fn cut(&mut self) {
        self.is_connected = false;
        self.server = volley::Server::new(self.now);
        self.is_seated = false;
        self.pacing = Pacing::default();
        self.network.clear();
        self.client.disconnected(self.now);
    }

    fn tick(&mut self) {
        self.server.advance(self.now);
        while let Some(wish) = self.server.lobby_request() {
            self.grant(wish);
        }
        if !self.pacing.is_tick(self.now, self.server.can_resume()) {
            if self.pacing.pace == Pace::Paused && self.pacing.turns.is_multiple_of(30) {
                self.scene.frame.events.clear();
                self.server.publish(self.now, &self.scene);
            }
            return;
        }
        let mut inputs = [Input::IDLE; game::SEATS];
        if self.is_seated {
            inputs[SEAT.index()] = self.server.input(self.now);
        }
        if let Some(friend) = &mut self.friend {
            inputs[FRIEND.index()] = friend.input();
        }
        let before = self.world.game_state();
        self.world.tick(&inputs);
        if self.world.game_state() != before {
            self.tell_tally();
        }
        if self.restarts && self.world.game_state() == GameState::Lost {
            self.world.restart();
        }
        self.world.frame_into(&mut self.scene.frame);
        let is_loss = |event: &Event| matches!(event, Event::Killed { seat, .. } if *seat == SEAT);
        if self.scene.frame.events.iter().any(is_loss) {
            self.losses.push(self.scene.frame.tick);
        }
        self.scene.update(self.now);
        if self.is_seated {
            self.server.publish(self.now, &self.scene);
        }
    }

    /// As a node does when a stage is won or a game is lost.
    fn tell_tally(&mut self) {
        let state = self.world.game_state();
        if !self.is_seated || !matches!(state, GameState::Won | GameState::Lost) {
            return;
        }
        // Nothing follows the stages of these tests.
        let ranked = if state == GameState::Won { Ranked::Stage } else { Ranked::Game };
        let line = |player: PlayerTally| TallyLine { name: ["Ann", "Bob", "", ""][player.seat.index()].into(), player };
        let mut players: Vec<TallyLine> = self.world.tally(ranked).map(line).collect();
        if let Some(line) = players.iter_mut().find(|line| Some(line.player.seat) == self.spectator) {
            (line.player.stage, line.player.rank) = (Counts::default(), Rank::D);
        }
        let tally = Tally {
            game: GAME,
            is_won: state == GameState::Won,
            is_scored: self.world.rules().is_scored(),
            score: self.world.frame().score,
            players,
        };
        self.server.notify(self.now, &LobbyNotice::Tally(&tally));
    }

    fn grant(&mut self, wish: LobbyRequest) {
        if let LobbyRequest::Create { stage, rules, .. } = &wish {
            self.created = Some((stage.clone(), *rules));
        }
        self.asked.push(wish.clone());
        let code = LobbyId::new("VOLLEY").expect("a code");
        match wish {
            LobbyRequest::Join { .. } if self.is_full => {
                self.server.notify(self.now, &LobbyNotice::Refused(Refusal::Full))
            }
            LobbyRequest::Join { .. } if self.is_over => {
                self.server.notify(self.now, &LobbyNotice::Refused(Refusal::NotNow))
            }
            LobbyRequest::Rejoin { .. } if self.is_kicked => {
                self.server.notify(self.now, &LobbyNotice::Refused(Refusal::TooLate))
            }
            LobbyRequest::Join { .. } if self.is_kicked => {
                self.server.notify(self.now, &LobbyNotice::Refused(Refusal::Kicked))
            }
            LobbyRequest::Quick
            | LobbyRequest::Join { .. }
            | LobbyRequest::Rejoin { .. }
            | LobbyRequest::Create { .. } => {
                self.world.join(SEAT);
                self.ship.into_iter().for_each(|ship| self.world.choose_ship(SEAT, ship));
                if self.friend.is_some() {
                    self.world.join(FRIEND);
                }
                self.is_seated = true;
                self.server.notify(self.now, &LobbyNotice::Seated { code, seat: SEAT, token: Token([7; 16]) });
                let stage = self.world.stage().clone();
                self.server.notify(self.now, &LobbyNotice::Stage(&stage));
                self.tell_lobby(code);
            }
            LobbyRequest::Pace(pace) => {
                let pace = if self.friend.is_some() { Pace::Full } else { pace };
                self.pacing.set(self.now, pace);
                self.server.notify(self.now, &LobbyNotice::Pace(pace));
            }
            LobbyRequest::Watch { code } => {
                self.world.join(FRIEND);
                self.world.start();
                self.friend = Some(RandomPilot::new(7));
                self.is_seated = true;
                self.server.notify(self.now, &LobbyNotice::Watching { code });
                let stage = self.world.stage().clone();
                self.server.notify(self.now, &LobbyNotice::Stage(&stage));
                self.server.notify(self.now, &LobbyNotice::Lobby(&lobby_details(code, &self.world, true)));
            }
            LobbyRequest::List => self.server.notify(self.now, &LobbyNotice::Lobbies(&self.listed)),
            LobbyRequest::AddBot(skill) => {
                let free = Seat::ALL.into_iter().find(|seat| self.seats_taken() <= seat.index());
                self.bots.extend(free.map(|seat| (seat, skill)));
                self.tell_lobby(code);
            }
            LobbyRequest::Kick { seat } => {
                self.bots.retain(|(bot, _)| *bot != seat);
                self.tell_lobby(code);
            }
            LobbyRequest::Start if self.world.game_state() == GameState::Lost => self.world.restart(),
            LobbyRequest::Start => self.world.start(),
            LobbyRequest::Say { text } => {
                self.server.notify(self.now, &LobbyNotice::Said { seat: Some(SEAT), name: "Ann", text: &text });
            }
            LobbyRequest::Emote(emote) => self.server.notify(self.now, &LobbyNotice::Emote { seat: SEAT, emote }),
            LobbyRequest::Ship(ship) => {
                self.ship = Some(ship);
                self.world.choose_ship(SEAT, ship);
                if self.is_seated {
                    self.tell_lobby(code);
                }
            }
            LobbyRequest::LeaveLobby => {
                self.is_seated = false;
                // Time is the lobby's, and an empty one starts again.
                self.pacing = Pacing::default();
                self.world.leave(SEAT, game::Departure::Left);
                self.server.notify(self.now, &LobbyNotice::LeftLobby);
            }
            _ => {}
        }
    }

    fn seats_taken(&self) -> usize {
        1 + usize::from(self.friend.is_some()) + self.bots.len()
    }

    /// Tells the client who is in the lobby.
    pub fn tell_lobby(&mut self, code: LobbyId) {
        let mut details = lobby_details(code, &self.world, self.friend.is_some());
        details.host = self.host;
        for (member, name) in details.members.iter_mut().zip(self.names) {
            member.name = name.into();
        }
        details.members.extend(self.bots.iter().map(|(seat, skill)| Member {
            seat: *seat,
            name: format!("Bot {}", seat.number() + 1),
            kind: PlayerKind::Bot(*skill),
            is_ready: false,
            is_away: false,
            ship: ShipModel::of_seat(*seat),
        }));
        self.server.notify(self.now, &LobbyNotice::Lobby(&details));
    }

    fn send_up(&mut self, channel: Channel, bytes: &[u8]) {
        self.network.send_up(since_1970(self.now), (), message(channel, bytes));
    }

    fn send_down(&mut self, channel: Channel, bytes: &[u8]) {
        self.network.send_down(since_1970(self.now), (), Binding::default(), message(channel, bytes));
    }

    fn arrived(&mut self, direction: Direction) -> Vec<(Channel, Vec<u8>)> {
        let next = || self.network.poll_direction(since_1970(self.now), direction);
        std::iter::from_fn(next).map(|arrival| arrival.payload).collect()
    }

    fn carry_down(&mut self) {
        let mut buffer = Vec::new();
        while let Some(output) = self.server.poll(self.now, &mut buffer) {
            match output {
                Output::Datagram => self.send_down(Channel::Datagram, &buffer),
                Output::Stream if self.is_connected => self.send_down(Channel::Stream, &buffer),
                _ => {}
            }
        }
    }

    fn carry_up(&mut self) {
        let mut buffer = Vec::new();
        while let Some(action) = self.client.poll(self.now, &mut buffer) {
            match action {
                Task::Connect => {
                    self.is_connected = true;
                    self.client.connected(self.now);
                }
                Task::Datagram => self.send_up(Channel::Datagram, &buffer),
                Task::Stream => self.send_up(Channel::Stream, &buffer),
                Task::FetchScores => {
                    self.tasks.push((Task::FetchScores, buffer.clone()));
                    let query = String::from_utf8_lossy(&buffer);
                    let scores = if query.contains(self.scored) { self.scores.clone() } else { Vec::new() };
                    self.client.scores(self.now, &query, Table::Scores(scores));
                }
                other => self.tasks.push((other, buffer.clone())),
            }
        }
    }
}

fn since_1970(time: Time) -> Duration {
    Duration::from_micros(time.micros())
}

fn message(channel: Channel, bytes: &[u8]) -> Message<(Channel, Vec<u8>)> {
    let payload = (channel, bytes.to_vec());
    match channel {
        Channel::Datagram => Message::datagram(bytes.len(), payload),
        Channel::Stream => Message::stream(bytes.len(), payload),
    }
}

/// A lobby that waits, with a bot in it, and one that is full.
fn listed() -> Vec<LobbySummary> {
    let member = |seat: usize, name: &str, kind| Member {
        seat: Seat::ALL[seat],
        name: name.into(),
        kind,
        is_ready: false,
        is_away: false,
        ship: ShipModel::of_seat(Seat::ALL[seat]),
    };
    let person = PlayerKind::Person;
    let waiting = LobbySummary {
        code: LobbyId::new("VOLLEY").expect("a code"),
        stage: "stage1".into(),
        state: GameState::Waiting,
        players: 1,
        rules: Rules::default(),
        host: Some(SEAT),
        members: vec![member(0, "Béatrice", person(Dialect::Volley)), member(1, "Bot 2", PlayerKind::Bot(Skill::Good))],
    };
    let full = LobbySummary {
        code: LobbyId::new("WXYZ29").expect("a code"),
        stage: "endless".into(),
        state: GameState::Running,
        players: 4,
        host: None,
        members: vec![
            member(0, "", person(Dialect::Typeuh)),
            member(1, "Cid", person(Dialect::Snapshot)),
            member(2, "A name of 20 letters", person(Dialect::Rfc53952)),
            member(3, "Dot", person(Dialect::Aecs)),
        ],
        ..waiting.clone()
    };
    vec![waiting, full]
}

fn lobby_details(code: LobbyId, world: &World, company: bool) -> LobbyDetails {
    let member = |seat: Seat, name: &str| Member {
        seat,
        name: name.into(),
        kind: PlayerKind::Person(Dialect::Volley),
        is_ready: true,
        is_away: false,
        ship: ShipModel::of_seat(seat),
    };
    let mut members = vec![member(SEAT, "Ann")];
    members.extend(company.then(|| member(FRIEND, "Bob")));
    let (stage, rules) = (world.stage().name.clone(), world.rules());
    LobbyDetails { code, stage, rules, is_private: false, watchers: 0, host: Some(SEAT), members }
}

impl RandomPilot {
    pub fn new(seed: u64) -> RandomPilot {
        RandomPilot { dice: Dice::new(seed), held: Vec::new() }
    }

    /// The keys that go up and down now.
    pub fn keys(&mut self) -> Vec<(Key, bool)> {
        let mut keys = Vec::new();
        if self.dice.below(12) == 0 {
            keys.extend(self.held.drain(..).map(|key| (key, false)));
            let ways = [Key::ARROW_LEFT, Key::ARROW_RIGHT, Key::ARROW_RIGHT, Key::ARROW_UP, Key::ARROW_DOWN];
            self.held = (0..self.dice.below(3)).map(|_| self.dice.pick(&ways)).collect();
            keys.extend(self.held.iter().map(|key| (*key, true)));
        }
        if self.dice.below(30) == 0 {
            keys.extend([(Key::Z, true), (Key::Z, false)]);
        }
        keys
    }

    fn input(&mut self) -> Input {
        self.keys();
        let held = self.held.iter().fold(game::Buttons::NONE, |held, key| {
            held | match *key {
                Key::ARROW_LEFT => game::Buttons::LEFT,
                Key::ARROW_RIGHT => game::Buttons::RIGHT,
                Key::ARROW_UP => game::Buttons::UP,
                _ => game::Buttons::DOWN,
            }
        });
        Input::holding(held)
    }
}

/// Options that start a game at once.
pub fn at_once() -> Options {
    Options { quick: true, ..Options::new(Dialect::Volley) }
}

/// The player's ship as it is drawn.
pub fn drawn_ship(frame: &Frame) -> Option<&game::Entity> {
    frame.ship(SEAT)
}
