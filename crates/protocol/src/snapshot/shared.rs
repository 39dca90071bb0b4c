//! The SNAPSHOT of a lobby's newest Frame, written once for all sessions: only the header is each session's own.

use std::sync::Arc;

use game::{Class, Entity};

use super::{
    entity,
    priority::Priority,
    wire::{Header, SnapshotWriter},
};
use crate::{NarrowIds, Scale, Scene};

/// A SNAPSHOT with a header that each session replaces. No session holds it for longer than a tick.
pub(super) type SnapshotBytes = Arc<Vec<u8>>;

/// The newest SNAPSHOT at one scale.
#[derive(Clone, Debug, Default)]
pub(crate) struct SharedSnapshot {
    /// The update of the scene that it shows.
    update: Option<u64>,
    bytes: SnapshotBytes,
    /// Memory for the next.
    order: Priority,
}

impl SharedSnapshot {
    /// The SNAPSHOT of a scene, written now unless another session had it written.
    pub(super) fn of(scene: &Scene, scale: Scale) -> SnapshotBytes {
        scene.shared_at(scale, SharedSnapshot::default, |shared| {
            if shared.update.replace(scene.updates()) != Some(scene.updates()) {
                shared.write(scene, scale);
            }
            Arc::clone(&shared.bytes)
        })
    }

    /// The most important entities first.
    fn write(&mut self, scene: &Scene, scale: Scale) {
        let snapshot = Arc::make_mut(&mut self.bytes);
        snapshot.clear();
        let mut writer = SnapshotWriter::begin(Header { packet_id: 0, timestamp: 0 }, snapshot);
        let ids = scene.ids8();
        let visible = self.order.of(&scene.frame);
        let mut written = visible.filter_map(|entity| Some(entity::write(entity, id_of(entity, &ids)?, scale)));
        // The first that does not fit ends it: nothing less important takes its place (S6).
        while written.next().is_some_and(|entity| writer.push(&entity)) {}
    }
}

/// A ship's Entity ID is its Player ID (ruling S9).
fn id_of(entity: &Entity, others: &NarrowIds) -> Option<u8> {
    match (entity.kind.class(), entity.seat) {
        (Class::Player, Some(seat)) => Some(seat.number()),
        _ => others.get(entity.id).map(|id| id as u8),
    }
}
