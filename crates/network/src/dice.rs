//! Chance under a seed: SplitMix64. Each fault of each direction has dice of its own, so that none shifts another's.

use crate::Chance;

/// A seeded sequence of numbers.
#[derive(Clone, Debug)]
pub struct Dice(u64);

impl Dice {
    /// The sequence for one purpose under a seed.
    pub fn new(seed: u64, purpose: u64) -> Dice {
        Dice(mix(seed, purpose))
    }

    pub fn happens(&mut self, chance: Chance) -> bool {
        self.below(1_000_000) < u64::from(chance.in_millionths())
    }

    /// A number below `sides`; 0 if there are no sides.
    pub fn below(&mut self, sides: u64) -> u64 {
        ((u128::from(self.bits()) * u128::from(sides)) >> 64) as u64
    }

    /// A number around 0 with a standard deviation of 1 that is nearly normal: twelve even ones, added. It lies
    /// between -6 and 6.
    pub fn normal(&mut self) -> f64 {
        let sixteenths = |bits: u64| (0..4).map(|part| (bits >> (16 * part)) & 0xffff).sum::<u64>();
        let sum: u64 = (0..3).map(|_| sixteenths(self.bits())).sum();
        (sum as f64 - 6.0 * 65_535.0) / 65_536.0
    }

    fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(STEP);
        scramble(self.0)
    }
}

const STEP: u64 = 0x9e37_79b9_7f4a_7c15;

/// A number that follows from two others, and looks like chance.
pub fn mix(seed: u64, number: u64) -> u64 {
    scramble(scramble(seed.wrapping_add(STEP)) ^ number.wrapping_mul(STEP))
}

fn scramble(mut bits: u64) -> u64 {
    bits = (bits ^ (bits >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    bits = (bits ^ (bits >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    bits ^ (bits >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_sequence_is_that_of_splitmix64() {
        // The published first outputs for the seed 1234567.
        let mut dice = Dice(1_234_567);
        assert_eq!([dice.bits(), dice.bits()], [6457827717110365317, 3203168211198807973]);
    }

    #[test]
    fn normal_numbers_have_mean_0_and_deviation_1() {
        let mut dice = Dice::new(5, 0);
        let numbers: Vec<f64> = (0..100_000).map(|_| dice.normal()).collect();
        let mean = numbers.iter().sum::<f64>() / 1e5;
        let variance = numbers.iter().map(|number| number * number).sum::<f64>() / 1e5;
        assert!(mean.abs() < 0.02 && (variance - 1.0).abs() < 0.02, "mean {mean}, variance {variance}");
        let beyond_two = numbers.iter().filter(|number| number.abs() > 2.0).count();
        assert!((4_000..5_000).contains(&beyond_two), "{beyond_two} of 100,000 beyond two deviations");
    }

    #[test]
    fn never_and_always_mean_it() {
        let mut dice = Dice::new(1, 1);
        assert!((0..10_000).all(|_| !dice.happens(Chance::NEVER) && dice.happens(Chance::ALWAYS)));
    }
}
