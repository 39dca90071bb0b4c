//! Any order of joins, leaves, inputs and arrivals in a real game: never a panic, and always a state that can be saved.
//!
//! The first three bytes choose stage, rules and seed; then each byte is a deed, and takes what it needs of the next.

#![no_main]

use std::sync::{Arc, LazyLock};

use game::{
    Buttons, Daily, Departure, Difficulty, Input, Inputs, Kind, Mode, RuleSet, Rules, SEATS, Seat, Stage, Vec2, World,
    px,
};
use libfuzzer_sys::fuzz_target;

/// Twenty seconds: enough for all that lives to die, short enough for hundreds of games a second.
const TICKS_MAX: u32 = 1200;

static STAGES: LazyLock<Vec<Arc<Stage>>> = LazyLock::new(|| {
    let read = |(name, text): &(&str, &str)| Stage::read(name, text.as_bytes()).map(Arc::new).ok();
    game::stage::BUILT_IN.iter().filter_map(read).collect()
});

fuzz_target!(|bytes: &[u8]| {
    let mut bytes = bytes.iter().copied();
    let (Some(stage), Some(rules), Some(seed)) = (bytes.next(), bytes.next(), bytes.next()) else { return };
    let stage = STAGES[usize::from(stage) % STAGES.len()].clone();
    let mut world = World::new(stage.clone(), rules_of(rules), u64::from(seed));
    let mut ticks = 0;
    while let Some(deed) = bytes.next()
        && ticks < TICKS_MAX
    {
        ticks += act(&mut world, deed, &mut bytes);
    }
    let restored = World::restore(stage, &world.save()).expect("a game that was played can be restored");
    assert_eq!(restored.hash(), world.hash(), "a restored game is the same game");
});

fn rules_of(byte: u8) -> Rules {
    let set = if byte & 1 == 0 { RuleSet::Coop } else { RuleSet::Arcade };
    let difficulty = Difficulty::ALL[usize::from(byte) % Difficulty::ALL.len()];
    let mode = if byte & 0x80 == 0 { Mode::Campaign } else { Mode::Daily(Daily::of(byte.into())) };
    Rules { set, friendly_fire: byte & 2 != 0, lives: byte >> 2, difficulty, mode }
}

/// Does one deed and returns how many ticks it took.
fn act(world: &mut World, deed: u8, bytes: &mut impl Iterator<Item = u8>) -> u32 {
    let seat = Seat::ALL[usize::from(deed >> 3) % SEATS];
    match deed & 7 {
        0 => _ = world.join(seat),
        1 => world.leave(seat, if deed & 0x80 == 0 { Departure::Left } else { Departure::TimedOut }),
        2 => world.start(),
        3 => arrive(world, bytes),
        _ => return fly(world, 1 << (deed >> 3 & 7), bytes),
    }
    0
}

/// Something arrives within the field.
fn arrive(world: &mut World, bytes: &mut impl Iterator<Item = u8>) {
    let mut next = || bytes.next().unwrap_or_default();
    let kind = Kind::ALL[usize::from(next()) % Kind::ALL.len()];
    world.spawn(kind, Vec2 { x: px(i32::from(next()) * 2), y: px(i32::from(next())) });
}

/// Everyone holds what the next bytes say for some ticks.
fn fly(world: &mut World, ticks: u32, bytes: &mut impl Iterator<Item = u8>) -> u32 {
    let inputs: Inputs = std::array::from_fn(|_| Input::holding(Buttons::from_bits(bytes.next().unwrap_or_default())));
    for _ in 0..ticks {
        world.tick(&inputs);
    }
    let ids: Vec<_> = world.frame().entities.iter().map(|entity| entity.id).collect();
    assert!(ids.is_sorted_by(|a, b| a < b), "entities come in the order of their ids");
    ticks
}
