//! What a person reads of other players, over every dialect that needs no stream, and of their own end. The pictures are left in
//! `target/tmp/feed`, to be looked at.

mod kept_picture;

use std::time::Duration;

use client::{
    Client, Key, Options, Task,
    draw::{Colour, Font, Picture},
    sound::Cue,
};
use game::{Departure, Input, Kind, Rules, SEATS, Seat, Stage, Vec2, World};
use protocol::{Channel, Dialect, Numbers, Scene, ServerSession, StreamUse, Time, Welcome};

const ANN: Seat = Seat::ALL[0];
const BOB: Seat = Seat::ALL[1];
const TICK: Duration = Duration::from_micros(16_667);

/// A lobby with Ann, whose client this is, and with others who only are there.
struct Lobby {
    now: Time,
    world: World,
    scene: Scene,
    session: Box<dyn ServerSession>,
    client: Client,
    cues: Vec<Cue>,
}

impl Lobby {
    fn new(dialect: Dialect, settings: &str, lives: u8) -> Lobby {
        let now = Time::from_micros(1_700_000_000_000_000);
        let options =
            Options { quick: true, name: Some("Ann".into()), settings: settings.into(), ..Options::new(dialect) };
        let mut world = World::new(Stage::endless(), Rules { lives, ..Rules::default() }, 1);
        let mut scene = Scene::new("endless");
        world.join(ANN);
        scene.seat_taken(ANN, "Ann");
        world.start();
        let welcome = Welcome { seat: ANN, now, started: now, scale: Default::default(), numbers: Numbers::default() };
        let session = dialect.accept(welcome);
        Lobby { now, world, scene, session, client: Client::new(now, options), cues: Vec::new() }
    }

    fn run_ms(&mut self, ms: u64) {
        let end = self.now + Duration::from_millis(ms);
        while self.now < end {
            self.tick();
        }
    }

    fn tick(&mut self) {
        self.now = self.now + TICK;
        self.session.advance(self.now);
        let mut inputs = [Input::IDLE; SEATS];
        inputs[ANN.index()] = self.session.input(self.now);
        self.world.tick(&inputs);
        self.world.frame_into(&mut self.scene.frame);
        self.scene.update(self.now);
        self.session.publish(self.now, &self.scene);
        let mut buffer = Vec::new();
        while self.session.poll(self.now, &mut buffer).is_some() {
            self.client.receive(self.now, Channel::Datagram, &buffer);
        }
        self.client.advance(self.now);
        while let Some(task) = self.client.poll(self.now, &mut buffer) {
            match task {
                Task::Connect => self.client.connected(self.now),
                Task::Datagram => {
                    assert!(self.session.receive(self.now, Channel::Datagram, &buffer).is_ok(), "well-formed")
                }
                _ => {}
            }
        }
        self.cues.extend(self.client.sounds().iter().map(|heard| heard.cue));
    }

    fn join(&mut self, seat: Seat, name: &str) {
        assert!(self.world.join(seat));
        self.scene.seat_taken(seat, name);
    }

    fn leave(&mut self, seat: Seat, why: Departure) {
        self.world.leave(seat, why);
        self.scene.seat_left(seat);
    }

    /// Puts something deadly into a ship until it is lost, and returns where it was.
    fn destroy_ship(&mut self, seat: Seat) -> Vec2 {
        let mut last = Vec2::ZERO;
        for _ in 0..1_000 {
            let Some(ship) = self.world.frame().ship(seat).map(|ship| ship.position) else { return last };
            last = ship;
            self.world.spawn(Kind::Bomb, ship);
            self.tick();
        }
        panic!("the ship is not lost");
    }

    fn picture(&mut self) -> Picture {
        let mut picture = Picture::new();
        self.client.draw(self.now, &mut picture);
        picture
    }

    fn reads(&mut self, text: &str) -> bool {
        reads(&self.picture(), text)
    }
}

fn is_letter(colour: Option<Colour>) -> bool {
    colour == Some(Colour::PALE) || Colour::SEATS.iter().any(|seat| colour == Some(*seat))
}

