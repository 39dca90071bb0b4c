//! Both halves of `rfc2020`, with a node and a bad network between them.

use game::{Buttons, Class, Entity, EntityId, Frame, Kind, Seat, Vec2, px};
use protocol::rfc2020::ENTRY;
use protocol::{DialectEntry, End, Scale, Status};

mod simulation;

use simulation::{ClientId, Conditions, Simulation};

const ENTRIES: &[&DialectEntry] = &[&ENTRY];

/// What this dialect carries of an entity: kind, owner, place in whole units of the wire, what it is docked to.
fn carried(entity: &Entity, id: u64, attached_to: Option<(u64, u8)>) -> String {
    let place = Scale::default().whole_position(entity.position);
    format!("{id} {:?} {:?} {place:?} {attached_to:?}", entity.kind, entity.seat)
}

/// A Frame of the server, as a client that missed nothing shows it.
fn expected(frame: &Frame) -> Vec<String> {
    let wire_id = |id: EntityId| match frame.entity(id) {
        Some(Entity { kind: Kind::Player, seat: Some(seat), .. }) => u64::from(seat.number()),
        _ => u64::from(id.0) + 3,
    };
    let attached = |entity: &Entity| entity.attached.map(|it| (wire_id(it.to), it.side as u8));
    let mut lines: Vec<_> =
        frame.entities.iter().map(|entity| carried(entity, wire_id(entity.id), attached(entity))).collect();
    lines.sort();
    lines
}

fn rebuilt(frame: &Frame) -> Vec<String> {
    let attached = |entity: &Entity| entity.attached.map(|it| (u64::from(it.to.0), it.side as u8));
    let mut lines: Vec<_> =
        frame.entities.iter().map(|entity| carried(entity, entity.id.0.into(), attached(entity))).collect();
    lines.sort();
    lines
}

/// R12 places only players and shots every tick, so what is seen of the rest may be a tick old.
fn agrees(sim: &Simulation, client: ClientId) -> bool {
    let (server, seen) = (&sim.lobby(client).scene.frame, sim.seen(client));
    let (mut expected_lines, mut rebuilt_lines) = (Vec::new(), Vec::new());
    for (frame, lines, all) in
        [(server, &mut expected_lines, expected(server)), (seen, &mut rebuilt_lines, rebuilt(seen))]
    {
        let is_prompt = |kind: &str| {
            let of = |class: Class| Kind::ALL.iter().any(|it| it.class() == class && format!("{it:?}") == kind);
            of(Class::Player) || of(Class::PlayerShot) || of(Class::EnemyShot)
        };
        assert_eq!(all.len(), frame.entities.len());
        lines.extend(all.into_iter().map(|line| {
            let kind = line.split(' ').nth(1).unwrap_or_default().to_owned();
            // Without its place: the head of the line.
            if is_prompt(&kind) { line } else { line.split(" (").next().unwrap_or_default().to_owned() }
        }));
    }
    expected_lines == rebuilt_lines && server.state == seen.state
}

/// How far apart the two see anything, in sub-pixels.
fn farthest(sim: &Simulation, client: ClientId) -> i32 {
    let server = &sim.lobby(client).scene.frame;
    let apart = |entity: &Entity| {
        let id = match (entity.kind, entity.seat) {
            (Kind::Player, Some(seat)) => EntityId(seat.number().into()),
            _ => EntityId(entity.id.0 + 3),
        };
        let seen = sim.seen(client).entity(id).map_or(Vec2::new(i32::MAX / 2, 0), |seen| seen.position);
        (seen.x - entity.position.x).abs().max((seen.y - entity.position.y).abs())
    };
    server.entities.iter().map(apart).max().unwrap_or(0)
}

fn playing(sim: &mut Simulation, lobby: Option<String>) -> ClientId {
    let client = sim.join_lobby(&ENTRY, "", lobby);
    assert!(sim.run_until(8000, |sim| sim.status(client) == Status::Playing), "it joins");
    client
}

