//! The screens: each is a small machine that is stepped through by keys, pad or fingers, gives out an [`Order`], and
//! draws itself. None of them knows the network: what they show is in the [`Context`], what they want is an order.

mod create;
mod entry;
mod game;
mod keys;
mod lobbies;
mod menu;
mod options;
mod title;
mod write;

use ::game::{GameState, Rules, Seat};
use protocol::{LobbyDetails, LobbyId, LobbySummary};

pub use self::{
    create::Create, entry::Entry, game::Game, keys::Keys, lobbies::Lobbies, options::Options, title::Title,
    write::Write,
};
use crate::{
    Key, Score,
    draw::{Font, Picture, widgets},
    input::Step,
    language::Word,
    settings::Settings,
};

/// Where the player is.
#[derive(Clone, Debug)]
pub enum Screen {
    /// The first one.
    Title(Title),
    /// What the player may choose.
    Options(Options),
    /// Which key does what.
    Keys(Keys),
    /// The open lobbies.
    Lobbies(Lobbies),
    /// A new lobby.
    Create(Create),
    /// A name or a code is being written.
    Write(Write),
    /// The table of high scores.
    Scores,
    /// In a lobby: waiting, playing or watching.
    Game(Game),
}

/// What a screen may show.
#[derive(Clone, Copy, Debug)]
pub struct Context<'a> {
    /// What the player chose.
    pub settings: &'a Settings,
    /// A clock for animations, 60 a second.
    pub tick: u32,
    /// Whether there are lobbies to ask for.
    pub has_lobbies: bool,
    /// How the connection stands.
    pub connection: Word,
    /// What the player should know, for a while.
    pub notice: Option<Word>,
    /// The open lobbies, as far as known.
    pub lobbies: &'a [LobbySummary],
    /// The lobby that the player is in.
    pub room: Option<&'a LobbyDetails>,
    /// The own seat, unless the player only watches.
    pub own: Option<Seat>,
    /// The table of high scores.
    pub scores: &'a [Score],
    /// The state of the game.
    pub state: GameState,
    /// The score of the game, if it is known.
    pub score: Option<u32>,
    /// Whether the own ship is lost.
    pub is_lost: bool,
    /// Lives left, if that is known.
    pub lives: Option<u8>,
    /// Whether the game stands still.
    pub is_still: bool,
}

/// What a screen wants done.
#[derive(Clone, Debug)]
pub enum Order {
    /// Show another screen.
    Go(Screen),
    /// The player chose something.
    Change(Box<Settings>),
    /// A seat anywhere, and a game at once.
    Quick,
    /// Which lobbies are there?
    List,
    /// A new lobby.
    Create {
        /// The name of its stage.
        stage: String,
        /// Its rules.
        rules: Rules,
        /// Whether it is listed.
        is_private: bool,
    },
    /// A seat there.
    Join(LobbyId),
    /// To watch there.
    Watch(LobbyId),
    /// Something to say.
    Say(String),
    /// Ready, or not.
    Ready(bool),
    /// Start the game.
    Start,
    /// Out of the lobby.
    Leave,
    /// Share the lobby's code.
    Share,
    /// Full screen, or back.
    FullScreen,
    /// The table of high scores.
    Scores,
}

impl Screen {
    /// The player takes a step.
    pub fn step(&mut self, step: Step, context: &Context) -> Option<Order> {
        match self {
            Screen::Title(title) => title.step(step, context),
            Screen::Options(options) => options.step(step, context),
            Screen::Keys(keys) => keys.step(step, context),
            Screen::Lobbies(lobbies) => lobbies.step(step, context),
            Screen::Create(create) => create.step(step, context),
            Screen::Write(write) => write.step(step),
            Screen::Scores => {
                matches!(step, Step::Accept | Step::Back | Step::Tap(..)).then(|| Order::Go(Screen::title()))
            }
            Screen::Game(game) => game.step(step, context),
        }
    }

    /// The step that a tap makes: the hints at the foot stand for their keys.
    pub fn tapped(&self, x: i32, y: i32, context: &Context) -> Step {
        let has_hints = !matches!(self, Screen::Game(_));
        match widgets::hint_at(&hint_texts(context), context.settings.letters, x, y) {
            Some(1) if has_hints => Step::Accept,
            Some(2) if has_hints => Step::Back,
            _ => Step::Tap(x, y),
        }
    }

