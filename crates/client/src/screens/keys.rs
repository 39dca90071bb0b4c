//! Which key does what: choose a line, then press the key.

use super::{
    Context, Options, Order, Screen, hints,
    menu::{Choice, Line, Menu},
};
use crate::{
    Key,
    draw::{
        Picture,
        widgets::{self, Area},
    },
    input::{Bindings, Command, Step},
    language::Word,
};

/// Which key does what.
#[derive(Clone, Debug, Default)]
pub struct Keys {
    menu: Menu,
    /// The command whose next key is awaited.
    listening: Option<Command>,
}

/// With small letters and with large ones.
const PANEL: [Area; 2] =
    [Area { x: 90, y: 22, width: 300, height: 206 }, Area { x: 14, y: 8, width: 452, height: 234 }];

impl Keys {
    /// Whether the next key is to be bound.
    pub fn is_listening(&self) -> bool {
        self.listening.is_some()
    }

    pub(super) fn key(&mut self, key: Key, context: &Context) -> Option<Order> {
        let command = self.listening.take()?;
        let mut settings = context.settings.clone();
        settings.bindings.bind(command, key);
        Some(Order::Change(Box::new(settings)))
    }

    pub(super) fn step(&mut self, step: Step, context: &Context) -> Option<Order> {
        self.listening = None;
        match self.menu.step(step, Command::ALL.len() + 2, context.list(&PANEL))? {
            Choice::Back => Some(Order::Go(Screen::Options(Options::default()))),
            Choice::Turn(..) => None,
            Choice::Accept(line) if line < Command::ALL.len() => {
                self.listening = Some(Command::ALL[line]);
                None
            }
            Choice::Accept(line) if line == Command::ALL.len() => {
                let settings = crate::settings::Settings { bindings: Bindings::default(), ..context.settings.clone() };
                Some(Order::Change(Box::new(settings)))
            }
            Choice::Accept(_) => Some(Order::Go(Screen::Options(Options::default()))),
        }
    }

    pub(super) fn draw(&self, context: &Context, picture: &mut Picture) {
        widgets::panel(context.area(&PANEL), context.say(Word::Keys), picture);
        let line = |&command: &Command| {
            let is_awaited = self.listening == Some(command);
            let keys = if is_awaited { context.say(Word::PressAKey).into() } else { shown(context, command) };
            Line::new(context.say(word(command)), keys)
        };
        let mut lines: Vec<Line> = Command::ALL.iter().map(line).collect();
        lines.push(Line::plain(context.say(Word::AsBefore)));
        lines.push(Line::plain(context.say(Word::Back)));
        self.menu.draw(&lines, context.list(&PANEL), picture);
        hints(context, picture);
    }
}

/// The keys of a command, without what every code begins with.
fn shown(context: &Context, command: Command) -> String {
    let names = context.settings.bindings.keys(command).iter().map(|key| {
        let code = key.code();
        match *key {
            Key::ARROW_LEFT => "←",
            Key::ARROW_RIGHT => "→",
            Key::ARROW_UP => "↑",
            Key::ARROW_DOWN => "↓",
            _ => code.strip_prefix("Key").or_else(|| code.strip_prefix("Digit")).unwrap_or(code),
        }
    });
    names.collect::<Vec<&str>>().join(" ")
}

fn word(command: Command) -> Word {
    match command {
        Command::Left => Word::KeyLeft,
        Command::Right => Word::KeyRight,
        Command::Up => Word::KeyUp,
        Command::Down => Word::KeyDown,
        Command::Fire => Word::KeyFire,
        Command::Force => Word::KeyForce,
        Command::Pause => Word::KeyPause,
        Command::Graph => Word::KeyGraph,
        Command::Chat => Word::KeyChat,
        Command::FullScreen => Word::KeyFullScreen,
    }
}
