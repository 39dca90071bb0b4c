//! The client from outside: what a player does, and what a shell sees of it.

mod table;

use client::{Action, Client, Key, Options, Pad, Phase, Touch, draw::Picture, sound::Cue};
use game::{Dice, GameState, Input, Kind, Rules, Stage, World};
use protocol::{Channel, Dialect, Scene, StreamUse, Time, Welcome};
use table::{Conditions, SEAT, Table, at_once, drawn_ship};

const GOOD: Conditions = Conditions::PERFECT.delay_ms(10);

fn tap(table: &mut Table, key: Key) {
    table.client.key(table.now, key, true);
    table.client.key(table.now, key, false);
    table.run_ms(100);
}

fn playing() -> Table {
    playing_in(false)
}

fn playing_in(company: bool) -> Table {
    let mut table = Table::new("endless", 1, GOOD, company, at_once());
    let runs = |table: &Table| table.client.shown().is_some_and(|frame| frame.state == GameState::Running);
    assert!(table.run_until(1_000, runs), "no game");
    table
}

#[test]
fn who_wants_to_play_at_once_plays_within_a_second() {
    let table = playing();
    assert_eq!(table.world.game_state(), GameState::Running);
}

#[test]
fn from_the_title_one_key_is_enough() {
    let mut table = Table::new("endless", 1, GOOD, false, Options::new(Dialect::Volley));
    table.run_ms(300);
    assert!(table.client.shown().is_none());
    tap(&mut table, Key::ENTER);
    assert!(table.run_until(1_000, |table| table.client.shown().and_then(drawn_ship).is_some()));
}

#[test]
fn a_link_leads_straight_into_its_lobby_and_waits_there_for_the_start() {
    let options = Options { lobby: Some("VOLLEY".into()), ..Options::new(Dialect::Volley) };
    let mut table = Table::new("endless", 1, GOOD, false, options);
    assert!(table.run_until(1_000, |table| table.client.shown().and_then(drawn_ship).is_some()));
    assert_eq!(table.world.game_state(), GameState::Waiting);
    tap(&mut table, Key::ENTER);
    table.run_ms(300);
    assert_eq!(table.world.game_state(), GameState::Running, "the first line of the room starts the game");
}

#[test]
fn who_finds_a_lobby_full_watches_it() {
    let options = Options { lobby: Some("VOLLEY".into()), ..Options::new(Dialect::Volley) };
    let mut table = Table::new("endless", 1, GOOD, false, options);
    table.is_full = true;
    let sees = |table: &Table| table.client.shown().is_some_and(|frame| frame.tick.0 > 0 && !frame.entities.is_empty());
    assert!(table.run_until(1_000, sees));
    assert!(!table.world.is_seated(SEAT), "without a seat");
}

#[test]
fn a_tap_of_fire_is_one_shot_however_short_and_it_is_heard_at_once() {
    let mut table = playing();
    table.run_ms(500);
    table.client.sounds();
    table.client.key(table.now, Key::Z, true);
    table.client.key(table.now, Key::Z, false);
    let shots = |table: &Table| {
        let frame = table.world.frame();
        frame.entities.iter().filter(|entity| entity.kind == Kind::Shot).count()
    };
    assert!(table.run_until(300, |table| shots(table) == 1));
    assert_eq!(table.client.sounds().iter().filter(|cue| **cue == Cue::Shot).count(), 1);
    table.run_ms(300);
    assert!(!table.client.sounds().contains(&Cue::Shot), "what was heard when it was fired is not heard again");
}

#[test]
fn in_company_a_held_beam_hums_and_the_menu_stops_the_ship_but_not_the_game() {
    let mut table = playing_in(true);
    table.client.key(table.now, Key::SPACE, true);
    table.run_ms(1_000);
    assert!(table.client.hum() > 50);
    table.client.key(table.now, Key::SPACE, false);
    table.client.key(table.now, Key::ARROW_DOWN, true);
    tap(&mut table, Key::ESCAPE);
    table.run_ms(200);
    let place = |table: &Table| table.world.frame().ship(SEAT).expect("it flies").position;
    let (before, tick) = (place(&table), table.world.now());
    table.run_ms(300);
    assert_eq!(place(&table), before);
    assert!(table.world.now() > tick);
    tap(&mut table, Key::P);
    table.run_ms(300);
    assert_ne!(place(&table), before, "the key is still held");
}

