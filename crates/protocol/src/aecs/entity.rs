//! What an entity of the game is in components (ruling A6); `world_reader.rs` is the way back.
//!
//! Only components that apply are said, in the order of their ids. Score and Game are on an entity of their own.

use game::{Attached, Entity, Frame, GameState, Kind};

use super::{component::Component, wire};
use crate::Scale;

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

    /// Whether a client has to be told that it is so now. Clients move walls themselves until their velocity changes
    /// (ruling C12).
    pub(super) fn differs_from(&self, before: &EntityState) -> bool {
        match (self, before) {
            (EntityState::Entity(now), EntityState::Entity(before)) if now.kind == Kind::Wall => {
                Entity { position: now.position, ..*before } != *now
            }
            _ => self != before,
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
    if let Some(size_px) = entity.size_px {
        let (width, height) = scale.size(size_px);
        Component::Size { width, height }.write(out);
    }
}
