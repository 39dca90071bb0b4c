//! The last Frames that one end knows the other to have, or may have, by their numbers.

use std::collections::VecDeque;

use super::wire::snapshot::{DISTANCE_MAX, Shown};

/// Frames by their numbers, the oldest first.
#[derive(Debug, Default)]
pub struct FrameHistory {
    frames: VecDeque<(u16, Shown)>,
}

impl FrameHistory {
    /// Keeps one more. What is too old to differ from goes.
    pub fn push(&mut self, number: u16, shown: Shown) {
        self.frames.push_back((number, shown));
        while self.frames.front().is_some_and(|(old, _)| number.wrapping_sub(*old) > DISTANCE_MAX) {
            self.frames.pop_front();
        }
    }

    pub fn get(&self, number: u16) -> Option<&Shown> {
        self.frames.iter().find(|(own, _)| *own == number).map(|(_, shown)| shown)
    }

    /// Forgets all before that number, which will not be needed again.
    pub fn forget_before(&mut self, number: u16) {
        while self.frames.front().is_some_and(|(old, _)| is_newer(number, *old)) {
            self.frames.pop_front();
        }
    }
}

/// How many Frames before the newest one are still spoken of.
const REMEMBERED: u16 = 32;

/// The first number that counts, after a newer Frame has come. It follows the newest: numbers wrap, and one that is half of them
/// away would be newer again.
pub fn later_from(from: u16, newest: u16) -> u16 {
    if newest.wrapping_sub(from) > REMEMBERED { newest.wrapping_sub(REMEMBERED) } else { from }
}

/// Whether a number is newer than another; numbers wrap.
pub fn is_newer(number: u16, other: u16) -> bool {
    (number.wrapping_sub(other) as i16) > 0
}
