//! The open lobbies: join one, watch one, or create one.

use ::game::{GameState, SEATS};
use protocol::LobbySummary;

use super::{
    Command, Context, Create, Screen, TextEntry, about, hints,
    menu::{Choice, Line, Menu},
};
use crate::{
    draw::{
        Colour, Font, Picture,
        widgets::{self, Area},
    },
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
/// Lines above the lobbies: any game, create, by code, refresh.
const FIRST: usize = 4;

impl Lobbies {
    pub(super) fn navigate(&mut self, input: MenuInput, context: &Context) -> Option<Command> {
        let lines = FIRST + context.lobbies.len();
        Some(match self.menu.navigate(input, lines, context.list(&PANEL))? {
            Choice::Back => Command::Show(Screen::title()),
            Choice::Accept(0) => Command::Quick,
            Choice::Accept(1) => Command::Show(Screen::Create(Create::default())),
            Choice::Accept(2) => Command::Show(TextEntry::code()),
            Choice::Accept(3) => Command::ListLobbies,
            Choice::Accept(line) => {
                let lobby = context.lobbies.get(line - FIRST)?;
                if is_full(lobby) { Command::Watch(lobby.code) } else { Command::Join(lobby.code) }
            }
            // The right arrow watches, even if there is an open seat.
            Choice::Turn(line, 1) => Command::Watch(context.lobbies.get(line.checked_sub(FIRST)?)?.code),
            Choice::Turn(..) => return None,
        })
    }

    pub(super) fn draw(&self, context: &Context, picture: &mut Picture) {
        widgets::panel(context.area(&PANEL), context.translate(Phrase::Lobbies), picture);
        let first = [Phrase::AnyGame, Phrase::CreateLobby, Phrase::JoinByCode, Phrase::Refresh];
        let mut lines: Vec<Line> = first.into_iter().map(|phrase| Line::plain(context.translate(phrase))).collect();
        lines.extend(context.lobbies.iter().map(|lobby| line(context, lobby)));
        self.menu.draw(&lines, context.list(&PANEL), picture);
        if context.lobbies.is_empty() {
            widgets::centred(Font::Small, 128, context.translate(Phrase::NoLobbies), Colour::GREY, picture);
        }
        if let Some(notice) = context.notice {
            widgets::centred(Font::Small, 18, context.translate(notice), Colour::RED, picture);
        }
        about(context, self.about(context), picture);
        hints(context, picture);
    }

    fn about(&self, context: &Context) -> Phrase {
        let line = self.menu.selected(FIRST + context.lobbies.len());
        let first = [Phrase::AboutAnyGame, Phrase::AboutCreateLobby, Phrase::AboutJoinByCode, Phrase::AboutRefresh];
        match first.get(line) {
            Some(&phrase) => phrase,
            None if context.lobbies.get(line - FIRST).is_some_and(is_full) => Phrase::AboutFullLobby,
            None if context.device == Device::Touch => Phrase::AboutLobbyTouch,
            None => Phrase::AboutLobby,
        }
    }
}

fn line(context: &Context, lobby: &LobbySummary) -> Line {
    let state = match lobby.state {
        // Large letters leave no room for it.
        GameState::Waiting if context.settings.letters == Font::Small => context.translate(Phrase::Waiting),
        GameState::Waiting | GameState::Running | GameState::Won | GameState::Lost | GameState::TimedOut => "",
    };
    let action = context.translate(if is_full(lobby) { Phrase::Watch } else { Phrase::Join });
    let label = format!("{}  {}  {}", lobby.code, stage_name(context, &lobby.stage), state);
    Line::new(&label, format!("{}/{SEATS}  {action}", lobby.players))
}

fn is_full(lobby: &LobbySummary) -> bool {
    usize::from(lobby.players) >= SEATS
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
