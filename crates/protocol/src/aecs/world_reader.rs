//! The Frame that a client rebuilds, from the entities with their components that any server says.

use game::{Attached, Entity, EntityId, Event, Frame, GameState, Kind, Seat, Side, Tick, Vec2};

use super::{ENTRY, component::Component, wire};
use crate::{FrameBuilder, Scale, Time, roster::Roster};

/// A server that skips more ticks than this, ten seconds, has begun another game.
const WALLS_MOVE_TICKS_MAX: i32 = 600;

/// What a client knows of its lobby.
#[derive(Debug)]
pub(super) struct WorldReader {
    scale: Scale,
    rebuilt: FrameBuilder,
    roster: Roster,
}

impl WorldReader {
    pub fn new(scale: Scale) -> WorldReader {
        WorldReader { scale, rebuilt: FrameBuilder::default(), roster: Roster::new(ENTRY.tells) }
    }

    pub fn advance(&mut self, now: Time) {
        self.rebuilt.advance(now);
    }

    /// Takes over a whole state, or a change of one.
    pub fn apply(&mut self, state: wire::GameState) {
        let ticks = state.tick.wrapping_sub(self.rebuilt.peek().tick.0) as i32;
        self.rebuilt.move_walls(ticks.clamp(0, WALLS_MOVE_TICKS_MAX));
        state.entities.iter().for_each(|entity| apply(&entity, self.scale, &mut self.rebuilt));
        self.rebuilt.frame().tick = Tick(state.tick);
    }

    /// Tells who came and went, once all that is known has been applied.
    pub fn settle(&mut self, own: Option<Seat>) {
        self.roster.settle(own, &mut self.rebuilt);
    }

    pub fn take_frame(&mut self, frame: &mut Frame) -> bool {
        self.rebuilt.take(frame)
    }
}

/// Carries out what a server says of one entity. A change carries all its components, so it starts from nothing.
fn apply(said: &wire::Entity, scale: Scale, rebuilt: &mut FrameBuilder) {
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
        Component::Size { width, height } => entity.size_px = Some(scale.read_size(width, height)),
        // The kind is set when the entity is made; Score and Game are not an entity's.
        Component::Kind(_) | Component::Score(_) | Component::Game { .. } | Component::Unknown { .. } => {}
    }
}

fn side_of(number: u8) -> Option<Side> {
    [Side::Front, Side::Back].into_iter().find(|&side| side as u8 == number)
}
