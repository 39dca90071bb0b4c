//! Bots are worth having: four of them stay in the game for long after four ships that do nothing have lost it.

use game::{Frame, GameState, Input, Rules, Seat, Stage, World};
use toolkit::bot::{Bot, Ground};

/// Four minutes; ships that do nothing last for about 45 seconds.
const LIMIT_TICKS: u32 = 4 * 60 * 60;
const SEEDS: [u64; 2] = [1, 2];

/// Plays until the game is lost or the time is over, and returns the last Frame.
fn play(seed: u64, mut decide: impl FnMut(&Frame, Seat, &Stage) -> Input) -> Frame {
    let mut world = World::new(Stage::endless(), Rules::default(), seed);
    for seat in Seat::ALL {
        assert!(world.join(seat));
    }
    world.start();
    let mut frame = world.frame();
    while frame.state == GameState::Running && frame.tick.0 < LIMIT_TICKS {
        let inputs = Seat::ALL.map(|seat| decide(&frame, seat, world.stage()));
        world.tick(&inputs);
        world.frame_into(&mut frame);
    }
    frame
}

fn with_bots(seed: u64) -> Frame {
    let mut bots = Seat::ALL.map(|seat| Bot::new(seed * 31 + u64::from(seat.number())));
    play(seed, |frame, seat, stage| bots[seat.index()].decide(frame, seat, Ground::Stage(stage)))
}

#[test]
fn four_bots_outlive_four_idle_ships_at_least_three_times() {
    for seed in SEEDS {
        let (idle, bots) = (play(seed, |_, _, _| Input::IDLE), with_bots(seed));
        assert_eq!(idle.state, GameState::Lost, "seed {seed}: even idle ships survive");
        assert!(bots.tick.0 >= 3 * idle.tick.0, "seed {seed}: {} against {} ticks", bots.tick.0, idle.tick.0);
        assert!(bots.score > 10_000, "seed {seed}: only {} points", bots.score);
    }
}

#[test]
fn bots_that_see_only_kinds_and_places_still_outlive_idle_ships_twice() {
    for seed in SEEDS {
        let idle = play(seed, |_, _, _| Input::IDLE);
        let mut bots = Seat::ALL.map(|seat| Bot::new(u64::from(seat.number())));
        let poor = play(seed, |frame, seat, _| bots[seat.index()].decide(&bare(frame), seat, Ground::Unknown));
        assert!(poor.tick.0 >= 2 * idle.tick.0, "seed {seed}: {} against {} ticks", poor.tick.0, idle.tick.0);
    }
}

/// How far one ship gets in the first stage within 100 seconds of play, however often it is sent back.
fn furthest_px(seed: u64, mut decide: impl FnMut(&Frame, &Stage) -> Input) -> u32 {
    let stage = Stage::built_in("stage1").expect("it is built in");
    let mut world = World::new(stage, Rules::default(), seed);
    assert!(world.join(Seat::ALL[0]));
    world.start();
    let reached = (0..100 * 60).map(|_| {
        let input = decide(&world.frame(), world.stage());
        world.tick(&[input, Input::IDLE, Input::IDLE, Input::IDLE]);
        world.frame().scroll_px
    });
    reached.max().unwrap_or(0)
}

#[test]
fn a_bot_alone_finds_its_way_through_terrain() {
    let bots: Vec<u32> = (1..=5)
        .map(|seed| {
            let mut bot = Bot::new(seed);
            furthest_px(seed, |frame, stage| bot.decide(frame, Seat::ALL[0], Ground::Stage(stage)))
        })
        .collect();
    let idle = furthest_px(1, |_, _| Input::IDLE);
    // Chance decides one game, not most of five. A hundred seconds of scrolling are 4,800 pixels.
    let far = bots.iter().filter(|&&reached| reached > 2 * idle).count();
    assert!(far >= 3, "{bots:?} px, and a ship that does nothing {idle}");
}

/// The Frame of a dialect that tells nothing but what is where.
fn bare(frame: &Frame) -> Frame {
    let mut frame = frame.clone();
    frame.scroll_px = 0;
    frame.players = [None; 4];
    frame.events.clear();
    for entity in &mut frame.entities {
        entity.velocity = game::Vec2::ZERO;
        (entity.health, entity.health_max, entity.charge, entity.lives, entity.animation) = (0, 0, 0, 0, 0);
        entity.attached = None;
    }
    frame
}
