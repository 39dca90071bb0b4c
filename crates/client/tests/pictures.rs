//! Golden pictures: every scene, and screens as a player reaches them, are compared, pixel by pixel, with `tests/golden/<scene>.png`.
//!
//! After an intended change: `RENEW_PICTURES=1 cargo test -p client --test pictures`, look at what changed, commit.

#[allow(dead_code, reason = "the benchmark uses the rest")]
mod scenes;
#[expect(dead_code, reason = "each test needs a part of it")]
mod simulation;

use std::{fs, path::PathBuf};

use bot::{Bot, Ground};
use client::{
    Key, Options,
    draw::{Colour, Look, Painter, Palette, Picture, View, hud},
};
use game::{Entity, EntityId, Event, Frame, GameState, Gone, Input, Kind, Player, Seat, Vec2};
use proptest::prelude::*;
use protocol::{Dialect, Tells};
use simulation::{Conditions, Simulation};

#[test]
fn every_scene_looks_as_it_did() {
    compare(scenes::ALL.iter().map(|(name, draw)| (*name, draw())));
}

/// The keys from the title to a screen, as a player presses them.
const SCREENS: &[(&str, &[Key])] = &[
    ("title", &[]),
    ("menu", &[Key::ARROW_UP, Key::ARROW_UP, Key::ARROW_UP, Key::ENTER]),
    ("scores", &[Key::ARROW_UP, Key::ARROW_UP, Key::ENTER]),
    (
        "waiting",
        &[
            Key::ARROW_UP,
            Key::ARROW_UP,
            Key::ARROW_UP,
            Key::ARROW_UP,
            Key::ENTER,
            Key::ARROW_UP,
            Key::ARROW_UP,
            Key::ENTER,
        ],
    ),
];

#[test]
fn every_screen_looks_as_it_did() {
    let reached = SCREENS.iter().map(|(name, keys)| (*name, walk(keys).1));
    compare(reached.chain([("lost", lost()), ("won", won())]));
}

/// What a player sees who presses these keys.
fn walk(keys: &[Key]) -> (Simulation, Picture) {
    let settings = "name = Ann\nlanguage = english\n".into();
    let options = Options { settings, ..Options::new(Dialect::Volley) };
    let mut sim = Simulation::new("endless", 1, Conditions::PERFECT.delay_ms(10), false, options);
    sim.run_ms(900);
    for &key in keys {
        sim.client.key(sim.now, key, true);
        sim.client.key(sim.now, key, false);
        sim.run_ms(150);
    }
    sim.run_ms(500);
    let picture = shot(&mut sim);
    (sim, picture)
}

fn shot(sim: &mut Simulation) -> Picture {
    let mut picture = Picture::new();
    sim.client.draw(sim.now, &mut picture);
    picture
}

/// The tally of a game that nobody played.
fn lost() -> Picture {
    let (mut sim, _) = walk(&[Key::ARROW_DOWN, Key::ENTER]);
    sim.restarts = false;
    let is_lost = |sim: &Simulation| sim.client.shown().is_some_and(|frame| frame.state == GameState::Lost);
    assert!(sim.run_until(600_000, is_lost), "the game is never lost");
    sim.run_ms(1_500);
    shot(&mut sim)
}

/// The tally of a stage that two players won; bots fly for them until its last boss is gone.
fn won() -> Picture {
    let options = Options { settings: "name = Ann\nlanguage = english\n".into(), ..simulation::at_once() };
    let mut sim = Simulation::new("stage1", 1, Conditions::PERFECT.delay_ms(10), true, options);
    let state = |sim: &Simulation| sim.client.shown().map(|frame| frame.state);
    assert!(sim.run_until(1_000, |sim| state(sim) == Some(GameState::Running)), "the game does not begin");
    let mut bots = [Bot::new(1), Bot::new(2)];
    let mut frame = sim.world.frame();
    let is_last = |frame: &Frame| frame.boss().is_some_and(|boss| boss.kind == Kind::Keeper);
    let (mut came, mut ticks) = (false, 0);
    // Until the last boss has come and is gone: what follows is seen by the client.
    while !came || is_last(&frame) {
        let mut inputs = [Input::IDLE; game::SEATS];
        for (bot, seat) in bots.iter_mut().zip(Seat::ALL) {
            inputs[seat.index()] = bot.decide(&frame, seat, Ground::Stage(sim.world.stage()));
        }
        sim.world.tick(&inputs);
        sim.world.frame_into(&mut frame);
        came |= is_last(&frame);
        ticks += 1;
        assert!(ticks < 60 * 60 * 15, "the stage is not won");
    }
    assert!(sim.run_until(10_000, |sim| state(sim) == Some(GameState::Won)), "the stage is not won");
    sim.run_ms(2_500);
    shot(&mut sim)
}

