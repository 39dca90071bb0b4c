//! What a player asked for, as Input: directions, the trigger, the Force, the start (server's side).
//!
//! Requests overtake each other. A direction follows its newest MOVE, the trigger its newest CHARGE and SHOOT; what comes
//! late changes neither, but a press stays a press (C10). SHOOTs are carried out one a tick, because each has an answer.

use std::collections::VecDeque;

use game::{Buttons, Input};

use super::super::wire::{Direction, State};
use crate::Keys;

/// CHARGEs and SHOOTs that wait for their tick. A player who presses faster than this is told that the shot is not valid.
const PULLS_MAX: usize = 16;
/// DROPs that wait for their tick.
const DROPS_MAX: u8 = 8;

/// What a player asked for.
#[derive(Debug, Default)]
pub(in crate::rfc2020) struct ServerKeys {
    keys: Keys,
    /// The timestamp of the newest MOVE, by DIRECTION.
    moved: [Option<u64>; 4],
    charged: Option<u64>,
    shot: Option<u64>,
    pulls: VecDeque<Pull>,
    drops: u8,
    state_asked: Option<u64>,
    wants_start: bool,
    /// The SHOOT of this tick, until the Frame tells what came of it.
    undecided: Option<u64>,
}

#[derive(Clone, Copy, Debug)]
enum Pull {
    Charge,
    Shoot {
        timestamp: u64,
        /// A newer CHARGE has come already, which is not to be let go.
        is_late: bool,
    },
}

impl ServerKeys {
    pub(in crate::rfc2020) fn steer(&mut self, timestamp: u64, direction: Direction, is_on: bool) {
        let button = button(direction);
        let newest = &mut self.moved[direction as usize];
        if newest.is_none_or(|newest| timestamp > newest) {
            *newest = Some(timestamp);
            self.keys.set(button, is_on);
        } else if is_on {
            self.keys.tap(button);
        }
    }

    /// A CHARGE whose SHOOT has come already would charge for ever: it is too late.
    pub(in crate::rfc2020) fn charge(&mut self, timestamp: u64) {
        let is_late = self.shot.is_some_and(|shot| shot > timestamp);
        if !is_late && self.pulls.len() < PULLS_MAX {
            self.charged = self.charged.max(Some(timestamp));
            self.pulls.push_back(Pull::Charge);
        }
    }

    /// Whether the shot will be tried.
    pub(in crate::rfc2020) fn shoot(&mut self, timestamp: u64) -> bool {
        let has_room = self.pulls.len() < PULLS_MAX;
        if has_room {
            let is_late = self.charged.is_some_and(|charged| charged > timestamp);
            self.shot = self.shot.max(Some(timestamp));
            self.pulls.push_back(Pull::Shoot { timestamp, is_late });
        }
        has_room
    }

    pub(in crate::rfc2020) fn drop_force(&mut self) {
        self.drops = (self.drops + 1).min(DROPS_MAX);
    }

    /// R13 holds for clients too: an older GAME_STATE than the newest is ignored.
    pub(in crate::rfc2020) fn change_state(&mut self, timestamp: u64, state: State) {
        if self.state_asked.is_none_or(|newest| timestamp > newest) {
            self.state_asked = Some(timestamp);
            self.wants_start |= state == State::Running;
        }
    }

    pub(in crate::rfc2020) fn take_start(&mut self) -> bool {
        std::mem::take(&mut self.wants_start)
    }

    /// The Input of one tick.
    pub(in crate::rfc2020) fn input(&mut self) -> Input {
        if self.undecided.is_none() {
            self.pull();
        }
        if self.drops > 0 {
            self.drops -= 1;
            self.keys.tap(Buttons::FORCE);
        }
        self.keys.take()
    }

    /// The SHOOT whose outcome the next Frame shows; given out once.
    pub(in crate::rfc2020) fn take_undecided(&mut self) -> Option<u64> {
        self.undecided.take()
    }

    fn pull(&mut self) {
        match self.pulls.pop_front() {
            Some(Pull::Charge) => self.keys.set(Buttons::CHARGE, true),
            Some(Pull::Shoot { timestamp, is_late }) => {
                self.undecided = Some(timestamp);
                if self.keys.held().contains(Buttons::CHARGE) && !is_late {
                    self.keys.set(Buttons::CHARGE, false);
                } else {
                    self.keys.tap(Buttons::FIRE);
                }
            }
            None => {}
        }
    }
}

fn button(direction: Direction) -> Buttons {
    match direction {
        Direction::Up => Buttons::UP,
        Direction::Left => Buttons::LEFT,
        Direction::Down => Buttons::DOWN,
        Direction::Right => Buttons::RIGHT,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn next(orders: &mut ServerKeys) -> Input {
        orders.take_undecided();
        orders.input()
    }

    #[test]
    fn c10_a_move_overtaken_by_its_end_is_a_tap_and_does_not_hold() {
        let mut orders = ServerKeys::default();
        orders.steer(20, Direction::Right, false);
        orders.steer(10, Direction::Right, true);
        assert_eq!(orders.input(), Input::tapping(Buttons::RIGHT));
        orders.steer(30, Direction::Right, true);
        orders.steer(25, Direction::Right, false);
        assert_eq!(orders.input().held, Buttons::RIGHT);
    }

    #[test]
    fn r9_charge_holds_and_shoot_lets_go() {
        let mut orders = ServerKeys::default();
        orders.charge(1);
        assert_eq!(next(&mut orders).held, Buttons::CHARGE);
        assert_eq!(next(&mut orders).held, Buttons::CHARGE);
        assert!(orders.shoot(2));
        assert_eq!(orders.input(), Input::IDLE);
        assert_eq!(orders.take_undecided(), Some(2));
        assert!(orders.shoot(3));
        assert_eq!(next(&mut orders), Input::tapping(Buttons::FIRE), "without a CHARGE it is a plain shot");
    }

    #[test]
    fn r9_a_charge_overtaken_by_its_shoot_does_not_charge_for_ever() {
        let mut orders = ServerKeys::default();
        orders.shoot(20);
        orders.charge(10);
        assert_eq!(next(&mut orders), Input::tapping(Buttons::FIRE));
        assert_eq!(next(&mut orders), Input::IDLE);
    }

    #[test]
    fn every_shoot_has_a_tick_of_its_own_and_too_many_are_refused() {
        let mut orders = ServerKeys::default();
        let tried = (0..40).filter(|&timestamp| orders.shoot(timestamp)).count();
        assert_eq!(tried, PULLS_MAX);
        let ticks = (0..40).filter(|_| next(&mut orders).pressed == Buttons::FIRE).count();
        assert_eq!(ticks, PULLS_MAX);
    }

    #[test]
    fn r10_every_drop_is_a_press_of_the_force_in_a_tick_of_its_own() {
        let mut orders = ServerKeys::default();
        orders.drop_force();
        orders.drop_force();
        let pressed: Vec<_> = (0..3).map(|_| orders.input().pressed).collect();
        assert_eq!(pressed, [Buttons::FORCE, Buttons::FORCE, Buttons::NONE]);
    }
}
