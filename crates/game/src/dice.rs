//! Random numbers from a seed: SplitMix64, whose whole state is one number. A world uses nothing else; nodes and bots
//! use it too.

use borsh::{BorshDeserialize, BorshSerialize};

/// A seeded sequence of numbers.
#[derive(Clone, Debug, PartialEq, Eq, BorshSerialize, BorshDeserialize)]
pub struct Dice(u64);

impl Dice {
    /// The sequence of that seed.
    pub fn new(seed: u64) -> Dice {
        Dice(seed)
    }

    /// A number below `sides`; 0 if there are no sides.
    pub fn below(&mut self, sides: u32) -> u32 {
        (((self.bits() >> 32) * u64::from(sides)) >> 32) as u32
    }

    /// A number from `low` to `high`, both included.
    pub fn between(&mut self, low: i32, high: i32) -> i32 {
        low + self.below((high - low + 1).max(0) as u32) as i32
    }

    /// One of `choices`, which must not be empty.
    pub fn pick<T: Copy>(&mut self, choices: &[T]) -> T {
        choices[self.below(choices.len() as u32) as usize]
    }

    /// The next 64 bits.
    pub fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_sequence_is_that_of_splitmix64() {
        // The published first outputs for the seed 1234567.
        let mut dice = Dice::new(1_234_567);
        assert_eq!(
            [dice.bits(), dice.bits(), dice.bits()],
            [6457827717110365317, 3203168211198807973, 9817491932198370423]
        );
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
