//! The client from outside: what a player does, and what a shell gets.

mod read_text;
#[expect(dead_code, reason = "each test needs a part of it")]
mod simulation;

use client::{
    Client, Key, Options, Pad, Phase, Task, Touch,
    draw::{Colour, Picture},
    sound::Cue,
};
use game::{Dice, GameState, Input, Kind, Rules, Stage, World, units::px};
use protocol::{Channel, Dialect, Emote, LobbyRequest, Scene, StreamUse, Time, Welcome};
use read_text::has_text;
use simulation::{Conditions, SEAT, Simulation, at_once, drawn_ship};

const GOOD: Conditions = Conditions::PERFECT.delay_ms(10);

fn tap(sim: &mut Simulation, key: Key) {
    sim.client.key(sim.now, key, true);
    sim.client.key(sim.now, key, false);
    sim.run_ms(100);
}

fn playing() -> Simulation {
    playing_in(false)
}

fn playing_in(company: bool) -> Simulation {
    let mut sim = Simulation::new("endless", 1, GOOD, company, at_once());
    let runs = |sim: &Simulation| sim.client.shown().is_some_and(|frame| frame.state == GameState::Running);
    assert!(sim.run_until(1_000, runs), "no game");
    sim
}

#[test]
fn a_quick_start_plays_within_a_second() {
    let sim = playing();
    assert_eq!(sim.world.game_state(), GameState::Running);
}

#[test]
fn one_key_starts_a_game_from_the_title() {
    let mut sim = Simulation::new("endless", 1, GOOD, false, Options::new(Dialect::Volley));
    sim.run_ms(300);
    assert!(sim.client.shown().is_none());
    tap(&mut sim, Key::ENTER);
    assert!(sim.run_until(1_000, |sim| sim.client.shown().and_then(drawn_ship).is_some()));
}

#[test]
fn a_lobby_code_leads_straight_into_its_lobby_which_waits_for_the_start() {
    let options = Options { lobby: Some("VOLLEY".into()), ..Options::new(Dialect::Volley) };
    let mut sim = Simulation::new("endless", 1, GOOD, false, options);
    assert!(sim.run_until(1_000, |sim| sim.client.shown().and_then(drawn_ship).is_some()));
    assert_eq!(sim.world.game_state(), GameState::Waiting);
    tap(&mut sim, Key::ENTER);
    sim.run_ms(300);
    assert_eq!(sim.world.game_state(), GameState::Running, "the first line of the lobby starts the game");
}

#[test]
fn if_the_lobby_is_full_you_watch_instead() {
    let options = Options { lobby: Some("VOLLEY".into()), ..Options::new(Dialect::Volley) };
    let mut sim = Simulation::new("endless", 1, GOOD, false, options);
    sim.is_full = true;
    let sees =
        |sim: &Simulation| sim.client.shown().is_some_and(|frame| frame.tick.0 > 0 && !frame.entities.is_empty());
    assert!(sim.run_until(1_000, sees));
    assert!(!sim.world.is_seated(SEAT), "without a seat");
}

#[test]
fn a_player_who_is_invited_to_a_game_that_is_over_waits_for_the_next_one() {
    let options = Options { lobby: Some("VOLLEY".into()), ..Options::new(Dialect::Volley) };
    let mut sim = Simulation::new("endless", 1, GOOD, false, options);
    sim.is_over = true;
    sim.run_ms(5_500);
    let asked = sim.asked.iter().filter(|request| matches!(request, LobbyRequest::Join { .. })).count();
    assert!((5..=6).contains(&asked), "once a second, not {asked} times");
    let mut picture = Picture::new();
    sim.client.draw(sim.now, &mut picture);
    assert!(has_text(&picture, "The game is over; the next one begins soon"));
    sim.is_over = false;
    assert!(sim.run_until(1_500, |sim| sim.client.shown().is_some()), "the next game has begun");
}

