//! The session in bytes that `docs/protocols/typeuh.md` shows is what both halves really say.

use std::time::Duration;

use game::{Buttons, Entity, EntityId, Frame, GameState, Input, Kind, Seat, Vec2, px};
use protocol::typeuh::ENTRY;
use protocol::{Channel, ClientSession, Plan, Scale, Scene, ServerSession, Time, Welcome};

mod page;

/// Chosen so that the first repair comes at the end.
const START: Time = Time::from_micros(1_700_000_000_300_000);
const TICK: Duration = Duration::from_micros(16_667);

/// Both halves, the scene between, and all that was said.
struct Table {
    now: Time,
    scene: Scene,
    server: Box<dyn ServerSession>,
    client: Box<dyn ClientSession>,
    said: Vec<(&'static str, Vec<u8>)>,
}

impl Table {
    fn new() -> Table {
        let (seat, scale) = (Seat::ALL[0], Scale::default());
        let plan = Plan { scale, ..Plan::at(START) };
        let mut scene = Scene::new("endless");
        scene.frame = Frame { state: GameState::Running, stage: 1, entities: vec![ship()], ..Frame::default() };
        Table {
            now: START,
            scene,
            server: (ENTRY.accept)(Welcome {
                seat,
                now: START,
                started: START,
                scale,
                numbers: protocol::Numbers::default(),
            }),
            client: (ENTRY.connect)(plan),
            said: Vec::new(),
        }
    }

    /// Lets time pass; then the player does something, and the server shows the scene.
    fn pass(&mut self, time: Duration, input: Input) {
        self.now = self.now + time;
        let mut buffer = Vec::new();
        self.client.advance(self.now);
        self.client.press(self.now, input);
        while self.client.poll(self.now, &mut buffer).is_some() {
            self.server.receive(self.now, Channel::Datagram, &buffer).expect("well formed");
            self.said.push(("client", buffer.clone()));
        }
        self.scene.update(self.now);
        self.server.publish(self.now, &self.scene);
        while self.server.poll(self.now, &mut buffer).is_some() {
            self.client.receive(self.now, Channel::Datagram, &buffer).expect("well formed");
            self.said.push(("server", buffer.clone()));
        }
    }
}

fn ship() -> Entity {
    let (health, health_max) = (1, 1);
    let seat = Some(Seat::ALL[0]);
    Entity { health, health_max, seat, lives: 3, ..Entity::new(EntityId(1), Kind::Player, Vec2::new(px(40), px(135))) }
}

fn play() -> Table {
    let mut table = Table::new();
    table.pass(TICK, Input::IDLE);
    // The ship flies.
    table.scene.frame.entities[0].position.x += px(2);
    table.scene.frame.entities[0].velocity.x = px(2);
    let right = Input::holding(Buttons::RIGHT);
    table.pass(TICK, right);
    table.pass(3 * TICK, right);
    // It rests and fires.
    table.scene.frame.entities[0].velocity.x = 0;
    let position = Vec2::new(px(55), px(135));
    let shot = Entity { seat: Some(Seat::ALL[0]), ..Entity::new(EntityId(2), Kind::Shot, position) };
    table.scene.frame.entities.push(shot);
    table.pass(TICK, Input::tapping(Buttons::FIRE));
    // The shot hits something.
    table.scene.frame.entities.pop();
    table.scene.frame.score = 100;
    table.pass(TICK, Input::IDLE);
    table.pass(5 * TICK, Input::IDLE);
    table.pass(Duration::from_millis(900), Input::IDLE);
    table
}

#[test]
fn the_session_on_the_page_is_what_the_halves_say() {
    let said = play().said;
    let page = page::session(include_str!("../../../docs/protocols/typeuh.md"));
    let line = |(who, bytes): &(&str, Vec<u8>)| {
        let hex: String = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
        format!("{who} {hex}")
    };
    let said: Vec<String> = said.iter().map(line).collect();
    let page: Vec<String> = page.iter().map(line).collect();
    assert_eq!(page, said, "what is said:\n{}", said.join("\n"));
}

#[test]
fn the_client_sees_the_session_on_the_page() {
    let mut table = play();
    let mut frame = Frame::default();
    assert!(table.client.take_frame(&mut frame));
    let flown = Entity { position: Vec2::new(px(42), px(135)), ..ship() };
    assert_eq!((frame.score, frame.entities), (100, vec![flown]));
    assert_eq!(table.client.seat(), Some(Seat::ALL[0]));
}
