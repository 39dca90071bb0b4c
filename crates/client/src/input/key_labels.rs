//! What is printed on the keys of the player's keyboard, as far as the shell knows. A key itself is a position.

use super::Key;

/// The last character that the letters of the game surely have: the end of Latin-1.
const LAST: char = '\u{ff}';

/// What is printed on keys, where that is known.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct KeyLabels(Vec<(Key, String)>);

impl KeyLabels {
    /// A line for each key: its code, a tab, and what is typed with it. What cannot be shown is left out.
    pub fn read(text: &str) -> KeyLabels {
        let labels = text.lines().filter_map(|line| {
            let (code, typed) = line.split_once('\t')?;
            let key = Key::from_code(code).filter(|key| key.depends_on_layout())?;
            let mut characters =
                typed.chars().filter(|typed| typed.is_ascii_graphic() || ('\u{a1}'..=LAST).contains(typed));
            let (typed, None) = (characters.next()?, characters.next()) else { return None };
            let upper = typed.to_uppercase().next().filter(|upper| *upper <= LAST).unwrap_or(typed);
            Some((key, upper.to_string()))
        });
        KeyLabels(labels.take(Key::COUNT).collect())
    }

    /// What is printed on a key, if that is known.
    pub fn of(&self, key: Key) -> Option<&str> {
        self.0.iter().find(|(labelled, _)| *labelled == key).map(|(_, label)| label.as_str())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_called_what_is_printed_on_them() {
        let french =
            KeyLabels::read("KeyW\tz\nKeyZ\tw\nDigit2\té\nSemicolon\tm\nSpace\tx\nNoKey\ta\nKeyC\tц\nKeyD\tab\nKeyE");
        let of = |key: Key| french.of(key);
        assert_eq!([of(Key::W), of(Key::Z), of(Key::DIGIT_2), of(Key::SEMICOLON)], ["Z", "W", "É", "M"].map(Some));
        assert_eq!([Key::SPACE, Key::C, Key::D, Key::E, Key::A].map(of), [None; 5], "unknown, or not to be shown");
    }
}
