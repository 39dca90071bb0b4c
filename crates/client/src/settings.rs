//! What the player chose. The shell stores it as text: one `key = value` a line. Unknown lines are ignored, and a bad
//! value changes nothing.

use game::{Difficulty, ShipModel};

use crate::{
    draw::{Font, Look, Palette, Scaling},
    input::{Action, Bindings},
    language::Language,
    lessons::Learned,
    reached::Reached,
};

/// The most characters of a player's name.
pub const NAME_MAX: usize = 16;
/// Volumes go from 0 to this.
pub const VOLUME_MAX: u8 = 10;
/// How long the queue may hold what comes, in milliseconds, and in which steps it is chosen (ruling A7).
pub const QUEUE_MAX_MS: u8 = 200;
/// The step of [`Settings::queue_ms`].
pub const QUEUE_STEP_MS: u8 = 10;

/// What the player chose.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Settings {
    /// The player's name.
    pub name: String,
    /// Whether a player without a name was asked for one.
    pub name_asked: bool,
    /// Volume of the music, 0 to [`VOLUME_MAX`].
    pub music: u8,
    /// Volume of everything else, 0 to [`VOLUME_MAX`].
    pub sound: u8,
    /// Shaking, flashes, palette.
    pub look: Look,
    /// The size of the text.
    pub letters: Font,
    /// Whether the player chose it; otherwise the size of the screen decides.
    pub letters_chosen: bool,
    /// How the picture is fitted into the window.
    pub scaling: Scaling,
    /// The ship fires by itself, and one button does the rest.
    pub one_button: bool,
    /// Time passes more slowly while the player is alone.
    pub slower: bool,
    /// Sounds are also shown as text.
    pub captions: bool,
    /// Whether the player's best game flies beside one that is played alone.
    pub ghost: bool,
    /// How long what comes waits in the queue, in milliseconds, in a dialect whose client has one.
    pub queue_ms: u8,
    /// The language of the screens.
    pub language: Language,
    /// Which key does what.
    pub bindings: Bindings,
    /// What the player was shown, and has done once.
    pub learned: Learned,
    /// The ship to fly.
    pub ship: ShipModel,
    /// How hard the games are that the player begins.
    pub difficulty: Difficulty,
    /// How far the player has come.
    pub reached: Reached,
}

impl Default for Settings {
    fn default() -> Self {
        Settings {
            name: String::new(),
            name_asked: false,
            music: 6,
            sound: 8,
            look: Look::default(),
            letters: Font::Small,
            letters_chosen: false,
            scaling: Scaling::Auto,
            one_button: false,
            slower: false,
            captions: false,
            ghost: false,
            queue_ms: 30,
            language: Language::English,
            bindings: Bindings::default(),
            learned: Learned::NONE,
            ship: ShipModel::Arrow,
            difficulty: Difficulty::Normal,
            reached: Reached::default(),
        }
    }
}

impl Settings {
    /// Reads what [`Settings::write`] wrote, or as much of it as can be understood. Of a player who has chosen no language, the
    /// locale decides.
    pub fn read(text: &str, locale: &str) -> Settings {
        let mut settings = Settings { language: Language::of_locale(locale), ..Settings::default() };
        for (key, value) in text.lines().filter_map(|line| line.split_once('=')) {
            settings.set(key.trim(), value.trim());
        }
        settings
    }

    /// The settings as text.
    pub fn write(&self) -> String {
        let flag = |flag: bool| if flag { "yes" } else { "no" };
        let mut lines = vec![
            format!("name = {}", self.name),
            format!("name_asked = {}", flag(self.name_asked)),
            format!("music = {}", self.music),
            format!("sound = {}", self.sound),
            format!("shake = {}", flag(self.look.shake)),
            format!("flashes = {}", flag(self.look.flashes)),
            format!("palette = {}", self.look.palette.name()),
            format!("scaling = {}", self.scaling.name()),
            format!("one_button = {}", flag(self.one_button)),
            format!("slower = {}", flag(self.slower)),
            format!("captions = {}", flag(self.captions)),
            format!("ghost = {}", flag(self.ghost)),
            format!("queue_ms = {}", self.queue_ms),
            format!("language = {}", self.language.name()),
            format!("learned = {}", self.learned.write()),
            format!("ship = {}", self.ship.name()),
            format!("difficulty = {}", self.difficulty.name()),
            format!("reached = {}", self.reached.write()),
        ];
        if self.letters_chosen {
            lines.push(format!("text = {}", if self.letters == Font::Large { "large" } else { "normal" }));
        }
        let keys = Action::ALL.iter().map(|&action| format!("key.{} = {}", action.name(), self.bindings.write(action)));
        lines.extend(keys);
        lines.join("\n") + "\n"
    }

