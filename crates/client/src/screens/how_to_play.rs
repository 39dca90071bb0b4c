//! How to play: what is pressed on the device in use, what the game is about, and what the letters of the items mean. Large letters
//! need several pages.

use super::Context;
use crate::{
    draw::{
        Area, Colour, Font, Picture,
        controls::{Control, Hint},
        widgets,
    },
    input::{Action, Device, MenuInput},
    language::Phrase,
    lessons::Lesson,
};

/// With small letters and with large ones.
const PANEL: [Area; 2] = [Area { x: 80, y: 8, width: 320, height: 240 }, Area { x: 14, y: 4, width: 452, height: 246 }];
/// Between the edge of the panel and what is in it.
const MARGIN: i32 = 16;

/// How to play, open at one of its pages.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct HowToPlay {
    page: usize,
}

/// Something of a page.
#[derive(Clone, Copy, Debug)]
enum Part {
    /// What is pressed, and what that does.
    Pressed(Lesson),
    Rule(Phrase),
    /// Two items, side by side.
    Items([Item; 2]),
}

/// What flies about to be taken.
#[derive(Clone, Copy, Debug)]
struct Item {
    /// What is written on it.
    letter: &'static str,
    colour: u8,
    gives: Phrase,
}

impl Item {
    const fn new(letter: &'static str, colour: u8, gives: Phrase) -> Item {
        Item { letter, colour, gives }
    }
}

/// As they are drawn in `art`.
const ITEMS: [[Item; 2]; 3] = [
    [Item::new("R", b'c', Phrase::ItemRed), Item::new("S", b'W', Phrase::SpeedUps)],
    [Item::new("B", b'P', Phrase::ItemBlue), Item::new("M", b'S', Phrase::Missiles)],
    [Item::new("Y", b'k', Phrase::ItemYellow), Item::new("O", b'J', Phrase::Bits)],
];

impl HowToPlay {
    /// Turns the pages. Whether it stays open: after the last page it does not.
    pub(super) fn navigate(&mut self, input: MenuInput, context: &Context) -> bool {
        let last = pages(context).len().saturating_sub(1);
        match input {
            MenuInput::Back => return false,
            MenuInput::Accept | MenuInput::Tap(..) if self.page >= last => return false,
            MenuInput::Accept | MenuInput::Tap(..) | MenuInput::Right | MenuInput::Down => {
                self.page = (self.page + 1).min(last);
            }
            MenuInput::Left | MenuInput::Up => self.page = self.page.saturating_sub(1),
            MenuInput::Point(..) => {}
        }
        true
    }

    /// The page that is shown after such a part of a time, in which all of them are.
    pub(super) fn at(ticks: u32, of: u32, context: &Context) -> HowToPlay {
        let count = pages(context).len() as u32;
        HowToPlay { page: (ticks * count / of.max(1)) as usize }
    }

    pub(super) fn draw(self, context: &Context, picture: &mut Picture) {
        let (area, pages) = (context.area(&PANEL), pages(context));
        let title = context.translate(Phrase::HowToPlay);
        let number = self.page.min(pages.len().saturating_sub(1));
        let numbered = format!("{title}  {}/{}", number + 1, pages.len());
        widgets::opaque_panel(area, if pages.len() > 1 { &numbered } else { title }, picture);
        let mut y = area.y + top(context.settings.letters);
        for part in pages.get(number).into_iter().flatten() {
            y += part.draw(y, context, picture);
        }
    }
}

/// Where a page begins, below the top of the panel.
const fn top(letters: Font) -> i32 {
    widgets::title_height(letters) + 8
}

/// As many pages as are needed for all of it.
fn pages(context: &Context) -> Vec<Vec<Part>> {
    let gestures = if context.device == Device::Keyboard { Phrase::RuleGestures } else { Phrase::RuleGesturesInMenu };
    let rules = [Phrase::RuleTerrain, Phrase::RuleForce, Phrase::RuleItems, Phrase::RuleChain, gestures];
    let room = context.area(&PANEL).height - top(context.settings.letters) - 2;
    let all = Lesson::PRESSED.into_iter().map(Part::Pressed);
    let all = all.chain(rules.into_iter().map(Part::Rule)).chain(ITEMS.into_iter().map(Part::Items));
    let (mut pages, mut used) = (vec![Vec::new()], 0);
    for part in all {
        let height = part.height(context);
        if used + height > room {
            pages.push(Vec::new());
            used = 0;
        }
        used += height;
        pages.last_mut().into_iter().for_each(|page: &mut Vec<Part>| page.push(part));
    }
    pages
}

impl Part {
    /// With the gap below it.
    fn height(self, context: &Context) -> i32 {
        let letters = context.settings.letters;
        match self {
            Part::Pressed(lesson) => context.hint(lesson).size(letters).1 + 5,
            Part::Rule(phrase) => widgets::paragraph_height(letters, context.translate(phrase), width(context)) + 2,
            Part::Items(_) => letters.height() + 8,
        }
    }

    fn draw(self, y: i32, context: &Context, picture: &mut Picture) -> i32 {
        let (area, height) = (context.area(&PANEL), self.height(context));
        let x = area.x + MARGIN;
        match self {
            Part::Pressed(lesson) => context.hint(lesson).draw(x, y, context.tick, picture),
            Part::Rule(phrase) => {
                let rest = Area { x, y, width: width(context), height };
                widgets::paragraph(rest, context.translate(phrase), Colour::GREY, picture);
            }
            Part::Items(items) => {
                for (column, item) in (0..).zip(items) {
                    item.draw((x + column * area.width / 2, y), context, picture);
                }
            }
        }
        height
    }
}

impl Item {
    fn draw(self, (x, y): (i32, i32), context: &Context, picture: &mut Picture) {
        let letters = picture.letters();
        let side = letters.height() + 6;
        let colour = Colour::of(self.colour);
        picture.rect(Area::new(x, y, side, side), colour.darker());
        picture.outline(Area::new(x, y, side, side), colour.lighter());
        let left = x + (side - letters.width(self.letter)) / 2;
        picture.text_edged(letters, (left, y + 3), self.letter, Colour::PALE);
        picture.text_in(letters, (x + side + 6, y + 3), context.translate(self.gives), Colour::PALE);
    }
}

/// How wide a rule is.
fn width(context: &Context) -> i32 {
    context.area(&PANEL).width - MARGIN - 8
}

impl<'a> Context<'a> {
    /// What plays again after a lost game: what fires.
    pub fn retry_hint(&self) -> Hint<'a> {
        Hint { control: control(self, Lesson::Fire), words: self.translate(Phrase::Retry), is_held: false }
    }

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

fn control<'a>(context: &Context<'a>, lesson: Lesson) -> Control<'a> {
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
fn key_name<'a>(context: &Context<'a>, action: Action) -> &'a str {
    let keys = context.settings.bindings.keys(action);
    let key = keys.iter().find(|key| !key.depends_on_layout()).or(keys.first());
    key.map_or("?", |key| context.key_name(*key))
}
