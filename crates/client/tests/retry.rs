//! From one game to the next: what starts a game, what reaches it, and how a lost one is tried again.

mod read_text;
#[expect(dead_code, reason = "each test needs a part of it")]
mod simulation;

use client::{
    Client, Key, Options, Pad, Phase, Task, Touch,
    draw::{Colour, Picture},
};
use game::{Difficulty, GameState, Kind, Rules, Seat, Skill, Stage, World};
use protocol::{Dialect, LobbyId, LobbyRequest, Time};
use read_text::has_text;
use simulation::{Conditions, SEAT, Simulation, at_once, drawn_ship};

const GOOD: Conditions = Conditions::PERFECT.delay_ms(10);

fn tap(sim: &mut Simulation, key: Key) {
    sim.client.key(sim.now, key, true);
    sim.client.key(sim.now, key, false);
    sim.run_ms(100);
}

fn state(sim: &Simulation) -> Option<GameState> {
    sim.client.shown().map(|frame| frame.state)
}

fn is_running(sim: &Simulation) -> bool {
    state(sim) == Some(GameState::Running)
}

fn is_lost(sim: &Simulation) -> bool {
    state(sim) == Some(GameState::Lost)
}

/// A game that is about to be lost: one life, and walls everywhere.
fn doomed(company: bool, options: Options) -> Simulation {
    let mut sim = Simulation::new("endless", 1, GOOD, company, options);
    let wall = "#".repeat(30);
    sim.world = World::new(Stage::sketch(&[wall.as_str(); 17]), Rules { lives: 1, ..Rules::default() }, 1);
    sim.restarts = false;
    sim
}

fn lost(company: bool) -> Simulation {
    let mut sim = doomed(company, at_once());
    assert!(sim.run_until(10_000, is_lost), "the game is not lost");
    sim
}

fn picture(sim: &mut Simulation) -> Picture {
    let mut picture = Picture::new();
    sim.client.draw(sim.now, &mut picture);
    picture
}

#[test]
fn fire_and_enter_play_again_at_once() {
    for key in [Key::Z, Key::SPACE, Key::ENTER] {
        let mut sim = lost(false);
        sim.run_ms(600);
        tap(&mut sim, key);
        assert!(sim.run_until(300, is_running), "{key:?}");
    }
}

#[test]
fn a_pad_and_a_finger_play_again_too() {
    let mut sim = lost(false);
    sim.run_ms(600);
    sim.client.pad(sim.now, Pad { x: 0.0, y: 0.0, buttons: 1 });
    assert!(sim.run_until(300, is_running));

    let mut sim = lost(true);
    sim.run_ms(600);
    for phase in [Phase::Down, Phase::Up] {
        sim.client.touch(sim.now, Touch { finger: 1, phase, x: 240, y: 135 });
    }
    assert!(sim.run_until(300, is_running), "in company as well");
}

#[test]
fn a_press_that_was_meant_for_the_lost_ship_does_not_skip_the_result() {
    let mut sim = lost(false);
    tap(&mut sim, Key::Z);
    sim.run_ms(1_000);
    assert!(is_lost(&sim));
    tap(&mut sim, Key::Z);
    assert!(sim.run_until(300, is_running));
}

#[test]
fn whoever_has_not_stopped_firing_sees_that_the_game_is_over_before_the_next_try() {
    let mut sim = lost(false);
    let mut pressed_ms = 0;
    while is_lost(&sim) && pressed_ms < 5_000 {
        sim.client.key(sim.now, Key::SPACE, true);
        sim.run_ms(50);
        sim.client.key(sim.now, Key::SPACE, false);
        sim.run_ms(50);
        pressed_ms += 100;
    }
    assert!((1_500..3_000).contains(&pressed_ms), "after {pressed_ms} ms");
}

