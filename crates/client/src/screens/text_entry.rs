//! The screen on which the player types a name or a lobby's code.

use protocol::LobbyId;

use super::{Context, Foot, Lobbies, Options, Screen, ScreenCommand, TextField, about, hints_of};
use crate::{
    Key,
    connection::LobbyAccess,
    draw::{Area, Colour, Font, Picture, widgets},
    input::MenuInput,
    language::Phrase,
    settings::{NAME_MAX, Settings, clean_name},
};

/// Characters of a lobby's code.
const CODE_CHARACTERS: usize = 6;

/// A text that is being typed, and what it is for.
#[derive(Clone, Debug)]
pub struct TextEntry {
    subject: Subject,
    field: TextField,
}

#[derive(Clone, Debug)]
enum Subject {
    /// The player's name, in these settings.
    Name(Box<Settings>),
    /// The code of a lobby to join.
    Code,
}

impl TextEntry {
    /// The screen for the player's name.
    pub fn name(settings: &Settings) -> Screen {
        let subject = Subject::Name(Box::new(settings.clone()));
        Screen::TextEntry(TextEntry { subject, field: TextField::new(&settings.name, NAME_MAX) })
    }

    /// The screen for a lobby's code.
    pub fn code() -> Screen {
        Screen::TextEntry(TextEntry { subject: Subject::Code, field: TextField::new("", CODE_CHARACTERS) })
    }

    pub(super) fn navigate(&mut self, input: MenuInput, context: &Context) -> Option<ScreenCommand> {
        match (input, &mut self.subject) {
            (MenuInput::Back, Subject::Name(_)) => Some(ScreenCommand::Show(Screen::Options(Options::default()))),
            (MenuInput::Back, Subject::Code) if context.lobby_access == LobbyAccess::Listed => {
                Some(ScreenCommand::Show(Screen::Lobbies(Lobbies::default())))
            }
            (MenuInput::Back, Subject::Code) => Some(ScreenCommand::Show(Screen::title())),
            (MenuInput::Accept, Subject::Name(settings)) => {
                settings.name = clean_name(self.field.text());
                Some(ScreenCommand::ChangeSettings(settings.clone()))
            }
            (MenuInput::Accept, Subject::Code) => LobbyId::new(self.field.text()).ok().map(ScreenCommand::Join),
            (MenuInput::Up | MenuInput::Down | MenuInput::Left | MenuInput::Right, _) => {
                self.field.spell(input);
                None
            }
            (MenuInput::Point(..) | MenuInput::Tap(..), _) => None,
        }
    }

    pub(super) fn key(&mut self, key: Key) {
        self.field.key(key);
    }

    pub(super) fn text(&mut self, character: char) {
        match self.subject {
            Subject::Name(_) => self.field.push(character),
            Subject::Code if character.is_ascii_alphanumeric() => self.field.push(character.to_ascii_uppercase()),
            Subject::Code => {}
        }
    }

    pub(super) fn draw(&self, context: &Context, picture: &mut Picture) {
        let title = match self.subject {
            Subject::Name(_) => Phrase::Name,
            Subject::Code => Phrase::JoinByCode,
        };
        widgets::panel(Area::centred(220, 70), context.translate(title), picture);
        let area = Area { y: 125, height: 30, ..Area::centred(190, 30) };
        widgets::text_field(area, "", self.field.text(), context.tick, picture);
        if let Some(notice) = context.notice {
            widgets::centred(Font::Small, 180, context.translate(notice), Colour::RED, picture);
        }
        let about_phrase = match self.subject {
            Subject::Name(_) if context.is_solo => Phrase::AboutOwnName,
            Subject::Name(_) => Phrase::AboutName,
            Subject::Code => Phrase::AboutJoinByCode,
        };
        about(context, about_phrase, picture);
        hints_of(context, Foot::Writing, picture);
    }
}
