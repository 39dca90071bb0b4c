//! How fast time passes in a lobby: as its player wishes while nobody else has a seat, at full pace in company.
//!
//! A game that stood still goes on when what its player does next has come, so that it is not played without them.

use std::time::Duration;

use game::{SEATS, Seat};
use protocol::{LobbyNotice, Pace, Refusal, Time};

use super::{Core, LobbyKey, Outbox, SessionKey, session::Whereabouts};

/// Nothing stands still for longer.
const STILL_MAX: Duration = Duration::from_secs(600);
/// A game that may go on waits no longer for its player's inputs.
const AWAITED_MAX: Duration = Duration::from_millis(500);
/// While time stands still, what is seen is shown again once in so many turns: somebody may have come to watch.
const SHOWN_EVERY: u32 = 30;
/// Of so many turns, a slow lobby leaves out one.
const SLOW_TURNS: u32 = 4;

/// How fast time passes in one lobby.
#[derive(Default)]
pub(super) struct Pacing {
    wished: [Pace; SEATS],
    in_force: Pace,
    /// Since when it is in force.
    since: Time,
    /// It stood still, and the player's inputs are awaited.
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

    /// What is in force from now on, if that is something else. `alone` is the only seat that is taken.
    fn turn(&mut self, now: Time, alone: Option<Seat>) -> Option<Pace> {
        if self.in_force == Pace::Paused && now.since(self.since) >= STILL_MAX {
            self.wished = [Pace::Full; SEATS];
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

    fn is_shown_again(&self) -> bool {
        self.in_force == Pace::Paused && self.turns.is_multiple_of(SHOWN_EVERY)
    }
}

impl Core {
    /// Somebody wishes time to pass so. In any case they are told how it does.
    pub(super) fn wish_pace(&mut self, now: Time, key: SessionKey, place: Whereabouts, pace: Pace) {
        let Whereabouts::Seat(lobby_key, seat) = place else {
            return self.grant(now, key, &LobbyNotice::Refused(Refusal::NotNow));
        };
        let Some(lobby) = self.lobbies.get_mut(lobby_key.0) else { return };
        lobby.pacing.wish(seat, pace);
        if !self.keep_pace(now, lobby_key)
            && let Some(pace) = self.lobbies.get(lobby_key.0).map(|lobby| lobby.pacing.in_force())
        {
            self.grant(now, key, &LobbyNotice::Pace(pace));
        }
    }

    /// Sets the pace of a lobby by who is in it, and tells everybody if it is another one.
    fn keep_pace(&mut self, now: Time, key: LobbyKey) -> bool {
        let Some(lobby) = self.lobbies.get_mut(key.0) else { return false };
        let Some(pace) = lobby.pacing.turn(now, lobby.only_seat()) else { return false };
        tracing::debug!(lobby = %lobby.id, ?pace, "another pace");
        self.tell_lobby(now, key, &LobbyNotice::Pace(pace));
        true
    }

    /// Whether a lobby ticks in this turn of the timetable.
    pub(super) fn is_time(&mut self, now: Time, key: LobbyKey) -> bool {
        self.keep_pace(now, key);
        let Some(lobby) = self.lobbies.get_mut(key.0) else { return false };
        let mut sessions = lobby.seats.into_iter().flatten().filter_map(|key| self.sessions.get(key.0));
        // Hardly ever does anybody have to be asked.
        let can_resume = !lobby.pacing.is_awaiting
            || sessions.all(|session| session.half.link().is_none_or(|link| link.can_resume()));
        lobby.pacing.is_tick(now, can_resume)
    }

    /// What there is to do in a lobby in which no time passes.
    pub(super) fn stand_still(&mut self, now: Time, key: LobbyKey, out: &mut dyn Outbox) {
        let Some(lobby) = self.lobbies.get_mut(key.0) else { return };
        let stage = lobby.world.stage().clone();
        let is_shown_again = lobby.pacing.is_shown_again();
        if is_shown_again {
            // What happened was told when it did.
            lobby.scene.frame.events.clear();
            lobby.scene.update(now);
        }
        self.tell_changes(now, key, &stage);
        self.show(now, key, is_shown_again, out);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ANN: Seat = Seat::ALL[0];

    fn at(ms: u64) -> Time {
        Time::from_micros(ms * 1000)
    }

    /// Ticks in so many turns.
    fn ticks(pacing: &mut Pacing, now: Time, turns: u32) -> u32 {
        (0..turns).map(|_| u32::from(pacing.is_tick(now, true))).sum()
    }

    #[test]
    fn who_is_alone_has_the_pace_that_they_wish_and_company_has_full_pace() {
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
    fn nothing_stands_still_for_ever() {
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