#[test]
fn a_lost_game_waits_for_a_player_who_is_alone_and_for_nobody_else() {
    let mut sim = lost(false);
    sim.run_ms(4_000);
    let tick = sim.world.now();
    sim.run_ms(4_000);
    assert!(sim.client.is_paused() && sim.world.now() == tick);
    tap(&mut sim, Key::ENTER);
    assert!(sim.run_until(500, |sim| is_running(sim) && sim.world.now() > tick), "it goes on with the next try");

    let mut sim = lost(true);
    sim.run_ms(4_000);
    assert!(!sim.client.is_paused());
}

#[test]
fn escape_opens_the_menu_over_the_result_and_leads_to_the_title() {
    let mut sim = lost(false);
    sim.run_ms(600);
    tap(&mut sim, Key::ESCAPE);
    tap(&mut sim, Key::ARROW_UP);
    tap(&mut sim, Key::ENTER);
    sim.run_ms(200);
    assert!(sim.client.shown().is_none());
}

#[test]
fn the_menu_over_the_result_begins_with_the_next_try() {
    let mut sim = lost(false);
    sim.run_ms(600);
    tap(&mut sim, Key::ESCAPE);
    sim.run_ms(600);
    tap(&mut sim, Key::ENTER);
    assert!(sim.run_until(500, is_running));
}

/// A game that was begun with Play on the title.
fn begun() -> Simulation {
    let mut sim = Simulation::new("endless", 1, GOOD, false, Options::new(Dialect::Volley));
    sim.run_ms(300);
    tap(&mut sim, Key::SPACE);
    assert!(sim.run_until(1_000, is_running));
    sim
}

/// Chooses the second line of the menu over the game, and gives back what the server was asked for then, but for the pace.
fn choose_second_line(sim: &mut Simulation) -> Vec<LobbyRequest> {
    let asked = sim.asked.len();
    [Key::ESCAPE, Key::ARROW_DOWN, Key::ENTER].into_iter().for_each(|key| tap(sim, key));
    sim.run_ms(1_000);
    sim.asked.split_off(asked).into_iter().filter(|request| !matches!(request, LobbyRequest::Pace(_))).collect()
}

#[test]
fn a_game_played_alone_can_be_restarted_before_it_is_over() {
    let mut sim = begun();
    sim.run_ms(10_000);
    let first = sim.created.take().expect("it has a lobby of its own");
    let asked = choose_second_line(&mut sim);
    assert!(matches!(asked.first(), Some(LobbyRequest::LeaveLobby)), "{asked:?}");
    assert_eq!(sim.created, Some(first), "another one like it");
    assert!(is_running(&sim) && drawn_ship(&sim.world.frame()).is_some());
    assert!(!sim.client.is_paused(), "and it does not wait");
    // What was on its way to the first game does not count in the second, which goes by its own numbers.
    let x = |sim: &Simulation| drawn_ship(&sim.world.frame()).map_or(0, |ship| ship.position.x);
    let before = x(&sim);
    sim.client.key(sim.now, Key::ARROW_RIGHT, true);
    sim.run_ms(500);
    assert!(x(&sim) > before + 30 * 256, "from {before} to {}", x(&sim));
}

#[test]
fn a_game_of_twenty_minutes_is_not_interrupted() {
    // Frames are numbered with 16 bits: after 9 and after 18 minutes half of all numbers have passed.
    let mut sim = Simulation::new("endless", 1, GOOD, true, at_once());
    assert!(sim.run_until(1_000, is_running));
    for second in 0..20 * 60 {
        sim.run_ms(1_000);
        let shown = sim.client.shown().map_or(0, |frame| frame.tick.0);
        assert!(sim.world.now().0.abs_diff(shown) < 30, "after {second} s");
        let age_ms = sim.client.graph().newest().frame_age_ms;
        assert!(age_ms < 200, "after {second} s the newest Frame is {age_ms} ms old");
    }
}

