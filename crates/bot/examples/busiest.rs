//! What a step of the busiest scene of each stage costs, in microseconds: `cargo run --release -p bot --example busiest`.
//!
//! Four good bots play a stage through under one seed. The world with the most entities is kept, and its step is timed.

use std::time::{Duration, Instant};

use bot::{Bot, Ground};
use game::{Frame, GameState, Input, Inputs, Rules, Seat, Stage, World, stage::BUILT_IN};

/// Nobody plays longer, in ticks.
const TICKS_MAX: u32 = 15 * 60 * 60;
/// Steps of one sample: so few that the scene stays as it is.
const STEPS: u32 = 8;
/// Samples, of which the best counts: the machine may do something else meanwhile.
const SAMPLES: u32 = 200;

fn main() {
    println!("{:<8} {:>8} {:>12}", "stage", "entities", "µs per step");
    for (name, _) in &BUILT_IN {
        let (world, inputs) = busiest(name);
        let us = best(&world, &inputs).as_secs_f64() * 1e6 / f64::from(STEPS);
        println!("{name:<8} {:>8} {us:>12.2}", world.frame().entities.len());
    }
}

/// The busiest scene of a game, and what the bots hold in it.
fn busiest(stage: &str) -> (World, Inputs) {
    let stage = Stage::built_in(stage).unwrap_or_else(Stage::endless);
    let mut world = World::new(stage, Rules { lives: 9, ..Rules::default() }, 1);
    Seat::ALL.into_iter().for_each(|seat| _ = world.join(seat));
    world.start();
    let mut bots = Seat::ALL.map(|seat| Bot::new(u64::from(seat.number())));
    let (mut frame, mut most) = (Frame::default(), (0, world.clone(), Inputs::default()));
    for _ in 0..TICKS_MAX {
        world.frame_into(&mut frame);
        if frame.state != GameState::Running {
            break;
        }
        let mut inputs = [Input::IDLE; game::SEATS];
        for (bot, seat) in bots.iter_mut().zip(Seat::ALL) {
            inputs[seat.index()] = bot.decide(&frame, seat, Ground::Stage(world.stage()));
        }
        if frame.entities.len() > most.0 {
            most = (frame.entities.len(), world.clone(), inputs);
        }
        world.tick(&inputs);
    }
    (most.1, most.2)
}

/// The time of a few steps from there.
fn best(world: &World, inputs: &Inputs) -> Duration {
    let sample = || {
        let mut world = world.clone();
        // A clone has tables without room to grow; a world that has run for a while has it.
        world.step(inputs);
        let began = Instant::now();
        (0..STEPS).for_each(|_| world.step(inputs));
        began.elapsed()
    };
    (0..SAMPLES).map(|_| sample()).min().unwrap_or_default()
}
