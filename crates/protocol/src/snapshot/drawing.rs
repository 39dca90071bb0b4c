//! The SNAPSHOT of a lobby's newest Frame, drawn once for all: its header alone is each session's own.

use std::sync::Arc;

use game::{Class, Entity};

use super::{
    priority::Priority,
    sprite,
    wire::{Header, SnapshotWriter},
};
use crate::{NarrowIds, Scale, Scene};

/// A SNAPSHOT under no header of anybody's. Nobody who has taken it holds it for longer than a tick.
pub(super) type Picture = Arc<Vec<u8>>;

/// The newest SNAPSHOT at one scale.
#[derive(Clone, Debug, Default)]
pub(crate) struct Drawing {
    /// The update of the scene that it shows.
    update: Option<u64>,
    picture: Picture,
    /// Memory for the next.
    order: Priority,
}

impl Drawing {
    /// That of a scene, drawn now if nobody has yet.
    pub(super) fn of(scene: &Scene, scale: Scale) -> Picture {
        scene.shared_at(scale, Drawing::default, |drawing| {
            if drawing.update.replace(scene.updates()) != Some(scene.updates()) {
                drawing.draw(scene, scale);
            }
            Arc::clone(&drawing.picture)
        })
    }

    /// The most important entities first.
    fn draw(&mut self, scene: &Scene, scale: Scale) {
        let snapshot = Arc::make_mut(&mut self.picture);
        snapshot.clear();
        let mut writer = SnapshotWriter::begin(Header { packet_id: 0, timestamp: 0 }, snapshot);
        let ids = scene.ids8();
        let visible = self.order.of(&scene.frame);
        let mut drawn = visible.filter_map(|entity| Some(sprite::draw(entity, id_of(entity, &ids)?, scale)));
        // The first that does not fit ends it: nothing less important takes its place (S6).
        while drawn.next().is_some_and(|entity| writer.push(&entity)) {}
    }
}

/// A ship's Entity ID is its Player ID (ruling S9).
fn id_of(entity: &Entity, others: &NarrowIds) -> Option<u8> {
    match (entity.kind.class(), entity.seat) {
        (Class::Player, Some(seat)) => Some(seat.number()),
        _ => others.get(entity.id).map(|id| id as u8),
    }
}
