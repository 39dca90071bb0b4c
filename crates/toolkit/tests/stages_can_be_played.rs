//! Under normal rules and lives good bots finish every stage, alone and in company, and get on from every checkpoint with a
//! bare ship.

use std::sync::Arc;

use game::{Arms, Event, Frame, GameState, Input, Mode, Practice, Rules, SEATS, Seat, Stage, World};
use toolkit::bot::{Bot, Ground};

/// Chance decides a single game: one of so many seeds must do.
const SEEDS: u64 = 4;
/// Nobody needs longer for a stage, in ticks.
const TICKS_MAX: u32 = 15 * 60 * 60;
/// From a checkpoint on a bare ship must last so long, in ticks.
const CHECKPOINT_TICKS: u32 = 15 * 60;

fn campaign() -> impl Iterator<Item = Arc<Stage>> {
    ["stage1", "stage2", "stage3"].into_iter().map(|name| Stage::built_in(name).expect("it is built in"))
}

/// Lets good bots play until something is so, and returns whether it came to that.
fn play(mut world: World, players: usize, ticks: u32, is_so: impl Fn(&Frame) -> Option<bool>) -> bool {
    let seats = &Seat::ALL[..players];
    seats.iter().for_each(|&seat| assert!(world.join(seat)));
    world.start();
    let mut bots: Vec<Bot> = (0..players as u64).map(Bot::new).collect();
    let mut frame = world.frame();
    for _ in 0..ticks {
        let mut inputs = [Input::IDLE; SEATS];
        for (bot, seat) in bots.iter_mut().zip(Seat::ALL) {
            inputs[seat.index()] = bot.decide(&frame, seat, Ground::Stage(world.stage()));
        }
        world.tick(&inputs);
        world.frame_into(&mut frame);
        if let Some(outcome) = is_so(&frame) {
            return outcome;
        }
    }
    true
}

fn finishes(stage: &Arc<Stage>, players: usize) -> bool {
    let over = |frame: &Frame| match frame.state {
        GameState::Won => Some(true),
        GameState::Lost => Some(false),
        _ => None,
    };
    (0..SEEDS).any(|seed| play(World::new(stage.clone(), Rules::default(), seed), players, TICKS_MAX, over))
}

#[test]
fn a_good_bot_alone_finishes_every_stage() {
    for stage in campaign() {
        assert!(finishes(&stage, 1), "{}", stage.name);
    }
}

#[test]
fn two_to_four_good_bots_finish_every_stage() {
    for (stage, players) in campaign().zip([2, 3, 4]) {
        assert!(finishes(&stage, players), "{} with {players}", stage.name);
    }
}

#[test]
fn every_checkpoint_can_be_survived_with_a_bare_ship() {
    let is_lost = |frame: &Frame| frame.events.iter().any(|event| matches!(event, Event::Killed { .. }));
    for stage in campaign() {
        for checkpoint in 0..stage.checkpoints_px.len() as u8 {
            let mode = Mode::Practice(Practice { checkpoint, arms: Arms::default() });
            let survives = |seed| {
                let world = World::new(stage.clone(), Rules { mode, ..Rules::default() }, seed);
                play(world, 1, CHECKPOINT_TICKS, |frame| is_lost(frame).then_some(false))
            };
            let name = &stage.checkpoint_names[usize::from(checkpoint)];
            assert!((0..2 * SEEDS).any(survives), "{}, from {name}", stage.name);
        }
    }
}
