//! What an entity of the game is in components, and back (ruling A6).
//!
//! Only components that apply are said, in the order of their ids. Score and Game are on an entity of their own.

use game::{Attached, Entity, EntityId, Event, Frame, GameState, Kind, Seat, Side, Vec2};

use super::{component::Component, wire};
use crate::{FrameBuilder, Scale};

/// The entity that carries Score and Game. The game's own ids are never 0.
pub const GAME_ENTITY: u32 = 0;

/// What is to be seen of an entity: all that its components are made from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum EntityState {
    /// The entity that carries what belongs to no other.
    Game { score: u32, state: GameState, stage: u8 },
    /// Something in the game.
    Entity(Entity),
}

impl EntityState {
    /// All that a Frame shows, by id.
    pub(super) fn all(frame: &Frame) -> impl Iterator<Item = EntityState> {
        let game = EntityState::Game { score: frame.score, state: frame.state, stage: frame.stage };
        std::iter::once(game).chain(frame.entities.iter().map(|entity| EntityState::Entity(*entity)))
    }

    pub(super) fn id(&self) -> u32 {
        match self {
            EntityState::Game { .. } => GAME_ENTITY,
            EntityState::Entity(entity) => entity.id.0,
        }
    }

    /// Appends it with all its components.
    pub(super) fn write(&self, scale: Scale, out: &mut Vec<u8>) -> bool {
        wire::write_entity(self.id(), |out| self.write_components(scale, out), out)
    }

    fn write_components(&self, scale: Scale, out: &mut Vec<u8>) {
        match self {
            EntityState::Game { score, state, stage } => {
                Component::Score(*score).write(out);
                Component::Game { state: state.number(), stage: *stage }.write(out);
            }
            EntityState::Entity(entity) => write_components(entity, scale, out),
        }
    }
}

fn write_components(entity: &Entity, scale: Scale, out: &mut Vec<u8>) {
    let (x, y) = scale.position(entity.position);
    Component::Position { x, y }.write(out);
    let (x, y) = scale.velocity(entity.velocity);
    Component::Velocity { x, y }.write(out);
    Component::Kind(entity.kind.number()).write(out);
    if entity.health_max > 0 {
        Component::Health { now: entity.health, max: entity.health_max }.write(out);
    }
    Component::Animation(entity.animation).write(out);
    if let Some(seat) = entity.seat {
        Component::Player { seat: seat.number() }.write(out);
    }
    if let Some(Attached { to, side }) = entity.attached {
        Component::Attached { entity: to.0, side: side as u8 }.write(out);
    }
    if entity.kind == Kind::Player {
        Component::Charge(entity.charge).write(out);
        Component::Lives(entity.lives).write(out);
    }
}

/// Carries out what a server says of one entity. A change carries all its components, so it starts anew.
pub(super) fn apply(said: &wire::Entity, scale: Scale, rebuilt: &mut FrameBuilder) {
    let id = EntityId(said.entity_id);
    if said.is_removed() {
        rebuilt.remove(id);
        return;
    }
    // Any kind: its own is said, or it is not kept.
    let mut entity = Entity::new(id, Kind::Player, Vec2::ZERO);
    let mut kind = None;
    for component in said.components.iter() {
        match component {
            Component::Score(score) => rebuilt.frame().score = score,
            Component::Game { state, stage } => set_game(state, stage, rebuilt),
            Component::Kind(number) => kind = kind.or(Some(Kind::from_number(number))),
            other => set(&mut entity, other, scale),
        }
    }
    match kind {
        Some(Some(kind)) => drop(rebuilt.insert(Entity { kind, ..entity })),
        // A kind that we do not know cannot be shown.
        Some(None) => rebuilt.remove(id),
        None => change(id, said, scale, rebuilt),
    }
}

/// A foreign server that says only what changed leaves out the kind.
fn change(id: EntityId, said: &wire::Entity, scale: Scale, rebuilt: &mut FrameBuilder) {
    if let Some(entity) = rebuilt.entity(id) {
        said.components.iter().for_each(|component| set(entity, component, scale));
    }
}

fn set_game(state: u8, stage: u8, rebuilt: &mut FrameBuilder) {
    let frame = rebuilt.frame();
    frame.stage = stage;
    let Some(state) = GameState::from_number(state).filter(|&state| state != frame.state) else { return };
    frame.state = state;
    rebuilt.event(Event::StateChanged { state });
}

fn set(entity: &mut Entity, component: Component, scale: Scale) {
    match component {
        Component::Position { x, y } => entity.position = scale.read_position(x, y),
        Component::Velocity { x, y } => entity.velocity = scale.read_velocity(x, y),
        Component::Health { now, max } => (entity.health, entity.health_max) = (now, max),
        Component::Animation(animation) => entity.animation = animation,
        Component::Player { seat } => entity.seat = Seat::new(seat),
        Component::Attached { entity: to, side } => {
            entity.attached = side_of(side).map(|side| Attached { to: EntityId(to), side });
        }
        Component::Charge(charge) => entity.charge = charge,
        Component::Lives(lives) => entity.lives = lives,
        // The kind is set when the entity is made; Score and Game are not an entity's.
        Component::Kind(_) | Component::Score(_) | Component::Game { .. } | Component::Unknown { .. } => {}
    }
}

fn side_of(number: u8) -> Option<Side> {
    [Side::Front, Side::Back].into_iter().find(|&side| side as u8 == number)
}
