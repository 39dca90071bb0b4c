//! The same seed and inputs give the same game, step by step, even when it is saved and restored on the way.

use game::{Buttons, Departure, Event, GameState, Input, Inputs, Rules, Seat, Stage, World, stage::BUILT_IN};

/// A xorshift generator: random numbers of the test's own, apart from the game's.
struct Chance(u64);

impl Chance {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    fn below(&mut self, sides: u64) -> u64 {
        self.next() % sides
    }
}

/// Four players who hold on to a choice for a while, as people do, and press fire often.
struct Players {
    chance: Chance,
    held: [Buttons; 4],
}

impl Players {
    fn new(seed: u64) -> Players {
        Players { chance: Chance(seed | 1), held: [Buttons::NONE; 4] }
    }

    fn inputs(&mut self) -> Inputs {
        std::array::from_fn(|seat| {
            if self.chance.below(30) == 0 {
                self.held[seat] = Buttons::from_bits(self.chance.next() as u8);
            }
            let pressed = if self.chance.below(12) == 0 { Buttons::FIRE } else { Buttons::NONE };
            Input { held: self.held[seat], pressed }
        })
    }
}

/// A game of four in a stage, under way.
fn game_of_four(stage: &str, seed: u64) -> World {
    let stage = Stage::built_in(stage).expect("it is built in");
    let mut world = World::new(stage, Rules { lives: 5, ..Rules::default() }, seed);
    Seat::ALL.into_iter().for_each(|seat| assert!(world.join(seat)));
    world.start();
    world
}

/// A player who is out of lives leaves and joins again, so that the game goes on.
fn rejoin(world: &mut World) {
    let players = world.frame().players;
    for (seat, player) in Seat::ALL.into_iter().zip(players) {
        if player.is_some_and(|player| player.lives == 0) {
            world.leave(seat, Departure::Left);
            world.join(seat);
        }
    }
}

/// What makes a game busy.
#[derive(Debug, Default)]
struct Outcome {
    fired: usize,
    killed: usize,
    hit: usize,
    grabbed: usize,
}

impl Outcome {
    fn count(&mut self, events: &[Event]) {
        for event in events {
            match event {
                Event::Fired { .. } => self.fired += 1,
                Event::Killed { .. } => self.killed += 1,
                Event::Hit { .. } => self.hit += 1,
                Event::Grabbed { .. } => self.grabbed += 1,
                _ => {}
            }
        }
    }
}

/// Calls `after` with the world and the number of the step after each of the first steps of a busy game.
fn play(world: &mut World, players: &mut Players, steps: u32, mut after: impl FnMut(&mut World, u32)) -> Outcome {
    let mut outcome = Outcome::default();
    for step in 0..steps {
        world.step(&players.inputs());
        if step % 2 == 1 {
            outcome.count(world.events());
            // Under way somebody is always in flight or about to return, else the game would be lost.
            if step % 60 == 59 {
                rejoin(world);
            }
        }
        after(world, step);
    }
    outcome
}

#[test]
fn ten_minutes_of_four_random_players_are_the_same_at_every_step() {
    const STEPS: u32 = 10 * 60 * 120;
    let mut first = game_of_four("endless", 42);
    let mut hashes = Vec::with_capacity(STEPS as usize);
    let outcome = play(&mut first, &mut Players::new(7), STEPS, |world, _| hashes.push(world.hash()));
    let mut again = game_of_four("endless", 42);
    play(&mut again, &mut Players::new(7), STEPS, |world, step| {
        assert_eq!(world.hash(), hashes[step as usize], "step {step}");
    });
    assert_eq!(first.game_state(), GameState::Running, "it was a game to the end");
    assert!(
        outcome.fired > 2000 && outcome.killed > 100 && outcome.hit > 1000 && outcome.grabbed > 10,
        "a busy one: {outcome:?}"
    );
    assert!(first.frame().score > 50_000, "{} points", first.frame().score);
}

