//! A line of text that the player edits.

use crate::Key;

/// A line of text that the player edits.
#[derive(Clone, Debug)]
pub struct TextField {
    text: String,
    characters_max: usize,
}

impl TextField {
    pub fn new(text: &str, characters_max: usize) -> TextField {
        TextField { text: text.chars().take(characters_max).collect(), characters_max }
    }

    pub fn text(&self) -> &str {
        &self.text
    }

    /// A key that edits rather than types.
    pub fn key(&mut self, key: Key) {
        match key {
            Key::BACKSPACE => {
                self.text.pop();
            }
            Key::DELETE => self.text.clear(),
            _ => {}
        }
    }

    /// Types a character; control characters, and those beyond the limit, are ignored.
    pub fn push(&mut self, character: char) {
        if !character.is_control() && self.text.chars().count() < self.characters_max {
            self.text.push(character);
        }
    }
}
