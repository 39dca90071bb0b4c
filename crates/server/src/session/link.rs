//! What a session has besides if it came over a link.
//!
//! The shard that accepted the link numbers what the peer says over its stream. The pieces may take different ways, because the
//! session may have moved to a lobby of another shard.

use std::collections::BTreeMap;

use game::ShipModel;

/// A numbered piece of a link's stream. An empty one is its end.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct StreamPiece {
    pub number: u32,
    pub bytes: Box<[u8]>,
}

/// What a link's session has besides.
#[derive(Default)]
pub(crate) struct LinkState {
    /// The name that its player chose.
    pub name: String,
    /// The ship that its player chose.
    pub ship: Option<ShipModel>,
    next: u32,
    early: BTreeMap<u32, Box<[u8]>>,
}

impl LinkState {
    /// A piece of the stream has come.
    pub fn add_piece(&mut self, piece: StreamPiece) {
        self.early.insert(piece.number, piece.bytes);
    }

    /// The piece whose turn it is, if it has come.
    pub fn next_piece(&mut self) -> Option<Box<[u8]>> {
        let piece = self.early.remove(&self.next)?;
        self.next += 1;
        Some(piece)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pieces_are_heard_in_order_however_they_come() {
        let mut link = LinkState::default();
        link.add_piece(StreamPiece { number: 1, bytes: [1].into() });
        assert_eq!(link.next_piece(), None);
        link.add_piece(StreamPiece { number: 0, bytes: [0].into() });
        let heard: Vec<Box<[u8]>> = std::iter::from_fn(|| link.next_piece()).collect();
        assert_eq!(heard, [Box::from([0]), Box::from([1])]);
    }
}
