//! The rulings of `typeuh` about what is sent of the game (T4) and said again after loss (T5), on bytes as a foreign peer
//! would see them.

use std::time::Duration;

use game::{Attached, Entity, EntityId, Event, Frame, GameState, Gone, Kind, Seat, Side, Tick, Vec2, px};
use protocol::typeuh::component::{Component, ComponentName};
use protocol::typeuh::wire::Instruction;

mod typeuh_by_hand;
use typeuh_by_hand::*;

// ---- T4: components ----

#[test]
fn t4_every_entity_carries_its_components() {
    let own = Entity { velocity: Vec2::new(256, -128), animation: 4, charge: 200, ..ship(5, 0) };
    let other = ship(6, 2);
    let force = Entity {
        seat: Some(Seat::ALL[2]),
        attached: Some(Attached { to: EntityId(6), side: Side::Back }),
        ..Entity::new(EntityId(70_000), Kind::Force, Vec2::new(px(1) + 64, -px(1)))
    };
    let foe = Entity { health: 3, health_max: 300, ..Entity::new(EntityId(70_001), Kind::Gunship, Vec2::ZERO) };
    let mut server = Server::new();
    server.scene.frame = Frame {
        tick: Tick(1),
        state: GameState::Running,
        stage: 3,
        score: 0x0102_0304,
        entities: vec![own, other, force, foe],
        ..Frame::default()
    };
    let said = server.tick();
    let expected: &[(u16, &[Component])] = &[
        (0, &[Component::Score(0x0102_0304), Component::Game { state: 1, stage: 3 }]),
        (
            1,
            &[
                Component::Position { x: 160.0, y: 540.0 },
                Component::Velocity { x: 240.0, y: -120.0 },
                Component::Kind(1),
                Component::Health { now: 1, max: 1 },
                Component::Animation(4),
                Component::Player { seat: 0 },
                Component::Charge(200),
                Component::Lives(3),
                Component::Own,
            ],
        ),
        (
            2,
            &[
                Component::Position { x: 160.0, y: 540.0 },
                Component::Velocity { x: 0.0, y: 0.0 },
                Component::Kind(1),
                Component::Health { now: 1, max: 1 },
                Component::Animation(0),
                Component::Player { seat: 2 },
                Component::Charge(0),
                Component::Lives(3),
            ],
        ),
        (
            3,
            &[
                Component::Position { x: 5.0, y: -4.0 },
                Component::Velocity { x: 0.0, y: 0.0 },
                Component::Kind(2),
                Component::Animation(0),
                Component::Player { seat: 2 },
                Component::Attached { entity: 2, side: 1 },
            ],
        ),
        (
            4,
            &[
                Component::Position { x: 0.0, y: 0.0 },
                Component::Velocity { x: 0.0, y: 0.0 },
                Component::Kind(43),
                Component::Health { now: 3, max: 300 },
                Component::Animation(0),
            ],
        ),
    ];
    let mut instructions = Vec::new();
    for &(id, components) in expected {
        instructions.push(create(id));
        for &component in components {
            instructions.extend([attach(id, component.name()), Instruction::update(id, component)]);
        }
    }
    assert_eq!(read(&said[1..]), instructions);
}

#[test]
fn t4_the_client_rebuilds_what_components_say() {
    let mut client = Client::playing();
    let update = Instruction::update;
    client.told(&[
        create(0),
        update(0, Component::Score(77)),
        update(0, Component::Game { state: 1, stage: 2 }),
        create(9),
        update(9, Component::Position { x: 160.0, y: 540.0 }),
        update(9, Component::Velocity { x: 240.0, y: -120.0 }),
        update(9, Component::Kind(1)),
        update(9, Component::Health { now: 1, max: 2 }),
        update(9, Component::Animation(5)),
        update(9, Component::Charge(3)),
        update(9, Component::Lives(4)),
        attach(9, ComponentName::Own),
        update(9, Component::Player { seat: 2 }),
    ]);
    let frame = client.frame();
    assert_eq!((frame.score, frame.state, frame.stage), (77, GameState::Running, 2));
    let seen = Entity {
        velocity: Vec2::new(256, -128),
        health: 1,
        health_max: 2,
        animation: 5,
        charge: 3,
        lives: 4,
        ..ship(9, 2)
    };
    assert_eq!(frame.entities, [seen]);
    assert!(frame.events.contains(&Event::StateChanged { state: GameState::Running }));
    assert_eq!(client.session.seat(), Some(Seat::ALL[2]));
    assert_eq!(frame.players[2].map(|player| (player.ship, player.lives)), Some((Some(EntityId(9)), 4)));
    client.told(&[delete(9)]);
    let frame = client.frame();
    assert_eq!(frame.players[2].map(|player| (player.ship, player.lives)), Some((None, 4)), "waits for a new ship");
    assert_eq!(client.session.seat(), Some(Seat::ALL[2]));
}

