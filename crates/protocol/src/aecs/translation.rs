//! What an entity of the game is in components, and back (ruling A6).
//!
//! Only components that apply are said, in the order of their ids. Score and Game are on an entity of their own.

use game::{Attached, Entity, EntityId, Event, Frame, GameState, Kind, Seat, Side, Vec2};

use super::{component::Component, wire};
use crate::{Rebuilt, Scale};

/// The entity that carries Score and Game. The game's own ids are never 0.
pub const GAME_ENTITY: u32 = 0;

/// What there is to say of the game as a whole.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Game {
    score: u32,
    state: GameState,
    stage: u8,
}

impl Game {
    pub(super) fn of(frame: &Frame) -> Game {
        Game { score: frame.score, state: frame.state, stage: frame.stage }
    }

    pub(super) fn components(&self) -> [Component<'static>; 2] {
        [Component::Score(self.score), Component::Game { state: self.state.number(), stage: self.stage }]
    }
}

/// All components of an entity.
pub(super) fn components(entity: &Entity, scale: Scale) -> impl Iterator<Item = Component<'static>> {
    let (x, y) = scale.position(entity.position);
    let (velocity_x, velocity_y) = scale.velocity(entity.velocity);
    let (now, max) = (entity.health, entity.health_max);
    let attached = |it: Attached| Component::Attached { entity: it.to.0, side: it.side as u8 };
    let is_ship = entity.kind == Kind::Player;
    [
        Some(Component::Position { x, y }),
        Some(Component::Velocity { x: velocity_x, y: velocity_y }),
        Some(Component::Kind(entity.kind.number())),
        (max > 0).then_some(Component::Health { now, max }),
        Some(Component::Animation(entity.animation)),
        entity.seat.map(|seat| Component::Player { seat: seat.number() }),
        entity.attached.map(attached),
        is_ship.then_some(Component::Charge(entity.charge)),
        is_ship.then_some(Component::Lives(entity.lives)),
    ]
    .into_iter()
    .flatten()
}

/// Carries out what a server says of one entity.
pub(super) fn apply(said: &wire::Entity, scale: Scale, rebuilt: &mut Rebuilt) {
    let id = EntityId(said.entity_id);
    if said.is_removed() {
        rebuilt.remove(id);
        return;
    }
    let mut entity = base(id, said, rebuilt);
    for component in said.components.iter() {
        match component {
            Component::Score(score) => rebuilt.frame().score = score,
            Component::Game { state, stage } => set_game(state, stage, rebuilt),
            other => entity.iter_mut().for_each(|entity| set(entity, other, scale)),
        }
    }
    if let Some(entity) = entity {
        rebuilt.insert(entity);
    }
}

/// What the components are put on. A change carries all components of an entity, so it starts anew; a foreign server
/// that says only what changed leaves out the kind. A kind that we do not know cannot be shown.
fn base(id: EntityId, said: &wire::Entity, rebuilt: &mut Rebuilt) -> Option<Entity> {
    let kind = said.components.iter().find_map(|component| match component {
        Component::Kind(number) => Some(Kind::from_number(number)),
        _ => None,
    });
    match kind {
        Some(Some(kind)) => Some(Entity::new(id, kind, Vec2::ZERO)),
        Some(None) => {
            rebuilt.remove(id);
            None
        }
        None => rebuilt.peek().entity(id).copied(),
    }
}

fn set_game(state: u8, stage: u8, rebuilt: &mut Rebuilt) {
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
        // The kind is in the base, and what is not of an entity is not for here.
        Component::Kind(_) | Component::Score(_) | Component::Game { .. } | Component::Unknown { .. } => {}
    }
}

fn side_of(number: u8) -> Option<Side> {
    [Side::Front, Side::Back].into_iter().find(|&side| side as u8 == number)
}
