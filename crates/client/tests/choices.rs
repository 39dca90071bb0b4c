//! What is chosen before a game: ship, difficulty, the game of the day, and where practice begins.

#[expect(dead_code, reason = "each test needs a part of it")]
mod simulation;

use client::{Key, Options, Phase, Score, Task, Touch, draw::Picture};
use game::{Arms, Crystal, Difficulty, GameState, Mode, Rules, ShipModel};
use protocol::Dialect;
use simulation::{Conditions, SEAT, Simulation};

const GOOD: Conditions = Conditions::PERFECT.delay_ms(10);
const ENTER: Key = Key::ENTER;
const DOWN: Key = Key::ARROW_DOWN;
const UP: Key = Key::ARROW_UP;
const LEFT: Key = Key::ARROW_LEFT;
const RIGHT: Key = Key::ARROW_RIGHT;
/// 14 November 2023, on which the simulation begins.
const TODAY: u32 = 19_675;

fn tap(sim: &mut Simulation, key: Key) {
    sim.client.key(sim.now, key, true);
    sim.client.key(sim.now, key, false);
    sim.run_ms(100);
}

fn at_title(settings: &str) -> Simulation {
    let options = Options { settings: settings.into(), ..Options::new(Dialect::Volley) };
    let mut sim = Simulation::new("endless", 1, GOOD, false, options);
    sim.run_ms(300);
    sim
}

/// A player at the title who presses these keys.
fn walk(settings: &str, keys: &[Key]) -> Simulation {
    let mut sim = at_title(settings);
    keys.iter().for_each(|&key| tap(&mut sim, key));
    sim
}

fn stored(sim: &Simulation) -> String {
    let last = sim.tasks.iter().rev().find(|(task, _)| *task == Task::StoreSettings);
    last.map_or(String::new(), |(_, text)| String::from_utf8_lossy(text).into_owned())
}

fn queries(sim: &Simulation) -> Vec<String> {
    let queries = sim.tasks.iter().filter(|(task, _)| *task == Task::FetchScores);
    queries.map(|(_, query)| String::from_utf8_lossy(query).into_owned()).collect()
}

fn created(sim: &Simulation) -> (&str, Rules) {
    sim.created.as_ref().map(|(stage, rules)| (stage.as_str(), *rules)).expect("a lobby was made")
}

#[test]
fn one_key_plays_what_was_chosen_last() {
    let sim = walk("ship = anvil\ndifficulty = easy\n", &[ENTER]);
    assert_eq!(created(&sim), ("stage1", Rules::of(Difficulty::Easy)));
    assert_eq!(sim.ship, Some(ShipModel::Anvil));
    let sim = walk("difficulty = hard\n", &[DOWN, ENTER]);
    let endless = Rules { mode: Mode::Endless, ..Rules::of(Difficulty::Hard) };
    assert_eq!(created(&sim), ("endless", endless));
}

#[test]
fn an_arrow_on_play_leads_past_the_choice_of_a_ship_and_enter_plays_from_there() {
    let sim = walk("", &[RIGHT, RIGHT, UP, ENTER]);
    assert_eq!(created(&sim), ("stage1", Rules::of(Difficulty::Easy)));
    assert_eq!(sim.ship, Some(ShipModel::Wasp));
    assert!(stored(&sim).contains("ship = wasp\ndifficulty = easy\n"), "{}", stored(&sim));
    assert_eq!(sim.world.frame().players[SEAT.index()].map(|player| player.model), Some(ShipModel::Wasp));
    let sim = walk("", &[DOWN, LEFT, LEFT, ENTER]);
    assert_eq!((created(&sim).0, sim.ship), ("endless", Some(ShipModel::Lynx)), "before Endless as well");
}

