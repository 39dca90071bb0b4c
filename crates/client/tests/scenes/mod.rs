//! Scenes to draw, some from real worlds under a seed, some made by hand. Tests, the gallery and the benchmark share them.

use std::sync::Arc;

use bot::{Bot, Ground};
use client::draw::{
    Colour, Font, GhostShip, Look, Painter, Palette, Picture, View, ZoneStart,
    announcements::BossBar,
    chain_meter,
    hud::{self, Hud, NetGraph, NetSample},
};
use game::{
    Arms, Attached, Buttons, Entity, EntityId, Event, Frame, GameState, Input, Kind, Mode, Player, Practice, Rules,
    Seat, ShipModel, Side, Stage, Tick, Vec2, World, px,
};

/// The names that the players of all scenes have.
pub const NAMES: [&str; 4] = ["Aurélie", "Basile", "Chloé", "Dénès"];

/// A picture and its name.
pub type Scene = (&'static str, fn() -> Picture);

/// All scenes.
pub const ALL: &[Scene] = &[
    ("busy", || busy_with(Look::default(), 0)),
    ("busy_red_green", || busy_with(Look { palette: Palette::RedGreen, ..Look::default() }, 0)),
    ("busy_blue_yellow", || busy_with(Look { palette: Palette::BlueYellow, ..Look::default() }, 0)),
    ("ghost", ghost),
    ("calm", || busy_with(Look { flashes: false, shake: false, ..Look::default() }, 0)),
    ("stage1", || played(1, 14)),
    ("stage1_later", || played(1, 26)),
    ("stage1_walls", || played_as(1, 26, false)),
    ("stage2", || busy_with(Look::default(), 2)),
    ("stage3", || busy_with(Look::default(), 3)),
    ("stage2_played", || played(2, 24)),
    ("stage3_played", || played(3, 24)),
    ("endless", endless),
    ("chase", chase),
    ("salvager", || boss(Kind::Salvager, false)),
    ("keeper", || boss(Kind::Keeper, true)),
    ("brood", || boss(Kind::Brood, true)),
    ("matriarch", || boss(Kind::Matriarch, true)),
    ("gatehouse", || boss(Kind::Gatehouse, false)),
    ("heart", || boss(Kind::Heart, true)),
    ("keeper_dies", keeper_dies),
    ("death", death),
    ("net_graph", net_graph),
    ("letters", letters),
];

/// A Frame with a bit of everything: 4 ships, 30 enemies, 60 shots, explosions.
pub fn busy_frame(stage: u8) -> Frame {
    let mut frame = Frame { tick: Tick(600), state: GameState::Running, stage, score: 48_250, ..Frame::default() };
    let mut next = 0;
    let mut add = |kind: Kind, x: i32, y: i32| {
        next += 1;
        Entity { health: 8, health_max: 8, ..Entity::new(EntityId(next), kind, Vec2::new(px(x), px(y))) }
    };
    for seat in Seat::ALL {
        let row = i32::from(seat.number());
        let (x, y) = (70 + row % 2 * 40, 70 + row * 40);
        let ship = Entity {
            seat: Some(seat),
            charge: [255, 0, 120, 0][seat.index()],
            animation: seat.number() % 3,
            ..add(Kind::Player, x, y)
        };
        frame.entities.push(ship);
        let attached = (row < 2).then_some(Attached { to: ship.id, side: Side::Front });
        let away = if row < 2 { 19 } else { 90 };
        let force = add(Kind::Force, x + away, y);
        frame.entities.push(Entity {
            seat: Some(seat),
            attached,
            animation: 1 + seat.number() % 3 + 4 * (seat.number() % 3),
            ..force
        });
        frame.entities.push(Entity { seat: Some(seat), ..add(Kind::Bit, x, y - 20) });
        let lives = [3, 2, 5, 0][seat.index()];
        let player = Player {
            ship: Some(ship.id),
            lives,
            score: 12_000,
            force_level: seat.number() % 4,
            speed: 2,
            missiles: row == 1,
            ..Player::of(seat)
        };
        frame.players[seat.index()] = Some(player);
    }
    // A grinder would hide half of the others; the chase has a scene of its own.
    let enemies = Kind::ALL.iter().filter(|&&kind| kind.class() == game::Class::Enemy && kind != Kind::Grinder);
    for (index, &kind) in (0..30).zip(enemies.cycle()) {
        let foe = add(kind, 220 + index % 6 * 42, 40 + index / 6 * 42);
        frame.entities.push(Entity {
            animation: [0, 0, 0, 1, 0, 0, 2][index as usize % 7],
            velocity: Vec2::new(-300, 0),
            ..foe
        });
    }
    let own = [Kind::Shot, Kind::RedLaser, Kind::BlueLaser, Kind::YellowLaser, Kind::Missile, Kind::Beam];
    for index in 0..40 {
        let kind = own[index as usize % own.len()];
        let shot = add(kind, 130 + index * 37 % 320, 30 + index * 53 % 210);
        let velocity = Vec2::new(2000, [0, 900, -900][index as usize % 3]);
        frame.entities.push(Entity { seat: Seat::new(index as u8 % 4), velocity, animation: index as u8 % 4, ..shot });
    }
    for index in 0..20 {
        let kind = [Kind::Pellet, Kind::Bomb, Kind::Lance][index as usize % 3];
        frame.entities.push(add(kind, 110 + index * 61 % 360, 30 + index * 47 % 220));
    }
    for (index, kind) in (0..).zip([Kind::Explosion, Kind::BigExplosion, Kind::Explosion, Kind::BigExplosion]) {
        frame.entities.push(add(kind, 200 + index * 70, 60 + index * 40));
    }
    for (index, &kind) in (0..).zip(Kind::ALL.iter().filter(|kind| kind.class() == game::Class::Item)) {
        frame.entities.push(add(kind, 30 + index * 24, 235));
    }
    frame
}

/// Terrain for it: stage 1's.
pub fn stage_one() -> Arc<Stage> {
    Stage::built_in("stage1").expect("stage 1 is built in")
}

/// A view of a Frame, a third of the way through stage 1's terrain.
pub fn view_of<'a>(frame: &'a Frame, stage: &'a Stage, tick: u32) -> View<'a> {
    View {
        frame,
        own: Seat::new(0),
        terrain: Some(&stage.terrain),
        zones: &[],
        scroll: i64::from(px(2300)),
        names: NAMES,
        tick,
        look: Look::default(),
    }
}

/// The HUD over a view.
pub fn hud_of<'a>(view: &View<'a>) -> Hud<'a> {
    Hud {
        shows_players: true,
        frame: view.frame,
        known: protocol::Tells::ALL,
        own: view.own,
        names: view.names,
        high_score: Some(120_000),
        ping_ms: Some(42),
        tick: view.tick,
        flashes: view.look.flashes,
    }
}

