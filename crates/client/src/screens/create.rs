//! A new lobby: its stage and rules.

use ::game::{Difficulty, RuleSet, Rules, tuning};

use super::{
    Context, Lobbies, Screen, ScreenCommand, about, hints,
    lobbies::{STAGE_ROOM, titled_stage_name},
    menu::{Choice, Menu, MenuLine, menu_entries, turned},
    scores::difficulty_phrase,
};
use crate::{
    connection::LobbyAccess,
    draw::{Area, Picture, widgets},
    input::MenuInput,
    language::Phrase,
};

/// The stage and rules of a lobby to be created.
#[derive(Clone, Debug, Default)]
pub struct Create {
    menu: Menu,
    /// Index of the stage.
    stage: usize,
    rules: Rules,
    is_private: bool,
}

/// With small letters and with large ones.
const PANEL: [Area; 2] =
    [Area { x: 110, y: 54, width: 260, height: 144 }, Area { x: 14, y: 6, width: 452, height: 212 }];

/// For a dialect in which only the stage can be chosen.
const SMALL_PANEL: [Area; 2] =
    [Area { x: 110, y: 88, width: 260, height: 74 }, Area { x: 34, y: 70, width: 412, height: 118 }];

menu_entries! {
    /// What can be chosen.
    Entry {
        Stage = Stage, AboutStage;
        Difficulty = Difficulty, AboutDifficulty;
        Respawn = Respawn, AboutRespawn;
        FriendlyFire = FriendlyFire, AboutFriendlyFire;
        Lives = Lives, AboutLives;
        Visibility = Visibility, AboutVisibility;
        Create = CreateNow, AboutCreate;
        Back = Back, AboutBack;
    }
}

impl Entry {
    /// The least that the player must be able to do about lobbies.
    fn needs(self) -> LobbyAccess {
        match self {
            Entry::Difficulty | Entry::Respawn | Entry::FriendlyFire | Entry::Lives | Entry::Visibility => {
                LobbyAccess::Listed
            }
            Entry::Stage | Entry::Create | Entry::Back => LobbyAccess::ByCode,
        }
    }
}

impl Create {
    pub(super) fn navigate(&mut self, input: MenuInput, context: &Context) -> Option<ScreenCommand> {
        let entries = entries(context);
        let entry = match self.menu.navigate(input, entries.len(), context.list(&panel(context)))? {
            Choice::Back => return Some(ScreenCommand::Show(previous(context))),
            Choice::Accept(line) => (entries[line], 1),
            Choice::Turn(line, by) => (entries[line], by),
        };
        match entry {
            (Entry::Back, _) => Some(ScreenCommand::Show(previous(context))),
            (entry, by) => self.choose(entry, by),
        }
    }

    pub(super) fn draw(&self, context: &Context, picture: &mut Picture) {
        widgets::panel(context.area(&panel(context)), context.translate(Phrase::CreateLobby), picture);
        let line = |entry: &Entry| MenuLine::turned(context.translate(entry.phrase()), self.value(context, *entry));
        let entries = entries(context);
        let lines: Vec<MenuLine> = entries.iter().map(line).collect();
        self.menu.draw(&lines, context.list(&panel(context)), picture);
        about(context, entries[self.menu.selected(entries.len())].about(), picture);
        hints(context, picture);
    }

    fn stage(&self) -> &'static str {
        ::game::stage::BUILT_IN[self.stage % ::game::stage::BUILT_IN.len()].0
    }

    fn choose(&mut self, entry: Entry, by: i32) -> Option<ScreenCommand> {
        let stages = ::game::stage::BUILT_IN.len() as i32;
        match entry {
            Entry::Stage => self.stage = (self.stage as i32 + by).rem_euclid(stages) as usize,
            Entry::Difficulty => {
                let difficulty = turned(&Difficulty::ALL, self.rules.difficulty, by);
                self.rules = Rules { difficulty, lives: Rules::of(difficulty).lives, ..self.rules };
            }
            Entry::Respawn => self.rules.set = turned(&[RuleSet::Coop, RuleSet::Arcade], self.rules.set, by),
            Entry::FriendlyFire => self.rules.friendly_fire = !self.rules.friendly_fire,
            Entry::Lives => {
                let most = i32::from(tuning::LIVES_MAX);
                self.rules.lives = ((i32::from(self.rules.lives) - 1 + by).rem_euclid(most) + 1) as u8;
            }
            Entry::Visibility => self.is_private = !self.is_private,
            Entry::Create => {
                let (stage, rules, is_private) = (self.stage().into(), self.rules, self.is_private);
                return Some(ScreenCommand::Create { stage, rules, is_private });
            }
            Entry::Back => {}
        }
        None
    }

    fn value(&self, context: &Context, entry: Entry) -> String {
        match entry {
            Entry::Stage => titled_stage_name(context, self.stage(), STAGE_ROOM),
            Entry::Difficulty => context.translate(difficulty_phrase(self.rules.difficulty)).into(),
            Entry::Respawn => context.translate(respawn_phrase(self.rules.set)).into(),
            Entry::FriendlyFire => context.on_or_off(self.rules.friendly_fire).into(),
            Entry::Lives => self.rules.lives.to_string(),
            Entry::Visibility if self.is_private => context.translate(Phrase::Private).into(),
            Entry::Visibility => context.translate(Phrase::Public).into(),
            Entry::Create | Entry::Back => String::new(),
        }
    }
}

/// What can be chosen: rules only in a dialect that can tell them.
fn entries(context: &Context) -> Vec<Entry> {
    Entry::ALL.iter().copied().filter(|entry| context.lobby_access >= entry.needs()).collect()
}

/// Where it is drawn: lower with fewer entries.
fn panel(context: &Context) -> [Area; 2] {
    if context.lobby_access == LobbyAccess::Listed { PANEL } else { SMALL_PANEL }
}

/// The screen that led here.
fn previous(context: &Context) -> Screen {
    if context.lobby_access == LobbyAccess::Listed { Screen::Lobbies(Lobbies::default()) } else { Screen::title() }
}

/// Where a lost ship comes back is what a player notices of a set of rules.
fn respawn_phrase(set: RuleSet) -> Phrase {
    match set {
        RuleSet::Coop => Phrase::RespawnInPlace,
        RuleSet::Arcade => Phrase::RespawnAtCheckpoint,
    }
}
