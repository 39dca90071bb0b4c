//! Every screen as a player reaches it, in both languages and both sizes of letters. The pictures are left in
//! `target/tmp/screens`, to be looked at.

mod kept_picture;
mod read_text;
#[expect(dead_code, reason = "each test needs a part of it")]
mod simulation;

use std::collections::BTreeMap;

use client::{
    Client, Key, Options, Pad, Phase, Score, Task, Touch,
    draw::{Font, Picture},
};
use game::GameState;
use protocol::{Dialect, Emote, LobbyRequest};
use read_text::{has_text, has_text_in};
use simulation::{Conditions, GAME, Simulation};

const GOOD: Conditions = Conditions::PERFECT.delay_ms(10);
const ENTER: Key = Key::ENTER;
const DOWN: Key = Key::ARROW_DOWN;
const UP: Key = Key::ARROW_UP;
const LEFT: Key = Key::ARROW_LEFT;

/// The keys that lead from the title to a screen.
const WAYS: &[(&str, &[Key])] = &[
    ("title", &[]),
    ("title_daily", &[DOWN, DOWN]),
    ("title_practice", &[DOWN, DOWN, DOWN]),
    ("title_lobbies", &[DOWN, DOWN, DOWN, DOWN, DOWN]),
    ("title_scores", &[UP, UP]),
    ("hangar", &[DOWN, DOWN, DOWN, DOWN, ENTER]),
    ("hangar_lynx_hard", &[DOWN, DOWN, DOWN, DOWN, ENTER, LEFT, DOWN]),
    ("daily", &[DOWN, DOWN, ENTER]),
    ("practice", &[DOWN, DOWN, DOWN, ENTER]),
    ("options", &[UP, UP, UP, ENTER]),
    ("options_end", &[UP, UP, UP, ENTER, UP]),
    ("keys", &[UP, UP, UP, ENTER, UP, UP, ENTER]),
    ("lobbies", &[UP, UP, UP, UP, ENTER]),
    ("create", &[UP, UP, UP, UP, ENTER, DOWN, ENTER]),
    ("code", &[UP, UP, UP, UP, ENTER, DOWN, DOWN, ENTER]),
    ("name", &[UP, UP, UP, ENTER, ENTER]),
    ("scores", &[UP, UP, ENTER]),
    ("scores_daily", &[UP, UP, ENTER, LEFT, DOWN, LEFT]),
    ("credits", &[UP, ENTER]),
    ("lobby", &[UP, UP, UP, UP, ENTER, DOWN, DOWN, DOWN, DOWN, ENTER]),
    ("lobby_bots", &[UP, UP, UP, UP, ENTER, DOWN, DOWN, DOWN, DOWN, ENTER, DOWN, DOWN, DOWN, ENTER, LEFT, ENTER]),
    ("share", &[UP, UP, UP, UP, ENTER, DOWN, DOWN, DOWN, DOWN, ENTER, UP, UP, UP, ENTER]),
    ("game", &[ENTER]),
    ("pause", &[ENTER, Key::ESCAPE]),
    ("pause_options", &[ENTER, Key::ESCAPE, DOWN, ENTER]),
    ("host_menu", &[ENTER, Key::ESCAPE, DOWN, DOWN, DOWN, DOWN, ENTER, ENTER, LEFT, ENTER]),
    ("watch", &[UP, UP, UP, UP, ENTER, DOWN, DOWN, DOWN, DOWN, DOWN, ENTER]),
];

/// Nothing is left to be taught.
const KNOWS_ALL: &str = "learned = fly fire charge force take dock\n";

fn settings(language: &str, text: &str) -> String {
    format!("name = Aurélie\nlanguage = {language}\ntext = {text}\ncaptions = yes\n")
}

fn tap(sim: &mut Simulation, key: Key) {
    sim.client.key(sim.now, key, true);
    sim.client.key(sim.now, key, false);
    sim.run_ms(150);
}

