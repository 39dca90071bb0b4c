//! Loss in bursts, after Gilbert and Elliott.

use crate::{Bursts, Chance, dice::Dice};

const NO_BURSTS: Bursts = Bursts { begin: Chance::NEVER, end: Chance::ALWAYS, loss: Chance::NEVER };

/// A line that is good or bad.
#[derive(Clone, Debug)]
pub struct BurstProcess {
    dice: Dice,
    is_bad: bool,
}

impl BurstProcess {
    pub fn new(dice: Dice) -> BurstProcess {
        BurstProcess { dice, is_bad: false }
    }

    /// Whether the next datagram is lost. The dice are rolled twice for each, whatever the conditions.
    pub fn loses(&mut self, bursts: Option<Bursts>) -> bool {
        let bursts = bursts.unwrap_or(NO_BURSTS);
        let changes = self.dice.happens(if self.is_bad { bursts.end } else { bursts.begin });
        self.is_bad ^= changes;
        self.dice.happens(bursts.loss) && self.is_bad
    }
}
