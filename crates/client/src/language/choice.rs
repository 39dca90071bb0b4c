//! The languages, and what is said in each in another way than by a phrase.

use game::Seat;

use super::{Phrase, french_place};
use crate::Key;

/// A language of the screens.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Language {
    #[default]
    English,
    /// The second language of the dialects' authors.
    French,
}

impl Language {
    pub const ALL: [Language; 2] = [Language::English, Language::French];

    /// Its stable name, for settings.
    pub const fn name(self) -> &'static str {
        match self {
            Language::English => "english",
            Language::French => "french",
        }
    }

    pub fn from_name(name: &str) -> Option<Language> {
        Language::ALL.into_iter().find(|language| language.name() == name)
    }

    /// The language of a locale such as `fr`, `fr-CA` or `fr_FR.UTF-8`; English for one that is not known.
    pub fn of_locale(locale: &str) -> Language {
        match locale.split(['-', '_', '.']).next() {
            Some(language) if language.eq_ignore_ascii_case("fr") => Language::French,
            _ => Language::English,
        }
    }

    /// What a key is called, in the shortest form that a player understands.
    pub fn key_name(self, key: Key) -> &'static str {
        let code = key.code();
        match key {
            Key::ARROW_LEFT => "←",
            Key::ARROW_RIGHT => "→",
            Key::ARROW_UP => "↑",
            Key::ARROW_DOWN => "↓",
            Key::SPACE => self.translate(Phrase::SpaceKey),
            Key::ENTER => self.translate(Phrase::EnterKey),
            Key::ESCAPE => self.translate(Phrase::EscapeKey),
            _ => code.strip_prefix("Key").or_else(|| code.strip_prefix("Digit")).unwrap_or(code),
        }
    }

    /// What a place of a stage is called, which has an English name in the map. Of a stage that is not ours, only that is known.
    pub fn place_name(self, name: &str) -> &str {
        let french = french_place(name).filter(|_| self == Language::French);
        french.unwrap_or(name)
    }

    /// A player without a name is known by the seat, everywhere.
    pub const fn seat_name(self, seat: Seat) -> &'static str {
        let names = match self {
            Language::English => ["P1", "P2", "P3", "P4"],
            Language::French => ["J1", "J2", "J3", "J4"],
        };
        names[seat.index()]
    }

    /// A phrase in this language.
    pub const fn translate(self, phrase: Phrase) -> &'static str {
        let (english, french) = phrase.both();
        match self {
            Language::English => english,
            Language::French => french,
        }
    }
}
