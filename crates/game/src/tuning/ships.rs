//! The four ships, in numbers.

use crate::units::{px_per_second, steps_of_ms};

/// Speed-ups that count.
pub const SPEED_UPS_MAX: u8 = 4;

/// What a ship differs in from the others.
pub struct ShipNumbers {
    /// Speed with no, one, two, … speed-ups, along one axis, in sub-pixels per step.
    pub speeds: [i32; SPEED_UPS_MAX as usize + 1],
    /// From an empty to a full gauge, in steps.
    pub charge_full: u16,
    /// Damage of a beam, in 1/16.
    pub beam: u16,
}

/// By ship: Arrow, Wasp, Anvil, Lynx.
pub const SHIPS: [ShipNumbers; 4] = [
    ShipNumbers { speeds: speeds(105, 30), charge_full: steps_of_ms(1700), beam: 16 },
    ShipNumbers { speeds: speeds(125, 28), charge_full: steps_of_ms(1900), beam: 14 },
    ShipNumbers { speeds: speeds(92, 30), charge_full: steps_of_ms(1900), beam: 22 },
    ShipNumbers { speeds: speeds(110, 28), charge_full: steps_of_ms(1200), beam: 12 },
];

const fn speeds(first: i32, more: i32) -> [i32; SPEED_UPS_MAX as usize + 1] {
    let mut speeds = [0; SPEED_UPS_MAX as usize + 1];
    let mut index = 0;
    while index < speeds.len() {
        speeds[index] = px_per_second(first + more * index as i32);
        index += 1;
    }
    speeds
}