fn scores() -> Vec<Score> {
    let score = |name: &str, points, game: &str| Score {
        name: name.into(),
        points,
        ranks: "A".into(),
        game: Some(game.into()),
        is_recorded: false,
    };
    vec![
        score("Maximilien-Jean", 1_234_567, "1"),
        score("Aurélie", 98_000, &GAME.to_string()),
        score("", 74_120, "2"),
        score("Bob & Zoë", 4_200, "3"),
    ]
}

/// What a player sees who presses these keys.
fn walk(keys: &[Key], settings: String, company: bool) -> (Simulation, Picture) {
    // tidy: allow(ports) nothing is opened: the address is only shown
    let page = Some("http://localhost:4240/".into());
    let options = Options { settings, page, ..Options::new(Dialect::Volley) };
    let mut sim = Simulation::new("endless", 1, GOOD, company, options);
    sim.scores = scores();
    sim.run_ms(300);
    keys.iter().for_each(|&key| tap(&mut sim, key));
    sim.run_ms(1_500);
    let picture = shot(&mut sim.client, sim.now);
    (sim, picture)
}

fn shot(client: &mut Client, now: protocol::Time) -> Picture {
    let mut picture = Picture::new();
    client.draw(now, &mut picture);
    picture
}

fn keep(name: &str, picture: &mut Picture) -> Vec<u8> {
    kept_picture::keep("screens", name, picture);
    picture.rgba().to_vec()
}

#[test]
fn every_screen_can_be_reached_and_looks_different_in_every_language_and_size() {
    let mut seen: BTreeMap<Vec<u8>, String> = BTreeMap::new();
    for (screen, keys) in WAYS {
        for (language, text) in [("english", "normal"), ("french", "normal"), ("english", "large"), ("french", "large")]
        {
            let name = format!("{screen}-{language}-{text}");
            let (_, mut picture) = walk(keys, settings(language, text), false);
            let pixels = keep(&name, &mut picture);
            if let Some(same) = seen.insert(pixels, name.clone()) {
                panic!("{name} looks like {same}");
            }
        }
    }
}

#[test]
fn an_idle_title_shows_the_table_and_how_to_play_and_the_next_key_brings_the_menu_back() {
    for (language, text) in [("english", "normal"), ("french", "normal"), ("english", "large"), ("french", "large")] {
        let (mut sim, menu) = walk(&[], settings(language, text), false);
        sim.run_ms(62_000);
        assert!(sim.tasks.iter().any(|(task, _)| *task == Task::FetchScores), "the table is fetched");
        let mut pages = vec![menu];
        for page in ["idle_scores", "idle_how_to_play", "idle_game"] {
            let mut picture = shot(&mut sim.client, sim.now);
            keep(&format!("{page}-{language}-{text}"), &mut picture);
            pages.push(picture);
            sim.run_ms(12_000);
        }
        assert!((1..4).all(|page| changed(&pages[page - 1], &pages[page]) > 10_000), "each page is another");
        tap(&mut sim, ENTER);
        assert!(sim.client.shown().is_none(), "the key that wakes it chooses nothing");
        tap(&mut sim, ENTER);
        assert!(sim.run_until(1_000, |sim| sim.client.shown().is_some()));
    }
}

/// How many pixels differ.
fn changed(one: &Picture, other: &Picture) -> usize {
    let all = (0..Picture::HEIGHT).flat_map(|y| (0..Picture::WIDTH).map(move |x| (x, y)));
    all.filter(|&(x, y)| one.at(x, y) != other.at(x, y)).count()
}

#[test]
fn the_title_is_alive_and_its_cursor_stays_where_it_was() {
    let (mut sim, before) = walk(&[UP, ENTER, Key::ESCAPE], settings("english", "normal"), false);
    sim.run_ms(2_000);
    let after = shot(&mut sim.client, sim.now);
    assert!(changed(&before, &after) > 5_000, "bots play behind it");
    tap(&mut sim, ENTER);
    let credits = shot(&mut sim.client, sim.now);
    assert!(changed(&after, &credits) > 5_000, "the cursor is still at the credits");
    tap(&mut sim, Key::ESCAPE);
    tap(&mut sim, DOWN);
    tap(&mut sim, ENTER);
    assert!(sim.run_until(1_000, |sim| sim.client.shown().is_some()), "below the last line is the first");
}

