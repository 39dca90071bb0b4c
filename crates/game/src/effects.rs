//! Explosions: they move with the terrain, and end after a while.

use borsh::{BorshDeserialize, BorshSerialize};

use crate::{EntityId, Kind, Vec2, World};

/// Something to look at.
#[derive(Clone, Debug, PartialEq, Eq, BorshSerialize, BorshDeserialize)]
pub(crate) struct Effect {
    pub id: EntityId,
    pub kind: Kind,
    pub position: Vec2,
    /// Steps until it is over.
    pub life: u16,
}

/// Moves explosions by one step.
pub(crate) fn fly(world: &mut World) {
    for effect in &mut world.state.effects {
        effect.life = effect.life.saturating_sub(1);
        effect.position.x -= world.state.scrolled;
    }
}
