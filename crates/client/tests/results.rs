//! The end of a game: the tally, the name, and the table in which this game has its row.

mod kept_picture;
mod read_text;
#[expect(dead_code, reason = "each test needs a part of it")]
mod simulation;

use client::{
    Key, Options, Pad, Phase, Score, Task, Touch,
    draw::{Colour, Font, Picture},
};
use game::{Departure, GameState, Kind, Mode, Practice, Rules, Seat, Stage, World};
use protocol::Dialect;
use read_text::{has_text, has_text_in};
use simulation::{Conditions, GAME, SEAT, Simulation, at_once};

const GOOD: Conditions = Conditions::PERFECT.delay_ms(10);

fn state(sim: &Simulation) -> Option<GameState> {
    sim.client.shown().map(|frame| frame.state)
}

fn tap(sim: &mut Simulation, key: Key) {
    sim.client.key(sim.now, key, true);
    sim.client.key(sim.now, key, false);
    sim.run_ms(100);
}

fn picture(sim: &mut Simulation) -> Picture {
    let mut picture = Picture::new();
    sim.client.draw(sim.now, &mut picture);
    picture
}

/// How many pixels differ.
fn changed(one: &Picture, other: &Picture) -> usize {
    let all = (0..Picture::HEIGHT).flat_map(|y| (0..Picture::WIDTH).map(move |x| (x, y)));
    all.filter(|&(x, y)| one.at(x, y) != other.at(x, y)).count()
}

fn row(name: &str, points: u32, game: Option<String>) -> Score {
    Score { name: name.into(), points, ranks: "B".into(), game, is_recorded: false }
}

/// A game that was just lost, with these rows in every table.
fn lost(company: bool, settings: &str, scores: Vec<Score>) -> Simulation {
    lost_by(Rules { lives: 1, ..Rules::default() }, company, settings, scores)
}

fn lost_by(rules: Rules, company: bool, settings: &str, scores: Vec<Score>) -> Simulation {
    let options = Options { settings: settings.into(), ..at_once() };
    let mut sim = Simulation::new("endless", 1, GOOD, company, options);
    let wall = "#".repeat(30);
    sim.world = World::new(Stage::sketch(&[wall.as_str(); 17]), rules, 1);
    sim.restarts = false;
    sim.scores = scores;
    assert!(sim.run_until(1_000, |sim| state(sim) == Some(GameState::Running)));
    let ship = sim.world.frame().ship(SEAT).expect("it flies").position;
    sim.world.spawn(Kind::RedCrystal, ship);
    assert!(sim.run_until(10_000, |sim| state(sim) == Some(GameState::Lost)), "the game is not lost");
    sim
}

/// Rows of the picture that are marked as the player's own, of which there is one for every line of letters.
fn marked_rows(picture: &Picture) -> Vec<i32> {
    let is_marked = |y: &i32| (100..380).filter(|x| picture.at(*x, *y) == Some(Colour::of(b'4'))).count() > 150;
    (30..240).filter(is_marked).collect()
}

const NAMED: &str = "name = Ann\n";

#[test]
fn the_end_is_seen_in_the_clear_then_the_tally_comes_then_the_table() {
    for company in [false, true] {
        let rows = vec![row("Zoe", 9_000, None), row("Ann", 800, Some(GAME.to_string()))];
        let mut sim = lost(company, NAMED, rows);
        let clear = picture(&mut sim);
        sim.run_ms(1_500);
        let tally = picture(&mut sim);
        assert!(changed(&clear, &tally) > 20_000, "the tally covers the middle");
        sim.run_ms(2_600);
        let table = picture(&mut sim);
        assert!(changed(&tally, &table) > 3_000, "the table takes its place");
        assert!(!marked_rows(&table).is_empty(), "with the player's row marked");
        let kind = if company { "company" } else { "alone" };
        kept_picture::keep("results", &format!("tally-{kind}"), &mut tally.clone());
        kept_picture::keep("results", &format!("table-{kind}"), &mut table.clone());
    }
}

#[test]
fn the_table_of_this_very_game_is_fetched_when_it_is_recorded() {
    let mut sim = lost(false, NAMED, Vec::new());
    sim.tasks.clear();
    sim.run_ms(1_000);
    let queries: Vec<String> = sim
        .tasks
        .iter()
        .filter(|(task, _)| *task == Task::FetchScores)
        .map(|(_, query)| String::from_utf8_lossy(query).into_owned())
        .collect();
    assert_eq!(queries, ["mode=campaign&stage=sketch&difficulty=normal&players=1"]);
}

