//! How fast time passes. A player who is alone pauses the game with the menu or by looking elsewhere, and may have it slower.
//!
//! The client stops in the tick in which it asks, but goes on only when the server says so: then it is as far ahead of the
//! server as it was before.

use protocol::{LobbyRequest, Pace};

use super::Client;
use crate::{game_view::GameView, screens::Screen};

/// Ticks until a request that is not answered is repeated.
const PATIENCE_TICKS: u32 = 60;

/// Whether the player uses this window.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Focus {
    /// No key was pressed yet: a window may be without the keyboard from the beginning.
    Unknown,
    Here,
    /// The window lost the keyboard, and no key was pressed since.
    Elsewhere,
}

/// The pace that there is, and the one that was asked for.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Pacing {
    requested: Pace,
    /// The tick since which the server owes an answer.
    unanswered: Option<u32>,
    /// Whether the client stopped because it expects the server to do so.
    stopped_early: bool,
    /// What the server said last.
    confirmed: Pace,
    paused_ticks: u32,
}

impl Pacing {
    pub fn now(&self) -> Pace {
        if self.stopped_early { Pace::Paused } else { self.confirmed }
    }

    /// Ticks for which the game was paused, in total.
    pub fn paused_ticks(&self) -> u32 {
        self.paused_ticks
    }

    /// Another lobby, or the same one over another connection: there time passes at full pace.
    pub fn begin(&mut self) {
        *self = Pacing { paused_ticks: self.paused_ticks, ..Pacing::default() };
    }

    /// The player does something. A pause that the server ended by itself, as it does after a while, may be asked for again.
    pub fn wake(&mut self) {
        if self.unanswered.is_none() {
            self.requested = self.confirmed;
        }
    }

    pub fn confirm(&mut self, pace: Pace) {
        (self.confirmed, self.stopped_early, self.unanswered) = (pace, false, None);
    }

    /// Whether to ask for that pace now.
    fn should_request(&mut self, wanted: Pace, is_alone: bool, tick: u32) -> bool {
        let is_new = wanted != self.requested;
        let is_overdue = self.unanswered.is_some_and(|since| tick.wrapping_sub(since) >= PATIENCE_TICKS);
        if is_new {
            self.stopped_early = wanted == Pace::Paused && is_alone;
        } else if is_overdue {
            self.stopped_early = false;
        }
        if is_new || is_overdue {
            (self.requested, self.unanswered) = (wanted, Some(tick));
        }
        is_new || is_overdue
    }
}

impl Client {
    /// Whether the game is paused.
    pub fn is_paused(&self) -> bool {
        self.game_view.is_some() && self.pacing.now() == Pace::Paused
    }

    /// Whether time passes slowly, or does so again after a pause.
    pub(super) fn is_slow(&self) -> bool {
        self.game_view.is_some() && (self.pacing.now() == Pace::Slow || self.settings.slower && self.is_alone())
    }

    /// Asks for the pace that the player wants, and returns the one that there is.
    pub(super) fn request_pace(&mut self) -> Pace {
        let has_seat = self.game_view.as_ref().and_then(GameView::own).is_some();
        if has_seat && self.connection.has_lobbies() && self.connection.is_open() {
            let wanted = self.wanted_pace();
            if self.pacing.should_request(wanted, self.is_alone(), self.clock.ticks()) {
                self.connection.ask(self.now, LobbyRequest::Pace(wanted));
            }
        }
        self.pacing.now()
    }

    /// A tick of a paused game: what was pressed before may still be on its way to the server.
    pub(super) fn pause_tick(&mut self) {
        self.key_state.discard_input();
        self.connection.rest();
        self.pacing.paused_ticks = self.pacing.paused_ticks.wrapping_add(1);
    }

    pub(super) fn on_pace(&mut self, pace: Pace) {
        self.pacing.confirm(pace);
        self.clock.set_pace(pace);
        if let Some(view) = &mut self.game_view {
            view.set_pace(pace);
        }
    }

    /// Whether somebody else is in the lobby, playing or watching. Bots do not count as company.
    pub(super) fn has_company(&self) -> bool {
        let is_watching = self.game_view.as_ref().is_some_and(|view| view.own().is_none());
        is_watching || self.lobby.as_ref().is_some_and(|lobby| lobby.people() > 1 || lobby.watchers > 0)
    }

    /// Whether nobody else has a seat, as far as is known. Bots do not mind waiting.
    pub(super) fn is_alone(&self) -> bool {
        let has_seat = self.game_view.as_ref().and_then(GameView::own).is_some();
        has_seat && self.lobby.as_ref().is_some_and(|lobby| lobby.people() == 1)
    }

    fn wanted_pace(&self) -> Pace {
        let is_away = matches!(self.screen, Screen::Game(_)) && self.focus == Focus::Elsewhere;
        match () {
            () if self.screen.is_menu_open() || is_away || self.awaits_retry() => Pace::Paused,
            () if self.settings.slower => Pace::Slow,
            () => Pace::Full,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_stops_when_it_asks_and_goes_on_when_the_server_says_so() {
        let mut pacing = Pacing::default();
        assert!(!pacing.should_request(Pace::Full, true, 0));
        assert!(pacing.should_request(Pace::Paused, true, 1) && pacing.now() == Pace::Paused);
        assert!(!pacing.should_request(Pace::Paused, true, 2));
        pacing.confirm(Pace::Paused);
        assert!(pacing.should_request(Pace::Full, true, 90) && pacing.now() == Pace::Paused);
        pacing.confirm(Pace::Full);
        assert_eq!(pacing.now(), Pace::Full);
    }

    #[test]
    fn a_pause_that_the_server_ended_is_asked_for_again_when_the_player_is_back() {
        let mut pacing = Pacing::default();
        assert!(pacing.should_request(Pace::Paused, true, 1));
        pacing.confirm(Pace::Paused);
        pacing.wake();
        assert!(!pacing.should_request(Pace::Paused, true, 2), "it is paused already");
        pacing.confirm(Pace::Full);
        assert!(!pacing.should_request(Pace::Paused, true, 40_000), "nobody is there");
        pacing.wake();
        assert!(pacing.should_request(Pace::Paused, true, 40_001) && pacing.now() == Pace::Paused);
    }

    #[test]
    fn the_game_goes_on_in_company_and_when_the_server_does_not_answer() {
        let mut pacing = Pacing::default();
        assert!(pacing.should_request(Pace::Paused, false, 1) && pacing.now() == Pace::Full);
        pacing.begin();
        assert!(pacing.should_request(Pace::Paused, true, 1) && pacing.now() == Pace::Paused);
        assert!(
            pacing.should_request(Pace::Paused, true, 61) && pacing.now() == Pace::Full,
            "it asks again, and goes on"
        );
        pacing.confirm(Pace::Full);
        assert!(!pacing.should_request(Pace::Paused, true, 900), "any answer ends the repeats");
    }
}
