//! What a client says of its keys. INPUT is not acknowledged, so that what is lost must be said again without harm.
//!
//! A change is said at once. Then the key's *present* state is said again, quickly at first, then once a second, as long as a
//! server could still have it wrong. A state that is over is never repeated, so the last word is right in whatever order
//! datagrams arrive. Key-down of a key that is down is not a new press (ruling S8 repeats held keys too).

use std::{collections::VecDeque, time::Duration};

use game::{Buttons, Input};

use crate::{
    Time,
    snapshot::wire::{Action, key_code},
};

/// Waits between a change of a key and the first times that it is said again.
const REPEAT_AFTER: [Duration; 4] =
    [Duration::from_millis(25), Duration::from_millis(40), Duration::from_millis(80), Duration::from_millis(160)];
/// Then it is said again this often: well within the 5 s of ruling S8, so that a key-up lost in a bad moment does not
/// leave the ship flying.
const REPEAT_EVERY: Duration = Duration::from_secs(1);
/// How long a key that came up is mentioned: a server that had not heard of it by now has ended the
/// session.
const FORGET_AFTER: Duration = Duration::from_secs(35);
/// How long a key stays down at least, so that a tap too is said twice. Far from the time that charges a beam.
const TAP: Duration = Duration::from_millis(45);
/// With nothing else to say for this long, a key-up of 0x28 keeps the session alive (ruling S8).
const KEEP_ALIVE_EVERY: Duration = Duration::from_secs(5);
/// INPUTs that wait to be polled. The oldest go first; repeats make up for them.
const WAITING_MAX: usize = 64;

/// A Key Code and what becomes of it.
pub type KeyEvent = (u8, Action);

#[derive(Clone, Debug)]
pub struct ClientKeys {
    keys: [Key; 6],
    waiting: VecDeque<KeyEvent>,
    /// When something was said last.
    spoke: Time,
}

#[derive(Clone, Copy, Debug)]
struct Key {
    button: Buttons,
    code: u8,
    action: Action,
    /// When it last went down or up; never, for most keys of a session that has just begun.
    changed: Option<Time>,
    /// How often it was said again since.
    repeats: usize,
    /// When it was said last.
    said: Time,
}

impl ClientKeys {
    /// No key is down.
    pub fn new(now: Time) -> ClientKeys {
        let keys = [
            (Buttons::LEFT, key_code::LEFT),
            (Buttons::UP, key_code::UP),
            (Buttons::RIGHT, key_code::RIGHT),
            (Buttons::DOWN, key_code::DOWN),
            // The dialect has no word for charging without the first shot.
            (Buttons::FIRE | Buttons::CHARGE, key_code::FIRE),
            (Buttons::FORCE, key_code::FORCE),
        ];
        let key = |(button, code)| Key { button, code, action: Action::KeyUp, changed: None, repeats: 0, said: now };
        ClientKeys { keys: keys.map(key), waiting: VecDeque::new(), spoke: now }
    }

    /// What the player holds now and has pressed since the last call.
    pub fn press(&mut self, now: Time, input: Input) {
        for index in 0..self.keys.len() {
            let key = self.keys[index];
            let is_pressed = input.pressed.intersects(key.button);
            let is_held = input.held.intersects(key.button);
            match key.action {
                Action::KeyUp if is_held || is_pressed => self.change(now, index, Action::KeyDown),
                Action::KeyUp => {}
                // It came up and went down again since the last call.
                Action::KeyDown if is_pressed => {
                    self.change(now, index, Action::KeyUp);
                    self.change(now, index, Action::KeyDown);
                }
                Action::KeyDown if !is_held && key.is_settled(now) => self.change(now, index, Action::KeyUp),
                Action::KeyDown => {}
            }
        }
    }

    /// Says again what is due.
    pub fn advance(&mut self, now: Time) {
        for index in 0..self.keys.len() {
            let key = &mut self.keys[index];
            if key.is_due(now) {
                key.repeats += 1;
                self.say(now, index);
            }
        }
        if now.since(self.spoke) >= KEEP_ALIVE_EVERY {
            self.spoke = now;
            self.queue((key_code::DOWN, Action::KeyUp));
        }
    }

    /// Lets go of everything, once and for all.
    pub fn release(&mut self, now: Time) {
        for index in 0..self.keys.len() {
            if self.keys[index].action == Action::KeyDown {
                self.change(now, index, Action::KeyUp);
            }
        }
    }

    /// Nothing more is to be said.
    pub fn silence(&mut self) {
        self.waiting.clear();
    }

    /// The next thing to say.
    pub fn poll(&mut self) -> Option<KeyEvent> {
        self.waiting.pop_front()
    }

    fn change(&mut self, now: Time, index: usize, action: Action) {
        let key = &mut self.keys[index];
        key.action = action;
        key.changed = Some(now);
        key.repeats = 0;
        self.say(now, index);
    }