#[test]
fn a_player_who_plays_elsewhere_is_not_drawn_into_the_next_game() {
    let options = Options { lobby: Some("VOLLEY".into()), ..Options::new(Dialect::Volley) };
    let mut sim = Simulation::new("endless", 1, GOOD, false, options);
    sim.is_over = true;
    sim.run_ms(500);
    tap(&mut sim, Key::ENTER);
    let asked = sim.asked.len();
    sim.run_ms(3_000);
    assert!(sim.client.shown().is_some() && sim.created.is_some());
    let joins = |request: &LobbyRequest| matches!(request, LobbyRequest::Join { .. });
    assert!(!sim.asked[asked..].iter().any(joins));
}

#[test]
fn a_short_tap_fires_one_shot_which_is_heard_at_once() {
    let mut sim = playing();
    sim.run_ms(500);
    sim.client.sounds();
    sim.client.key(sim.now, Key::Z, true);
    sim.client.key(sim.now, Key::Z, false);
    let shots = |sim: &Simulation| {
        let frame = sim.world.frame();
        frame.entities.iter().filter(|entity| entity.kind == Kind::Shot).count()
    };
    assert!(sim.run_until(300, |sim| shots(sim) == 1));
    assert_eq!(sim.client.sounds().iter().filter(|heard| heard.cue == Cue::Shot).count(), 1);
    sim.run_ms(300);
    assert!(
        !sim.client.sounds().iter().any(|heard| heard.cue == Cue::Shot),
        "it is not heard again when the server confirms it"
    );
}

#[test]
fn a_charging_beam_hums_and_in_company_the_menu_stops_the_ship_but_not_the_game() {
    let mut sim = playing_in(true);
    sim.client.key(sim.now, Key::SPACE, true);
    sim.run_ms(1_000);
    assert!(sim.client.hum() > 50);
    sim.client.key(sim.now, Key::SPACE, false);
    sim.client.key(sim.now, Key::ARROW_DOWN, true);
    tap(&mut sim, Key::ESCAPE);
    sim.run_ms(200);
    let place = |sim: &Simulation| sim.world.frame().ship(SEAT).expect("it flies").position;
    let (before, tick) = (place(&sim), sim.world.now());
    sim.run_ms(300);
    assert_eq!(place(&sim), before);
    assert!(sim.world.now() > tick);
    tap(&mut sim, Key::P);
    sim.run_ms(300);
    assert_ne!(place(&sim), before, "the key is still held");
}

#[test]
fn a_game_played_alone_pauses_while_the_window_has_no_keyboard() {
    let mut sim = playing();
    sim.client.blur(sim.now);
    sim.run_ms(200);
    assert!(!sim.client.is_paused(), "before the first key the player was never here");
    tap(&mut sim, Key::ARROW_UP);
    sim.client.blur(sim.now);
    sim.run_ms(200);
    let tick = sim.world.now();
    sim.run_ms(2_000);
    assert!(sim.client.is_paused() && sim.world.now() == tick);
    sim.client.key(sim.now, Key::ARROW_RIGHT, true);
    sim.run_ms(500);
    assert!(!sim.client.is_paused() && sim.world.now() > tick, "any key resumes it");
    let mut sim = playing_in(true);
    tap(&mut sim, Key::ARROW_UP);
    sim.client.blur(sim.now);
    sim.run_ms(500);
    assert!(!sim.client.is_paused(), "others go on playing");
}

#[test]
fn options_can_be_changed_in_a_paused_game() {
    let mut sim = playing();
    for key in [Key::ESCAPE, Key::ARROW_DOWN, Key::ENTER, Key::ARROW_RIGHT] {
        tap(&mut sim, key);
    }
    let (action, text) = sim.tasks.last().expect("something was tasks");
    assert_eq!(*action, Task::StoreSettings);
    assert!(String::from_utf8_lossy(text).contains("music = 7"));
    assert!(sim.client.is_paused());
    // Back to the menu, then resume.
    tap(&mut sim, Key::BACKSPACE);
    assert!(sim.client.is_paused());
    tap(&mut sim, Key::ENTER);
    sim.run_ms(300);
    assert!(!sim.client.is_paused() && sim.client.shown().is_some());
}

