//! The options.

use super::{
    Context, Keys, Screen, ScreenCommand, TextEntry, about, hints,
    menu::{Choice, Menu, MenuLine, menu_entries, turned, turned_number},
};
use crate::{
    draw::{Area, Font, Palette, Picture, Scaling, widgets},
    input::{Device, MenuInput},
    language::{Language, Phrase},
    lessons::Learned,
    settings::{QUEUE_MAX_MS, QUEUE_STEP_MS, Settings, VOLUME_MAX},
};

#[derive(Clone, Debug, Default)]
pub struct Options {
    menu: Menu,
    is_in_game: bool,
}

/// With small letters and with large ones.
const PANEL: [Area; 2] =
    [Area { x: 110, y: 10, width: 260, height: 226 }, Area { x: 14, y: 6, width: 452, height: 212 }];

menu_entries! {
    /// What can be chosen.
    Entry {
        Name = Name, AboutName;
        Music = Music, AboutMusic;
        Sound = Sound, AboutSound;
        Shake = Shake, AboutShake;
        Flashes = Flashes, AboutFlashes;
        Palette = ColourBlindMode, AboutPalette;
        TextSize = TextSize, AboutTextSize;
        Scaling = PictureSize, AboutScaling;
        OneButton = OneButton, AboutOneButton;
        Slower = SlowMode, AboutSlower;
        Captions = Captions, AboutCaptions;
        Ghost = Ghost, AboutGhost;
        ControlHints = ControlHints, AboutControlHints;
        Queue = Queue, AboutQueue;
        Language = Language, AboutLanguage;
        Keys = Keys, AboutKeys;
        Back = Back, AboutBack;
    }
}

impl Options {
    /// As they are in the middle of a game, where neither the name nor the key bindings can be changed.
    pub fn in_game() -> Options {
        Options { is_in_game: true, ..Options::default() }
    }

    fn entries(&self, context: &Context) -> Vec<Entry> {
        let is_there = |entry: &Entry| match entry {
            Entry::Name => !self.is_in_game,
            // A finger has no keys.
            Entry::Keys => !self.is_in_game && context.device != Device::Touch,
            // The next game has it.
            Entry::Queue => !self.is_in_game && context.queues_changes,
            Entry::Music | Entry::Sound | Entry::Shake | Entry::Flashes | Entry::Palette => true,
            Entry::TextSize | Entry::Scaling | Entry::OneButton | Entry::Slower | Entry::Ghost => true,
            Entry::Captions | Entry::ControlHints | Entry::Language | Entry::Back => true,
        };
        Entry::ALL.iter().copied().filter(is_there).collect()
    }

    pub(super) fn navigate(&mut self, input: MenuInput, context: &Context) -> Option<ScreenCommand> {
        let entries = self.entries(context);
        match self.menu.navigate(input, entries.len(), context.list(&PANEL))? {
            Choice::Back => Some(ScreenCommand::Show(Screen::title())),
            Choice::Accept(line) => Some(choose(entries[line], 1, context)),
            Choice::Turn(line, by) => Some(choose(entries[line], by, context)),
        }
    }

    pub(super) fn draw(&self, context: &Context, picture: &mut Picture) {
        widgets::panel(context.area(&PANEL), context.translate(Phrase::Options), picture);
        let line = |entry: &Entry| {
            let (label, value) = (context.translate(entry.phrase()), value(context, *entry));
            if *entry == Entry::Name { MenuLine::new(label, value) } else { MenuLine::turned(label, value) }
        };
        let entries = self.entries(context);
        let lines: Vec<MenuLine> = entries.iter().map(line).collect();
        self.menu.draw(&lines, context.list(&PANEL), picture);
        about(context, entries[self.menu.selected(entries.len())].about_on(context), picture);
        // In a game the score is at the foot.
        if !self.is_in_game {
            hints(context, picture);
        }
    }
}

impl Entry {
    /// What it does. Nobody else is on a server of one's own.
    fn about_on(self, context: &Context) -> Phrase {
        if self == Entry::Name && context.is_solo { Phrase::AboutOwnName } else { self.about() }
    }
}

