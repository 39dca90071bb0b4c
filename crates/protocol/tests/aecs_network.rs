//! `aecs` sessions with worlds, in memory: they play, and a bad network does not break them.

mod simulation;

use std::collections::BTreeMap;

use game::{Buttons, Frame, Seat};
use protocol::{DialectEntry, End, Status, aecs::ENTRY};
use simulation::{ClientId, Conditions, Simulation};

const ENTRIES: &[&DialectEntry] = &[&ENTRY];

/// What the dialect carries of a Frame: all of its entities, score, state and stage.
fn assert_same(seen: &Frame, shown: &Frame) {
    assert_eq!(seen.tick, shown.tick);
    assert_eq!((seen.score, seen.state, seen.stage), (shown.score, shown.state, shown.stage));
    assert_eq!(seen.entities, shown.entities, "at tick {}", seen.tick.0);
}

/// Lets time pass, and compares each Frame that the client shows to the server's of the same tick.
fn run_and_compare(sim: &mut Simulation, client: ClientId, ms: u64) -> usize {
    let mut shown: BTreeMap<u32, Frame> = BTreeMap::new();
    let mut compared = 0;
    let mut frames = sim.clients[client.0].frames;
    sim.run_until(ms, |sim| {
        let frame = &sim.lobby(client).scene.frame;
        shown.insert(frame.tick.0, frame.clone());
        let is_new = std::mem::replace(&mut frames, sim.clients[client.0].frames) != frames;
        if let Some(shown) = shown.get(&sim.seen(client).tick.0).filter(|_| is_new) {
            assert_same(sim.seen(client), shown);
            compared += 1;
        }
        false
    });
    compared
}

fn joined(sim: &mut Simulation) -> ClientId {
    let client = sim.join(&ENTRY, "Ann");
    assert!(
        sim.run_until(1_000, |sim| sim.seen(client).ship(Seat::ALL[client.0]).is_some()),
        "the player's ship is seen"
    );
    assert_eq!(sim.status(client), Status::Playing);
    client
}

#[test]
fn a_client_joins_sees_its_ship_and_flies_it() {
    let mut sim = Simulation::new(1);
    let ann = joined(&mut sim);
    let seat = sim.seat(ann);
    let before = sim.seen(ann).ship(seat).expect("it was seen").position.x;
    sim.hold(ann, Buttons::RIGHT);
    sim.run_ms(300);
    let after = sim.seen(ann).ship(seat).expect("it lives").position.x;
    assert!(after > before, "{before} to {after}");
    sim.hold(ann, Buttons::NONE);
    sim.run_ms(200);
    let rest = sim.seen(ann).ship(seat).expect("it lives").position.x;
    sim.run_ms(200);
    assert_eq!(sim.seen(ann).ship(seat).expect("it lives").position.x, rest);
}

#[test]
fn c1_two_clients_see_each_other_and_the_same_frames_as_the_server() {
    let mut sim = Simulation::new(2);
    let ann = joined(&mut sim);
    let bob = joined(&mut sim);
    sim.hold(ann, Buttons::RIGHT | Buttons::FIRE);
    sim.hold(bob, Buttons::UP);
    assert_eq!((sim.seat(ann), sim.seat(bob)), (Seat::ALL[0], Seat::ALL[1]));
    let compared = run_and_compare(&mut sim, bob, 5_000);
    assert!(compared > 290, "only {compared} Frames were compared");
    assert!(sim.seen(ann).ship(sim.seat(bob)).is_some() && sim.seen(bob).ship(sim.seat(ann)).is_some());
    assert_eq!(sim.clients.iter().map(|client| client.malformed).sum::<usize>(), 0);
    assert!(sim.node.dropped.is_empty());
}

#[test]
fn c10_a_tap_fires() {
    let mut sim = Simulation::new(3);
    let ann = joined(&mut sim);
    sim.tap(ann, Buttons::FIRE);
    let is_shot = |frame: &Frame| frame.entities.iter().any(|entity| entity.kind == game::Kind::Shot);
    assert!(sim.run_until(300, |sim| is_shot(sim.seen(ann))));
}

/// A minute of this, then a perfect network: within two seconds the client shows what the server does.
fn survives(seed: u64, conditions: Conditions) {
    let mut sim = Simulation::new(seed);
    let (ann, bob) = (joined(&mut sim), joined(&mut sim));
    sim.network.conditions = conditions;
    for second in 0..60 {
        let way = if second % 2 == 0 { Buttons::RIGHT } else { Buttons::LEFT };
        sim.hold(ann, way | Buttons::FIRE);
        sim.tap(bob, Buttons::FIRE);
        sim.run_ms(1_000);
    }
    assert_eq!((sim.status(ann), sim.status(bob)), (Status::Playing, Status::Playing), "no session is lost");
    assert!(sim.clients[bob.0].frames > 1_000, "{} Frames were seen", sim.clients[bob.0].frames);
    sim.network.conditions = Conditions::PERFECT;
    sim.run_ms(2_000);
    for client in [ann, bob] {
        let behind = sim.lobby(client).scene.frame.tick.0 - sim.seen(client).tick.0;
        assert!(behind < 5, "{behind} ticks behind");
        assert!(run_and_compare(&mut sim, client, 500) > 20);
    }
    assert_eq!(sim.clients.iter().map(|client| client.malformed).sum::<usize>(), 0);
}