fn compare(pictures: impl Iterator<Item = (&'static str, Picture)>) {
    let renew = std::env::var_os("RENEW_PICTURES").is_some();
    let mut changed = Vec::new();
    for (name, mut picture) in pictures {
        let path = golden(name);
        if renew {
            write(&path, picture.rgba());
        } else if read(&path).as_deref() != Some(picture.rgba()) {
            let found = std::env::temp_dir().join(format!("{name}.png"));
            write(&found, picture.rgba());
            changed.push(format!("{name}: drawn now {}, expected {}", found.display(), path.display()));
        }
    }
    assert!(
        changed.is_empty(),
        "{}\nIf that was intended: RENEW_PICTURES=1 cargo test -p client --test pictures, and look at what changed.",
        changed.join("\n")
    );
}

#[test]
fn the_hud_shows_nothing_that_is_not_known() {
    let (frame, stage) = (scenes::busy_frame(1), scenes::stage_one());
    let view = scenes::view_of(&frame, &stage, 0);
    let lit = |known: Tells| {
        let mut picture = Picture::new();
        picture.clear(Colour::VOID);
        hud::draw(&hud::Hud { known, high_score: None, ping_ms: None, ..scenes::hud_of(&view) }, &mut picture);
        let is_lit = |y: i32, x: i32| picture.at(x, y) != Some(Colour::VOID);
        let count = |rows: std::ops::Range<i32>, columns: std::ops::Range<i32>| {
            rows.flat_map(|y| columns.clone().map(move |x| (y, x))).filter(|&(y, x)| is_lit(y, x)).count()
        };
        // The first player's name and lives, everybody's gear, the score, the gauge.
        [
            count(0..13, 0..76),
            count(0..13, 78..120),
            count(14..24, 0..480),
            count(255..270, 0..160),
            count(255..270, 170..310),
        ]
    };
    let (all, nothing) = (lit(Tells::ALL), lit(Tells::NOTHING));
    assert!(all.iter().all(|&lit| lit > 0), "{all:?}");
    assert!(nothing[0] > 0 && nothing[1..] == [0; 4], "{nothing:?}");
}

#[test]
fn the_same_scene_is_drawn_the_same_twice() {
    for (name, draw) in scenes::ALL {
        assert_eq!(draw().rgba(), draw().rgba(), "{name}");
    }
}

fn golden(name: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/golden").join(format!("{name}.png"))
}

fn write(path: &PathBuf, rgba: &[u8]) {
    let file = fs::File::create(path).expect("a file to write to");
    let mut encoder = png::Encoder::new(file, Picture::WIDTH as u32, Picture::HEIGHT as u32);
    encoder.set_color(png::ColorType::Rgba);
    encoder.set_compression(png::Compression::High);
    encoder.write_header().expect("a header").write_image_data(rgba).expect("a picture");
}

/// The pixels of a PNG, unless it is missing or broken.
fn read(path: &PathBuf) -> Option<Vec<u8>> {
    let mut reader = png::Decoder::new(std::io::BufReader::new(fs::File::open(path).ok()?)).read_info().ok()?;
    let mut rgba = vec![0; reader.output_buffer_size()?];
    reader.next_frame(&mut rgba).ok()?;
    Some(rgba)
}

fn any_entity() -> impl Strategy<Value = Entity> {
    let place = || prop_oneof![0..480 * 256i32, any::<i32>()];
    let parts = (any::<u32>(), 0..Kind::ALL.len(), place(), place(), any::<(i32, i32)>(), any::<u8>(), any::<u8>());
    (parts, 0..6u8, any::<u16>()).prop_map(|((id, kind, x, y, velocity, animation, charge), seat, health)| Entity {
        velocity: Vec2::new(velocity.0, velocity.1),
        animation,
        charge,
        seat: Seat::new(seat),
        health,
        ..Entity::new(EntityId(id % 50), Kind::ALL[kind], Vec2::new(x, y))
    })
}

fn any_event() -> impl Strategy<Value = Event> {
    let id = || (0..60u32).prop_map(EntityId);
    let seat = || (0..4usize).prop_map(|index| Seat::ALL[index]);
    prop_oneof![
        id().prop_map(|entity| Event::Destroyed { entity, gone: Gone::Destroyed }),
        (id(), id()).prop_map(|(by, target)| Event::Hit { by, target }),
        (seat(), id()).prop_map(|(seat, shot)| Event::Fired { seat, shot }),
        (seat(), id()).prop_map(|(seat, ship)| Event::Killed { seat, ship, by: None }),
        (id(), id()).prop_map(|(ship, object)| Event::Grabbed { ship, object, side: None }),
        (id(), id()).prop_map(|(ship, force)| Event::Dropped { ship, force }),
        seat().prop_map(|seat| Event::ExtraLife { seat }),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn any_frame_can_be_drawn(
        entities in prop::collection::vec(any_entity(), 0..80),
        events in prop::collection::vec(any_event(), 0..40),
        (stage, scroll, tick) in (any::<u8>(), any::<i64>(), any::<u32>()),
        (flashes, shake, lives, charge) in any::<(bool, bool, u8, u8)>(),
    ) {
        let player = Player {
            lives,
            score: u32::MAX,
            force_level: charge,
            speed: lives,
            missiles: true,
            ..Player::of(Seat::ALL[0])
        };
        let frame = Frame { stage, entities, events, players: [Some(player); 4], score: u32::MAX, ..Frame::default() };
        let look = Look { shake, flashes, palette: Palette::RedGreen };
        let terrain = scenes::stage_one();
        let (mut painter, mut picture) = (Painter::new(), Picture::new());
        for step in 0..4u32 {
            let tick = tick.wrapping_add(step * 37);
            let view = View { scroll, tick, look, ..scenes::view_of(&frame, &terrain, 0) };
            painter.observe(&frame);
            painter.draw(&view, &mut picture);
            hud::draw(&scenes::hud_of(&view), &mut picture);
        }
        prop_assert!(lit_pixels(&picture) > 0);
    }
}

fn lit_pixels(picture: &Picture) -> usize {
    let pixels = (0..Picture::HEIGHT).flat_map(|y| (0..Picture::WIDTH).map(move |x| (x, y)));
    pixels.filter(|&(x, y)| picture.at(x, y) != Some(Colour::VOID)).count()
}

#[test]
fn ten_thousand_entities_can_be_drawn() {
    let entity = |id: u32| {
        let kind = Kind::ALL[id as usize % Kind::ALL.len()];
        Entity { animation: id as u8, ..Entity::new(EntityId(id), kind, Vec2::new(id as i32 * 12, id as i32 * 7)) }
    };
    let frame = Frame { entities: (1..=10_000).map(entity).collect(), ..Frame::default() };
    let events = (1..=10_000).map(|id| Event::Destroyed { entity: EntityId(id), gone: Gone::Destroyed }).collect();
    let (mut painter, mut picture) = (Painter::new(), Picture::new());
    let stage = scenes::stage_one();
    painter.observe(&Frame { events, ..frame.clone() });
    for tick in 0..3 {
        painter.draw(&scenes::view_of(&frame, &stage, tick), &mut picture);
    }
    assert!(lit_pixels(&picture) > 10_000);
}
