//! The client's queue (step 5, ruling A7): changes wait a little, so that they are shown evenly though they come
//! unevenly. It holds what was already confirmed to the server, so nothing in it may be lost.

use std::{collections::VecDeque, time::Duration};

use crate::Time;

/// Packets that wait. With more, the oldest is not kept waiting any longer.
const PACKETS_MAX: usize = 64;

/// Packets that wait for their moment.
#[derive(Debug, Default)]
pub(super) struct ChangeQueue {
    waiting: VecDeque<(Time, Vec<u8>)>,
    /// Memory for packets to come.
    spare: Vec<Vec<u8>>,
}

impl ChangeQueue {
    /// Puts a packet in.
    pub(super) fn push(&mut self, now: Time, packet: &[u8]) {
        let mut bytes = self.spare.pop().unwrap_or_default();
        bytes.clear();
        bytes.extend_from_slice(packet);
        self.waiting.push_back((now, bytes));
    }

    /// Takes out a packet that has waited for this long, or for which there is no room. Give it back when it is read.
    pub(super) fn pop(&mut self, now: Time, delay: Duration) -> Option<Vec<u8>> {
        let &(since, _) = self.waiting.front()?;
        let is_due = now.since(since) >= delay || self.waiting.len() > PACKETS_MAX;
        if !is_due {
            return None;
        }
        self.waiting.pop_front().map(|(_, packet)| packet)
    }

    /// Keeps the memory of a packet that was taken out.
    pub(super) fn give_back(&mut self, packet: Vec<u8>) {
        self.spare.push(packet);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a7_a_packet_waits_its_time_and_a_full_queue_loses_none() {
        let mut queue = ChangeQueue::default();
        let (start, delay) = (Time::from_micros(0), Duration::from_millis(30));
        for number in 0..100 {
            queue.push(start, &[number]);
        }
        let early: Vec<_> = std::iter::from_fn(|| queue.pop(start, delay)).flatten().collect();
        assert_eq!(early, (0..36).collect::<Vec<u8>>());
        assert_eq!(queue.pop(start + Duration::from_micros(29_999), delay), None);
        let due: Vec<_> = std::iter::from_fn(|| queue.pop(start + delay, delay)).flatten().collect();
        assert_eq!(due, (36..100).collect::<Vec<u8>>());
    }
}
