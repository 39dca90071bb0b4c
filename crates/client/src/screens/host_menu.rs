//! What the host of a lobby does about its players, while it waits and while it is played: adds bots, takes bots out, and kicks.
//! The host's entries are part of the menu of a lobby that waits, and a menu of their own over a game.

use ::game::{GameState, Seat, Skill};

use super::{
    Context, ScreenCommand, about,
    lobby::{KnownLobby, skill_phrase},
    menu::{Choice, ListArea, Menu, MenuLine, turned},
};
use crate::{
    draw::{Area, Colour, Font, Picture, widgets},
    input::{Device, MenuInput},
    language::Phrase,
};

/// With small letters and with large ones.
const PANEL: [Area; 2] =
    [Area { x: 120, y: 72, width: 240, height: 116 }, Area { x: 14, y: 22, width: 452, height: 172 }];
/// Of the width of a list, the part at its right in which a finger changes a value rather than choosing the line.
const VALUE_PERCENT: i32 = 35;

/// What only the host can choose.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HostEntry {
    AddBot,
    /// The bot or the player of that seat.
    Remove(Seat),
}

/// What the host is about to do.
#[derive(Clone, Debug, Default)]
pub(super) struct HostChoices {
    /// The skill of the next bot.
    skill: Skill,
    /// The player whom the host is about to kick, if that is confirmed.
    kicking: Option<Seat>,
}

impl HostChoices {
    /// What the host of a lobby can do about it; nothing for anybody else.
    pub(super) fn entries(context: &Context) -> Vec<HostEntry> {
        let Some(lobby) = context.lobby.filter(|lobby| lobby.host.is_some() && lobby.host == context.own) else {
            return Vec::new();
        };
        let others = lobby.members.iter().filter(|member| Some(member.seat) != context.own);
        std::iter::once(HostEntry::AddBot).chain(others.map(|member| HostEntry::Remove(member.seat))).collect()
    }

    /// To be called with every input before it is carried out: returns whom the host was asked about, if that still holds.
    /// Whoever turns away has thought better of it. A mouse that trembles has not.
    pub(super) fn hear(&mut self, input: MenuInput) -> Option<Seat> {
        let is_still = matches!(input, MenuInput::Point(..) | MenuInput::Accept | MenuInput::Tap(..));
        let asked = self.kicking.filter(|_| is_still);
        self.kicking = asked.filter(|_| matches!(input, MenuInput::Point(..)));
        asked
    }

    /// The host chooses this. A player is kicked only if asked about just before; a bot goes at once.
    pub(super) fn accept(&mut self, entry: HostEntry, asked: Option<Seat>, context: &Context) -> Option<ScreenCommand> {
        match entry {
            HostEntry::AddBot => Some(ScreenCommand::AddBot(self.skill)),
            HostEntry::Remove(seat) if is_person(context, seat) && asked != Some(seat) => {
                self.kicking = Some(seat);
                None
            }
            HostEntry::Remove(seat) => Some(ScreenCommand::Kick(seat)),
        }
    }

    /// The previous or the next value of an entry that has several.
    pub(super) fn turn(&mut self, entry: HostEntry, by: i32) {
        if entry == HostEntry::AddBot {
            self.skill = turned(&Skill::ALL, self.skill, by);
        }
    }

    /// The label says what the entry will do.
    pub(super) fn line(&self, context: &Context, entry: HostEntry) -> MenuLine {
        match entry {
            HostEntry::AddBot => {
                // Beside the skill there is little room for large letters.
                let is_large = context.settings.letters == Font::Large;
                let phrase = if is_large { Phrase::AddBotShort } else { Phrase::AddBot };
                MenuLine::turned(context.translate(phrase), context.translate(skill_phrase(self.skill)))
            }
            HostEntry::Remove(seat) => MenuLine::plain(&self.remove_label(context, seat)),
        }
    }

