//! The sessions of `rfc53952` in a whole system: joining, playing, and bad networks.

use game::{Buttons, Departure, Entity, Event, Frame, GameState, Kind, Seat, Vec2, px};
use protocol::{DialectEntry, End, Status, Time, rfc53952};

mod simulation;
use simulation::{ClientId, Conditions, Simulation};

const ENTRIES: &[&DialectEntry] = &[&rfc53952::ENTRY];

fn joined(seed: u64, conditions: Conditions) -> (Simulation, ClientId) {
    let mut sim = Simulation::new(seed);
    sim.network.conditions = conditions;
    let ann = sim.join(&rfc53952::ENTRY, "");
    assert!(sim.run_until(8_000, |sim| sees_own_ship(sim, ann)), "{:?}", sim.status(ann));
    (sim, ann)
}

fn sees_own_ship(sim: &Simulation, client: ClientId) -> bool {
    let seat = sim.clients[client.0].session.seat();
    seat.is_some_and(|seat| sim.seen(client).ship(seat).is_some())
}

/// An entity as this dialect can show it.
fn shown(entity: &Entity) -> Entity {
    Entity { animation: 0, charge: 0, health_max: 0, ..*entity }
}

/// Whether a client sees what the server shows, to the dialect's precision; if not, how they differ.
fn difference(sim: &Simulation, client: ClientId) -> Option<String> {
    let (server, seen): (&Frame, &Frame) = (&sim.lobby(client).scene.frame, sim.seen(client));
    if (server.score, server.state) != (seen.score, seen.state) {
        return Some(format!("{:?} is {:?}", (seen.score, seen.state), (server.score, server.state)));
    }
    let missing = server.entities.iter().find(|entity| seen.entity(entity.id).is_none());
    let ghost = seen.entities.iter().find(|entity| server.entity(entity.id).is_none());
    let wrong = server.entities.iter().find(|entity| seen.entity(entity.id).map(shown) != Some(shown(entity)));
    if let Some(entity) = missing.or(ghost) {
        let place = if missing.is_some() { "on the server" } else { "on the client" };
        return Some(format!("only {place}, in tick {}: {entity:?}", server.tick.0));
    }
    wrong.map(|entity| format!("{:?} is {entity:?}", seen.entity(entity.id)))
}

fn agree_within_ms(sim: &mut Simulation, client: ClientId, ms: u64) {
    let agree = sim.run_until(ms, |sim| difference(sim, client).is_none());
    assert!(agree, "{}", difference(sim, client).unwrap_or_default());
}

#[test]
fn a_player_joins_sees_its_ship_and_flies() {
    let (mut sim, ann) = joined(1, Conditions::PERFECT);
    assert_eq!(sim.status(ann), Status::Playing);
    let seat = sim.seat(ann);
    let before = sim.seen(ann).ship(seat).map(|ship| ship.position);
    sim.hold(ann, Buttons::RIGHT);
    sim.run_ms(500);
    let after = sim.seen(ann).ship(seat).map(|ship| ship.position);
    assert!(after.map(|it| it.x) > before.map(|it| it.x + px(20)), "{before:?} {after:?}");
    assert_eq!(sim.clients[ann.0].malformed, 0);
    assert!(sim.node.dropped.is_empty());
    assert_eq!(sim.node.held_back, 0);
}

#[test]
fn a_clean_network_shows_everything_as_the_server_has_it_in_every_second_tick() {
    let (mut sim, ann) = joined(2, Conditions::PERFECT);
    sim.run_ms(1_000);
    for tick in 0..60 * 20 {
        if tick % 50 == 0 {
            sim.hold(ann, if tick % 100 == 0 { Buttons::FIRE | Buttons::DOWN } else { Buttons::UP });
        }
        sim.tick();
        let is_even = sim.lobby(ann).scene.frame.tick.0.is_multiple_of(2);
        assert_eq!(difference(&sim, ann).filter(|_| is_even), None, "tick {tick}");
    }
}

/// Gives everyone a new ship when the game is lost, and brings more enemies, so that there is always much to tell.
fn keep_going(sim: &mut Simulation, client: ClientId) {
    let world = &mut sim.lobby_mut(client).world;
    if world.game_state() == GameState::Lost {
        for seat in Seat::ALL.into_iter().filter(|&seat| world.is_seated(seat)).collect::<Vec<_>>() {
            world.leave(seat, Departure::Left);
            world.join(seat);
        }
        world.enter(world.stage().clone());
    }
    for (index, kind) in [Kind::Drone, Kind::Gunship, Kind::Carrier, Kind::Splitter].into_iter().enumerate() {
        world.spawn(kind, Vec2::new(px(460), px(50 + 50 * index as i32)));
    }
}

fn survives(seed: u64, conditions: Conditions) {
    let (mut sim, ann) = joined(seed, conditions);
    let bob = sim.join(&rfc53952::ENTRY, "");
    for second in 0..60 {
        let held = [Buttons::LEFT, Buttons::UP | Buttons::FIRE, Buttons::RIGHT, Buttons::DOWN, Buttons::NONE];
        sim.hold(ann, held[second % held.len()]);
        sim.hold(bob, held[(second + 2) % held.len()]);
        sim.run_ms(900);
        sim.tap(ann, Buttons::FIRE);
        sim.run_ms(100);
        keep_going(&mut sim, ann);
    }
    assert_eq!(sim.node.ended, [], "no session is lost");
    sim.network.conditions = Conditions::PERFECT;
    sim.hold(ann, Buttons::NONE);
    sim.hold(bob, Buttons::NONE);
    sim.run_ms(1_800);
    agree_within_ms(&mut sim, ann, 200);
    agree_within_ms(&mut sim, bob, 200);
    assert_eq!(sim.clients[ann.0].malformed, 0);
}

