//! What a bot of each skill costs, in microseconds a decision: `cargo run --release -p bot --example cost`.

use std::time::{Duration, Instant};

use bot::{Bot, Ground};
use game::{Frame, GameState, Input, Rules, Seat, Skill, Stage, World};

/// Ticks of each game: five minutes.
const TICKS: u32 = 5 * 60 * 60;

fn main() {
    println!("{:<8} {:<8} {:>8} {:>8} {:>8}", "stage", "skill", "mean", "p99", "most");
    for stage in ["endless", "stage1"] {
        for skill in Skill::ALL {
            let mut times = decisions(stage, skill);
            times.sort_unstable();
            let mean = times.iter().sum::<Duration>() / times.len() as u32;
            let [p99, most] = [times[times.len() * 99 / 100], times[times.len() - 1]];
            let us = |time: Duration| format!("{:.1}", time.as_secs_f64() * 1e6);
            println!("{stage:<8} {:<8} {:>8} {:>8} {:>8}", skill.name(), us(mean), us(p99), us(most));
        }
    }
}

/// How long each decision of four such bots takes, in one game after the other.
fn decisions(stage: &str, skill: Skill) -> Vec<Duration> {
    let stage = Stage::built_in(stage).unwrap_or_else(Stage::endless);
    let mut world = World::new(stage, Rules { lives: 9, ..Rules::default() }, 1);
    Seat::ALL.into_iter().for_each(|seat| _ = world.join(seat));
    world.start();
    let mut bots = Seat::ALL.map(|seat| Bot::with_skill(skill, u64::from(seat.number())));
    let (mut frame, mut times) = (Frame::default(), Vec::new());
    for _ in 0..TICKS {
        world.frame_into(&mut frame);
        let mut inputs = [Input::IDLE; game::SEATS];
        for (bot, seat) in bots.iter_mut().zip(Seat::ALL) {
            let began = Instant::now();
            inputs[seat.index()] = bot.decide(&frame, seat, Ground::Stage(world.stage()));
            times.push(began.elapsed());
        }
        world.tick(&inputs);
        if world.game_state() != GameState::Running {
            world.restart();
        }
    }
    times
}
