//! A lobby that waits for its game: who is in it, and what a player can do until it starts. The host also starts it, adds bots and
//! takes players out.

use ::game::{Frame, Seat, ShipModel, Skill};
use protocol::{LobbyDetails, LobbyId, LobbyPlace, Member, PlayerKind};

use super::{
    Context, ScreenCommand, hints,
    host_menu::{HostChoices, HostEntry, about_host_entry, choice_of},
    lobbies::{joined, titled_stage_name},
    menu::{Choice, ListArea, Menu, MenuLine, turned},
    ship_choice::ship_phrase,
};
use crate::{
    connection::LobbyAccess,
    draw::{Area, Colour, Font, Picture, widgets},
    input::{Device, MenuInput},
    language::Phrase,
    settings::Settings,
};

/// With small letters and with large ones.
const PANEL: [Area; 2] = [Area { x: 60, y: 8, width: 360, height: 200 }, Area { x: 14, y: 2, width: 452, height: 226 }];
/// Where the entries begin, below the members.
const ENTRIES_AT: [i32; 2] = [112, 101];
/// Height of the row with the code, below the title. Large letters have it in the title, which is as large.
const CODE_HEIGHT: [i32; 2] = [22, 0];
/// Where the columns of a row begin, in 1/360 of the panel: name, ship, what they speak, how they stand. With small letters and with
/// large ones.
const COLUMNS: [[i32; 5]; 2] = [[16, 124, 180, 262, 352], [16, 108, 173, 270, 358]];

/// A lobby, as far as its dialect describes it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KnownLobby {
    pub code: LobbyId,
    /// The name of its stage.
    pub stage: String,
    /// How many watch.
    pub watchers: u8,
    /// The seat of the host, if there is one.
    pub host: Option<Seat>,
    /// The players, by seat.
    pub members: Vec<KnownMember>,
}

/// A player of a lobby.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KnownMember {
    pub seat: Seat,
    /// The name; empty if it is not known.
    pub name: String,
    /// What is known beside it.
    standing: Option<Standing>,
}

/// How a player stands, which not every dialect reports.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Standing {
    kind: PlayerKind,
    ship: ShipModel,
    is_ready: bool,
    is_away: bool,
}

impl From<LobbyDetails> for KnownLobby {
    fn from(details: LobbyDetails) -> KnownLobby {
        let LobbyDetails { code, stage, watchers, host, members, .. } = details;
        KnownLobby { code, stage, watchers, host, members: members.into_iter().map(KnownMember::from).collect() }
    }
}

impl From<Member> for KnownMember {
    fn from(Member { seat, name, kind, is_ready, is_away, ship }: Member) -> KnownMember {
        KnownMember { seat, name, standing: Some(Standing { kind, ship, is_ready, is_away }) }
    }
}

impl KnownLobby {
    /// A lobby of which only its place and its Frames are known: a player is there who has a ship, and `own` in any case.
    pub fn seen(place: LobbyPlace, frame: &Frame, own: Option<Seat>) -> KnownLobby {
        let is_there = |seat: &Seat| own == Some(*seat) || frame.players[seat.index()].is_some();
        let member = |seat: Seat| KnownMember { seat, name: String::new(), standing: None };
        let members = Seat::ALL.into_iter().filter(is_there).map(member).collect();
        KnownLobby { code: place.code, stage: place.stage.into(), watchers: 0, host: None, members }
    }

    pub(super) fn member(&self, seat: Seat) -> Option<&KnownMember> {
        self.members.iter().find(|member| member.seat == seat)
    }

    /// Whether a bot plays there.
    pub(super) fn has_bot(&self) -> bool {
        self.members.iter().any(|member| member.bot().is_some())
    }

    /// What a player is called here. Of two with one name, each has the seat beside it.
    pub(super) fn label(&self, context: &Context, seat: Seat) -> String {
        let name = self.member(seat).map_or("", |member| member.name.as_str());
        let is_shared = self.members.iter().any(|other| other.seat != seat && other.name == name);
        let seat_name = context.settings.language.seat_name(seat);
        if is_shared && !name.is_empty() {
            format!("{seat_name} {name}")
        } else {
            name_or_seat(context, name, seat).into()
        }
    }

    /// How many of its players are people.
    pub fn people(&self) -> usize {
        self.members.iter().filter(|member| member.bot().is_none()).count()
    }
}

impl KnownMember {
    /// How well it plays, if it is a bot.
    pub(super) fn bot(&self) -> Option<Skill> {
        self.standing.and_then(|standing| standing.kind.bot())
    }
}

/// What can be chosen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Entry {
    Start,
    Ready,
    Ship,
    Host(HostEntry),
    Share,
    Chat,
    Leave,
}

