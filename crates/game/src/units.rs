//! The units in which everything is measured: sub-pixels, steps, ticks, and the size of the field.
//!
//! There are no floats anywhere in `game`: a position is a whole number of 1/256 pixels, a velocity a whole number of
//! 1/256 pixels per step, so every platform computes the same bits.

use borsh::{BorshDeserialize, BorshSerialize};

/// Sub-pixels in one pixel.
pub const SUBPIXELS: i32 = 256;
/// Simulation steps in one second.
pub const STEPS_PER_SECOND: i32 = 120;
/// Steps in one tick. A tick is what dialects number, and what a [`Frame`](crate::Frame) shows.
pub const STEPS_PER_TICK: i32 = 2;
/// Ticks in one second.
pub const TICKS_PER_SECOND: i32 = STEPS_PER_SECOND / STEPS_PER_TICK;
/// Width of the field in pixels.
pub const FIELD_WIDTH_PX: i32 = 480;
/// Height of the field in pixels.
pub const FIELD_HEIGHT_PX: i32 = 270;
/// Side of a terrain tile in pixels.
pub const TILE_PX: i32 = 16;

/// Whole pixels as sub-pixels.
pub const fn px(pixels: i32) -> i32 {
    pixels * SUBPIXELS
}

/// A speed in pixels per second as sub-pixels per step.
pub const fn px_per_second(speed: i32) -> i32 {
    speed * SUBPIXELS / STEPS_PER_SECOND
}

/// Milliseconds as steps, rounded down.
pub const fn steps_of_ms(ms: i32) -> u16 {
    (ms * STEPS_PER_SECOND / 1000) as u16
}

/// A point of the field, or a velocity, in sub-pixels: origin top left, y down.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, BorshSerialize, BorshDeserialize)]
pub struct Vec2 {
    /// Rightwards.
    pub x: i32,
    /// Downwards.
    pub y: i32,
}

impl Vec2 {
    /// The origin, or no movement.
    pub const ZERO: Vec2 = Vec2 { x: 0, y: 0 };

    /// A vector of the given sub-pixels.
    pub const fn new(x: i32, y: i32) -> Self {
        Vec2 { x, y }
    }

    /// The same direction at the length `length`; straight left for the zero vector.
    ///
    /// Uses integer square roots only, so that it is the same on every platform.
    pub fn with_length(self, length: i32) -> Vec2 {
        let (x, y) = (i64::from(self.x), i64::from(self.y));
        let norm = (x * x + y * y).unsigned_abs().isqrt() as i64;
        if norm == 0 {
            return Vec2::new(-length, 0);
        }
        let length = i64::from(length);
        Vec2::new((x * length / norm) as i32, (y * length / norm) as i32)
    }

    /// Where something is that moves so for that many ticks. Numbers of any size are possible: they come from peers.
    pub const fn moved(self, per_tick: Vec2, ticks: i32) -> Vec2 {
        Vec2::new(
            self.x.saturating_add(per_tick.x.saturating_mul(ticks)),
            self.y.saturating_add(per_tick.y.saturating_mul(ticks)),
        )
    }

    /// Whether it is longer than this many sub-pixels.
    pub fn is_longer_than(self, length: i32) -> bool {
        let (x, y, length) = (i64::from(self.x), i64::from(self.y), i64::from(length));
        x * x + y * y > length * length
    }

    /// The square of the length, in square pixels.
    pub fn length_squared_px(self) -> i64 {
        let (x, y) = (i64::from(self.x / SUBPIXELS), i64::from(self.y / SUBPIXELS));
        x * x + y * y
    }
}

impl std::ops::Add for Vec2 {
    type Output = Vec2;
    fn add(self, other: Vec2) -> Vec2 {
        Vec2::new(self.x + other.x, self.y + other.y)
    }
}

impl std::ops::Sub for Vec2 {
    type Output = Vec2;
    fn sub(self, other: Vec2) -> Vec2 {
        Vec2::new(self.x - other.x, self.y - other.y)
    }
}

impl std::ops::AddAssign for Vec2 {
    fn add_assign(&mut self, other: Vec2) {
        *self = *self + other;
    }
}

/// The sine of an angle of 1/256 turns, times 256: `sine(64) == 256`.
pub fn sine(angle: u8) -> i32 {
    let quarter = i32::from(angle & 63);
    let value = match (angle >> 6) & 1 {
        0 => QUARTER_SINE[quarter as usize],
        _ => QUARTER_SINE[64 - quarter as usize],
    };
    if angle < 128 { i32::from(value) } else { -i32::from(value) }
}

/// The cosine of an angle of 1/256 turns, times 256.
pub fn cosine(angle: u8) -> i32 {
    sine(angle.wrapping_add(64))
}

/// `round(256 · sin(i / 64 · 90°))` for i = 0 … 64.
const QUARTER_SINE: [u16; 65] = [
    0, 6, 13, 19, 25, 31, 38, 44, 50, 56, 62, 68, 74, 80, 86, 92, 98, 104, 109, 115, 121, 126, 132, 137, 142, 147, 152,
    157, 162, 167, 172, 177, 181, 185, 190, 194, 198, 202, 206, 209, 213, 216, 220, 223, 226, 229, 231, 234, 237, 239,
    241, 243, 245, 247, 248, 250, 251, 252, 253, 254, 255, 255, 256, 256, 256,
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sine_has_its_four_quarters() {
        assert_eq!([0, 64, 128, 192].map(sine), [0, 256, 0, -256]);
        assert_eq!([32, 96, 160, 224].map(sine), [181, 181, -181, -181]);
        assert_eq!([0, 64, 128, 192].map(cosine), [256, 0, -256, 0]);
    }

    #[test]
    fn a_vector_keeps_its_direction_at_another_length() {
        assert_eq!(Vec2::new(px(3), px(-4)).with_length(500), Vec2::new(300, -400));
        assert_eq!(Vec2::ZERO.with_length(7), Vec2::new(-7, 0));
    }

    #[test]
    fn speeds_and_times_convert_to_steps() {
        assert_eq!(px_per_second(120), SUBPIXELS);
        assert_eq!(steps_of_ms(2000), 240);
    }
}