#[test]
fn a_game_lost_alone_is_played_on_easy_from_its_menu() {
    let mut sim = doomed(false, Options::new(Dialect::Volley));
    sim.run_ms(300);
    tap(&mut sim, Key::SPACE);
    assert!(sim.run_until(10_000, is_lost), "the game is not lost");
    sim.run_ms(1_500);
    assert!(has_text(&picture(&mut sim), "Too hard? The menu has an easier game."));
    tap(&mut sim, Key::ESCAPE);
    assert!(has_text(&picture(&mut sim), "Play on easy"));
    tap(&mut sim, Key::ESCAPE);
    sim.created = None;
    choose_second_line(&mut sim);
    assert_eq!(sim.created.as_ref().map(|(_, rules)| *rules), Some(Rules::of(Difficulty::Easy)));
    let stored = sim.tasks.iter().rev().find(|(task, _)| *task == Task::StoreSettings).expect("it is stored");
    assert!(String::from_utf8_lossy(&stored.1).contains("difficulty = easy"), "and stays chosen");
    let mut sim = lost(false);
    sim.run_ms(1_500);
    tap(&mut sim, Key::ESCAPE);
    assert!(!has_text(&picture(&mut sim), "Play on easy"), "a game that was found may be another player's");
}

#[test]
fn a_game_in_company_or_with_bots_or_in_somebody_elses_lobby_is_not_restarted_by_one_player() {
    let mut sim = begun();
    sim.bots.push((Seat::ALL[1], Skill::Easy));
    sim.tell_lobby(LobbyId::new("VOLLEY").expect("a code"));
    sim.run_ms(300);
    assert!(choose_second_line(&mut sim).is_empty(), "with a bot");

    let mut sim = Simulation::new("endless", 1, GOOD, false, at_once());
    assert!(sim.run_until(1_000, is_running));
    assert!(choose_second_line(&mut sim).is_empty(), "found by Quick");
}

#[test]
fn no_key_that_was_pressed_before_the_game_reaches_it() {
    let mut sim = Simulation::new("endless", 1, GOOD, false, Options::new(Dialect::Volley));
    sim.run_ms(300);
    // The key that chooses Play also fires. It stays down, and so does one that steers.
    sim.client.key(sim.now, Key::ARROW_RIGHT, true);
    sim.client.key(sim.now, Key::SPACE, true);
    assert!(sim.run_until(1_000, is_running));
    let began = sim.world.frame().ship(SEAT).expect("it flies").position;
    sim.run_ms(700);
    let ship = *sim.world.frame().ship(SEAT).expect("it flies");
    assert_eq!((ship.position, ship.charge), (began, 0));
    sim.client.key(sim.now, Key::ARROW_RIGHT, false);
    sim.client.key(sim.now, Key::ARROW_RIGHT, true);
    sim.run_ms(200);
    assert!(sim.world.frame().ship(SEAT).is_some_and(|ship| ship.position.x > began.x), "pressed again, it counts");
}

#[test]
fn no_key_that_was_held_when_a_game_was_lost_reaches_the_next_one() {
    let mut sim = lost(false);
    sim.run_ms(600);
    sim.client.key(sim.now, Key::ARROW_UP, true);
    sim.client.key(sim.now, Key::SPACE, true);
    assert!(sim.run_until(300, is_running));
    let began = sim.world.frame().ship(SEAT).map(|ship| ship.position.y);
    sim.run_ms(300);
    let ship = sim.world.frame().ship(SEAT).copied();
    assert_eq!((ship.map(|ship| ship.position.y), ship.map(|ship| ship.charge)), (began, Some(0)));
}

#[test]
fn enter_opens_no_chat_for_a_player_who_is_alone() {
    let mut sim = Simulation::new("endless", 1, GOOD, false, at_once());
    assert!(sim.run_until(1_000, is_running));
    for key in [Key::ENTER, Key::T] {
        tap(&mut sim, key);
        assert!(!sim.client.is_writing());
    }
    let mut sim = Simulation::new("endless", 1, GOOD, true, at_once());
    assert!(sim.run_until(1_000, is_running));
    tap(&mut sim, Key::ENTER);
    assert!(sim.client.is_writing(), "in company it does");
}

