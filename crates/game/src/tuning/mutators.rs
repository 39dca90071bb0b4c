//! What the mutators of the daily game change.

/// Mixed into the number of the day, to give its seed. It must never change.
pub const DAILY_SEED: u64 = 0x564f_4c4c_4559_2d31;
/// *Swarm*: enemies of a formation, in 1/16.
pub const SWARM_COUNT: i32 = 24;
/// *Swarm*: health of enemies, in 1/16.
pub const SWARM_HEALTH: u16 = 8;
/// *Haste*: speed of enemies and of their shots, in 1/16.
pub const HASTE: i32 = 21;
/// *Overcharge*: how many times as fast a beam charges.
pub const OVERCHARGE: u16 = 2;
