//! Lobbies of a dialect that names them but has no list (`rfc2020`), as a player meets them: create one with a choice of maps,
//! see and share its code, join one by its code, and start. Behind the client are the dialect's own desk and session. The
//! pictures are left in `target/tmp/lobbies_by_code`, to be looked at.

mod kept_picture;

use std::{collections::VecDeque, time::Duration};

use client::{Client, Key, Options, Task, draw::Picture};
use game::{GameState, Input, Rules, Seat, Stage, World};
use protocol::{
    Channel, Desk, DeskAnswer, DeskQuestion, Dialect, LobbyId, Output, Scale, Scene, ServerSession, StreamUse, Time,
    Welcome, rfc2020::ENTRY,
};

const TICK: Duration = Duration::from_micros(16_667);
const CODE: &str = "KXWQ29";
const PORT: u16 = 24_500;

/// A client of `rfc2020`, and a node with one lobby that it can make or find.
struct Party {
    now: Time,
    client: Client,
    desk: Option<Box<dyn Desk>>,
    session: Option<Box<dyn ServerSession>>,
    world: World,
    scene: Scene,
    /// What the client wants of its window.
    tasks: Vec<(Task, String)>,
    /// What is on its way to the client.
    down: VecDeque<(Channel, Vec<u8>)>,
    /// Questions that were asked at the desk.
    asked: Vec<DeskQuestion>,
}

impl Party {
    fn new(options: Options) -> Party {
        let now = Time::from_micros(1_700_000_000_000_000);
        let mut world = World::new(Stage::endless(), Rules::default(), 7);
        // Somebody else is there already.
        world.join(Seat::ALL[2]);
        Party {
            now,
            client: Client::new(now, options),
            desk: None,
            session: None,
            world,
            scene: Scene::new("endless"),
            tasks: Vec::new(),
            down: VecDeque::new(),
            asked: Vec::new(),
        }
    }

    fn run_ms(&mut self, ms: u64) {
        let end = self.now + Duration::from_millis(ms);
        while self.now < end {
            self.now = self.now + TICK;
            self.serve();
            while let Some((channel, bytes)) = self.down.pop_front() {
                self.client.receive(self.now, channel, &bytes);
            }
            self.client.advance(self.now);
            self.carry_out();
        }
    }

    fn tap(&mut self, key: Key) {
        self.client.key(self.now, key, true);
        self.client.key(self.now, key, false);
        self.run_ms(100);
    }

    fn carry_out(&mut self) {
        let mut buffer = Vec::new();
        while let Some(task) = self.client.poll(self.now, &mut buffer) {
            match task {
                Task::Connect => {
                    let StreamUse::Desk(open) = ENTRY.stream else { panic!("it has a desk") };
                    self.desk = Some(open(self.now));
                    self.client.connected(self.now);
                }
                Task::Stream => self.ask(&buffer),
                Task::Datagram => self.hear(&buffer),
                Task::DatagramsTo(port) => assert_eq!(port, PORT),
                Task::CloseStream => self.desk = None,
                task => self.tasks.push((task, String::from_utf8(buffer.clone()).expect("text"))),
            }
        }
    }

    /// The desk knows one lobby and the built-in stages.
    fn ask(&mut self, bytes: &[u8]) {
        let Some(desk) = &mut self.desk else { return };
        desk.receive(self.now, bytes).expect("well formed");
        while let Some(question) = desk.question() {
            let id = LobbyId::new(CODE).expect("a code");
            let is_there = match &question {
                DeskQuestion::Find(code) => *code == id,
                DeskQuestion::Create { stage } => Stage::built_in(stage).is_some(),
                DeskQuestion::Impossible => false,
            };
            if let DeskQuestion::Create { stage } = &question {
                self.scene.stage_name = stage.clone();
            }
            self.asked.push(question);
            desk.answer(self.now, if is_there { DeskAnswer::Lobby { port: PORT, id } } else { DeskAnswer::Nothing });
        }
        let mut buffer = Vec::new();
        while let Some(output) = desk.poll(&mut buffer) {
            if output == Output::Stream {
                self.down.push_back((Channel::Stream, buffer.clone()));
            }
        }
    }

    fn hear(&mut self, bytes: &[u8]) {
        let (now, world) = (self.now, &mut self.world);
        let session = self.session.get_or_insert_with(|| {
            world.join(Seat::ALL[0]);
            let numbers = protocol::Numbers::default();
            (ENTRY.accept)(Welcome { seat: Seat::ALL[0], now, started: now, scale: Scale::default(), numbers })
        });
        session.receive(now, Channel::Datagram, bytes).expect("well formed");
    }

    fn serve(&mut self) {
        let Some(session) = &mut self.session else { return };
        session.advance(self.now);
        let mut inputs = [Input::IDLE; 4];
        inputs[0] = session.input(self.now);
        while session.request().is_some() {
            self.world.start();
        }
        self.world.tick(&inputs);
        self.world.frame_into(&mut self.scene.frame);
        self.scene.update(self.now);
        session.publish(self.now, &self.scene);
        let mut buffer = Vec::new();
        while session.poll(self.now, &mut buffer).is_some() {
            self.down.push_back((Channel::Datagram, buffer.clone()));
        }
    }