fn busy_with(look: Look, stage_number: u8) -> Picture {
    let mut frame = busy_frame(stage_number);
    let stage = stage_one();
    let (mut painter, mut picture) = (Painter::new(), Picture::new());
    let foes: Vec<EntityId> =
        frame.entities.iter().filter(|it| it.kind.class() == game::Class::Enemy).map(|it| it.id).collect();
    frame.events = vec![
        Event::Fired { seat: Seat::ALL[1], shot: EntityId(45) },
        Event::Hit { by: EntityId(44), target: foes[3] },
        Event::Destroyed { entity: foes[9], gone: game::Gone::Destroyed },
        Event::Destroyed { entity: foes[20], gone: game::Gone::Destroyed },
    ];
    for tick in 100..108 {
        let mut view = view_of(&frame, &stage, tick);
        view.look = look;
        if stage_number == 0 {
            view.terrain = None;
        }
        painter.draw(&view, &mut picture);
        if tick == 102 {
            painter.observe(&frame);
        }
        hud::draw(&hud_of(&view), &mut picture);
    }
    picture
}

/// A real world, played for some seconds by three pilots with simple habits.
fn played(stage: u8, seconds: u32) -> Picture {
    played_as(stage, seconds, true)
}

/// Without the terrain, the walls of the Frames are all that is known of it.
fn played_as(stage: u8, seconds: u32, is_terrain_known: bool) -> Picture {
    let name = ["endless", "stage1", "stage2", "stage3"][usize::from(stage)];
    let stage = Stage::built_in(name).expect("built in");
    let zones = ZoneStart::all_of(&stage);
    let mut world = World::new(stage.clone(), Rules::default(), 7);
    Seat::ALL.into_iter().take(3).for_each(|seat| {
        world.join(seat);
    });
    world.start();
    let (mut painter, mut picture) = (Painter::new(), Picture::new());
    for tick in 0..seconds * 60 {
        let inputs = std::array::from_fn(|seat| pilot(tick, seat as u32));
        world.tick(&inputs);
        let frame = world.frame();
        painter.observe(&frame);
        // Effects last less than a second.
        if tick + 60 > seconds * 60 {
            let scroll = i64::from(frame.scroll_px) * 256;
            let terrain = is_terrain_known.then_some(&stage.terrain);
            let view = View { scroll, terrain, zones: &zones, ..view_of(&frame, &stage, tick) };
            painter.draw(&view, &mut picture);
            hud::draw(&hud_of(&view), &mut picture);
        }
    }
    picture
}

