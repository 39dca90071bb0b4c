//! What a player does, as requests: MOVE on and off, SHOOT, CHARGE, DROP (client's side).
//!
//! As everywhere in the game, fire gives its shot when it goes down. Held on, it becomes a CHARGE, and letting go a
//! SHOOT.

use std::time::Duration;

use game::{Buttons, Input};

use super::super::wire::Direction;
use crate::Time;

/// How long fire is held until it is a charge: as long as the game itself takes to tell a hold from a tap.
const CHARGE_AFTER: Duration = Duration::from_millis(150);

const DIRECTIONS: [(Direction, Buttons); 4] = [
    (Direction::Up, Buttons::UP),
    (Direction::Left, Buttons::LEFT),
    (Direction::Down, Buttons::DOWN),
    (Direction::Right, Buttons::RIGHT),
];

/// What a player holds, as the server was told.
#[derive(Clone, Copy, Debug, Default)]
pub(in crate::rfc2020) struct ClientKeys {
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
pub(in crate::rfc2020) enum KeyRequest {
    Move(Direction, bool),
    Charge,
    Shoot,
    /// The SHOOT that lets a charge go: without it the charge would be one for ever.
    Release,
    Drop,
}

impl ClientKeys {
    /// Tells what one tick's Input asks for, in order.
    pub(in crate::rfc2020) fn press(&mut self, now: Time, input: Input, request: &mut impl FnMut(KeyRequest)) {
        for (direction, button) in DIRECTIONS {
            self.steer(input, direction, button, request);
        }
        if self.is_pressed(input, Buttons::FORCE) {
            request(KeyRequest::Drop);
        }
        self.pull(now, input, request);
        self.before = input.held;
    }

    fn steer(&self, input: Input, direction: Direction, button: Buttons, request: &mut impl FnMut(KeyRequest)) {
        let (was_held, is_held) = (self.before.contains(button), input.held.contains(button));
        match (was_held, is_held) {
            (true, true) => {}
            (true, false) => request(KeyRequest::Move(direction, false)),
            (false, true) => request(KeyRequest::Move(direction, true)),
            (false, false) if input.pressed.contains(button) => {
                request(KeyRequest::Move(direction, true));
                request(KeyRequest::Move(direction, false));
            }
            (false, false) => {}
        }
    }

    fn pull(&mut self, now: Time, input: Input, request: &mut impl FnMut(KeyRequest)) {
        let fires = input.held.contains(Buttons::FIRE);
        let charges = input.held.contains(Buttons::CHARGE);
        let is_pressed = self.is_pressed(input, Buttons::FIRE);
        if let Trigger::Charging = self.trigger
            && (is_pressed || !(fires || charges))
        {
            request(KeyRequest::Release);
            self.trigger = Trigger::Up;
        }
        // A charge that was let go within its tick is a shot.
        if is_pressed || (!charges && input.pressed.contains(Buttons::CHARGE)) {
            request(KeyRequest::Shoot);
            self.trigger = Trigger::Down { since: now };
        }
        self.trigger = match self.trigger {
            Trigger::Charging => Trigger::Charging,
            Trigger::Down { since } if fires && now.since(since) < CHARGE_AFTER && !charges => Trigger::Down { since },
            Trigger::Down { .. } if !fires && !charges => Trigger::Up,
            Trigger::Up if !charges => Trigger::Up,
            Trigger::Down { .. } | Trigger::Up => {
                request(KeyRequest::Charge);
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
    fn requests(inputs: &[Input]) -> Vec<(usize, KeyRequest)> {
        let mut controls = ClientKeys::default();
        let mut requests = Vec::new();
        for (tick, &input) in inputs.iter().enumerate() {
            let now = Time::from_micros(tick as u64 * 50_000);
            controls.press(now, input, &mut |request| requests.push((tick, request)));
        }
        requests
    }

    const FIRE: Input = Input::holding(Buttons::FIRE);

    #[test]
    fn a_tap_is_a_shot_and_a_hold_is_a_shot_a_charge_and_a_shot() {
        assert_eq!(requests(&[Input::tapping(Buttons::FIRE), Input::IDLE, Input::IDLE]), [(0, KeyRequest::Shoot)]);
        let held = [FIRE, FIRE, FIRE, FIRE, FIRE, Input::IDLE, Input::IDLE];
        assert_eq!(requests(&held), [(0, KeyRequest::Shoot), (3, KeyRequest::Charge), (5, KeyRequest::Release)]);
    }

    #[test]
    fn fire_pressed_again_while_charging_lets_go_and_shoots() {
        let again = Input { held: Buttons::FIRE, pressed: Buttons::FIRE };
        let requests = requests(&[FIRE, FIRE, FIRE, FIRE, again, Input::IDLE]);
        assert_eq!(
            requests,
            [(0, KeyRequest::Shoot), (3, KeyRequest::Charge), (4, KeyRequest::Release), (4, KeyRequest::Shoot)]
        );
    }

    #[test]
    fn charge_charges_at_once() {
        let charge = Input::holding(Buttons::CHARGE);
        assert_eq!(requests(&[charge, charge, Input::IDLE]), [(0, KeyRequest::Charge), (2, KeyRequest::Release)]);
        assert_eq!(requests(&[Input::tapping(Buttons::CHARGE), Input::IDLE]), [(0, KeyRequest::Shoot)]);
    }

    #[test]
    fn c10_a_direction_tapped_within_a_tick_is_told_on_and_off() {
        let requests = requests(&[Input::tapping(Buttons::UP), Input::holding(Buttons::LEFT), Input::IDLE]);
        let told = [
            (0, KeyRequest::Move(Direction::Up, true)),
            (0, KeyRequest::Move(Direction::Up, false)),
            (1, KeyRequest::Move(Direction::Left, true)),
            (2, KeyRequest::Move(Direction::Left, false)),
        ];
        assert_eq!(requests, told);
    }

    #[test]
    fn the_force_button_drops_once_a_press() {
        let force = Input::holding(Buttons::FORCE);
        assert_eq!(
            requests(&[force, force, Input::tapping(Buttons::FORCE)]),
            [(0, KeyRequest::Drop), (2, KeyRequest::Drop)]
        );
    }
}