#[test]
fn who_is_alone_and_looks_elsewhere_misses_nothing() {
    let mut table = playing();
    table.client.blur(table.now);
    table.run_ms(200);
    assert!(!table.client.is_still(), "who has done nothing yet was never here");
    tap(&mut table, Key::ARROW_UP);
    table.client.blur(table.now);
    table.run_ms(200);
    let tick = table.world.now();
    table.run_ms(2_000);
    assert!(table.client.is_still() && table.world.now() == tick);
    table.client.key(table.now, Key::ARROW_RIGHT, true);
    table.run_ms(500);
    assert!(!table.client.is_still() && table.world.now() > tick, "any key is enough");
    let mut table = playing_in(true);
    tap(&mut table, Key::ARROW_UP);
    table.client.blur(table.now);
    table.run_ms(500);
    assert!(!table.client.is_still(), "others play on");
}

#[test]
fn options_can_be_changed_in_the_middle_of_a_game_that_stands_still() {
    let mut table = playing();
    for key in [Key::ESCAPE, Key::ARROW_DOWN, Key::ENTER, Key::ARROW_RIGHT] {
        tap(&mut table, key);
    }
    let (action, text) = table.asked.last().expect("something was asked");
    assert_eq!(*action, Action::Keep);
    assert!(String::from_utf8_lossy(text).contains("music = 7"));
    assert!(table.client.is_still());
    // Back to the menu, and on with the game.
    tap(&mut table, Key::BACKSPACE);
    assert!(table.client.is_still());
    tap(&mut table, Key::ENTER);
    table.run_ms(300);
    assert!(!table.client.is_still() && table.client.shown().is_some());
}

#[test]
fn what_is_said_comes_back_and_is_seen() {
    let mut table = playing();
    tap(&mut table, Key::T);
    table.client.text(table.now, 'h');
    table.client.text(table.now, 'i');
    tap(&mut table, Key::ENTER);
    table.client.sounds();
    assert!(table.run_until(500, |_| true));
    table.run_ms(200);
    let mut picture = Picture::new();
    table.client.draw(table.now, &mut picture);
    let with = picture.rgba().to_vec();
    table.run_ms(9_000);
    table.client.draw(table.now, &mut picture);
    let strip = |rgba: &[u8]| rgba[480 * 4 * 212..480 * 4 * 222].to_vec();
    assert_ne!(strip(&with), strip(picture.rgba()), "a line was there and went");
}

#[test]
fn a_lost_connection_is_made_again_and_the_seat_is_taken_again() {
    let mut table = playing();
    table.run_ms(500);
    table.cut();
    assert!(table.client.shown().is_some(), "what was seen stays");
    assert!(table.run_until(3_000, |table| table.is_connected));
    assert!(table.run_until(2_000, |table| {
        let newest = table.client.shown().map_or(0, |frame| frame.tick.0);
        newest.abs_diff(table.world.now().0) < 10
    }));
    table.client.key(table.now, Key::ARROW_RIGHT, true);
    let before = table.world.frame().ship(SEAT).map(|ship| ship.position.x);
    table.run_ms(300);
    assert!(table.world.frame().ship(SEAT).map(|ship| ship.position.x) > before);
}

#[test]
fn who_leaves_is_back_at_the_title_and_may_come_again() {
    let mut table = playing();
    tap(&mut table, Key::ESCAPE);
    tap(&mut table, Key::ARROW_UP);
    tap(&mut table, Key::ENTER);
    table.run_ms(200);
    assert!(table.client.shown().is_none());
    assert!(!table.world.is_seated(SEAT));
    tap(&mut table, Key::ENTER);
    assert!(table.run_until(1_000, |table| table.client.shown().and_then(drawn_ship).is_some()));
}

#[test]
fn what_the_player_chooses_is_kept() {
    let mut table = Table::new("endless", 1, GOOD, false, Options::new(Dialect::Volley));
    table.run_ms(100);
    // Up twice from the first line: the options; right: less loud by turning round is more than none.
    for key in [Key::ARROW_UP, Key::ARROW_UP, Key::ENTER, Key::ARROW_RIGHT] {
        tap(&mut table, key);
    }
    let (action, text) = table.asked.last().expect("something was asked");
    assert_eq!(*action, Action::Keep);
    let text = String::from_utf8(text.clone()).expect("it is text");
    assert!(text.contains("music = 7"), "{text}");
    let options = Options { settings: text, ..Options::new(Dialect::Volley) };
    let client = Client::new(table.now, options);
    assert_eq!(client.volumes().0, 0.7);
}