#[test]
fn the_choice_of_a_ship_itself_leads_back_to_the_title() {
    let to_choice = [DOWN, DOWN, DOWN, DOWN, ENTER];
    let mut sim = walk("", &to_choice);
    [LEFT, DOWN, ENTER].into_iter().for_each(|key| tap(&mut sim, key));
    assert_eq!(sim.created, None);
    assert!(stored(&sim).contains("ship = lynx\ndifficulty = hard\n"), "{}", stored(&sim));
    // The cursor is where it was.
    [UP, UP, UP, UP, ENTER].into_iter().for_each(|key| tap(&mut sim, key));
    assert_eq!((created(&sim).0, created(&sim).1.difficulty), ("stage1", Difficulty::Hard));
}

#[test]
fn a_finger_chooses_a_ship_and_a_difficulty() {
    let touch = |sim: &mut Simulation, x, y| {
        for phase in [Phase::Down, Phase::Up] {
            sim.client.touch(sim.now, Touch { finger: 1, phase, x, y });
        }
        sim.run_ms(100);
    };
    let mut sim = at_title("");
    // The card of Play, then the third ship, then the first difficulty, then the chosen ship once more.
    [(310, 140), (295, 90), (120, 185), (295, 90)].into_iter().for_each(|(x, y)| touch(&mut sim, x, y));
    assert!(stored(&sim).contains("ship = anvil\ndifficulty = easy\n"), "{}", stored(&sim));
    assert_eq!(sim.created, None, "the title is next");
    touch(&mut sim, 150, 111);
    assert_eq!(created(&sim), ("stage1", Rules::of(Difficulty::Easy)));
}

#[test]
fn the_daily_game_is_that_of_today_with_its_table_and_a_ship_of_choice() {
    let sim = walk("difficulty = hard\n", &[DOWN, DOWN, ENTER, RIGHT, ENTER]);
    assert!(queries(&sim).contains(&"mode=daily&day=2023-11-14&players=1".into()), "{:?}", queries(&sim));
    assert_eq!(created(&sim), ("endless", Rules::of_day(TODAY)), "nobody chooses how hard it is");
    assert_eq!(sim.ship, Some(ShipModel::Wasp));
}

#[test]
fn practice_begins_where_the_player_has_been_with_chosen_arms() {
    let to_practice = [DOWN, DOWN, DOWN, ENTER];
    // Two checkpoints have been reached: after the second comes the first again.
    let from = |turns: usize| {
        let mut sim = walk("reached = stage1:2\n", &to_practice);
        [DOWN, DOWN].into_iter().chain(std::iter::repeat_n(RIGHT, turns)).for_each(|key| tap(&mut sim, key));
        [UP, UP, ENTER].into_iter().for_each(|key| tap(&mut sim, key));
        match created(&sim) {
            ("stage1", Rules { mode: Mode::Practice(practice), .. }) => practice.checkpoint,
            other => panic!("{other:?}"),
        }
    };
    assert_eq!([from(0), from(1), from(2), from(3)], [0, 1, 2, 0]);

    let mut sim = walk("ship = lynx\ndifficulty = easy\n", &to_practice);
    // Level 2, blue, missiles, one Bit, three speed-ups.
    let arms = [&[DOWN; 5][..], &[RIGHT, RIGHT, DOWN, RIGHT, DOWN, RIGHT, DOWN, RIGHT, DOWN, LEFT, LEFT]].concat();
    arms.into_iter().chain([UP; 9]).chain([ENTER]).for_each(|key| tap(&mut sim, key));
    let (_, rules) = created(&sim);
    let Mode::Practice(practice) = rules.mode else { panic!("{rules:?}") };
    let expected = Arms { force_level: 2, crystal: Crystal::Blue, missiles: true, bits: 1, speed: 3 };
    assert_eq!((practice.arms, practice.checkpoint, rules.difficulty), (expected, 0, Difficulty::Easy));
    assert!(!rules.is_scored());
}

#[test]
fn a_stage_is_practised_only_by_those_who_have_been_there() {
    let mut sim = walk("reached = stage1:0\n", &[DOWN, DOWN, DOWN, ENTER, DOWN, RIGHT, UP, ENTER]);
    assert_eq!(created(&sim).0, "stage1", "there is nothing to turn to");
    sim.created = None;
    let stages = game::stage::BUILT_IN.iter().filter(|(name, _)| *name != "endless").count();
    if stages > 1 {
        let sim = walk("reached = stage1:0 stage2:1\n", &[DOWN, DOWN, DOWN, ENTER, DOWN, RIGHT, UP, ENTER]);
        assert_eq!(created(&sim).0, "stage2");
    }
}

