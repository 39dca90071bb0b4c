//! Puts an initialisation together that is too long for one datagram (ruling T2).
//!
//! Its parts carry no numbers. They come one after the other, so a lost one shows only at the end, where the whole is
//! checked; then the next hello brings all of them again.

use super::{
    component::ComponentTable,
    wire::{DATAGRAM_MAX_BYTES, Initialisation},
};
use crate::InitialisationFault;

/// The bytes of count and maximum length, which tell the size of the whole.
const START_BYTES: usize = 3;

/// The parts so far: at most the longest initialisation that we take, and one datagram more.
#[derive(Debug, Default)]
pub(super) struct InitialisationParts {
    bytes: Vec<u8>,
    /// What was wrong with what came last.
    fault: Option<InitialisationFault>,
}

impl InitialisationParts {
    /// Takes a datagram that is not a whole initialisation. The table, once the parts make one.
    pub fn add(&mut self, datagram: &[u8]) -> Option<ComponentTable> {
        // The same start again: the server answers another hello.
        if self.bytes.is_empty() || datagram.get(..START_BYTES) == self.bytes.get(..START_BYTES) {
            if !self.bytes.is_empty() {
                self.fault = Some(InitialisationFault::MissingPart);
            }
            self.bytes.clear();
            if !is_first_part(datagram) {
                self.fault = Some(Initialisation::diagnose(datagram));
                return None;
            }
        }
        self.bytes.extend_from_slice(datagram);
        match Initialisation::size(&self.bytes) {
            Ok(Some(size)) if self.bytes.len() < size => return None,
            Ok(_) | Err(_) => {}
        }
        let table = Initialisation::read(&self.bytes).ok().map(|whole| ComponentTable::new(&whole));
        if table.is_none() {
            self.fault = Some(Initialisation::diagnose(&self.bytes));
        }
        self.bytes.clear();
        table
    }

    /// What was wrong with what came last, if anything was.
    pub fn fault(&self) -> Option<InitialisationFault> {
        self.fault
    }
}

/// Whether a datagram begins an initialisation that needs more than one. Instructions do not look like it: where a name
/// would begin they have an opcode or the high byte of a component_id, and both are below any letter.
fn is_first_part(datagram: &[u8]) -> bool {
    let begins_name = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.');
    let is_longer = |size: Option<usize>| size.is_some_and(|size| size > DATAGRAM_MAX_BYTES.max(datagram.len()));
    Initialisation::size(datagram).is_ok_and(is_longer) && datagram.get(START_BYTES).is_some_and(begins_name)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::typeuh::component::ComponentName;

    /// 200 names of 10 bytes; the last is one that we know.
    fn long() -> Vec<u8> {
        let mut bytes = vec![0, 200, 10];
        for number in 0..199 {
            bytes.extend(format!("{number:010}").bytes());
        }
        bytes.extend(b"Score\0\0\0\0\0\xff\xff");
        bytes
    }

    #[test]
    fn t2_a_long_initialisation_is_put_together_from_consecutive_datagrams() {
        let whole = long();
        let mut parts = InitialisationParts::default();
        assert_eq!(parts.add(&whole[..1200]), None);
        let table = parts.add(&whole[1200..]).expect("whole now");
        assert_eq!(table.name(199), Some(ComponentName::Score));
    }

    #[test]
    fn t2_after_a_lost_part_the_next_answer_is_put_together() {
        let whole = long();
        let mut parts = InitialisationParts::default();
        assert_eq!(parts.add(&whole[1200..]), None, "the first part was lost");
        assert_eq!(parts.add(&whole[..800]), None);
        assert_eq!(parts.add(&whole[1600..]), None, "a part between was lost");
        assert_eq!(parts.add(&whole[..1200]), None);
        assert!(parts.add(&whole[1200..]).is_some());
        let mut broken = whole.clone();
        broken[1999] = b' ';
        assert_eq!(parts.add(&broken[..1200]), None);
        assert_eq!(parts.add(&broken[1200..]), None, "no character of a name");
        assert!(parts.bytes.is_empty());
    }

    #[test]
    fn instructions_are_never_taken_for_a_part() {
        let mut parts = InitialisationParts::default();
        for datagram in [&[3, 5, 6, 0, 0, 1, 2][..], &[0, 5, 200, 3, 5, 200], &[2, 9, 9, 0, 11], &[], &[1, 1]] {
            assert_eq!(parts.add(datagram), None);
            assert!(parts.bytes.is_empty(), "{datagram:?}");
        }
    }

    #[test]
    fn a_server_that_never_ends_its_initialisation_does_not_fill_our_memory() {
        let mut parts = InitialisationParts::default();
        parts.add(&[0xff, 0xfb, 1, b'a']);
        for _ in 0..200 {
            parts.add(&[b'a'; 1000]);
            assert!(parts.bytes.len() <= super::super::wire::INITIALISATION_MAX_BYTES + 1000);
        }
    }
}