#[test]
fn join_see_your_own_ship_hold_right_and_it_moves() {
    let mut sim = Simulation::new(1);
    let ann = playing(&mut sim, None);
    sim.run_ms(200);
    assert_eq!(sim.seen(ann).state, game::GameState::Running, "it started the game");
    let seat = sim.seat(ann);
    let before = sim.seen(ann).ship(seat).expect("Ann's ship is seen").position;
    sim.hold(ann, Buttons::RIGHT);
    sim.run_ms(500);
    let after = sim.seen(ann).ship(seat).unwrap().position;
    assert!(after.x > before.x + px(30) && after.y == before.y, "{before:?} {after:?}");
    sim.hold(ann, Buttons::NONE);
    sim.run_ms(500);
    let stopped = sim.seen(ann).ship(seat).unwrap().position;
    sim.run_ms(300);
    assert_eq!(sim.seen(ann).ship(seat).unwrap().position, stopped);
    assert_eq!(sim.clients[ann.0].malformed, 0);
    assert!(sim.node.dropped.is_empty());
}

#[test]
fn c11_two_clients_in_one_lobby_by_its_id_see_each_other() {
    let mut sim = Simulation::new(2);
    let ann = playing(&mut sim, None);
    let lobby = sim.lobby(ann).id.to_string().to_lowercase();
    let bob = playing(&mut sim, Some(lobby));
    sim.run_ms(300);
    for client in [ann, bob] {
        for seat in [0, 1] {
            assert!(sim.seen(client).ship(Seat::ALL[seat]).is_some());
        }
    }
    sim.clients[bob.0].session.leave(sim.now);
    sim.run_ms(300);
    assert_eq!(sim.status(bob), Status::Ended(End::Left));
    assert_eq!(sim.node.ended, [(bob, End::Left)]);
    assert!(sim.seen(ann).ship(Seat::ALL[1]).is_none());
}

#[test]
fn c3_the_rebuilt_frame_is_the_servers_to_a_unit_of_the_wire() {
    let mut sim = Simulation::new(3);
    let ann = playing(&mut sim, None);
    sim.hold(ann, Buttons::FIRE);
    let mut busiest = 0;
    for _ in 0..600 {
        sim.tick();
        busiest = busiest.max(sim.seen(ann).entities.len());
    }
    assert!(busiest > 5, "there was something to see");
    let mut agreed = 0;
    for tick in 0..120 {
        if tick % 20 == 0 {
            sim.hold(ann, if tick % 40 == 0 { Buttons::UP | Buttons::RIGHT } else { Buttons::FIRE });
        }
        sim.tick();
        agreed += usize::from(agrees(&sim, ann));
    }
    assert_eq!(agreed, 120);
}

#[test]
fn r10_the_force_is_seen_docked_launched_and_docked_again() {
    let mut sim = Simulation::new(4);
    let ann = playing(&mut sim, None);
    let ship = sim.lobby(ann).scene.frame.ship(Seat::ALL[0]).unwrap().position;
    sim.lobby_mut(ann).world.spawn(Kind::BlueCrystal, ship + Vec2::new(px(30), 0));
    let is_docked = |sim: &Simulation| {
        sim.seen(ann).entities.iter().any(|entity| entity.kind == Kind::Force && entity.attached.is_some())
    };
    assert!(sim.run_until(6000, |sim| is_docked(sim)));
    sim.tap(ann, Buttons::FORCE);
    assert!(sim.run_until(500, |sim| !is_docked(sim)));
    sim.run_ms(800);
    sim.tap(ann, Buttons::FORCE);
    assert!(sim.run_until(4000, |sim| is_docked(sim)));
}

#[test]
fn r9_a_held_trigger_fires_a_beam_on_release() {
    let mut sim = Simulation::new(5);
    let ann = playing(&mut sim, None);
    sim.hold(ann, Buttons::FIRE);
    sim.run_ms(1600);
    assert!(!sim.seen(ann).entities.iter().any(|entity| entity.kind == Kind::Beam));
    sim.hold(ann, Buttons::NONE);
    assert!(sim.run_until(300, |sim| sim.seen(ann).entities.iter().any(|entity| entity.kind == Kind::Beam)));
}