/// Whether a line of the feed has exactly these letters and no others: it ends at the right edge.
fn reads(picture: &Picture, text: &str) -> bool {
    let (width, height) = (Font::Small.width(text), Font::Small.height());
    let left = Picture::WIDTH - 6 - width;
    (40..140).any(|top| {
        let mut expected = Picture::new();
        expected.clear(Colour::VOID);
        expected.text_in(Font::Small, (left, top), text, Colour::PALE);
        let places = (left - 3..left + width).flat_map(|x| (top..top + height).map(move |y| (x, y)));
        let is_same = |(x, y)| (expected.at(x, y) == Some(Colour::PALE)) == is_letter(picture.at(x, y));
        places.into_iter().all(is_same)
    })
}

fn keep(name: &str, picture: &mut Picture) {
    kept_picture::keep("feed", name, picture);
}

fn without_stream() -> impl Iterator<Item = Dialect> {
    Dialect::ALL.into_iter().filter(|dialect| matches!(dialect.entry().stream, StreamUse::None))
}

#[test]
fn a_snapshot_player_reads_who_was_eliminated_and_who_timed_out_by_name() {
    for (language, eliminated, timed_out) in [
        ("english", "Player Bob was eliminated", "Player Bob timed out"),
        ("french", "Bob a perdu un vaisseau", "Bob ne répond plus"),
    ] {
        let mut lobby = Lobby::new(Dialect::Snapshot, &format!("language = {language}\n"), 3);
        lobby.run_ms(3_000);
        lobby.join(BOB, "Bob");
        lobby.run_ms(500);
        assert!(!lobby.reads(eliminated));
        lobby.destroy_ship(BOB);
        lobby.run_ms(200);
        assert!(lobby.reads(eliminated), "{language}");
        lobby.leave(BOB, Departure::TimedOut);
        lobby.run_ms(200);
        assert!(lobby.reads(timed_out) && lobby.reads(eliminated), "{language}: both lines are there");
        keep(&format!("snapshot-{language}"), &mut lobby.picture());
        lobby.run_ms(7_000);
        assert!(!lobby.reads(timed_out) && !lobby.reads(eliminated), "{language}: they are gone");
    }
}

#[test]
fn joins_deaths_and_departures_are_in_the_feed_in_every_dialect_without_a_stream() {
    for dialect in without_stream() {
        let mut lobby = Lobby::new(dialect, "", 3);
        lobby.run_ms(3_000);
        lobby.join(BOB, "Bob");
        lobby.run_ms(500);
        assert!(lobby.reads("Player 2 joined"), "{}", dialect.name());
        assert!(!lobby.reads("Player Ann joined"), "{}: of oneself nothing is said", dialect.name());
        lobby.destroy_ship(BOB);
        lobby.run_ms(600);
        let name = if dialect == Dialect::Snapshot { "Bob" } else { "2" };
        assert!(lobby.reads(&format!("Player {name} was eliminated")), "{}", dialect.name());
        keep(&format!("joined-and-eliminated-{}", dialect.name()), &mut lobby.picture());
        lobby.run_ms(4_000);
        lobby.leave(BOB, Departure::Left);
        lobby.run_ms(1_500);
        let left = if dialect == Dialect::Snapshot { "Player Bob timed out" } else { "Player 2 left" };
        assert!(lobby.reads(left), "{}", dialect.name());
        keep(&format!("left-{}", dialect.name()), &mut lobby.picture());
    }
}

/// Pixels in the colours of a seat at the top of the picture, where its player's place is.
fn place_of(seat: Seat, picture: &Picture) -> usize {
    let colour = Colour::SEATS[seat.index()];
    let from = 5 + 118 * i32::from(seat.number());
    let places = (from..from + 70).flat_map(|x| (5..14).map(move |y| (x, y)));
    places.filter(|&(x, y)| picture.at(x, y) == Some(colour)).count()
}

