//! The six bosses in numbers: their parts, where they stand, and what they do in each of their three phases.
//!
//! Which phase a boss is in follows from the health of its weak point: each third is a phase.

use super::Swing;
use crate::{
    Kind,
    units::{px, px_per_second, steps_of_ms},
};

/// A boss: a hull with parts, one of which is its weak point.
pub struct Boss {
    /// The hull, which also names the boss in a stage file.
    pub hull: Kind,
    /// Its parts, with the place of each relative to the hull's centre, in pixels. The first is the weak point.
    pub parts: &'static [(Kind, (i32, i32))],
    /// Where the hull's centre comes to rest, from the left edge.
    pub rest_x: i32,
    /// Speed of its entrance and departure, and of every other move ahead or back.
    pub speed: i32,
    /// How it sways up and down; it winds only in every so manyth step, which its phase says.
    pub sway: Swing,
    pub phases: [Phase; PHASES],
    /// After this it leaves.
    pub patience: u16,
}

/// Phases of a boss.
pub const PHASES: usize = 3;

/// What a boss does while its weak point has a certain third of its health.
pub struct Phase {
    /// It comes this far ahead of where it rests.
    pub ahead: i32,
    /// Steps from one move of its sway to the next.
    pub sways_every: u16,
    /// How long the weak point is closed, while all other parts are there.
    pub closed: u16,
    /// How long the weak point is open.
    pub open: u16,
    /// What the open weak point fires.
    pub weak_point: Volley,
    /// What each other part fires.
    pub parts: Volley,
    /// What the hull itself fires once all other parts are shot off.
    pub bare: Volley,
    /// How it attacks a ship that stays where it is, perhaps behind a Force.
    pub side_attack: SideAttack,
}

/// What is fired, and how often.
#[derive(Clone, Copy)]
pub struct Volley {
    pub attack: Attack,
    /// Between two of them.
    pub every: u16,
}

/// A pattern of fire. Angles are in 1/256 turns.
#[derive(Clone, Copy)]
pub enum Attack {
    /// Pellets at the nearest ship, and the angle between two.
    Aimed { pellets: u8, apart: u8 },
    /// Pellets to the left, and the angle between two.
    Fan { pellets: u8, apart: u8 },
    /// To all sides, turned a little further each time.
    Ring { pellets: u8 },
    /// One pellet in each direction (`arms`); all of them turn by `turn` each time.
    Spiral { arms: u8, turn: u8 },
    /// Straight ahead, heavy and fast.
    Lance,
    /// Bombs in arcs, each further than the one before.
    Lob { bombs: u8 },
    /// A column of pellets as high as the field, with a gap that wanders up and down.
    Curtain { gap_px: i32 },
    /// An enemy.
    Release(Kind),
}

/// What reaches a ship from another side than ahead.
#[derive(Clone, Copy)]
pub enum SideAttack {
    /// Bombs that come down on it.
    Mortar { bombs: u8 },
    /// An enemy from behind, at its height.
    Ambush(Kind),
}

const fn volley(attack: Attack, every_ms: i32) -> Volley {
    Volley { attack, every: steps_of_ms(every_ms) }
}

/// How long the hull waits outside the field before it comes in: time for a warning.
pub const BOSS_WARNING: u16 = steps_of_ms(3000);
/// From the end of the last boss of a stage to the news that the stage is won: nothing covers its death.
pub const VICTORY_SHOWN: u16 = steps_of_ms(3500);
/// By what the damage of a plain shot to a weak point is divided, except on easy: it asks for the beam or the Force.
pub const ARMOUR: u16 = 4;
/// By what that of a laser or a missile is divided.
pub const LASER_ARMOUR: u16 = 2;
/// Bosses release nothing while this many foes are in the field, their own parts among them.
pub const RELEASED_MAX: u32 = 16;
/// From one pellet of a curtain to the next, in pixels.
pub const CURTAIN_STEP_PX: i32 = 22;
/// How far the gap of a curtain wanders, in pixels, and how fast, in 1/256 turns per volley.
pub const CURTAIN_WANDERS: Swing = Swing { reach_px: 76, winding: 37 };

