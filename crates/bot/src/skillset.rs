//! What bots of different skill differ in: how soon they notice, how far they think ahead, how well they aim, and what
//! they know of beam and Force. All of them keep off the ground.

use game::{Skill, tuning};

/// What a bot of one skill can do.
pub(super) struct Skillset {
    pub(super) attention: Attention,
    pub(super) flying: Flying,
    pub(super) firing: Firing,
    /// Whether it launches the Force and calls it back. One that does not leaves it where it docked.
    pub(super) launches_force: bool,
}

/// How a bot notices what could kill it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Attention {
    /// Ticks that something must have been in sight before it is noticed.
    pub(super) notices_after: u32,
    /// How many of a hundred enemies and shots are never noticed.
    pub(super) overlooks_percent: u32,
}

/// How a bot flies.
pub(super) struct Flying {
    /// Ticks between two decisions where to fly.
    pub(super) steers_every: u32,
    /// How far a manoeuvre is thought through, in ticks.
    pub(super) horizon: i32,
    /// How far from the line of fire it may take itself to be in line.
    pub(super) aim_error_px: i32,
}

/// How a bot fires.
pub(super) struct Firing {
    /// Ticks between two taps; the gun itself needs four.
    pub(super) tap_every: u8,
    /// The charges, 0 to 255, that it waits for before it lets the beam go; one of them each time. Without any it never charges.
    pub(super) charges: &'static [u8],
}

impl Skillset {
    pub(super) const fn of(skill: Skill) -> &'static Skillset {
        match skill {
            Skill::Easy => &EASY,
            Skill::Normal => &NORMAL,
            Skill::Good => &GOOD,
        }
    }
}

const EASY: Skillset = Skillset {
    attention: Attention { notices_after: 24, overlooks_percent: 14 },
    flying: Flying { steers_every: 6, horizon: 28, aim_error_px: 16 },
    firing: Firing { tap_every: 12, charges: &[] },
    launches_force: false,
};

const NORMAL: Skillset = Skillset {
    attention: Attention { notices_after: 12, overlooks_percent: 8 },
    flying: Flying { steers_every: 3, horizon: 38, aim_error_px: 7 },
    firing: Firing { tap_every: 7, charges: &[tuning::BEAMS[1].charge_min, tuning::BEAMS[2].charge_min] },
    launches_force: true,
};

const GOOD: Skillset = Skillset {
    attention: Attention { notices_after: 0, overlooks_percent: 0 },
    flying: Flying { steers_every: 1, horizon: 48, aim_error_px: 0 },
    firing: Firing { tap_every: 5, charges: &[tuning::BEAMS[2].charge_min, tuning::BEAMS[3].charge_min] },
    launches_force: true,
};