#[test]
fn five_percent_loss() {
    survives(3, Conditions::PERFECT.loss_percent(5));
}

#[test]
fn thirty_percent_loss() {
    survives(4, Conditions::PERFECT.loss_percent(30));
}

#[test]
fn thirty_percent_loss_with_all_else_that_goes_wrong() {
    survives(5, Conditions::PERFECT.delay_ms(100).shuffle_ms(80).loss_percent(30).duplicate_percent(20));
}

#[test]
fn datagrams_that_come_twice_and_out_of_order() {
    survives(6, Conditions::PERFECT.shuffle_ms(60).duplicate_percent(30));
}

#[test]
fn three_hundred_ms_of_delay() {
    survives(7, Conditions::PERFECT.delay_ms(300).loss_percent(2));
}

#[test]
fn c1_two_clients_meet_and_see_each_other() {
    let (mut sim, ann) = joined(8, Conditions::PERFECT);
    let bob = sim.join(&rfc53952::ENTRY, "");
    sim.run_ms(500);
    let seats = [sim.seat(ann), sim.seat(bob)];
    assert_eq!(sim.node.lobbies.len(), 1);
    for client in [ann, bob] {
        for seat in seats {
            assert!(sim.seen(client).ship(seat).is_some(), "{client:?} sees {seat:?}");
            assert!(sim.seen(client).players[seat.index()].is_some());
        }
        agree_within_ms(&mut sim, client, 200);
    }
}

#[test]
fn a_full_node_refuses_and_a_seat_that_is_left_can_be_had() {
    let mut sim = Simulation::new(9);
    sim.node.lobbies_max = 1;
    let clients: Vec<ClientId> = (0..5).map(|_| sim.join(&rfc53952::ENTRY, "")).collect();
    sim.run_ms(1_000);
    let refused: Vec<_> = clients.iter().filter(|&&it| sim.status(it) == Status::Ended(End::Full)).collect();
    assert_eq!(refused.len(), 1);
    sim.clients[0].session.leave(sim.now);
    sim.run_ms(100);
    assert_eq!(sim.node.ended, [(clients[0], End::Left)]);
    let again = sim.join(&rfc53952::ENTRY, "");
    assert!(sim.run_until(1_000, |sim| sees_own_ship(sim, again)));
}

#[test]
fn f8_a_client_that_dies_is_missed_after_four_seconds_and_its_ship_goes() {
    let (mut sim, ann) = joined(10, Conditions::PERFECT);
    let bob = sim.join(&rfc53952::ENTRY, "");
    sim.run_ms(500);
    let seat = sim.seat(bob);
    sim.kill(bob);
    // Its last packet may have been a Ping of up to a second ago.
    sim.run_ms(2_900);
    assert_eq!(sim.node.ended, []);
    sim.run_ms(1_200);
    assert_eq!(sim.node.ended, [(bob, End::TimedOut)]);
    sim.run_ms(100);
    assert!(sim.seen(ann).ship(seat).is_none());
    assert!(sim.seen(ann).players[seat.index()].is_none());
}

#[test]
fn a_tap_reaches_the_game_through_loss() {
    let mut shots = 0;
    for seed in 0..100 {
        let (mut sim, ann) = joined(100 + seed, Conditions::PERFECT.loss_percent(30));
        sim.run_ms(300 + seed * 37 % 1000);
        let has_fired =
            |sim: &mut Simulation| sim.lobby(ann).scene.frame.events.iter().any(|it| matches!(it, Event::Fired { .. }));
        sim.tap(ann, Buttons::FIRE);
        shots += usize::from(sim.run_until(3_000, has_fired));
    }
    // A count of validations that is wrong can lose one (F4): about one in a hundred.
    assert!(shots >= 97, "{shots} of 100");
}

#[test]
fn c10_what_is_held_arrives_through_loss_whatever_was_pressed_before() {
    for seed in 0..20 {
        let conditions = Conditions::PERFECT.delay_ms(20).shuffle_ms(60).loss_percent(20).duplicate_percent(20);
        let (mut sim, ann) = joined(200 + seed, conditions);
        for held in [Buttons::LEFT, Buttons::NONE, Buttons::LEFT, Buttons::RIGHT, Buttons::NONE, Buttons::DOWN] {
            sim.hold(ann, held);
            sim.run_ms(70 + seed * 11);
        }
        sim.network.conditions = Conditions::PERFECT;
        sim.run_ms(2_200);
        let held = sim.node.peer(ann).map(|peer| peer.session.input(Time::default()).held);
        assert_eq!(held, Some(Buttons::DOWN), "seed {seed}");
    }
}

/// What the rates in the documentation come to.
#[test]
fn thirty_moving_entities_cost_less_than_half_of_one_packet_each_in_every_tick() {
    let (mut sim, ann) = joined(11, Conditions::PERFECT);
    for index in 0..30 {
        let kind = [Kind::Drone, Kind::Dart, Kind::Seeker][index % 3];
        sim.lobby_mut(ann).world.spawn(kind, Vec2::new(px(470), px(20 + 7 * index as i32)));
    }
    sim.run_ms(500);
    let before = sim.network.delivered();
    sim.run_ms(1_000);
    let (entities, sent) = (sim.seen(ann).entities.len() as u64, sim.network.delivered() - before);
    assert!(entities >= 20, "{entities}");
    // Each packet and its validation.
    assert!(sent < 2 * entities * 30 + 400, "{sent} datagrams for {entities} entities in a second");
}
