//! The open lobbies: join one, watch one, or create one. Below the list is what is known about the chosen one.

use ::game::{GameState, Mode, SEATS};
use protocol::{LobbySummary, Member};

use super::{
    Context, Create, Screen, ScreenCommand, TextEntry, about, hints,
    host_menu::choice_of,
    lobby::{kind_name, name_or_seat, ship_name},
    menu::{Choice, ListArea, Menu, MenuLine},
    scores::difficulty_phrase,
};
use crate::{
    campaign,
    draw::{Area, Colour, Font, Picture, widgets},
    input::{Device, MenuInput},
    language::Phrase,
};

/// The open lobbies.
#[derive(Clone, Debug, Default)]
pub struct Lobbies {
    menu: Menu,
}

/// With small letters and with large ones.
const PANEL: [Area; 2] =
    [Area { x: 60, y: 28, width: 360, height: 206 }, Area { x: 14, y: 6, width: 452, height: 212 }];
/// Height of the details of the chosen lobby: a line, and two rows of players.
const DETAILS_HEIGHT: [i32; 2] = [44, 62];
/// Lines above the lobbies: any game, create, by code, refresh.
const FIRST: usize = 4;

impl Lobbies {
    pub(super) fn navigate(&mut self, input: MenuInput, context: &Context) -> Option<ScreenCommand> {
        Some(match self.choice(input, context)? {
            Choice::Back => ScreenCommand::Show(Screen::title()),
            Choice::Accept(0) => ScreenCommand::Quick,
            Choice::Accept(1) => ScreenCommand::Show(Screen::Create(Create::default())),
            Choice::Accept(2) => ScreenCommand::Show(TextEntry::code()),
            Choice::Accept(3) => ScreenCommand::ListLobbies,
            Choice::Accept(line) => {
                let lobby = context.lobbies.get(line - FIRST)?;
                if is_full(lobby) { ScreenCommand::Watch(lobby.code) } else { ScreenCommand::Join(lobby.code) }
            }
            // The right arrow watches, even if there is an open seat; so does a finger on the word for it.
            Choice::Turn(line, 1) => ScreenCommand::Watch(context.lobbies.get(line.checked_sub(FIRST)?)?.code),
            Choice::Turn(..) => return None,
        })
    }

    /// What an input chooses. With large letters the commands are in two columns, above the lobbies.
    fn choice(&mut self, input: MenuInput, context: &Context) -> Option<Choice> {
        let lines = FIRST + context.lobbies.len();
        let (commands, lobbies) = (commands(context), lobbies(context));
        let selected = self.menu.selected(lines);
        match input {
            MenuInput::Left | MenuInput::Right if selected < FIRST && commands.columns > 1 => {
                self.menu.select((selected + FIRST / 2) % FIRST);
                None
            }
            MenuInput::Point(_, y) | MenuInput::Tap(_, y) => {
                let (list, from, count) =
                    if y < lobbies.area.y { (commands, 0, FIRST) } else { (lobbies, FIRST, context.lobbies.len()) };
                let mut menu = Menu::default();
                menu.select(selected.saturating_sub(from));
                let choice = menu.navigate(input, count, list);
                self.menu.select(from + menu.selected(count));
                choice.map(|choice| match choice_of(choice, input, list) {
                    Choice::Accept(line) => Choice::Accept(from + line),
                    Choice::Turn(line, by) if from > 0 => Choice::Turn(from + line, by),
                    Choice::Turn(line, _) => Choice::Accept(line),
                    Choice::Back => Choice::Back,
                })
            }
            input => self.menu.navigate(input, lines, ListArea { columns: 1, ..lobbies }),
        }
    }

    /// The list has changed: the cursor stays at the lobby that it was at, for as long as there is that lobby.
    pub fn follow(&mut self, before: &[LobbySummary], now: &[LobbySummary]) {
        let line = self.menu.selected(FIRST + before.len());
        let chosen = line.checked_sub(FIRST).and_then(|index| before.get(index));
        let place = chosen.and_then(|chosen| now.iter().position(|lobby| lobby.code == chosen.code));
        if let Some(place) = place {
            self.menu.select(FIRST + place);
        }
    }

