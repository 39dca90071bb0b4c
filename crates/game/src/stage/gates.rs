//! Gates: terrain that moves up and down as the stage scrolls.
//!
//! Where a gate is depends on the scroll and on nothing else: it is the same in every try, and whoever knows the stage knows
//! where it will be.

use crate::units::{FIELD_WIDTH_PX, px};

/// A rectangle of terrain that moves up and down.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Gate {
    /// Its left edge in the stage, in pixels.
    pub x_px: u32,
    /// Its upper edge in the field before it has moved.
    pub y_px: i16,
    pub width_px: u16,
    pub height_px: u16,
    /// How far it goes, downwards if positive, before it comes back.
    pub travel_px: i16,
    /// By how many pixels the stage scrolls while it goes there and back.
    pub every_px: u16,
    /// How far along it is, in pixels of scrolling, when its left edge comes into view.
    pub phase_px: u16,
}

impl Gate {
    /// Its right edge.
    pub const fn end_px(&self) -> u32 {
        self.x_px + self.width_px as u32
    }

    /// Its upper edge in the field, in sub-pixels, when the stage has scrolled so far, also in sub-pixels.
    pub fn top(&self, scroll: i64) -> i32 {
        let whole = self.whole();
        let along = self.along(scroll).rem_euclid(whole);
        let there = along.min(whole - along);
        let moved = i64::from(px(self.travel_px.into())) * there / (whole / 2);
        px(self.y_px.into()) + moved as i32
    }

    /// Whether it turns while the stage scrolls from one place to another, in sub-pixels.
    pub fn turns(&self, from: i64, to: i64) -> bool {
        let half = self.whole() / 2;
        self.travel_px != 0 && self.along(from).div_euclid(half) != self.along(to).div_euclid(half)
    }

    /// How far the stage scrolls while it goes there and back, in sub-pixels.
    fn whole(&self) -> i64 {
        i64::from(px(1)) * i64::from(self.every_px.max(2))
    }

    /// How far the stage has scrolled since it set out, in sub-pixels.
    fn along(&self, scroll: i64) -> i64 {
        let in_view = i64::from(self.x_px) - i64::from(FIELD_WIDTH_PX) - i64::from(self.phase_px);
        scroll - i64::from(px(1)) * in_view
    }

    /// Whether it covers a point. `x` is in sub-pixels of the stage, `y` in sub-pixels of the field.
    pub fn covers(&self, scroll: i64, x: i64, y: i32) -> bool {
        let (left, right) = (i64::from(px(1)) * i64::from(self.x_px), i64::from(px(1)) * i64::from(self.end_px()));
        let top = self.top(scroll);
        (left..right).contains(&x) && (top..top + px(self.height_px.into())).contains(&y)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const GATE: Gate =
        Gate { x_px: 1000, y_px: 32, width_px: 32, height_px: 48, travel_px: -40, every_px: 100, phase_px: 0 };

    #[test]
    fn a_gate_goes_there_and_back_as_the_stage_scrolls() {
        let top = |scrolled_px: i64| GATE.top(i64::from(px(1)) * (1000 - 480 + scrolled_px)) / px(1);
        assert_eq!([0, 25, 50, 75, 100, 150].map(top), [32, 12, -8, 12, 32, -8]);
        let later = Gate { phase_px: 50, ..GATE };
        assert_eq!(later.top(i64::from(px(520))), px(-8));
    }

    #[test]
    fn a_gate_turns_at_both_ends_of_its_way() {
        let at = |scrolled_px: i64| i64::from(px(1)) * (1000 - 480 + scrolled_px);
        let turns: Vec<i64> = (0..200).filter(|&from| GATE.turns(at(from), at(from + 1))).collect();
        assert_eq!(turns, [49, 99, 149, 199]);
        assert!(!Gate { travel_px: 0, ..GATE }.turns(at(49), at(50)), "it stands still");
    }

    #[test]
    fn a_gate_covers_its_rectangle_and_no_more() {
        let scroll = i64::from(px(520));
        let covers = |x: i32, y: i32| GATE.covers(scroll, i64::from(x), y);
        assert!(covers(px(1000), px(32)) && covers(px(1032) - 1, px(80) - 1));
        assert!(!covers(px(1000) - 1, px(32)) && !covers(px(1032), px(32)));
        assert!(!covers(px(1000), px(32) - 1) && !covers(px(1000), px(80)));
    }
}