#[test]
fn a_sleeping_tab_wakes_up_without_haste_and_is_in_time_again() {
    let mut table = playing();
    table.run_ms(2_000);
    let count = table.client.graph().count();
    let later = table.now + std::time::Duration::from_secs(2);
    table.client.advance(later);
    assert!(table.client.graph().count() - count <= 6);
}

#[test]
fn a_game_is_played_over_other_dialects_too() {
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
                    Action::Connect => client.connected(now),
                    Action::Datagram => drop(session.receive(now, Channel::Datagram, &buffer).expect("it speaks well")),
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
        assert!(began.is_some() && ended > began.map(|x| x + game::px(100)), "{}: {began:?} {ended:?}", dialect.name());
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
    }
}

#[test]
fn nothing_that_a_server_says_makes_it_panic_in_the_middle_of_a_game() {
    for seed in 0..12 {
        let mut table = playing();
        let mut dice = Dice::new(seed);
        for _ in 0..400 {
            table.step();
            let mut bytes: Vec<u8> = (0..dice.below(80)).map(|_| dice.below(256) as u8).collect();
            // Most begin like a Frame.
            if let Some(first) = bytes.first_mut().filter(|_| dice.below(4) > 0) {
                *first &= 0x3f;
            }
            table.client.receive(table.now, Channel::Datagram, &bytes);
            if dice.below(40) == 0 {
                let key = Key::from_number(dice.below(Key::COUNT as u32) as u8).expect("it is known");
                table.client.key(table.now, key, dice.below(2) == 0);
            }
        }
        let mut picture = Picture::new();
        table.client.draw(table.now, &mut picture);
    }
}

#[test]
fn a_finger_flies_the_ship() {
    let mut table = playing();
    let touch = |phase, x| Touch { finger: 1, phase, x, y: 150 };
    table.client.touch(table.now, touch(Phase::Down, 80));
    table.client.touch(table.now, touch(Phase::Move, 110));
    let before = table.client.shown().and_then(drawn_ship).expect("it flies").position;
    table.run_ms(200);
    let after = table.client.shown().and_then(drawn_ship).expect("it flies").position;
    assert!(after.x > before.x && after.y == before.y);
}

/// A finger comes down and is lifted there.
fn tap_at(table: &mut Table, x: i32, y: i32) {
    for phase in [Phase::Down, Phase::Up] {
        table.client.touch(table.now, Touch { finger: 1, phase, x, y });
    }
    table.run_ms(100);
}

#[test]
fn a_finger_chooses_where_it_is_lifted() {
    let mut table = Table::new("endless", 1, GOOD, false, Options::new(Dialect::Volley));
    table.run_ms(300);
    let touch = |phase, y| Touch { finger: 1, phase, x: 180, y };
    // From the line for a code to the one for a game.
    table.client.touch(table.now, touch(Phase::Down, 175));
    table.client.touch(table.now, touch(Phase::Move, 134));
    table.run_ms(300);
    assert!(table.client.shown().is_none() && !table.client.is_writing());
    table.client.touch(table.now, touch(Phase::Up, 134));
    assert!(table.run_until(1_000, |table| table.client.shown().and_then(drawn_ship).is_some()));
}

#[test]
fn who_has_no_keys_gets_back_by_a_tap_on_the_hint() {
    let mut table = Table::new("endless", 1, GOOD, false, Options::new(Dialect::Volley));
    table.run_ms(300);
    tap_at(&mut table, 180, 175);
    assert!(table.client.is_writing(), "a code is asked for");
    tap_at(&mut table, 175, 262);
    assert!(!table.client.is_writing());
    tap_at(&mut table, 180, 134);
    assert!(table.run_until(1_000, |table| table.client.shown().and_then(drawn_ship).is_some()));
}

#[test]
fn a_finger_that_flew_the_ship_chooses_nothing_when_it_is_lifted() {
    let mut table = playing();
    let touch = |phase| Touch { finger: 1, phase, x: 200, y: 168 };
    table.client.touch(table.now, touch(Phase::Down));
    tap(&mut table, Key::ESCAPE);
    table.client.touch(table.now, touch(Phase::Up));
    table.run_ms(300);
    assert!(table.client.shown().is_some(), "the finger was over the line that leaves");
    tap_at(&mut table, 200, 168);
    assert!(table.client.shown().is_none(), "a finger that comes down there does leave");
}
