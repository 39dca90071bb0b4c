//! The bot's thumb on the fire button: tap at what is near, charge while nothing is, let the beam go at what lines up.

use game::{Buttons, Dice, Input, px, tuning};

use super::{perception::View, skillset::Firing};

/// With something to shoot nearer than this ahead, tap rather than charge.
const NEAR: i32 = px(170);
/// A lined up target nearer than this gets whatever beam there is.
const CLOSE: i32 = px(110);
/// Ticks of holding after which a Frame that shows no charge is taken to never show one.
const CHARGE_SHOWS_AFTER: i32 = 30;

/// The state of the fire button.
#[derive(Clone, Debug)]
pub(super) enum FireButton {
    /// Up; the next tap may come in that many ticks.
    Up { wait: u8 },
    /// Held down.
    Charging {
        /// How many ticks it has been held.
        ticks: i32,
        /// The charge, 0 to 255, at which the beam is good enough.
        wanted: u8,
    },
}

impl Default for FireButton {
    fn default() -> Self {
        FireButton::Up { wait: 0 }
    }
}

impl FireButton {
    /// The fire button's part of the input.
    pub(super) fn pull(&mut self, view: &View<'_>, firing: &Firing, dice: &mut Dice) -> Input {
        let lined_up = view.lined_up();
        match *self {
            FireButton::Up { wait } => {
                let near = view.nearest_ahead().is_some_and(|ahead| ahead < NEAR);
                if near || lined_up.is_some() || firing.charges.is_empty() {
                    self.tap(wait, firing.tap_every)
                } else {
                    *self = FireButton::Charging { ticks: 0, wanted: dice.pick(firing.charges) };
                    Input::holding(Buttons::FIRE)
                }
            }
            FireButton::Charging { ticks, wanted } => {
                if lets_go(view, lined_up, charge(view, ticks), wanted) {
                    *self = FireButton::Up { wait: 1 };
                    return Input::IDLE;
                }
                *self = FireButton::Charging { ticks: ticks.saturating_add(1), wanted };
                Input::holding(Buttons::FIRE)
            }
        }
    }

    fn tap(&mut self, wait: u8, every: u8) -> Input {
        *self = FireButton::Up { wait: if wait == 0 { every - 1 } else { wait - 1 } };
        if wait == 0 { Input::tapping(Buttons::FIRE) } else { Input::IDLE }
    }
}

fn lets_go(view: &View<'_>, lined_up: Option<i32>, charge: u8, wanted: u8) -> bool {
    let beam = charge >= tuning::BEAM_CHARGE_MIN;
    let threatened = view.nearest_ahead().is_some_and(|ahead| ahead < CLOSE);
    match lined_up {
        Some(ahead) => charge >= wanted || ahead < CLOSE || !beam,
        None => threatened && !beam,
    }
}

/// What the Frame says, or an own count where it never says.
fn charge(view: &View<'_>, ticks: i32) -> u8 {
    if view.me.charge > 0 || ticks < CHARGE_SHOWS_AFTER {
        return view.me.charge;
    }
    let steps = ticks * game::units::STEPS_PER_TICK - i32::from(tuning::CHARGE_DELAY);
    (steps * 255 / i32::from(view.model.numbers().charge_full)).clamp(0, 255) as u8
}
