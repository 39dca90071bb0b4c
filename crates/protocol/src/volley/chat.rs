//! Whose words reach whom, and how fast somebody may speak and ask.

use std::time::Duration;

use game::{SEATS, Seat};

use crate::Time;

/// What may be said at once …
pub const SAY_BURST: u32 = 5;
/// … and then once in this time.
pub const SAY_EVERY: Duration = Duration::from_secs(1);
/// Other requests at once …
pub const REQUEST_BURST: u32 = 20;
/// … and then one in this time.
pub const REQUEST_EVERY: Duration = Duration::from_millis(100);

/// What one player may say and hears.
#[derive(Debug)]
pub struct Chat {
    words: ChatRate,
    requests: ChatRate,
    muted: [bool; SEATS],
}

impl Chat {
    /// Nothing said, nobody muted.
    pub fn new(now: Time) -> Chat {
        Chat {
            words: ChatRate::new(now, SAY_BURST),
            requests: ChatRate::new(now, REQUEST_BURST),
            muted: [false; SEATS],
        }
    }

    /// Whether something may be said now; if so it counts.
    pub fn may_say(&mut self, now: Time) -> bool {
        self.words.spend(now, SAY_BURST, SAY_EVERY)
    }

    /// Whether something may be asked for now; if so it counts.
    pub fn may_ask(&mut self, now: Time) -> bool {
        self.requests.spend(now, REQUEST_BURST, REQUEST_EVERY)
    }

    /// Keeps the words of a seat away, or no longer.
    pub fn mute(&mut self, seat: Seat, on: bool) {
        self.muted[seat.index()] = on;
    }

    /// Whether the words of a seat reach this player.
    pub fn hears(&self, seat: Option<Seat>) -> bool {
        seat.is_none_or(|seat| !self.muted[seat.index()])
    }

    /// In another lobby others sit there.
    pub fn unmute_all(&mut self) {
        self.muted = [false; SEATS];
    }
}

/// A bucket that fills with time.
#[derive(Debug)]
struct ChatRate {
    left: u32,
    filled: Time,
}

impl ChatRate {
    fn new(now: Time, burst: u32) -> ChatRate {
        ChatRate { left: burst, filled: now }
    }

    fn spend(&mut self, now: Time, burst: u32, every: Duration) -> bool {
        let more = (now.since(self.filled).as_micros() / every.as_micros().max(1)).min(u128::from(burst)) as u32;
        if more > 0 {
            self.left = (self.left + more).min(burst);
            self.filled = now;
        }
        let may = self.left > 0;
        self.left -= u32::from(may);
        may
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn v9_five_at_once_then_one_a_second() {
        let at = |ms: u64| Time::from_micros(1_000_000 + ms * 1_000);
        let mut chat = Chat::new(at(0));
        assert_eq!((0..10).filter(|_| chat.may_say(at(1))).count(), 5);
        assert!(!chat.may_say(at(999)) && chat.may_say(at(1_001)) && !chat.may_say(at(1_500)));
        assert_eq!((0..10).filter(|_| chat.may_say(at(60_000))).count(), 5);
    }
}
