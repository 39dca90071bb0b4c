//! A new lobby: its stage and rules.

use ::game::{RuleSet, Rules, tuning};

use super::{
    Context, Lobbies, Order, Screen, hints,
    lobbies::stage_name,
    menu::{Choice, Line, Menu, turned},
};
use crate::{
    draw::{
        Picture,
        widgets::{self, Area},
    },
    input::Step,
    language::Word,
};

/// A lobby to be.
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
    [Area { x: 120, y: 60, width: 240, height: 130 }, Area { x: 14, y: 8, width: 452, height: 234 }];

const LINES: [Word; 7] =
    [Word::Stage, Word::RuleSet, Word::FriendlyFire, Word::Lives, Word::Private, Word::CreateNow, Word::Back];

impl Create {
    pub(super) fn step(&mut self, step: Step, context: &Context) -> Option<Order> {
        let (line, by) = match self.menu.step(step, LINES.len(), context.list(&PANEL))? {
            Choice::Back => return Some(Order::Go(Screen::Lobbies(Lobbies::default()))),
            Choice::Accept(line) => (LINES[line], 1),
            Choice::Turn(line, by) => (LINES[line], by),
        };
        match line {
            Word::Back => return Some(Order::Go(Screen::Lobbies(Lobbies::default()))),
            Word::CreateNow => {
                return Some(Order::Create {
                    stage: self.stage().into(),
                    rules: self.rules,
                    is_private: self.is_private,
                });
            }
            _ => self.change(line, by),
        }
        None
    }

    pub(super) fn draw(&self, context: &Context, picture: &mut Picture) {
        widgets::panel(context.area(&PANEL), context.say(Word::Create), picture);
        let lines: Vec<Line> =
            LINES.iter().map(|&word| Line::new(context.say(word), self.value(context, word))).collect();
        self.menu.draw(&lines, context.list(&PANEL), picture);
        hints(context, picture);
    }

    fn stage(&self) -> &'static str {
        ::game::stage::BUILT_IN[self.stage % ::game::stage::BUILT_IN.len()].0
    }

    fn change(&mut self, line: Word, by: i32) {
        let stages = ::game::stage::BUILT_IN.len() as i32;
        match line {
            Word::Stage => self.stage = (self.stage as i32 + by).rem_euclid(stages) as usize,
            Word::RuleSet => self.rules.set = turned(&[RuleSet::Coop, RuleSet::Arcade], self.rules.set, by),
            Word::FriendlyFire => self.rules.friendly_fire = !self.rules.friendly_fire,
            Word::Lives => {
                let most = i32::from(tuning::LIVES_MAX);
                self.rules.lives = ((i32::from(self.rules.lives) - 1 + by).rem_euclid(most) + 1) as u8;
            }
            Word::Private => self.is_private = !self.is_private,
            _ => {}
        }
    }

    fn value(&self, context: &Context, line: Word) -> String {
        match line {
            Word::Stage => stage_name(context, self.stage()),
            Word::RuleSet => context.say(rule_set(self.rules.set)).into(),
            Word::FriendlyFire => context.yes(self.rules.friendly_fire).into(),
            Word::Lives => self.rules.lives.to_string(),
            Word::Private => context.yes(self.is_private).into(),
            _ => String::new(),
        }
    }
}

fn rule_set(set: RuleSet) -> Word {
    match set {
        RuleSet::Coop => Word::Coop,
        RuleSet::Arcade => Word::Arcade,
    }
}
