//! Prediction: the world at the time of the own ship, which is as far ahead of the newest Frame as there are inputs that
//! the server has not applied yet.
//!
//! A copy of the [`Foresight`] is ticked with those inputs: the own ship answers at once, and everything else is shown
//! where it will be when the server applies them, so that what is seen touching is what hits. What a Frame corrects is
//! not seen to jump: the difference is drawn as an offset that fades. When the own ship touches something deadly here,
//! both are held where they collision until the server has said what came of it.

use std::{collections::VecDeque, sync::Arc};

use game::{Class, Entity, EntityId, Event, Foresight, Frame, Input, Kind, Seat, Stage, Vec2, World, px, tuning};

/// Inputs kept that the server has not applied. More of them than these (two seconds) are not predicted with.
const PENDING_MAX: usize = 120;
/// A correction larger than this is another place, not a mistake: it is not faded.
const JUMP: i32 = px(64);
/// What is left of an offset after a tick, in 1/256.
const FADE: i32 = 208;
/// Something as near to the ship as this when it was lost is what it collision.
const COLLISION_WITHIN: i32 = px(8);

/// The world at the time of the own ship.
#[derive(Debug)]
pub struct Prediction {
    own: Seat,
    foresight: Foresight,
    /// Inputs that the server has not applied in the newest Frame, with their sequence.
    pending: VecDeque<(u32, Input)>,
    ahead: World,
    /// `ahead` as a Frame.
    shown: Frame,
    /// How far from where they are things are drawn, by id.
    offsets: Vec<(EntityId, Vec2)>,
    /// How far the newest Frame moved the own ship, in sub-pixels.
    correction: u32,
    collision: Option<Collision>,
    /// The newest Frame has a ship of ours, and which.
    ship: Option<EntityId>,
    /// What happened in the newly predicted ticks.
    events: Vec<Event>,
}

/// The own ship touched something deadly, and the server has not said yet what came of it.
#[derive(Clone, Debug)]
struct Collision {
    ship: Entity,
    /// What it collision; nothing if it was terrain.
    with: Option<Entity>,
    scroll: i64,
}

impl Prediction {
    /// Knows the stage and the own seat, and has seen nothing yet.
    pub fn new(stage: Arc<Stage>, own: Seat) -> Prediction {
        let foresight = Foresight::new(stage);
        let ahead = foresight.world().clone();
        Prediction {
            own,
            foresight,
            pending: VecDeque::new(),
            ahead,
            shown: Frame::default(),
            offsets: Vec::new(),
            correction: 0,
            collision: None,
            ship: None,
            events: Vec::new(),
        }
    }

    /// Another stage is played from now on.
    pub fn enter(&mut self, stage: Arc<Stage>) {
        self.foresight = Foresight::new(stage);
    }

    /// The player did this in the next tick, and it was sent under that sequence.
    pub fn press(&mut self, sequence: u32, input: Input) {
        if self.pending.len() == PENDING_MAX {
            self.pending.pop_front();
        }
        self.pending.push_back((sequence, input));
        self.fade();
        self.step(input);
        self.events.extend_from_slice(&self.shown.events);
    }

    /// A Frame came, in which the server had applied the inputs up to `applied`.
    pub fn correct(&mut self, frame: &Frame, applied: u32) {
        let is_applied = |&(sequence, _): &(u32, Input)| sequence.wrapping_sub(applied).cast_signed() <= 0;
        let count = self.pending.iter().take_while(|pending| is_applied(pending)).count();
        let inputs: Vec<Input> = self.pending.drain(..count).map(|(_, input)| input).collect();
        self.foresight.correct(frame, Some((self.own, &inputs)));
        self.ship = frame.ship(self.own).map(|ship| ship.id);
        let before = std::mem::take(&mut self.shown);
        self.look_ahead();
        self.compare(&before);
    }

    /// What to show: everything at the time of the own ship. Other players are better shown where they were.
    pub fn frame(&self) -> &Frame {
        &self.shown
    }

    /// The same with offsets that fade, and with what is held.
    pub fn show(&self, frame: &mut Frame) {
        frame.clone_from(&self.shown);
        for entity in &mut frame.entities {
            entity.position += self.offset(entity.id);
        }
        if let Some(collision) = &self.collision {
            // It did not blow up yet.
            let is_early = |entity: &Entity| entity.kind == Kind::BigExplosion && entity.id > collision.ship.id;
            let is_there =
                |entity: &Entity| length(entity.position - collision.ship.position) <= COLLISION_WITHIN as u32;
            frame.entities.retain(|entity| !(is_early(entity) && is_there(entity)));
            for held in collision.with.iter().chain([&collision.ship]) {
                put(frame, *held);
            }
        }
    }

    /// How far the stage has scrolled at that time, in sub-pixels.
    pub fn scroll(&self) -> i64 {
        self.collision.as_ref().map_or(self.ahead.scroll(), |collision| collision.scroll)
    }

    /// How far the newest Frame moved the own ship from where it was predicted, in sub-pixels; each is given out once.
    pub fn take_correction(&mut self) -> u32 {
        std::mem::take(&mut self.correction)
    }

