//! A game played alone that is paused or slow, over a bad network: afterwards the client is as far ahead of the server as it
//! was before.

#[expect(dead_code, reason = "each test needs a part of it")]
mod simulation;

use client::{Key, Options};
use game::{Frame, GameState};
use simulation::{Conditions, RandomPilot, Simulation, at_once, drawn_ship};

/// There and back 150 ms ± 20 ms, and every twentieth datagram lost.
const BAD: Conditions = Conditions::PERFECT.delay_ms(65).shuffle_ms(20).loss_percent(5);

/// What was measured over some seconds.
#[derive(Debug, Default)]
struct Measured {
    /// Frames whose correction moved the player's own ship by more than two pixels.
    corrected: usize,
    /// Ticks of the server without an input.
    starved: usize,
    /// The most by which the clock ran fast, in 1/1,000.
    hurry: i32,
    /// Ticks of the server, and ticks that the client played.
    ticks: (u32, u64),
}

fn playing(seed: u64, company: bool, options: Options) -> Simulation {
    let mut sim = Simulation::new("endless", seed, BAD, company, options);
    let runs = |sim: &Simulation| sim.client.shown().is_some_and(|frame| frame.state == GameState::Running);
    assert!(sim.run_until(3_000, runs), "no game");
    sim
}

/// Plays for some seconds, with a player who flies about at random.
fn play(sim: &mut Simulation, player: &mut RandomPilot, seconds: u64) -> Measured {
    let mut measured = Measured::default();
    let (ticks, samples) = (sim.world.now().0, sim.client.graph().count());
    let (mut tick, mut count) = (ticks, samples);
    for _ in 0..seconds * 240 {
        sim.step();
        if sim.world.now().0 != tick {
            tick = sim.world.now().0;
            measured.starved += usize::from(sim.server.inputs_waiting() < 0);
        }
        if sim.client.graph().count() != count {
            count = sim.client.graph().count();
            measured.corrected += usize::from(sim.client.graph().newest().correction > 2 * 256);
            measured.hurry = measured.hurry.max(sim.client.bend_per_mille());
            player.keys().into_iter().for_each(|(key, down)| sim.client.key(sim.now, key, down));
        }
    }
    measured.ticks = (sim.world.now().0 - ticks, sim.client.graph().count() - samples);
    measured
}

fn tap(sim: &mut Simulation, key: Key) {
    sim.client.key(sim.now, key, true);
    sim.client.key(sim.now, key, false);
}

/// What is drawn of a game, without events.
fn seen(sim: &Simulation) -> Frame {
    Frame { events: Vec::new(), ..sim.client.shown().cloned().expect("a game") }
}

#[test]
fn a_pause_stops_the_picture_at_once_and_afterwards_nothing_is_starved_hurried_or_corrected() {
    for seed in 0..12 {
        let mut sim = playing(seed, false, at_once());
        let mut player = RandomPilot::new(seed);
        let before = play(&mut sim, &mut player, 6);
        // The player keeps holding the same keys through the pause.
        tap(&mut sim, Key::ESCAPE);
        let picture = seen(&sim);
        sim.run_ms(400);
        assert!(sim.client.is_paused(), "seed {seed}");
        let tick = sim.world.now();
        for _ in 0..9 {
            sim.run_ms(1_000);
            assert_eq!(seen(&sim), picture, "seed {seed}: it moves");
        }
        assert_eq!(sim.world.now(), tick, "seed {seed}: the game goes on");
        tap(&mut sim, Key::P);
        assert!(sim.run_until(400, |sim| !sim.client.is_paused()), "seed {seed}: it stays paused");
        let after = play(&mut sim, &mut player, 6);
        // Datagrams lost in a row starve a tick now and then, with or without a pause.
        assert!(after.corrected == 0 && after.starved <= before.starved + 1, "seed {seed}: {before:?} {after:?}");
        assert!(after.hurry <= before.hurry.max(10), "seed {seed}: {before:?} {after:?}");
        assert!(after.ticks.0 >= 340, "seed {seed}: {after:?}");
    }
}

#[test]
fn many_short_pauses_leave_nothing_behind() {
    let mut sim = playing(5, false, at_once());
    let mut player = RandomPilot::new(5);
    play(&mut sim, &mut player, 4);
    for _ in 0..15 {
        tap(&mut sim, Key::ESCAPE);
        sim.run_ms(130);
    }
    tap(&mut sim, Key::ESCAPE);
    assert!(sim.run_until(1_000, |sim| !sim.client.is_paused()));
    // The server may still be answering some of them.
    play(&mut sim, &mut player, 2);
    let after = play(&mut sim, &mut player, 5);
    assert!(after.corrected == 0 && after.starved == 0, "{after:?}");
}

#[test]
fn a_key_held_through_a_pause_is_still_held_after_it() {
    let mut sim = playing(2, false, at_once());
    sim.client.key(sim.now, Key::SPACE, true);
    sim.run_ms(600);
    let charge = |sim: &Simulation| drawn_ship(&seen(sim)).map_or(0, |ship| ship.charge);
    tap(&mut sim, Key::ESCAPE);
    sim.run_ms(3_000);
    let before = charge(&sim);
    assert!(before > 30 && sim.client.hum() == 0, "{before}");
    tap(&mut sim, Key::ESCAPE);
    sim.run_ms(600);
    assert!(charge(&sim) > before && sim.client.hum() > 0, "the beam went on charging");
}

#[test]
fn after_a_connection_lost_during_a_pause_the_game_is_still_paused() {
    let mut sim = playing(3, false, at_once());
    tap(&mut sim, Key::ESCAPE);
    sim.run_ms(1_000);
    sim.cut();
    assert!(sim.run_until(5_000, |sim| sim.is_connected));
    sim.run_ms(1_500);
    let tick = sim.world.now();
    sim.run_ms(1_000);
    assert!(sim.client.is_paused() && sim.world.now() == tick);
    tap(&mut sim, Key::ESCAPE);
    assert!(sim.run_until(1_000, |sim| !sim.client.is_paused() && sim.world.now() > tick));
}

#[test]
fn in_company_the_game_does_not_pause() {
    let mut sim = playing(1, true, at_once());
    tap(&mut sim, Key::ESCAPE);
    let tick = sim.world.now().0;
    sim.run_ms(3_000);
    assert!(!sim.client.is_paused() && sim.world.now().0 - tick >= 178);
}

#[test]
fn a_game_played_alone_can_be_slower_and_is_as_smooth() {
    let options = Options { settings: "slower = yes\n".into(), ..at_once() };
    let mut sim = playing(4, false, options.clone());
    let mut player = RandomPilot::new(4);
    play(&mut sim, &mut player, 5);
    let slow = play(&mut sim, &mut player, 20);
    assert!((895..=905).contains(&slow.ticks.0), "45 ticks a second: {slow:?}");
    assert!(slow.ticks.1.abs_diff(900) < 20, "and as many inputs: {slow:?}");
    assert!(slow.corrected == 0 && slow.starved <= 1, "{slow:?}");
    let mut sim = playing(4, true, options);
    let company = play(&mut sim, &mut player, 5);
    assert!(company.ticks.0 >= 299, "{company:?}");
}