/// A game that bots play.
pub struct Flown {
    pub world: World,
    pub frame: Frame,
    bots: Vec<Bot>,
    painter: Painter,
    zones: Vec<ZoneStart>,
    ticks: u32,
}

impl Flown {
    pub fn new(stage: &str, rules: Rules, players: usize, seed: u64) -> Flown {
        let stage = Stage::built_in(stage).expect("built in");
        let zones = ZoneStart::all_of(&stage);
        let mut world = World::new(stage, rules, seed);
        Seat::ALL.into_iter().take(players).for_each(|seat| {
            world.join(seat);
        });
        world.start();
        let bots = (0..players as u64).map(|index| Bot::new(seed * 31 + index)).collect();
        let frame = world.frame();
        Flown { world, frame, bots, painter: Painter::new(), zones, ticks: 0 }
    }

    pub fn tick(&mut self) {
        let mut inputs = [Input::IDLE; game::SEATS];
        for (bot, seat) in self.bots.iter_mut().zip(Seat::ALL) {
            inputs[seat.index()] = bot.decide(&self.frame, seat, Ground::Stage(self.world.stage()));
        }
        self.world.tick(&inputs);
        self.world.frame_into(&mut self.frame);
        self.painter.observe(&self.frame);
        self.ticks += 1;
    }

    /// Plays on until something is so, and returns whether that was within `seconds`.
    pub fn play_until(&mut self, seconds: u32, is_so: impl Fn(&Frame) -> bool) -> bool {
        (0..seconds * 60).any(|_| {
            self.tick();
            is_so(&self.frame)
        })
    }

    /// What is seen a second later: effects last no longer.
    pub fn picture(&mut self) -> Picture {
        let mut picture = Picture::new();
        (0..60).for_each(|_| self.draw_next(&mut picture));
        picture
    }

    /// Plays one tick and draws what is seen then.
    pub fn draw_next(&mut self, picture: &mut Picture) {
        self.tick();
        let scroll = i64::from(self.frame.scroll_px) * 256;
        let view = View { scroll, zones: &self.zones, ..view_of(&self.frame, self.world.stage(), self.ticks) };
        self.painter.draw(&view, picture);
        draw_hud(&view, picture);
    }
}