    fn keep(&mut self, name: &str) -> Picture {
        let mut picture = Picture::new();
        self.client.draw(self.now, &mut picture);
        kept_picture::keep("lobbies_by_code", name, &mut picture);
        picture
    }

    fn state(&self) -> Option<GameState> {
        self.client.shown().map(|frame| frame.state)
    }
}

fn at_title(settings: &str) -> Options {
    Options { settings: settings.into(), ..Options::new(Dialect::Rfc2020) }
}

fn looks() -> impl Iterator<Item = (String, String)> {
    let both = |language| ["normal", "large"].map(move |text| (language, text));
    ["english", "french"]
        .into_iter()
        .flat_map(both)
        .map(|(language, text)| (format!("{language}-{text}"), format!("language = {language}\ntext = {text}\n")))
}

#[test]
fn a_player_creates_a_lobby_with_a_choice_of_maps_sees_and_shares_its_code_and_starts_when_ready() {
    for (look, settings) in looks() {
        let mut party = Party::new(at_title(&settings));
        party.run_ms(100);
        party.keep(&format!("title-{look}"));
        // The second line creates a lobby; there the first one is its map.
        [Key::ARROW_DOWN, Key::ENTER].into_iter().for_each(|key| party.tap(key));
        party.tap(Key::ARROW_RIGHT);
        party.keep(&format!("create-{look}"));
        [Key::ARROW_DOWN, Key::ENTER].into_iter().for_each(|key| party.tap(key));
        party.run_ms(3_000);
        let stage = game::stage::BUILT_IN[1].0;
        assert_eq!(party.asked, [DeskQuestion::Create { stage: stage.into() }], "the map that was chosen");
        assert_eq!(party.state(), Some(GameState::Waiting), "{look}: it waits until its player wants to start");
        party.keep(&format!("waiting-{look}"));
        // The second line shares the code.
        [Key::ARROW_DOWN, Key::ENTER].into_iter().for_each(|key| party.tap(key));
        assert!(party.tasks.contains(&(Task::ShareLobby, CODE.into())), "{:?}", party.tasks);
        party.client.lobby_shared(party.now, true);
        party.keep(&format!("copied-{look}"));
        [Key::ESCAPE, Key::ARROW_UP, Key::ENTER].into_iter().for_each(|key| party.tap(key));
        party.run_ms(300);
        assert_eq!((party.state(), party.world.game_state()), (Some(GameState::Running), GameState::Running));
        party.keep(&format!("game-{look}"));
    }
}

#[test]
fn a_player_joins_a_lobby_by_its_code_from_the_title_and_from_the_command_line() {
    for (look, settings) in looks() {
        let mut party = Party::new(at_title(&settings));
        party.run_ms(100);
        [Key::ARROW_DOWN, Key::ARROW_DOWN, Key::ENTER].into_iter().for_each(|key| party.tap(key));
        CODE.to_lowercase().chars().for_each(|character| party.client.text(party.now, character));
        party.keep(&format!("code-{look}"));
        party.tap(Key::ENTER);
        party.run_ms(500);
        assert_eq!(party.asked, [DeskQuestion::Find(LobbyId::new(CODE).expect("a code"))]);
        assert_eq!(party.state(), Some(GameState::Waiting));
        party.keep(&format!("joined-{look}"));
    }
    let mut party = Party::new(Options { lobby: Some(CODE.into()), ..at_title("") });
    party.run_ms(500);
    assert_eq!(party.state(), Some(GameState::Waiting));
    let mut party = Party::new(Options { create: Some("stage1".into()), ..at_title("") });
    party.run_ms(500);
    assert_eq!(party.asked, [DeskQuestion::Create { stage: "stage1".into() }]);
    assert_eq!(party.state(), Some(GameState::Waiting));
}

#[test]
fn play_now_makes_a_lobby_and_starts_it_at_once() {
    let mut party = Party::new(at_title(""));
    party.run_ms(100);
    party.tap(Key::ENTER);
    party.run_ms(500);
    assert_eq!(party.state(), Some(GameState::Running));
}

#[test]
fn from_an_unknown_lobby_there_is_a_way_back_to_another_try() {
    for (look, settings) in looks() {
        let mut party = Party::new(Options { lobby: Some("ZZZZZZ".into()), ..at_title(&settings) });
        party.run_ms(500);
        assert_eq!(party.state(), None, "the title");
        party.keep(&format!("unknown-{look}"));
        [Key::ARROW_DOWN, Key::ENTER, Key::ARROW_DOWN, Key::ENTER].into_iter().for_each(|key| party.tap(key));
        party.run_ms(500);
        assert_eq!((party.state(), party.asked.len()), (Some(GameState::Waiting), 2), "{look}: a new lobby");
    }
}

#[test]
fn a_lost_connection_is_made_again_to_the_same_lobby() {
    let mut party = Party::new(Options { create: Some("stage1".into()), ..at_title("") });
    party.run_ms(500);
    party.session = None;
    party.client.disconnected(party.now);
    party.run_ms(2_000);
    assert_eq!(party.asked[1..], [DeskQuestion::Find(LobbyId::new(CODE).expect("a code"))], "not another new one");
}