    pub(super) fn draw(&self, context: &Context, picture: &mut Picture) {
        widgets::panel(context.area(&PANEL), &title(context), picture);
        let first = [Phrase::AnyGame, Phrase::CreateLobby, Phrase::JoinByCode, Phrase::Refresh];
        let first: Vec<MenuLine> = first.into_iter().map(|phrase| MenuLine::plain(context.translate(phrase))).collect();
        let others: Vec<MenuLine> = context.lobbies.iter().map(|lobby| line(context, lobby)).collect();
        let mut menu = Menu::default();
        match self.menu.selected(FIRST + others.len()).checked_sub(FIRST) {
            Some(chosen) => {
                Menu::draw_unselected(&first, commands(context), picture);
                menu.select(chosen);
                menu.draw(&others, lobbies(context), picture);
            }
            None => {
                self.menu.draw(&first, commands(context), picture);
                Menu::draw_unselected(&others, lobbies(context), picture);
            }
        }
        match self.chosen(context) {
            Some(lobby) => draw_details(context, lobby, picture),
            None if context.lobbies.is_empty() => {
                let area = details(context);
                widgets::centred(Font::Small, area.y + 12, context.translate(Phrase::NoLobbies), Colour::GREY, picture);
            }
            None => {}
        }
        if let Some(notice) = context.notice {
            widgets::centred(Font::Small, 18, context.translate(notice), Colour::RED, picture);
        }
        about(context, self.about(context), picture);
        hints(context, picture);
    }

    fn chosen<'a>(&self, context: &Context<'a>) -> Option<&'a LobbySummary> {
        let line = self.menu.selected(FIRST + context.lobbies.len());
        context.lobbies.get(line.checked_sub(FIRST)?)
    }

    fn about(&self, context: &Context) -> Phrase {
        let line = self.menu.selected(FIRST + context.lobbies.len());
        let first = [Phrase::AboutAnyGame, Phrase::AboutCreateLobby, Phrase::AboutJoinByCode, Phrase::AboutRefresh];
        match first.get(line) {
            Some(&phrase) => phrase,
            None => match (self.chosen(context).is_some_and(is_full), context.device) {
                (true, Device::Touch) => Phrase::AboutFullLobbyTouch,
                (true, Device::Keyboard | Device::Pad) => Phrase::AboutFullLobby,
                (false, Device::Touch) => Phrase::AboutLobbyTouch,
                (false, Device::Keyboard | Device::Pad) => Phrase::AboutLobby,
            },
        }
    }
}

/// With the round trip to the server, once it is known.
fn title(context: &Context) -> String {
    let title = context.translate(Phrase::Lobbies);
    context.list_round_trip_ms.map_or(title.into(), |ms| format!("{title}  {ms} ms"))
}

fn line(context: &Context, lobby: &LobbySummary) -> MenuLine {
    // Large letters leave no room for it: it is below the list.
    let state = if context.settings.letters == Font::Large { "" } else { state_name(context, lobby) };
    let action = match (is_full(lobby), context.device) {
        (true, _) => context.translate(Phrase::Watch).into(),
        (false, Device::Keyboard | Device::Pad) => context.translate(Phrase::Join).into(),
        // A finger has no arrows: it chooses between the two words.
        (false, Device::Touch) => [Phrase::Join, Phrase::Watch].map(|phrase| context.translate(phrase)).join(" | "),
    };
    let label = format!("{}  {}  {}", lobby.code, stage_name(context, &lobby.stage), state);
    MenuLine::new(&label, format!("{}/{SEATS}  {action}", lobby.players))
}

fn state_name<'a>(context: &Context, lobby: &LobbySummary) -> &'a str {
    context.translate(match lobby.state {
        GameState::Waiting => Phrase::Waiting,
        GameState::Running => Phrase::Playing,
        GameState::Won | GameState::Lost | GameState::TimedOut => Phrase::Over,
    })
}

