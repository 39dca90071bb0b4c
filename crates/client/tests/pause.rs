//! Time that stands still, or passes slowly, for who plays alone, over a bad network: the client is as far ahead of the
//! server afterwards as it was before.

mod table;

use client::{Key, Options};
use game::{Frame, GameState};
use table::{Conditions, Table, Wanderer, at_once, drawn_ship};

/// There and back 150 ms ± 20 ms, and every twentieth datagram lost.
const BAD: Conditions = Conditions::PERFECT.delay_ms(65).shuffle_ms(20).loss_percent(5);

/// What was measured over some seconds.
#[derive(Debug, Default)]
struct Measured {
    /// Frames whose correction moved the own ship by more than two pixels.
    corrected: usize,
    /// Ticks of the server without an input.
    starved: usize,
    /// The most by which the clock ran fast, in 1/1,000.
    hurry: i32,
    /// Ticks of the server, and ticks that the client played.
    ticks: (u32, u64),
}

fn playing(seed: u64, company: bool, options: Options) -> Table {
    let mut table = Table::new("endless", seed, BAD, company, options);
    let runs = |table: &Table| table.client.shown().is_some_and(|frame| frame.state == GameState::Running);
    assert!(table.run_until(3_000, runs), "no game");
    table
}

/// Plays on, with a player who flies about.
fn play(table: &mut Table, player: &mut Wanderer, seconds: u64) -> Measured {
    let mut measured = Measured::default();
    let (ticks, samples) = (table.world.now().0, table.client.graph().count());
    let (mut tick, mut count) = (ticks, samples);
    for _ in 0..seconds * 240 {
        table.step();
        if table.world.now().0 != tick {
            tick = table.world.now().0;
            measured.starved += usize::from(table.server.inputs_waiting() < 0);
        }
        if table.client.graph().count() != count {
            count = table.client.graph().count();
            measured.corrected += usize::from(table.client.graph().newest().correction > 2 * 256);
            measured.hurry = measured.hurry.max(table.client.bend_per_mille());
            player.keys().into_iter().for_each(|(key, down)| table.client.key(table.now, key, down));
        }
    }
    measured.ticks = (table.world.now().0 - ticks, table.client.graph().count() - samples);
    measured
}

fn tap(table: &mut Table, key: Key) {
    table.client.key(table.now, key, true);
    table.client.key(table.now, key, false);
}

/// What is drawn of a game, without what happens in it.
fn seen(table: &Table) -> Frame {
    Frame { events: Vec::new(), ..table.client.shown().cloned().expect("a game") }
}

#[test]
fn a_pause_stops_what_is_seen_at_once_and_nothing_is_starved_hurried_or_corrected_after_it() {
    for seed in 0..12 {
        let mut table = playing(seed, false, at_once());
        let mut player = Wanderer::new(seed);
        let before = play(&mut table, &mut player, 6);
        // Whatever the player holds is held through the pause.
        tap(&mut table, Key::ESCAPE);
        let picture = seen(&table);
        table.run_ms(400);
        assert!(table.client.is_still(), "seed {seed}");
        let tick = table.world.now();
        for _ in 0..9 {
            table.run_ms(1_000);
            assert_eq!(seen(&table), picture, "seed {seed}: it moves");
        }
        assert_eq!(table.world.now(), tick, "seed {seed}: the game goes on");
        tap(&mut table, Key::P);
        assert!(table.run_until(400, |table| !table.client.is_still()), "seed {seed}: it stays");
        let after = play(&mut table, &mut player, 6);
        // Datagrams that are lost one after the other starve a tick now and then, with or without a pause.
        assert!(after.corrected == 0 && after.starved <= before.starved + 1, "seed {seed}: {before:?} {after:?}");
        assert!(after.hurry <= before.hurry.max(10), "seed {seed}: {before:?} {after:?}");
        assert!(after.ticks.0 >= 340, "seed {seed}: {after:?}");
    }
}

#[test]
fn pauses_in_quick_succession_leave_nothing_behind() {
    let mut table = playing(5, false, at_once());
    let mut player = Wanderer::new(5);
    play(&mut table, &mut player, 4);
    for _ in 0..15 {
        tap(&mut table, Key::ESCAPE);
        table.run_ms(130);
    }
    tap(&mut table, Key::ESCAPE);
    assert!(table.run_until(1_000, |table| !table.client.is_still()));
    // Some of it may be told by the server only now.
    play(&mut table, &mut player, 2);
    let after = play(&mut table, &mut player, 5);
    assert!(after.corrected == 0 && after.starved == 0, "{after:?}");
}

#[test]
fn what_was_held_is_held_on_after_a_pause() {
    let mut table = playing(2, false, at_once());
    table.client.key(table.now, Key::SPACE, true);
    table.run_ms(600);
    let charge = |table: &Table| drawn_ship(&seen(table)).map_or(0, |ship| ship.charge);
    tap(&mut table, Key::ESCAPE);
    table.run_ms(3_000);
    let before = charge(&table);
    assert!(before > 30 && table.client.hum() == 0, "{before}");
    tap(&mut table, Key::ESCAPE);
    table.run_ms(600);
    assert!(charge(&table) > before && table.client.hum() > 0, "the beam went on charging");
}

#[test]
fn who_loses_the_connection_in_a_pause_comes_back_to_one() {
    let mut table = playing(3, false, at_once());
    tap(&mut table, Key::ESCAPE);
    table.run_ms(1_000);
    table.cut();
    assert!(table.run_until(5_000, |table| table.is_connected));
    table.run_ms(1_500);
    let tick = table.world.now();
    table.run_ms(1_000);
    assert!(table.client.is_still() && table.world.now() == tick);
    tap(&mut table, Key::ESCAPE);
    assert!(table.run_until(1_000, |table| !table.client.is_still() && table.world.now() > tick));
}

#[test]
fn in_company_nothing_stops() {
    let mut table = playing(1, true, at_once());
    tap(&mut table, Key::ESCAPE);
    let tick = table.world.now().0;
    table.run_ms(3_000);
    assert!(!table.client.is_still() && table.world.now().0 - tick >= 178);
}

#[test]
fn who_is_alone_may_have_a_slower_game_with_the_same_promises() {
    let options = Options { settings: "slower = yes\n".into(), ..at_once() };
    let mut table = playing(4, false, options.clone());
    let mut player = Wanderer::new(4);
    play(&mut table, &mut player, 5);
    let slow = play(&mut table, &mut player, 20);
    assert!((895..=905).contains(&slow.ticks.0), "45 ticks a second: {slow:?}");
    assert!(slow.ticks.1.abs_diff(900) < 20, "and as many inputs: {slow:?}");
    assert!(slow.corrected == 0 && slow.starved <= 1, "{slow:?}");
    let mut table = playing(4, true, options);
    let company = play(&mut table, &mut player, 5);
    assert!(company.ticks.0 >= 299, "{company:?}");
}
