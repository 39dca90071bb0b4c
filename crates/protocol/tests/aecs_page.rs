//! The session in bytes on the page of `aecs` is what the two halves of a session really say to each other.

use std::fmt::Write;
use std::time::Duration;

use game::{Buttons, Entity, EntityId, Frame, GameState, Input, Kind, Seat, Vec2, px};
use protocol::aecs::ENTRY;
use protocol::{Channel, ClientSession, Output, Plan, Scale, Scene, ServerSession, Time, Welcome};

mod page;

/// Both halves, and all that they said.
struct Talk {
    now: Time,
    server: Box<dyn ServerSession>,
    client: Box<dyn ClientSession>,
    scene: Scene,
    lines: Vec<(&'static str, Vec<u8>)>,
}

impl Talk {
    fn new(frame: Frame) -> Talk {
        let now = Time::from_micros(0);
        let (seat, scale) = (Seat::ALL[0], Scale::default());
        let plan = Plan { scale, ..Plan::at(now) };
        let mut scene = Scene::new("stage1");
        scene.frame = frame;
        let server = (ENTRY.accept)(Welcome { seat, now, started: now, scale, numbers: protocol::Numbers::default() });
        Talk { now, server, client: (ENTRY.connect)(plan), scene, lines: Vec::new() }
    }

    /// The server shows its Frame, and what it says reaches the client or not.
    fn publish(&mut self, is_lost: bool) {
        self.scene.update(self.now);
        self.server.publish(self.now, &self.scene);
        self.server_says(is_lost);
    }

    fn server_says(&mut self, is_lost: bool) {
        let mut buffer = Vec::new();
        while let Some(output) = self.server.poll(self.now, &mut buffer) {
            let channel = if output == Output::Datagram { Channel::Datagram } else { Channel::Stream };
            if output == Output::CloseStream {
                continue;
            }
            self.lines.push(("server", buffer.clone()));
            if !is_lost {
                self.client.receive(self.now, channel, &buffer).expect("the server speaks well");
            }
        }
    }

    fn client_says(&mut self) {
        let mut buffer = Vec::new();
        while let Some(output) = self.client.poll(self.now, &mut buffer) {
            assert_eq!(output, Output::Datagram);
            self.lines.push(("client", buffer.clone()));
            self.server.receive(self.now, Channel::Datagram, &buffer).expect("the client speaks well");
        }
    }

    fn press(&mut self, held: Buttons) {
        self.client.press(self.now, Input::holding(held));
        self.client_says();
    }
}

#[test]
fn the_session_on_the_page_is_what_the_halves_say() {
    let ship = Entity::new(EntityId(1), Kind::Player, Vec2::new(px(40), px(135)));
    let ship = Entity { health: 1, health_max: 1, seat: Some(Seat::ALL[0]), lives: 3, ..ship };
    let pellet = Entity::new(EntityId(7), Kind::Pellet, Vec2::new(px(200), px(100)));
    let mut frame = Frame { state: GameState::Running, stage: 1, entities: vec![ship, pellet], ..Frame::default() };
    frame.tick.0 = 600;
    let mut talk = Talk::new(frame);
    talk.publish(false);
    talk.client_says();
    talk.server_says(false);
    talk.scene.frame.tick.0 = 601;
    talk.publish(false);
    talk.client_says();
    talk.press(Buttons::RIGHT);
    talk.scene.frame.tick.0 = 602;
    talk.scene.frame.entities[0].position.x = px(42);
    talk.scene.frame.entities[0].velocity.x = px(2);
    talk.publish(true);
    talk.scene.frame.tick.0 = 603;
    talk.scene.frame.entities.pop();
    talk.publish(false);
    talk.client_says();
    talk.press(Buttons::RIGHT | Buttons::FIRE);
    talk.press(Buttons::NONE);
    talk.now = talk.now + Duration::from_millis(1_001);
    talk.client.advance(talk.now);
    talk.press(Buttons::NONE);
    talk.server_says(false);
    let shown = page::session(include_str!("../../../docs/protocols/aecs.md"));
    assert_eq!(text(&shown), text(&talk.lines));
}

fn text(lines: &[(&str, Vec<u8>)]) -> String {
    let mut text = String::new();
    for (who, bytes) in lines {
        let hex: String = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
        writeln!(text, "{who} {hex}").expect("a String takes all");
    }
    text
}
