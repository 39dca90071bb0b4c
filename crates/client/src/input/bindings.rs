//! Which keys trigger which action. The player can change it.

use super::Key;

/// The most keys of one action.
const KEYS_MAX: usize = 4;

macro_rules! actions {
    ($($(#[$doc:meta])+ $action:ident = $name:literal: $($key:ident)+;)+) => {
        /// What a key can be bound to.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum Action { $($(#[$doc])+ $action,)+ }

        impl Action {
            pub const ALL: &'static [Action] = &[$(Action::$action,)+];

            /// The stable name, for settings.
            pub const fn name(self) -> &'static str {
                match self { $(Action::$action => $name,)+ }
            }
        }

        impl Default for Bindings {
            fn default() -> Self {
                Bindings { keys: vec![$(vec![$(Key::$key),+]),+] }
            }
        }
    };
}

actions! {
    /// Fly left.
    Left = "left": ARROW_LEFT A;
    /// Fly right.
    Right = "right": ARROW_RIGHT D;
    /// Fly up.
    Up = "up": ARROW_UP W;
    /// Fly down.
    Down = "down": ARROW_DOWN S;
    /// Fire; held: charge the beam.
    Fire = "fire": Z J SPACE;
    /// Launch the Force, or call it back.
    Force = "force": X K;
    /// Open the menu, or close it.
    Pause = "pause": P ESCAPE;
    /// Show the network graph, or hide it.
    Graph = "graph": F3;
    /// Open the chat.
    Chat = "chat": ENTER T;
    /// Switch to full screen, or back.
    FullScreen = "full_screen": F11;
    /// Held: show who plays.
    Scoreboard = "scoreboard": TAB;
}

/// The keys of each action.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Bindings {
    /// By action.
    keys: Vec<Vec<Key>>,
}

impl Bindings {
    pub fn action(&self, key: Key) -> Option<Action> {
        let is_bound = |action: &&Action| self.keys[**action as usize].contains(&key);
        Action::ALL.iter().find(is_bound).copied()
    }

    pub fn keys(&self, action: Action) -> &[Key] {
        &self.keys[action as usize]
    }

    /// Makes this the only key of the action, and takes it away from every other one. An action that would be left without a
    /// key gets the old key of this one.
    pub fn bind(&mut self, action: Action, key: Key) {
        let old = self.keys[action as usize].first().copied();
        for (index, keys) in self.keys.iter_mut().enumerate() {
            if index != action as usize && keys.contains(&key) {
                keys.retain(|other| *other != key);
                if keys.is_empty() {
                    keys.extend(old);
                }
            }
        }
        self.keys[action as usize] = vec![key];
    }

    /// The keys of an action as text: their codes with spaces between.
    pub fn write(&self, action: Action) -> String {
        let codes: Vec<&str> = self.keys(action).iter().map(|key| key.code()).collect();
        codes.join(" ")
    }

    /// Reads the keys of an action from text. Unknown keys are left out; if none is known, nothing changes.
    pub fn read(&mut self, action: Action, text: &str) {
        let keys: Vec<Key> = text.split_whitespace().filter_map(Key::from_code).take(KEYS_MAX).collect();
        if !keys.is_empty() {
            self.keys[action as usize] = keys;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_action_has_its_default_keys() {
        let bindings = Bindings::default();
        assert_eq!(bindings.action(Key::ARROW_LEFT), Some(Action::Left));
        assert_eq!(bindings.action(Key::SPACE), Some(Action::Fire));
        assert_eq!(bindings.action(Key::F12), None);
        for (index, action) in Action::ALL.iter().enumerate() {
            assert_eq!(*action as usize, index);
            assert!(!bindings.keys(*action).is_empty());
        }
    }

    #[test]
    fn a_key_has_one_action_and_no_action_is_left_without_a_key() {
        let mut bindings = Bindings::default();
        bindings.bind(Action::Fire, Key::F3);
        assert_eq!(bindings.action(Key::F3), Some(Action::Fire));
        assert_eq!(bindings.action(Key::Z), Some(Action::Graph), "the two actions swapped keys");
        assert_eq!(bindings.action(Key::SPACE), None);
    }

    #[test]
    fn written_bindings_are_read_back() {
        let mut bindings = Bindings::default();
        bindings.bind(Action::Up, Key::I);
        let mut read = Bindings::default();
        Action::ALL.iter().for_each(|&action| read.read(action, &bindings.write(action)));
        assert_eq!(read, bindings);
        read.read(Action::Up, "Nonsense");
        assert_eq!(read, bindings);
    }
}
