//! Boxes that collide.

use crate::{Kind, Vec2, tuning, units::px};

/// An axis-parallel box in sub-pixels of the field.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Hitbox {
    left: i32,
    top: i32,
    right: i32,
    bottom: i32,
}

impl Hitbox {
    /// The box of a kind around its centre.
    pub(crate) fn of(kind: Kind, centre: Vec2) -> Hitbox {
        Hitbox::sized(tuning::body(kind).hit_px, centre)
    }

    /// A box of that width and height around a centre.
    pub(crate) fn sized(size_px: (i32, i32), centre: Vec2) -> Hitbox {
        let (half_width, half_height) = (px(size_px.0) / 2, px(size_px.1) / 2);
        Hitbox {
            left: centre.x - half_width,
            top: centre.y - half_height,
            right: centre.x + half_width,
            bottom: centre.y + half_height,
        }
    }

    /// Whether the two share any area. Without branches, because thousands are asked in a step.
    pub(crate) fn touches(&self, other: &Hitbox) -> bool {
        (self.left < other.right) & (other.left < self.right) & (self.top < other.bottom) & (other.top < self.bottom)
    }

    /// Whether it touches any of these. Looks at all of them: without an early end the loop runs several at a time.
    pub(crate) fn touches_any(&self, others: &[Hitbox]) -> bool {
        others.iter().fold(false, |touches, other| touches | self.touches(other))
    }

    /// Its four corners.
    pub(crate) fn corners(&self) -> [Vec2; 4] {
        [
            Vec2::new(self.left, self.top),
            Vec2::new(self.right, self.top),
            Vec2::new(self.left, self.bottom),
            Vec2::new(self.right, self.bottom),
        ]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn boxes_that_only_share_an_edge_do_not_touch() {
        let a = Hitbox::sized((10, 10), Vec2::new(px(10), px(10)));
        assert!(a.touches(&Hitbox::sized((10, 10), Vec2::new(px(20) - 1, px(10)))));
        assert!(!a.touches(&Hitbox::sized((10, 10), Vec2::new(px(20), px(10)))));
        assert!(!a.touches(&Hitbox::sized((10, 10), Vec2::new(px(10), px(20)))));
    }
}
