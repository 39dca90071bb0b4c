//! The four ships are balanced: bots do about as well in each of them. `cargo test -p toolkit --test ships -- --nocapture`
//! shows the figures.

use game::{Frame, GameState, Rules, Seat, ShipModel, Stage, World};
use toolkit::bot::{Bot, Ground};

const SEEDS: u64 = 24;
/// Longer games are cut, in ticks.
const TICKS_MAX: u32 = 3 * 60 * 60;
const SEAT: Seat = Seat::ALL[0];

/// The score and the ticks of one bot alone.
fn play(model: ShipModel, seed: u64) -> (u32, u32) {
    let mut world = World::new(Stage::endless(), Rules::default(), seed);
    world.join_with(SEAT, model);
    world.start();
    let (mut bot, mut frame) = (Bot::new(seed), Frame::default());
    while world.game_state() == GameState::Running && world.now().0 < TICKS_MAX {
        world.frame_into(&mut frame);
        let mut inputs = game::Inputs::default();
        inputs[SEAT.index()] = bot.decide(&frame, SEAT, Ground::Stage(world.stage()));
        world.tick(&inputs);
    }
    (world.frame().score, world.now().0)
}

#[test]
fn bots_do_about_as_well_in_every_ship() {
    let means = ShipModel::ALL.map(|model| {
        let games: Vec<(u32, u32)> = (0..SEEDS).map(|seed| play(model, seed)).collect();
        let score = games.iter().map(|game| u64::from(game.0)).sum::<u64>() / SEEDS;
        let seconds = games.iter().map(|game| u64::from(game.1)).sum::<u64>() / SEEDS / 60;
        println!("{:<6} {score:>8} points {seconds:>5} s", model.name());
        seconds
    });
    let (least, most) = (means.into_iter().min().expect("four"), means.into_iter().max().expect("four"));
    assert!(most * 2 <= least * 3, "{least} s and {most} s: one ship is half as good again as another");
}