    fn say(&mut self, now: Time, index: usize) {
        let key = &mut self.keys[index];
        key.said = now;
        let event = (key.code, key.action);
        self.spoke = now;
        self.queue(event);
    }

    fn queue(&mut self, event: KeyEvent) {
        if self.waiting.len() >= WAITING_MAX {
            self.waiting.pop_front();
        }
        self.waiting.push_back(event);
    }
}

impl Key {
    fn is_settled(&self, now: Time) -> bool {
        self.changed.is_none_or(|changed| now.since(changed) >= TAP)
    }

    fn is_due(&self, now: Time) -> bool {
        let Some(changed) = self.changed else { return false };
        if self.action == Action::KeyUp && now.since(changed) >= FORGET_AFTER {
            return false;
        }
        let wait = REPEAT_AFTER.get(self.repeats).copied().unwrap_or(REPEAT_EVERY);
        now.since(self.said) >= wait
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use Action::{KeyDown, KeyUp};

    /// Presses for some ticks; what is said, with the millisecond in which it is.
    fn said(keys: &mut ClientKeys, from_ms: u64, to_ms: u64, mut input: Input) -> Vec<(u64, u8, Action)> {
        let mut said = Vec::new();
        for tick in (from_ms * 60).div_ceil(1000)..(to_ms * 60).div_ceil(1000) {
            let now = Time::from_micros(tick * 16_667);
            keys.press(now, input);
            keys.advance(now);
            input = input.without_presses();
            said.extend(std::iter::from_fn(|| keys.poll()).map(|(code, action)| (tick * 1000 / 60, code, action)));
        }
        said
    }

    #[test]
    fn s8_held_keys_are_said_again_at_least_every_five_seconds() {
        let mut keys = ClientKeys::new(Time::default());
        let said = said(&mut keys, 0, 20_000, Input::holding(Buttons::RIGHT | Buttons::FIRE));
        for code in [key_code::RIGHT, key_code::FIRE] {
            let times: Vec<u64> = said.iter().filter(|said| said.1 == code).map(|said| said.0).collect();
            assert!(times.windows(2).all(|pair| pair[1] - pair[0] <= 5000), "{times:?}");
            assert!((20..30).contains(&times.len()), "{times:?}");
        }
        assert!(said.iter().all(|said| said.2 == KeyDown));
    }

    #[test]
    fn s8_with_none_held_a_key_up_of_0x28_is_said_every_five_seconds() {
        let mut keys = ClientKeys::new(Time::default());
        let said = said(&mut keys, 0, 20_100, Input::IDLE);
        assert_eq!(said, [5000, 10_000, 15_000, 20_000].map(|ms| (ms, 0x28, KeyUp)));
    }

    #[test]
    fn c10_a_tap_is_a_key_down_said_twice_and_a_key_up_and_no_tap_is_swallowed() {
        let mut keys = ClientKeys::new(Time::default());
        let once = said(&mut keys, 0, 60, Input::tapping(Buttons::FORCE));
        let force = key_code::FORCE;
        assert_eq!(once, [(0, force, KeyDown), (33, force, KeyDown), (50, force, KeyUp)]);
        let mut presses = 0;
        for tick in 60..70 {
            let now = Time::from_micros(tick * 16_667);
            keys.press(now, Input::tapping(Buttons::FIRE));
            let events: Vec<_> = std::iter::from_fn(|| keys.poll()).collect();
            presses += usize::from(events.ends_with(&[(key_code::FIRE, KeyDown)]));
            assert!(presses == 1 || events[0] == (key_code::FIRE, KeyUp), "a press needs a release before it");
        }
        assert_eq!(presses, 10);
    }

    #[test]
    fn a_key_that_came_up_is_said_again_until_the_server_would_have_ended_the_session() {
        let mut keys = ClientKeys::new(Time::default());
        said(&mut keys, 0, 1000, Input::holding(Buttons::LEFT));
        let ups = said(&mut keys, 1000, 60_000, Input::IDLE);
        let left: Vec<_> = ups.iter().filter(|said| said.1 == key_code::LEFT).collect();
        assert!(left.iter().all(|said| said.2 == KeyUp), "only the present state");
        assert_eq!(left.iter().filter(|said| said.0 < 1350).count(), 5, "quickly at first: {left:?}");
        let last = left.last().map_or(0, |said| said.0);
        assert!((34_000..37_000).contains(&last), "{last}");
    }

    #[test]
    fn what_nobody_polls_does_not_fill_our_memory() {
        let mut keys = ClientKeys::new(Time::default());
        for tick in 0..1000 {
            keys.press(Time::from_micros(tick * 16_667), Input::tapping(Buttons::ALL));
        }
        assert_eq!(keys.waiting.len(), WAITING_MAX);
    }
}
