//! Whatever comes, in whatever order, under a seed: nothing panics, nothing breaks a lobby, and once everybody is gone nothing is
//! left behind. `attempt.rs` is the node and what is done to it.

mod attempt;
#[path = "../simulated/settings.rs"]
mod settings;

use attempt::{Attempt, Chance};
use game::Dice;

/// Runs with other seeds are as good; a failure names its own.
const SEEDS: u64 = 60;
const DEEDS: usize = 1_500;

struct Thrown(Dice);

impl Chance for Thrown {
    fn below(&mut self, limit: u32) -> u32 {
        self.0.below(limit)
    }

    fn is_over(&self) -> bool {
        false
    }
}

#[test]
fn whatever_comes_in_whatever_order_breaks_nothing_and_leaves_nothing_behind() {
    for seed in 0..SEEDS {
        let mut attempt = Attempt::new(seed, Thrown(Dice::new(seed)));
        attempt.run(DEEDS);
        attempt.assert_all_can_end(&format!("seed {seed}"));
    }
}