#[test]
fn menus_and_games_have_the_palette_of_the_settings() {
    for keys in [&[][..], &[UP, UP, ENTER], &[ENTER], &[ENTER, Key::ESCAPE]] {
        let drawn = |palette: &str| {
            let settings = settings("english", "normal") + &format!("palette = {palette}\n");
            let (_, mut picture) = walk(keys, settings, false);
            let rgba = picture.rgba().to_vec();
            (picture, rgba)
        };
        let (default, colours) = drawn("default");
        for palette in ["red-green", "blue-yellow"] {
            let (picture, other) = drawn(palette);
            assert_eq!(changed(&default, &picture), 0, "{palette}, {keys:?}: the same is drawn");
            assert_ne!(colours, other, "{palette}, {keys:?}: in other colours");
        }
    }
}

#[test]
fn play_starts_the_campaign_and_endless_the_waves() {
    for (keys, stage) in [(&[ENTER][..], "stage1"), (&[DOWN, ENTER][..], "endless")] {
        let (sim, _) = walk(keys, settings("english", "normal"), false);
        assert_eq!(sim.created.as_ref().map(|(stage, _)| stage.as_str()), Some(stage));
        assert_eq!(sim.world.game_state(), GameState::Running);
    }
}

/// What a finger or a pad cannot press.
const KEYBOARD_WORDS: [&str; 6] = ["Enter", "Esc", "Space", "any key", "arrow", "R replay"];

/// A finger that moves is the last thing that the player used, and does nothing in a menu.
fn use_finger(sim: &mut Simulation) {
    sim.client.touch(sim.now, Touch { finger: 9, phase: Phase::Move, x: 1, y: 1 });
}

/// A button that no menu knows.
fn use_pad(sim: &mut Simulation) {
    for buttons in [1 << 6, 0] {
        sim.client.pad(sim.now, Pad { x: 0.0, y: 0.0, buttons });
    }
}

#[test]
fn a_touch_screen_and_a_pad_are_shown_no_keys() {
    let is_about_keys = |name: &str| name == "keys";
    for (name, keys) in WAYS.iter().filter(|(name, _)| !is_about_keys(name)) {
        for use_device in [use_finger, use_pad] {
            let (mut sim, _) = walk(keys, settings("english", "normal") + KNOWS_ALL, false);
            use_device(&mut sim);
            sim.run_ms(50);
            let picture = shot(&mut sim.client, sim.now);
            for word in KEYBOARD_WORDS {
                assert!(!has_text(&picture, word), "{name} says {word:?}");
            }
        }
    }
    let (mut sim, _) = walk(&[], settings("english", "normal"), false);
    assert!(has_text(&shot(&mut sim.client, sim.now), "Enter"), "a keyboard has it");
    sim.run_ms(100);
}

#[test]
fn a_full_lobby_says_on_each_device_how_to_watch_it() {
    let to_full = &WAYS.iter().find(|(name, _)| *name == "watch").expect("it is there").1[..10];
    let (mut sim, picture) = walk(to_full, settings("english", "normal"), false);
    assert!(has_text(&picture, "No seat is free: confirm to watch"));
    use_finger(&mut sim);
    assert!(has_text(&shot(&mut sim.client, sim.now), "No seat is free: tap to watch"));
}

