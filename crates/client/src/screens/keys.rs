//! The key bindings: choose an action, then press the key for it.

use super::{
    Context, Options, Screen, ScreenCommand, about, hints,
    menu::{Choice, Menu, MenuLine},
};
use crate::{
    Key,
    draw::{Area, Picture, widgets},
    input::{Action, Bindings, MenuInput},
    language::Phrase,
};

/// The key bindings.
#[derive(Clone, Debug, Default)]
pub struct Keys {
    menu: Menu,
    /// The action to which the next key is bound.
    listening: Option<Action>,
}

/// With small letters and with large ones.
const PANEL: [Area; 2] =
    [Area { x: 90, y: 18, width: 300, height: 216 }, Area { x: 14, y: 6, width: 452, height: 212 }];

impl Keys {
    /// Whether the next key is bound to an action.
    pub fn is_listening(&self) -> bool {
        self.listening.is_some()
    }

    pub(super) fn key(&mut self, key: Key, context: &Context) -> Option<ScreenCommand> {
        let action = self.listening.take()?;
        let mut settings = context.settings.clone();
        settings.bindings.bind(action, key);
        Some(ScreenCommand::ChangeSettings(Box::new(settings)))
    }

    pub(super) fn navigate(&mut self, input: MenuInput, context: &Context) -> Option<ScreenCommand> {
        self.listening = None;
        let actions = actions(context);
        match self.menu.navigate(input, actions.len() + 2, context.list(&PANEL))? {
            Choice::Back => Some(ScreenCommand::Show(Screen::Options(Options::default()))),
            Choice::Turn(..) => None,
            Choice::Accept(line) if line < actions.len() => {
                self.listening = Some(actions[line]);
                None
            }
            Choice::Accept(line) if line == actions.len() => {
                let settings = crate::settings::Settings { bindings: Bindings::default(), ..context.settings.clone() };
                Some(ScreenCommand::ChangeSettings(Box::new(settings)))
            }
            Choice::Accept(_) => Some(ScreenCommand::Show(Screen::Options(Options::default()))),
        }
    }

    pub(super) fn draw(&self, context: &Context, picture: &mut Picture) {
        widgets::panel(context.area(&PANEL), context.translate(Phrase::Keys), picture);
        let line = |&action: &Action| {
            let is_listening = self.listening == Some(action);
            let keys =
                if is_listening { context.translate(Phrase::PressAKey).into() } else { key_names(context, action) };
            MenuLine::new(context.translate(phrase(action)), keys)
        };
        let mut lines: Vec<MenuLine> = actions(context).iter().map(line).collect();
        lines.push(MenuLine::plain(context.translate(Phrase::ResetKeys)));
        lines.push(MenuLine::plain(context.translate(Phrase::Back)));
        self.menu.draw(&lines, context.list(&PANEL), picture);
        let line = self.menu.selected(lines.len());
        if self.is_listening() {
            // No key confirms or leads back now: any is bound.
            return widgets::foot_line(context.translate(Phrase::PressNewKey), picture);
        }
        about(context, about_phrase(line, lines.len()), picture);
        hints(context, picture);
    }
}

/// What the chosen line does: after the actions come the defaults and the way back.
fn about_phrase(line: usize, lines: usize) -> Phrase {
    match lines - line {
        1 => Phrase::AboutBack,
        2 => Phrase::AboutResetKeys,
        _ => Phrase::AboutKey,
    }
}

/// The actions whose keys can be chosen: a player on a server of their own has nobody to talk to, and no network.
fn actions(context: &Context) -> Vec<Action> {
    let is_of_use = |action: &Action| !context.is_solo || !matches!(action, Action::Chat | Action::Graph);
    Action::ALL.iter().copied().filter(is_of_use).collect()
}

/// The keys of an action, in the shortest form that a player understands.
fn key_names(context: &Context, action: Action) -> String {
    let names = context.settings.bindings.keys(action).iter().map(|key| context.key_name(*key));
    names.collect::<Vec<&str>>().join(" ")
}

fn phrase(action: Action) -> Phrase {
    match action {
        Action::Left => Phrase::KeyLeft,
        Action::Right => Phrase::KeyRight,
        Action::Up => Phrase::KeyUp,
        Action::Down => Phrase::KeyDown,
        Action::Fire => Phrase::KeyFire,
        Action::Force => Phrase::KeyForce,
        Action::Pause => Phrase::KeyPause,
        Action::Graph => Phrase::KeyGraph,
        Action::Chat => Phrase::KeyChat,
        Action::FullScreen => Phrase::FullScreen,
        Action::Scoreboard => Phrase::KeyScoreboard,
    }
}
