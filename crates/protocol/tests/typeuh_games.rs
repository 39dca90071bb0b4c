//! Whole games of `typeuh` in memory: a node, clients and a network that may be bad.

use game::{Attached, Buttons, Entity, EntityId, Frame, GameState, Input, Kind, Rules, Seat, Stage, Vec2, World, px};
use protocol::typeuh::ENTRY;
use protocol::{DialectEntry, End, Scale, Scene, Status, Welcome};

mod simulation;
use simulation::{ClientId, Conditions, START, Simulation, TICK};

const ENTRIES: &[&DialectEntry] = &[&ENTRY];

/// What a client should see of a scene: everything, under the dialect's own ids.
fn expected(scene: &Scene) -> Vec<Entity> {
    let narrow = |id: EntityId| scene.id16(id).map(|id| EntityId(id.into()));
    let entities = scene.frame.entities.iter();
    let mut entities: Vec<Entity> = entities
        .filter_map(|entity| {
            let attached = entity.attached.and_then(|it| Some(Attached { to: narrow(it.to)?, ..it }));
            Some(Entity { id: narrow(entity.id)?, attached, ..*entity })
        })
        .collect();
    entities.sort_by_key(|entity| entity.id);
    entities
}

/// Whether the client sees exactly what the server shows. The dialect carries every part of an entity exactly.
fn agrees(sim: &Simulation, client: ClientId) -> bool {
    let (scene, seen) = (&sim.lobby(client).scene, sim.seen(client));
    let head = |frame: &Frame| (frame.score, frame.state, frame.stage);
    head(&scene.frame) == head(seen) && expected(scene) == seen.entities
}

fn own_ship(sim: &Simulation, client: ClientId) -> Entity {
    *sim.seen(client).ship(sim.seat(client)).expect("the player's ship is seen")
}

#[test]
fn join_see_your_own_ship_hold_right_and_it_moves() {
    let mut sim = Simulation::new(1);
    let ann = sim.join(&ENTRY, "");
    sim.run_ms(200);
    assert_eq!(sim.status(ann), Status::Playing);
    assert_eq!(sim.seen(ann).state, GameState::Running, "C11: joining starts the game");
    let before = own_ship(&sim, ann).position;
    sim.hold(ann, Buttons::RIGHT);
    sim.run_ms(500);
    let after = own_ship(&sim, ann).position;
    assert!(after.x > before.x + px(10) && after.y == before.y, "{before:?} {after:?}");
    sim.hold(ann, Buttons::NONE);
    sim.run_ms(100);
    assert_eq!(own_ship(&sim, ann).velocity, Vec2::ZERO);
}

#[test]
fn c1_two_clients_meet_and_see_each_other_and_the_whole_world() {
    let mut sim = Simulation::new(2);
    let (ann, bob) = (sim.join(&ENTRY, ""), sim.join(&ENTRY, ""));
    sim.run_ms(300);
    assert_ne!(sim.seat(ann), sim.seat(bob));
    assert!(sim.seen(ann).ship(sim.seat(bob)).is_some() && sim.seen(bob).ship(sim.seat(ann)).is_some());
    sim.hold(ann, Buttons::FIRE | Buttons::UP);
    sim.hold(bob, Buttons::DOWN);
    for tick in 0..1200 {
        sim.tick();
        assert!(agrees(&sim, ann) && agrees(&sim, bob), "tick {tick}");
    }
    assert_eq!(sim.clients[ann.0].malformed + sim.clients[bob.0].malformed + sim.node.dropped.len(), 0);
}

#[test]
fn c10_a_tap_fires_one_volley() {
    let mut sim = Simulation::new(3);
    let ann = sim.join(&ENTRY, "");
    sim.run_ms(300);
    sim.tap(ann, Buttons::FIRE);
    let shots = |sim: &Simulation| sim.seen(ann).entities.iter().filter(|entity| entity.kind == Kind::Shot).count();
    assert!(sim.run_until(200, |sim| shots(sim) > 0), "the tap reached the server");
    let first = shots(&sim);
    sim.run_ms(200);
    assert!(shots(&sim) <= first, "and was not said again");
}

#[test]
fn t4_a_docked_force_and_its_launch_are_seen() {
    let mut sim = Simulation::new(4);
    let ann = sim.join(&ENTRY, "");
    sim.run_ms(300);
    let position = own_ship(&sim, ann).position;
    sim.lobby_mut(ann).world.spawn(Kind::RedCrystal, position);
    let force = |sim: &Simulation| sim.seen(ann).entities.iter().find(|entity| entity.kind == Kind::Force).copied();
    assert!(sim.run_until(10_000, |sim| force(sim).is_some_and(|force| force.attached.is_some())), "it docks");
    let docked = force(&sim).and_then(|force| force.attached).expect("docked");
    assert_eq!(docked.to, own_ship(&sim, ann).id);
    sim.tap(ann, Buttons::FORCE);
    assert!(sim.run_until(500, |sim| force(sim).is_some_and(|force| force.attached.is_none())), "it flies");
    assert!(agrees(&sim, ann));
}

