//! The moments of a game that people want to see again: ships that were lost, and bosses. They are found by simulating.

use game::{EntityId, Event, Frame, Kind, Seat};

use crate::{Reel, Replay, ReplayError};

/// More are not kept.
const MOMENTS_MAX: usize = 10_000;

/// A moment that people want to see again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Moment {
    pub tick: u32,
    pub kind: MomentKind,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MomentKind {
    /// The ship of that seat was lost.
    Death(Seat),
    /// A boss came.
    Boss(Kind),
}

/// Finds the moments of a game, a few ticks at a time.
#[derive(Clone, Debug)]
pub struct MomentIndex {
    reel: Reel,
    frame: Frame,
    boss: Option<EntityId>,
    moments: Vec<Moment>,
    is_complete: bool,
}

impl MomentIndex {
    pub fn new(replay: &Replay) -> Result<MomentIndex, ReplayError> {
        let reel = Reel::new(replay)?;
        Ok(MomentIndex { reel, frame: Frame::default(), boss: None, moments: Vec::new(), is_complete: false })
    }

    /// The moments of a whole game.
    pub fn all(replay: &Replay) -> Result<Vec<Moment>, ReplayError> {
        let mut index = MomentIndex::new(replay)?;
        index.advance(u32::MAX)?;
        Ok(index.moments)
    }

    /// Looks at some more ticks.
    pub fn advance(&mut self, ticks: u32) -> Result<(), ReplayError> {
        for _ in 0..ticks {
            if self.is_complete || !self.reel.tick()? {
                self.is_complete = true;
                break;
            }
            self.reel.frame_into(&mut self.frame);
            self.look();
        }
        Ok(())
    }

    /// How many ticks were looked at.
    pub fn seen(&self) -> u32 {
        self.reel.now()
    }

    /// Whether the whole game was looked at.
    pub fn is_complete(&self) -> bool {
        self.is_complete
    }

    /// Those that were found so far, in order.
    pub fn moments(&self) -> &[Moment] {
        &self.moments
    }

    fn look(&mut self) {
        let boss = self.frame.boss();
        if let Some(boss) = boss.filter(|boss| self.boss != Some(boss.hull)) {
            self.add(MomentKind::Boss(boss.kind));
        }
        self.boss = boss.map(|boss| boss.hull);
        for event in std::mem::take(&mut self.frame.events) {
            if let Event::Killed { seat, .. } = event {
                self.add(MomentKind::Death(seat));
            }
        }
    }

    fn add(&mut self, kind: MomentKind) {
        if self.moments.len() < MOMENTS_MAX {
            self.moments.push(Moment { tick: self.reel.now(), kind });
        }
    }
}
