//! A lobby that waits for its game: who is in it, and what a player can do until it starts.

use ::game::Seat;
use protocol::LobbyDetails;

use super::{
    Command, Context,
    menu::{Choice, Line, ListArea, Menu, menu_entries},
};
use crate::{
    draw::{
        Colour, Font, Picture,
        widgets::{self, Area},
    },
    input::MenuInput,
    language::Phrase,
};

/// With small letters and with large ones.
const PANEL: [Area; 2] =
    [Area { x: 90, y: 40, width: 300, height: 176 }, Area { x: 14, y: 2, width: 452, height: 266 }];
/// Where the entries begin, below the members.
const ENTRIES_AT: [i32; 2] = [100, 122];

menu_entries! {
    /// What can be chosen.
    Entry {
        Start = Start,
        Ready = Ready,
        Share = Share,
        Chat = KeyChat,
        Leave = Leave,
    }
}

impl Entry {
    fn needs_seat(self) -> bool {
        match self {
            Entry::Start | Entry::Ready => true,
            Entry::Share | Entry::Chat | Entry::Leave => false,
        }
    }
}

/// The menu of a lobby that waits.
#[derive(Clone, Debug, Default)]
pub(super) struct Lobby {
    menu: Menu,
    is_ready: bool,
}

/// What the player chose.
pub(super) enum LobbyChoice {
    Command(Command),
    OpenChat,
}

impl Lobby {
    pub(super) fn navigate(&mut self, input: MenuInput, context: &Context) -> Option<LobbyChoice> {
        let entries = entries(context);
        let entry = match self.menu.navigate(input, entries.len(), list(context))? {
            Choice::Back => Entry::Leave,
            Choice::Turn(..) => return None,
            Choice::Accept(line) => entries[line],
        };
        Some(LobbyChoice::Command(match entry {
            Entry::Start => Command::Start,
            Entry::Ready => {
                self.is_ready = !self.is_ready;
                Command::Ready(self.is_ready)
            }
            Entry::Share => Command::Share,
            Entry::Chat => return Some(LobbyChoice::OpenChat),
            Entry::Leave => Command::Leave,
        }))
    }

    pub(super) fn draw(&self, context: &Context, lobby: &LobbyDetails, picture: &mut Picture) {
        let stage = super::lobbies::stage_name(context, &lobby.stage);
        let mut title = format!("{} {}  {stage}", context.translate(Phrase::Lobby), lobby.code);
        match lobby.watchers {
            0 => {}
            1 => title += &format!("  {}", context.translate(Phrase::OneWatcher)),
            count => title += &format!("  {count} {}", context.translate(Phrase::Watchers)),
        }
        widgets::panel(context.area(&PANEL), &title, picture);
        for seat in Seat::ALL {
            draw_member(context, lobby, seat, picture);
        }
        let line = |entry: Entry| Line::plain(context.translate(self.phrase(entry)));
        let lines: Vec<Line> = entries(context).into_iter().map(line).collect();
        self.menu.draw(&lines, list(context), picture);
    }

    /// The label says what the entry will do.
    fn phrase(&self, entry: Entry) -> Phrase {
        if entry == Entry::Ready && self.is_ready { Phrase::NotReady } else { entry.phrase() }
    }
}

/// What can be chosen: a watcher neither starts the game nor gets ready for it.
fn entries(context: &Context) -> Vec<Entry> {
    Entry::ALL.iter().copied().filter(|entry| context.own.is_some() || !entry.needs_seat()).collect()
}

fn draw_member(context: &Context, lobby: &LobbyDetails, seat: Seat, picture: &mut Picture) {
    let (area, letters, top) = rows(context);
    let y = top + row_height(letters) * i32::from(seat.number());
    let Some(member) = lobby.members.iter().find(|member| member.seat == seat) else {
        picture.text_in(letters, area.x + 12, y, context.translate(Phrase::FreeSeat), Colour::DIM);
        return;
    };
    let name = if member.name.is_empty() { "-" } else { &member.name };
    let (dialect_x, state_x) = (area.x + area.width * 130 / 300, area.x + area.width * 200 / 300);
    let name = letters.fitting(name, dialect_x - area.x - 20);
    picture.text_in(letters, area.x + 12, y, name, Colour::SEATS[seat.index()]);
    let dialect = letters.fitting(member.dialect.name(), state_x - dialect_x - 8);
    picture.text_in(letters, dialect_x, y, dialect, Colour::GREY);
    let (phrase, colour) = match (member.is_away, member.is_ready) {
        (true, _) => (Phrase::Away, Colour::RED),
        (false, true) => (Phrase::Ready, Colour::GREEN),
        (false, false) => (Phrase::NotReady, Colour::DIM),
    };
    let width = area.x + area.width - 8 - state_x;
    let state = context.translate(phrase);
    let letters = picture.letters_for(state, width);
    picture.text_in(letters, state_x, y, letters.fitting(state, width), colour);
}

/// The panel, the size of its letters, and where its first row is.
fn rows(context: &Context) -> (Area, Font, i32) {
    let (area, letters) = (context.area(&PANEL), context.settings.letters);
    (area, letters, area.y + widgets::title_height(letters) + 9)
}

fn row_height(letters: Font) -> i32 {
    match letters {
        Font::Small => 14,
        Font::Large => 22,
    }
}

fn list(context: &Context) -> ListArea {
    let (area, letters, _) = rows(context);
    let top = ENTRIES_AT[usize::from(letters == Font::Large)];
    let area = Area { x: area.x + 8, y: area.y + top, width: area.width - 16, height: area.height - top - 6 };
    ListArea { area, letters }
}
