//! The bot's thumb on the Force button: mostly docked, where it shields; launched now and then, and called back.

use game::{Dice, Entity, px};

use super::perception::View;

/// A Force nearer than this to the ship is docked, where a Frame does not say what it is attached to.
const DOCKED_WITHIN: i32 = px(24);
/// Ticks that a Force stays docked.
const DOCKED_TICKS: (i32, i32) = (360, 900);
/// Ticks that it stays out.
const AWAY_TICKS: (i32, i32) = (150, 300);

/// When the bot next touches the Force button.
#[derive(Clone, Debug, Default)]
pub(super) struct ForceButton {
    wait: i32,
    docked: Option<bool>,
}

impl ForceButton {
    /// Whether to press the Force button in this tick.
    pub(super) fn wants(&mut self, view: &View<'_>, dice: &mut Dice) -> bool {
        let docked = view.force.map(|force| is_docked(&force, view));
        if docked != self.docked {
            self.docked = docked;
            let (low, high) = if docked == Some(true) { DOCKED_TICKS } else { AWAY_TICKS };
            self.wait = dice.between(low, high);
        }
        self.wait = (self.wait - 1).max(0);
        let ready = match docked {
            Some(true) => view.lined_up().is_some(),
            Some(false) => true,
            None => false,
        };
        let press = self.wait == 0 && ready;
        if press {
            // Should the press be lost on the way, it is not repeated at once: two presses undo each other.
            self.wait = AWAY_TICKS.0;
        }
        press
    }
}

fn is_docked(force: &Entity, view: &View<'_>) -> bool {
    let gap = force.position - view.me.position;
    force.attached.is_some() || (gap.x.abs() < DOCKED_WITHIN && gap.y.abs() < DOCKED_WITHIN / 3)
}
