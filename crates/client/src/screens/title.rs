//! The title: the first screen. After a minute without a key it also shows the table and how to play.

use super::{
    Command, Context, Create, Lobbies, Options, Screen, TextEntry, about, hints, how_to_play,
    menu::{Choice, Line, Menu, menu_entries},
    scores,
};
use crate::{
    connection::LobbyAccess,
    draw::{
        Colour, Font, Picture,
        widgets::{self, Area},
    },
    input::{Device, MenuInput},
    language::Phrase,
};

#[derive(Clone, Debug, Default)]
pub struct Title {
    menu: Menu,
}

/// With small letters and with large ones.
const PANEL: [Area; 2] =
    [Area { x: 160, y: 108, width: 160, height: 128 }, Area { x: 90, y: 62, width: 300, height: 156 }];
/// Ticks without a key after which the title shows more than its menu.
pub const IDLE_TICKS: u32 = 60 * 60;
/// Ticks for which each of the pages is shown then.
const PAGE_TICKS: u32 = 12 * 60;
/// The strip with a message to the player.
const MESSAGE_Y: i32 = 96;

menu_entries! {
    /// What can be chosen.
    Entry {
        Play = Play, AboutPlay;
        Endless = Endless, AboutEndless;
        Lobbies = Lobbies, AboutLobbies;
        Create = CreateLobby, AboutCreateLobby;
        EnterCode = JoinByCode, AboutJoinByCode;
        Options = Options, AboutOptions;
        Scores = Scores, AboutScores;
        Credits = Credits, AboutCredits;
    }
}

impl Entry {
    fn is_offered(self, context: &Context) -> bool {
        match self {
            Entry::Endless => context.lobby_access == LobbyAccess::Listed,
            Entry::Lobbies => context.lobby_access == LobbyAccess::Listed && !context.is_solo,
            // Where lobbies are listed, they are beside the list.
            Entry::Create | Entry::EnterCode => context.lobby_access == LobbyAccess::ByCode && !context.is_solo,
            Entry::Play | Entry::Options | Entry::Scores | Entry::Credits => true,
        }
    }
}

/// What an idle title shows.
enum Page {
    Menu,
    Scores,
    HowToPlay,
    /// The game of the bots, and the name of ours.
    Game,
}

impl Title {
    pub(super) fn navigate(&mut self, input: MenuInput, context: &Context) -> Option<Command> {
        let entries = entries(context);
        let choice = self.menu.navigate(input, entries.len(), context.list(&PANEL))?;
        let Choice::Accept(line) = choice else { return None };
        Some(match entries[line] {
            Entry::Play => Command::Play { stage: "stage1" },
            Entry::Endless => Command::Play { stage: "endless" },
            Entry::Lobbies => Command::Show(Screen::Lobbies(Lobbies::default())),
            Entry::Create => Command::Show(Screen::Create(Create::default())),
            Entry::EnterCode => Command::Show(TextEntry::code()),
            Entry::Options => Command::Show(Screen::Options(Options::default())),
            Entry::Scores => Command::ShowScores,
            Entry::Credits => Command::Show(Screen::Credits),
        })
    }

    pub(super) fn draw(&self, context: &Context, picture: &mut Picture) {
        match page(context.idle_ticks) {
            Page::Menu => {
                logo(context, picture);
                self.draw_menu(context, picture);
            }
            Page::Scores => {
                dim(picture);
                scores(context, picture);
            }
            Page::HowToPlay => {
                dim(picture);
                how_to_play::draw(context, picture);
            }
            Page::Game => logo(context, picture),
        }
        draw_message(context, picture);
    }

    fn draw_menu(&self, context: &Context, picture: &mut Picture) {
        // Without a title, the panel begins further down.
        let area = context.area(&PANEL);
        let top = widgets::title_height(context.settings.letters);
        widgets::panel(Area { y: area.y + top, height: area.height - top, ..area }, "", picture);
        let entries = entries(context);
        let lines: Vec<Line> = entries.iter().map(|entry| Line::plain(context.translate(entry.phrase()))).collect();
        self.menu.draw(&lines, context.list(&PANEL), picture);
        about(context, entries[self.menu.selected(entries.len())].about(), picture);
        // There is no way back from here: a finger needs no hint.
        if context.device != Device::Touch {
            hints(context, picture);
        }
    }
}

/// What can be chosen here.
fn entries(context: &Context) -> Vec<Entry> {
    Entry::ALL.iter().copied().filter(|entry| entry.is_offered(context)).collect()
}

fn page(idle_ticks: u32) -> Page {
    let Some(ticks) = idle_ticks.checked_sub(IDLE_TICKS) else { return Page::Menu };
    match ticks / PAGE_TICKS % 3 {
        0 => Page::Scores,
        1 => Page::HowToPlay,
        _ => Page::Game,
    }
}

/// What is read is brighter than the game behind it.
fn dim(picture: &mut Picture) {
    picture.darken(0, 0, Picture::WIDTH, Picture::HEIGHT, 1);
}

/// The logo drops in, then floats.
fn logo(context: &Context, picture: &mut Picture) {
    let y = if context.settings.letters == Font::Large { 12 } else { 26 };
    widgets::logo(y, context.tick, picture);
}

/// What went wrong, or how the connection is until it is there.
fn draw_message(context: &Context, picture: &mut Picture) {
    let (phrase, colour) = match context.notice {
        Some(notice) => (notice, Colour::RED),
        None if context.is_solo || context.connection == Phrase::Connected => return,
        None => (context.connection, Colour::GREY),
    };
    picture.rect(0, MESSAGE_Y - 8, Picture::WIDTH, 19, Colour::PANEL);
    widgets::centred(Font::Small, MESSAGE_Y, context.translate(phrase), colour, picture);
}
