//! Measures a round trip as a player feels it, the same way in every dialect: from the turn in which a bot begins to
//! fly up or down to the Frame in which its ship has begun to.
//!
//! Only a ship that has rested for [`REST`] at one height is asked, so that no older press can be what is seen. A
//! ship that is lost meanwhile is not an answer.

use std::time::{Duration, Instant};

use game::{Buttons, Entity, FIELD_HEIGHT_PX, px};

/// No press is on its way for longer: a longer round trip could not be told apart from an earlier press.
const REST: Duration = Duration::from_millis(500);
/// An answer that takes longer is counted as none.
const ANSWER_MAX: Duration = Duration::from_secs(1);
/// What counts as movement: rounding in a dialect does not.
const MOVED: i32 = px(1) / 2;
/// Nearer to the edge the ship might not be able to fly on.
const EDGE: i32 = px(24);

/// The watch over one ship.
pub(super) struct Probe {
    /// Since when neither the ship has moved up or down nor a key said so.
    resting_since: Instant,
    height: Option<i32>,
    question: Option<AwaitedPress>,
}

/// A press whose effect is awaited.
struct AwaitedPress {
    at: Instant,
    from: i32,
    /// Up is less.
    is_up: bool,
}

/// What became of a press.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum PressResult {
    /// It was seen after this long.
    Seen(Duration),
    /// It was not seen for [`ANSWER_MAX`].
    Unseen,
}

impl Probe {
    pub(super) fn new(now: Instant) -> Probe {
        Probe { resting_since: now, height: None, question: None }
    }

    /// Notes what is held in the turn that is about to be taken.
    pub(super) fn press(&mut self, now: Instant, held: Buttons) {
        let (up, down) = (held.contains(Buttons::UP), held.contains(Buttons::DOWN));
        if up == down {
            return;
        }
        let rested = now.saturating_duration_since(self.resting_since) >= REST;
        self.resting_since = now;
        let Some(from) = self.height.filter(|height| (EDGE..px(FIELD_HEIGHT_PX) - EDGE).contains(height)) else {
            return;
        };
        if rested && self.question.is_none() {
            self.question = Some(AwaitedPress { at: now, from, is_up: up });
        }
    }

    /// Notes where the ship is in a new Frame, if there is one.
    pub(super) fn see(&mut self, now: Instant, ship: Option<&Entity>) -> Option<PressResult> {
        let height = ship.map(|ship| ship.position.y);
        let has_moved = match (self.height, height) {
            (Some(before), Some(height)) => (height - before).abs() >= MOVED,
            _ => true,
        };
        if has_moved {
            (self.resting_since, self.height) = (now, height);
        }
        let question = self.question.as_ref()?;
        let waited = now.saturating_duration_since(question.at);
        let result = match height {
            None => None,
            Some(height) if question.is_answered(height) => Some(PressResult::Seen(waited)),
            Some(_) if waited >= ANSWER_MAX => Some(PressResult::Unseen),
            Some(_) => return None,
        };
        self.question = None;
        result
    }
}

impl AwaitedPress {
    fn is_answered(&self, height: i32) -> bool {
        if self.is_up { height <= self.from - MOVED } else { height >= self.from + MOVED }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use game::{EntityId, Kind, Vec2};

    fn ship(y: i32) -> Entity {
        Entity::new(EntityId(1), Kind::Player, Vec2::new(px(100), y))
    }

    /// A probe of a ship that has rested at a height for long enough, and the moment.
    fn rested(y: i32) -> (Probe, Instant) {
        let begin = Instant::now();
        let mut probe = Probe::new(begin);
        assert_eq!(probe.see(begin, Some(&ship(y))), None);
        (probe, begin + REST)
    }

    fn ms(ms: u64) -> Duration {
        Duration::from_millis(ms)
    }

    #[test]
    fn a_round_trip_is_from_the_press_to_the_frame_that_shows_it() {
        let (mut probe, now) = rested(px(100));
        probe.press(now, Buttons::UP | Buttons::FIRE);
        assert_eq!(probe.see(now + ms(17), Some(&ship(px(100)))), None);
        // Turns go on; the first one counts.
        probe.press(now + ms(17), Buttons::UP);
        assert_eq!(probe.see(now + ms(34), Some(&ship(px(98)))), Some(PressResult::Seen(ms(34))));
        assert_eq!(probe.see(now + ms(51), Some(&ship(px(96)))), None);
    }

    #[test]
    fn a_ship_that_moves_the_other_way_answers_an_older_press() {
        let (mut probe, now) = rested(px(100));
        probe.press(now, Buttons::UP);
        assert_eq!(probe.see(now + ms(17), Some(&ship(px(102)))), None);
        assert_eq!(probe.see(now + ms(34), Some(&ship(px(99)))), Some(PressResult::Seen(ms(34))));
    }

    #[test]
    fn only_a_ship_that_has_rested_away_from_the_edge_is_asked() {
        for (y, after, held) in [
            (px(100), REST - ms(1), Buttons::UP),
            (px(3), REST, Buttons::UP),
            (px(100), REST, Buttons::LEFT),
            (px(100), REST, Buttons::UP | Buttons::DOWN),
        ] {
            let begin = Instant::now();
            let mut probe = Probe::new(begin);
            probe.see(begin, Some(&ship(y)));
            probe.press(begin + after, held);
            assert_eq!(probe.see(begin + after + ms(17), Some(&ship(y - px(2)))), None);
        }
    }

    #[test]
    fn no_answer_is_counted_and_a_lost_ship_is_none() {
        let (mut probe, now) = rested(px(100));
        probe.press(now, Buttons::DOWN);
        assert_eq!(probe.see(now + ANSWER_MAX, Some(&ship(px(100)))), Some(PressResult::Unseen));
        let (mut probe, now) = rested(px(100));
        probe.press(now, Buttons::DOWN);
        assert_eq!(probe.see(now + ms(17), None), None);
        assert_eq!(probe.see(now + ms(34), Some(&ship(px(200)))), None);
    }
}