/// How many pixels of the player's colour there are where the newest chat message is drawn.
fn chat_pixels(sim: &mut Simulation) -> usize {
    let mut picture = Picture::new();
    sim.client.draw(sim.now, &mut picture);
    let pixels = (214..228).flat_map(|y| (0..120).map(move |x| (x, y)));
    pixels.filter(|&(x, y)| picture.at(x, y) == Some(Colour::SEATS[SEAT.index()])).count()
}

#[test]
fn a_chat_message_comes_back_is_heard_and_is_shown_for_a_while() {
    let mut sim = playing_in(true);
    assert_eq!(chat_pixels(&mut sim), 0);
    tap(&mut sim, Key::T);
    "hello".chars().for_each(|character| sim.client.text(sim.now, character));
    sim.client.sounds();
    tap(&mut sim, Key::ENTER);
    sim.run_ms(200);
    assert!(
        sim.client.sounds().iter().any(|heard| heard.cue == Cue::Chat),
        "the server sends it to everybody in the lobby"
    );
    assert!(chat_pixels(&mut sim) > 40);
    sim.run_ms(9_000);
    assert_eq!(chat_pixels(&mut sim), 0, "it is shown for eight seconds");
}

/// How many pixels differ from the picture that is shown when nobody makes a gesture, in the row above the player's ship.
fn bubble_pixels(sim: &mut Simulation) -> usize {
    let mut picture = Picture::new();
    sim.client.draw(sim.now, &mut picture);
    let ship = sim.client.shown().and_then(|frame| frame.ship(SEAT)).map(|ship| ship.position);
    let (x, y) = ship.map_or((0, 0), |position| (position.x / px(1), position.y / px(1)));
    let around = (y - 42..y - 20).flat_map(|y| (x - 30..x + 30).map(move |x| (x, y)));
    around.filter(|&(x, y)| picture.at(x, y) == Some(Colour::SEATS[SEAT.index()])).count()
}

#[test]
fn a_digit_makes_a_gesture_that_is_shown_at_the_ship_for_a_while() {
    let mut sim = playing_in(true);
    assert_eq!(bubble_pixels(&mut sim), 0);
    sim.client.sounds();
    tap(&mut sim, Key::DIGIT_3);
    sim.run_ms(200);
    assert!(sim.asked.contains(&LobbyRequest::Emote(Emote::WellDone)));
    assert!(sim.client.sounds().iter().any(|heard| heard.cue == Cue::Chat));
    assert!(bubble_pixels(&mut sim) > 40, "a box in the player's colour");
    sim.run_ms(2_600);
    assert_eq!(bubble_pixels(&mut sim), 0);
}

#[test]
fn a_player_who_is_alone_makes_no_gestures() {
    let mut sim = playing();
    tap(&mut sim, Key::DIGIT_1);
    sim.run_ms(200);
    assert!(!sim.asked.iter().any(|request| matches!(request, LobbyRequest::Emote(_))));
}

#[test]
fn after_a_lost_connection_the_client_reconnects_and_takes_its_seat_again() {
    let mut sim = playing();
    sim.run_ms(500);
    sim.cut();
    assert!(sim.client.shown().is_some(), "the last picture stays");
    assert!(sim.run_until(3_000, |sim| sim.is_connected));
    assert!(sim.run_until(2_000, |sim| {
        let newest = sim.client.shown().map_or(0, |frame| frame.tick.0);
        newest.abs_diff(sim.world.now().0) < 10
    }));
    sim.client.key(sim.now, Key::ARROW_RIGHT, true);
    let before = sim.world.frame().ship(SEAT).map(|ship| ship.position.x);
    sim.run_ms(300);
    assert!(sim.world.frame().ship(SEAT).map(|ship| ship.position.x) > before);
}

