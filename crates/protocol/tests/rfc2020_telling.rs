//! What a Frame becomes in `rfc2020`, by its rulings, as a foreign client would see it: in bytes.

use game::{Buttons, Event, Kind, Seat, Vec2, px};
use protocol::rfc2020::wire::{Direction, FromClient, FromServer, GrabDirection, State};

mod rfc2020_by_hand;
use rfc2020_by_hand::{Server, bodies, is_shoot};

#[test]
fn r6_other_entities_start_at_4_and_r8_the_json_says_what_applies() {
    let mut server = Server::joined(0);
    let id = server.world.spawn(Kind::RedCrystal, Vec2::new(px(300), px(100))).unwrap();
    server.tick();
    let said = server.said();
    let expected = u64::from(id.0) + 3;
    let spawn = bodies(&said, |body| matches!(body, FromServer::Spawn { .. }));
    let [(_, FromServer::Spawn { entity_id, entity_json })] = spawn[..] else { panic!("{spawn:?}") };
    assert!(entity_id == expected && entity_id >= 4);
    let described = entity_json.parse().unwrap();
    assert_eq!(described.kind, "red_crystal");
    assert!(described.vx.unwrap() < 0 && described.vy == Some(0));
    assert!(described.health.is_none() && described.seat.is_none() && described.owner.is_none());
    let spawned = said.iter().find(|bytes| bytes[0] == 0x05).unwrap();
    assert_eq!(spawned.last(), Some(&0), "one NUL");
}

#[test]
fn r10_an_item_is_grabbed_without_direction_the_force_with_it_and_dropped() {
    let mut server = Server::joined(0);
    let ship = server.world.frame().ship(Seat::ALL[0]).unwrap().position;
    let crystal = server.world.spawn(Kind::RedCrystal, ship + Vec2::new(px(40), 0)).unwrap();
    server.run_ms(5000);
    let said = server.said();
    let grabs = bodies(&said, |body| matches!(body, FromServer::Grab { .. }));
    let force = server.world.frame().entities.iter().find(|entity| entity.kind == Kind::Force).unwrap().id;
    let (crystal, force) = (u64::from(crystal.0) + 3, u64::from(force.0) + 3);
    let taken = FromServer::Grab { entity_id: 0, grabbed_entity_id: crystal, direction: None };
    // It comes from behind.
    let direction = Some(GrabDirection::Back);
    let docked = FromServer::Grab { entity_id: 0, grabbed_entity_id: force, direction };
    assert_eq!(grabs.iter().map(|grab| grab.1).collect::<Vec<_>>(), [taken, docked]);
    // R13: what is told of the crystal is older than its DESTROY.
    let gone = bodies(&said, |body| *body == FromServer::Destroy { entity_id: crystal });
    assert!(grabs[0].0 < gone[0].0);

    server.send(900, FromClient::Drop);
    server.tick();
    assert_eq!(server.input.pressed, Buttons::FORCE);
    let said = server.said();
    let drops = bodies(&said, |body| matches!(body, FromServer::Drop { .. }));
    assert_eq!(drops.iter().map(|drop| drop.1).collect::<Vec<_>>(), [FromServer::Drop { entity_id: 0 }]);
    // With the Force away, DROP calls it back, and it docks again.
    server.run_ms(1000);
    server.sent.clear();
    server.send(901, FromClient::Drop);
    server.run_ms(3000);
    let said = server.said();
    assert_eq!(bodies(&said, |body| matches!(body, FromServer::Grab { .. })).len(), 1);
}

#[test]
fn r10_a_player_who_joins_late_is_told_that_a_force_is_docked() {
    let mut server = Server::joined(0);
    let ship = server.world.frame().ship(Seat::ALL[0]).unwrap().position;
    server.world.spawn(Kind::RedCrystal, ship);
    server.run_ms(3000);
    server.sent.clear();
    server.send(90, FromClient::Join);
    server.tick();
    let said = server.said();
    let grab = bodies(&said, |body| matches!(body, FromServer::Grab { direction: Some(_), .. }));
    assert_eq!(grab.len(), 1);
}

#[test]
fn hit_names_the_shot_and_comes_before_its_destroy() {
    let mut server = Server::joined(0);
    server.send(2, FromClient::GameState { state: State::Running });
    let ship = server.world.frame().ship(Seat::ALL[0]).unwrap().position;
    server.world.spawn(Kind::Turret, ship + Vec2::new(px(150), 0)).unwrap();
    server.send(100, FromClient::Shoot { entity_id: 0 });
    server.run_ms(1000);
    let said = server.said();
    let [(_, FromServer::Shoot { entity_id: shot, is_valid: true })] = bodies(&said, is_shoot)[..] else { panic!() };
    let hits = bodies(&said, |body| matches!(body, FromServer::Hit { .. }));
    let [(hit_at, FromServer::Hit { entity_id })] = hits[..] else { panic!("{hits:?}") };
    assert_eq!(entity_id, shot);
    let gone = bodies(&said, |body| *body == FromServer::Destroy { entity_id: shot });
    assert!(gone.len() == 1 && hit_at < gone[0].0);
}

#[test]
fn r14_what_a_force_touches_is_not_a_hit_because_a_force_is_not_a_shot() {
    let mut server = Server::joined(0);
    server.send(2, FromClient::GameState { state: State::Running });
    let ship = server.world.frame().ship(Seat::ALL[0]).unwrap().position;
    server.world.spawn(Kind::RedCrystal, ship).unwrap();
    server.run_ms(3000);
    let force = server.world.frame().entities.iter().find(|entity| entity.kind == Kind::Force).unwrap().position;
    server.world.spawn(Kind::Turret, force).unwrap();
    server.sent.clear();
    let mut touched = 0;
    for _ in 0..60 {
        server.tick();
        let frame = server.world.frame();
        let by_force = |event: &&Event| matches!(event, Event::Hit { by, .. } if frame.entity(*by).is_some_and(|entity| entity.kind == Kind::Force));
        touched += frame.events.iter().filter(by_force).count();
    }
    assert!(touched > 0, "the Force touches the turret");
    assert_eq!(bodies(&server.said(), |body| matches!(body, FromServer::Hit { .. })).len(), 0);
}

