//! What the player's keys do, as key events. Nothing is confirmed, so what is held now is said again: often after a
//! change, then once a second.
//!
//! A key that is said to be down while it is down is not a new press, and an old state is never said again. Only a tap
//! within one tick, pressed and released in one datagram, is said once: said again it would be another tap.

use std::time::Duration;

use game::{Buttons, Input};

use super::wire::KeyEvent;
use crate::Time;

/// After a change the state of all keys is said again after each of these …
const AGAIN: Duration = Duration::from_millis(50);
/// … for this long, …
const AGAIN_LASTS: Duration = Duration::from_millis(300);
/// … and then after each of these, even with no key down: a lost release must not last.
const AGAIN_CALM: Duration = Duration::from_secs(1);
/// Events that wait to be sent; with more, only the state that they lead to is sent.
const PENDING_MAX: usize = 64;

/// Pressed and released, of each key.
const KEYS: [(KeyEvent, KeyEvent); 6] = [
    (KeyEvent::RightKeyPressed, KeyEvent::RightKeyReleased),
    (KeyEvent::UpKeyPressed, KeyEvent::UpKeyReleased),
    (KeyEvent::LeftKeyPressed, KeyEvent::LeftKeyReleased),
    (KeyEvent::DownKeyPressed, KeyEvent::DownKeyReleased),
    (KeyEvent::LeftClickPressed, KeyEvent::LeftClickReleased),
    (KeyEvent::RightClickPressed, KeyEvent::RightClickReleased),
];

/// The keys as the server was told of them.
#[derive(Debug)]
pub(super) struct ClientKeys {
    held: Buttons,
    pending: Vec<KeyEvent>,
    changed: Option<Time>,
    said: Time,
}

impl ClientKeys {
    /// No key is down.
    pub fn new(now: Time) -> ClientKeys {
        ClientKeys { held: Buttons::NONE, pending: Vec::new(), changed: None, said: now }
    }

    /// What the player holds now and has pressed since the last call.
    pub fn press(&mut self, now: Time, input: Input) {
        let before = self.held;
        let pressed = on_keys(input.pressed);
        self.held = on_keys(input.held);
        for (down, up) in KEYS {
            let button = down.button();
            let is_tapped = pressed.contains(button);
            let events: &[KeyEvent] = match (before.contains(button), self.held.contains(button), is_tapped) {
                (false, true, _) => &[down],
                (false, false, true) => &[down, up],
                (true, false, false) => &[up],
                (true, false, true) => &[up, down, up],
                (true, true, true) => &[up, down],
                (false, false, false) | (true, true, false) => continue,
            };
            self.pending.extend_from_slice(events);
            self.changed = Some(now);
        }
        if self.pending.len() > PENDING_MAX {
            self.pending.clear();
            self.pending.extend(state(self.held));
        }
    }

    /// Appends the next datagram. False: there is none now.
    pub fn poll(&mut self, now: Time, buffer: &mut Vec<u8>) -> bool {
        if !self.pending.is_empty() {
            self.pending.drain(..).for_each(|event| event.write(buffer));
        } else if self.is_due(now) {
            state(self.held).for_each(|event| event.write(buffer));
        } else {
            return false;
        }
        self.said = now;
        true
    }

    /// Appends that every key is up.
    pub fn release(buffer: &mut Vec<u8>) {
        state(Buttons::NONE).for_each(|event| event.write(buffer));
    }

    fn is_due(&self, now: Time) -> bool {
        let is_recent = self.changed.is_some_and(|changed| now.since(changed) <= AGAIN_LASTS);
        now.since(self.said) >= if is_recent { AGAIN } else { AGAIN_CALM }
    }
}

/// The dialect has no key for [`Buttons::CHARGE`]; a player who holds it wants the beam, which the fire key charges too.
fn on_keys(buttons: Buttons) -> Buttons {
    let fires = buttons.intersects(Buttons::FIRE | Buttons::CHARGE);
    buttons.with(Buttons::CHARGE, false).with(Buttons::FIRE, fires)
}

/// Every key as it is.
fn state(held: Buttons) -> impl Iterator<Item = KeyEvent> {
    KEYS.into_iter().map(move |(down, up)| if held.contains(down.button()) { down } else { up })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(ms: u64) -> Time {
        Time::from_micros(ms * 1000)
    }

    fn poll(keys: &mut ClientKeys, ms: u64) -> Vec<u8> {
        let mut buffer = Vec::new();
        keys.poll(at(ms), &mut buffer);
        buffer
    }

    #[test]
    fn a_change_is_said_at_once_then_often_then_once_a_second() {
        let mut keys = ClientKeys::new(at(0));
        let mut said = Vec::new();
        for ms in (0..3000).step_by(10) {
            keys.press(at(ms), if ms >= 100 { Input::holding(Buttons::RIGHT) } else { Input::IDLE });
            let bytes = poll(&mut keys, ms);
            if !bytes.is_empty() {
                assert_eq!(bytes, if ms == 100 { vec![0] } else { vec![0, 3, 5, 7, 9, 11] }, "at {ms}");
                said.push(ms);
            }
        }
        assert_eq!(said, [100, 150, 200, 250, 300, 350, 400, 1400, 2400]);
    }

    #[test]
    fn t6_with_no_key_down_the_releases_are_said_once_a_second() {
        let mut keys = ClientKeys::new(at(0));
        assert!(poll(&mut keys, 999).is_empty());
        assert_eq!(poll(&mut keys, 1000), [1, 3, 5, 7, 9, 11]);
    }

    #[test]
    fn c10_a_tap_is_pressed_and_released_in_one_datagram_and_never_said_again() {
        let mut keys = ClientKeys::new(at(0));
        keys.press(at(0), Input::tapping(Buttons::FORCE));
        assert_eq!(poll(&mut keys, 0), [0x0a, 0x0b]);
        assert_eq!(poll(&mut keys, 50), [1, 3, 5, 7, 9, 11]);
    }

    #[test]
    fn what_happens_to_a_key_within_a_tick_is_said_in_order() {
        let mut keys = ClientKeys::new(at(0));
        let fire = Buttons::FIRE;
        keys.press(at(0), Input { held: fire, pressed: fire });
        assert_eq!(poll(&mut keys, 0), [8]);
        keys.press(at(1), Input { held: fire, pressed: fire });
        assert_eq!(poll(&mut keys, 1), [9, 8], "let go and pressed again");
        keys.press(at(2), Input::tapping(fire));
        assert_eq!(poll(&mut keys, 2), [9, 8, 9]);
        keys.press(at(3), Input::holding(Buttons::CHARGE));
        assert_eq!(poll(&mut keys, 3), [8]);
    }

    #[test]
    fn events_that_nobody_sends_do_not_pile_up() {
        let mut keys = ClientKeys::new(at(0));
        for ms in 0..1000 {
            keys.press(at(ms), Input::holding(if ms % 2 == 0 { Buttons::UP } else { Buttons::DOWN }));
            assert!(keys.pending.len() <= PENDING_MAX);
        }
        let end: Vec<u8> = poll(&mut keys, 1000).into_iter().filter(|byte| [2, 3, 6, 7].contains(byte)).collect();
        assert!(end.ends_with(&[3, 6]), "{end:?}");
    }
}
