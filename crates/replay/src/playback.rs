//! A replay as a person controls it: play, pause, speed, seek, and from moment to moment. Time is passed in.

use std::time::Duration;

use game::{Frame, Seat};

use crate::{Moment, MomentIndex, Reel, Replay, ReplayError};

/// Ticks that are looked at ahead of time whenever something is played: a minute of play is known after ten pictures or so.
const LOOK_AHEAD_TICKS: u32 = 240;
/// Ticks that are looked at in one go when somebody asks for a moment that is not known yet: no picture waits longer for it
/// (`cargo bench -p replay`).
const SEARCH_TICKS: u32 = 3000;
/// A step back that comes soon after a moment goes to the one before it.
const MOMENT_JUST_SEEN_TICKS: u32 = 60;
/// How long before a moment a jump to it ends, so that one sees it coming.
const LEAD_IN_TICKS: u32 = 90;
/// After a longer time in which nobody asked, no more is caught up.
const CATCH_UP_MAX: Duration = Duration::from_millis(500);

/// How fast a replay is played, in quarters of real time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Speed(u32);

impl Speed {
    pub const NORMAL: Speed = Speed(4);
    const ALL: [Speed; 7] = [Speed(1), Speed(2), Speed(4), Speed(8), Speed(16), Speed(32), Speed(64)];

    #[must_use]
    pub fn faster(self) -> Speed {
        Speed::ALL.into_iter().find(|speed| speed.0 > self.0).unwrap_or(self)
    }

    #[must_use]
    pub fn slower(self) -> Speed {
        Speed::ALL.into_iter().rev().find(|speed| speed.0 < self.0).unwrap_or(self)
    }
}

impl std::fmt::Display for Speed {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self.0 {
            1 => f.write_str("1/4"),
            2 => f.write_str("1/2"),
            quarters => write!(f, "{}", quarters / 4),
        }
    }
}

/// A replay as a person controls it.
pub struct Playback {
    reel: Reel,
    frame: Frame,
    index: MomentIndex,
    speed: Speed,
    is_paused: bool,
    /// The part of a tick that is due, in millionths of a quarter.
    due: u64,
    follows: Option<Seat>,
    /// Whether the last Frame does not follow from the one before.
    has_jumped: bool,
    search: Option<Search>,
}

/// A moment that somebody asked for and that is not found yet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Search {
    /// The first after this tick.
    After(u32),
    /// The last before this tick.
    Before(u32),
}

impl Playback {
    /// The beginning of a game, which plays.
    pub fn new(replay: &Replay) -> Result<Playback, ReplayError> {
        let (reel, mut frame) = (Reel::new(replay)?, Frame::default());
        reel.frame_into(&mut frame);
        Ok(Playback {
            reel,
            frame,
            index: MomentIndex::new(replay)?,
            speed: Speed::NORMAL,
            is_paused: false,
            due: 0,
            follows: None,
            has_jumped: true,
            search: None,
        })
    }

    // ---- What is shown ----

    pub fn frame(&self) -> &Frame {
        &self.frame
    }

    pub fn reel(&self) -> &Reel {
        &self.reel
    }

    /// Ticks of the game that have gone by.
    pub fn now(&self) -> u32 {
        self.reel.now()
    }

    /// Ticks of the whole game.
    pub fn end(&self) -> u32 {
        self.reel.replay().ticks()
    }

    pub fn is_paused(&self) -> bool {
        self.is_paused
    }

    pub fn speed(&self) -> Speed {
        self.speed
    }

    /// The player who is followed.
    pub fn follows(&self) -> Option<Seat> {
        self.follows
    }

    /// Moments that are known so far: all of them soon after the beginning.
    pub fn moments(&self) -> &[Moment] {
        self.index.moments()
    }

    /// Whether the Frame does not follow from the last one that was shown. Asking answers it.
    pub fn take_jump(&mut self) -> bool {
        std::mem::take(&mut self.has_jumped)
    }

    // ---- What a person does ----

    pub fn set_paused(&mut self, is_paused: bool) {
        self.is_paused = is_paused;
        self.due = 0;
    }

    pub fn set_speed(&mut self, speed: Speed) {
        self.speed = speed;
    }

    /// Follows a player, or nobody.
    pub fn follow(&mut self, seat: Option<Seat>) {
        self.follows = seat;
    }