    fn set(&mut self, key: &str, value: &str) {
        match key {
            "name" => self.name = clean_name(value),
            "name_asked" => self.name_asked = flag(value).unwrap_or(self.name_asked),
            "music" => self.music = volume(value).unwrap_or(self.music),
            "sound" => self.sound = volume(value).unwrap_or(self.sound),
            "shake" => self.look.shake = flag(value).unwrap_or(self.look.shake),
            "flashes" => self.look.flashes = flag(value).unwrap_or(self.look.flashes),
            "palette" => self.look.palette = Palette::from_name(value).unwrap_or(self.look.palette),
            "text" => self.choose_letters(letters(value)),
            "scaling" => self.scaling = Scaling::from_name(value).unwrap_or(self.scaling),
            "one_button" => self.one_button = flag(value).unwrap_or(self.one_button),
            "slower" => self.slower = flag(value).unwrap_or(self.slower),
            "captions" => self.captions = flag(value).unwrap_or(self.captions),
            "ghost" => self.ghost = flag(value).unwrap_or(self.ghost),
            "queue_ms" => self.queue_ms = queue_ms(value).unwrap_or(self.queue_ms),
            "language" => self.language = Language::from_name(value).unwrap_or(self.language),
            "learned" => self.learned = Learned::read(value),
            "ship" => self.ship = ship(value).unwrap_or(self.ship),
            "difficulty" => self.difficulty = Difficulty::from_name(value).unwrap_or(self.difficulty),
            "reached" => self.reached = Reached::read(value),
            _ => self.set_key(key, value),
        }
    }

    fn choose_letters(&mut self, letters: Option<Font>) {
        if let Some(letters) = letters {
            (self.letters, self.letters_chosen) = (letters, true);
        }
    }

    fn set_key(&mut self, key: &str, value: &str) {
        let Some(name) = key.strip_prefix("key.") else { return };
        if let Some(&action) = Action::ALL.iter().find(|action| action.name() == name) {
            self.bindings.read(action, value);
        }
    }
}

/// A name without control characters, at most [`NAME_MAX`] long.
pub fn clean_name(text: &str) -> String {
    let clean: String = text.chars().filter(|character| !character.is_control()).take(NAME_MAX).collect();
    clean.trim().into()
}

fn volume(value: &str) -> Option<u8> {
    value.parse().ok().filter(|volume| *volume <= VOLUME_MAX)
}

fn queue_ms(value: &str) -> Option<u8> {
    value.parse().ok().filter(|ms| *ms <= QUEUE_MAX_MS)
}

fn ship(value: &str) -> Option<ShipModel> {
    ShipModel::ALL.into_iter().find(|ship| ship.name() == value)
}

fn letters(value: &str) -> Option<Font> {
    match value {
        "normal" => Some(Font::Small),
        "large" => Some(Font::Large),
        _ => None,
    }
}

fn flag(value: &str) -> Option<bool> {
    match value {
        "yes" => Some(true),
        "no" => Some(false),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Key, lessons::Lesson};

    #[test]
    fn written_settings_are_read_back() {
        let mut settings =
            Settings { name: "Ann = Lee".into(), music: 0, one_button: true, slower: true, ..Settings::default() };
        settings.look.flashes = false;
        settings.name_asked = true;
        settings.ghost = true;
        (settings.letters, settings.letters_chosen) = (Font::Large, true);
        settings.scaling = Scaling::Fill;
        settings.queue_ms = 70;
        settings.look.palette = Palette::BlueYellow;
        settings.language = Language::French;
        settings.bindings.bind(Action::Fire, Key::F);
        settings.learned = Learned::NONE.with(Lesson::Fire);
        settings.ship = ShipModel::Lynx;
        settings.difficulty = Difficulty::Hard;
        settings.reached.note("stage1", 4);
        assert_eq!(Settings::read(&settings.write(), "en"), settings);
    }

    #[test]
    fn the_language_is_that_of_the_locale_until_the_player_chooses() {
        assert_eq!(Settings::read("music = 3\n", "fr-FR").language, Language::French);
        assert_eq!(Settings::read("language = english\n", "fr-FR").language, Language::English);
    }

    #[test]
    fn a_size_of_text_is_stored_only_if_the_player_chose_it() {
        assert!(!Settings { letters: Font::Large, ..Settings::default() }.write().contains("text = "));
        for text in ["text = normal\n", "text = large\n"] {
            assert!(Settings::read(text, "").write().contains(text));
        }
    }

    #[test]
    fn nonsense_changes_nothing() {
        let text = "music = loud\nsound=99\n=\nfoo = bar\nkey.fire = Any\nkey. =\nshake\npalette = pink\nship = boat\ndifficulty = impossible\nqueue_ms = 201\n\0\u{7}";
        assert_eq!(Settings::read(text, ""), Settings::default());
    }

    #[test]
    fn a_name_is_short_and_has_no_control_characters() {
        assert_eq!(clean_name("  A\tn\u{1b}n  "), "Ann");
        assert_eq!(clean_name(&"x".repeat(99)).len(), NAME_MAX);
    }
}
