//! Which components an entity has, and in what state: ruling T4. `EntityState` is what they are drawn from; it is a third of their
//! size, so it is what is kept of each entity and compared.

use game::{Entity, Frame, GameState, Kind, Seat};

use super::component::{Component, ComponentName};
use crate::{NarrowIds, Scale};

/// The components of one entity, by [`ComponentName`].
pub(super) type Components = [Option<Component>; ComponentName::ALL.len()];

/// What is to be seen of an entity.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum EntityState {
    /// The entity that carries what belongs to no other.
    Game { score: u32, state: GameState, stage: u8 },
    /// Something in the game.
    Entity {
        entity: Entity,
        /// The id of what it is attached to. Nothing while that waits for an id (ruling C4): there is no way to name it.
        holder: Option<u16>,
    },
}

impl EntityState {
    /// The game as a whole.
    pub fn game(frame: &Frame) -> EntityState {
        EntityState::Game { score: frame.score, state: frame.state, stage: frame.stage }
    }

    /// An entity, where entities have these ids.
    pub fn entity(entity: &Entity, ids: &NarrowIds) -> EntityState {
        let holder = entity.attached.and_then(|attached| ids.get(attached.to));
        EntityState::Entity { entity: *entity, holder }
    }

    /// Whose ship it is, if it is one: the only player who is shown that it is [`Component::Own`].
    pub fn pilot(&self) -> Option<Seat> {
        match self {
            EntityState::Entity { entity, .. } if entity.kind == Kind::Player => entity.seat,
            EntityState::Entity { .. } | EntityState::Game { .. } => None,
        }
    }

    /// Draws all its components, of a ship also what its pilot alone is shown.
    pub fn components(&self, scale: Scale) -> Components {
        match self {
            EntityState::Game { score, state, stage } => {
                let game = Component::Game { state: state.number(), stage: *stage };
                components([Component::Score(*score), game].into_iter())
            }
            EntityState::Entity { entity, holder } => of_entity(entity, *holder, scale),
        }
    }

    /// Position and Velocity, as far as they changed since `before`. None if anything else did too.
    pub fn moves_since(&self, before: &EntityState, scale: Scale) -> Option<[Option<Component>; 2]> {
        let (EntityState::Entity { entity: new, holder }, EntityState::Entity { entity: old, holder: held }) =
            (self, before)
        else {
            return None;
        };
        let moved = Entity { position: new.position, velocity: new.velocity, ..*old };
        let [is, was] = [new, old].map(|entity| [position(entity, scale), velocity(entity, scale)]);
        let changed = |index: usize| (is[index] != was[index]).then_some(is[index]);
        (moved == *new && holder == held).then(|| [changed(0), changed(1)])
    }
}

fn of_entity(entity: &Entity, holder: Option<u16>, scale: Scale) -> Components {
    let is_ship = entity.kind == Kind::Player;
    let (now, max) = (entity.health, entity.health_max);
    let attached = entity.attached.zip(holder);
    let always = [
        position(entity, scale),
        velocity(entity, scale),
        Component::Kind(entity.kind.number()),
        Component::Animation(entity.animation),
    ];
    let sometimes = [
        (max > 0).then_some(Component::Health { now, max }),
        entity.seat.map(|seat| Component::Player { seat: seat.number() }),
        attached.map(|(attached, holder)| Component::Attached { entity: holder, side: attached.side as u8 }),
        is_ship.then_some(Component::Charge(entity.charge)),
        is_ship.then_some(Component::Lives(entity.lives)),
        (is_ship && entity.seat.is_some()).then_some(Component::Own),
    ];
    components(always.into_iter().chain(sometimes.into_iter().flatten()))
}

fn position(entity: &Entity, scale: Scale) -> Component {
    let (x, y) = scale.position(entity.position);
    Component::Position { x, y }
}

fn velocity(entity: &Entity, scale: Scale) -> Component {
    let (x, y) = scale.velocity(entity.velocity);
    Component::Velocity { x, y }
}

fn components(all: impl Iterator<Item = Component>) -> Components {
    let mut components = [None; ComponentName::ALL.len()];
    for component in all {
        components[component.name() as usize] = Some(component);
    }
    components
}
