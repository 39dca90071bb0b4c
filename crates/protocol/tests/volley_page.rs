//! The session in bytes of `docs/protocols/volley.md` is what the two halves of a session say.

mod page;

use std::fmt::Write;

use game::{Buttons, Entity, EntityId, Event, Frame, GameState, Input, Kind, Player, Seat, Stage, Vec2, px};
use protocol::{
    Channel, ClientSession, LinkSession, LobbyId, LobbyNotice, Output, Plan, Scene, ServerSession, Time, Token,
    volley::{Client, Server},
};

struct Talk {
    now: Time,
    server: Server,
    client: Client,
    scene: Scene,
    lines: Vec<(&'static str, Vec<u8>)>,
}

impl Talk {
    fn new() -> Talk {
        let now = Time::from_micros(1_700_000_000_000_000);
        let plan = Plan { name: "Ann".into(), ..Plan::at(now) };
        Talk {
            now,
            server: Server::new(now),
            client: Client::new(plan),
            scene: Scene::new("sketch"),
            lines: Vec::new(),
        }
    }

    fn client_says(&mut self) {
        let mut buffer = Vec::new();
        while let Some(output) = self.client.poll(self.now, &mut buffer) {
            let channel = if output == Output::Datagram { Channel::Datagram } else { Channel::Stream };
            self.note("client", channel, &buffer);
            self.server.receive(self.now, channel, &buffer).expect("the client speaks well");
        }
    }

    fn server_says(&mut self, is_lost: bool) {
        let mut buffer = Vec::new();
        while let Some(output) = self.server.poll(self.now, &mut buffer) {
            let channel = if output == Output::Datagram { Channel::Datagram } else { Channel::Stream };
            self.note("server", channel, &buffer);
            if !is_lost {
                self.client.receive(self.now, channel, &buffer).expect("the server speaks well");
            }
        }
    }

    /// One line for each message of a stream.
    fn note(&mut self, who: &'static str, channel: Channel, bytes: &[u8]) {
        let mut rest = bytes;
        while channel == Channel::Stream
            && let Ok(Some(message)) = protocol::volley::wire::control::next_message(rest, usize::MAX)
        {
            self.lines.push((who, rest[..message.len() + 2].to_vec()));
            rest = &rest[message.len() + 2..];
        }
        if channel == Channel::Datagram {
            self.lines.push((who, bytes.to_vec()));
        }
    }

    fn tick(&mut self, held: Buttons, is_lost: bool) {
        self.client.press(self.now, Input::holding(held));
        self.client_says();
        let _ = self.server.input(self.now);
        self.scene.frame.tick.0 += 1;
        self.server.publish(self.now, &self.scene);
        self.server_says(is_lost);
        self.scene.frame.events.clear();
    }
}

fn frame() -> Frame {
    let ship = Entity::new(EntityId(1), Kind::Player, Vec2::new(px(64), px(108)));
    let ship = Entity { health: 1, health_max: 1, seat: Some(Seat::ALL[0]), lives: 3, ..ship };
    let pellet =
        Entity { velocity: Vec2::new(-512, 0), ..Entity::new(EntityId(7), Kind::Pellet, Vec2::new(px(200), px(100))) };
    let player = Player { ship: Some(EntityId(1)), lives: 3, ..Player::of(Seat::ALL[0]) };
    let mut frame = Frame { state: GameState::Running, stage: 1, entities: vec![ship, pellet], ..Frame::default() };
    frame.players[0] = Some(player);
    frame.tick.0 = 599;
    frame
}

#[test]
fn the_session_on_the_page_is_what_the_halves_say() {
    let mut talk = Talk::new();
    talk.scene.frame = frame();
    talk.client_says();
    talk.server_says(false);
    talk.client_says();
    let (code, seat) = (LobbyId::from_number(1_000), Seat::ALL[0]);
    talk.server.notify(talk.now, &LobbyNotice::Seated { code, seat, token: Token(*b"sixteen bytes of") });
    talk.server.notify(talk.now, &LobbyNotice::Stage(&Stage::sketch(&["###", "...", "..#"])));
    talk.server_says(false);
    talk.client_says();
    talk.tick(Buttons::NONE, false);
    // The pellet flies on by itself.
    talk.scene.frame.entities[1].position.x -= 512;
    talk.tick(Buttons::RIGHT, false);
    // The ship begins to fly, which is lost.
    talk.scene.frame.entities[0].position.x += 448;
    talk.scene.frame.entities[0].velocity.x = 448;
    talk.scene.frame.entities[1].position.x -= 512;
    talk.tick(Buttons::RIGHT, true);
    // The pellet is gone.
    talk.scene.frame.entities[0].position.x += 448;
    talk.scene.frame.entities.truncate(1);
    talk.scene.frame.events.push(Event::Destroyed { entity: EntityId(7), gone: game::Gone::Destroyed });
    talk.tick(Buttons::RIGHT, false);
    talk.client.leave(talk.now);
    talk.client_says();
    talk.server_says(false);
    let shown = page::session(include_str!("../../../docs/protocols/volley.md"));
    let (shown, said) = (text(&shown), text(&talk.lines));
    assert_eq!(shown, said, "{said}");
}

fn text(lines: &[(&str, Vec<u8>)]) -> String {
    let mut text = String::new();
    for (who, bytes) in lines {
        let hex: String = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
        writeln!(text, "{who} {hex}").expect("a String takes all");
    }
    text
}