    /// Follows the next player who has a seat; after the last, nobody.
    pub fn follow_next(&mut self) {
        let from = self.follows.map_or(0, |seat| seat.index() + 1);
        let is_there = |seat: &Seat| self.frame.players[seat.index()].is_some();
        self.follows = Seat::ALL.into_iter().skip(from).find(is_there);
    }

    /// Goes to a moment of the game.
    pub fn seek(&mut self, tick: u32) -> Result<(), ReplayError> {
        self.reel.seek(tick.min(self.end()))?;
        self.reel.frame_into(&mut self.frame);
        (self.has_jumped, self.due, self.search) = (true, 0, None);
        Ok(())
    }

    /// Goes forward or back.
    pub fn seek_by(&mut self, ticks: i64) -> Result<(), ReplayError> {
        let target = (i64::from(self.now()) + ticks).clamp(0, self.end().into());
        self.seek(target as u32)
    }

    /// Goes to shortly before the next moment, if there is one: of the player who is followed, or of anybody. If it is far ahead,
    /// [`Playback::search_on`] comes to it.
    pub fn next_moment(&mut self) -> Result<bool, ReplayError> {
        self.search = Some(Search::After(self.now() + LEAD_IN_TICKS));
        self.search_on()
    }

    /// Goes to shortly before the last moment, as [`Playback::next_moment`] does.
    pub fn previous_moment(&mut self) -> Result<bool, ReplayError> {
        self.search = Some(Search::Before((self.now() + LEAD_IN_TICKS).saturating_sub(MOMENT_JUST_SEEN_TICKS)));
        self.search_on()
    }

    /// Looks a little further for the moment that was asked for, if it is not found yet. To be called for each picture. Whether it
    /// was found, and gone to.
    pub fn search_on(&mut self) -> Result<bool, ReplayError> {
        let Some(search) = self.search else { return Ok(false) };
        let until = self.index.seen().saturating_add(SEARCH_TICKS);
        while self.found(search).is_none() && self.index.seen() < until {
            self.index.advance(LOOK_AHEAD_TICKS)?;
        }
        let found = self.found(search);
        if found.is_some() || self.index.is_complete() {
            self.search = None;
        }
        self.go_to(found.flatten())
    }

    /// None: not enough of the game is known yet. Otherwise the moment, if there is one.
    fn found(&self, search: Search) -> Option<Option<Moment>> {
        match search {
            Search::After(tick) => {
                let next = self.wanted().find(|moment| moment.tick > tick);
                (next.is_some() || self.index.is_complete()).then_some(next)
            }
            Search::Before(tick) => {
                let is_known = self.index.seen() >= tick || self.index.is_complete();
                is_known.then(|| self.wanted().take_while(|moment| moment.tick < tick).last())
            }
        }
    }

    /// Whether a moment is still looked for.
    pub fn is_searching(&self) -> bool {
        self.search.is_some()
    }

    fn wanted(&self) -> impl Iterator<Item = Moment> {
        let follows = self.follows;
        let is_wanted = move |moment: &Moment| match moment.kind {
            crate::MomentKind::Death(seat) => follows.is_none_or(|followed| followed == seat),
            crate::MomentKind::Boss(_) => true,
        };
        self.index.moments().to_vec().into_iter().filter(is_wanted)
    }

    fn go_to(&mut self, moment: Option<Moment>) -> Result<bool, ReplayError> {
        let Some(moment) = moment else { return Ok(false) };
        self.seek(moment.tick.saturating_sub(LEAD_IN_TICKS))?;
        Ok(true)
    }

    // ---- How time passes ----

    /// How many ticks are due after this much time: to be played with [`Playback::tick`].
    pub fn ticks_due(&mut self, passed: Duration) -> u32 {
        if self.is_paused {
            return 0;
        }
        let micros = passed.min(CATCH_UP_MAX).as_micros() as u64;
        self.due += micros * u64::from(self.speed.0) * crate::TICKS_PER_SECOND;
        let ticks = self.due / 4_000_000;
        self.due %= 4_000_000;
        ticks as u32
    }

    /// Plays a tick, and looks a little further ahead for moments. False: the game is at its end.
    pub fn tick(&mut self) -> Result<bool, ReplayError> {
        // What cannot be simulated is told when it is played.
        let _ = self.index.advance(LOOK_AHEAD_TICKS);
        let goes_on = self.reel.tick()?;
        if goes_on {
            self.reel.frame_into(&mut self.frame);
        } else {
            self.is_paused = true;
        }
        Ok(goes_on)
    }
}