#[test]
fn t4_only_the_ship_with_own_tells_the_players_seat() {
    let seat = |seat| Instruction::update(1, Component::Player { seat });
    let mut client = Client::playing();
    client.told(&[create(1), seat(3)]);
    assert_eq!(client.session.seat(), None, "somebody else's");
    client.told(&[Instruction::update(1, Component::Own)]);
    assert_eq!(client.session.seat(), Some(Seat::ALL[3]), "an update attaches (T5)");
    client.told(&[delete(1), create(1), seat(2)]);
    assert_eq!(client.session.seat(), Some(Seat::ALL[3]), "the id was used again");
    client.told(&[attach(1, ComponentName::Own), detach(1, ComponentName::Own), seat(0)]);
    assert_eq!(client.session.seat(), Some(Seat::ALL[2]));
    client.wait(3_100 * MS);
    client.told(&[create(1), seat(1)]);
    assert_eq!(client.session.seat(), Some(Seat::ALL[2]));
}

#[test]
fn t4_numbers_that_mean_nothing_are_left_out() {
    let mut client = Client::playing();
    let update = Instruction::update;
    client.told(&drone(1));
    client.told(&[
        update(1, Component::Player { seat: 9 }),
        update(1, Component::Attached { entity: 3, side: 2 }),
        update(1, Component::Position { x: f32::NAN, y: f32::INFINITY }),
        update(1, Component::Game { state: 200, stage: 1 }),
        create(2),
        update(2, Component::Kind(60_000)),
        update(2, Component::Position { x: 0.0, y: 0.0 }),
        create(3),
        update(3, Component::Kind(30)),
        update(4, Component::Kind(30)),
    ]);
    let frame = client.frame();
    assert_eq!(frame.state, GameState::Waiting);
    let far = Vec2::new(0, 1 << 24);
    assert_eq!(frame.entities, [Entity::new(EntityId(1), Kind::Drone, far)], "no kind, no place, never created");
}

// ---- T5: loss ----

#[test]
fn t5_only_what_changed_is_said_each_tick() {
    let mut server = Server::showing(&[ship(5, 0), shot(6)]);
    let quiet = server.ticks(2);
    assert!(quiet.iter().all(|(_, said)| said.is_empty()), "{quiet:?}");
    server.scene.frame.entities[1].position.x += px(1);
    server.scene.frame.score = 5;
    let said = read(&server.tick());
    let moved = Component::Position { x: 404.0, y: 200.0 };
    assert_eq!(said, [Instruction::update(0, Component::Score(5)), Instruction::update(2, moved)]);
}

#[test]
fn t5_every_live_entity_is_said_again_in_full_each_second_spread_evenly() {
    let crowd: Vec<Entity> = std::iter::once(ship(5, 0)).chain((6..125).map(shot)).collect();
    let mut server = Server::showing(&crowd);
    let said = server.ticks(300);
    let most =
        said.iter().map(|(_, said)| said.iter().filter(|it| matches!(it, Instruction::CreateEntity { .. })).count());
    assert!(most.max() <= Some(6), "121 entities over 54 ticks");
    for id in 0..=120 {
        let times: Vec<Duration> =
            said.iter().filter(|(_, said)| said.contains(&create(id))).map(|(at, _)| *at).collect();
        assert!(times[0] <= 1000 * MS, "{id}");
        assert!(times.windows(2).all(|pair| pair[1] - pair[0] <= 1000 * MS), "{id}: {times:?}");
        assert!((5..=6).contains(&times.len()), "{id}: {}", times.len());
    }
    let (_, own) = said.iter().find(|(_, said)| said.contains(&create(1))).expect("the ship is repaired");
    let names = [0, 1, 2, 3, 4, 5, 7, 9, 11].map(|index| ComponentName::ALL[index]);
    for name in names {
        let is_update = |it: &&Instruction| matches!(it, Instruction::UpdateComponent { entity_id: 1, component_data, .. } if component_data.name() == name);
        assert_eq!(own.iter().filter(is_update).count(), 1, "{name:?}");
    }
    assert!(own.contains(&attach(1, ComponentName::Own)), "it has no state: only Attach says it");
}

#[test]
fn t5_a_deletion_is_said_at_least_every_100_ms_for_a_second() {
    let mut server = Server::showing(&[ship(5, 0), shot(6)]);
    server.ticks(7);
    server.scene.frame.entities.pop();
    let said = server.ticks(240);
    let times: Vec<Duration> = said.iter().filter(|(_, said)| said.contains(&delete(2))).map(|(at, _)| *at).collect();
    assert_eq!(times[0], TICK, "at once");
    assert!(times.windows(2).all(|pair| pair[1] - pair[0] <= 100 * MS), "{times:?}");
    let last = times.last().expect("some");
    assert!(*last >= 1000 * MS && *last < 1100 * MS, "{last:?}");
    let created = said.iter().any(|(_, said)| said.contains(&create(2)));
    assert!(!created, "the dead are not repaired");
}