/// The pixels of the number of players, beside the score.
fn count_shown(picture: &Picture) -> Vec<bool> {
    let places = (96..172).flat_map(|x| (258..267).map(move |y| (x, y)));
    places.map(|(x, y)| picture.at(x, y) == Some(Colour::GREY)).collect()
}

#[test]
fn the_number_of_players_follows_joins_and_time_outs() {
    for dialect in without_stream() {
        let mut lobby = Lobby::new(dialect, "", 3);
        lobby.run_ms(1_000);
        let alone = lobby.picture();
        assert!(!count_shown(&alone).contains(&true) && place_of(BOB, &alone) == 0, "{}", dialect.name());
        lobby.join(BOB, "Bob");
        lobby.run_ms(500);
        let two = lobby.picture();
        assert!(count_shown(&two).contains(&true) && place_of(BOB, &two) > 10, "{}", dialect.name());
        lobby.join(Seat::ALL[2], "Cleo");
        lobby.run_ms(500);
        let three = lobby.picture();
        assert_ne!(count_shown(&three), count_shown(&two), "{}", dialect.name());
        lobby.leave(BOB, Departure::TimedOut);
        lobby.run_ms(1_500);
        let fewer = lobby.picture();
        assert_eq!(count_shown(&fewer), count_shown(&two), "{}", dialect.name());
        assert_eq!(place_of(BOB, &fewer), 0, "{}", dialect.name());
    }
}

#[test]
fn a_death_over_snapshot_bursts_and_is_heard_and_the_ship_is_gone() {
    let mut lobby = Lobby::new(Dialect::Snapshot, "flashes = no\nshake = no\n", 3);
    lobby.join(BOB, "Bob");
    lobby.run_ms(3_500);
    let fire = |picture: &Picture, at: Vec2| {
        let (x, y) = (at.x / game::px(1), at.y / game::px(1));
        let places = (x - 24..x + 24).flat_map(|x| (y - 24..y + 24).map(move |y| (x, y)));
        let is_fire = |colour: Colour| b"onfedcz".iter().any(|&letter| colour == Colour::of(letter));
        places.filter(|&(x, y)| picture.at(x, y).is_some_and(is_fire)).count()
    };
    let at = lobby.world.frame().ship(BOB).expect("he flies").position;
    let calm = fire(&lobby.picture(), at);
    lobby.cues.clear();
    let at = lobby.destroy_ship(BOB);
    lobby.run_ms(150);
    assert!(lobby.cues.contains(&Cue::AllyLost), "{:?}", lobby.cues);
    let burst = fire(&lobby.picture(), at);
    assert!(burst > calm + 60, "{calm} then {burst}");
    assert!(lobby.client.shown().is_some_and(|frame| frame.ship(BOB).is_none()));
    keep("death", &mut lobby.picture());
}

/// Whether the banner across the picture is there: a dark band between two red lines.
fn has_banner(picture: &Picture) -> bool {
    let is_line = |y: i32| (0..Picture::WIDTH).all(|x| picture.at(x, y) == Some(Colour::RED.darker()));
    is_line(104) && (is_line(137) || is_line(151))
}

#[test]
fn an_eliminated_player_reads_so_and_then_watches() {
    for (dialect, language) in without_stream().flat_map(|dialect| ["english", "french"].map(|it| (dialect, it))) {
        let name = format!("{}-{language}", dialect.name());
        let mut lobby = Lobby::new(dialect, &format!("language = {language}\n"), 1);
        lobby.join(BOB, "Bob");
        lobby.run_ms(3_000);
        assert!(!has_banner(&lobby.picture()));
        lobby.destroy_ship(ANN);
        lobby.run_ms(700);
        assert!(has_banner(&lobby.picture()), "{name}");
        keep(&format!("eliminated-{name}"), &mut lobby.picture());
        lobby.run_ms(4_500);
        let mut later = lobby.picture();
        assert!(!has_banner(&later), "{name}: the game can be watched");
        keep(&format!("watching-{name}"), &mut later);
        let has_line = |picture: &Picture, rows: std::ops::Range<i32>| {
            rows.clone().any(|y| (172..310).any(|x| picture.at(x, y) == Some(Colour::GREY)))
        };
        assert!(has_line(&later, 256..268), "{name}: a line at the foot says that the player watches");
        assert!(!has_line(&later, 24..220), "{name}: and nothing lies over the game");
        assert!(lobby.client.shown().is_some_and(|frame| frame.ship(BOB).is_some()), "{name}: the others play on");
        // The way back.
        lobby.client.key(lobby.now, Key::ESCAPE, true);
        lobby.run_ms(50);
        keep(&format!("way-back-{name}"), &mut lobby.picture());
    }
}

