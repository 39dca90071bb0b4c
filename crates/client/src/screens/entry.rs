//! A line of text that the player writes.

use crate::Key;

/// A line of text that is being written.
#[derive(Clone, Debug)]
pub struct Entry {
    text: String,
    /// The most characters.
    max: usize,
}

impl Entry {
    /// A line that begins with this text.
    pub fn new(text: &str, max: usize) -> Entry {
        Entry { text: text.chars().take(max).collect(), max }
    }

    /// What was written.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// A key that is not a character.
    pub fn key(&mut self, key: Key) {
        match key {
            Key::BACKSPACE => {
                self.text.pop();
            }
            Key::DELETE => self.text.clear(),
            _ => {}
        }
    }

    /// A character.
    pub fn push(&mut self, character: char) {
        if !character.is_control() && self.text.chars().count() < self.max {
            self.text.push(character);
        }
    }
}