#[test]
fn t5_a_component_that_went_is_detached_at_once_and_in_every_repair() {
    let docked = Some(Attached { to: EntityId(5), side: Side::Front });
    let force =
        Entity { seat: Some(Seat::ALL[0]), attached: docked, ..Entity::new(EntityId(6), Kind::Force, Vec2::ZERO) };
    let mut server = Server::showing(&[ship(5, 0), force]);
    server.scene.frame.entities[1].attached = None;
    assert!(read(&server.tick()).contains(&detach(2, ComponentName::Attached)));
    let said = server.ticks(60);
    let repair = said.iter().find(|(_, said)| said.contains(&create(2))).expect("a repair");
    assert!(repair.1.contains(&detach(2, ComponentName::Attached)), "the first may have been lost");
    server.scene.frame.entities[1].attached = docked;
    let again = read(&server.tick());
    assert!(again.contains(&attach(2, ComponentName::Attached)));
}

#[test]
fn c4_t5_the_last_bearer_of_an_id_is_not_detached_from_for_ever() {
    let docked = Some(Attached { to: EntityId(5), side: Side::Front });
    let force = Entity { attached: docked, ..Entity::new(EntityId(6), Kind::Force, Vec2::ZERO) };
    // For two seconds the id rests. After three nobody remembers who had it.
    for (rest_ticks, expected) in [(124, true), (185, false)] {
        let mut server = Server::showing(&[ship(5, 0), force]);
        server.scene.frame.entities.pop();
        server.ticks(rest_ticks);
        server.scene.frame.entities.push(shot(8));
        let detaches = |said: Vec<(Duration, Vec<Instruction>)>| {
            said.iter().any(|(_, said)| said.contains(&detach(2, ComponentName::Attached)))
        };
        assert_eq!(detaches(server.ticks(120)), expected, "after {rest_ticks} ticks");
        server.ticks(120);
        assert!(!detaches(server.ticks(120)), "after {rest_ticks} ticks, later");
    }
}

#[test]
fn c4_t5_what_the_last_bearer_of_an_id_had_does_not_stick_to_the_next() {
    let mut client = Client::playing();
    let mut server = Server::showing(&[ship(5, 0), ship(6, 1)]);
    let docked = Some(Attached { to: EntityId(5), side: Side::Front });
    let force =
        Entity { seat: Some(Seat::ALL[0]), attached: docked, ..Entity::new(EntityId(7), Kind::Force, Vec2::ZERO) };
    server.scene.frame.entities.push(force);
    server.tick().iter().for_each(|datagram| client.hear(datagram));
    server.now = server.now + Duration::from_secs(1);
    server.tick().iter().for_each(|datagram| client.hear(datagram));
    assert_eq!(client.frame().entities.len(), 3);
    // Everything is lost for more than two seconds, in which the Force dies and its id is given to a pellet.
    server.scene.frame.entities.pop();
    server.ticks(125);
    server.scene.frame.entities.push(shot(8));
    server.ticks(2);
    client.wait(Duration::from_secs(2));
    for _ in 0..60 {
        server.tick().iter().for_each(|datagram| client.hear(datagram));
    }
    let seen = client.frame().entity(EntityId(3)).copied();
    assert_eq!(seen, Some(Entity { id: EntityId(3), ..shot(8) }));
}

#[test]
fn t5_a_client_forgets_what_it_has_not_heard_of_for_3_s() {
    let mut client = Client::playing();
    client.told(&[drone(1), drone(2)].concat());
    client.wait(2_000 * MS);
    client.told(&[create(2)]);
    client.wait(999 * MS);
    assert_eq!(client.frame().entities.len(), 2);
    client.wait(101 * MS);
    let frame = client.frame();
    assert_eq!(frame.entities.iter().map(|entity| entity.id.0).collect::<Vec<_>>(), [2]);
    assert_eq!(frame.events, [Event::Destroyed { entity: EntityId(1), gone: Gone::Destroyed }]);
}

#[test]
fn t5_a_repeated_instruction_is_harmless() {
    let mut client = Client::playing();
    for _ in 0..3 {
        client.told(&drone(1));
        client.told(&[attach(1, ComponentName::Position), attach(1, ComponentName::Kind)]);
    }
    let frame = client.frame();
    assert_eq!(frame.entities, [Entity::new(EntityId(1), Kind::Drone, Vec2::new(px(100), px(50)))]);
    assert_eq!(frame.events, [Event::Spawned { entity: EntityId(1) }]);
    for _ in 0..3 {
        client.told(&[delete(1), detach(1, ComponentName::Kind)]);
    }
    assert_eq!(client.frame().events.len(), 1);
}

#[test]
fn t5_a_late_datagram_does_not_revive_the_dead() {
    let mut client = Client::playing();
    client.told(&drone(1));
    client.told(&[delete(1)]);
    client.told(&drone(1));
    assert!(client.frame().entities.is_empty(), "it was sent before the deletion, and overtaken");
    client.wait(250 * MS);
    client.told(&drone(1));
    assert_eq!(client.frame().entities.len(), 1);
    client.told(&[&[delete(1)], &drone(1)[..]].concat());
    assert_eq!(client.frame().entities.len(), 1, "within a datagram the order is plain");
}