impl Entry {
    fn has_values(self) -> bool {
        match self {
            Entry::Ship | Entry::Host(HostEntry::AddBot) => true,
            Entry::Host(HostEntry::Remove(_))
            | Entry::Start
            | Entry::Ready
            | Entry::Share
            | Entry::Chat
            | Entry::Leave => false,
        }
    }
}

/// The menu of a lobby that waits.
#[derive(Clone, Debug, Default)]
pub(super) struct Lobby {
    menu: Menu,
    is_ready: bool,
    host: HostChoices,
    /// Whether the host was asked if they really want to leave the others.
    is_leaving: bool,
}

/// What the player chose.
pub(super) enum LobbyChoice {
    ScreenCommand(ScreenCommand),
    OpenChat,
    OpenShare,
}

impl Lobby {
    pub(super) fn navigate(&mut self, input: MenuInput, context: &Context) -> Option<LobbyChoice> {
        let entries = entries(context);
        let asked = self.host.hear(input);
        let was_leaving = std::mem::take(&mut self.is_leaving);
        // A mouse that trembles has not thought better of it.
        self.is_leaving = was_leaving && matches!(input, MenuInput::Point(..));
        let chosen = self.menu.selected(entries.len());
        // Sideways a value is changed, and where there is none the column.
        let choice = match input {
            MenuInput::Left if entries[chosen].has_values() => Choice::Turn(chosen, -1),
            MenuInput::Right if entries[chosen].has_values() => Choice::Turn(chosen, 1),
            MenuInput::Left | MenuInput::Right => {
                self.change_column(input, entries.len(), context);
                return None;
            }
            input => self.menu.navigate(input, entries.len(), list(context))?,
        };
        match choice {
            Choice::Back => self.leave(was_leaving, &entries, context),
            Choice::Accept(line) if entries[line] == Entry::Leave => self.leave(was_leaving, &entries, context),
            Choice::Turn(line, by) => self.turn(entries[line], by, context).map(LobbyChoice::ScreenCommand),
            Choice::Accept(line) => match entries[line] {
                Entry::Host(entry) => match choice_of(choice, input, list(context)) {
                    Choice::Turn(_, by) => self.turn(entries[line], by, context).map(LobbyChoice::ScreenCommand),
                    _ => self.host.accept(entry, asked, context).map(LobbyChoice::ScreenCommand),
                },
                entry => self.accept(entry, context),
            },
        }
    }

    /// To the same line of the other column. Where it has none the cursor stays: what is nearest is the way out.
    fn change_column(&mut self, input: MenuInput, lines: usize, context: &Context) {
        let (before, rows) = (self.menu.selected(lines), lines.div_ceil(list(context).columns));
        self.menu.navigate(input, lines, list(context));
        if self.menu.selected(lines) % rows != before % rows {
            self.menu.select(before);
        }
    }

    /// A host who leaves others behind is asked about it once: one of them is the host then.
    fn leave(&mut self, was_asked: bool, entries: &[Entry], context: &Context) -> Option<LobbyChoice> {
        let is_missed = |lobby: &KnownLobby| lobby.host.is_some() && lobby.host == context.own && lobby.people() > 1;
        if !was_asked && context.waiting_lobby.is_some_and(is_missed) {
            self.is_leaving = true;
            self.menu.select(entries.iter().position(|entry| *entry == Entry::Leave).unwrap_or(0));
            return None;
        }
        Some(LobbyChoice::ScreenCommand(ScreenCommand::Leave))
    }

    /// What the cursor is at.
    pub(super) fn chosen(&self, context: &Context) -> Entry {
        let entries = entries(context);
        entries[self.menu.selected(entries.len())]
    }

    /// The lobby has changed: the cursor stays at what it was at. If that is gone, it is at nothing that does harm.
    pub(super) fn keep(&mut self, entry: Entry, context: &Context) {
        let entries = entries(context);
        let place = |wanted: Entry| entries.iter().position(|entry| *entry == wanted);
        let harmless = || place(Entry::Ready).or(place(Entry::Share));
        self.menu.select(place(entry).or_else(harmless).unwrap_or(0));
    }

    fn accept(&mut self, entry: Entry, context: &Context) -> Option<LobbyChoice> {
        Some(LobbyChoice::ScreenCommand(match entry {
            Entry::Start => ScreenCommand::Start,
            Entry::Ready => {
                self.is_ready = !self.is_ready;
                ScreenCommand::Ready(self.is_ready)
            }
            Entry::Ship => self.turn(Entry::Ship, 1, context)?,
            Entry::Host(entry) => self.host.accept(entry, None, context)?,
            Entry::Share => return Some(LobbyChoice::OpenShare),
            Entry::Chat => return Some(LobbyChoice::OpenChat),
            Entry::Leave => ScreenCommand::Leave,
        }))
    }

