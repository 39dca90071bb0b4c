//! The session in bytes that `docs/protocols/snapshot.md` shows is what the real halves say.

use std::time::Duration;

use game::{Buttons, Entity, EntityId, Event, Input, Kind, Seat};
use protocol::{Channel, ClientSession, End, Scene, ServerSession, Status, Time, Welcome, snapshot::ENTRY};

mod page;
mod snapshot_halves;
use snapshot_halves::*;

#[test]
fn the_session_on_the_page_is_what_the_halves_say() {
    let page = page::session(include_str!("../../../docs/protocols/snapshot.md"));
    let spoken = short_session();
    let text = |session: &[(&str, Vec<u8>)]| {
        let line = |(who, bytes): &(&str, Vec<u8>)| format!("{who} {}\n", spaced(bytes));
        session.iter().map(line).collect::<String>()
    };
    assert_eq!(text(&page), text(&spoken), "the page should say:\n{}", text(&spoken));
}

/// Ann joins a game in which Bob plays, flies to the right, and fires; Bob is killed and goes; the node shuts down.
fn short_session() -> Vec<(&'static str, Vec<u8>)> {
    let mut spoken = Vec::new();
    let (mut client, mut scene) = (connect("Ann"), Scene::new("endless"));
    let (ann, bob) = (Seat::ALL[0], Seat::ALL[1]);
    scene.seat_taken(ann, "Ann");
    scene.seat_taken(bob, "Bob");
    let mut server = (ENTRY.accept)(Welcome { started: START - Duration::from_secs(1), ..welcome(0) });
    let ship = |seat, x| Entity { seat: Some(seat), ..Entity::new(EntityId(1), Kind::Player, at_px(x, 100)) };
    let shot = Entity { seat: Some(ann), ..Entity::new(EntityId(3), Kind::Shot, at_px(70, 100)) };
    let ships = vec![ship(ann, 40), Entity { id: EntityId(2), animation: 1, ..ship(bob, 60) }];
    let script: [(Input, Vec<Entity>, Vec<Event>); 4] = [
        (Input::IDLE, vec![], vec![]),
        (Input::holding(Buttons::RIGHT), ships, vec![]),
        (Input { held: Buttons::NONE, pressed: Buttons::FIRE }, vec![ship(ann, 42), shot], vec![killed(1)]),
        (Input::IDLE, vec![ship(ann, 42)], vec![Event::Left { seat: bob }]),
    ];
    for (step, (input, entities, events)) in script.into_iter().enumerate() {
        let now = at(step as u64 * 50);
        client.press(now, input);
        for datagram in drain_client(&mut client, now) {
            server.receive(now, Channel::Datagram, &datagram).unwrap();
            spoken.push(("client", datagram));
        }
        if step > 0 {
            (scene.frame.entities, scene.frame.events) = (entities, events);
            if scene.frame.events.contains(&Event::Left { seat: bob }) {
                scene.seat_left(bob);
            }
            scene.update(now);
            server.publish(now, &scene);
        }
        hear(&mut server, &mut client, now, &mut spoken);
    }
    server.end(at(200), End::Closed);
    hear(&mut server, &mut client, at(200), &mut spoken);
    assert_eq!(client.status(), Status::Ended(End::Dropped));
    spoken
}

fn hear(
    server: &mut Box<dyn ServerSession>,
    client: &mut Box<dyn ClientSession>,
    now: Time,
    spoken: &mut Vec<(&'static str, Vec<u8>)>,
) {
    for datagram in drain(server, now) {
        client.receive(now, Channel::Datagram, &datagram).unwrap();
        spoken.push(("server", datagram));
    }
}

fn spaced(bytes: &[u8]) -> String {
    let hex = |bytes: &[u8]| bytes.iter().map(|byte| format!("{byte:02x}")).collect::<String>();
    let (head, payload) = bytes.split_at(7);
    format!("{} {} {} {}", hex(&head[..1]), hex(&head[1..3]), hex(&head[3..]), hex(payload)).trim_end().into()
}