/// The pixels of a part of the picture.
fn part(picture: &Picture, columns: std::ops::Range<i32>, rows: std::ops::Range<i32>) -> Vec<u8> {
    let pixels = rows.flat_map(|y| columns.clone().map(move |x| (x, y)));
    pixels.map(|(x, y)| picture.at(x, y).map_or(0, |colour| colour.number())).collect()
}

#[test]
fn on_a_server_of_ones_own_nothing_speaks_of_connections_codes_or_pings() {
    let solo = |is_solo, quick| Options { solo: is_solo, quick, ..Options::new(Dialect::Volley) };
    // The sixth line of the title is the options, where others have the lobbies.
    let sixth_line = |is_solo| {
        let mut sim = Simulation::new("endless", 1, GOOD, false, solo(is_solo, false));
        sim.run_ms(300);
        [Key::ARROW_DOWN; 5].into_iter().chain([Key::ENTER]).for_each(|key| tap(&mut sim, key));
        [Key::ARROW_DOWN, Key::ARROW_RIGHT].into_iter().for_each(|key| tap(&mut sim, key));
        sim.tasks.iter().any(|(task, _)| *task == Task::StoreSettings)
    };
    assert!(sixth_line(true) && !sixth_line(false));

    let mut sim = Simulation::new("endless", 1, GOOD, false, solo(true, true));
    assert!(sim.run_until(1_000, is_running));
    sim.run_ms(500);
    let before = part(&picture(&mut sim), 300..480, 30..190);
    tap(&mut sim, Key::F3);
    let paused = |sim: &mut Simulation, keys: &[Key]| {
        keys.iter().for_each(|&key| tap(sim, key));
        sim.tasks.iter().any(|(task, _)| *task == Task::ShareLobby)
    };
    let after = part(&picture(&mut sim), 300..480, 30..190);
    let changed = before.iter().zip(&after).filter(|(before, after)| before != after).count();
    assert!(changed < before.len() / 4, "F3 shows no graph: {changed} pixels changed");
    // The third line of the menu is full screen here, and the lobby's code elsewhere.
    let keys = [Key::ESCAPE, Key::ARROW_DOWN, Key::ARROW_DOWN, Key::ENTER];
    assert!(!paused(&mut sim, &keys) && sim.tasks.iter().any(|(task, _)| *task == Task::FullScreen));
}

#[test]
fn before_the_built_in_server_answers_no_connection_is_mentioned() {
    let now = Time::from_micros(1_700_000_000_000_000);
    let has_message = |solo| {
        let options = Options { solo, ..Options::new(Dialect::Volley) };
        let (mut client, mut picture) = (Client::new(now, options), Picture::new());
        client.advance(now);
        client.draw(now, &mut picture);
        (0..Picture::WIDTH).filter(|x| picture.at(*x, 90) == Some(Colour::PANEL)).count() > 400
    };
    assert!(has_message(false) && !has_message(true));
}

#[test]
fn a_player_who_left_a_lost_game_plays_a_new_one() {
    let mut sim = lost(false);
    sim.run_ms(600);
    for key in [Key::ESCAPE, Key::ARROW_UP, Key::ENTER] {
        tap(&mut sim, key);
    }
    sim.world = World::new(Stage::endless(), Rules::default(), 1);
    tap(&mut sim, Key::ENTER);
    assert!(sim.run_until(1_500, |sim| sim.client.shown().and_then(drawn_ship).is_some()));
}

/// A lost game with a score.
fn just_lost_with_score(settings: &str) -> Simulation {
    let mut sim = doomed(false, Options { settings: settings.into(), ..at_once() });
    assert!(sim.run_until(1_000, is_running));
    let ship = sim.world.frame().ship(SEAT).expect("it flies").position;
    sim.world.spawn(Kind::RedCrystal, ship);
    assert!(sim.run_until(10_000, is_lost), "the game is not lost");
    assert!(sim.world.frame().score > 0, "an item gives points");
    sim
}

