//! A lobby that waits for its game: who is in it, and what a player can do until it starts.

use ::game::{Frame, Seat};
use protocol::{LobbyDetails, LobbyId, LobbyPlace, Member, PlayerKind};

use super::{
    Command, Context, about,
    menu::{Choice, Line, ListArea, Menu, menu_entries},
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

/// With small letters and with large ones.
const PANEL: [Area; 2] =
    [Area { x: 90, y: 30, width: 300, height: 198 }, Area { x: 14, y: 2, width: 452, height: 266 }];
/// Where the entries begin, below the members.
const ENTRIES_AT: [i32; 2] = [122, 122];
/// Height of the row with the code, below the title. Large letters have it in the title, which is as large.
const CODE_HEIGHT: [i32; 2] = [22, 0];

/// A lobby that waits, as far as its dialect tells.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Room {
    pub code: LobbyId,
    /// The name of its stage.
    pub stage: String,
    /// How many watch.
    pub watchers: u8,
    /// The players, by seat.
    pub members: Vec<RoomMember>,
}

/// A player of a lobby.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RoomMember {
    pub seat: Seat,
    /// The name; empty if it is not known.
    pub name: String,
    /// What is known beside it.
    standing: Option<Standing>,
}

/// How a player stands, which not every dialect tells.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Standing {
    kind: PlayerKind,
    is_ready: bool,
    is_away: bool,
}

impl From<LobbyDetails> for Room {
    fn from(details: LobbyDetails) -> Room {
        let LobbyDetails { code, stage, watchers, members, .. } = details;
        Room { code, stage, watchers, members: members.into_iter().map(RoomMember::from).collect() }
    }
}

impl From<Member> for RoomMember {
    fn from(Member { seat, name, kind, is_ready, is_away, .. }: Member) -> RoomMember {
        RoomMember { seat, name, standing: Some(Standing { kind, is_ready, is_away }) }
    }
}

impl Room {
    /// A lobby of which only its place and its Frames are known: a player is there who has a ship, and `own` in any case.
    pub fn seen(place: LobbyPlace, frame: &Frame, own: Option<Seat>) -> Room {
        let is_there = |seat: &Seat| own == Some(*seat) || frame.players[seat.index()].is_some();
        let member = |seat: Seat| RoomMember { seat, name: String::new(), standing: None };
        let members = Seat::ALL.into_iter().filter(is_there).map(member).collect();
        Room { code: place.code, stage: place.stage.into(), watchers: 0, members }
    }
}

menu_entries! {
    /// What can be chosen.
    Entry {
        Start = Start, AboutStart;
        Ready = Ready, AboutReady;
        Share = Share, AboutShare;
        Chat = KeyChat, AboutChat;
        Leave = Leave, AboutLeave;
    }
}

impl Entry {
    fn needs_seat(self) -> bool {
        match self {
            Entry::Start | Entry::Ready => true,
            Entry::Share | Entry::Chat | Entry::Leave => false,
        }
    }

