//! The inputs of one player that wait for their tick: one a tick, in sequence, each once.
//!
//! A client may say what it likes as often as it likes: a tick never has more than one input, so nobody flies faster than
//! the rules allow. When too many wait, two become one, and no tap is lost.

use std::collections::VecDeque;

use game::{Buttons, Input};

/// More than this many waiting: two are carried out in one tick.
pub const WAITING_MAX: usize = 6;
/// No more than this many wait; a client says them again.
pub const QUEUE_MAX: usize = 32;
/// A client that jumps further ahead than this is not counting.
pub const JUMP_MAX: u32 = 600;
/// Ticks for which an input that is over is repeated when none comes; then the player lets go of everything.
pub const REPEATS_MAX: u8 = 30;

/// The inputs of one player.
#[derive(Debug, Default)]
pub struct InputQueue {
    waiting: VecDeque<(u32, Input)>,
    /// The sequence of the input that was carried out last.
    applied: Option<u32>,
    held: Buttons,
    /// Ticks in a row for which there was none.
    starved: u8,
}

impl InputQueue {
    /// The number of the input of which these are the low bits, as near as may be to what is awaited.
    pub fn widen(&self, low: u16) -> u32 {
        let awaited = self.newest().map_or(u32::from(low), |newest| newest.wrapping_add(1));
        awaited.wrapping_add(i32::from((low.wrapping_sub(awaited as u16)) as i16) as u32)
    }

    /// Takes an input, unless it is old, a repeat, or too far ahead.
    pub fn push(&mut self, sequence: u32, input: Input) {
        let is_next = self.newest().is_none_or(|newest| (1..=JUMP_MAX).contains(&sequence.wrapping_sub(newest)));
        if is_next && self.waiting.len() < QUEUE_MAX {
            self.waiting.push_back((sequence, input));
        }
    }

    /// Whether any input has come yet.
    pub fn has_begun(&self) -> bool {
        self.newest().is_some()
    }

    /// What the player does in the next tick.
    pub fn take(&mut self) -> Input {
        let Some(mut input) = self.next() else {
            self.starved = self.starved.saturating_add(1);
            if self.starved > REPEATS_MAX {
                self.held = Buttons::NONE;
            }
            return Input::holding(self.held);
        };
        self.starved = 0;
        let before = self.held;
        if self.waiting.len() >= WAITING_MAX
            && let Some(second) = self.next()
        {
            input = merge(before, input, second);
        }
        self.held = input.held;
        input
    }

    /// The sequence of the input that was carried out last.
    pub fn applied(&self) -> u32 {
        self.applied.unwrap_or_default()
    }

    /// How many wait.
    pub fn length(&self) -> usize {
        self.waiting.len()
    }

    /// How many wait; negative: for how many ticks there was none.
    pub fn waiting(&self) -> i8 {
        if self.starved > 0 { -(self.starved.min(8) as i8) } else { self.waiting.len().min(7) as i8 }
    }

    fn next(&mut self) -> Option<Input> {
        let (sequence, input) = self.waiting.pop_front()?;
        self.applied = Some(sequence);
        Some(input)
    }

    fn newest(&self) -> Option<u32> {
        self.waiting.back().map(|(sequence, _)| *sequence).or(self.applied)
    }
}

/// Two inputs in one tick: what was held only in the first was pressed.
fn merge(before: Buttons, first: Input, second: Input) -> Input {
    let went_down = Buttons::from_bits(first.held.bits() & !before.bits());
    Input { held: second.held, pressed: first.pressed | second.pressed | went_down }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn queue(inputs: impl IntoIterator<Item = (u32, Input)>) -> InputQueue {
        let mut queue = InputQueue::default();
        inputs.into_iter().for_each(|(sequence, input)| queue.push(sequence, input));
        queue
    }

    #[test]
    fn v5_one_input_a_tick_in_sequence_and_each_once() {
        let mut queue = queue([(5, Input::tapping(Buttons::FIRE)), (6, Input::holding(Buttons::UP))]);
        queue.push(5, Input::tapping(Buttons::FORCE));
        queue.push(6, Input::tapping(Buttons::FORCE));
        assert_eq!(queue.take(), Input::tapping(Buttons::FIRE));
        assert_eq!((queue.applied(), queue.waiting()), (5, 1));
        assert_eq!(queue.take(), Input::holding(Buttons::UP));
        queue.push(4, Input::tapping(Buttons::FORCE));
        assert_eq!(queue.take(), Input::holding(Buttons::UP), "starved: what was held is repeated");
        assert_eq!((queue.applied(), queue.waiting()), (6, -1));
    }

    #[test]
    fn v5_a_press_is_not_repeated_and_after_half_a_second_nothing_is_held() {
        let both = Input { held: Buttons::LEFT, pressed: Buttons::FIRE };
        let mut queue = queue([(1, both)]);
        assert_eq!(queue.take(), both);
        for _ in 0..REPEATS_MAX {
            assert_eq!(queue.take(), Input::holding(Buttons::LEFT));
        }
        assert_eq!(queue.take(), Input::IDLE);
        assert_eq!(queue.waiting(), -8);
    }

    #[test]
    fn v5_a_flood_is_merged_two_by_two_and_no_tap_is_lost() {
        let mut queue = queue((1..=20).map(|sequence| (sequence, Input::tapping(Buttons::FIRE))));
        queue.waiting[0].1 = Input::holding(Buttons::RIGHT);
        let first = queue.take();
        assert_eq!(first.pressed, Buttons::FIRE | Buttons::RIGHT);
        let ticks = 1 + (0..).take_while(|_| queue.take().pressed == Buttons::FIRE).count();
        assert_eq!(ticks, 13, "7 ticks of two each, then one by one");
        assert_eq!(queue.applied(), 20);
    }

    #[test]
    fn v5_who_sends_without_end_or_jumps_ahead_gains_nothing() {
        let mut queue = queue((1..=10_000).map(|sequence| (sequence, Input::holding(Buttons::UP))));
        assert_eq!(queue.waiting.len(), QUEUE_MAX);
        queue.push(5_000_000, Input::IDLE);
        assert_eq!(queue.newest(), Some(QUEUE_MAX as u32));
    }

    #[test]
    fn low_bits_are_widened_to_the_nearest_number() {
        let queue = queue([(0x1_fffe, Input::IDLE)]);
        assert_eq!(queue.widen(0xfffe), 0x1_fffe);
        assert_eq!(queue.widen(3), 0x2_0003);
        assert_eq!(InputQueue::default().widen(700), 700);
    }
}
