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
            let mut characters = typed.chars().filter(|typed| can_be_shown(*typed));
            let (typed, None) = (characters.next()?, characters.next()) else { return None };
            Some((key, label_of(typed)))
        });
        KeyLabels(labels.take(Key::COUNT).collect())
    }

    /// The player has typed this with that key. Only letters tell what is printed there: Shift and the like change the others.
    pub fn learn(&mut self, key: Key, typed: char) {
        if typed.is_alphabetic() && can_be_shown(typed) && key.depends_on_layout() {
            self.0.retain(|(labelled, _)| *labelled != key);
            self.0.push((key, label_of(typed)));
        }
    }

    /// What is printed on a key, if that is known.
    pub fn of(&self, key: Key) -> Option<&str> {
        self.0.iter().find(|(labelled, _)| *labelled == key).map(|(_, label)| label.as_str())
    }
}

fn can_be_shown(typed: char) -> bool {
    typed.is_ascii_graphic() || ('\u{a1}'..=LAST).contains(&typed)
}

fn label_of(typed: char) -> String {
    let upper = typed.to_uppercase().next().filter(|upper| *upper <= LAST);
    upper.unwrap_or(typed).to_string()
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

    #[test]
    fn what_a_key_typed_last_is_printed_on_it() {
        let mut labels = KeyLabels::read("KeyZ\tz");
        [(Key::Z, 'w'), (Key::A, 'Q'), (Key::DIGIT_2, '"'), (Key::C, 'ц'), (Key::SPACE, 'x')]
            .into_iter()
            .for_each(|(key, typed)| labels.learn(key, typed));
        assert_eq!([labels.of(Key::Z), labels.of(Key::A)], ["W", "Q"].map(Some));
        assert_eq!([Key::DIGIT_2, Key::C, Key::SPACE].map(|key| labels.of(key)), [None; 3]);
    }
}
