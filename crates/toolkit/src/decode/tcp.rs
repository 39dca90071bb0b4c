//! One direction of a TCP connection, put in order: late, repeated and overlapping segments become a stream.

use std::collections::BTreeMap;

/// What may wait for something that is missing. More, and what is missing is given up: it was not captured.
const WAITING_MAX_BYTES: usize = 1 << 20;

/// What has come of one direction.
#[derive(Debug, Default)]
pub struct OrderedBytes {
    /// The sequence number of the next byte, once one is known.
    next: Option<u32>,
    /// Bytes that came too early, by how far they are ahead of `next`'s place in the stream.
    waiting: BTreeMap<u64, Vec<u8>>,
    waiting_bytes: usize,
    /// Bytes of the stream before `next`.
    taken: u64,
}

/// What a segment brings.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Arrived {
    /// The next bytes of the stream.
    pub bytes: Vec<u8>,
    /// How many bytes before them were never captured.
    pub missing: u64,
}

impl OrderedBytes {
    /// Takes a segment. `is_first`: its number is one before that of the first byte.
    pub fn take(&mut self, sequence: u32, is_first: bool, bytes: &[u8]) -> Arrived {
        let start = sequence.wrapping_add(is_first.into());
        let next = *self.next.get_or_insert(start);
        let ahead = start.wrapping_sub(next).cast_signed();
        let Some(fresh) = fresh(ahead, bytes) else { return Arrived::default() };
        if ahead <= 0 {
            let mut arrived = Arrived::default();
            self.append(fresh, &mut arrived);
            self.append_waiting(&mut arrived);
            return arrived;
        }
        let place = self.taken + u64::from(ahead.unsigned_abs());
        let is_longer = self.waiting.get(&place).is_none_or(|known| known.len() < fresh.len());
        if is_longer && !fresh.is_empty() {
            self.waiting_bytes += fresh.len();
            if let Some(shorter) = self.waiting.insert(place, fresh.to_vec()) {
                self.waiting_bytes -= shorter.len();
            }
        }
        if self.waiting_bytes > WAITING_MAX_BYTES { self.give_up() } else { Arrived::default() }
    }

    /// What waits when the capture ends, behind what is missing.
    pub fn give_up(&mut self) -> Arrived {
        let mut arrived = Arrived::default();
        if let Some((&place, _)) = self.waiting.first_key_value() {
            arrived.missing = place.saturating_sub(self.taken);
            self.next = self.next.map(|next| next.wrapping_add(arrived.missing as u32));
            self.taken += arrived.missing;
            self.append_waiting(&mut arrived);
        }
        arrived
    }

    fn append(&mut self, bytes: &[u8], arrived: &mut Arrived) {
        arrived.bytes.extend_from_slice(bytes);
        self.taken += bytes.len() as u64;
        // A segment has fewer bytes than numbers there are.
        self.next = self.next.map(|next| next.wrapping_add(bytes.len() as u32));
    }

    fn append_waiting(&mut self, arrived: &mut Arrived) {
        while let Some(entry) = self.waiting.first_entry().filter(|entry| *entry.key() <= self.taken) {
            let (place, bytes) = entry.remove_entry();
            self.waiting_bytes -= bytes.len();
            let known = usize::try_from(self.taken - place).unwrap_or(usize::MAX);
            if let Some(fresh) = bytes.get(known..) {
                self.append(fresh, arrived);
            }
        }
    }
}

/// What of a segment is not behind us.
fn fresh(ahead: i32, bytes: &[u8]) -> Option<&[u8]> {
    if ahead >= 0 { Some(bytes) } else { bytes.get(ahead.unsigned_abs() as usize..) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bytes(arrived: Arrived) -> Vec<u8> {
        assert_eq!(arrived.missing, 0);
        arrived.bytes
    }

    #[test]
    fn late_repeated_and_overlapping_segments_become_a_stream() {
        let mut direction = OrderedBytes::default();
        let start = u32::MAX - 1;
        assert_eq!(bytes(direction.take(start, true, b"")), b"");
        assert_eq!(bytes(direction.take(start.wrapping_add(1), false, b"ab")), b"ab");
        assert_eq!(
            bytes(direction.take(start.wrapping_add(5), false, b"ef")),
            b"",
            "too early, and the number wrapped"
        );
        assert_eq!(bytes(direction.take(start.wrapping_add(1), false, b"ab")), b"", "again");
        assert_eq!(bytes(direction.take(start.wrapping_add(2), false, b"bcde")), b"cdef");
    }

    #[test]
    fn what_was_not_captured_is_counted() {
        let mut direction = OrderedBytes::default();
        direction.take(0, true, b"");
        direction.take(11, false, b"k");
        assert_eq!(direction.give_up(), Arrived { bytes: b"k".to_vec(), missing: 10 });
        assert_eq!(direction.give_up(), Arrived::default());
    }

    #[test]
    fn a_hole_does_not_fill_the_memory() {
        let mut direction = OrderedBytes::default();
        direction.take(0, true, b"");
        let missing: u64 = (0..3000_u32).map(|index| direction.take(2 + index * 1000, false, &[7; 1000]).missing).sum();
        assert_eq!(missing, 1);
        assert!(direction.waiting_bytes <= WAITING_MAX_BYTES);
    }
}