#[test]
fn a_window_without_a_host_speaks_of_no_server() {
    let words = |keys: &[Key], solo: bool| {
        let options = Options { solo, settings: settings("english", "normal"), ..Options::new(Dialect::Volley) };
        let mut sim = Simulation::new("endless", 1, GOOD, false, options);
        sim.run_ms(300);
        keys.iter().for_each(|&key| tap(&mut sim, key));
        shot(&mut sim.client, sim.now)
    };
    assert!(has_text(&words(&[UP, UP], false), "The best games on this server"));
    assert!(has_text(&words(&[UP, UP], true), "The best games played here"));
    let options = [UP, UP, UP, ENTER];
    assert!(has_text(&words(&options, false), "Shown to other players and in the tables"));
    assert!(has_text(&words(&options, true), "Shown in the tables"));
}

#[test]
fn with_large_letters_the_list_still_says_what_a_lobby_does() {
    let to_lobby = [UP, UP, UP, UP, ENTER, DOWN, DOWN, DOWN, DOWN];
    for (language, state) in [("english", "waiting"), ("french", "en attente")] {
        let (_, picture) = walk(&to_lobby, settings(language, "large"), false);
        assert!(has_text(&picture, state), "{language}");
    }
}

/// The keys to a screen of [`WAYS`].
fn way(name: &str) -> &'static [Key] {
    WAYS.iter().find(|(way, _)| *way == name).expect("it is there").1
}

#[test]
fn large_letters_are_used_on_every_screen() {
    let read = |name: &str, language: &str, words: &[&str]| {
        let (_, picture) = walk(way(name), settings(language, "large"), false);
        for word in words {
            assert!(has_text_in(&picture, Font::Large, word), "{name} in {language}: {word}");
        }
    };
    read("lobby_bots", "french", &["bot moyen", "bot facile", "Enclume", "Lancer la partie", "Quitter"]);
    read("lobby_bots", "english", &["normal bot", "easy bot", "Anvil", "Start the game", "Leave"]);
    read("share", "english", &["Only this machine can open this link.", "Start the server with --bind 0.0.0.0"]);
    read("share", "french", &["Seule cette machine peut ouvrir ce lien.", "Entrée ou Échap : fermer"]);
    read("daily", "french", &["Flèche"]);
    read("lobbies", "french", &["Rejoindre une partie", "Actualiser", "WXYZ29", "1/4"]);
}

#[test]
fn a_lobby_that_waits_shows_nothing_of_a_game_that_has_not_begun() {
    let (_, picture) = walk(way("lobby"), settings("english", "normal"), false);
    assert!(has_text(&picture, "Leave") && !has_text(&picture, "SCORE") && !has_text(&picture, "ms"));
    let (_, picture) = walk(way("game"), settings("english", "normal"), false);
    assert!(has_text(&picture, "SCORE"));
}

#[test]
fn the_number_of_the_wave_and_the_ping_have_lines_of_their_own() {
    for text in ["normal", "large"] {
        let (_, picture) = walk(&[DOWN, ENTER], settings("english", text), false);
        assert!(has_text(&picture, "Wave 1") && has_text(&picture, "ms"), "{text}");
    }
    let (_, picture) = walk(&[DOWN, ENTER, Key::ESCAPE], settings("english", "large"), false);
    assert!(!has_text(&picture, "ms"), "a menu would hide half of it");
}

#[test]
fn a_finger_joins_a_lobby_at_the_left_and_watches_it_at_the_right() {
    for text in ["normal", "large"] {
        for (x, has_seat) in [(90, true), (400, false)] {
            let (mut sim, _) = walk(way("lobbies"), settings("english", text), false);
            // The first lobby is below the commands.
            let y = if text == "large" { 6 + 29 + 2 * 24 + 2 + 9 } else { 28 + 20 + 4 * 14 + 2 + 5 };
            for phase in [Phase::Down, Phase::Up] {
                sim.client.touch(sim.now, Touch { finger: 1, phase, x, y });
            }
            sim.run_ms(600);
            let took_seat = sim.asked.iter().any(|request| matches!(request, LobbyRequest::Join { .. }));
            let watches = sim.asked.iter().any(|request| matches!(request, LobbyRequest::Watch { .. }));
            assert_eq!((took_seat, watches), (has_seat, !has_seat), "{text} at {x}: {:?}", sim.asked);
        }
    }
}