    /// The previous or the next value of an entry that has several.
    fn turn(&mut self, entry: Entry, by: i32, context: &Context) -> Option<ScreenCommand> {
        match entry {
            Entry::Ship => {
                let ship = turned(&ShipModel::ALL, context.settings.ship, by);
                Some(ScreenCommand::ChangeSettings(Box::new(Settings { ship, ..context.settings.clone() })))
            }
            Entry::Host(entry) => {
                self.host.turn(entry, by);
                None
            }
            Entry::Start | Entry::Ready | Entry::Share | Entry::Chat | Entry::Leave => None,
        }
    }

    pub(super) fn draw(&self, context: &Context, lobby: &KnownLobby, picture: &mut Picture) {
        let area = context.area(&PANEL);
        widgets::opaque_panel(area, &title(context, lobby), picture);
        if context.settings.letters == Font::Small {
            let top = area.y + widgets::title_height(Font::Small) + 7;
            widgets::centred(Font::Large, top, &lobby.code.to_string(), Colour::GOLD, picture);
        }
        for seat in Seat::ALL {
            draw_member(context, lobby, seat, picture);
        }
        let lines: Vec<MenuLine> = entries(context).into_iter().map(|entry| self.line(context, entry)).collect();
        self.menu.draw(&lines, list(context), picture);
    }

    /// Below this height there is nothing of it but its foot.
    pub(super) fn bottom(context: &Context) -> i32 {
        let area = context.area(&PANEL);
        area.y + area.height
    }

    /// What the chosen entry does, or what went wrong.
    pub(super) fn draw_foot(&self, context: &Context, picture: &mut Picture) {
        let entries = entries(context);
        let chosen = entries[self.menu.selected(entries.len())];
        let about_chosen = if self.is_leaving { Phrase::AboutLeaveAsHost } else { about_phrase(context, chosen) };
        let text = context.translate(context.notice.unwrap_or(about_chosen));
        if has_hints(context) {
            widgets::foot_line(text, picture);
            hints(context, picture);
        } else {
            widgets::foot_line_alone(text, picture);
        }
    }

    /// Where what is said may end, above the foot.
    pub(super) fn foot_top(context: &Context) -> i32 {
        let line = context.settings.letters.height() + 10;
        Picture::HEIGHT - if has_hints(context) { 2 * line + 1 } else { line }
    }

    /// The label says what the entry will do.
    fn line(&self, context: &Context, entry: Entry) -> MenuLine {
        let phrase = match entry {
            Entry::Start => Phrase::Start,
            Entry::Ready if self.is_ready => Phrase::NotReady,
            Entry::Ready => Phrase::Ready,
            Entry::Ship => {
                return MenuLine::turned(context.translate(Phrase::Ship), ship_name(context, context.settings.ship));
            }
            Entry::Host(entry) => return self.host.line(context, entry),
            Entry::Share => Phrase::Share,
            Entry::Chat => Phrase::KeyChat,
            Entry::Leave if self.is_leaving => Phrase::ReallyLeave,
            Entry::Leave => Phrase::Leave,
        };
        MenuLine::plain(context.translate(phrase))
    }
}

fn title(context: &Context, lobby: &KnownLobby) -> String {
    let lobby_word = context.translate(Phrase::Lobby);
    // With small letters the code stands below, in large ones.
    let has_code = context.settings.letters == Font::Large;
    let first = if has_code { format!("{lobby_word} {}", lobby.code) } else { lobby_word.into() };
    let watchers = match lobby.watchers {
        0 => None,
        1 => Some(context.translate(Phrase::OneWatcher).into()),
        count => Some(format!("{count} {}", context.translate(Phrase::Watchers))),
    };
    let letters = context.settings.letters;
    let taken = letters.width(&joined([Some(first.clone()), Some(String::new()), watchers.clone()]));
    let stage = titled_stage_name(context, &lobby.stage, context.area(&PANEL).width - 14 - taken);
    joined([Some(first), Some(stage), watchers])
}

/// What can be chosen. A watcher neither starts the game nor gets ready for it; where there is a host, only the host starts it.
fn entries(context: &Context) -> Vec<Entry> {
    let (lobby, own) = (context.waiting_lobby, context.own);
    let host = lobby.and_then(|lobby| lobby.host);
    let is_host = host.is_some() && own == host;
    let has_list = context.lobby_access == LobbyAccess::Listed;
    let mut entries = Vec::new();
    if own.is_some() && (is_host || host.is_none()) {
        entries.push(Entry::Start);
    }
    if own.is_some() && has_list {
        entries.extend([Entry::Ready, Entry::Ship]);
    }
    entries.extend(HostChoices::entries(context).into_iter().map(Entry::Host));
    entries.push(Entry::Share);
    if has_list {
        entries.push(Entry::Chat);
    }
    entries.push(Entry::Leave);
    entries
}