    fn remove_label(&self, context: &Context, seat: Seat) -> String {
        let phrase = match () {
            () if !is_person(context, seat) => Phrase::RemoveBot,
            () if self.kicking == Some(seat) => Phrase::ReallyKick,
            () => Phrase::Kick,
        };
        let name = context.lobby.map(|lobby| lobby.label(context, seat)).unwrap_or_default();
        context.translate(phrase).replace("{}", &name)
    }
}

/// What an entry does, in a line.
pub(super) fn about_host_entry(context: &Context, entry: HostEntry) -> Phrase {
    match entry {
        HostEntry::AddBot if context.device == Device::Touch => Phrase::AboutAddBotTouch,
        HostEntry::AddBot if context.state == GameState::Waiting => Phrase::AboutAddBot,
        HostEntry::AddBot => Phrase::AboutAddBotInGame,
        HostEntry::Remove(seat) if is_person(context, seat) => Phrase::AboutKick,
        HostEntry::Remove(_) => Phrase::AboutRemoveBot,
    }
}

/// A finger has no arrows: at the right of a line it changes the value.
pub(super) fn choice_of(choice: Choice, input: MenuInput, list: ListArea) -> Choice {
    let is_at_value = |x: i32| {
        let columns = (0..list.columns).map(|column| list.column(column));
        let right_part = |area: Area| area.x + area.width * (100 - VALUE_PERCENT) / 100..area.x + area.width;
        columns.map(right_part).any(|part| part.contains(&x))
    };
    match (choice, input) {
        (Choice::Accept(line), MenuInput::Tap(x, _)) if is_at_value(x) => Choice::Turn(line, 1),
        (choice, _) => choice,
    }
}

fn is_person(context: &Context, seat: Seat) -> bool {
    context.lobby.and_then(|lobby: &KnownLobby| lobby.member(seat)).is_some_and(|member| member.bot().is_none())
}

/// The host's menu over a game.
#[derive(Clone, Debug, Default)]
pub(super) struct HostMenu {
    menu: Menu,
    choices: HostChoices,
}

/// What comes of an input in the host's menu.
pub(super) enum HostMenuStep {
    Stay,
    Close,
    Do(ScreenCommand),
}

impl HostMenu {
    pub(super) fn navigate(&mut self, input: MenuInput, context: &Context) -> HostMenuStep {
        let (entries, list) = (HostChoices::entries(context), context.list(&PANEL));
        let asked = self.choices.hear(input);
        let Some(choice) = self.menu.navigate(input, entries.len() + 1, list) else { return HostMenuStep::Stay };
        let command = match choice_of(choice, input, list) {
            Choice::Back => return HostMenuStep::Close,
            Choice::Turn(line, by) => {
                entries.get(line).into_iter().for_each(|entry| self.choices.turn(*entry, by));
                None
            }
            Choice::Accept(line) => match entries.get(line) {
                Some(entry) => self.choices.accept(*entry, asked, context),
                // The last line leads back.
                None => return HostMenuStep::Close,
            },
        };
        command.map_or(HostMenuStep::Stay, HostMenuStep::Do)
    }

    pub(super) fn draw(&self, context: &Context, picture: &mut Picture) {
        let area = context.area(&PANEL);
        widgets::panel(area, context.translate(Phrase::HostMenu), picture);
        let entries = HostChoices::entries(context);
        let mut lines: Vec<MenuLine> = entries.iter().map(|entry| self.choices.line(context, *entry)).collect();
        lines.push(MenuLine::plain(context.translate(Phrase::Back)));
        self.menu.draw(&lines, context.list(&PANEL), picture);
        let below = match context.notice {
            Some(notice) => Some((notice, Colour::GOLD)),
            None => context.is_paused.then_some((Phrase::ChangesOnResume, Colour::GREY)),
        };
        if let Some((phrase, colour)) = below {
            let y = area.y + area.height - picture.letters().height() - 3;
            widgets::centred(Font::Small, y, context.translate(phrase), colour, picture);
        }
        let chosen = entries.get(self.menu.selected(lines.len()));
        about(context, chosen.map_or(Phrase::AboutBack, |entry| about_host_entry(context, *entry)), picture);
    }
}
