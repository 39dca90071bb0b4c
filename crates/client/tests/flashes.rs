//! With flashes off, nothing large flashes more than three times in any second, by the measure of WCAG 2: a flash is a pair
//! of opposing changes of relative luminance by a tenth or more, of which the darker is below 0.8, at the same time over
//! more than a quarter of any area of a third of the width by a third of the height. Small cells stand for pixels. What moves
//! changes some cells up and others down; what flashes changes the same ones up and down again.

#[allow(dead_code, reason = "each test needs a part of it")]
mod scenes;

use std::{collections::VecDeque, sync::Arc};

use client::draw::{Colour, Look, Painter, Picture, View, hud};
use game::{
    Buttons, Class, Dice, Entity, EntityId, Event, Frame, Gone, Input, Kind, Rules, SEATS, Seat, Stage, Vec2, World, px,
};

/// Cells of which the luminance is taken, in pixels; small enough that nothing hides in their mean.
const CELL_PX: usize = 6;
const COLUMNS: usize = Picture::WIDTH as usize / CELL_PX;
const ROWS: usize = Picture::HEIGHT as usize / CELL_PX;
/// A third of the width and of the height, in cells, and how far one area is from the next.
const AREA: (usize, usize) = (COLUMNS / 3, ROWS / 3);
const AREA_STEP: (usize, usize) = (9, 5);
const SECOND: usize = 60;
/// Changes within this many pictures count as simultaneous: light that spreads does not do so in one.
const AT_ONCE: usize = 3;
const CHANGE_MIN: f32 = 0.1;
const DARKER_MAX: f32 = 0.8;

/// A cell of the picture.
#[derive(Clone, Copy, Default)]
struct Cell {
    /// The least and the most light since its last change.
    low: f32,
    high: f32,
    /// Whether its last change was to more light, and in which picture it was.
    is_up: bool,
    changed: usize,
}

/// An area of the picture.
#[derive(Clone, Default)]
struct Area {
    left: usize,
    top: usize,
    /// Of its last change: in which picture, whether to more light, and which cells.
    last: Option<(usize, bool, Vec<usize>)>,
    /// In which pictures of the last second it changed.
    changes: VecDeque<usize>,
}

/// Follows the pictures of a game and counts flashes.
struct Meter {
    cells: Vec<Cell>,
    areas: Vec<Area>,
    pictures: usize,
    /// The most flashes that an area had in a second.
    flashes_max: usize,
}

impl Meter {
    fn new() -> Meter {
        let tops = (0..=ROWS - AREA.1).step_by(AREA_STEP.1);
        let lefts = || (0..=COLUMNS - AREA.0).step_by(AREA_STEP.0);
        let areas = tops.flat_map(|top| lefts().map(move |left| Area { left, top, ..Area::default() }));
        Meter { cells: Vec::new(), areas: areas.collect(), pictures: AT_ONCE, flashes_max: 0 }
    }

    fn look(&mut self, picture: &mut Picture) {
        let light = cells(picture.rgba());
        if self.cells.is_empty() {
            self.cells = light.iter().map(|&light| Cell { low: light, high: light, ..Cell::default() }).collect();
        }
        self.pictures += 1;
        for (cell, light) in self.cells.iter_mut().zip(light) {
            cell.look(light, self.pictures);
        }
        for area in &mut self.areas {
            area.look(&self.cells, self.pictures);
            self.flashes_max = self.flashes_max.max(area.changes.len() / 2);
        }
    }
}

impl Cell {
    fn look(&mut self, light: f32, picture: usize) {
        (self.low, self.high) = (self.low.min(light), self.high.max(light));
        let change = if self.is_up { self.high - light } else { light - self.low };
        let darker = if self.is_up { light } else { self.low };
        if change >= CHANGE_MIN && darker < DARKER_MAX {
            *self = Cell { low: light, high: light, is_up: !self.is_up, changed: picture };
        }
    }
}

impl Area {
    fn look(&mut self, cells: &[Cell], picture: usize) {
        self.changes.retain(|then| then + SECOND > picture);
        for is_up in [true, false] {
            let is_changed = |&place: &usize| {
                let cell = &cells[place];
                cell.is_up == is_up && cell.changed + AT_ONCE > picture
            };
            let places =
                (self.top..self.top + AREA.1).flat_map(|y| (self.left..self.left + AREA.0).map(move |x| (x, y)));
            let changed: Vec<usize> = places.map(|(x, y)| y * COLUMNS + x).filter(is_changed).collect();
            if is_large(changed.len()) {
                self.change(picture, is_up, changed);
            }
        }
    }