    /// What happened in the ticks that were predicted since this was last called.
    pub fn take_events(&mut self) -> Vec<Event> {
        std::mem::take(&mut self.events)
    }

    /// Whether the own ship touches something deadly and the server has not said yet what came of it.
    pub fn is_colliding(&self) -> bool {
        self.collision.is_some()
    }

    /// Ticks from the newest Frame to what is shown.
    pub fn ticks_ahead(&self) -> usize {
        self.pending.len()
    }

    /// From the newest Frame through all inputs that are still under way.
    fn look_ahead(&mut self) {
        self.ahead.clone_from(self.foresight.world());
        let collision = self.collision.take();
        self.ahead.frame_into(&mut self.shown);
        for index in 0..self.pending.len() {
            self.step(self.pending[index].1);
        }
        // Held where they collision, though a later Frame would have them find_collision a little elsewhere.
        if let (Some(now), Some(before)) = (&mut self.collision, collision)
            && now.ship.id == before.ship.id
        {
            *now = before;
        }
    }

    fn step(&mut self, input: Input) {
        let mut inputs = self.foresight.inputs();
        inputs[self.own.index()] = input;
        self.ahead.tick(&inputs);
        let is_loss = |event: &Event| matches!(event, Event::Killed { seat, .. } if *seat == self.own);
        if !self.ahead.events().iter().any(is_loss) {
            self.ahead.frame_into(&mut self.shown);
            return;
        }
        let before = std::mem::take(&mut self.shown);
        self.ahead.frame_into(&mut self.shown);
        self.collision = before.ship(self.own).map(|ship| self.find_collision(&before, ship));
    }

    /// What the ship collision in the tick that was just taken.
    fn find_collision(&self, before: &Frame, ship: &Entity) -> Collision {
        // The last thing that a lost ship leaves is an explosion where it was.
        let explosion = self.shown.entities.iter().rev().find(|entity| entity.kind == Kind::BigExplosion);
        let ship = Entity { position: explosion.map_or(ship.position, |explosion| explosion.position), ..*ship };
        let deadly = before.entities.iter().filter(|entity| is_deadly(entity.kind.class()));
        let moved = deadly.map(|was| match self.shown.entity(was.id) {
            Some(is) => *is,
            None => Entity { position: was.position + halved(was.velocity), ..*was },
        });
        let nearest = moved.min_by_key(|entity| gap(&ship, entity));
        let with = nearest.filter(|entity| gap(&ship, entity) <= COLLISION_WITHIN);
        Collision { ship, with, scroll: self.ahead.scroll() }
    }

    /// Keeps what was drawn where it was drawn: the offsets take up what the Frame moved.
    fn compare(&mut self, before: &Frame) {
        let mut offsets = Vec::with_capacity(before.entities.len());
        for was in &before.entities {
            let Some(is) = self.shown.entity(was.id) else { continue };
            let moved = was.position - is.position;
            if was.seat == Some(self.own) && was.kind.class() == Class::Player {
                self.correction = self.correction.max(length(moved));
            }
            let offset = moved + self.offset(was.id);
            if offset != Vec2::ZERO && offset.x.abs().max(offset.y.abs()) < JUMP {
                offsets.push((was.id, offset));
            }
        }
        self.offsets = offsets;
    }

    fn fade(&mut self) {
        for (_, offset) in &mut self.offsets {
            *offset = Vec2::new(offset.x * FADE / 256, offset.y * FADE / 256);
        }
        self.offsets.retain(|(_, offset)| *offset != Vec2::ZERO);
    }

    fn offset(&self, id: EntityId) -> Vec2 {
        let found = self.offsets.binary_search_by_key(&id, |(id, _)| *id);
        found.map_or(Vec2::ZERO, |index| self.offsets[index].1)
    }
}

/// Whether touching it is the end.
fn is_deadly(class: Class) -> bool {
    matches!(class, Class::Enemy | Class::Boss | Class::EnemyShot | Class::Block)
}

/// Puts an entity into a Frame, in place of one of the same id.
fn put(frame: &mut Frame, entity: Entity) {
    match frame.entities.binary_search_by_key(&entity.id, |entity| entity.id) {
        Ok(index) => frame.entities[index] = entity,
        Err(index) => frame.entities.insert(index, entity),
    }
}

/// The room between the boxes of two entities along the axis where there is more of it; below zero they touch.
fn gap(a: &Entity, b: &Entity) -> i32 {
    let (size_a, size_b) = (tuning::body(a.kind).hit_px, tuning::body(b.kind).hit_px);
    let way = a.position - b.position;
    let (x, y) = (way.x.abs() - px(size_a.0 + size_b.0) / 2, way.y.abs() - px(size_a.1 + size_b.1) / 2);
    x.max(y)
}

fn halved(vector: Vec2) -> Vec2 {
    Vec2::new(vector.x / 2, vector.y / 2)
}

fn length(vector: Vec2) -> u32 {
    let (x, y) = (i64::from(vector.x), i64::from(vector.y));
    (x * x + y * y).unsigned_abs().isqrt() as u32
}