#[test]
fn a_player_who_leaves_is_back_at_the_title_and_can_play_again() {
    let mut sim = playing();
    tap(&mut sim, Key::ESCAPE);
    tap(&mut sim, Key::ARROW_UP);
    tap(&mut sim, Key::ENTER);
    sim.run_ms(200);
    assert!(sim.client.shown().is_none());
    assert!(!sim.world.is_seated(SEAT));
    tap(&mut sim, Key::ENTER);
    assert!(sim.run_until(1_000, |sim| sim.client.shown().and_then(drawn_ship).is_some()));
}

#[test]
fn changed_settings_are_stored() {
    let mut sim = Simulation::new("endless", 1, GOOD, false, Options::new(Dialect::Volley));
    sim.run_ms(100);
    // Up three times from the first line are the options; right raises the volume of the music, below the name.
    for key in [Key::ARROW_UP, Key::ARROW_UP, Key::ARROW_UP, Key::ENTER, Key::ARROW_DOWN, Key::ARROW_RIGHT] {
        tap(&mut sim, key);
    }
    let (action, text) = sim.tasks.last().expect("something was tasks");
    assert_eq!(*action, Task::StoreSettings);
    let text = String::from_utf8(text.clone()).expect("it is text");
    assert!(text.contains("music = 7"), "{text}");
    let options = Options { settings: text, ..Options::new(Dialect::Volley) };
    let client = Client::new(sim.now, options);
    assert_eq!(client.volumes().0, 0.7);
}

#[test]
fn after_a_long_sleep_few_ticks_are_caught_up() {
    let mut sim = playing();
    sim.run_ms(2_000);
    let count = sim.client.graph().count();
    let later = sim.now + std::time::Duration::from_secs(2);
    sim.client.advance(later);
    assert!(sim.client.graph().count() - count <= 6);
}

#[test]
fn a_game_can_be_played_in_every_dialect_without_a_stream() {
    let others = Dialect::ALL.into_iter().filter(|dialect| matches!(dialect.entry().stream, StreamUse::None));
    for dialect in others {
        let mut now = Time::from_micros(1_700_000_000_000_000);
        let mut client = Client::new(now, Options { quick: true, ..Options::new(dialect) });
        let mut world = World::new(Stage::endless(), Rules::default(), 1);
        world.join(SEAT);
        world.start();
        let welcome =
            Welcome { seat: SEAT, now, started: now, scale: Default::default(), numbers: protocol::Numbers::default() };
        let (mut session, mut scene) = (dialect.accept(welcome), Scene::new("endless"));
        let (mut buffer, mut began) = (Vec::new(), None);
        for tick in 0..240 {
            now = now + std::time::Duration::from_micros(16_667);
            session.advance(now);
            let mut inputs = [Input::IDLE; game::SEATS];
            inputs[SEAT.index()] = session.input(now);
            world.tick(&inputs);
            world.frame_into(&mut scene.frame);
            scene.update(now);
            session.publish(now, &scene);
            while session.poll(now, &mut buffer).is_some() {
                client.receive(now, Channel::Datagram, &buffer);
            }
            client.advance(now);
            while let Some(action) = client.poll(now, &mut buffer) {
                match action {
                    Task::Connect => client.connected(now),
                    Task::Datagram => drop(session.receive(now, Channel::Datagram, &buffer).expect("well-formed")),
                    Task::StoreSettings | Task::FetchScores => {}
                    other => panic!("{}: {other:?}", dialect.name()),
                }
            }
            let place = client.shown().and_then(drawn_ship).map(|ship| ship.position.x);
            if tick == 120 {
                began = place;
                client.key(now, Key::ARROW_RIGHT, true);
            }
        }
        let ended = client.shown().and_then(drawn_ship).map(|ship| ship.position.x);
        assert!(began.is_some() && ended > began.map(|x| x + px(100)), "{}: {began:?} {ended:?}", dialect.name());
    }
}