/// Host, mode, difficulty, and who plays.
fn draw_details(context: &Context, lobby: &LobbySummary, picture: &mut Picture) {
    let area = details(context);
    picture.rect(Area::new(area.x, area.y, area.width, 1), Colour::EDGE.darker());
    let row = area.height / 3;
    let mut cell = |x: i32, y: i32, width: i32, text: &str, colour: Colour| {
        let letters = picture.letters();
        picture.text_in(letters, (x, y), &widgets::shortened(letters, text, width), colour);
    };
    cell(area.x, area.y + 5, area.width, &summary(context, lobby), Colour::PALE);
    for (index, member) in lobby.members.iter().enumerate() {
        let (column, line) = ((index % 2) as i32, (index / 2) as i32);
        let (x, y) = (area.x + column * area.width / 2, area.y + 5 + row * (line + 1));
        cell(x, y, area.width / 2 - 6, &member_text(context, member), Colour::SEATS[member.seat.index()]);
    }
}

fn summary(context: &Context, lobby: &LobbySummary) -> String {
    let host = lobby.host.and_then(|seat| lobby.members.iter().find(|member| member.seat == seat));
    let host = host.map(|host| {
        let name = name_or_seat(context, &host.name, host.seat);
        context.translate(Phrase::HostNamed).replace("{}", name)
    });
    let mode = context.translate(mode_phrase(lobby.rules.mode)).to_owned();
    let difficulty = context.translate(difficulty_phrase(lobby.rules.difficulty)).to_owned();
    if context.settings.letters == Font::Small {
        return joined([host, Some(mode), Some(difficulty)]);
    }
    let state = Some(state_name(context, lobby).to_owned());
    let whole = joined([host.clone(), state.clone(), Some(mode.clone()), Some(difficulty)]);
    // How hard it is matters least to those who look for company.
    let has_room = Font::Large.width(&whole) <= details(context).width;
    if has_room { whole } else { joined([host, state, Some(mode)]) }
}

/// The parts that there are, with dots between them.
pub(super) fn joined<const COUNT: usize>(parts: [Option<String>; COUNT]) -> String {
    parts.into_iter().flatten().collect::<Vec<_>>().join(" · ")
}

fn member_text(context: &Context, member: &Member) -> String {
    let name = name_or_seat(context, &member.name, member.seat);
    format!("{name}  {}, {}", ship_name(context, member.ship), kind_name(context, member.kind))
}

fn mode_phrase(mode: Mode) -> Phrase {
    match mode {
        Mode::Campaign => Phrase::Campaign,
        Mode::Endless => Phrase::Endless,
        Mode::Daily(_) => Phrase::Daily,
        Mode::Practice(_) => Phrase::Practice,
    }
}

/// Whether people have all seats. A bot gives its seat up.
fn is_full(lobby: &LobbySummary) -> bool {
    usize::from(lobby.players) >= SEATS
}

/// What can be done beside joining a lobby of the list.
fn commands(context: &Context) -> ListArea {
    let whole = context.list(&PANEL);
    let columns = if context.settings.letters == Font::Large { 2 } else { 1 };
    let height = widgets::line(context.settings.letters) * (FIRST / columns) as i32;
    ListArea { area: Area { height, ..whole.area }, columns, ..whole }
}

/// The lobbies, below the commands and above the details.
fn lobbies(context: &Context) -> ListArea {
    let (whole, commands) = (context.list(&PANEL), commands(context).area);
    let y = commands.y + commands.height + 2;
    ListArea { area: Area { y, height: details(context).y - y, ..whole.area }, ..whole }
}

fn details(context: &Context) -> Area {
    let whole = context.list(&PANEL).area;
    let height = DETAILS_HEIGHT[usize::from(context.settings.letters == Font::Large)];
    Area { y: whole.y + whole.height - height, height, ..whole }
}

/// The room that a menu has for the name of a stage, beside the word for it.
pub(super) const STAGE_ROOM: i32 = 200;

/// What a stage of the campaign is called, with its title if that fits.
pub(super) fn titled_stage_name(context: &Context, stage: &str, width: i32) -> String {
    let title = campaign::title_of(stage).map(|title| context.translate(title).into());
    let name = stage_name(context, stage);
    let whole = joined([Some(name.clone()), title]);
    if context.settings.letters.width(&whole) <= width { whole } else { name }
}

/// The name of a stage in the player's language.
pub(super) fn stage_name(context: &Context, stage: &str) -> String {
    let number = stage.strip_prefix("stage").filter(|number| number.parse::<u8>().is_ok());
    match number {
        Some(number) => format!("{} {number}", context.translate(Phrase::Stage)),
        None if stage == "endless" => context.translate(Phrase::Endless).into(),
        None => stage.into(),
    }
}
