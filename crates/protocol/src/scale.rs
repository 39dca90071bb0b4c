//! Positions on the wire: field pixels times the door's scale (ruling C3).

use game::{SUBPIXELS, Vec2, units::TICKS_PER_SECOND};

/// How many units of the wire make one pixel of the field.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Scale(u16);

impl Default for Scale {
    /// Foreign clients see 1920 × 1080.
    fn default() -> Self {
        Scale(4)
    }
}

impl Scale {
    /// That many units a pixel, at least one.
    pub const fn new(units_per_pixel: u16) -> Scale {
        Scale(if units_per_pixel == 0 { 1 } else { units_per_pixel })
    }

    /// A position in units of the wire. Exact: a sub-pixel is 1/256, and fields are far smaller than 2^24 sub-pixels.
    pub fn position(self, position: Vec2) -> (f32, f32) {
        let scale = |subpixels: i32| subpixels as f32 * f32::from(self.0) / SUBPIXELS as f32;
        (scale(position.x), scale(position.y))
    }

    /// A position in whole units of the wire, rounded down.
    pub fn whole_position(self, position: Vec2) -> (i64, i64) {
        let scale = |subpixels: i32| (i64::from(subpixels) * i64::from(self.0)).div_euclid(i64::from(SUBPIXELS));
        (scale(position.x), scale(position.y))
    }

    /// A velocity in units of the wire per second, from sub-pixels per tick.
    pub fn velocity(self, velocity: Vec2) -> (f32, f32) {
        let (x, y) = self.position(velocity);
        (x * TICKS_PER_SECOND as f32, y * TICKS_PER_SECOND as f32)
    }

    /// The size of something in units of the wire.
    pub fn size(self, (width_px, height_px): (u16, u16)) -> (f32, f32) {
        (f32::from(width_px) * f32::from(self.0), f32::from(height_px) * f32::from(self.0))
    }

    /// The size of something in whole units of the wire.
    pub fn whole_size(self, (width_px, height_px): (u16, u16)) -> (u32, u32) {
        (u32::from(width_px) * u32::from(self.0), u32::from(height_px) * u32::from(self.0))
    }

    /// The size in pixels of units of the wire. Anything that is not a number, or is larger than any field, becomes a bound.
    pub fn read_size(self, width: f32, height: f32) -> (u16, u16) {
        const SIZE_MAX_PX: f32 = 4096.0;
        let unscale = |units: f32| (units / f32::from(self.0)).round().clamp(0.0, SIZE_MAX_PX) as u16;
        (unscale(width), unscale(height))
    }

    /// The position in sub-pixels of units of the wire. Anything that is not a number, or is out of any field, becomes a bound.
    pub fn read_position(self, x: f32, y: f32) -> Vec2 {
        let unscale = |units: f32| bounded((units * SUBPIXELS as f32 / f32::from(self.0)).round() as i64);
        Vec2::new(unscale(x), unscale(y))
    }

    /// The position in sub-pixels of whole units of the wire.
    pub fn read_whole_position(self, x: i64, y: i64) -> Vec2 {
        let unscale = |units: i64| bounded(units.saturating_mul(i64::from(SUBPIXELS)) / i64::from(self.0));
        Vec2::new(unscale(x), unscale(y))
    }

    /// The velocity in sub-pixels per tick of units of the wire per second.
    pub fn read_velocity(self, x: f32, y: f32) -> Vec2 {
        self.read_position(x / TICKS_PER_SECOND as f32, y / TICKS_PER_SECOND as f32)
    }
}

/// A foreign server may say anything: keep what later arithmetic can bear.
fn bounded(subpixels: i64) -> i32 {
    const FAR: i64 = 1 << 24;
    subpixels.clamp(-FAR, FAR) as i32
}

#[cfg(test)]
mod tests {
    use super::*;
    use game::px;

    #[test]
    fn c3_positions_are_field_pixels_times_the_scale() {
        let scale = Scale::default();
        assert_eq!(scale.position(Vec2::new(px(480), px(270))), (1920.0, 1080.0));
        assert_eq!(scale.whole_position(Vec2::new(px(100) + 64, -1)), (401, -1));
        assert_eq!(scale.velocity(Vec2::new(256, -128)), (240.0, -120.0));
    }

    #[test]
    fn every_sub_pixel_of_the_field_survives_the_wire() {
        let scale = Scale::default();
        for subpixels in (-px(100)..px(600)).step_by(7) {
            let (x, y) = scale.position(Vec2::new(subpixels, -subpixels));
            assert_eq!(scale.read_position(x, y), Vec2::new(subpixels, -subpixels));
        }
    }

    #[test]
    fn what_is_not_a_number_becomes_a_bound() {
        let scale = Scale::default();
        assert_eq!(scale.read_size(f32::NAN, f32::INFINITY), (0, 4096));
        assert_eq!(scale.read_size(-1.0, 64.0), (0, 16));
        assert_eq!(scale.read_position(f32::NAN, f32::INFINITY), Vec2::new(0, 1 << 24));
        assert_eq!(scale.read_whole_position(i64::MIN, i64::MAX).x, -(1 << 24));
    }
}
