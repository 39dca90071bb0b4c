//! Instructions on their way out, packed into as few datagrams as hold them whole (rulings T3 and C2).

use super::wire::{DATAGRAM_MAX_BYTES, Instruction};

/// What a peer is to be sent in this tick. Its memory is used again.
#[derive(Debug, Default)]
pub(super) struct Outbox {
    bytes: Vec<u8>,
    /// Where each datagram but the last ends.
    ends: Vec<usize>,
    /// Datagrams taken out.
    taken: usize,
}

impl Outbox {
    /// Drops what was not taken out: who could not send it in its tick lost it, as the network might have.
    pub fn clear(&mut self) {
        self.bytes.clear();
        self.ends.clear();
        self.taken = 0;
    }

    /// Appends an instruction, in a new datagram if the last is full.
    pub fn push(&mut self, instruction: &Instruction) {
        let end = self.bytes.len();
        instruction.write(&mut self.bytes);
        let start = self.ends.last().copied().unwrap_or(0);
        if self.bytes.len() - start > DATAGRAM_MAX_BYTES {
            self.ends.push(end);
        }
    }

    /// Copies the next datagram out. False: there is none.
    pub fn take(&mut self, buffer: &mut Vec<u8>) -> bool {
        let boundary = |index: usize| self.ends.get(index).copied().unwrap_or(self.bytes.len());
        let start = self.taken.checked_sub(1).map_or(0, boundary);
        let datagram = &self.bytes[start..boundary(self.taken)];
        if datagram.is_empty() {
            return false;
        }
        buffer.extend_from_slice(datagram);
        self.taken += 1;
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn take_all(outbox: &mut Outbox) -> Vec<Vec<u8>> {
        let mut datagrams = Vec::new();
        let mut buffer = Vec::new();
        while outbox.take(&mut buffer) {
            datagrams.push(std::mem::take(&mut buffer));
        }
        datagrams
    }

    #[test]
    fn c2_t3_datagrams_are_full_but_never_above_the_limit_and_hold_whole_instructions() {
        let mut outbox = Outbox::default();
        assert!(take_all(&mut outbox).is_empty());
        for entity_id in 0..801 {
            outbox.push(&Instruction::CreateEntity { entity_id });
        }
        let datagrams = take_all(&mut outbox);
        assert_eq!(datagrams.iter().map(Vec::len).collect::<Vec<_>>(), [1200, 1200, 3]);
        assert_eq!(datagrams[1][..3], [0, 1, 0x90]);
        assert!(take_all(&mut outbox).is_empty(), "each is given out once");
        outbox.clear();
        outbox.push(&Instruction::DeleteEntity { entity_id: 7 });
        assert_eq!(take_all(&mut outbox), [[1, 0, 7]]);
    }

    #[test]
    fn what_was_not_taken_is_dropped_with_the_next_tick() {
        let mut outbox = Outbox::default();
        outbox.push(&Instruction::CreateEntity { entity_id: 1 });
        outbox.clear();
        assert!(take_all(&mut outbox).is_empty());
    }
}