/// Anything that a shell might pass in, in any order, at any time.
fn anything(client: &mut Client, dice: &mut Dice, now: &mut u64, buffer: &mut Vec<u8>, picture: &mut Picture) {
    *now = now.wrapping_add(u64::from(dice.below(40_000))).wrapping_sub(u64::from(dice.below(10_000)));
    let time = Time::from_micros(if dice.below(500) == 0 { u64::from(dice.below(u32::MAX)) << 20 } else { *now });
    match dice.below(14) {
        0..=3 => {
            let key = Key::from_number(dice.below(Key::COUNT as u32) as u8).expect("it is known");
            client.key(time, key, dice.below(2) == 0);
        }
        4 => client.text(time, char::from_u32(dice.below(0x3000)).unwrap_or('?')),
        5 => client
            .pad(time, Pad { x: f32::from_bits(dice.below(u32::MAX)), y: f32::NAN, buttons: dice.below(u32::MAX) }),
        6 => {
            let phase = [Phase::Down, Phase::Move, Phase::Up][dice.below(3) as usize];
            let (x, y) = (dice.below(u32::MAX) as i32, dice.below(400) as i32);
            client.touch(time, Touch { finger: dice.below(4), phase, x: if x % 2 == 0 { x } else { x % 480 }, y });
        }
        7 => client.blur(time),
        8 => client.connected(time),
        9 if dice.below(8) == 0 => client.disconnected(time),
        10 => {
            let bytes: Vec<u8> = (0..dice.below(60)).map(|_| dice.below(256) as u8).collect();
            let channel = if dice.below(2) == 0 { Channel::Datagram } else { Channel::Stream };
            client.receive(time, channel, &bytes);
        }
        11 => client.draw(time, picture),
        _ => client.advance(time),
    }
    while client.poll(time, buffer).is_some() {}
}

#[test]
fn nothing_that_a_shell_passes_in_makes_it_panic() {
    for (seed, dialect) in (0..).zip(Dialect::ALL.into_iter().cycle().take(18)) {
        let mut dice = Dice::new(seed);
        let mut now = 1_700_000_000_000_000;
        let mut client = Client::new(Time::from_micros(now), Options { quick: seed % 2 == 0, ..Options::new(dialect) });
        let (mut buffer, mut picture) = (Vec::new(), Picture::new());
        for _ in 0..1_500 {
            anything(&mut client, &mut dice, &mut now, &mut buffer, &mut picture);
        }
        client.draw(Time::from_micros(u64::MAX), &mut picture);
        assert!(is_lit(&picture), "seed {seed}: it still draws");
    }
}

fn is_lit(picture: &Picture) -> bool {
    (0..Picture::HEIGHT).any(|y| (0..Picture::WIDTH).any(|x| picture.at(x, y) != Some(Colour::VOID)))
}

#[test]
fn nothing_that_a_server_says_makes_it_panic_in_the_middle_of_a_game() {
    for seed in 0..12 {
        let mut sim = playing();
        let mut dice = Dice::new(seed);
        for _ in 0..400 {
            sim.step();
            let mut bytes: Vec<u8> = (0..dice.below(80)).map(|_| dice.below(256) as u8).collect();
            // Most begin like a Frame.
            if let Some(first) = bytes.first_mut().filter(|_| dice.below(4) > 0) {
                *first &= 0x3f;
            }
            sim.client.receive(sim.now, Channel::Datagram, &bytes);
            if dice.below(40) == 0 {
                let key = Key::from_number(dice.below(Key::COUNT as u32) as u8).expect("it is known");
                sim.client.key(sim.now, key, dice.below(2) == 0);
            }
        }
        let mut picture = Picture::new();
        sim.client.draw(sim.now, &mut picture);
        assert!(is_lit(&picture), "seed {seed}: it still draws");
    }
}

#[test]
fn a_finger_flies_the_ship() {
    let mut sim = playing();
    let touch = |phase, x| Touch { finger: 1, phase, x, y: 150 };
    sim.client.touch(sim.now, touch(Phase::Down, 80));
    sim.client.touch(sim.now, touch(Phase::Move, 110));
    let before = sim.client.shown().and_then(drawn_ship).expect("it flies").position;
    sim.run_ms(200);
    let after = sim.client.shown().and_then(drawn_ship).expect("it flies").position;
    assert!(after.x > before.x && after.y == before.y);
}