fn about_phrase(context: &Context, entry: Entry) -> Phrase {
    match entry {
        Entry::Start => Phrase::AboutStart,
        Entry::Ready => Phrase::AboutReady,
        Entry::Ship if context.device == Device::Touch => Phrase::AboutLobbyShipTouch,
        Entry::Ship => Phrase::AboutLobbyShip,
        Entry::Host(entry) => about_host_entry(context, entry),
        Entry::Share => Phrase::AboutShare,
        Entry::Chat => Phrase::AboutChat,
        Entry::Leave => Phrase::AboutLeave,
    }
}

/// Whether the keys of menus are at the foot. A finger chooses where it is lifted.
fn has_hints(context: &Context) -> bool {
    context.device != Device::Touch
}

fn draw_member(context: &Context, lobby: &KnownLobby, seat: Seat, picture: &mut Picture) {
    let (area, letters, top) = rows(context);
    let y = top + row_height(letters) * i32::from(seat.number());
    let mut cell = |column: usize, text: &str, colour: Colour| {
        let columns = COLUMNS[usize::from(letters == Font::Large)];
        let [left, right] = [column, column + 1].map(|column| area.x + area.width * columns[column] / 360);
        picture.text_in(letters, (left, y), &widgets::shortened(letters, text, right - left - 6), colour);
    };
    let Some(member) = lobby.member(seat) else { return cell(0, context.translate(Phrase::FreeSeat), Colour::DIM) };
    cell(0, &lobby.label(context, seat), Colour::SEATS[seat.index()]);
    if let Some(standing) = member.standing {
        cell(1, &ship_name(context, standing.ship), Colour::GREY);
        // What somebody speaks is of interest where it is something else.
        let own_kind = context.own.and_then(|own| lobby.member(own)?.standing).map(|own| own.kind);
        if own_kind != Some(standing.kind) {
            cell(2, &kind_name(context, standing.kind), Colour::GREY);
        }
    }
    if let Some((phrase, colour)) = standing_phrase(member, context.own) {
        cell(3, context.translate(phrase), colour);
    }
    if lobby.host == Some(seat) {
        draw_crown(area.x + 5, y + 1, picture);
    }
}

/// Beside the name of the host.
fn draw_crown(x: i32, y: i32, picture: &mut Picture) {
    for (row, pixels) in ["#..#..#", "##.#.##", "#######", "#######"].iter().enumerate() {
        for (column, _) in pixels.bytes().enumerate().filter(|(_, pixel)| *pixel == b'#') {
            picture.plot(x + column as i32, y + row as i32, Colour::GOLD);
        }
    }
}

pub(super) fn ship_name(context: &Context, ship: ShipModel) -> String {
    context.translate(ship_phrase(ship)).into()
}

/// What somebody speaks, or how well a bot plays.
pub(super) fn kind_name(context: &Context, kind: PlayerKind) -> String {
    match kind {
        PlayerKind::Person(dialect) => dialect.name().into(),
        PlayerKind::Bot(skill) => {
            context.translate(Phrase::BotOf).replace("{}", context.translate(skill_phrase(skill)))
        }
    }
}

pub(super) fn skill_phrase(skill: Skill) -> Phrase {
    match skill {
        Skill::Easy => Phrase::SkillEasy,
        Skill::Normal => Phrase::SkillNormal,
        Skill::Good => Phrase::SkillGood,
    }
}

/// A player without a name is known by the seat, as over the game.
pub(super) fn name_or_seat<'a>(context: &Context, name: &'a str, seat: Seat) -> &'a str {
    if name.is_empty() { context.settings.language.seat_name(seat) } else { name }
}

fn standing_phrase(member: &KnownMember, own: Option<Seat>) -> Option<(Phrase, Colour)> {
    match member.standing {
        Some(Standing { kind: PlayerKind::Bot(_), .. }) => Some((Phrase::Ready, Colour::GREEN)),
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
    (area, letters, area.y + widgets::title_height(letters) + code_height + 7)
}

fn row_height(letters: Font) -> i32 {
    match letters {
        Font::Small => 14,
        Font::Large => 18,
    }
}

fn list(context: &Context) -> ListArea {
    let (area, letters, _) = rows(context);
    let top = ENTRIES_AT[usize::from(letters == Font::Large)];
    let area = Area { x: area.x + 8, y: area.y + top, width: area.width - 16, height: area.height - top - 5 };
    ListArea { area, letters, columns: 2 }
}