/// From one bomb of a mortar to the next, in pixels: beside a Bit there is always one.
pub const MORTAR_APART_PX: i32 = 16;
/// Such a bomb rises to here below the ceiling or the upper edge, and at least by the second, in pixels.
pub const MORTAR_BELOW_CEILING_PX: i32 = 8;
pub const MORTAR_RISES_PX: i32 = 40;
/// A boss looks this often for a ship that stays where it is.
pub const SIDE_ATTACKS_EVERY: u16 = steps_of_ms(2600);
/// A ship stays where it is if it has kept within this much room for this long.
pub const STAYING_ROOM: i32 = px(12);
pub const STAYS_LONG: u16 = steps_of_ms(3000);

pub const BOSSES: [Boss; 6] = [SALVAGER, KEEPER, BROOD, MATRIARCH, GATEHOUSE, HEART];

const SALVAGER: Boss = Boss {
    hull: Kind::Salvager,
    parts: &[(Kind::SalvagerEye, (-20, 0)), (Kind::SalvagerClaw, (-26, -30)), (Kind::SalvagerClaw, (-26, 30))],
    rest_x: px(400),
    speed: px_per_second(60),
    sway: Swing { reach_px: 50, winding: 1 },
    phases: [
        Phase {
            ahead: 0,
            sways_every: 3,
            closed: steps_of_ms(2200),
            open: steps_of_ms(2200),
            weak_point: volley(Attack::Lance, 1300),
            parts: volley(Attack::Aimed { pellets: 1, apart: 0 }, 1400),
            bare: volley(Attack::Fan { pellets: 3, apart: 16 }, 1500),
            side_attack: SideAttack::Ambush(Kind::Seeker),
        },
        Phase {
            ahead: px(40),
            sways_every: 2,
            closed: steps_of_ms(2400),
            open: steps_of_ms(2000),
            weak_point: volley(Attack::Fan { pellets: 3, apart: 14 }, 1300),
            parts: volley(Attack::Aimed { pellets: 2, apart: 12 }, 1600),
            bare: volley(Attack::Fan { pellets: 5, apart: 14 }, 1500),
            side_attack: SideAttack::Mortar { bombs: 2 },
        },
        Phase {
            ahead: px(90),
            sways_every: 2,
            closed: steps_of_ms(2400),
            open: steps_of_ms(2000),
            weak_point: volley(Attack::Ring { pellets: 10 }, 1500),
            parts: volley(Attack::Aimed { pellets: 3, apart: 10 }, 1700),
            bare: volley(Attack::Ring { pellets: 8 }, 1700),
            side_attack: SideAttack::Ambush(Kind::Seeker),
        },
    ],
    patience: steps_of_ms(80_000),
};

const KEEPER: Boss = Boss {
    hull: Kind::Keeper,
    parts: &[(Kind::KeeperCore, (-30, 4)), (Kind::KeeperGun, (-24, -52)), (Kind::KeeperGun, (-24, 52))],
    rest_x: px(405),
    speed: px_per_second(40),
    sway: Swing { reach_px: 30, winding: 1 },
    phases: [
        Phase {
            ahead: 0,
            sways_every: 3,
            closed: steps_of_ms(2600),
            open: steps_of_ms(2400),
            weak_point: volley(Attack::Lance, 900),
            parts: volley(Attack::Fan { pellets: 3, apart: 14 }, 1600),
            bare: volley(Attack::Fan { pellets: 5, apart: 12 }, 1500),
            side_attack: SideAttack::Ambush(Kind::Seeker),
        },
        Phase {
            ahead: 0,
            sways_every: 2,
            closed: steps_of_ms(2600),
            open: steps_of_ms(2400),
            weak_point: volley(Attack::Ring { pellets: 12 }, 1400),
            parts: volley(Attack::Aimed { pellets: 3, apart: 10 }, 1500),
            bare: volley(Attack::Ring { pellets: 9 }, 1600),
            side_attack: SideAttack::Mortar { bombs: 4 },
        },
        Phase {
            ahead: px(60),
            sways_every: 2,
            closed: steps_of_ms(2800),
            open: steps_of_ms(2400),
            weak_point: volley(Attack::Curtain { gap_px: 100 }, 2000),
            parts: volley(Attack::Lance, 1300),
            bare: volley(Attack::Spiral { arms: 4, turn: 11 }, 450),
            side_attack: SideAttack::Ambush(Kind::Seeker),
        },
    ],
    patience: steps_of_ms(120_000),
};