/// A finger comes down and is lifted there.
fn tap_at(sim: &mut Simulation, x: i32, y: i32) {
    for phase in [Phase::Down, Phase::Up] {
        sim.client.touch(sim.now, Touch { finger: 1, phase, x, y });
    }
    sim.run_ms(100);
}

#[test]
fn a_finger_chooses_where_it_is_lifted() {
    let mut sim = Simulation::new("endless", 1, GOOD, false, Options::new(Dialect::Volley));
    sim.run_ms(300);
    let touch = |phase, y| Touch { finger: 1, phase, x: 180, y };
    // From the line for the options to the line that starts a game.
    sim.client.touch(sim.now, touch(Phase::Down, 195));
    sim.client.touch(sim.now, touch(Phase::Move, 111));
    sim.run_ms(300);
    assert!(sim.client.shown().is_none());
    sim.client.touch(sim.now, touch(Phase::Up, 111));
    assert!(sim.run_until(1_000, |sim| sim.client.shown().and_then(drawn_ship).is_some()));
}

#[test]
fn a_tap_on_the_hint_goes_back() {
    let mut sim = Simulation::new("endless", 1, GOOD, false, Options::new(Dialect::Volley));
    sim.run_ms(300);
    // The lobbies, then the line for a code.
    tap_at(&mut sim, 180, 181);
    tap_at(&mut sim, 180, 81);
    assert!(sim.client.is_writing(), "a code is asked for");
    // On a touch screen the way back is the only hint.
    tap_at(&mut sim, 20, 262);
    assert!(!sim.client.is_writing());
    tap_at(&mut sim, 20, 262);
    tap_at(&mut sim, 180, 111);
    assert!(sim.run_until(1_000, |sim| sim.client.shown().and_then(drawn_ship).is_some()));
}

#[test]
fn lifting_a_finger_that_flew_the_ship_chooses_nothing() {
    let mut sim = playing();
    let touch = |phase| Touch { finger: 1, phase, x: 200, y: 162 };
    sim.client.touch(sim.now, touch(Phase::Down));
    tap(&mut sim, Key::ESCAPE);
    sim.client.touch(sim.now, touch(Phase::Up));
    sim.run_ms(300);
    assert!(sim.client.shown().is_some(), "although the finger was on the line that leaves");
    tap_at(&mut sim, 200, 162);
    assert!(sim.client.shown().is_none(), "a finger that also comes down there leaves");
}

#[test]
fn a7_the_player_chooses_the_queue_in_the_options_of_a_dialect_that_has_one() {
    let now = Time::from_micros(1_700_000_000_000_000);
    let stored = |dialect: Dialect, queue_ms: Option<u8>| {
        let mut client = Client::new(now, Options { queue_ms, ..Options::new(dialect) });
        // Into the options, up over Back, Keys and Language to the queue, and one step on.
        let keys = [Key::ARROW_UP, Key::ARROW_UP, Key::ARROW_UP, Key::ENTER].into_iter();
        let keys = keys.chain([Key::ARROW_UP; 4]).chain([Key::ARROW_RIGHT]);
        for key in keys {
            client.key(now, key, true);
            client.key(now, key, false);
        }
        let mut buffer = Vec::new();
        let mut settings = String::new();
        while let Some(task) = client.poll(now, &mut buffer) {
            if task == Task::StoreSettings {
                settings = String::from_utf8(buffer.clone()).expect("text");
            }
        }
        settings
    };
    assert!(stored(Dialect::Aecs, None).contains("queue_ms = 40\n"));
    assert!(stored(Dialect::Aecs, Some(200)).contains("queue_ms = 0\n"), "behind the most comes none");
    assert!(stored(Dialect::Aecs, Some(255)).contains("queue_ms = 0\n"), "no more than the most");
    let elsewhere = stored(Dialect::Snapshot, None);
    assert!(
        elsewhere.contains("queue_ms = 30\n") && elsewhere.contains("learned = fly fire charge force take dock\n"),
        "another line is there"
    );
}
