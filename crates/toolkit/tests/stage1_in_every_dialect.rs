//! Bots that know only what their dialect told them survive the first stage as well as those of `volley watch`, which know it.

mod bot_lobby;

use std::{sync::LazyLock, thread};

use bot_lobby::{Game, Knowledge};
use game::{GameState, Stage};
use protocol::{Dialect, DialectEntry};

/// The doors of the simulated node: all there are.
pub static ENTRIES: LazyLock<Vec<&'static DialectEntry>> = LazyLock::new(|| Dialect::ALL.map(Dialect::entry).into());

/// The whole stage, with its boss: bots win it in four or five minutes, or have lost all ships before.
const TICKS_MAX: u32 = 15 * 60 * 60;
const SEED: u64 = 1;
/// Ships that four bots may lose beyond those that bots lose who know the stage: chance decides a few of them.
const MORE_MAX: u32 = 6;
/// Ships that may be lost against walls; bots that see no walls lose all twelve to them.
const LOST_TO_WALLS_MAX: u32 = 3;

#[test]
fn c12_bots_of_every_dialect_survive_the_first_stage_as_those_do_that_know_it() {
    let stage = Stage::built_in("stage1").expect("a stage");
    let game = Game { stage, players: 4, seed: SEED, ticks_max: TICKS_MAX };
    let known = game.played_with(Knowledge::Stage);
    let blind = game.played_with(Knowledge::NoWalls);
    assert_eq!((known.state, blind.state), (GameState::Won, GameState::Lost), "walls matter: {known:?} {blind:?}");
    assert!(blind.lost_to_walls > 3 * LOST_TO_WALLS_MAX, "{blind:?}");
    let told = thread::scope(|scope| {
        let game = &game;
        let play = |dialect| scope.spawn(move || game.told_by(dialect));
        Dialect::ALL
            .map(|dialect| (dialect, play(dialect)))
            .map(|(dialect, play)| (dialect, play.join().expect("it ends")))
    });
    for (dialect, played) in told {
        assert!(
            played.lost_to_walls <= LOST_TO_WALLS_MAX,
            "{}: {played:?}, with the stage known {known:?}",
            dialect.name()
        );
        let survives = played.state == GameState::Won && played.ships_lost <= known.ships_lost + MORE_MAX;
        assert!(survives, "{}: {played:?}, with the stage known {known:?}", dialect.name());
    }
}
