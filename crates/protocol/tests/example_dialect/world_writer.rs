//! A Frame as WORLDs: as many as it takes, none too long, their memory used again in the next tick.

use game::Seat;

use super::wire::{DATAGRAM_MAX_BYTES, ENTITY_BYTES, PARTS_MAX, Part, write_entity};
use crate::Scene;

/// Entities that have room in one datagram behind its head, which is far below 200 bytes.
const ENTITIES_EACH: usize = (DATAGRAM_MAX_BYTES - 200) / ENTITY_BYTES;

/// The WORLDs of the newest Frame that have not been sent.
#[derive(Debug, Default)]
pub(super) struct WorldWriter {
    number: u32,
    datagrams: Vec<Vec<u8>>,
    /// Of these datagrams, which is next.
    next: usize,
    count: usize,
}

impl WorldWriter {
    /// Writes a Frame, in place of one that was not sent.
    pub fn write(&mut self, seat: Seat, scene: &Scene) {
        let frame = &scene.frame;
        let visible = &frame.entities[..frame.entities.len().min(ENTITIES_EACH * usize::from(PARTS_MAX))];
        self.number = self.number.wrapping_add(1);
        (self.next, self.count) = (0, visible.len().div_ceil(ENTITIES_EACH).max(1));
        self.datagrams.resize_with(self.datagrams.len().max(self.count), Vec::new);
        let lives = frame.players.map(|player| player.map(|player| player.lives));
        for (index, datagram) in self.datagrams[..self.count].iter_mut().enumerate() {
            datagram.clear();
            let (part, parts, entities) = (index as u8, self.count as u8, Vec::new());
            let (state, score) = (frame.state, frame.score);
            Part { number: self.number, part, parts, seat, state, score, lives, entities }.write_head(datagram);
            let those = visible.iter().skip(index * ENTITIES_EACH).take(ENTITIES_EACH);
            those.for_each(|entity| write_entity(entity, datagram));
        }
    }

    /// Takes out the next datagram.
    pub fn poll(&mut self, buffer: &mut Vec<u8>) -> bool {
        let is_left = self.next < self.count;
        if is_left {
            buffer.extend_from_slice(&self.datagrams[self.next]);
            self.next += 1;
        }
        is_left
    }
}
