//! Bots are worth having: four of them stay in the game for long after four ships that do nothing have lost it.

use game::{Event, Frame, GameState, Input, Kind, Rules, Seat, Skill, Stage, World};
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

/// What one bot of that skill gets in four minutes of the endless stage, over some seeds: ticks and points.
fn results(skill: Skill) -> (u32, u32) {
    const GAMES: u32 = 12;
    let games = (0..u64::from(GAMES)).map(|seed| {
        let mut bot = Bot::with_skill(skill, seed);
        let mut world = World::new(Stage::endless(), Rules::default(), seed);
        assert!(world.join(Seat::ALL[0]));
        world.start();
        let mut frame = world.frame();
        while frame.state == GameState::Running && frame.tick.0 < LIMIT_TICKS {
            let input = bot.decide(&frame, Seat::ALL[0], Ground::Stage(world.stage()));
            world.tick(&[input, Input::IDLE, Input::IDLE, Input::IDLE]);
            world.frame_into(&mut frame);
        }
        (frame.tick.0, frame.score)
    });
    let (ticks, score) = games.fold((0, 0), |sum, game| (sum.0 + game.0, sum.1 + game.1));
    println!("{:<7} {:>4} s {:>7} points", skill.name(), ticks / GAMES / 60, score / GAMES);
    (ticks / GAMES, score / GAMES)
}

/// `cargo test -p toolkit --test survival -- --nocapture` shows the figures.
#[test]
fn the_better_a_bot_the_longer_it_lasts_and_the_more_it_scores() {
    let [easy, normal, good] = Skill::ALL.map(results);
    let idle = play(1, |_, _, _| Input::IDLE).tick.0;
    assert!(easy.0 * 2 > idle * 3, "even a beginner outlives a ship that does nothing: {} and {idle} ticks", easy.0);
    // Good bots may outlast the limit, and then differ from normal ones by their points alone.
    assert!(normal.0 * 5 > easy.0 * 6 && good.0 > normal.0, "{easy:?} {normal:?} {good:?}");
    assert!(normal.1 * 2 > easy.1 * 3 && good.1 * 2 > normal.1 * 3, "{easy:?} {normal:?} {good:?}");
}

/// How far one ship gets in the first stage within 100 seconds of play, however often it is sent back.
fn furthest_px(seed: u64, mut decide: impl FnMut(&Frame, &Stage) -> Input) -> u32 {
    let stage = Stage::built_in("stage1").expect("it is built in");
    let mut world = World::new(stage, Rules::default(), seed);
    assert!(world.join(Seat::ALL[0]));
    world.start();
    let reached = (0..150 * 60).map(|_| {
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
    // Chance decides one game, not most of five. The way stops for the first boss.
    let far = bots.iter().filter(|&&reached| reached > 2 * idle).count();
    assert!(far >= 3, "{bots:?} px, and a ship that does nothing {idle}");
}

#[test]
fn bots_of_every_skill_keep_off_the_ground() {
    let walls = |skill| {
        (1..=4_u64).map(|seed| lost_to_walls(skill, seed)).fold((0, 0), |sum, game| (sum.0 + game.0, sum.1 + game.1))
    };
    for skill in Skill::ALL {
        let (against_walls, all) = walls(skill);
        println!("{:<7} {against_walls} of {all} ships lost against walls", skill.name());
        assert!(against_walls * 5 <= all.max(10), "{}: {against_walls} of {all} ships", skill.name());
    }
}

/// Ships that four bots of that skill lose in a minute and a half of stage 1: those lost against walls, and all.
fn lost_to_walls(skill: Skill, seed: u64) -> (usize, usize) {
    let stage = Stage::built_in("stage1").expect("it is built in");
    let mut world = World::new(stage, Rules { lives: 9, ..Rules::default() }, seed);
    let mut bots = Seat::ALL.map(|seat| Bot::with_skill(skill, seed * 31 + u64::from(seat.number())));
    assert!(Seat::ALL.into_iter().all(|seat| world.join(seat)));
    world.start();
    let (mut frame, mut lost) = (world.frame(), (0, 0));
    for _ in 0..90 * 60 {
        let inputs = Seat::ALL.map(|seat| bots[seat.index()].decide(&frame, seat, Ground::Stage(world.stage())));
        world.tick(&inputs);
        world.frame_into(&mut frame);
        for event in &frame.events {
            if let Event::Killed { by, .. } = event {
                lost.1 += 1;
                lost.0 += usize::from(by.is_some_and(|killer| killer.kind == Kind::Wall));
            }
        }
    }
    lost
}

/// The Frame of a dialect that shows nothing but what is where.
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
