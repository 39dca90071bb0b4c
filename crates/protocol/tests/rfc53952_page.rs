//! The short session in bytes that the page of `rfc53952` shows is what the two halves say to each other.

use game::{Buttons, Entity, EntityId, GameState, Input, Kind, Seat, Vec2, px};
use protocol::Channel;

mod page;
mod peers_rfc53952;
use peers_rfc53952::{Joined, Served, at, ship};

/// Both halves, and all that they said.
struct Table {
    served: Served,
    joined: Joined,
    said: Vec<(&'static str, Vec<u8>)>,
}

impl Table {
    /// Carries packets to and fro until nobody has more to say.
    fn talk(&mut self, ms: u64) {
        loop {
            let from_client = self.joined.said(ms);
            from_client.iter().for_each(|packet| self.served.hear(ms, packet));
            let from_server = self.served.said(ms);
            from_server.iter().for_each(|packet| self.joined.hear(ms, packet));
            if from_client.is_empty() && from_server.is_empty() {
                return;
            }
            self.said.extend(from_client.into_iter().map(|packet| ("client", packet)));
            self.said.extend(from_server.into_iter().map(|packet| ("server", packet)));
        }
    }

    fn show(&mut self, ms: u64, entities: &[Entity]) {
        self.served.scene.frame.entities = entities.to_vec();
        self.served.session.publish(at(ms), &self.served.scene);
        self.talk(ms);
    }
}

#[test]
fn the_session_on_the_page_is_what_the_halves_say() {
    let mut table = Table { served: Served::new(), joined: Joined::new(), said: Vec::new() };
    table.talk(0);
    table.served.scene.frame.state = GameState::Running;
    table.show(20, &[ship()]);
    table.joined.0.press(at(40), Input::holding(Buttons::RIGHT));
    table.talk(40);
    assert_eq!(table.served.session.input(at(40)).held, Buttons::RIGHT);
    let moved = Entity { position: Vec2::new(px(42), px(135)), velocity: Vec2::new(px(2), 0), ..ship() };
    table.show(60, &[moved]);
    table.joined.0.press(at(1_000), Input::tapping(Buttons::FIRE));
    table.talk(1_000);
    let shot = Entity::new(EntityId(2), Kind::Shot, Vec2::new(px(55), px(135)));
    table.show(1_020, &[ship(), Entity { seat: Some(Seat::ALL[0]), ..shot }]);
    table.show(1_040, &[ship()]);
    table.joined.0.leave(at(1_060));
    table.talk(1_060);
    let page = page::session(include_str!("../../../docs/protocols/rfc53952.md"));
    let written: Vec<String> = table.said.iter().map(|(who, bytes)| line(who, bytes)).collect();
    let shown: Vec<String> = page.iter().map(|(who, bytes)| line(who, bytes)).collect();
    assert!(written == shown, "the page should show:\n{}", written.join("\n"));
    assert!(table.served.session.receive(at(1_080), Channel::Datagram, &table.said[0].1).is_ok());
}

/// A line as the page has it: the fields of the header and those of the data apart.
fn line(who: &str, bytes: &[u8]) -> String {
    let data: &[usize] = match bytes[4] {
        5 => &[4, bytes.len() - 27, 4, 4],
        7 => &[4, 4, 4, 4, 4],
        6 | 8 => &[4, bytes.len() - 19],
        9 => &[1, bytes.len() - 16],
        10 => &[1, 8],
        _ => &[],
    };
    let mut rest = bytes;
    let mut line = who.to_string();
    for &size in [4, 1, 8, 2].iter().chain(data).filter(|&&size| size > 0) {
        let (field, behind) = rest.split_at(size);
        line.push(' ');
        line.extend(field.iter().map(|byte| format!("{byte:02x}")));
        rest = behind;
    }
    line
}
