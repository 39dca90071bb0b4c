//! A screen on which a name or a lobby's code is written.

use protocol::LobbyId;

use super::{Context, Entry, Order, Screen, hints};
use crate::{
    Key,
    draw::{
        Colour, Font, Picture,
        widgets::{self, Area},
    },
    input::Step,
    language::Word,
    settings::{NAME_MAX, Settings, decent_name},
};

/// Characters of a lobby's code.
const CODE_CHARACTERS: usize = 6;

/// What is written.
#[derive(Clone, Debug)]
pub struct Write {
    purpose: Purpose,
    entry: Entry,
}

/// What for.
#[derive(Clone, Debug)]
pub enum Purpose {
    /// The player's name.
    Name(Box<Settings>),
    /// The code of a lobby to join.
    Code,
}

impl Write {
    /// The player's name.
    pub fn name(settings: &Settings) -> Screen {
        let purpose = Purpose::Name(Box::new(settings.clone()));
        Screen::Write(Write { purpose, entry: Entry::new(&settings.name, NAME_MAX) })
    }

    /// A lobby's code.
    pub fn code() -> Screen {
        Screen::Write(Write { purpose: Purpose::Code, entry: Entry::new("", CODE_CHARACTERS) })
    }

    pub(super) fn step(&mut self, step: Step) -> Option<Order> {
        match (step, &mut self.purpose) {
            (Step::Back, _) => Some(Order::Go(Screen::title())),
            (Step::Accept, Purpose::Name(settings)) => {
                settings.name = decent_name(self.entry.text());
                Some(Order::Change(settings.clone()))
            }
            (Step::Accept, Purpose::Code) => LobbyId::new(self.entry.text()).ok().map(Order::Join),
            _ => None,
        }
    }

    pub(super) fn key(&mut self, key: Key) {
        self.entry.key(key);
    }

    pub(super) fn text(&mut self, character: char) {
        match self.purpose {
            Purpose::Name(_) => self.entry.push(character),
            Purpose::Code if character.is_ascii_alphanumeric() => self.entry.push(character.to_ascii_uppercase()),
            Purpose::Code => {}
        }
    }

    pub(super) fn draw(&self, context: &Context, picture: &mut Picture) {
        let label = match self.purpose {
            Purpose::Name(_) => Word::Name,
            Purpose::Code => Word::EnterCode,
        };
        widgets::panel(Area::centred(220, 70), context.say(label), picture);
        let area = Area { y: 125, height: 30, ..Area::centred(190, 30) };
        widgets::entry(area, "", self.entry.text(), context.tick, picture);
        if let Some(notice) = context.notice {
            widgets::centred(Font::Small, 180, context.say(notice), Colour::RED, picture);
        }
        hints(context, picture);
    }
}
