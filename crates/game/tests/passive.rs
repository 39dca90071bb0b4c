//! A stranger who touches nothing: when the first ship is lost, and when the game, in every mode and over 50 seeds. Run with
//! `cargo test -p game --test passive -- --nocapture` to see the table.

use std::sync::Arc;

use game::{Arms, Buttons, Daily, Difficulty, Event, GameState, Input, Mode, Practice, Rules, Seat, Stage, World};

/// Games of each kind.
const SEEDS: u64 = 50;
/// Nobody who does nothing lasts longer, in ticks.
const TICKS_MAX: u32 = 15 * 60 * 60;
/// Seconds until the first ship is lost at the earliest.
const CAMPAIGN_S: u32 = 30;
const ENDLESS_S: u32 = 20;

/// When the first ship was lost and when the game, in ticks.
#[derive(Clone, Copy)]
struct Fate {
    first_death: u32,
    end: u32,
}

fn fate(mut world: World, players: usize) -> Fate {
    Seat::ALL[..players].iter().for_each(|&seat| assert!(world.join(seat)));
    world.start();
    let mut first_death = None;
    for tick in 1..=TICKS_MAX {
        world.tick(&Default::default());
        if world.events().iter().any(|event| matches!(event, Event::Killed { .. })) {
            first_death.get_or_insert(tick);
        }
        if world.game_state() != GameState::Running {
            assert_eq!(world.game_state(), GameState::Lost, "nobody wins by doing nothing");
            return Fate { first_death: first_death.expect("it was lost somehow"), end: tick };
        }
    }
    panic!("{players} passive players still play after {TICKS_MAX} ticks");
}

/// Plays a kind of game over all seeds, prints its line of the table, and checks when the first ship is lost.
fn check(name: &str, least_s: u32, game: impl Fn(u64) -> World) {
    for players in [1, 4] {
        let fates: Vec<Fate> = (0..SEEDS).map(|seed| fate(game(seed), players)).collect();
        let [first, end] = [|fate: &Fate| fate.first_death, |fate: &Fate| fate.end].map(|of| {
            let mut ticks: Vec<u32> = fates.iter().map(of).collect();
            ticks.sort_unstable();
            [ticks[0], ticks[ticks.len() / 2], ticks[ticks.len() - 1]]
                .map(|ticks| format!("{:>4}.{}", ticks / 60, ticks % 60 / 6))
        });
        println!("{name:<16} {players} players   first death {} s   end {} s", first.join(" "), end.join(" "));
        let earliest = fates.iter().map(|fate| fate.first_death).min().expect("some games");
        assert!(earliest >= least_s * 60, "{name}: a passive player is lost after {earliest} ticks");
    }
}

fn stage1() -> Arc<Stage> {
    Stage::built_in("stage1").expect("it is built in")
}

#[test]
fn in_a_campaign_nobody_is_lost_in_the_first_thirty_seconds() {
    for difficulty in Difficulty::ALL {
        let rules = Rules::of(difficulty);
        check(&format!("campaign {}", difficulty.name()), CAMPAIGN_S, |seed| World::new(stage1(), rules, seed));
    }
}

#[test]
fn in_endless_nobody_is_lost_in_the_first_twenty_seconds() {
    for difficulty in Difficulty::ALL {
        let rules = Rules::of(difficulty);
        check(&format!("endless {}", difficulty.name()), ENDLESS_S, |seed| World::new(Stage::endless(), rules, seed));
    }
}

#[test]
fn on_no_day_is_anybody_lost_in_the_first_twenty_seconds() {
    check("daily", ENDLESS_S, |day| {
        let rules = Rules { mode: Mode::Daily(Daily::of(20_000 + day as u32)), ..Rules::default() };
        World::new(Stage::endless(), rules, day)
    });
}

#[test]
fn practice_from_the_beginning_is_as_gentle_as_the_campaign() {
    let arms = Arms { force_level: 3, bits: 2, ..Arms::default() };
    for (name, arms) in [("practice bare", Arms::default()), ("practice armed", arms)] {
        let rules = Rules { mode: Mode::Practice(Practice { checkpoint: 0, arms }), ..Rules::default() };
        check(name, CAMPAIGN_S, |seed| World::new(stage1(), rules, seed));
    }
}

/// Another try begins as gently as the first.
#[test]
fn a_new_try_is_as_gentle() {
    for stage in [stage1(), Stage::endless()] {
        let mut world = World::new(stage.clone(), Rules { lives: 1, ..Rules::default() }, 3);
        world.join(Seat::ALL[0]);
        world.start();
        while world.game_state() == GameState::Running {
            world.tick(&Default::default());
        }
        world.restart();
        let least_s = if stage.endless { ENDLESS_S } else { CAMPAIGN_S };
        for tick in 0..least_s * 60 {
            world.tick(&Default::default());
            assert_eq!(world.game_state(), GameState::Running, "{}: lost after {tick} ticks", stage.name);
        }
    }
}

/// A stranger who has found the fire button, and nothing else: the beginning gives them time to find the others.
#[test]
fn whoever_only_fires_is_not_lost_in_the_first_thirty_seconds_of_a_campaign() {
    for difficulty in Difficulty::ALL {
        let earliest =
            (0..SEEDS).map(|seed| first_death_firing(World::new(stage1(), Rules::of(difficulty), seed))).min();
        println!("campaign {:<8} firing only   first death {:?} ticks", difficulty.name(), earliest);
        assert!(earliest.is_some_and(|tick| tick >= CAMPAIGN_S * 60), "{}: {earliest:?} ticks", difficulty.name());
    }
}

fn first_death_firing(mut world: World) -> u32 {
    assert!(world.join(Seat::ALL[0]));
    world.start();
    let fire = Input { held: Buttons::FIRE, ..Input::IDLE };
    let is_lost = |world: &World| world.events().iter().any(|event| matches!(event, Event::Killed { .. }));
    (1..=TICKS_MAX)
        .find(|tick| {
            // Tapped five times a second.
            let input = if tick % 12 < 6 { fire } else { Input::IDLE };
            world.tick(&[input, Input::IDLE, Input::IDLE, Input::IDLE]);
            is_lost(&world)
        })
        .expect("nobody wins without moving")
}