fn lost_with_score(settings: &str) -> Simulation {
    let mut sim = just_lost_with_score(settings);
    sim.run_ms(3_000);
    sim
}

fn stored(sim: &Simulation) -> String {
    let last = sim.tasks.iter().rev().find(|(task, _)| *task == Task::StoreSettings);
    last.map_or(String::new(), |(_, text)| String::from_utf8_lossy(text).into_owned())
}

#[test]
fn a_player_without_a_name_is_asked_for_it_once() {
    let mut sim = lost_with_score("");
    assert!(sim.client.is_writing());
    sim.tasks.clear();
    "Zoé".chars().for_each(|character| sim.client.text(sim.now, character));
    tap(&mut sim, Key::ENTER);
    assert!(stored(&sim).contains("name = Zoé\n"), "{}", stored(&sim));
    assert!(!sim.client.is_writing() && is_lost(&sim), "the table is next");
    sim.run_ms(1_000);
    let fetches = sim.tasks.iter().filter(|(task, _)| *task == Task::FetchScores).count();
    assert_eq!(fetches, 1, "with the new name in it");
    tap(&mut sim, Key::SPACE);
    assert!(sim.run_until(500, is_running), "and then the next try");
}

#[test]
fn a_slow_display_misses_neither_the_question_nor_the_table() {
    for pictures_a_second in [30, 20, 12] {
        let mut sim = just_lost_with_score("");
        sim.display_steps = 240 / pictures_a_second;
        sim.run_ms(3_500);
        assert!(sim.client.is_writing(), "at {pictures_a_second} pictures a second");
        let is_fetched = sim.tasks.iter().any(|(task, _)| *task == Task::FetchScores);
        assert!(is_fetched, "at {pictures_a_second} pictures a second");
    }
}

#[test]
fn a_player_who_wants_no_name_is_not_asked_again() {
    let mut sim = lost_with_score("");
    tap(&mut sim, Key::ESCAPE);
    assert!(!sim.client.is_writing());
    let sim = lost_with_score(&stored(&sim));
    assert!(!sim.client.is_writing());
    let sim = lost_with_score("name = Ann\n");
    assert!(!sim.client.is_writing(), "who has a name is never asked");
}

/// The next try after a lost game, with these settings.
fn next_try(settings: &str) -> Simulation {
    let mut sim = doomed(false, Options { settings: settings.into(), ..at_once() });
    assert!(sim.run_until(10_000, is_lost), "the game is not lost");
    sim.run_ms(1_000);
    sim.world = World::new(Stage::endless(), Rules::default(), 1);
    sim.world.join(SEAT);
    tap(&mut sim, Key::ENTER);
    assert!(sim.run_until(500, is_running));
    sim.run_ms(300);
    sim
}

#[test]
fn the_next_try_is_as_slow_as_the_player_wants_it() {
    let ticks = |settings: &str| {
        let mut sim = next_try(settings);
        let before = sim.world.now().0;
        sim.run_ms(4_000);
        sim.world.now().0 - before
    };
    let (full, slow) = (ticks(""), ticks("slower = yes\n"));
    assert!((230..=250).contains(&full) && (170..=190).contains(&slow), "{full} and {slow} ticks in 4 s");
}

#[test]
fn captions_are_shown_in_letters_of_either_size() {
    for text in ["normal", "large"] {
        let drawn = |captions: &str| {
            let mut sim = next_try(&format!("text = {text}\ncaptions = {captions}\n"));
            sim.client.key(sim.now, Key::SPACE, true);
            sim.run_ms(700);
            part(&picture(&mut sim), 180..300, 230..256)
        };
        let changed = drawn("no").iter().zip(drawn("yes")).filter(|(without, with)| *without != with).count();
        assert!(changed > 60, "{text}: {changed} pixels say that the beam is charging");
    }
}
