//! How to play, on one page: what is pressed on the device in use, and what the game is about.

use super::Context;
use crate::{
    draw::{
        Area, Colour, Font, Picture,
        controls::{Control, Hint},
        widgets,
    },
    input::{Action, Device},
    language::Phrase,
    lessons::Lesson,
};

/// With small letters and with large ones.
const PANEL: [Area; 2] =
    [Area { x: 80, y: 26, width: 320, height: 214 }, Area { x: 14, y: 8, width: 452, height: 250 }];

pub(super) fn draw(context: &Context, picture: &mut Picture) {
    let area = context.area(&PANEL);
    widgets::panel(area, context.translate(Phrase::HowToPlay), picture);
    let mut y = area.y + widgets::title_height(context.settings.letters) + 10;
    for lesson in Lesson::PRESSED {
        let hint = context.hint(lesson);
        hint.draw(area.x + 16, y, context.tick, picture);
        y += hint.size(picture.letters()).1 + 7;
    }
    let gestures = if context.device == Device::Keyboard { Phrase::RuleGestures } else { Phrase::RuleGesturesInMenu };
    let rules = [Phrase::RuleTerrain, Phrase::RuleForce, Phrase::RuleItems, Phrase::RuleChain, gestures];
    // Large letters need two lines for each, which leaves room for the first ones only.
    let count = if context.settings.letters == Font::Large { 2 } else { rules.len() };
    for phrase in &rules[..count] {
        let rest = Area { x: area.x + 16, y, width: area.width - 24, height: area.y + area.height - y };
        y += widgets::paragraph(rest, context.translate(*phrase), Colour::GREY, picture) + 2;
    }
}

impl<'a> Context<'a> {
    /// What is pressed for that on the device in use, and what it does.
    pub fn hint(&self, lesson: Lesson) -> Hint<'a> {
        let (phrase, is_held) = match lesson {
            Lesson::Fly => (Phrase::LessonFly, false),
            Lesson::Fire => (Phrase::LessonFire, false),
            Lesson::Charge => (Phrase::LessonCharge, true),
            Lesson::Force => (Phrase::LessonForce, false),
            Lesson::Take => (Phrase::LessonTake, false),
            Lesson::Dock => (Phrase::LessonDock, false),
        };
        Hint { control: control(self, lesson), words: self.translate(phrase), is_held }
    }
}

fn control<'a>(context: &Context, lesson: Lesson) -> Control<'a> {
    // In one-button mode one button does it all.
    let is_force = matches!(lesson, Lesson::Force | Lesson::Dock) && !context.settings.one_button;
    match (context.device, lesson) {
        (Device::Keyboard, Lesson::Fly) => {
            let ways = [Action::Left, Action::Right, Action::Up, Action::Down];
            Control::Cross(ways.map(|action| key_name(context, action)))
        }
        (Device::Keyboard, _) if is_force => Control::Key(key_name(context, Action::Force)),
        (Device::Keyboard, _) => Control::Key(key_name(context, Action::Fire)),
        (Device::Pad, Lesson::Fly) => Control::Stick,
        (Device::Pad, _) if is_force => Control::RightButton,
        (Device::Pad, _) => Control::LowerButton,
        (Device::Touch, Lesson::Fly) => Control::Thumb,
        (Device::Touch, _) if is_force => Control::Button(Colour::GOLD),
        (Device::Touch, _) => Control::Button(Colour::RED),
    }
}

/// The key to show for an action: one that is the same on every keyboard, if there is one, otherwise the first.
fn key_name(context: &Context, action: Action) -> &'static str {
    let keys = context.settings.bindings.keys(action);
    let key = keys.iter().find(|key| !key.depends_on_layout()).or(keys.first());
    key.map_or("?", |key| context.settings.language.key_name(*key))
}
