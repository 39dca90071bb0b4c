//! How fast time passes in a lobby: as its player wishes while nobody else has a seat, at full pace otherwise.
//!
//! A game that was paused resumes when what its player does next has come, so that it is not played without them.

use std::time::Duration;

use game::{SEATS, Seat};
use protocol::{LobbyNotice, Pace, Time};

use super::Lobby;

/// No game is paused for longer.
const PAUSE_MAX: Duration = Duration::from_secs(600);
/// A game that may resume waits no longer for its player's inputs.
const AWAITED_MAX: Duration = Duration::from_millis(500);
/// While a game is paused, it is shown again once in this many turns: somebody may have come to watch.
const SHOWN_EVERY: u32 = 30;
/// A slow lobby leaves out one turn of this many.
const SLOW_TURNS: u32 = 4;

/// How fast time passes in one lobby.
#[derive(Default)]
pub(super) struct Pacing {
    wished: [Pace; SEATS],
    in_force: Pace,
    /// Since when it is in force.
    since: Time,
    /// It was paused, and the player's inputs are awaited.
    is_awaiting: bool,
    /// Turns of the timetable.
    turns: u32,
}

impl Pacing {
    pub fn in_force(&self) -> Pace {
        self.in_force
    }

    pub fn wish(&mut self, seat: Seat, pace: Pace) {
        self.wished[seat.index()] = pace;
    }

    pub fn wished(&self, seat: Seat) -> Pace {
        self.wished[seat.index()]
    }

    /// Nobody wishes anything but full pace any more, until they ask again.
    fn forget_wishes(&mut self) {
        self.wished = [Pace::Full; SEATS];
    }

    /// What is in force from now on, if that is something else. `alone` is the only seat that is taken.
    fn turn(&mut self, now: Time, alone: Option<Seat>) -> Option<Pace> {
        if self.in_force == Pace::Paused && now.since(self.since) >= PAUSE_MAX {
            self.forget_wishes();
        }
        let pace = alone.map_or(Pace::Full, |seat| self.wished[seat.index()]);
        let before = std::mem::replace(&mut self.in_force, pace);
        if before == pace {
            return None;
        }
        self.since = now;
        self.is_awaiting = before == Pace::Paused;
        Some(pace)
    }

    /// Whether this turn of the timetable is a tick.
    fn is_tick(&mut self, now: Time, can_resume: bool) -> bool {
        self.turns = self.turns.wrapping_add(1);
        self.is_awaiting &= !can_resume && now.since(self.since) < AWAITED_MAX;
        match self.in_force {
            _ if self.is_awaiting => false,
            Pace::Full => true,
            Pace::Slow => !self.turns.is_multiple_of(SLOW_TURNS),
            Pace::Paused => false,
        }
    }

    /// Whether what is seen is to be shown again though no time passes.
    pub fn is_shown_again(&self) -> bool {
        self.in_force == Pace::Paused && self.turns.is_multiple_of(SHOWN_EVERY)
    }
}

impl Lobby {
    /// Somebody asks for a seat. If the game is over, it waits no longer for its only player: the next one begins, with company.
    pub fn end_pause_after_game(&mut self) {
        if self.is_over() {
            self.pacing.forget_wishes();
        }
    }

    /// Sets the pace by the players in the lobby. If it is another one now, everybody is told, and this is true.
    pub(super) fn keep_pace(&mut self, now: Time) -> bool {
        let Some(pace) = self.pacing.turn(now, self.members.only_seat()) else { return false };
        tracing::debug!(lobby = %self.log_name(), ?pace, "the pace has changed");
        self.notify_all(now, &LobbyNotice::Pace(pace));
        true
    }

    /// Whether the game goes on in this turn of the timetable.
    pub(super) fn is_time(&mut self, now: Time) -> bool {
        self.keep_pace(now);
        // Hardly ever does anybody have to be asked.
        let can_resume =
            !self.pacing.is_awaiting || self.members.players_mut().flatten().all(|session| session.can_resume());
        self.pacing.is_tick(now, can_resume)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ANN: Seat = Seat::ALL[0];

    fn at(ms: u64) -> Time {
        Time::from_micros(ms * 1000)
    }

    /// Ticks in these turns.
    fn ticks(pacing: &mut Pacing, now: Time, turns: u32) -> u32 {
        (0..turns).map(|_| u32::from(pacing.is_tick(now, true))).sum()
    }

    #[test]
    fn a_player_who_is_alone_has_the_pace_that_they_wish_and_company_has_full_pace() {
        let mut pacing = Pacing::default();
        pacing.wish(ANN, Pace::Slow);
        assert_eq!(pacing.turn(at(0), Some(ANN)), Some(Pace::Slow));
        assert_eq!(ticks(&mut pacing, at(0), 60), 45);
        pacing.wish(ANN, Pace::Paused);
        assert_eq!(pacing.turn(at(1), Some(ANN)), Some(Pace::Paused));
        assert_eq!((pacing.turn(at(2), Some(ANN)), ticks(&mut pacing, at(2), 60)), (None, 0));
        assert_eq!(pacing.turn(at(3), None), Some(Pace::Full), "in company");
        assert_eq!(ticks(&mut pacing, at(3), 60), 60);
        assert_eq!(pacing.turn(at(4), Some(ANN)), Some(Pace::Paused), "alone again, and nothing else was wished");
    }

    #[test]
    fn nothing_is_paused_for_ever() {
        let mut pacing = Pacing::default();
        pacing.wish(ANN, Pace::Paused);
        pacing.turn(at(0), Some(ANN));
        assert_eq!(pacing.turn(at(599_999), Some(ANN)), None);
        assert_eq!(pacing.turn(at(600_000), Some(ANN)), Some(Pace::Full));
        assert_eq!(pacing.turn(at(1_800_000), Some(ANN)), None);
    }

    #[test]
    fn a_game_waits_for_its_player_but_not_for_long() {
        let mut pacing = Pacing::default();
        pacing.wish(ANN, Pace::Paused);
        pacing.turn(at(0), Some(ANN));
        pacing.wish(ANN, Pace::Full);
        pacing.turn(at(100), Some(ANN));
        assert!(!pacing.is_tick(at(200), false) && !pacing.is_tick(at(599), false));
        assert!(pacing.is_tick(at(600), false), "no longer than half a second");
        assert!(pacing.is_tick(at(601), false), "and it does not wait again");
    }
}