#[test]
fn a_row_is_the_players_own_by_its_game_and_never_by_its_name() {
    let shown = |rows: Vec<Score>| {
        let mut sim = lost(false, NAMED, rows);
        sim.run_ms(4_200);
        marked_rows(&picture(&mut sim))
    };
    let theirs = |name: &str| row(name, 9_000, Some("00000000000000ff".into()));
    let own = shown(vec![theirs("Ann"), theirs(""), row("Ann", 800, Some(GAME.to_string()))]);
    let own_is_first = shown(vec![row("Ann", 9_900, Some(GAME.to_string())), theirs("Ann"), theirs("")]);
    assert!(!own.is_empty() && own.len() == own_is_first.len(), "one row each: {own:?} {own_is_first:?}");
    assert_eq!(own[0] - own_is_first[0], 24, "two rows below the first");
    let beyond = shown(vec![theirs("Ann"), theirs("")]);
    assert_eq!(beyond, own, "a game that is not in the table is below it");
}

#[test]
fn left_and_right_turn_the_page_and_fire_still_plays_again() {
    let mut sim = lost(false, NAMED, vec![row("Zoe", 9_000, None)]);
    sim.run_ms(1_000);
    let tally = picture(&mut sim);
    tap(&mut sim, Key::ARROW_RIGHT);
    let table = picture(&mut sim);
    assert!(changed(&tally, &table) > 3_000);
    tap(&mut sim, Key::ARROW_LEFT);
    sim.run_ms(6_000);
    assert!(changed(&picture(&mut sim), &table) > 3_000, "the page that was turned to stays");
    tap(&mut sim, Key::SPACE);
    assert!(sim.run_until(500, |sim| state(sim) == Some(GameState::Running)));
}

#[test]
fn the_tally_is_seen_before_a_name_is_asked_for_and_the_table_after_it() {
    let mut sim = lost(false, "", vec![row("Zoe", 9_000, None)]);
    sim.run_ms(1_500);
    assert!(!sim.client.is_writing(), "first the tally");
    sim.run_ms(1_500);
    assert!(sim.client.is_writing());
    let asked = picture(&mut sim);
    "Ann".chars().for_each(|character| sim.client.text(sim.now, character));
    tap(&mut sim, Key::ENTER);
    sim.run_ms(1_000);
    let table = picture(&mut sim);
    assert!(changed(&asked, &table) > 3_000 && !marked_rows(&table).is_empty());
}

/// A stage that was just won by two players and whose tally is shown. A boss that nobody beats leaves, and that wins the stage as
/// well. Somebody with full lives comes again and again, so that the game is not lost before.
fn won(spectator: Option<Seat>) -> (Simulation, Picture) {
    let mut sim = Simulation::new("stage1", 1, GOOD, true, Options { settings: NAMED.into(), ..at_once() });
    sim.spectator = spectator;
    sim.world = World::new(Stage::sketch(&["..."; 17]), Rules { lives: 9, ..Rules::default() }, 1);
    assert!(sim.run_until(1_000, |sim| state(sim) == Some(GameState::Running)));
    sim.world.spawn(Kind::Salvager, game::Vec2::new(game::px(470), game::px(135)));
    let is_won = (0..60).any(|_| {
        sim.world.leave(Seat::ALL[3], Departure::Left);
        sim.world.join(Seat::ALL[3]);
        sim.run_until(3_000, |sim| state(sim) == Some(GameState::Won))
    });
    assert!(is_won, "the stage is not won");
    let clear = picture(&mut sim);
    sim.run_ms(2_500);
    let tally = picture(&mut sim);
    assert!(changed(&clear, &tally) > 20_000, "it is told what everybody did");
    (sim, tally)
}

#[test]
fn a_stage_that_was_won_has_a_tally_and_the_next_one_begins_without_it() {
    let (mut sim, mut tally) = won(None);
    kept_picture::keep("results", "won", &mut tally);
    assert!(sim.client.tally().is_some_and(|tally| tally.is_won));
    sim.enter(Stage::built_in("stage2").expect("it is built in"));
    assert!(sim.run_until(2_000, |sim| state(sim) == Some(GameState::Running)), "the next stage does not begin");
    sim.run_ms(1_000);
    let mut card = picture(&mut sim);
    kept_picture::keep("results", "next", &mut card);
    assert!(has_text(&card, "The Swallowed Deep"), "its title card is shown");
    assert!(sim.client.tally().is_none() && !has_text(&card, "STAGE CLEAR"), "and the tally is gone");
}

/// Letters of the column of ranks, of whatever rank, by rows from above.
fn rank_rows(picture: &Picture) -> Vec<i32> {
    let is_lit = |y: &i32| (180..196).any(|x| picture.at(x, *y) == Some(Colour::PALE));
    (95..200).filter(is_lit).collect()
}