#[test]
fn another_seed_is_another_game() {
    let [one, other] = [1, 2].map(|seed| {
        let mut world = game_of_four("endless", seed);
        play(&mut world, &mut Players::new(7), 2400, |_, _| {});
        world.hash()
    });
    assert_ne!(one, other);
}

#[test]
fn a_restored_game_goes_on_identically_from_any_step() {
    for (name, _) in BUILT_IN {
        let mut chance = Chance(99);
        let mut world = game_of_four(name, 3);
        let mut players = Players::new(5);
        for _ in 0..40 {
            // Odd counts too: a game can be saved in the middle of a tick.
            play(&mut world, &mut players, 1 + chance.below(400) as u32, |_, _| {});
            let mut restored = World::restore(world.stage().clone(), &world.save()).expect("what was saved is whole");
            assert!(restored == world && restored.hash() == world.hash() && restored.frame() == world.frame());
            for step in 0..60 {
                let inputs = players.inputs();
                world.step(&inputs);
                restored.step(&inputs);
                assert_eq!(restored.hash(), world.hash(), "{name}, {step} steps after");
            }
        }
    }
}

#[test]
fn a_save_belongs_to_its_stage_and_version() {
    let world = game_of_four("endless", 1);
    let mut save = world.save();
    let other = Stage::sketch(&["#"]);
    assert_eq!(World::restore(other, &save), Err(game::RestoreError::OtherStage));
    save[0] ^= 1;
    assert_eq!(World::restore(Stage::endless(), &save), Err(game::RestoreError::OtherVersion));
    assert_ne!(Stage::sketch(&["#"]).fingerprint, Stage::sketch(&["%"]).fingerprint);
}

/// The versions of the rules, and the golden hashes of each.
const VERSIONS: &str = include_str!("../rules-versions.txt");

#[test]
fn the_version_of_the_rules_rises_with_every_change_of_the_golden_hashes() {
    let lines = VERSIONS.lines().filter(|line| !line.starts_with('#'));
    let versions: Vec<(u16, &str)> = lines
        .map(|line| line.split_once(' ').expect("a version and its hashes"))
        .map(|(version, hashes)| (version.parse().expect("a number"), hashes))
        .collect();
    assert!(versions.is_sorted_by(|earlier, later| earlier.0 < later.0), "each is higher than the one before");
    let hashes = GOLDEN.map(|(_, hash)| hash.to_string()).join(" ");
    let (newest, known) = *versions.last().expect("there is a version");
    assert!(
        versions[..versions.len() - 1].iter().all(|(_, earlier)| *earlier != hashes),
        "these are the rules of an earlier version"
    );
    assert_eq!(
        (newest, known),
        (game::RULES_VERSION, hashes.as_str()),
        "if the golden hashes changed: raise RULES_VERSION, add the line on the right to rules-versions.txt without changing \
         any other, and run `cargo run -p replay --example record`"
    );
}

/// The hash of each built-in stage after five minutes of four random players. A change of the rules, of a number in
/// `tuning.rs` or of a stage changes it. If that was the intention, run
/// `cargo test -p game --test determinism -- golden` and copy what it prints.
const GOLDEN: [(&str, u64); 4] = [
    ("endless", 15_533_384_983_012_935_023),
    ("stage1", 1_230_936_878_245_247_467),
    ("stage2", 12_460_059_947_059_289_954),
    ("stage3", 3_870_011_098_506_196_108),
];

#[test]
fn golden_hashes_tell_that_the_rules_changed() {
    let hashes: Vec<(&str, u64)> = BUILT_IN
        .iter()
        .map(|(name, _)| {
            let mut world = game_of_four(name, 2026);
            play(&mut world, &mut Players::new(2026), 5 * 60 * 120, |_, _| {});
            (*name, world.hash())
        })
        .collect();
    assert_eq!(hashes, GOLDEN, "if the rules or a stage were changed on purpose, copy the left side");
}
