//! Bots that know only what their dialect told them survive the first stage as well as those of `volley watch`, which know it.

mod bot_lobby;

use std::{sync::LazyLock, thread};

use bot_lobby::{Game, Knowledge};
use game::Stage;
use protocol::{Dialect, DialectEntry};

/// The doors of the simulated node: all there are.
pub static ENTRIES: LazyLock<Vec<&'static DialectEntry>> = LazyLock::new(|| Dialect::ALL.map(Dialect::entry).into());

/// A minute of the first stage, in each of these games.
const TICKS: u32 = 60 * 60;
const SEEDS: [u64; 2] = [1, 2];
/// Ships that four bots may lose in all games beyond those that bots lose who know the stage: chance decides a single one.
const MORE_MAX: u32 = 4;

#[test]
fn c12_bots_of_every_dialect_survive_the_first_stage_as_those_do_that_know_it() {
    let stage = Stage::built_in("stage1").expect("a stage");
    let games = SEEDS.map(|seed| Game { stage: stage.clone(), seed, ticks_max: TICKS });
    let lost = |play: &dyn Fn(&Game) -> u32| games.iter().map(play).sum::<u32>();
    let watched = lost(&|game| game.played_with(Knowledge::Stage));
    let blind = lost(&|game| game.played_with(Knowledge::NoWalls));
    assert!(blind > watched + 3 * MORE_MAX, "walls matter: {blind} ships without them, {watched} with");
    let told = thread::scope(|scope| {
        let games = &games;
        let play = |dialect| scope.spawn(move || games.iter().map(|game| game.told_by(dialect)).sum::<u32>());
        Dialect::ALL
            .map(|dialect| (dialect, play(dialect)))
            .map(|(dialect, play)| (dialect, play.join().expect("it ends")))
    });
    for (dialect, lost) in told {
        assert!(
            lost <= watched + MORE_MAX,
            "{}: {lost} ships; with the stage known {watched}, blind {blind}",
            dialect.name()
        );
    }
}