#[test]
fn whoever_was_eliminated_reads_nothing_of_it_while_something_is_announced() {
    let mut lobby = Lobby::new(Dialect::Rfc53952, "", 1);
    lobby.join(BOB, "Bob");
    lobby.run_ms(3_000);
    lobby.destroy_ship(ANN);
    lobby.run_ms(5_000);
    let has_line = |picture: &Picture| (256..268).any(|y| (172..310).any(|x| picture.at(x, y) == Some(Colour::GREY)));
    assert!(has_line(&lobby.picture()), "that they watch is said at the foot");
    lobby.world.spawn(Kind::Keeper, Vec2::new(game::px(600), game::px(135)));
    lobby.run_ms(1_000);
    let mut warned = lobby.picture();
    keep("eliminated-warning", &mut warned);
    assert!(!has_line(&warned), "the warning is alone");
    lobby.run_ms(3_000);
    assert!(has_line(&lobby.picture()));
}

#[test]
fn a_player_with_lives_left_is_told_that_the_ship_returns() {
    let mut lobby = Lobby::new(Dialect::Rfc53952, "", 3);
    lobby.join(BOB, "Bob");
    lobby.run_ms(3_000);
    lobby.destroy_ship(ANN);
    lobby.run_ms(700);
    assert!(!has_banner(&lobby.picture()), "two lives are left");
    lobby.run_ms(3_000);
    assert!(lobby.client.shown().is_some_and(|frame| frame.ship(ANN).is_some()));
}

#[test]
fn the_scoreboard_is_there_while_its_key_is_held() {
    for settings in ["", "language = french\n", "text = large\n", "text = large\nlanguage = french\n"] {
        for dialect in without_stream() {
            let mut lobby = Lobby::new(dialect, settings, 3);
            lobby.join(BOB, "Wolfgang Amadeus");
            lobby.run_ms(3_000);
            lobby.destroy_ship(BOB);
            lobby.run_ms(700);
            let before = lobby.picture();
            lobby.client.key(lobby.now, Key::TAB, true);
            lobby.run_ms(50);
            let mut held = lobby.picture();
            let name = settings.replace(['\n', ' ', '='], "");
            keep(&format!("scoreboard-{}-{name}", dialect.name()), &mut held);
            let lit = |picture: &Picture| {
                let places = (90..390).flat_map(|x| (80..200).map(move |y| (x, y)));
                places.filter(|&(x, y)| picture.at(x, y) == Some(Colour::SEATS[1])).count()
            };
            assert!(lit(&held) > lit(&before) + 40, "{} {name}: Bob is on it", dialect.name());
            lobby.client.key(lobby.now, Key::TAB, false);
            lobby.run_ms(50);
            assert!(lit(&lobby.picture()) < lit(&held), "{} {name}: it is gone", dialect.name());
        }
    }
}

#[test]
fn tab_is_the_games_alone_only_while_a_game_is_played() {
    let mut lobby = Lobby::new(Dialect::Snapshot, "", 3);
    lobby.run_ms(1_000);
    assert!(lobby.client.needs_key(Key::TAB) && lobby.client.needs_key(Key::ENTER));
    lobby.client.key(lobby.now, Key::ESCAPE, true);
    lobby.run_ms(50);
    assert!(!lobby.client.needs_key(Key::TAB), "in a menu it leads to the buttons of the page");
    assert!(lobby.client.needs_key(Key::ENTER));
}
