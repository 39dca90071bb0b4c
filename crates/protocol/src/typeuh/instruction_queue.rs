//! Instructions on their way out, packed into as few datagrams as hold them whole (rulings T3 and C2).

use game::Seat;

use super::wire::{DATAGRAM_MAX_BYTES, Instruction};

/// Instructions that are the same for all players of a lobby, but for some that are one player's alone.
#[derive(Clone, Debug, Default)]
pub(super) struct Lines {
    bytes: Vec<u8>,
    /// Where each ends, and whose alone it is.
    ends: Vec<(usize, Option<Seat>)>,
}

impl Lines {
    pub fn clear(&mut self) {
        self.bytes.clear();
        self.ends.clear();
    }

    /// Appends an instruction for all.
    pub fn push(&mut self, instruction: &Instruction) {
        self.push_only(None, instruction);
    }

    /// Appends an instruction for one player alone, if there is one.
    pub fn push_only(&mut self, only: Option<Seat>, instruction: &Instruction) {
        instruction.write(&mut self.bytes);
        self.ends.push((self.bytes.len(), only));
    }
}

/// What a peer is to be sent in this tick. Its memory is used again.
#[derive(Debug, Default)]
pub(super) struct InstructionQueue {
    bytes: Vec<u8>,
    /// Where each datagram but the last ends.
    ends: Vec<usize>,
    /// Datagrams taken out.
    taken: usize,
}

impl InstructionQueue {
    /// Drops what was not taken out: what could not be sent in its tick is lost, as it might be on the network.
    pub fn clear(&mut self) {
        self.bytes.clear();
        self.ends.clear();
        self.taken = 0;
    }

    /// Appends what is for the player in that seat, each instruction in a new datagram if the last is full.
    pub fn append(&mut self, lines: &Lines, seat: Seat) {
        let mut start = 0;
        for &(end, only) in &lines.ends {
            if only.is_none_or(|only| only == seat) {
                self.push(&lines.bytes[start..end]);
            }
            start = end;
        }
    }

    fn push(&mut self, instruction: &[u8]) {
        let start = self.ends.last().copied().unwrap_or(0);
        if self.bytes.len() - start + instruction.len() > DATAGRAM_MAX_BYTES {
            self.ends.push(self.bytes.len());
        }
        self.bytes.extend_from_slice(instruction);
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

    fn lines(instructions: impl Iterator<Item = Instruction>) -> Lines {
        let mut lines = Lines::default();
        instructions.for_each(|instruction| lines.push(&instruction));
        lines
    }

    fn take_all(instructions: &mut InstructionQueue) -> Vec<Vec<u8>> {
        let mut datagrams = Vec::new();
        let mut buffer = Vec::new();
        while instructions.take(&mut buffer) {
            datagrams.push(std::mem::take(&mut buffer));
        }
        datagrams
    }

    #[test]
    fn c2_t3_datagrams_are_full_but_never_above_the_limit_and_hold_whole_instructions() {
        let mut instructions = InstructionQueue::default();
        assert!(take_all(&mut instructions).is_empty());
        let creations = (0..801).map(|entity_id| Instruction::CreateEntity { entity_id });
        instructions.append(&lines(creations), Seat::ALL[0]);
        let datagrams = take_all(&mut instructions);
        assert_eq!(datagrams.iter().map(Vec::len).collect::<Vec<_>>(), [1200, 1200, 3]);
        assert_eq!(datagrams[1][..3], [0, 1, 0x90]);
        assert!(take_all(&mut instructions).is_empty(), "each is given out once");
        instructions.clear();
        instructions.append(&lines(std::iter::once(Instruction::DeleteEntity { entity_id: 7 })), Seat::ALL[0]);
        assert_eq!(take_all(&mut instructions), [[1, 0, 7]]);
    }

    #[test]
    fn what_was_not_taken_is_dropped_with_the_next_tick() {
        let mut instructions = InstructionQueue::default();
        instructions.append(&lines(std::iter::once(Instruction::CreateEntity { entity_id: 1 })), Seat::ALL[0]);
        instructions.clear();
        assert!(take_all(&mut instructions).is_empty());
    }

    #[test]
    fn what_is_one_players_alone_is_said_to_nobody_else() {
        let mut lines = Lines::default();
        for (entity_id, only) in [(1, None), (2, Some(Seat::ALL[1])), (3, Some(Seat::ALL[2])), (4, None)] {
            lines.push_only(only, &Instruction::CreateEntity { entity_id });
        }
        let said = |seat: Seat| {
            let mut instructions = InstructionQueue::default();
            instructions.append(&lines, seat);
            take_all(&mut instructions).concat().chunks(3).map(|instruction| instruction[2]).collect::<Vec<u8>>()
        };
        assert_eq!(Seat::ALL.map(said), [vec![1, 4], vec![1, 2, 4], vec![1, 3, 4], vec![1, 4]]);
    }
}
