//! How time passes: it stands still in the menu of who is alone, and while they look elsewhere, and may pass more slowly for
//! them.
//!
//! The client stops in the tick in which it asks, but goes on only when it is told to: so it is as far ahead of the
//! server afterwards as it was before.

use protocol::{LobbyRequest, Pace};

use super::Client;
use crate::{play::Play, screens::Screen};

/// A wish that is not answered within so many ticks is made again.
const PATIENCE_TICKS: u32 = 60;

/// Where the player looks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Attention {
    /// Nothing was done yet: a window may be without the keyboard from the beginning.
    Unknown,
    Here,
    /// Nothing was done since the window lost the keyboard.
    Elsewhere,
}

/// How time passes, and how it is wished to.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Pacing {
    /// What was asked for last.
    asked: Pace,
    /// Since when there is no answer.
    unanswered: Option<u32>,
    /// Whether the client stopped in the hope that the server does.
    hopes: bool,
    told: Pace,
    /// Ticks for which time stood still, ever.
    stood: u32,
}

impl Pacing {
    pub fn now(&self) -> Pace {
        if self.hopes { Pace::Paused } else { self.told }
    }

    /// Ticks for which time stood still, ever.
    pub fn stood(&self) -> u32 {
        self.stood
    }

    /// Another lobby, or the same one over another connection: there time passes at full pace.
    pub fn begin(&mut self) {
        *self = Pacing { stood: self.stood, ..Pacing::default() };
    }

    pub fn hear(&mut self, pace: Pace) {
        (self.told, self.hopes, self.unanswered) = (pace, false, None);
    }

    /// Whether to ask for that pace now.
    fn asks(&mut self, wanted: Pace, is_alone: bool, tick: u32) -> bool {
        let is_new = wanted != self.asked;
        let is_forgotten = self.unanswered.is_some_and(|since| tick.wrapping_sub(since) >= PATIENCE_TICKS);
        if is_new {
            self.hopes = wanted == Pace::Paused && is_alone;
        } else if is_forgotten {
            self.hopes = false;
        }
        if is_new || is_forgotten {
            (self.asked, self.unanswered) = (wanted, Some(tick));
        }
        is_new || is_forgotten
    }
}

impl Client {
    /// Whether the game stands still.
    pub fn is_still(&self) -> bool {
        self.play.is_some() && self.pacing.now() == Pace::Paused
    }

    /// Asks for the pace that the player wants, and returns the one that there is.
    pub(super) fn keep_pace(&mut self) -> Pace {
        if self.play.as_ref().is_some_and(|play| play.own().is_some()) && self.link.has_lobbies() && self.link.is_open()
        {
            let wanted = self.wanted_pace();
            if self.pacing.asks(wanted, self.is_alone(), self.clock.ticks()) {
                self.link.ask(self.now, LobbyRequest::Pace(wanted));
            }
        }
        self.pacing.now()
    }

    /// A tick in which no time passes: what was pressed before may still be under way.
    pub(super) fn stand(&mut self) {
        self.controls.rest();
        self.link.rest();
        self.pacing.stood = self.pacing.stood.wrapping_add(1);
    }

    pub(super) fn hear_pace(&mut self, pace: Pace) {
        self.pacing.hear(pace);
        self.clock.set_pace(pace);
        if let Some(play) = &mut self.play {
            play.set_pace(pace);
        }
    }

    /// Whether nobody else has a seat, as far as is known.
    pub(super) fn is_alone(&self) -> bool {
        let is_seated = self.play.as_ref().and_then(Play::own).is_some();
        is_seated && self.room.as_ref().is_some_and(|room| room.members.len() == 1)
    }

    fn wanted_pace(&self) -> Pace {
        match &self.screen {
            Screen::Game(game) if game.is_paused() => Pace::Paused,
            Screen::Game(_) if self.attention == Attention::Elsewhere => Pace::Paused,
            _ if self.settings.slower => Pace::Slow,
            _ => Pace::Full,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_stops_when_it_asks_and_goes_on_when_it_is_told() {
        let mut pacing = Pacing::default();
        assert!(!pacing.asks(Pace::Full, true, 0));
        assert!(pacing.asks(Pace::Paused, true, 1) && pacing.now() == Pace::Paused);
        assert!(!pacing.asks(Pace::Paused, true, 2));
        pacing.hear(Pace::Paused);
        assert!(pacing.asks(Pace::Full, true, 90) && pacing.now() == Pace::Paused);
        pacing.hear(Pace::Full);
        assert_eq!(pacing.now(), Pace::Full);
    }

    #[test]
    fn in_company_and_with_a_server_that_does_not_answer_the_game_goes_on() {
        let mut pacing = Pacing::default();
        assert!(pacing.asks(Pace::Paused, false, 1) && pacing.now() == Pace::Full);
        pacing.begin();
        assert!(pacing.asks(Pace::Paused, true, 1) && pacing.now() == Pace::Paused);
        assert!(pacing.asks(Pace::Paused, true, 61) && pacing.now() == Pace::Full, "it asks again, and plays on");
        pacing.hear(Pace::Full);
        assert!(!pacing.asks(Pace::Paused, true, 900), "an answer is an answer");
    }
}