#[test]
fn a_gesture_is_made_from_the_menu() {
    for text in ["normal", "large"] {
        let (mut sim, _) = walk(&[ENTER], settings("english", text), true);
        // The line above the last one.
        [Key::ESCAPE, UP, UP, ENTER].into_iter().for_each(|key| tap(&mut sim, key));
        keep(&format!("gestures-english-{text}"), &mut shot(&mut sim.client, sim.now));
        [DOWN, DOWN, ENTER].into_iter().for_each(|key| tap(&mut sim, key));
        assert!(sim.asked.contains(&LobbyRequest::Emote(Emote::WellDone)), "{text}: {:?}", sim.asked);
        assert!(has_text(&shot(&mut sim.client, sim.now), "Well done!"), "{text}");
    }
}

#[test]
fn the_title_offers_no_way_back_and_the_credits_nothing_to_choose() {
    let (_, title) = walk(&[], settings("english", "normal"), false);
    assert!(has_text(&title, "confirm") && !has_text(&title, "back"));
    let (_, credits) = walk(way("credits"), settings("english", "normal"), false);
    assert!(has_text(&credits, "back") && !has_text(&credits, "confirm"));
}

#[test]
fn any_recorded_game_of_a_table_can_be_watched() {
    let fetched = |sim: &Simulation| {
        let last = sim.tasks.iter().rev().find(|(task, _)| *task == Task::FetchReplay);
        last.map(|(_, game)| String::from_utf8_lossy(game).into_owned())
    };
    let to_scores = [UP, UP, ENTER];
    let (mut sim, _) = walk(&to_scores, settings("english", "normal"), false);
    for index in [0, 2] {
        sim.scores[index].is_recorded = true;
    }
    [Key::ARROW_RIGHT, Key::ARROW_LEFT].into_iter().for_each(|key| tap(&mut sim, key));
    tap(&mut sim, Key::R);
    assert_eq!(fetched(&sim).as_deref(), Some("1"), "without a cursor, the best one");
    // Stage, difficulty and players come before the rows.
    [DOWN, DOWN, DOWN, DOWN].into_iter().for_each(|key| tap(&mut sim, key));
    sim.tasks.clear();
    assert!(has_text(&shot(&mut sim.client, sim.now), "There is no replay of this game"));
    tap(&mut sim, ENTER);
    tap(&mut sim, Key::R);
    assert_eq!(fetched(&sim), None);
    tap(&mut sim, DOWN);
    keep("scores_row", &mut shot(&mut sim.client, sim.now));
    assert!(has_text(&shot(&mut sim.client, sim.now), "Confirm to watch this game"));
    tap(&mut sim, ENTER);
    assert_eq!(fetched(&sim).as_deref(), Some("2"));
    tap(&mut sim, UP);
    // The first row is below the heading, and that below a line that is below the entries.
    for phase in [Phase::Down, Phase::Up] {
        sim.client.touch(sim.now, Touch { finger: 1, phase, x: 200, y: 10 + 13 + 7 + 3 * 14 + 6 + 12 + 3 });
    }
    sim.run_ms(100);
    assert_eq!(fetched(&sim).as_deref(), Some("1"), "a finger opens what it touches");
}

#[test]
fn the_menu_in_company_and_the_end_of_a_game_can_be_drawn() {
    for (language, text) in [("english", "normal"), ("french", "normal"), ("english", "large"), ("french", "large")] {
        let (mut sim, _) = walk(&[ENTER], settings(language, text), true);
        tap(&mut sim, Key::ESCAPE);
        assert!(!sim.client.is_paused());
        keep(&format!("menu-{language}-{text}"), &mut shot(&mut sim.client, sim.now));
        tap(&mut sim, Key::ESCAPE);
        tap(&mut sim, Key::T);
        assert!(sim.client.is_writing());
        keep(&format!("chat-{language}-{text}"), &mut shot(&mut sim.client, sim.now));
        tap(&mut sim, Key::ESCAPE);
        sim.restarts = false;
        let is_lost = |sim: &Simulation| sim.client.shown().is_some_and(|frame| frame.state == GameState::Lost);
        assert!(sim.run_until(600_000, is_lost), "the game is never lost");
        sim.run_ms(1_500);
        keep(&format!("tally-{language}-{text}"), &mut shot(&mut sim.client, sim.now));
        sim.run_ms(2_500);
        keep(&format!("over-{language}-{text}"), &mut shot(&mut sim.client, sim.now));
    }
}