#[test]
fn a_player_who_did_not_fly_in_a_stage_has_a_dash_in_place_of_a_rank() {
    let ranked = won(None).1;
    let mut tally = won(Some(SEAT)).1;
    kept_picture::keep("results", "won-spectator", &mut tally);
    let (letter, dash) = (rank_rows(&ranked).len(), rank_rows(&tally).len());
    assert_eq!(letter - dash, 6, "a row of dots in place of seven");
}

#[test]
fn a_game_that_is_in_no_table_says_why() {
    let rules = Rules { lives: 1, mode: Mode::Practice(Practice::default()), ..Rules::default() };
    let mut sim = lost_by(rules, false, NAMED, Vec::new());
    sim.run_ms(1_500);
    let mut tally = picture(&mut sim);
    kept_picture::keep("results", "unscored-practice", &mut tally);
    assert!(has_text(&tally, "Practice does not count for the tables."));
    let mut sim = lost(true, NAMED, Vec::new());
    sim.run_ms(1_500);
    assert!(!has_text(&picture(&mut sim), "for the tables."), "this one does count");
}

fn fetched_replays(sim: &Simulation) -> Vec<String> {
    let asked = sim.tasks.iter().filter(|(task, _)| *task == Task::FetchReplay);
    asked.map(|(_, game)| String::from_utf8_lossy(game).into_owned()).collect()
}

fn touch(sim: &mut Simulation, (x, y): (i32, i32)) {
    for phase in [Phase::Down, Phase::Up] {
        sim.client.touch(sim.now, Touch { finger: 1, phase, x, y });
    }
    sim.run_ms(100);
}

/// A game that was lost a while ago, and whose recording was finished two seconds after its end.
fn recorded() -> Simulation {
    let mut sim = lost(false, NAMED, vec![row("Ann", 800, Some(GAME.to_string()))]);
    sim.run_ms(2_000);
    sim.scores[0].is_recorded = true;
    sim.run_ms(2_000);
    sim
}

#[test]
fn the_game_that_was_just_lost_can_be_watched() {
    let mut sim = recorded();
    let mut shown = picture(&mut sim);
    kept_picture::keep("results", "replay", &mut shown);
    assert!(has_text(&shown, "R replay"));
    tap(&mut sim, Key::R);
    assert_eq!(fetched_replays(&sim), [GAME.to_string()]);

    let mut sim = recorded();
    sim.client.pad(sim.now, Pad { x: 0.0, y: 0.0, buttons: 1 << 12 });
    sim.client.pad(sim.now, Pad { x: 0.0, y: 0.0, buttons: 0 });
    sim.run_ms(100);
    assert_eq!(fetched_replays(&sim), [GAME.to_string()], "with a pad");

    let mut sim = recorded();
    // The right lower corner of the panel.
    touch(&mut sim, (390, 218));
    assert_eq!(fetched_replays(&sim), [GAME.to_string()], "with a finger");
    assert!(has_text(&picture(&mut sim), "▶ replay") && state(&sim) == Some(GameState::Lost));
    touch(&mut sim, (200, 120));
    assert!(sim.run_until(500, |sim| state(sim) == Some(GameState::Running)), "elsewhere it plays again");
}

#[test]
fn a_finger_gives_no_name_and_is_not_asked_again() {
    // The button, and the corner that closes what lies over the game.
    for at in [(320, 200), (466, 30)] {
        let mut sim = lost(false, "", vec![row("Zoe", 9_000, None)]);
        sim.client.touch(sim.now, Touch { finger: 9, phase: Phase::Move, x: 1, y: 1 });
        sim.run_ms(3_000);
        assert!(sim.client.is_writing());
        let mut asked = picture(&mut sim);
        kept_picture::keep("results", "name-touch", &mut asked);
        assert!(has_text(&asked, "(no name)") && !has_text(&asked, "Esc"));
        touch(&mut sim, at);
        assert!(!sim.client.is_writing());
        let stored = sim.tasks.iter().rev().find(|(task, _)| *task == Task::StoreSettings).expect("it is stored");
        assert!(String::from_utf8_lossy(&stored.1).contains("name_asked = yes"), "{at:?}");
    }
}

#[test]
fn a_finger_confirms_the_name() {
    let mut sim = lost(false, "", vec![row("Zoe", 9_000, None)]);
    sim.client.touch(sim.now, Touch { finger: 9, phase: Phase::Move, x: 1, y: 1 });
    sim.run_ms(3_000);
    "Ann".chars().for_each(|character| sim.client.text(sim.now, character));
    touch(&mut sim, (160, 200));
    let stored = sim.tasks.iter().rev().find(|(task, _)| *task == Task::StoreSettings).expect("it is stored");
    assert!(String::from_utf8_lossy(&stored.1).contains("name = Ann\n"));
}

