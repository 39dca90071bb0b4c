//! The world's only source of chance: SplitMix64, whose whole state is one saved number.

use borsh::{BorshDeserialize, BorshSerialize};

/// A seeded sequence of numbers.
#[derive(Clone, Debug, PartialEq, Eq, BorshSerialize, BorshDeserialize)]
pub(crate) struct Dice(u64);

impl Dice {
    pub(crate) fn new(seed: u64) -> Dice {
        Dice(seed)
    }

    /// A number below `sides`; 0 if there are no sides.
    pub(crate) fn below(&mut self, sides: u32) -> u32 {
        ((u64::from(self.roll()) * u64::from(sides)) >> 32) as u32
    }

    /// A number from `low` to `high`, both included.
    pub(crate) fn between(&mut self, low: i32, high: i32) -> i32 {
        low + self.below((high - low + 1).max(0) as u32) as i32
    }

    /// One of `choices`, which must not be empty.
    pub(crate) fn pick<T: Copy>(&mut self, choices: &[T]) -> T {
        choices[self.below(choices.len() as u32) as usize]
    }

    fn roll(&mut self) -> u32 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((mixed ^ (mixed >> 31)) >> 32) as u32
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_sequence_is_that_of_splitmix64() {
        // The upper halves of the published first outputs for the seed 1234567.
        let mut dice = Dice::new(1_234_567);
        let rolls: Vec<u32> = (0..3).map(|_| dice.roll()).collect();
        assert_eq!(rolls, [6457827717110365317u64, 3203168211198807973, 9817491932198370423].map(|n| (n >> 32) as u32));
    }

    #[test]
    fn rolls_stay_between_their_bounds_and_reach_both() {
        let mut dice = Dice::new(7);
        let rolls: Vec<i32> = (0..500).map(|_| dice.between(-2, 2)).collect();
        assert!(rolls.iter().all(|roll| (-2..=2).contains(roll)));
        assert!(rolls.contains(&-2) && rolls.contains(&2));
        assert_eq!(dice.below(0), 0);
    }
}
