//! `WorldView`: what one end knows that the other has: a Frame without its events, and the little that is known besides to
//! tell how each thing goes on. Both ends let the same view [`advance`](WorldView::advance), to the same bit.

use game::{Class, Entity, Frame, Kind, Player, SEATS, ShipModel, is_outside, tuning, units::STEPS_PER_TICK};

use super::motion::Motion;

/// The most things in a view; a world has fewer.
pub const ENTITIES_MAX: usize = 1024;

/// A Frame, and how it goes on.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct WorldView {
    /// The Frame but its entities and events.
    pub head: Frame,
    /// How the stage scrolls.
    pub scroll: Scroll,
    /// Everything visible, sorted by id.
    pub entities: Vec<ViewedEntity>,
}

/// An entity, and how it goes on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ViewedEntity {
    /// What is seen.
    pub entity: Entity,
    /// How it moves.
    pub motion: Motion,
    /// For how many ticks it has been there, as far as it matters.
    pub age: u8,
}

/// How the stage scrolls, in 1/256 pixels; the whole pixels are in the Frame.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Scroll {
    /// What is beyond the whole pixel.
    pub part: u8,
    /// In a tick.
    pub speed: u16,
}

impl WorldView {
    /// The same some ticks later, if everything goes on as it does.
    pub fn advance(&self, ticks: u32) -> WorldView {
        let mut view = WorldView::default();
        self.advance_into(ticks, &mut view);
        view
    }

    /// As [`WorldView::advance`], into one whose memory is used again.
    pub fn advance_into(&self, ticks: u32, view: &mut WorldView) {
        view.head = self.head.clone();
        view.head.tick.0 = self.head.tick.0.wrapping_add(ticks);
        (view.head.scroll_px, view.scroll) = self.scrolled(ticks);
        view.entities.clear();
        let later = self.entities.iter().map(|viewed| viewed.advanced(ticks, &self.head.players));
        view.entities.extend(later.filter(|viewed| !viewed.is_over()));
    }

    /// How far it has scrolled some ticks later, in whole pixels and beyond.
    pub fn scrolled(&self, ticks: u32) -> (u32, Scroll) {
        let Scroll { part, speed } = self.scroll;
        let scrolled = u32::from(part) + u32::from(speed) * ticks.min(256);
        (self.head.scroll_px.wrapping_add(scrolled >> 8), Scroll { part: scrolled as u8, speed })
    }

    /// The Frame that it shows, into one whose memory is used again. Its events are left alone.
    pub fn show(&self, frame: &mut Frame) {
        frame.tick = self.head.tick;
        frame.state = self.head.state;
        frame.stage = self.head.stage;
        frame.wave = self.head.wave;
        frame.scroll_px = self.head.scroll_px;
        frame.score = self.head.score;
        frame.players = self.head.players;
        frame.names = self.head.names;
        frame.entities.clear();
        frame.entities.extend(self.entities.iter().map(|viewed| viewed.entity));
    }

    /// The thing of that id.
    pub fn viewed(&self, id: game::EntityId) -> Option<&ViewedEntity> {
        let index = self.entities.binary_search_by_key(&id, |viewed| viewed.entity.id).ok()?;
        Some(&self.entities[index])
    }
}

impl ViewedEntity {
    /// Lets it move on.
    fn advanced(mut self, ticks: u32, players: &[Option<Player>; SEATS]) -> ViewedEntity {
        self.motion.advance(&mut self.entity, ticks);
        if self.entity.charge > 0 {
            let player = self.entity.seat.and_then(|seat| players[seat.index()]);
            let model = player.map_or_else(ShipModel::default, |player| player.model);
            self.entity.charge = risen(self.entity.charge, ticks, model);
        }
        self.age = self.age.saturating_add(ticks.min(255) as u8);
        self
    }

    /// Whether it has left the field, or its time is over.
    fn is_over(&self) -> bool {
        is_outside(self.entity.position)
            || self.entity.kind.class() == Class::Effect && self.age >= life_ticks(self.entity.kind)
    }
}

fn life_ticks(kind: Kind) -> u8 {
    let steps = if kind == Kind::BigExplosion { tuning::BIG_EXPLOSION_LIFE } else { tuning::EXPLOSION_LIFE };
    (steps / STEPS_PER_TICK as u16) as u8
}

/// A beam that is being charged goes on being charged.
fn risen(charge: u8, ticks: u32, model: ShipModel) -> u8 {
    let full = u32::from(model.numbers().charge_full);
    let steps = (u32::from(charge) * full).div_ceil(255) + ticks.min(1024) * STEPS_PER_TICK as u32;
    (steps * 255 / full).min(255) as u8
}

/// The view of a Frame in which nothing is known of how it goes on.
impl From<&Frame> for WorldView {
    fn from(frame: &Frame) -> WorldView {
        let plain = |entity: &Entity| ViewedEntity { entity: *entity, motion: Motion::Straight, age: 0 };
        WorldView { head: head(frame), scroll: Scroll::default(), entities: frame.entities.iter().map(plain).collect() }
    }
}

/// A Frame but its entities and events.
pub fn head(frame: &Frame) -> Frame {
    let &Frame { tick, state, stage, wave, scroll_px, score, players, names, entities: _, events: _ } = frame;
    Frame { tick, state, stage, wave, scroll_px, score, players, names, entities: Vec::new(), events: Vec::new() }
}