/// A minute of a bad network with two players who fly and fire; then it heals, and within two seconds both see the
/// server's Frame and go on doing so.
fn survives(seed: u64, conditions: Conditions) {
    let mut sim = Simulation::new(seed);
    sim.network.conditions = conditions;
    let clients = [sim.join(&ENTRY, ""), sim.join(&ENTRY, "")];
    let moves = [Buttons::UP, Buttons::RIGHT | Buttons::FIRE, Buttons::DOWN, Buttons::LEFT, Buttons::FIRE];
    for round in 0..150 {
        sim.hold(clients[0], moves[round % 5]);
        sim.hold(clients[1], moves[(round + 2) % 5]);
        sim.run_ms(400);
    }
    assert_eq!(sim.node.ended, [], "no session is lost");
    assert_eq!(sim.node.peers.len(), 2, "and none is opened twice");
    let held = [Buttons::UP, Buttons::NONE];
    (0..2).for_each(|index| sim.hold(clients[index], held[index]));
    sim.network.conditions = Conditions::PERFECT;
    sim.run_ms(2000);
    for _ in 0..60 {
        sim.tick();
        for client in clients {
            assert_eq!(sim.status(client), Status::Playing);
            assert!(agrees(&sim, client), "seed {seed}, {conditions:?}");
            assert_eq!(sim.clients[client.0].malformed, 0);
        }
    }
}

#[test]
fn t5_survives_5_percent_loss() {
    survives(11, Conditions::PERFECT.loss_percent(5));
}

#[test]
fn t5_survives_30_percent_loss() {
    survives(12, Conditions::PERFECT.loss_percent(30));
}

#[test]
fn t5_survives_duplication_and_reordering() {
    survives(13, Conditions::PERFECT.shuffle_ms(100).duplicate_percent(20));
}

#[test]
fn t5_survives_a_delay_of_300_ms() {
    survives(14, Conditions::PERFECT.delay_ms(300));
}

#[test]
fn t5_survives_everything_at_once() {
    let all = Conditions::PERFECT.delay_ms(300).shuffle_ms(100).loss_percent(30).duplicate_percent(10);
    for seed in 15..18 {
        survives(seed, all);
    }
}

#[test]
fn a_lost_release_or_press_is_made_good() {
    for held in [Buttons::RIGHT, Buttons::NONE] {
        let mut sim = Simulation::new(21);
        let ann = sim.join(&ENTRY, "");
        sim.run_ms(300);
        sim.hold(ann, Buttons::from_bits(Buttons::RIGHT.bits() & !held.bits()));
        sim.run_ms(500);
        sim.network.conditions = Conditions::SILENT;
        sim.hold(ann, held);
        sim.run_ms(1000);
        sim.network.conditions = Conditions::PERFECT;
        sim.run_ms(1100);
        let is_flying = sim.lobby(ann).world.frame().ship(sim.seat(ann)).is_some_and(|ship| ship.velocity.x > 0);
        assert_eq!(is_flying, held == Buttons::RIGHT);
    }
}

#[test]
fn t1_a_full_node_is_silent_and_a_free_seat_lets_the_next_in() {
    let mut sim = Simulation::new(5);
    sim.node.lobbies_max = 1;
    let four: Vec<ClientId> = (0..4).map(|_| sim.join(&ENTRY, "")).collect();
    sim.run_ms(300);
    let fifth = sim.join(&ENTRY, "");
    sim.run_ms(3000);
    assert_eq!(sim.status(fifth), Status::Opening);
    let now = sim.now;
    sim.node.peer(four[1]).expect("seated").session.end(now, End::Unreachable);
    sim.kill(four[1]);
    sim.run_ms(1000);
    assert_eq!(sim.status(fifth), Status::Playing, "its next hello found the seat");
    let sixth = sim.join(&ENTRY, "");
    sim.run_ms(10_100);
    assert_eq!(sim.status(sixth), Status::Ended(End::TimedOut));
}

