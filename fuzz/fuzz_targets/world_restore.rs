//! Any bytes as a saved game: refused, or a game that goes on without a panic.
//!
//! The first byte chooses a real save and whether the rest replaces its state or damages it here and there. The header
//! is always right, so that the fuzzer does not spend its time on guessing a stage's fingerprint.

#![no_main]

use std::sync::{Arc, LazyLock};

use game::{Buttons, Input, Inputs, Rules, Seat, Stage, World};
use libfuzzer_sys::fuzz_target;

/// Version and the stage's fingerprint.
const HEADER_BYTES: usize = 9;
/// When the real games are saved: empty, young, busy.
const SAVED_AT_TICKS: [u32; 4] = [0, 120, 900, 3600];
/// Four seconds after restoring.
const TICKS_AFTER: usize = 240;

static SAVES: LazyLock<Vec<(Arc<Stage>, Vec<u8>)>> = LazyLock::new(|| {
    let read = |(name, text): &(&str, &str)| Stage::read(name, text.as_bytes()).map(Arc::new).ok();
    let stages = game::stage::BUILT_IN.iter().filter_map(read);
    stages.flat_map(|stage| SAVED_AT_TICKS.map(|ticks| (stage.clone(), played(stage.clone(), ticks)))).collect()
});

fuzz_target!(|bytes: &[u8]| {
    let Some((&choice, rest)) = bytes.split_first() else { return };
    let (stage, save) = &SAVES[usize::from(choice) % SAVES.len()];
    let bytes = if choice & 0x80 == 0 { damaged(save, rest) } else { [&save[..HEADER_BYTES], rest].concat() };
    if let Ok(mut world) = World::restore(stage.clone(), &bytes) {
        go_on(&mut world, rest);
    }
});

/// The save of a game of two that was played for some ticks.
fn played(stage: Arc<Stage>, ticks: u32) -> Vec<u8> {
    let mut world = World::new(stage, Rules::default(), 1);
    for seat in &Seat::ALL[..2] {
        world.join(*seat);
    }
    world.start();
    for tick in 0..ticks {
        let up = Buttons::UP.with(Buttons::DOWN, tick / 32 % 2 == 0);
        let fire = if tick / 16 % 3 == 0 { Buttons::FIRE } else { Buttons::FORCE };
        world.tick(&[Input::holding(up | fire); 4]);
    }
    world.save()
}

/// The save with some bytes replaced: three bytes of `how` are a place and what to write there.
fn damaged(save: &[u8], how: &[u8]) -> Vec<u8> {
    let mut bytes = save.to_vec();
    for patch in how.chunks_exact(3) {
        let place = usize::from(u16::from_le_bytes([patch[0], patch[1]]));
        let body = &mut bytes[HEADER_BYTES..];
        let length = body.len();
        body[place % length] = patch[2];
    }
    bytes
}

fn go_on(world: &mut World, bytes: &[u8]) {
    let mut held = bytes.iter().cycle().map(|byte| Buttons::from_bits(*byte));
    for _ in 0..TICKS_AFTER {
        let inputs: Inputs = std::array::from_fn(|_| Input::holding(held.next().unwrap_or_default()));
        world.tick(&inputs);
    }
    world.frame();
    world.save();
}