#[test]
fn c1_a_full_lobby_refuses_and_a_full_node_makes_no_lobby() {
    let mut sim = Simulation::new(6);
    sim.node.lobbies_max = 1;
    let ann = playing(&mut sim, None);
    let lobby = sim.lobby(ann).id.to_string();
    for _ in 0..3 {
        playing(&mut sim, Some(lobby.clone()));
    }
    // R5: a full lobby still gives its port; JOIN refuses.
    let fifth = sim.join_lobby(&ENTRY, "", Some(lobby));
    let another = sim.join(&ENTRY, "");
    sim.run_ms(500);
    assert_eq!(sim.status(fifth), Status::Ended(End::LobbyFull));
    assert_eq!(sim.status(another), Status::Ended(End::Full));
}

#[test]
fn a_client_that_dies_is_timed_out_and_its_seat_can_be_taken_again() {
    let mut sim = Simulation::new(7);
    let ann = playing(&mut sim, None);
    let lobby = sim.lobby(ann).id.to_string();
    let bob = playing(&mut sim, Some(lobby.clone()));
    sim.kill(bob);
    sim.run_ms(5500);
    assert_eq!(sim.node.ended, [(bob, End::TimedOut)]);
    let cid = playing(&mut sim, Some(lobby));
    assert_eq!(sim.seat(cid), Seat::ALL[1]);
    sim.run_ms(500);
    assert!(agrees(&sim, cid) && agrees(&sim, ann));
}

/// A lost game goes on with new lives, so that there is always something to tell.
fn revive(sim: &mut Simulation, client: ClientId) {
    let world = &mut sim.lobby_mut(client).world;
    if world.game_state() == game::GameState::Lost {
        for seat in [Seat::ALL[0], Seat::ALL[1]] {
            world.leave(seat, game::Departure::Left);
            world.join(seat);
        }
        world.enter(game::Stage::endless());
    }
}

/// A minute of play on a bad network, then two seconds on a good one.
fn survives(seed: u64, conditions: Conditions) {
    let mut sim = Simulation::new(seed);
    let ann = playing(&mut sim, None);
    let lobby = sim.lobby(ann).id.to_string();
    sim.network.conditions = conditions;
    let bob = playing(&mut sim, Some(lobby));
    let keys = [Buttons::UP, Buttons::RIGHT | Buttons::FIRE, Buttons::DOWN, Buttons::LEFT, Buttons::FIRE];
    let mut busiest = 0;
    for second in 0..60 {
        sim.hold(ann, keys[second % 5]);
        sim.hold(bob, keys[(second + 2) % 5]);
        sim.run_ms(500);
        sim.tap(ann, Buttons::FIRE | Buttons::FORCE);
        sim.run_ms(500);
        busiest = busiest.max(sim.seen(ann).entities.len());
        revive(&mut sim, ann);
    }
    assert!(sim.node.ended.is_empty(), "{:?}", sim.node.ended);
    for client in [ann, bob] {
        assert_eq!(sim.status(client), Status::Playing);
        sim.hold(client, Buttons::NONE);
    }
    sim.network.conditions = Conditions::PERFECT;
    sim.run_ms(2000);
    assert!(busiest > 10 && !sim.seen(ann).entities.is_empty(), "there is something to see");
    for client in [ann, bob] {
        assert!(
            agrees(&sim, client),
            "{:#?}\n{:#?}",
            expected(&sim.lobby(client).scene.frame),
            rebuilt(sim.seen(client))
        );
        // Two ticks of the fastest thing that is placed every second tick.
        assert!(farthest(&sim, client) < px(16), "{}", farthest(&sim, client));
        assert_eq!(sim.clients[client.0].malformed, 0);
    }
    assert!(sim.node.dropped.is_empty());
}

#[test]
fn survives_5_percent_loss() {
    survives(11, Conditions::PERFECT.loss_percent(5));
}

#[test]
fn survives_30_percent_loss() {
    (20..24).for_each(|seed| survives(seed, Conditions::PERFECT.loss_percent(30)));
}

#[test]
fn survives_duplication_and_reordering() {
    survives(13, Conditions::PERFECT.shuffle_ms(120).duplicate_percent(30));
}

#[test]
fn survives_300_ms_of_delay() {
    survives(14, Conditions::PERFECT.delay_ms(300));
}

#[test]
fn survives_all_of_it_at_once() {
    let conditions = Conditions::PERFECT.delay_ms(150).shuffle_ms(150).loss_percent(20).duplicate_percent(10);
    survives(15, conditions);
}