    fn change(&mut self, picture: usize, is_up: bool, changed: Vec<usize>) {
        let is_back = match &self.last {
            // It goes on, or is another one.
            Some((_, before, _)) if *before == is_up => false,
            Some((then, ..)) if then + SECOND <= picture => false,
            Some((_, _, cells)) => is_large(changed.iter().filter(|place| cells.binary_search(place).is_ok()).count()),
            None => false,
        };
        let is_new = self.changes.is_empty();
        if is_back || is_new {
            self.changes.push_back(picture);
        }
        let is_stale = self.last.as_ref().is_none_or(|(then, before, _)| *before == is_up || then + SECOND <= picture);
        if is_back || is_stale {
            self.last = Some((picture, is_up, changed));
        }
    }
}

/// Whether this many cells are more than a quarter of an area.
fn is_large(cells: usize) -> bool {
    cells * 4 > AREA.0 * AREA.1
}

/// The mean relative luminance of each cell.
fn cells(rgba: &[u8]) -> Vec<f32> {
    let linear: Vec<f32> = (0..=255_u8)
        .map(|value| {
            let share = f32::from(value) / 255.0;
            if share <= 0.04045 { share / 12.92 } else { ((share + 0.055) / 1.055).powf(2.4) }
        })
        .collect();
    let mut cells = vec![0.0; COLUMNS * ROWS];
    for (index, pixel) in rgba.chunks_exact(4).enumerate() {
        let (x, y) = (index % Picture::WIDTH as usize / CELL_PX, index / Picture::WIDTH as usize / CELL_PX);
        let part = |part: u8| linear[usize::from(part)];
        cells[y * COLUMNS + x] += 0.2126 * part(pixel[0]) + 0.7152 * part(pixel[1]) + 0.0722 * part(pixel[2]);
    }
    cells.iter_mut().for_each(|cell| *cell /= (CELL_PX * CELL_PX) as f32);
    cells
}

/// The worst that could be on the screen: a game of four who fire all the time, a wall of hives, every enemy hit again and
/// again, explosions everywhere, beams, and a boss that dies again and again.
struct Inferno {
    game: Game,
    frame: Frame,
    dice: Dice,
    next_id: u32,
    /// What is there besides the game, until when.
    besides: Vec<(u32, Entity)>,
}

/// Four players without sense.
struct Game {
    world: World,
    dice: Dice,
    held: [Buttons; SEATS],
}

impl Game {
    fn new(stage: &Arc<Stage>, seed: u64) -> Game {
        let mut world = World::new(stage.clone(), Rules { lives: 9, ..Rules::default() }, seed);
        assert!(Seat::ALL.into_iter().all(|seat| world.join(seat)));
        world.start();
        Game { world, dice: Dice::new(seed), held: [Buttons::NONE; SEATS] }
    }

    fn tick(&mut self, frame: &mut Frame) {
        for held in &mut self.held {
            if self.dice.below(20) == 0 {
                *held = Buttons::from_bits(self.dice.below(64) as u8);
            }
        }
        self.world.tick(&self.held.map(|held| Input { held, pressed: Buttons::FIRE }));
        self.world.frame_into(frame);
    }
}

impl Inferno {
    fn new(stage: &Arc<Stage>, seed: u64) -> Inferno {
        let game = Game::new(stage, seed);
        let dice = Dice::new(seed);
        let mut inferno = Inferno { game, frame: Frame::default(), dice, next_id: 1_000_000, besides: Vec::new() };
        for place in 0..24 {
            inferno.add(Kind::Hive, u32::MAX);
            if let Some((_, hive)) = inferno.besides.last_mut() {
                hive.position = Vec2::new(px(280 + place % 6 * 28), px(60 + place / 6 * 28));
            }
        }
        inferno
    }

    fn tick(&mut self, tick: u32) {
        self.game.tick(&mut self.frame);
        self.besides.retain(|(end, _)| *end > tick);
        if tick.is_multiple_of(6) {
            self.add(if tick.is_multiple_of(12) { Kind::BigExplosion } else { Kind::Explosion }, tick + 30);
        }
        match tick % 120 {
            0 => drop(self.add(Kind::Keeper, tick + 100)),
            60 => self.end(Kind::Keeper),
            10 | 30 | 50 | 70 | 90 | 110 => {
                let (seat, shot) = (Seat::ALL[0], self.add(Kind::Beam, tick + 40));
                self.frame.events.push(Event::Fired { seat, shot });
            }
            _ => {}
        }
        for (_, entity) in &mut self.besides {
            entity.position += entity.velocity;
        }
        self.frame.entities.extend(self.besides.iter().map(|(_, entity)| *entity));
        self.strike();
    }

