//! Which key does what. The player may change it.

use super::Key;

/// Keys that one command may have.
const KEYS_MAX: usize = 4;

macro_rules! commands {
    ($($(#[$doc:meta])+ $command:ident = $name:literal: $($key:ident)+;)+) => {
        /// Something that a key can be for.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum Command { $($(#[$doc])+ $command,)+ }

        impl Command {
            /// All commands.
            pub const ALL: &'static [Command] = &[$(Command::$command,)+];

            /// Its name, as in settings.
            pub const fn name(self) -> &'static str {
                match self { $(Command::$command => $name,)+ }
            }
        }

        impl Default for Bindings {
            fn default() -> Self {
                Bindings { keys: vec![$(vec![$(Key::$key),+]),+] }
            }
        }
    };
}

commands! {
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
    /// The menu over the game.
    Pause = "pause": P ESCAPE;
    /// The net graph.
    Graph = "graph": F3;
    /// Say something.
    Chat = "chat": ENTER T;
    /// Full screen, or back.
    FullScreen = "full_screen": F11;
}

/// Which key does what.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Bindings {
    /// By command.
    keys: Vec<Vec<Key>>,
}

impl Bindings {
    /// What a key is for.
    pub fn command(&self, key: Key) -> Option<Command> {
        let is_bound = |command: &&Command| self.keys[**command as usize].contains(&key);
        Command::ALL.iter().find(is_bound).copied()
    }

    /// The keys of a command.
    pub fn keys(&self, command: Command) -> &[Key] {
        &self.keys[command as usize]
    }

    /// From now on only this key is for the command, and for no other one; one that had no other key gets the old key of
    /// this command.
    pub fn bind(&mut self, command: Command, key: Key) {
        let old = self.keys[command as usize].first().copied();
        for (index, keys) in self.keys.iter_mut().enumerate() {
            if index != command as usize && keys.contains(&key) {
                keys.retain(|other| *other != key);
                if keys.is_empty() {
                    keys.extend(old);
                }
            }
        }
        self.keys[command as usize] = vec![key];
    }

    /// The keys of a command as text: their codes with spaces between.
    pub fn write(&self, command: Command) -> String {
        let codes: Vec<&str> = self.keys(command).iter().map(|key| key.code()).collect();
        codes.join(" ")
    }

    /// Takes the keys of a command from text. Unknown ones are left out; without any known one nothing changes.
    pub fn read(&mut self, command: Command, text: &str) {
        let keys: Vec<Key> = text.split_whitespace().filter_map(Key::from_code).take(KEYS_MAX).collect();
        if !keys.is_empty() {
            self.keys[command as usize] = keys;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_usual_keys_do_the_usual_things() {
        let bindings = Bindings::default();
        assert_eq!(bindings.command(Key::ARROW_LEFT), Some(Command::Left));
        assert_eq!(bindings.command(Key::SPACE), Some(Command::Fire));
        assert_eq!(bindings.command(Key::F12), None);
        for (index, command) in Command::ALL.iter().enumerate() {
            assert_eq!(*command as usize, index);
            assert!(!bindings.keys(*command).is_empty());
        }
    }

    #[test]
    fn a_key_is_for_one_thing_only_and_nothing_is_left_without_a_key() {
        let mut bindings = Bindings::default();
        bindings.bind(Command::Fire, Key::F3);
        assert_eq!(bindings.command(Key::F3), Some(Command::Fire));
        assert_eq!(bindings.command(Key::Z), Some(Command::Graph), "it changed keys with what had no other");
        assert_eq!(bindings.command(Key::SPACE), None);
    }

    #[test]
    fn text_leads_back() {
        let mut bindings = Bindings::default();
        bindings.bind(Command::Up, Key::I);
        let mut read = Bindings::default();
        Command::ALL.iter().for_each(|&command| read.read(command, &bindings.write(command)));
        assert_eq!(read, bindings);
        read.read(Command::Up, "Nonsense");
        assert_eq!(read, bindings);
    }
}
