//! What a player does, as requests: MOVE on and off, SHOOT, CHARGE, DROP (client's side).
//!
//! As everywhere in the game, fire gives its shot when it goes down. Held on, it becomes a CHARGE, and letting go a
//! SHOOT.

use std::time::Duration;

use game::{Buttons, Input};

use super::wire::Direction;
use crate::Time;

/// Fire held for so long is a charge: as long as the game itself takes to tell a hold from a tap.
const CHARGE_AFTER: Duration = Duration::from_millis(150);

const DIRECTIONS: [(Direction, Buttons); 4] = [
    (Direction::Up, Buttons::UP),
    (Direction::Left, Buttons::LEFT),
    (Direction::Down, Buttons::DOWN),
    (Direction::Right, Buttons::RIGHT),
];

/// What a player holds, as the server was told.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Controls {
    before: Buttons,
    trigger: Trigger,
}

#[derive(Clone, Copy, Debug, Default)]
enum Trigger {
    #[default]
    Up,
    Down {
        since: Time,
    },
    Charging,
}

/// A request to be made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Wish {
    Move(Direction, bool),
    Charge,
    Shoot,
    /// The SHOOT that lets a charge go: without it the charge would be one for ever.
    Release,
    Drop,
}

impl Controls {
    /// Tells what one tick's Input asks for, in order.
    pub(super) fn press(&mut self, now: Time, input: Input, wish: &mut impl FnMut(Wish)) {
        for (direction, button) in DIRECTIONS {
            self.steer(input, direction, button, wish);
        }
        if self.is_pressed(input, Buttons::FORCE) {
            wish(Wish::Drop);
        }
        self.pull(now, input, wish);
        self.before = input.held;
    }

    fn steer(&self, input: Input, direction: Direction, button: Buttons, wish: &mut impl FnMut(Wish)) {
        let (was_held, is_held) = (self.before.contains(button), input.held.contains(button));
        match (was_held, is_held) {
            (true, true) => {}
            (true, false) => wish(Wish::Move(direction, false)),
            (false, true) => wish(Wish::Move(direction, true)),
            (false, false) if input.pressed.contains(button) => {
                wish(Wish::Move(direction, true));
                wish(Wish::Move(direction, false));
            }
            (false, false) => {}
        }
    }

    fn pull(&mut self, now: Time, input: Input, wish: &mut impl FnMut(Wish)) {
        let fires = input.held.contains(Buttons::FIRE);
        let charges = input.held.contains(Buttons::CHARGE);
        let is_pressed = self.is_pressed(input, Buttons::FIRE);
        if let Trigger::Charging = self.trigger
            && (is_pressed || !(fires || charges))
        {
            wish(Wish::Release);
            self.trigger = Trigger::Up;
        }
        // A charge that was let go within its tick is a shot.
        if is_pressed || (!charges && input.pressed.contains(Buttons::CHARGE)) {
            wish(Wish::Shoot);
            self.trigger = Trigger::Down { since: now };
        }
        self.trigger = match self.trigger {
            Trigger::Charging => Trigger::Charging,
            Trigger::Down { since } if fires && now.since(since) < CHARGE_AFTER && !charges => Trigger::Down { since },
            Trigger::Down { .. } if !fires && !charges => Trigger::Up,
            Trigger::Up if !charges => Trigger::Up,
            Trigger::Down { .. } | Trigger::Up => {
                wish(Wish::Charge);
                Trigger::Charging
            }
        };
    }

    /// Went down, or went up and down again.
    fn is_pressed(&self, input: Input, button: Buttons) -> bool {
        input.pressed.contains(button) || (input.held.contains(button) && !self.before.contains(button))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What is asked for in successive ticks of 50 ms.
    fn wishes(inputs: &[Input]) -> Vec<(usize, Wish)> {
        let mut controls = Controls::default();
        let mut wishes = Vec::new();
        for (tick, &input) in inputs.iter().enumerate() {
            let now = Time::from_micros(tick as u64 * 50_000);
            controls.press(now, input, &mut |wish| wishes.push((tick, wish)));
        }
        wishes
    }

    const FIRE: Input = Input::holding(Buttons::FIRE);

    #[test]
    fn a_tap_is_a_shot_and_a_hold_is_a_shot_a_charge_and_a_shot() {
        assert_eq!(wishes(&[Input::tapping(Buttons::FIRE), Input::IDLE, Input::IDLE]), [(0, Wish::Shoot)]);
        let held = [FIRE, FIRE, FIRE, FIRE, FIRE, Input::IDLE, Input::IDLE];
        assert_eq!(wishes(&held), [(0, Wish::Shoot), (3, Wish::Charge), (5, Wish::Release)]);
    }

    #[test]
    fn fire_pressed_anew_while_charging_lets_go_and_shoots() {
        let again = Input { held: Buttons::FIRE, pressed: Buttons::FIRE };
        let wishes = wishes(&[FIRE, FIRE, FIRE, FIRE, again, Input::IDLE]);
        assert_eq!(wishes, [(0, Wish::Shoot), (3, Wish::Charge), (4, Wish::Release), (4, Wish::Shoot)]);
    }

    #[test]
    fn charge_charges_at_once() {
        let charge = Input::holding(Buttons::CHARGE);
        assert_eq!(wishes(&[charge, charge, Input::IDLE]), [(0, Wish::Charge), (2, Wish::Release)]);
        assert_eq!(wishes(&[Input::tapping(Buttons::CHARGE), Input::IDLE]), [(0, Wish::Shoot)]);
    }

    #[test]
    fn c10_a_direction_tapped_within_a_tick_is_told_on_and_off() {
        let wishes = wishes(&[Input::tapping(Buttons::UP), Input::holding(Buttons::LEFT), Input::IDLE]);
        let told = [
            (0, Wish::Move(Direction::Up, true)),
            (0, Wish::Move(Direction::Up, false)),
            (1, Wish::Move(Direction::Left, true)),
            (2, Wish::Move(Direction::Left, false)),
        ];
        assert_eq!(wishes, told);
    }

    #[test]
    fn the_force_button_drops_once_a_press() {
        let force = Input::holding(Buttons::FORCE);
        assert_eq!(wishes(&[force, force, Input::tapping(Buttons::FORCE)]), [(0, Wish::Drop), (2, Wish::Drop)]);
    }
}