#[test]
fn how_far_a_player_has_come_is_remembered() {
    let options = Options { quick: true, ..Options::new(Dialect::Volley) };
    let mut sim = Simulation::new("stage1", 1, GOOD, false, options);
    assert!(sim.run_until(2_000, |sim| stored(sim).contains("reached = stage1:0\n")), "{}", stored(&sim));
    let checkpoint_px = game::Stage::built_in("stage1").expect("built in").checkpoints_px[1];
    let mode = Mode::Practice(game::Practice { checkpoint: 1, ..game::Practice::default() });
    let stage = game::Stage::built_in("stage1").expect("built in");
    sim.world = game::World::new(stage, Rules { mode, ..Rules::default() }, 1);
    sim.world.join(SEAT);
    sim.world.start();
    assert!(sim.run_until(3_000, |sim| stored(sim).contains("reached = stage1:1\n")), "{}", stored(&sim));
    assert!(sim.world.frame().scroll_px >= checkpoint_px);
}

#[test]
fn tables_are_turned_by_stage_difficulty_and_players_and_the_day_for_daily_ones() {
    let mut sim = walk("", &[UP, UP, ENTER]);
    assert_eq!(
        queries(&sim).last().map(String::as_str),
        Some("mode=campaign&stage=stage1&difficulty=normal&players=1")
    );
    let mut after = |keys: &[Key]| {
        keys.iter().for_each(|&key| tap(&mut sim, key));
        queries(&sim).pop().expect("a table is fetched")
    };
    assert_eq!(after(&[DOWN, RIGHT]), "mode=campaign&stage=stage1&difficulty=hard&players=1");
    assert_eq!(after(&[DOWN, LEFT]), "mode=campaign&stage=stage1&difficulty=hard&players=4");
    assert_eq!(after(&[DOWN, LEFT]), "mode=daily&day=2023-11-14&players=4");
    assert_eq!(after(&[DOWN, LEFT]), "mode=daily&day=2023-11-13&players=4", "to the left is yesterday");
    assert_eq!(after(&[UP, LEFT]), "mode=endless&stage=endless&difficulty=hard&players=4");
    assert_eq!(
        after(&[Key::ESCAPE, ENTER]),
        "mode=endless&stage=endless&difficulty=hard&players=4",
        "it is remembered"
    );
}

#[test]
fn a_table_that_cannot_be_had_and_one_without_rows_look_different() {
    let shown = |table: client::Table| {
        let mut sim = walk("", &[UP, UP, ENTER]);
        let query = queries(&sim).pop().expect("a table is fetched");
        sim.client.scores(sim.now, &query, table);
        let mut picture = Picture::new();
        sim.client.draw(sim.now, &mut picture);
        picture.rgba().to_vec()
    };
    let row = Score { name: String::new(), points: 1, ranks: "D".into(), game: None, is_recorded: false };
    let pictures = [
        shown(client::Table::Unavailable),
        shown(client::Table::Scores(Vec::new())),
        shown(client::Table::Scores(vec![row])),
    ];
    assert!(pictures[0] != pictures[1] && pictures[1] != pictures[2]);
}

#[test]
fn in_a_dialect_without_words_for_it_nothing_of_this_is_offered() {
    let options = Options::new(Dialect::Snapshot);
    let mut sim = Simulation::new("endless", 1, GOOD, false, options);
    sim.run_ms(300);
    // Play, Options, Scores, Credits: below the first line are the options.
    [DOWN, ENTER, DOWN, RIGHT].into_iter().for_each(|key| tap(&mut sim, key));
    assert!(stored(&sim).contains("music = "), "the second option was turned");
    assert_eq!(sim.client.shown().map(|frame| frame.state), None::<GameState>);
}
