//! Plays a replay to its end as fast as it goes, and compares everything that can be compared.

use crate::{Reel, Replay, ReplayError};

/// What was found to be as it was recorded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Verified {
    /// Ticks that were simulated.
    pub ticks: u32,
    /// Hashes that were the same.
    pub hashes: u32,
    /// The hash of the world at the end.
    pub last_hash: u64,
}

/// Simulates the whole game again. An error says where it differs from what was recorded.
pub fn verify(replay: &Replay) -> Result<Verified, ReplayError> {
    verify_with(replay, |_| {})
}

/// The same, for somebody who wants to see how far it is: the tick is reported once for each second of the game.
pub fn verify_with(replay: &Replay, mut told: impl FnMut(u32)) -> Result<Verified, ReplayError> {
    let mut reel = Reel::new(replay)?;
    while reel.tick()? {
        if u64::from(reel.now()).is_multiple_of(crate::TICKS_PER_SECOND) {
            told(reel.now());
        }
    }
    Ok(Verified { ticks: reel.now(), hashes: reel.hashes(), last_hash: reel.world().hash() })
}
