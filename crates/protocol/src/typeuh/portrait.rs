//! Which components an entity has, and in what state: ruling T4.

use game::{Entity, Frame, Kind, Seat};

use super::component::{Component, ComponentName};
use crate::{Scale, Scene};

/// The components of one entity, by [`ComponentName`].
pub(super) type Portrait = [Option<Component>; ComponentName::ALL.len()];

/// The entity that carries what belongs to no other: score and state of the game.
pub(super) fn of_game(frame: &Frame) -> Portrait {
    let game = Component::Game { state: frame.state.number(), stage: frame.stage };
    portrait([Component::Score(frame.score), game].into_iter())
}

/// An entity as the player in the seat `own` is shown it.
pub(super) fn of_entity(entity: &Entity, scene: &Scene, scale: Scale, own: Seat) -> Portrait {
    let (x, y) = scale.position(entity.position);
    let (vx, vy) = scale.velocity(entity.velocity);
    let is_ship = entity.kind == Kind::Player;
    let (now, max) = (entity.health, entity.health_max);
    let always = [
        Component::Position { x, y },
        Component::Velocity { x: vx, y: vy },
        Component::Kind(entity.kind.number()),
        Component::Animation(entity.animation),
    ];
    let sometimes = [
        (max > 0).then_some(Component::Health { now, max }),
        entity.seat.map(|seat| Component::Player { seat: seat.number() }),
        attached(entity, scene),
        is_ship.then_some(Component::Charge(entity.charge)),
        is_ship.then_some(Component::Lives(entity.lives)),
        (is_ship && entity.seat == Some(own)).then_some(Component::Own),
    ];
    portrait(always.into_iter().chain(sometimes.into_iter().flatten()))
}

/// Nothing while the holder waits for an id (ruling C4): there is no way to name it.
fn attached(entity: &Entity, scene: &Scene) -> Option<Component> {
    let attached = entity.attached?;
    let holder = scene.id16(attached.to)?;
    Some(Component::Attached { entity: holder, side: attached.side as u8 })
}

fn portrait(components: impl Iterator<Item = Component>) -> Portrait {
    let mut portrait = [None; ComponentName::ALL.len()];
    for component in components {
        portrait[component.name() as usize] = Some(component);
    }
    portrait
}
