//! Prediction: the client's own world, ahead of the newest Frame by the inputs that the server has not applied yet.
//!
//! A copy of the [`ObservedWorld`] is ticked with those inputs. So the player's ship responds at once, and everything else is
//! shown where it will be when the server applies them: what is seen touching is what hits. A correction does not jump:
//! the difference is drawn as an offset that fades. When the ship touches something deadly here, both are held where they
//! touched until the server has decided what happened.

use std::{collections::VecDeque, sync::Arc};

use game::{
    Class, Entity, EntityId, Event, Frame, Input, Kind, ObservedWorld, Rules, Seat, Stage, Vec2, World, px, tuning,
};

/// The most inputs that wait for the server, two seconds of them; older ones are no longer predicted with.
const PENDING_MAX: usize = 120;
/// A larger correction is a jump to another place, such as a respawn: it is not faded.
const JUMP: i32 = px(64);
/// What is left of an offset after a tick, in 1/256.
const FADE: i32 = 208;
/// What was as near to the ship as this when it was lost is what it collided with.
const COLLISION_WITHIN: i32 = px(8);

/// The world at the time of the player's own ship.
#[derive(Debug)]
pub struct Prediction {
    own: Seat,
    observed: ObservedWorld,
    /// Inputs that are not in the newest Frame, with their sequence.
    pending: VecDeque<(u32, Input)>,
    ahead: World,
    /// `ahead` as a Frame.
    shown: Frame,
    /// How far from their predicted position entities are drawn, by id.
    offsets: Vec<(EntityId, Vec2)>,
    /// How far the newest Frame moved the player's ship, in sub-pixels.
    correction: u32,
    collision: Option<Collision>,
    /// The player's ship in the newest Frame.
    ship: Option<EntityId>,
    /// The events of the newly predicted ticks.
    events: Vec<Event>,
}

/// The player's ship touched something deadly, and the server has not decided yet what happened.
#[derive(Clone, Debug)]
struct Collision {
    ship: Entity,
    /// What it touched; none if it was terrain.
    with: Option<Entity>,
    scroll: i64,
}

impl Prediction {
    /// For a stage and a seat; no Frame has come yet.
    pub fn new(stage: Arc<Stage>, own: Seat) -> Prediction {
        let observed = ObservedWorld::new(stage);
        let ahead = observed.world().clone();
        Prediction {
            own,
            observed,
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

    /// The game is in another stage from now on.
    pub fn enter(&mut self, stage: Arc<Stage>) {
        let rules = self.observed.world().rules();
        self.observed = ObservedWorld::new(stage);
        self.observed.play_by(rules);
    }

    /// The lobby plays by these rules.
    pub fn play_by(&mut self, rules: Rules) {
        self.observed.play_by(rules);
    }

    /// What the player does in the next tick, and the sequence under which it was sent.
    pub fn press(&mut self, sequence: u32, input: Input) {
        if self.pending.len() == PENDING_MAX {
            self.pending.pop_front();
        }
        self.pending.push_back((sequence, input));
        self.fade();
        self.step(input);
        self.events.extend_from_slice(&self.shown.events);
    }

    /// A Frame came that contains the inputs up to `applied`.
    pub fn correct(&mut self, frame: &Frame, applied: u32) {
        let is_applied = |&(sequence, _): &(u32, Input)| sequence.wrapping_sub(applied).cast_signed() <= 0;
        let count = self.pending.iter().take_while(|pending| is_applied(pending)).count();
        let inputs: Vec<Input> = self.pending.drain(..count).map(|(_, input)| input).collect();
        self.observed.correct(frame, Some((self.own, &inputs)));
        self.ship = frame.ship(self.own).map(|ship| ship.id);
        let before = std::mem::take(&mut self.shown);
        self.look_ahead();
        self.compare(&before);
    }

    /// The predicted Frame, without offsets. Other players are better interpolated.
    pub fn frame(&self) -> &Frame {
        &self.shown
    }

    /// The predicted Frame as it is drawn: with offsets that fade, and with a collision held.
    pub fn show(&self, frame: &mut Frame) {
        frame.clone_from(&self.shown);
        for entity in &mut frame.entities {
            entity.position += self.offset(entity.id);
        }
        if let Some(collision) = &self.collision {
            // The server has not blown it up yet.
            let is_early = |entity: &Entity| entity.kind == Kind::BigExplosion && entity.id > collision.ship.id;
            let is_there =
                |entity: &Entity| length(entity.position - collision.ship.position) <= COLLISION_WITHIN as u32;
            frame.entities.retain(|entity| !(is_early(entity) && is_there(entity)));
            for held in collision.with.iter().chain([&collision.ship]) {
                put(frame, *held);
            }
        }
    }

    /// How far the stage has scrolled in the predicted Frame, in sub-pixels.
    pub fn scroll(&self) -> i64 {
        self.collision.as_ref().map_or(self.ahead.scroll(), |collision| collision.scroll)
    }

    /// How far the newest Frame moved the player's ship from its predicted position, in sub-pixels. Given out once.
    pub fn take_correction(&mut self) -> u32 {
        std::mem::take(&mut self.correction)
    }

    /// The events of the ticks that were predicted since the last call.
    pub fn take_events(&mut self) -> Vec<Event> {
        std::mem::take(&mut self.events)
    }

    /// Whether the player's ship is held at something deadly until the server has decided what happened.
    pub fn is_colliding(&self) -> bool {
        self.collision.is_some()
    }

    /// Ticks from the newest Frame to the predicted one.
    pub fn ticks_ahead(&self) -> usize {
        self.pending.len()
    }

    /// Predicts again from the newest Frame, with all inputs that are not in it.
    fn look_ahead(&mut self) {
        self.ahead.clone_from(self.observed.world());
        let before = self.collision.take();
        self.ahead.frame_into(&mut self.shown);
        for index in 0..self.pending.len() {
            self.step(self.pending[index].1);
        }
        // A later Frame may move the collision a little: what is held does not move.
        if let (Some(now), Some(before)) = (&mut self.collision, before)
            && now.ship.id == before.ship.id
        {
            *now = before;
        }
    }

    fn step(&mut self, input: Input) {
        let mut inputs = self.observed.inputs();
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

    /// What the ship touched in the last tick.
    fn find_collision(&self, before: &Frame, ship: &Entity) -> Collision {
        // A lost ship leaves an explosion where it was.
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

    /// Turns what the Frame moved into offsets, so that everything stays where it was drawn.
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

/// Whether touching it destroys a ship.
fn is_deadly(class: Class) -> bool {
    match class {
        Class::Enemy | Class::Boss | Class::EnemyShot | Class::Block | Class::Wall => true,
        Class::Player | Class::Gear | Class::PlayerShot | Class::Item | Class::Effect => false,
    }
}

/// Puts an entity into a Frame, in place of one of the same id.
fn put(frame: &mut Frame, entity: Entity) {
    match frame.entities.binary_search_by_key(&entity.id, |entity| entity.id) {
        Ok(index) => frame.entities[index] = entity,
        Err(index) => frame.entities.insert(index, entity),
    }
}

/// The gap between the boxes of two entities, along the axis where it is larger; below zero they touch.
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
