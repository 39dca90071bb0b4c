//! Chance that stays the same: hashes and smooth noise from which scenery and terrain are painted. No dice are rolled.

/// The hash of a number (Wang's).
pub(super) fn scatter(number: u32) -> u32 {
    let mut bits = (number ^ 61) ^ (number >> 16);
    bits = bits.wrapping_mul(9);
    bits ^= bits >> 4;
    bits = bits.wrapping_mul(0x27d4_eb2d);
    bits ^ (bits >> 15)
}

/// The hash of a place on a grid.
pub(super) fn scatter_at(column: i32, row: i32, salt: u32) -> u32 {
    scatter((column as u32).wrapping_mul(0x9e37_79b1) ^ (row as u32).wrapping_mul(0x85eb_ca6b) ^ salt)
}

/// A number from `low` to `high` by a seed.
pub(super) fn roll(seed: u32, low: i32, high: i32) -> i32 {
    low + (scatter(seed) >> 3) as i32 % (high - low + 1)
}

/// Smooth noise of one grain: cells of `cell` pixels, repeating sideways after `period` of them.
#[derive(Clone, Copy, Debug)]
pub(super) struct Noise {
    pub(super) cell: i32,
    pub(super) period: i32,
    pub(super) seed: u32,
}

impl Noise {
    /// 0 to 255.
    pub(super) fn at(self, x: i32, y: i32) -> i32 {
        let Noise { cell, period, seed } = self;
        let corner = |column: i32, row: i32| (scatter_at(column.rem_euclid(period), row, seed) & 255) as i32;
        let (column, row) = (x.div_euclid(cell), y.div_euclid(cell));
        let smooth = |part: i32| part * part * (3 * cell - 2 * part) * 256 / (cell * cell * cell);
        let (across, down) = (smooth(x.rem_euclid(cell)), smooth(y.rem_euclid(cell)));
        let top = corner(column, row) * (256 - across) + corner(column + 1, row) * across;
        let bottom = corner(column, row + 1) * (256 - across) + corner(column + 1, row + 1) * across;
        (top / 256 * (256 - down) + bottom / 256 * down) / 256
    }
}

/// Thresholds of ordered dither, 0 to 15.
const BAYER: [[u8; 4]; 4] = [[0, 8, 2, 10], [12, 4, 14, 6], [3, 11, 1, 9], [15, 7, 13, 5]];

/// The threshold of a pixel, 0 to 15.
pub(super) fn dither(x: i32, y: i32) -> i32 {
    i32::from(BAYER[(y & 3) as usize][(x & 3) as usize])
}