/// All that the screen says to a player during a game, in English.
pub fn draw_hud(view: &View, picture: &mut Picture) {
    hud::draw(&Hud { high_score: None, ping_ms: None, ..hud_of(view) }, picture);
    if let Some(player) = view.own.and_then(|own| view.frame.players[own.index()]) {
        chain_meter::draw(&player, view.frame.tick, "Chain", picture);
    }
    if view.frame.wave > 0 {
        chain_meter::draw_wave(&format!("Wave {}", view.frame.wave), picture);
    }
    if let Some(boss) = view.frame.boss().filter(|boss| boss.health > 0 && !boss.is_coming) {
        let name = format!("THE {}", boss.kind.name().to_uppercase());
        BossBar { name: &name, health: boss.health.into(), health_max: boss.health_max.into() }.draw(picture);
    }
}

/// Four bots in a wave that is well under way.
fn endless() -> Picture {
    let mut game = Flown::new("endless", Rules::default(), 4, 2);
    let is_lively = |frame: &Frame| {
        let enemies = frame.entities.iter().filter(|it| it.kind.class() == game::Class::Enemy).count();
        frame.wave >= 6 && enemies >= 9 && Seat::ALL.iter().all(|&seat| frame.ship(seat).is_some())
    };
    assert!(game.play_until(300, is_lively), "it never is lively");
    game.picture()
}

/// Two bots ahead of the grinder, from the checkpoint before it.
fn chase() -> Picture {
    let practice = Practice { checkpoint: 5, arms: Arms { force_level: 2, ..Arms::default() } };
    let rules = Rules { mode: Mode::Practice(practice), ..Rules::default() };
    let mut game = Flown::new("stage3", rules, 2, 3);
    let has_closed_in =
        |frame: &Frame| frame.entities.iter().any(|it| it.kind == Kind::Grinder && it.position.x > px(70));
    assert!(game.play_until(60, has_closed_in), "nothing closes in");
    game.picture()
}

fn pilot(tick: u32, seat: u32) -> Input {
    let way = [Buttons::UP, Buttons::RIGHT, Buttons::DOWN, Buttons::LEFT][((tick / 37 + seat) % 4) as usize];
    let fire = if tick % (8 + seat * 30) < 3 + seat * 26 { Buttons::FIRE } else { Buttons::default() };
    Input { held: way | fire, ..Input::default() }
}

fn boss_frame(hull: Kind, is_open: bool) -> Frame {
    let stage = match hull {
        Kind::Brood | Kind::Matriarch => 2,
        Kind::Gatehouse | Kind::Heart => 3,
        _ => 1,
    };
    let mut frame = busy_frame(stage);
    frame.entities.retain(|it| !matches!(it.kind.class(), game::Class::Enemy | game::Class::Effect));
    let boss = game::tuning::boss(hull).expect("a boss");
    let (x, y) = (boss.rest_x, px(135));
    let mut add = |kind, x, y| {
        let id = EntityId(frame.entities.last().map_or(1, |last: &Entity| last.id.0 + 1));
        frame.entities.push(Entity { health: 50, health_max: 50, ..Entity::new(id, kind, Vec2::new(x, y)) });
    };
    add(hull, x, y);
    for &(kind, (dx, dy)) in boss.parts {
        add(kind, x + px(dx), y + px(dy));
    }
    if is_open {
        frame.entities.iter_mut().filter(|it| it.kind == boss.parts[0].0).for_each(|eye| eye.animation = 3);
    }
    frame
}

/// The four models as ghosts, each beside a ship that is there, and one behind a shot.
fn ghost() -> Picture {
    let stage = stage_one();
    let mut frame = Frame { tick: Tick(100), state: GameState::Running, ..Frame::default() };
    let (mut painter, mut picture) = (Painter::new(), Picture::new());
    for (index, (seat, model)) in (0..).zip(Seat::ALL.into_iter().zip(ShipModel::ALL)) {
        let mut ship =
            Entity::new(EntityId(index as u32 + 1), Kind::Player, Vec2 { x: px(150), y: px(60 + index * 50) });
        ship.seat = Some(seat);
        frame.entities.push(ship);
        let shot = Vec2 { x: px(100), y: px(60 + index * 50) };
        frame.entities.push(Entity::new(EntityId(index as u32 + 11), Kind::Pellet, shot));
        // A painter draws one ghost at a time: the picture is made row by row.
        let position = Vec2 { x: px(100), y: px(60 + index * 50) };
        painter.set_ghost(Some(GhostShip { position, model, animation: index as u8 % 3 }));
        let mut row = Picture::new();
        painter.draw(&view_of(&frame, &stage, 100), &mut row);
        for y in 35 + index * 50..85 + index * 50 {
            (0..Picture::WIDTH).for_each(|x| picture.plot(x, y, row.at(x, y).expect("inside")));
        }
    }
    picture
}

