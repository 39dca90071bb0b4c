//! What the player may choose.

use super::{
    Context, Keys, Order, Screen, hints,
    menu::{Choice, Line, Menu, turned},
};
use crate::{
    draw::{
        Font, Palette, Picture,
        widgets::{self, Area},
    },
    input::Step,
    language::{Language, Word},
    settings::{Settings, VOLUME_MAX},
};

/// What the player may choose.
#[derive(Clone, Debug, Default)]
pub struct Options {
    menu: Menu,
    is_in_game: bool,
}

/// With small letters and with large ones.
const PANEL: [Area; 2] =
    [Area { x: 110, y: 26, width: 260, height: 204 }, Area { x: 14, y: 8, width: 452, height: 234 }];

const LINES: [Word; 12] = [
    Word::Music,
    Word::Sound,
    Word::Shake,
    Word::Flashes,
    Word::Palette,
    Word::TextSize,
    Word::OneButton,
    Word::Slower,
    Word::Captions,
    Word::Language,
    Word::Keys,
    Word::Back,
];

impl Options {
    /// As they are in the middle of a game, where keys stay what they are.
    pub fn in_game() -> Options {
        Options { is_in_game: true, ..Options::default() }
    }

    fn lines(&self) -> Vec<Word> {
        LINES.into_iter().filter(|word| !(self.is_in_game && *word == Word::Keys)).collect()
    }

    pub(super) fn step(&mut self, step: Step, context: &Context) -> Option<Order> {
        let lines = self.lines();
        let (line, by) = match self.menu.step(step, lines.len(), context.list(&PANEL))? {
            Choice::Back => return Some(Order::Go(Screen::title())),
            Choice::Accept(line) => (lines[line], 1),
            Choice::Turn(line, by) => (lines[line], by),
        };
        match line {
            Word::Keys => return Some(Order::Go(Screen::Keys(Keys::default()))),
            Word::Back => return Some(Order::Go(Screen::title())),
            _ => {}
        }
        let mut settings = context.settings.clone();
        change(&mut settings, line, by);
        Some(Order::Change(Box::new(settings)))
    }

    pub(super) fn draw(&self, context: &Context, picture: &mut Picture) {
        widgets::panel(context.area(&PANEL), context.say(Word::Options), picture);
        let lines: Vec<Line> =
            self.lines().iter().map(|&word| Line::new(context.say(word), value(context, word))).collect();
        self.menu.draw(&lines, context.list(&PANEL), picture);
        // In a game the score is there.
        if !self.is_in_game {
            hints(context, picture);
        }
    }
}

fn change(settings: &mut Settings, line: Word, by: i32) {
    let louder = |volume: u8| (i32::from(volume) + by).rem_euclid(i32::from(VOLUME_MAX) + 1) as u8;
    match line {
        Word::Music => settings.music = louder(settings.music),
        Word::Sound => settings.sound = louder(settings.sound),
        Word::Shake => settings.look.shake = !settings.look.shake,
        Word::Flashes => settings.look.flashes = !settings.look.flashes,
        Word::Palette => settings.look.palette = turned(&Palette::ALL, settings.look.palette, by),
        Word::TextSize => settings.letters = turned(&Font::ALL, settings.letters, by),
        Word::OneButton => settings.one_button = !settings.one_button,
        Word::Slower => settings.slower = !settings.slower,
        Word::Captions => settings.captions = !settings.captions,
        Word::Language => settings.language = turned(&Language::ALL, settings.language, by),
        _ => {}
    }
}

fn value(context: &Context, line: Word) -> String {
    let settings = context.settings;
    match line {
        Word::Music => settings.music.to_string(),
        Word::Sound => settings.sound.to_string(),
        Word::Shake => context.yes(settings.look.shake).into(),
        Word::Flashes => context.yes(settings.look.flashes).into(),
        Word::TextSize if settings.letters == Font::Large => context.say(Word::TextLarge).into(),
        Word::TextSize => context.say(Word::TextNormal).into(),
        Word::OneButton => context.yes(settings.one_button).into(),
        Word::Slower => context.yes(settings.slower).into(),
        Word::Captions => context.yes(settings.captions).into(),
        Word::Language => context.say(Word::ThisLanguage).into(),
        Word::Palette => match settings.look.palette {
            Palette::Default => context.say(Word::PaletteDefault),
            Palette::RedGreen => context.say(Word::PaletteRedGreen),
            Palette::BlueYellow => context.say(Word::PaletteBlueYellow),
        }
        .into(),
        _ => String::new(),
    }
}