#[test]
fn a_chain_and_the_wave_are_at_the_foot_of_the_picture() {
    let options = Options {
        settings: format!("{NAMED}learned = fly fire charge force take dock\n"),
        ..Options::new(Dialect::Volley)
    };
    let mut sim = Simulation::new("endless", 1, GOOD, false, Options { quick: true, ..options });
    assert!(sim.run_until(20_000, |sim| sim.client.shown().is_some_and(|frame| frame.wave > 0)));
    let picture = picture(&mut sim);
    let is_lit = |x: &i32| (240..252).any(|y| picture.at(*x, y) == Some(Colour::GREY));
    assert!((430..476).filter(is_lit).count() > 15, "the wave is at the right");
}

#[test]
fn a_saved_replay_is_confirmed_where_it_was_asked_for() {
    let mut sim = lost(false, NAMED, Vec::new());
    sim.run_ms(2_000);
    let shows_retry = |picture: &Picture| has_text(picture, "Space") && has_text(picture, "play again");
    assert!(shows_retry(&picture(&mut sim)), "the key that fires, by its name");
    sim.client.replay_saved(sim.now, true);
    assert!(has_text(&picture(&mut sim), "The replay is saved"));
    sim.run_ms(6_000);
    assert!(shows_retry(&picture(&mut sim)));
}

#[test]
fn the_foot_of_a_result_is_large_with_large_letters() {
    for (language, words) in [("english", ["Space", "play again"]), ("french", ["Espace", "rejouer"])] {
        let mut sim = lost(false, &format!("{NAMED}language = {language}\ntext = large\n"), Vec::new());
        sim.run_ms(2_000);
        let shown = picture(&mut sim);
        words.iter().for_each(|word| assert!(has_text_in(&shown, Font::Large, word), "{language}"));
        kept_picture::keep("results", &format!("retry-large-{language}"), &mut shown.clone());
    }
}

#[test]
fn what_plays_again_is_a_picture_of_the_device_in_use() {
    let foot = |act: fn(&mut Simulation)| {
        let mut sim = lost(false, NAMED, Vec::new());
        sim.run_ms(2_000);
        act(&mut sim);
        picture(&mut sim)
    };
    let count = |picture: &Picture, colour: Colour| {
        let cells = (205..230).flat_map(|y| (80..240).map(move |x| (x, y)));
        cells.filter(|(x, y)| picture.at(*x, *y) == Some(colour)).count()
    };
    let keyboard = foot(|_| {});
    let touch = foot(|sim| sim.client.touch(sim.now, Touch { finger: 9, phase: Phase::Move, x: 1, y: 1 }));
    let pad = foot(|sim| sim.client.pad(sim.now, Pad { x: 0.0, y: 0.0, buttons: 1 << 3 }));
    for (name, shown) in [("keyboard", &keyboard), ("touch", &touch), ("pad", &pad)] {
        kept_picture::keep("results", &format!("retry-{name}"), &mut shown.clone());
        assert!(has_text(shown, "play again"), "{name}");
        assert_eq!(has_text(shown, "Space"), name == "keyboard");
    }
    assert!(count(&touch, Colour::RED) > 20 && count(&keyboard, Colour::RED) == 0, "the ring that fires");
    assert!(count(&pad, Colour::GOLD) > count(&touch, Colour::GOLD), "the lower button");
}

#[test]
fn the_keys_for_a_replay_are_called_what_is_printed_on_them() {
    let mut sim = recorded();
    sim.client.key_labels("KeyR\to\nKeyS\tu");
    assert!(has_text(&picture(&mut sim), "O replay"));
}

#[test]
fn what_the_columns_of_a_tally_are_called_does_not_run_together() {
    for (language, header) in [("english", "Kills"), ("french", "Abattus")] {
        let mut sim = lost(true, &format!("{NAMED}language = {language}\n"), Vec::new());
        sim.run_ms(2_000);
        let shown = picture(&mut sim);
        kept_picture::keep("results", &format!("columns-{language}"), &mut shown.clone());
        // Around a word is nothing of another one.
        assert!(has_text(&shown, &format!(" {header} ")), "{language}");
    }
}

#[test]
fn a_finger_sees_what_opens_the_menu_beside_large_letters_too() {
    let mut sim = lost(false, &format!("{NAMED}text = large\n"), Vec::new());
    sim.client.touch(sim.now, Touch { finger: 9, phase: Phase::Move, x: 1, y: 1 });
    sim.run_ms(2_000);
    let mut shown = picture(&mut sim);
    kept_picture::keep("results", "touch-large", &mut shown);
    let is_line = |y: &i32| (448..=458).all(|x| shown.at(x, *y) == Some(Colour::PALE));
    assert_eq!((6..30).filter(is_line).count(), 6, "three lines of two pixels");
    touch(&mut sim, (453, 18));
    assert!(has_text(&picture(&mut sim), "Resume") || has_text(&picture(&mut sim), "Play again"));
}