    fn add(&mut self, kind: Kind, until: u32) -> EntityId {
        self.next_id += 1;
        let at = Vec2::new(px(100 + self.dice.below(360) as i32), px(self.dice.below(270) as i32));
        let id = EntityId(self.next_id);
        let velocity = Vec2::new(if kind == Kind::Beam { px(12) } else { 0 }, 0);
        let entity = Entity { health: 8, seat: Seat::new(0), animation: 3, velocity, ..Entity::new(id, kind, at) };
        self.besides.push((until, entity));
        id
    }

    fn end(&mut self, kind: Kind) {
        let Some(index) = self.besides.iter().position(|(_, entity)| entity.kind == kind) else { return };
        let entity = self.besides.remove(index).1.id;
        self.frame.events.push(Event::Destroyed { entity, gone: Gone::Destroyed });
    }

    /// Enemies are hit again and again.
    fn strike(&mut self) {
        let foes: Vec<EntityId> = self.frame.entities.iter().filter(|it| is_foe(it)).map(|it| it.id).collect();
        for target in foes {
            if self.dice.below(5) == 0 {
                self.frame.events.push(Event::Hit { by: EntityId(1), target });
            }
        }
    }
}

fn is_foe(entity: &Entity) -> bool {
    matches!(entity.kind.class(), Class::Enemy | Class::Boss)
}

fn draw(painter: &mut Painter, view: &View, picture: &mut Picture) {
    painter.observe(view.frame);
    painter.draw(view, picture);
    hud::draw(&hud::Hud { flashes: view.look.flashes, ..scenes::hud_of(view) }, picture);
}

/// The most flashes in a second of a quarter of a minute of the inferno.
fn inferno(look: Look, seed: u64) -> usize {
    let stage = scenes::stage_one();
    let (mut painter, mut picture, mut meter) = (Painter::new(), Picture::new(), Meter::new());
    let mut inferno = Inferno::new(&stage, seed);
    for tick in 0..15 * 60 {
        inferno.tick(tick);
        let scroll = inferno.game.world.scroll();
        let view = View { look, scroll, ..scenes::view_of(&inferno.frame, &stage, tick) };
        draw(&mut painter, &view, &mut picture);
        meter.look(&mut picture);
    }
    meter.flashes_max
}

/// The most flashes in a second of forty seconds of a game as it is.
fn game(stage: &str, look: Look, seed: u64) -> usize {
    let stage = Stage::built_in(stage).expect("it is built in");
    let (mut painter, mut picture, mut meter) = (Painter::new(), Picture::new(), Meter::new());
    let (mut game, mut frame) = (Game::new(&stage, seed), Frame::default());
    for tick in 0..40 * 60 {
        game.tick(&mut frame);
        let view = View { look, scroll: game.world.scroll(), ..scenes::view_of(&frame, &stage, tick) };
        draw(&mut painter, &view, &mut picture);
        meter.look(&mut picture);
    }
    meter.flashes_max
}

const CALM: Look = Look { flashes: false, shake: true, palette: client::draw::Palette::Default };

#[test]
fn the_measure_knows_a_flashing_picture_from_a_calm_one() {
    let flashes = |ticks_each: usize, (width, height): (i32, i32), dark: Colour| {
        let (mut picture, mut meter) = (Picture::new(), Meter::new());
        for tick in 0..240 {
            picture.clear(Colour::VOID);
            let colour = if (tick / ticks_each).is_multiple_of(2) { Colour::PALE } else { dark };
            picture.rect(client::draw::Area::new(40, 40, width, height), colour);
            meter.look(&mut picture);
        }
        meter.flashes_max
    };
    let large = (160, 90);
    assert!((4..=5).contains(&flashes(6, large, Colour::VOID)), "five times a second");
    assert!(flashes(2, large, Colour::VOID) >= 10, "fifteen times a second");
    assert!(flashes(12, large, Colour::VOID) <= 3, "two and a half times a second");
    assert_eq!(flashes(3, (60, 40), Colour::VOID), 0, "too small to count");
    assert_eq!(flashes(3, large, Colour::PALE), 0, "no change");
}

#[test]
fn an_inferno_flashes_more_than_three_times_a_second_unless_flashes_are_off() {
    for seed in 0..2 {
        let (on, off) = (inferno(Look { flashes: true, ..CALM }, seed), inferno(CALM, seed));
        println!("seed {seed}: {on} flashes in a second, {off} with flashes off");
        assert!(off <= 3, "seed {seed}: {off} flashes in a second");
        assert!(on > 3, "seed {seed}: an inferno that does not flash proves nothing");
    }
}

#[test]
fn with_flashes_off_played_games_flash_no_more_than_three_times_a_second() {
    for stage in ["stage1", "endless"] {
        let flashes = game(stage, CALM, 3);
        println!("{stage}: {flashes} flashes in a second");
        assert!(flashes <= 3, "{stage}: {flashes} flashes in a second");
    }
}