#[test]
fn loss_of_5_percent() {
    survives(4, Conditions::PERFECT.loss_percent(5));
}

#[test]
fn loss_of_30_percent() {
    survives(5, Conditions::PERFECT.loss_percent(30));
}

#[test]
fn loss_duplication_reordering_and_delay_together() {
    survives(6, Conditions::PERFECT.delay_ms(300).shuffle_ms(100).loss_percent(30).duplicate_percent(20));
}

#[test]
fn every_frame_shown_on_a_bad_network_is_one_of_the_servers() {
    let mut sim = Simulation::new(7);
    let ann = joined(&mut sim);
    sim.hold(ann, Buttons::FIRE);
    sim.network.conditions = Conditions::PERFECT.delay_ms(50).shuffle_ms(60).loss_percent(30).duplicate_percent(20);
    let compared = run_and_compare(&mut sim, ann, 20_000);
    assert!(compared > 300, "only {compared} Frames were compared");
}

#[test]
fn joining_works_at_30_percent_loss() {
    for seed in 10..30 {
        let mut sim = Simulation::new(seed);
        sim.network.conditions = Conditions::PERFECT.loss_percent(30);
        let ann = sim.join(&ENTRY, "Ann");
        assert!(sim.run_until(3_000, |sim| sim.clients[ann.0].frames > 10), "seed {seed}");
    }
}

#[test]
fn a_dead_client_is_timed_out_after_five_seconds_and_its_seat_is_free_again() {
    let mut sim = Simulation::new(8);
    let (ann, bob) = (joined(&mut sim), joined(&mut sim));
    sim.kill(ann);
    sim.run_ms(4_900);
    assert!(sim.node.ended.is_empty());
    sim.run_ms(200);
    assert_eq!(sim.node.ended, [(ann, End::TimedOut)]);
    sim.run_ms(100);
    assert_eq!(sim.seen(bob).ship(Seat::ALL[0]), None);
    let again = sim.join(&ENTRY, "Ann");
    assert!(sim.run_until(1_000, |sim| sim.status(again) == Status::Playing));
    assert_eq!(sim.seat(again), Seat::ALL[0]);
}

#[test]
fn a_client_that_leaves_falls_silent_and_can_rejoin() {
    let mut sim = Simulation::new(9);
    let ann = joined(&mut sim);
    let now = sim.now;
    sim.clients[ann.0].session.leave(now);
    sim.run_ms(5_200);
    assert_eq!((sim.status(ann), &sim.node.ended[..]), (Status::Ended(End::Left), &[(ann, End::TimedOut)][..]));
    let again = sim.join(&ENTRY, "Ann");
    assert!(sim.run_until(1_000, |sim| sim.status(again) == Status::Playing));
}

#[test]
fn c1_a2_the_fifth_client_opens_a_second_lobby_and_a_full_node_says_nothing() {
    let mut sim = Simulation::new(10);
    sim.node.lobbies_max = 2;
    let clients: Vec<ClientId> = (0..9).map(|_| sim.join(&ENTRY, "")).collect();
    sim.run_ms(1_000);
    let lobbies: Vec<_> = clients.iter().map(|&client| sim.node.lobby_of(client)).collect();
    assert_eq!(lobbies[..4], [Some(0); 4]);
    assert_eq!(lobbies[4..], [Some(1), Some(1), Some(1), Some(1), None]);
    assert_eq!(sim.status(clients[8]), Status::Opening);
    sim.run_ms(5_000);
    assert_eq!(sim.status(clients[8]), Status::Ended(End::TimedOut));
    assert_eq!(sim.status(clients[0]), Status::Playing);
}

#[test]
fn c11_joining_starts_the_game() {
    let mut sim = Simulation::new(11);
    let ann = joined(&mut sim);
    sim.run_ms(200);
    assert_eq!(sim.seen(ann).state, game::GameState::Running);
}

#[test]
fn a_client_that_plays_calmly_for_a_minute_stays() {
    let mut sim = Simulation::new(12);
    let ann = joined(&mut sim);
    sim.run_ms(60_000);
    assert_eq!(sim.status(ann), Status::Playing);
    assert!(sim.node.ended.is_empty());
}
