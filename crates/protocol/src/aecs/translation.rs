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

/// Says all components of an entity, one by one: an iterator of them would take twice as long.
#[inline]
pub(super) fn say_components(entity: &Entity, scale: Scale, mut say: impl FnMut(Component<'static>)) {
    let (x, y) = scale.position(entity.position);
    say(Component::Position { x, y });
    let (x, y) = scale.velocity(entity.velocity);
    say(Component::Velocity { x, y });
    say(Component::Kind(entity.kind.number()));
    if entity.health_max > 0 {
        say(Component::Health { now: entity.health, max: entity.health_max });
    }
    say(Component::Animation(entity.animation));
    if let Some(seat) = entity.seat {
        say(Component::Player { seat: seat.number() });
    }
    if let Some(Attached { to, side }) = entity.attached {
        say(Component::Attached { entity: to.0, side: side as u8 });
    }
    if entity.kind == Kind::Player {
        say(Component::Charge(entity.charge));
        say(Component::Lives(entity.lives));
    }
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