    /// The least that the player must be able to do about lobbies.
    fn needs(self) -> LobbyAccess {
        match self {
            Entry::Ready | Entry::Chat => LobbyAccess::Listed,
            Entry::Start | Entry::Share | Entry::Leave => LobbyAccess::ByCode,
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

    pub(super) fn draw(&self, context: &Context, lobby: &Room, picture: &mut Picture) {
        let stage = super::lobbies::stage_name(context, &lobby.stage);
        let mut title = [context.translate(Phrase::Lobby), &title_code(context, lobby), &stage].join(" ");
        match lobby.watchers {
            0 => {}
            1 => title += &format!("  {}", context.translate(Phrase::OneWatcher)),
            count => title += &format!("  {count} {}", context.translate(Phrase::Watchers)),
        }
        let area = context.area(&PANEL);
        widgets::panel(area, &title, picture);
        if context.settings.letters == Font::Small {
            let top = area.y + widgets::title_height(Font::Small) + 7;
            widgets::centred(Font::Large, top, &lobby.code.to_string(), Colour::GOLD, picture);
        }
        for seat in Seat::ALL {
            draw_member(context, lobby, seat, picture);
        }
        let line = |entry: Entry| Line::plain(context.translate(self.phrase(entry)));
        let entries = entries(context);
        let chosen = entries[self.menu.selected(entries.len())];
        let lines: Vec<Line> = entries.into_iter().map(line).collect();
        self.menu.draw(&lines, list(context), picture);
        if let Some(notice) = context.notice {
            // Large letters leave no room below the panel, but some in it.
            let y = area.y + area.height + if context.settings.letters == Font::Large { -16 } else { 6 };
            widgets::centred(Font::Small, y, context.translate(notice), Colour::GOLD, picture);
        } else if context.settings.letters == Font::Small {
            about(context, chosen.about(), picture);
        }
    }

    /// The label says what the entry will do.
    fn phrase(&self, entry: Entry) -> Phrase {
        if entry == Entry::Ready && self.is_ready { Phrase::NotReady } else { entry.phrase() }
    }
}

/// The code as the title has it: with small letters it stands below, in large ones.
fn title_code(context: &Context, lobby: &Room) -> String {
    if context.settings.letters == Font::Large { lobby.code.to_string() } else { String::new() }
}

/// What can be chosen: a watcher neither starts the game nor gets ready for it.
fn entries(context: &Context) -> Vec<Entry> {
    let is_there =
        |entry: &Entry| context.lobby_access >= entry.needs() && (context.own.is_some() || !entry.needs_seat());
    Entry::ALL.iter().copied().filter(is_there).collect()
}

fn draw_member(context: &Context, lobby: &Room, seat: Seat, picture: &mut Picture) {
    let (area, letters, top) = rows(context);
    let y = top + row_height(letters) * i32::from(seat.number());
    let Some(member) = lobby.members.iter().find(|member| member.seat == seat) else {
        picture.text_in(letters, area.x + 12, y, context.translate(Phrase::FreeSeat), Colour::DIM);
        return;
    };
    let (dialect_x, state_x) = (area.x + area.width * 130 / 300, area.x + area.width * 200 / 300);
    let name = letters.fitting(&member.name, dialect_x - area.x - 20);
    picture.text_in(letters, area.x + 12, y, name_or_seat(name, seat), Colour::SEATS[seat.index()]);
    let dialect = member.standing.map_or("", |standing| standing.kind.name());
    picture.text_in(letters, dialect_x, y, letters.fitting(dialect, state_x - dialect_x - 8), Colour::GREY);
    let Some((phrase, colour)) = standing_phrase(member, context.own) else { return };
    let width = area.x + area.width - 8 - state_x;
    let state = context.translate(phrase);
    let letters = picture.letters_for(state, width);
    picture.text_in(letters, state_x, y, letters.fitting(state, width), colour);
}

/// A player without a name is known by the seat, as over the game.
fn name_or_seat(name: &str, seat: Seat) -> &str {
    if name.is_empty() { ["P1", "P2", "P3", "P4"][seat.index()] } else { name }
}

fn standing_phrase(member: &RoomMember, own: Option<Seat>) -> Option<(Phrase, Colour)> {
    match member.standing {
        Some(Standing { is_away: true, .. }) => Some((Phrase::Away, Colour::RED)),
        Some(Standing { is_ready: true, .. }) => Some((Phrase::Ready, Colour::GREEN)),
        Some(Standing { is_ready: false, .. }) => Some((Phrase::NotReady, Colour::DIM)),
        None if own == Some(member.seat) => Some((Phrase::You, Colour::PALE)),
        None => None,
    }
}

/// The panel, the size of its letters, and where its first row is.
fn rows(context: &Context) -> (Area, Font, i32) {
    let (area, letters) = (context.area(&PANEL), context.settings.letters);
    let code_height = CODE_HEIGHT[usize::from(letters == Font::Large)];
    (area, letters, area.y + widgets::title_height(letters) + code_height + 9)
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
    ListArea { area, letters, columns: 1 }
}
