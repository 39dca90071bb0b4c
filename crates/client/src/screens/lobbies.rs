//! The open lobbies: join one, watch one, or make one.

use ::game::{GameState, SEATS};
use protocol::LobbySummary;

use super::{
    Context, Create, Order, Screen, hints,
    menu::{Choice, Line, Menu},
};
use crate::{
    draw::{
        Colour, Font, Picture,
        widgets::{self, Area},
    },
    input::Step,
    language::Word,
};

/// The open lobbies.
#[derive(Clone, Debug, Default)]
pub struct Lobbies {
    menu: Menu,
}

/// With small letters and with large ones.
const PANEL: [Area; 2] =
    [Area { x: 60, y: 30, width: 360, height: 200 }, Area { x: 14, y: 8, width: 452, height: 234 }];
/// Lines above the lobbies.
const FIRST: usize = 2;

impl Lobbies {
    pub(super) fn step(&mut self, step: Step, context: &Context) -> Option<Order> {
        let lines = FIRST + context.lobbies.len();
        Some(match self.menu.step(step, lines, context.list(&PANEL))? {
            Choice::Back => Order::Go(Screen::title()),
            Choice::Accept(0) => Order::List,
            Choice::Accept(1) => Order::Go(Screen::Create(Create::default())),
            Choice::Accept(line) => {
                let lobby = context.lobbies.get(line - FIRST)?;
                if is_full(lobby) { Order::Watch(lobby.code) } else { Order::Join(lobby.code) }
            }
            // To the right is watching, whether or not there is a seat.
            Choice::Turn(line, 1) => Order::Watch(context.lobbies.get(line.checked_sub(FIRST)?)?.code),
            Choice::Turn(..) => return None,
        })
    }

    pub(super) fn draw(&self, context: &Context, picture: &mut Picture) {
        widgets::panel(context.area(&PANEL), context.say(Word::Lobbies), picture);
        let mut lines = vec![Line::plain(context.say(Word::Refresh)), Line::plain(context.say(Word::Create))];
        lines.extend(context.lobbies.iter().map(|lobby| line(context, lobby)));
        self.menu.draw(&lines, context.list(&PANEL), picture);
        if context.lobbies.is_empty() {
            widgets::centred(Font::Small, 110, context.say(Word::NoLobbies), Colour::GREY, picture);
        }
        if let Some(notice) = context.notice {
            widgets::centred(Font::Small, 18, context.say(notice), Colour::RED, picture);
        }
        hints(context, picture);
    }
}

fn line(context: &Context, lobby: &LobbySummary) -> Line {
    let state = match lobby.state {
        // Large letters have no room for it.
        GameState::Waiting if context.settings.letters == Font::Small => context.say(Word::Waiting),
        _ => "",
    };
    let what = context.say(if is_full(lobby) { Word::Watch } else { Word::Join });
    let label = format!("{}  {}  {}", lobby.code, stage_name(context, &lobby.stage), state);
    Line::new(&label, format!("{}/{SEATS}  {what}", lobby.players))
}

fn is_full(lobby: &LobbySummary) -> bool {
    usize::from(lobby.players) >= SEATS
}

/// A stage as the player reads it.
pub(super) fn stage_name(context: &Context, stage: &str) -> String {
    let number = stage.strip_prefix("stage").filter(|number| number.parse::<u8>().is_ok());
    match number {
        Some(number) => format!("{} {number}", context.say(Word::Stage)),
        None if stage == "endless" => context.say(Word::Endless).into(),
        None => stage.into(),
    }
}