fn choose(entry: Entry, by: i32, context: &Context) -> ScreenCommand {
    let mut settings: Settings = context.settings.clone();
    let longer = |ms: u8| turned_number(ms / QUEUE_STEP_MS, QUEUE_MAX_MS / QUEUE_STEP_MS, by) * QUEUE_STEP_MS;
    let louder = |volume: u8| turned_number(volume, VOLUME_MAX, by);
    match entry {
        Entry::Name => return ScreenCommand::Show(TextEntry::name(context.settings)),
        Entry::Music => settings.music = louder(settings.music),
        Entry::Sound => settings.sound = louder(settings.sound),
        Entry::Shake => settings.look.shake = !settings.look.shake,
        Entry::Flashes => settings.look.flashes = !settings.look.flashes,
        Entry::Palette => settings.look.palette = turned(&Palette::ALL, settings.look.palette, by),
        Entry::TextSize => {
            (settings.letters, settings.letters_chosen) = (turned(&Font::ALL, settings.letters, by), true);
        }
        Entry::Scaling => settings.scaling = turned(&Scaling::ALL, settings.scaling, by),
        Entry::OneButton => settings.one_button = !settings.one_button,
        Entry::Slower => settings.slower = !settings.slower,
        Entry::Captions => settings.captions = !settings.captions,
        Entry::Ghost => settings.ghost = !settings.ghost,
        Entry::ControlHints => {
            settings.learned = if has_hints(&settings) { Learned::ALL } else { Learned::NONE };
        }
        Entry::Queue => settings.queue_ms = longer(settings.queue_ms),
        Entry::Language => settings.language = turned(&Language::ALL, settings.language, by),
        Entry::Keys => return ScreenCommand::Show(Screen::Keys(Keys::default())),
        Entry::Back => return ScreenCommand::Show(Screen::title()),
    }
    ScreenCommand::ChangeSettings(Box::new(settings))
}

fn value(context: &Context, entry: Entry) -> String {
    let settings = context.settings;
    match entry {
        Entry::Name if settings.name.is_empty() => "-".into(),
        Entry::Name => settings.name.clone(),
        Entry::Music => settings.music.to_string(),
        Entry::Sound => settings.sound.to_string(),
        Entry::Shake => context.on_or_off(settings.look.shake).into(),
        Entry::Flashes => context.on_or_off(settings.look.flashes).into(),
        Entry::Palette => context.translate(palette_phrase(settings.look.palette)).into(),
        Entry::TextSize => context.translate(text_size_phrase(settings.letters)).into(),
        Entry::Scaling => context.translate(scaling_phrase(settings.scaling)).into(),
        Entry::OneButton => context.on_or_off(settings.one_button).into(),
        Entry::Slower => context.on_or_off(settings.slower).into(),
        Entry::Captions => context.on_or_off(settings.captions).into(),
        Entry::Ghost => context.on_or_off(settings.ghost).into(),
        Entry::ControlHints => context.on_or_off(has_hints(settings)).into(),
        Entry::Queue => format!("{} ms", settings.queue_ms),
        Entry::Language => context.translate(Phrase::ThisLanguage).into(),
        Entry::Keys | Entry::Back => String::new(),
    }
}

/// Whether there is anything left that a new player is shown.
fn has_hints(settings: &Settings) -> bool {
    settings.learned != Learned::ALL
}

fn palette_phrase(palette: Palette) -> Phrase {
    match palette {
        Palette::Default => Phrase::PaletteDefault,
        Palette::RedGreen => Phrase::PaletteRedGreen,
        Palette::BlueYellow => Phrase::PaletteBlueYellow,
    }
}

fn scaling_phrase(scaling: Scaling) -> Phrase {
    match scaling {
        Scaling::Auto => Phrase::ScalingAuto,
        Scaling::Whole => Phrase::ScalingWhole,
        Scaling::Fill => Phrase::ScalingFill,
    }
}

fn text_size_phrase(letters: Font) -> Phrase {
    match letters {
        Font::Small => Phrase::TextNormal,
        Font::Large => Phrase::TextLarge,
    }
}