#[test]
fn t6_a_dead_client_times_out_after_5_minutes_and_others_see_its_ship_go() {
    let mut sim = Simulation::new(6);
    let (ann, bob) = (sim.join(&ENTRY, ""), sim.join(&ENTRY, ""));
    sim.run_ms(300);
    let seat = sim.seat(bob);
    sim.kill(bob);
    sim.run_ms(299_000);
    assert_eq!(sim.node.ended, []);
    sim.run_ms(2_000);
    assert_eq!(sim.node.ended, [(bob, End::TimedOut)]);
    assert!(sim.seen(ann).ship(seat).is_none());
    assert_eq!(sim.status(ann), Status::Playing, "a player who only watches stays");
}

#[test]
fn a_client_that_is_forgotten_is_seated_again_by_its_next_datagram() {
    let mut sim = Simulation::new(7);
    let ann = sim.join(&ENTRY, "");
    sim.hold(ann, Buttons::FIRE);
    sim.run_ms(5_000);
    let now = sim.now;
    sim.node.peer(ann).expect("seated").session.end(now, End::Closed);
    sim.run_ms(1_500);
    assert_eq!(sim.node.ended, [(ann, End::Closed)]);
    assert_eq!(sim.status(ann), Status::Playing);
    for _ in 0..300 {
        sim.tick();
        assert!(agrees(&sim, ann), "nothing of the old session is left");
    }
    own_ship(&sim, ann);
}

#[test]
fn a_server_that_vanishes_is_noticed_after_10_s() {
    let mut sim = Simulation::new(8);
    let ann = sim.join(&ENTRY, "");
    sim.run_ms(300);
    sim.network.conditions = Conditions::SILENT;
    sim.run_ms(9_000);
    assert_eq!(sim.status(ann), Status::Playing);
    assert!(sim.seen(ann).entities.is_empty(), "T5: all is forgotten after 3 s");
    sim.run_ms(1_100);
    assert_eq!(sim.status(ann), Status::Ended(End::TimedOut));
}

/// The page on the dialect names the figure.
#[test]
fn c2_what_a_busy_game_of_four_costs() {
    const SECONDS: usize = 60;
    let stage = Stage::built_in("endless").expect("it is built in");
    let mut world = World::new(stage, Rules { lives: 200, ..Rules::default() }, 31);
    Seat::ALL.into_iter().for_each(|seat| assert!(world.join(seat)));
    world.start();
    let mut scene = Scene::new("endless");
    let (mut now, seat) = (START, Seat::ALL[0]);
    let mut session = (ENTRY.accept)(Welcome {
        seat,
        now,
        started: now,
        scale: Scale::default(),
        numbers: protocol::Numbers::default(),
    });
    let (mut buffer, mut bytes, mut datagrams, mut entities, mut most) = (Vec::new(), 0, 0, 0, 0);
    for tick in 0..60 * SECONDS {
        now = now + TICK;
        let fly = [Buttons::UP, Buttons::RIGHT, Buttons::DOWN, Buttons::LEFT][tick / 20 % 4];
        let fire = if tick % 8 < 4 { Buttons::FIRE } else { Buttons::NONE };
        world.tick(&[Input::holding(fly | fire); 4]);
        world.frame_into(&mut scene.frame);
        scene.update(now);
        session.publish(now, &scene);
        let before = datagrams;
        while session.poll(now, &mut buffer).is_some() {
            assert!(buffer.len() <= 1200);
            bytes += buffer.len();
            datagrams += 1;
        }
        most = most.max(datagrams - before);
        entities += scene.frame.entities.len();
    }
    let (entities, per_second) = (entities / (60 * SECONDS), bytes / SECONDS);
    println!(
        "{entities} entities: {per_second} bytes in {} datagrams a second, at most {most} a tick",
        datagrams / SECONDS
    );
    assert!((20..100).contains(&entities), "a busy game: {entities}");
    assert!(per_second < 60_000, "{per_second}");
    assert!(most <= 4, "{most}");
}

#[test]
fn a_player_who_left_may_join_again() {
    let mut sim = Simulation::new(9);
    let ann = sim.join(&ENTRY, "");
    sim.run_ms(300);
    sim.hold(ann, Buttons::RIGHT);
    sim.run_ms(100);
    let now = sim.now;
    sim.clients[ann.0].session.leave(now);
    sim.run_ms(200);
    assert_eq!(sim.status(ann), Status::Ended(End::Left));
    let held = sim.node.peer(ann).map(|peer| peer.session.input(now).held);
    assert_eq!(held, Some(Buttons::NONE), "there is no goodbye, but the ship does not fly on");
    let again = sim.join(&ENTRY, "");
    sim.run_ms(300);
    assert_ne!(sim.seat(again), sim.seat(ann), "the old seat is taken for five minutes");
    assert!(agrees(&sim, again));
}
