//! The first screen: what to do, and who is playing.

use super::{
    Context, Create, Lobbies, Options, Order, Screen, Write, hints,
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

/// The first screen.
#[derive(Clone, Debug, Default)]
pub struct Title {
    menu: Menu,
}

/// With small letters and with large ones.
const PANEL: [Area; 2] =
    [Area { x: 140, y: 108, width: 200, height: 132 }, Area { x: 60, y: 84, width: 360, height: 158 }];

/// What can be chosen; lobbies only where there are any.
const LINES: [Word; 7] =
    [Word::Play, Word::Lobbies, Word::Create, Word::EnterCode, Word::Name, Word::Options, Word::Scores];

impl Title {
    pub(super) fn step(&mut self, step: Step, context: &Context) -> Option<Order> {
        let words = words(context);
        let Choice::Accept(line) = self.menu.step(step, words.len(), context.list(&PANEL))? else { return None };
        Some(match words[line] {
            Word::Lobbies => Order::Go(Screen::Lobbies(Lobbies::default())),
            Word::Create => Order::Go(Screen::Create(Create::default())),
            Word::EnterCode => Order::Go(Write::code()),
            Word::Name => Order::Go(Write::name(context.settings)),
            Word::Options => Order::Go(Screen::Options(Options::default())),
            Word::Scores => Order::Scores,
            _ => Order::Quick,
        })
    }

    pub(super) fn draw(&self, context: &Context, picture: &mut Picture) {
        picture.clear(Colour::VOID);
        widgets::logo(if context.settings.letters == Font::Large { 12 } else { 30 }, picture);
        widgets::panel(context.area(&PANEL), "", picture);
        let line = |word: &Word| match word {
            Word::Name if context.settings.name.is_empty() => Line::new(context.say(*word), "-"),
            Word::Name => Line::new(context.say(*word), context.settings.name.clone()),
            _ => Line::plain(context.say(*word)),
        };
        let lines: Vec<Line> = words(context).iter().map(line).collect();
        self.menu.draw(&lines, context.list(&PANEL), picture);
        let (word, colour) = match context.notice {
            Some(notice) => (notice, Colour::RED),
            None => (context.connection, Colour::GREY),
        };
        widgets::centred(Font::Small, 96, context.say(word), colour, picture);
        hints(context, picture);
    }
}

fn words(context: &Context) -> Vec<Word> {
    let needs_lobbies = |word: &Word| matches!(word, Word::Lobbies | Word::Create | Word::EnterCode);
    LINES.into_iter().filter(|word| context.has_lobbies || !needs_lobbies(word)).collect()
}