#[test]
fn an_idle_title_shows_a_table_that_has_a_game_in_it() {
    let mut sim = Simulation::new("endless", 1, GOOD, false, Options::new(Dialect::Volley));
    (sim.scores, sim.scored) = (scores(), "mode=endless&stage=endless&difficulty=hard");
    sim.run_ms(66_000);
    assert!(has_text(&shot(&mut sim.client, sim.now), "Endless, hard"));
    let asked = |sim: &Simulation| sim.tasks.iter().filter(|(task, _)| *task == Task::FetchScores).count();
    let before = asked(&sim);
    sim.run_ms(4_000);
    assert_eq!(asked(&sim), before, "it has found one");
}

#[test]
fn keys_are_called_what_is_printed_on_them() {
    let (mut sim, picture) = walk(way("keys"), settings("english", "normal"), false);
    assert!(has_text(&picture, "↑ W"));
    sim.client.key_labels("KeyW\tz\nKeyZ\tw");
    assert!(has_text(&shot(&mut sim.client, sim.now), "↑ Z"));
}

#[test]
fn a_letter_that_is_typed_tells_what_is_printed_on_its_key() {
    let (mut sim, _) = walk(way("keys"), settings("english", "normal"), false);
    let mut type_with = |key: Key, down: bool, letter: char| {
        sim.client.key(sim.now, key, down);
        sim.client.text(sim.now, letter);
        shot(&mut sim.client, sim.now)
    };
    assert!(has_text(&type_with(Key::W, true, 'z'), "↑ Z"), "the browser did not tell");
    assert!(has_text(&type_with(Key::A, false, 'q'), "← A"), "a phone's keyboard has no keys");
}

#[test]
fn the_last_line_of_the_credits_keeps_off_the_frame() {
    for language in ["english", "french"] {
        let way = way("credits");
        let (_, picture) = walk(way, settings(language, "large"), false);
        let is_lit = |y: i32| (20..460).any(|x| picture.at(x, y) == Some(client::draw::Colour::PALE));
        assert!((100..236).any(is_lit) && !(236..242).any(is_lit), "{language}");
    }
}

#[test]
fn a_value_that_can_be_changed_has_arrows_where_the_cursor_is() {
    for text in ["normal", "large"] {
        let (mut sim, picture) = walk(way("create"), settings("english", text), false);
        assert!(has_text(&picture, "◀") && has_text(&picture, "▶"), "{text}");
        // The last line leads back.
        tap(&mut sim, UP);
        assert!(!has_text(&shot(&mut sim.client, sim.now), "◀"), "{text}");
    }
    let (_, keys) = walk(way("keys"), settings("english", "normal"), false);
    assert!(!has_text(&keys, "▶"), "a key is not turned");
}

#[test]
fn an_empty_table_says_so_in_letters_of_the_chosen_size() {
    let options = Options { settings: settings("french", "large"), ..Options::new(Dialect::Volley) };
    let mut sim = Simulation::new("endless", 1, GOOD, false, options);
    sim.run_ms(300);
    way("daily").iter().for_each(|&key| tap(&mut sim, key));
    sim.run_ms(1_500);
    let picture = shot(&mut sim.client, sim.now);
    keep("daily_empty-french-large", &mut picture.clone());
    assert!(has_text_in(&picture, Font::Large, "Aucun score"));
}