const BROOD: Boss = Boss {
    hull: Kind::Brood,
    parts: &[(Kind::BroodMaw, (-26, 0)), (Kind::BroodSac, (-22, -32)), (Kind::BroodSac, (-22, 32))],
    rest_x: px(400),
    speed: px_per_second(55),
    sway: Swing { reach_px: 46, winding: 1 },
    phases: [
        Phase {
            ahead: 0,
            sways_every: 3,
            closed: steps_of_ms(2300),
            open: steps_of_ms(2200),
            weak_point: volley(Attack::Lob { bombs: 3 }, 1500),
            parts: volley(Attack::Release(Kind::Mite), 2200),
            bare: volley(Attack::Aimed { pellets: 2, apart: 12 }, 1400),
            side_attack: SideAttack::Ambush(Kind::Larva),
        },
        Phase {
            ahead: px(40),
            sways_every: 2,
            closed: steps_of_ms(2300),
            open: steps_of_ms(2200),
            weak_point: volley(Attack::Ring { pellets: 10 }, 1500),
            parts: volley(Attack::Release(Kind::Mite), 1800),
            bare: volley(Attack::Lob { bombs: 4 }, 1700),
            side_attack: SideAttack::Mortar { bombs: 2 },
        },
        Phase {
            ahead: px(80),
            sways_every: 2,
            closed: steps_of_ms(2300),
            open: steps_of_ms(2200),
            weak_point: volley(Attack::Spiral { arms: 3, turn: 13 }, 400),
            parts: volley(Attack::Release(Kind::Spore), 2400),
            bare: volley(Attack::Lob { bombs: 5 }, 1500),
            side_attack: SideAttack::Ambush(Kind::Larva),
        },
    ],
    patience: steps_of_ms(100_000),
};

const MATRIARCH: Boss = Boss {
    hull: Kind::Matriarch,
    parts: &[
        (Kind::MatriarchEye, (-34, 0)),
        (Kind::MatriarchArm, (-30, -54)),
        (Kind::MatriarchArm, (-40, -28)),
        (Kind::MatriarchArm, (-40, 28)),
        (Kind::MatriarchArm, (-30, 54)),
    ],
    rest_x: px(405),
    speed: px_per_second(40),
    sway: Swing { reach_px: 26, winding: 1 },
    phases: [
        Phase {
            ahead: 0,
            sways_every: 3,
            closed: steps_of_ms(2800),
            open: steps_of_ms(2400),
            weak_point: volley(Attack::Fan { pellets: 5, apart: 12 }, 1500),
            parts: volley(Attack::Aimed { pellets: 1, apart: 0 }, 1900),
            bare: volley(Attack::Release(Kind::Leech), 700),
            side_attack: SideAttack::Ambush(Kind::Larva),
        },
        Phase {
            ahead: 0,
            sways_every: 2,
            closed: steps_of_ms(2800),
            open: steps_of_ms(2400),
            weak_point: volley(Attack::Spiral { arms: 4, turn: 9 }, 420),
            parts: volley(Attack::Lob { bombs: 1 }, 1900),
            bare: volley(Attack::Release(Kind::Spore), 1500),
            side_attack: SideAttack::Mortar { bombs: 4 },
        },
        Phase {
            ahead: px(50),
            sways_every: 2,
            closed: steps_of_ms(2800),
            open: steps_of_ms(2400),
            weak_point: volley(Attack::Ring { pellets: 16 }, 1500),
            parts: volley(Attack::Aimed { pellets: 2, apart: 14 }, 1800),
            bare: volley(Attack::Curtain { gap_px: 100 }, 2400),
            side_attack: SideAttack::Ambush(Kind::Larva),
        },
    ],
    patience: steps_of_ms(130_000),
};

