//! The title: the first screen.

use super::{
    Command, Context, Create, Lobbies, Options, Screen, TextEntry, hints,
    menu::{Choice, Line, Menu, menu_entries},
};
use crate::{
    connection::LobbyAccess,
    draw::{
        Colour, Font, Picture,
        widgets::{self, Area},
    },
    input::MenuInput,
    language::Phrase,
};

/// The title.
#[derive(Clone, Debug, Default)]
pub struct Title {
    menu: Menu,
}

/// With small letters and with large ones.
const PANEL: [Area; 2] =
    [Area { x: 140, y: 108, width: 200, height: 132 }, Area { x: 60, y: 84, width: 360, height: 158 }];

menu_entries! {
    /// What can be chosen.
    Entry {
        Play = Play,
        Lobbies = Lobbies,
        Create = CreateLobby,
        EnterCode = JoinByCode,
        Name = Name,
        Options = Options,
        Scores = Scores,
    }
}

impl Entry {
    /// The least that the player must be able to do about lobbies.
    fn needs(self) -> LobbyAccess {
        match self {
            Entry::Lobbies => LobbyAccess::Listed,
            Entry::Create | Entry::EnterCode => LobbyAccess::ByCode,
            Entry::Play | Entry::Name | Entry::Options | Entry::Scores => LobbyAccess::Assigned,
        }
    }
}

impl Title {
    pub(super) fn navigate(&mut self, input: MenuInput, context: &Context) -> Option<Command> {
        let entries = entries(context);
        let choice = self.menu.navigate(input, entries.len(), context.list(&PANEL))?;
        let Choice::Accept(line) = choice else { return None };
        Some(match entries[line] {
            Entry::Play => Command::Quick,
            Entry::Lobbies => Command::Show(Screen::Lobbies(Lobbies::default())),
            Entry::Create => Command::Show(Screen::Create(Create::default())),
            Entry::EnterCode => Command::Show(TextEntry::code()),
            Entry::Name => Command::Show(TextEntry::name(context.settings)),
            Entry::Options => Command::Show(Screen::Options(Options::default())),
            Entry::Scores => Command::ShowScores,
        })
    }

    pub(super) fn draw(&self, context: &Context, picture: &mut Picture) {
        picture.clear(Colour::VOID);
        widgets::logo(if context.settings.letters == Font::Large { 12 } else { 30 }, picture);
        widgets::panel(context.area(&PANEL), "", picture);
        let lines: Vec<Line> = entries(context).into_iter().map(|entry| line(entry, context)).collect();
        self.menu.draw(&lines, context.list(&PANEL), picture);
        let (phrase, colour) = match context.notice {
            Some(notice) => (notice, Colour::RED),
            None => (context.connection, Colour::GREY),
        };
        widgets::centred(Font::Small, 96, context.translate(phrase), colour, picture);
        hints(context, picture);
    }
}

/// What can be chosen; lobbies only in a dialect that has them.
fn entries(context: &Context) -> Vec<Entry> {
    Entry::ALL.iter().copied().filter(|entry| context.lobby_access >= entry.needs()).collect()
}

fn line(entry: Entry, context: &Context) -> Line {
    let label = context.translate(entry.phrase());
    match entry {
        Entry::Name if context.settings.name.is_empty() => Line::new(label, "-"),
        Entry::Name => Line::new(label, context.settings.name.clone()),
        Entry::Play | Entry::Lobbies | Entry::Create | Entry::EnterCode | Entry::Options | Entry::Scores => {
            Line::plain(label)
        }
    }
}
