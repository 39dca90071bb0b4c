//! Datagrams that a system was given at once: captured before it has cut them apart, they look like a long one.
//!
//! A program that sends many equal datagrams hands them over in one call, and on a loopback nobody cuts them. All of them have the same size
//! but the last, which may be shorter. Our own node and bots do so.

use protocol::{
    Dialect,
    field_table::{FieldValue, Sender, Visitor, WalkMemory},
};

/// The longest datagram that is looked for: what an Ethernet carries.
const SEGMENT_MAX_BYTES: usize = 1472;

struct Ignore;

impl Visitor<'_> for Ignore {
    fn value(&mut self, _told: FieldValue) {}
}

/// The size of each of the datagrams that these bytes are, if they are more than one.
pub fn segment_size(dialect: Dialect, sender: Sender, bytes: &[u8]) -> Option<usize> {
    let table = dialect.entry().fields;
    let is_whole = |part: &[u8]| {
        let mut memory = WalkMemory::default();
        table.read_datagram(sender, part, &mut memory, &mut Ignore).is_ok()
    };
    let longest = SEGMENT_MAX_BYTES.min(bytes.len().saturating_sub(1));
    (1..=longest).find(|size| bytes.chunks(*size).all(is_whole))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn datagrams_that_were_sent_at_once_are_told_apart_and_a_broken_one_is_not() {
        let input = |number: u8| vec![1, 0, number, 0, 0, 0, 0, 2, 0x26, 1];
        let at_once = [input(1), input(2), input(3)].concat();
        assert_eq!(segment_size(Dialect::Snapshot, Sender::Client, &at_once), Some(10));
        assert_eq!(segment_size(Dialect::Snapshot, Sender::Client, &at_once[..29]), None);
        assert_eq!(segment_size(Dialect::Snapshot, Sender::Client, &[]), None);
    }
}
