//! Delay that varies: right-skewed, and correlated in time.

use std::time::Duration;

use crate::{Jitter, dice::Dice};

/// The latent state of a line's delay. The squares of two normal numbers, added, have an exponential distribution; the
/// numbers drift, so the delay does too.
#[derive(Clone, Debug)]
pub struct JitterProcess {
    dice: Dice,
    state: Option<State>,
}

#[derive(Clone, Debug)]
struct State {
    at: Duration,
    numbers: [f64; 2],
}

impl JitterProcess {
    pub fn new(dice: Dice) -> JitterProcess {
        JitterProcess { dice, state: None }
    }

    /// What a message that is sent now takes beyond the delay.
    pub fn extra_delay(&mut self, now: Duration, jitter: Jitter) -> Duration {
        let fresh = [self.dice.normal(), self.dice.normal()];
        let numbers = match &self.state {
            None => fresh,
            Some(last) => {
                let kept = kept(now.saturating_sub(last.at), jitter.memory);
                let drifted = |index: usize| kept * last.numbers[index] + (1.0 - kept * kept).sqrt() * fresh[index];
                [drifted(0), drifted(1)]
            }
        };
        let factor = (numbers[0] * numbers[0] + numbers[1] * numbers[1]) / 2.0;
        self.state = Some(State { at: now, numbers });
        Duration::from_micros((jitter.mean.as_micros() as f64 * factor) as u64)
    }
}

/// The share of the state that is left after a gap: 1 at once, a half after `memory`, and ever less.
fn kept(gap: Duration, memory: Duration) -> f64 {
    let (gap, memory) = (gap.as_micros() as f64, memory.as_micros() as f64);
    if memory == 0.0 { 0.0 } else { memory / (memory + gap) }
}
