//! The SNAPSHOT of a lobby's newest Frame, written once for all sessions: only the header is each session's own.

use std::sync::Arc;

use game::{Class, Entity, EntityId, Frame};

use super::{
    entity,
    priority::Priority,
    wire::{self, DATAGRAM_MAX_BYTES, Header, SnapshotWriter},
};
use crate::{NarrowIds, Scale, Scene, sheet::Sheet};

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
    effects: EffectAges,
}

/// How old explosions are: a Frame does not tell, and their pictures are shown once.
#[derive(Clone, Debug, Default)]
struct EffectAges {
    tick: u32,
    /// When each was first in a Frame.
    since: Vec<(EntityId, u32)>,
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

    fn write(&mut self, scene: &Scene, scale: Scale) {
        self.effects.update(&scene.frame);
        let snapshot = Arc::make_mut(&mut self.bytes);
        snapshot.clear();
        let mut writer = SnapshotWriter::begin(Header { packet_id: 0, timestamp: 0 }, snapshot);
        let ids = scene.ids8();
        // What waits for an id is not seen (C4).
        let mut push = |entity: &Entity| {
            let cell = Sheet(entity.kind).cell_of(entity, scene.frame.tick.0, self.effects.age(entity));
            id_of(entity, &ids).is_none_or(|id| writer.push(&entity::write(entity, cell, id, scale)))
        };
        if has_room_for_all(&scene.frame) {
            self.order.all(&scene.frame).for_each(|entity| _ = push(entity));
            return;
        }
        // The first that does not fit ends it: nothing less important takes its place (S6).
        let shown = self.order.of(&scene.frame).take_while(|entity| push(entity)).count();
        self.order.note_shown(&scene.frame, shown);
    }
}

fn has_room_for_all(frame: &Frame) -> bool {
    let bytes: usize =
        frame.entities.iter().map(|entity| wire::Entity::size_with_path(entity::sprite_path(entity))).sum();
    Header::BYTES + bytes <= DATAGRAM_MAX_BYTES
}

impl EffectAges {
    fn update(&mut self, frame: &Frame) {
        self.tick = frame.tick.0;
        self.since.retain(|&(id, _)| frame.entity(id).is_some());
        for effect in frame.entities.iter().filter(|entity| entity.kind.class() == Class::Effect) {
            if self.since.iter().all(|&(id, _)| id != effect.id) {
                self.since.push((effect.id, frame.tick.0));
            }
        }
    }

    /// In ticks; 0 for what is not an effect.
    fn age(&self, entity: &Entity) -> u32 {
        let is_effect = entity.kind.class() == Class::Effect;
        let since = self.since.iter().find(|&&(known, _)| is_effect && known == entity.id);
        since.map_or(0, |&(_, since)| self.tick.wrapping_sub(since))
    }
}

/// A ship's Entity ID is its Player ID (ruling S9).
fn id_of(entity: &Entity, others: &NarrowIds) -> Option<u8> {
    match (entity.kind.class(), entity.seat) {
        (Class::Player, Some(seat)) => Some(seat.number()),
        _ => others.get(entity.id).map(|id| id as u8),
    }
}
