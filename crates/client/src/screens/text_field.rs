//! A line of text that the player edits.

use crate::{Key, input::MenuInput};

/// What can be chosen without a keyboard, one letter after the other.
const LETTERS: &str = "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-. ";

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

    /// Chooses letters without a keyboard: up and down change the last one, right adds one, left takes one away.
    pub fn spell(&mut self, input: MenuInput) {
        match input {
            MenuInput::Up => self.turn(1),
            MenuInput::Down => self.turn(LETTERS.len() - 1),
            MenuInput::Right => self.push('A'),
            MenuInput::Left => drop(self.text.pop()),
            MenuInput::Accept | MenuInput::Back | MenuInput::Point(..) | MenuInput::Tap(..) => {}
        }
    }

    /// Replaces the last letter by the one `by` places further on.
    fn turn(&mut self, by: usize) {
        let last = self.text.pop();
        let place = last.and_then(|last| LETTERS.find(last.to_ascii_uppercase()));
        let next = place.map_or(0, |place| (place + by) % LETTERS.len());
        self.push(char::from(LETTERS.as_bytes()[next]));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_can_be_spelt_with_a_gamepad() {
        let mut field = TextField::new("", 3);
        let mut spell = |inputs: &[MenuInput]| {
            inputs.iter().for_each(|input| field.spell(*input));
            field.text().to_owned()
        };
        assert_eq!(spell(&[MenuInput::Up, MenuInput::Up]), "B");
        assert_eq!(spell(&[MenuInput::Right, MenuInput::Down]), "B ");
        assert_eq!(
            spell(&[MenuInput::Left, MenuInput::Right, MenuInput::Right, MenuInput::Right]),
            "BAA",
            "no more fit"
        );
        assert_eq!(spell(&[MenuInput::Left; 5]), "");
        assert_eq!(TextField::new("Zoé", 9).text(), "Zoé");
    }
}