#[test]
fn r12_players_and_shots_are_placed_every_tick_others_every_second_and_what_rests_is_not() {
    let mut server = Server::joined(0);
    let item = server.world.spawn(Kind::SpeedUp, Vec2::new(px(400), px(20))).unwrap();
    let bullet = server.world.spawn(Kind::Pellet, Vec2::new(px(400), px(250))).unwrap();
    server.tick();
    server.sent.clear();
    server.send(5, FromClient::Move { entity_id: 0, direction: Direction::Down, state: true });
    server.send(6, FromClient::Shoot { entity_id: 0 });
    (0..20).for_each(|_| server.tick());
    let said = server.said();
    let [(_, FromServer::Shoot { entity_id: shot, .. })] = bodies(&said, is_shoot)[..] else { panic!() };
    let placed = |id: u64| {
        bodies(&said, |body| matches!(body, FromServer::Position { entity_id, .. } if *entity_id == id)).len()
    };
    assert_eq!(placed(0), 20);
    assert_eq!(placed(shot), 19, "in its first tick it is spawned there");
    assert_eq!(placed(u64::from(item.0) + 3), 10);
    assert_eq!(placed(u64::from(bullet.0) + 3), 0);
}

#[test]
fn r12_the_last_position_of_what_came_to_rest_is_said_again_each_second() {
    let mut server = Server::joined(0);
    server.send(5, FromClient::Move { entity_id: 0, direction: Direction::Right, state: true });
    server.run_ms(300);
    server.send(6, FromClient::Move { entity_id: 0, direction: Direction::Right, state: false });
    server.run_ms(500);
    server.sent.clear();
    server.run_ms(5000);
    let said = server.said();
    let placed = bodies(&said, |body| matches!(body, FromServer::Position { entity_id: 0, .. }));
    assert!((4..=6).contains(&placed.len()), "{}", placed.len());
    assert!(placed.windows(2).all(|pair| pair[0].1 == pair[1].1));
}

#[test]
fn r13_a_ship_that_returns_has_the_same_id_spawned_after_its_destroy() {
    let mut server = Server::joined(0);
    server.send(2, FromClient::GameState { state: State::Running });
    server.run_ms(2500);
    server.sent.clear();
    let ship = server.world.frame().ship(Seat::ALL[0]).unwrap().position;
    server.world.spawn(Kind::Pellet, ship);
    server.run_ms(4000);
    let said = server.said();
    let gone = bodies(&said, |body| *body == FromServer::Destroy { entity_id: 0 });
    let back = bodies(&said, |body| matches!(body, FromServer::Spawn { entity_id: 0, .. }));
    assert_eq!((gone.len(), back.len()), (1, 1));
    assert!(gone[0].0 < back[0].0);
}

#[test]
fn r13_a_destroy_stops_the_repeats_of_its_spawn() {
    let mut server = Server::joined(0);
    server.confirms = false;
    server.send(100, FromClient::Shoot { entity_id: 0 });
    server.run_ms(3900);
    let said = server.said();
    let [(_, FromServer::Shoot { entity_id: shot, .. })] = bodies(&said, is_shoot)[..] else { panic!() };
    let first_byte = |wanted: u8| {
        let about = |bytes: &Vec<u8>| bytes.len() >= 25 && bytes[17..25] == shot.to_be_bytes();
        said.iter().enumerate().filter(move |(_, bytes)| bytes[0] == wanted && about(bytes)).map(|(index, _)| index)
    };
    let (spawned, gone): (Vec<_>, Vec<_>) = (first_byte(0x05).collect(), first_byte(0x06).collect());
    assert!(spawned.len() >= 2 && gone.len() >= 2, "{spawned:?} {gone:?}");
    assert!(spawned.iter().all(|spawn| spawn < &gone[0]));
}

#[test]
fn c12_a_wall_is_placed_every_sixth_tick_and_once_more_when_it_has_stopped() {
    let mut server = Server::joined(0);
    let mut wall = game::Entity::new(game::EntityId(50), Kind::Wall, Vec2::new(px(400), px(100)));
    wall.size_px = Some((80, 16));
    wall.velocity = Vec2::new(-px(1), 0);
    let mut placed = Vec::new();
    for tick in 0..54 {
        server.now = server.now + rfc2020_by_hand::TICK;
        server.session.advance(server.now);
        server.scene.frame.entities.retain(|entity| entity.id != wall.id);
        if tick < 24 {
            wall.position.x -= px(1);
        }
        server.scene.frame.entities.push(wall);
        server.scene.update(server.now);
        server.session.publish(server.now, &server.scene);
        server.flush();
        let said = server.said();
        let is_it = |body: &FromServer| matches!(body, FromServer::Position { entity_id: 53, .. });
        placed.extend(bodies(&said, is_it).iter().map(|(_, body)| match body {
            FromServer::Position { x_coordinate, .. } => (tick, *x_coordinate),
            _ => panic!("filtered"),
        }));
    }
    let last = placed.len() - 1;
    assert!(placed.windows(2).all(|two| two[1].0 - two[0].0 == 6), "{placed:?}");
    assert_eq!((placed[last].1, placed[last - 1].1), (376 * 4, 376 * 4), "the same twice: it rests");
    assert!((5..=6).contains(&placed.len()), "and then no more for a second: {placed:?}");
}
