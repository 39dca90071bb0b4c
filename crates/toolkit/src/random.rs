//! A small generator of random numbers (SplitMix64), the same on every platform for the same seed.

/// Random numbers from a seed.
#[derive(Clone, Debug)]
pub(crate) struct Random(u64);

impl Random {
    pub(crate) fn new(seed: u64) -> Random {
        Random(seed)
    }

    /// The next 64 random bits.
    pub(crate) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// A number from `low` up to, but not including, `high`.
    pub(crate) fn between(&mut self, low: i32, high: i32) -> i32 {
        let span = u64::from(high.abs_diff(low).max(1));
        low + (self.next() % span) as i32
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_numbers_are_those_of_splitmix64() {
        let mut random = Random::new(1234567);
        assert_eq!([random.next(), random.next()], [6457827717110365317, 3203168211198807973]);
    }

    #[test]
    fn a_range_is_kept_and_filled() {
        let mut random = Random::new(7);
        let drawn: Vec<i32> = (0..200).map(|_| random.between(-2, 3)).collect();
        assert_eq!((drawn.iter().min(), drawn.iter().max()), (Some(&-2), Some(&2)));
        assert_eq!(random.between(5, 5), 5);
    }
}
