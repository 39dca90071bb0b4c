//! How long beginners live who do something without looking: when the first ship is lost, and when the game, over 50 seeds. Run with
//! `cargo test -p game --test beginners -- --nocapture` to see the table.

use std::{collections::BTreeMap, sync::Arc};

use game::{Buttons, Class, Dice, Difficulty, Event, GameState, Input, Rules, Seat, Stage, World, px};

const SEEDS: u64 = 50;
/// A game that lasts longer counts as this long.
const TICKS_MAX: u32 = 5 * 60 * 60;
const WAYS: [Buttons; 4] = [Buttons::LEFT, Buttons::RIGHT, Buttons::UP, Buttons::DOWN];
/// Seconds for which half of them keep their first ship at least, by difficulty.
const STAGE_1_S: [u32; 3] = [20, 20, 18];
const ENDLESS_S: [u32; 3] = [18, 18, 15];
/// From here on there is something to shoot, until the first ships are lost.
const SHOOTS_FROM_S: u32 = 3;

/// What a beginner does who does not look.
#[derive(Clone, Copy, Debug)]
enum Beginner {
    /// Only fires, where the ship began.
    Fires,
    /// Flies anywhere and fires.
    Wanders,
    /// Flies slowly up and down at the left, and fires.
    Sweeps,
}

/// A beginner in a game.
struct Pilot {
    does: Beginner,
    dice: Dice,
    way: Buttons,
    /// Ticks for which one who wanders keeps the way.
    left: u32,
    /// The height at which one who sweeps turns, in pixels.
    turns_at: i32,
}

impl Pilot {
    fn new(does: Beginner, seed: u64) -> Pilot {
        Pilot { does, dice: Dice::new(seed), way: Buttons::UP, left: 0, turns_at: 60 }
    }

    fn input(&mut self, world: &World, tick: u32) -> Input {
        // Tapped five times a second.
        let fire = if tick % 12 < 6 { Buttons::FIRE } else { Buttons::NONE };
        let pressed = if tick.is_multiple_of(12) { Buttons::FIRE } else { Buttons::NONE };
        let way = match self.does {
            Beginner::Fires => Buttons::NONE,
            Beginner::Wanders => self.wander(),
            Beginner::Sweeps => self.sweep(world, tick),
        };
        Input { held: fire | way, pressed }
    }

    /// Any way, for up to half a second.
    fn wander(&mut self) -> Buttons {
        self.left = self.left.saturating_sub(1);
        if self.left == 0 {
            self.left = 6 + self.dice.below(24);
            self.way = self.dice.pick(&WAYS) | self.dice.pick(&WAYS);
        }
        self.way
    }

    /// A step every other tick, to a height in the upper part of the field and to one in the lower, in turn.
    fn sweep(&mut self, world: &World, tick: u32) -> Buttons {
        let y = world.frame().ship(Seat::ALL[0]).map(|ship| ship.position.y / px(1));
        let is_rising = self.way == Buttons::UP;
        let is_there = y.is_some_and(|y| if is_rising { y <= self.turns_at } else { y >= self.turns_at });
        if is_there {
            self.way = if is_rising { Buttons::DOWN } else { Buttons::UP };
            self.turns_at = if is_rising { self.dice.between(160, 230) } else { self.dice.between(40, 110) };
        }
        if tick.is_multiple_of(2) { self.way } else { Buttons::NONE }
    }
}

/// Ticks until the first ship is lost and to what, and ticks until the game is lost.
struct Fate {
    first: u32,
    by: &'static str,
    end: u32,
}

fn fate(mut world: World, does: Beginner) -> Fate {
    assert!(world.join(Seat::ALL[0]));
    world.start();
    let mut pilot = Pilot::new(does, world.seed());
    let mut first = None;
    for tick in 1..=TICKS_MAX {
        let input = pilot.input(&world, tick);
        world.tick(&[input, Input::IDLE, Input::IDLE, Input::IDLE]);
        first = first.or_else(|| killer(&world).map(|by| (tick, by)));
        if world.game_state() != GameState::Running {
            let (first, by) = first.unwrap_or((tick, "nothing"));
            return Fate { first, by, end: tick };
        }
    }
    let (first, by) = first.unwrap_or((TICKS_MAX, "nothing"));
    Fate { first, by, end: TICKS_MAX }
}

/// What a ship was lost to in this tick, if one was.
fn killer(world: &World) -> Option<&'static str> {
    let lost_to = |event: &Event| match event {
        Event::Killed { by, .. } => Some(by.map_or("terrain", |by| by.kind.name())),
        _ => None,
    };
    world.events().iter().find_map(lost_to)
}

/// The least, the middle and the most of them.
fn spread(mut ticks: Vec<u32>) -> [u32; 3] {
    ticks.sort_unstable();
    [ticks[0], ticks[ticks.len() / 2], ticks[ticks.len() - 1]]
}

fn seconds(ticks: [u32; 3]) -> String {
    ticks.map(|ticks| format!("{:>3}.{}", ticks / 60, ticks % 60 / 6)).join(" ")
}

/// What those were lost to that were lost before the limit.
fn early_killers(fates: &[Fate], limit_s: u32) -> BTreeMap<&'static str, u32> {
    let mut counts = BTreeMap::new();
    for fate in fates.iter().filter(|fate| fate.first < limit_s * 60) {
        *counts.entry(fate.by).or_default() += 1;
    }
    counts
}

/// Plays all seeds of a kind of game, prints its line, and checks for how long half of them keep the first ship.
fn check(stage: &Arc<Stage>, difficulty: Difficulty, does: Beginner, least_s: u32) {
    let game = |seed| World::new(stage.clone(), Rules::of(difficulty), seed);
    let fates: Vec<Fate> = (0..SEEDS).map(|seed| fate(game(seed), does)).collect();
    let first = spread(fates.iter().map(|fate| fate.first).collect());
    let end = spread(fates.iter().map(|fate| fate.end).collect());
    let name = format!("{} {} {does:?}", stage.name, difficulty.name());
    let early = early_killers(&fates, least_s);
    println!("{name:<24} first ship {} s, game {} s, before {least_s} s {early:?}", seconds(first), seconds(end));
    assert!(first[1] >= least_s * 60, "{name}: half of them have lost the first ship after {} ticks", first[1]);
}

/// The stages in which a new game begins.
fn stages() -> [Arc<Stage>; 2] {
    [Stage::built_in("stage1").expect("it is built in"), Stage::endless()]
}

#[test]
fn half_of_those_who_do_something_keep_their_first_ship_for_a_while() {
    for (stage, least_s) in stages().iter().zip([STAGE_1_S, ENDLESS_S]) {
        for (difficulty, least_s) in Difficulty::ALL.into_iter().zip(least_s) {
            for does in [Beginner::Fires, Beginner::Wanders, Beginner::Sweeps] {
                check(stage, difficulty, does, least_s);
            }
        }
    }
}

/// A gentle opening is not an empty one.
#[test]
fn there_is_always_something_to_shoot() {
    for (stage, seed) in stages().iter().flat_map(|stage| (0..SEEDS).map(move |seed| (stage, seed))) {
        let mut world = World::new(stage.clone(), Rules::default(), seed);
        assert!(world.join(Seat::ALL[0]));
        world.start();
        for tick in 1..=STAGE_1_S[0] * 60 {
            world.tick(&Default::default());
            let is_empty = || !world.frame().entities.iter().any(|entity| entity.kind.class() == Class::Enemy);
            assert!(tick < SHOOTS_FROM_S * 60 || !is_empty(), "{}: nothing to shoot at tick {tick}", stage.name);
        }
    }
}