const GATEHOUSE: Boss = Boss {
    hull: Kind::Gatehouse,
    parts: &[(Kind::GatehouseLock, (-24, 0)), (Kind::GatehouseGun, (-24, -46)), (Kind::GatehouseGun, (-24, 46))],
    rest_x: px(420),
    speed: px_per_second(50),
    sway: Swing { reach_px: 40, winding: 1 },
    phases: [
        Phase {
            ahead: 0,
            sways_every: 3,
            closed: steps_of_ms(2300),
            open: steps_of_ms(2200),
            weak_point: volley(Attack::Fan { pellets: 5, apart: 10 }, 1400),
            parts: volley(Attack::Lance, 1400),
            bare: volley(Attack::Aimed { pellets: 3, apart: 12 }, 1300),
            side_attack: SideAttack::Ambush(Kind::Seeker),
        },
        Phase {
            ahead: 0,
            sways_every: 2,
            closed: steps_of_ms(2300),
            open: steps_of_ms(2200),
            weak_point: volley(Attack::Curtain { gap_px: 108 }, 2300),
            parts: volley(Attack::Aimed { pellets: 2, apart: 14 }, 1400),
            bare: volley(Attack::Release(Kind::Dart), 1400),
            side_attack: SideAttack::Mortar { bombs: 2 },
        },
        Phase {
            ahead: px(30),
            sways_every: 2,
            closed: steps_of_ms(2300),
            open: steps_of_ms(2200),
            weak_point: volley(Attack::Curtain { gap_px: 100 }, 2200),
            parts: volley(Attack::Lance, 1300),
            bare: volley(Attack::Ring { pellets: 12 }, 1600),
            side_attack: SideAttack::Ambush(Kind::Seeker),
        },
    ],
    patience: steps_of_ms(100_000),
};

const HEART: Boss = Boss {
    hull: Kind::Heart,
    parts: &[
        (Kind::HeartCore, (-36, 0)),
        (Kind::HeartCoil, (-32, -60)),
        (Kind::HeartCoil, (-42, -32)),
        (Kind::HeartCoil, (-42, 32)),
        (Kind::HeartCoil, (-32, 60)),
    ],
    rest_x: px(405),
    speed: px_per_second(40),
    sway: Swing { reach_px: 20, winding: 1 },
    phases: [
        Phase {
            ahead: 0,
            sways_every: 3,
            closed: steps_of_ms(2600),
            open: steps_of_ms(2400),
            weak_point: volley(Attack::Lance, 700),
            parts: volley(Attack::Aimed { pellets: 1, apart: 0 }, 1700),
            bare: volley(Attack::Ring { pellets: 10 }, 1700),
            side_attack: SideAttack::Ambush(Kind::Seeker),
        },
        Phase {
            ahead: 0,
            sways_every: 2,
            closed: steps_of_ms(2600),
            open: steps_of_ms(2400),
            weak_point: volley(Attack::Curtain { gap_px: 104 }, 2200),
            parts: volley(Attack::Fan { pellets: 2, apart: 20 }, 1900),
            bare: volley(Attack::Release(Kind::Dart), 1200),
            side_attack: SideAttack::Mortar { bombs: 4 },
        },
        Phase {
            ahead: px(40),
            sways_every: 1,
            closed: steps_of_ms(2600),
            open: steps_of_ms(2400),
            weak_point: volley(Attack::Spiral { arms: 5, turn: 7 }, 420),
            parts: volley(Attack::Aimed { pellets: 2, apart: 12 }, 1800),
            bare: volley(Attack::Curtain { gap_px: 100 }, 2400),
            side_attack: SideAttack::Ambush(Kind::Seeker),
        },
    ],
    patience: steps_of_ms(140_000),
};

impl Boss {
    /// The index of the phase in which its weak point has this much of its health.
    pub fn phase_at(health: u16, health_max: u16) -> usize {
        let (health, third) = (u32::from(health) * PHASES as u32, u32::from(health_max));
        (0..PHASES - 1).find(|&phase| health > third * (PHASES - 1 - phase) as u32).unwrap_or(PHASES - 1)
    }
}

/// Whether a kind is the weak point of a boss.
pub fn is_weak_point(kind: Kind) -> bool {
    BOSSES.iter().any(|boss| boss.parts[0].0 == kind)
}

/// The boss with that hull.
pub fn boss(hull: Kind) -> Option<&'static Boss> {
    BOSSES.iter().find(|boss| boss.hull == hull)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_third_of_the_health_is_a_phase() {
        let phases = [300, 201, 200, 101, 100, 1, 0].map(|health| Boss::phase_at(health, 300));
        assert_eq!(phases, [0, 0, 1, 1, 2, 2, 2]);
    }
}