    /// A key went down. Some screens want the key itself; the others are stepped.
    pub fn key(&mut self, key: Key, context: &Context) -> Option<Order> {
        match self {
            Screen::Keys(keys) if keys.is_listening() => keys.key(key, context),
            Screen::Write(write) if !matches!(key, Key::ENTER | Key::ESCAPE | Key::NUMPAD_ENTER) => {
                write.key(key);
                None
            }
            Screen::Game(game) if game.is_writing() && !matches!(key, Key::ENTER | Key::ESCAPE | Key::NUMPAD_ENTER) => {
                game.key(key);
                None
            }
            _ => self.step(step_of(key)?, context),
        }
    }

    /// A character was typed.
    pub fn text(&mut self, character: char) {
        match self {
            Screen::Write(write) => write.text(character),
            Screen::Game(game) => game.text(character),
            _ => {}
        }
    }

    /// Whether a line of text is being written.
    pub fn is_writing(&self) -> bool {
        match self {
            Screen::Write(_) => true,
            Screen::Game(game) => game.is_writing(),
            _ => false,
        }
    }

    /// Draws it, over the game if there is one.
    pub fn draw(&self, context: &Context, picture: &mut Picture) {
        match self {
            Screen::Title(title) => title.draw(context, picture),
            Screen::Options(options) => options.draw(context, picture),
            Screen::Keys(keys) => keys.draw(context, picture),
            Screen::Lobbies(lobbies) => lobbies.draw(context, picture),
            Screen::Create(create) => create.draw(context, picture),
            Screen::Write(write) => write.draw(context, picture),
            Screen::Scores => {
                scores(context, picture);
                hints(context, picture);
            }
            Screen::Game(game) => game.draw(context, picture),
        }
    }

    /// The first screen.
    pub fn title() -> Screen {
        Screen::Title(Title::default())
    }
}

impl Context<'_> {
    /// A word in the player's language.
    pub fn say(&self, word: Word) -> &'static str {
        self.settings.language.say(word)
    }

    /// Which of two areas is for the letters that the player reads.
    fn area(&self, areas: &[widgets::Area; 2]) -> widgets::Area {
        areas[usize::from(self.settings.letters == Font::Large)]
    }

    /// The list in it.
    fn list(&self, areas: &[widgets::Area; 2]) -> menu::Place {
        menu::inside(self.area(areas), self.settings.letters)
    }

    /// Yes or no.
    pub fn yes(&self, is: bool) -> &'static str {
        self.say(if is { Word::Yes } else { Word::No })
    }
}

/// The step that a key makes, whatever the player bound it to: a menu can always be left.
fn step_of(key: Key) -> Option<Step> {
    Some(match key {
        Key::ARROW_UP | Key::W => Step::Up,
        Key::ARROW_DOWN | Key::S | Key::TAB => Step::Down,
        Key::ARROW_LEFT | Key::A => Step::Left,
        Key::ARROW_RIGHT | Key::D => Step::Right,
        Key::ENTER | Key::NUMPAD_ENTER | Key::SPACE | Key::Z | Key::J => Step::Accept,
        Key::ESCAPE | Key::BACKSPACE | Key::X | Key::K => Step::Back,
        _ => return None,
    })
}

/// The table of high scores.
fn scores(context: &Context, picture: &mut Picture) {
    let area = context.area(&[widgets::Area::centred(320, 190), widgets::Area::centred(452, 234)]);
    widgets::panel(area, context.say(Word::Scores), picture);
    score_lines(context, menu::inside(area, context.settings.letters).area, picture);
}

fn score_lines(context: &Context, area: widgets::Area, picture: &mut Picture) {
    if context.scores.is_empty() {
        let none = context.say(Word::NoScores);
        picture.text_in(picture.letters(), area.x + 8, area.y + 8, none, crate::draw::Colour::GREY);
        return;
    }
    let stages: Vec<String> = context.scores.iter().map(|score| lobbies::stage_name(context, &score.stage)).collect();
    let mut lines: Vec<widgets::ScoreLine> = Vec::new();
    for (Score { name, points, .. }, note) in context.scores.iter().zip(&stages) {
        let is_own = *name == context.settings.name;
        lines.push(widgets::ScoreLine { name, score: *points, note, is_own });
    }
    widgets::score_table(area, &lines, picture);
}

/// What the keys do, at the foot. Whoever has none taps there.
fn hints(context: &Context, picture: &mut Picture) {
    widgets::hints(&hint_texts(context), picture);
}

fn hint_texts<'a>(context: &Context) -> [(&'a str, &'a str); 3] {
    let accept = context.say(Word::HintAccept);
    [("↑↓←→", context.say(Word::HintMove)), ("Enter", accept), ("Esc", context.say(Word::HintBack))]
}
