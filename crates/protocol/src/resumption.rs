//! Ruling C16: what a session is opened with that goes on where one ended without a word, because the node was killed and
//! started again.
//!
//! The node kept how the session stood a moment before its end. What was said after that is lost, except to the peer: so every
//! number that the peer compares goes on above any that it may have been told.

use std::time::Duration;

use crate::Welcome;

/// What is added to how long a node may have gone on unnoticed: what it was about to send when it was last asked.
const SPARE: Duration = Duration::from_secs(2);

/// What a session that goes on is opened with.
#[derive(Clone, Copy, Debug)]
pub struct Resumption<'a> {
    /// The player's seat, as before. `numbers` are those that were kept, and `started` is when the first session with the peer
    /// says that the node started.
    pub welcome: Welcome,
    /// The player's name; empty if they have none.
    pub name: &'a str,
    /// How long the session may have gone on after its numbers were kept.
    pub unknown: Duration,
}

impl Resumption<'_> {
    /// How many of what leaves at most this often a second may have left since the numbers were kept, up to a limit.
    pub fn steps_since(&self, per_second: u32, limit: u32) -> u32 {
        let seconds = (self.unknown + SPARE).as_secs().saturating_add(1);
        seconds.saturating_mul(per_second.into()).min(limit.into()) as u32
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Numbers, Scale, Time};

    fn after(unknown: Duration) -> Resumption<'static> {
        let (seat, now) = (game::Seat::ALL[0], Time::from_micros(0));
        let welcome = Welcome { seat, now, started: now, scale: Scale::default(), numbers: Numbers::default() };
        Resumption { welcome, name: "", unknown }
    }

    #[test]
    fn c16_there_is_room_for_all_that_may_have_been_sent_and_never_too_much() {
        assert!(after(Duration::ZERO).steps_since(60, 9_999) >= 120);
        assert!(after(Duration::from_millis(1_500)).steps_since(60, 9_999) >= 60 * 3);
        assert_eq!(after(Duration::from_secs(u64::MAX / 2)).steps_since(u32::MAX, 9_999), 9_999);
    }
}
