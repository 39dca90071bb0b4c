//! Gates are moved by the scrolling of the stage, and are heard where they turn, and when they set out again after a boss.
//!
//! Only our own dialect sends the gates of a stage; in the others they are walls, which `changes.rs` hears.

use game::{FIELD_WIDTH_PX, Vec2, px, stage::Gate};

use super::at;
use crate::sound::{Cue, Heard};

/// A stage that scrolls further than this at once has jumped to another place, in sub-pixels.
const STEP_MAX: i64 = px(8) as i64;
/// A stage that has stood still for this many ticks begins to scroll; for fewer, it was only corrected.
const STOOD_TICKS: u32 = 60;

/// The gates of a stage as they are heard.
#[derive(Debug, Default)]
pub struct GateWatch {
    /// How far the stage has scrolled, in sub-pixels.
    scroll: i64,
    /// For how many ticks it has stood still.
    stood: u32,
}

impl GateWatch {
    /// The stage has scrolled so far, in sub-pixels. What is heard of the gates in view.
    pub fn observe(&mut self, gates: &[Gate], scroll: i64) -> Option<Heard> {
        let before = std::mem::replace(&mut self.scroll, scroll);
        let stood = self.stood;
        self.stood = if scroll == before { stood.saturating_add(1) } else { 0 };
        let is_step = (1..=STEP_MAX).contains(&(scroll - before));
        let sets_out = |gate: &Gate| stood >= STOOD_TICKS && gate.travel_px != 0;
        let is_heard = |gate: &&Gate| middle(gate, scroll).is_some() && (sets_out(gate) || gate.turns(before, scroll));
        let gate = gates.iter().filter(|_| is_step).find(is_heard)?;
        Some(at(Cue::Gate, middle(gate, scroll)?))
    }
}

/// The middle of a gate in the field, if any of it is in view.
fn middle(gate: &Gate, scroll: i64) -> Option<Vec2> {
    let in_field = |x_px: u32| i64::from(px(1)) * i64::from(x_px) - scroll;
    let is_in_view = in_field(gate.end_px()) > 0 && in_field(gate.x_px) < i64::from(px(FIELD_WIDTH_PX));
    let middle = (in_field(gate.x_px) + in_field(gate.end_px())) / 2;
    i32::try_from(middle).ok().filter(|_| is_in_view).map(|x| Vec2::new(x, gate.top(scroll)))
}

#[cfg(test)]
mod tests {
    use super::*;

    const GATE: Gate =
        Gate { x_px: 1000, y_px: 32, width_px: 32, height_px: 48, travel_px: -40, every_px: 100, phase_px: 0 };

    /// Where the stage has scrolled to when a gate is heard, in pixels.
    fn heard(watch: &mut GateWatch, places_px: impl Iterator<Item = i64>) -> Vec<i64> {
        places_px.filter(|place| watch.observe(&[GATE], i64::from(px(1)) * place).is_some()).collect()
    }

    #[test]
    fn a_gate_in_view_is_heard_where_it_turns() {
        let mut watch = GateWatch::default();
        assert_eq!(heard(&mut watch, 400..800), [570, 620, 670, 720, 770], "it is in view from 521 on");
        assert_eq!(heard(&mut watch, 800..1200), [820, 870, 920, 970, 1020], "and until 1032");
        assert!(heard(&mut watch, [560, 580, 579, 578].into_iter()).is_empty(), "after a jump, and backwards");
    }

    #[test]
    fn a_gate_is_heard_when_it_sets_out_again_after_a_boss() {
        let mut watch = GateWatch::default();
        let stood = |ticks: usize| (600..610).chain(std::iter::repeat_n(610, ticks)).chain(611..615);
        assert_eq!(heard(&mut watch, stood(100)), [611]);
        assert!(heard(&mut watch, stood(5)).is_empty());
    }

    #[test]
    fn it_is_heard_where_it_is() {
        let pan = |scroll_px: i64| {
            let mut watch = GateWatch { scroll: i64::from(px(1)) * (scroll_px - 1), stood: 0 };
            watch.observe(&[GATE], i64::from(px(1)) * scroll_px).map(|heard| heard.pan)
        };
        assert!(pan(570).is_some_and(|pan| pan > 40) && pan(1020).is_some_and(|pan| pan < -40));
    }
}