fn drawn_for(frame: &Frame, ticks: u32) -> Picture {
    let stage = stage_one();
    let (mut painter, mut picture) = (Painter::new(), Picture::new());
    painter.observe(&Frame { events: Vec::new(), ..frame.clone() });
    for tick in 0..ticks {
        let view = View { scroll: 0, ..view_of(frame, &stage, tick) };
        painter.draw(&view, &mut picture);
        if tick == 0 {
            painter.observe(frame);
        }
        hud::draw(&hud_of(&view), &mut picture);
    }
    picture
}

fn boss(hull: Kind, is_open: bool) -> Picture {
    let mut picture = drawn_for(&boss_frame(hull, is_open), 30);
    let name = format!("THE {}", hull.name().to_uppercase());
    BossBar { name: &name, health: 200, health_max: 300 }.draw(&mut picture);
    picture
}

fn keeper_dies() -> Picture {
    let mut frame = boss_frame(Kind::Keeper, true);
    let hull = frame.entities.iter().find(|it| it.kind == Kind::Keeper).expect("the keeper").id;
    frame.events = vec![Event::Destroyed { entity: hull, gone: game::Gone::Destroyed }];
    let alive = frame.clone();
    frame.entities.retain(|it| it.kind.class() != game::Class::Boss);
    let stage = stage_one();
    let (mut painter, mut picture) = (Painter::new(), Picture::new());
    painter.observe(&Frame { events: Vec::new(), ..alive });
    painter.observe(&frame);
    for tick in 0..30 {
        painter.draw(&View { scroll: 0, ..view_of(&frame, &stage, tick) }, &mut picture);
    }
    picture
}

fn death() -> Picture {
    let mut frame = busy_frame(0);
    frame.events = vec![Event::Killed { seat: Seat::ALL[0], ship: EntityId(1), by: None }];
    drawn_for(&frame, 12)
}

fn net_graph() -> Picture {
    let mut picture = busy_with(Look::default(), 1);
    let sample = |at: u16| NetSample {
        round_trip_ms: 140 + at * 7 % 23,
        loss_percent: (at / 20 % 3 * 3) as u8,
        frame_age_ms: 60 + at * 13 % 40,
        correction_px: if at.is_multiple_of(17) { 3 } else { 0 },
        bytes: 40 + at * 31 % 70,
    };
    let samples: Vec<NetSample> = (0..120).map(sample).collect();
    let labels = ["round trip", "loss", "frame age", "correction", "kB/s"];
    let graph = NetGraph { samples: &samples, bytes_in_per_second: 3_420, bytes_out_per_second: 1_260, labels };
    hud::draw_net_graph(&graph, &mut picture);
    picture
}

fn letters() -> Picture {
    let mut picture = Picture::new();
    let letters: Vec<char> = (' '..='~').chain('¡'..='ÿ').chain("œŒ’…€←↑→↓♥▶◀♦".chars()).collect();
    for (row, line) in (0..).zip(letters.chunks(40)) {
        picture.text((8, 10 + row * 13), &line.iter().collect::<String>(), Colour::PALE);
    }
    picture.text_in(Font::Large, (8, 120), "Portez ce vieux whisky", Colour::GOLD);
    picture.text_in(Font::Large, (8, 150), "AU JUGE BLOND 0123456789", Colour::SEATS[0]);
    picture.text_in(Font::Large, (8, 182), "Noël où l’été, ça naît !", Colour::SEATS[2]);
    picture
}
